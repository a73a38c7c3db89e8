"""Pings are answered, and bots move, at moments that reveal nothing about our cards."""

import io
from dataclasses import replace
from itertools import pairwise
from math import ceil

import pytest
from twisted.internet.task import Clock

import cli.match.bot_player
from cli.match.bot_player import AutomaticPlayer, BotPlayer
from cli.table.presenter import ProgramPresenter
from cli.table.table_state import MatchPort
from cli.terminal.console import Console
from ginpeer.names import NO_KNOWN_NAMES
from ginpeer.net.connection import Timing
from ginpeer.net.in_process import connect_in_process
from ginpeer.net.session import Session
from ginpeer.net.timing import STEP, TimeGrid
from ginpeer.rules.match import View
from protocol.frames import EntryFrame, Pause, Ping, Pong
from tests.fuzz.door import CountingConnection
from tests.net.support import GUEST_KEY, LineSeat, a_guest, a_host
from tests.net.test_match import card_parties
from tests.net.test_session_alone import begun
from tests.toy_group import toy_group

PIECE = 0.0001
"""The step, in seconds, by which the clock advances in these tests."""

THINKING = {"at once": 0.0, "49 us": 49e-6, "82 us": 82e-6, "4 ms": 0.004, "24 ms": 0.0249}


def steps(moment):
    """Return how many steps have passed since the clock started; a whole number if on the grid."""
    return moment / STEP


def is_on_grid(moment):
    """Return whether the moment is on the grid, as precisely as these clocks run."""
    return -1e-6 < moment - round(steps(moment)) * STEP < 1.1 * PIECE


class Busy(Clock):
    """A clock that advances while something is computed."""

    def compute(self, seconds):
        self.rightNow += seconds

    def run(self, seconds):
        for _ in range(round(seconds / PIECE)):
            self.advance(PIECE)


# --- the grid itself --------------------------------------------------------------------------


def test_calls_happen_a_whole_number_of_steps_after_the_start():
    clock = Busy()
    clock.compute(1234.567)
    grid, called = TimeGrid(clock, 0.1), []
    for asked in (0.013, 0.049, 0.0999, 0.1001, 0.23, 0.4):
        clock.run(1234.567 + asked - clock.seconds())
        grid.call(lambda: called.append(clock.seconds() - 1234.567))
    clock.run(0.5)
    assert [round(moment, 3) for moment in called] == [0.1, 0.1, 0.1, 0.2, 0.3, 0.5]


@pytest.mark.parametrize("phase", [0.0, 0.01, 0.0249, 0.0251, 0.04, 0.0499])
def test_the_moment_is_fixed_before_the_work_begins(phase):
    """A result computed before that moment is sent then. A later one is sent at the next moment."""
    drawn = ceil(phase / STEP + 0.5) * STEP
    for taken in (0.0, (drawn - phase) / 2, drawn - phase - PIECE, drawn - phase + PIECE):
        clock = Busy()
        grid, called = TimeGrid(clock, STEP), []
        clock.run(phase)
        grid.begin()
        clock.compute(taken)
        grid.call(lambda clock=clock, called=called: called.append(clock.seconds()))
        clock.run(3 * STEP)
        (at,) = called
        assert is_on_grid(at)
        assert round(steps(at)) == round(steps(drawn)) + (taken > drawn - phase)


def test_a_late_timer_moves_to_the_next_step_without_lasting_delay():
    clock = Busy()
    grid, called = TimeGrid(clock, STEP), []
    grid.call(lambda: called.append(clock.seconds()))
    clock.compute(STEP + 0.02)  # other work delays the timer
    clock.advance(0)
    assert called == []
    clock.run(STEP)
    assert [round(steps(moment), 2) for moment in called] == [2]
    called.clear()
    grid.call(lambda: called.append(clock.seconds()))
    for _ in range(20):  # the same happens every time
        clock.compute(STEP * 1.6)
        clock.advance(0)
    assert len(called) == 1


def test_calls_are_made_in_the_order_given():
    clock = Busy()
    grid, called = TimeGrid(clock, STEP), []
    for number in range(20):
        grid.call(lambda number=number: called.append(number))
        clock.run(0.007)
    clock.run(2 * STEP)
    assert called == list(range(20))


def test_a_fault_of_one_call_does_not_keep_the_others_waiting():
    clock = Busy()
    grid, called = TimeGrid(clock, STEP), []

    def fault():
        raise RuntimeError("a fault")

    clock.run(0.06)
    grid.call(fault)
    clock.run(0.02)
    grid.call(lambda: called.append(True))
    with pytest.raises(RuntimeError):
        clock.run(STEP)
    clock.run(2 * STEP)
    assert called == [True]


