"""Which moves and knocks are possible now, and what Enter does."""

import pytest

from cli.table.commands import parse_command
from cli.table.person_presenter import may_do
from cli.table.possible_moves import (
    best_answer,
    enter_move,
    knock_options,
    options_text,
    which_lines,
)
from cli.table.resolve import resolve_move
from cli.table.table_state import WhichMove
from cli.text.cards import read_cards
from ginpeer.adviser import choices
from ginpeer.rules import DrawStock, Illegal, Match, View
from ginpeer.rules.cards import mask_of
from ginpeer.rules.moves import Knock
from tests.cli.table.hands import knocked, square_with_a_king
from tests.cli.table.views import STYLE, view_after


def having_drawn(card, **options):
    """Return the non-dealer's view after two passes and a draw of this card."""
    return view_after("pass", "pass", f"draw {card}", **options)


def typed(text, view):
    return resolve_move(parse_command(text), view, STYLE)


def refusal(text, view):
    with pytest.raises(Illegal) as refused:
        typed(text, view)
    return refused.value.code


def test_each_phase_says_what_may_be_done_and_what_enter_does(transcript):
    moves, told = ("pass", "pass", "draw 8h", "discard 8h"), []
    for count in range(len(moves) + 1):
        view = view_after(*moves[:count])
        told.append(f"{may_do(view, STYLE)}; Enter: {enter_move(view)}")
    transcript(told)


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


def test_enter_never_knocks():
    view = having_drawn("Ac")
    assert knock_options(view)
    assert enter_move(view) is None
    assert refusal("", view) == "enter-does-nothing"


def test_enter_does_not_draw_if_the_upcard_would_meld():
    fitting = view_after("pass", "pass", "draw 8d", "discard 8d")  # the dealer has 8s 9s
    assert enter_move(fitting) == DrawStock()
    melding = view_after("pass", "pass", "draw Qs", "discard Qs")  # and Qd Qh
    assert enter_move(melding) is None


def test_every_possible_knock_is_offered_with_its_deadwood(transcript):
    #         7c
    # 3c 4c 5c 7h 7s | 4h 3d 2d Ah Ac
    view = having_drawn("Ac", cards="3c 4c 5c 7c 7h 7s 4h 3d 2d Ah")
    options = knock_options(view)
    transcript(may_do(view, STYLE), options_text(options, STYLE))
    assert refusal("knock", view) == "no-card"


def test_the_card_just_taken_is_not_offered_as_a_knock_discard():
    view = view_after("take", cards="3c 4c 5c 7c 7h 7s 2h 3d 2d Ah")
    assert all(option.discard != view.hand.taken for option in knock_options(view))


def test_big_gin_is_offered_where_all_eleven_meld():
    view = having_drawn("4h", cards="3c 4c 5c 7c 7h 7s Ah 2h 3h 5h")
    assert knock_options(view)[0].discard is None
    assert may_do(view, STYLE).endswith("gin or big gin")
    assert typed("big gin", view).discard is None
    assert typed("biggin", view).deadwood == 0


def test_big_gin_is_not_offered_where_it_is_not_played():
    cards = "3c 4c 5c 7c 7h 7s Ah 2h 3h 5h"
    view = having_drawn("4h", cards=cards, rules="standard big-gin=none")
    assert all(option.discard is not None for option in knock_options(view))


def test_which_way_to_knock_is_asked_only_if_the_adviser_prefers_another(monkeypatch):
    """Three runs or three sets leave the same deadwood, but fewer cards fit the sets."""
    hand, line = square_with_a_king(), parse_command("knock ks")
    view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
    asked = resolve_move(line, view, STYLE)
    assert isinstance(asked, WhichMove)
    runs_first = sorted(choices(view), key=lambda choice: choice.move != asked.moves[0])
    monkeypatch.setattr("ginpeer.adviser.choices", lambda view: runs_first)
    assert resolve_move(line, view, STYLE) == asked.moves[0]
