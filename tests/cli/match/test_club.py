"""A club's bot plays one guest after another, each in a match of their own."""

import os
import subprocess
import time
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
from twisted.internet.task import Clock

from cli.match.bot_player import AutomaticPlayer
from cli.match.club import (
    BEHIND,
    CHECKING_BURST,
    CHECKING_SHARE,
    IDLE,
    LONGEST,
    UNDECIDED,
    Club,
    check_club,
)
from cli.program import Failure
from ginpeer.adviser.advise import choose
from ginpeer.match_store import TableKeeper
from ginpeer.names import KnownNames
from ginpeer.net.in_process import connect_in_process
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import Side
from ginpeer.referee.referee import judge
from ginpeer.referee.table import HOST
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options, Seat
from ginpeer.store import Home, KnownPeers, StoreError, read_log
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import SEEDS_HEADER, read_notes
from protocol import messages as m
from protocol.entry import sign_entry
from protocol.frames import EntryFrame
from tests.cli.process import ginpeer
from tests.cli.started import COMMAND, start

WAITS = "Waiting for the next guest."
SHORT = Options(parse_ruleset("standard hands=1"))


pytestmark = pytest.mark.usefixtures("in_the_toy_group")


class Lines:
    def __init__(self):
        self.lines = []

    def info(self, *lines):
        self.lines.extend(lines)

    def show_end(self, code, sentence, status, log):
        self.ended = code
        self.lines.append(sentence)


class House:
    """A club whose guests connect without sockets."""

    def __init__(self, folder, **typed):
        self.folder = folder
        self.clock = Clock()
        self.home = Home(folder / "club")
        identity = self.home.identity(os.urandom)
        self.presenter = Lines()
        self.stopped = 0
        match = SimpleNamespace(
            home=self.home,
            command="ginpeer",
            identity=identity,
            name="Club",
            reactor=self.clock,
            names=KnownNames(identity.public),
            known=self.home.known_peers(time.time),
            contact=SimpleNamespace(own_addresses=tuple, stop=lambda: None),
            presenter=self.presenter,
            side_of=partial(_side_of, identity),
            after=SimpleNamespace(status=None),
        )
        words = {"matches": None, "patience": None, "new": False, "tables": None} | typed
        self.club = Club(match, SimpleNamespace(**words), SHORT)
        self.club.closed.addCallback(lambda _: self._halt())

    def _halt(self):
        self.stopped += 1

    @property
    def said(self):
        """Return what the club printed, without the time of day."""
        return [line.partition(" ")[2] for line in self.presenter.lines]

    @property
    def logs(self):
        return self.home.logs()

    def turn(self, turns=4000):
        for _ in range(turns):
            if not any(
                call.active() and call.getTime() <= self.clock.seconds()
                for call in self.clock.getDelayedCalls()
            ):
                return
            self.clock.advance(0)

    def let_in(self, guest):
        """Admit a guest as the listening port does; return None if no table is free."""
        side = self.club.assign(guest.identity.public)
        if side is None:
            self.club.note_refused(guest.identity.public)
            return None
        hosts, guests = connect_in_process(side, guest.side, self.clock)
        hosts.done.addCallback(lambda _: self.club.note_left(guest.identity.public))
        guest.session = guests
        return guests


class Guest:
    def __init__(self, house, name, player=None):
        self.home = Home(house.folder / name)
        self.identity = self.home.identity(os.urandom)
        self.name = name
        self.player = player or Bot
        self.session = None

    @property
    def side(self):
        keeper = TableKeeper(
            self.home,
            "guest",
            self.identity,
            name=self.name,
            options=SHORT,
            rng=os.urandom,
            now=time.time,
        )
        self.keeper = keeper
        return replace(
            _side_of(self.identity, keeper, self.player), position_for=keeper.position_for
        )

    def come(self, house):
        session = house.let_in(self)
        house.turn()
        if session is not None and session.done.called:
            self.keeper.close()
        return session


def _side_of(identity, keeper, player_for, *, bot=False):
    return Side(
        identity=identity,
        software="test",
        seat_for=keeper.seat_for,
        player_for=player_for,
        journal=keeper,
        position_for=keeper.position_for,
        bot=bot,
    )


class Bot(AutomaticPlayer):
    """A guest who accepts any match and plays."""

    def __init__(self, session):
        super().__init__(session, choose)


class Silent(Bot):
    """A guest who never answers the offer."""

    def consider(self, offer):
        pass


