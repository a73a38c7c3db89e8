"""A connection without a network: what it counts, sends and keeps when it closes."""

import errno
from typing import get_args

import pytest
from cryptography.hazmat.primitives import hashes
from OpenSSL import SSL

from ginpeer.net import session, tcp, tls
from ginpeer.net.address import Address
from ginpeer.net.connection import MAX_UNANSWERED, _Phase
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.tls import TLSRefused
from protocol.frames import (
    Chat,
    EntryFrame,
    Frame,
    FrameReader,
    Goodbye,
    Hello,
    Pong,
    Welcome,
    decode_frame,
)
from tests.fuzz.door import CountingConnection
from tests.net.support import a_host
from tests.net.test_tls import P256, self_signed
from tests.refusals import code_of


class Wire:
    """A transport that records how it is used."""

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

    def getPeer(self):
        return Address("127.0.0.1", 4466)


@pytest.fixture
def peer_connection():
    made = CountingConnection(a_host().side)
    made.transport = Wire()
    return made


def failed(connection):
    return connection.failed.code, connection.failed.failure


def test_a_peer_that_reads_may_send_without_limit(peer_connection):
    for _ in range(3):
        peer_connection.on_bytes(bytes(MAX_UNANSWERED + 1))
    assert (peer_connection.transport.aborted, peer_connection.failed) == (0, None)


def test_a_peer_that_does_not_read_may_send_only_a_limited_amount(peer_connection):
    peer_connection.pauseProducing()
    peer_connection.on_bytes(bytes(MAX_UNANSWERED))
    peer_connection.resumeProducing()  # which restarts the count
    peer_connection.on_bytes(bytes(1))
    peer_connection.pauseProducing()
    peer_connection.on_bytes(bytes(MAX_UNANSWERED))
    assert peer_connection.transport.aborted == 0
    peer_connection.on_bytes(bytes(1))
    assert peer_connection.transport.aborted
    assert failed(peer_connection) == ("peer-not-reading", "A")


def test_bytes_received_while_closing_are_limited_too(peer_connection):
    peer_connection.refuse(CloseReason("table-taken", ""), None)  # so that it already has a reason
    peer_connection.on_bytes(bytes(MAX_UNANSWERED))
    peer_connection.resumeProducing()
    assert not peer_connection.transport.aborted
    peer_connection.on_bytes(bytes(1))
    assert peer_connection.transport.aborted


def test_nothing_is_sent_after_parting(peer_connection):
    peer_connection.send(Chat("before"))
    peer_connection.part(Goodbye("left", "Bye."))
    assert (len(peer_connection.transport.written), peer_connection.transport.closed) == (2, 1)
    peer_connection.part(Goodbye("left", "And another thing."))
    peer_connection.send(Chat("behind"))
    assert (len(peer_connection.transport.written), peer_connection.transport.closed) == (2, 1)


def test_every_frame_after_the_greeting_is_limited_or_judged_otherwise(peer_connection):
    """A frame of a type without a limit is a bug of ours, and must not reach a session."""
    peer_connection.open(b"k" * 32, None)
    judged = {Hello, Welcome, Pong, EntryFrame, Goodbye}  # by phase, by our pings, by the seat
    assert {*get_args(Frame)} - judged == {*peer_connection._buckets}
    with pytest.raises(KeyError):
        peer_connection._take(object())


class FullTransport(Wire):
    """A transport that is full after each write."""

    def __init__(self, producer):
        super().__init__()
        self.producer = producer
        self.let_go = 0

    def write(self, data):
        super().write(data)
        self.producer.pauseProducing()

    def unregisterProducer(self):
        self.let_go += 1


@pytest.fixture
def slow(peer_connection):
    peer_connection.transport = FullTransport(peer_connection)
    for text in ("one", "two", "three"):
        peer_connection.send(Chat(text))
    assert len(peer_connection.transport.written) == 1
    return peer_connection


def sent(peer_connection):
    frames = map(decode_frame, FrameReader().feed(b"".join(peer_connection.transport.written)))
    return [frame.text if isinstance(frame, Chat) else frame.code for frame in frames]


def test_a_peer_that_reads_may_send_any_amount_while_frames_wait_for_it(slow):
    for _ in range(3):
        slow.on_bytes(bytes(MAX_UNANSWERED))
        slow.resumeProducing()  # the next frame fills the buffers again
    assert sent(slow) == ["one", "two", "three"]
    assert slow.transport.aborted == 0


def test_after_parting_waiting_frames_are_sent_as_room_appears(slow):
    wire = slow.transport
    slow.part(Goodbye("left", "Bye."))
    assert (sent(slow), wire.closed, wire.let_go) == (["one"], 0, 0)
    slow.resumeProducing()
    slow.resumeProducing()
    assert (sent(slow), wire.closed, wire.let_go) == (["one", "two", "three"], 0, 0)
    slow.resumeProducing()
    assert (sent(slow), wire.closed, wire.let_go) == (["one", "two", "three", "left"], 1, 1)


def test_waiting_frames_do_not_extend_the_deadline(slow):
    """The deadlines start at the goodbye, and TCP closes after the waiting bytes are sent."""
    wire, seconds = slow.transport, slow._timing.closing
    slow.part(None)
    slow._clock.advance(seconds)
    assert (wire.closed, wire.aborted) == (0, 0)
    slow.resumeProducing()
    slow.resumeProducing()
    assert (sent(slow), wire.closed) == (["one", "two", "three"], 2)  # one for TLS, one for TCP
    slow._clock.advance(seconds)
    assert wire.aborted == 1


def test_a_peer_that_reads_nothing_is_given_up_in_time(slow):
    slow.part(None)
    slow._clock.advance(slow._timing.closing)
    slow._clock.advance(slow._timing.closing)
    assert (sent(slow), slow.transport.closed, slow.transport.aborted) == (["one"], 0, 1)


@pytest.mark.parametrize("token", [0, 2, 3])
def test_pongs_must_come_in_the_order_of_the_pings(peer_connection, token):
    peer_connection._pings_sent, peer_connection._pongs_seen = 3, 1
    peer_connection._take_pong(token)
    assert failed(peer_connection) == ("pong-unasked", "A")


def test_nothing_is_sent_before_the_keys_are_known(peer_connection):
    peer_connection._phase = _Phase.SECURING
    peer_connection.part(Goodbye("left", "Bye."))
    assert (peer_connection.transport.written, peer_connection.transport.aborted) == ([], 1)


# --- codes that are chosen below the session ------------------------------------------------


class Handshake:
    """A finished TLS handshake, as OpenSSL reports it."""

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
def test_a_foreign_handshake_is_refused_with_a_code(handshake, code):
    assert code_of(TLSRefused, tls.secured, handshake) == code


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
def test_a_failure_to_listen_has_a_code(number, code):
    refused = tcp._listen_error(Address("192.0.2.1", 80), OSError(number, "no"))
    assert (refused.code, refused.sentence[-1]) == (code, ".")


def test_a_goodbye_can_always_be_said():
    assert session.goodbye_for("not allowed!", "Why.").code == "closed"
    assert session.goodbye_for("left", "x" * 10_000).code == "left"
