"""Addresses: where they can be reached from, which ones this machine has, and which addresses of a
peer we dial (WIRE 9.13).

Invites, replies and address updates name addresses that their author chose. Without a rule, a peer
could make us connect to our router's web page, a cloud's metadata service, or every port of a
printer. But a friend on our network, or another program on this machine, has an address of that
kind as well, so we restrict such addresses instead of forbidding them.

Rule 1: an address is dialled only if it belongs to a single machine.
Rule 2: an address that isn't on the Internet (on this machine, a home network or a provider's own
network) is dialled only at ports from FIRST_PORT up: lower ports are for system services, never
ginpeer.
Rule 3: a link-local address is dialled only by a machine that has one itself.
Rule 4: a name is dialled only at those of its addresses that may be dialled (tcp.py).
Rule 5: if a peer says where it can be reached another time, we keep only addresses that could be
its own (`addresses_to_keep`).
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from enum import Enum
from ipaddress import IPv4Network, IPv6Network
from typing import Any, Final, NamedTuple

from ginpeer.net.address import (
    IP,
    LOOPBACK,
    MAX_ADDRESSES,
    Address,
    AddressError,
    canonical_host,
    ip_of,
    is_onion,
    parse_address,
)

ELSEWHERE = ("192.0.2.1", "2001:db8::1")
"""Documentation addresses (RFC 5737, RFC 3849): they are routed like any other, and nobody
answers."""
_DISCARD = 9

# Names of network interfaces. A wrong guess only costs an address its place in the order.
_CONTAINERS = re.compile(
    r"docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|podman|vethernet|vmware|virtualbox"
    r"|hyper-v",
    re.IGNORECASE,
)
TUNNELS = re.compile(
    r"^(tun|tap|wg|utun|ppp|zt|ipsec|tailscale|nordlynx|proton)|vpn|wireguard|tailscale|zerotier",
    re.IGNORECASE,
)
# Addresses behind a provider's router (RFC 6598); at home, those of an overlay (Tailscale)
SHARED = ipaddress.ip_network("100.64.0.0/10")
# A provider's own network (RFC 6890, 2.2.2, and RFC 6333), some clouds' metadata service, and this
# machine's own IPv4 address on an IPv6-only network (RFC 7335)
PROVIDERS = ipaddress.ip_network("192.0.0.0/24")
HOME_IPV4 = tuple(
    map(
        ipaddress.ip_network,
        # RFC 2544 reserves the last one for benchmarks; it isn't public either.
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15"),
    )
)
_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")


class Reach(Enum):
    """Where an address can be reached from, most useful to a friend first."""

    GIVEN = "given"  # from wherever the player says: the player has named the address
    OUTSIDE = "outside"  # from anywhere: a public IPv4 address, ours or our router's
    CLOSED = "closed"  # from outside only if both sides dial: a router blocks connections to it
    HOME = "home"  # only from the home network
    IPV6 = "ipv6"  # from anywhere with IPv6, if no router in between blocks strangers
    VPN = "vpn"  # from within the same VPN
    LINK = "link"  # from the same cable or network, if nothing assigns addresses there
    CONTAINER = "container"  # from virtual machines; elsewhere usually a different machine
    LOOPBACK = "loopback"  # only from this machine
    ONION = "onion"  # from anywhere through Tor, slowly


_ORDER = tuple(Reach)


class ReachableAddress(NamedTuple):
    """An address, and where it can be reached from."""

    address: Address
    reach: Reach

    @property
    def from_outside(self) -> bool:
        """Whether a friend elsewhere can reach this address if nothing in between blocks it."""
        return self.reach in (Reach.GIVEN, Reach.OUTSIDE, Reach.IPV6, Reach.ONION)


def classify_address(address: Address, *, given: bool = False) -> ReachableAddress:
    """Classify an address by where it can be reached from, knowing only the address. *given*: the
    player has named it."""
    ip = ip_of(address.host)
    if ip is None:
        return ReachableAddress(address, Reach.ONION if is_onion(address.host) else Reach.GIVEN)
    if ip.is_loopback:
        return ReachableAddress(address, Reach.LOOPBACK)
    return ReachableAddress(address, Reach.GIVEN if given else _reach(ip, ""))


def is_loopback(address: Address) -> bool:
    """Return whether this address leads to the machine that dials it."""
    return classify_address(address).reach is Reach.LOOPBACK or address.host == "localhost"


def is_reachable_from_outside(address: Address) -> bool:
    """Return whether a friend in another home may be able to reach this address."""
    return classify_address(address).from_outside


def lasting_addresses(addresses: tuple[ReachableAddress, ...]) -> tuple[Address, ...]:
    """Return the addresses at which a friend may be able to reach us another time."""
    passing = (Reach.LOOPBACK, Reach.CONTAINER)
    return tuple(each.address for each in addresses if each.reach not in passing)


def insert_by_reach(
    addresses: tuple[ReachableAddress, ...], new: ReachableAddress
) -> tuple[ReachableAddress, ...]:
    """Insert *new* before the first less useful address. If the list already has this address, only
    change its reach, but never to CLOSED: the Internet seeing us there says nothing about who can
    connect. If the list is full, drop the last of the least useful addresses, but never an onion
    address, which works when nothing else does."""
    if any(each.address == new.address for each in addresses):
        if new.reach is Reach.CLOSED:
            return addresses
        return tuple(new if each.address == new.address else each for each in addresses)
    kept = list(addresses)
    if len(kept) >= MAX_ADDRESSES:
        rank = {each: _ORDER.index(each.reach) for each in kept if each.reach is not Reach.ONION}
        kept.remove(max(reversed(kept), key=lambda each: rank.get(each, -1)))
    ranks = [_ORDER.index(each.reach) for each in kept]
    at = next((i for i, rank in enumerate(ranks) if rank > _ORDER.index(new.reach)), len(kept))
    return (*kept[:at], new, *kept[at:])


class OwnAddress(NamedTuple):
    """An address of this machine. *interface*: the name of its network interface, empty if unknown.
    *leaves*: whether our packets to the Internet leave from this address."""

    interface: str
    host: str
    reach: Reach
    leaves: bool


def own_addresses() -> tuple[OwnAddress, ...]:
    """List every address at which another machine may reach this one, in the order of an invite."""
    leaving = _leaving_from()
    return _ranked((interface, ip, ip in leaving) for ip, interface in _own(leaving).items())


def _ranked(found: Iterable[tuple[str, IP, bool]]) -> tuple[OwnAddress, ...]:
    ranked = [(_reach(ip, interface), ip, interface, leaves) for interface, ip, leaves in found]
    ranked.sort(key=lambda own: (_ORDER.index(own[0]), not own[3], int(own[1])))
    return tuple(OwnAddress(name, str(ip), reach, leaves) for reach, ip, name, leaves in ranked)


def listening_addresses(listening_host: str, port: int) -> tuple[ReachableAddress, ...]:
    """List the addresses at which a guest may reach a port of this machine, likeliest first, at
    most as many as an invite names.

    A machine has many IPv6 addresses, most of which are gone tomorrow, so only one that leads to
    the Internet is listed. An IPv6 address of a home network is listed only if there is no IPv4
    address other than link-local ones. A link-local IPv4 address is listed only if nothing
    better is found, since many machines have one on an unused adapter. If nothing else is found,
    the link-local IPv6 addresses are listed, and if there are none, the loopback.
    """
    host = ip_of(listening_host)
    if host is None or not host.is_unspecified:
        return (classify_address(Address(canonical_host(listening_host), port)),)
    found = own_addresses()
    ipv4 = [own for own in found if ":" not in own.host]
    ipv6 = [own for own in found if ":" in own.host and host.version == 6]  # 0.0.0.0 takes no IPv6
    outside = [own for own in ipv6 if own.reach is Reach.IPV6][:1]
    has_better = any(own.reach is not Reach.LINK for own in ipv4)
    inside = [own for own in ipv6 if own.reach is not Reach.IPV6][: 0 if has_better else 1]
    chosen = [own for own in found if own in (*ipv4, *outside, *inside)]
    if chosen and chosen[0].reach is not Reach.LINK:
        chosen = [own for own in chosen if own.reach is not Reach.LINK]
    places = tuple(
        ReachableAddress(Address(own.host, port), own.reach) for own in chosen[:MAX_ADDRESSES]
    )
    if not places and host.version == 6:
        places = tuple(
            ReachableAddress(Address(ip, port), Reach.LINK) for ip, _ in link_local_addresses()
        )[:MAX_ADDRESSES]
    return places or (ReachableAddress(Address(LOOPBACK, port), Reach.LOOPBACK),)


def link_local_addresses() -> tuple[tuple[str, str], ...]:
    """List the link-local IPv6 addresses of this machine, each with the number of the only network
    interface on which it is valid."""
    return tuple(
        (str(ip), str(adapter.index))
        for adapter in _adapters()
        if not _CONTAINERS.match(str(adapter.nice_name))
        for each in adapter.ips
        if isinstance(each.ip, tuple)
        for ip in (ipaddress.IPv6Address(each.ip[0].partition("%")[0]),)
        if ip.is_link_local
    )


def own_hosts() -> tuple[str, ...]:
    """List the IP addresses at which another machine might see this one."""
    return tuple(map(str, _own(_leaving_from())))


def outgoing_addresses(port: int) -> tuple[ReachableAddress, ...]:
    """List only the addresses from which our packets to the Internet leave. Behind a VPN, we
    disclose no others."""
    found = _ranked(("", ip, True) for ip in _leaving_from() if _is_usable(ip))
    return tuple(ReachableAddress(Address(own.host, port), own.reach) for own in found)


def _reach(ip: IP, interface: str) -> Reach:
    """Return where this address can be reached from. *interface*: the name of its network
    interface, empty if unknown."""
    if _CONTAINERS.match(interface):
        return Reach.CONTAINER
    if TUNNELS.search(interface) or ip in SHARED or ip in PROVIDERS:
        return Reach.VPN
    if ip.is_link_local:
        return Reach.LINK
    if ip.version == 6:
        return Reach.IPV6 if ip in _GLOBAL_IPV6 else Reach.HOME
    inside = ip.is_reserved or any(ip in network for network in HOME_IPV4)
    return Reach.HOME if inside else Reach.OUTSIDE


def _own(leaving: frozenset[IP]) -> dict[IP, str]:
    """Return the addresses at which another machine may reach this one, each with its network
    interface."""
    found = dict.fromkeys(leaving, "")
    for adapter in _adapters():
        for each in adapter.ips:
            text = each.ip if isinstance(each.ip, str) else each.ip[0]
            ip = ip_of(text.partition("%")[0])
            if ip is not None:
                found[ip] = str(adapter.nice_name)
    return {ip: interface for ip, interface in found.items() if _is_usable(ip)}


def _adapters() -> list[Any]:
    """List this machine's network interfaces; none if the system doesn't list them."""
    import ifaddr  # imported here, because practice never needs it

    with suppress(OSError):
        return list(ifaddr.get_adapters())
    return []


def _is_usable(ip: IP) -> bool:
    if ip.is_loopback or ip.is_unspecified or ip.is_multicast:
        return False
    return ip.version == 4 or not ip.is_link_local  # IPv6 ones are valid only on one interface


def _leaving_from() -> frozenset[IP]:
    """Return the source addresses of our packets to the Internet."""
    hosts = filter(None, map(own_towards, ELSEWHERE))
    return frozenset(filter(None, map(ip_of, hosts)))


class NetworkWatch:
    """Notices that this machine has moved to another network."""

    def __init__(self) -> None:
        self._known: frozenset[IPv4Network | IPv6Network] = frozenset()

    def has_moved(self) -> bool:
        """Return whether our packets to the Internet leave from an address that they didn't leave
        from when this last returned True. For IPv6, only the network part counts, since the rest
        changes every day. A missing address doesn't count as a move: the same network may just not
        be up yet."""
        now = frozenset(
            ipaddress.ip_network((ip, 32 if ip.version == 4 else 64), strict=False)
            for ip in _leaving_from()
        )
        if now <= self._known:
            return False
        self._known = now
        return True


def own_towards(host: str) -> str | None:
    """Return our address on the route to *host*, if there is a route. Connecting a UDP socket sends
    nothing; it only picks the local address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((host, _DISCARD))
            return str(probe.getsockname()[0])
    except OSError:
        return None


