"""The whole of it against a router in process: real datagrams and real HTTP on loopback."""

import random
import socket
import sys
from dataclasses import replace

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from ginpeer.net.address import Address
from ginpeer.net.mapping.gateway import Gateway
from ginpeer.net.mapping.lease import Lease, read_leases, write_leases
from ginpeer.net.mapping.outcome import Mapped, Outcome, Unmapped
from ginpeer.net.mapping.port_mapping import PortMapping
from ginpeer.net.mapping.refusals import MappingProtocol
from ginpeer.net.mapping.ways import Timing
from tests.net.mapping import gateways
from tests.net.mapping.gateways import HERE, OUTSIDE, SIX, Entry, Router
from tests.net.support import pause, until

PORT = 4466
TIMING = Timing(
    whole=1.5,
    pcp=(0.04, 0.06),
    nat_pmp=(0.04, 0.06),
    search=(0.04, 0.06),
    http=0.2,
    head_starts=(0.0, 0.03, 0.06),
    forgetting=0.3,
    stopping=0.4,
    renewal=30.0,
    soonest=0.02,
    retry=0.05,
)
PCP, NAT_PMP, UPNP = MappingProtocol.PCP, MappingProtocol.NAT_PMP, MappingProtocol.UPNP


def ipv6_here():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


class Asking:
    """A port mapping, and all that it tells and stores."""

    def __init__(self, router, *, gateways=None, timing=TIMING, port=PORT, remembered=(), seed=11):
        self.events = []
        self.stored = [""]
        self.mapping = PortMapping(
            reactor,
            port,
            rng=random.Random(seed).randbytes,
            told=self.events.append,
            stored=lambda leases: self.stored.append(write_leases(leases)),
            gateways=(router.gateway,) if gateways is None else gateways,
            timing=timing,
            ports=router.ports,
            remembered=remembered,
        )

    async def outcome(self):
        self.mapping.begin()
        await until(lambda: self.told(Outcome))
        return self.told(Outcome)[0]

    def told(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    def kept(self):
        """What the next start would read."""
        return read_leases(self.stored[-1])


@pytest.fixture
def home(closing):
    """Makes routers, and what asks them; both are closed at the end, whatever came of it."""

    def serve(*names, outside=OUTSIDE):
        router = Router(outside).serve(*names)
        closing.append(router.close)
        return router

    return serve


@pytest.fixture
def ask(closing):
    def begin(router, **options):
        asking = Asking(router, **options)

        async def stop():
            await asking.mapping.stop()

        closing.append(stop)
        return asking

    return begin


def by(outcome):
    """The codes of an outcome."""
    return {answer.protocol: answer.code for answer in outcome.answers}


# --- each protocol alone ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "protocol"), [("pcp", PCP), ("nat_pmp", NAT_PMP), ("igd1", UPNP), ("igd2", UPNP)]
)
@ensureDeferred
async def test_each_protocol_opens_the_port_and_closes_it_again(home, ask, name, protocol):
    router = home(name)
    asking = ask(router)
    outcome = await asking.outcome()
    [mapped] = asking.told(Mapped)
    assert mapped.outside == Address(OUTSIDE, PORT)
    assert (mapped.protocol, mapped.instead_of) == (protocol, None)
    assert outcome.code == "mapped"
    assert by(outcome)[protocol] == "mapped"
    entry = router.table[PORT]
    assert (entry.client, entry.port) == (HERE, PORT)
    assert entry.lifetime == TIMING.lifetime
    assert [lease.protocol for lease in asking.kept()] == [protocol]
    await asking.mapping.stop()
    assert not router.table
    assert asking.kept() == asking.mapping.leases == ()


@ensureDeferred
async def test_a_router_without_any_of_them_is_said_to_offer_nothing(home, ask):
    asking = ask(home())
    outcome = await asking.outcome()
    assert by(outcome) == {PCP: "not-offered", NAT_PMP: "not-offered", UPNP: "no-answer"}
    assert not asking.told(Mapped)
    assert asking.kept() == ()


