"""Which addresses a host guesses for its invite, and which invites are impossible."""

import socket
from contextlib import contextmanager

import ifaddr
import pytest

from ginpeer.net import own_addresses
from ginpeer.net.address import Address, AddressError, parse_address
from ginpeer.net.codes import InviteError
from ginpeer.net.own_addresses import (
    NetworkWatch,
    Reach,
    classify_address,
    listening_addresses,
)
from tests.net.support import (
    LOOPBACK,
    a_host,
    open_house,
)


class Networks:
    """Fake answers of the system: the address from which a packet to the Internet would leave, and
    the addresses of each network interface."""

    def __init__(self, monkeypatch, v4, v6, **cards):
        self.ours = {socket.AF_INET: v4, socket.AF_INET6: v6}
        self.cards = cards
        monkeypatch.setattr(own_addresses.socket, "socket", self)
        monkeypatch.setattr(ifaddr, "get_adapters", self.adapters)

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
    return [place.address.host for place in listening_addresses(host, 4466)]


@pytest.mark.parametrize(
    ("host", "v4", "v6", "expected"),
    [
        ("0.0.0.0", "192.0.2.7", "2001:db8::7", ["192.0.2.7"]),
        ("::", "192.0.2.7", "2001:db8::7", ["192.0.2.7", "2001:db8::7"]),
        ("::", None, "2001:db8::7", ["2001:db8::7"]),
        ("::", "192.0.2.7", None, ["192.0.2.7"]),
        ("::", "192.0.2.7", "no address", ["192.0.2.7"]),
        ("::", "127.0.0.1", "::1", ["127.0.0.1"]),
        ("::", "169.254.1.1", "fe80::1", ["169.254.1.1"]),
        ("::", "0.0.0.0", "::", ["127.0.0.1"]),
    ],
)
def test_exactly_the_reachable_addresses_are_guessed(monkeypatch, host, v4, v6, expected):
    Networks(monkeypatch, v4, v6)
    assert guessed(host) == expected


SIX = [f"2001:db8::{last}" for last in range(1, 9)]
HOME = [f"192.168.1.{last}" for last in range(1, 12)]


@pytest.mark.parametrize(
    ("v4", "v6", "cards", "expected"),
    [
        # Two machines connected only by a switch have no default route.
        (None, None, {"lo": ["127.0.0.1", "::1"], "eth0": [HOME[1], "fe80::1"]}, [HOME[1]]),
        # The address from which packets leave comes first of its kind.
        (HOME[8], None, {"eth0": [HOME[0]], "wlan0": [HOME[8]]}, [HOME[8], HOME[0]]),
        (None, None, {"eth0": HOME}, HOME[:8]),  # as many as fit an invite
        # The many IPv6 addresses of one interface leave room for other addresses.
        (
            None,
            SIX[6],
            {"eth0": [*SIX, HOME[1]], "tun0": ["10.8.0.2"]},
            [HOME[1], SIX[6], "10.8.0.2"],
        ),
        # Windows gives a link-local address to every adapter without a network.
        (HOME[1], None, {"eth0": [HOME[1]], "eth1": ["169.254.9.1"]}, [HOME[1]]),
        (None, None, {"eth1": ["169.254.9.1"], "docker0": [HOME[1]]}, ["169.254.9.1", HOME[1]]),
        (None, None, {"eth0": ["fd00::7"], "eth1": ["169.254.9.1"]}, ["fd00::7"]),
        # For example, Linux gives an interface with autojoin a multicast address.
        *(
            (None, None, {"eth0": [ip, HOME[1]]}, [HOME[1]])
            for ip in ("239.1.1.1", "ff0e::101", "no address")
        ),
        # A local IPv6 address is named only if there's no IPv4 address.
        (None, None, {"eth0": ["fd00::7", SIX[6]]}, ["fd00::7", SIX[6]]),
        (None, None, {"eth0": ["fd00::7", HOME[1]]}, [HOME[1]]),
    ],
)
def test_the_addresses_of_the_interfaces_are_guessed(monkeypatch, v4, v6, cards, expected):
    Networks(monkeypatch, v4, v6, **cards)
    assert guessed() == expected


