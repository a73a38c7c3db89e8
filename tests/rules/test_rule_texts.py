"""The program reads, writes and refuses rule texts as their vectors say (PROTOCOL 8.12)."""

from collections import Counter
from enum import Enum

import pytest

from ginpeer.rules import PRESETS, STANDARD
from ginpeer.rules.parameters import NAMES, key_of, value_text
from protocol.messages import Disclosure, Malformed, Offer
from tests.rules import texts


def test_the_file_has_the_programs_results_for_these_texts():
    assert texts.read() == list(texts.rows())


def test_the_file_has_texts_of_every_kind_and_every_preset():
    rows = texts.read()
    codes = Counter(row["code"] for row in rows)
    assert min(codes[None], codes["rules-not-canonical"], codes["rules-unsupported"]) > 45
    canonical = " ".join(row["canonical"] or "" for row in rows)
    assert all(f" {name} " in f" {canonical} " for name in PRESETS)


def test_the_file_has_a_text_for_every_value_of_every_parameter():
    assert set(texts.VALUES) == {key_of(name) for name in NAMES}
    for name in NAMES:
        values, standard = texts.VALUES[key_of(name)], getattr(STANDARD, name)
        assert values[0] == value_text(standard)
        if isinstance(standard, bool | Enum):
            every = (False, True) if isinstance(standard, bool) else type(standard)
            assert {value_text(each) for each in every} == {*values}
    words = {word for row in texts.read() for word in row["text"].split(" ")}
    for name, values in texts.VALUES.items():
        assert {f"{name}={value}" for value in values} <= words


def test_a_new_parameter_adds_rows_and_changes_none(monkeypatch):
    with_it = texts.rows()
    monkeypatch.setattr(texts, "VALUES", {k: v for k, v in texts.VALUES.items() if k != "box"})
    without = texts.rows()
    assert len(without) < len(with_it)
    assert [row for row in with_it if row in without] == without


@pytest.mark.parametrize("row", [row for row in texts.read() if row["code"] == "malformed"])
def test_a_text_that_an_offer_cannot_contain_is_malformed(row):
    with pytest.raises(Malformed):
        Offer(1, bytes(32), "Ada", row["text"], Disclosure.NEVER, bytes(32), 0)


def test_a_canonical_text_is_its_own_canonical_form():
    for row in texts.read():
        if row["canonical"] is not None:
            assert texts.row_of(row["canonical"])["code"] is None
