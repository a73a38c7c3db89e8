"""A network between simulated processes: byte connections, as TCP makes and loses them.

Each direction of a connection is a queue of pieces that arrive in order, each after its own delay;
there is no order between connections. A connection can be cut for both ends, for one end, or for
neither (then only the silence reveals it). Whatever was in transit is cut off at a random byte.

`Reactor` is one process's reactor: `Acceptor` and `connect` of ginpeer.net run on it unchanged.
"""

from __future__ import annotations

import hashlib
from collections import deque
from typing import TYPE_CHECKING, Any

from twisted.internet.address import IPv4Address
from twisted.internet.error import (
    ConnectionAborted,
    ConnectionDone,
    ConnectionLost,
    ConnectionRefusedError,
    UserError,
)
from twisted.internet.interfaces import ITransport
from twisted.python.failure import Failure
from zope.interface import implementer

from tests.simulator.world import World

if TYPE_CHECKING:
    from tests.simulator.process import Process

KERNEL_BUFFER = 64 * 1024
"""How many bytes may be in transit before a sender is told to wait."""

_MAX_PIECES = 4
_DELAYS = (0.0, 0.001, 0.02, 0.2)
_STALLS = (1.5, 8.0, 25.0, 70.0)  # the last delay exceeds the time a peer tolerates silence


class Network:
    """All connections and listeners."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rng = world.random_for("network")
        self.ports: dict[int, Port] = {}
        self.silent: set[str] = set()
        """Addresses that never answer, not even to refuse a connection."""
        self.connections: list[Connection] = []
        self.slow = 0.0
        """The share of pieces that are delayed for long, from 0 to 1."""
        self.busy = 1.0
        """The factor by which delays are multiplied."""
        self._made = 0

    def delay(self) -> float:
        """Return the seconds until the next piece arrives."""
        if self.slow and self.rng.random() < self.slow:
            self.world.counts["long delay"] += 1
            return self.rng.choice(_STALLS)
        return self.busy * self.rng.choice(_DELAYS) * (0.5 + self.rng.random()) + 0.0001

    def connect(self, guest: Process, connector: Connector) -> None:
        """Let a first packet arrive at the listener, or be refused if there is none."""
        port = self.ports.get(connector.port)
        if port is not None and connector.host not in port.process.machine.addresses:
            if connector.host in self.silent:
                return
            port = None
        if port is None or port.process.is_over:
            guest.later(self.delay(), connector.fail, ConnectionRefusedError())
            return
        self._made += 1
        connection = Connection(self, self._made, guest, port.process)
        connection.led_to = connector.host
        self.connections.append(connection)
        port.process.later(self.delay(), port.accept, connection.ends[1])
        guest.later(self.delay(), connector.succeed, connection.ends[0])

    def alive(self) -> list[Connection]:
        """Return the connections that at least one end considers open."""
        self.connections = [one for one in self.connections if not one.is_gone]
        return self.connections

    def lose(self, machine: str) -> None:
        """Cut this machine's connections without notifying either end, as a power cut does."""
        for connection in self.alive():
            if any(end.process.machine.role == machine for end in connection.ends):
                connection.cut("nobody")


class Connection:
    """A connection: two ends, the guest's first."""

    def __init__(self, network: Network, number: int, guest: Process, host: Process) -> None:
        self.network = network
        self.number = number
        self.exporter = hashlib.sha256(f"exporter {number}".encode()).digest()
        self.led_to = ""  # the address that was dialled
        self.is_cut = False
        one, two = End(self, guest, 0), End(self, host, 1)
        one.other, two.other = two, one
        self.ends = (one, two)

    @property
    def is_gone(self) -> bool:
        return all(end.gone for end in self.ends)

    def cut(self, who_notices: str) -> None:
        """Cut the path between the ends. *who_notices*: both, guest, host or nobody."""
        if self.is_cut:
            return
        self.is_cut = True
        self.network.world.note("cut", self.number, who_notices)
        for name, end in zip(("guest", "host"), self.ends, strict=True):
            end.lose_what_is_on_its_way()
            if who_notices in (name, "both"):
                end.noticed()