def test_a_grid_that_is_closed_calls_nothing_and_leaves_no_timer():
    clock = Busy()
    grid, called = TimeGrid(clock, STEP), []
    grid.call(lambda: called.append(True))
    grid.close()
    grid.call(lambda: called.append(True))
    assert clock.getDelayedCalls() == []
    clock.run(3 * STEP)
    assert called == []


def test_without_steps_everything_is_called_at_once():
    clock, called = Busy(), []
    TimeGrid(clock, 0).call(lambda: called.append(True))
    assert called == [True]
    assert clock.getDelayedCalls() == []


def test_a_clock_set_back_does_not_block_calls():
    clock = Busy()
    clock.compute(1000)
    grid, called = TimeGrid(clock, STEP), []
    grid.begin()
    clock.rightNow = 500.0
    grid.call(lambda: called.append(True))
    clock.run(2 * STEP)
    assert called == [True]


# --- pings ------------------------------------------------------------------------------------


class Opened(CountingConnection):
    """An open connection with its own clock, which records what it sends and when."""

    def __init__(self, side, clock):
        super().__init__(side)
        self._clock, self._timing = clock, Timing()
        self.sent = []
        self.open(GUEST_KEY.public, None)
        self.begin()

    def _write(self, frame):
        self.sent.append((self._clock.seconds(), frame))

    def pongs(self):
        return [(at, frame.token) for at, frame in self.sent if isinstance(frame, Pong)]


class Looking(LineSeat):
    """A seat that spends some time on each incoming entry, as a real seat does on a share."""

    clock = None
    taken = 0.0

    def receive(self, raw):
        yield from super().receive(raw)
        self.clock.compute(self.taken)


def opened(taken=0.0, phase=0.0):
    clock = Busy()

    class Seat(Looking):
        pass

    Seat.clock, Seat.taken = clock, taken
    door = Opened(a_host(eager=False, seat_class=Seat).side, clock)
    clock.run(phase)
    return clock, door


SHARE = EntryFrame(b"1 a line")


def answers(script, phase=0.0):
    """Return the steps at which the peer gets the last answer, for each time in THINKING that we
    may take for an entry. *script* takes the clock and the connection, and sends the frames."""
    found = set()
    for taken in THINKING.values():
        clock, door = opened(taken, phase)
        script(clock, door)
        before = len(door.sent)
        clock.run(3 * STEP)
        ((at, frame),) = door.sent[before:]
        assert isinstance(frame, Pong) or frame is Pause.DECLINE
        assert is_on_grid(at)
        found.add(round(steps(at)))
        door.connectionLost()
    return found


@pytest.mark.parametrize("phase", [0.0, 0.0017, 0.0249, 0.0251, 0.0499])
@pytest.mark.parametrize("together", [True, False], ids=["in one piece", "one after the other"])
def test_a_pong_after_an_entry_does_not_reveal_the_time_spent_on_it(phase, together):
    def script(clock, door):
        door._take(SHARE)
        if not together:
            clock.advance(0)
        door._take(Ping(0))

    assert len(answers(script, phase)) == 1


@pytest.mark.parametrize("before", [0.0001, 0.002, 0.0101, 0.024])
def test_a_pong_pending_when_an_entry_arrives_reveals_no_time_either(before):
    """A peer that knows the grid sends a ping, and then the entry just before the answer is due."""

    def script(clock, door):
        door._take(Ping(0))
        clock.run(STEP - before)
        door._take(SHARE)

    assert len(answers(script)) == 1


@pytest.mark.parametrize("phase", [0.0, 0.0249, 0.0251])
def test_a_question_declined_unheard_reveals_no_time_either(phase):
    def script(_, door):
        for frame in (Pause.ASK, Pause.WITHDRAW, SHARE, Pause.ASK):
            door._take(frame)

    assert len(answers(script, phase)) == 1


def test_every_pong_leaves_on_the_grid_and_in_order():
    clock, door = opened()
    for token in range(9):
        door._take(Ping(token))
        clock.run(0.0173)
    clock.run(3 * STEP)
    assert [token for _, token in door.pongs()] == list(range(9))
    assert all(is_on_grid(at) for at, _ in door.pongs())
    door.connectionLost()
    assert clock.getDelayedCalls() == []


def test_a_lost_connection_answers_nothing():
    clock, door = opened()
    door._take(Ping(0))
    door.connectionLost()
    clock.run(3 * STEP)
    assert door.pongs() == []


# --- bots -------------------------------------------------------------------------------------


@pytest.fixture
def bot_thinking(monkeypatch):
    """Make bots think for as long as a test says, on the test's clock."""
    real, now = cli.match.bot_player.choose, {}

    def choose(view):
        move = real(view)
        now["clock"].compute(now["for"](view, move))
        return move

    monkeypatch.setattr(cli.match.bot_player, "choose", choose)
    return now


