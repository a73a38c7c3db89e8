"""The way to a host: where it may be, and whether it may learn where its guest is.

# Rule 1: a guest that has hidden from its host goes the same way again, or not at all. What is
# noted for a friend binds every later way to them, by name, by invite and to resume a match, until
# our player types a different one.
# Rule 2: if that way no longer works, nothing is dialled. A note that can't be read counts as a way
# that no longer works, so it never allows us to dial directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from cli.failure import Failure
from cli.match.public_address import NOBODY, StunPolicy
from ginpeer.net.address import (
    DEFAULT_PORT,
    MAX_ADDRESSES,
    Address,
    AddressError,
    is_onion,
    parse_address,
)
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.net.socks import Proxy, parse_proxy
from ginpeer.store import Peer

TOR = "tor"
"""Noted for a host that we reached at an onion address only."""

_BY_A_PROXY: Final = "proxy"
"""Noted for a host that we reached through a proxy with a user name and password, which are not
kept."""

_GO_ON = "Name the way with --through, or add --direct if the host may learn by it where you are."

_PASSING = 32768
"""From this port on, systems choose the ports of outgoing connections."""


@dataclass(frozen=True, slots=True)
class Route:
    """How a guest gets to its host. *through*: the proxy for all connections, if one was named.
    *crosses*: for how many seconds both dial if no address leads to the host; 0: they don't. Then
    *advertise* begins the reply, *stun* is asked for our public address, and with *mapping* the
    routers are asked to let the host in. *hides*: which way to note for the host because it hides
    our address; empty: the host may know it; None: note nothing. *again*: the way noted last time,
    as the player is told."""

    through: Proxy | None = None
    crosses: float = 0.0
    advertise: tuple[Address, ...] = ()
    stun: StunPolicy = NOBODY
    mapping: bool = True
    hides: str | None = None
    again: str = ""


def the_same_way(
    route: Route, friend: Peer | None, addresses: tuple[Address, ...], *, direct: bool
) -> tuple[Route, tuple[Address, ...]]:
    """Return the route to this host, and the addresses to try. *route*: as typed. *direct*: the
    host may learn where our player is. Raises Failure."""
    if route.through is not None:
        return replace(route, hides=_noted(route.through)), addresses
    if direct:
        return replace(route, hides=""), addresses
    if friend is None or not friend.hidden:
        return route, addresses
    if friend.hidden == TOR:
        onions = tuple(each for each in addresses if is_onion(each.host))
        if not onions:
            raise _refusal("through Tor", "no onion address of the host is known here")
        return replace(route, crosses=0.0, again="Tor"), onions
    if friend.hidden == _BY_A_PROXY:
        raise _refusal("through a proxy", "its user name and password are not kept")
    try:
        through = parse_proxy(friend.hidden)
    except AddressError:
        raise _refusal("through a proxy", "which one cannot be read any more") from None
    return (
        replace(route, through=through, crosses=0.0, hides=friend.hidden, again=str(through)),
        addresses,
    )


def check_may_tell(friend: Peer, *, direct: bool) -> None:
    """Refuse to wait by name for a friend from whom our player has hidden: waiting by name tells
    the friend where we are. Raises Failure."""
    if friend.hidden and not direct:
        raise Failure(
            "was-hidden",
            "From this friend you have hidden where you are, and whoever waits for a friend by "
            "name tells it. Add --direct if that does not matter any more.",
        )


def _noted(proxy: Proxy) -> str:
    return str(proxy) if proxy.user is None else _BY_A_PROXY


def _refusal(way: str, why: str) -> Failure:
    return Failure(
        "was-hidden",
        f"The last time you went to this host {way}, so that it does not learn where you are; "
        f"{why}. {_GO_ON}",
    )


def places_of(friend: Peer | None, noted: Iterable[str] = ()) -> tuple[Address, ...]:
    """Return where a friend may be: the addresses that they told us, those where we met them, and
    those *noted* with a match."""
    told, met = (friend.told, friend.addresses) if friend is not None else ((), ())
    found = dict.fromkeys((*_read(told), *_read(noted)))
    for address in _read(met):
        # A friend who connected to us did so from a port that means nothing by now.
        at_its_own = address.port < _PASSING
        found[address if at_its_own else address._replace(port=DEFAULT_PORT)] = None
    return tuple(found)


def _read(texts: Iterable[str]) -> Iterator[Address]:
    for text in texts:
        try:
            yield parse_address(text, None)
        except AddressError:
            continue  # a path of this machine, or what an older version wrote


def way_back(host_key: bytes, addresses: tuple[Address, ...], command: str = "ginpeer") -> Invite:
    """Return an invite to a host that expects us: its addresses, and no secret. *command*: how this
    program is called. Raises Failure."""
    if not addresses:
        raise Failure(
            "no-address",
            "Where the host is, is not known; ask for an invite, or, to go on with a match, add "
            f"--at HOST:PORT to {command} resume.",
        )
    return Invite.of(host_key, bytes(SECRET_BYTES), addresses[:MAX_ADDRESSES])