@ensureDeferred
async def test_without_a_router_the_outcome_says_so(home, ask):
    outcome = await ask(home(), gateways=()).outcome()
    assert (outcome.code, outcome.answers) == ("no-gateway", ())


@ensureDeferred
async def test_where_a_way_fails_at_once_the_next_is_not_kept_waiting(home, ask):
    timing = replace(TIMING, head_starts=(0.0, 9.0, 9.0))
    asking = ask(home(), gateways=(Gateway(HERE, "192.0.2.77"),), timing=timing)
    assert set(by(await asking.outcome()).values()) == {"router-unreachable"}


@ensureDeferred
async def test_a_silent_router_costs_no_more_than_the_whole_time(home, ask):
    router = home("pcp", "nat_pmp", "igd2")
    router.pcp.fault = router.nat_pmp.fault = router.ssdp.fault = "silent"
    timing = replace(TIMING, whole=0.2, pcp=(9.0,), nat_pmp=(9.0,), search=(9.0,))
    asking = ask(router, timing=timing)
    begun = reactor.seconds()
    outcome = await asking.outcome()
    assert 0.15 < reactor.seconds() - begun < 1.0
    assert set(by(outcome).values()) == {"no-answer"}


# --- side by side ----------------------------------------------------------------------------


@ensureDeferred
async def test_where_pcp_opens_the_port_nothing_else_is_asked_for_it(home, ask):
    router = home("pcp", "nat_pmp", "igd2")
    outcome = await ask(router).outcome()
    assert by(outcome) == {PCP: "mapped", NAT_PMP: "not-needed", UPNP: "not-needed"}
    assert router.heard == ["pcp"]


@ensureDeferred
async def test_a_server_that_knows_no_pcp_is_asked_by_nat_pmp_at_once(home, ask):
    router = home("pcp", "nat_pmp")
    router.pcp.fault = "nat-pmp-only"
    asking = ask(router, timing=replace(TIMING, head_starts=(0.0, 9.0, 9.0)))
    outcome = await asking.outcome()
    assert by(outcome)[PCP] == "version-unsupported"
    assert by(outcome)[NAT_PMP] == "mapped"


@ensureDeferred
async def test_a_late_second_opening_elsewhere_is_taken_back(home, ask):
    router = home("pcp", "igd1")
    router.pcp.delay = 0.2
    router.table[PORT] = Entry("192.0.2.9", 1, 1)  # so that each finds a port of its own
    asking = ask(router, timing=replace(TIMING, pcp=(0.5,)))
    outcome = await asking.outcome()
    assert by(outcome)[UPNP] == "mapped"
    assert by(outcome)[PCP] == "not-needed"
    [mapped] = asking.told(Mapped)
    await until(lambda: len(asking.mapping.leases) == 1)
    assert mapped.protocol is UPNP


