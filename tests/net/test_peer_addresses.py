"""Which of a peer's addresses we dial, from invites and from address updates."""

from __future__ import annotations

import errno
from dataclasses import replace

import pytest
from twisted.internet import reactor

from ginpeer.net import own_addresses, tcp
from ginpeer.net.address import Address, encode_addresses, onion_host
from ginpeer.net.codes import parse_invite
from ginpeer.net.connector import connect
from ginpeer.net.own_addresses import addresses_to_keep, link_local_addresses, may_be_dialled
from tests.net.pair import Pair
from tests.net.support import (
    HOST_KEY,
    LOOPBACK,
    a_guest,
    a_host,
    failure_of,
    invite_to,
    join_error,
    open_house,
    with_addresses,
)
from tests.net.test_address_update import Known


@pytest.mark.parametrize(
    ("host", "port", "may"),
    [
        ("203.0.113.4", 443, True),
        ("203.0.113.4", 4466, True),
        ("2a02:8108::7", 22, True),
        ("192.168.1.2", 4466, True),  # a friend in our network
        ("192.168.1.1", 80, False),  # our router's web page
        ("10.0.0.7", 22, False),
        ("100.100.100.200", 80, False),  # a cloud provider's metadata
        ("fd00:ec2::254", 80, False),
        ("fd00::7", 4466, True),
        ("127.0.0.1", 4467, True),  # another program on this machine
        ("127.0.0.1", 25, False),
        ("::1", 631, False),
        ("::1", 4467, True),
        ("::", 4466, False),
        ("localhost", 25, False),
        ("localhost", 4467, True),
        ("0.0.0.0", 4466, False),
        ("0.1.2.3", 4466, False),
        ("224.0.0.1", 4466, False),
        ("255.255.255.255", 4466, False),
        ("203.0.113.4", 0, False),
        ("gin.example", 443, True),
        ("0x7f000001", 4467, False),  # a proxy may read it as 127.0.0.1
        ("127.0.0.0x1", 4467, False),
        ("0xgin.example", 4467, True),
        ("2002:c0a8:101::1", 80, False),  # 6to4 of 192.168.1.1
        ("2001:0:c0a8:101::1", 80, False),  # Teredo
        ("192.0.0.192", 80, False),  # a cloud provider's metadata
        ("168.63.129.16", 32526, False),  # another provider's
    ],
)
def test_addresses_not_on_the_internet_are_dialled_only_at_high_ports(host, port, may):
    assert may_be_dialled(Address(host, port)) is may


@pytest.mark.parametrize(
    ("own", "host", "may"),
    [
        (("192.168.1.2",), "169.254.7.7", False),
        (("169.254.3.3",), "169.254.7.7", True),
        (("169.254.3.3",), "169.254.169.254", False),
    ],
)
def test_a_link_local_address_is_dialled_only_from_such_an_address(monkeypatch, own, host, may):
    monkeypatch.setattr(own_addresses, "own_hosts", lambda: own)
    assert may_be_dialled(Address(host, 4466)) is may


@pytest.mark.parametrize(
    ("host", "port", "may"),
    [
        ("2a02:8108:1:2::1", 80, False),  # our router's web page, at its public address
        ("2a02:8108:1:2::1", 4466, True),
        ("2a02:8108:1:3::1", 80, True),
        ("203.0.113.4", 25, False),  # our own address
        ("203.0.113.5", 25, True),
    ],
)
def test_our_own_network_is_not_the_internet(monkeypatch, host, port, may):
    monkeypatch.setattr(own_addresses, "own_hosts", lambda: ("203.0.113.4", "2a02:8108:1:2::7"))
    assert may_be_dialled(Address(host, port)) is may


ONION = onion_host(bytes(32))


