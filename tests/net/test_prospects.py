"""What a diagnosis means for a friend: how they get in, and what would help."""

import json
from dataclasses import replace

import pytest

from ginpeer.net.address import Address
from ginpeer.net.diagnosis import Asked, Diagnosis, OwnPort, OwnTor, RouterAnswer, StunAnswer
from ginpeer.net.diagnosis_document import document
from ginpeer.net.mapping.gateway import Gateway
from ginpeer.net.mapping.refusals import MappingProtocol
from ginpeer.net.own_addresses import OwnAddress, Reach
from ginpeer.net.own_firewall import OwnFirewall
from ginpeer.net.prospects import (
    Way,
    behind,
    changes,
    leaves_by_vpn,
    outside_of,
    prospects,
    six_of,
)

FOUR = OwnAddress("eth0", "192.168.1.2", Reach.HOME, True)
SIX = OwnAddress("eth0", "2a02:8108::7", Reach.IPV6, True)
TUNNEL = OwnAddress("tun0", "10.8.0.2", Reach.VPN, True)
MOBILE = OwnAddress("wwan0", "100.80.1.2", Reach.VPN, True)  # of 100.64.0.0/10
ROUTER, ROUTER6 = Gateway("192.168.1.1", FOUR.host), Gateway("fe80::1%eth0", SIX.host)
AT = Address("198.51.100.7", 4466)
STUN = Address("stun.example", 3478)
TOR = OwnTor(Address("127.0.0.1", 9050), Address("127.0.0.1", 9051))


def asked(*answers):
    """*answers*: a code, or a code and where the router says that it has opened the port."""
    rows = []
    for each in ((each, None) if isinstance(each, str) else each for each in answers):
        code, outside, gateway = (
            (*each, ROUTER)[:3] if isinstance(each, tuple) else (each, None, ROUTER)
        )
        rows.append(RouterAnswer(MappingProtocol.PCP, gateway, code, "A sentence.", outside, 120))
    return Asked(rows[0].code if rows else "no-gateway", "A sentence.", tuple(rows), True)


PLAIN = Diagnosis(
    OwnPort(4466, 4466),
    (FOUR,),
    OwnFirewall("unseen"),
    (ROUTER,),
    asked("no-answer"),
    None,
    OwnTor(None, None),
)
MAPPED = replace(PLAIN, asked=asked(("mapped", AT)))


def ways(found):
    return {each.way: (each.code, each.reason) for each in prospects(found)}


def test_a_router_that_opens_the_port_lets_a_friend_in():
    assert ways(MAPPED)[Way.IPV4] == ("yes", "mapped")
    assert ways(MAPPED)[Way.HOME] == ("yes", "address")
    assert changes(MAPPED) == ()


@pytest.mark.parametrize(
    ("found", "reason", "change"),
    [
        (
            replace(PLAIN, asked=asked(("shared-address", Address("100.64.1.2", 4466)))),
            "shared-address",
            "shared-address",
        ),
        (replace(PLAIN, own=(TUNNEL,)), "vpn", "vpn"),
        (replace(PLAIN, own=(FOUR._replace(leaves=False),), routers=()), "no-route", "connect"),
        (
            replace(PLAIN, own=(TUNNEL._replace(card="wwan0", host="100.80.1.2"),)),
            "shared-address",
            "shared-address",
        ),
    ],
)
def test_what_keeps_a_friend_out_is_named_with_what_would_help(found, reason, change):
    assert ways(found)[Way.IPV4] == ("no", reason)
    assert changes(found) == (change, "tor")


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
def test_where_a_forward_made_by_hand_would_do_nobody_is_said_to_be_kept_out(
    answers, reason, change
):
    found = replace(PLAIN, asked=asked(*answers))
    assert ways(found)[Way.IPV4] == ("maybe", reason)
    assert changes(found) == (change, "tor")


@pytest.mark.parametrize("answers", [("no-answer",), ("router-without-address",), ()])
def test_a_forward_that_the_player_names_lets_a_friend_in(answers):
    found = replace(PLAIN, asked=asked(*answers), forwarded=AT)
    assert ways(found)[Way.IPV4] == ("yes", "forwarded")
    assert changes(found) == ()
    closed = replace(found, firewall=OwnFirewall("closed"))
    assert ways(closed)[Way.IPV4] == ("no", "own-firewall")
    assert document(found)["forwarded"] == str(AT)