@ensureDeferred
async def test_a_second_opening_of_the_same_port_stays_until_the_end(home, ask):
    """The router has one table: taking it back would close the first."""
    router = home("pcp", "nat_pmp")
    router.pcp.delay = 0.15
    asking = ask(router, timing=replace(TIMING, pcp=(0.5,)))
    outcome = await asking.outcome()
    assert by(outcome)[NAT_PMP] == "mapped"
    await pause(0.05)
    assert list(router.table) == [PORT]
    assert {lease.protocol for lease in asking.mapping.leases} == {PCP, NAT_PMP}
    await asking.mapping.stop()
    assert not router.table
    assert asking.kept() == ()


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is there on Linux alone")
@ensureDeferred
async def test_another_machine_that_calls_itself_a_router_is_not_heard(home, ask, monkeypatch):
    """The group of all devices is asked as well, and anybody can answer there."""
    router = home()
    other = "127.0.0.2"
    monkeypatch.setattr(gateways, "HERE", other)
    impostor = home("igd1")
    ports = replace(router.ports, ssdp=impostor.ports.ssdp, multicast=other)
    monkeypatch.setattr(Router, "ports", ports)
    outcome = await ask(router, gateways=(Gateway(HERE, HERE),)).outcome()
    assert by(outcome)[UPNP] == "no-answer"
    assert "ssdp" in impostor.heard
    assert impostor.http.actions == []


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (2, "not-allowed"),
        (7, "router-without-address"),
        (8, "no-room"),
        (10, "no-room"),
        (11, "port-taken"),
        (12, "router-between"),
        (3, "refused"),
        ("garbage", "answer-unreadable"),
        ("nothing-granted", "answer-unreadable"),
        ("other-nonce", "no-answer"),
        ("from-elsewhere", "no-answer"),
        ("silent", "no-answer"),
    ],
)
@ensureDeferred
async def test_what_a_pcp_server_does_wrong_has_a_code(home, ask, fault, code):
    router = home("pcp")
    router.pcp.fault = fault
    asking = ask(router)
    outcome = await asking.outcome()
    assert by(outcome)[PCP] == code
    assert not asking.told(Mapped)
    [answer] = [each for each in outcome.answers if each.protocol is PCP]
    assert answer.sentence.endswith((".", ")"))


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (2, "not-allowed"),
        (3, "router-without-address"),
        (4, "no-room"),
        (1, "version-unsupported"),
        (9, "refused"),
        ("garbage", "answer-unreadable"),
        ("from-elsewhere", "no-answer"),
    ],
)
@ensureDeferred
async def test_what_a_nat_pmp_server_does_wrong_has_a_code(home, ask, fault, code):
    router = home("nat_pmp")
    router.nat_pmp.fault = fault
    outcome = await ask(router).outcome()
    assert by(outcome)[NAT_PMP] == code


@ensureDeferred
async def test_a_router_that_does_not_know_its_address_has_opened_the_port_all_the_same(home, ask):
    router = home("nat_pmp")
    router.nat_pmp.address_fault = 3
    asking = ask(router)
    assert (await asking.outcome()).code == "outside-unknown"
    assert not asking.told(Mapped)
    assert PORT in router.table


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1"])
@pytest.mark.parametrize(
    ("outside", "code"),
    [
        ("100.64.3.4", "shared-address"),
        ("192.0.0.2", "shared-address"),
        ("10.1.2.3", "second-router"),
        ("192.168.1.7", "second-router"),
        ("0.0.0.0", "outside-unknown"),
        ("127.0.0.1", "outside-unknown"),
    ],
)
@ensureDeferred
async def test_an_outside_address_that_is_none_is_recognised(home, ask, name, outside, code):
    asking = ask(home(name, outside=outside))
    assert (await asking.outcome()).code == code
    assert not asking.told(Mapped)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("silent", "no-answer"),
        ("endless", "answer-too-long"),
        ("chunked-endless", "answer-too-long"),
        ("doctype", "answer-unreadable"),
        ("nonsense", "answer-unreadable"),
        ("redirect", "answer-unreadable"),
        ("cut", "answer-unreadable"),
    ],
)
@ensureDeferred
async def test_a_description_that_is_none_has_a_code(home, ask, fault, code):
    router = home("igd1")
    router.http.fault = fault
    assert by(await ask(router).outcome())[UPNP] == code


@pytest.mark.parametrize(
    ("action", "number", "code"),
    [
        ("AddPortMapping", 606, "not-allowed"),
        ("AddPortMapping", 718, "port-taken"),
        ("AddPortMapping", 724, "port-taken"),
        ("AddPortMapping", 728, "no-room"),
        ("AddPortMapping", 799, "refused"),
        ("GetExternalIPAddress", 606, "not-allowed"),
    ],
)
@ensureDeferred
async def test_a_refusal_by_upnp_has_a_code_and_leaves_nothing(home, ask, action, number, code):
    router = home("igd1")
    router.http.faults[action] = number
    asking = ask(router)
    outcome = await asking.outcome()
    assert by(outcome)[UPNP] == code
    assert str(number) in outcome.sentence
    assert asking.kept() == ()