@pytest.mark.parametrize(
    ("met_at", "host", "port", "kept"),
    [
        ("203.0.113.4:4466", "203.0.113.9", 4466, True),
        ("203.0.113.4:4466", "2a02:8108::7", 4466, True),
        ("203.0.113.4:4466", ONION, 4466, True),
        ("203.0.113.4:4466", "gin.example", 4466, True),
        ("203.0.113.4:4466", "192.168.1.1", 4466, False),
        ("203.0.113.4:4466", "127.0.0.1", 4466, False),
        ("203.0.113.4:4466", "169.254.169.254", 4466, False),
        ("203.0.113.4:4466", "router", 4466, False),
        ("203.0.113.4:4466", "nas.lan", 4466, False),
        ("203.0.113.4:4466", "printer.local", 9100, False),
        ("203.0.113.4:4466", "db.corp", 5432, False),
        ("203.0.113.4:4466", "localhost", 4466, False),
        ("203.0.113.4:4466", "x.localhost", 4466, False),
        ("192.168.1.7:50000", "192.168.1.9", 4466, True),  # a peer that we met in our own network
        ("192.168.1.7:50000", "192.168.1.9", 80, False),
        ("192.168.1.7:50000", "127.0.0.1", 4466, False),
        ("127.0.0.1:50000", "127.0.0.1", 4466, False),
        ("127.0.0.1:50000", "192.168.1.9", 4466, False),
        ("nowhere", "192.168.1.9", 4466, False),
    ],
)
def test_a_peers_address_is_kept_only_if_it_is_plausible(met_at, host, port, kept):
    address = Address(host, port)
    assert addresses_to_keep((address,), met_at) == ((address,) if kept else ())


def test_a_remote_peers_internal_addresses_are_not_remembered():
    known = Known()
    pair = Pair(a_host(eager=False), a_guest(eager=False, known=known))
    pair.theirs.peer = replace(pair.theirs.peer, address="203.0.113.4:4466")
    told = (
        Address("203.0.113.9", 4466),
        *(Address(host, 4466) for host in ("127.0.0.1", "192.168.1.1", "10.0.0.1", "nas.lan")),
    )
    pair.theirs.receive_addresses(encode_addresses(told))
    assert known.kept[-1] == (HOST_KEY.public, ("203.0.113.9:4466",))


async def test_an_invite_to_system_ports_at_home_is_not_dialled():
    """System services may listen on these ports."""
    bad = invite_to(("192.168.1.1", 80), ("169.254.169.254", 80), (LOOPBACK, 25))
    error = await join_error(bad)
    assert error.code == "not-dialled"
    assert "contains no address that could be a friend's" in error.sentence
    assert error.sentence.isprintable()


async def test_a_forbidden_address_does_not_block_the_others(closing):
    invite = open_house(closing, a_host(eager=False)).invite
    both = with_addresses(invite, ("169.254.169.254", 80), *invite.addresses)
    await connect(reactor, both, a_guest(eager=False).side)


# --- two machines connected by a cable --------------------------------------------------

LINKS = link_local_addresses()


def test_a_machine_without_other_addresses_names_its_link_local_ones(monkeypatch):
    monkeypatch.setattr(own_addresses, "_own", lambda leaving: {})
    monkeypatch.setattr(own_addresses, "link_local_addresses", lambda: (("fe80::7", "2"),))
    (place,) = own_addresses.listening_addresses("::", 4466)
    assert place == (Address("fe80::7", 4466), own_addresses.Reach.LINK)
    (alone,) = own_addresses.listening_addresses("0.0.0.0", 4466)
    assert alone.reach is own_addresses.Reach.LOOPBACK


async def test_a_link_local_address_cannot_be_dialled_without_a_link(monkeypatch):
    monkeypatch.setattr(tcp, "link_local_addresses", lambda: ())
    dialling = tcp.connect_directly(reactor, Address("fe80::7", 4466), None)
    assert (await failure_of(dialling, OSError)).errno == errno.ENETUNREACH


@pytest.mark.skipif(not LINKS, reason="no card with a link-local IPv6 address")
async def test_a_guest_reaches_a_host_that_has_only_a_link_local_address(closing):
    listening = open_house(closing, a_host(eager=False), address=Address("::", 0))
    invite = with_addresses(listening.invite, (LINKS[0][0], listening.port))
    assert parse_invite(str(invite)) == invite
    await connect(reactor, invite, a_guest(eager=False).side)
