"""A guest that has hidden from its host where it is goes the same way again, or not at all.

# Rule 1: what is noted of a friend binds every later way to them, by name, by invite and to go on
# with a match, until our player types another one.
# Rule 2: where the way cannot be gone again, nothing is dialled. A note that makes no sense is of
# such a way, and never leave to dial directly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cli.failure import USAGE, Failure
from cli.match.joining import TOR, Route
from ginpeer.net.address import Address, AddressError, is_onion
from ginpeer.net.socks import Proxy, parse_proxy
from ginpeer.store import Peer

_BY_A_PROXY: Final = "proxy"
"""One that wants a user name and a password, which are not kept."""

_GO_ON = "Name the way with --through, or add --direct if the host may learn by it where you are."


def the_same_way(
    route: Route, friend: Peer | None, addresses: tuple[Address, ...], *, direct: bool
) -> tuple[Route, tuple[Address, ...]]:
    """The route to this host, and where it is to be looked for. *route*: as typed; *direct*: the
    player wants no way that hides. Raises Failure."""
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
    """Whoever waits for a friend by name is looked for, and looks for them. Raises Failure."""
    if friend.hidden and not direct:
        raise Failure(
            "was-hidden",
            "From this friend you have hidden where you are, and whoever waits for a friend by "
            "name tells it. Add --direct if that does not matter any more.",
            USAGE,
        )


def _noted(proxy: Proxy) -> str:
    return str(proxy) if proxy.user is None else _BY_A_PROXY


def _refusal(way: str, why: str) -> Failure:
    return Failure(
        "was-hidden",
        f"The last time you went to this host {way}, so that it does not learn where you are; "
        f"{why}. {_GO_ON}",
        USAGE,
    )
