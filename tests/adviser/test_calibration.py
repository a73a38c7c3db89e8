"""What is said about choices is corrected, and their order stays."""

from itertools import pairwise

import pytest

from ginpeer.adviser import calibrated, choices
from ginpeer.adviser.calibration import EXPECTED, LOST
from ginpeer.rules import STANDARD, Knock, Spread
from tests.adviser.test_advise import positions


@pytest.mark.parametrize("table", [*LOST.values(), *EXPECTED.values()])
def test_every_table_rises(table):
    for (low, least), (high, most) in pairwise(table):
        assert low < high
        assert least < most


@pytest.mark.parametrize("table", LOST.values())
def test_the_best_choice_loses_nothing(table):
    assert table[0] == (0, 0)


def test_a_correction_keeps_the_order_of_choices_and_an_answer_to_a_knock_as_it_is():
    knocks = spreads = 0
    for view in positions(STANDARD, 1, 6):
        found = choices(view)
        said = [calibrated(found[0], choice) for choice in found]
        assert [each.move for each in said] == [each.move for each in found]
        for (one, other), (first, second) in zip(pairwise(found), pairwise(said), strict=True):
            assert (one.points > other.points) == (first.points > second.points)
        knocks += any(isinstance(each.move, Knock) for each in found)
        if isinstance(found[0].move, Spread):
            spreads += 1
            assert said == [*found]
    assert knocks
    assert spreads
