"""Links between two tables of four players, with real TLS, real homes and growing logs."""

import itertools
import os
import time
from types import SimpleNamespace

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor
from twisted.internet.task import Clock

from cli.match import linking
from cli.match.linking import GOODBYE, LinkEnd, TableLink
from ginpeer.names import KnownNames
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.connector import connect
from ginpeer.net.handshake import OTHER_TABLE
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import SessionOver
from ginpeer.partnership import OwnLogs
from ginpeer.store import Home
from ginpeer.store.log import log_bytes
from ginpeer.store.partnership_files import EVENING, cached_standing, mark_shared, unmark_shared
from protocol.frames import EntryFrame, Goodbye
from tests.net.support import (
    LOOPBACK,
    SECRET,
    AnyTLS,
    a_guest,
    introduced,
    leave,
    rude_guest,
    until,
)
from tests.partnership.tables import entries_of, followed
from tests.tally.played import identity, play

pytestmark = pytest.mark.usefixtures("in_the_toy_group")


@pytest.fixture(autouse=True)
def _often(monkeypatch):
    monkeypatch.setattr(linking, "EVERY", 0.01)


def link_of(clock, home=None, key=None):
    """Return a link whose process only records in `stops` when it was told to stop."""
    stops = []
    process = SimpleNamespace(
        reactor=clock,
        stop=lambda: stops.append(clock.seconds()),
        heed=lambda error: None,
        stops=stops,
    )
    return TableLink(home, key, None if key is None else KnownNames(key.public), process)


class Player:
    """A player's home, and its end of a link."""

    def __init__(self, folder, name, pair):
        self.home = Home(folder / name)
        self.home.matches.mkdir(parents=True)
        self.log = self.home.matches / f"{'1' * 16}.ginlog"
        self.entries, self.told = entries_of(*pair), []
        self.identity = identity(name)
        self.link = link_of(reactor, self.home, self.identity)
        self.link.tell = lambda *lines: self.told.extend(lines)
        self.ends = []

    def side(self, *, joins):
        self.ends.append(self.link.add_end())
        return self.ends[-1].side(joins=joins)

    @property
    def session(self):
        return self.ends[-1]._session

    def play(self, hands):
        """Write the log up to the middle of the hand that follows this many hands."""
        whole = len(followed(self.entries, hands).entries)
        self.log.write_bytes(log_bytes(self.entries[: whole + 9]))

    def shows(self, hands):
        self.play(hands)
        mark_shared(self.log, time.time())
        return self

    def standing(self):
        kept = cached_standing(self.home, self.link._now())
        return "" if kept is None else " ".join(kept.lines)


@pytest.fixture
def players(tmp_path):
    tables = (("Ann", "Ben"), ("Cem", "Dora"))
    return [Player(tmp_path, name, pair) for pair in tables for name in pair]


def listen_for(closing, player):
    listening = Acceptor(reactor, player.side(joins=False), SECRET, address=Address(LOOPBACK, 0))
    if len(player.ends) == 1:
        player.link.begin()

    async def close():
        await listening.stop()
        await stopped(player)

    closing.append(close)
    return listening


async def stopped(player):
    player.link.end(0)
    await until(lambda: not player.link.connected)


async def link_players(closing, one, other):
    """Connect two players as `ginpeer link` does: *one* listens, and *other* dials."""
    for player in (one, other):
        player.ends.append(player.link.add_end())
        if len(player.ends) == 1:
            player.link.begin()
            closing.append(lambda player=player: stopped(player))
    other.ends[-1].connect(one.ends[-1].listen(Address(LOOPBACK, 0), ()), None)
    await until(lambda: one.ends[-1].is_connected and other.ends[-1].is_connected)


@ensureDeferred
async def test_four_players_see_the_score_of_both_tables_as_hands_end(closing, players):
    ann, ben, cem, dora = players
    for player in players:
        player.shows(0)
    await link_players(closing, ann, cem)
    await link_players(closing, ben, dora)
    await until(lambda: all("The other table" in each.standing() for each in players))
    assert "Ann against Ben: before the first hand" in dora.standing()
    for player in (ann, ben):
        player.play(1)
    await until(lambda: "The other table, Ann against Ben: after hand 1." in cem.standing())
    assert "Your table, Cem against Dora: before the first hand." in cem.standing()
    for player in (cem, dora):
        player.play(1)
    await until(lambda: all("Hand 1: " in each.standing() for each in players))
    score = ann.standing().partition("Score: ")[2]
    assert all(each.standing().endswith(score) for each in players)
    assert "Cem and Ann 0; Dora and Ben 13." in score
    assert "Their match began on 2023-11-" in ann.standing()  # long before this evening


