"""The programs that run on the lab's machines besides ginpeer: miniupnpd, Tor, and servers of our
own for which Debian has no package."""

from __future__ import annotations

import sys

from tests.lab.topology import Daemon

STUN_PORT = 3478
_WEB_PORT = 5000
_STRICT_PORT = 5001


def miniupnpd(
    *,
    upnp: bool = True,
    pcp: bool = True,
    six: bool = False,
    allowed: bool = True,
    first_version: bool = False,
    only_own: bool = True,
    taken: int | None = None,
) -> Daemon:
    """Return a router's miniupnpd between its interfaces wan and lan. *pcp*: it supports PCP and
    NAT-PMP. *six*: it opens IPv6 pinholes. *allowed*: it grants requests. *first_version*: it
    claims to be an IGD of version 1. *only_own*: clients may map ports to themselves only. *taken*:
    an external port that another machine in the home already uses."""
    settings = {
        "ext_ifname": "wan",
        "listening_ip": "lan",
        "http_port": str(_WEB_PORT),
        "enable_upnp": _yes(upnp),
        "enable_natpmp": _yes(pcp),
        "ipv6_disable": _yes(not six),
        "upnp_table_name": "router",
        "upnp_nat_table_name": "router",
        "secure_mode": _yes(only_own),
        "min_lifetime": "120",
        "max_lifetime": "86400",
        "lease_file": "{dir}/leases",
        "force_igd_desc_v1": _yes(first_version),
        "uuid": "00000000-0000-4000-8000-000000004466",
    }
    lines = [f"{name}={value}" for name, value in settings.items()]
    lines.append(f"{'allow' if allowed else 'deny'} 1024-65535 0.0.0.0/0 1024-65535")
    lines.append("deny 0-65535 0.0.0.0/0 0-65535")
    lease = "" if taken is None else f"TCP:{taken}:192.168.1.9:{taken}:0:a console\n"
    return Daemon(
        "miniupnpd",
        ("miniupnpd", "-d", "-f", "{dir}/conf", "-P", "{dir}/pid"),
        (("conf", "\n".join(lines) + "\n"), ("leases", lease)),
        ready=r"HTTP listening on port|Listening for NAT-PMP",
    )


def _yes(what: bool) -> str:
    return "yes" if what else "no"


# If the router doesn't support leases, web requests for miniupnpd go here first.
STRICT_REDIRECT = f"""
table ip strict {{
  chain prerouting {{
    type nat hook prerouting priority -101; policy accept;
    iifname "lan" tcp dport {_WEB_PORT} redirect to :{_STRICT_PORT}
  }}
}}
"""


def deaf_to(version: int) -> str:
    """Return rules for a router whose miniupnpd never receives NAT-PMP (version 0) or PCP (version
    2). miniupnpd itself can't enable one without the other."""
    return f"""
table ip deaf{version} {{
  chain input {{
    type filter hook input priority -10; policy accept;
    iifname "lan" udp dport 5351 @th,64,8 {version} drop
  }}
}}
"""


NATPMP, PCP = 0, 2


def only_permanent() -> Daemon:
    """Return a daemon in front of miniupnpd that refuses leases, as many routers do (error 725)."""
    return Daemon(
        "only-permanent",
        (sys.executable, "-m", "tests.lab.only_permanent", f"{_STRICT_PORT}", f"{_WEB_PORT}"),
        ready="listening",
    )


def stun() -> Daemon:
    """Return a STUN server for players who name it in an option."""
    return Daemon(
        "stun", (sys.executable, "-m", "tests.lab.stun_server", f"{STUN_PORT}"), ready="listening"
    )


TOR_ADDRESSES = tuple(f"45.30.1.{number}" for number in range(2, 7))


def tor_network() -> Daemon:
    """Return a whole Tor network, on a machine called tornet."""
    return Daemon(
        "network",
        (sys.executable, "-m", "tests.lab.tor_network", "{dir}", *TOR_ADDRESSES),
        ready="^agreed$",
        seconds=120,
    )


_TOR = """
%include {dir}/../tornet-network/authorities
DataDirectory {dir}/data
SocksPort 127.0.0.1:9050
ControlPort 127.0.0.1:9051
CookieAuthentication 1
"""


def tor() -> Daemon:
    """Return a player's Tor, as Debian installs it, for use with `tor_network`."""
    return Daemon(
        "tor",
        ("tor", "-f", "{dir}/torrc", "--defaults-torrc", "{dir}/nothing"),
        (("torrc", _TOR), ("nothing", "")),
        ready=r"Bootstrapped 100%",
        seconds=120,
    )
