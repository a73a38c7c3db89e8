"""Homes and the Internet between them, for the scenes.

Both homes use 192.168.1.0/24, because most homes use one of two or three networks: the host's is
behind 45.10.1.2, the guest's behind 45.20.1.2. Their IPv6 networks are 2a02:10:1::/64 and
2a02:20:1::/64. The public addresses are ordinary ones: those for documentation count as private,
and a program may rightly treat them as such. The delay between the two streets is 20 ms each way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tests.lab.daemons import TOR_ADDRESSES, stun, tor, tor_network
from tests.lab.topology import Card, Daemon, Line, Machine, World

PORT = 4466
STUN = ("45.10.1.1", "45.20.1.1")  # the addresses of the Internet's STUN servers
HOST_OUTSIDE, GUEST_OUTSIDE = "45.10.1.2", "45.20.1.2"
NUMBERS = {1: 2, 2: 3}  # the last bytes of the host's and the guest's addresses at home
WAY = 0.02  # seconds from one street to the other

STUN_LIST = Path(__file__).parents[2] / "ginpeer" / "net" / "stun-servers.txt"

Unasked = Literal["drop", "reset", "icmp", "accept"]


@dataclass(frozen=True)
class Router:
    """What a router does. *unasked*: what it does with unsolicited IPv4 packets from outside.
    *random_ports*: it gives every connection a different source port. *forwards*: the port that its
    owner forwards to the host. *six*: what it does with unsolicited IPv6 packets; None means no
    IPv6. *daemons*: what runs on it; with *mapper*, rules that miniupnpd adds come first.
    """

    unasked: Unasked = "drop"
    random_ports: bool = False
    forwards: bool = False
    six: Unasked | None = None
    mapper: bool = False
    daemons: tuple[Daemon, ...] = ()
    more: str = ""
    """More rules, in their own tables."""


DROPS = Router()
RESETS = Router(unasked="reset")
SENDS_ICMP = Router(unasked="icmp")
RANDOM = Router(random_ports=True)

_VERDICTS = {"drop": "drop", "reset": "reject with tcp reset", "icmp": "reject", "accept": "accept"}


def router_rules(router: Router, inner: str) -> str:
    """Return the nft rules for a router with the interfaces wan, lan and perhaps wifi. *inner*: the
    host's address at home. Packets for the router's external address at the forwarded port go to
    the host, including those from inside (hairpin)."""
    unasked, six = _VERDICTS[router.unasked], _VERDICTS[router.six or "drop"]
    tcp = "meta l4proto tcp " if router.unasked == "reset" else ""
    tcp6 = "meta l4proto tcp " if router.six == "reset" else ""
    forward = ""
    if router.forwards:
        forward = (
            f'iifname {{"wan", "lan", "wifi"}} fib daddr type local '
            f"ip daddr != 192.168.0.0/16 tcp dport {PORT} dnat ip to {inner}:{PORT}"
        )
    jump = dict.fromkeys(("miniupnpd", "prerouting_miniupnpd", "postrouting_miniupnpd"), "")
    chains = ""
    if router.mapper:
        jump = {name: f"jump {name}" for name in jump}
        chains = "\n".join(f"chain {name} {{ }}" for name in jump)
    ports = "fully-random" if router.random_ports else ""
    return f"""