@implementer(ITransport)
class End:
    """One end of a connection: the transport of a protocol in one process."""

    disconnecting = False
    other: End

    def __init__(self, connection: Connection, process: Process, which: int) -> None:
        self.connection = connection
        self.process = process
        self.which = which
        self.protocol: Any = None
        self.gone = False  # our process knows that the connection is gone, or no longer exists
        self._closing = False
        self._producer: Any = None
        self._paused = False
        self._on_its_way: deque[tuple[float, bytes | None]] = deque()  # None: the end (FIN)
        self._unread = 0
        self._last = 0.0

    # --- called by a protocol ----------------------------------------------------------

    def write(self, data: bytes) -> None:
        if self.gone or self._closing or not data:
            return
        world, rng = self.connection.network.world, self.connection.network.rng
        world.note("write", self.connection.number, self.which, data)
        cuts = sorted(
            rng.randrange(1, len(data)) for _ in range(rng.randrange(_MAX_PIECES)) if len(data) > 1
        )
        for start, stop in zip([0, *cuts], [*cuts, len(data)], strict=True):
            if stop > start:
                self._post(data[start:stop])
        self._unread += len(data)
        if self._unread > KERNEL_BUFFER and self._producer is not None and not self._paused:
            self._paused = True
            world.counts["writer told to wait"] += 1
            self._producer.pauseProducing()

    def writeSequence(self, pieces: list[bytes]) -> None:
        self.write(b"".join(pieces))

    def loseConnection(self) -> None:
        """Close in order: what was written arrives first."""
        if self.gone or self._closing:
            return
        self._closing = True
        self._post(None)
        self._close_when_sent()

    def abortConnection(self) -> None:
        """Close at once; a reset notifies the other end."""
        if self.gone:
            return
        self._closing = True
        self.lose_what_is_on_its_way()
        self.other.noticed()
        self.process.at_once(self._lost, ConnectionAborted())

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        self._producer = producer

    def unregisterProducer(self) -> None:
        self._producer = None

    def getPeer(self) -> IPv4Address:
        return self.other._address()

    def getHost(self) -> IPv4Address:
        return self._address()

    # --- called by the network ---------------------------------------------------------

    def made(self, protocol: Any) -> None:
        """Attach this connection to its protocol."""
        self.protocol = protocol
        protocol.makeConnection(self)

    def noticed(self) -> None:
        """Notify this end, after a delay, that the connection is gone."""
        if not self.gone:
            self.process.later(self.connection.network.delay(), self._lost, ConnectionLost())

    def lose_what_is_on_its_way(self) -> None:
        """Cut off what was written here, from a random byte on."""
        rng = self.connection.network.rng
        kept = rng.randint(0, len(self._on_its_way))
        while len(self._on_its_way) > kept:
            when, piece = self._on_its_way.pop()
            if len(self._on_its_way) == kept and piece and rng.random() < 0.5:
                self._on_its_way.append((when, piece[: rng.randrange(len(piece))]))
                break

    def drop(self) -> None:
        """End our process; its kernel closes the connection after sending what was written."""
        if not self.gone:
            self._post(None)
            self.gone = True

    def _address(self) -> IPv4Address:
        return IPv4Address("TCP", self.process.machine.address, 4000 + self.connection.number)

    def _post(self, piece: bytes | None) -> None:
        if self.connection.is_cut:
            return
        world = self.connection.network.world
        self._last = max(self._last, world.seconds() + self.connection.network.delay())
        self._on_its_way.append((self._last, piece))
        self.other.process.later(self._last - world.seconds(), self._arrives)

    def _arrives(self) -> None:
        """Deliver the next piece to the other end's process."""
        other = self.other
        if not self._on_its_way:  # it was cut off
            return
        if other.protocol is None and not other.gone:  # not accepted yet
            other.process.later(self.connection.network.delay(), self._arrives)
            return
        _, piece = self._on_its_way.popleft()
        self._unread -= len(piece or b"")
        self._close_when_sent()
        if self._paused and self._unread == 0 and not self.gone:
            self._paused = False
            self.process.at_once(self._resume)
        if other.gone:
            if piece is not None and not self.gone and other.process.machine.is_up:
                self.noticed()  # a reset, because the other end is gone
            return
        if piece is None:
            other._lost(ConnectionDone())
        elif piece:
            other.protocol.dataReceived(piece)

    def _resume(self) -> None:
        if self._producer is not None and not self.gone:
            self._producer.resumeProducing()

    def _close_when_sent(self) -> None:
        if self._closing and not self.gone and self._unread <= KERNEL_BUFFER:
            self.process.at_once(self._lost, ConnectionDone())

    def _lost(self, why: Exception) -> None:
        if self.gone:
            return
        self.gone = True
        if self.protocol is not None:
            self.protocol.connectionLost(Failure(why))


class Port:
    """A listening port."""

    def __init__(self, network: Network, process: Process, number: int, factory: Any) -> None:
        self.network = network
        self.process = process
        self.number = number
        self._factory = factory
        network.ports[number] = self

    def accept(self, end: End) -> None:
        """Accept a connection in the listener's process."""
        if end.gone:
            return
        protocol = self._factory.buildProtocol(end.getPeer())
        if protocol is None:
            end.abortConnection()
        else:
            end.made(protocol)

    def getHost(self) -> IPv4Address:
        return IPv4Address("TCP", self.process.machine.address, self.number)

    def stopListening(self) -> None:
        if self.network.ports.get(self.number) is self:
            del self.network.ports[self.number]


class Connector:
    """One attempt to connect (IConnector)."""

    def __init__(self, reactor: Reactor, host: str, port: int, factory: Any) -> None:
        self.reactor = reactor
        self.host = host
        self.port = port
        self._factory = factory
        self._over = False

    def begin(self) -> None:
        network, process = self.reactor.network, self.reactor.process
        self._factory.doStart()
        self._factory.startedConnecting(self)
        process.observer.on_dial(process, self.host, self.port)
        process.later(network.delay(), network.connect, process, self)

    def succeed(self, end: End) -> None:
        if self._over:
            end.abortConnection()
            return
        if end.gone:
            self.fail(ConnectionRefusedError())
            return
        self._over = True
        protocol = self._factory.buildProtocol(end.getPeer())
        if protocol is None:
            end.abortConnection()
        else:
            end.made(protocol)

    def fail(self, why: Exception) -> None:
        if not self._over:
            self._over = True
            self._factory.clientConnectionFailed(self, Failure(why))

    def stopConnecting(self) -> None:
        self.fail(UserError())

    def getDestination(self) -> IPv4Address:
        return IPv4Address("TCP", self.host, self.port)


class Reactor:
    """The part of a reactor that ginpeer.net uses, for one process."""

    def __init__(self, network: Network, process: Process) -> None:
        self.network = network
        self.process = process

    def listenTCP(self, port: int, factory: Any, backlog: int = 50, interface: str = "") -> Port:
        return Port(self.network, self.process, port, factory)

    def connectTCP(
        self, host: str, port: int, factory: Any, timeout: float = 30, bindAddress: Any = None
    ) -> Connector:
        connector = Connector(self, host, port, factory)
        connector.begin()
        return connector

    def seconds(self) -> float:
        return self.network.world.seconds()

    def callLater(self, delay: float, call: Any, *args: Any) -> Any:
        return self.process.callLater(delay, call, *args)
