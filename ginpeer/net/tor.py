"""Uses the Tor that runs on this machine: finds where it listens, and creates an onion service
through which friends connect to us (control-spec, rend-spec-v3).

Rule 1: we look for Tor only if our player wants it, and only on this machine.
Rule 2: we report the service as reachable only when the directories have accepted its descriptor.
Rule 3: the service lasts as long as our control connection, so it ends with our program.
Rule 4: the path of the cookie is Tor's claim. The caller passes in the function that reads the
file and decides which files to trust.
Rule 5: a Tor that accepts everybody may be any program. So we neither give it our onion key nor
ask it for one: the address lasts only as long as the service.
Rule 6: whatever listens on the control port is a stranger until it proves that it knows the cookie.
The length of its lines and replies is bounded, and so is the total that it may send. We send one
command at a time, and a reply that answers no command ends the connection.
Rule 7: we never use the method COOKIE: it sends a file's bytes to any program that names that
file, as the specification itself warns (3.21). Every Tor since 0.2.3 offers SAFECOOKIE, with which
both sides prove that they know the cookie without disclosing it.

We don't use txtorcon 26.6, because we would have to replace its login: it reads whatever file the
other side names, sends the file's bytes if only COOKIE is offered (tested: it sent a 32-byte
secret), and stores a reply that never ends (300 MB in six seconds).
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, NoReturn

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectError, ConnectingCancelledError, ConnectionClosed

from ginpeer.names import safe_quote
from ginpeer.net.address import DEFAULT_PORT, LOOPBACK, Address, AddressError, canonical_host
from ginpeer.net.tcp import ProtocolFactory, Stream, connect_directly
from protocol.codes import CodedError

# The default ports of the system's Tor and of Tor Browser
SOCKS_PORTS: Final = (Address(LOOPBACK, 9050), Address(LOOPBACK, 9150))
CONTROL_PORTS: Final = (Address(LOOPBACK, 9051), Address(LOOPBACK, 9151))

LOOK_SECONDS: Final = 0.3  # a port of this machine answers in a thousandth of that, or not at all
ANSWER_SECONDS: Final = 15.0  # for Tor to answer a command: it is busy while it starts
PUBLISH_SECONDS: Final = 180.0  # it takes a minute or two if Tor has just started
_SETTLE_SECONDS = 10.0  # for directories that are slower than the first
_LEAVE_SECONDS = 2.0


OK: Final = 250
EVENT: Final = 650
NULL, SAFE_COOKIE, PASSWORD = b"NULL", b"SAFECOOKIE", b"HASHEDPASSWORD"
COOKIE_BYTES: Final = 32
NONCE_BYTES: Final = 32

MAX_LINE: Final = 8192  # a path may be long, and Tor escapes some of its bytes as four
MAX_LINES: Final = 32  # in one reply; the longest that we ask for has five
MAX_HEARD: Final = 1 << 20  # bytes on a connection, events included; publishing takes about 10,000

_PROTOCOL_INFO = b"PROTOCOLINFO 1"
_SERVER_LABEL = b"Tor safe cookie authentication server-to-controller hash"
_OUR_LABEL = b"Tor safe cookie authentication controller-to-server hash"

_LINE = re.compile(rb"([2-6][0-9]{2})([ -])([^\0\r\n]*)")
_AUTH = re.compile(rb'AUTH METHODS=([A-Z0-9_,]+)(?: COOKIEFILE="((?:[^"\\]|\\.)*)")?(?: .*)?')
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
_CONTROLS = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_CHALLENGE = re.compile(
    rb"AUTHCHALLENGE SERVERHASH=([0-9A-Fa-f]{64}) SERVERNONCE=([0-9A-Fa-f]{64})"
)
_SERVICE = re.compile(rb"ServiceID=([a-z2-7]{56})")
_KEY_LINE = re.compile(rb"PrivateKey=ED25519-V3:(.*)")
_KEY = re.compile(r"[A-Za-z0-9+/]{85}[AQgw]==", re.ASCII)
_DESCRIPTOR = re.compile(rb"HS_DESC (UPLOAD|UPLOADED|FAILED) ([a-z2-7]{56})(?: .*)?")


class TorError(CodedError):
    """Tor didn't do what we asked."""


async def find_listener(reactor: Any, addresses: Iterable[Address]) -> Address | None:
    """Return the first of these addresses where a program listens. We connect to each for at most
    LOOK_SECONDS, and send nothing."""
    for address in addresses:
        there = await connect_locally(reactor, address, Stream())
        if there is not None:
            there.abort()
            return address
    return None


