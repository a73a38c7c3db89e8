"""Every scene of the lab, in the order of the table."""

from __future__ import annotations

from dataclasses import replace

from tests.lab.daemons import (
    NATPMP,
    PCP,
    STRICT_REDIRECT,
    deaf_to,
    miniupnpd,
    only_permanent,
)
from tests.lab.homes import (
    DROPS,
    GUEST_OUTSIDE,
    HOST_OUTSIDE,
    OWN_FIREWALL,
    PORT,
    RANDOM,
    RESETS,
    Router,
    one_home,
    two_homes,
    with_rules,
    with_tor,
    with_vpn,
)
from tests.lab.scene import CannotWork, Meanwhile, Plays, Reboot, Run, Scene
from tests.lab.topology import World

FORWARDED = Router(forwards=True)
AT_OUTSIDE = ("--advertise", f"{HOST_OUTSIDE}:{PORT}")
SIX_OPEN, SIX_CLOSED = replace(DROPS, six="accept"), replace(DROPS, six="drop")

# What somebody reads whom no way leads to the other one: that it is so, and what is left to try.
NO_WAY = r"\btor\b"

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
        Plays(reply=True),
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
)

BOTH_BEHIND = (
    Scene("drop-both", "both behind routers that drop", two_homes(DROPS, DROPS), Plays(reply=True)),
    Scene("reset-host", "the host's router resets", two_homes(RESETS, DROPS), Plays(reply=True)),
    Scene("reset-guest", "the guest's router resets", two_homes(DROPS, RESETS), Plays(reply=True)),
    Scene("reset-both", "both routers reset", two_homes(RESETS, RESETS), Plays(reply=True)),
    Scene(
        "random-host",
        "the host's router gives random ports",
        two_homes(RANDOM, DROPS),
        CannotWork(NO_WAY),
    ),
    Scene(
        "random-guest",
        "the guest's router gives random ports",
        two_homes(DROPS, RANDOM),
        CannotWork(NO_WAY),
    ),
    Scene(
        "random-both",
        "both routers give random ports",
        two_homes(RANDOM, RANDOM),
        CannotWork(NO_WAY),
    ),
    Scene(
        "cgnat-host",
        "the host behind a shared address (CGNAT)",
        two_homes(DROPS, DROPS, hosts_carrier=DROPS),
        Plays(reply=True),
    ),
    Scene(
        "cgnat-both",
        "both behind a shared address (CGNAT)",
        two_homes(DROPS, DROPS, hosts_carrier=DROPS, guests_carrier=DROPS),
        Plays(reply=True),
    ),
    Scene(
        "firewall",
        "port forwarded by hand, but the host's own firewall is closed",
        with_rules(two_homes(FORWARDED, DROPS), "host", OWN_FIREWALL),
        Plays(reply=True),
        AT_OUTSIDE,
    ),
)

IPV6 = (
    Scene("six-open", "IPv6, open", two_homes(SIX_OPEN, SIX_OPEN), Plays()),
    Scene("six-closed", "IPv6, closed", two_homes(SIX_CLOSED, SIX_CLOSED), Plays(reply=True)),
    Scene(
        "six-closed-host",
        "IPv6, closed at the host's only",
        two_homes(SIX_CLOSED, SIX_OPEN),
        Plays(reply=True),
    ),
)


def mapper(*, more: str = "", six: bool = False, **settings: object) -> Router:
    """A router with miniupnpd."""
    daemon = miniupnpd(six=six, **settings)
    return Router(mapper=True, daemons=(daemon,), more=more, six="drop" if six else None)


def mapped(name: str, title: str, hosts: Router, *, reply: bool = False) -> Scene:
    """A scene in which only the host's router can be asked."""
    return Scene(name, title, two_homes(hosts, DROPS), Plays(reply), needs=("miniupnpd",))


_UPNP = mapper(pcp=False)
_PERMANENT = mapper(pcp=False, only_own=False, more=STRICT_REDIRECT)

MAPPING = (
    mapped("mapping", "UPnP, NAT-PMP and PCP together", mapper()),
    mapped("upnp", "UPnP (IGD 2)", _UPNP),
    mapped("upnp-1", "UPnP (IGD 1)", mapper(pcp=False, first_version=True)),
    mapped("natpmp", "NAT-PMP", mapper(upnp=False, more=deaf_to(PCP))),
    mapped("pcp", "PCP", mapper(upnp=False, more=deaf_to(NATPMP))),
    mapped("upnp-taken", "UPnP, the outside port is taken", mapper(pcp=False, taken=PORT)),
    mapped(
        "natpmp-taken",
        "NAT-PMP, the outside port is taken",
        mapper(upnp=False, more=deaf_to(PCP), taken=PORT),
    ),
    mapped(
        "pcp-taken",
        "PCP, the outside port is taken",
        mapper(upnp=False, more=deaf_to(NATPMP), taken=PORT),
    ),
    mapped(
        "upnp-permanent",
        "UPnP, the router knows permanent mappings only",
        replace(_PERMANENT, daemons=(*_PERMANENT.daemons, only_permanent())),
    ),
    mapped("upnp-refused", "UPnP, refused", mapper(pcp=False, allowed=False), reply=True),
    mapped(
        "pcp-refused",
        "PCP and NAT-PMP, refused",
        mapper(upnp=False, allowed=False),
        reply=True,
    ),
    Scene(
        "upnp-cgnat",
        "UPnP, with a shared address (CGNAT) behind the router",
        two_homes(mapper(), DROPS, hosts_carrier=DROPS),
        Plays(reply=True),
        needs=("miniupnpd",),
    ),
    Scene(
        "mapping-guest",
        "only the guest's router can be asked, the host's gives random ports",
        two_homes(RANDOM, mapper()),
        Plays(reply=True),
        needs=("miniupnpd",),
    ),
    Scene(
        "pinhole-pcp",
        "IPv6, closed, with pinholes by PCP",
        two_homes(mapper(six=True, upnp=False, allowed=False), SIX_CLOSED),
        Plays(),
        needs=("miniupnpd",),
    ),
    Scene(
        "pinhole-upnp",
        "IPv6, closed, with pinholes by UPnP (IGD 2)",
        two_homes(mapper(six=True, pcp=False, allowed=False), SIX_CLOSED),
        Plays(),
        needs=("miniupnpd",),
    ),
)

