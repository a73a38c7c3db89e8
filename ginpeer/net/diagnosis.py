"""Examines what is between this machine and a friend: our addresses, our firewall, the routers, our
public address, Tor.

Rule 1: we ask only the routers, unless the player forbids it, and the STUN server that the player
has named. We look for Tor on this machine only.
Rule 2: we ask the routers to open a port on which we are listening, and to close it before the
diagnosis is returned. If another program is using the port, we try a different one, because closing
the port would close it for that program.
Rule 3: everything is examined in parallel, within SECONDS.
Rule 4: we don't guess about the firewall. Linux shows its rules only to root, so we don't read
them.

Sources: ufw.conf, firewall-cmd(1); macOS socketfilterfw; Windows netsh advfirewall.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from twisted.internet.defer import (
    Deferred,
    TimeoutError,  # addTimeout raises this one, not the builtin
    gatherResults,
)
from twisted.internet.threads import deferToThreadPool

from ginpeer.net.address import DEFAULT_PORT, Address
from ginpeer.net.mapping.gateways import (
    CommandResult,
    Gateway,
    find_gateways,
    instead_of_error,
    read_system_file,
    run_command,
)
from ginpeer.net.mapping.methods import Lease, MappingTiming, RouterPorts
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.mapping.results import MappingEvent, MappingResult, RouterAnswer
from ginpeer.net.own_addresses import OwnAddress, Reach, own_addresses
from ginpeer.net.stun import StunContext, StunError, observe_address
from ginpeer.net.tcp import ListenError, ProtocolFactory, bind_everywhere
from ginpeer.net.tor import CONTROL_PORTS, SOCKS_PORTS, find_listener

SECONDS: Final = 10.0

# All protocols are tried in parallel. What they open expires soon, in case we are killed meanwhile.
TIMING: Final = MappingTiming(lifetime=120, total=6.0, head_starts=(0.0, 0.0, 0.0))

_ASKING_SECONDS = 7.5  # for all answers; after that we close what was opened
_LEAST_SECONDS = 0.5  # for the routers, however long the system took to list them


@dataclass(frozen=True, slots=True)
class PortStatus:
    """Whether we could listen on the *wanted* port. *used*: the port that we listened on, if any.
    *code*: ``free``, or the ListenError code that says why we couldn't use *wanted*."""

    wanted: int
    used: int | None
    code: str = "free"
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class RouterReport:
    """What the routers answered. *code*: the MappingResult's. If more than one protocol opened the
    port, the later ones' answers are ``opened-too``. *closed_again*: whether nothing is left
    open."""

    code: str
    answers: tuple[RouterAnswer, ...]
    closed_again: bool


@dataclass(frozen=True, slots=True)
class StunAnswer:
    """What the STUN server answered. *outside*: our public address, if *code* is ``answered``;
    otherwise *code* is a StunError's."""

    server: Address
    outside: Address | None
    code: str
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class TorStatus:
    """Where Tor listens on this machine: its SOCKS port and its control port, if anywhere."""

    socks: Address | None
    control: Address | None


