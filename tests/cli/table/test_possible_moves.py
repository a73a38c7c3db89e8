"""Which moves and knocks are possible now, and what Enter does."""

import pytest

from cli.table.commands import parse_command
from cli.table.possible_moves import (
    best_answer,
    can_go_big_gin,
    knock_options,
    layable,
    may_do,
    options_text,
    turn_lines,
    which_lines,
)
from cli.table.resolve import resolve_move
from cli.table.table_state import WhichMove
from cli.text.cards import read_cards
from ginpeer.adviser.advise import choices
from ginpeer.rules import Illegal, Match, View
from ginpeer.rules.cards import RulesError, mask_of
from ginpeer.rules.moves import Knock, Lay
from tests.cli.table.hands import STYLE, knocked, square_with_a_king, view_after


def having_drawn(card, **options):
    """Return the non-dealer's view after two passes and a draw of this card."""
    return view_after("pass", "pass", f"draw {card}", **options)


def typed(text, view):
    return resolve_move(parse_command(text), view, STYLE)


def refusal(text, view):
    with pytest.raises(Illegal) as refused:
        typed(text, view)
    return refused.value.code


def test_melds_that_all_knocks_show_are_named_once():
    run, sevens, rest = map(mask_of, map(read_cards, ("3c 4c 5c", "7c 7h 7s", "2d 4d Ac Ah")))
    knocks = (Knock(None, (run, sevens), rest), Knock(None, (sevens,), rest | run))
    lead, *ways = which_lines(knocks, having_drawn("Ac"), STYLE)
    assert lead.endswith(" Both show 7c 7h 7s.")
    assert ways == [
        "1: melds 3c 4c 5c; deadwood 4d 2d Ac Ah (8).",
        "2: deadwood 5c 4c 4d 3c 2d Ac Ah (20).",
    ]


def test_lay_without_cards_lays_off_what_spread_would():
    hand = knocked()
    view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
    assert typed("lay", view) == typed("spread", view) == best_answer(view)
    assert best_answer(view).layoffs


def test_every_possible_knock_is_offered_with_its_deadwood(transcript):
    #         7c
    # 3c 4c 5c 7h 7s | 4h 3d 2d Ah Ac
    view = having_drawn("Ac", cards="3c 4c 5c 7c 7h 7s 4h 3d 2d Ah")
    options = knock_options(view)
    transcript(may_do(view, STYLE), options_text(options, STYLE))
    assert options_text(options, STYLE, len(options) - 1) == options_text(options, STYLE)
    assert options_text(options, STYLE, len(options) - 2).endswith(" or 2 others")
    assert refusal("knock", view) == "no-card"
    with pytest.raises(RulesError, match="After melds, name the cards"):
        typed("knock Ac melds", view)


def test_which_way_to_knock_is_asked_only_if_the_adviser_prefers_another(monkeypatch):
    """Three runs and three sets leave the same deadwood, but fewer cards fit the sets."""
    hand, line = square_with_a_king(), parse_command("knock ks")
    view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
    asked = resolve_move(line, view, STYLE)
    assert isinstance(asked, WhichMove)
    runs_first = sorted(choices(view), key=lambda choice: choice.move != asked.moves[0])
    monkeypatch.setattr("ginpeer.adviser.advise.choices", lambda view: runs_first)
    assert resolve_move(line, view, STYLE) == asked.moves[0]


def test_what_is_offered_for_the_table_may_be_laid_after_taking_a_card():
    fours = {"cards": "9s Ts 8c 5c 6h Jh Kd Ks 2c 2d", "dealers": "3c3d3s 4c4d4h4s 5d5h5s"}
    runs = fours | {"dealers": "3c3d3s 8d9dTdJd 5d5h5s"}
    start = ("pass", "pass", "draw 3h", "discard 2c", "draw 6d")
    four, run = (
        view_after(*start, f"lay {laid}", "discard 6d", f"draw {card}", f"discard {card}", "take",
                   rules="mahjong", upcard="8s", **held)
        for laid, card, held in (
            ("3c3d3s 5d5h5s", "7c", fours), ("3c3d3s 5d5h5s 8d9dTd", "Qd", runs),
        )
    )  # fmt: skip
    (meld,), adds = layable(four)
    assert four.hand.is_legal(Lay((meld,), ()))
    assert not adds
    melds, adds = layable(run)
    assert run.hand.is_legal(Lay((), adds))
    assert not melds
    lines = [*turn_lines(run, STYLE, looked=False, brief=False)]
    assert lines == ["You can add Jd to meld 3 and Qd to meld 3 together."]


def test_the_last_card_is_not_left_to_the_opponent_at_the_wall():
    laid = "lay 3c3d3s 4c4d4h4s 5d5h5s"
    moves = ("pass", "pass", "draw 3h", "discard 2c", "draw Ac")
    for last, ends in (
        (laid, "if you don't go gin now, the hand is void."),
        ("lay 3c3d3s", "your opponent may take your discard to end the hand."),
    ):
        view = view_after(*moves, last, rules="mahjong wall=last-discard", upcard="8s",
                          cards="9s Ts 8c 5c 6h Jh Kd Ks 2c 2d",
                          dealers="3c3d3s 4c4d4h4s 5d5h5s", stock_left=4)  # fmt: skip
        first, *_ = turn_lines(view, STYLE, looked=False, brief=False)
        assert first.endswith(ends)


def test_big_gin_needs_an_eleventh_card():
    melded = "3c 4c 5c 7c 7h 7s Ah 2h 3h 4h"
    assert not can_go_big_gin(view_after(cards=melded))
    assert can_go_big_gin(view_after("pass", "pass", "draw 5h", cards=melded))