class Declining(Silent):
    def consider(self, offer):
        self._session.decline()


class Stopping(Bot):
    """A guest who accepts the match but never moves, so no deal can end the match."""

    def choose(self, view):
        pass


def test_guests_are_served_one_after_another_and_each_has_a_log(tmp_path):
    house = House(tmp_path)
    for name in ("Ann", "Ben", "Ann"):
        guest = Guest(house, name)
        assert guest.come(house).ending.code == "finished"
    assert len(house.logs) == 3
    assert all(judge(read_log(match.path).entries).table.finished for match in house.logs)
    assert house.said.count(WAITS) == 3
    assert any(line.startswith("Ben accepts: match ") for line in house.said)
    house.club.leave()
    assert house.stopped == 1
    assert "Guest visits: 3." in house.presenter.lines[-1]
    assert house.presenter.ended == "left"


def test_each_match_has_a_note_of_where_the_club_waits(tmp_path):
    house = House(tmp_path)
    house.club.listens = "127.0.0.1:4470"
    for name in ("Ann", "Ben"):
        Guest(house, name).come(house)
    assert [read_notes(match.path).listens for match in house.logs] == ["127.0.0.1:4470"] * 2


def test_no_two_matches_share_a_seed(tmp_path):
    house = House(tmp_path)
    for name in ("Ann", "Ben"):
        Guest(house, name).come(house)
    seeds = [path.read_bytes() for path in house.home.matches.glob("*.seeds")]
    lines = [line for seed in seeds for line in seed.splitlines() if len(line) > 64]
    assert len(seeds) == 2
    assert len(lines) == len(set(lines)) >= 2
    assert len({match.name for match in house.logs}) == 2


def test_an_offer_that_came_to_nothing_leaves_no_file(tmp_path):
    house = House(tmp_path)
    for _ in range(3):
        assert Guest(house, "Ann", Declining).come(house).ending.code == "declined"
    ben = Guest(house, "Ben", Silent)
    ben.come(house)
    ben.session.leave()
    house.turn()
    assert list(house.home.matches.iterdir()) == []


def test_a_guest_who_accepts_other_rules_than_offered_leaves_a_proof(tmp_path):
    house = House(tmp_path)
    ann = Guest(house, "Ann", Silent)
    ann.come(house)
    at = ann.keeper.live.table
    lie = m.Accept(ann.identity.public, "Ann", "standard hands=9", bytes(32))
    raw = sign_entry(ann.identity, m.Body(at.table_id, at.sequence, at.head, lie))
    ann.session._wire.send(EntryFrame(raw))
    house.turn()
    assert "(rules-differ)" in house.said[-2]
    (log,) = house.logs
    assert len(house.home.evidence_beside(log.path)) == 1


def test_a_lost_guest_keeps_the_table_for_a_while_and_its_match_for_ever(tmp_path):
    house = House(tmp_path, patience=60.0)
    ann, ben = Guest(house, "Ann", Stopping), Guest(house, "Ben")
    ann.come(house)
    _lose(house, ann)
    assert ben.come(house) is None
    assert "60 seconds" in house.said[-1]
    house.clock.advance(61)
    assert house.said[-1] == WAITS
    assert house.said[-2].endswith("(connection-lost)")
    assert ben.come(house).ending.code == "finished"
    ann.player = Bot
    assert ann.come(house).ending.code == "finished"
    assert any(line.startswith("Match ") and "with Ann continues." in line for line in house.said)
    assert len(house.logs) == 2