@ensureDeferred
async def test_a_log_is_shown_only_while_it_is_marked_as_shared(closing, players):
    ann, _, cem, _ = players
    ann.play(1)
    cem.shows(1)
    await link_players(closing, ann, cem)
    await until(lambda: "The other table, Cem against Dora" in ann.standing())
    assert "The other table hasn't sent anything yet." in cem.standing()
    mark_shared(ann.log, time.time())
    await until(lambda: "Ann against Ben: after hand 1" in cem.standing())
    unmark_shared(ann.log)
    ann.log.write_bytes(log_bytes(ann.entries))
    await until(lambda: "Nobody else sees this table's log" in ann.standing())
    mark_shared(cem.log, time.time())
    cem.log.write_bytes(log_bytes(cem.entries))
    await until(lambda: "Cem against Dora: after hand 2" in ann.standing())
    assert "Ann against Ben: after hand 1" in cem.standing()


@pytest.mark.parametrize("passed", [EVENING + 60, -90])  # negative: the clock was set back
@ensureDeferred
async def test_consent_given_on_another_evening_shows_nothing(closing, players, passed):
    ann, _, cem, _ = players
    ann.shows(1)
    cem.shows(1)
    cem.link._now = lambda: time.time() + passed
    await link_players(closing, ann, cem)
    await until(lambda: "Nobody else sees this table's log" in cem.standing())
    await until(lambda: "Ann against Ben" in cem.standing())
    assert "The other table hasn't sent anything yet." in ann.standing()


@ensureDeferred
async def test_a_lost_link_reconnects_and_continues(closing, players):
    ann, _, cem, _ = players
    ann.shows(1)
    cem.shows(1)
    await link_players(closing, ann, cem)
    await until(lambda: "Cem against Dora: after hand 1" in ann.standing())
    lost = ann.session
    cem.session._wire.transport.transport.abortConnection()
    await until(lambda: lost.done.called)
    cem.play(2)
    await until(lambda: "Cem against Dora: after hand 2" in ann.standing())
    assert ann.session is not lost


@ensureDeferred
async def test_an_invalid_entry_ends_the_link_and_is_reported(closing, players):
    ann, cem = players[0], players[2]
    ann.shows(1)
    listening = listen_for(closing, ann)
    guest = await rude_guest(closing, listening.port, tls=AnyTLS(cem.identity))
    introduced(guest, ann.identity, cem.identity)
    guest.send(guest.hello(extensions=(OTHER_TABLE,)))
    guest.send(*map(EntryFrame, cem.entries[:5]), EntryFrame(cem.entries[7]))
    await until(lambda: ann.link.status is not None)
    assert ann.link.status == 1
    assert any("(link-order)" in line for line in ann.told)
    assert any(isinstance(f, Goodbye) and f.code == "link-order" for f in guest.frames)


@ensureDeferred
async def test_a_guest_who_wants_to_play_is_turned_away_from_a_link(closing, players):
    ann = players[0].shows(1)
    listening = listen_for(closing, ann)
    guest = a_guest(eager=False)
    session = await connect(reactor, listening.invite, guest.side)
    await until(lambda: session.done.called)
    assert "ginpeer link" in session.ending.sentence
    assert guest.journal.entries == []
    assert not ann.ends[-1].was_admitted
    await leave(session)
    assert ann.link.status is None


@ensureDeferred
async def test_control_characters_in_a_goodbye_are_not_printed(closing, players):
    ann, cem = players[0].shows(1), players[2]
    listening = listen_for(closing, ann)
    guest = await rude_guest(closing, listening.port, tls=AnyTLS(cem.identity))
    introduced(guest, ann.identity, cem.identity)
    guest.send(guest.hello(extensions=(OTHER_TABLE,)))
    guest.send(Goodbye("closed", "\x1b[2J\x1b]0;x\x07\u202e"))
    await until(lambda: any("(peer-closed)" in line for line in ann.told))
    assert all(line.isprintable() for line in ann.told)


def test_control_characters_in_a_refusal_are_not_printed(players):
    ann = players[0]
    ann.link.add_end().on_failure("peer-closed", 'It said: "\x1b[2J"')
    (line,) = ann.told
    assert line.isprintable()
    assert ann.link.status == 4


def test_a_link_that_is_refused_says_that_it_keeps_trying(players):
    ann = players[0]
    ann.link.add_end().on_refused("invite-wrong", "The secret is wrong.")
    assert "Still trying." in ann.told[-1]
    assert ann.link.status is None


class Connected(SimpleNamespace):
    is_connected = True

    def leave(self):
        """Say goodbye, which never ends here."""

    close = leave