def test_a_closed_firewall_of_this_machine_is_no_maybe_behind_a_router_that_opens_nothing():
    assert ways(replace(PLAIN, firewall=OwnFirewall("closed")))[Way.IPV4] == ("no", "own-firewall")
    assert ways(replace(PLAIN, firewall=OwnFirewall("on")))[Way.IPV4] == ("maybe", "no-answer")


def test_a_port_that_the_outside_sees_as_another_one_promises_no_way_by_reply():
    same = replace(PLAIN, stun=StunAnswer(STUN, AT, "answered"))
    assert ways(same)[Way.REPLY] == ("maybe", "outside-known")
    other = replace(PLAIN, stun=StunAnswer(STUN, AT._replace(port=51234), "answered"))
    assert ways(other)[Way.REPLY] == ("maybe", "ports-change")
    moved = replace(same, port=OwnPort(4466, 40123, "port-taken"))
    assert ways(moved)[Way.REPLY] == ("maybe", "ports-change")


def test_a_mobile_network_is_no_vpn():
    assert leaves_by_vpn(replace(PLAIN, own=(TUNNEL,)))
    assert not leaves_by_vpn(replace(PLAIN, own=(MOBILE,)))


def test_what_was_not_asked_is_not_known():
    found = replace(PLAIN, asked=None)
    assert ways(found)[Way.IPV4] == ("unknown", "not-asked")
    assert changes(found)[0] == "ask-router"


@pytest.mark.parametrize(
    ("code", "home", "change"),
    [
        ("closed", "no", ("own-firewall",)),
        ("all-closed", "no", ("own-firewall",)),
        ("on", "maybe", ("own-firewall",)),
        ("rules", "maybe", ("own-firewall",)),
        ("port-open", "yes", ()),
        ("unseen", "yes", ()),
    ],
)
def test_the_own_firewall_stands_before_every_way(code, home, change):
    found = replace(MAPPED, firewall=OwnFirewall(code))
    assert ways(found)[Way.HOME][0] == ways(found)[Way.IPV4][0] == home
    assert changes(found) == change


def test_a_server_that_sees_another_address_than_the_router_names_tells_of_a_second_router():
    stun = StunAnswer(STUN, Address("203.0.113.5", 4466), "answered")
    found = replace(MAPPED, stun=stun)
    assert behind(found) == "second-router"
    assert outside_of(found).host == "203.0.113.5"
    assert behind(replace(MAPPED, stun=replace(stun, outside=AT))) == "nothing"


def test_an_address_of_the_internet_needs_no_router():
    found = replace(PLAIN, own=(OwnAddress("eth0", "198.51.100.9", Reach.OUTSIDE, True),))
    assert ways(found)[Way.IPV4] == ("yes", "own-address")
    assert (outside_of(found).told_by, behind(found)) == ("own", "nothing")
    assert changes(found) == ()


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
def test_ipv6_takes_an_address_a_route_and_a_pinhole(own, answer, expected):
    found = replace(PLAIN, own=own, asked=asked("no-answer", (answer, None, ROUTER6)))
    assert ways(found)[Way.IPV6] == expected
    assert six_of(found).pinhole == answer


def test_a_reply_code_needs_an_address_that_the_friend_can_send_to():
    assert ways(PLAIN)[Way.REPLY] == ("maybe", "stun-needed")
    assert ways(replace(PLAIN, own=(FOUR, SIX)))[Way.REPLY] == ("maybe", "ipv6")
    stun = StunAnswer(STUN, AT, "answered")
    assert ways(replace(PLAIN, stun=stun))[Way.REPLY] == ("maybe", "outside-known")
    assert ways(replace(PLAIN, own=()))[Way.REPLY] == ("no", "no-route")


def test_tor_has_to_take_orders():
    assert ways(PLAIN)[Way.TOR] == ("no", "no-tor")
    assert ways(replace(PLAIN, tor=TOR))[Way.TOR] == ("maybe", "control-port")
    deaf = replace(PLAIN, tor=replace(TOR, control=None))
    assert ways(deaf)[Way.TOR] == ("no", "no-control-port")
    assert changes(deaf) == ("switch-on", "tor-control")
    assert changes(replace(PLAIN, tor=TOR)) == ("switch-on",)


def test_without_any_network_there_is_one_thing_to_do():
    alone = replace(PLAIN, own=(), routers=(), asked=asked())
    assert changes(alone) == ("connect",)
    assert ways(alone)[Way.HOME] == ("no", "no-address")


def test_the_document_has_these_keys():
    found = replace(
        MAPPED, own=(FOUR, SIX), stun=StunAnswer(STUN, AT, "answered"), tor=TOR, routers=(ROUTER,)
    )
    told = json.loads(json.dumps(document(found)))
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
