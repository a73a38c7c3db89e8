"""A connection's own steps, without a network: what it counts, says and keeps when it closes."""

import errno

import pytest
from cryptography.hazmat.primitives import hashes
from OpenSSL import SSL
from pytest_twisted import ensureDeferred

from ginpeer.net import connection, host, join, session, tls
from ginpeer.net.address import Address
from ginpeer.net.connection import MAX_UNANSWERED, _Phase
from ginpeer.net.join import Attempt
from ginpeer.net.tls import TLSRefused
from ginpeer.seat.seat import SeedLost
from protocol.frames import Chat, Goodbye
from tests.fuzz.door import Door

from .net_support import a_host, open_house, rude_guest, until
from .test_net_tls import P256, self_signed


class Wire:
    """A transport that writes down what is done to it."""

    def __init__(self):
        self.written = []
        self.closed = self.aborted = 0
        self.transport = self

    def write(self, data):
        self.written.append(data)

    def loseConnection(self):
        self.closed += 1

    def abortConnection(self):
        self.aborted += 1

    def unregisterProducer(self):
        pass

    def getHandle(self):
        return None


@pytest.fixture
def door():
    made = Door(a_host().side)
    made.transport = Wire()
    return made


def test_whoever_reads_may_send_as_much_as_it_likes(door):
    for _ in range(3):
        door.bytes_came(MAX_UNANSWERED + 1)
    assert (door.transport.aborted, door.failed) == (0, None)


def test_whoever_does_not_read_may_send_so_much(door):
    door.pauseProducing()
    door.bytes_came(MAX_UNANSWERED)
    assert door.transport.aborted == 0
    door.bytes_came(1)
    assert door.transport.aborted
    assert (door.failed.code, door.failed.failure) == ("peer-not-reading", "A")


def test_reading_again_begins_the_count_anew(door):
    door.pauseProducing()
    door.bytes_came(MAX_UNANSWERED)
    door.resumeProducing()
    door.bytes_came(1)
    door.pauseProducing()
    door.bytes_came(MAX_UNANSWERED)
    assert door.transport.aborted == 0


def test_while_we_close_it_counts_too(door):
    door.part(None)
    door.bytes_came(MAX_UNANSWERED + 1)
    assert door.transport.aborted


def test_who_has_parted_says_nothing_more(door):
    door.part(Goodbye("left", "Bye."))
    assert (len(door.transport.written), door.transport.closed) == (1, 1)
    door.part(Goodbye("left", "And another thing."))
    assert (len(door.transport.written), door.transport.closed) == (1, 1)


def test_who_has_parted_sends_nothing_either(door):
    door.send(Chat("before"))
    door.part(None)
    door.send(Chat("behind"))
    assert len(door.transport.written) == 1


@pytest.mark.parametrize("token", [0, 2, 3])
def test_pongs_come_in_the_order_of_the_pings(door, token):
    door._pings_sent, door._pongs_seen = 3, 1
    door._take_pong(token)
    assert (door.failed.code, door.failed.failure) == ("pong-unasked", "A")


def test_before_the_keys_are_known_nothing_is_said(door):
    door._phase = _Phase.SECURING
    door.part(Goodbye("left", "Bye."))
    assert (door.transport.written, door.transport.aborted) == ([], 1)


def test_what_tls_refuses_is_cut_off_with_its_code(door, monkeypatch):
    def refusing(_):
        raise TLSRefused("wrong-alpn", "The other side speaks something else.")

    monkeypatch.setattr(connection, "secured", refusing)
    door._phase = _Phase.SECURING
    door._secured()
    assert (door.failed.code, door.failed.failure) == ("wrong-alpn", "A")
    assert (door.transport.aborted, door.transport.written) == (1, [])


@ensureDeferred
async def test_strangers_of_a_host_that_stops_are_cut_off_for_that(closing):
    listening = open_house(closing, a_host())
    stranger = await rude_guest(closing, listening.port)
    (met,) = listening._hall.strangers
    await listening.stop()
    await until(lambda: stranger.lost)
    assert (met.failed.code, met.failed.failure) == ("host-stopped", None)


# --- codes that are given below the session ------------------------------------------------------


class Handshake:
    """A finished TLS handshake, as OpenSSL tells of it."""

    def __init__(self, version=SSL.TLS1_3_VERSION, alpn=tls.ALPN, certificate=None):
        self.told = version, alpn, certificate

    def get_protocol_version(self):
        return self.told[0]

    def get_alpn_proto_negotiated(self):
        return self.told[1]

    def get_peer_certificate(self, as_cryptography):
        return self.told[2]


@pytest.mark.parametrize(
    ("handshake", "code"),
    [
        (Handshake(version=SSL.TLS1_2_VERSION), "tls-version"),
        (Handshake(alpn=b"h2"), "wrong-alpn"),
        (Handshake(), "no-certificate"),
        (Handshake(certificate=self_signed(P256, hashes.SHA256())), "bad-certificate"),
    ],
)
def test_a_handshake_that_is_not_ours_has_a_code(handshake, code):
    with pytest.raises(TLSRefused) as caught:
        tls.secured(handshake)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.EADDRINUSE, "port-taken"),
        (errno.EACCES, "port-forbidden"),
        (errno.EPERM, "port-forbidden"),
        (errno.EADDRNOTAVAIL, "address-not-ours"),
        (errno.EMFILE, "cannot-listen"),
    ],
)
def test_why_nobody_can_listen_has_a_code(number, code):
    refused = host._listen_error(Address("192.0.2.1", 80), OSError(number, "no"))
    assert (refused.code, refused.sentence[-1]) == (code, ".")


def test_where_each_address_fails_otherwise_the_host_is_unreachable():
    where = Address("192.0.2.1", 80)
    several = (
        Attempt(where, "connection-refused", "No."),
        Attempt(where, "connect-timeout", "Nothing."),
    )
    assert join._join_error(several).code == "host-unreachable"
    assert join._join_error(several[:1]).code == "connection-refused"


def test_a_goodbye_can_always_be_said():
    assert session.goodbye_for("not allowed!", "Why.").code == "closed"
    assert session.goodbye_for("left", "x" * 10_000).code == "left"


def test_what_a_player_hears_from_a_session_has_a_code():
    assert session.SessionOver.code == "session-over"
    assert session.TooFast.code == "chat-too-fast"
    assert SeedLost("gone").code == "seed-lost"