@dataclass(frozen=True, slots=True)
class FirewallStatus:
    """The state of this machine's own firewall. *code*: one of FIREWALLS (reachability.py).
    *seen_by*: the program that reported it, if any."""

    code: str
    seen_by: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings of one examination. *router_report* and *stun*: None if no router or no server
    was asked. *forwarded*: the public address whose port a router forwards to us, according to the
    player."""

    port: PortStatus
    own: tuple[OwnAddress, ...]
    firewall: FirewallStatus
    routers: tuple[Gateway, ...]
    router_report: RouterReport | None
    stun: StunAnswer | None
    tor: TorStatus
    forwarded: Address | None = None


async def diagnose(
    reactor: Any,
    *,
    rng: Callable[[int], bytes],
    port: int = DEFAULT_PORT,
    mapping: bool = True,
    stun: Address | None = None,
    forwarded: Address | None = None,
    remembered: Callable[[int], Sequence[Lease]] = lambda port: (),
    store: Callable[[int, tuple[Lease, ...]], None] = lambda port, leases: None,
    gateways: Sequence[Gateway] | None = None,
    timing: MappingTiming = TIMING,
    ports: RouterPorts | None = None,
    socks: Sequence[Address] = SOCKS_PORTS,
    control: Sequence[Address] = CONTROL_PORTS,
) -> Diagnosis:
    """Examine everything that a Diagnosis reports. If cancelled, first close what the routers
    opened.

    *rng* returns random bytes. *forwarded*: as in Diagnosis. *remembered* and *store*: load and
    save the leases of a port of ours, as for PortMapping. *gateways*: the routers; None finds them.
    *ports*: the ports that routers listen on. *socks* and *control*: where to look for Tor.
    """
    begun = reactor.seconds()
    own = own_addresses()
    own_port, listening = _listen(reactor, port)
    looking: list[Deferred[Any]] = []
    try:
        looking = [
            inspect_firewall(reactor, port),
            _start(find_listener(reactor, socks)),
            _start(find_listener(reactor, control)),
        ]
        if stun is not None and listening is not None:
            looking.append(_start(_stun(reactor, rng, stun, listening)))
        # Like a host, use only the IPv6 address that an invite would name.
        six = [each.host for each in own if each.reach is Reach.IPV6][:1]
        routers = await find_gateways(reactor, six) if gateways is None else tuple(gateways)
        report = None
        if mapping and own_port.used is not None:
            left = max(_LEAST_SECONDS, _ASKING_SECONDS - (reactor.seconds() - begun))
            report = await _ask_routers(
                reactor,
                own_port.used,
                remembered(own_port.used),
                store,
                rng=rng,
                gateways=routers,
                timing=replace(timing, total=min(timing.total, left)),
                ports=ports or RouterPorts(),
            )
        firewall, socks_at, control_at, *seen = await gatherResults(looking)
    finally:
        for each in looking:
            each.addErrback(lambda _: None)
            each.cancel()
        if listening is not None:
            await listening.stopListening()
    tor, answer = TorStatus(socks_at, control_at), seen[0] if seen else None
    return Diagnosis(own_port, own, firewall, routers, report, answer, tor, forwarded)


_start = Deferred.fromCoroutine


def _listen(reactor: Any, wanted: int) -> tuple[PortStatus, Any]:
    """Listen on *wanted*, or else on any port, and hang up on everybody who connects. Return the
    status, and the IListeningPort or None."""
    nobody = ProtocolFactory(lambda _: None)
    try:
        return PortStatus(wanted, wanted), bind_everywhere(reactor, wanted, nobody)
    except ListenError as error:
        code, sentence = error.code, error.sentence
    try:
        listening = bind_everywhere(reactor, 0, nobody)
    except ListenError:
        return PortStatus(wanted, None, code, sentence), None
    return PortStatus(wanted, listening.getHost().port, code, sentence), listening


async def _ask_routers(
    reactor: Any,
    port: int,
    remembered: Sequence[Lease],
    store: Callable[[int, tuple[Lease, ...]], None],
    **given: Any,
) -> RouterReport:
    """Ask the routers once to open a port, then close what they opened, even if cancelled."""
    tried: set[Any] = set()
    result: Deferred[MappingResult] = Deferred()

    def on_event(event: MappingEvent) -> None:
        if isinstance(event, MappingResult) and not result.called:
            result.callback(event)

    def keep(leases: tuple[Lease, ...]) -> None:
        tried.update(lease.key for lease in leases)
        store(port, leases)

    mapping = PortMapping(
        reactor, port, on_event=on_event, store=keep, remembered=remembered, **given
    )
    result.addTimeout(SECONDS, reactor)  # fires sooner, unless our own code fails
    try:
        mapping.begin()
        outcome = await result
    finally:
        await mapping.stop()
    # A protocol that asked the router and then reports "not-needed" has opened the port as well.
    # One that was no longer needed when its turn came reports the same, but never asked.
    tried -= {lease.key for lease in remembered}
    answers = tuple(
        replace(each, code="opened-too", sentence="The router has also opened the port this way.")
        if each.code == "not-needed" and (each.protocol, *each.gateway, port) in tried
        else each
        for each in outcome.answers
    )
    is_closed = all(lease.internal_port != port for lease in mapping.leases)  # a crash left others
    return RouterReport(outcome.code, answers, is_closed)


async def _stun(
    reactor: Any, rng: Callable[[int], bytes], server: Address, listening: Any
) -> StunAnswer:
    context = StunContext(reactor, rng)
    asking = _start(observe_address(context, (server,), listening))
    asking.addTimeout(_ASKING_SECONDS, reactor)
    try:
        return StunAnswer(server, (await asking).address, "answered")
    except StunError as error:
        return StunAnswer(server, None, error.code, error.sentence)
    except TimeoutError:
        return StunAnswer(server, None, "stun-silent", f"The STUN server {server} doesn't answer.")


# --- this machine's own firewall --------------------------------------------------------------

COMMAND_SECONDS: Final = 1.5  # for each command

# Fixed paths, as gateways.py requires
_NFT = ("/usr/sbin/nft", "list", "ruleset")
_IPTABLES = ("/usr/sbin/iptables", "-S")
_FIREWALLD = "/usr/bin/firewall-cmd"
_UFW = "/etc/ufw/ufw.conf"
_MACOS = ("/usr/libexec/ApplicationFirewall/socketfilterfw", "--getglobalstate")
_NETSH = (r"C:\Windows\System32\netsh.exe", *("advfirewall", "show", "currentprofile", "state"))


Run = Callable[[tuple[str, ...]], CommandResult | None]  # None: no such command, or too slow


def inspect_firewall(reactor: Any, port: int) -> Deferred[FirewallStatus]:
    """Examine this machine's own firewall. Never fails, and runs at most four commands."""
    looked: Deferred[FirewallStatus] = deferToThreadPool(
        reactor,
        reactor.getThreadPool(),
        look_at_firewall,
        port,
        sys.platform,
        lambda command: run_command(command, COMMAND_SECONDS),
        read_system_file,
    )
    return looked.addErrback(instead_of_error, FirewallStatus("unknown"))


