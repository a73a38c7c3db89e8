"""What a diagnosis means for a friend: how they can connect, and what would help."""

import json
from dataclasses import replace

import pytest

from ginpeer.net.address import Address
from ginpeer.net.diagnosis import (
    Diagnosis,
    FirewallStatus,
    PortStatus,
    RouterReport,
    StunAnswer,
    TorStatus,
)
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.results import MappingProtocol, RouterAnswer
from ginpeer.net.own_addresses import OwnAddress, Reach
from ginpeer.net.reachability import (
    ConnectionMethod,
    assess_reachability,
    diagnosis_document,
    find_public_address,
    ipv6_status,
    suggest_remedies,
    upstream_nat,
    uses_vpn,
)

FOUR = OwnAddress("eth0", "192.168.1.2", Reach.HOME, True)
SIX = OwnAddress("eth0", "2a02:8108::7", Reach.IPV6, True)
TUNNEL = OwnAddress("tun0", "10.8.0.2", Reach.VPN, True)
MOBILE = OwnAddress("wwan0", "100.80.1.2", Reach.VPN, True)  # an address in 100.64.0.0/10
TRANSLATED = OwnAddress("en0", "192.0.0.2", Reach.VPN, True)  # on an IPv6-only network
ROUTER, ROUTER6 = Gateway("192.168.1.1", FOUR.host), Gateway("fe80::1%eth0", SIX.host)
AT = Address("198.51.100.7", 4466)
STUN = Address("stun.example", 3478)
TOR = TorStatus(Address("127.0.0.1", 9050), Address("127.0.0.1", 9051))


def router_report_of(*answers):
    """Return a report on the router. Each answer is a code, or a code and the address at which the
    router has opened the port."""
    rows = []
    for each in ((each, None) if isinstance(each, str) else each for each in answers):
        code, outside, gateway = (
            (*each, ROUTER)[:3] if isinstance(each, tuple) else (each, None, ROUTER)
        )
        rows.append(RouterAnswer(MappingProtocol.PCP, gateway, code, "A sentence.", outside, 120))
    return RouterReport(rows[0].code if rows else "no-gateway", tuple(rows), True)


PLAIN = Diagnosis(
    PortStatus(4466, 4466),
    (FOUR,),
    FirewallStatus("unseen"),
    (ROUTER,),
    router_report_of("no-answer"),
    None,
    TorStatus(None, None),
)


def answered(*answers, **changes):
    """Return a diagnosis in which the router gives these answers."""
    return replace(PLAIN, router_report=router_report_of(*answers), **changes)


MAPPED = answered(("mapped", AT))


def ways(found):
    return {each.method: (each.code, each.reason) for each in assess_reachability(found)}


def test_a_router_that_opens_the_port_lets_a_friend_in():
    assert ways(MAPPED)[ConnectionMethod.IPV4] == ("yes", "mapped")
    assert ways(MAPPED)[ConnectionMethod.HOME] == ("yes", "address")
    assert suggest_remedies(MAPPED) == ()


@pytest.mark.parametrize(
    ("found", "reason", "change"),
    [
        (
            answered(("shared-address", Address("100.64.1.2", 4466))),
            "shared-address",
            "shared-address",
        ),
        (replace(PLAIN, own=(TUNNEL,)), "vpn", "vpn"),
        (replace(PLAIN, own=(FOUR._replace(leaves=False),), routers=()), "no-route", "connect"),
        (replace(PLAIN, own=(MOBILE,)), "shared-address", "shared-address"),
        (replace(PLAIN, own=(MOBILE._replace(interface="tailscale0"),)), "vpn", "vpn"),
        (replace(PLAIN, own=(TRANSLATED,)), "shared-address", "shared-address"),
    ],
)
def test_an_obstacle_is_named_with_its_remedy(found, reason, change):
    assert ways(found)[ConnectionMethod.IPV4] == ("no", reason)
    assert suggest_remedies(found) == (change, "tor")


