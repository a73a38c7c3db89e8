"""A club's bot plays one guest after another, each in a match of their own."""

import os
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
from ginpeer.net.timing import CAME_BACK
from ginpeer.referee.referee import judge
from ginpeer.referee.table import HOST
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import NotNow, Options, Seat
from ginpeer.store import Home, KnownPeers, StoreError, files, read_log
from ginpeer.store.log import log_bytes
from ginpeer.store.match_files import SEEDS_HEADER, read_notes
from protocol import messages as m
from protocol.entry import sign_entry
from protocol.frames import EntryFrame
from tests.goldens.seeded import insecure_urandom

WAITS = "Waiting for the next guest."
SHORT = Options(parse_ruleset("standard hands=1"))


pytestmark = pytest.mark.usefixtures("in_the_toy_group", "_no_waiting_for_the_disk", "_same_deals")


@pytest.fixture
def _same_deals(monkeypatch, request):
    """Deal the same cards in every run, as the bots' moves depend on them."""
    monkeypatch.setattr(os, "urandom", insecure_urandom(request.node.name))


@pytest.fixture
def _no_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr(files, "sync", lambda fd: None)


class Lines:
    def __init__(self):
        self.lines = []

    def info(self, *lines):
        self.lines.extend(lines)

    def show_end(self, code, sentence, status, log):
        self.ended = code
        self.lines.append(sentence)


class House:
    """A club whose guests connect in memory, without sockets."""

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
            plays=None,
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

    def seat(self, name, player=None):
        """Return a new guest who has tried to connect."""
        guest = Guest(self, name, player)
        guest.come(self)
        return guest

    def lose(self, guest):
        guest.session.cut(CloseReason("connection-lost", "Gone.", "A"))
        self.turn()
        guest.keeper.close()

    def see_off(self, guest):
        """Let a guest leave."""
        guest.session.leave()
        self.turn()
        guest.keeper.close()

    def wait(self, seconds):
        self.clock.advance(seconds)
        self.turn()

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
        self.player = player or Resigning
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


class Resigning(Bot):
    """A guest who accepts the match and resigns, but lays down its cards first if it has to."""

    def choose(self, view):
        try:
            self._session.resign()
        except NotNow:
            super().choose(view)


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


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_guests_are_served_one_after_another_and_each_has_a_log(house):
    for name in ("Ann", "Ben", "Ann"):
        guest = Guest(house, name, Bot)
        assert guest.come(house).ending.code == "finished"
    assert len(house.logs) == 3
    assert all(judge(read_log(match.path).entries).table.finished for match in house.logs)
    assert house.said.count(WAITS) == 3
    assert any(line.startswith("Ben accepts: match ") for line in house.said)
    house.club.leave()
    assert house.stopped == 1
    assert "Guest visits: 3." in house.presenter.lines[-1]
    assert (house.presenter.ended, house.club.match.after.status) == ("left", 0)


def test_a_guest_learns_that_a_bot_plays(house):
    assert house.seat("Ann").session.peer.bot


def test_the_bot_plays_at_the_level_that_was_typed(house):
    chosen = []

    def plays(view):
        chosen.append(choose(view))
        return chosen[-1]

    house.club.match.plays = plays
    house.seat("Ann", Bot)
    assert chosen


def test_each_match_has_a_note_of_where_the_club_waits(house):
    house.club.listens = "127.0.0.1:4470"
    for name in ("Ann", "Ben"):
        house.seat(name)
    assert [read_notes(match.path).listens for match in house.logs] == ["127.0.0.1:4470"] * 2


def test_no_two_matches_share_a_seed(house):
    for name in ("Ann", "Ben"):
        house.seat(name)
    seeds = [path.read_bytes() for path in house.home.matches.glob("*.seeds")]
    lines = [line for seed in seeds for line in seed.splitlines() if len(line) > 64]
    assert len(seeds) == 2
    assert len(lines) == len(set(lines)) >= 2
    assert len({match.name for match in house.logs}) == 2


def test_an_offer_that_came_to_nothing_leaves_no_file(house):
    for _ in range(3):
        assert Guest(house, "Ann", Declining).come(house).ending.code == "declined"
    ben = house.seat("Ben", Silent)
    ben.session.leave()
    house.turn()
    assert list(house.home.matches.iterdir()) == []