_TOR = ("tor", "tor-gencert")

BY_TOR = (
    Scene(
        "tor",
        "both give random ports, with Tor (onion service)",
        with_tor(two_homes(RANDOM, RANDOM), "host", "guest"),
        Plays(),
        invite=2,
        seconds=120,
        needs=_TOR,
    ),
    Scene(
        "tor-host",
        "both give random ports, only the host has Tor",
        with_tor(two_homes(RANDOM, RANDOM), "host"),
        CannotWork(NO_WAY),
        invite=2,
        needs=_TOR,
    ),
    Scene(
        "socks",
        "port forwarded by hand, the guest comes through Tor (SOCKS)",
        with_tor(two_homes(FORWARDED, DROPS), "guest"),
        Plays(),
        AT_OUTSIDE,
        seconds=120,
        needs=_TOR,
    ),
)

_LONG = 180.0  # that the other side is gone shows after a minute of silence


def _moves(machine: str, card: str, old: str, new: str, gateway: str | None) -> Meanwhile:
    """A machine gets another address in mid-match."""
    script = f"ip addr del {old}/24 dev {card}; ip addr add {new}/24 dev {card}"
    if gateway is not None:
        script += f"; ip route replace default via {gateway}"
    return Meanwhile((Run(machine, f"{script}; conntrack -F"),))


def disturbed(
    name: str, title: str, world: World, meanwhile: Meanwhile, expected, host=()
) -> Scene:
    """A scene with something in mid-match."""
    programs = {daemon.command[0] for each in world.machines for daemon in each.daemons}
    return Scene(
        name,
        title,
        world,
        expected,
        host,
        meanwhile=meanwhile,
        hands=3,
        seconds=_LONG,
        needs=("conntrack", *sorted(programs & {"miniupnpd"})),
    )


_REBOOT = Meanwhile((Reboot("host-router"),))
_NEW_OUTSIDE = _moves("host-router", "wan", HOST_OUTSIDE, "45.10.1.3", "45.10.1.1")

MIDMATCH = (
    disturbed(
        "reboot-forward",
        "in mid-match the router that forwards reboots",
        two_homes(FORWARDED, DROPS),
        _REBOOT,
        Plays(),
        AT_OUTSIDE,
    ),
    disturbed(
        "reboot-mapping",
        "in mid-match the router that was asked reboots",
        two_homes(mapper(), DROPS),
        _REBOOT,
        Plays(),
    ),
    disturbed(
        "reboot-drop",
        "both behind routers that drop; in mid-match one reboots",
        two_homes(DROPS, DROPS),
        _REBOOT,
        Plays(reply=True),
    ),
    disturbed(
        "moves-guest-lan",
        "same LAN, in mid-match the guest's address changes",
        one_home(),
        _moves("guest", "eth0", "192.168.1.3", "192.168.1.33", "192.168.1.1"),
        Plays(),
    ),
    disturbed(
        "moves-host-lan",
        "same LAN, in mid-match the host's address changes",
        one_home(),
        _moves("host", "eth0", "192.168.1.2", "192.168.1.22", "192.168.1.1"),
        Plays(),
    ),
    disturbed(
        "moves-guest",
        "port forwarded by hand; in mid-match the guest's outside address changes",
        two_homes(FORWARDED, DROPS),
        _moves("guest-router", "wan", GUEST_OUTSIDE, "45.20.1.3", "45.20.1.1"),
        Plays(),
        AT_OUTSIDE,
    ),
    disturbed(
        "moves-host",
        "UPnP, NAT-PMP and PCP at both; in mid-match the host's outside address changes",
        two_homes(mapper(), mapper()),
        _NEW_OUTSIDE,
        Plays(),
    ),
    disturbed(
        "moves-host-closed",
        "UPnP, NAT-PMP and PCP at the host's only; in mid-match its outside address changes",
        two_homes(mapper(), DROPS),
        _NEW_OUTSIDE,
        CannotWork(r"\binvite\b"),
    ),
)

SCENES = (*AT_HOME, *BY_HAND, *BOTH_BEHIND, *IPV6, *MAPPING, *BY_TOR, *MIDMATCH)


def chosen(names: list[str]) -> list[Scene]:
    """The scenes of these names, all of them if there are none. Raises ValueError."""
    known = {scene.name: scene for scene in SCENES}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such scene: {', '.join(unknown)}")
    return [known[name] for name in dict.fromkeys(names)] or list(SCENES)
