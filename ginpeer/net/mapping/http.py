"""The subset of HTTP that a router needs (RFC 9112): one request over TCP, and its response.

We don't use twisted.web, which would save about 60 lines here. It remembers up to 10,000 header
names for the whole process, and a hostile router that sent long ones made it grow from 46 to 374 MB
(Twisted 26.10). It also writes SOAPAction as Soapaction, and refuses chunk lengths followed by
spaces, which old servers use as padding.

Rule 1: an answer may have MAX_HEAD bytes of head and MAX_BODY of body, even in chunks; one byte
more ends it. We keep nothing beyond that, whatever lengths it announces.
Rule 2: we don't follow redirects, and we follow a URL only if it is http and names the router's
own IP address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Any, NamedTuple
from urllib.parse import urljoin

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net.address import Address, ip_of
from ginpeer.net.interfaces import cancel
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.results import Refusal
from ginpeer.net.tcp import ProtocolFactory

MAX_HEAD = 1 << 13
MAX_BODY = 1 << 17  # real descriptions have up to 20 KB
MAX_URL = 512
_MAX_CHUNK_LINE = 256
_HEAD_END = b"\r\n\r\n"

_URL = re.compile(r"http://(\[[0-9a-f:.]+\]|[0-9.]+)(?::([0-9]{1,5}))?(/[!-~]*)?", re.I | re.ASCII)
_STATUS = re.compile(rb"HTTP/1\.[0-9] ([1-5][0-9][0-9])(?: [^\r\n]*)?", re.ASCII)


class RouterUrl(NamedTuple):
    """A URL on a router. ``str`` returns ``http://host:port/path``."""

    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        return str(Address(self.host, self.port))

    def __str__(self) -> str:
        return f"http://{self.authority}{self.path}"


def parse_url(text: str, router: str) -> RouterUrl:
    """Read a URL that a router sent. Raises Refusal, even for a valid one that leads away from
    *router*."""
    matched = _URL.fullmatch(text) if len(text) <= MAX_URL else None
    if matched is None:
        raise Refusal("answer-elsewhere")
    host, port, path = matched.groups()
    ip = ip_of(host.strip("[]"))
    number = int(port) if port else 80
    if ip is None or ip != ip_of(router.partition("%")[0]) or not 0 < number <= 0xFFFF:
        raise Refusal("answer-elsewhere")
    return RouterUrl(str(ip), number, path or "/")


def resolve_url(base: RouterUrl, text: str, router: str) -> RouterUrl:
    """Read a URL that may be relative to *base*. Raises Refusal, like `parse_url`."""
    if not text.isprintable():  # urljoin would drop line breaks
        raise Refusal("answer-elsewhere")
    try:
        return parse_url(urljoin(str(base), text.strip()), router)
    except ValueError:
        raise Refusal("answer-elsewhere") from None


def encode_request(url: RouterUrl, action: str | None = None, body: bytes = b"") -> bytes:
    """Encode a GET request, or a POST request for a SOAP *action*. The router is asked to close the
    connection after its answer."""
    head = [f"{'POST' if action else 'GET'} {url.path} HTTP/1.1", f"Host: {url.authority}"]
    if action:
        head += [
            'Content-Type: text/xml; charset="utf-8"',
            f"Content-Length: {len(body)}",
            f'SOAPAction: "{action}"',
        ]
    head += ["User-Agent: ginpeer UPnP/1.1", "Connection: close", "", ""]
    return "\r\n".join(head).encode("ascii") + body


class HttpResponse(NamedTuple):
    status: int
    body: bytes


_Reading = Generator[None, None, None]  # yields when it needs more bytes


