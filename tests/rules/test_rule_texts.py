"""The program reads, writes and refuses rule texts as their vectors say (PROTOCOL 8.12)."""

from enum import Enum

import pytest

from ginpeer.rules import STANDARD
from ginpeer.rules.parameters import NAMES, key_of, value_text
from protocol.messages import Disclosure, Malformed, Offer
from tests.rules import texts


def test_the_file_has_the_programs_results_for_these_texts():
    assert texts.read() == list(texts.rows())


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


@pytest.mark.parametrize("row", [row for row in texts.read() if row["code"] == "malformed"])
def test_a_text_that_an_offer_cannot_contain_is_malformed(row):
    with pytest.raises(Malformed):
        Offer(1, bytes(32), "Ada", row["text"], Disclosure.NEVER, bytes(32), 0)
