"""Conclusions from a diagnosis: our public address, how a friend can connect, what would help.

Rule 1: this module is pure. Each conclusion is a code with a reason; cli/text puts it into words.
Rule 2: anything that we didn't ask about or can't see is ``unknown`` or ``maybe``, never yes or no.
We can't see a port forward that somebody has set up by hand. So if one would be enough, the answer
isn't no just because the router opens nothing.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from ginpeer.net.address import Address
from ginpeer.net.diagnosis import Diagnosis
from ginpeer.net.mapping.results import RouterAnswer, classify_public_address
from ginpeer.net.own_addresses import PROVIDERS, SHARED, TUNNELS, OwnAddress, Reach

MAX_REMEDIES = 2

# --- the codes ------------------------------------------------------------------------------
#
# Codes are stable, since `--json` prints them. Each has a meaning for a friend (``yes``, ``maybe``,
# ``no`` or ``unknown``: can they connect?), a sentence for our player, and the code of a remedy. A
# sentence may contain ``{port}`` and ``{command}`` (the command that runs this program).


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
    "unseen": DoctorFinding("unknown", "can be checked only by root."),
    "unknown": DoctorFinding("unknown", "can't be checked from here."),
}
"""How this machine's own firewall treats a connection from outside."""

UPSTREAM: Final = {
    "nothing": DoctorFinding("yes", "No second router or shared address (CGNAT) was found."),
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
    "firewall-off": DoctorFinding("yes", "the router doesn't block incoming connections"),
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
    # over any network
    "address": DoctorFinding("yes"),
    "no-address": DoctorFinding("no", "because this machine has no suitable address"),
    "no-route": DoctorFinding("no", "because this machine isn't connected", "connect"),
    # over IPv4
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
    # over IPv6
    "firewall-off": DoctorFinding("yes", "because the router doesn't block incoming connections"),
    "router-may-close": DoctorFinding("maybe", "unless the router blocks connections from outside"),
    # with a reply code, both sides dial
    "outside-known": DoctorFinding("maybe", "which works with most routers"),
    "ports-change": DoctorFinding(
        "maybe",
        "though probably not, because your router seems to give every connection a different port",
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
        "In the router nearest to the Internet, forward TCP port {port} to your inner router, or "
        "switch the outer one to bridge mode (modem only)."
    ),
    "tor-control": (
        "Let ginpeer control Tor: set ControlPort 9051 and CookieAuthentication 1 in its torrc. "
        "Then friends can connect with {command} host --tor."
    ),
    "tor": "Tor lets friends connect if you both install and start it: {command} host --tor.",
}
"""What would help: a sentence for each code."""

# --- conclusions ----------------------------------------------------------------------------

_OPENED = ("mapped", "opened-too", "shared-address", "second-router", "outside-unknown")

# If a router refuses with several codes, report the first of these, the most informative.
_TELLING = (
    *("router-without-address", "router-between", "not-allowed", "refused", "no-room"),
    *("port-taken", "outside-unknown", "answer-late", "no-answer", "router-unreachable"),
)


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """Our public IPv4 address, and where we learned it: ``own`` (a network interface), ``stun`` or
    ``router``."""

    host: str
    told_by: str


@dataclass(frozen=True, slots=True)
class Ipv6Status:
    """The state of IPv6 on this machine. *host*: a global address of ours. *route*: whether packets
    leave over IPv6. *pinhole*: the router's answer when asked to let a friend through (``mapped``,
    ``firewall-off``, or why not); None if it wasn't asked."""

    host: str | None
    route: bool
    pinhole: str | None


class ConnectionMethod(Enum):
    HOME = "home"
    IPV4 = "ipv4"
    IPV6 = "ipv6"
    REPLY = "reply"  # with a reply code: both sides dial
    TOR = "tor"


@dataclass(frozen=True, slots=True)
class Reachability:
    """Whether a friend can connect by one method. *code*: ``yes``, ``maybe``, ``no`` or
    ``unknown``. *reason*: a code of REASONS."""

    method: ConnectionMethod
    code: str
    reason: str


def find_public_address(found: Diagnosis) -> PublicAddress | None:
    """Return our public IPv4 address, or None if it isn't known."""
    if _has_public_interface(found):
        own = next(each for each in found.own if each.reach is Reach.OUTSIDE and each.leaves)
        return PublicAddress(own.host, "own")
    seen = found.stun.outside if found.stun is not None else None
    if seen is not None and ":" not in seen.host and classify_public_address(seen.host) == "mapped":
        return PublicAddress(seen.host, "stun")
    named = _public_hosts_of_routers(found)
    return PublicAddress(named[0], "router") if named else None


