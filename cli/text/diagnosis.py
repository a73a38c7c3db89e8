"""What stands between this machine and a friend, in one screen of sentences.

# Rule 1: every line says what it speaks of; who hears one of them alone has not heard its heading.
"""

from __future__ import annotations

from collections.abc import Iterator

from cli.text.connecting import reach_text
from ginpeer.names.shown import safe
from ginpeer.net.diagnosis import Diagnosis
from ginpeer.net.own_addresses import OwnAddress
from ginpeer.net.prospects import (
    Prospect,
    Way,
    behind,
    changes,
    leaves_by_vpn,
    outside_of,
    prospects,
    six_of,
    spoken,
)

MOST_ADDRESSES = 8
"""That are listed: a machine with many containers would fill the screen."""


def asking_line(*, mapping: bool, stun: str | None) -> str:
    """Said before anybody is asked: who."""
    whom = ["your router (by PCP, NAT-PMP and UPnP)"] if mapping else []
    whom += [f"the STUN server {stun}"] if stun is not None else []
    if not whom:
        return "Looking at this machine alone; nobody is asked."
    return f"Asking {' and '.join(whom)}, and nobody else. That takes up to ten seconds."


def report(found: Diagnosis, command: str = "ginpeer") -> Iterator[str]:
    """The whole, a line each. *command*: how this program is called."""
    yield "This machine"
    for line in _machine(found):
        yield f"  {line}"
    yield "The way to the Internet"
    for line in _way_out(found):
        yield f"  {line}"
    yield "A friend, while ginpeer host waits"
    for line in friend_lines(found, command):
        yield f"  {line}"
    to_change = [_CHANGE[code] for code in changes(found)]
    yield "What to change" if to_change else "There is nothing to change."
    for line in to_change:
        yield f"  {line.format(port=found.port.wanted, command=command)}"


# --- what stands ----------------------------------------------------------------------------


def _machine(found: Diagnosis) -> Iterator[str]:
    if not found.own:
        yield "This machine has no address in any network."
    for own in found.own[:MOST_ADDRESSES]:
        yield f"Address {_with_card(own)} is of use {reach_text(own.reach)}."
    more = len(found.own) - MOST_ADDRESSES
    if more > 0:
        yield f"{more} more addresses are not told here; --json lists them all."
    yield _port_line(found)
    firewall = found.firewall
    sentence = _FIREWALL[firewall.code].format(port=found.port.wanted)
    yield f"The firewall of this machine{_by(firewall.seen_by)} {sentence}"
    yield _tor_line(found)


def _with_card(own: OwnAddress) -> str:
    return f"{own.host} ({safe(own.card, 40)})" if own.card else own.host


def _by(name: str) -> str:
    return f" ({name})" if name else ""


def _port_line(found: Diagnosis) -> str:
    port = found.port
    if port.code == "free":
        return f"Port {port.wanted} is free."
    used = "" if port.used is None else f" Port {port.used} was tried in its place."
    if port.code == "port-taken":
        return f"Port {port.wanted}: another program listens there, maybe a ginpeer host.{used}"
    return f"Port {port.wanted}: {port.sentence}{used}"


_FIREWALL = {
    "off": "keeps nobody out.",
    "port-open": "is closed, but a rule lets TCP port {port} in.",
    "rules": "has rules that keep some out; whom, cannot be told from here.",
    "on": "is on, and lets in only whom it was told to.",
    "closed": "is closed, and no rule lets TCP port {port} in.",
    "all-closed": "keeps everybody out.",
    "unseen": "cannot be seen without root.",
    "unknown": "cannot be seen from here.",
}


def _tor_line(found: Diagnosis) -> str:
    tor = found.tor
    if tor.control is not None:
        return f"Tor runs here, and takes orders at {tor.control}."
    if tor.socks is not None:
        return f"Tor runs here (at {tor.socks}), but takes no orders; a guest needs no more."
    return "Tor does not run here."


def _way_out(found: Diagnosis) -> Iterator[str]:
    yield from _router_lines(found)
    outside = outside_of(found)
    if outside is not None:
        yield f"Your outside address is {outside.host}, {_TOLD_BY[outside.told_by]}."
    else:
        yield "Your outside address is not known."
    if found.stun is not None and found.stun.code != "answered":
        yield f"{found.stun.sentence}"
    between = _BEHIND[behind(found)]
    if between:
        yield between
    if leaves_by_vpn(found):
        yield "What this machine sends leaves by a VPN, so the outside sees the VPN's address."
    yield _six_line(found)


_TOLD_BY = {
    "own": "which this machine has itself",
    "stun": "says the STUN server",
    "router": "says your router",
}
_BEHIND = {
    "shared-address": "Your Internet provider shares one address among many customers (CGNAT).",
    "second-router": "Another router stands between yours and the Internet.",
    "router-without-address": "The router has no address of the Internet: the provider shares one "
    "among many customers (CGNAT), or another router is before it, or it is offline.",
    "nothing": "No second router and no shared address (CGNAT) is to be seen on the way out.",
    "unknown": "",
}


