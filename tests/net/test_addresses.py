"""Which addresses a host guesses for its invite, and which invites cannot be."""

import socket
from contextlib import contextmanager

import ifaddr
import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from ginpeer.net import address, invite
from ginpeer.net.address import Address, AddressError, guess_addresses, parse_address
from ginpeer.net.invite import Invite, InviteError
from ginpeer.net.join import JoinError, _Runner, join
from tests.fuzz.door import Door
from tests.net.support import (
    HOST_KEY,
    LOOPBACK,
    a_guest,
    a_host,
    failure_of,
    open_house,
    rude_guest,
    until,
)


class Networks:
    """Stands in for what the system says: which address a packet to the outside would leave from,
    and which addresses each card has."""

    def __init__(self, monkeypatch, v4, v6, **cards):
        self.ours = {socket.AF_INET: v4, socket.AF_INET6: v6}
        self.cards = cards
        monkeypatch.setattr(address.socket, "socket", self)
        monkeypatch.setattr(address.ifaddr, "get_adapters", self.adapters)

    @contextmanager
    def __call__(self, family, kind):
        self.family = family
        yield self

    def connect(self, where):
        if self.ours[self.family] is None:
            raise OSError("Network is unreachable")

    def getsockname(self):
        return (self.ours[self.family], 0)

    def adapters(self):
        return [
            ifaddr.Adapter(name, name, [ifaddr.IP(self._ip(ip), 24, name) for ip in ips])
            for name, ips in self.cards.items()
        ]

    @staticmethod
    def _ip(text):
        return (text, 0, 0) if ":" in text else text


def guessed(host="::"):
    return [each.host for each in guess_addresses(host, 4466)]


@pytest.mark.parametrize(
    ("host", "v4", "v6", "expected"),
    [
        ("0.0.0.0", "192.0.2.7", "2001:db8::7", ["192.0.2.7", "127.0.0.1"]),
        ("::", "192.0.2.7", "2001:db8::7", ["192.0.2.7", "2001:db8::7", "127.0.0.1"]),
        ("::", None, "2001:db8::7", ["2001:db8::7", "127.0.0.1"]),
        ("::", "192.0.2.7", None, ["192.0.2.7", "127.0.0.1"]),
        ("::", "192.0.2.7", "no address", ["192.0.2.7", "127.0.0.1"]),
        ("::", "127.0.0.1", "::1", ["127.0.0.1"]),
        ("::", "169.254.1.1", "fe80::1", ["169.254.1.1", "127.0.0.1"]),
        ("::", "0.0.0.0", "::", ["127.0.0.1"]),
    ],
)
def test_what_can_be_reached_is_guessed_and_nothing_else(monkeypatch, host, v4, v6, expected):
    Networks(monkeypatch, v4, v6)
    assert guessed(host) == expected


def test_a_network_that_leads_nowhere_is_offered_all_the_same(monkeypatch):
    """A switch and two machines: there is no default route to ask for."""
    Networks(monkeypatch, None, None, lo=["127.0.0.1", "::1"], eth0=["192.168.7.2", "fe80::1"])
    assert guessed() == ["192.168.7.2", "127.0.0.1"]


def test_a_vpn_does_not_hide_the_network_at_home(monkeypatch):
    """Though every packet to the outside leaves through it."""
    Networks(
        monkeypatch,
        "10.8.0.2",
        None,
        tun0=["10.8.0.2"],
        docker0=["172.17.0.1"],
        wlan0=["192.168.1.20", "2001:db8::20"],
        tailscale0=["100.101.1.2"],
    )
    assert guessed() == [
        "192.168.1.20",
        "2001:db8::20",
        "10.8.0.2",
        "100.101.1.2",
        "172.17.0.1",
        "127.0.0.1",
    ]


def test_where_packets_leave_from_comes_first_of_its_kind(monkeypatch):
    Networks(monkeypatch, "192.168.2.9", None, eth0=["192.168.1.9"], wlan0=["192.168.2.9"])
    assert guessed() == ["192.168.2.9", "192.168.1.9", "127.0.0.1"]


def test_no_more_addresses_are_guessed_than_an_invite_names(monkeypatch):
    many = [f"192.168.1.{last}" for last in range(1, 12)]
    Networks(monkeypatch, None, None, eth0=many)
    assert guessed() == [*many[:7], "127.0.0.1"]


