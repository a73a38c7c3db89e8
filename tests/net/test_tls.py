"""TLS between identity keys: 1.3 only, both keys shown, the host's key pinned, and ALPN checked."""

import datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from OpenSSL import SSL, crypto
from OpenSSL._util import lib

from ginpeer.net.not_reached import JoinError
from ginpeer.net.tls import (
    GuestTLS,
    NoPeerKey,
    _verify,
    begins_as_client,
    certificate_of,
    key_of,
)
from protocol.crypto.identity import IdentityKey, fingerprint
from protocol.frames import Welcome
from tests.net.support import (
    HOST_KEY,
    LOOPBACK,
    OTHER_KEY,
    AnyTLS,
    a_guest,
    a_host,
    failure_of,
    invite_to,
    join_error,
    joining_rude_host,
    open_house,
    rude_guest,
    rude_host,
    until,
)


def named(name):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def self_signed(key, algorithm=None, issuer=None, public=None, by="somebody"):
    return (
        x509.CertificateBuilder()
        .subject_name(named("somebody"))
        .issuer_name(named(by))
        .serial_number(7)
        .not_valid_before(datetime.datetime(2001, 1, 1))
        .not_valid_after(datetime.datetime(2002, 1, 1))
        .public_key(public or key.public_key())
        .sign(issuer or key, algorithm)
    )


ED25519_OID = bytes.fromhex("06032b6570")
"""RFC 8410, 3. A certificate contains it three times: for the signature, the key, and again for the
signature."""


def of_another_kind(oid):
    """Return a self-signed certificate whose key claims to be of the kind *oid*."""
    encoded = self_signed(Ed25519PrivateKey.generate()).public_bytes(Encoding.DER)
    signature, key, again, end = encoded.split(ED25519_OID)
    changed = signature + ED25519_OID + key + bytes.fromhex(oid) + again + ED25519_OID + end
    return x509.load_der_x509_certificate(changed)


def of_small_order():
    """Return a certificate whose key is the identity element. For that key, its signature is valid
    for any data."""
    identity = bytes([1]) + bytes(31)
    public = Ed25519PublicKey.from_public_bytes(identity)
    made = self_signed(Ed25519PrivateKey.generate(), public=public).public_bytes(Encoding.DER)
    return x509.load_der_x509_certificate(made[:-64] + identity + bytes(32))


# --- certificates ----------------------------------------------------------------------


def test_a_key_has_exactly_one_certificate_which_contains_it_raw():
    again = IdentityKey(HOST_KEY.secret_seed)
    assert certificate_of(HOST_KEY) == certificate_of(again)
    assert certificate_of(HOST_KEY) != certificate_of(OTHER_KEY)
    assert key_of(certificate_of(HOST_KEY)) == HOST_KEY.public
    key = Ed25519PrivateKey.generate()  # dates and names prove nothing
    assert key_of(self_signed(key)) == key.public_key().public_bytes_raw()


@pytest.mark.parametrize(
    "certificate",
    [
        self_signed(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256()),
        self_signed(Ed25519PrivateKey.generate(), issuer=Ed25519PrivateKey.generate()),
        self_signed(Ed25519PrivateKey.generate(), by="another"),
        of_another_kind("06032b6571"),
        of_another_kind("06032b657f"),
        of_small_order(),
    ],
    ids=[
        "another kind of key", "signed by another key", "issued by another name",
        "an Ed448 key of 32 bytes", "a key of no known kind", "a key of small order",
    ],
)  # fmt: skip
def test_other_certificates_contain_no_peer_key(certificate):
    with pytest.raises(NoPeerKey):
        key_of(certificate)


def test_a_chain_of_certificates_is_not_accepted():
    certificate = crypto.X509.from_cryptography(certificate_of(HOST_KEY))
    assert [_verify(certificate, depth, lambda key: True) for depth in range(3)] == [
        True,
        False,
        False,
    ]


# --- the host against strange guests ---------------------------------------------------

P256 = ec.generate_private_key(ec.SECP256R1())
FORGED, ANYBODY = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()