async def connect_locally(reactor: Any, address: Address, protocol: Any) -> Any:
    """Connect *protocol* to a port of this machine within LOOK_SECONDS. Return None if nobody
    answers."""
    dialling = connect_directly(reactor, address, ProtocolFactory(lambda _: protocol))
    dialling.addTimeout(LOOK_SECONDS, reactor, lambda *_: None)
    try:
        return await dialling
    except ConnectError:
        return None


@dataclass(eq=False, repr=False)
class OnionService:
    """An onion service that forwards to *target*, a port of ours, until it is stopped."""

    reactor: Any
    target: Address
    _: KW_ONLY
    rng: Callable[[int], bytes]
    read_cookie: Callable[[str, int], bytes]
    """Reads the 32 bytes of the file that Tor names, given its path and Tor's port. Raises OSError
    or ValueError."""
    key: str | None = None  # of an earlier service, to get its address again
    keep_key: Callable[[str], None] = lambda key: None  # called with a new key
    password: bytes | None = None  # for a Tor that requires one
    lost: Callable[[TorError], None] = lambda error: None  # called if the service ends by itself
    ports: Iterable[Address] = CONTROL_PORTS
    socks: Iterable[Address] = SOCKS_PORTS

    def __post_init__(self) -> None:
        self._connection: ControlConnection | None = None
        self._host: str | None = None
        self._running: Deferred[Any] | None = None

    def begin(self) -> Deferred[Address]:
        """Create the service. Fires with its address when friends can find it. Fails with
        TorError."""
        beginning = Deferred.fromCoroutine(self._begin())
        self._running = beginning
        return beginning

    def stop(self) -> Deferred[None]:
        """End the service. Fires when Tor has closed our connection, or soon after. Guests who are
        connected through the service stay connected."""
        if self._running is not None:
            self._running.cancel()
        return Deferred.fromCoroutine(self._stop())

    async def _begin(self) -> Address:
        try:
            connection = self._connection = await self._reach()
            proven = await self._authenticate(connection)
            await connection.ask(b"SETEVENTS HS_DESC")
            order = add_onion(self.key, DEFAULT_PORT, self.target, discard=not proven)
            reply = await connection.ask(order)
            host, key = read_added(reply, new=proven and self.key is None)
            self._host = host
            if key is not None:
                self.keep_key(key)
            await self._published(connection, host)
            await connection.ask(b"SETEVENTS")
            if connection.heard:
                raise malformed_reply()
        except (CancelledError, ConnectingCancelledError):  # stop() ends the service
            raise TorError(
                "tor-stopped", "The onion service was stopped before it was ready."
            ) from None
        except TorError:
            if self._connection is not None:
                self._connection.abort()
            raise
        self._running = Deferred.fromCoroutine(self._watch(connection))
        return Address(host, DEFAULT_PORT)

    async def _watch(self, connection: ControlConnection) -> None:
        """Report the end of the control connection, and of the service with it."""
        try:
            while True:
                await connection.next_event()
        except CancelledError:
            pass  # stop() ends the service
        except TorError as error:
            connection.abort()
            self.lost(error)

    async def _stop(self) -> None:
        if self._connection is None:
            return
        if self._host is not None:
            with suppress(TorError):  # closing ends it as well
                order = f"DEL_ONION {self._host.removesuffix('.onion')}"
                await self._connection.ask(order.encode("ascii"), _LEAVE_SECONDS)
        await self._connection.close()

    async def _reach(self) -> ControlConnection:
        for address in self.ports:
            connection = ControlConnection(self.reactor)
            if await connect_locally(self.reactor, address, connection) is not None:
                return connection
        if await find_listener(self.reactor, self.socks) is None:
            raise TorError("tor-not-there", "ginpeer found no Tor running on this machine.")
        raise TorError(
            "tor-no-control",
            "Tor is running on this machine but accepts no commands from other programs. Add the "
            "lines ControlPort 9051 and CookieAuthentication 1 to its settings (torrc).",
        )

    async def _authenticate(self, connection: ControlConnection) -> bool:
        """Authenticate. Return whether we may exchange onion keys with this Tor."""
        info = await connection.ask(_PROTOCOL_INFO)
        methods, cookie_file = read_protocol_info(info)
        # Only the cookie proves to us that this is Tor (rule 5). A program that asks for the
        # password may be any program as well, but our player has supplied that password for it.
        password = self.password if PASSWORD in methods else None
        if SAFE_COOKIE in methods and cookie_file is not None:
            try:
                proof = await self._cookie_proof(connection, cookie_file)
            except TorError as error:
                if error.code != "tor-cookie" or password is None:
                    raise
                proof = password
        elif password is not None:
            proof = password
        elif NULL in methods and self.key is None:
            proof = b""
        elif NULL in methods:
            raise TorError(
                "tor-login",
                "The program on Tor's control port accepts commands from anybody, so it may not be "
                "Tor, and ginpeer didn't give it the key of your onion address. Add "
                "CookieAuthentication 1 to Tor's settings (torrc).",
            )
        else:
            raise TorError("tor-login", "Tor accepts commands only with its password.")
        order = authenticate(proof)
        if (await connection.answer(order)).code != OK:
            raise TorError("tor-login", "Tor refused ginpeer's login on its control port.")
        return proof != b""

    async def _cookie_proof(self, connection: ControlConnection, path: str) -> bytes:
        try:
            cookie = self.read_cookie(path, connection.transport.getPeer().port)
        except (OSError, ValueError):
            cookie = b""
        if len(cookie) != COOKIE_BYTES:
            raise TorError(
                "tor-cookie",
                "Tor's cookie can't be used: either you aren't allowed to read it, or somebody "
                "other than Tor could have written it. If Tor runs as its own user, join that "
                "user's group (on Debian, debian-tor) and log in again.",
            )
        nonce = self.rng(NONCE_BYTES)
        order = f"AUTHCHALLENGE SAFECOOKIE {nonce.hex()}"
        reply = await connection.ask(order.encode("ascii"))
        return answer_challenge(reply, cookie, nonce)

    async def _published(self, connection: ControlConnection, host: str) -> None:
        """Wait until a directory has accepted the service, and then, for a limited time, until
        every directory that was asked has answered."""
        asked = answered = accepted = 0
        until = self.reactor.seconds() + PUBLISH_SECONDS
        while not accepted or answered < asked:
            left = max(0.0, until - self.reactor.seconds())
            hearing = Deferred.fromCoroutine(connection.next_event())
            event = await hearing.addTimeout(left, self.reactor, lambda *_: None)
            if event is None and accepted:
                return
            if event is None:
                raise TorError(
                    "tor-no-descriptor",
                    "Tor couldn't publish the onion address; it may not be connected yet.",
                )
            what = read_publication(event, host)
            asked += what == b"UPLOAD"
            answered += what in (b"UPLOADED", b"FAILED")
            if what == b"UPLOADED" and not accepted:
                until = self.reactor.seconds() + _SETTLE_SECONDS
            accepted += what == b"UPLOADED"


