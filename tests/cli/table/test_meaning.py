"""What plain moves mean."""

from ginpeer.rules import (
    Discard,
    DrawStock,
    Pass,
    TakeUpcard,
    parse_card,
)
from tests.cli.table.typed import DEALER, NON_DEALER, UPCARD, having_drawn, refusal, typed, view_of
from tests.rules.drawing import deal


def test_plain_moves_are_what_they_say():
    view = view_of(deal(1, NON_DEALER, DEALER, UPCARD))
    assert typed("pass", view) == Pass()
    assert typed("take", view) == typed("take 6d", view) == TakeUpcard()
    assert refusal("take 7d", view) == "not-the-upcard"
    assert typed("d", view) == DrawStock()  # the hand refuses it, and says why
    assert typed("Ks", having_drawn("Ac")) == Discard(parse_card("Ks"))