table inet router {{
  {chains}
  chain input {{
    type filter hook input priority 0; policy accept;
    ct state established,related accept
    meta l4proto {{ icmp, icmpv6 }} accept
    iifname "wan" {tcp}{unasked}
    iifname "wan" drop
  }}
  chain forward {{
    type filter hook forward priority 0; policy accept;
    ct state established,related accept
    ct state invalid drop
    meta l4proto {{ icmp, icmpv6 }} accept
    ct status dnat accept
    {jump["miniupnpd"]}
    iifname "lan" oifname "wan" accept
    iifname "wifi" oifname "wan" accept
    iifname "wan" meta nfproto ipv6 {tcp6}{six}
    drop
  }}
  chain prerouting {{
    type nat hook prerouting priority -100; policy accept;
    {jump["prerouting_miniupnpd"]}
    {forward}
  }}
  chain postrouting {{
    type nat hook postrouting priority 100; policy accept;
    {jump["postrouting_miniupnpd"]}
    meta nfproto ipv4 oifname "wan" masquerade {ports}
    meta nfproto ipv4 iifname {{"lan", "wifi"}} oifname {{"lan", "wifi"}} ct status dnat masquerade
  }}
}}
{router.more}"""


OWN_FIREWALL = """
table inet own {
  chain input {
    type filter hook input priority 0; policy drop;
    iifname "lo" accept
    ct state established,related accept
    meta l4proto { icmp, icmpv6 } accept
  }
}
"""


def player(name: str, home: int, number: int = 2, *, six: bool = False) -> Machine:
    """Return a computer in a home, with its router as the gateway. *home*: 1 for the host's, 2 for
    the guest's. *number*: the last byte of its address."""
    addresses, routes = [f"192.168.1.{number}/24"], ["default via 192.168.1.1"]
    if six:
        addresses.append(f"2a02:{home}0:1::{number}/64")
        routes.append(f"default via 2a02:{home}0:1::1")
    return Machine(name, (Card("eth0", f"lan{home}", tuple(addresses)),), tuple(routes))


def router(name: str, home: int, kind: Router, *, carrier: bool = False) -> Machine:
    """Return the router of a home. *carrier*: the provider gives it no public address (CGNAT)."""
    outside, gateway = (
        (f"100.64.{home}.2/24", f"100.64.{home}.1")
        if carrier
        else (f"45.{home}0.1.2/24", f"45.{home}0.1.1")
    )
    inner, outer, routes = ["192.168.1.1/24"], [outside], [f"default via {gateway}"]
    if kind.six is not None:
        inner.append(f"2a02:{home}0:1::1/64")
        outer.append(f"2a02:{home}0::2/64")
        routes.append(f"default via 2a02:{home}0::1")
    return Machine(
        name,
        (
            Card("wan", f"carrier{home}" if carrier else f"street{home}", tuple(outer)),
            Card("lan", f"lan{home}", tuple(inner)),
        ),
        tuple(routes),
        router_rules(kind, f"192.168.1.{NUMBERS[home]}"),
        forwards=True,
        daemons=kind.daemons,
    )


def carrier(name: str, home: int, kind: Router) -> Machine:
    """Return a provider that puts a home behind an address shared with others (CGNAT)."""
    return Machine(
        name,
        (
            Card("wan", f"street{home}", (f"45.{home}0.1.2/24",)),
            Card("lan", f"carrier{home}", (f"100.64.{home}.1/24",)),
        ),
        (f"default via 45.{home}0.1.1",),
        router_rules(kind, f"100.64.{home}.2"),
        forwards=True,
    )


def internet(*homes_with_six: int) -> Machine:
    """Return the machine that joins the two streets. *homes_with_six*: the homes that have IPv6.
    Packets to private addresses are silently dropped, as by most providers."""
    six = {home: f"2a02:{home}0::1/64" for home in homes_with_six}
    cards = (
        Card("host-side", "street1", tuple(filter(None, ("45.10.1.1/24", six.get(1))))),
        Card("guest-side", "far2", tuple(filter(None, ("45.20.1.1/24", six.get(2))))),
    )
    six_routes = (f"2a02:{home}0:1::/64 via 2a02:{home}0::2" for home in homes_with_six)
    private = (f"blackhole {net}" for net in ("192.168.0.0/16", "10.0.0.0/8", "100.64.0.0/10"))
    return Machine("internet", cards, (*six_routes, *private), forwards=True, daemons=(stun(),))


def two_homes(
    hosts: Router,
    guests: Router,
    *,
    hosts_carrier: Router | None = None,
    guests_carrier: Router | None = None,
    guests_number: int = NUMBERS[2],
) -> World:
    """Return a world with the host and the guest in two homes, and the Internet between them. It
    has STUN servers under the names in ginpeer's built-in list."""
    six = [home for home, kind in ((1, hosts), (2, guests)) if kind.six is not None]
    machines = [
        player("host", 1, six=hosts.six is not None),
        router("host-router", 1, hosts, carrier=hosts_carrier is not None),
        internet(*six),
        router("guest-router", 2, guests, carrier=guests_carrier is not None),
        player("guest", 2, guests_number, six=guests.six is not None),
    ]
    if hosts_carrier is not None:
        machines.append(carrier("host-carrier", 1, hosts_carrier))
    if guests_carrier is not None:
        machines.append(carrier("guest-carrier", 2, guests_carrier))
    return World(tuple(machines), (Line(("street2", "far2"), WAY),), _stun_names())