@ensureDeferred
async def test_a_router_that_refuses_each_port_by_itself_is_not_said_to_have_no_room(home, ask):
    """miniupnpd answers to AddAnyPortMapping as if all ports were taken."""
    router = home("igd2")
    router.http.faults = {"AddAnyPortMapping": 728, "AddPortMapping": 606}
    assert by(await ask(router).outcome())[UPNP] == "not-allowed"


@ensureDeferred
async def test_a_router_behind_a_shared_address_that_refuses_all_says_why(home, ask):
    """As miniupnpd does where its own address is a private one: PCP 8, NAT-PMP 3, UPnP 501."""
    router = home("pcp", "nat_pmp", "igd2")
    router.pcp.fault, router.nat_pmp.fault = 8, 3
    actions = ("GetExternalIPAddress", "AddAnyPortMapping", "AddPortMapping")
    router.http.faults = dict.fromkeys(actions, 501)
    outcome = await ask(router).outcome()
    assert by(outcome)[UPNP] == outcome.code == "router-without-address"


@pytest.mark.parametrize(
    "location",
    [
        "http://192.0.2.1/desc.xml",
        "http://localhost/desc.xml",
        "http://127.0.0.2/desc.xml",
        "http://127.0.0.1@192.0.2.1/",
        "https://127.0.0.1/desc.xml",
        "file:///etc/passwd",
        "http://127.0.0.1:99999/",
    ],
)
@ensureDeferred
async def test_a_description_elsewhere_is_not_looked_at(home, ask, location):
    router = home("igd1")
    router.ssdp.location = location
    assert by(await ask(router).outcome())[UPNP] == "answer-elsewhere"


@pytest.mark.parametrize("attribute", ["control", "base"])
@ensureDeferred
async def test_services_elsewhere_are_not_asked(home, ask, attribute):
    router = home("igd1")
    setattr(router.http, attribute, "http://192.0.2.1:80/ctl")
    assert by(await ask(router).outcome())[UPNP] == "answer-elsewhere"
    assert router.http.actions == []


# --- what routers do -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1", "igd2"])
@ensureDeferred
async def test_a_port_that_another_has_is_left_to_it(home, ask, name):
    router = home(name)
    theirs = Entry("192.0.2.9", 80, 0)
    router.table[PORT] = theirs
    asking = ask(router)
    await asking.outcome()
    [mapped] = asking.told(Mapped)
    assert mapped.outside.port != PORT
    assert router.table[mapped.outside.port].port == PORT
    await asking.mapping.stop()
    assert router.table == {PORT: theirs}


@ensureDeferred
async def test_an_entry_of_another_machine_is_not_written_over_where_the_router_would(home, ask):
    router = home("igd1")
    router.table[PORT] = Entry("192.0.2.9", 80, 0)
    asking = ask(router)
    await asking.outcome()
    adds = router.http.actions.index("AddPortMapping")
    assert router.http.actions[:adds].count("GetSpecificPortMappingEntry") == 2


@ensureDeferred
async def test_a_router_that_knows_no_leases_keeps_the_port_until_the_end(home, ask):
    router = home("igd1")
    router.http.only_permanent = True
    asking = ask(router)
    await asking.outcome()
    assert router.table[PORT].lifetime == 0
    [lease] = asking.kept()
    assert lease.permanent
    await asking.mapping.stop()
    assert not router.table


@ensureDeferred
async def test_a_permanent_entry_that_could_not_be_taken_back_is_remembered(home, ask):
    router = home("igd1")
    router.http.only_permanent = True
    asking = ask(router)
    await asking.outcome()
    router.http.fault = "silent"
    await asking.mapping.stop()
    [lease] = asking.kept()
    assert lease.permanent
    router.http.fault = None
    again = ask(router, port=PORT + 1, remembered=asking.kept())
    await again.outcome()
    assert list(router.table) == [PORT + 1]
    await again.mapping.stop()
    assert again.kept() == ()


