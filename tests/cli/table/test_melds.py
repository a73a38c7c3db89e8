"""Cards that were typed, as melds."""

import pytest

from ginpeer.rules import (
    Unreadable,
)
from tests.cli.table.typed import (
    having_drawn,
    typed,
)
from tests.rules.drawing import drawn

RUN, SET = drawn("3c 4c 5c"), drawn("7c 7h 7s")


@pytest.mark.parametrize(
    "melds",
    [
        "3c4c5c 7c7h7s",
        "3c 4c 5c 7c 7h 7s",
        "3c 4c 5c, 7c 7h 7s",
        "3c,4c,5c and 7c,7h,7s",
        "3♣ 4♣ 5♣ | 7♣ 7♥ 7♠",
    ],
)
@pytest.mark.deep(keep=2)
def test_melds_are_told_apart_however_they_are_written(melds):
    assert typed(f"knock ks melds {melds}", having_drawn("Ac")).melds == (RUN, SET)


def test_cards_that_are_no_melds_are_refused_with_a_hint():
    view = having_drawn("Ac")
    for text, hint in {
        "2d4d": "a meld has three cards or more",
        "2d4dAh": "put a comma between melds",
        "3c, 4c, 5c, 3c": "named twice",
    }.items():
        with pytest.raises(Unreadable, match=hint):
            typed(f"knock ks melds {text}", view)