def look_at_firewall(
    port: int, platform: str, run: Run, read: Callable[[str], str]
) -> FirewallStatus:
    """Query the firewall's state with the system's own tools. *read* returns a file's text, empty
    if the file is missing."""
    if platform == "darwin":
        said = run(_MACOS)  # the number is the same in every language
        state = re.search(r"State = (\d)", said.text if said else "")
        code = {"0": "off", "1": "on", "2": "all-closed"}.get(state[1] if state else "", "unknown")
        return FirewallStatus(code, "" if code == "unknown" else "socketfilterfw")
    if platform in ("win32", "cygwin"):
        said = run(_NETSH)  # we can read its output only in English
        state = re.search(r"^State\s+(ON|OFF)\s*$", said.text if said else "", re.MULTILINE)
        code = {"ON": "on", "OFF": "off"}.get(state[1] if state else "", "unknown")
        return FirewallStatus(code, "" if code == "unknown" else "netsh")
    if not platform.startswith("linux"):
        return FirewallStatus("unknown")
    rules = [said.status for said in (run(_NFT), run(_IPTABLES)) if said is not None]
    if re.search(r"^\s*ENABLED\s*=\s*[\"']?yes\b", read(_UFW), re.MULTILINE | re.I):
        return FirewallStatus("on", "ufw")
    running = run((_FIREWALLD, "--state"))
    if running is not None and running.status == 0:
        named = run((_FIREWALLD, f"--query-port={port}/tcp"))
        is_open = named is not None and named.status == 0
        return FirewallStatus("port-open" if is_open else "on", "firewalld")
    return FirewallStatus("unseen" if rules and all(rules) else "unknown")