# --- addresses from a peer ----------------------------------------------------------------------

FIRST_PORT: Final = 1024

_HEXADECIMAL: Final = re.compile(r"0x[0-9a-f]*")
_METADATA = frozenset(map(ipaddress.ip_address, ("169.254.169.254", "168.63.129.16")))
"""The addresses at which clouds hand out secrets to their machines."""
_INNER: Final = (
    *(".local", ".lan", ".home", ".home.arpa", ".internal", ".intranet", ".corp"),
    *(".localdomain", ".localhost"),
)
"""Endings of names that work only inside one network (RFC 6762, RFC 8375, and common usage)."""


def is_public(host: str) -> bool:
    """Return whether an IP address is on the Internet and outside our own network, whose machines
    may have Internet IPv6 addresses as well. An address that contains an IPv4 address (6to4,
    Teredo) may lead anywhere, so it doesn't count."""
    if classify_address(Address(host, FIRST_PORT)).reach not in (Reach.OUTSIDE, Reach.IPV6):
        return False
    ip = ipaddress.ip_address(host)
    if isinstance(ip, ipaddress.IPv6Address) and (ip.sixtofour or ip.teredo):
        return False
    near = ipaddress.ip_network((host, 32 if ip.version == 4 else 64), strict=False)
    return not any(ipaddress.ip_address(own) in near for own in own_hosts())


