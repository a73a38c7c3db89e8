"""Routers that refuse, fail or mislead, and what we report about each."""

from dataclasses import replace

import pytest

from ginpeer.net.mapping.results import PortMapped
from tests.net.mapping.asking import NAT_PMP, PCP, PORT, TIMING, UPNP, codes_of


@pytest.mark.parametrize(
    ("protocol", "fault", "code"),
    [
        (PCP, 12, "router-between"),
        (PCP, "silent", "no-answer"),
        (NAT_PMP, 3, "router-without-address"),
        (NAT_PMP, "garbage", "answer-unreadable"),
    ],
)
async def test_a_fault_of_a_server_has_a_code(make_router, map_port, protocol, fault, code):
    name = "pcp" if protocol is PCP else "nat_pmp"
    router = make_router(name)
    getattr(router, name).fault = fault
    asking = map_port(router)
    outcome = await asking.outcome()
    assert codes_of(outcome)[protocol] == code
    assert not asking.told(PortMapped)
    [answer] = [each for each in outcome.answers if each.protocol is protocol]
    assert answer.sentence.endswith((".", ")"))


async def test_a_router_that_does_not_know_its_address_still_opens_the_port(make_router, map_port):
    router = make_router("nat_pmp")
    router.nat_pmp.address_fault = 3
    asking = map_port(router)
    assert (await asking.outcome()).code == "outside-unknown"
    assert not asking.told(PortMapped)
    assert PORT in router.table


@pytest.mark.parametrize(
    ("name", "outside", "code"),
    [
        ("pcp", "100.64.3.4", "shared-address"),
        ("igd1", "0.0.0.0", "outside-unknown"),
    ],
)
async def test_an_outside_address_that_is_not_public_is_recognised(
    make_router, map_port, name, outside, code
):
    asking = map_port(make_router(name, outside=outside))
    assert (await asking.outcome()).code == code
    assert not asking.told(PortMapped)


@pytest.mark.parametrize(
    ("fault", "code"), [("silent", "answer-late"), ("redirect", "answer-unreadable")]
)
async def test_a_faulty_description_has_a_code(make_router, map_port, fault, code):
    router = make_router("igd1")
    router.http.fault = fault
    asking = map_port(router, timing=replace(TIMING, http=0.3))
    assert codes_of(await asking.outcome())[UPNP] == code


@pytest.mark.parametrize(
    ("action", "number", "code"),
    [
        ("AddPortMapping", 606, "not-allowed"),
        ("AddPortMapping", 718, "port-taken"),
        ("AddPortMapping", 799, "refused"),
        ("GetExternalIPAddress", 606, "not-allowed"),
    ],
)
async def test_a_refusal_by_upnp_has_a_code_and_leaves_no_lease(
    make_router, map_port, action, number, code
):
    router = make_router("igd1")
    router.http.faults[action] = number
    asking = map_port(router)
    outcome = await asking.outcome()
    assert codes_of(outcome)[UPNP] == code
    assert str(number) in outcome.sentence
    assert asking.kept() == ()
    knows = action != "GetExternalIPAddress"  # its external address is still useful
    assert (outcome.seen_at is not None) is knows


async def test_a_refusal_of_the_newer_action_is_not_retried_with_the_older(make_router, map_port):
    router = make_router("igd2")
    router.http.faults["AddAnyPortMapping"] = 606
    assert codes_of(await map_port(router).outcome())[UPNP] == "not-allowed"
    assert router.http.actions.count("AddAnyPortMapping") == 1
    assert "AddPortMapping" not in router.http.actions


@pytest.mark.parametrize(
    ("name", "http", "code"),
    [
        # a router that doesn't reveal its address refuses for a reason of its own
        ("igd1", {"faults": {"GetExternalIPAddress": 501, "AddPortMapping": 728}}, "no-room"),
        # miniupnpd answers AddAnyPortMapping as if all ports were taken
        ("igd2", {"faults": {"AddAnyPortMapping": 728, "AddPortMapping": 606}}, "not-allowed"),
        ("igd2", {"reserved": "0"}, "answer-unreadable"),  # 0 is not a port
        ("igd2", {"kind": "Layer3Forwarding:1"}, "not-offered"),  # IPv6 pinholes don't help
        ("igd1", {"control": "http://192.0.2.1:80/ctl"}, "answer-elsewhere"),
    ],
)
async def test_a_router_with_quirks_is_reported_with_its_true_reason(
    make_router, map_port, name, http, code
):
    router = make_router(name)
    vars(router.http).update(http)
    assert codes_of(await map_port(router).outcome())[UPNP] == code


async def test_an_offline_router_with_an_invalid_address_is_still_asked(make_router, map_port):
    router = make_router("igd1", outside="")
    assert codes_of(await map_port(router).outcome())[UPNP] == "outside-unknown"
    assert PORT in router.table


async def test_a_router_with_a_public_address_that_fails_has_refused(make_router, map_port):
    router = make_router("igd1")
    router.http.faults["AddPortMapping"] = 501  # some routers without leases answer this, too
    asking = map_port(router)
    assert codes_of(await asking.outcome())[UPNP] == "refused"
    await asking.mapping.stop()
    assert asking.kept() == ()


async def test_a_router_behind_a_shared_address_says_why_it_refuses(make_router, map_port):
    """Miniupnpd refuses with these codes if its own address is private: PCP 8, NAT-PMP 3, UPnP
    501."""
    router = make_router("pcp", "nat_pmp", "igd2")
    router.pcp.fault, router.nat_pmp.fault = 8, 3
    actions = ("GetExternalIPAddress", "AddAnyPortMapping", "AddPortMapping")
    router.http.faults = dict.fromkeys(actions, 501)
    outcome = await map_port(router).outcome()
    assert codes_of(outcome)[UPNP] == outcome.code == "router-without-address"


async def test_a_description_on_another_machine_is_not_fetched(make_router, map_port):
    router = make_router("igd1")
    router.ssdp.location = "http://127.0.0.2/desc.xml"
    assert codes_of(await map_port(router).outcome())[UPNP] == "answer-elsewhere"
