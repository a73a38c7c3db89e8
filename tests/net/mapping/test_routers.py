"""The quirks of real routers, and how the port is opened anyway."""

import itertools

import pytest
from twisted.internet.defer import CancelledError, Deferred

from ginpeer.net.address import Address
from ginpeer.net.mapping import igd, upnp
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.methods import Lease
from ginpeer.net.mapping.results import MappingResult, PortMapped, Refusal
from ginpeer.net.mapping.upnp import UpnpPinhole
from tests.net.mapping.asking import PORT, UPNP, codes_of, ipv6_here, refused
from tests.net.mapping.gateways import HERE, OUTSIDE, SIX, Entry
from tests.net.support import failure_of


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1", "igd2"])
async def test_a_port_mapped_by_another_machine_is_left_alone(make_router, open_port, name):
    router = make_router(name)
    theirs = Entry("192.0.2.9", 80, 0)
    router.table[PORT] = theirs
    asking = await open_port(router)
    [mapped] = asking.told(PortMapped)
    assert mapped.outside.port != PORT
    assert router.table[mapped.outside.port].port == PORT
    await asking.mapping.stop()
    assert router.table == {PORT: theirs}


async def test_another_machines_entry_is_not_overwritten_even_if_the_router_would(
    make_router, open_port
):
    router = make_router("igd1")
    router.table[PORT] = Entry("192.0.2.9", 80, 0)
    await open_port(router)
    adds = router.http.actions.index("AddPortMapping")
    assert router.http.actions[:adds].count("GetSpecificPortMappingEntry") == 2


async def test_the_older_action_is_used_if_igd_2_lacks_the_newer(make_router, open_port):
    router = make_router("igd2")
    router.http.faults["AddAnyPortMapping"] = 401
    asking = await open_port(router)
    assert asking.told(PortMapped)[0].outside == Address(OUTSIDE, PORT)


async def test_ppp_services_and_chunked_answers_are_supported(make_router, map_port):
    router = make_router("igd1")
    router.http.kind, router.http.chunked = "WANPPPConnection:1", True
    router.http.control = f"http://{HERE}:{router.http.port}/whole"
    assert (await map_port(router).outcome()).code == "mapped"


async def test_a_hole_in_the_ipv6_firewall_is_opened_and_closed(make_router, open_port):
    router = make_router("igd2")
    asking = await open_port(router, gateways=(router.gateway, Gateway("::1", SIX)))
    mapped = {event.outside for event in asking.told(PortMapped)}
    assert mapped == {Address(OUTSIDE, PORT), Address(SIX, PORT)}
    assert list(router.pinholes.values()) == [(SIX, PORT)]
    assert asking.kept() == asking.mapping.leases
    await asking.mapping.stop()
    assert not router.pinholes
    assert not router.table


@pytest.mark.skipif(not ipv6_here(), reason="this machine has no IPv6")
async def test_a_router_that_opens_pinholes_only_for_the_sender_is_asked_over_ipv6(
    make_router, map_port
):
    router = make_router("igd2v6")
    asking = map_port(router, gateways=(router.gateway, Gateway("::1", "::1")))
    outcome = await asking.outcome()
    codes = {(a.protocol, a.gateway): a.code for a in outcome.answers}
    assert codes[UPNP, Gateway("::1", "::1")] == "outside-unknown"  # open, but ::1 isn't external
    assert list(router.pinholes.values()) == [("::1", PORT)]
    assert asking.kept() == asking.mapping.leases
    await asking.mapping.stop()
    assert not router.pinholes


@pytest.mark.parametrize(
    ("name", "http", "code"),
    [
        ("igd2", {"firewall": ("0", "0")}, "firewall-off"),
        ("igd2", {"firewall": ("1", "0")}, "not-allowed"),
        ("igd2", {"faults": {"GetFirewallStatus": 401}}, "not-offered"),
        ("igd1", {}, "not-offered"),  # this router has no IPv6 firewall
    ],
)
async def test_the_state_of_the_ipv6_firewall_is_reported(make_router, map_port, name, http, code):
    router = make_router(name)
    vars(router.http).update(http)
    outcome = await map_port(router, gateways=(router.gateway, Gateway("::1", SIX))).outcome()
    answers = [answer for answer in outcome.answers if answer.protocol is UPNP]
    assert code in {answer.code for answer in answers if answer.gateway.own_address == SIX}
    assert not router.pinholes


