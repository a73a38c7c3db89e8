"""A host prints one invite when it knows all its addresses, and another when they change."""

from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred, fail

from cli.match import hosting
from cli.match.hosting import LONGEST, LONGEST_FOR_TOR, SHORT, HostContact, HostOptions
from cli.match.ways_in import NOBODY, NotAsked, StunConsent, StunPolicy
from cli.text.connecting import outside_line
from ginpeer.net.address import Address
from ginpeer.net.codes import Reply
from ginpeer.net.hole_punch import STUCK
from ginpeer.net.mapping.results import MappingResult
from ginpeer.net.own_addresses import Reach, ReachableAddress
from tests.cli.match.fakes import FakeMatch
from tests.net.support import acceptor_at

HOME = ReachableAddress(Address("192.168.1.2", 4466), Reach.HOME)
OURS, MOVED = Address("203.0.113.7", 4466), Address("203.0.113.7", 50000)
REFUSED = MappingResult("no-answer", "The router does not answer.", ())
MAY_ASK = StunPolicy(StunConsent.WHERE_NEEDED, (Address("stun.example", 3478),))
ONLY_HOME = outside_line((HOME,), 4466, "type quit", asked=True)


class Host:
    """A host whose routers, servers and Tor answer when the test says so."""

    def __init__(self, monkeypatch, *, stun=MAY_ASK, mapping=True, tor=False, addresses=(HOME,),
                 at_once=False):  # fmt: skip
        self.printed, self.early = [], []
        self.at_once = at_once  # whether begin() reports at once that no server is asked
        console = SimpleNamespace(print=lambda line, whole: self._print(line))
        match = FakeMatch(console=console)
        self.clock, self.lines = match.reactor, match.told
        self.listening = acceptor_at(addresses, self.clock)
        monkeypatch.setattr(hosting, "HostRouters", self._routers)
        monkeypatch.setattr(hosting, "PublicAddressLookup", self._public)
        monkeypatch.setattr(hosting, "offer_onion", self._onion)
        options = HostOptions(mapping=mapping, tor=tor, stun=stun)
        self.contact = contact = HostContact(match, self.listening, options)
        contact._announce = self._show
        contact.begin()

    def _print(self, line):
        self.printed.append(line.removeprefix("invite: "))

    def _show(self, early):
        self.printed.append(str(self.listening.invite))
        self.early.append(early)

    def _routers(self, match, listening, contact):
        self.router_says, self.reprint = contact.on_router_answer, contact.reprint
        return SimpleNamespace(ask=lambda: None, look_again=lambda: None)

    def _public(self, match, stun, user, *, routers):
        self.seen, self.moves = (
            fail(NotAsked()) if self.at_once else Deferred(),
            user.on_public_address_change,
        )
        self.routers_said = []
        self.public = SimpleNamespace(
            may_ask=stun.consent is not StunConsent.NO,
            asks_player=False,
            ask=lambda port, useful: self.seen,
            withdraw_question=lambda: None,
            on_router_result=lambda opened: self.routers_said.append(opened),
            close=lambda: None,
            same_port=None,
        )
        return self.public

    def _onion(self, match, listening, answered):
        self.tor_says = answered

    def opens(self):
        """Let the router report that it has opened our port. No STUN server is then asked."""
        self.listening.add(OURS, reach=Reach.OUTSIDE)
        self.router_says(None)
        self.seen.errback(NotAsked())

    @property
    def names(self):
        return self.listening.addresses


@pytest.fixture
def host(monkeypatch):
    return lambda **settings: Host(monkeypatch, **settings)


def test_the_invite_is_printed_at_once_if_no_router_or_server_is_asked(host):
    it = host(stun=NOBODY, mapping=False)
    assert it.early == [False]
    assert it.lines == [outside_line((HOME,), 4466, "type quit", asked=False)]


def test_what_a_friend_elsewhere_needs_is_said_once_if_no_answer_is_awaited(host):
    it = host(mapping=False, at_once=True)
    assert (it.early, it.lines) == ([False], [ONLY_HOME])


def test_the_invite_waits_for_a_slow_router_and_is_printed_once(host):
    it = host()
    it.clock.advance(LONGEST - 1)
    assert it.printed == []
    it.opens()
    assert it.printed == [str(it.listening.invite)]
    assert it.contact.invite_line() == f"invite: {it.printed[0]}"  # `help` repeats it
    assert (it.early, it.names) == ([False], (OURS, HOME.address))
    it.clock.advance(LONGEST)
    assert len(it.printed) == 1
    assert it.lines == []


def test_the_invite_waits_for_the_stun_servers_if_the_router_opens_nothing(host):
    it = host()
    it.router_says(REFUSED)
    assert (it.printed, it.routers_said) == ([], [False])
    it.seen.callback(OURS)
    assert (len(it.printed), it.names) == (1, (OURS, HOME.address))
    assert it.lines[-1].startswith("The router does not answer. Nobody outside ")


