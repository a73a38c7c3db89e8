"""Onion addresses as hosts, and the position at which an existing invite takes a new address."""

import pytest

from ginpeer.net.address import (
    MAX_ADDRESSES,
    Address,
    AddressError,
    canonical_host,
    is_onion,
    parse_address,
)
from ginpeer.net.codes import Invite, InviteError, parse_invite
from ginpeer.net.own_addresses import classify_address, insert_by_reach
from ginpeer.net.tcp import local_address
from tests.net.support import HOST_KEY, LOOPBACK, SECRET, a_host, open_house

# The examples of rend-spec-v3, section 6.
ONIONS = (
    "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion",
    "sp3k262uwy4r2k3ycr5awluarykdpag6a7y33jxop4cs2lu5uz5sseqd.onion",
    "xa4r2iadxm55fbnqgwwi5mymqdcofiu3w6rpbtqn7b2dyn7mgwj64jyd.onion",
)
ONION = Address(ONIONS[0], 4466)


@pytest.mark.parametrize("host", ONIONS)
def test_an_onion_address_is_a_host(host):
    assert is_onion(host)
    assert canonical_host(host.upper() + ".") == host
    assert parse_address(f"{host}:4466") == Address(host, 4466)


@pytest.mark.parametrize(
    ("host", "what"),
    [
        ("expyuzz4wqqyqhjn.onion", "56 letters"),  # an address of version 2, which no longer exists
        (f"www.{ONIONS[0]}", "56 letters"),
        (ONIONS[0].replace("p", "1", 1), "56 letters"),
        (ONIONS[0].replace("pg", "gp", 1), "checksum is wrong"),
        (ONIONS[0].replace("yd.", "ad."), "checksum is wrong"),
        (ONIONS[0].replace("d.", "e."), "version"),
        ("localhost.onion", "56 letters"),
    ],
)
def test_an_invalid_onion_address_is_refused_with_a_message(host, what):
    with pytest.raises(AddressError, match=what) as caught:
        canonical_host(host)
    assert caught.value.code == "address-unreadable"


@pytest.mark.parametrize("host", ["onion.example", "gin.example", "onion", LOOPBACK])
def test_other_hosts_are_not_onion_addresses(host):
    assert not is_onion(canonical_host(host))


def test_an_invite_can_hold_an_onion_address():
    invite = Invite.of(HOST_KEY.public, SECRET, (Address("192.0.2.7", 4466), ONION))
    assert parse_invite(str(invite)) == invite
    with pytest.raises(InviteError):
        Invite.of(HOST_KEY.public, SECRET, (Address(f"x{ONIONS[0][1:]}", 4466),))


# --- adding to an invite ----------------------------------------------------------------


def at(*hosts):
    return tuple(Address(host, 4466) for host in hosts)


def with_address(addresses, new):
    """Return the addresses of a host that is reachable at *addresses*, with *new* added."""
    places = tuple(classify_address(address) for address in addresses)
    return tuple(place.address for place in insert_by_reach(places, classify_address(new)))


PUBLIC, OTHER_PUBLIC, SIX = "8.8.4.4", "9.9.9.9", "2606:4700::1111"
LAN = "192.168.1.2"


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ((LAN, LOOPBACK), PUBLIC, (PUBLIC, LAN, LOOPBACK)),
        ((LAN, LOOPBACK), SIX, (LAN, SIX, LOOPBACK)),
        ((LAN, LOOPBACK), ONIONS[0], (LAN, LOOPBACK, ONIONS[0])),
        ((LAN, LOOPBACK, ONIONS[0]), PUBLIC, (PUBLIC, LAN, LOOPBACK, ONIONS[0])),
        ((LOOPBACK, ONIONS[0]), LAN, (LAN, LOOPBACK, ONIONS[0])),
        (("gin.example", LAN), PUBLIC, ("gin.example", PUBLIC, LAN)),
        ((PUBLIC, LAN), OTHER_PUBLIC, (PUBLIC, OTHER_PUBLIC, LAN)),
        ((LAN, "gin.example"), "10.0.0.1", (LAN, "gin.example", "10.0.0.1")),
        ((LAN,), LAN, (LAN,)),
    ],
)
def test_outside_addresses_come_first_and_an_onion_address_last(before, new, after):
    assert with_address(at(*before), Address(new, 4466)) == at(*after)


def test_the_least_useful_address_is_dropped_from_a_full_invite():
    lan = [f"192.168.1.{last}" for last in range(1, MAX_ADDRESSES)]
    full = at(*lan, LOOPBACK)
    once = with_address(full, ONION)
    assert once == (*at(*lan), ONION)
    twice = with_address(once, Address(PUBLIC, 4466))
    assert twice == (*at(PUBLIC, *lan[:-1]), ONION)
    public = at(*(f"8.8.4.{last}" for last in range(MAX_ADDRESSES)))
    assert with_address(public, ONION) == (*public[:-1], ONION)


@pytest.mark.parametrize(
    ("bound", "local"),
    [(LOOPBACK, LOOPBACK), ("0.0.0.0", LOOPBACK), ("::1", "::1"), ("127.0.0.5", "127.0.0.5")],
)
def test_the_local_address_is_where_programs_on_this_machine_can_connect(closing, bound, local):
    listening = open_house(closing, a_host(), address=Address(bound, 0))
    assert local_address(listening.listening_port) == Address(local, listening.port)


def test_the_local_address_of_a_port_on_all_interfaces_is_the_loopback(closing):
    listening = open_house(closing, a_host(), address=None)
    host = listening.listening_port.getHost().host
    assert host in ("::", "0.0.0.0")
    assert local_address(listening.listening_port) == Address(LOOPBACK, listening.port)
