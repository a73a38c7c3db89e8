"""Ask routers, STUN servers and Tor how a friend can connect to us: for a host's invite, or for a
guest's reply.

Rule 1: routers open only our own port, and only while we listen there. A lease is stored before a
router is asked for it, so that the next start can close what a crash has left open.
Rule 2: public STUN servers are asked only if our player has agreed, by an option or by answering
the question that is asked once at a terminal. Neither servers nor our player are asked if the
address wouldn't help, because this machine has a public address or a router has opened a port.
Servers named with --stun are asked at once.
Rule 3: if Tor makes no onion address, our player is told, and the host continues to wait. If Tor
has proven that it is Tor, the home keeps the key of the onion address, so that it stays the same.
"""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum, auto
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import CancelledError, Deferred

from cli.match.identity import own_faults
from cli.match.one_match import OneMatch
from cli.program import Failure
from cli.text.connecting import ASK_PUBLIC, PUBLIC_PROMPT
from ginpeer.names import safe
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address, AddressError
from ginpeer.net.interfaces import Timer, cancel
from ginpeer.net.mapping.methods import Lease, LeaseError, read_leases, write_leases
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.mapping.results import MappingEvent, MappingResult, PortMapped, PortUnmapped
from ginpeer.net.own_addresses import (
    NetworkWatch,
    Reach,
    ReachableAddress,
    listening_addresses,
    own_hosts,
)
from ginpeer.net.stun import (
    ObservedAddress,
    StunContext,
    StunError,
    keep_alive,
    observe_address,
    parse_servers,
)
from ginpeer.net.tcp import local_address
from ginpeer.net.tor import OnionService, TorError
from ginpeer.store import files
from ginpeer.store.files import StoreError
from ginpeer.store.small_files import MappingNotes, OnionKeyFile, read_cookie

if TYPE_CHECKING:
    from cli.match.hosting import HostContact
    from cli.match.joining import GuestContact

ROUTERS, STUN, TOR = "routers", "stun", "tor"
"""The sources that say where we can be reached."""

# --- STUN servers ----------------------------------------------------------------------------

PUBLIC = "public"  # the argument of --stun that stands for the servers on the list
LIST = "stun-servers.txt"  # a file in the home folder and in the package
HEAD_START = 2.0  # seconds to wait for the routers, most of which answer sooner or never

_MAX_LIST = 16 * 1024


class StunConsent(Enum):
    NO = auto()
    ASK = auto()  # ask our player first, and only if a server's answer would help
    WHERE_NEEDED = auto()
    ALWAYS = auto()


@dataclass(frozen=True, slots=True)
class StunPolicy:
    consent: StunConsent = StunConsent.NO
    servers: tuple[Address, ...] = ()


NOBODY = StunPolicy()


def public_servers(home: Path) -> tuple[Address, ...]:
    """Return the servers on our player's own list, or else on the packaged list. Raises Failure."""
    try:
        text = files.read_small(home / LIST, _MAX_LIST).decode("utf-8")
    except FileNotFoundError:
        text = resources.files("ginpeer.net").joinpath(LIST).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise _unreadable(home, "It can't be read as text.") from error
    try:
        return parse_servers(text)
    except AddressError as error:
        raise _unreadable(home, error.sentence) from error


def _unreadable(home: Path, why: str) -> Failure:
    sentence = f"{home / LIST} should list STUN servers, one HOST or HOST:PORT per line. {why}"
    return Failure("stun-list-unreadable", sentence)


def is_public_address_useful(addresses: Iterable[ReachableAddress]) -> bool:
    """Return whether a public address would help friends who can't reach these addresses."""
    reaches = {each.reach for each in addresses}
    hidden = reaches & {Reach.HOME, Reach.IPV6, Reach.VPN}
    return bool(hidden) and not reaches & {Reach.GIVEN, Reach.OUTSIDE}


class NotAsked(Exception):
    """Raised when no STUN server is asked for our address."""


