"""One request over UDP to a router, or to a STUN server (stun.py), repeated until it answers; and
SSDP, the search for a router's UPnP description (UPnP Device Architecture 1.1, section 1.3).

Rule 1: only datagrams from the router's address count and, unless we search, only from its port.
Where the socket can be connected, the system drops the others; we check each sender as well.
Rule 2: a request ends after the last wait, or after MAX_ANSWERS datagrams that aren't answers.
Rule 3: a search also goes to the multicast group of all devices, since some routers answer only
there. Anybody in the network could answer, so only answers from the router's own address count.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import DatagramProtocol

from ginpeer.net.interfaces import cancel
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.http import RouterUrl, parse_url
from ginpeer.net.mapping.results import Refusal
from protocol.codes import CodedError

MAX_ANSWERS = 64

_Answer = TypeVar("_Answer")


def ask(
    reactor: Any,
    gateway: Gateway,
    port: int,
    request: bytes,
    waits: Sequence[float],
    read: Callable[[bytes], _Answer | None],
) -> Deferred[_Answer]:
    """Send *request* to this port of a router, once before each of *waits* (in seconds).

    *read* returns the answer, or None if a datagram answers something else, or raises Refusal.
    After an unreadable datagram we keep waiting, since another may come; any other refusal ends the
    question. Fails with Refusal. Cancelling the Deferred closes the socket.
    """
    question = Question([(request, None)], gateway.host, port, waits, read, reactor)
    try:
        reactor.listenUDP(0, question, interface=gateway.own_address)
        _connect(question.transport, (gateway.host, port))
    except (CannotListenError, OSError):
        question.fail(Refusal("router-unreachable"))
    else:
        question.send()
    return question.answer


def _connect(port: Any, server: tuple[str, int]) -> None:
    """Connect a UDP port. Raises OSError."""
    if "%" not in server[0]:
        port.connect(*server)
        return
    # Twisted passes only host and port, and then Python ignores the network interface in the
    # host. So connect the socket here, and only inform Twisted.
    numeric = socket.AI_NUMERICHOST
    found = socket.getaddrinfo(*server, socket.AF_INET6, socket.SOCK_DGRAM, 0, numeric)
    port.getHandle().connect(found[0][4])
    port._connectedAddr = server


@dataclass(eq=False)
class Question(DatagramProtocol, Generic[_Answer]):
    """Sends *requests*, each with its destination (None if the socket is connected), once before
    each of *waits*, until *read* returns an answer. *port*: the port from which the router answers;
    None: any port; then no refusal is final, since a better answer may follow. *gives_up*:
    whether the question ends if nothing can be sent."""

    noisy = False

    requests: Sequence[tuple[bytes, tuple[str, int] | None]]
    router: str
    port: int | None
    waits: Sequence[float]
    read: Callable[[bytes], _Answer | None]
    clock: Any
    _: KW_ONLY
    gives_up: bool = True
    transport: Any = field(default=None, init=False)  # Twisted's UDP port

    def __post_init__(self) -> None:
        self.answer: Deferred[_Answer] = Deferred(lambda _: self._close())
        self._waits = iter(self.waits)
        self._timer: Any = None
        self._heard = 0
        self._silence: CodedError = Refusal("no-answer")
        self._over = False

    def datagramReceived(self, datagram: bytes, addr: tuple[Any, ...]) -> None:
        host = _without_interface(addr[0])
        is_from_router = host == _without_interface(self.router) and self.port in (None, addr[1])
        if self._over or not is_from_router:
            return
        self._heard += 1
        answer = None
        try:
            answer = self.read(datagram)
        except CodedError as refusal:
            self._silence = refusal
            if self.port is not None and refusal.code != "answer-unreadable":
                self.fail(refusal)
                return
        if answer is not None:
            self._close()
            self.answer.callback(answer)
        elif self._heard >= MAX_ANSWERS:
            self.fail(Refusal("answer-unreadable"))

    def connectionRefused(self) -> None:
        """Fail: the router's system reports that nothing listens there."""
        self.fail(Refusal("not-offered"))

    def fail(self, refusal: CodedError) -> None:
        if not self._over:
            self._close()
            self.answer.errback(refusal)

    def send(self) -> None:
        """Send the requests, now and before each remaining wait."""
        wait = next(self._waits, None)
        if wait is None:
            self.fail(self._silence)
            return
        self._timer = self.clock.callLater(wait, self.send)
        sent = 0
        for request, destination in self.requests:
            try:
                self.transport.write(request, destination)
                sent += 1
            except OSError:
                continue  # perhaps no route to the group; the router itself may still answer
        if not sent and self.gives_up:
            self.fail(Refusal("router-unreachable"))

    def _close(self) -> None:
        self._over = True
        cancel(self._timer)
        if self.transport is not None:
            self.transport.stopListening()


def _without_interface(host: str) -> str:
    """Return a link-local address without its network interface."""
    return host.partition("%")[0]


# --- SSDP ---------------------------------------------------------------------------------------

MAX_SEARCH_ANSWER = 2048

# Some routers answer only searches for their own type, others only searches for any root device.
SEARCH_TARGETS = (
    "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
    "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    "upnp:rootdevice",
)


def encode_search(host: str, port: int, target: str) -> bytes:
    """Encode a search request to *host*: the multicast group of all devices, or the router."""
    return (
        "M-SEARCH * HTTP/1.1\r\n"
        f"HOST: {host}:{port}\r\n"
        'MAN: "ssdp:discover"\r\n'
        "MX: 1\r\n"
        f"ST: {target}\r\n"
        "\r\n"
    ).encode("ascii")


def read_search_answer(data: bytes, router: str) -> RouterUrl | None:
    """Return the URL of the description of *router*, which sent *data*; None if *data* contains
    none. Raises Refusal, for example if the URL is on another machine."""
    if len(data) > MAX_SEARCH_ANSWER:
        raise Refusal("answer-too-long")
    first, *lines = data.decode("latin-1").split("\r\n")
    if not first.startswith("HTTP/1.") or first.split(" ")[1:2] != ["200"]:
        return None
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() == "location":
            return parse_url(value.strip(), router)
    return None


def search(
    reactor: Any,
    gateway: Gateway,
    port: int,
    multicast: str | None,
    waits: Sequence[float],
    ignored: Sequence[RouterUrl] = (),
) -> Deferred[RouterUrl]:
    """Find the URL of this router's UPnP description. *waits* and failures: as for `ask`.
    *ignored*: the URLs of descriptions that list no service for us."""
    requests = [
        (encode_search(host, port, target), (host, port))
        for host in filter(None, (gateway.host, multicast))
        for target in SEARCH_TARGETS
    ]

    def read(data: bytes) -> RouterUrl | None:
        at = read_search_answer(data, gateway.host)
        return None if at in ignored else at

    question = Question(requests, gateway.host, None, waits, read, reactor)
    try:
        reactor.listenMulticast(0, question, interface=gateway.own_address)
    except CannotListenError:
        question.fail(Refusal("router-unreachable"))
    else:
        choosing = question.transport.setOutgoingInterface(gateway.own_address)
        choosing.addErrback(lambda _: None)  # if it fails, the routing table chooses
        question.send()
    return question.answer