def may_be_dialled(address: Address) -> bool:
    """Return whether a peer may make us dial this address, by rules 1 to 3. Most names pass: check
    their addresses later (rule 4)."""
    host, port = address
    ip = ip_of(host)
    if ip is None:  # a proxy's system may read 0x7f000001 as 127.0.0.1
        is_number = _HEXADECIMAL.fullmatch(host.rpartition(".")[2]) is not None
        return not is_number and (host != "localhost" or port >= FIRST_PORT)
    if ip.is_unspecified or ip.is_multicast or port == 0 or ip in _METADATA:
        return False
    if ip.version == 4 and (ip.is_reserved or ip.packed[0] == 0):
        return False
    if not is_public(host) and port < FIRST_PORT:
        return False
    if ip.is_link_local:
        own = own_hosts() if ip.version == 4 else [host for host, _ in link_local_addresses()]
        return any(ipaddress.ip_address(each).is_link_local for each in own)
    return True


def addresses_to_keep(addresses: Iterable[Address], met_at: str) -> tuple[Address, ...]:
    """Return the addresses in an address update that are worth keeping: no loopback address, a home
    network's only if we are connected to the peer over such a network, and a name only if it means
    the same everywhere. *met_at*: the address of the connection."""
    try:
        met = classify_address(parse_address(met_at)).reach
    except AddressError:
        met = Reach.OUTSIDE
    kept = {Reach.OUTSIDE, Reach.IPV6, Reach.ONION, met} - {Reach.LOOPBACK, Reach.GIVEN}
    return tuple(
        each
        for each in addresses
        if may_be_dialled(each)
        and (classify_address(each).reach in kept or _is_known_outside(each.host))
    )


def _is_known_outside(host: str) -> bool:
    """Return whether this is a name that works in more than one network."""
    is_name = classify_address(Address(host, FIRST_PORT)).reach is Reach.GIVEN
    return is_name and "." in host and not host.endswith(_INNER)
