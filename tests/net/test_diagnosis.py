"""Diagnosing the path between us and a friend, with routers, Tor and STUN in this process."""

import random
import socket
from dataclasses import replace

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.protocol import Factory
from twisted.internet.task import Clock

from ginpeer.net import diagnosis
from ginpeer.net.address import Address
from ginpeer.net.diagnosis import FirewallStatus, diagnose
from ginpeer.net.mapping.methods import Lease
from ginpeer.net.own_addresses import OwnAddress, Reach
from ginpeer.net.reachability import (
    PublicAddress,
    find_public_address,
    granting_protocols,
    upstream_nat,
)
from ginpeer.net.tcp import ListenError
from tests.free_port import free_port
from tests.net.mapping.asking import NAT_PMP, PCP, TIMING, UPNP
from tests.net.mapping.gateways import HERE, OUTSIDE, Entry
from tests.net.support import LOOPBACK, pause, until
from tests.net.test_stun import OURS, TRANSACTION, message
from tests.net.test_stun_client import Server

AT_ONCE = replace(TIMING, head_starts=(0.0, 0.0, 0.0), total=0.5)
OWN = (OwnAddress("eth0", "192.168.1.2", Reach.HOME, True),)


@pytest.fixture(autouse=True)
def this_machine(monkeypatch):
    """Give this machine a fixed list of addresses, and ignore its firewall."""
    monkeypatch.setattr(diagnosis, "own_addresses", lambda: OWN)

    def look(reactor, port):
        return diagnosis._start(_seen())

    monkeypatch.setattr(diagnosis, "inspect_firewall", look)


async def never():
    await Deferred()


async def _seen():
    return FirewallStatus("unseen")


def look(router, port=None, **options):
    options.setdefault("rng", random.Random(5).randbytes)
    options = {"timing": AT_ONCE, "socks": (), "control": (), **options}
    where = {"port": port or free_port(), "gateways": (router.gateway,), "ports": router.ports}
    return Deferred.fromCoroutine(diagnose(reactor, **where, **options))


def codes(found):
    return {answer.protocol: answer.code for answer in found.router_report.answers}


async def test_every_protocol_of_the_router_is_found_and_every_mapping_closed(make_router):
    router, kept, port = make_router("pcp", "nat_pmp", "igd2"), [], free_port()
    found = await look(router, port, store=lambda port, leases: kept.append((port, leases)))
    assert found.router_report.code == "mapped"
    assert sorted(codes(found).values()) == ["mapped", "opened-too", "opened-too"]
    assert sorted(granting_protocols(found)) == ["NAT-PMP", "PCP", "UPnP"]
    assert find_public_address(found).host == OUTSIDE
    assert upstream_nat(found) == "nothing"
    assert not router.table
    assert found.router_report.closed_again
    assert kept[0][1]  # the lease was stored first
    assert kept[-1] == (port, ())


async def test_silence_is_distinguished_from_a_refusal(make_router):
    router = make_router("pcp", "nat_pmp")
    router.pcp.fault, router.nat_pmp.fault = 2, "silent"
    found = await look(router)
    assert codes(found) == {PCP: "not-allowed", NAT_PMP: "no-answer", UPNP: "no-answer"}
    assert find_public_address(found) is None
    assert upstream_nat(found) == "unknown"


async def test_a_slow_router_is_reported_as_slow(make_router):
    router = make_router("igd1")
    router.http.fault = "silent"  # the router has already answered the search
    found = await look(router)
    assert codes(found)[UPNP] == found.router_report.code == "answer-late"


async def test_an_upstream_nat_is_recognised(make_router):
    found = await look(make_router("pcp", outside="192.168.0.2"))
    assert upstream_nat(found) == "second-router"
    assert find_public_address(found) is None


async def test_a_port_used_by_another_program_is_left_alone(make_router, closing):
    """A host that listens on this port has opened it at the router."""
    other = reactor.listenTCP(0, Factory(), interface=HERE)
    closing.append(other.stopListening)
    port = other.getHost().port
    router = make_router("nat_pmp", "igd1")
    router.table[port] = Entry(HERE, port, 3600)
    found = await look(router, port)
    assert (found.port.wanted, found.port.code) == (port, "port-taken")
    assert found.port.used not in (None, port)
    assert found.router_report.code == "mapped"
    assert list(router.table) == [port]


