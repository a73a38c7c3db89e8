"""A session without a network: what it does for its player, its wire and its seat."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from twisted.internet.task import Clock

from ginpeer.net.handshake import ANOTHER_MATCH
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.session import SYNC_TIMEOUT, Session, SessionOver
from ginpeer.net.timing import TimeGrid
from protocol.frames import Goodbye, Pause
from tests.net.support import GUEST_KEY, HOST_KEY, LineSeat, a_guest, a_host
from tests.refusals import code_of

LEFT = Goodbye("left", "Bye.")
DECLINED = Goodbye("declined", "I never wanted to play.")


class Wire:
    """A transport that records what a session sends, and how it closes."""

    def __init__(self):
        self.sent = []
        self.closed = []

    def send(self, frame):
        self.sent.append(frame)

    def part(self, goodbye):
        self.closed.append(goodbye)

    def abort(self):
        self.closed.append(None)


def session_of(party, clock=None, grid=None):
    """Return a session that hasn't begun."""
    key = (HOST_KEY if party.identity is GUEST_KEY else GUEST_KEY).public
    peer = PeerInfo(key, "", "nowhere", extensions=(ANOTHER_MATCH,))
    clock = clock or Clock()
    return Session(party.side, peer, Wire(), clock, grid or TimeGrid(clock, 0))


def begun(party, clock=None, grid=None):
    session = session_of(party, clock, grid)
    session.begin()
    return session


# --- what the peer has sent -----------------------------------------------------------------


class AgreedSeat(LineSeat):
    """A table at which the match is agreed."""

    def agreed(self):
        return True


class PassingSeat(AgreedSeat):
    """A seat that already has every entry it receives."""

    def receive(self, raw):
        return ()


@pytest.mark.parametrize(
    ("seat_class", "entry", "was_useful"),
    [
        (AgreedSeat, b"0 begin", True),
        (LineSeat, b"0 begin", False),
        (LineSeat, b"9 no", False),
        (PassingSeat, b"0 begin", False),
    ],
    ids=["new", "an offer", "refused", "passed over"],
)
def test_a_session_is_useful_only_after_a_missing_entry_of_a_match(seat_class, entry, was_useful):
    session = begun(a_guest(eager=False, seat_class=seat_class))
    assert not session.was_useful
    session.receive_entry(entry)
    assert session.was_useful is was_useful


@pytest.mark.parametrize(
    ("because", "asked"),
    [("", True), ("Our match isn't finished.", True), ("Only standard is accepted.", False)],
)
def test_a_person_who_declines_is_soon_back_for_the_next_offer(because, asked):
    """Otherwise, each further decline would double the time that both players wait."""
    session = begun(a_guest(eager=False, seat_class=ConsentSeat))
    session.receive_entry(b"0 begin")
    session.decline(because, asked=asked)
    assert session.was_useful is asked


class SilentSeat(LineSeat):
    """A seat of a match in which nobody has signed anything."""

    def owes_next(self):
        return None


@pytest.mark.parametrize("unfinished", [False, True])
def test_a_host_cannot_promise_a_match_that_we_do_not_have(unfinished):
    """Otherwise, it could make us reconnect every second forever."""
    guest = a_guest(eager=False, seat_class=SilentSeat)
    side = replace(guest.side, unfinished=lambda: unfinished)
    session = begun(SimpleNamespace(side=side, identity=guest.identity))
    session.receive_goodbye(Goodbye("takes-up-stored", "I'll continue it."))
    assert session.was_useful is unfinished


def test_a_host_that_keeps_promising_a_match_is_soon_no_longer_believed():
    guest = a_guest(eager=False, seat_class=SilentSeat)
    party = SimpleNamespace(
        side=replace(guest.side, unfinished=lambda: True), identity=guest.identity
    )
    useful = []
    for _ in range(6):
        session = begun(party)
        session.receive_goodbye(Goodbye("takes-up-stored", "I'll continue it."))
        useful.append(session.was_useful)
    assert useful == [True] * 3 + [False] * 3


@pytest.mark.parametrize("code", ["kept", "takes-up-stored"])
def test_only_a_host_decides_whether_a_stored_match_continues(code):
    host = a_host(eager=False, seat_class=SilentSeat)
    session = begun(host)
    session.receive_goodbye(Goodbye(code, "So I say."))
    assert session.ending.code == "peer-closed"


# --- requests of the player ---------------------------------------------------------------------