@ensureDeferred
async def test_igd_2_without_its_newer_action_is_asked_by_the_older(home, ask):
    router = home("igd2")
    router.http.faults["AddAnyPortMapping"] = 401
    asking = ask(router)
    await asking.outcome()
    assert asking.told(Mapped)[0].outside == Address(OUTSIDE, PORT)


@ensureDeferred
async def test_a_line_by_ppp_and_chunked_answers_serve_as_well(home, ask):
    router = home("igd1")
    router.http.kind, router.http.chunked = "WANPPPConnection:1", True
    router.http.control = f"http://{HERE}:{router.http.port}/whole"
    assert (await ask(router).outcome()).code == "mapped"


@ensureDeferred
async def test_a_hole_in_the_ipv6_firewall_is_opened_and_closed(home, ask):
    router = home("igd2")
    asking = ask(router, gateways=(router.gateway, Gateway("::1", SIX)))
    await asking.outcome()
    mapped = {event.outside for event in asking.told(Mapped)}
    assert mapped == {Address(OUTSIDE, PORT), Address(SIX, PORT)}
    assert list(router.pinholes.values()) == [(SIX, PORT)]
    assert read_leases(asking.stored[-1]) == asking.mapping.leases
    await asking.mapping.stop()
    assert not router.pinholes
    assert not router.table


@pytest.mark.skipif(not ipv6_here(), reason="this machine has no IPv6")
@ensureDeferred
async def test_a_router_that_opens_holes_only_for_whom_it_hears_is_asked_by_ipv6(home, ask):
    router = home("igd2v6")
    asking = ask(router, gateways=(router.gateway, Gateway("::1", "::1")))
    outcome = await asking.outcome()
    codes = {(a.protocol, a.gateway): a.code for a in outcome.answers}
    assert codes[UPNP, Gateway("::1", "::1")] == "outside-unknown"  # it is open; ::1 is nowhere
    assert list(router.pinholes.values()) == [("::1", PORT)]
    assert read_leases(asking.stored[-1]) == asking.mapping.leases
    await asking.mapping.stop()
    assert not router.pinholes


@pytest.mark.parametrize(
    ("status", "code"), [(("0", "0"), "firewall-off"), (("1", "0"), "not-allowed")]
)
@ensureDeferred
async def test_the_state_of_the_ipv6_firewall_is_said(home, ask, status, code):
    router = home("igd2")
    router.http.firewall = status
    outcome = await ask(router, gateways=(router.gateway, Gateway("::1", SIX))).outcome()
    codes = [a.code for a in outcome.answers if a.protocol is UPNP and a.gateway.own == SIX]
    assert code in codes
    assert not router.pinholes


# --- time passes -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1"])
@ensureDeferred
async def test_what_a_restart_has_closed_is_opened_again_and_a_new_address_told(home, ask, name):
    router = home(name)
    asking = ask(router, timing=replace(TIMING, renewal=0.05))
    await asking.outcome()
    router.restart(outside="203.0.113.9")
    await until(lambda: len(asking.told(Mapped)) == 2)
    assert PORT in router.table
    newer = asking.told(Mapped)[1]
    assert newer.outside == Address("203.0.113.9", PORT)
    assert newer.instead_of == Address(OUTSIDE, PORT)
    assert not asking.told(Unmapped)


@ensureDeferred
async def test_after_a_restart_upnp_is_looked_for_where_it_is_now(home, ask):
    router = home("igd1")
    asking = ask(router, timing=replace(TIMING, renewal=0.05))
    await asking.outcome()
    router.restart()
    router.http.control = "/elsewhere"
    await until(lambda: router.table)
    [lease] = asking.kept()
    assert lease.control.endswith("/elsewhere")


