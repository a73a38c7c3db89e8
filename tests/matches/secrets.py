"""Search for secrets where they must not occur, in any spelling that a program might use."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping

from protocol.crypto.group import ORDER
from protocol.deck.secrets import HandSecrets


def of_hand(seed: bytes, name: str = "hand") -> dict[str, bytes]:
    """Return what must stay secret about a hand: its seed, its secret key, and its half of the
    toss."""
    secrets = HandSecrets(seed)
    return {
        f"{name}: seed": seed,
        f"{name}: secret key": secrets.key.to_bytes(32, "little"),
        f"{name}: toss": secrets.toss,
    }


def spellings(secret: bytes) -> Iterator[bytes]:
    """Yield the raw bytes, and the secret as text: hexadecimal, decimal, a Python literal, and
    base64 and base32 at any offset within something longer."""
    yield secret
    yield secret[::-1]
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    yield repr(secret)[2:-1].encode()
    if len(secret) >= 10:
        for order in ("little", "big"):
            yield str(int.from_bytes(secret, order)).encode()
        yield repr(list(secret))[1:-1].encode()
        for shift in range(3):
            inner = base64.b64encode(bytes(shift) + secret)[4 if shift else 0 : -4]
            yield inner
            yield inner.translate(bytes.maketrans(b"+/", b"-_"))
        for shift in range(5):
            inner = base64.b32encode(bytes(shift) + secret)[8 if shift else 0 : -8]
            yield inner
            yield inner.lower()
    if secret.isascii():
        yield secret.upper()


def found(secrets: Mapping[str, bytes], where: bytes) -> set[str]:
    """Return the names of the secrets that occur in these bytes."""
    plain = where.translate(None, b" -\r\n")  # invites are written in groups, PEM in lines
    return {
        name
        for name, secret in secrets.items()
        if any(spelling in where or spelling in plain for spelling in set(spellings(secret)))
    }


def scalar(number: int) -> bytes:
    return (number % ORDER).to_bytes(32, "little")