# --- the connection to Tor ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TorReply:
    """One reply or event: its code, and its lines without the code."""

    code: int
    lines: tuple[bytes, ...]


class ControlConnection(Stream):
    """A connection to the control port, for one command at a time (control-spec, 2.3)."""

    def __init__(self, reactor: Any) -> None:
        super().__init__()
        self._reactor = reactor
        self._left = MAX_HEARD

    async def ask(self, order: bytes, seconds: float = ANSWER_SECONDS) -> TorReply:
        """Send a command, and return the reply. Raises TorError, including if Tor refuses."""
        return require_ok(await self.answer(order, seconds))

    def answer(self, order: bytes, seconds: float = ANSWER_SECONDS) -> Deferred[TorReply]:
        """Send a command. Fires with the reply, whatever it says; fails with TorError."""

        def late(*_: object) -> NoReturn:
            raise TorError("tor-silent", "Tor doesn't answer on its control port.")

        self.transport.write(order + b"\r\n")
        return Deferred.fromCoroutine(self._next_answer()).addTimeout(seconds, self._reactor, late)

    async def _next_answer(self) -> TorReply:
        """Return the next reply; drop the events before it."""
        while (reply := await self.next_reply()).code == EVENT:
            pass
        return reply

    async def next_event(self) -> TorReply:
        reply = await self.next_reply()
        if reply.code != EVENT:
            raise malformed_reply()  # an answer to no command
        return reply

    async def next_reply(self) -> TorReply:
        """Return the next reply or event. Replies with data between their lines (250+) answer only
        commands that we never send. Raises TorError."""
        lines: list[bytes] = []
        first = b""
        while len(lines) < MAX_LINES:
            try:
                line = await self.take_until(b"\r\n", MAX_LINE, malformed_reply())
            except ConnectionClosed:
                raise TorError("tor-gone", "Tor has stopped or closed its control port.") from None
            self._left -= len(line) + 2
            found = _LINE.fullmatch(line)
            if found is None or self._left < 0:
                raise malformed_reply()
            code, more, text = found.groups()
            if code != (first or code):
                raise malformed_reply()
            first = code
            lines.append(text)
            if more == b" ":
                return TorReply(int(code), tuple(lines))
        raise malformed_reply()


