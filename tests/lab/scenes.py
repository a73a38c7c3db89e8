"""Every scene of the lab, in the order of the table."""

from __future__ import annotations

from dataclasses import replace

from tests.lab.homes import (
    DROPS,
    HOST_OUTSIDE,
    OWN_FIREWALL,
    PORT,
    RANDOM,
    RESETS,
    Router,
    one_home,
    two_homes,
    with_rules,
    with_vpn,
)
from tests.lab.scene import CannotWork, Plays, Scene

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

SCENES = (*AT_HOME, *BY_HAND, *BOTH_BEHIND, *IPV6)


def chosen(names: list[str]) -> list[Scene]:
    """The scenes of these names, all of them if there are none. Raises ValueError."""
    known = {scene.name: scene for scene in SCENES}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such scene: {', '.join(unknown)}")
    return [known[name] for name in dict.fromkeys(names)] or list(SCENES)
