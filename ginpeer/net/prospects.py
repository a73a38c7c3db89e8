"""What a diagnosis means: where the outside sees us, how a friend gets in, what would help.

# Rule 1: pure; every conclusion is a code with its reasons, and cli/text says it.
# Rule 2: what was not asked, or can't be seen, is ``unknown`` or ``maybe``, and never yes or no. We
# can't see a port forward that somebody has set up by hand. So if one would be enough, the answer
# isn't no just because the router opens nothing.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from enum import Enum

from ginpeer.net.diagnosis import Diagnosis, RouterAnswer
from ginpeer.net.mapping.outside import judge_outside
from ginpeer.net.own_addresses import SHARED, OwnAddress, Reach

_OPENED = ("mapped", "opened-too", "shared-address", "second-router", "outside-unknown")

# Of several refusals the one that tells most.
_TELLING = (
    *("router-without-address", "router-between", "not-allowed", "refused", "no-room"),
    *("port-taken", "outside-unknown", "answer-late", "no-answer", "router-unreachable"),
)


@dataclass(frozen=True, slots=True)
class Outside:
    """The IPv4 address by which the outside sees us, and who says so: ``own`` (a network card has
    it), ``stun`` or ``router``."""

    host: str
    told_by: str


def outside_of(found: Diagnosis) -> Outside | None:
    """None where nobody has told one that the Internet knows."""
    for own in found.own:
        if own.reach is Reach.OUTSIDE and own.leaves:
            return Outside(own.host, "own")
    seen = found.stun.outside if found.stun is not None else None
    if seen is not None and ":" not in seen.host and judge_outside(seen.host) == "mapped":
        return Outside(seen.host, "stun")
    for answer in _answers(found, six=False):
        if answer.code == "mapped" and answer.outside is not None:
            return Outside(answer.outside.host, "router")
    return None


def behind(found: Diagnosis) -> str:
    """What stands between our router and the Internet: ``shared-address`` (CGNAT),
    ``second-router``, ``router-without-address`` (one of the two, or it is offline), ``nothing``,
    or ``unknown``."""
    if any(own.reach is Reach.OUTSIDE and own.leaves for own in found.own):
        return "nothing"
    if any(own.leaves and _is_shared(own) for own in found.own):
        return "shared-address"
    codes = {answer.code for answer in _answers(found, six=False)}
    for code in ("shared-address", "second-router", "router-without-address"):
        if code in codes:
            return code
    outside = outside_of(found)
    named = {
        answer.outside.host
        for answer in _answers(found, six=False)
        if answer.code == "mapped" and answer.outside is not None
    }
    if outside is not None and outside.told_by == "stun" and named and outside.host not in named:
        return "second-router"  # ours has another address than the outside sees
    return "nothing" if named else "unknown"


def spoken(found: Diagnosis) -> tuple[str, ...]:
    """The protocols by which a router of ours has opened the port, for IPv4 or IPv6."""
    answers = found.asked.answers if found.asked is not None else ()
    return tuple(dict.fromkeys(each.protocol.value for each in answers if each.code in _OPENED))


@dataclass(frozen=True, slots=True)
class Six:
    """IPv6. *host*: a global address of ours. *route*: whether packets leave by IPv6. *pinhole*:
    what came of asking the router to let a friend in: ``mapped``, ``firewall-off``, or why not;
    None where it was not asked."""

    host: str | None
    route: bool
    pinhole: str | None


def six_of(found: Diagnosis) -> Six:
    """Out and in by IPv6."""
    hosts = [own for own in found.own if own.reach is Reach.IPV6]
    codes = [answer.code for answer in _answers(found, six=True)]
    best = [code for code in ("mapped", "firewall-off") if code in codes]
    return Six(
        hosts[0].host if hosts else None,
        any(own.leaves for own in hosts),
        best[0] if best else codes[0] if codes else None,
    )


# --- the friend -----------------------------------------------------------------------------


class Way(Enum):
    """How a friend may come."""

    HOME = "home"
    IPV4 = "ipv4"
    IPV6 = "ipv6"
    REPLY = "reply"
    """With a reply code: both dial."""
    TOR = "tor"


@dataclass(frozen=True, slots=True)
class Prospect:
    """*code*: ``yes``, ``maybe``, ``no`` or ``unknown``. *reason*: why, a code."""

    way: Way
    code: str
    reason: str


def prospects(found: Diagnosis) -> tuple[Prospect, ...]:
    """How a friend will fare, by each way."""
    return (_home(found), _ipv4(found), _ipv6(found), _reply(found), _tor(found))


def _home(found: Diagnosis) -> Prospect:
    near = (Reach.HOME, Reach.OUTSIDE, Reach.IPV6, Reach.LINK)
    if not any(own.reach in near for own in found.own):
        return Prospect(Way.HOME, "no", "no-address")
    return _past_firewall(found, Prospect(Way.HOME, "yes", "address"))


def _ipv4(found: Diagnosis) -> Prospect:
    if any(own.reach is Reach.OUTSIDE and own.leaves for own in found.own):
        return _past_firewall(found, Prospect(Way.IPV4, "yes", "own-address"))
    if not any(own.leaves and ":" not in own.host for own in found.own):
        return Prospect(Way.IPV4, "no", "no-route")
    if found.forwarded is not None:
        return _past_firewall(found, Prospect(Way.IPV4, "yes", "forwarded"))
    between = behind(found)
    if between == "shared-address":  # customers can't forward ports there
        return Prospect(Way.IPV4, "no", between)
    if between not in ("nothing", "unknown"):
        return _past_firewall(found, Prospect(Way.IPV4, "maybe", between))
    if any(answer.code == "mapped" for answer in _answers(found, six=False)):
        return _past_firewall(found, Prospect(Way.IPV4, "yes", "mapped"))
    if leaves_by_vpn(found):
        return Prospect(Way.IPV4, "no", "vpn")
    if found.asked is None:
        return Prospect(Way.IPV4, "unknown", "not-asked")
    codes = {answer.code for answer in _answers(found, six=False)} or {"no-gateway"}
    telling = [code for code in _TELLING if code in codes]
    reason = telling[0] if telling else min(codes)
    return _past_firewall(found, Prospect(Way.IPV4, "maybe", reason))


def _ipv6(found: Diagnosis) -> Prospect:
    six = six_of(found)
    if six.host is None:
        return Prospect(Way.IPV6, "no", "no-address")
    if not six.route:
        return Prospect(Way.IPV6, "no", "no-route")
    if six.pinhole in ("mapped", "firewall-off"):
        return _past_firewall(found, Prospect(Way.IPV6, "yes", six.pinhole))
    return Prospect(Way.IPV6, "maybe", "router-may-close")


def _reply(found: Diagnosis) -> Prospect:
    """Both dial: that takes an address of ours that the friend's packets can be sent to."""
    if not any(own.leaves for own in found.own):
        return Prospect(Way.REPLY, "no", "no-route")
    if _changes_ports(found):
        return Prospect(Way.REPLY, "maybe", "ports-change")
    if outside_of(found) is not None:
        return Prospect(Way.REPLY, "maybe", "outside-known")
    six = six_of(found)
    if six.host is not None and six.route:
        return Prospect(Way.REPLY, "maybe", "ipv6")
    return Prospect(Way.REPLY, "maybe", "stun-needed")


