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
    "off": DoctorFinding("yes", "keeps nobody out."),
    "port-open": DoctorFinding("yes", "is closed, but a rule lets TCP port {port} in."),
    "on": DoctorFinding("maybe", "is on, and lets in only whom it was told to.", "own-firewall"),
    "all-closed": DoctorFinding("no", "keeps everybody out.", "own-firewall"),
    "unseen": DoctorFinding("unknown", "cannot be seen without root."),
    "unknown": DoctorFinding("unknown", "cannot be seen from here."),
}
"""How this machine's own firewall treats a connection from outside."""

UPSTREAM: Final = {
    "nothing": DoctorFinding(
        "yes", "No second router and no shared address (CGNAT) is to be seen on the way out."
    ),
    "second-router": DoctorFinding(
        "maybe", "Another router stands between yours and the Internet."
    ),
    "router-without-address": DoctorFinding(
        "maybe",
        "The router has no address of the Internet: the provider shares one among many customers "
        "(CGNAT), or another router is before it, or it is offline.",
    ),
    "shared-address": DoctorFinding(
        "no", "Your Internet provider shares one address among many customers (CGNAT)."
    ),
    "unknown": DoctorFinding("unknown"),
}
"""What is between the router and the Internet."""

PINHOLES: Final = {
    "mapped": DoctorFinding("yes", "the router opens a way in"),
    "firewall-off": DoctorFinding("yes", "the router keeps nobody out"),
}
OTHER_PINHOLE: Final = DoctorFinding(
    "maybe",
    "a friend gets in there only if no router keeps strangers out, which cannot be seen from here",
)
"""What a router does with IPv6 connections; OTHER_PINHOLE is for every other code."""

_FORWARD = (
    "if you have set your router to forward TCP port {port} to this machine: it opened no port "
    "when asked, and ginpeer can't see a port forward that you set up by hand"
)
_BOTH_FORWARD = (
    "if you have set both routers to forward TCP port {port} towards this machine: there is "
    "another router beyond yours, and ginpeer can't see port forwards that you set up by hand"
)
_SILENT_OR_UNWILLING = DoctorFinding("maybe", _FORWARD, "switch-on")

REASONS: Final[Mapping[str, DoctorFinding]] = {
    # by any network
    "address": DoctorFinding("yes"),
    "no-address": DoctorFinding("no", "as this machine has no such address"),
    "no-route": DoctorFinding("no", "as this machine has no way out", "connect"),
    # by IPv4
    "own-address": DoctorFinding("yes", "as this machine has an address of the Internet itself"),
    "forwarded": DoctorFinding("yes", "as you say that your router forwards the port"),
    "mapped": DoctorFinding("yes", "as the router opens a way"),
    "vpn": DoctorFinding("no", "as all goes by the VPN", "vpn"),
    "shared-address": DoctorFinding(
        "no", "as the provider shares the address among many (CGNAT)", "shared-address"
    ),
    "second-router": DoctorFinding("maybe", _BOTH_FORWARD, "second-router"),
    "router-between": DoctorFinding("maybe", _BOTH_FORWARD, "second-router"),
    "router-without-address": DoctorFinding(
        "maybe",
        _BOTH_FORWARD.replace(
            "there is another router beyond yours", "yours has no public address"
        ),
        "no-own-address",
    ),
    "no-gateway": DoctorFinding(
        "maybe",
        "if you have set a router to forward TCP port {port} to this machine: ginpeer found no "
        "router to ask, and can't see a port forward that you set up by hand",
        "forward",
    ),
    "answer-late": DoctorFinding("maybe", _FORWARD, "ask-again"),
    "not-allowed": _SILENT_OR_UNWILLING,
    "refused": _SILENT_OR_UNWILLING,
    "not-offered": _SILENT_OR_UNWILLING,
    "no-answer": _SILENT_OR_UNWILLING,
    "version-unsupported": _SILENT_OR_UNWILLING,
    "not-asked": DoctorFinding("unknown", "the router was not asked", "ask-router"),
    # by IPv6
    "firewall-off": DoctorFinding("yes", "as the router keeps nobody out"),
    "router-may-close": DoctorFinding("maybe", "if the router does not keep strangers out"),
    # with a reply code: both dial
    "outside-known": DoctorFinding("maybe", "which most routers let through"),
    "ports-change": DoctorFinding(
        "maybe",
        "unless your router gives every connection a different port, and it seems to",
    ),
    "ipv6": DoctorFinding("maybe", "if the friend has IPv6, too"),
    "stun-needed": DoctorFinding(
        "maybe",
        "if the friend can be dialled, or if both of you let public STUN servers be asked "
        "(--stun public)",
    ),
    # through Tor
    "control-port": DoctorFinding("maybe"),
    "no-control-port": DoctorFinding("no", remedy="tor-control"),
    "no-tor": DoctorFinding("no", remedy="tor"),
}
"""Why a friend can connect, may connect, or can't."""

OTHER_REASON: Final = DoctorFinding("maybe", _FORWARD, "forward")
"""The finding for every other code of a router that opens no port."""

FIREWALL_REASONS: Final = {
    "no": "as this machine's own firewall keeps strangers out",
    "maybe": "as far as this machine's own firewall lets anybody in",
}
"""The sentence for the reason ``own-firewall``, by its meaning for a friend."""

REMEDIES: Final = {
    "connect": "Connect this machine to a network with a way out.",
    "own-firewall": "Let TCP port {port}, or ginpeer, in through this machine's own firewall.",
    "vpn": "Turn the VPN off while you play, or let your friend join it.",
    "ask-router": "Run {command} doctor without --no-mapping, and it asks the router.",
    "ask-again": "Run {command} doctor again: your router speaks UPnP but was slow.",
    "switch-on": "Switch UPnP, NAT-PMP or PCP on in your router's settings, or let it forward TCP "
    "port {port} to this machine and name its outside address with {command} host --advertise.",
    "forward": "Let your router forward TCP port {port} to this machine, and name its outside "
    "address with {command} host --advertise.",
    "shared-address": "Ask your Internet provider for an IPv4 address of your own, or for IPv6; "
    "or let your friend host.",
    "no-own-address": "If another router of yours is before this one, let it forward TCP port "
    "{port}; else ask your Internet provider for an IPv4 address of your own, or for IPv6.",
    "second-router": "Let the router that is nearer to the Internet forward TCP port {port} to "
    "yours, or make it a mere modem (bridge mode).",
    "tor-control": "Let Tor take orders: ControlPort 9051 and CookieAuthentication 1 in its torrc; "
    "then {command} host --tor leads a friend here.",
    "tor": "Tor is another way, if both of you install and start it: {command} host --tor leads a "
    "friend here.",
}
"""What would help: a sentence for each code."""