def _stun_names() -> tuple[tuple[str, str], ...]:
    """Return the names of the listed servers, alternating between the two addresses."""
    lines = (line.partition("#")[0].strip() for line in STUN_LIST.read_text().splitlines())
    names = [line.partition(":")[0] for line in lines if line]
    return tuple((name, STUN[number % len(STUN)]) for number, name in enumerate(names))


def one_home(
    *, hosts_router: Router | None = DROPS, ways_out: bool = True, wifi: bool = False
) -> World:
    """Return a world with host and guest in one home. *ways_out*: they have a default route.
    *wifi*: the guest is in the router's guest network, which can't reach the home itself."""
    host, guest = player("host", 1), player("guest", 1, NUMBERS[2])
    machines = []
    if hosts_router is not None:
        home = router("host-router", 1, hosts_router)
        if wifi:
            cards = (*home.cards, Card("wifi", "wifi", ("192.168.9.1/24",)))
            home = replace(home, cards=cards)
            guest = Machine(
                "guest",
                (Card("eth0", "wifi", ("192.168.9.3/24",)),),
                ("default via 192.168.9.1",),
            )
        machines = [home, Machine("internet", (Card("wan", "street1", ("45.10.1.1/24",)),))]
    if not ways_out:
        host, guest = replace(host, routes=()), replace(guest, routes=())
    return World((host, guest, *machines))


def with_tor(world: World, *players: str) -> World:
    """Return the same world with a Tor network in its Internet, and Tor on the machines of these
    players."""
    street = Card("tor-side", "street3", ("45.30.1.1/24",))
    addresses = tuple(f"{address}/24" for address in TOR_ADDRESSES)
    network = Machine(
        "tornet",
        (Card("eth0", "street3", addresses),),
        ("default via 45.30.1.1",),
        daemons=(tor_network(),),
    )
    machines = [network]  # these machines come first, because the others' Tor needs what they write
    for each in world.machines:
        if each.name == "internet":
            each = replace(each, cards=(*each.cards, street))
        elif each.name in players:
            each = replace(each, daemons=(*each.daemons, tor()))
        machines.append(each)
    return replace(world, machines=tuple(machines))


def with_slow_line(world: World, seconds: float, lost: float = 0.0, rate: float = 0.0) -> World:
    """Return the same world with a worse line between its homes, and a guest whose system reports
    at once that the host's home address is unreachable."""
    lines = tuple(Line(line.ends, seconds, lost, rate) for line in world.lines)
    nowhere = "unreachable 192.168.1.2/32"
    machines = tuple(
        replace(each, routes=(*each.routes, nowhere)) if each.name == "guest" else each
        for each in world.machines
    )
    return replace(world, machines=machines, lines=lines)


def with_name(world: World, name: str, address: str) -> World:
    """Return this world, with a host name that every machine can resolve."""
    return replace(world, names=(*world.names, (name, address)))


def with_rules(world: World, machine: str, rules: str) -> World:
    """Return the same world, with these rules on one machine."""
    changed = (
        replace(each, rules=rules) if each.name == machine else each for each in world.machines
    )
    return replace(world, machines=tuple(changed))


def with_vpn(world: World, machine: str) -> World:
    """Return the same world, in which one machine sends everything outside its own network through
    a VPN that returns nothing."""
    tunnel = Card("tun0", "vpn", ("10.8.0.2/24",))
    changed = tuple(
        replace(each, cards=(*each.cards, tunnel), routes=("default via 10.8.0.1",))
        if each.name == machine
        else each
        for each in world.machines
    )
    server = Machine("vpn", (Card("tun0", "vpn", ("10.8.0.1/24",)),))
    return replace(world, machines=(*changed, server))
