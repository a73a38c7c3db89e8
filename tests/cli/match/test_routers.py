"""Routers: what the host reads about them, its invite, and what it remembers for its next start."""

import socket
from types import SimpleNamespace
from unittest import mock

import pytest
from twisted.internet.defer import Deferred

from cli.match import ways_in
from cli.match.hosting import HostContact
from cli.match.ways_in import TOLD_AFTER, GuestRouters, HostRouters, NotMapped, can_be_mapped
from ginpeer.net.address import Address
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.methods import Lease, read_leases, write_leases
from ginpeer.net.mapping.results import (
    MappingProtocol,
    MappingResult,
    PortMapped,
    PortUnmapped,
    RouterAnswer,
)
from ginpeer.net.own_addresses import Reach, ReachableAddress
from ginpeer.store.small_files import MappingNotes
from tests.cli.match.fakes import FakeMatch
from tests.net.support import acceptor_at

HOME = ReachableAddress(Address("192.168.1.2", 4466), Reach.HOME)
SIX = ReachableAddress(Address("2001:db8::7", 4466), Reach.IPV6)
OUTSIDE, OTHER = Address("203.0.113.7", 4466), Address("203.0.113.7", 4470)
ELSEWHERE = Address("203.0.113.8", 4466)
GATEWAY = Gateway("192.168.1.1", "192.168.1.2")


def mapped(address, instead_of=None):
    return PortMapped(address, MappingProtocol.PCP, instead_of)


class Asked:
    """Replaces PortMapping: records its arguments and lets the test report results."""

    def __init__(self, reactor, port, **given):
        self.port, self.given, self.begun = port, given, False

    def begin(self):
        self.begun = True

    def stop(self):
        self.stopped = True


class Hosting:
    """A host with these addresses, whose console and clock the test controls."""

    def __init__(self, home, *addresses):
        self.told, self.answers, self.again = [], [], []
        match = FakeMatch(
            home=SimpleNamespace(path=home),
            send_addresses=lambda: self.told.append(self.listening.addresses),
        )
        self.clock, self.lines = match.reactor, match.told
        self.clock.addSystemEventTrigger = lambda *call: setattr(self, "at_the_end", call)
        self.listening = acceptor_at(addresses, self.clock)
        contact = SimpleNamespace(on_router_answer=self.answers.append, reprint=self.again.append)
        with mock.patch.object(ways_in, "PortMapping", self.asking):
            self.routers = HostRouters(match, self.listening, contact)
        self.routers.ask()
        assert self.asked.begun

    def asking(self, *arguments, **given):
        self.asked = Asked(*arguments, **given)
        return self.asked

    def hears(self, event):
        self.asked.given["on_event"](event)

    def stores(self, *leases):
        self.asked.given["store"](leases)


