"""Decides which addresses from a peer we dial (PROTOCOL 9.13).

# Invites, replies and whereabouts frames name addresses that their author chose. Without a rule, a
# peer could make us connect to our router's page, a cloud's metadata service, or every port of a
# printer. But a friend on our network, or another program on this machine, has such an address,
# too, so these addresses are limited and not forbidden.
#
# Rule 1: an address is dialled only if it belongs to a single machine.
# Rule 2: an address that isn't on the Internet (this machine, a home network, a provider's own) is
# dialled only at ports from FIRST_PORT up: lower ports are for system services, never ginpeer.
# Rule 3: an address of a cable (link-local) is dialled only by a machine that has one itself.
# Rule 4: a name is dialled at those of its addresses that may be dialled (direct.py).
# Rule 5: if a peer says where it can be found another time, we keep only addresses that can be
# true (`addresses_to_keep`).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Final

from ginpeer.net.address import Address, AddressError, parse_address
from ginpeer.net.own_addresses import Reach, classify_address, link_local_addresses, own_hosts

FIRST_PORT: Final = 1024

_METADATA = frozenset(map(ipaddress.ip_address, ("169.254.169.254", "168.63.129.16")))
"""Where clouds give their machines secrets."""
_PROVIDERS = ipaddress.ip_network("192.0.0.0/24")  # RFC 6890, 2.2.2; a cloud's metadata is there
_INNER: Final = (
    *(".local", ".lan", ".home", ".home.arpa", ".internal", ".intranet", ".corp"),
    *(".localdomain", ".localhost"),
)
"""Endings of names that are valid only inside one network (RFC 6762, RFC 8375, and usage)."""


def is_public(host: str) -> bool:
    """Whether an IP address is on the Internet and not in our own network, whose machines have IPv6
    addresses of the Internet, too. One that holds an IPv4 address (6to4, Teredo) may lead
    anywhere."""
    if classify_address(Address(host, FIRST_PORT)).reach not in (Reach.OUTSIDE, Reach.IPV6):
        return False
    ip = ipaddress.ip_address(host)
    if isinstance(ip, ipaddress.IPv6Address) and (ip.sixtofour or ip.teredo):
        return False
    near = ipaddress.ip_network((host, 32 if ip.version == 4 else 64), strict=False)
    return ip not in _PROVIDERS and not any(
        ipaddress.ip_address(own) in near for own in own_hosts()
    )


def may_be_dialled(address: Address) -> bool:
    """Whether a peer may send us to this address, by rules 1 to 3. True for a name, whose addresses
    have to be judged later."""
    host, port = address
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost" or port >= FIRST_PORT
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
    """Return the addresses of a whereabouts frame that we keep.

    We keep no address of our own machine: if we met the peer there, we know it already. We keep an
    address of a home network only if we met the peer on one. A name has to mean the same
    everywhere. *met_at*: the address of the connection."""
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
    """Whether this is a name that is valid in more than one network."""
    is_name = classify_address(Address(host, FIRST_PORT)).reach is Reach.GIVEN
    return is_name and "." in host and not host.endswith(_INNER)
