"""Where this machine can be reached, likeliest first, and who can reach it there."""

from __future__ import annotations

import ipaddress
import re
import socket
from enum import Enum
from typing import NamedTuple

from ginpeer.net.address import LOOPBACK, Address, canonical_host, is_onion
from ginpeer.net.address_codec import MAX_ADDRESSES

# Documentation addresses (RFC 5737, RFC 3849): routed like any other, answered by nobody.
_SOMEWHERE_ELSE = (
    (socket.AF_INET, "192.0.2.1"),
    (socket.AF_INET6, "2001:db8::1"),
)
_DISCARD = 9

# What cards are called. A wrong guess costs an address its place in the order, and no more.
_CONTAINERS = re.compile(
    r"docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|podman|vethernet|vmware|virtualbox"
    r"|hyper-v",
    re.IGNORECASE,
)
_TUNNELS = re.compile(
    r"^(tun|tap|wg|utun|ppp|zt|ipsec|tailscale|nordlynx|proton)|vpn|wireguard|tailscale|zerotier",
    re.IGNORECASE,
)
SHARED = ipaddress.ip_network("100.64.0.0/10")
"""RFC 6598: behind a provider's own router; of cards at home, an overlay's (Tailscale)."""

_HOME_IPV4 = tuple(map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")


class Reach(Enum):
    """From where an address can be reached. In this order they are of use to a friend."""

    GIVEN = "given"
    """The player has named it, and knows."""
    OUTSIDE = "outside"
    """From anywhere: an IPv4 address of the Internet, ours or our router's."""
    CLOSED = "closed"
    """Where the outside sees us, behind a router that lets nobody in: of use when both dial."""
    HOME = "home"
    """From the network at home alone."""
    IPV6 = "ipv6"
    """From anywhere with IPv6, if no router in between keeps strangers out."""
    VPN = "vpn"
    """By those in the same VPN."""
    LINK = "link"
    """From the same cable or network, where nobody gives out addresses."""
    CONTAINER = "container"
    """Of containers and virtual machines: mostly another machine to whoever tries it."""
    LOOPBACK = "loopback"
    """From this machine alone."""
    ONION = "onion"
    """By whoever has a Tor: from everywhere, and slowly."""


class Place(NamedTuple):
    """An address, and from where it can be reached."""

    address: Address
    reach: Reach

    @property
    def from_outside(self) -> bool:
        """Whether a friend elsewhere may reach it: surely, or if nothing is in between."""
        return self.reach in (Reach.GIVEN, Reach.OUTSIDE, Reach.IPV6, Reach.ONION)


def place_of(address: Address, *, given: bool = False) -> Place:
    """What can be told from an address alone; *given*: it is the player who has named it."""
    try:
        ip = ipaddress.ip_address(address.host)
    except ValueError:
        return Place(address, Reach.ONION if is_onion(address.host) else Reach.GIVEN)
    if ip.is_loopback:
        return Place(address, Reach.LOOPBACK)
    return Place(address, Reach.GIVEN if given else _reach(ip, ""))


def leads_elsewhere(address: Address) -> bool:
    """Whether a friend in another home may be able to reach this address."""
    return place_of(address).from_outside


def lasting_addresses(places: tuple[Place, ...]) -> tuple[Address, ...]:
    """Those of them that are of use to a friend another time."""
    kept = (place for place in places if place.reach not in (Reach.LOOPBACK, Reach.CONTAINER))
    return tuple(place.address for place in kept)


def with_place(places: tuple[Place, ...], new: Place) -> tuple[Place, ...]:
    """These places and *new* among them: before the first that is of less use, without moving the
    others. Where there are too many, the last of the least use goes, but never *new*, nor an onion
    address, which leads here when nothing else does. An address that is there keeps its place."""
    if any(place.address == new.address for place in places):
        return tuple(new if place.address == new.address else place for place in places)
    kept = list(places)
    if len(kept) >= MAX_ADDRESSES:
        kept.remove(max(reversed(kept), key=_expendable))
    at = next((i for i, each in enumerate(kept) if _rank(each) > _rank(new)), len(kept))
    return (*kept[:at], new, *kept[at:])


def _rank(place: Place) -> int:
    return _ORDER.index(place.reach)


def _expendable(place: Place) -> int:
    """The higher, the less is lost with it."""
    return -1 if place.reach is Reach.ONION else _rank(place)


class OwnAddress(NamedTuple):
    """An address of this machine. *card*: the name of its network card, empty if the system does
    not say. *leaves*: packets to the outside leave from there."""

    card: str
    host: str
    reach: Reach
    leaves: bool


def own_addresses() -> tuple[OwnAddress, ...]:
    """Every address at which somebody else may reach this machine, in the order of an invite."""
    leaving = _leaving_from()
    found = [
        (_Own(ip, _reach(ip, card), ip in leaving), card) for ip, card in _own(leaving).items()
    ]
    found.sort(key=lambda each: each[0].rank())
    return tuple(OwnAddress(card, str(own.ip), own.reach, own.leaves) for own, card in found)


def own_places(listening_host: str, port: int) -> tuple[Place, ...]:
    """How a guest may reach a port of this machine, likeliest first; as many as an invite names.

    A host bound to one address can be reached there and nowhere else. One bound to all of them can
    be reached at each address of its network cards. First comes the one that a packet to the
    outside would leave from, then those of other cards, also of a network that leads nowhere else;
    then those of a VPN, which a friend may share, whether or not packets leave by it; and then
    those of containers and virtual machines. Of the many IPv6 addresses of a machine one is named
    that leads to the Internet, since most are gone tomorrow, and one of a network at home only
    if there is none of IPv4. If there is nothing else, the link-local addresses of IPv6 are named,
    and if there are none of those, the loopback.
    """
    try:
        host = ipaddress.ip_address(listening_host)
    except ValueError:
        return (place_of(Address(canonical_host(listening_host), port)),)
    if not host.is_unspecified:
        return (place_of(Address(canonical_host(listening_host), port)),)
    leaving = _leaving_from()
    found = sorted(
        (_Own(ip, _reach(ip, card), ip in leaving) for ip, card in _own(leaving).items()),
        key=_Own.rank,
    )
    four = [own for own in found if own.ip.version == 4]
    six = [own for own in found if own.ip.version == 6 and host.version == 6]  # 0.0.0.0 hears none
    outside = [own for own in six if own.reach is Reach.IPV6][:1]
    inside = [own for own in six if own.reach is not Reach.IPV6][: 0 if four else 1]
    chosen = sorted((*four, *outside, *inside), key=_Own.rank)[:MAX_ADDRESSES]
    places = tuple(Place(Address(str(own.ip), port), own.reach) for own in chosen)
    if not places and host.version == 6:
        own_links = (Address(ip, port) for ip, _ in link_local_ipv6())
        places = tuple(Place(address, Reach.LINK) for address in own_links)[:MAX_ADDRESSES]
    return places or (Place(Address(LOOPBACK, port), Reach.LOOPBACK),)


def link_local_ipv6() -> tuple[tuple[str, str], ...]:
    """The link-local IPv6 addresses of this machine, each with the number of its network card.

    They are valid only on that card's cable, and are all that a machine has if nobody gives out
    addresses."""
    import ifaddr  # here, because practice never asks

    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:
        return ()
    return tuple(
        (str(ip), str(adapter.index))
        for adapter in adapters
        if not _CONTAINERS.match(str(adapter.nice_name))
        for each in adapter.ips
        if isinstance(each.ip, tuple)
        for ip in (ipaddress.IPv6Address(each.ip[0].partition("%")[0]),)
        if ip.is_link_local
    )


def own_hosts() -> tuple[str, ...]:
    """The IP addresses of this machine at which somebody else might see it."""
    return tuple(map(str, _own(_leaving_from())))


def leaving_places(port: int) -> tuple[Place, ...]:
    """Of those only where packets to the outside leave from: behind a VPN nothing else is told."""
    found = (_Own(ip, _reach(ip, ""), True) for ip in _leaving_from() if _of_use(ip))
    ranked = sorted(found, key=_Own.rank)
    return tuple(Place(Address(str(own.ip), port), own.reach) for own in ranked)


_IP = ipaddress.IPv4Address | ipaddress.IPv6Address
_ORDER = tuple(Reach)


class _Own(NamedTuple):
    """An address of this machine, and whether packets to the outside leave from there."""

    ip: _IP
    reach: Reach
    leaves: bool

    def rank(self) -> tuple[int, bool, int]:
        """Where it comes in an invite: the lower, the sooner."""
        return _ORDER.index(self.reach), not self.leaves, int(self.ip)


def _reach(ip: _IP, card: str) -> Reach:
    """*card*: the name of the network card that has this address, if it is known."""
    if _CONTAINERS.match(card):
        return Reach.CONTAINER
    if _TUNNELS.search(card) or ip in SHARED:
        return Reach.VPN
    if ip.is_link_local:
        return Reach.LINK
    if ip.version == 6:
        return Reach.IPV6 if ip in _GLOBAL_IPV6 else Reach.HOME
    return Reach.HOME if any(ip in network for network in _HOME_IPV4) else Reach.OUTSIDE


def _own(leaving: frozenset[_IP]) -> dict[_IP, str]:
    """The addresses at which somebody else may reach this machine, and the names of their cards."""
    import ifaddr  # here, because practice never asks

    found = dict.fromkeys(leaving, "")
    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:  # then at least what the routing table says
        adapters = []
    for adapter in adapters:
        for each in adapter.ips:
            text = each.ip if isinstance(each.ip, str) else each.ip[0]
            try:
                found[ipaddress.ip_address(text.partition("%")[0])] = str(adapter.nice_name)
            except ValueError:
                continue
    return {ip: card for ip, card in found.items() if _of_use(ip)}


def _of_use(ip: _IP) -> bool:
    if ip.is_loopback or ip.is_unspecified or ip.is_multicast:
        return False
    return ip.version == 4 or not ip.is_link_local  # of IPv6 they name a card of ours


def _leaving_from() -> frozenset[_IP]:
    """Where packets to the outside leave from: connecting a UDP socket sends nothing, and only
    picks the local address."""
    found = set()
    for family, elsewhere in _SOMEWHERE_ELSE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((elsewhere, _DISCARD))
                found.add(ipaddress.ip_address(probe.getsockname()[0]))
        except (OSError, ValueError):
            continue  # no such network here; a scoped link-local address is of no use either
    return frozenset(found)