def _changes_ports(found: Diagnosis) -> bool:
    """Whether the outside sees our port as a different one. So does a router that gives every
    connection a different port, and then nobody knows which one to dial."""
    seen = found.stun.outside if found.stun is not None else None
    return seen is not None and ":" not in seen.host and seen.port != found.port.used


def _tor(found: Diagnosis) -> Prospect:
    if found.tor.control is not None:
        return Prospect(Way.TOR, "maybe", "control-port")
    return Prospect(Way.TOR, "no", "no-tor" if found.tor.socks is None else "no-control-port")


def _past_firewall(found: Diagnosis, prospect: Prospect) -> Prospect:
    match found.firewall.code:
        case "closed" | "all-closed":
            return Prospect(prospect.way, "no", "own-firewall")
        case "on" | "rules" if prospect.code == "yes":
            return Prospect(prospect.way, "maybe", "own-firewall")
    return prospect


def leaves_by_vpn(found: Diagnosis) -> bool:
    """Whether packets to the outside go by a VPN: the outside then sees its address, not ours."""
    leaving = [own for own in found.own if own.leaves and ":" not in own.host]
    return any(own.reach is Reach.VPN and not _is_shared(own) for own in leaving)


def _is_shared(own: OwnAddress) -> bool:
    return ipaddress.ip_address(own.host) in SHARED


def _answers(found: Diagnosis, *, six: bool) -> tuple[RouterAnswer, ...]:
    if found.asked is None:
        return ()
    return tuple(each for each in found.asked.answers if each.gateway.ipv6 is six)


# --- what would help ------------------------------------------------------------------------

MOST_CHANGES = 2


def changes(found: Diagnosis) -> tuple[str, ...]:
    """The likeliest one or two things to change, as codes; none where a friend gets in.

    ``connect``, ``own-firewall``, ``vpn``, ``ask-router``, ``ask-again``, ``switch-on``,
    ``forward``, ``shared-address``, ``second-router``, ``no-own-address``, ``tor-control``,
    ``tor``."""
    if not any(own.reach is not Reach.CONTAINER for own in found.own):
        return ("connect",)
    by = {each.way: each for each in prospects(found)}
    wanted = []
    if found.firewall.code in ("closed", "all-closed", "on", "rules"):
        wanted.append("own-firewall")
    four, six = by[Way.IPV4], by[Way.IPV6]
    if four.reason not in _NOTHING_TO_DO and six.code != "yes":
        wanted.append(_FOR.get(four.reason, "forward"))
        if by[Way.TOR].code == "no":
            wanted.append("tor-control" if found.tor.socks is not None else "tor")
    return tuple(wanted[:MOST_CHANGES])


_NOTHING_TO_DO = ("mapped", "own-address", "own-firewall", "forwarded")
_FOR = {
    "no-route": "connect",
    "vpn": "vpn",
    "not-asked": "ask-router",
    "answer-late": "ask-again",
    "shared-address": "shared-address",
    "second-router": "second-router",
    "router-without-address": "no-own-address",
    "router-between": "second-router",
    **dict.fromkeys(("not-allowed", "refused", "not-offered", "no-answer"), "switch-on"),
    "version-unsupported": "switch-on",
}
