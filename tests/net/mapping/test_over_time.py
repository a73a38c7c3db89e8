"""Renewals, restarts, the start after a crash, and the end of a port mapping."""

import contextlib
import socket
from dataclasses import replace

import pytest
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from ginpeer.net.address import Address
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.methods import Grant, Lease, MappingContext
from ginpeer.net.mapping.port_mapping import LeaseRegistry, MaintainedMapping, Tasks
from ginpeer.net.mapping.results import MappingResult, PortMapped, PortUnmapped, Refusal
from tests.net.mapping.asking import PCP, PORT, TIMING, UPNP, codes_of
from tests.net.mapping.gateways import HERE, OUTSIDE, Entry
from tests.net.support import pause, until

# --- time passes ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1"])
async def test_a_mapping_lost_in_a_restart_is_renewed_and_a_new_address_reported(
    make_router, open_port, name
):
    router = make_router(name)
    asking = await open_port(router, timing=replace(TIMING, renewal=0.05))
    router.restart(outside="203.0.113.9")
    await until(lambda: len(asking.told(PortMapped)) == 2)
    assert PORT in router.table
    newer = asking.told(PortMapped)[1]
    assert newer.outside == Address("203.0.113.9", PORT)
    assert newer.instead_of == Address(OUTSIDE, PORT)
    assert not asking.told(PortUnmapped)


async def test_upnp_is_searched_for_again_after_a_restart(make_router, open_port):
    router = make_router("igd1")
    asking = await open_port(router, timing=replace(TIMING, renewal=0.05))
    router.restart()
    router.http.control = "/elsewhere"
    await until(lambda: router.table)
    [lease] = asking.kept()
    assert lease.control.endswith("/elsewhere")


@pytest.mark.parametrize("gone", [False, True])
async def test_a_permanent_entry_is_removed_at_the_routers_new_control_address(
    make_router, open_port, gone
):
    """If the service no longer exists at all, the entry is still remembered."""
    router = make_router("igd1")
    router.http.only_permanent = True
    killed = await open_port(router)
    router.http.control = "/elsewhere"
    if gone:
        router.http.kind = "WANPPPConnection:1"
    again = await open_port(router, port=PORT + 1, remembered=killed.kept())
    if gone:
        await again.mapping.stop()
        assert [lease.internal_port for lease in again.kept()] == [PORT]
    else:
        assert list(router.table) == [PORT + 1]


@pytest.mark.parametrize(("fault", "kept"), [(None, []), (606, [True])])
async def test_a_permanent_entry_is_remembered_only_if_the_router_does_not_delete_it(
    make_router, open_port, fault, kept
):
    """An entry that the router has lost is forgotten."""
    router = make_router("igd1")
    router.http.only_permanent = True
    if fault:
        router.http.faults["DeletePortMapping"] = fault
    asking = await open_port(router)
    if not fault:
        router.restart()
    await asking.mapping.stop()
    assert [lease.permanent for lease in asking.kept()] == kept


class Mute:
    """A protocol that opens the port permanently but never answers."""

    protocol = UPNP
    gateway = Gateway("192.0.2.1", "192.0.2.7")
    has_answered = False

    async def ask(self, wanted, keep):
        keep(Lease(UPNP, *self.gateway, PORT, PORT, permanent=True))
        raise Refusal("no-answer")

    async def take_back(self, lease):
        raise Refusal("no-answer")


async def test_an_unconfirmed_permanent_entry_is_remembered():
    clock, book = Clock(), LeaseRegistry(lambda leases: None)
    around = MappingContext(clock, None, TIMING, None)
    opening = MaintainedMapping(around, (Mute(),), PORT, book, Tasks(), None)
    hunt = Deferred.fromCoroutine(opening.establish(1.0))
    clock.advance(0.0)
    [answer] = await hunt
    assert answer.code == "no-answer"
    assert [lease.permanent for lease in book.leases] == [True]


class Slow(Mute):
    """A protocol that opens the port, but never answers a request to renew it."""

    asked = 0

    async def ask(self, wanted, keep):
        self.asked += 1
        if self.asked == 2:
            await Deferred()
        return Grant(Lease(UPNP, *self.gateway, PORT, PORT), OUTSIDE, 120)


async def test_a_renewal_that_takes_too_long_is_restarted():
    clock, way, told = Clock(), Slow(), []
    around = MappingContext(clock, None, TIMING, None)
    opening = MaintainedMapping(
        around, (way,), PORT, LeaseRegistry(lambda leases: None), Tasks(), told.append
    )
    hunt = Deferred.fromCoroutine(opening.establish(1.0))
    clock.advance(0.0)
    await hunt
    clock.advance(TIMING.renewal)
    assert way.asked == 2
    clock.advance(TIMING.total)
    clock.advance(0.0)
    assert way.asked == 3
    assert [type(event) for event in told] == [PortMapped]
    opening.stop()
    opening.look_again()  # once the mapping is stopped, nothing is checked again
    assert clock.getDelayedCalls() == []