def test_a_guest_who_accepts_other_rules_than_offered_leaves_a_proof(house):
    ann = house.seat("Ann", Silent)
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
    ann, ben = house.seat("Ann", Stopping), Guest(house, "Ben")
    house.lose(ann)
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


def test_nothing_is_said_about_keeping_the_table_of_a_guest_who_is_already_back(tmp_path):
    house = House(tmp_path, patience=0.0)
    ann = house.seat("Ann", Stopping)
    table = house.club._guests[ann.identity.public]
    table.session.cut(CloseReason(CAME_BACK, "Your opponent has reconnected.", "A"))
    house.turn()
    assert house.said[-1] == "Ann: Your opponent has reconnected."
    ann.keeper.close()
    assert ann.come(house).ending is None


def test_with_new_only_matches_from_before_the_club_are_left_unfinished(house, tmp_path):
    ann = house.seat("Ann", Stopping)
    house.see_off(ann)
    again = House(tmp_path, new=True)
    for _ in range(2):
        assert ann.come(again).ending is None
        again.see_off(ann)
    assert len(again.logs) == 2
    assert sum("with Ann continues." in line for line in again.said) == 1


def test_a_guest_whose_return_fails_leaves_the_table_and_may_come_again(house, monkeypatch):
    ann = house.seat("Ann", Stopping)
    house.lose(ann)

    def fails(*_):
        raise StoreError("disk-full", "The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(KnownPeers, "remember", fails)
        ann.come(house)
    assert house.said[-2].endswith("(disk-full)")
    assert house.said[-1] == WAITS
    ann.player = Resigning
    assert ann.come(house).ending.code == "finished"
    house.club.leave()
    assert "Finished matches: 1." in house.presenter.lines[-1]


@pytest.mark.parametrize(("player", "seconds"), [(Silent, UNDECIDED), (Stopping, IDLE)])
def test_an_idle_guest_is_sent_away_only_while_others_wait(house, player, seconds):
    ann = house.seat("Ann", player)
    house.wait(seconds)
    assert ann.session.ending is None
    assert Guest(house, "Ben").come(house) is None
    house.clock.advance(seconds - 1)
    assert ann.session.ending is None
    house.wait(2)
    assert ann.session.ending.code == "peer-left"
    assert house.said[-2].endswith("(left)")
    assert house.said[-1] == WAITS


@pytest.mark.parametrize(("player", "seconds"), [(Silent, UNDECIDED), (Stopping, IDLE)])
def test_a_lost_connection_does_not_extend_a_guests_time(house, player, seconds):
    ann = house.seat("Ann", player)
    assert Guest(house, "Ben").come(house) is None
    house.clock.advance(seconds - 30)
    house.lose(ann)
    assert Guest(house, "Ben").come(house) is None
    ann.come(house)
    house.wait(30)
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
    """Let the guest play for this many seconds, making each move just before its time is up."""
    until = house.clock.seconds() + seconds
    while house.clock.seconds() < until and guest.session.ending is None:
        house.clock.advance(min(IDLE - 1, until - house.clock.seconds()))
        players[-1].move()
        house.turn()


def test_a_match_that_takes_too_long_makes_room_only_when_others_wait(tmp_path):
    house = House(tmp_path, tables=2)
    players = []

    def slow(session):
        players.append(Slow(session))
        return players[-1]

    ann, zoe, ben = Guest(house, "Ann", slow), Guest(house, "Zoe", Silent), Guest(house, "Ben")
    house.club.options = Options(parse_ruleset("standard hands=3"))  # long enough for seven moves
    ann.come(house)
    house.club.options = SHORT
    sits_for(house, ann, players, LONGEST - 60)
    zoe.come(house)
    assert ben.come(house) is None
    sits_for(house, ann, players, 60)
    assert ann.session.ending is None  # nobody has arrived in that minute
    assert ben.come(house) is None
    house.turn()
    assert ann.session.ending.code == "peer-left"
    assert any("more than an hour" in line for line in house.said)
    ann.keeper.close()
    assert ann.come(house) is None
    assert zoe.session.ending is None
    assert ben.come(house).ending.code == "finished"
    ann.player = Resigning
    assert ann.come(house).ending.code == "finished"
    assert any("with Ann continues." in line for line in house.said)


def test_a_guest_absent_when_its_match_has_taken_too_long_loses_the_table(tmp_path):
    house = House(tmp_path, patience=600.0)
    ann, ben = house.seat("Ann", Stopping), Guest(house, "Ben")
    house.wait(LONGEST)
    house.lose(ann)
    assert ben.come(house) is None
    assert ben.come(house).ending.code == "finished"


def test_a_guest_who_leaves_and_returns_comes_after_those_waiting(house):
    ann, ben = house.seat("Ann", Stopping), Guest(house, "Ben")
    assert ben.come(house) is None
    house.see_off(ann)
    assert ann.come(house) is None
    assert ben.come(house).ending.code == "finished"
    assert ann.come(house) is not None


@pytest.fixture
def sent_away(house):
    """Return a guest who was sent away for idling while another guest was waiting."""
    ann = house.seat("Ann", Silent)
    house.clock.advance(UNDECIDED - 10)
    assert house.seat("Ben").session is None
    house.wait(11)
    assert ann.session.ending.code == "peer-left"
    ann.keeper.close()
    assert ann.come(house) is None
    return ann


def test_a_guest_sent_away_for_idling_comes_after_those_waiting(house, sent_away):
    assert house.seat("Ben").session.ending.code == "finished"
    assert sent_away.come(house) is not None  # nobody is waiting any longer


def test_a_guest_sent_away_may_return_after_a_minute(house, sent_away):
    house.clock.advance(BEHIND)
    house.club.queue.note_refused(b"k" * 32, house.clock.seconds())  # somebody is still waiting
    assert sent_away.come(house) is not None


def test_two_guests_who_have_let_each_other_go_first_do_not_wait_for_each_other(house):
    ann, ben = house.seat("Ann", Stopping), Guest(house, "Ben", Stopping)
    assert ben.come(house) is None
    house.see_off(ann)
    assert ben.come(house) is not None
    assert ann.come(house) is None
    house.see_off(ben)
    assert ben.come(house) is None  # Ann is waiting
    assert ann.come(house) is not None  # Ben has had his turn


def _count_checks(monkeypatch, house, seconds):
    """Return a list that gets an item for each seat that the club restores: the number of entries
    that are verified for it. Each restored seat takes *seconds*."""
    checks, restore = [], Seat.restore

    def counted(seat, *arguments, **settings):
        if seat.seat == HOST:
            checks.append(len(arguments[0]) - settings["verified"])
            house.clock.rightNow += seconds
        return restore(seat, *arguments, **settings)

    monkeypatch.setattr(Seat, "restore", counted)
    return checks


def test_the_match_of_a_guest_who_keeps_returning_is_not_verified_again(house, monkeypatch):
    guests = [Guest(house, name, Stopping) for name in ("Ann", "Ben", "Cas")]
    checks = _count_checks(monkeypatch, house, 0.0)
    for guest in guests:
        guest.come(house)
        house.see_off(guest)
    for guest in (*guests, *guests):
        assert guest.come(house).ending is None
        house.see_off(guest)
    assert (len(checks), set(checks)) == (6, {0})
    guests[0].player = Resigning
    assert guests[0].come(house).ending.code == "finished"


def test_checking_stored_matches_takes_at_most_a_fifth_of_the_time(house, monkeypatch):
    guests = [Guest(house, name, Stopping) for name in ("Ann", "Ben")]
    for guest in guests:
        guest.come(house)
        house.see_off(guest)
    again = House(house.folder)
    checks = _count_checks(monkeypatch, again, CHECKING_BURST + 2)
    assert guests[0].come(again) is not None
    again.see_off(guests[0])
    assert guests[1].come(again) is None
    assert Guest(again, "Dot").come(again).ending.code == "finished"
    again.clock.advance(2 / CHECKING_SHARE + 0.1)
    assert guests[1].come(again) is not None
    assert len(checks) == 2


def test_nobody_has_to_leave_for_a_guest_who_is_refused_while_a_table_is_free(
    tmp_path, monkeypatch
):
    house = House(tmp_path, tables=2)
    ann = house.seat("Ann", Stopping)
    guests = [Guest(house, name, Stopping) for name in ("Ben", "Cas")]
    for guest in guests:
        guest.come(house)
        house.see_off(guest)
    house.wait(LONGEST)
    _count_checks(monkeypatch, house, CHECKING_BURST + 2)
    assert guests[0].come(house) is not None
    house.see_off(guests[0])
    assert guests[1].come(house) is None  # too much has been checked
    assert ann.session.ending is None


def test_a_damaged_match_is_mentioned_once_although_its_guest_is_lost_again_and_again(house):
    ann = house.seat("Ann", Stopping)
    house.see_off(ann)
    for match in house.logs:
        match.path.with_suffix(".seeds").write_bytes(SEEDS_HEADER)
    again = House(house.folder)
    for _ in range(3):
        ann.come(again)
        again.lose(ann)
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
    ann, ben = house.seat("Ann", Silent), house.seat("Ben", Silent)
    house.club._guests[ann.identity.public].session.fault(RuntimeError("ours"))
    house.turn()
    assert ann.session.done.called
    assert ben.session.ending is None
    assert house.club.is_full is False
    assert house.stopped == 0
    house.club.leave()
    house.turn()


def test_an_ended_club_serves_nobody(house):
    house.club.leave()
    assert house.club.assign(b"k" * 32) is None
    assert house.stopped == 1


@pytest.mark.parametrize("typed", [{"club": True}, {"tables": 2}, {"club": True, "friend": "Ann"}])
def test_a_club_needs_a_bot_and_no_named_friend(typed):
    words = {"club": False, "tables": None, "bot": "friend" in typed, "friend": None} | typed
    with pytest.raises(Failure) as error:
        check_club(SimpleNamespace(**words), "ginpeer")
    assert error.value.code == "usage"


def test_a_club_process_turns_a_second_guest_away_and_serves_it_next(tmp_path, start_script):
    """Real processes share one invite, and the guest is refused with the code of version 1.0."""
    typed = ("--bot", "--club", "--no-mapping", "--listen", "127.0.0.1:0")
    host = start_script(tmp_path / "h", "host", *typed)
    invite = host.invite()
    ann = start_script(tmp_path / "a", "join", invite)
    ann.wait_for("offer")
    assert start_script(tmp_path / "b", "join", invite).wait_for("end")["code"] == "table-taken"
    ann.end("quit")
    start_script(tmp_path / "b", "join", invite).wait_for("offer")
    host.process.terminate()
    assert host.end()[0] == 4  # no match was finished
    assert "Guest visits: 2." in host.lines[-1]


def test_a_closed_terminal_cuts_the_guests_off_and_ends_the_club(tmp_path):
    house = House(tmp_path, tables=2)
    ann, ben = house.seat("Ann", Stopping), house.seat("Ben", Silent)
    house.club.hang_up()
    house.club.leave()
    house.turn()
    assert [guest.session.ending.code for guest in (ann, ben)] == ["connection-lost"] * 2
    assert [line.endswith("(hung-up)") for line in house.said[-3:-1]] == [True, True]
    assert house.stopped == 1


def test_a_terminal_that_closes_during_the_goodbyes_cuts_no_guest_off(house):
    closed = []
    house.club.match.contact.stop = lambda: closed.append(True)
    ann = house.seat("Ann", Stopping)
    house.club.leave()
    house.club.hang_up()
    house.turn()
    assert ann.session.ending.code == "peer-left"
    assert not any(line.endswith("(hung-up)") for line in house.said)
    assert closed == [True]  # closing a port twice in one turn would be an error


def test_a_club_ends_at_once_if_nobody_is_connected_to_a_table(tmp_path):
    house = House(tmp_path, tables=2, patience=60.0)
    ann = house.seat("Ann", Stopping)
    ann.session.cut(CloseReason("connection-lost", "Gone.", "A"))
    house.turn()
    house.club.assign(b"k" * 32)  # this guest is only just connecting
    house.club.leave()
    assert house.stopped == 1
    assert [line for line in house.said if line.endswith("(left)")] != []
    assert not house.clock.getDelayedCalls()


def test_a_match_whose_end_only_the_guest_lacked_is_counted_once(house):
    ann = Guest(house, "Ann")
    ann.come(house)
    (log,) = ann.home.logs()
    log.path.write_bytes(log_bytes(read_log(log.path).entries[:-1]))
    assert ann.come(house).ending.code == "finished"
    house.club.leave()
    assert house.said[-1].endswith("Finished matches: 1.")
