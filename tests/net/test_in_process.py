"""Two sessions in one process: the same sessions as over a network, but without sockets."""

import pytest
from twisted.internet import reactor
from twisted.internet.task import Clock

from ginpeer.net.in_process import _Errands, _LocalWire, connect_in_process
from protocol.frames import Chat, Goodbye
from tests.net.pair import Pair
from tests.net.support import GUEST_KEY, HOST_KEY, a_guest, a_host, pause


def test_each_side_learns_who_the_other_is():
    pair = Pair()
    assert pair.ours.peer.key == GUEST_KEY.public
    assert pair.theirs.peer.key == HOST_KEY.public
    assert pair.host.player.all("connected") == [pair.ours.peer]
    assert pair.ours.peer.address == "local"


def test_nothing_happens_before_the_next_turn_of_the_clock():
    pair = Pair(a_host(), a_guest(), begun=False)
    assert pair.host.players == pair.guest.players == []


async def test_sending_one_frame_a_turn_leaves_time_for_keyboard_input():
    ours, theirs = connect_in_process(a_host(length=100).side, a_guest(length=100).side, reactor)
    turns = 0
    while not (ours.done.called and theirs.done.called):
        await pause(0)
        turns += 1
    assert turns > 50
    assert (await ours.done).code == (await theirs.done).code == "finished"


def test_a_long_match_of_two_bots_needs_no_deep_stack():
    pair = Pair(a_host(length=5000), a_guest(length=5000))
    assert pair.ours.ending == pair.theirs.ending
    assert pair.ours.ending.code == "finished"
    assert len(pair.host.seat.lines) == 5000
    assert pair.host.journal.entries == pair.guest.journal.entries == pair.host.seat.lines
    assert pair.clock.getDelayedCalls() == []


def test_a_player_who_leaves_says_so():
    pair = Pair()
    pair.ours.say("bye")
    pair.ours.leave()
    pair.turn()
    assert pair.guest.player.all("chat") == ["bye"]
    assert (pair.ours.ending.code, pair.theirs.ending.code) == ("left", "peer-left")
    assert [len(side.player.all("closed")) for side in (pair.host, pair.guest)] == [1, 1]


def test_a_session_can_be_left_before_it_begins():
    pair = Pair(begun=False)
    pair.ours.leave()
    pair.turn()
    assert (pair.ours.ending.code, pair.theirs.ending.code) == ("left", "peer-left")
    assert pair.host.players == pair.host.seats == []  # nobody is seated once everything is over


class Ears:
    """Receives everything that a wire reports to a session."""

    def __init__(self):
        self.heard = []

    def receive(self, frame):
        self.heard.append(frame.text if isinstance(frame, Chat) else frame.code)

    def on_wire_lost(self):
        self.heard.append("gone")


@pytest.mark.parametrize("twice", [False, True])
def test_a_closed_wire_reports_it_once_and_delivers_nothing_more(twice):
    clock = Clock()
    errands = _Errands(clock)
    ends, ears = (_LocalWire(errands), _LocalWire(errands)), (Ears(), Ears())
    ends[0].session, ends[0].other = ears[0], ends[1]
    ends[1].session, ends[1].other = ears[1], ends[0]
    ends[1].send(Chat("on its way"))
    ends[0].part(Goodbye("left", "Bye."))
    if twice:
        ends[0].abort()
        ends[1].abort()
    while clock.getDelayedCalls():
        clock.advance(0)
    assert ears[0].heard == ["gone"]
    assert ears[1].heard == (["gone"] if twice else ["left", "gone"])
