"""The default gateways in a routing table, as each system writes it. Pure: text in, names out.

IPv6 gateways mostly have link-local addresses, and come with their card: ``fe80::1%eth0``.
"""

from __future__ import annotations

import re
import struct
import sys
from ipaddress import IPv4Address, IPv6Address, ip_address

MAX_TABLE = 1 << 18
"""Bytes of a routing table that are looked at; a home's has a few thousand."""

_NAME = re.compile(r"[0-9a-f.:]+(%[^\s%/:]{1,32})?", re.ASCII)
_UP, _GATEWAY, _REJECT = 0x1, 0x2, 0x200  # linux/route.h


def linux_ipv4(table: str) -> tuple[str, ...]:
    """From /proc/net/route, by metric. Routes into a tunnel have no gateway, and are left out."""
    found = []
    for line in table.splitlines()[1:]:
        words = line.split()
        try:
            destination, gateway, flags, mask = (int(words[i], 16) for i in (1, 2, 3, 7))
            metric = int(words[6])
            # The kernel prints the four bytes as one number of this machine's own order.
            packed = struct.pack("=I", gateway)
        except (ValueError, IndexError, struct.error):
            continue
        if (destination, mask) == (0, 0) and flags & (_UP | _GATEWAY) == _UP | _GATEWAY:
            found.append((metric, str(IPv4Address(packed))))
    return _unique(found)


def linux_ipv6(table: str) -> tuple[str, ...]:
    """From /proc/net/ipv6_route, by metric."""
    found = []
    for line in table.splitlines():
        words = line.split()
        try:
            destination, length = int(words[0], 16), int(words[1], 16)
            gateway = IPv6Address(bytes.fromhex(words[4]))
            metric, flags, card = int(words[5], 16), int(words[8], 16), words[9]
        except (ValueError, IndexError):
            continue
        wanted = flags & (_UP | _GATEWAY | _REJECT) == _UP | _GATEWAY
        if (destination, length) == (0, 0) and wanted:
            found.append((metric, _scoped(gateway, card)))
    return _unique(found)


def netstat(table: str) -> tuple[str, ...]:
    """From ``netstat -rn`` of macOS and the BSDs, in its order; both families in one table."""
    found = []
    for line in table.splitlines():
        words = line.split()
        if len(words) < 4 or words[0] not in ("default", "0.0.0.0/0", "::/0"):
            continue
        host, _, card = words[1].partition("%")
        try:
            ip = ip_address(host)
        except ValueError:
            continue  # link#12: a tunnel
        if ip.is_unspecified:
            continue
        found.append((0, _scoped(ip, card or words[3]) if ip.version == 6 else str(ip)))
    return _unique(found)


def route_print(table: str) -> tuple[str, ...]:
    """From ``route print`` of Windows, by metric. Its headings are in the system's language; the
    order of the columns is not."""
    found = []
    for line in table.splitlines():
        words = line.split()
        try:
            if len(words) == 5 and words[:2] == ["0.0.0.0", "0.0.0.0"]:  # noqa: S104 - a route
                found.append((int(words[4]), str(IPv4Address(words[2]))))
            elif len(words) == 4 and words[2] == "::/0":  # card, metric, network, gateway
                found.append((int(words[1]), _scoped(IPv6Address(words[3]), str(int(words[0])))))
        except ValueError:
            continue  # "On-link", in whatever language
    return _unique(found)


def _scoped(ip: IPv4Address | IPv6Address, card: str) -> str:
    plain = str(ip).partition("%")[0]
    return f"{plain}%{card}" if ip.is_link_local else plain


def _unique(found: list[tuple[int, str]]) -> tuple[str, ...]:
    found.sort(key=lambda each: each[0])
    return tuple(dict.fromkeys(name for _, name in found if _NAME.fullmatch(name)))


def readers_for(platform: str = sys.platform) -> str:
    """Which of these a system needs: ``linux``, ``netstat`` or ``route``."""
    if platform.startswith(("linux", "android")):
        return "linux"
    return "route" if platform in ("win32", "cygwin") else "netstat"
