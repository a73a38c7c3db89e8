"""Every scene of the lab, in the order of the table.

A router that keeps ports and drops unsolicited packets lets the other side in once its own side has
sent something there. A router that gives every connection a different source port doesn't, because
the other side can't know which port to try. Then one side needs an open port (a mapping), or Tor.
"""

from __future__ import annotations

from dataclasses import replace

from tests.lab.daemons import NATPMP, PCP, STRICT_REDIRECT, deaf_to, miniupnpd, only_permanent
from tests.lab.homes import (
    DROPS,
    GUEST_OUTSIDE,
    HOST_OUTSIDE,
    OWN_FIREWALL,
    PORT,
    RANDOM,
    RESETS,
    SENDS_ICMP,
    Router,
    one_home,
    two_homes,
    with_name,
    with_rules,
    with_slow_line,
    with_tor,
    with_vpn,
)
from tests.lab.scene import (
    CannotWork,
    Expected,
    Kill,
    Meanwhile,
    Plays,
    Reboot,
    Resume,
    Run,
    Scene,
)
from tests.lab.topology import World

FORWARDED = Router(forwards=True)
SIX_OPEN, SIX_CLOSED = replace(DROPS, six="accept"), replace(DROPS, six="drop")

AT_OUTSIDE = ("--advertise", f"{HOST_OUTSIDE}:{PORT}")
ASKING = ("--stun", "public")

BY_REPLY = Plays(reply=True)

# What a player who can't reach the opponent reads: a hint about the remaining options.
NO_WAY = CannotWork(r"\btor\b")
# The hint that the player behind that router reads before anybody dials.
RANDOM_PORTS = "your router gives every connection a different port"

AT_HOME = (
    Scene("lan", "same LAN", one_home(), Plays()),
    Scene("vpn", "same LAN, the host has a VPN", with_vpn(one_home(), "host"), Plays()),
    Scene("vpn-guest", "same LAN, the guest has a VPN", with_vpn(one_home(), "guest"), Plays()),
    Scene(
        "no-default-route",
        "LAN without default route",
        one_home(hosts_router=None, ways_out=False),
        Plays(),
    ),
    Scene(
        "firewall-lan",
        "same LAN, the host's own firewall is closed",
        with_rules(one_home(), "host", OWN_FIREWALL),
        BY_REPLY,
    ),
)

BY_HAND = (
    Scene("forward", "port forwarded by hand", two_homes(FORWARDED, DROPS), Plays(), AT_OUTSIDE),
    Scene(
        "hairpin",
        "port forwarded by hand, the guest comes from inside (the router's network for guests)",
        one_home(hosts_router=FORWARDED, wifi=True),
        Plays(),
        AT_OUTSIDE,
    ),
    Scene(
        "firewall",
        "port forwarded by hand, the host's own firewall is closed",
        with_rules(two_homes(FORWARDED, DROPS), "host", OWN_FIREWALL),
        BY_REPLY,
        AT_OUTSIDE,
        ASKING,
    ),
)


def stun_scene(name: str, title: str, world: World, expected: Expected = BY_REPLY) -> Scene:
    """Return a scene in which both sides allow asking public servers for their addresses."""
    return Scene(name, title, world, expected, ASKING, ASKING)


BOTH_BEHIND = (
    Scene(
        "drop-both-asked",
        "both behind routers that drop, at terminals",
        two_homes(DROPS, DROPS),
        BY_REPLY,
        at_terminals=True,
    ),
    Scene(
        "same-address",
        "the same, and both machines have one address at home",
        two_homes(DROPS, DROPS, guests_number=2),
        BY_REPLY,
        at_terminals=True,
    ),
    Scene(
        "drop-both-no",
        "both behind routers that drop, and nobody is asked",
        two_homes(DROPS, DROPS),
        CannotWork("Neither of you has given an address", "Neither of you has given an address"),
        seconds=30,
    ),
    stun_scene("drop-both", "both behind routers that drop", two_homes(DROPS, DROPS)),
    stun_scene("reset-host", "the host's router resets", two_homes(RESETS, DROPS)),
    stun_scene("reset-guest", "the guest's router resets", two_homes(DROPS, RESETS)),
    stun_scene("reset-both", "both routers reset", two_homes(RESETS, RESETS)),
    # With this timing, the host's dial can meet only a dial of the guest's that ICMP has ended.
    replace(
        stun_scene("icmp-both", "both routers reject by ICMP", two_homes(SENDS_ICMP, SENDS_ICMP)),
        pastes=8.17,
    ),
    stun_scene(
        "cgnat-host",
        "the host behind a shared address (CGNAT)",
        two_homes(DROPS, DROPS, hosts_carrier=DROPS),
    ),
    stun_scene(
        "cgnat-both",
        "both behind shared addresses (CGNAT)",
        two_homes(DROPS, DROPS, hosts_carrier=DROPS, guests_carrier=DROPS),
    ),
    stun_scene(
        "random-host",
        "the host's router gives random ports",
        two_homes(RANDOM, DROPS),
        replace(NO_WAY, host_reads=RANDOM_PORTS),
    ),
    stun_scene(
        "random-guest",
        "the guest's router gives random ports",
        two_homes(DROPS, RANDOM),
        CannotWork(RANDOM_PORTS),
    ),
    stun_scene(
        "random-both",
        "both routers give random ports",
        two_homes(RANDOM, RANDOM),
        CannotWork(RANDOM_PORTS, RANDOM_PORTS),
    ),
)