def upstream_nat(found: Diagnosis) -> str:
    """Return what is between our router and the Internet, as a code of UPSTREAM."""
    if _has_public_interface(found):
        return "nothing"
    if any(own.leaves and _is_shared(own) for own in found.own):
        return "shared-address"
    codes = {answer.code for answer in _answers(found, ipv6=False)}
    for code in ("shared-address", "second-router", "router-without-address"):
        if code in codes:
            return code
    public, named = find_public_address(found), _public_hosts_of_routers(found)
    if public is not None and public.told_by == "stun" and named and public.host not in named:
        return "second-router"  # our router's address isn't the one that the STUN server sees
    return "nothing" if named else "unknown"


def granting_protocols(found: Diagnosis) -> tuple[str, ...]:
    """List the protocols over which a router of ours has opened the port, for IPv4 or IPv6."""
    answers = found.router_report.answers if found.router_report is not None else ()
    return tuple(dict.fromkeys(each.protocol.value for each in answers if each.code in _OPENED))


def ipv6_status(found: Diagnosis) -> Ipv6Status:
    hosts = [own for own in found.own if own.reach is Reach.IPV6]
    codes = [answer.code for answer in _answers(found, ipv6=True)]
    best = [code for code in PINHOLES if code in codes] or codes
    host, pinhole = hosts[0].host if hosts else None, best[0] if best else None
    return Ipv6Status(host, any(own.leaves for own in hosts), pinhole)


def uses_vpn(found: Diagnosis) -> bool:
    """Return whether packets leave through a VPN, so that others see its address, not ours."""
    leaving = [own for own in found.own if own.leaves and ":" not in own.host]
    return any(own.reach is Reach.VPN and not _is_shared(own) for own in leaving)


# --- a friend -------------------------------------------------------------------------------


def assess_reachability(found: Diagnosis) -> tuple[Reachability, ...]:
    """Return for each method whether a friend can connect, and why."""
    near = (Reach.HOME, Reach.OUTSIDE, Reach.IPV6, Reach.LINK)
    home = "address" if any(own.reach in near for own in found.own) else "no-address"
    ipv6 = _ipv6_reason(found)
    return (
        _past_firewall(found, ConnectionMethod.HOME, home),
        _past_firewall(found, ConnectionMethod.IPV4, _ipv4_reason(found)),
        _past_firewall(found, ConnectionMethod.IPV6, ipv6)
        if ipv6 in PINHOLES
        else _because(ConnectionMethod.IPV6, ipv6),
        _because(ConnectionMethod.REPLY, _reply_reason(found)),
        _because(ConnectionMethod.TOR, _tor_reason(found)),
    )


def _because(method: ConnectionMethod, reason: str) -> Reachability:
    return Reachability(method, REASONS.get(reason, OTHER_REASON).meaning, reason)


def _past_firewall(found: Diagnosis, method: ConnectionMethod, reason: str) -> Reachability:
    """Return the conclusion for this reason, or the firewall's if that is less favourable."""
    reached = _because(method, reason)
    firewall = FIREWALLS[found.firewall.code].meaning
    if (firewall == "no" and reached.code in ("yes", "maybe")) or (
        firewall == "maybe" and reached.code == "yes"
    ):
        return Reachability(method, firewall, "own-firewall")
    return reached


def _ipv4_reason(found: Diagnosis) -> str:
    if _has_public_interface(found):
        return "own-address"
    if not any(own.leaves and ":" not in own.host for own in found.own):
        return "no-route"
    if found.forwarded is not None:
        return "forwarded"
    upstream = upstream_nat(found)
    if UPSTREAM[upstream].meaning in ("no", "maybe"):  # customers can't forward a provider's ports
        return upstream
    codes = {answer.code for answer in _answers(found, ipv6=False)} or {"no-gateway"}
    if "mapped" in codes:
        return "mapped"
    if uses_vpn(found):
        return "vpn"
    if found.router_report is None:
        return "not-asked"
    return next((code for code in _TELLING if code in codes), min(codes))


def _ipv6_reason(found: Diagnosis) -> str:
    status = ipv6_status(found)
    if status.host is None:
        return "no-address"
    if not status.route:
        return "no-route"
    return next((code for code in PINHOLES if code == status.pinhole), "router-may-close")


