"""Asking a STUN server by which address the outside sees a listening port of ours.

# Rule 1: nobody is asked but the server that the player has named.
# Rule 2: it is asked over TCP and from that very port, since a router that gives one port to what
# goes out from there gives the same to what comes. Over UDP, which is tried after TCP, it would be
# another port; then only the address counts, with the port that we listen at.
# Rule 3: an answer counts from whom was asked, with the transaction that was sent, in SECONDS.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectError
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import DatagramProtocol, Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net.address import Address
from ginpeer.net.crossing import Outside
from ginpeer.net.interfaces import Clock, Timer
from ginpeer.net.resolve import resolve
from ginpeer.net.simultaneous_open import FromPortEndpoint
from ginpeer.net.stun import (
    HEADER_BYTES,
    TRANSACTION_BYTES,
    StunError,
    binding_request,
    mapped_address,
    message_bytes,
)

SECONDS = 3.0
"""For the answer over TCP, and then for that over UDP."""

_AGAIN = (0.5, 1.0)  # seconds after which a UDP request is sent again (RFC 8489, 6.2.1)


def ask_stun(reactor: Any, clock: Clock, rng: Callable[[int], bytes], server: Address) -> Outside:
    """How to ask this server. What is asked so fails with StunError."""

    def ask(port: Any) -> Deferred[Address]:
        return Deferred.fromCoroutine(_ask(reactor, clock, rng, server, port))

    return ask


async def _ask(
    reactor: Any, clock: Clock, rng: Callable[[int], bytes], server: Address, port: Any
) -> Address:
    asked = _suitable(port, await resolve(reactor, server.host))
    if asked is None:
        raise StunError("stun-silent", f"There is no STUN server {server} for this network.")
    here, target = port.getHost().port, Address(asked, server.port)
    try:
        found = await _over_tcp(reactor, clock, rng(TRANSACTION_BYTES), target, port)
    except (StunError, ConnectError):
        seen = await _over_udp(reactor, clock, rng(TRANSACTION_BYTES), target)
        found = Address(seen.host, here)
    ip = ipaddress.ip_address(found.host)
    if ip.is_loopback and not ipaddress.ip_address(asked).is_loopback:
        raise StunError("stun-no-address", "The STUN server names its own machine in our place.")
    return found


def _suitable(port: Any, hosts: tuple[str, ...]) -> str | None:
    """The first that our port can be seen from; an IPv4 one, if there is, since that is the address
    that a router hides."""
    hears = ipaddress.ip_address(port.getHost().host.partition("%")[0])
    ips = sorted((ipaddress.ip_address(host) for host in hosts), key=lambda ip: ip.version)
    for ip in ips:
        if ip.version == hears.version or (hears.version == 6 and hears.is_unspecified):
            return str(ip)
    return None


# --- over TCP ---------------------------------------------------------------------------


async def _over_tcp(
    reactor: Any, clock: Clock, transaction: bytes, target: Address, port: Any
) -> Address:
    asking = _Stream(transaction)
    connecting = FromPortEndpoint(reactor, port, target).connect(_Only(asking))

    def give_up() -> None:
        connecting.cancel()
        asking.fail(_silent(target))

    late = clock.callLater(SECONDS, give_up)
    try:
        await connecting
        found = await asking.outcome
        ours, here = asking.transport.getHost().port, port.getHost().port
        return found if ours == here else Address(found.host, here)
    except CancelledError:
        if late.active():
            raise  # nobody wants to know any more
        raise _silent(target) from None
    finally:
        if late.active():
            late.cancel()
        asking.close()


class _Only(Factory):
    noisy = False

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def buildProtocol(self, addr: IAddress | None) -> Protocol:
        return self._protocol


class _Stream(Protocol):
    """One question and its answer on a stream: a message says how long it is."""

    transport: Any

    def __init__(self, transaction: bytes) -> None:
        self.outcome: Deferred[Address] = Deferred()
        self._transaction = transaction
        self._heard = b""

    def connectionMade(self) -> None:
        self.transport.write(binding_request(self._transaction))

    def dataReceived(self, data: bytes) -> None:
        """At most one message is kept, and one read of the reactor's. With the outcome the
        connection is closed, so that nothing comes after it."""
        self._heard += data
        if len(self._heard) < HEADER_BYTES:
            return
        try:
            length = message_bytes(self._heard[:HEADER_BYTES])
            if len(self._heard) < length:
                return
            found = mapped_address(self._heard[:length], self._transaction)
        except StunError as error:
            self.fail(error)
        else:
            self.outcome.callback(found)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.fail(StunError("stun-silent", "The STUN server closes without an answer."))

    def fail(self, error: StunError) -> None:
        if not self.outcome.called:
            self.outcome.errback(error)

    def close(self) -> None:
        """Whatever came of it."""
        self.outcome.addErrback(lambda _: None)
        self.outcome.cancel()
        if self.transport is not None:
            self.transport.abortConnection()


# --- over UDP ---------------------------------------------------------------------------


async def _over_udp(reactor: Any, clock: Clock, transaction: bytes, target: Address) -> Address:
    asking = _Datagrams(clock, transaction, target)
    any_host = "::" if ":" in target.host else ""
    bound = reactor.listenUDP(0, asking, interface=any_host, maxPacketSize=2048)
    try:
        return await asking.outcome
    finally:
        asking.stop()
        bound.stopListening()


class _Datagrams(DatagramProtocol):
    """One question, sent again until its answer comes."""

    transport: Any

    def __init__(self, clock: Clock, transaction: bytes, target: Address) -> None:
        self.outcome: Deferred[Address] = Deferred()
        self._clock = clock
        self._transaction = transaction
        self._target = target
        self._timers: list[Timer] = []

    def startProtocol(self) -> None:
        self._send()
        self._timers = [self._clock.callLater(after, self._send) for after in _AGAIN]
        self._timers.append(self._clock.callLater(SECONDS, self._late))

    def datagramReceived(self, datagram: bytes, addr: Any) -> None:
        """From anybody; also after the outcome, if it was read with the answer."""
        if self.outcome.called or Address(addr[0], addr[1]) != self._target:
            return
        try:
            found = mapped_address(datagram, self._transaction)
        except StunError as error:
            if error.code != "stun-stray":
                self.outcome.errback(error)
        else:
            self.outcome.callback(found)

    def stop(self) -> None:
        for timer in self._timers:
            if timer.active():
                timer.cancel()

    def _send(self) -> None:
        try:
            self.transport.write(binding_request(self._transaction), self._target)
        except OSError:  # no way there now; there may be at the next time
            return

    def _late(self) -> None:
        if not self.outcome.called:
            self.outcome.errback(_silent(self._target))


def _silent(target: Address) -> StunError:
    return StunError("stun-silent", f"The STUN server {target} does not answer.")
