"""Public STUN servers are asked only with the player's consent, and only if an answer is useful."""

import json
from argparse import Namespace
from dataclasses import replace
from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred

from cli.commands import match_options
from cli.commands.match_options import remembered_ways, typed_stun, typed_ways
from cli.match import ways_in
from cli.match.joining import GuestContact
from cli.match.ways_in import (
    HEAD_START,
    LIST,
    NOBODY,
    STUN,
    NotAsked,
    PublicAddressLookup,
    StunConsent,
    StunPolicy,
    is_public_address_useful,
    public_servers,
)
from cli.program import Failure
from ginpeer.net.address import Address
from ginpeer.net.own_addresses import Reach, ReachableAddress
from ginpeer.net.stun import ObservedAddress, StunError
from ginpeer.store.small_files import read_settings
from tests.cli.match.fakes import FakeMatch

SERVERS = (Address("stun.one", 3478), Address("stun.two", 3478), Address("stun.three", 3478))
OURS, MOVED = Address("203.0.113.7", 4466), Address("203.0.113.7", 50000)
SEEN = ObservedAddress(OURS, SERVERS[:2], exact=True, same_port=True)


class Table:
    """A table whose player the test answers for when they are asked for consent."""

    def __init__(self):
        self.asked, self.withdrawn = [], 0

    def ask(self, sentence, prompt, answered):
        self.asked.append(sentence)
        self.answered = answered

    def withdraw(self):
        self.withdrawn += 1


class Player:
    """A player whose STUN servers answer as the test says."""

    def __init__(self, monkeypatch, consent, *, routers=True, seen=SEEN, table=True, hosts=True):
        self.kept, self.moved, self.looked, self.watched = {}, [], [], []
        self.seen = seen
        self.table = Table() if table else None
        match = FakeMatch(table=self.table, keep=self.kept.update)
        self.clock, self.lines = match.reactor, match.told
        monkeypatch.setattr(ways_in, "observe_address", self._look)
        monkeypatch.setattr(ways_in, "keep_alive", self._keep_alive)
        self.public = PublicAddressLookup(
            match,
            StunPolicy(consent, SERVERS),
            SimpleNamespace(
                takes_replies=hosts,
                needs_public_address=True,
                on_public_address_change=lambda old, new: self.moved.append((old, new)),
            ),
            routers=routers,
        )

    async def _look(self, asking, servers, port):
        self.looked.append(servers)
        if isinstance(self.seen, Exception):
            raise self.seen
        return self.seen

    def _keep_alive(self, asking, servers, port, seen, *, changed, needed):
        self.watched.append(changed)
        self.keeping = Deferred(lambda _: self.watched.remove(changed))
        return self.keeping

    def ask(self, *, useful=True):
        self.answers = []
        port = SimpleNamespace(getHost=lambda: SimpleNamespace(host="0.0.0.0", port=4466))
        asking = self.public.ask(port, useful=useful)
        asking.addCallbacks(self.answers.append, lambda failure: self.answers.append(failure.value))
        return self


@pytest.fixture
def player(monkeypatch):
    return lambda consent, **settings: Player(monkeypatch, consent, **settings)


def test_consent_to_stun_is_asked_for_after_the_routers_refuse(player):
    it = player(StunConsent.ASK).ask()
    it.clock.advance(60)
    assert (it.table.asked, it.looked) == ([], [])
    it.public.on_router_result(opened=False)
    (sentence,) = it.table.asked
    assert "stun.one:3478 and stun.two:3478" in sentence
    assert "nothing about the game" in sentence
    assert it.looked == []
    it.table.answered(True)
    assert it.kept == {"stun": True}
    assert (it.looked, it.answers) == ([SERVERS], [OURS])
    assert len(it.watched) == 1


def test_a_refusal_of_stun_is_remembered_and_no_server_is_contacted(player):
    it = player(StunConsent.ASK, routers=False).ask()
    it.table.answered(False)
    assert it.kept == {"stun": False}
    assert it.looked == []
    assert isinstance(it.answers[0], NotAsked)
    assert "--stun public" in it.lines[-1]
    it.ask()
    assert len(it.table.asked) == 1
    assert isinstance(it.answers[0], NotAsked)