@pytest.mark.parametrize("ours", [True, False])
async def test_an_entry_that_the_router_lists_by_host_name_is_ours_if_it_names_this_machine(
    make_router, open_port, monkeypatch, ours
):
    monkeypatch.setattr(socket, "gethostname", lambda: "My-Laptop")
    listed = "my-laptop.lan" if ours else "laptop-anna"
    router = make_router("igd1")
    performed = router.http.perform

    def perform(action, given, client):
        result = performed(action, given, client)
        if action == "GetSpecificPortMappingEntry" and isinstance(result, dict):
            result["NewInternalClient"] = listed
        return result

    monkeypatch.setattr(router.http, "perform", perform)
    asking = await open_port(router, timing=replace(TIMING, renewal=0.05))
    await until(lambda: router.http.actions.count("AddPortMapping") > 2)
    assert (list(router.table) == [PORT]) == ours
    await asking.mapping.stop()
    assert (PORT in router.table) != ours


async def test_the_old_port_is_closed_if_a_renewal_ends_at_another(make_router, open_port):
    """Some routers refuse an entry that they already have, as if it were another machine's."""
    router = make_router("igd1")
    asking = await open_port(router)
    router.http.on_add = lambda given: 718 if int(given["NewExternalPort"]) in router.table else 0
    asking.mapping.look_again()
    await until(lambda: len(asking.told(PortMapped)) == 2)
    assert list(router.table) == [asking.told(PortMapped)[1].outside.port]


async def test_a_short_lease_is_renewed_after_half_of_it(make_router, open_port):
    router = make_router("pcp")
    router.pcp.granted = 1  # seconds
    await open_port(router, timing=replace(TIMING, soonest=0.01))
    count = len(router.pcp.requests)
    await pause(0.3)
    assert len(router.pcp.requests) == count
    await until(lambda: len(router.pcp.requests) > count)


async def test_a_vanished_router_is_reported_and_asked_until_it_returns(make_router, open_port):
    router = make_router("pcp", "igd1")
    asking = await open_port(router, timing=replace(TIMING, renewal=0.1))
    router.pcp.fault = router.ssdp.fault = "silent"
    await until(lambda: asking.told(PortUnmapped))
    assert asking.told(PortUnmapped)[0].outside == Address(OUTSIDE, PORT)
    router.restart()
    router.pcp.fault = None
    await until(lambda: len(asking.told(PortMapped)) == 2)
    assert PORT in router.table
    assert len(asking.told(MappingResult)) == 1


@pytest.mark.parametrize("name", ["nat_pmp", "igd1"])
async def test_a_router_that_loses_its_address_for_a_moment_is_soon_asked_again(
    make_router, open_port, name
):
    router = make_router(name)
    asking = await open_port(router)  # the next renewal is due in 30 s
    router.outside, router.nat_pmp.address_fault = "0.0.0.0", 3
    asking.mapping.look_again()
    await until(lambda: asking.told(PortUnmapped))
    assert asking.told(PortUnmapped)[0].code == "outside-unknown"
    router.outside, router.nat_pmp.address_fault = OUTSIDE, 0
    await until(lambda: len(asking.told(PortMapped)) == 2)


async def test_when_pcp_is_switched_off_meanwhile_upnp_takes_over(make_router, open_port):
    router = make_router("pcp", "igd1")
    asking = await open_port(router, timing=replace(TIMING, renewal=0.1))
    router.restart()
    router.pcp.fault = 2
    await until(lambda: router.table)
    assert "AddPortMapping" in router.http.actions
    assert not asking.told(PortUnmapped)


# --- before and after -------------------------------------------------------------------------


async def test_no_port_is_opened_after_a_stop_while_old_mappings_are_removed(
    make_router, map_port, open_port
):
    router = make_router("igd1")
    killed = await open_port(router)
    asking = map_port(router, port=PORT + 1, remembered=killed.kept())
    asking.mapping.begin()
    await asking.mapping.stop()
    await pause(0.3)
    assert PORT + 1 not in router.table
    assert asking.events == []


async def test_a_mapping_wanted_again_is_reused_with_its_nonce(make_router, map_port, open_port):
    """With a different nonce, the router would refuse requests until the old lease expires."""
    router = make_router("pcp")
    router.table[PORT] = Entry("192.0.2.9", 80, 0)
    killed = await open_port(router)
    [lease] = killed.kept()
    again = map_port(router, remembered=(lease,))
    assert (await again.outcome()).code == "mapped"
    assert all(request[4:8] != bytes(4) for request in router.pcp.requests)  # nothing was closed
    assert again.told(PortMapped)[0].outside.port == lease.external_port
    other = map_port(router, seed=12)
    assert codes_of(await other.outcome())[PCP] == "not-allowed"


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1", "igd2"])
async def test_a_lease_is_stored_before_the_router_is_asked_for_it(make_router, map_port, name):
    router = make_router(name)
    asking = map_port(router)
    found = []
    real_open = router.open

    def looking(*given):
        found.append(asking.kept())
        return real_open(*given)

    router.open = looking
    router.http.on_add = lambda given: found.append(asking.kept())
    await asking.outcome()
    assert found
    assert all(len(leases) == 1 for leases in found)