@pytest.mark.parametrize(
    ("answers", "reason", "change"),
    [
        (("no-answer",), "no-answer", "switch-on"),
        (("not-offered", "answer-late"), "answer-late", "ask-again"),
        (("not-offered", "not-allowed"), "not-allowed", "switch-on"),
        (("no-room", "router-without-address"), "router-without-address", "no-own-address"),
        (("port-taken",), "port-taken", "forward"),
        ((("second-router", Address("192.168.0.2", 4466)),), "second-router", "second-router"),
        ((), "no-gateway", "forward"),
    ],
)
def test_an_obstacle_that_a_manual_forward_can_solve_counts_as_maybe(answers, reason, change):
    found = answered(*answers)
    assert ways(found)[ConnectionMethod.IPV4] == ("maybe", reason)
    assert suggest_remedies(found) == (change, "tor")


@pytest.mark.parametrize("answers", [("no-answer",), ("router-without-address",), ()])
def test_a_forward_named_by_the_player_lets_a_friend_in(answers):
    found = answered(*answers, forwarded=AT)
    assert ways(found)[ConnectionMethod.IPV4] == ("yes", "forwarded")
    assert suggest_remedies(found) == ()
    closed = replace(found, firewall=FirewallStatus("all-closed"))
    assert ways(closed)[ConnectionMethod.IPV4] == ("no", "own-firewall")
    assert diagnosis_document(found)["forwarded"] == str(AT)


SEEN = replace(PLAIN, stun=StunAnswer(STUN, AT, "answered"))
ANOTHER_PORT = StunAnswer(STUN, AT._replace(port=51234), "answered")


@pytest.mark.parametrize(
    ("found", "method", "expected"),
    [
        # Behind a router that opens nothing, a closed firewall on this machine makes no difference.
        (replace(PLAIN, firewall=FirewallStatus("all-closed")), "IPV4", ("no", "own-firewall")),
        (replace(PLAIN, firewall=FirewallStatus("on")), "IPV4", ("maybe", "no-answer")),
        (replace(PLAIN, router_report=None), "IPV4", ("unknown", "not-asked")),
        # A reply code needs an address to which the friend can send.
        (PLAIN, "REPLY", ("maybe", "stun-needed")),
        (replace(PLAIN, own=(FOUR, SIX)), "REPLY", ("maybe", "ipv6")),
        (SEEN, "REPLY", ("maybe", "outside-known")),
        (replace(PLAIN, own=()), "REPLY", ("no", "no-route")),
        # A port that looks different from outside may change for each friend.
        (replace(PLAIN, stun=ANOTHER_PORT), "REPLY", ("maybe", "ports-change")),
        (
            replace(SEEN, port=PortStatus(4466, 40123, "port-taken")),
            "REPLY",
            ("maybe", "ports-change"),
        ),
    ],
)
def test_each_method_has_its_chance_and_a_reason(found, method, expected):
    assert ways(found)[ConnectionMethod[method]] == expected


def test_a_router_that_was_not_asked_is_suggested_as_a_remedy():
    assert suggest_remedies(replace(PLAIN, router_report=None))[0] == "ask-router"


def test_a_mobile_network_is_not_a_vpn():
    assert uses_vpn(replace(PLAIN, own=(TUNNEL,)))
    assert not uses_vpn(replace(PLAIN, own=(MOBILE,)))
    assert not uses_vpn(replace(PLAIN, own=(MOBILE._replace(interface="ppp0"),)))


@pytest.mark.parametrize(
    ("code", "home", "change"),
    [
        ("all-closed", "no", ("own-firewall",)),
        ("on", "maybe", ("own-firewall",)),
        ("port-open", "yes", ()),
        ("unseen", "yes", ()),
    ],
)
def test_our_own_firewall_affects_every_method(code, home, change):
    found = replace(MAPPED, firewall=FirewallStatus(code))
    assert ways(found)[ConnectionMethod.HOME][0] == ways(found)[ConnectionMethod.IPV4][0] == home
    assert suggest_remedies(found) == change