@dataclass(eq=False)
class PublicAddressLookup:
    """Finds the public address of our listening port, and keeps it alive."""

    match: OneMatch
    stun: StunPolicy
    user: HostContact | GuestContact
    _: KW_ONLY
    routers: bool  # whether routers are asked, too, so that `on_router_result` is called

    def __post_init__(self) -> None:
        self._awaits_routers = self.routers
        self._seen: ObservedAddress | None = None  # the latest address that servers saw
        self._network = NetworkWatch()
        self._router: Deferred[bool] | None = None  # while we wait: whether one opens our port
        self._question: Deferred[bool] | None = None  # to our player, while it is open
        self._running: Deferred[None] | None = None

    @property
    def same_port(self) -> bool | None:
        """Whether our router gives all connections from our port the same port; None if unknown."""
        return None if self._seen is None else self._seen.same_port

    @property
    def may_ask(self) -> bool:
        """Whether STUN servers may be asked, perhaps once our player agrees."""
        return self.stun.consent is not StunConsent.NO

    @property
    def asks_first(self) -> bool:
        """Whether our player has to agree before a STUN server is asked."""
        return self.stun.consent is StunConsent.ASK

    @property
    def asks_player(self) -> bool:
        """Whether our player is being asked, at this moment, to let us ask STUN servers."""
        return self._question is not None

    def ask(self, port: Any, *, useful: bool) -> Deferred[Address]:
        """Return a Deferred of the public address of *port*, an IListeningPort. It fails with
        StunError or NotAsked. *useful*: whether the address is needed, as far as we know."""

        def cancelled(failure: Any) -> None:
            failure.trap(CancelledError)

        self._cancel()
        if self._network.has_moved():  # perhaps to another friend's home: ask again
            self._seen = None
        answer: Deferred[Address] = Deferred(lambda _: self.close())
        self._running = Deferred.fromCoroutine(self._run(port, useful, answer))
        self._running.addErrback(cancelled)
        return answer

    def on_router_result(self, *, opened: bool) -> None:
        """Note that the routers have answered, or won't. *opened*: whether one opened our port."""
        self._awaits_routers = False
        if self._router is not None:
            self._router.callback(opened)

    def withdraw_question(self) -> None:
        """Withdraw the question to our player, because the other player has connected."""
        if self._question is not None:
            self._question.errback(NotAsked())

    def close(self) -> None:
        """Stop looking for our address, because the port is closed. If the port is opened again,
        the routers are asked again."""
        self._awaits_routers = self.routers
        self._cancel()

    def _cancel(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.cancel()

    async def _run(self, port: Any, useful: bool, answer: Deferred[Address]) -> None:
        try:
            if self.stun.consent is not StunConsent.ALWAYS and not await self._should_ask(useful):
                raise NotAsked
            # An address that is already known is reported at once.
            seen = self._seen or await self._look(port)
        except (NotAsked, StunError) as error:
            answer.errback(error)
            return
        answer.callback(seen.address)

        def changed(new: ObservedAddress) -> None:
            old, self._seen = self._seen, new
            if old is not None:
                self.user.on_public_address_change(old.address, new.address)

        if seen.exact and seen.same_port is not False:
            user = self.user
            await keep_alive(
                self._context,
                self.stun.servers,
                port,
                seen,
                changed=changed,
                needed=lambda: user.needs_public_address,
            )

    async def _should_ask(self, useful: bool) -> bool:
        """Return whether we need a server's answer and our player lets us ask for it."""
        if not (useful and self.may_ask) or await self._router_opens():
            return False
        return not self.asks_first or await self._player_agrees()

    async def _router_opens(self) -> bool:
        """Return whether a router opens our port. Wait only briefly if our player needn't be
        asked, and not at all if we know our address already."""
        if not self._awaits_routers or self._seen is not None:
            return False
        waiting: Deferred[bool] = Deferred()
        self._router = waiting
        if not self.asks_first:
            waiting.addTimeout(HEAD_START, self.match.reactor, lambda *_: False)
        try:
            return await waiting
        finally:
            self._router = None

    async def _player_agrees(self) -> bool:
        """Ask our player, if there is one, whether servers may be asked; remember the answer."""
        table = self.match.table
        if table is None:
            return True
        servers = self.stun.servers
        question: Deferred[bool] = Deferred()
        self._question = question
        table.ask(ASK_PUBLIC.format(servers=_some(servers)), PUBLIC_PROMPT, question.callback)
        try:
            yes = await question
        except (CancelledError, NotAsked):
            table.withdraw()
            raise
        finally:
            self._question = None
        self.match.keep(stun=yes)
        self.stun = StunPolicy(StunConsent.WHERE_NEEDED if yes else StunConsent.NO, servers)
        if not yes:
            self.match.presenter.info(
                "ginpeer won't ask any server. To allow it another time, type "
                f"{self.match.command} host (or join) --stun public."
            )
        return yes

    async def _look(self, port: Any) -> ObservedAddress:
        presenter = self.match.presenter
        asked = _some(self.stun.servers)
        presenter.info(f"Asking {asked} for this machine's address on the Internet.")
        try:
            seen = self._seen = await observe_address(self._context, self.stun.servers, port)
        except StunError as error:
            if self.user.needs_public_address and not self.match.after.is_over:
                presenter.info(error.sentence)
            raise
        if seen.same_port is False:
            hosts = self.user.takes_replies
            instead = "let your friend host if their" if hosts else "host yourself if your"
            presenter.info(
                "Your router gives every connection a different port: two servers saw "
                "different ports. So a friend can't dial you, and dialling each other works only "
                "if your friend's router lets you in. Instead, you can forward TCP port "
                f"{port.getHost().port} by hand and name it with --advertise, {instead} router "
                "opens a port, or use Tor on both sides (host --tor)."
            )
        return seen

    @property
    def _context(self) -> StunContext:
        return StunContext(self.match.reactor, os.urandom)


def _some(servers: tuple[Address, ...]) -> str:
    """Name the servers that we ask first, and say whether there are more."""
    named = " and ".join(str(each) for each in servers[:2])
    return named if len(servers) < 3 else f"{named} (or, if they don't answer, others on the list)"


# --- routers ---------------------------------------------------------------------------------

TOLD_AFTER = 0.9  # seconds until our player is told that we are waiting for the routers
_ANOTHER = 0.15  # seconds for a second answer: a router may open both IPv4 and IPv6


def can_be_mapped(addresses: Iterable[ReachableAddress]) -> bool:
    """Return whether asking a router could help a machine with these addresses."""
    return any(each.reach in (Reach.HOME, Reach.IPV6, Reach.VPN) for each in addresses)


class HostRouters:
    """Asks a host's routers to let friends connect, while the host waits. Reports to *contact* once
    whether a router has opened the port, and later each answer that changes the invite."""

    def __init__(self, match: OneMatch, listening: Acceptor, contact: HostContact) -> None:
        self._match = match
        self._listening = listening
        self._contact = contact
        self._has_answered = False
        self._timer: Timer | None = None
        ours = own_hosts()  # the player may have named another machine's address
        own = [each.host for each in listening.addresses if ":" in each.host and each.host in ours]
        self._mapping = _mapping_of(match, listening.port, self._on_event, own=own)
        match.reactor.addSystemEventTrigger("before", "shutdown", self._mapping.stop)

    def ask(self) -> None:
        """Keep asking the routers to open our port until the program ends."""
        self._timer = self._match.reactor.callLater(
            TOLD_AFTER,
            self._match.presenter.info,
            "Asking your router to open a port for your friend. This takes up to ten seconds.",
        )
        self._mapping.begin()

    def look_again(self) -> None:
        """Renew the leases. A connection from outside has ended, so a router may have restarted."""
        self._mapping.look_again()

    def _answer(self, outcome: MappingResult | None) -> None:
        cancel(self._timer)
        if not self._has_answered:
            self._has_answered = True
            self._contact.on_router_answer(outcome)

    def _on_event(self, event: MappingEvent) -> None:
        match event:
            case PortMapped():
                self._mapped(event)
            case PortUnmapped():
                self._listening.drop(event.outside, Reach.OUTSIDE)
                self._match.presenter.info(
                    f"Your router no longer lets anybody in at {event.outside}. Asking it again. "
                    f"{event.sentence} ({event.code})"
                )
            case MappingResult(code="mapped"):
                self._answer(None)
            case MappingResult():
                if event.seen_at is not None:
                    seen = Address(event.seen_at, self._listening.port)
                    self._listening.add(seen, reach=Reach.CLOSED)
                self._answer(event)
                self._contact.reprint(
                    "This invite includes your router's address, so that both programs can dial."
                )

    def _mapped(self, event: PortMapped) -> None:
        listening, before = self._listening, event.instead_of
        if before is not None:
            listening.drop(before, Reach.OUTSIDE)
            if before.host != event.outside.host:  # what servers saw there is out of date
                listening.drop_closed(before.host)
        listening.add(event.outside, reach=Reach.OUTSIDE)
        if not self._has_answered:
            cancel(self._timer)
            self._timer = self._match.reactor.callLater(_ANOTHER, self._answer, None)
            return
        self._match.send_addresses()
        self._contact.reprint(
            f"Your router now lets your friend in at {event.outside} ({event.protocol.value}). "
            "This invite includes that address."
        )


class GuestRouters:
    """Asks a guest's routers to let its host connect, because the guest can't reach the host."""

    def __init__(self, match: OneMatch, public: PublicAddressLookup) -> None:
        """*public* is told whether a router has opened our port, once that is known."""
        self._match = match
        self._public = public
        self._mapping: PortMapping | None = None
        self._stopped: Deferred[None] | None = None  # fires when the previous mapping has stopped
        self._answer: Deferred[Address] | None = None
        self._number = 0  # our port
        match.reactor.addSystemEventTrigger("before", "shutdown", self._stop)

    def ask(self, port: Any) -> Deferred[Address]:
        """Return a Deferred of the address at which a router lets the host connect to *port*, an
        IListeningPort. It fails if no router does. The port stays open until `close`."""
        here = port.getHost()
        number = self._number = here.port
        answer: Deferred[Address] = Deferred(lambda _: None)
        self._answer = answer
        if not can_be_mapped(listening_addresses(here.host, number)):
            answer.errback(NotMapped("There is no router to ask."))
            self._public.on_router_result(opened=False)
            return answer

        def begin(_: object) -> None:
            if self._answer is answer:  # the port hasn't been closed since
                self._mapping = _mapping_of(self._match, number, self._on_event)
                self._mapping.begin()

        if self._stopped is None:
            begin(None)
        else:  # the previous mapping still writes this port's leases
            self._stopped.addCallback(begin)
        return answer

    def close(self) -> None:
        if self._mapping is not None:
            self._stopped = self._mapping.stop()
        self._mapping = self._answer = None

    def _stop(self) -> Deferred[None] | None:
        self.close()
        return self._stopped

    def _on_event(self, event: MappingEvent) -> None:
        answer = self._answer
        if answer is None or answer.called:
            return
        match event:
            case PortMapped():
                answer.callback(event.outside)
            case MappingResult() if event.seen_at is not None:
                answer.callback(Address(event.seen_at, self._number))
            case MappingResult():
                answer.errback(NotMapped(event.sentence))
            case PortUnmapped():
                return
        self._public.on_router_result(opened=isinstance(event, PortMapped))


class NotMapped(Exception):
    """Raised when no router has opened our port."""


def _mapping_of(
    match: OneMatch, port: int, on_event: Callable[[MappingEvent], None], own: Sequence[str] = ()
) -> PortMapping:
    """Return a mapping of our port that remembers its leases. The caller stops it."""
    leases = RouterLeases(match.home.path, port, match.presenter.info)
    return PortMapping(
        match.reactor,
        port,
        rng=os.urandom,
        on_event=on_event,
        store=leases.store,
        remembered=leases.remembered(),
        own=own,
    )


class RouterLeases:
    """The stored leases of one home, for a program that listens on *port*."""

    def __init__(self, home: Path, port: int, warn: Callable[[str], None] | None = None) -> None:
        """*warn* is called once if nothing can be stored."""
        self._notes = MappingNotes(home)
        self._port = port
        self._warn = warn

    def remembered(self) -> tuple[Lease, ...]:
        """Return the leases of our port, and of every port on which no program is listening."""
        found: list[Lease] = []
        for port in self._notes.ports():
            if port != self._port and not _is_free(port):
                continue
            try:
                found += read_leases(self._notes.read(port) or "")
            except LeaseError:
                continue  # those leases expire by themselves
        return tuple(found)

    def store(self, leases: tuple[Lease, ...]) -> None:
        ports = {lease.internal_port for lease in leases}
        try:
            for port in {*self._notes.ports(), *ports}:
                of_this = [lease for lease in leases if lease.internal_port == port]
                if of_this:
                    self._notes.write(port, write_leases(of_this))
                elif port == self._port or _is_free(port):
                    self._notes.forget(port)
        except StoreError as error:
            warn, self._warn = self._warn, None
            if warn is not None:
                warn(f"{error.sentence} ({error.code})")


def _is_free(port: int) -> bool:
    """Return whether no program listens on this port, so that its leases are leftovers."""
    # Otherwise, Windows lets us bind even if another program listens on one of the addresses.
    exclusive: int = getattr(socket, "SO_EXCLUSIVEADDRUSE", 0)
    taken = (errno.EADDRINUSE, errno.EACCES) if exclusive else (errno.EADDRINUSE,)
    for family, everywhere in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):  # noqa: S104
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                if exclusive:
                    probe.setsockopt(socket.SOL_SOCKET, exclusive, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind((everywhere, port))
        except OSError as error:
            if error.errno in taken:
                return False
    return True


# --- Tor -------------------------------------------------------------------------------------

PASSWORD_VARIABLE = "GINPEER_TOR_PASSWORD_FILE"  # noqa: S105 - names a variable
"""The environment variable that names the file with the password of Tor's control port, if any."""

_MAX_PASSWORD = 1024


def offer_onion(match: OneMatch, listening: Acceptor, answered: Callable[[bool], None]) -> None:
    """Ask Tor for an onion address that leads here. *answered* is called with True once the invite
    contains it, or with False if Tor fails. Raises Failure if our own files can't be used."""
    presenter = match.presenter
    file = OnionKeyFile(match.home.path)
    with own_faults():
        key = file.load()

    lasts = key is not None

    def keep(new: str) -> None:
        nonlocal lasts
        lasts = True
        try:
            file.keep(new)
        except StoreError as error:  # without the key, the address will be different next time
            presenter.info(f"{error.sentence} ({error.code})")

    async def offer() -> bool:
        try:
            address = await service.begin()
        except TorError as error:
            if error.code != "tor-stopped":
                presenter.info(f"{error.sentence} The invite has no onion address. ({error.code})")
            return False
        listening.add(address)
        if not listening.arrival.called:  # the friend hasn't connected without Tor meanwhile
            presenter.info(
                "Your friend can connect through Tor, whatever routers are between you. Tor is "
                "slower, and your friend needs it too."
            )
            if not lasts:
                presenter.info(
                    "This onion address works only this time: any program can control your Tor, "
                    "so ginpeer doesn't keep the key. To get a lasting address, add "
                    "CookieAuthentication 1 to Tor's torrc."
                )
        return True

    service = OnionService(
        match.reactor,
        local_address(listening.listening_port),
        rng=os.urandom,
        read_cookie=read_cookie,
        key=key,
        keep_key=keep,
        password=_password(os.environ),
        lost=lambda error: presenter.info(
            f"{error.sentence} Friends can no longer connect through Tor. To let them in again, "
            f"{match.way_to_leave} and start again. ({error.code})"
        ),
    )
    presenter.info(
        "Asking Tor to let your friend connect. Your invite follows within a minute or so."
    )
    match.reactor.addSystemEventTrigger("before", "shutdown", service.stop)
    Deferred.fromCoroutine(offer()).addCallback(answered)


def _password(environ: Mapping[str, str]) -> bytes | None:
    """Return the control port's password, if PASSWORD_VARIABLE is set. Raises Failure."""
    named = environ.get(PASSWORD_VARIABLE)
    if not named:
        return None
    try:
        with open(named, "rb") as file:
            data = file.read(_MAX_PASSWORD + 1)
        if len(data) > _MAX_PASSWORD:
            raise ValueError
    except (OSError, ValueError):
        raise Failure(
            "usage",
            f"{PASSWORD_VARIABLE} must name a readable one-line file; {safe(named, 200)} isn't "
            "one.",
        ) from None
    return data.removesuffix(b"\n").removesuffix(b"\r")
