"""TLS 1.3 between two identity keys, with no authorities (WIRE 9.2).

Rule 1: TLS 1.3 only, without resumption: every connection proves both keys anew.
Rule 2: the guest knows the host's key from the invite and accepts no other. The host accepts any
Ed25519 key, and asks for the invite's proof afterwards (handshake.py).
Rule 3: both sides check ALPN themselves after the handshake, because OpenSSL connects even if the
two sides have no protocol in common.
Rule 4: a connection counts every byte that arrives. TLS answers some messages by itself, bypassing
every producer (a KeyUpdate asks for another, RFC 8446, 4.6.3), so a peer that sends those and reads
nothing would fill our memory with answers.

connectionMade() comes before the handshake, so nothing may be believed or sent there; a connection
begins with handshakeCompleted().

TLS 1.3 itself doesn't bind an exported key to the guest's certificate: RFC 8446, 7.5 derives the
exporter from the transcript up to the server's Finished, and the client's certificate comes
later. So every proof over the exporter names both keys as well.

TLS wants certificates; we want keys. So each peer wraps its Ed25519 identity key into a
self-signed certificate in which everything else is fixed. Ed25519 signatures are deterministic, so
one key gives one certificate, byte for byte. Only the key is read from it: names, dates, chains and
authorities prove nothing between two friends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import NameOID
from OpenSSL import SSL, crypto
from twisted.internet.interfaces import (
    IOpenSSLClientConnectionCreator,
    IOpenSSLServerConnectionCreator,
    IProtocolFactory,
    IReactorTime,
)
from twisted.internet.protocol import Factory, connectionDone
from twisted.protocols.tls import BufferingTLSTransport, TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]

from protocol.codes import CodedError
from protocol.crypto.identity import IdentityKey, check_public_key, key_hash

ALPN = b"ginpeer/1"
EXPORTER_LABEL = b"EXPORTER-ginpeer-1"
EXPORTER_BYTES = 32

_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ginpeer")])
_SERIAL = 1
_NOT_BEFORE = datetime(2000, 1, 1, tzinfo=UTC)
_NOT_AFTER = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)  # RFC 5280, 4.1.2.5: no expiry

_FIRST = 6  # bytes that give the types of a record and its handshake message (RFC 8446, 5.1)


def begins_as_client(data: bytes) -> bool:
    """Return whether these bytes start a ClientHello (RFC 8446, 4), which only a client sends."""
    return len(data) >= _FIRST and data[:2] == b"\x16\x03" and data[5] == 1


class NoPeerKey(ValueError):
    """The certificate isn't self-signed with a valid Ed25519 key."""


def certificate_of(identity: IdentityKey) -> x509.Certificate:
    """Return the certificate for an identity key. The same key always gives the same one."""
    key = identity.private_key
    return (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .serial_number(_SERIAL)
        .not_valid_before(_NOT_BEFORE)
        .not_valid_after(_NOT_AFTER)
        .public_key(key.public_key())
        .sign(key, algorithm=None)
    )


def key_of(certificate: x509.Certificate) -> bytes:
    """Return the raw 32-byte Ed25519 key in a peer's certificate. Only TLS checks that the peer has
    the private key (CertificateVerify). Raises NoPeerKey."""
    try:
        key = certificate.public_key()
        if not isinstance(key, Ed25519PublicKey):
            raise NoPeerKey("the certificate's key isn't an Ed25519 key")
        certificate.verify_directly_issued_by(certificate)
        raw = key.public_bytes_raw()
        check_public_key(raw)
    except NoPeerKey:
        raise
    except (ValueError, InvalidSignature, UnsupportedAlgorithm) as error:
        raise NoPeerKey("the certificate isn't self-signed with a valid key") from error
    return raw


class TLSRefused(CodedError):
    """The TLS handshake succeeded, but not in the way that ginpeer requires."""


@dataclass(frozen=True, slots=True)
class Secured:
    """The result of a finished handshake: the peer's key and the connection's own secret."""

    peer_key: bytes
    exporter: bytes = field(repr=False)


def secured(connection: SSL.Connection) -> Secured:
    """Check a finished handshake. Raises TLSRefused."""
    if connection.get_protocol_version() != SSL.TLS1_3_VERSION:
        raise TLSRefused("tls-version", "The other side doesn't speak TLS 1.3.")
    if connection.get_alpn_proto_negotiated() != ALPN:
        raise TLSRefused("wrong-alpn", "The other side speaks TLS, but isn't ginpeer.")
    certificate = connection.get_peer_certificate(as_cryptography=True)
    if certificate is None:
        raise TLSRefused("no-certificate", "The other side sent no key.")
    try:
        key = key_of(certificate)
    except NoPeerKey as error:
        raise TLSRefused(
            "bad-certificate", f"The other side sent an invalid key: {error}."
        ) from None
    exporter = connection.export_keying_material(EXPORTER_LABEL, EXPORTER_BYTES)
    return Secured(key, exporter)


