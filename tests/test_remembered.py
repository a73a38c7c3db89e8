"""The results that the suite remembers (tests/remembered.py) are the ones that were computed."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from protocol.crypto.group_pure import PureGroup
from protocol.crypto.group_sodium import SodiumUnavailable, load_sodium
from protocol.crypto.identity import BadSignature, IdentityKey, verify_signature
from tests.remembered import Sums


def turned(items: list) -> list:
    return [*items[1:], items[0]]


def test_remembered_sums_differ_by_every_scalar_and_every_element() -> None:
    try:
        sodium = load_sodium()
    except SodiumUnavailable:
        pytest.skip("no libsodium")
    pure, rng = PureGroup(), random.Random("remembered")
    elements = [pure.base_multiple(rng.randrange(1, 2**250)) for _ in range(3)]
    scalars = [rng.randrange(2**250) for _ in range(3)]
    asked = [(scalars, elements), (turned(scalars), elements), (scalars, turned(elements))]
    asked += [(scalars[:2], elements[:2])]
    found = [sodium.multi_multiply(*each) for each in (*asked, *asked)]
    assert found[:4] == found[4:] == [pure.multi_multiply(*each) for each in asked]
    assert len(set(found)) == 4


@pytest.mark.skipif(not hasattr(os, "pread"), reason="a means of POSIX systems")
def test_a_worker_finds_sums_computed_by_other_workers(tmp_path: Path) -> None:
    one, other = Sums(tmp_path / "sums"), Sums(tmp_path / "sums")
    terms = [bytes([n]) * 32 for n in range(4)]
    one.add(terms[0], terms[3])
    other.add(terms[1], terms[2])
    os.write(other.file, terms[2])  # half of a record
    for sums in (one, other):
        assert [sums.get(each) for each in terms] == [terms[3], terms[2], None, None]
    os.write(one.file, terms[0])
    assert [sums.get(terms[2]) for sums in (one, other)] == [terms[0], terms[0]]
    for sums in (one, other):
        os.close(sums.file)


def test_a_good_signature_stays_good_and_a_false_one_false() -> None:
    key = IdentityKey(bytes(range(32)))
    good = key.sign(b"this")
    for _ in range(2):
        verify_signature(key.public, b"this", good)
        with pytest.raises(BadSignature):
            verify_signature(key.public, b"that", good)
        with pytest.raises(BadSignature):
            verify_signature(IdentityKey(bytes(32)).public, b"this", good)