def test_a_machine_that_forbids_listening_is_reported(monkeypatch):
    def forbidden(reactor, port, factory):
        raise ListenError("port-forbidden", f"Not at {port}.")

    monkeypatch.setattr(diagnosis, "bind_everywhere", forbidden)
    port = diagnosis.PortStatus(80, None, "port-forbidden", "Not at 80.")
    assert diagnosis._listen(reactor, 80) == (port, None)


async def test_no_router_is_asked_if_mapping_is_switched_off(make_router):
    router = make_router("pcp", "nat_pmp", "igd2")
    found = await look(router, mapping=False)
    assert found.router_report is None
    assert router.heard == []


async def test_a_mapping_left_by_an_earlier_host_is_closed_too(make_router):
    router, port = make_router("pcp"), free_port()
    left = Lease(PCP, HERE, HERE, port, port, b"n" * 12)
    router.table[port] = Entry(HERE, port, 3600, b"n" * 12)
    found = await look(router, port, remembered=lambda port: (left,))
    assert codes(found)[PCP] == "mapped"  # the router refuses any other nonce
    assert not router.table


async def test_what_a_crash_left_open_elsewhere_is_not_said_of_our_port(make_router):
    left = Lease(UPNP, "192.0.2.77", HERE, 5999, 5999, permanent=True)
    found = await look(make_router("pcp"), remembered=lambda port: (left,))
    assert found.router_report.closed_again


async def test_cancelling_leaves_nothing_open(make_router):
    router = make_router("pcp", "nat_pmp")
    router.nat_pmp.fault = "silent"
    looking = look(router, timing=replace(AT_ONCE, total=5.0, nat_pmp=(5.0,), stopping=0.2))
    await until(lambda: router.table)
    looking.cancel()
    with pytest.raises(CancelledError):
        await looking
    assert not router.table


@pytest.mark.parametrize(("answers", "code"), [([message(OURS)], "answered"), ([], "stun-silent")])
async def test_a_named_stun_server_is_asked(make_router, closing, monkeypatch, answers, code):
    monkeypatch.setattr("ginpeer.net.stun.SECONDS", 0.3)
    server = Server(closing, udp=answers)
    found = await look(
        make_router(), mapping=False, stun=server.address, rng=lambda count: TRANSACTION[:count]
    )
    assert found.stun.code == code
    assert server.datagrams.heard
    assert find_public_address(found) == (PublicAddress("203.0.113.7", "stun") if answers else None)


async def test_a_stun_server_is_waited_for_only_a_limited_time(monkeypatch):
    """Resolving the server's name may take a long time before the server can be asked."""
    clock, server = Clock(), Address("stun.invalid", 3478)
    monkeypatch.setattr(diagnosis, "observe_address", lambda *_: never())
    asking = Deferred.fromCoroutine(diagnosis._stun(clock, None, server, None))
    clock.advance(60)
    answer = await asking
    assert (answer.code, answer.outside) == ("stun-silent", None)


async def test_tor_is_found_where_it_listens(make_router, closing):
    tor = reactor.listenTCP(0, Factory(), interface=LOOPBACK)
    closing.append(tor.stopListening)
    at = Address(LOOPBACK, tor.getHost().port)
    nowhere = Address(LOOPBACK, free_port())
    found = await look(make_router(), mapping=False, socks=(nowhere, at), control=(nowhere,))
    assert (found.tor.socks, found.tor.control) == (at, None)


async def test_a_caller_during_the_examination_is_turned_away(make_router):
    router, port = make_router("pcp"), free_port()
    router.pcp.delay = 0.3
    looking = look(router, port)
    with socket.socket() as friend:
        friend.setblocking(False)
        friend.connect_ex((HERE, port))
        await pause(0.1)
        assert friend.recv(1) == b""
    await looking