def test_no_consent_is_asked_for_if_a_router_opens_the_port(player):
    it = player(StunConsent.ASK).ask()
    it.public.on_router_result(opened=True)
    assert (it.table.asked, it.looked) == ([], [])
    assert isinstance(it.answers[0], NotAsked)


def test_no_server_is_asked_if_a_router_opens_the_port_a_second_time(player):
    it = player(StunConsent.WHERE_NEEDED)
    for _ in range(2):
        it.ask()
        it.public.on_router_result(opened=True)
        assert isinstance(it.answers[0], NotAsked)
        it.public.close()
    assert it.looked == []


def test_the_question_is_withdrawn_when_a_friend_arrives(player):
    it = player(StunConsent.ASK, routers=False).ask()
    assert it.public.asks_player
    it.public.withdraw_question()
    assert not it.public.asks_player
    assert it.table.withdrawn == 1
    assert isinstance(it.answers[0], NotAsked)
    assert it.kept == {}


def test_with_consent_stun_servers_are_asked_if_the_routers_stay_silent(player):
    it = player(StunConsent.WHERE_NEEDED).ask()
    it.clock.advance(HEAD_START - 0.1)
    assert it.looked == []
    it.clock.advance(0.1)
    assert it.answers == [OURS]
    assert it.table.asked == []
    it.public.on_router_result(opened=False)
    assert len(it.looked) == 1


@pytest.mark.parametrize("consent", [StunConsent.NO, StunConsent.ASK, StunConsent.WHERE_NEEDED])
def test_no_server_is_asked_if_the_address_would_be_of_no_use(player, consent):
    it = player(consent, routers=False).ask(useful=False)
    assert (it.looked, it.table.asked) == ([], [])
    assert isinstance(it.answers[0], NotAsked)


def test_named_stun_servers_are_asked_at_once(player):
    it = player(StunConsent.ALWAYS).ask(useful=False)
    assert it.answers == [OURS]


def test_a_failure_of_the_stun_servers_is_reported(player):
    error = StunError("stun-silent", "No STUN server answers.")
    it = player(StunConsent.WHERE_NEEDED, routers=False, seen=error).ask()
    assert it.answers == [error]
    assert it.lines[-1] == "No STUN server answers."


@pytest.mark.parametrize("hosts", [True, False])
def test_a_router_with_a_port_for_each_connection_is_reported_and_not_watched(player, hosts):
    seen = ObservedAddress(OURS, SERVERS[:2], exact=True, same_port=False)
    it = player(StunConsent.WHERE_NEEDED, routers=False, seen=seen, hosts=hosts).ask()
    assert ("let your friend host" in it.lines[-1]) is hosts
    assert "gives every connection a different port" in it.lines[-1]
    assert "4466" in it.lines[-1]
    assert (it.answers, it.watched) == ([OURS], [])
    assert it.public.same_port is False


def test_a_changed_public_address_is_reported(player):
    it = player(StunConsent.WHERE_NEEDED, routers=False).ask()
    it.watched[0](ObservedAddress(MOVED, SERVERS[:2], exact=True, same_port=True))
    assert it.moved == [(OURS, MOVED)]


def test_a_known_address_is_used_at_once_when_the_port_opens_again(player):
    it = player(StunConsent.WHERE_NEEDED).ask()
    it.public.on_router_result(opened=False)
    it.public.close()
    assert it.watched == []
    it.ask()
    assert it.answers == [OURS]
    assert len(it.looked) == 1
    assert len(it.watched) == 1


@pytest.mark.parametrize(
    ("new", "forgotten"), [(MOVED, []), (Address("203.0.113.8", 4466), ["203.0.113.7"])]
)
def test_a_guest_whose_ip_address_has_changed_forgets_what_routers_said_about_it(new, forgotten):
    forgot, found = [], []
    punch = SimpleNamespace(
        forget=forgot.append, set_address=lambda address, source: found.append((address, source))
    )
    GuestContact.on_public_address_change(SimpleNamespace(hole_punch=punch), OURS, new)
    assert (forgot, found) == (forgotten, [(new, STUN)])