def _reply_reason(found: Diagnosis) -> str:
    """Return the reason for hole punching, which needs an address of ours that the friend can
    dial."""
    if not any(own.leaves for own in found.own):
        return "no-route"
    # If the STUN server sees a port other than ours, the router may be giving every connection a
    # different port. Then nobody knows which port to dial.
    seen = found.stun.outside if found.stun is not None else None
    if seen is not None and ":" not in seen.host and seen.port != found.port.used:
        return "ports-change"
    if find_public_address(found) is not None:
        return "outside-known"
    status = ipv6_status(found)
    return "ipv6" if status.host is not None and status.route else "stun-needed"


def _tor_reason(found: Diagnosis) -> str:
    if found.tor.control is not None:
        return "control-port"
    return "no-tor" if found.tor.socks is None else "no-control-port"


def _has_public_interface(found: Diagnosis) -> bool:
    return any(own.reach is Reach.OUTSIDE and own.leaves for own in found.own)


def _is_shared(own: OwnAddress) -> bool:
    ip = ipaddress.ip_address(own.host)
    # Over PPP, such an address may be the provider's; in any other tunnel, it's a VPN's.
    overlay = TUNNELS.search(own.interface) and not own.interface.startswith("ppp")
    return (ip in SHARED or ip in PROVIDERS) and not overlay


def _answers(found: Diagnosis, *, ipv6: bool) -> tuple[RouterAnswer, ...]:
    if found.router_report is None:
        return ()
    return tuple(each for each in found.router_report.answers if each.gateway.ipv6 is ipv6)


def _public_hosts_of_routers(found: Diagnosis) -> list[str]:
    return [
        answer.outside.host
        for answer in _answers(found, ipv6=False)
        if answer.code == "mapped" and answer.outside is not None
    ]


def suggest_remedies(found: Diagnosis) -> tuple[str, ...]:
    """List the one or two changes likeliest to help, as codes of REMEDIES; none if a friend can
    connect."""
    if not any(own.reach is not Reach.CONTAINER for own in found.own):
        return ("connect",)
    by = {each.method: each for each in assess_reachability(found)}
    ipv4, tor = by[ConnectionMethod.IPV4], by[ConnectionMethod.TOR]
    wanted = [FIREWALLS[found.firewall.code].remedy]
    if ipv4.reason != "own-firewall" and by[ConnectionMethod.IPV6].code != "yes":
        remedy = REASONS.get(ipv4.reason, OTHER_REASON).remedy
        if remedy:
            wanted += [remedy, REASONS[tor.reason].remedy]
    return tuple(filter(None, wanted))[:MAX_REMEDIES]


# --- for programs ---------------------------------------------------------------------------

VERSION = 1


def diagnosis_document(found: Diagnosis) -> dict[str, Any]:
    """Return a diagnosis as one document for programs (`ginpeer doctor --json`).

    A null means that the value is unknown. Later versions may add keys, ways and codes, but won't
    remove any.
    """
    outside, six = find_public_address(found), ipv6_status(found)
    asked, stun = found.router_report, found.stun
    return {
        "version": VERSION,
        "port": {"wanted": found.port.wanted, "used": found.port.used, "code": found.port.code},
        "addresses": [
            {
                "card": own.interface,
                "address": own.host,
                "reach": own.reach.value,
                "leaves": own.leaves,
            }
            for own in found.own
        ],
        "firewall": {"code": found.firewall.code, "seen_by": found.firewall.seen_by},
        "routers": [{"router": each.host, "own": each.own_address} for each in found.routers],
        "asked": asked
        and {
            "code": asked.code,
            "protocols": list(granting_protocols(found)),
            "closed_again": asked.closed_again,
            "answers": [
                {
                    "protocol": each.protocol.value,
                    "router": each.gateway.host,
                    "own": each.gateway.own_address,
                    "code": each.code,
                    "outside": _text(each.outside),
                    "seconds": each.lifetime,
                }
                for each in asked.answers
            ],
        },
        "stun": stun
        and {"server": str(stun.server), "code": stun.code, "outside": _text(stun.outside)},
        "outside": outside and {"address": outside.host, "told_by": outside.told_by},
        "behind": upstream_nat(found),
        "ipv6": {"address": six.host, "route": six.route, "pinhole": six.pinhole},
        "tor": {"socks": _text(found.tor.socks), "control": _text(found.tor.control)},
        "forwarded": _text(found.forwarded),
        "friend": [
            {"way": each.method.value, "code": each.code, "reason": each.reason}
            for each in assess_reachability(found)
        ],
        "change": list(suggest_remedies(found)),
    }


def _text(address: Address | None) -> str | None:
    return None if address is None else str(address)
