"""Which addresses a host guesses for its invite, and which invites cannot be."""

import socket
from contextlib import contextmanager

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet import reactor

from ginpeer.net import address, invite
from ginpeer.net.address import Address, AddressError, guess_addresses, parse_address
from ginpeer.net.invite import Invite, InviteError
from ginpeer.net.join import JoinError, _Runner, join
from tests.fuzz.door import Door

from .net_support import (
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
    """Stands in for socket.socket: which address a packet to the outside would leave from."""

    def __init__(self, monkeypatch, v4, v6):
        self.ours = {socket.AF_INET: v4, socket.AF_INET6: v6}
        self.asked = []
        monkeypatch.setattr(address.socket, "socket", self)

    @contextmanager
    def __call__(self, family, kind):
        self.asked.append(family)
        self.family = family
        yield self

    def connect(self, where):
        if self.ours[self.family] is None:
            raise OSError("Network is unreachable")

    def getsockname(self):
        return (self.ours[self.family], 0)


@pytest.mark.parametrize(
    ("host", "v4", "v6", "guessed"),
    [
        ("0.0.0.0", "192.0.2.7", "2001:db8::7", ["192.0.2.7", "127.0.0.1"]),
        ("::", "192.0.2.7", "2001:db8::7", ["192.0.2.7", "2001:db8::7", "127.0.0.1"]),
        ("::", None, "2001:db8::7", ["2001:db8::7", "127.0.0.1"]),
        ("::", "192.0.2.7", None, ["192.0.2.7", "127.0.0.1"]),
        ("::", "192.0.2.7", "no address", ["192.0.2.7", "127.0.0.1"]),
        ("::", "127.0.0.1", "::1", ["127.0.0.1"]),
        ("::", "169.254.1.1", "fe80::1", ["127.0.0.1"]),
        ("::", "0.0.0.0", "::", ["127.0.0.1"]),
    ],
)
def test_what_can_be_reached_is_guessed_and_nothing_else(monkeypatch, host, v4, v6, guessed):
    Networks(monkeypatch, v4, v6)
    assert [each.host for each in guess_addresses(host, 4466)] == guessed


def test_a_host_that_hears_one_kind_of_address_is_not_asked_for_the_other(monkeypatch):
    networks = Networks(monkeypatch, "192.0.2.7", "2001:db8::7")
    guess_addresses("0.0.0.0", 4466)
    assert networks.asked == [socket.AF_INET]


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
