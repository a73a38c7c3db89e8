"""The X.509 certificate that carries an identity key through TLS.

# TLS wants certificates; we want keys. So each peer wraps its Ed25519 identity key into a
# self-signed certificate in which everything but the key is fixed: name, serial number, dates.
# Ed25519 signatures are deterministic, so one key gives one certificate, byte for byte, and
# nothing has to be stored. Nobody reads anything from it but the key: names, dates, chains and
# authorities prove nothing between two friends.
"""

from __future__ import annotations

from datetime import UTC, datetime

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import NameOID

from protocol.crypto.identity import BadPublicKey, IdentityKey, check_public_key

_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ginpeer")])
_SERIAL = 1
_NOT_BEFORE = datetime(2000, 1, 1, tzinfo=UTC)
_NOT_AFTER = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)  # RFC 5280, 4.1.2.5: no expiry


class NoPeerKey(ValueError):
    """A certificate that is not a self-signed one of a sound Ed25519 key."""


def certificate_of(identity: IdentityKey) -> x509.Certificate:
    """The one certificate of an identity key."""
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
    """The raw 32-byte Ed25519 key in a peer's certificate, or NoPeerKey.

    That the peer holds the private half is TLS's business (CertificateVerify), not ours.
    """
    try:
        key = certificate.public_key()
        if not isinstance(key, Ed25519PublicKey):
            raise NoPeerKey("the certificate's key is not an Ed25519 key")
        certificate.verify_directly_issued_by(certificate)
        raw = key.public_bytes_raw()
        check_public_key(raw)
    except NoPeerKey:
        raise
    except BadPublicKey as error:
        raise NoPeerKey(str(error)) from error
    except (ValueError, InvalidSignature, UnsupportedAlgorithm) as error:
        raise NoPeerKey("the certificate is malformed or not self-signed") from error
    return raw