def test_the_outside_address_from_the_router_goes_into_the_invite_once(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(mapped(OUTSIDE))
    assert host.answers == []  # another way to connect may be found in a moment
    host.clock.advance(0.2)
    assert host.answers == [None]
    assert host.listening.addresses == (OUTSIDE, HOME.address)
    host.hears(MappingResult("mapped", "The router has opened the port.", ()))
    host.clock.advance(60)
    assert (host.answers, host.again, host.lines) == ([None], [], [])


def test_a_slow_router_is_waited_for_and_our_player_is_told(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.clock.advance(TOLD_AFTER)
    assert host.answers == []
    (line,) = host.lines
    assert "up to ten seconds" in line
    host.hears(mapped(OUTSIDE))
    host.clock.advance(0.2)
    assert host.answers == [None]


def test_a_late_answer_of_a_router_makes_another_invite_and_is_reported(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(MappingResult("no-answer", "The router does not answer.", ()))
    host.hears(mapped(OUTSIDE))
    assert len(host.answers) == 1
    assert f"Your router now lets your friend in at {OUTSIDE}" in host.again[-1]
    assert host.told == [(OUTSIDE, HOME.address)]


def test_a_changed_outside_address_replaces_the_old_one(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(mapped(OUTSIDE))
    host.hears(mapped(OTHER, instead_of=OUTSIDE))
    assert host.listening.addresses == (OTHER, HOME.address)
    host.hears(PortUnmapped(OTHER, "no-answer", "The router does not answer."))
    assert host.listening.addresses == (HOME.address,)
    assert "no longer lets anybody in at 203.0.113.7:4470." in host.lines[-1]


def test_an_address_stays_in_the_invite_as_long_as_anybody_vouches_for_it(tmp_path):
    host = Hosting(tmp_path, ReachableAddress(OUTSIDE, Reach.GIVEN), SIX)
    for address in (OUTSIDE, SIX.address):
        host.hears(mapped(address))
        assert ReachableAddress(address, Reach.OUTSIDE) in host.listening.reachable_addresses
        host.hears(PortUnmapped(address, "no-answer", "The router does not answer."))
    assert host.listening.reachable_addresses == ((OUTSIDE, Reach.GIVEN), SIX)


@pytest.mark.parametrize("also", ["a router", None])
def test_a_changed_public_address_replaces_only_what_the_servers_saw(tmp_path, also):
    host, renewed = Hosting(tmp_path, HOME), []
    host.listening.add(OUTSIDE, reach=Reach.CLOSED)
    if also is not None:
        host.hears(mapped(OUTSIDE))
    contact = SimpleNamespace(
        _listening=host.listening,
        ask_routers_again=lambda: renewed.append(True),
        reprint=host.again.append,
    )
    HostContact.on_public_address_change(contact, OUTSIDE, OTHER)
    left = [] if also is None else [OUTSIDE]
    assert host.listening.addresses == (*left, OTHER, HOME.address)
    assert renewed == [True]  # the router may have another address as well


def test_a_changed_public_ip_address_replaces_what_a_router_only_named(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(REFUSED)
    assert host.listening.addresses == (OUTSIDE, HOME.address)
    contact = SimpleNamespace(
        _listening=host.listening, ask_routers_again=lambda: None, reprint=host.again.append
    )
    host.listening.add(OUTSIDE, reach=Reach.CLOSED)
    HostContact.on_public_address_change(contact, OUTSIDE, ELSEWHERE)
    assert host.listening.addresses == (ELSEWHERE, HOME.address)


def test_a_changed_public_port_leaves_what_a_router_named(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(REFUSED)
    contact = SimpleNamespace(
        _listening=host.listening, ask_routers_again=lambda: None, reprint=host.again.append
    )
    host.listening.add(OTHER, reach=Reach.CLOSED)
    new = OTHER._replace(port=4480)
    HostContact.on_public_address_change(contact, OTHER, new)
    assert host.listening.addresses == (OUTSIDE, new, HOME.address)


def test_an_address_that_servers_still_see_stays_when_a_router_closes_it(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(mapped(OUTSIDE))
    host.listening.add(OUTSIDE, reach=Reach.CLOSED)
    assert host.listening.reachable_addresses == ((OUTSIDE, Reach.OUTSIDE), HOME)
    host.hears(PortUnmapped(OUTSIDE, "no-answer", "The router does not answer."))
    assert host.listening.reachable_addresses == ((OUTSIDE, Reach.CLOSED), HOME)


@pytest.mark.parametrize(("outside", "kept"), [(OTHER, (OUTSIDE,)), (ELSEWHERE, ())])
def test_an_address_that_servers_saw_goes_if_the_router_has_a_different_one(
    tmp_path, outside, kept
):
    """While a match goes on, no server is asked, and none would notice."""
    host = Hosting(tmp_path, HOME)
    host.listening.add(OUTSIDE, reach=Reach.CLOSED)
    host.hears(mapped(OUTSIDE))
    host.hears(mapped(outside, instead_of=OUTSIDE))
    assert set(host.listening.addresses) == {*kept, outside, HOME.address}


def test_an_address_that_nobody_added_cannot_be_dropped(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(PortUnmapped(OUTSIDE, "no-answer", "The router does not answer."))
    assert host.listening.addresses == (HOME.address,)


def test_a_public_address_of_this_machine_stays_when_a_router_closes_it(tmp_path):
    own = ReachableAddress(OUTSIDE, Reach.OUTSIDE)
    host = Hosting(tmp_path, own, SIX)
    host.hears(mapped(OUTSIDE))
    host.hears(PortUnmapped(OUTSIDE, "no-answer", "The router does not answer."))
    assert host.listening.reachable_addresses == (own, SIX)


def test_an_address_that_two_routers_let_in_is_open_until_both_close_it(tmp_path):
    host = Hosting(tmp_path, HOME, SIX)
    for _ in range(2):
        host.hears(mapped(SIX.address))
    for reach in (Reach.OUTSIDE, Reach.IPV6):
        host.hears(PortUnmapped(SIX.address, "no-answer", "The router does not answer."))
        assert host.listening.reachable_addresses == (HOME, ReachableAddress(SIX.address, reach))


def test_a_hole_in_the_ipv6_firewall_changes_the_reach_of_that_address(tmp_path):
    host = Hosting(tmp_path, HOME, SIX)
    host.hears(mapped(SIX.address))
    assert host.listening.reachable_addresses == (
        HOME,
        ReachableAddress(SIX.address, Reach.OUTSIDE),
    )


def test_a_pinhole_is_asked_for_only_for_an_address_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(ways_in, "own_hosts", lambda: (HOME.address.host, SIX.address.host))
    another = ReachableAddress(Address("2001:db8::9", 4466), Reach.GIVEN)
    assert Hosting(tmp_path, another, SIX, HOME).asked.given["own"] == [SIX.address.host]


def test_the_answer_says_why_no_router_opens_the_port(tmp_path):
    host = Hosting(tmp_path, HOME)
    refused = MappingResult("not-allowed", "The router does not allow it.", ())
    host.hears(refused)
    assert host.answers == [refused]
    host.clock.advance(60)
    assert host.lines == []


def test_the_routers_are_asked_to_close_the_port_at_shutdown(tmp_path):
    host = Hosting(tmp_path, HOME)
    before, shutdown, stop = host.at_the_end
    assert (before, shutdown, stop) == ("before", "shutdown", host.asked.stop)


def lease(port):
    return Lease(MappingProtocol.NAT_PMP, "192.168.1.1", "192.168.1.2", port)


def test_open_leases_are_stored_and_given_to_the_next_start(tmp_path):
    host = Hosting(tmp_path, HOME)
    assert host.asked.given["remembered"] == ()
    host.stores(lease(4466))
    again = Hosting(tmp_path, HOME)
    assert again.asked.given["remembered"] == (lease(4466),)
    again.stores()
    assert Hosting(tmp_path, HOME).asked.given["remembered"] == ()
    assert list(MappingNotes(tmp_path).ports()) == []


def test_leases_of_another_table_of_ours_are_left_alone(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        MappingNotes(tmp_path).write(port, write_leases([lease(port)]))
        host = Hosting(tmp_path, HOME)
        assert host.asked.given["remembered"] == ()
        host.stores(lease(4466))
        assert read_leases(MappingNotes(tmp_path).read(port)) == (lease(port),)
    assert lease(port) in Hosting(tmp_path, HOME).asked.given["remembered"]


def test_a_table_of_ours_at_another_local_address_is_noticed(tmp_path):
    with socket.create_server(("127.0.0.5", 0)) as busy:
        port = busy.getsockname()[1]
        MappingNotes(tmp_path).write(port, write_leases([lease(port)]))
        assert Hosting(tmp_path, HOME).asked.given["remembered"] == ()


def test_our_own_port_is_remembered_while_we_listen_on_it(tmp_path, monkeypatch):
    monkeypatch.setattr("cli.match.ways_in._is_free", lambda port: False)
    for port in (4466, 4467):
        MappingNotes(tmp_path).write(port, write_leases([lease(port)]))
    assert Hosting(tmp_path, HOME).asked.given["remembered"] == (lease(4466),)


@pytest.mark.parametrize("text", ["", "{", "[]", write_leases([]) + "x"])
def test_an_unreadable_note_does_not_prevent_hosting(tmp_path, text):
    MappingNotes(tmp_path).write(4466, text)
    assert Hosting(tmp_path, HOME).asked.given["remembered"] == ()


def test_an_unwritable_folder_is_reported_once_and_the_game_continues(tmp_path):
    (tmp_path / "routers").write_text("a file, where the folder should be")
    host = Hosting(tmp_path, HOME)
    host.stores(lease(4466))
    host.stores(lease(4466))
    assert len(host.lines) == 1
    host.hears(mapped(OUTSIDE))
    host.clock.advance(0.2)
    assert host.answers == [None]


def test_no_router_is_asked_to_map_a_loopback_or_given_address():
    assert can_be_mapped((HOME,))
    assert can_be_mapped((SIX,))
    assert not can_be_mapped((ReachableAddress(Address("127.0.0.1", 1), Reach.LOOPBACK),))
    assert not can_be_mapped((ReachableAddress(Address("gin.example", 1), Reach.GIVEN),))


# --- a guest's routers -----------------------------------------------------------------


class Guest:
    """A listening guest whose routers the test controls."""

    def __init__(self, home, host="192.168.1.2"):
        self.answers, self.opened, self.stopped = [], [], []
        self.asked = None
        match = FakeMatch(home=SimpleNamespace(path=home))
        self.lines = match.told
        match.reactor.addSystemEventTrigger = lambda *call: None
        self.routers = GuestRouters(
            match, SimpleNamespace(on_router_result=lambda opened: self.opened.append(opened))
        )
        self.port = SimpleNamespace(getHost=lambda: SimpleNamespace(host=host, port=4466))
        self.ask()

    def ask(self):
        with mock.patch.object(ways_in, "PortMapping", self.asking):
            self.routers.ask(self.port).addCallbacks(self.answers.append, self.failed)

    def asking(self, *arguments, **given):
        self.asked = Asked(*arguments, **given)
        self.asked.stop = self.stop
        return self.asked

    def stop(self):
        self.stopped.append(Deferred())
        return self.stopped[-1]

    def failed(self, failure):
        failure.trap(NotMapped)
        self.answers.append(str(failure.value))


def test_a_guests_reply_names_its_routers_address_until_the_mapping_is_closed(tmp_path):
    guest = Guest(tmp_path)
    assert guest.asked.port == 4466
    guest.asked.given["on_event"](mapped(OUTSIDE))
    guest.asked.given["on_event"](mapped(OTHER))
    guest.asked.given["on_event"](MappingResult("mapped", "The router has opened the port.", ()))
    assert (guest.answers, guest.opened) == ([OUTSIDE], [True])
    guest.routers.close()
    guest.routers.close()
    assert len(guest.stopped) == 1
    guest.asked.given["on_event"](mapped(OTHER))


def test_a_guests_port_is_mapped_again_only_after_the_previous_mapping_has_stopped(
    tmp_path, monkeypatch
):
    guest = Guest(tmp_path)
    monkeypatch.setattr(ways_in, "PortMapping", guest.asking)
    first = guest.asked
    for _ in range(2):
        guest.routers.close()
        guest.ask()
    assert guest.asked is first
    guest.stopped[0].callback(None)
    assert guest.asked is not first
    guest.asked.given["on_event"](mapped(OTHER))
    assert guest.answers == [OTHER]


def test_a_guest_whose_router_opens_nothing_replies_without_it(tmp_path):
    guest = Guest(tmp_path)
    guest.asked.given["on_event"](MappingResult("no-answer", "The router does not answer.", ()))
    assert (guest.answers, guest.opened) == (["The router does not answer."], [False])
    assert guest.lines == []


def test_a_guest_without_a_router_asks_none(tmp_path):
    guest = Guest(tmp_path, host="127.0.0.1")
    assert guest.answers == ["There is no router to ask."]
    assert guest.asked is None
    guest.routers.close()


REFUSED = MappingResult(
    "not-allowed",
    "The router does not allow it.",
    (RouterAnswer(MappingProtocol.UPNP, GATEWAY, "not-allowed", "No.", seen_at="203.0.113.7"),),
)


def test_a_router_that_opens_nothing_may_still_tell_its_outside_address(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(REFUSED)
    assert host.listening.reachable_addresses == (ReachableAddress(OUTSIDE, Reach.CLOSED), HOME)
    assert host.answers == [REFUSED]
    assert "includes your router's address" in host.again[-1]


def test_a_guests_router_that_opens_nothing_may_still_tell_its_address(tmp_path):
    guest = Guest(tmp_path)
    guest.asked.given["on_event"](REFUSED)
    assert (guest.answers, guest.opened) == ([OUTSIDE], [False])


@pytest.mark.parametrize("seen_at", ["192.168.0.1", "100.64.0.1", "nonsense", None])
def test_an_outside_address_that_is_not_public_is_ignored(seen_at):
    answer = RouterAnswer(MappingProtocol.UPNP, GATEWAY, "refused", "No.", seen_at=seen_at)
    assert MappingResult("refused", "No.", (answer,)).seen_at is None


def test_an_address_that_a_router_only_named_goes_when_it_has_another(tmp_path):
    host = Hosting(tmp_path, HOME)
    host.hears(REFUSED)
    host.hears(mapped(OUTSIDE))
    host.hears(mapped(ELSEWHERE, instead_of=OUTSIDE))
    assert host.listening.addresses == (ELSEWHERE, HOME.address)


def test_a_hole_in_the_ipv6_firewall_leaves_the_ipv4_address_that_a_router_named(tmp_path):
    host = Hosting(tmp_path, HOME, SIX)
    host.hears(REFUSED)
    host.hears(mapped(SIX.address))
    assert host.listening.addresses == (OUTSIDE, HOME.address, SIX.address)
