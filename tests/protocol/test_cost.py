"""Counts the deck's calls to the library, a cost that is the same on every machine.

Compared with multiplying a variable element, an addition in libsodium costs a quarter, as it
decodes and encodes, and a fixed-base multiplication costs a third.
"""

import pytest

from tests.bench.deck import library_calls, tasks


@pytest.fixture(scope="module")
def deck_tasks():
    return tasks()


@pytest.mark.parametrize(
    ("name", "multiplications", "additions"),
    [
        ("shuffle and prove 52 cards, open deck", 9 * 52, 10 * 52),
        ("shuffle and prove 52 cards, masked deck", 9 * 52, 10 * 52),
        ("verify 52 cards, open deck", 4 * 52 + 9, 4 * 52 + 9),
        ("verify 52 cards, masked deck", 5 * 52 + 9, 5 * 52 + 9),
        ("riffle of 11 cards, prove", 9 * 11, 10 * 11),
        ("riffle of 11 cards, verify", 5 * 11 + 9, 5 * 11 + 9),
        ("full deal, both players", 1540, 1640),
    ],
)
def test_no_step_needs_too_many_group_operations(deck_tasks, name, multiplications, additions):
    calls = library_calls(deck_tasks[name])
    assert calls["multiplications"] <= multiplications
    assert calls["additions"] <= additions
