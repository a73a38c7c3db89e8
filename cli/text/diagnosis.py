"""A diagnosis as one screen of sentences: what is between this machine and a friend's. The
sentences for the codes are in ginpeer.net.reachability.

Rule 1: every line names its subject, because a listener may hear it without its heading.
"""

from __future__ import annotations

from collections.abc import Iterator

from cli.text.connecting import REACH_TEXT
from cli.text.grammar import listed
from ginpeer.names import safe
from ginpeer.net import reachability
from ginpeer.net.diagnosis import Diagnosis
from ginpeer.net.reachability import OTHER_REASON, REASONS, ConnectionMethod, Reachability

MOST_ADDRESSES = 8  # a machine with many containers would otherwise fill the screen


def asking_line(*, mapping: bool, stun: str | None) -> str:
    whom = ["your router (by PCP, NAT-PMP and UPnP)"] if mapping else []
    whom += [f"the STUN server {stun}"] if stun is not None else []
    if not whom:
        return "Checking only this machine; nothing else is contacted."
    return f"Asking {' and '.join(whom)}, and nobody else. This takes up to ten seconds."


def report(found: Diagnosis, command: str = "ginpeer") -> Iterator[str]:
    for heading, lines in (
        ("This machine", _machine(found)),
        ("Your Internet connection", _way_out(found)),
        ("While ginpeer host waits", friend_lines(found, command)),
    ):
        yield heading
        yield from (f"  {line}" for line in lines)
    to_change = [reachability.REMEDIES[code] for code in reachability.suggest_remedies(found)]
    yield "What to change" if to_change else "There is nothing to change."
    for line in to_change:
        yield f"  {line.format(port=found.port.wanted, command=command)}"


# --- this machine ----------------------------------------------------------------------------


def _machine(found: Diagnosis) -> Iterator[str]:
    if not found.own:
        yield "This machine has no network address."
    for own in found.own[:MOST_ADDRESSES]:
        card = f" ({safe(own.interface, 40)})" if own.interface else ""
        yield f"Address {own.host}{card} works {REACH_TEXT[own.reach]}."
    more = len(found.own) - MOST_ADDRESSES
    if more > 0:
        are = "address isn't" if more == 1 else "addresses aren't"
        yield f"{more} more {are} shown here; --json lists them all."
    yield _port_line(found)
    firewall = found.firewall
    sentence = reachability.FIREWALLS[firewall.code].sentence.format(port=found.port.wanted)
    seen_by = f" ({firewall.seen_by})" if firewall.seen_by else ""
    yield f"This machine's firewall{seen_by} {sentence}"
    yield _tor_line(found)


def _port_line(found: Diagnosis) -> str:
    port = found.port
    if port.code == "free":
        return f"Port {port.wanted} is free."
    used = "" if port.used is None else f" Port {port.used} was tried instead."
    if port.code == "port-taken":
        return f"Port {port.wanted}: another program is using it, maybe a ginpeer host.{used}"
    return f"Port {port.wanted}: {port.sentence}{used}"


def _tor_line(found: Diagnosis) -> str:
    tor = found.tor
    if tor.control is not None:
        return f"Tor is running, and may let ginpeer control it at {tor.control}."
    if tor.socks is not None:
        return (
            f"Tor is running (at {tor.socks}), but ginpeer can't control it. You can join through "
            "Tor, but not host through it."
        )
    return "Tor isn't running."


def _way_out(found: Diagnosis) -> Iterator[str]:
    yield from _router_lines(found)
    outside = reachability.find_public_address(found)
    if outside is None:
        yield "Your public address isn't known."
    else:
        yield f"Your public address is {outside.host}, {_TOLD_BY[outside.told_by]}."
    if found.stun is not None and found.stun.code != "answered":
        yield found.stun.sentence
    upstream = reachability.UPSTREAM[reachability.upstream_nat(found)].sentence
    if upstream:
        yield upstream
    if reachability.uses_vpn(found):
        yield "Your traffic goes through a VPN, so others see the VPN's address."
    yield _ipv6_line(found)


_TOLD_BY = {
    "own": "which belongs to this machine",
    "stun": "according to the STUN server",
    "router": "according to your router",
}


def _router_lines(found: Diagnosis) -> Iterator[str]:
    hosts = list(dict.fromkeys(each.host for each in found.routers))
    if not hosts:
        yield "No router was found."
        return
    several = len(hosts) > 1
    routers = f"The router{'s' if several else ''} at {listed(hosts)}"
    if found.router_report is None:
        were = "weren't" if several else "wasn't"
        yield f"{routers} {were} asked."
        return
    protocols = reachability.granting_protocols(found)
    if protocols:
        closed = found.router_report.closed_again
        again = "and closed it again" if closed else "but didn't confirm closing it again"
        yield f"{routers} opened a port using {listed(protocols)}, {again}."
    refused: dict[str, list[str]] = {}
    for answer in found.router_report.answers:
        if not answer.gateway.ipv6 and answer.code != "router-without-address":  # reported below
            refused.setdefault(answer.sentence, []).append(answer.protocol.value)
    if not protocols:
        yield f"{routers} didn't open a port."
        for sentence, by in refused.items():
            yield f"Tried {listed(dict.fromkeys(by))}. {sentence}"


def _ipv6_line(found: Diagnosis) -> str:
    ipv6 = reachability.ipv6_status(found)
    if ipv6.host is None:
        return "IPv6: this machine has no public address."
    if not ipv6.route:
        return f"IPv6: this machine has the address {ipv6.host}, but no connection to the Internet."
    pinhole = reachability.PINHOLES.get(ipv6.pinhole or "", reachability.OTHER_PINHOLE).sentence
    return f"IPv6: this machine is on the Internet as {ipv6.host}; {pinhole}."


# --- how a friend can connect ---------------------------------------------------------------


def friend_lines(found: Diagnosis, command: str = "ginpeer") -> tuple[str, ...]:
    """Say how a friend can connect: on our network, over the Internet, and in other ways."""
    by = {each.method: each for each in reachability.assess_reachability(found)}
    friends = (
        ("A friend on your network", "", ConnectionMethod.HOME),
        ("A friend on the Internet", " over IPv4", ConnectionMethod.IPV4),
        ("A friend on the Internet", " over IPv6", ConnectionMethod.IPV6),
    )
    lines = [_friend_line(who, how, by[method], found.port.wanted) for who, how, method in friends]
    if by[ConnectionMethod.IPV4].code != "yes":
        lines.append(_otherwise(by[ConnectionMethod.REPLY], by[ConnectionMethod.TOR], command))
    return tuple(lines)


_CAN = {"yes": "can connect", "maybe": "may be able to connect", "no": "can't connect"}


def _friend_line(who: str, how: str, reached: Reachability, port: int) -> str:
    why = REASONS.get(reached.reason, OTHER_REASON).sentence.format(port=port)
    if reached.code == "unknown":
        return f"{who} may or may not be able to connect{how}: {why}."
    if reached.reason == "own-firewall":
        why = reachability.FIREWALL_REASONS[reached.code]
    return f"{who} {_CAN[reached.code]}{how}{', ' if why else ''}{why}."


def _otherwise(reply: Reachability, tor: Reachability, command: str) -> str:
    ways = []
    if reply.code != "no":
        ways.append(f"with a reply (both programs dial), {REASONS[reply.reason].sentence}")
    if tor.code != "no":
        ways.append(f"through Tor ({command} host --tor), if your friend has it, too")
    if not ways:
        return "A friend has no other way to connect."
    return f"Otherwise a friend may be able to connect {'; or '.join(ways)}."
