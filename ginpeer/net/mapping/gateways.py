"""The routers of this machine, and the address of ours that each of them knows.

# Rule 1: the reactor does not wait. Linux answers from two files of the kernel's at once; elsewhere
# a command of the system's is run in a thread, for COMMAND_SECONDS at most.
# Rule 2: the command is called by its full path, without a shell, and nothing of ours is in it.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred, succeed
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure

from ginpeer.net.mapping import routes

MAX_GATEWAYS = 2
"""Of one family: a cable and a wireless card."""
MAX_IPV6 = 3
"""Addresses of ours that are opened; a card may have many, most of them gone tomorrow."""
COMMAND_SECONDS = 2.0

_LINUX = (("/proc/net/route", routes.linux_ipv4), ("/proc/net/ipv6_route", routes.linux_ipv6))
# Where these stand on every such system; looking along PATH would run what a stranger put there.
_NETSTAT = ("/usr/sbin/netstat", "-rn")
_NETSTAT_BSD = ("/usr/bin/netstat", "-rn")
_ROUTE = (r"C:\Windows\System32\route.exe", "print")

_ELSEWHERE = {4: "192.0.2.1", 6: "2001:db8::1"}  # RFC 5737, RFC 3849
_DISCARD = 9


class Gateway(NamedTuple):
    """A router's address, and ours on the way to it; both IP addresses, of one family.

    An IPv6 router's may have a card: ``fe80::1%eth0``. Ours is then a global one, which the router
    is to let through, and a router comes as often as there are such addresses.
    """

    host: str
    own: str

    @property
    def ipv6(self) -> bool:
        return ":" in self.own


def find_gateways(
    reactor: Any, own: Iterable[str] = (), platform: str = sys.platform
) -> Deferred[tuple[Gateway, ...]]:
    """The routers, those of IPv4 first; none if there are none, or if the system does not say.

    *own*: our IPv6 addresses that are to be opened; without one, that which packets leave from.
    """
    six = tuple(own)
    kind = routes.readers_for(platform)
    if kind == "linux":
        names = tuple(name for path, read in _LINUX for name in read(_file(path)))
        return succeed(_with_own(names, six))
    pool = reactor.getThreadPool()
    asked: Deferred[tuple[str, ...]] = deferToThreadPool(reactor, pool, _ask_system, kind)

    def failed(_failure: Failure) -> tuple[str, ...]:
        return ()

    return asked.addErrback(failed).addCallback(_with_own, six)


def _file(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return file.read(routes.MAX_TABLE).decode("ascii", "replace")
    except OSError:
        return ""  # no IPv6, or no /proc


def _ask_system(kind: str) -> tuple[str, ...]:
    """Runs in a thread."""
    commands = (_ROUTE,) if kind == "route" else (_NETSTAT, _NETSTAT_BSD)
    read = routes.route_print if kind == "route" else routes.netstat
    for command in commands:
        try:
            said = subprocess.run(  # noqa: S603 - rule 2
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=COMMAND_SECONDS,
                check=False,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return read(said.stdout[: routes.MAX_TABLE].decode("ascii", "replace"))
    return ()


def _with_own(names: tuple[str, ...], six: tuple[str, ...]) -> tuple[Gateway, ...]:
    found: list[Gateway] = []
    for version in (4, 6):
        hosts = [name for name in names if (6 if ":" in name else 4) == version]
        for host in hosts[:MAX_GATEWAYS]:
            if version == 4:
                ours = tuple(filter(None, (own_towards(host),)))
            else:
                ours = six or tuple(filter(None, (own_towards(_ELSEWHERE[6]),)))
                ours = tuple(own for own in ours if _global(own))[:MAX_IPV6]
            found += (Gateway(host, own) for own in ours)
    return tuple(found)


def _global(own: str) -> bool:
    ip = ip_address(own)
    return not (ip.is_link_local or ip.is_loopback)


def own_towards(host: str) -> str | None:
    """Our address on the way there. Connecting a UDP socket sends nothing."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((host, _DISCARD))
            return str(probe.getsockname()[0])
    except OSError:
        return None
