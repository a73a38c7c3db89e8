"""Two sessions in one process, for tests that need no socket."""

from twisted.internet.task import Clock

from ginpeer.net.in_process import connect_in_process
from tests.net.support import a_guest, a_host


class Pair:
    """Two sessions in one process, with a clock that the test controls. If *begun* is false, they
    begin only at the first turn."""

    def __init__(self, host=None, guest=None, clock=None, begun=True):
        self.clock = clock or Clock()
        self.host, self.guest = host or a_host(eager=False), guest or a_guest(eager=False)
        self.ours, self.theirs = connect_in_process(self.host.side, self.guest.side, self.clock)
        if begun:
            self.turn()

    def turn(self):
        """Deliver everything that is in transit."""
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)

    def wire(self, *frames):
        """Send these frames from the guest unchecked, like a peer that ignores all limits."""
        for frame in frames:
            self.theirs._wire.send(frame)
        self.turn()


def ended(session):
    return None if session.ending is None else (session.ending.code, session.ending.failure)