def test_a_guest_whose_return_fails_leaves_the_table_and_may_come_again(tmp_path, monkeypatch):
    house = House(tmp_path)
    ann = Guest(house, "Ann", Stopping)
    ann.come(house)
    _lose(house, ann)

    def fails(*_):
        raise StoreError("disk-full", "The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(KnownPeers, "remember", fails)
        ann.come(house)
    assert house.said[-2].endswith("(disk-full)")
    assert house.said[-1] == WAITS
    ann.player = Bot
    assert ann.come(house).ending.code == "finished"
    house.club.leave()
    assert "Finished matches: 1." in house.presenter.lines[-1]


@pytest.mark.parametrize(("player", "seconds"), [(Silent, UNDECIDED), (Stopping, IDLE)])
def test_an_idle_guest_is_sent_away_only_while_others_wait(tmp_path, player, seconds):
    house = House(tmp_path)
    ann = Guest(house, "Ann", player)
    ann.come(house)
    house.clock.advance(seconds)
    house.turn()
    assert ann.session.ending is None
    assert Guest(house, "Ben").come(house) is None
    house.clock.advance(seconds - 1)
    assert ann.session.ending is None
    house.clock.advance(2)
    house.turn()
    assert ann.session.ending.code == "peer-left"
    assert house.said[-2].endswith("(left)")
    assert house.said[-1] == WAITS


@pytest.mark.parametrize(("player", "seconds"), [(Silent, UNDECIDED), (Stopping, IDLE)])
def test_a_lost_connection_does_not_extend_a_guests_time(tmp_path, player, seconds):
    house = House(tmp_path)
    ann = Guest(house, "Ann", player)
    ann.come(house)
    ann.player = player
    assert Guest(house, "Ben").come(house) is None
    house.clock.advance(seconds - 30)
    _lose(house, ann)
    assert Guest(house, "Ben").come(house) is None
    ann.come(house)
    house.clock.advance(30)
    house.turn()
    assert (
        "Others are waiting" in ann.session.ending.sentence
        or ann.session.ending.code == "peer-left"
    )


class Slow(Bot):
    """A guest who makes a move only when the test says so."""

    def __init__(self, session):
        super().__init__(session)
        self.move = lambda: None

    def choose(self, view):
        def move():
            self.move = lambda: None
            self._session.play(choose(view))

        self.move = move


def sits_for(house, guest, players, seconds):
    """Let the guest make each move just before its time is up."""
    until = house.clock.seconds() + seconds
    while house.clock.seconds() < until and guest.session.ending is None:
        house.clock.advance(min(IDLE - 1, until - house.clock.seconds()))
        players[-1].move()
        house.turn()


@pytest.mark.parametrize("tables", [1, 2])
@pytest.mark.deep(keep=1)
def test_a_match_that_takes_too_long_makes_room_only_when_others_wait(tmp_path, tables):
    house = House(tmp_path, tables=tables)
    players = []

    def slow(session):
        players.append(Slow(session))
        return players[-1]

    ann, zoe, ben = Guest(house, "Ann", slow), Guest(house, "Zoe", Silent), Guest(house, "Ben")
    house.club.options = Options(parse_ruleset("standard hands=3"))  # long enough for seven moves
    ann.come(house)
    house.club.options = SHORT
    sits_for(house, ann, players, LONGEST - 60)
    if tables == 2:
        zoe.come(house)
    assert ben.come(house) is None
    sits_for(house, ann, players, 60)
    assert ann.session.ending is None  # nobody has arrived since
    assert ben.come(house) is None
    house.turn()
    assert ann.session.ending.code == "peer-left"
    assert any("more than an hour" in line for line in house.said)
    ann.keeper.close()
    assert ann.come(house) is None
    if tables == 2:
        assert zoe.session.ending is None
    assert ben.come(house).ending.code == "finished"
    ann.player = Bot
    assert ann.come(house).ending.code == "finished"
    assert any("with Ann continues." in line for line in house.said)


def test_a_guest_absent_when_its_match_has_taken_too_long_loses_the_table(tmp_path):
    house = House(tmp_path, patience=600.0)
    ann, ben = Guest(house, "Ann", Stopping), Guest(house, "Ben")
    ann.come(house)
    house.clock.advance(LONGEST)
    house.turn()
    _lose(house, ann)
    assert ben.come(house) is None
    assert ben.come(house).ending.code == "finished"


def test_a_guest_who_leaves_and_returns_comes_after_those_waiting(tmp_path):
    house = House(tmp_path)
    ann, ben = Guest(house, "Ann", Stopping), Guest(house, "Ben")
    ann.come(house)
    assert ben.come(house) is None
    _leave(house, ann)
    assert ann.come(house) is None
    assert ben.come(house).ending.code == "finished"
    assert ann.come(house) is not None


def test_a_guest_sent_away_for_idling_comes_after_those_waiting(tmp_path):
    house = House(tmp_path)
    ann, ben = Guest(house, "Ann", Silent), Guest(house, "Ben")
    ann.come(house)
    house.clock.advance(UNDECIDED - 10)
    assert ben.come(house) is None
    house.clock.advance(11)
    house.turn()
    assert ann.session.ending.code == "peer-left"
    ann.keeper.close()
    assert ann.come(house) is None
    assert ben.come(house).ending.code == "finished"
    assert ann.come(house) is not None  # nobody is waiting any longer


def test_a_guest_sent_away_may_return_after_a_minute(tmp_path):
    house = House(tmp_path)
    ann, ben = Guest(house, "Ann", Silent), Guest(house, "Ben")
    ann.come(house)
    house.clock.advance(UNDECIDED - 1)
    assert ben.come(house) is None
    house.clock.advance(2)
    house.turn()
    ann.keeper.close()
    assert ann.come(house) is None
    house.clock.advance(BEHIND)
    house.club.note_refused(ben.identity.public)
    assert ann.come(house) is not None


def _lose(house, guest):
    guest.session.cut(CloseReason("connection-lost", "Gone.", "A"))
    house.turn()
    guest.keeper.close()


def _leave(house, guest):
    guest.session.leave()
    house.turn()
    guest.keeper.close()


def _count_checks(monkeypatch, house, seconds):
    """Return a list that gets an item for each restored seat of the club: how many entries are
    verified for it. Each takes these seconds."""
    checks, restore = [], Seat.restore

    def counted(seat, *arguments, **settings):
        if seat.seat == HOST:
            checks.append(len(arguments[0]) - settings["verified"])
            house.clock.rightNow += seconds
        return restore(seat, *arguments, **settings)

    monkeypatch.setattr(Seat, "restore", counted)
    return checks


def test_the_match_of_a_guest_who_keeps_returning_is_not_verified_again(tmp_path, monkeypatch):
    house = House(tmp_path)
    guests = [Guest(house, name, Stopping) for name in ("Ann", "Ben", "Cas")]
    checks = _count_checks(monkeypatch, house, 0.0)
    for guest in guests:
        guest.come(house)
        _leave(house, guest)
        guest.player = Stopping
    for guest in (*guests, *guests):
        assert guest.come(house).ending is None
        _leave(house, guest)
    assert (len(checks), set(checks)) == (6, {0})
    guests[0].player = Bot
    assert guests[0].come(house).ending.code == "finished"


def test_checking_stored_matches_takes_at_most_a_fifth_of_the_time(tmp_path, monkeypatch):
    house = House(tmp_path)
    guests = [Guest(house, name, Stopping) for name in ("Ann", "Ben")]
    for guest in guests:
        guest.come(house)
        _leave(house, guest)
        guest.player = Stopping
    again = House(tmp_path)
    checks = _count_checks(monkeypatch, again, CHECKING_BURST + 2)
    assert guests[0].come(again) is not None
    _leave(again, guests[0])
    assert guests[1].come(again) is None
    assert Guest(again, "Dot").come(again).ending.code == "finished"
    again.clock.advance(2 / CHECKING_SHARE + 0.1)
    assert guests[1].come(again) is not None
    assert len(checks) == 2


def test_a_damaged_match_is_mentioned_once_although_its_guest_is_lost_again_and_again(tmp_path):
    house = House(tmp_path)
    ann = Guest(house, "Ann", Stopping)
    ann.come(house)
    _leave(house, ann)
    for match in house.logs:
        match.path.with_suffix(".seeds").write_bytes(SEEDS_HEADER)
    again = House(tmp_path)
    for _ in range(3):
        ann.player = Stopping
        ann.come(again)
        _lose(again, ann)
    assert sum("(seed-lost)" in line for line in again.said) == 1
    assert len(again.logs) == 2


def test_a_guest_plays_the_requested_number_of_matches_before_the_next_guest(tmp_path):
    house = House(tmp_path, matches=2)
    assert house.club.assign(b"k" * 32).extensions() == (1,)
    house = House(tmp_path / "2", matches=1)
    assert house.club.assign(b"k" * 32).extensions() == ()


def test_three_tables_take_three_guests_at_once(tmp_path):
    house = House(tmp_path, tables=3)
    guests = [Guest(house, name, Silent) for name in ("Ann", "Ben", "Cas", "Dot")]
    assert [guest.come(house) is not None for guest in guests] == [True, True, True, False]
    assert [line.partition(":")[0] for line in house.said] == ["Table 1", "Table 2", "Table 3"]
    guests[1].session.leave()
    house.turn()
    assert guests[3].come(house) is not None
    assert house.said[-1].startswith("Table 2: ")
    house.club.leave()
    house.turn()
    assert house.stopped == 1
    assert all(guest.session.ending.code == "peer-left" for guest in (guests[0], guests[3]))


def test_a_fault_at_one_table_ends_neither_the_others_nor_the_club(tmp_path):
    house = House(tmp_path, tables=2)
    ann, ben = Guest(house, "Ann", Silent), Guest(house, "Ben", Silent)
    ann.come(house)
    ben.come(house)
    house.club._guests[ann.identity.public].session.fault(RuntimeError("ours"))
    house.turn()
    assert ann.session.done.called
    assert ben.session.ending is None
    assert house.club.is_full is False
    assert house.stopped == 0
    house.club.leave()
    house.turn()


def test_an_ended_club_serves_nobody(tmp_path):
    house = House(tmp_path)
    house.club.leave()
    assert house.club.assign(b"k" * 32) is None
    assert house.stopped == 1


@pytest.mark.parametrize("typed", [{"club": True}, {"tables": 2}, {"club": True, "friend": "Ann"}])
def test_a_club_needs_a_bot_and_no_named_friend(typed):
    words = {"club": False, "tables": None, "bot": "friend" in typed, "friend": None} | typed
    with pytest.raises(Failure) as error:
        check_club(SimpleNamespace(**words), "ginpeer")
    assert error.value.code == "usage"


def test_a_club_process_turns_a_second_guest_away_and_serves_it_next(tmp_path):
    """Real processes share one invite, and the guest sees the message of version 1.0."""
    words = [*COMMAND, "--home", str(tmp_path / "h"), "host", "--bot", "--club"]
    words += ["--no-mapping", "--listen", "127.0.0.1:0", "--hands", "1"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with start(words, **pipes) as host:
        invite = host.stdout.readline().removeprefix("invite: ").strip()
        join = [*COMMAND, "--home", str(tmp_path / "a"), "join", invite]
        with start(join, **pipes) as ann:
            assert any("event offer" in line for line in ann.stdout)
            second = ginpeer("--home", tmp_path / "b", "join", "--bot", invite)
            assert (second.returncode, "code=table-taken" in second.stdout) == (4, True)
            ann.communicate("quit\n", timeout=30)
        second = ginpeer("--home", tmp_path / "b", "join", "--bot", invite)
        assert second.returncode == 0
        host.terminate()
        rest, _ = host.communicate(timeout=30)
        assert host.returncode == 0
    assert "Guest visits: 2." in rest
    assert len(list((tmp_path / "h" / "matches").glob("*.ginlog"))) == 1


def test_a_closed_terminal_cuts_the_guests_off_and_ends_the_club(tmp_path):
    house = House(tmp_path, tables=2)
    ann, ben = Guest(house, "Ann", Stopping), Guest(house, "Ben", Silent)
    for guest in (ann, ben):
        guest.come(house)
    house.club.hang_up()
    house.club.leave()
    house.turn()
    assert [guest.session.ending.code for guest in (ann, ben)] == ["connection-lost"] * 2
    assert [line.endswith("(hung-up)") for line in house.said[-3:-1]] == [True, True]
    assert house.stopped == 1


def test_a_terminal_that_closes_during_the_goodbyes_cuts_no_guest_off(tmp_path):
    house, closed = House(tmp_path), []
    house.club.match.contact.stop = lambda: closed.append(True)
    ann = Guest(house, "Ann", Stopping)
    ann.come(house)
    house.club.leave()
    house.club.hang_up()
    house.turn()
    assert ann.session.ending.code == "peer-left"
    assert not any(line.endswith("(hung-up)") for line in house.said)
    assert closed == [True]  # to close a port twice in one turn is an error


def test_a_club_ends_at_once_if_nobody_is_connected_to_a_table(tmp_path):
    house = House(tmp_path, tables=2, patience=60.0)
    ann = Guest(house, "Ann", Stopping)
    ann.come(house)
    ann.session.cut(CloseReason("connection-lost", "Gone.", "A"))
    house.turn()
    house.club.assign(b"k" * 32)  # this guest is only just connecting
    house.club.leave()
    assert house.stopped == 1
    assert [line for line in house.said if line.endswith("(left)")] != []
    assert not house.clock.getDelayedCalls()


def test_a_match_whose_end_only_the_guest_lacked_is_counted_once(tmp_path):
    house = House(tmp_path)
    ann = Guest(house, "Ann")
    ann.come(house)
    (log,) = ann.home.logs()
    log.path.write_bytes(log_bytes(read_log(log.path).entries[:-1]))
    assert ann.come(house).ending.code == "finished"
    house.club.leave()
    assert house.said[-1].endswith("Finished matches: 1.")
