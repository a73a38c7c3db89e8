"""ElGamal: masks can be removed again, and only well-formed ciphertexts are accepted."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codes import BadLength
from protocol.crypto.elgamal import (
    Ciphertext,
    decode_ciphertexts,
    decode_elements,
    encode_ciphertexts,
)
from protocol.crypto.group import BASE, IDENTITY, ORDER, BadEncoding
from protocol.crypto.hashing import hash_to_group
from tests.crypto.encodings import NO_ELEMENTS, replaced

CARD = hash_to_group(b"a card", b"test")
scalars = st.integers(1, ORDER - 1)


@settings(deadline=None, max_examples=50)
@given(scalars, scalars)
def test_masking_an_open_card_is_encryption(secret, blinding):
    key = secret * BASE
    card = Ciphertext(IDENTITY, CARD).remask(key, blinding)
    assert card == Ciphertext(blinding * BASE, CARD + blinding * key)
    assert card.unmask(secret) == CARD


HAND = tuple(Ciphertext(IDENTITY, CARD).remask(7 * BASE, r) for r in (2, 3, 5))


def test_ciphertexts_read_back():
    data = encode_ciphertexts(HAND)
    assert len(data) == 64 * 3
    assert decode_ciphertexts(data, 3) == HAND
    assert decode_elements(data, 6) == tuple(half for card in HAND for half in (card.c1, card.c2))


@pytest.mark.parametrize("count", [2, 4])
def test_a_wrong_number_of_cards_is_refused(count):
    with pytest.raises(BadLength):
        decode_ciphertexts(encode_ciphertexts(HAND), count)


@pytest.mark.parametrize("change", [1, -1, 32, -32, 64])
def test_too_many_or_too_few_bytes_are_refused(change):
    data = encode_ciphertexts(HAND)
    data = data + bytes(change) if change > 0 else data[:change]
    with pytest.raises(BadLength):
        decode_ciphertexts(data, 3)


def test_an_invalid_element_is_refused_in_either_half():
    for slot, bad in product(range(6), NO_ELEMENTS.values()):
        with pytest.raises(BadEncoding):
            decode_ciphertexts(replaced(encode_ciphertexts(HAND), slot, bad), 3)


@pytest.mark.parametrize("count", [0, 5, 7])
def test_a_wrong_number_of_elements_is_refused(count):
    with pytest.raises(BadLength) as refused:
        decode_elements(encode_ciphertexts(HAND), count)
    assert refused.value.code == "bad-length"