async def test_a_media_server_on_the_router_that_answers_first_is_passed_over(
    make_router, open_port, monkeypatch
):
    router, media = make_router("igd1"), make_router("igd1")
    media.http.kind = "ContentDirectory:1"
    answer = router.ssdp.datagramReceived

    def answer_twice(data, addr):
        for location in (f"http://{HERE}:{media.http.port}/desc.xml", None):
            router.ssdp.location = location
            answer(data, addr)

    monkeypatch.setattr(router.ssdp, "datagramReceived", answer_twice)
    asking = await open_port(router)
    assert asking.told(PortMapped)[0].outside == Address(OUTSIDE, PORT)


async def test_a_router_that_names_ever_new_descriptions_is_not_searched_for_ever(
    make_router, open_port, monkeypatch
):
    router, named = make_router("igd1"), itertools.count()
    router.http.kind = "ContentDirectory:1"
    answer = router.ssdp.datagramReceived

    def answer_anew(data, addr):
        router.ssdp.location = f"http://{HERE}:{router.http.port}/desc.xml?{next(named)}"
        answer(data, addr)

    monkeypatch.setattr(router.ssdp, "datagramReceived", answer_anew)
    asking = await open_port(router)
    assert codes_of(asking.told(MappingResult)[0])[UPNP] == "not-offered"
    assert next(named) < 40


class Looking(upnp.UpnpRouter):
    """A router that counts searches, and waits for the test before it answers."""

    def __init__(self):
        super().__init__(None, Gateway(HERE, HERE))
        self.looks = []

    async def _look(self):
        self.looks.append(Deferred())
        return await self.looks[-1]


async def test_concurrent_requests_for_the_services_share_one_search():
    igd, services = Looking(), ("a service",)
    asking = [Deferred.fromCoroutine(igd.services()) for _ in range(3)]
    igd.looks[0].callback(services)
    assert [await each for each in asking] == [services] * 3
    assert await igd.services() == services
    assert len(igd.looks) == 1


async def test_a_cancelled_search_is_continued_for_those_waiting():
    igd = Looking()
    first, second = (Deferred.fromCoroutine(igd.services()) for _ in range(2))
    first.cancel()
    await failure_of(first, CancelledError)
    igd.looks[1].callback(("a service",))
    assert await second == ("a service",)


async def test_everybody_waiting_for_the_services_learns_why_there_are_none():
    igd = Looking()
    asking = [Deferred.fromCoroutine(igd.services()) for _ in range(3)]
    asking[1].cancel()
    await failure_of(asking[1], CancelledError)
    igd.looks[0].errback(Refusal("no-answer"))
    assert [await refused(each) for each in (asking[0], asking[2])] == ["no-answer"] * 2
    assert len(igd.looks) == 1


async def test_a_pinhole_without_a_number_is_left_to_expire():
    way = UpnpPinhole(None, None, Gateway(HERE, SIX), PORT)
    await way.take_back(Lease(UPNP, HERE, SIX, PORT))


async def test_a_pinhole_that_cannot_be_closed_is_a_refusal(monkeypatch):
    async def refuses(*_):
        raise igd.UpnpFault(606)

    monkeypatch.setattr(upnp, "_call", refuses)
    way = UpnpPinhole(None, None, Gateway("::1", SIX), PORT)
    lease = Lease(UPNP, "::1", SIX, PORT, control="http://[::1]:80/c", pinhole=1)
    assert await refused(Deferred.fromCoroutine(way.take_back(lease))) == "not-allowed"


async def test_an_unreachable_router_is_reported(monkeypatch):
    monkeypatch.setattr(upnp, "own_towards", lambda host: None)
    way = UpnpPinhole(None, None, Gateway(HERE, SIX), PORT)
    closing = Deferred.fromCoroutine(way.take_back(Lease(UPNP, HERE, SIX, PORT, pinhole=1)))
    assert await refused(closing) == "router-unreachable"
