"""The route to a host: where it may be, and whether it may learn where its guest is.

Rule 1: a guest that has hidden from its host uses the same route again, or none. The route noted
for a friend applies to every later connection, by name, by invite or to resume a match, until our
player types a different one.
Rule 2: if that route no longer works, nothing is dialled. A note that can't be read counts as a
route that no longer works, so it never allows us to dial directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from cli.match.public_address import NOBODY, StunPolicy
from cli.program import Failure
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

TOR = "tor"  # noted for a host that we reached only at an onion address
_BY_A_PROXY: Final = "proxy"  # noted if the proxy has a user name and password: they aren't saved

_GO_ON = (
    "Name a proxy with --through, or add --direct if you don't mind the host learning your address."
)

_LOWEST_EPHEMERAL = 32768  # the lowest port that systems choose for outgoing connections


@dataclass(frozen=True, slots=True)
class Route:
    """How a guest reaches its host. *through*: the proxy for all connections, if one was named.
    *punching_seconds*: how many seconds both dial if no address leads to the host; 0: they don't.
    If they do, *advertise* are the first addresses in the reply, *stun* says whom to ask for our
    public address, and *mapping* whether to ask the routers to let the host in. *hides*: see
    Contact. *again*: the route noted last time, as shown to the player."""

    through: Proxy | None = None
    punching_seconds: float = 0.0
    advertise: tuple[Address, ...] = ()
    stun: StunPolicy = NOBODY
    mapping: bool = True
    hides: str | None = None
    again: str = ""


def remembered_route(
    route: Route,
    friend: Peer | None,
    addresses: tuple[Address, ...],
    *,
    direct: bool,
    otherwise: str = _GO_ON,
) -> tuple[Route, tuple[Address, ...]]:
    """Return the route to this host, and the addresses to try. If our player hid from this friend
    before and names no proxy now, hide in the same way again. *route*: as typed. *direct*: whether
    the host may learn where our player is. *otherwise*: the sentence that ends the error message if
    hiding isn't possible. Raises Failure."""
    if route.through is not None:
        hides = str(route.through) if route.through.user is None else _BY_A_PROXY
        return replace(route, hides=hides), addresses
    if direct:
        return replace(route, hides=""), addresses
    if friend is None or not friend.hidden:
        return route, addresses
    if friend.hidden == TOR:
        onions = tuple(each for each in addresses if is_onion(each.host))
        if not onions:
            why = "none of its known addresses is an onion address"
            raise _refusal("through Tor", why, otherwise)
        return replace(route, punching_seconds=0.0, again="Tor"), onions
    if friend.hidden == _BY_A_PROXY:
        raise _refusal(
            "through a proxy", "the proxy's user name and password weren't saved", otherwise
        )
    try:
        through = parse_proxy(friend.hidden)
    except AddressError:
        raise _refusal(
            "through a proxy", "the saved proxy can no longer be read", otherwise
        ) from None
    route = replace(
        route, through=through, punching_seconds=0.0, hides=friend.hidden, again=str(through)
    )
    return route, addresses


def check_may_tell(friend: Peer, *, direct: bool) -> None:
    """Raise Failure if our player hid our address from this friend and hasn't typed --direct:
    waiting for a friend by name reveals the address."""
    if friend.hidden and not direct:
        raise Failure(
            "was-hidden",
            "You hid your address from this friend, but waiting for a friend by name reveals it. "
            "If that no longer matters, add --direct.",
        )


def _refusal(way: str, why: str, otherwise: str) -> Failure:
    return Failure(
        "was-hidden",
        f"Last time, you hid your address from this host by connecting {way}. That can't be "
        f"repeated: {why}. {otherwise}",
    )


def friend_addresses(friend: Peer | None, noted: Iterable[str] = ()) -> tuple[Address, ...]:
    """Return where a friend may be: the addresses that they gave us, those *noted* with a match,
    and those where we met them."""
    told, met = (friend.told, friend.addresses) if friend is not None else ((), ())
    found = dict.fromkeys((*_read(told), *_read(noted)))
    for address in _read(met):
        # A high port is probably one from which the friend connected, so nobody listens there.
        is_listening = address.port < _LOWEST_EPHEMERAL
        found[address if is_listening else address._replace(port=DEFAULT_PORT)] = None
    return tuple(found)


def _read(texts: Iterable[str]) -> Iterator[Address]:
    for text in texts:
        try:
            yield parse_address(text, None)
        except AddressError:
            continue  # a path on this machine, or written by an older version


def invite_without_secret(
    host_key: bytes, addresses: tuple[Address, ...], command: str = "ginpeer"
) -> Invite:
    """Return an invite to a host that expects us, with its addresses and no secret. *command*: the
    command that starts this program. Raises Failure."""
    if not addresses:
        raise Failure(
            "no-address",
            "The host's address isn't known. Ask for an invite or, to continue a match, add --at "
            f"HOST:PORT to {command} resume.",
        )
    return Invite.of(host_key, bytes(SECRET_BYTES), addresses[:MAX_ADDRESSES])
