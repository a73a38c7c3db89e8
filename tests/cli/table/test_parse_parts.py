"""What may follow knock, spread, lay and take, and how it is read."""

import pytest

from cli.table.arguments import Ask, LayDown, PutDown, Take
from cli.table.parse import parse_command
from ginpeer.rules import (
    parse_card,
    parse_set,
)

RUN = tuple(map(parse_card, ("3c", "4c", "5c")))


SIX, EIGHT = parse_card("6c"), parse_card("8d")


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("lay", PutDown()),
        ("lay 3c 4c 5c", PutDown((RUN,))),
        ("meld 3c4c5c", PutDown((RUN,))),
        ("lay 3c4c5c add 6c on 2, 8d", PutDown((RUN,), ((SIX, 1), (EIGHT, None)))),
        ("lay 6c on 12", PutDown(None, ((SIX, 11),))),
        ("lay 6c", PutDown(None, ((SIX, None),))),
        ("add 6c on meld 2", PutDown(None, ((SIX, 1),))),
        ("add the 6 of clubs to meld 2", PutDown(None, ((SIX, 1),))),
        ("lay 6c to meld 2", PutDown(None, ((SIX, 1),))),
        ("add 6c 8d to 1", PutDown(None, ((SIX, 0), (EIGHT, 0)))),
        ("take 3", Take(count=3)),
        ("take the top 3 cards", Take(count=3)),
        ("take 3 lay 3c4c5c", Take(count=3, lay=PutDown((RUN,)))),
        ("take 3 meld 3c 4c 5c", Take(count=3, lay=PutDown((RUN,)))),
        ("take 3 add 6c on 2", Take(count=3, lay=PutDown(None, ((SIX, 1),)))),
        ("take 6c add 6c on 2", Take(SIX, lay=PutDown(None, ((SIX, 1),)))),
        ("table", Ask("table")),
        ("show", Ask("show")),
    ],
)
def test_cards_are_laid_and_taken_in_several_ways(text, command):
    assert parse_command(text) == command


@pytest.mark.parametrize(
    ("melds", "together"),
    [
        ("3c4c5c 7c7h7s", [3, 3]),
        ("3c 4c 5c, 7c 7h 7s", [3, 3]),
        ("3c 4c 5c and 7c,7h,7s", [3, 1, 1, 1]),
        ("3c 4c 5c 7c 7h 7s", [6]),
    ],
)
def test_cards_stay_together_as_they_were_written(melds, together):
    groups = parse_command(f"knock 7d melds {melds}").melds
    assert [len(group) for group in groups] == together
    assert "".join(str(card) for group in groups for card in group) == "3c4c5c7c7h7s"


def test_a_spread_can_be_laid_out_by_hand():
    six, seven = parse_card("6c"), parse_card("7c")
    assert parse_command("spread melds 3c4c5c layoff 6c on 2, 7c@0 deadwood 2dKs") == LayDown(
        (RUN,), ((six, 1), (seven, 0)), parse_set("2dKs")
    )
    assert parse_command("lay off 6c 7c on meld 1") == LayDown(None, ((six, 0), (seven, 0)))
    assert parse_command("layoff 6c") == LayDown(None, ((six, None),))
    assert parse_command("spread melds none layoff none") == LayDown((), ())