@pytest.mark.parametrize("moves", [False, True])
def test_servers_are_asked_again_in_another_network(player, moves):
    it = player(StunConsent.WHERE_NEEDED, routers=False).ask()
    it.public.close()
    it.public._network = SimpleNamespace(has_moved=lambda: moves)
    it.seen = replace(SEEN, address=MOVED)
    assert it.ask().answers == [MOVED if moves else OURS]


@pytest.mark.parametrize(
    ("reaches", "useful"),
    [
        ((Reach.HOME,), True),
        ((Reach.HOME, Reach.CLOSED), True),
        ((Reach.HOME, Reach.IPV6), True),  # the friend may have no IPv6
        ((Reach.OUTSIDE, Reach.HOME), False),
        ((Reach.GIVEN, Reach.HOME), False),
        ((Reach.LOOPBACK,), False),
        ((Reach.CONTAINER,), False),
    ],
)
def test_a_public_address_is_useful_to_a_host_that_has_none(reaches, useful):
    assert is_public_address_useful(ReachableAddress(OURS, reach) for reach in reaches) is useful


# --- the options -----------------------------------------------------------------------


@pytest.fixture
def typed(tmp_path, monkeypatch):
    def typed(*, stun=None, no_stun=False, bot=False, terminal=True, saved=()):
        monkeypatch.setattr(match_options, "can_ask", lambda: terminal)
        args = Namespace(
            home=str(tmp_path),
            stun=stun,
            no_stun=no_stun,
            no_mapping=False,
            bot=bot,
            as_typed=False,
        )
        now = typed_ways(args, "guest")
        remembered_ways(args, saved, "guest")
        return typed_stun(args, now)

    return typed


def test_a_person_is_asked_about_stun_by_default(typed):
    assert typed().consent is StunConsent.ASK


@pytest.mark.parametrize(("bot", "terminal"), [(True, True), (False, False), (True, False)])
def test_scripts_and_bots_ask_no_server_unless_told_to(typed, tmp_path, bot, terminal):
    assert typed(bot=bot, terminal=terminal) == NOBODY
    found = typed(bot=bot, terminal=terminal, stun=["public"])
    assert (found.consent, len(found.servers) > 5) == (StunConsent.WHERE_NEEDED, True)
    assert read_settings(tmp_path).stun is None


def test_a_persons_typed_choice_about_stun_is_remembered(typed, tmp_path):
    typed(stun=["public"])
    assert typed().consent is StunConsent.WHERE_NEEDED
    assert typed(no_stun=True) == NOBODY
    assert typed() == NOBODY
    assert json.loads((tmp_path / "settings.json").read_text())["stun"] is False


@pytest.mark.parametrize("answer", [True, False])
def test_a_choice_about_stun_saved_for_a_friend_is_not_one_for_all_friends(typed, tmp_path, answer):
    yes, no = {"stun": ["public"]}, {"no_stun": True}
    typed(**(yes if answer else no))
    found = typed(saved=("no-stun",) if answer else ("stun=public",))
    assert found.consent is (StunConsent.NO if answer else StunConsent.WHERE_NEEDED)
    assert read_settings(tmp_path).stun is answer


def test_named_stun_servers_replace_the_list(typed):
    found = typed(stun=["one.example", "two.example:99"], terminal=False)
    servers = (Address("one.example", 3478), Address("two.example", 99))
    assert found == StunPolicy(StunConsent.ALWAYS, servers)


def test_public_and_named_stun_servers_cannot_be_combined(typed):
    with pytest.raises(Failure, match="not both") as caught:
        typed(stun=["public", "one.example"])
    assert caught.value.code == "usage"


def test_a_file_in_the_home_replaces_the_list(typed, tmp_path):
    (tmp_path / LIST).write_text("mine.example:7 # ours\n")
    assert typed(stun=["public"]).servers == (Address("mine.example", 7),)


@pytest.mark.parametrize("text", [b"", b"one two\n", b"\xff\n", b"#" * 20_000])
def test_an_unreadable_list_of_servers_is_reported(tmp_path, text):
    (tmp_path / LIST).write_bytes(text)
    with pytest.raises(Failure) as caught:
        public_servers(tmp_path)
    assert caught.value.code == "stun-list-unreadable"
