"""The parts of a scene as plain values: machines with network interfaces, wires, long lines.

Rule 1: nothing here runs a command; `build` returns the commands, and namespaces.py runs them.
Rule 2: no wire leads out of the lab. The machine's own connections stay outside, so the public
addresses that the scenes use can belong to anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

PREFIX = "ginlab-"
"""The prefix of every namespace of the lab, and of no others."""

WIRES = "wires"
"""The namespace with the bridges that act as wires."""


@dataclass(frozen=True)
class Card:
    """A network interface. *wire*: what it is plugged into; all interfaces on a wire receive each
    other's packets."""

    name: str
    wire: str
    addresses: tuple[str, ...] = ()  # 192.168.1.2/24


@dataclass(frozen=True)
class Daemon:
    """A program that runs in a machine for the whole scene.

    `{dir}` in arguments and files is the folder of this daemon, where *files* are written. *ready*:
    what it prints once it is usable.
    """

    name: str
    command: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    ready: str = ""
    seconds: float = 10.0
    """The seconds it may take to become ready."""


@dataclass(frozen=True)
class Machine:
    """A computer or a router. *routes* are what `ip route add` takes; *rules*, what nft reads."""

    name: str
    cards: tuple[Card, ...]
    routes: tuple[str, ...] = ()
    rules: str = ""
    forwards: bool = False
    daemons: tuple[Daemon, ...] = ()


@dataclass(frozen=True)
class Line:
    """A long line between two wires: what goes in at one comes out at the other later."""

    ends: tuple[str, str]
    seconds: float  # one way
    lost: float = 0.0  # the share of frames that is lost
    rate: float = 0.0  # bytes a second each way; 0: no limit


@dataclass(frozen=True)
class World:
    """All the parts of a scene."""

    machines: tuple[Machine, ...]
    lines: tuple[Line, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    """Host names that every machine knows, each with its IP address."""

    def hosts_file(self) -> str:
        return "".join(f"{address} {name}\n" for name, address in self.names)

    def machine(self, name: str) -> Machine:
        return next(machine for machine in self.machines if machine.name == name)

    def wires(self) -> tuple[str, ...]:
        """Return every wire that something is plugged into, each once."""
        named = [card.wire for machine in self.machines for card in machine.cards]
        return tuple(dict.fromkeys((*named, *(end for line in self.lines for end in line.ends))))


class Command(NamedTuple):
    """A command that runs on the real machine, and its input."""

    argv: tuple[str, ...]
    stdin: str = ""


def namespace(machine: str) -> str:
    return PREFIX + machine


def inside(machine: str, *argv: str) -> tuple[str, ...]:
    """Return a command that runs in a machine."""
    return ("ip", "netns", "exec", namespace(machine), *argv)


def build(world: World) -> list[Command]:
    """Return every command that builds a world, in order, without starting its daemons and
    lines."""
    commands = [*_new_namespace(WIRES)]
    for wire in world.wires():
        commands += _wire(wire)
    plug = 0
    for machine in world.machines:
        commands += _new_namespace(machine.name)
        for card in machine.cards:
            commands += _card(machine, card, f"plug{plug}")
            plug += 1
        if machine.forwards:
            commands.append(_sysctl(machine.name, "net.ipv4.ip_forward=1"))
            commands.append(_sysctl(machine.name, "net.ipv6.conf.all.forwarding=1"))
        commands += [_route(machine, route) for route in machine.routes]
        if machine.rules:
            commands.append(Command(inside(machine.name, "nft", "-f", "-"), machine.rules))
    return commands


def power_off(machine: Machine) -> list[Command]:
    """Turn a machine off; it forgets its connections and mappings."""
    down = [
        ("ip", "-n", namespace(machine.name), "link", "set", card.name, "down")
        for card in machine.cards
    ]
    return [
        *map(Command, down),
        Command(inside(machine.name, "nft", "flush", "ruleset")),
        Command(inside(machine.name, "conntrack", "-F")),
    ]


def power_on(machine: Machine) -> list[Command]:
    """Turn a machine on, as it was built. It no longer lets packets of unknown connections through;
    many routers would guess, and the connections would continue as if nothing had happened."""
    commands = [_sysctl(machine.name, "net.netfilter.nf_conntrack_tcp_loose=0")]
    for card in machine.cards:
        commands += _addresses(machine, card, "replace")
    commands += [_route(machine, route) for route in machine.routes]
    commands.append(Command(inside(machine.name, "nft", "-f", "-"), machine.rules))
    return commands


def _new_namespace(name: str) -> list[Command]:
    return [
        Command(("ip", "netns", "add", namespace(name))),
        # An IPv6 address is usable at once, because no other machine here could have it.
        _sysctl(name, "net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0"),
        _sysctl(name, "net.ipv6.conf.all.accept_ra=0", "net.ipv6.conf.default.accept_ra=0"),
        Command(("ip", "-n", namespace(name), "link", "set", "lo", "up")),
    ]


def _wire(name: str) -> list[Command]:
    link = ("ip", "-n", namespace(WIRES), "link")
    return [
        Command(
            (*link, "add", name, "type", "bridge", "forward_delay", "0", "mcast_snooping", "0")
        ),
        Command((*link, "set", name, "up")),
    ]


def _card(machine: Machine, card: Card, plug: str) -> list[Command]:
    own, wires = namespace(machine.name), namespace(WIRES)
    cable = ("ip", "-n", own, "link", "add", card.name, "type", "veth")
    commands = [
        Command((*cable, "peer", "name", plug, "netns", wires)),
        Command(("ip", "-n", wires, "link", "set", plug, "master", card.wire, "up")),
    ]
    return commands + _addresses(machine, card, "add")


def _addresses(machine: Machine, card: Card, how: str) -> list[Command]:
    own = ("ip", "-n", namespace(machine.name))
    commands = [Command((*own, "link", "set", card.name, "up"))]
    for address in card.addresses:
        nodad = ("nodad",) if ":" in address else ()
        commands.append(Command((*own, "addr", how, address, "dev", card.name, *nodad)))
    return commands


def _route(machine: Machine, route: str) -> Command:
    version = "-6" if ":" in route else "-4"
    return Command(
        ("ip", version, "-n", namespace(machine.name), "route", "replace", *route.split())
    )


def _sysctl(machine: str, *settings: str) -> Command:
    return Command(inside(machine, "sysctl", "-q", "-w", *settings))
