"""Uses the Tor that runs on this machine: finds where it listens, and creates an onion service
through which friends connect to us (control-spec, rend-spec-v3).

Rule 1: we look for Tor only if our player wants it, and only on this machine.
Rule 2: we report the service as reachable only when the directories have accepted its descriptor.
Rule 3: the service lasts as long as our control connection, so it ends with our program.
Rule 4: the path of the cookie is Tor's claim. The caller passes in the function that reads the
file and decides which files to trust.
Rule 5: a Tor that accepts everybody may be any program. So we neither give it our onion key nor
ask it for one: the address lasts only as long as the service.
Rule 6: we send one command at a time. A reply that answers no command ends the connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, NoReturn

from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ConnectError
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from ginpeer.net import tor_control as control
from ginpeer.net.address import DEFAULT_PORT, LOOPBACK, Address
from ginpeer.net.tcp import ProtocolFactory, connect_directly
from ginpeer.net.tor_control import TorError, TorReply

# The default ports of the system's Tor and of Tor Browser
SOCKS_PORTS: Final = (Address(LOOPBACK, 9050), Address(LOOPBACK, 9150))
CONTROL_PORTS: Final = (Address(LOOPBACK, 9051), Address(LOOPBACK, 9151))

LOOK_SECONDS: Final = 0.3  # a port of this machine answers in a thousandth of that, or not at all
ANSWER_SECONDS: Final = 15.0  # for Tor to answer a command: it is busy while it starts
PUBLISH_SECONDS: Final = 180.0  # it takes a minute or two if Tor has just started
_SETTLE_SECONDS = 10.0  # for directories that are slower than the first
_LEAVE_SECONDS = 2.0


async def find_listener(reactor: Any, addresses: Iterable[Address]) -> Address | None:
    """Return the first of these addresses where a program listens. We connect to each for at most
    LOOK_SECONDS, and send nothing."""
    for address in addresses:
        there = await connect_locally(reactor, address, Protocol())
        if there is not None:
            there.transport.abortConnection()
            return address
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
        self._up = False
        self._stopped = False

    def begin(self) -> Deferred[Address]:
        """Create the service. Fires with its address when friends can find it. Fails with
        TorError."""
        return Deferred.fromCoroutine(self._begin())

    def stop(self) -> Deferred[None]:
        """End the service. Fires when Tor has closed our connection, or soon after. Guests who are
        connected through the service stay connected."""
        self._stopped = True
        return Deferred.fromCoroutine(self._stop())

    async def _begin(self) -> Address:
        try:
            connection = self._connection = await self._reach()
            if self._stopped:
                raise _stopped()
            proven = await self._authenticate(connection)
            await self._ask(connection, b"SETEVENTS HS_DESC")
            order = control.add_onion(self.key, DEFAULT_PORT, self.target, discard=not proven)
            reply = await self._ask(connection, order)
            host, key = control.read_added(reply, new=proven and self.key is None)
            self._host = host
            if key is not None:
                self.keep_key(key)
            await self._published(connection, host)
            await self._ask(connection, b"SETEVENTS")
        except TorError as error:
            if self._connection is not None:
                self._connection.close()
            raise (_stopped() if self._stopped else error) from None
        self._up = True
        return Address(host, DEFAULT_PORT)

    async def _stop(self) -> None:
        connection = self._connection
        if connection is None:
            return
        if self._host is not None and not connection.is_busy:
            with suppress(TorError):  # closing ends it as well
                order = f"DEL_ONION {self._host.removesuffix('.onion')}"
                await self._ask(connection, order.encode("ascii"), _LEAVE_SECONDS)
        connection.close()
        await connection.gone

    async def _reach(self) -> ControlConnection:
        for address in self.ports:
            connection = ControlConnection(self._on_end)
            if await connect_locally(self.reactor, address, connection) is not None:
                return connection
        if await find_listener(self.reactor, self.socks) is None:
            raise TorError("tor-not-there", "ginpeer found no Tor running on this machine.")
        raise TorError(
            "tor-no-control",
            "Tor is running on this machine but accepts no commands from other programs. Add the "
            "lines ControlPort 9051 and CookieAuthentication 1 to its settings (torrc).",
        )

    async def _ask(
        self, connection: ControlConnection, order: bytes, seconds: float = ANSWER_SECONDS
    ) -> TorReply:
        return control.require_ok(await self._answer(connection, order, seconds))

    async def _answer(
        self, connection: ControlConnection, order: bytes, seconds: float
    ) -> TorReply:
        def late(*_: object) -> NoReturn:
            raise TorError("tor-silent", "Tor doesn't answer on its control port.")

        return await connection.ask(order).addTimeout(seconds, self.reactor, late)

    async def _authenticate(self, connection: ControlConnection) -> bool:
        """Authenticate. Return whether we may exchange onion keys with this Tor."""
        info = await self._ask(connection, control.PROTOCOL_INFO)
        methods, cookie_file = control.read_protocol_info(info)
        # Only the cookie proves to us that this is Tor (rule 5). A program that asks for the
        # password may be any program as well, but our player has supplied that password for it.
        if control.SAFE_COOKIE in methods and cookie_file is not None:
            proof = await self._cookie_proof(connection, cookie_file)
        elif control.PASSWORD in methods and self.password is not None:
            proof = self.password
        elif control.NULL in methods and self.key is None:
            proof = b""
        elif control.NULL in methods:
            raise TorError(
                "tor-login",
                "The program on Tor's control port accepts commands from anybody, so it may not be "
                "Tor, and ginpeer didn't give it the key of your onion address. Add "
                "CookieAuthentication 1 to Tor's settings (torrc).",
            )
        else:
            raise TorError("tor-login", "Tor accepts commands only with its password.")
        order = control.authenticate(proof)
        if (await self._answer(connection, order, ANSWER_SECONDS)).code != control.OK:
            raise TorError("tor-login", "Tor refused ginpeer's login on its control port.")
        return proof != b""

    async def _cookie_proof(self, connection: ControlConnection, path: str) -> bytes:
        try:
            cookie = self.read_cookie(path, connection.transport.getPeer().port)
        except (OSError, ValueError):
            cookie = b""
        if len(cookie) != control.COOKIE_BYTES:
            raise TorError(
                "tor-cookie",
                "Tor's cookie can't be used: either you aren't allowed to read it, or somebody "
                "other than Tor could have written it. If Tor runs as its own user, join that "
                "user's group (on Debian, debian-tor) and log in again.",
            )
        nonce = self.rng(control.NONCE_BYTES)
        order = f"AUTHCHALLENGE SAFECOOKIE {nonce.hex()}"
        reply = await self._ask(connection, order.encode("ascii"))
        return control.answer_challenge(reply, cookie, nonce)

    async def _published(self, connection: ControlConnection, host: str) -> None:
        """Wait until a directory has accepted the service, and then, for a limited time, until
        every directory that was asked has answered."""
        asked = answered = accepted = 0
        until = self.reactor.seconds() + PUBLISH_SECONDS
        while not accepted or answered < asked:
            left = max(0.0, until - self.reactor.seconds())
            heard: Deferred[TorReply | None] = connection.next_event()
            event = await heard.addTimeout(left, self.reactor, lambda *_: None)
            if event is None and accepted:
                return
            if event is None:
                raise TorError(
                    "tor-no-descriptor",
                    "Tor couldn't publish the onion address; it may not be connected yet.",
                )
            what = control.read_publication(event, host)
            asked += what == b"UPLOAD"
            answered += what in (b"UPLOADED", b"FAILED")
            if what == b"UPLOADED" and not accepted:
                until = self.reactor.seconds() + _SETTLE_SECONDS
            accepted += what == b"UPLOADED"

    def _on_end(self, error: TorError) -> None:
        """Report that the control connection is gone, and the service with it."""
        if self._up and not self._stopped:
            self._up = False
            self.lost(error)


def _stopped() -> TorError:
    return TorError("tor-stopped", "The onion service was stopped before it was ready.")


# --- the connection to Tor ------------------------------------------------------------------


async def connect_locally(reactor: Any, address: Address, protocol: Any) -> Any:
    """Connect *protocol* to a port of this machine within LOOK_SECONDS. Return None if nobody
    answers."""
    dialling = connect_directly(reactor, address, ProtocolFactory(lambda _: protocol))
    dialling.addTimeout(LOOK_SECONDS, reactor, lambda *_: None)
    try:
        return await dialling
    except ConnectError:
        return None


class ControlConnection(Protocol):
    """A connection to the control port. It handles one command, or one wait for an event, at a
    time. When the connection closes, the command or wait fails with the reason."""

    transport: Any

    def __init__(self, on_end: Callable[[TorError], None]) -> None:
        self.gone: Deferred[None] = Deferred()
        self._on_end = on_end
        self._reader = control.ReplyReader()
        self._failed: TorError | None = None
        self._answer: Deferred[TorReply] | None = None
        self._event: Deferred[Any] | None = None

    @property
    def is_busy(self) -> bool:
        return self._answer is not None

    def ask(self, order: bytes) -> Deferred[TorReply]:
        if self._failed is not None:
            return fail(self._failed)
        self._answer = Deferred()
        self.transport.write(order + b"\r\n")
        return self._answer

    def next_event(self) -> Deferred[Any]:
        """Return a Deferred of the next event. Events for which nobody waits are dropped."""
        if self._failed is not None:
            return fail(self._failed)
        self._event = Deferred()
        return self._event

    def dataReceived(self, data: bytes) -> None:
        try:
            for reply in self._reader.feed(data):
                self._take(reply)
        except TorError as error:
            self._fail(error)

    def _take(self, reply: TorReply) -> None:
        if reply.code == control.EVENT:
            waiting, self._event = self._event, None
        else:
            waiting, self._answer = self._answer, None
            if waiting is None:
                raise control.malformed_reply()  # an answer to no command
        if waiting is not None:
            waiting.callback(reply)

    def _fail(self, error: TorError) -> None:
        """Close the connection, and fail the pending command or wait."""
        if self._failed is not None:
            return
        self._failed = error
        self.close()
        waiting = (self._answer, self._event)
        self._answer = self._event = None
        for each in filter(None, waiting):
            each.errback(error)

    def close(self) -> None:
        if not self.gone.called:
            self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        error = TorError("tor-gone", "Tor has stopped or closed its control port.")
        self._fail(error)  # before anything that awaits the end continues
        self.gone.callback(None)
        self._on_end(self._failed or error)