def test_a_silent_router_is_not_waited_for_once_the_address_is_known(host):
    it = host()
    it.seen.callback(OURS)
    assert (len(it.printed), it.early) == (1, [False])
    assert "reply:" in it.lines[-1]
    it.listening.add(OURS, reach=Reach.OUTSIDE)  # the router has opened the same port
    it.reprint("Your router lets a friend in")
    assert len(it.printed) == 1


def test_an_invite_for_the_home_network_only_says_so_and_what_to_do(host):
    it = host()
    it.router_says(REFUSED)
    it.seen.errback(NotAsked())
    assert len(it.printed) == 1
    assert ONLY_HOME in it.lines[-1]


@pytest.mark.parametrize("reach", [Reach.GIVEN, Reach.OUTSIDE])
def test_an_invite_with_an_outside_address_does_not_wait_for_slow_routers(host, reach):
    it = host(addresses=(ReachableAddress(OURS, reach), HOME), stun=NOBODY)
    it.clock.advance(SHORT)
    assert len(it.printed) == 1


def test_the_invite_is_printed_after_the_longest_wait(host):
    it = host()
    it.clock.advance(LONGEST)
    assert it.early == [True]
    it.opens()
    it.reprint("Your router lets a friend in now.")
    assert len(it.printed) == 2
    assert it.lines[0].startswith("Your router lets a friend in now. ")


def test_a_friend_who_comes_before_the_invite_is_printed_does_not_need_it(host):
    it = host()
    it.contact.on_arrival()
    it.clock.advance(LONGEST)
    it.router_says(REFUSED)
    it.seen.errback(NotAsked())
    assert (it.printed, it.lines, it.contact.invite_line()) == ([], [], None)
    it.contact.await_friend()
    it.contact.ask_routers_again()
    assert (it.early, len(it.lines)) == ([False], 1)


def test_the_invite_waits_for_an_open_question_to_our_player(host):
    it = host()
    it.public.asks_player = True
    it.clock.pump([LONGEST] * 10)
    assert it.printed == []
    it.public.asks_player = False
    it.router_says(REFUSED)
    it.seen.errback(NotAsked())
    assert it.early == [False]


def test_with_tor_a_single_invite_names_the_onion_address(host):
    it = host(tor=True)
    it.router_says(REFUSED)
    it.seen.callback(OURS)
    it.clock.advance(LONGEST_FOR_TOR - 1)
    assert it.printed == []
    it.listening.add(OURS)
    it.tor_says(True)
    assert (len(it.printed), it.early) == (1, [False])


def test_a_slow_tor_leaves_an_invite_that_says_so(host):
    it = host(tor=True, stun=NOBODY, mapping=False)
    it.clock.advance(LONGEST_FOR_TOR)
    assert it.early == [True]
    it.tor_says(False)
    assert len(it.printed) == 1


def test_a_changed_port_makes_a_new_invite_without_the_old_port(host):
    it = host()
    it.seen.callback(OURS)
    it.moves(OURS, MOVED)
    assert it.names == (MOVED, HOME.address)
    assert it.printed[1:] == [str(it.listening.invite)]
    assert str(MOVED) in it.lines[-1]


def test_an_address_that_servers_and_then_the_router_have_changed_makes_one_new_invite(host):
    it, new = host(), Address("203.0.113.8", 4466)
    it.seen.callback(OURS)
    it.listening.add(OURS, reach=Reach.OUTSIDE)  # the router has opened the same port
    it.moves(OURS, new)
    assert it.names == (OURS, new, HOME.address)
    it.listening.drop(OURS, Reach.OUTSIDE)
    it.listening.add(new, reach=Reach.OUTSIDE)
    it.reprint("Your router lets a friend in")
    assert it.names == (new, HOME.address)
    assert len(it.printed) == 2


def test_an_invite_that_has_only_lost_an_address_is_not_printed_again(host):
    it = host()
    it.opens()
    it.contact.on_arrival()
    it.listening.drop(OURS, Reach.OUTSIDE)
    it.contact.await_friend()
    assert len(it.printed) == 1


def test_no_new_invite_is_printed_after_the_friend_has_come(host):
    it = host()
    it.seen.callback(OURS)
    it.contact.on_arrival()
    it.moves(OURS, MOVED)
    assert len(it.printed) == 1


@pytest.mark.parametrize("occupied", [False, True])
def test_a_pasted_reply_that_brings_nobody_is_explained_after_a_while(host, monkeypatch, occupied):
    it = host()
    it.opens()
    match = it.contact._match
    match.other = SimpleNamespace(peer=None)
    match.presenter.show_dialling = lambda addresses, key: None
    reply = Reply.to(it.listening.invite, bytes(32), (Address("198.51.100.9", 4466),))
    monkeypatch.setattr(type(it.listening), "dial", lambda *ours: None)
    it.contact.on_paste(str(reply))
    monkeypatch.setattr(type(it.listening), "occupied", occupied)
    told = len(it.lines)
    it.clock.advance(STUCK - 1)
    assert len(it.lines) == told
    it.clock.advance(1)
    found = [line for line in it.lines if line.startswith("Your friend hasn't connected yet.")]
    assert len(found) == (not occupied)