@ensureDeferred
async def test_a_permanent_entry_is_taken_back_where_the_router_takes_requests_now(home, ask):
    router = home("igd1")
    router.http.only_permanent = True
    killed = ask(router)
    await killed.outcome()
    router.http.control = "/elsewhere"
    again = ask(router, port=PORT + 1, remembered=killed.kept())
    await again.outcome()
    assert list(router.table) == [PORT + 1]


@ensureDeferred
async def test_looking_again_renews_at_once(home, ask):
    router = home("pcp")
    asking = ask(router)
    await asking.outcome()
    router.restart()
    asking.mapping.look_again()
    await until(lambda: router.table)
    assert len(asking.told(Mapped)) == 1


@ensureDeferred
async def test_half_of_a_short_lease_is_not_waited_out(home, ask):
    router = home("pcp")
    router.pcp.granted = 1  # s; half of it is 0.5
    asking = ask(router, timing=replace(TIMING, soonest=0.01))
    await asking.outcome()
    count = len(router.pcp.requests)
    await pause(0.3)
    assert len(router.pcp.requests) == count
    await until(lambda: len(router.pcp.requests) > count)


@ensureDeferred
async def test_a_router_that_has_gone_is_told_and_asked_until_it_is_back(home, ask):
    router = home("pcp", "igd1")
    asking = ask(router, timing=replace(TIMING, renewal=0.1))
    await asking.outcome()
    router.pcp.fault = router.ssdp.fault = "silent"
    await until(lambda: asking.told(Unmapped))
    assert asking.told(Unmapped)[0].outside == Address(OUTSIDE, PORT)
    router.restart()
    router.pcp.fault = None
    await until(lambda: len(asking.told(Mapped)) == 2)
    assert PORT in router.table
    assert len(asking.told(Outcome)) == 1


@ensureDeferred
async def test_when_pcp_is_switched_off_meanwhile_upnp_takes_over(home, ask):
    router = home("pcp", "igd1")
    asking = ask(router, timing=replace(TIMING, renewal=0.1))
    await asking.outcome()
    router.restart()
    router.pcp.fault = 2
    await until(lambda: router.table)
    assert "AddPortMapping" in router.http.actions
    assert not asking.told(Unmapped)


# --- before and after ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1"])
@ensureDeferred
async def test_what_a_killed_start_has_left_is_taken_back(home, ask, name):
    router = home(name)
    killed = ask(router)
    await killed.outcome()
    left = killed.kept()
    again = ask(router, port=PORT + 1, remembered=left)
    await again.outcome()
    assert list(router.table) == [PORT + 1]
    assert [lease.internal_port for lease in again.kept()] == [PORT + 1]


@ensureDeferred
async def test_what_is_wanted_again_is_taken_over_with_its_nonce(home, ask):
    """With another nonce the router would refuse, until the old lease is over."""
    router = home("pcp")
    router.table[PORT] = Entry("192.0.2.9", 80, 0)
    killed = ask(router)
    await killed.outcome()
    [lease] = killed.kept()
    again = ask(router, remembered=(lease,))
    assert (await again.outcome()).code == "mapped"
    assert all(request[4:8] != bytes(4) for request in router.pcp.requests)  # nothing was closed
    assert again.told(Mapped)[0].outside.port == lease.external_port
    other = ask(router, seed=12)
    assert by(await other.outcome())[PCP] == "not-allowed"


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1", "igd2"])
@ensureDeferred
async def test_a_lease_is_stored_before_the_router_is_asked_for_it(home, ask, name):
    router = home(name)
    asking = ask(router)
    found = []
    opened = router.open

    def looking(*given):
        found.append(asking.kept())
        return opened(*given)

    router.open = looking
    performed = router.http.perform

    def performing(action, given, client):
        if action.startswith("Add"):
            found.append(asking.kept())
        return performed(action, given, client)

    router.http.perform = performing
    await asking.outcome()
    assert found
    assert all(len(leases) == 1 for leases in found)


