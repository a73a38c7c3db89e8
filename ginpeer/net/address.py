"""Where a peer can be reached: ``host:port``, and what this machine may call itself."""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import re
import socket
from typing import NamedTuple

import ifaddr

DEFAULT_PORT = 4466
LOOPBACK = "127.0.0.1"
MAX_HOST = 253  # RFC 1035, 2.3.4, as text without the last dot

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)

# An onion service of version 3 is named by its key (rend-spec-v3, section 6, ONIONADDRESS): base32
# of the key of 32 bytes, 2 bytes of checksum, and the version.
_ONION = ".onion"
_ONION_LETTERS = re.compile(r"[a-z2-7]{56}", re.ASCII)
_ONION_KEY = 32
_ONION_VERSION = b"\x03"

# Documentation addresses (RFC 5737, RFC 3849): routed like any other, answered by nobody.
_SOMEWHERE_ELSE = (
    (socket.AF_INET, "192.0.2.1"),
    (socket.AF_INET6, "2001:db8::1"),
)
_DISCARD = 9

MAX_ADDRESSES = 8
"""Addresses in one invite (PROTOCOL 9.5)."""
_MOST_IPV6 = 3

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
_OVERLAY = ipaddress.ip_network("100.64.0.0/10")  # RFC 6598; of cards at home, Tailscale's


class AddressError(ValueError):
    """A text that is no address."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.code = "address-unreadable"
        self.sentence = sentence


class Address(NamedTuple):
    """A host (name, onion service, IPv4 or IPv6, in its one spelling) and a TCP port.

    ``str`` gives ``host:port``, with brackets around IPv6; ``parse_address`` reads it back.
    """

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def canonical_host(host: str) -> str:
    """The one spelling of a host name, onion address or IP address; AddressError if it is none."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return _canonical_name(host)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None:
            raise AddressError(f"{host[:80]!a} names a network card, and means nothing elsewhere.")
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
    return str(ip)


def _canonical_name(host: str) -> str:
    name = host.lower().removesuffix(".")
    labels = name.split(".")
    if (
        len(name) > MAX_HOST
        or not all(_LABEL.fullmatch(label) for label in labels)
        or labels[-1].isdigit()  # 1.2.3 is a mistyped address, not a name
    ):
        raise AddressError(f"{host[:80]!r} is neither a host name nor an IP address.")
    if is_onion(name):
        _check_onion(name)
    return name


def is_onion(host: str) -> bool:
    """Whether this host, in its one spelling, is an onion service: reached through Tor alone, and
    never to be asked for in the DNS (RFC 7686)."""
    return host.endswith(_ONION)


def _check_onion(name: str) -> None:
    """Raises AddressError for a name that no onion service can have.

    What stands before the name, as in www.NAME.onion, Tor leaves to who listens there, and nobody
    needs it here.
    """
    letters = name.removesuffix(_ONION)
    if not _ONION_LETTERS.fullmatch(letters):
        raise AddressError(
            f"{name[:80]!r} is no onion address; one has 56 letters and digits before .onion."
        )
    data = base64.b32decode(letters.upper())
    key, checksum, version = data[:_ONION_KEY], data[_ONION_KEY:-1], data[-1:]
    if version != _ONION_VERSION:
        raise AddressError(
            f"{name!r} is mistyped, or of another version of onion addresses than 3."
        )
    if hashlib.sha3_256(b".onion checksum" + key + version).digest()[:2] != checksum:
        raise AddressError(f"{name!r} is mistyped: its letters do not fit together.")


def parse_address(text: str, default_port: int | None = None) -> Address:
    """Read ``host:port`` or ``[v6]:port``; the port may be left out if there is a default.

    Port 0 is read too: whoever listens may ask for any free port. Raises AddressError.
    """
    text = text.strip()
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise AddressError(f"{text[:80]!r} should look like [2001:db8::1]:4466.")
        port_text = rest[1:] if rest else None
    elif text.count(":") > 1:  # a bare IPv6 address: its last group is no port
        host, port_text = text, None
    else:
        host, colon, after = text.partition(":")
        port_text = after if colon else None
    return Address(canonical_host(host), _parse_port(text, port_text, default_port))


def _parse_port(text: str, port_text: str | None, default_port: int | None) -> int:
    if port_text is None:
        if default_port is None:
            raise AddressError(f"{text[:80]!r} lacks a port, as in host:{DEFAULT_PORT}.")
        return default_port
    if not re.fullmatch(r"[0-9]{1,5}", port_text, re.ASCII) or int(port_text) > 0xFFFF:
        raise AddressError(f"{port_text[:20]!r} is not a port; ports are 0 to 65535.")
    return int(port_text)


def guess_addresses(listening_host: str, port: int) -> tuple[Address, ...]:
    """How a guest may reach a port of this machine, likeliest first, the loopback last; as many as
    an invite can name.

    A host bound to one address can be reached there and nowhere else. One bound to all of them can
    be reached at each address of its network cards. First comes the one that a packet to the
    outside would leave from, then those of other cards, also of a network that leads nowhere else;
    then those of a VPN, which a friend may share, whether or not packets leave by it; and then
    those of containers and virtual machines, which mostly mean another machine to whoever tries
    them. Behind a router these are addresses in the local network, and only the player knows the
    public one.
    """
    try:
        host = ipaddress.ip_address(listening_host)
    except ValueError:
        return (Address(canonical_host(listening_host), port),)
    if not host.is_unspecified:
        return (Address(canonical_host(listening_host), port),)
    leaving = _leaving_from()
    found = sorted(
        (_Own(ip, card, ip in leaving) for ip, card in _own_addresses(leaving).items()),
        key=_Own.rank,
    )
    hosts: list[str] = []
    six = 0  # a card may have many, most of which are gone tomorrow
    for own in found:
        if own.ip.version == 6:
            if host.version == 4 or six == _MOST_IPV6:
                continue  # 0.0.0.0 does not hear IPv6, while :: hears both
            six += 1
        hosts.append(str(own.ip))
    return (
        *(Address(each, port) for each in hosts[: MAX_ADDRESSES - 1]),
        Address(LOOPBACK, port),
    )


_IP = ipaddress.IPv4Address | ipaddress.IPv6Address


class _Own(NamedTuple):
    """An address of this machine, the card that has it, and whether packets to the outside leave
    from there."""

    ip: _IP
    card: str
    leaves: bool

    def rank(self) -> tuple[int, bool, bool, int]:
        """Where it comes in an invite: the lower, the sooner."""
        if _CONTAINERS.match(self.card):
            kind = 3
        elif _TUNNELS.search(self.card) or self.ip in _OVERLAY:
            kind = 2
        else:
            kind = 1 if self.ip.is_link_local else 0
        return kind, self.ip.version == 6, not self.leaves, int(self.ip)


def _own_addresses(leaving: frozenset[_IP]) -> dict[_IP, str]:
    """The addresses at which somebody else may reach this machine, and the names of their cards."""
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