@implementer(IOpenSSLServerConnectionCreator)
class HostTLS:
    """The host's side of TLS. It accepts any self-signed Ed25519 certificate."""

    def __init__(self, identity: IdentityKey) -> None:
        self._context = _context(identity, lambda key: True)
        self._context.set_alpn_select_callback(_select_alpn)

    def serverConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> SSL.Connection:
        return SSL.Connection(self._context, None)


@implementer(IOpenSSLClientConnectionCreator)
class GuestTLS:
    """The guest's side of one connection. It accepts only the key with the hash that the invite
    names. ``mismatch`` is the other key that has answered in the host's place, if any."""

    def __init__(self, identity: IdentityKey, host: bytes) -> None:
        """*host*: the hash of the host's key."""
        self.mismatch: bytes | None = None
        self._host = host
        self._context = _context(identity, self._is_the_host)
        self._context.set_alpn_protos([ALPN])

    def clientConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> SSL.Connection:
        return SSL.Connection(self._context, None)

    def _is_the_host(self, key: bytes) -> bool:
        if key_hash(key) != self._host:
            self.mismatch = key
            return False
        return True


class _NothingToWrite:
    """Replaces the write buffer of a connection that has ended."""

    def write(self, data: bytes) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


class _CountedTLS(BufferingTLSTransport):
    """A TLS transport that first passes incoming bytes to ``on_bytes`` of the connection above."""

    def dataReceived(self, data: bytes) -> None:
        cast(Any, self.wrappedProtocol).on_bytes(data)
        super().dataReceived(data)  # type: ignore[no-untyped-call]

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Do as Twisted does, and break a reference cycle: before Twisted 26.10 this connection and
        its write buffer refer to each other, and would stay until the garbage collector runs."""
        super().connectionLost(reason)
        self._aggregator: Any = _NothingToWrite()
        self.__dict__["write"] = self._aggregator.write

    def _tlsShutdownFinished(self, reason: Failure | None) -> None:
        """Do as Twisted does, but drop the traceback: its frames would keep themselves and all of
        this connection's buffers alive until the garbage collector runs."""
        if reason is not None:
            reason.tb = None
            if reason.value is not None:
                reason.value.__traceback__ = None
        super()._tlsShutdownFinished(reason)  # type: ignore[no-untyped-call]


class _CountedTLSFactory(TLSMemoryBIOFactory):
    protocol = _CountedTLS


def tls_factory(
    creator: HostTLS | GuestTLS, factory: Factory[Any], clock: IReactorTime
) -> Factory[Any]:
    """Put TLS under the protocols of *factory*, like wrapServerTLS, which requires Twisted 26.4."""
    is_client = isinstance(creator, GuestTLS)
    # mypy cannot see what an @implementer provides
    provider = cast(IOpenSSLServerConnectionCreator, creator)
    wrapped = cast(IProtocolFactory, factory)
    return _CountedTLSFactory(provider, is_client, wrapped, clock)


def _context(identity: IdentityKey, accept: Callable[[bytes], bool]) -> SSL.Context:
    context = SSL.Context(SSL.TLS_METHOD)
    context.set_min_proto_version(SSL.TLS1_3_VERSION)
    context.set_max_proto_version(SSL.TLS1_3_VERSION)
    # Without tickets and cache, no session can be resumed. OpenSSL 3 sends a ticket anyway (openssl
    # issue 8077), and pyOpenSSL has no set_num_tickets(), but that ticket is useless.
    context.set_options(SSL.OP_NO_TICKET)
    context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    context.use_certificate(certificate_of(identity))
    context.use_privatekey(identity.private_key)
    context.set_verify(
        SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT,
        lambda connection, certificate, error, depth, ok: _verify(certificate, depth, accept),
    )
    return context


def _verify(certificate: crypto.X509, depth: int, accept: Callable[[bytes], bool]) -> bool:
    """Check the peer's chain, which must be one certificate, whatever OpenSSL says about it. Never
    raise here: pyOpenSSL would report the exception at the next failure of any connection."""
    if depth != 0:
        return False
    try:
        return accept(key_of(certificate.to_cryptography()))
    except Exception:  # parsing a stranger's bytes may raise anything
        return False


def _select_alpn(
    connection: SSL.Connection, offered: list[bytes]
) -> bytes | SSL._NoOverlappingProtocols:
    return ALPN if ALPN in offered else SSL.NO_OVERLAPPING_PROTOCOLS