@ensureDeferred
async def test_that_an_entry_never_ends_is_stored_before_it_is_asked_for(home, ask):
    router = home("igd1")
    router.http.only_permanent = True
    asking = ask(router)
    found = {}
    performed = router.http.perform

    def performing(action, given, client):
        if action == "AddPortMapping":
            found[given["NewLeaseDuration"]] = [lease.permanent for lease in asking.kept()]
        return performed(action, given, client)

    router.http.perform = performing
    await asking.outcome()
    assert found == {str(TIMING.lifetime): [False], "0": [True]}


@ensureDeferred
async def test_what_was_asked_for_and_not_answered_is_taken_back(home, ask):
    router = home("pcp")
    router.pcp.delay = 0.4  # it opens the port, and says so too late
    asking = ask(router)
    outcome = await asking.outcome()
    assert by(outcome)[PCP] == "no-answer"
    await until(lambda: not asking.mapping.leases)
    assert not router.table


@ensureDeferred
async def test_stopping_while_routers_are_asked_takes_back_what_they_opened(home, ask):
    router = home("pcp", "igd1")
    router.pcp.delay = 0.1
    asking = ask(router, timing=replace(TIMING, pcp=(0.5,)))
    asking.mapping.begin()
    await until(lambda: router.table)
    await asking.mapping.stop()
    assert not router.table
    events = list(asking.events)
    await pause(0.3)
    assert asking.events == events
    assert not router.table


@ensureDeferred
async def test_stopping_does_not_wait_for_a_router_that_never_answered(home, ask):
    router = home("pcp")
    router.pcp.fault = "silent"
    asking = ask(router, timing=replace(TIMING, stopping=5.0, pcp=(0.05, 3.0), whole=0.1))
    await asking.outcome()
    begun = reactor.seconds()
    await asking.mapping.stop()
    assert reactor.seconds() - begun < 1.0
    assert asking.kept() == ()


@ensureDeferred
async def test_an_entry_that_has_become_another_machines_is_not_deleted(home, ask):
    router = home("igd1")
    asking = ask(router)
    await asking.outcome()
    theirs = router.table[PORT] = Entry("192.0.2.9", 80, 0)
    await asking.mapping.stop()
    assert router.table == {PORT: theirs}


@ensureDeferred
async def test_once_stopped_nothing_is_told(home, ask):
    router = home("pcp")
    asking = ask(router, timing=replace(TIMING, renewal=0.05))
    await asking.outcome()
    router.pcp.fault = "silent"
    count = len(router.pcp.requests)
    await until(lambda: len(router.pcp.requests) > count)  # a renewal is under way
    events = list(asking.events)
    await asking.mapping.stop()
    await pause(0.1)
    assert asking.events == events


@ensureDeferred
async def test_stopping_before_anything_was_heard_tells_no_outcome(home, ask):
    router = home("pcp", "igd1")
    router.pcp.fault = "silent"
    asking = ask(router)
    asking.mapping.begin()
    await pause(0.01)
    await asking.mapping.stop()
    await pause(0.2)
    assert asking.events == []
    assert asking.mapping.leases == ()


@ensureDeferred
async def test_stopping_ends_in_time_though_the_router_is_gone(home, ask):
    router = home("igd1")
    asking = ask(router)
    await asking.outcome()
    router.http.fault = "silent"
    begun = reactor.seconds()
    await asking.mapping.stop()
    assert reactor.seconds() - begun < 1.0
    await asking.mapping.stop()  # a second time, without harm


@ensureDeferred
async def test_leases_of_a_router_that_is_not_here_are_kept_only_if_they_never_end(home, ask):
    router = home("pcp")
    control, service = "http://192.0.2.1:80/c", "urn:schemas-upnp-org:service:WANIPConnection:1"
    ending = Lease(UPNP, "192.0.2.1", HERE, 9, 9, control=control, service=service)
    asking = ask(router, remembered=(ending, replace(ending, internal_port=8, permanent=True)))
    await asking.outcome()
    await asking.mapping.stop()
    assert [lease.internal_port for lease in asking.kept()] == [8]
