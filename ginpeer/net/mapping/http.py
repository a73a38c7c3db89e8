"""The subset of HTTP that a router needs (RFC 9112): one request over TCP, and its response.

We don't use twisted.web, which would save some 60 lines here. It remembers up to 10,000 header
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
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urljoin

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import ClientFactory, Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net.interfaces import cancel
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.results import Refusal

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
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"http://{self.authority}{self.path}"


def parse_url(text: str, router: str) -> RouterUrl:
    """Read a URL that a router sent. Raises Refusal, even for a valid one that leads away from
    *router*."""
    matched = _URL.fullmatch(text) if len(text) <= MAX_URL else None
    if matched is None:
        raise Refusal("answer-elsewhere")
    host, port, path = matched.groups()
    try:
        ip = ip_address(host.strip("[]"))
    except ValueError:
        raise Refusal("answer-elsewhere") from None
    number = int(port) if port else 80
    if ip != ip_address(router.partition("%")[0]) or not 0 < number <= 0xFFFF:
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
    """Encode a GET, or the POST of a SOAP *action* (its quoted name), on a connection that closes
    after it."""
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
    """The status and body of a complete response."""

    status: int
    body: bytes


class HttpResponseReader:
    """Assembles a response from bytes. Don't use it after it has raised Refusal."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._body = bytearray()
        self._status: int | None = None
        self._left: int | None = None  # of the body, or of a chunk; None: until it closes
        self._chunked = False
        self._trailers = False

    def feed(self, data: bytes) -> HttpResponse | None:
        """Add the next bytes. Return the response once it is complete."""
        self._buffer += data
        while self._status is None:
            end = self._buffer.find(_HEAD_END, 0, MAX_HEAD + len(_HEAD_END))
            if end < 0:
                if len(self._buffer) >= MAX_HEAD + len(_HEAD_END):
                    raise Refusal("answer-too-long")
                return None
            head = bytes(self._buffer[:end])
            del self._buffer[: end + len(_HEAD_END)]
            self._read_head(head)
        if self._chunked:
            return self._feed_chunks()
        take = len(self._buffer) if self._left is None else min(self._left, len(self._buffer))
        self._take(take)
        if self._left is not None:
            self._left -= take
            if self._left == 0:
                return self._whole()
        return None

    def end(self) -> HttpResponse:
        """Return the response now that the router has closed the connection, which may mark its
        end."""
        if self._status is None or self._chunked or self._left is not None:
            raise Refusal("answer-unreadable")
        return self._whole()

    def _read_head(self, head: bytes) -> None:
        status, *lines = head.split(b"\r\n")
        matched = _STATUS.fullmatch(status)
        if matched is None:
            raise Refusal("answer-unreadable")
        number = int(matched[1])
        if number < 200:
            return  # 100 Continue: the answer is still to come
        headers: dict[bytes, bytes] = {}
        for line in lines:
            name, _, value = line.partition(b":")
            headers.setdefault(name.strip().lower(), value.strip())
        self._status = number
        encoding = headers.get(b"transfer-encoding", b"").lower()
        length = headers.get(b"content-length")
        if encoding not in (b"", b"identity"):
            if encoding != b"chunked":
                raise Refusal("answer-unreadable")
            self._chunked = True
        elif length is not None:
            if not re.fullmatch(rb"[0-9]{1,9}", length):
                raise Refusal("answer-unreadable")
            self._left = int(length)
            if self._left > MAX_BODY:
                raise Refusal("answer-too-long")

    def _feed_chunks(self) -> HttpResponse | None:
        while True:
            if self._left:
                take = min(self._left, len(self._buffer))
                self._take(take)
                self._left -= take
            end = self._buffer.find(b"\n", 0, _MAX_CHUNK_LINE)
            if end < 0:
                if len(self._buffer) >= _MAX_CHUNK_LINE:
                    raise Refusal("answer-unreadable")
                return None
            line = bytes(self._buffer[:end]).strip()
            del self._buffer[: end + 1]
            if self._trailers:
                if not line:
                    return self._whole()
                continue
            if not line and self._left == 0:
                self._left = None  # the line break after a chunk
                continue
            size = re.fullmatch(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?", line)
            if size is None or self._left == 0:
                raise Refusal("answer-unreadable")
            self._left = int(size[1], 16)
            if self._left == 0:
                self._trailers, self._left = True, None
            elif self._left > MAX_BODY:
                raise Refusal("answer-too-long")

    def _take(self, count: int) -> None:
        if len(self._body) + count > MAX_BODY:
            raise Refusal("answer-too-long")
        self._body += self._buffer[:count]
        del self._buffer[:count]

    def _whole(self) -> HttpResponse:
        return HttpResponse(self._status or 0, bytes(self._body))


# --- over TCP ---------------------------------------------------------------------------------


def fetch(
    reactor: Any, way: Gateway, port: int, request: bytes, seconds: float, clock: Any
) -> Deferred[HttpResponse]:
    """Send a request to a router's TCP port, and wait at most *seconds*.

    Fails with Refusal. Cancelling it closes the connection.
    """
    factory = _Fetch(request)
    connector = reactor.connectTCP(
        way.host, port, factory, timeout=seconds, bindAddress=(way.own, 0)
    )
    timer = clock.callLater(seconds, factory.refuse, "no-answer")

    def closed(result: Any) -> Any:
        cancel(timer)
        connector.disconnect() if factory.connection is None else factory.connection.abort()
        return result

    return factory.answer.addBoth(closed)


class _Fetch(ClientFactory):
    noisy = False

    def __init__(self, request: bytes) -> None:
        self.request = request
        self.answer: Deferred[HttpResponse] = Deferred()
        self.connection: _Connection | None = None

    def buildProtocol(self, addr: Any) -> _Connection:
        self.connection = _Connection(self)
        return self.connection

    def clientConnectionFailed(self, connector: Any, reason: Failure) -> None:
        self.refuse("router-unreachable")

    def refuse(self, code: str) -> None:
        if not self.answer.called:
            self.answer.errback(Refusal(code))


class _Connection(Protocol):
    transport: Any  # a TCP connection of Twisted's, most of which has no types

    def __init__(self, fetch: _Fetch) -> None:
        self._fetch = fetch
        self._reader = HttpResponseReader()

    def connectionMade(self) -> None:
        self.transport.write(self._fetch.request)

    def dataReceived(self, data: bytes) -> None:
        try:
            answer = self._reader.feed(data)
        except Refusal as refusal:
            self._fetch.refuse(refusal.code)
            return
        if answer is not None:
            self._fetch.answer.callback(answer)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        try:
            if not isinstance(reason.value, ConnectionDone):
                raise Refusal("answer-unreadable")
            answer = self._reader.end()
        except Refusal as refusal:
            self._fetch.refuse(refusal.code)
            return
        self._fetch.answer.callback(answer)

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abortConnection()