IPV6 = (
    Scene("six-open", "IPv6, open", two_homes(SIX_OPEN, SIX_OPEN), Plays()),
    Scene("six-closed", "IPv6, closed", two_homes(SIX_CLOSED, SIX_CLOSED), BY_REPLY),
    Scene(
        "six-closed-host",
        "IPv6, closed at the host's only",
        two_homes(SIX_CLOSED, SIX_OPEN),
        BY_REPLY,
    ),
)


def mapping_router(*, more: str = "", six: bool = False, **settings: bool | int) -> Router:
    """Return a router with miniupnpd. *settings* are those of daemons.miniupnpd."""
    daemon = miniupnpd(six=six, **settings)
    return Router(mapper=True, daemons=(daemon,), more=more, six="drop" if six else None)


def mapping_scene(
    name: str,
    title: str,
    hosts: Router,
    expected: Expected = Plays(),  # noqa: B008 - frozen
    *,
    guests: Router = DROPS,
    guest: tuple[str, ...] = (),
) -> Scene:
    """Return a scene in which the host's router can be asked to open a port."""
    world = two_homes(hosts, guests)
    return Scene(name, title, world, expected, guest=guest, needs=("miniupnpd",))


_PERMANENT = mapping_router(pcp=False, only_own=False, more=STRICT_REDIRECT)

MAPPING = (
    mapping_scene("mapping", "UPnP, NAT-PMP and PCP together", mapping_router()),
    mapping_scene("upnp", "UPnP (IGD 2)", mapping_router(pcp=False)),
    mapping_scene("upnp-1", "UPnP (IGD 1)", mapping_router(pcp=False, first_version=True)),
    mapping_scene("natpmp", "NAT-PMP", mapping_router(upnp=False, more=deaf_to(PCP))),
    mapping_scene("pcp", "PCP", mapping_router(upnp=False, more=deaf_to(NATPMP))),
    mapping_scene(
        "upnp-taken", "UPnP, the outside port is taken", mapping_router(pcp=False, taken=PORT)
    ),
    mapping_scene(
        "natpmp-taken",
        "NAT-PMP, the outside port is taken",
        mapping_router(upnp=False, more=deaf_to(PCP), taken=PORT),
    ),
    mapping_scene(
        "pcp-taken",
        "PCP, the outside port is taken",
        mapping_router(upnp=False, more=deaf_to(NATPMP), taken=PORT),
    ),
    mapping_scene(
        "upnp-permanent",
        "UPnP, the router knows permanent mappings only",
        replace(_PERMANENT, daemons=(*_PERMANENT.daemons, only_permanent())),
    ),
    mapping_scene(
        "upnp-refused",
        "UPnP, refused",
        mapping_router(pcp=False, allowed=False),
        BY_REPLY,
        guest=ASKING,
    ),
    # Before miniupnpd refuses by PCP or NAT-PMP it tries every port, and answers nothing meanwhile.
    Scene(
        "pcp-refused",
        "PCP and NAT-PMP, refused",
        two_homes(mapping_router(upnp=False, allowed=False), DROPS),
        BY_REPLY,
        ASKING,
        ASKING,
        needs=("miniupnpd",),
    ),
    Scene(
        "upnp-cgnat",
        "UPnP, NAT-PMP and PCP, with a shared address (CGNAT) behind the router",
        two_homes(mapping_router(), DROPS, hosts_carrier=DROPS),
        BY_REPLY,
        ASKING,
        ASKING,
        needs=("miniupnpd",),
    ),
    Scene(
        "mapping-guest",
        "the host's router gives random ports, the guest's can be asked",
        two_homes(RANDOM, mapping_router()),
        BY_REPLY,
        needs=("miniupnpd",),
    ),
    # The IPv4 path is closed, so that the guest must come through the pinhole.
    mapping_scene(
        "pinhole-pcp",
        "IPv6, closed, with pinholes by PCP",
        mapping_router(six=True, upnp=False, more=deaf_to(NATPMP) + deaf_to(PCP)),
        guests=SIX_CLOSED,
    ),
    mapping_scene(
        "pinhole-upnp",
        "IPv6, closed, with pinholes by UPnP (IGD 2)",
        mapping_router(six=True, pcp=False, allowed=False),
        guests=SIX_CLOSED,
    ),
)

