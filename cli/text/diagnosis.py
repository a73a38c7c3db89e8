"""A diagnosis as one screen of sentences: what is between this machine and a friend.

# Rule 1: every line names its subject, because a listener may hear it without its heading. The
# sentences for the codes are in ginpeer.net.findings.
"""

from __future__ import annotations

from collections.abc import Iterator

from cli.text.connecting import reach_text
from ginpeer.names.quoting import safe
from ginpeer.net.diagnosis import Diagnosis
from ginpeer.net.findings import (
    FIREWALL_REASONS,
    FIREWALLS,
    OTHER_PINHOLE,
    OTHER_REASON,
    PINHOLES,
    REASONS,
    REMEDIES,
    UPSTREAM,
)
from ginpeer.net.own_addresses import OwnAddress
from ginpeer.net.reachability import (
    ConnectionMethod,
    Reachability,
    assess_reachability,
    find_public_address,
    granting_protocols,
    ipv6_status,
    suggest_remedies,
    upstream_nat,
    uses_vpn,
)

MOST_ADDRESSES = 8
"""How many addresses are listed. A machine with many containers would otherwise fill the screen."""


def asking_line(*, mapping: bool, stun: str | None) -> str:
    """Say who will be asked, before anybody is."""
    whom = ["your router (by PCP, NAT-PMP and UPnP)"] if mapping else []
    whom += [f"the STUN server {stun}"] if stun is not None else []
    if not whom:
        return "Looking at this machine alone; nobody is asked."
    return f"Asking {' and '.join(whom)}, and nobody else. That takes up to ten seconds."


def report(found: Diagnosis, command: str = "ginpeer") -> Iterator[str]:
    """Yield the lines of the whole report. *command*: the command that starts this program."""
    yield "This machine"
    for line in _machine(found):
        yield f"  {line}"
    yield "The way to the Internet"
    for line in _way_out(found):
        yield f"  {line}"
    yield "A friend, while ginpeer host waits"
    for line in friend_lines(found, command):
        yield f"  {line}"
    to_change = [REMEDIES[code] for code in suggest_remedies(found)]
    yield "What to change" if to_change else "There is nothing to change."
    for line in to_change:
        yield f"  {line.format(port=found.port.wanted, command=command)}"


# --- this machine ----------------------------------------------------------------------------


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
    sentence = FIREWALLS[firewall.code].sentence.format(port=found.port.wanted)
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


def _tor_line(found: Diagnosis) -> str:
    tor = found.tor
    if tor.control is not None:
        return f"Tor runs here, and takes orders at {tor.control}."
    if tor.socks is not None:
        return f"Tor runs here (at {tor.socks}), but takes no orders; a guest needs no more."
    return "Tor does not run here."


def _way_out(found: Diagnosis) -> Iterator[str]:
    yield from _router_lines(found)
    outside = find_public_address(found)
    if outside is not None:
        yield f"Your outside address is {outside.host}, {_TOLD_BY[outside.told_by]}."
    else:
        yield "Your outside address is not known."
    if found.stun is not None and found.stun.code != "answered":
        yield f"{found.stun.sentence}"
    upstream = UPSTREAM[upstream_nat(found)].sentence
    if upstream:
        yield upstream
    if uses_vpn(found):
        yield "What this machine sends leaves by a VPN, so the outside sees the VPN's address."
    yield _six_line(found)


_TOLD_BY = {
    "own": "which this machine has itself",
    "stun": "says the STUN server",
    "router": "says your router",
}


def _router_lines(found: Diagnosis) -> Iterator[str]:
    hosts = list(dict.fromkeys(each.host for each in found.routers))
    if not hosts:
        yield "No router was found."
        return
    several = len(hosts) > 1
    routers = f"The router{'s' if several else ''} at {_listed(hosts)}"
    if found.router_report is None:
        yield f"{routers} {'were' if several else 'was'} not asked."
        return
    protocols = granting_protocols(found)
    if protocols:
        again = (
            "and closed it again."
            if found.router_report.closed_again
            else "and did not confirm that it is closed again."
        )
        yield f"{routers} opened a port by {_listed(list(protocols))}, {again}"
    refused: dict[str, list[str]] = {}
    for answer in found.router_report.answers:
        if not answer.gateway.ipv6 and answer.code != "router-without-address":  # reported below
            refused.setdefault(answer.sentence, []).append(answer.protocol.value)
    if not protocols:
        yield f"{routers} opened no port."
        for sentence, by in refused.items():
            yield f"Asked by {_listed(list(dict.fromkeys(by)))}: {sentence}"


def _six_line(found: Diagnosis) -> str:
    six = ipv6_status(found)
    if six.host is None:
        return "IPv6: this machine has no address of the Internet."
    if not six.route:
        return f"IPv6: this machine has the address {six.host}, but no way out."
    pinhole = PINHOLES.get(six.pinhole or "", OTHER_PINHOLE).sentence
    return f"IPv6: this machine gets out from {six.host}; {pinhole}."


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


# --- how a friend can connect ---------------------------------------------------------------


def friend_lines(found: Diagnosis, command: str = "ginpeer") -> tuple[str, ...]:
    """Say how a friend can connect: at home, from outside, and otherwise. *command*: the command
    that starts this program."""
    by = {each.method: each for each in assess_reachability(found)}
    port = found.port.wanted
    lines = [
        _friend_line("A friend at home", "", by[ConnectionMethod.HOME], port),
        _friend_line("A friend from outside", " by IPv4", by[ConnectionMethod.IPV4], port),
        _friend_line("A friend from outside", " by IPv6", by[ConnectionMethod.IPV6], port),
    ]
    if by[ConnectionMethod.IPV4].code != "yes":
        lines.append(_otherwise(by[ConnectionMethod.REPLY], by[ConnectionMethod.TOR], command))
    return tuple(lines)


def _friend_line(who: str, how: str, reached: Reachability, port: int) -> str:
    why = REASONS.get(reached.reason, OTHER_REASON).sentence.format(port=port)
    if reached.code == "unknown":
        return f"{who} may get in{how} or not: {why}."
    if reached.reason == "own-firewall":
        why = FIREWALL_REASONS[reached.code]
    start = {"yes": "gets in", "maybe": "may get in", "no": "does not get in"}[reached.code]
    return f"{who} {start}{how}{', ' if why else ''}{why}."


def _otherwise(reply: Reachability, tor: Reachability, command: str) -> str:
    ways = []
    if reply.code != "no":
        ways.append(f"with a reply code (both dial), {REASONS[reply.reason].sentence}")
    if tor.code != "no":
        ways.append(f"through Tor ({command} host --tor), if the friend has it, too")
    if not ways:
        return "No other way in for a friend is to be seen."
    return f"Otherwise a friend may get in {'; or '.join(ways)}."