class HttpResponseReader:
    """Assembles a response from bytes. Don't use it after it has raised Refusal."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._body = bytearray()
        self._status = 0
        self._ends_with_connection = False
        self._reading = self._read()

    def feed(self, data: bytes) -> HttpResponse | None:
        """Add the next bytes. Return the response once it is complete."""
        self._buffer += data
        for _ in self._reading:
            return None
        return self._response()

    def end(self) -> HttpResponse:
        """Return the response, whose end the router may have marked by closing the connection.
        Raises Refusal."""
        if not self._ends_with_connection:
            raise Refusal("answer-unreadable")
        return self._response()

    def _read(self) -> _Reading:
        headers: dict[bytes, bytes] = {}
        while self._status < 200:  # 100 Continue: the answer is still to come
            head = yield from self._read_until(_HEAD_END, MAX_HEAD, "answer-too-long")
            headers = self._read_head(head)
        encoding = headers.get(b"transfer-encoding", b"").lower()
        length = headers.get(b"content-length")
        if encoding == b"chunked":
            yield from self._read_chunks()
        elif encoding not in (b"", b"identity"):
            raise Refusal("answer-unreadable")
        elif length is None:
            self._ends_with_connection = True
            while True:
                self._take(len(self._buffer))
                yield
        elif re.fullmatch(rb"[0-9]{1,9}", length):
            yield from self._read_body(int(length))
        else:
            raise Refusal("answer-unreadable")

    def _read_head(self, head: bytes) -> dict[bytes, bytes]:
        """Read the status, and return the headers."""
        status, *lines = head.split(b"\r\n")
        matched = _STATUS.fullmatch(status)
        if matched is None:
            raise Refusal("answer-unreadable")
        self._status = int(matched[1])
        headers: dict[bytes, bytes] = {}
        for line in lines:
            name, _, value = line.partition(b":")
            headers.setdefault(name.strip().lower(), value.strip())
        return headers

    def _read_chunks(self) -> _Reading:
        while True:
            line = yield from self._read_line()
            size = re.fullmatch(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?", line)
            if size is None:
                raise Refusal("answer-unreadable")
            if int(size[1], 16) == 0:
                break
            yield from self._read_body(int(size[1], 16))
            if (yield from self._read_line()):
                raise Refusal("answer-unreadable")
        while (yield from self._read_line()):
            pass  # a trailer

    def _read_body(self, length: int) -> _Reading:
        if length > MAX_BODY:
            raise Refusal("answer-too-long")
        while True:
            length -= self._take(min(length, len(self._buffer)))
            if not length:
                return
            yield

    def _take(self, count: int) -> int:
        if len(self._body) + count > MAX_BODY:
            raise Refusal("answer-too-long")
        self._body += self._buffer[:count]
        del self._buffer[:count]
        return count

    def _read_line(self) -> Generator[None, None, bytes]:
        line = yield from self._read_until(b"\n", _MAX_CHUNK_LINE - 1, "answer-unreadable")
        return line.strip()

    def _read_until(self, end: bytes, most: int, code: str) -> Generator[None, None, bytes]:
        """Return the bytes before *end*. If there are more than *most*, raise Refusal with this
        code."""
        most += len(end)
        while (at := self._buffer.find(end, 0, most)) < 0:
            if len(self._buffer) >= most:
                raise Refusal(code)
            yield
        found = bytes(self._buffer[:at])
        del self._buffer[: at + len(end)]
        return found

    def _response(self) -> HttpResponse:
        return HttpResponse(self._status, bytes(self._body))


# --- over TCP ---------------------------------------------------------------------------------


async def fetch(
    reactor: Any, gateway: Gateway, port: int, request: bytes, seconds: float
) -> HttpResponse:
    """Send a request to a router's TCP port, and wait at most *seconds*. Raises Refusal.
    Cancelling it closes the connection."""
    connection = _Connection(request)
    endpoint: Any = TCP6ClientEndpoint if gateway.ipv6 else TCP4ClientEndpoint  # without types
    router = endpoint(reactor, gateway.host, port, seconds, (gateway.own_address, 0))
    connecting = router.connect(ProtocolFactory(lambda _: connection))
    connecting.addErrback(lambda _: connection.refuse("router-unreachable"))
    timer = reactor.callLater(seconds, connection.refuse, "no-answer")
    try:
        return await connection.answer
    finally:
        cancel(timer)
        connecting.cancel()
        if connection.transport is not None:
            connection.transport.abortConnection()


class _Connection(Protocol):
    transport: Any  # a TCP connection of Twisted's, most of which has no types

    def __init__(self, request: bytes) -> None:
        self.answer: Deferred[HttpResponse] = Deferred()
        self._request = request
        self._reader = HttpResponseReader()

    def refuse(self, code: str) -> None:
        if not self.answer.called:
            self.answer.errback(Refusal(code))

    def connectionMade(self) -> None:
        self.transport.write(self._request)

    def dataReceived(self, data: bytes) -> None:
        self._take(lambda: self._reader.feed(data))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if isinstance(reason.value, ConnectionDone):
            self._take(self._reader.end)
        else:
            self.refuse("answer-unreadable")

    def _take(self, read: Callable[[], HttpResponse | None]) -> None:
        if self.answer.called:
            return
        try:
            answer = read()
        except Refusal as refusal:
            self.answer.errback(refusal)
            return
        if answer is not None:
            self.answer.callback(answer)
