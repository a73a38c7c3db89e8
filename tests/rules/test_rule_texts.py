"""The vectors of rule texts are what the program reads, writes and refuses (PROTOCOL 8.12)."""

from collections import Counter

import pytest

from protocol.messages import Disclosure, Malformed, Offer
from tests.rules import texts


def test_the_file_is_what_the_program_makes_of_these_texts():
    assert texts.read() == list(texts.rows())


def test_it_has_texts_of_every_kind_and_of_every_preset_and_parameter():
    rows = texts.read()
    codes = Counter(row["code"] for row in rows)
    assert min(codes[None], codes["rules-not-canonical"], codes["rules-unsupported"]) > 45
    canonical = " ".join(row["canonical"] or "" for row in rows)
    assert all(f" {name} " in f" {canonical} " for name in texts.PRESETS)
    offered = " ".join(row["text"] for row in rows)
    assert all(f"{texts.key_of(name)}=" in offered for name in texts.NAMES)


@pytest.mark.parametrize("row", [row for row in texts.read() if row["code"] == "malformed"])
def test_what_is_no_text_of_an_offer_is_malformed(row):
    with pytest.raises(Malformed):
        Offer(1, bytes(32), "Ada", row["text"], Disclosure.NEVER, bytes(32), 0)


def test_a_canonical_text_is_its_own():
    for row in texts.read():
        if row["canonical"] is not None:
            assert texts.row_of(row["canonical"])["code"] is None
