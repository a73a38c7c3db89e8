"""ElGamal over ristretto255, written additively (PROTOCOL 4.3).

Under the key Y = x*B a card M is masked as the pair (r*B, M + r*Y). Masking again
under the same key adds (s*B, s*Y): the card stays, the bytes become unrelated to
whoever does not know x or s (decisional Diffie-Hellman).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from protocol.crypto.errors import BadLength
from protocol.crypto.group import BASE, ELEMENT_BYTES, Element, base_multiple


@dataclass(frozen=True, slots=True)
class Ciphertext:
    """A masked card: ``c1 = r*B``, ``c2 = M + r*Y``."""

    c1: Element
    c2: Element

    @property
    def encoded(self) -> bytes:
        """64 bytes: c1, then c2."""
        return self.c1.encoded + self.c2.encoded

    def remask(self, key: Element, blinding: int) -> Ciphertext:
        """The same card under the same key, with *blinding* added to its mask."""
        mask = base_multiple(blinding)
        if not self.c1.is_identity:  # an open card has no mask yet
            mask = self.c1 + mask
        return Ciphertext(mask, self.c2 + blinding * key)

    def remask_own(self, secret: int, blinding: int) -> Ciphertext:
        """As :meth:`remask` under ``secret*B``, for its owner: two fast multiples of B."""
        return Ciphertext(
            self.c1 + base_multiple(blinding), self.c2 + base_multiple(secret * blinding)
        )

    def without_share(self, share: Element) -> Ciphertext:
        """The card with one party's mask ``share = x*c1`` taken off (PROTOCOL 6.4)."""
        return Ciphertext(self.c1, self.c2 - share)

    def unmask(self, secret: int) -> Element:
        """The card point; *secret* is the discrete logarithm of the key that masks it."""
        return self.c2 - secret * self.c1


def open_ciphertext_under(key: Element, point: Element) -> Ciphertext:
    """A card that everybody can see, as a ciphertext under *key* with blinding one: (B, M + Y)."""
    return Ciphertext(BASE, point + key)


def encode_ciphertexts(ciphertexts: Iterable[Ciphertext]) -> bytes:
    """64 bytes each, one after the other."""
    return b"".join(ciphertext.encoded for ciphertext in ciphertexts)


def decode_ciphertexts(data: bytes, count: int) -> tuple[Ciphertext, ...]:
    """The one door for ciphertexts: exactly *count*, both halves strict and never the identity.

    Raises ``BadLength`` or the group's ``BadEncoding``.
    """
    return pair_up(decode_elements(data, 2 * count))


def decode_elements(data: bytes, count: int) -> tuple[Element, ...]:
    """Exactly *count* strict elements, none of them the identity."""
    if len(data) != count * ELEMENT_BYTES:
        raise BadLength(f"{count} elements take {count * ELEMENT_BYTES} bytes, not {len(data)}")
    return tuple(
        Element.decode(data[at : at + ELEMENT_BYTES]) for at in range(0, len(data), ELEMENT_BYTES)
    )


def pair_up(elements: Sequence[Element]) -> tuple[Ciphertext, ...]:
    """Elements c1, c2, c1, c2, ... as ciphertexts."""
    return tuple(Ciphertext(elements[i], elements[i + 1]) for i in range(0, len(elements), 2))