ORDERS = {
    "play": lambda session: session.play("line"),
    "resign": lambda session: session.resign(),
    "accept": lambda session: session.accept(),
    "decline": lambda session: session.decline(),
    "pause": lambda session: session.pause(),
    "propose": lambda session: session.propose("standard"),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
def test_no_order_is_possible_before_a_session_begins(order):
    session = session_of(a_guest())
    assert not session.may_propose
    assert code_of(SessionOver, order, session) == "session-over"
    assert (session.ending, session._wire.sent) == (None, [])
    session.receive_goodbye(Goodbye("kept", ""))
    assert session.ending.code == "peer-closed"


class ConsentSeat(LineSeat):
    asks = True


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
def test_a_finished_session_accepts_no_order_even_if_the_seat_would(order):
    session = begun(a_guest(eager=False, seat_class=ConsentSeat))
    session.receive_entry(b"0 begin")
    assert session._seat.offer_to_consider()
    session.leave()
    session.leave()  # repeating it does no harm
    for late in (order, lambda session: session.say("x"), lambda session: session.consent(None)):
        with pytest.raises(SessionOver):
            late(session)
    assert session.ending.code == "left"


class BrokenSeat(LineSeat):
    def play(self, move):
        raise ZeroDivisionError("a bug")


def test_a_bug_in_our_seat_raises_nothing_to_the_player_who_moves():
    """The code that reads the keyboard gets no exception: the session ends and gives the reason."""
    party = a_guest(eager=False, seat_class=BrokenSeat)
    session = begun(party)
    session.receive_entry(b"0 begin")
    session.play("a line")
    assert (session.ending.code, session.ending.failure) == ("internal-error", "C")
    assert session._wire.closed == [None]


# --- a pause -----------------------------------------------------------------------------------


def test_an_open_question_about_a_pause_ends_with_the_session():
    asked, asking = begun(a_host(eager=False)), begun(a_host(eager=False))
    asked.receive(Pause.ASK)
    asking.pause()
    assert (asked.pause_offered, asking.pause_wanted) == (True, True)
    for session in (asked, asking):
        session.receive_goodbye(LEFT)
        assert (session.pause_offered, session.pause_wanted) == (False, False)


# --- how it ends -------------------------------------------------------------------------------


def test_the_player_is_told_once_of_the_end_however_often_the_wire_reports_it():
    party = a_host(eager=False)
    session = begun(party)
    session.on_wire_lost()
    session.on_wire_lost()
    assert [closed.code for closed in party.player.all("closed")] == ["connection-lost"]


def test_an_offer_can_be_declined_before_our_side_has_sat_down():
    session = session_of(a_host())
    session.receive_goodbye(DECLINED)
    assert session.ending.code == "declined"


class WaitingSeat(LineSeat):
    """A seat that delays its offer until our player wants to make it."""

    def meet(self, theirs):
        return ()

    def owes_next(self):
        return None


@pytest.mark.parametrize(
    ("party", "entries"),
    [
        # The peer is the host, which has signed the offer. It can withdraw it, but not decline it.
        (a_guest(eager=False, seat_class=ConsentSeat), [b"0 begin"]),
        # A host can't decline anything, even before it has made an offer.
        (a_guest(eager=False, seat_class=ConsentSeat), []),
        # A guest can't decline without an offer. Otherwise, it could have its words shown and
        # reconnect again and again, without anybody being asked.
        (a_host(eager=False, seat_class=WaitingSeat), []),
    ],
    ids=["offered", "a host", "not offered"],
)
def test_only_a_guest_with_an_open_offer_can_decline(party, entries):
    session = begun(party)
    for entry in entries:
        session.receive_entry(entry)
    assert not session._seat.agreed()
    session.receive_goodbye(DECLINED)
    assert session.ending.code == "peer-closed"


# --- a log that the peer withholds ----------------------------------------------------------------


class WithholdingSeat(LineSeat):
    """A seat that waits for entries that never arrive, and ignores those that do."""

    def meet(self, theirs):
        return ()

    def receive(self, raw):
        return ()

    def sync_pending(self):
        return len(self.lines)


def test_repeated_entries_do_not_extend_a_peers_time():
    clock = Clock()
    session = begun(a_host(eager=False, seat_class=WithholdingSeat), clock)
    for _ in range(9):
        clock.advance(SYNC_TIMEOUT / 10)
        session.receive_entry(b"0 again")
    assert session.ending is None
    clock.advance(SYNC_TIMEOUT / 10)
    assert (session.ending.code, session.ending.failure) == ("log-withheld", "A")
    session.on_wire_lost()
    assert clock.getDelayedCalls() == []