def test_a_vpn_does_not_hide_the_home_network(monkeypatch):
    """With the VPN on, every packet to the Internet leaves through it."""
    Networks(
        monkeypatch,
        "10.8.0.2",
        None,
        tun0=["10.8.0.2"],
        docker0=["172.17.0.1"],
        wlan0=["192.168.1.20", "2001:db8::20"],
        tailscale0=["100.101.1.2"],
    )
    assert guessed() == ["192.168.1.20", "2001:db8::20", "10.8.0.2", "100.101.1.2", "172.17.0.1"]
    reaches = [place.reach for place in listening_addresses("::", 4466)]
    assert reaches == [Reach.HOME, Reach.IPV6, Reach.VPN, Reach.VPN, Reach.CONTAINER]


def test_a_system_that_does_not_list_its_interfaces_is_asked_for_its_routes(monkeypatch):
    Networks(monkeypatch, "192.0.2.7", None)

    def fails():
        raise OSError("not here")

    monkeypatch.setattr(ifaddr, "get_adapters", fails)
    assert guessed() == ["192.0.2.7"]


def test_the_real_addresses_of_this_machine_are_guessed():
    """This test doesn't replace the system's list."""
    ours = {
        ip.ip
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if ip.is_IPv4 and not ip.ip.startswith("127.")
    }
    assert set(guessed("0.0.0.0")) <= (ours or {"127.0.0.1"})
    assert len(guessed("0.0.0.0")) == (min(len(ours), 8) or 1)


def test_all_addresses_are_listed_with_interface_and_default_source(monkeypatch):
    Networks(monkeypatch, "192.168.1.2", None, eth0=["fd00::7", "192.168.1.2"], tun0=["10.8.0.2"])
    assert own_addresses.own_addresses() == (
        ("eth0", "192.168.1.2", Reach.HOME, True),
        ("eth0", "fd00::7", Reach.HOME, False),
        ("tun0", "10.8.0.2", Reach.VPN, False),
    )


@pytest.mark.parametrize(
    ("host", "reach", "outside"),
    [
        ("192.168.1.2", Reach.HOME, False),
        ("10.1.2.3", Reach.HOME, False),
        ("172.31.0.1", Reach.HOME, False),
        ("172.32.0.1", Reach.OUTSIDE, True),
        ("203.0.113.4", Reach.OUTSIDE, True),
        ("198.18.0.1", Reach.HOME, False),
        ("240.0.0.1", Reach.HOME, False),
        ("100.64.0.1", Reach.VPN, False),
        ("192.0.0.2", Reach.VPN, False),
        ("169.254.3.4", Reach.LINK, False),
        ("127.0.0.1", Reach.LOOPBACK, False),
        ("::1", Reach.LOOPBACK, False),
        ("fd12::1", Reach.HOME, False),
        ("2a02:8108::1", Reach.IPV6, True),
        ("gin.example", Reach.GIVEN, True),
    ],
)
def test_the_reach_of_an_address_follows_from_the_address(host, reach, outside):
    place = classify_address(Address(host, 4466))
    assert (place.reach, place.from_outside) == (reach, outside)
    given = classify_address(Address(host, 4466), given=True)
    assert given.reach is (Reach.LOOPBACK if reach is Reach.LOOPBACK else Reach.GIVEN)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "192.168.1.2"])
def test_a_host_bound_to_one_address_is_reachable_only_there(host):
    assert [place.address for place in listening_addresses(host, 1)] == [(host, 1)]


async def test_addresses_named_by_the_player_are_listed_without_the_loopback(closing):
    named = (Address("gin.example", 99), Address("203.0.113.4", 4466))
    listening = open_house(closing, a_host(), advertise=named, address=Address(LOOPBACK, 0))
    assert listening.addresses == named  # without the loopback
    assert [place.reach for place in listening.reachable_addresses] == [Reach.GIVEN, Reach.GIVEN]


