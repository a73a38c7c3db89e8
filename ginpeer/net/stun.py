"""Asks STUN servers for the public address of a listening port of ours (RFC 8489), and keeps that
address alive while a peer may still connect.

We send a binding request without attributes, and read XOR-MAPPED-ADDRESS in the answer. A server
may lie: the address is only its claim, and a wrong one only takes up a place in a code.

Rule 1: we ask only the servers that the caller names.
Rule 2: we ask a server over TCP and from the listening port itself, since most routers map that
port to the same outside port for every destination. If no server answers over TCP, we ask over UDP.
That query leaves from a different port, so only the host in the answer counts, and we assume the
port that we listen on.
Rule 3: an answer counts if it comes from the server that we asked, within SECONDS, contains our
transaction ID, and names an address that could be ours: one on the Internet, with a port that
routers assign. So no server can send a friend to a home network, or to port 22.
Rule 4: two servers must name the same address and port. If two don't, a third decides. One answer
is enough only if no other arrives in time. Three different ports of one address, or two if no third
server answers, mean that the router gives every connection a different port.
"""

from __future__ import annotations

import binascii
import ipaddress
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.error import CannotListenError, ConnectError, ConnectionClosed
from twisted.internet.task import deferLater

from ginpeer.net.address import Address, AddressError, check_usable, parse_address
from ginpeer.net.mapping.datagrams import Question
from ginpeer.net.mapping.results import Refusal, classify_public_address
from ginpeer.net.simultaneous_open import connect_from
from ginpeer.net.tcp import ProtocolFactory, Stream, resolve
from protocol.codes import CodedError

DEFAULT_STUN_PORT = 3478
MAX_SERVERS = 32
HEADER_BYTES = 20
TRANSACTION_BYTES = 12
MAX_MESSAGE = 1280  # what fits into any packet (RFC 8489, 6.1); answers to us are much shorter

_REQUEST, _SUCCESS, _ERROR = 0x0001, 0x0101, 0x0111
_COOKIE = 0x2112A442
_MAPPED, _XOR_MAPPED, _ERROR_CODE, _FINGERPRINT = 0x0001, 0x0020, 0x0009, 0x8028
_OPTIONAL = 0x8000  # attributes from here up may be ignored
_FINGERPRINT_XOR = 0x5354554E
_IPV4, _IPV6 = 1, 2
# Old servers add their own addresses (RFC 3489: SOURCE-ADDRESS, CHANGED-ADDRESS). MESSAGE-INTEGRITY
# is for clients that share a password with the server.
_HARMLESS = frozenset({_MAPPED, 0x0004, 0x0005, 0x0008, 0x001C})


class StunError(CodedError):
    """No STUN server has named a usable address."""


def parse_servers(text: str) -> tuple[Address, ...]:
    """Read a list of 1 to MAX_SERVERS servers: one HOST or HOST:PORT per line, with comments after
    a #. Raises AddressError."""
    servers = []
    for number, line in enumerate(text.splitlines(), 1):
        named = line.partition("#")[0].strip()
        if not named:
            continue
        try:
            server = parse_address(named, DEFAULT_STUN_PORT)
            check_usable(server)
        except AddressError as error:
            raise AddressError(f"Line {number}: {error.sentence}") from error
        servers.append(server)
    if not 1 <= len(servers) <= MAX_SERVERS:
        raise AddressError(
            f"A list must contain 1 to {MAX_SERVERS} servers; this one has {len(servers)}."
        )
    return tuple(dict.fromkeys(servers))


def encode_binding_request(transaction: bytes) -> bytes:
    """Encode a binding request. *transaction*: 12 fresh random bytes."""
    return _REQUEST.to_bytes(2, "big") + bytes(2) + _COOKIE.to_bytes(4, "big") + transaction


def message_length(header: bytes) -> int:
    """Return the length of the message that begins with these 20 bytes. Raises StunError."""
    length = int.from_bytes(header[2:4], "big")
    if length % 4 or int.from_bytes(header[4:8], "big") != _COOKIE:
        raise _malformed("it has no STUN header")
    if HEADER_BYTES + length > MAX_MESSAGE:
        raise _malformed("it is too long")
    return HEADER_BYTES + length


