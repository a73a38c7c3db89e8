"""ElGamal over ristretto255, written additively (PROTOCOL 4.3).

Under the key Y = x*B a card M is masked as the pair (r*B, M + r*Y). Masking again
under the same key adds (s*B, s*Y): the card stays the same, but anyone who doesn't
know x or s can't relate the new bytes to the old (decisional Diffie-Hellman).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from protocol.codes import BadLength
from protocol.crypto.group import ELEMENT_BYTES, Element, base_multiple


@dataclass(frozen=True, slots=True)
class Ciphertext:
    """A masked card: ``c1 = r*B``, ``c2 = M + r*Y``."""

    c1: Element
    c2: Element

    @property
    def encoded(self) -> bytes:
        return self.c1.encoded + self.c2.encoded

    def remask(self, key: Element, blinding: int) -> Ciphertext:
        """Return the same card under the same key, with *blinding* added to its mask."""
        return Ciphertext(self.c1 + base_multiple(blinding), self.c2 + blinding * key)

    def unmask(self, secret: int) -> Element:
        """Return the card point; *secret* is the discrete logarithm of the key that masks it."""
        return self.c2 - secret * self.c1


def encode_ciphertexts(ciphertexts: Iterable[Ciphertext]) -> bytes:
    """Return the ciphertexts' encodings, 64 bytes each, as one byte string."""
    return b"".join(ciphertext.encoded for ciphertext in ciphertexts)


def decode_ciphertexts(data: bytes, count: int) -> tuple[Ciphertext, ...]:
    """Return exactly *count* ciphertexts, strictly decoded; neither half may be the identity.

    This is the one door for ciphertexts. Raises ``BadLength`` or the group's ``BadEncoding``.
    """
    elements = decode_elements(data, 2 * count)
    return tuple(map(Ciphertext, elements[::2], elements[1::2]))


def decode_elements(data: bytes, count: int) -> tuple[Element, ...]:
    """Return exactly *count* strictly decoded elements, none of them the identity."""
    if len(data) != count * ELEMENT_BYTES:
        raise BadLength(f"{count} elements take {count * ELEMENT_BYTES} bytes, not {len(data)}")
    return tuple(
        Element.decode(data[at : at + ELEMENT_BYTES]) for at in range(0, len(data), ELEMENT_BYTES)
    )