def test_a_different_address_seen_by_stun_means_a_second_router():
    stun = StunAnswer(STUN, Address("203.0.113.5", 4466), "answered")
    found = replace(MAPPED, stun=stun)
    assert upstream_nat(found) == "second-router"
    assert find_public_address(found).host == "203.0.113.5"
    assert upstream_nat(replace(MAPPED, stun=replace(stun, outside=AT))) == "nothing"


def test_a_public_address_needs_no_router():
    found = replace(PLAIN, own=(OwnAddress("eth0", "198.51.100.9", Reach.OUTSIDE, True),))
    assert ways(found)[ConnectionMethod.IPV4] == ("yes", "own-address")
    assert (find_public_address(found).told_by, upstream_nat(found)) == ("own", "nothing")
    unused = replace(found, own=tuple(own._replace(leaves=False) for own in found.own))
    assert ways(unused)[ConnectionMethod.IPV4] == ("no", "no-route")
    assert suggest_remedies(found) == ()


@pytest.mark.parametrize(
    ("own", "answer", "expected"),
    [
        ((FOUR,), "no-answer", ("no", "no-address")),
        ((FOUR, SIX._replace(leaves=False)), "no-answer", ("no", "no-route")),
        ((FOUR, SIX), "no-answer", ("maybe", "router-may-close")),
        ((FOUR, SIX), "mapped", ("yes", "mapped")),
        ((FOUR, SIX), "firewall-off", ("yes", "firewall-off")),
    ],
)
def test_ipv6_needs_an_address_a_route_and_a_pinhole(own, answer, expected):
    found = answered("no-answer", (answer, None, ROUTER6), own=own)
    assert ways(found)[ConnectionMethod.IPV6] == expected
    assert ipv6_status(found).pinhole == answer


def test_tor_needs_a_control_port():
    assert ways(PLAIN)[ConnectionMethod.TOR] == ("no", "no-tor")
    assert ways(replace(PLAIN, tor=TOR))[ConnectionMethod.TOR] == ("maybe", "control-port")
    deaf = replace(PLAIN, tor=replace(TOR, control=None))
    assert ways(deaf)[ConnectionMethod.TOR] == ("no", "no-control-port")
    assert suggest_remedies(deaf) == ("switch-on", "tor-control")
    assert suggest_remedies(replace(PLAIN, tor=TOR)) == ("switch-on",)


def test_without_any_network_the_only_remedy_is_to_connect():
    alone = answered(own=(), routers=())
    assert suggest_remedies(alone) == ("connect",)
    assert ways(alone)[ConnectionMethod.HOME] == ("no", "no-address")


def test_the_document_has_these_keys():
    found = replace(MAPPED, own=(FOUR, SIX), stun=SEEN.stun, tor=TOR)
    told = json.loads(json.dumps(diagnosis_document(found)))
    assert set(told) == {
        *("version", "port", "addresses", "firewall", "routers", "asked", "stun", "outside"),
        *("behind", "ipv6", "tor", "forwarded", "friend", "change"),
    }
    assert told["asked"]["answers"] == [
        {
            "protocol": "PCP",
            "router": "192.168.1.1",
            "own": "192.168.1.2",
            "code": "mapped",
            "outside": "198.51.100.7:4466",
            "seconds": 120,
        }
    ]
    assert told["stun"] == {
        "server": "stun.example:3478",
        "code": "answered",
        "outside": "198.51.100.7:4466",
    }
    assert told["tor"] == {"socks": "127.0.0.1:9050", "control": "127.0.0.1:9051"}
    assert [each["way"] for each in told["friend"]] == ["home", "ipv4", "ipv6", "reply", "tor"]
