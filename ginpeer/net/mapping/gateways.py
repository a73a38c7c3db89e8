"""This machine's routers, and our own address on the route to each of them.

Each system prints the routing table in its own format, and pure functions read it. An IPv6 router
usually has a link-local address, written with the network interface: ``fe80::1%eth0``.

Rule 1: the reactor is never blocked. Linux answers immediately from two kernel files; elsewhere a
system command runs in a thread, for at most COMMAND_SECONDS.
Rule 2: the command is called by its full path, without a shell, with fixed arguments.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure

from ginpeer.net.address import ip_of
from ginpeer.net.own_addresses import ELSEWHERE, own_towards

MAX_GATEWAYS = 2  # routers to ask for each IP version: one by cable and one by Wi-Fi
MAX_IPV6 = 3  # of our addresses to ask for; an interface may have many, most of them short-lived
COMMAND_SECONDS = 2.0
MAX_TEXT = 1 << 18  # bytes of a file or a command's output; a routing table has a few thousand

# The fixed paths of these commands. Searching PATH could run a stranger's program.
_NETSTAT = ("/usr/sbin/netstat", "-rn")
_NETSTAT_BSD = ("/usr/bin/netstat", "-rn")
_ROUTE = (r"C:\Windows\System32\route.exe", "print")

_Value = TypeVar("_Value")


class Gateway(NamedTuple):
    """A router's IP address, and our own IP address on the route to it. An IPv6 router's address
    may name a network interface: ``fe80::1%eth0``. Our address is then a global one that the router
    should let through; there is one Gateway for each such address."""

    host: str
    own_address: str

    @property
    def ipv6(self) -> bool:
        return ":" in self.own_address


def find_gateways(
    reactor: Any, own: Iterable[str] = (), platform: str = sys.platform
) -> Deferred[tuple[Gateway, ...]]:
    """Find the routers, IPv4 first; none if the system lists none. *own*: our IPv6 addresses to let
    through; by default the one from which packets leave."""
    six = tuple(own)
    kind = reader_name(platform)
    if kind == "linux":
        names = linux_ipv4(read_system_file("/proc/net/route"))
        names += linux_ipv6(read_system_file("/proc/net/ipv6_route"))
        return succeed(_with_own(names, six))
    pool = reactor.getThreadPool()
    asked: Deferred[tuple[str, ...]] = deferToThreadPool(reactor, pool, _ask_system, kind)
    return asked.addErrback(instead_of_error, ()).addCallback(_with_own, six)


def instead_of_error(failure: Failure, value: _Value) -> _Value:
    """Return *value* after any error, except a cancellation, which is raised again."""
    if isinstance(failure.value, CancelledError):
        failure.raiseException()
    return value


def read_system_file(path: str) -> str:
    """Return a file's text; empty if the system has no such file, or doesn't let us read it."""
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_TEXT).decode("ascii", "replace")
    except OSError:
        return ""


def _ask_system(kind: str) -> tuple[str, ...]:
    """Run a system command for the routing table. Call this in a thread."""
    commands = (_ROUTE,) if kind == "route" else (_NETSTAT, _NETSTAT_BSD)
    read = route_print if kind == "route" else netstat
    for command in commands:
        said = run_command(command, COMMAND_SECONDS)
        if said is not None:
            return read(said.text)
    return ()


class CommandResult(NamedTuple):
    status: int
    text: str


def run_command(command: tuple[str, ...], seconds: float) -> CommandResult | None:
    """Run a system command (rule 2) for at most this many seconds. Return None if it doesn't exist
    or takes too long. Call this in a thread."""
    try:
        said = subprocess.run(  # noqa: S603 - rule 2
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return CommandResult(said.returncode, said.stdout[:MAX_TEXT].decode("ascii", "replace"))


def _with_own(names: tuple[str, ...], six: tuple[str, ...]) -> tuple[Gateway, ...]:
    four = [name for name in names if ":" not in name][:MAX_GATEWAYS]
    found = [Gateway(host, own) for host in four if (own := own_towards(host)) is not None]
    ours = [ip_address(own) for own in six or (own_towards(ELSEWHERE[1]),) if own is not None]
    usable = [str(ip) for ip in ours if not (ip.is_link_local or ip.is_loopback)][:MAX_IPV6]
    routers = [name for name in names if ":" in name][:MAX_GATEWAYS]
    return (*found, *(Gateway(host, own) for host in routers for own in usable))


# --- reading the routing table ------------------------------------------------------------------

_NAME = re.compile(r"[0-9a-f.:]+(%[^\s%/:]{1,32})?", re.ASCII)
_INTERFACE_ID = (1 << 64) - 1  # RFC 4291, 2.5.1: the part of an IPv6 address that names a machine
_UP, _GATEWAY, _REJECT = 0x1, 0x2, 0x200  # linux/route.h


def linux_ipv4(table: str) -> tuple[str, ...]:
    """Return the routers in the text of /proc/net/route, sorted by metric. Routes into a tunnel
    have no gateway, and are left out."""
    found = []
    for line in table.splitlines()[1:]:
        words = line.split()
        try:
            destination, gateway, flags, mask = (int(words[i], 16) for i in (1, 2, 3, 7))
            metric = int(words[6])
            # The kernel prints the four bytes as one number in this machine's byte order.
            packed = struct.pack("=I", gateway)
        except (ValueError, IndexError, struct.error):
            continue
        if (destination, mask) == (0, 0) and flags & (_UP | _GATEWAY) == _UP | _GATEWAY:
            found.append((metric, str(IPv4Address(packed))))
    return _unique(found)


def linux_ipv6(table: str) -> tuple[str, ...]:
    """Return the routers in the text of /proc/net/ipv6_route, sorted by metric."""
    found = []
    for line in table.splitlines():
        words = line.split()
        try:
            destination, length = int(words[0], 16), int(words[1], 16)
            gateway = IPv6Address(bytes.fromhex(words[4]))
            metric, flags, interface = int(words[5], 16), int(words[8], 16), words[9]
        except (ValueError, IndexError):
            continue
        wanted = flags & (_UP | _GATEWAY | _REJECT) == _UP | _GATEWAY
        if (destination, length) == (0, 0) and wanted:
            found.append((metric, _scoped(gateway, interface)))
    return _unique(found)


def netstat(table: str) -> tuple[str, ...]:
    """Return the routers in the output of ``netstat -rn`` on macOS or a BSD, for IPv4 and IPv6."""
    found = []
    for line in table.splitlines():
        words = line.split()
        if len(words) < 4 or words[0] not in ("default", "0.0.0.0/0", "::/0"):
            continue
        host, _, interface = words[1].partition("%")
        ip = ip_of(host)
        if ip is None or int(ip) & _INTERFACE_ID == 0:  # tunnels: link#12, fe80::%utun0
            continue
        found.append((0, _scoped(ip, interface or words[3]) if ip.version == 6 else str(ip)))
    return _unique(found)


def route_print(table: str) -> tuple[str, ...]:
    """Return the routers in the output of Windows' ``route print``, sorted by metric. Its headings
    are in the system's language, but the order of its columns is fixed."""
    found = []
    for line in table.splitlines():
        words = line.split()
        try:
            if len(words) == 5 and words[:2] == ["0.0.0.0", "0.0.0.0"]:  # noqa: S104 - a route
                found.append((int(words[4]), str(IPv4Address(words[2]))))
            elif len(words) == 4 and words[2] == "::/0":  # interface, metric, network, gateway
                found.append((int(words[1]), _scoped(IPv6Address(words[3]), str(int(words[0])))))
        except ValueError:
            continue  # "On-link", in any language
    return _unique(found)


def _scoped(ip: IPv4Address | IPv6Address, interface: str) -> str:
    plain = str(ip).partition("%")[0]
    return f"{plain}%{interface}" if ip.is_link_local else plain


def _unique(found: list[tuple[int, str]]) -> tuple[str, ...]:
    found.sort(key=lambda each: each[0])
    return tuple(dict.fromkeys(name for _, name in found if _NAME.fullmatch(name)))


def reader_name(platform: str = sys.platform) -> str:
    """Return the format of this system's routing table: ``linux``, ``netstat`` or ``route``."""
    if platform.startswith(("linux", "android")):
        return "linux"
    return "route" if platform in ("win32", "cygwin") else "netstat"