async def test_an_added_address_makes_a_new_invite_with_the_same_secret(closing):
    named = tuple(Address("gin.example", port) for port in range(1, 4))
    listening = open_house(closing, a_host(), advertise=named)
    first = listening.invite
    outside = Address("203.0.113.4", 4466)
    listening.add(outside)
    second = listening.invite
    assert second.addresses == (*named, outside)
    assert (second.host, second.secret) == (first.host, first.secret)
    listening.add(outside)
    with pytest.raises(InviteError):
        listening.add(Address("192.0.2.7", 0))
    assert listening.invite == second
    for port in range(4, 40):
        listening.add(Address("203.0.113.4", port))
        assert listening.addresses[:3] == named
        assert ("203.0.113.4", port) in listening.addresses
    assert len(listening.addresses) == 8


# --- addresses as text --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "default", "address"),
    [
        ("example.org:4466", None, ("example.org", 4466)),
        (" Example.ORG.:1 ", None, ("example.org", 1)),
        ("10.0.0.1:0", None, ("10.0.0.1", 0)),
        ("[2001:DB8:0::1]:80", None, ("2001:db8::1", 80)),
        ("[::ffff:10.0.0.1]:80", None, ("10.0.0.1", 80)),
        ("localhost:65535", None, ("localhost", 65535)),
        ("example.org", 4466, ("example.org", 4466)),
        ("[::1]", 4466, ("::1", 4466)),
        ("2001:db8::1", 4466, ("2001:db8::1", 4466)),
        ("10.0.0.1:9", 4466, ("10.0.0.1", 9)),
    ],
)
def test_addresses_are_read_into_one_canonical_form(text, default, address):
    assert parse_address(text, default) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", ":4466", "example.org", "example.org:", "example.org:65536", "example.org:-1"),
        *("example.org:4466x", "example.org:\N{SUPERSCRIPT TWO}", "[::1", "[::1]4466"),
        *("[example.org:1", "1.2.3:4466", "1.2.3.4.5:4466", "300.1.1.1:4466", "two words:4466"),
        *("-dash.org:1", "under_score.org:1", "a..b:1", f"{'a' * 64}.org:1", f"{'a.' * 127}org:1"),
        *("\N{LATIN SMALL LETTER E WITH ACUTE}.org:1", "fe80::1%eth0", "[fe80::1%eth0]:1"),
        *("../../etc:1", "\x1b[2J:1"),
    ],
)
def test_text_that_is_not_an_address_is_refused(text):
    with pytest.raises(AddressError) as caught:
        parse_address(text)
    assert caught.value.code == "address-unreadable"
    assert "\x1b" not in caught.value.sentence


@pytest.mark.parametrize("text", ["[::1", "[::1]x", "[", "[::1]4466"])
def test_an_unclosed_bracket_is_refused_even_with_a_default_port(text):
    with pytest.raises(AddressError) as caught:
        parse_address(text, 4466)
    assert "should look like" in caught.value.sentence


@pytest.mark.parametrize(
    ("v4", "v6", "moved"),
    [
        ("192.168.1.5", "2001:db8:1::7", False),
        ("192.168.1.5", "2001:db8:1::9", False),  # a new privacy address
        ("192.168.1.6", "2001:db8:1::7", True),
        ("192.168.1.5", "2001:db8:2::7", True),  # another home, which happens to use this address
        ("192.168.1.5", None, False),
        (None, None, False),  # not awake yet
        ("10.8.0.2", None, True),  # a VPN, or a phone
    ],
)
def test_a_machine_notices_that_it_is_in_another_network(monkeypatch, v4, v6, moved):
    networks, watch = Networks(monkeypatch, "192.168.1.5", "2001:db8:1::7"), NetworkWatch()
    assert [watch.has_moved() for _ in range(2)] == [True, False]
    networks.ours = {socket.AF_INET: v4, socket.AF_INET6: v6}
    networks.cards = {"docker0": ["172.17.0.1"]}
    assert [watch.has_moved() for _ in range(2)] == [moved, False]
    networks.ours = {socket.AF_INET: "192.168.1.5", socket.AF_INET6: "2001:db8:1::7"}
    assert watch.has_moved() == moved