def _router_lines(found: Diagnosis) -> Iterator[str]:
    hosts = list(dict.fromkeys(each.host for each in found.routers))
    if not hosts:
        yield "No router was found."
        return
    several = len(hosts) > 1
    routers = f"The router{'s' if several else ''} at {_listed(hosts)}"
    if found.asked is None:
        yield f"{routers} {'were' if several else 'was'} not asked."
        return
    protocols = spoken(found)
    if protocols:
        again = (
            "and closed it again."
            if found.asked.closed_again
            else "and did not confirm that it is closed again."
        )
        yield f"{routers} opened a port by {_listed(list(protocols))}, {again}"
    refused: dict[str, list[str]] = {}
    for answer in found.asked.answers:
        if not answer.gateway.ipv6 and answer.code != "router-without-address":  # said below
            refused.setdefault(answer.sentence, []).append(answer.protocol.value)
    if not protocols:
        yield f"{routers} opened no port."
        for sentence, by in refused.items():
            yield f"Asked by {_listed(list(dict.fromkeys(by)))}: {sentence}"


def _six_line(found: Diagnosis) -> str:
    six = six_of(found)
    if six.host is None:
        return "IPv6: this machine has no address of the Internet."
    if not six.route:
        return f"IPv6: this machine has the address {six.host}, but no way out."
    way_in = _PINHOLE.get(six.pinhole, _PINHOLE[None])
    return f"IPv6: this machine gets out from {six.host}; {way_in}."


_PINHOLE: dict[str | None, str] = {
    "mapped": "the router opens a way in",
    "firewall-off": "the router keeps nobody out",
    None: "a friend gets in there only if no router keeps strangers out, which cannot be seen from "
    "here",
}


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


# --- a friend -------------------------------------------------------------------------------


def friend_lines(found: Diagnosis, command: str = "ginpeer") -> tuple[str, ...]:
    """What a friend will be able to do: at home, from outside, and otherwise. *command*: how this
    program is called."""
    by = {each.way: each for each in prospects(found)}
    lines = [
        _prospect("A friend at home", "", by[Way.HOME]),
        _prospect("A friend from outside", " by IPv4", by[Way.IPV4], found.port.wanted),
        _prospect("A friend from outside", " by IPv6", by[Way.IPV6]),
    ]
    if by[Way.IPV4].code != "yes":
        lines.append(_otherwise(by[Way.REPLY], by[Way.TOR], command))
    return tuple(lines)


def _prospect(who: str, how: str, prospect: Prospect, port: int = 0) -> str:
    if prospect.code == "unknown":
        return f"{who} may get in{how} or not: the router was not asked."
    start = {"yes": "gets in", "maybe": "may get in", "no": "does not get in"}[prospect.code]
    if prospect.code == "no" and prospect.reason == "own-firewall":
        why = "as this machine's own firewall keeps strangers out"
    else:
        why = _WHY.get(prospect.reason, _FORWARD).format(port=port)
    return f"{who} {start}{how}{', ' if why else ''}{why}."


_FORWARD = (
    "if you have set your router to forward TCP port {port} to this machine: it opened no port "
    "when asked, and ginpeer can't see a port forward that you set up by hand"
)
_BOTH_FORWARD = (
    "if you have set both routers to forward TCP port {port} towards this machine: there is "
    "another router beyond yours, and ginpeer can't see port forwards that you set up by hand"
)
_WHY = {
    # yes
    "forwarded": "as you say that your router forwards the port",
    "address": "",
    "own-address": "as this machine has an address of the Internet itself",
    "mapped": "as the router opens a way",
    "firewall-off": "as the router keeps nobody out",
    # maybe
    "own-firewall": "as far as this machine's own firewall lets anybody in",
    "router-may-close": "if the router does not keep strangers out",
    "router-without-address": _BOTH_FORWARD.replace(
        "there is another router beyond yours", "yours has no public address"
    ),
    "second-router": _BOTH_FORWARD,
    "router-between": _BOTH_FORWARD,
    "no-gateway": "if you have set a router to forward TCP port {port} to this machine: ginpeer "
    "found no router to ask, and can't see a port forward that you set up by hand",
    # no
    "no-address": "as this machine has no such address",
    "no-route": "as this machine has no way out",
    "vpn": "as all goes by the VPN",
    "shared-address": "as the provider shares the address among many (CGNAT)",
}


def _otherwise(reply: Prospect, tor: Prospect, command: str) -> str:
    ways = []
    if reply.code != "no":
        ways.append(_REPLY[reply.reason])
    if tor.code != "no":
        ways.append(f"through Tor ({command} host --tor), if the friend has it, too")
    if not ways:
        return "No other way in for a friend is to be seen."
    return f"Otherwise a friend may get in {'; or '.join(ways)}."


_REPLY = {
    "outside-known": "with a reply code (both dial), which most routers let through",
    "ports-change": "with a reply code (both dial), unless your router gives every connection a "
    "different port, and it seems to",
    "ipv6": "with a reply code (both dial), if the friend has IPv6, too",
    "stun-needed": "with a reply code (both dial), if the friend can be dialled, or if both of you "
    "let public STUN servers be asked (--stun public)",
}

_CHANGE = {
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
