"""A connection to a port of this machine where Tor may listen, and what goes over its control port.

# Rule 1: a port of this machine answers at once or not at all.
# Rule 2: Tor answers in the order in which it is asked, and there is one question at a time; an
# answer that nobody has asked for ends the connection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net import tor_control as control
from ginpeer.net.address import Address
from ginpeer.net.direct import direct_endpoint
from ginpeer.net.tor_control import TorError, TorReply

LOOK_SECONDS: Final = 0.3
"""For one port of this machine; it answers in a thousandth of that."""


async def connect_locally(reactor: Any, address: Address, protocol: Any, clock: Any) -> Any:
    """The protocol, connected within LOOK_SECONDS; None where nobody answers."""
    late: list[bool] = []

    def too_late() -> None:
        late.append(True)
        dialling.cancel()

    timer = clock.callLater(LOOK_SECONDS, too_late)
    dialling = direct_endpoint(reactor, address).connect(_One(protocol))
    try:
        return await dialling
    except ConnectError:
        return None
    except ConnectingCancelledError:
        if not late:  # somebody else does not want it any more
            raise
        return None
    finally:
        if timer.active():
            timer.cancel()


class _One(Factory):
    noisy = False

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol

    def buildProtocol(self, addr: IAddress | None) -> Any:
        return self._protocol


class ControlConnection(Protocol):
    """A connection to the control port: one order, or one wait for events, after the other.
    Whatever is awaited when it goes fails with why."""

    transport: Any

    def __init__(self, went: Callable[[TorError], None]) -> None:
        self.gone: Deferred[None] = Deferred()
        self.is_gone = False
        self._went = went
        self._reader = control.ReplyReader()
        self._failed: TorError | None = None
        self._answer: Deferred[TorReply] | None = None
        self._waited: Deferred[None] | None = None
        self._heard: Callable[[TorReply], None] = lambda event: None

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._answer is not None

    def ask(self, order: bytes) -> Deferred[TorReply]:
        """Give an order; fires with the reply to it."""
        answer: Deferred[TorReply] = Deferred()
        if self._failed is not None:
            answer.errback(self._failed)
        else:
            self._answer = answer
            self.transport.write(order + b"\r\n")
        return answer

    def wait(self, heard: Callable[[TorReply], None]) -> Deferred[None]:
        """Let *heard* hear of events until `end_wait`, which fires this."""
        waited: Deferred[None] = Deferred()
        if self._failed is not None:
            waited.errback(self._failed)
        else:
            self._heard, self._waited = heard, waited
        return waited

    def end_wait(self) -> None:
        """Enough was heard."""
        waited, self._waited = self._waited, None
        self._heard = lambda event: None
        if waited is not None:
            waited.callback(None)

    def dataReceived(self, data: bytes) -> None:
        """Tor answers, or tells of something."""
        try:
            for reply in self._reader.feed(data):
                self._take(reply)
        except TorError as error:
            self.fail(error)

    def _take(self, reply: TorReply) -> None:
        if reply.code == control.EVENT:
            self._heard(reply)
            return
        answer, self._answer = self._answer, None
        if answer is None:
            raise control.malformed_reply()  # an answer that nobody has asked for
        answer.callback(reply)

    def fail(self, error: TorError) -> None:
        """Close, and tell who waits."""
        if self._failed is not None:
            return
        self._failed = error
        self.close()
        answer, self._answer = self._answer, None
        waited, self._waited = self._waited, None
        if answer is not None:
            answer.errback(error)
        if waited is not None:
            waited.errback(error)

    def close(self) -> None:
        """Close at once."""
        if not self.is_gone:
            self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """It is gone, whoever closed it."""
        self.is_gone = True
        error = TorError("tor-gone", "Tor has ended, or has closed its control port to us.")
        self.fail(error)
        self.gone.callback(None)
        self._went(self._failed or error)
