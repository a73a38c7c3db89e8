"""Which moves and knocks are possible now, and what Enter does."""

from cli.table.commands import parse_command
from cli.table.possible_moves import enter_move, knock_options
from cli.table.resolve import resolve_move
from cli.table.table_state import WhichMove
from cli.table.turn_words import may_do, options_text
from ginpeer.adviser import choices
from ginpeer.rules import DrawStock, parse_ruleset
from tests.cli.table.hands import square_with_a_king
from tests.cli.table.typed import (
    DEALER,
    NON_DEALER,
    STYLE,
    UPCARD,
    having_drawn,
    refusal,
    typed,
    view_of,
)
from tests.rules.drawing import deal, played


def test_each_phase_says_what_may_be_done_and_what_enter_does(transcript):
    hand = deal(1, NON_DEALER, DEALER, UPCARD)
    told = []
    for moves in ((), ("pass",), ("pass",), ("draw 8h",), ("discard 8h",)):
        hand = played(hand, *moves)
        view = view_of(hand)
        told.append(f"{may_do(view, STYLE)}; Enter: {enter_move(view)}")
    transcript(told)


def test_enter_never_knocks():
    view = having_drawn("Ac")
    assert knock_options(view)
    assert enter_move(view) is None
    assert refusal("", view) == "enter-does-nothing"


def test_enter_draws_nothing_where_the_upcard_would_meld():
    hand = deal(1, NON_DEALER, DEALER, UPCARD)
    fitting = played(hand, "pass", "pass", "draw 8d", "discard 8d")  # the dealer has 8s 9s
    assert enter_move(view_of(fitting)) == DrawStock()
    melding = played(hand, "pass", "pass", "draw Qs", "discard Qs")  # and Qd Qh
    assert enter_move(view_of(melding)) is None


def test_every_possible_knock_is_offered_with_what_it_leaves(transcript):
    #         7c
    # 3c 4c 5c 7h 7s | 4h 3d 2d Ah Ac
    view = having_drawn("Ac", "3c 4c 5c 7c 7h 7s 4h 3d 2d Ah")
    options = knock_options(view)
    transcript(may_do(view, STYLE), options_text(options, STYLE))
    assert refusal("knock", view) == "no-card"


def test_the_card_just_taken_is_no_option():
    hand = deal(1, "3c 4c 5c 7c 7h 7s 2h 3d 2d Ah", DEALER, UPCARD)
    view = view_of(played(hand, "take"))
    assert all(str(option.discard) != UPCARD for option in knock_options(view))


def test_big_gin_is_offered_where_all_eleven_meld():
    view = having_drawn("4h", "3c 4c 5c 7c 7h 7s Ah 2h 3h 5h")
    assert knock_options(view)[0].discard is None
    assert may_do(view, STYLE).endswith("gin or big gin")
    assert typed("big gin", view).discard is None
    assert typed("biggin", view).deadwood == 0


def test_big_gin_is_not_offered_where_it_is_not_played():
    rules = parse_ruleset("standard big-gin=none")
    view = having_drawn("4h", "3c 4c 5c 7c 7h 7s Ah 2h 3h 5h", rules=rules)
    assert all(option.discard is not None for option in knock_options(view))


def test_which_way_to_knock_is_asked_only_if_the_adviser_prefers_another(monkeypatch):
    """Three runs or three sets leave the same deadwood, but fewer cards fit the sets."""
    view, line = view_of(square_with_a_king()), parse_command("knock ks")
    asked = resolve_move(line, view, STYLE)
    assert isinstance(asked, WhichMove)
    runs_first = sorted(choices(view), key=lambda choice: choice.move != asked.moves[0])
    monkeypatch.setattr("ginpeer.adviser.choices", lambda view: runs_first)
    assert resolve_move(line, view, STYLE) == asked.moves[0]
