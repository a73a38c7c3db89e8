"""The table of all codes that `ginpeer doctor` may report.

Codes are stable, since `--json` prints them. Each has a meaning for a friend (``yes``, ``maybe``,
``no`` or ``unknown``: can they connect?), a sentence for our player, and the code of a remedy. A
sentence may contain ``{port}`` and ``{command}`` (how this program is called).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class DoctorFinding(NamedTuple):
    """A code's meaning for a friend, its sentence, and the code of a remedy, if any."""

    meaning: str
    sentence: str = ""
    remedy: str = ""


FIREWALLS: Final = {
    "off": DoctorFinding("yes", "is off."),
    "port-open": DoctorFinding("yes", "is on, but a rule lets in connections to TCP port {port}."),
    "on": DoctorFinding("maybe", "is on, and lets in only what its rules allow.", "own-firewall"),
    "all-closed": DoctorFinding("no", "blocks all connections from outside.", "own-firewall"),
    "unseen": DoctorFinding("unknown", "is visible only to root."),
    "unknown": DoctorFinding("unknown", "can't be seen from here."),
}
"""How this machine's own firewall treats a connection from outside."""

UPSTREAM: Final = {
    "nothing": DoctorFinding(
        "yes", "No second router and no shared address (CGNAT) was found on the way out."
    ),
    "second-router": DoctorFinding(
        "maybe", "There's another router between yours and the Internet."
    ),
    "router-without-address": DoctorFinding(
        "maybe",
        "The router has no public address: your provider shares one address among many customers "
        "(CGNAT), there's another router in front of it, or it's offline.",
    ),
    "shared-address": DoctorFinding(
        "no", "Your Internet provider shares one address among many customers (CGNAT)."
    ),
    "unknown": DoctorFinding("unknown"),
}
"""What is between the router and the Internet."""

PINHOLES: Final = {
    "mapped": DoctorFinding("yes", "the router opens a port for it"),
    "firewall-off": DoctorFinding("yes", "the router blocks nobody"),
}
OTHER_PINHOLE: Final = DoctorFinding(
    "maybe",
    "a friend can connect only if no router blocks incoming connections, and ginpeer can't check "
    "that from here",
)
"""What a router does with IPv6 connections; OTHER_PINHOLE is for every other code."""

_FORWARD = (
    "if you have set your router to forward TCP port {port} to this machine. The router didn't "
    "open a port when asked, but ginpeer can't see a port forward that you set up by hand"
)
_BOTH_FORWARD = (
    "if you have set both routers to forward TCP port {port} towards this machine. There is "
    "another router beyond yours, and ginpeer can't see port forwards that you set up by hand"
)
_SILENT_OR_UNWILLING = DoctorFinding("maybe", _FORWARD, "switch-on")

REASONS: Final[Mapping[str, DoctorFinding]] = {
    # by any network
    "address": DoctorFinding("yes"),
    "no-address": DoctorFinding("no", "because this machine has no suitable address"),
    "no-route": DoctorFinding("no", "because this machine isn't connected", "connect"),
    # by IPv4
    "own-address": DoctorFinding("yes", "because this machine has a public address"),
    "forwarded": DoctorFinding("yes", "if your router forwards the port, as you say"),
    "mapped": DoctorFinding("yes", "because the router opens the port"),
    "vpn": DoctorFinding("no", "because the VPN carries all traffic", "vpn"),
    "shared-address": DoctorFinding(
        "no",
        "because your provider shares the address among many customers (CGNAT)",
        "shared-address",
    ),
    "second-router": DoctorFinding("maybe", _BOTH_FORWARD, "second-router"),
    "router-between": DoctorFinding("maybe", _BOTH_FORWARD, "second-router"),
    "router-without-address": DoctorFinding(
        "maybe",
        _BOTH_FORWARD.replace(
            "There is another router beyond yours", "Your router has no public address"
        ),
        "no-own-address",
    ),
    "no-gateway": DoctorFinding(
        "maybe",
        "if you have set a router to forward TCP port {port} to this machine. ginpeer found no "
        "router to ask, and can't see a port forward that you set up by hand",
        "forward",
    ),
    "answer-late": DoctorFinding("maybe", _FORWARD, "ask-again"),
    "not-allowed": _SILENT_OR_UNWILLING,
    "refused": _SILENT_OR_UNWILLING,
    "not-offered": _SILENT_OR_UNWILLING,
    "no-answer": _SILENT_OR_UNWILLING,
    "version-unsupported": _SILENT_OR_UNWILLING,
    "not-asked": DoctorFinding("unknown", "the router wasn't asked", "ask-router"),
    # by IPv6
    "firewall-off": DoctorFinding("yes", "because the router blocks nobody"),
    "router-may-close": DoctorFinding("maybe", "unless the router blocks connections from outside"),
    # with a reply code: both dial
    "outside-known": DoctorFinding("maybe", "which works with most routers"),
    "ports-change": DoctorFinding(
        "maybe",
        "but that probably won't work: your router seems to give every connection a different port",
    ),
    "ipv6": DoctorFinding("maybe", "if your friend has IPv6, too"),
    "stun-needed": DoctorFinding(
        "maybe",
        "if your friend's machine can be reached, or if you both allow public STUN servers "
        "(--stun public)",
    ),
    # through Tor
    "control-port": DoctorFinding("maybe"),
    "no-control-port": DoctorFinding("no", remedy="tor-control"),
    "no-tor": DoctorFinding("no", remedy="tor"),
}
"""Why a friend can connect, may connect, or can't."""

OTHER_REASON: Final = DoctorFinding("maybe", _FORWARD, "forward")
"""The finding for every other code of a router that doesn't open a port."""

FIREWALL_REASONS: Final = {
    "no": "because this machine's own firewall blocks connections from outside",
    "maybe": "if this machine's own firewall lets them in",
}
"""The sentence for the reason ``own-firewall``, by its meaning for a friend."""

REMEDIES: Final = {
    "connect": "Connect this machine to a network.",
    "own-firewall": "Allow TCP port {port}, or ginpeer, in this machine's own firewall.",
    "vpn": "Turn off the VPN while you play, or have your friend join it.",
    "ask-router": "Run {command} doctor without --no-mapping, so that it asks the router.",
    "ask-again": "Run {command} doctor again: your router speaks UPnP but was slow.",
    "switch-on": (
        "Turn on UPnP, NAT-PMP or PCP in your router's settings. Or forward TCP port {port} to "
        "this machine, and give the router's public address to {command} host --advertise."
    ),
    "forward": (
        "Forward TCP port {port} to this machine in your router's settings, and give the "
        "router's public address to {command} host --advertise."
    ),
    "shared-address": (
        "Ask your Internet provider for an IPv4 address of your own, or for IPv6; or let your "
        "friend host."
    ),
    "no-own-address": (
        "If you have another router in front of this one, forward TCP port {port} there. "
        "Otherwise ask your Internet provider for an IPv4 address of your own, or for IPv6."
    ),
    "second-router": (
        "In the router nearest to the Internet, forward TCP port {port} to yours, or switch it "
        "to bridge mode (modem only)."
    ),
    "tor-control": (
        "Let ginpeer control Tor: set ControlPort 9051 and CookieAuthentication 1 in its torrc. "
        "Then friends can connect with {command} host --tor."
    ),
    "tor": "Tor lets friends connect if you both install and start it: {command} host --tor.",
}
"""What would help: a sentence for each code."""