@pytest.mark.parametrize(
    "tls",
    [
        lambda: AnyTLS(version=SSL.TLS1_2_VERSION),
        lambda: AnyTLS(identity=None),
        lambda: AnyTLS(certificate=(self_signed(P256, hashes.SHA256()), P256)),
        lambda: AnyTLS(certificate=(self_signed(FORGED, issuer=ANYBODY), FORGED)),
        lambda: AnyTLS(alpn=()),
        lambda: AnyTLS(alpn=(b"h2", b"http/1.1")),
    ],
    ids=[
        "TLS 1.2", "no certificate", "P-256 certificate", "badly signed certificate",
        "no ALPN", "other ALPN",
    ],
)  # fmt: skip
async def test_the_host_drops_a_client_that_is_not_ginpeer(closing, tls):
    host = a_host()
    listening = open_house(closing, host)
    stranger = await rude_guest(closing, listening.port, tls())
    if stranger.secured and stranger.lost is None:  # in TLS 1.3 the client finishes first
        stranger.send(stranger.hello())
    await until(lambda: stranger.lost)
    assert stranger.frames == []
    assert host.players == host.seats == []


async def test_a_tls_session_is_never_resumed(closing):
    listening = open_house(closing, a_host(eager=False))
    tls = AnyTLS()
    first = await rude_guest(closing, listening.port, tls)
    first.send(first.hello())
    assert isinstance(await first.next_frame(), Welcome)
    tls.session = first.transport.getHandle().get_session()  # with any ticket that arrived
    second = await rude_guest(closing, listening.port, tls)
    assert second.secured
    assert not lib.SSL_session_reused(second.transport.getHandle()._ssl)


# --- the guest against strange hosts ---------------------------------------------------


async def joining(closing, tls):
    """Return the error of a guest whose invite leads to a rude host."""
    port, _ = rude_host(closing, tls)
    guest = a_guest()
    error = await join_error(invite_to((LOOPBACK, port)), guest)
    assert guest.players == guest.seats == []
    return error


async def test_a_key_other_than_the_pinned_one_is_refused_with_a_clear_warning(closing):
    error = await joining(closing, AnyTLS(OTHER_KEY))
    assert error.code == "pinned-key-mismatch"
    assert "WRONG KEY" in error.sentence
    assert fingerprint(HOST_KEY.public) in error.sentence
    assert fingerprint(OTHER_KEY.public) in error.sentence


async def test_a_key_that_tls_let_through_is_checked_again(closing, monkeypatch):
    monkeypatch.setattr(GuestTLS, "_is_the_host", lambda self, key: True)
    port, peers = rude_host(closing, AnyTLS(OTHER_KEY))
    error = await join_error(invite_to((LOOPBACK, port)))
    assert error.code == "pinned-key-mismatch"
    assert [peer.frames for peer in peers] == [[]]  # not even a hello was received


async def test_the_pinned_key_is_accepted_in_another_certificate(closing):
    """Only the key matters: the guest sends its hello."""
    key = HOST_KEY.private_key
    joined, peer = await joining_rude_host(closing, AnyTLS(certificate=(self_signed(key), key)))
    peer.transport.abortConnection()
    assert (await failure_of(joined, JoinError)).code == "connection-lost"


@pytest.mark.parametrize(
    ("tls", "code"),
    [
        (lambda: AnyTLS(HOST_KEY, version=SSL.TLS1_2_VERSION), "tls-failed"),
        (lambda: AnyTLS(HOST_KEY, alpn=()), "wrong-alpn"),
        (lambda: AnyTLS(HOST_KEY, alpn=(b"h2",)), "wrong-alpn"),
        (lambda: AnyTLS(certificate=(self_signed(P256, hashes.SHA256()), P256)), "tls-failed"),
    ],
    ids=["TLS 1.2", "no ALPN", "other ALPN", "P-256 certificate"],
)
async def test_the_guest_drops_a_server_that_is_not_ginpeer(closing, tls, code):
    error = await joining(closing, tls())
    assert error.code == code
    assert error.sentence.endswith((".", "?"))


async def test_a_guest_with_the_hosts_own_key_is_told_so(closing, unused_address):
    error = await join_error(invite_to(unused_address), a_guest(HOST_KEY))
    assert error.code == "same-key"  # nothing was dialled
    listening = open_house(closing, a_host())
    stranger = await rude_guest(closing, listening.port, AnyTLS(HOST_KEY))
    stranger.send(stranger.hello(guest_key=HOST_KEY))
    assert (await stranger.next_frame()).code == "same-key"


@pytest.mark.parametrize(
    ("data", "is_client"),
    [
        (b"\x16\x03\x01\x02\x00\x01", True),
        (b"\x16\x03\x01\x02\x00\x02", False),  # a ServerHello
        (b"\x17\x03\x03\x02\x00\x01", False),  # data, not a handshake
        (b"\x16\x03\x01\x02\x00", False),
    ],
)
def test_only_a_client_hello_is_recognised_as_a_client(data: bytes, is_client: bool) -> None:
    assert begins_as_client(data) is is_client