def test_a_stopped_link_waits_at_most_a_second_for_its_friend():
    link = link_of(Clock())
    link._ends.append(Connected())
    link.leave()
    assert link.process.stops == []  # the goodbye is still being sent
    link.process.reactor.advance(GOODBYE)
    assert (link.process.stops, link.status) == ([GOODBYE], 0)
    assert GOODBYE <= 1


def test_a_link_keeps_its_first_exit_status():
    """Closing a link ends its other sessions, and each of them reports a status, too."""
    link = link_of(Clock())
    link.end(70)
    link.end(0)
    assert link.status == 70


@pytest.mark.parametrize(("code", "failure", "status"), [("not-a-link", "A", 4), ("x", "C", 70)])
def test_only_a_refused_log_has_the_exit_status_of_an_invalid_one(code, failure, status):
    link = link_of(Clock())
    link.begin()
    end = link.add_end()
    end._dials = object()  # we dialled
    end._over(CloseReason(code, "Over.", failure))
    assert link.status == status


def test_a_friend_gets_a_goodbye_even_if_several_lines_cannot_be_written(monkeypatch):
    def broken(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr(linking, "print_lines", broken)
    link = link_of(Clock())
    link._ends.append(Connected())
    link.tell("one line")
    link.tell("another")
    clock = link.process.reactor
    clock.advance(0)
    assert link.process.stops == []
    clock.advance(GOODBYE)
    assert link.process.stops == [GOODBYE]


@ensureDeferred
async def test_the_player_sitting_out_gets_a_match_from_both_and_counts_it_once(closing, tmp_path):
    rules = "standard hands=1"
    ann, ben, cem = (Player(tmp_path, name, ("Ben", "Cem")) for name in ("Ann", "Ben", "Cem"))
    for player in (ben, cem):
        player.entries = entries_of("Ben", "Cem", rules)
        player.log.write_bytes(log_bytes(player.entries))
        mark_shared(player.log, time.time())
    tries = (play("Ann", "Ben", rules, seed, started=1_600_000_000) for seed in range(9))
    before = next(one for one in tries if one.winner == "Ben")  # so Ann sits out the next bout
    ann.log.write_bytes(log_bytes(before.entries))
    mark_shared(ann.log, time.time())
    for player in (ben, cem):
        await link_players(closing, ann, player)
    await until(lambda: all(end.logs for end in ann.ends))
    await until(lambda: "Hand 2, their match: Ben against Cem, Ann sits out" in ann.standing())
    assert ann.standing().count("The other table") == 1


@ensureDeferred
async def test_an_internal_error_ends_the_link_with_a_message(
    players, monkeypatch, logged_failures
):
    ann = players[0].shows(0)

    def broken(*_, **__):
        raise RuntimeError("out of order")

    monkeypatch.setattr(linking, "standing_of", broken)
    ann.link.begin()
    await until(lambda: ann.link.status is not None)
    assert ann.link.status == 70
    assert len(ann.told) == 1
    logged_failures.clear()


def test_an_invalid_log_of_ours_is_followed_only_up_to_the_fault():
    entries = list(entries_of("Ann", "Ben"))
    own = OwnLogs()
    own.update({"log": [*entries[:20], b"x", *entries[20:]], "other": entries_of("Eve", "Fay")})
    list(itertools.takewhile(lambda _: own.waiting, (own.judge(8) for _ in range(999))))
    one, other = own.shown.values()
    assert len(one.entries) == 20
    assert other.table.finished


@pytest.mark.parametrize(
    "what", ["consider", "choose", "persist", "persist_evidence", "persist_seed"]
)
def test_nothing_is_played_or_stored_over_a_link(what):
    with pytest.raises(SessionOver):
        getattr(LinkEnd(None), what)(None)


def test_a_log_that_grows_within_one_tick_of_the_files_clock_is_read_again(players):
    ann = players[0].shows(0)
    tick = ann.log.stat().st_mtime_ns
    ann.link.shown()
    before = ann.link._own.waiting
    ann.play(1)
    os.utime(ann.log, ns=(tick, tick))
    ann.link.shown()
    assert ann.link._own.waiting > before


def test_the_keys_of_two_players_are_shown_once_however_often_they_play(players):
    ann, matches = players[0], [entries_of("Cem", "Dora", seed=seed) for seed in (0, 1)]
    ann.link._ends.append(SimpleNamespace(logs=list(map(followed, matches))))
    ann.link.news()
    assert sum(line.startswith("Key ") for line in ann.told) == 2


def test_an_unchanged_score_is_shown_once(players):
    link, told = players[0].link, players[0].told
    link.say()
    once = list(told)
    link.say()
    assert told == once != []