def require_ok(reply: TorReply) -> TorReply:
    """Return the reply if Tor has done what we asked. Otherwise raises TorError, quoting Tor."""
    if reply.code != OK:
        words = safe_quote(reply.lines[-1].decode("utf-8", "replace"), 120)
        raise TorError("tor-refused", f"Tor refused: {words} ({reply.code})")
    return reply


# --- authentication -----------------------------------------------------------------------------


def read_protocol_info(reply: TorReply) -> tuple[frozenset[bytes], str | None]:
    """Return how Tor lets us authenticate, and where it says its cookie file is. Raises
    TorError."""
    if reply.lines[0] != _PROTOCOL_INFO:
        raise malformed_reply()
    for line in reply.lines[1:]:
        found = _AUTH.fullmatch(line)
        if found is not None:
            methods, path = found.groups()
            return frozenset(methods.split(b",")), None if path is None else _unquoted(path)
    raise malformed_reply()


def _unquoted(text: bytes) -> str:
    """Return a QuotedString (2.1.1) without its quotes, as a path."""

    def plain(escape: re.Match[bytes]) -> bytes:
        what = escape[1]
        if not what.isdigit():
            return _CONTROLS.get(what, what)
        if not what < b"8" or int(what, 8) > 0xFF:
            raise malformed_reply()
        return bytes([int(what, 8)])

    return _ESCAPE.sub(plain, text).decode("utf-8", "surrogateescape")


def answer_challenge(reply: TorReply, cookie: bytes, nonce: bytes) -> bytes:
    """Return the proof that we know the cookie (3.24). *nonce*: the one that we sent. Raises
    TorError with code tor-impostor if the other side hasn't proven that it knows the cookie as
    well."""
    found = _CHALLENGE.fullmatch(reply.lines[0])
    if found is None:
        raise malformed_reply()
    theirs, their_nonce = (bytes.fromhex(each.decode("ascii")) for each in found.groups())
    both = cookie + nonce + their_nonce
    if not hmac.compare_digest(hmac.digest(_SERVER_LABEL, both, "sha256"), theirs):
        raise TorError(
            "tor-impostor",
            "The program at Tor's control port isn't the Tor that this cookie belongs to.",
        )
    return hmac.digest(_OUR_LABEL, both, "sha256")


def authenticate(proof: bytes) -> bytes:
    """Encode AUTHENTICATE (section 3.5). *proof*: the answer to the challenge, a password, or
    nothing."""
    return b"AUTHENTICATE " + proof.hex().encode("ascii") if proof else b"AUTHENTICATE"


# --- the onion service ------------------------------------------------------------------------


def is_onion_key(text: str) -> bool:
    """Return whether this is a key as Tor writes it: base64 of 64 bytes."""
    return _KEY.fullmatch(text) is not None


def add_onion(key: str | None, port: int, target: Address, *, discard: bool = False) -> bytes:
    """Encode ADD_ONION (section 3.27). *key*: None for a new one, which Tor doesn't disclose to us
    if *discard* is set. *port*: the onion service's port. *target*: where Tor forwards its
    visitors. We don't set the Detach flag, so the service ends with our connection."""
    which = "NEW:ED25519-V3" if key is None else f"ED25519-V3:{key}"
    flags = " Flags=DiscardPK" if discard else ""
    return f"ADD_ONION {which}{flags} Port={port},{target}".encode("ascii")


def read_added(reply: TorReply, *, new: bool) -> tuple[str, str | None]:
    """Return the new onion service's host name, and its key if that is *new*. Raises TorError."""
    found = _SERVICE.fullmatch(reply.lines[0])
    if found is None:
        raise malformed_reply()
    try:
        host = canonical_host(f"{found[1].decode('ascii')}.onion")
    except AddressError:
        raise malformed_reply() from None
    if not new:
        return host, None
    written = _KEY_LINE.fullmatch(reply.lines[1]) if len(reply.lines) > 1 else None
    key = "" if written is None else written[1].decode("ascii", "replace")
    if not is_onion_key(key):
        raise malformed_reply()
    return host, key


def read_publication(event: TorReply, host: str) -> bytes | None:
    """Return what has happened to this onion service at a directory (4.1.25): UPLOAD, UPLOADED or
    FAILED; None if the event is about anything else."""
    found = _DESCRIPTOR.fullmatch(event.lines[0])
    if found is None or found[2] != host.removesuffix(".onion").encode("ascii"):
        return None
    return found[1]


def malformed_reply() -> TorError:
    """Return the error for bytes that Tor wouldn't send."""
    return TorError(
        "tor-garbled", "The program at Tor's control port doesn't speak Tor's protocol."
    )