_TOR = ("tor", "tor-gencert")

BY_TOR = (
    Scene(
        "tor",
        "both routers give random ports, both have Tor (onion service)",
        with_tor(two_homes(RANDOM, RANDOM), "host", "guest"),
        Plays(),
        ("--tor",),
        seconds=120,
        needs=_TOR,
    ),
    Scene(
        "tor-host",
        "both routers give random ports, only the host has Tor",
        with_tor(two_homes(RANDOM, RANDOM), "host"),
        NO_WAY,
        ("--tor",),
        needs=_TOR,
    ),
    Scene(
        "socks",
        "port forwarded by hand, the guest comes through Tor (SOCKS)",
        with_tor(two_homes(FORWARDED, DROPS), "guest"),
        Plays(),
        AT_OUTSIDE,
        ("--through", "socks5://127.0.0.1:9050"),
        seconds=120,
        needs=_TOR,
    ),
)

_LONG = 180.0  # the players notice a lost connection only after a minute of silence


def scene_with_disturbance(
    name: str,
    title: str,
    world: World,
    meanwhile: Meanwhile,
    expected: Expected = Plays(),  # noqa: B008 - frozen
    host: tuple[str, ...] = (),
    guest: tuple[str, ...] = (),
) -> Scene:
    """Return a scene with an event in mid-match."""
    programs = {daemon.command[0] for each in world.machines for daemon in each.daemons}
    return Scene(
        name,
        title,
        world,
        expected,
        host,
        guest,
        meanwhile=meanwhile,
        hands=3,
        seconds=_LONG,
        needs=("conntrack", *sorted(programs & {"miniupnpd"})),
    )


def address_change(machine: str, card: str, old: str, new: str, gateway: str) -> Meanwhile:
    """Give a machine a new address in mid-match; connections from the old one are lost."""
    script = (
        f"ip addr del {old}/24 dev {card}; ip addr add {new}/24 dev {card}; "
        f"ip route replace default via {gateway}; conntrack -F"
    )
    return Meanwhile((Run(machine, script),))


_REBOOT = Meanwhile((Reboot("host-router"),))
_NEW_OUTSIDE = address_change("host-router", "wan", HOST_OUTSIDE, "45.10.1.3", "45.10.1.1")

MIDMATCH = (
    scene_with_disturbance(
        "reboot-forward",
        "in mid-match the router that forwards reboots",
        two_homes(FORWARDED, DROPS),
        _REBOOT,
        host=AT_OUTSIDE,
    ),
    scene_with_disturbance(
        "reboot-mapping",
        "in mid-match the router that was asked (UPnP, NAT-PMP, PCP) reboots",
        two_homes(mapping_router(), DROPS),
        _REBOOT,
    ),
    scene_with_disturbance(
        "reboot-drop",
        "both behind routers that drop, in mid-match one reboots",
        two_homes(DROPS, DROPS),
        _REBOOT,
        BY_REPLY,
        ASKING,
        ASKING,
    ),
    scene_with_disturbance(
        "moves-guest-lan",
        "same LAN, in mid-match the guest's address changes",
        one_home(),
        address_change("guest", "eth0", "192.168.1.3", "192.168.1.33", "192.168.1.1"),
    ),
    scene_with_disturbance(
        "moves-host-lan",
        "same LAN, in mid-match the host's address changes",
        one_home(),
        address_change("host", "eth0", "192.168.1.2", "192.168.1.22", "192.168.1.1"),
    ),
    scene_with_disturbance(
        "moves-guest",
        "port forwarded by hand, in mid-match the guest's outside address changes",
        two_homes(FORWARDED, DROPS),
        address_change("guest-router", "wan", GUEST_OUTSIDE, "45.20.1.3", "45.20.1.1"),
        host=AT_OUTSIDE,
    ),
    scene_with_disturbance(
        "moves-host",
        "both routers can be asked, in mid-match the host's outside address changes",
        two_homes(mapping_router(), mapping_router()),
        _NEW_OUTSIDE,
    ),
    # Neither side learns the new address, but both dial the old one.
    scene_with_disturbance(
        "moves-host-closed",
        "the host's router can be asked, in mid-match its outside address changes",
        two_homes(mapping_router(), DROPS),
        _NEW_OUTSIDE,
        Plays(reply=None),
    ),
)