def test_the_many_ipv6_addresses_of_a_card_leave_room_for_others(monkeypatch):
    six = [f"2001:db8::{last}" for last in range(1, 9)]
    Networks(monkeypatch, None, six[6], eth0=[*six, "192.168.1.2"], tun0=["10.8.0.2"])
    assert guessed() == ["192.168.1.2", six[6], six[0], six[1], "10.8.0.2", "127.0.0.1"]


@pytest.mark.parametrize("ip", ["239.1.1.1", "ff0e::101", "no address"])
def test_what_a_card_has_besides_that_reaches_nobody_is_not_guessed(monkeypatch, ip):
    """As the address of a group, which Linux gives to a card with autojoin."""
    Networks(monkeypatch, None, None, eth0=[ip, "192.168.1.2"])
    assert guessed() == ["192.168.1.2", "127.0.0.1"]


def test_a_system_that_does_not_list_its_cards_is_asked_for_its_routes_only(monkeypatch):
    networks = Networks(monkeypatch, "192.0.2.7", None)

    def fails():
        raise OSError("not here")

    monkeypatch.setattr(address.ifaddr, "get_adapters", fails)
    assert guessed() == ["192.0.2.7", "127.0.0.1"]
    assert networks.cards == {}


def test_the_addresses_of_this_very_machine_are_guessed():
    """The system's own list, without a stand-in."""
    ours = {
        ip.ip
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if ip.is_IPv4 and not ip.ip.startswith("127.")
    }
    assert ours.issuperset(set(guessed("0.0.0.0")) - {"127.0.0.1"})
    assert len(guessed("0.0.0.0")) == min(len(ours), 7) + 1


@pytest.mark.parametrize("text", ["[::1", "[::1]x", "[", "[::1]4466"])
def test_a_bracket_that_is_open_is_no_address_even_where_the_port_may_be_left_out(text):
    with pytest.raises(AddressError) as caught:
        parse_address(text, 4466)
    assert "should look like" in caught.value.sentence


# --- invites that cannot be, and codes that nobody but the program sees -------------------------

KEY, SECRET = HOST_KEY.public, bytes(16)
LAN = Address("192.168.1.20", 4466)


@pytest.mark.parametrize(
    ("key", "secret", "addresses", "code"),
    [
        (KEY, SECRET, (), "invite-addresses"),
        (KEY, SECRET, (LAN,) * 9, "invite-addresses"),
        (KEY, SECRET, (Address("x.org", 0),), "invite-addresses"),
        (KEY, SECRET, (Address("x.org", 65_536),), "invite-addresses"),
        (KEY, SECRET, (Address("X.org", 1),), "invite-addresses"),
        (KEY, SECRET, (Address("two words", 1),), "invite-addresses"),
        (KEY, SECRET[1:], (LAN,), "invite-damaged"),
        (KEY[1:], SECRET, (LAN,), "invite-damaged"),
        (bytes(32), SECRET, (LAN,), "invite-damaged"),
    ],
)
def test_an_invite_that_nobody_could_follow_is_refused_with_its_code(key, secret, addresses, code):
    with pytest.raises(InviteError) as caught:
        Invite(key, secret, addresses)
    assert caught.value.code == code


def test_what_is_wrong_with_an_invite_is_said():
    with pytest.raises(InviteError, match="a key has 32 bytes"):
        Invite(KEY[1:], SECRET, (LAN,))
    payload = KEY + SECRET + b"\x01\x04\xc0\xa8\x01\x14\x11\x72" + b"\0"
    with pytest.raises(InviteError, match="something behind its end"):
        invite._decode_payload(payload)


@ensureDeferred
async def test_who_follows_the_own_invite_hears_so_before_anybody_is_asked():
    own = Invite(HOST_KEY.public, SECRET, (Address(LOOPBACK, 1),))
    error = await failure_of(join(reactor, own, a_guest(HOST_KEY).side), JoinError)
    assert (error.code, error.attempts) == ("same-key", ())


@ensureDeferred
async def test_who_makes_room_goes_for_that(closing):
    listening = open_house(closing, a_host())
    stranger = await rude_guest(closing, listening.port)
    (met,) = listening._hall.strangers
    met.make_room()
    await until(lambda: stranger.lost)
    assert (met.failed.code, met.failed.failure) == ("crowded-out", "A")


def test_an_attempt_that_another_one_overtook_says_so():
    attempt = object.__new__(_Runner)
    attempt._connection = Door(a_guest().side)
    attempt.drop()
    assert attempt._connection.failed.code == "not-needed"
