"""The port is opened and closed by each protocol alone, and by all of them together."""

import sys
from dataclasses import replace

import pytest
from twisted.internet import reactor
from twisted.internet.defer import succeed

from ginpeer.net.address import Address
from ginpeer.net.mapping import port_mapping
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.results import PortMapped
from tests.net.mapping import gateways
from tests.net.mapping.asking import NAT_PMP, PCP, PORT, TIMING, UPNP, codes_of
from tests.net.mapping.gateways import HERE, OUTSIDE, Entry, Router
from tests.net.support import pause, until

# --- each protocol alone ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "protocol"), [("pcp", PCP), ("nat_pmp", NAT_PMP), ("igd1", UPNP), ("igd2", UPNP)]
)
async def test_each_protocol_opens_the_port_and_closes_it_again(
    make_router, map_port, name, protocol
):
    router = make_router(name)
    asking = map_port(router)
    outcome = await asking.outcome()
    [mapped] = asking.told(PortMapped)
    assert mapped.outside == Address(OUTSIDE, PORT)
    assert (mapped.protocol, mapped.instead_of) == (protocol, None)
    assert outcome.code == "mapped"
    assert codes_of(outcome)[protocol] == "mapped"
    entry = router.table[PORT]
    assert (entry.client, entry.port) == (HERE, PORT)
    assert entry.lifetime == TIMING.lifetime
    assert [lease.protocol for lease in asking.kept()] == [protocol]
    await asking.mapping.stop()
    assert not router.table
    assert asking.kept() == asking.mapping.leases == ()


async def test_a_router_without_any_protocol_is_reported_to_offer_nothing(make_router, map_port):
    asking = map_port(make_router())
    outcome = await asking.outcome()
    assert codes_of(outcome) == {PCP: "not-offered", NAT_PMP: "not-offered", UPNP: "no-answer"}
    assert not asking.told(PortMapped)
    assert asking.kept() == ()


async def test_without_a_router_the_outcome_says_so(make_router, map_port):
    outcome = await map_port(make_router(), gateways=()).outcome()
    assert (outcome.code, outcome.answers) == ("no-gateway", ())


async def test_the_routers_of_this_machine_are_found_and_asked(make_router, monkeypatch):
    router, asked, told = make_router("pcp"), [], []

    def find(_, own):
        asked.append(own)
        return succeed((router.gateway,))

    monkeypatch.setattr(port_mapping, "find_gateways", find)
    mapping = port_mapping.PortMapping(
        reactor,
        PORT,
        rng=bytes,
        on_event=told.append,
        store=lambda leases: None,
        own=["2001:db8::5"],
        timing=TIMING,
        ports=router.ports,
    )
    mapping.begin()
    await until(lambda: PORT in router.table)
    await mapping.stop()
    assert asked == [("2001:db8::5",)]
    assert not router.table


async def test_the_next_protocol_is_tried_at_once_if_one_fails(make_router, map_port):
    timing = replace(TIMING, head_starts=(0.0, 9.0, 9.0))
    asking = map_port(make_router(), gateways=(Gateway(HERE, "192.0.2.77"),), timing=timing)
    assert set(codes_of(await asking.outcome()).values()) == {"router-unreachable"}


async def test_silent_routers_are_waited_for_only_for_the_total_time(make_router, map_port):
    router = make_router("pcp", "nat_pmp", "igd2")
    router.pcp.fault = router.nat_pmp.fault = router.ssdp.fault = "silent"
    timing = replace(TIMING, total=0.2, pcp=(99.0,), nat_pmp=(99.0,), search=(99.0,))
    asking = map_port(router, timing=timing)
    begun = reactor.seconds()
    outcome = await asking.outcome()
    assert 0.15 < reactor.seconds() - begun < 10
    assert set(codes_of(outcome).values()) == {"no-answer"}


# --- side by side -----------------------------------------------------------------------------


async def test_no_other_protocol_is_used_if_pcp_opens_the_port(make_router, map_port):
    router = make_router("pcp", "nat_pmp", "igd2")
    outcome = await map_port(router).outcome()
    assert codes_of(outcome) == {PCP: "mapped", NAT_PMP: "not-needed", UPNP: "not-needed"}
    assert router.heard == ["pcp"]


async def test_nat_pmp_is_tried_at_once_if_the_server_does_not_know_pcp(make_router, map_port):
    router = make_router("pcp", "nat_pmp")
    router.pcp.fault = "nat-pmp-only"
    asking = map_port(router, timing=replace(TIMING, head_starts=(0.0, 9.0, 9.0)))
    outcome = await asking.outcome()
    assert codes_of(outcome)[PCP] == "version-unsupported"
    assert codes_of(outcome)[NAT_PMP] == "mapped"


async def test_a_late_second_mapping_with_another_port_is_removed(make_router, map_port):
    router = make_router("pcp", "igd1")
    router.pcp.delay = 0.2
    router.table[PORT] = Entry("192.0.2.9", 1, 1)  # so each protocol gets a different port
    asking = map_port(router, timing=replace(TIMING, pcp=(0.5,)))
    outcome = await asking.outcome()
    assert codes_of(outcome)[UPNP] == "mapped"
    assert codes_of(outcome)[PCP] == "not-needed"
    [mapped] = asking.told(PortMapped)
    await until(lambda: len(asking.mapping.leases) == 1)
    assert mapped.protocol is UPNP


async def test_a_second_mapping_of_the_same_port_is_kept_until_the_end(make_router, map_port):
    """The router has one table, so closing the second mapping would close the first."""
    router = make_router("pcp", "nat_pmp")
    router.pcp.delay = 0.15
    asking = map_port(router, timing=replace(TIMING, pcp=(0.5,)))
    outcome = await asking.outcome()
    assert codes_of(outcome)[NAT_PMP] == "mapped"
    await pause(0.05)
    assert list(router.table) == [PORT]
    assert {lease.protocol for lease in asking.mapping.leases} == {PCP, NAT_PMP}
    await asking.mapping.stop()
    assert not router.table
    assert asking.kept() == ()


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is there on Linux alone")
async def test_another_machine_posing_as_a_router_is_ignored(make_router, map_port, monkeypatch):
    """The question also goes to the multicast group, in which any machine can answer."""
    router = make_router()
    other = "127.0.0.2"
    monkeypatch.setattr(gateways, "HERE", other)
    impostor = make_router("igd1")
    ports = replace(router.ports, ssdp=impostor.ports.ssdp, multicast=other)
    monkeypatch.setattr(Router, "ports", ports)
    outcome = await map_port(router, gateways=(Gateway(HERE, HERE),)).outcome()
    assert codes_of(outcome)[UPNP] == "no-answer"
    assert "ssdp" in impostor.heard
    assert impostor.http.actions == []