def read_mapped_address(message: bytes, transaction: bytes) -> Address:
    """Return the address in the answer to the request with this transaction. Raises StunError."""
    if len(message) != message_length(message[:HEADER_BYTES]):
        raise _malformed("its length is wrong")
    if message[8:HEADER_BYTES] != transaction:
        raise StunError("stun-stray", "The STUN server answered a different question.")
    kind = int.from_bytes(message[:2], "big")
    if kind not in (_SUCCESS, _ERROR):
        raise _malformed("its message type is wrong")
    found = None
    for attribute, value, at in _attributes(message):
        if attribute == _FINGERPRINT:
            _check_fingerprint(message, value, at)
        elif attribute == _ERROR_CODE and kind == _ERROR:
            raise _refused(value)
        elif attribute == _XOR_MAPPED:
            found = found or _address(value, message[4:HEADER_BYTES])
        elif attribute < _OPTIONAL and attribute not in _HARMLESS:
            raise _malformed("it requires something that ginpeer doesn't support")  # section 6.3.3
    if kind == _ERROR:
        raise _refused(b"")
    if found is None:
        raise _malformed("it contains no address")
    return found


def _attributes(message: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Yield each attribute's type, its value, and its offset."""
    at = HEADER_BYTES
    while at < len(message):
        kind = int.from_bytes(message[at : at + 2], "big")
        length = int.from_bytes(message[at + 2 : at + 4], "big")
        end = at + 4 + length
        if end > len(message):
            raise _malformed("it ends too early")
        yield kind, message[at + 4 : end], at
        at = end + -length % 4


def _check_fingerprint(message: bytes, value: bytes, at: int) -> None:
    """Check the last attribute, the CRC-32 of everything before it (section 14.7)."""
    expected = binascii.crc32(message[:at]) ^ _FINGERPRINT_XOR
    if at + 8 != len(message) or value != expected.to_bytes(4, "big"):
        raise _malformed("its fingerprint is wrong")


def _address(value: bytes, mask: bytes) -> Address:
    """Read XOR-MAPPED-ADDRESS (section 14.2). *mask*: cookie and transaction."""
    size = {_IPV4: 4, _IPV6: 16}.get(value[1]) if len(value) > 4 else None
    if size is None or len(value) != 4 + size:
        raise _malformed("its address has the wrong format")
    port = int.from_bytes(value[2:4], "big") ^ (_COOKIE >> 16)
    packed = bytes(x ^ y for x, y in zip(value[4:], mask, strict=False))
    ip = ipaddress.ip_address(packed)
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    if ip.is_unspecified or ip.is_multicast or port == 0:
        raise StunError(
            "stun-no-address", f"The STUN server says {ip}, which isn't the address of one machine."
        )
    return Address(str(ip), port)


def _refused(value: bytes) -> StunError:
    number = f" (error {value[2] % 8 * 100 + value[3] % 100})" if len(value) >= 4 else ""
    return StunError("stun-refused", f"The STUN server refused to tell us our address{number}.")


def _malformed(what: str) -> StunError:
    return StunError("stun-malformed", f"The STUN server's answer is invalid: {what}.")


# --- asking servers ---------------------------------------------------------------------

_T = TypeVar("_T")

SECONDS = 3.0  # how long one server may take to answer
GIVE_UP_AFTER = 9.0  # seconds without any answer; then no further server is tried
SECOND_ANSWER = 3.0  # seconds to wait for a second answer; after that, one is enough

EVERY = 100.0
"""Seconds between two questions on a connection that is kept open, like SIP's 95 to 120 (RFC 5626,
4.4.1). After 4 minutes, a router may forget a connection that it believes to be still opening or
already closing (RFC 5382, REQ-5)."""

REOPEN_AFTER = 1.0
"""Seconds before reopening a connection that a server has closed, as many do after a minute; some
routers forget the port soon after that. While connections fail or end immediately, the pause
doubles, up to EVERY."""

_LASTED = 10.0  # a connection that lasts fewer seconds counts as having ended immediately

_LOWEST_PORT = 1024  # routers keep ports from here up in this range (RFC 4787, REQ-3)

_WAITS_UDP = (0.5, 0.5, GIVE_UP_AFTER)  # seconds between UDP requests (RFC 8489, 6.2.1)


@dataclass(frozen=True, slots=True)
class ObservedAddress:
    """The address at which *servers* see a listening port of ours. *exact*: whether the port is the
    one that the router uses for ours; otherwise we learned only the host. *same_port*: whether two
    servers saw the same port; None if that isn't known."""

    address: Address
    servers: tuple[Address, ...]
    exact: bool
    same_port: bool | None


@dataclass(frozen=True, slots=True)
class _Answer:
    server: Address
    address: Address
    exact: bool


@dataclass(frozen=True, slots=True)
class StunContext:
    """The reactor and the source of random bytes that STUN requests need."""

    reactor: Any
    rng: Callable[[int], bytes]


async def observe_address(
    context: StunContext, servers: Sequence[Address], port: Any
) -> ObservedAddress:
    """Ask servers in turn at which address they see *port*, an IListeningPort, until two agree.
    Raises StunError."""
    failed: Exception = StunError("stun-silent", "No STUN server was named.")
    for over in (_over_tcp, _over_udp):
        answers: list[_Answer] = []
        until = context.reactor.seconds() + GIVE_UP_AFTER
        for server in servers:
            try:
                answers.append(await _ask(context, over, server, port))
                if len(answers) == 1:  # even if this server was slow, ask a second one
                    until = context.reactor.seconds() + SECOND_ANSWER
            except (StunError, ConnectError, CannotListenError) as error:
                failed = error
            if _decided(answers) or context.reactor.seconds() >= until:
                break
        if answers:
            return _seen(answers)
    if not isinstance(failed, StunError):
        raise _silent(servers[-1]) from failed
    raise failed


def _agreed(answers: list[_Answer]) -> list[_Answer]:
    """Return the answers that name the same address, or else the same host; empty if no two do."""
    for fields in (2, 1):
        for one in answers:
            agreed = [each for each in answers if each.address[:fields] == one.address[:fields]]
            if len(agreed) > 1:
                return agreed
    return []


def _decided(answers: list[_Answer]) -> bool:
    agreed = _agreed(answers)
    return len(agreed) > 2 or len({each.address for each in agreed}) == 1


def _seen(answers: list[_Answer]) -> ObservedAddress:
    chosen = _agreed(answers) or answers
    if len({each.address.host for each in chosen}) > 1:
        raise StunError("stun-disagree", "The STUN servers disagree about this machine's address.")
    ports = [each.address.port for each in chosen if each.exact]
    first = next((each for each in chosen if each.exact), chosen[0])
    servers = tuple(each.server for each in chosen)
    same = None if len(ports) < 2 else len(set(ports)) == 1
    return ObservedAddress(first.address, servers, first.exact, same)


async def _ask(context: StunContext, over: Any, server: Address, port: Any) -> _Answer:
    found, exact = await over(context, await _find(context, server, port), port)
    if not could_be_ours(found, port):
        raise StunError(
            "stun-no-address",
            f"The STUN server {server} says that this machine's address is {found}, which can't "
            "be true.",
        )
    return _Answer(server, found, exact)


def could_be_ours(address: Address, port: Any) -> bool:
    """Return whether this can be the public address of *port*, an IListeningPort of ours."""
    here = port.getHost().port
    usual = address.port >= min(_LOWEST_PORT, here)
    return usual and classify_public_address(address.host) == "mapped"


async def _find(context: StunContext, server: Address, port: Any) -> Address:
    """Return the server's IP address. Raises StunError."""
    try:
        known = await resolve(context.reactor, server.host).addTimeout(SECONDS, context.reactor)
    except TimeoutError:
        known = ()
    asked = _suitable(port, known)
    if asked is None:
        raise StunError("stun-silent", f"The STUN server {server} has no address for this network.")
    return Address(asked, server.port)


def _suitable(port: Any, hosts: tuple[str, ...]) -> str | None:
    """Return the first of these hosts that can see our port, preferring IPv4, since routers hide
    IPv4 addresses."""
    hears = ipaddress.ip_address(port.getHost().host.partition("%")[0])
    ips = sorted((ipaddress.ip_address(host) for host in hosts), key=lambda ip: ip.version)
    for ip in ips:
        if ip.version == hears.version or (hears.version == 6 and hears.is_unspecified):
            return str(ip)
    return None


# --- over TCP ---------------------------------------------------------------------------


async def _over_tcp(context: StunContext, target: Address, port: Any) -> tuple[Address, bool]:
    """Return our port's public address, and whether the server was asked from that port."""
    stream = await _connect(context, target, port)
    try:
        return await _ask_over(stream, context, target, port)
    finally:
        await stream.close()  # so that our port can connect to this server again


async def _connect(context: StunContext, target: Address, port: Any) -> Stream:
    """Connect to a server from our port. Raises StunError, ConnectError."""
    stream = Stream()
    connecting = connect_from(context.reactor, port, target, ProtocolFactory(lambda _: stream))
    await _in_time(connecting, target, context.reactor)
    return stream


async def _ask_over(
    stream: Stream, context: StunContext, target: Address, port: Any
) -> tuple[Address, bool]:
    """Ask the server over this connection, and return the same as `_over_tcp`."""
    transaction = context.rng(TRANSACTION_BYTES)
    stream.heard.clear()
    stream.transport.write(encode_binding_request(transaction))
    reading = Deferred.fromCoroutine(_read_message(stream))
    try:
        answer = await _in_time(reading, target, context.reactor)
    except ConnectionClosed:
        raise StunError(
            "stun-silent", f"The STUN server {target} closed the connection without answering."
        ) from None
    found, here = read_mapped_address(answer, transaction), port.getHost().port
    exact = stream.transport.getHost().port == here
    return (found if exact else Address(found.host, here)), exact


async def _read_message(stream: Stream) -> bytes:
    header = await stream.take(HEADER_BYTES)
    return header + await stream.take(message_length(header) - HEADER_BYTES)


# --- over UDP ---------------------------------------------------------------------------


async def _over_udp(context: StunContext, target: Address, port: Any) -> tuple[Address, bool]:
    """Return the host that the server sees, with our listening port as a guess."""
    transaction = context.rng(TRANSACTION_BYTES)

    def read(datagram: bytes) -> Address | None:
        try:
            return read_mapped_address(datagram, transaction)
        except StunError as error:
            if error.code == "stun-stray":  # anybody may send a datagram, and it may come too late
                return None
            raise

    requests = [(encode_binding_request(transaction), target)]
    reactor = context.reactor
    question = Question(requests, *target, _WAITS_UDP, read, reactor, gives_up=False)
    reactor.listenUDP(0, question, interface="::" if ":" in target.host else "")
    question.send()
    try:
        seen = await _in_time(question.answer, target, reactor)
    except Refusal:
        raise _silent(target) from None
    return Address(seen.host, port.getHost().port), False


def _in_time(answer: Deferred[_T], target: Address, clock: Any) -> Deferred[_T]:
    """Make this Deferred fail if the server takes more than SECONDS."""

    def late(result: object, seconds: float) -> NoReturn:
        raise _silent(target)

    return answer.addTimeout(SECONDS, clock, late)


def _silent(target: Address) -> StunError:
    return StunError("stun-silent", f"The STUN server {target} doesn't answer.")


# --- keeping it alive -------------------------------------------------------------------


async def keep_alive(
    context: StunContext,
    servers: Sequence[Address],
    port: Any,
    seen: ObservedAddress,
    *,
    changed: Callable[[ObservedAddress], None],
    needed: Callable[[], bool],
) -> None:
    """Keep alive the address that was *seen* for our port, until cancelled.

    A connection to one of the servers that answered stays open, and that server is asked again
    every EVERY seconds. If its answer changes, all servers are asked again, and *changed* is
    called with the address that they agree on. While the address isn't *needed*, nobody is asked.
    """
    reactor, pause, turn = context.reactor, REOPEN_AFTER, 0
    while True:
        await deferLater(reactor, pause)
        if not needed():
            pause = EVERY
            continue
        begun, different = reactor.seconds(), False
        if seen.same_port is not False:  # else nothing can be kept alive on this network
            server = seen.servers[turn % len(seen.servers)]
            turn += 1
            with suppress(StunError, ConnectError, ConnectionClosed):
                different = await _hold(context, server, port, seen, needed)
        lasted = reactor.seconds() - begun >= _LASTED
        if different or not lasted:
            with suppress(StunError):
                found = await observe_address(context, servers, port)
                is_random = seen.same_port is False and found.same_port is not True
                if not (is_random and found.address.host == seen.address.host):
                    if found.address != seen.address:
                        changed(found)
                    seen = found
        pause = REOPEN_AFTER if lasted and not different else min(2 * pause, EVERY)


async def _hold(
    context: StunContext,
    server: Address,
    port: Any,
    seen: ObservedAddress,
    needed: Callable[[], bool],
) -> bool:
    """Keep a connection to this server open until it ends or the address is no longer needed.
    Return whether the server sees us at a different address now. Raises StunError, ConnectError,
    ConnectionClosed."""
    target = await _find(context, server, port)
    stream = await _connect(context, target, port)
    try:
        while needed():
            found, _ = await _ask_over(stream, context, target, port)
            if found != seen.address and could_be_ours(found, port):
                return True
            # Hang up on a server that sends anything unrequested, since that might never end.
            if not await stream.more().addTimeout(EVERY, context.reactor, lambda *_: True):
                break
        return False
    finally:
        await stream.close()
