"""Asks STUN servers for our public address, for a host's invite or a guest's reply.

# Rule 1: public servers are contacted only if our player has agreed, by an option or in answer to
# the question that is asked once at a terminal.
# Rule 2: we ask neither servers nor our player if the address wouldn't help, because this machine
# has a public address or a router has opened a port. Servers named with --stun are asked at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

from cli.failure import USAGE, Failure
from cli.match.one_match import OneMatch
from cli.text.connecting import ASK_PUBLIC, PUBLIC_PROMPT, asked_nobody, asking_stun, random_ports
from ginpeer.net.address import Address, AddressError
from ginpeer.net.interfaces import Timer, cancel
from ginpeer.net.own_addresses import Reach, ReachableAddress
from ginpeer.net.stun import StunError, parse_servers
from ginpeer.net.stun_client import ObservedAddress, StunContext, keep_alive, observe_address
from ginpeer.store import files

PUBLIC = "public"
"""The argument of --stun that means the servers on the list."""

LIST = "stun-servers.txt"
"""The list's file name, in the home folder and in the package."""

HEAD_START = 2.0
"""Seconds to wait for routers before asking the servers: most routers answer sooner or never."""

_MAX_LIST = 16 * 1024


class StunConsent(Enum):
    """Whether STUN servers may be asked."""

    NO = auto()
    ASK = auto()
    """Ask our player first, and only if an answer would help."""
    WHERE_NEEDED = auto()
    ALWAYS = auto()


@dataclass(frozen=True, slots=True)
class StunPolicy:
    """Whether STUN servers may be asked, and which."""

    consent: StunConsent = StunConsent.NO
    servers: tuple[Address, ...] = ()


NOBODY = StunPolicy()


def public_servers(home: Path) -> tuple[Address, ...]:
    """Return the servers on our player's own list, or else on the packaged one. Raises Failure."""
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
    return Failure("stun-list-unreadable", sentence, USAGE)


def is_of_use(places: Iterable[ReachableAddress]) -> bool:
    """Whether a public address would help friends who can't reach these addresses."""
    reaches = {place.reach for place in places}
    hidden = reaches & {Reach.HOME, Reach.IPV6, Reach.VPN}
    return bool(hidden) and not reaches & {Reach.GIVEN, Reach.OUTSIDE}


class NotAsked(Exception):
    """No server was asked."""


class PublicAddressUser(Protocol):
    """What needs our public address: a host's invite, or a guest's reply."""

    @property
    def needs_public_address(self) -> bool:
        """Whether somebody may still come by that address."""

    def on_public_address_change(self, old: Address, new: Address, /) -> None:
        """The address that was found is no longer right."""