def slow_scene(
    name: str, title: str, seconds: float, lost: float = 0.0, rate: float = 0.0
) -> Scene:
    """Return a scene on a bad line, in which the guest must not read that it couldn't reach the
    host."""
    world = with_slow_line(two_homes(FORWARDED, DROPS), seconds, lost, rate)
    title = f"port forwarded by hand, {title}"
    return Scene(name, title, world, Plays(), AT_OUTSIDE, seconds=_LONG)


SLOW = (
    slow_scene("slow-600", "600 ms each way", 0.6),
    slow_scene("slow-lossy", "300 ms each way, 10 % of all packets lost", 0.3, lost=0.1),
    slow_scene("slow-5k", "5 kB/s", 0.05, rate=5000.0),
)


def killed_host_scene(
    name: str,
    title: str,
    world: World,
    *meanwhile: Run,
    host: tuple[str, ...],
    resumed: Resume = Resume(),  # noqa: B008 - frozen
    reconnects_within: float = 60.0,
    needs: tuple[str, ...] = (),
) -> Scene:
    """Return a scene in which the host's program is killed in mid-match and resumed 20 seconds
    later. The guest must be back within *reconnects_within* seconds after that."""
    pause = Run("host", "sleep 20")
    return Scene(
        name,
        title,
        world,
        # The program shows a reply code at once, which may be used.
        Plays(reply=None, reconnects_within=reconnects_within),
        host,
        meanwhile=Meanwhile((Kill(), *meanwhile, pause, resumed)),
        hands=3,
        seconds=_LONG,
        needs=needs,
    )


_NAME = "ann.home.example"
_MOVES = Run(
    "host-router",
    f"ip addr del {HOST_OUTSIDE}/24 dev wan; ip addr add 45.10.1.3/24 dev wan; "
    "ip route replace default via 45.10.1.1",
)

RESUMED = (
    killed_host_scene(
        "resume-tor",
        "both have Tor, in mid-match the host is killed and resumed (plain resume)",
        with_tor(two_homes(RANDOM, RANDOM), "host", "guest"),
        host=("--tor",),
        # Tor sometimes takes a minute to give up on the killed service; then the guest dials again.
        reconnects_within=120.0,
        needs=_TOR,
    ),
    killed_host_scene(
        "resume-forward",
        "port forwarded by hand, in mid-match the host is killed and resumed (plain resume)",
        two_homes(FORWARDED, DROPS),
        host=AT_OUTSIDE,
    ),
    killed_host_scene(
        "resume-name",
        "a name and a forwarded port, the host is killed, its name gets another address, plain "
        "resume",
        with_name(two_homes(FORWARDED, DROPS), _NAME, HOST_OUTSIDE),
        _MOVES,
        Run("guest", f"echo 45.10.1.3 {_NAME} > /etc/hosts"),
        host=("--advertise", f"{_NAME}:{PORT}"),
    ),
    killed_host_scene(
        "resume-moved",
        "port forwarded by hand, the guest's router can be asked; the host is killed, its outside "
        "address changes, resume with the new one",
        two_homes(FORWARDED, mapping_router()),
        _MOVES,
        host=AT_OUTSIDE,
        resumed=Resume(("--advertise", f"45.10.1.3:{PORT}")),
        needs=("miniupnpd",),
    ),
)

SCENES = (*AT_HOME, *BY_HAND, *BOTH_BEHIND, *IPV6, *MAPPING, *BY_TOR, *MIDMATCH, *SLOW, *RESUMED)


def scenes_named(names: list[str]) -> list[Scene]:
    """Return the scenes with these names, or all if there are none. Raises ValueError."""
    known = {scene.name: scene for scene in SCENES}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such scene: {', '.join(unknown)}")
    return [known[name] for name in dict.fromkeys(names)] or list(SCENES)