async def test_a_permanent_entry_is_stored_before_it_is_requested(make_router, map_port):
    router = make_router("igd1")
    router.http.only_permanent = True
    asking = map_port(router)
    found = []

    def look(given):
        found.append((int(given["NewLeaseDuration"]), [each.permanent for each in asking.kept()]))

    router.http.on_add = look
    await asking.outcome()
    assert found == [(TIMING.lifetime, [False]), (0, [True])]


async def test_a_mapping_whose_answer_came_too_late_is_removed(make_router, map_port):
    router = make_router("pcp")
    router.pcp.delay = 0.4  # the router opens the port, but answers too late
    asking = map_port(router)
    outcome = await asking.outcome()
    assert codes_of(outcome)[PCP] == "no-answer"
    await until(lambda: not asking.mapping.leases)
    assert not router.table


async def test_stopping_during_the_first_requests_removes_what_they_opened(make_router, map_port):
    router = make_router("pcp", "igd1")
    router.pcp.delay = 0.1
    asking = map_port(router, timing=replace(TIMING, pcp=(0.5,)))
    asking.mapping.begin()
    await until(lambda: router.table)
    await asking.mapping.stop()
    assert not router.table
    await pause(0.2)
    assert asking.events == []
    assert not router.table


async def test_stopping_does_not_wait_for_a_router_that_never_answered(make_router, open_port):
    router = make_router("pcp")
    router.pcp.fault = "silent"
    asking = await open_port(
        router, timing=replace(TIMING, stopping=99.0, pcp=(0.05, 99.0), total=0.1)
    )
    begun = reactor.seconds()
    await asking.mapping.stop()
    assert reactor.seconds() - begun < 10  # the mapping ends by itself, even on a slow machine
    assert asking.kept() == ()


async def test_an_entry_that_now_belongs_to_another_machine_is_not_deleted(make_router, open_port):
    router = make_router("igd1")
    asking = await open_port(router)
    theirs = router.table[PORT] = Entry("192.0.2.9", 80, 0)
    await asking.mapping.stop()
    assert router.table == {PORT: theirs}


async def test_nothing_is_reported_after_stopping(make_router, open_port):
    router = make_router("pcp")
    asking = await open_port(router, timing=replace(TIMING, renewal=0.05))
    router.pcp.fault = "silent"
    count = len(router.pcp.requests)
    await until(lambda: len(router.pcp.requests) > count)  # a renewal is in progress
    events = list(asking.events)
    await asking.mapping.stop()
    await pause(0.1)
    assert asking.events == events


async def test_leases_of_an_absent_router_are_kept_only_if_they_are_permanent(
    make_router, open_port
):
    router = make_router("pcp")
    control, service = "http://192.0.2.1:80/c", "urn:schemas-upnp-org:service:WANIPConnection:1"
    ending = Lease(UPNP, "192.0.2.1", HERE, 9, 9, control=control, service=service)
    asking = await open_port(
        router, remembered=(ending, replace(ending, internal_port=8, permanent=True))
    )
    await asking.mapping.stop()
    assert [lease.internal_port for lease in asking.kept()] == [8]


@pytest.mark.parametrize("name", ["pcp", "nat_pmp", "igd1"])
async def test_a_mapping_not_confirmed_as_closed_is_closed_by_the_next_start(
    make_router, open_port, name
):
    """If the router is slow, the program may end before the port is closed."""
    router = make_router(name)
    timing = replace(TIMING, pcp=(99.0,), nat_pmp=(99.0,), http=99.0, stopping=0.2)
    asking = await open_port(router, timing=timing)
    server = router.http if name == "igd1" else getattr(router, name)
    server.fault = "silent"
    begun = reactor.seconds()
    await asking.mapping.stop()
    assert reactor.seconds() - begun < 10  # generous, for a slow machine
    await asking.mapping.stop()  # stopping twice does no harm
    assert router.table
    [lease] = asking.kept()
    assert not lease.permanent
    server.fault = None
    again = await open_port(router, port=PORT + 1, remembered=asking.kept())
    assert list(router.table) == [PORT + 1]
    assert [lease.internal_port for lease in again.kept()] == [PORT + 1]
    await again.mapping.stop()
    assert again.kept() == ()


async def test_the_port_is_closed_at_the_end_even_if_nothing_can_be_stored(make_router, open_port):
    router = make_router("pcp")
    asking = await open_port(router)
    assert router.table
    stale = Lease(PCP, "127.0.0.9", "127.0.0.1", PORT + 5, PORT + 5, bytes(12))
    asking.mapping._registry.keep(stale)  # a lease that no router has confirmed
    asking.mapping._registry.give_up(stale)

    stored = asking.mapping._registry._store

    def full(leases):
        asking.mapping._registry._store = stored  # memory is available again
        raise MemoryError

    asking.mapping._registry._store = full
    with contextlib.suppress(MemoryError):
        await asking.mapping.stop()
    await until(lambda: not router.table)
