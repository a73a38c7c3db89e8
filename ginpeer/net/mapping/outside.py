"""What a router's outside address is worth: whether the Internet can reach it."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

IP = IPv4Address | IPv6Address

_HOMES = tuple(ip_network(n) for n in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))  # RFC 1918
_SHARED = (
    ip_network("100.64.0.0/10"),  # RFC 6598: a provider's router that many customers share
    ip_network("192.0.0.0/24"),  # RFC 6333: the same by way of IPv6
)
_NOBODY = tuple(
    ip_network(n) for n in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3")
)
_GLOBAL = ip_network("2000::/3")  # RFC 4291, 2.4, and what IANA has given out

GRANT_SENTENCES = {
    "mapped": "The router has opened the port.",
    "second-router": "The router has opened the port, but stands behind another router, which "
    "has not.",
    "shared-address": "The router has opened the port, but the Internet provider shares one "
    "address among many customers, so nobody outside can reach it.",
    "outside-unknown": "The router has opened the port, but does not say at which address.",
}


def classify_public_address(host: str | None) -> str:
    """The code, one of GRANT_SENTENCES, for the address at which a router says that it opened a port.

    Documentation addresses (RFC 5737) pass: nobody has one at home, and labs are built of them.
    """
    if host is None:
        return "outside-unknown"
    try:
        ip = ip_address(host)
    except ValueError:
        return "outside-unknown"
    if isinstance(ip, IPv6Address):
        return "mapped" if ip in _GLOBAL and ip.ipv4_mapped is None else "outside-unknown"
    if any(ip in network for network in _HOMES):
        return "second-router"
    if any(ip in network for network in _SHARED):
        return "shared-address"
    return "outside-unknown" if any(ip in network for network in _NOBODY) else "mapped"
