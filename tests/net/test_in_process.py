"""Two sessions in one process: the usual sessions without a socket."""

import pytest
from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net.in_process import _Errands, _LocalWire, connect_in_process
from protocol.frames import Chat, Goodbye
from tests.net.support import GUEST_KEY, HOST_KEY, Recorder, a_guest, a_host, pause


def run(clock, *sessions):
    """Advance the clock until the sessions are over, or until nothing more can happen."""
    while clock.getDelayedCalls() and not all(session.done.called for session in sessions):
        clock.advance(0)


def test_two_seats_play_without_a_socket():
    clock = Clock()
    host, guest = a_host(), a_guest()
    ours, theirs = connect_in_process(host.side, guest.side, clock)
    run(clock, ours, theirs)
    assert ours.ending == theirs.ending
    assert ours.ending.code == "finished"
    assert host.journal.entries == guest.journal.entries == host.seat.lines
    assert clock.getDelayedCalls() == []


def test_each_side_learns_who_the_other_is():
    clock = Clock()
    host, guest = a_host(eager=False), a_guest(eager=False)
    ours, theirs = connect_in_process(host.side, guest.side, clock)
    run(clock, ours)
    assert ours.peer.key == GUEST_KEY.public
    assert theirs.peer.key == HOST_KEY.public
    assert host.player.all("connected") == [ours.peer]
    assert ours.peer.address == "local"


def test_nothing_happens_before_the_next_turn_of_the_clock():
    clock = Clock()
    host, guest = a_host(), a_guest()
    connect_in_process(host.side, guest.side, clock)
    assert host.players == guest.players == []


async def test_a_frame_a_turn_leaves_room_for_the_person_at_the_keyboard():
    ours, theirs = connect_in_process(a_host(length=100).side, a_guest(length=100).side, reactor)
    turns = 0
    while not (ours.done.called and theirs.done.called):
        await pause(0)
        turns += 1
    assert turns > 50
    assert (await ours.done).code == (await theirs.done).code == "finished"


def test_a_long_match_of_two_bots_needs_no_deep_stack():
    clock = Clock()
    host, guest = a_host(length=5000), a_guest(length=5000)
    ours, theirs = connect_in_process(host.side, guest.side, clock)
    run(clock, ours, theirs)
    assert len(guest.journal.entries) == 5000


def test_who_leaves_says_so():
    clock = Clock()
    host, guest = a_host(eager=False), a_guest(eager=False)
    ours, theirs = connect_in_process(host.side, guest.side, clock)
    run(clock, ours)
    ours.say("bye")
    ours.leave()
    run(clock, ours, theirs)
    assert guest.player.all("chat") == ["bye"]
    assert (ours.ending.code, theirs.ending.code) == ("left", "peer-left")
    assert [len(player.all("closed")) for player in (host.player, guest.player)] == [1, 1]


def test_leaving_before_it_begins_is_possible():
    clock = Clock()
    host, guest = a_host(), a_guest()
    ours, theirs = connect_in_process(host.side, guest.side, clock)
    ours.leave()
    run(clock, ours, theirs)
    assert ours.ending.code == "left"
    assert theirs.ending.code == "peer-left"
    assert host.players == host.seats == []  # nobody is seated if everything is over


class Ears:
    """A receiver of everything that a wire reports to a session."""

    def __init__(self):
        self.heard = []

    def receive(self, frame):
        self.heard.append(frame.text if isinstance(frame, Chat) else frame.code)

    def on_wire_lost(self):
        self.heard.append("gone")


@pytest.mark.parametrize("twice", [False, True])
def test_a_wire_that_is_closed_says_so_once_and_delivers_nothing_more(twice):
    clock = Clock()
    errands = _Errands(clock)
    ends, ears = (_LocalWire(errands), _LocalWire(errands)), (Ears(), Ears())
    ends[0].join(ears[0], ends[1])
    ends[1].join(ears[1], ends[0])
    ends[1].send(Chat("on its way"))
    ends[0].part(Goodbye("left", "Bye."))
    if twice:
        ends[0].abort()
        ends[1].abort()
    while clock.getDelayedCalls():
        clock.advance(0)
    assert ears[0].heard == ["gone"]
    assert ears[1].heard == (["gone"] if twice else ["left", "gone"])


def test_a_failed_store_ends_both():
    clock = Clock()
    host, guest = a_host(), a_guest()
    host.journal.fail_at = 2
    ours, theirs = connect_in_process(host.side, guest.side, clock)
    run(clock, ours, theirs)
    assert (ours.ending.code, ours.ending.failure) == ("store-failed", "C")
    assert theirs.ending.code == "connection-lost"
    assert guest.journal.entries == host.journal.entries


class DreamyPlayer(Recorder):
    """A player who thinks for a while before each move."""

    clock = None

    def choose(self, view):
        self.clock.callLater(1, self.session.play, "line")


def test_a_player_may_take_its_time():
    clock = Clock()
    player_class = type("Dreamy", (DreamyPlayer,), {"clock": clock})
    host, guest = a_host(player_class=player_class), a_guest()
    ours, theirs = connect_in_process(host.side, guest.side, clock)
    while not (ours.done.called and theirs.done.called):
        clock.advance(0.5)
    assert ours.ending.code == "finished"