def reporting(session):
    console = Console(None, io.StringIO(), lambda *call: None, {})
    presenter = ProgramPresenter(console)
    match = MatchPort()
    match.console, match.presenter = console, presenter
    match.names, match.plays = NO_KNOWN_NAMES, None
    return BotPlayer(session, match, 0)


def silent(session):
    return AutomaticPlayer(session, cli.match.bot_player.choose)


def moves_of_bots(bot_thinking, how_long, player=silent, grid=STEP):
    """Play a match between two bots on our clock. Return when each bot asked its session to move,
    and when the entry for that choice was stored and sent."""
    clock = Busy()
    bot_thinking.update({"clock": clock, "for": how_long})
    left = []

    play = Session.play

    def timed(session, move):
        left.append((clock.seconds(), session, move))
        play(session, move)

    with toy_group(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "play", timed)
        host, guest = (replace(party.side, player_for=player) for party in card_parties())
        ours, theirs = connect_in_process(host, guest, clock, grid=grid)
        for _ in range(20_000):
            clock.advance(0.0011)
            if ours.done.called and theirs.done.called:
                break
        assert ours.ending is not None
        assert (ours.ending.code, theirs.ending.code) == ("finished", "finished")
    assert len(left) > 15
    return left


def test_every_choice_of_a_bot_leaves_on_the_grid(bot_thinking):
    left = moves_of_bots(bot_thinking, lambda view, move: 0.0031 * len(str(move)) % 0.02, reporting)
    # The clock advances by 1.1 ms at a time, so the moments are only that precise.
    late = [at - round(steps(at)) * STEP for at, _, _ in left]
    assert all(-1e-6 < by < 0.0012 for by in late)
    assert all(before[0] <= after[0] for before, after in pairwise(left))


def test_the_moments_do_not_depend_on_what_the_bot_holds(bot_thinking):
    """Play the same match twice. In one, the bot thinks 20 ms longer whenever it may knock."""
    knocks = []

    def may_knock(view: View, move):
        knocks.append(any(str(each).startswith("knock") for each in view.legal_moves()))
        return 0.02 if knocks[-1] else 0.0001

    moments = [
        [round(steps(at)) for at, _, _ in moves_of_bots(bot_thinking, how_long)]
        for how_long in (may_knock, lambda view, move: 0.0001)
    ]
    assert moments[0] == moments[1]
    assert True in knocks
    assert False in knocks


def a_session(clock):
    party = a_guest(eager=False)
    session = begun(party, clock, TimeGrid(clock, STEP))
    session.receive_entry(b"0 begin")
    return party, session


def test_a_waiting_move_is_not_made_after_the_session_has_ended():
    clock = Busy()
    party, session = a_session(clock)
    session.play_in_time("line")
    session.leave()
    clock.run(3 * STEP)
    assert party.seat.lines == [b"0 begin"]
    session.on_wire_lost()
    assert clock.getDelayedCalls() == []


def test_a_bot_that_chooses_twice_before_its_moment_moves_once():
    clock = Busy()
    party, session = a_session(clock)
    session.play_in_time("line")
    session.play_in_time("another")
    clock.run(3 * STEP)
    assert party.seat.lines == [b"0 begin", b"1 another"]
    assert session.ending is None


@pytest.mark.parametrize("taken", [0.0005, 0.007, 0.02])
def test_a_bot_agrees_to_a_pause_on_the_grid(taken):
    """The peer may ask right after an entry, which keeps the bot busy."""
    clock = Busy()
    _, session = a_session(clock)
    clock.compute(taken)
    bot = AutomaticPlayer(session, None)
    session.receive(Pause.ASK)
    bot.pause(Pause.ASK)
    clock.run(STEP / 2)
    assert session.ending is None
    clock.run(STEP)
    assert session.ending.code == "paused"


def test_a_bot_does_not_agree_to_a_pause_that_was_withdrawn():
    clock = Busy()
    _, session = a_session(clock)
    session.receive(Pause.ASK)
    AutomaticPlayer(session, None).pause(Pause.ASK)
    session.receive(Pause.WITHDRAW)
    clock.run(3 * STEP)
    assert session.ending is None


def test_a_move_that_the_seat_refuses_later_is_a_fault_of_our_own():
    clock = Busy()
    _, session = a_session(clock)
    session.play_in_time(17)  # the seat refuses it, as it isn't a line
    clock.run(3 * STEP)
    assert session.ending is not None
    assert session.ending.failure == "C"


def test_connections_have_a_grid():
    assert Timing().grid == STEP == 0.05