class PublicAddressLookup:
    """Finds out which public address our listening port has, and keeps it alive."""

    def __init__(
        self,
        match: OneMatch,
        stun: StunPolicy,
        user: PublicAddressUser,
        *,
        routers: bool,
    ) -> None:
        """*routers*: routers are asked, too, and `router` is called with the result."""
        self.asks_player = False
        """Whether our player has a question to answer first."""
        self._match = match
        self._stun = stun
        self._waits_for_router = routers
        self._user = user
        self._port: Any = None
        self._seen: ObservedAddress | None = None  # the latest
        self._answer: Any = None
        self._running: Any = None  # asks, then keeps the address alive
        self._timer: Timer | None = None

    @property
    def same_port(self) -> bool | None:
        """Whether our router keeps one port for every connection from ours; None if unknown."""
        return None if self._seen is None else self._seen.same_port

    @property
    def may_ask(self) -> bool:
        """Whether a server may be asked, perhaps once our player agrees."""
        return self._stun.consent is not StunConsent.NO

    @property
    def asks_first(self) -> bool:
        """Whether our player has to be asked before any server."""
        return self._stun.consent is StunConsent.ASK

    def ask(self, port: Any, *, of_use: bool) -> Any:
        """Return a Deferred of the public address of *port*, an IListeningPort. It fails with
        StunError or NotAsked. *of_use*: whether the address is needed, as far as we know."""
        from twisted.internet.defer import Deferred

        self.close()
        self._port = port
        answer = self._answer = Deferred(lambda _: self.close())
        named = self._stun.consent is StunConsent.ALWAYS
        if not (named or (of_use and self.may_ask)):
            answer.errback(NotAsked())
        elif named or not self._waits_for_router:
            self._begin()
        elif self._stun.consent is StunConsent.WHERE_NEEDED:
            self._timer = self._match.reactor.callLater(HEAD_START, self._begin)
        return answer

    def router(self, *, opened: bool) -> None:
        """Note that the routers have answered, or won't."""
        self._waits_for_router = False
        if self._running is None and self._answer is not None and not self._answer.called:
            if opened:
                self._end(NotAsked())
            else:
                self._begin()

    def arrives(self) -> None:
        """Withdraw the question: the other player has come."""
        if self.asks_player:
            self._end(NotAsked())

    def close(self) -> None:
        """Stop asking."""
        self._withdraw()
        running, self._running, self._port = self._running, None, None
        if running is not None:
            running.cancel()

    # -----------------------------------------------------------------------------------

    def _withdraw(self) -> None:
        """Cancel the timer and the question to our player."""
        cancel(self._timer)
        if self.asks_player and self._match.table is not None:
            self._match.table.withdraw()
        self.asks_player = False

    def _end(self, error: Exception) -> None:
        self._withdraw()
        if not self._answer.called:
            self._answer.errback(error)

    def _begin(self) -> None:
        table = self._match.table
        cancel(self._timer)
        if self._running is not None or self.asks_player:
            return
        if not self.asks_first or table is None:
            self._start()
            return
        self.asks_player = True
        table.ask(
            ASK_PUBLIC.format(servers=_some(self._stun.servers)), PUBLIC_PROMPT, self._answered
        )

    def _answered(self, yes: bool) -> None:
        """Act on our player's answer whether servers may be asked, and remember it."""
        self.asks_player = False
        self._match.keep(stun=yes)
        self._stun = StunPolicy(
            StunConsent.WHERE_NEEDED if yes else StunConsent.NO, self._stun.servers
        )
        if yes:
            self._start()
        else:
            self._match.presenter.info(asked_nobody(self._match.command))
            self._end(NotAsked())

    def _start(self) -> None:
        from twisted.internet.defer import Deferred

        self._running = Deferred.fromCoroutine(self._run())
        self._running.addErrback(_is_cancelled)

    async def _run(self) -> None:
        """Find out the address, and keep it alive. Report an address that is already known at
        once."""
        asking = StunContext(self._match.reactor, self._match.reactor, os.urandom)
        servers, port = self._stun.servers, self._port
        seen = self._seen or await self._look(asking)
        if seen is None:
            return
        self._answer.callback(seen.address)

        def changed(new: ObservedAddress) -> None:
            old, self._seen = self._seen, new
            if old is not None:
                self._user.on_public_address_change(old.address, new.address)

        if seen.exact and seen.same_port is not False:
            user = self._user
            await keep_alive(
                asking,
                servers,
                port,
                seen,
                changed=changed,
                needed=lambda: user.needs_public_address,
            )

    async def _look(self, asking: StunContext) -> ObservedAddress | None:
        presenter = self._match.presenter
        presenter.info(asking_stun(_some(self._stun.servers)))
        try:
            seen = self._seen = await observe_address(asking, self._stun.servers, self._port)
        except StunError as error:
            if not self._match.after.is_over:
                presenter.info(error.sentence)
            self._end(error)
            return None
        if seen.same_port is False:
            presenter.info(random_ports(self._port.getHost().port))
        return seen


def _some(servers: tuple[Address, ...]) -> str:
    """Name the servers that we ask first, and say whether there are more."""
    named = " and ".join(str(each) for each in servers[:2])
    return named if len(servers) < 3 else f"{named} (or, if they don't answer, others on the list)"


def _is_cancelled(failure: Any) -> None:
    from twisted.internet.defer import CancelledError

    failure.trap(CancelledError)
