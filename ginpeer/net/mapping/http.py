"""The subset of HTTP (RFC 9112) for talking to a router: one request over TCP, and its response.

We don't use twisted.web, which would save about 60 lines here. It remembers up to 10,000 header
names for the whole process, and a hostile router that sent long ones made it grow from 46 to 374 MB
(Twisted 26.10). It also writes SOAPAction as Soapaction, and refuses chunk lengths followed by
spaces, which old servers use as padding.

Rule 1: an answer may have at most MAX_HEAD bytes of head and MAX_BODY of body, even in chunks; one
byte more ends it. We keep nothing beyond that, whatever lengths it announces.
Rule 2: we don't follow redirects, and we follow a URL only if it is http and names the router's
own IP address.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import urljoin

from twisted.internet.defer import (
    CancelledError,
    Deferred,
    TimeoutError,  # addTimeout raises this one, not the builtin
)
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import (
    ConnectError,
    ConnectingCancelledError,
    ConnectionClosed,
    ConnectionDone,
)

from ginpeer.net.address import Address, ip_of
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.results import Refusal
from ginpeer.net.tcp import ProtocolFactory, Stream

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
    """Parse a URL that a router sent. Raises Refusal if it is invalid, or is on a different machine
    than *router*."""
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
    """Parse a URL that may be relative to *base*. Raises Refusal, like `parse_url`."""
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


async def read_response(stream: Stream) -> HttpResponse:
    """Read a response, whose end the router may mark by closing the connection. Raises Refusal."""
    try:
        status = 100
        while status < 200:  # 100 Continue: the answer is still to come
            head = await stream.take_until(_HEAD_END, MAX_HEAD, Refusal("answer-too-long"))
            status, headers = _read_head(head)
        encoding = headers.get(b"transfer-encoding", b"").lower()
        length = headers.get(b"content-length")
        if encoding == b"chunked":
            return HttpResponse(status, await _read_chunks(stream))
        if encoding not in (b"", b"identity"):
            raise Refusal("answer-unreadable")
        if length is None:
            return HttpResponse(status, await _read_to_the_end(stream))
        if not re.fullmatch(rb"[0-9]{1,9}", length):
            raise Refusal("answer-unreadable")
        return HttpResponse(status, await _read_body(stream, int(length)))
    except ConnectionClosed:
        raise Refusal("answer-unreadable") from None


def _read_head(head: bytes) -> tuple[int, dict[bytes, bytes]]:
    """Return the status and the headers."""
    first, *lines = head.split(b"\r\n")
    matched = _STATUS.fullmatch(first)
    if matched is None:
        raise Refusal("answer-unreadable")
    headers: dict[bytes, bytes] = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers.setdefault(name.strip().lower(), value.strip())
    return int(matched[1]), headers


async def _read_chunks(stream: Stream) -> bytes:
    body = bytearray()
    while True:
        line = await _read_line(stream)
        size = re.fullmatch(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?", line)
        if size is None:
            raise Refusal("answer-unreadable")
        if int(size[1], 16) == 0:
            break
        body += await _read_body(stream, int(size[1], 16), MAX_BODY - len(body))
        if await _read_line(stream):
            raise Refusal("answer-unreadable")
    while await _read_line(stream):
        pass  # a trailer
    return bytes(body)


async def _read_to_the_end(stream: Stream) -> bytes:
    try:
        while len(stream.heard) <= MAX_BODY:
            await stream.more()
    except ConnectionDone:
        return bytes(stream.heard)
    raise Refusal("answer-too-long")


async def _read_body(stream: Stream, length: int, most: int = MAX_BODY) -> bytes:
    if length > most:
        raise Refusal("answer-too-long")
    return await stream.take(length)


async def _read_line(stream: Stream) -> bytes:
    line = await stream.take_until(b"\n", _MAX_CHUNK_LINE - 1, Refusal("answer-unreadable"))
    return line.strip()


# --- over TCP ---------------------------------------------------------------------------------


async def fetch(
    reactor: Any, gateway: Gateway, port: int, request: bytes, seconds: float
) -> HttpResponse:
    """Send a request to a router's TCP port, and wait at most *seconds*. Raises Refusal.
    Cancelling it closes the connection."""
    stream = Stream()
    endpoint: Any = TCP6ClientEndpoint if gateway.ipv6 else TCP4ClientEndpoint  # without type hints
    router = endpoint(reactor, gateway.host, port, seconds, (gateway.own_address, 0))
    asking = Deferred.fromCoroutine(_ask(router, request, stream))
    try:
        return await asking.addTimeout(seconds, reactor)
    except TimeoutError:
        raise Refusal("no-answer") from None
    finally:
        stream.abort()


async def _ask(router: Any, request: bytes, stream: Stream) -> HttpResponse:
    try:
        await router.connect(ProtocolFactory(lambda _: stream))
    except ConnectingCancelledError:
        raise CancelledError from None
    except (ConnectError, OSError):  # OSError: its network interface is gone
        raise Refusal("router-unreachable") from None
    stream.transport.write(request)
    return await read_response(stream)
