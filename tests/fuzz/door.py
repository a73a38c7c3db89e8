"""A real connection without a network, to a peer that was let in or is still greeting."""

from types import SimpleNamespace

from twisted.internet.task import Clock

from ginpeer.net.connection import PeerConnection, Timing, _Phase
from ginpeer.net.session import Side
from protocol.frames import EntryFrame, enclose, encode_frame
from tests.fuzz.odd import odd
from tests.net.support import MemoryJournal, Recorder


class _Wire:
    """A transport that accepts everything, and remembers whether it was told to close."""

    def __init__(self):
        self.closing = False
        self.transport = self

    def write(self, data):
        pass

    def loseConnection(self):
        self.closing = True

    abortConnection = loseConnection

    def unregisterProducer(self):
        pass

    def getPeer(self):
        return SimpleNamespace(host="127.0.0.1", port=4466)


class CountingConnection(PeerConnection):
    """A connection that counts its greetings."""

    def __init__(self, side):
        super().__init__(side, Clock(), Timing())
        self.greetings = 0
        self.transport = _Wire()
        self.connectionMade()
        self._phase = _Phase.GREETING

    def greet(self, link):
        pass

    def on_greeting(self, frame):
        self.greetings += 1

    def on_end(self):
        pass


class Sitting:
    """A seat behind such a connection, at a point of a match where the opponent owes an entry."""

    def __init__(self, match, k, rng=None):
        """*match*: a RecordedMatch (tests/cheating/cheat.py)."""
        author = match.steps[k].author
        self.match, self.k = match, k
        self.seat = match.seat_at(1 - author, k, rng)
        self.journal = MemoryJournal()
        self._peer = match.identities[author].public
        self.side = Side(
            identity=match.identities[1 - author],
            software="ours",
            seat_for=lambda peer: self.seat,
            player_for=lambda session: Recorder(session, eager=False),
            journal=self.journal,
        )

    def open(self):
        """Open a new connection from the opponent, whose log is as long as ours."""
        door = CountingConnection(self.side)
        session = door.open(self._peer, self.seat.position)
        session.begin()
        return door, session

    def refuses(self, data, code):
        """Check that the connection refuses *data*, closes with this code and blames nobody; that
        it reads nothing after *data*; that the log is unchanged; and that the next connection
        accepts the honest entry. Raises Odd."""
        match, k, seat = self.match, self.k, self.seat
        honest = enclose(encode_frame(EntryFrame(match.entries[k])))
        before = (tuple(seat.entries), seat.table, seat.position)
        door, session = self.open()
        door.dataReceived(data + honest)
        ending = session.ending
        if ending is None or (ending.code, ending.failure) != (code, "A"):
            raise odd(f"ended with {ending}, not with {code}", data)
        if not door.transport.closing:
            raise odd("the connection is not closed", data)
        if (tuple(seat.entries), seat.table, seat.position) != before or self.journal.entries:
            raise odd("the log has changed", data)
        door.connectionLost()
        door, session = self.open()
        door.dataReceived(honest)
        ending = session.ending  # the match is over if this was its last entry
        admitted = tuple(seat.entries[: k + 1]) == match.entries[: k + 1]
        if not admitted or (ending is not None and ending.failure is not None):
            raise odd("the honest entry is not admitted any more", data)
        door.connectionLost()


def stranger_is_refused(side, data, code):
    """Check that a peer that is still greeting is refused, with a goodbye that has this code.
    Raises Odd."""
    door = CountingConnection(side)
    door.dataReceived(data)
    if door.failed is None or (door.failed.code, door.failed.failure) != (code, "A"):
        raise odd(f"ended with {door.failed}, not with {code}", data)
    if not door.transport.closing:
        raise odd("the connection is not closed", data)
    door.connectionLost()
