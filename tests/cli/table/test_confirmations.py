"""A discard that looks like a slip is asked about once, and switched off with `confirm off`."""

import random

import pytest

from cli.table.arguments import Command
from cli.table.commands import parse_command
from cli.table.turn_words import broken_meld, confirmation_for
from cli.text.cards import Style
from ginpeer.rules import Knock, View, parse_move, parse_ruleset
from ginpeer.rules.cards import Unreadable
from ginpeer.rules.hand import WALL
from ginpeer.store.settings import Settings
from tests.cli.seated import Seated
from tests.cli.table.hands import square_with_a_king
from tests.cli.table.typed import NEARLY_GIN, having_drawn
from tests.cli.table.views import VARIANTS, at, random_views

pytestmark = pytest.mark.usefixtures("wide_screen")

RUNS = "3c 4c 5c  7d 8d 9d  Ks Qs 4s 2h"
LONG = "2h 3h 4h 5h  Ks Qs 9c 8c Jd 7s"
EITHER = "7d 8d 9d 9c 9h  Ks Qs 4s 2h Jd"  # the run or the set, not both
ALL_MELDED = "3c 4c 5c  7c 7h 7s  Ah 2h 3h 4h"


def doubt(move, cards, drew, plays_on=False, style=None):
    told = confirmation_for(
        parse_move(f"discard {move}"),
        having_drawn(drew, cards),
        style or Style(),
        plays_on=plays_on,
    )
    return None if told is None else told.sentence


@pytest.fixture
def careful():
    return Seated(interactive=True, likes=Settings()).sit()


# --- what is asked about ---------------------------------------------------------------


def test_a_discard_that_breaks_a_run_names_the_run():
    assert doubt("9d", RUNS, "Ah") == "9d is part of your run 7d 8d 9d. Throw it all the same?"


def test_a_discard_that_breaks_a_set_names_the_set():
    assert doubt("7h", "3c 4c 5c 7c 7h 7s Ks Qs 9d 2h", "Jd") == (
        "7h is part of your set 7c 7h 7s. Throw it all the same?"
    )


def test_cards_in_words_are_asked_about_in_words():
    assert doubt("9d", RUNS, "Ah", style=Style(words=True)) == (
        "The 9 of diamonds is part of your run 7, 8, 9 of diamonds. Throw it all the same?"
    )


@pytest.mark.parametrize("card", ["Ks", "2h", "Ah"])
def test_a_card_in_no_meld_is_thrown_unasked(card):
    assert doubt(card, RUNS, "Ah") is None


def test_the_end_of_a_long_run_may_go_and_its_middle_is_asked_about():
    assert doubt("5h", LONG, "Kc") is None
    assert doubt("2h", LONG, "Kc") is None
    assert doubt("3h", LONG, "Kc") == ("3h is part of your run 2h 3h 4h 5h. Throw it all the same?")


def test_a_card_that_only_exchanges_one_meld_for_another_is_thrown_unasked():
    assert doubt("7d", EITHER, "Ah") is None
    assert doubt("9c", EITHER, "Ah") is None
    assert "9d is part of your " in doubt("9d", EITHER, "Ah")


@pytest.mark.parametrize("card", ["Ks", "Ah"])
def test_gin_that_is_thrown_away_is_named(card):
    assert doubt(card, NEARLY_GIN, "4h", plays_on=True) == (
        f"You can go gin: gin Ks leaves 0. Throw {card} all the same?"
    )


def test_big_gin_that_is_thrown_away_is_named():
    assert doubt("5h", ALL_MELDED, "5h") == "You can go big gin. Throw 5h all the same?"


def test_a_knock_that_would_be_lost_is_asked_about_again_and_one_that_stays_is_not():
    # 5 is left without Ks, 10 without 5h; with both, too much
    assert doubt("Ks", NEARLY_GIN, "5h") == (
        "You can knock: knock Ks leaves 5, knock 5h leaves 10. Throw Ks and play on?"
    )
    assert doubt("Ks", NEARLY_GIN, "5h", plays_on=True) is None
    cards = "3c 4c 5c  7c 7h 7s  2h 2d Ah  Ks"
    assert doubt("2h", cards, "4d", plays_on=True) == (
        "You can knock: knock Ks leaves 9. Throw 2h all the same?"
    )


def test_at_the_last_card_of_the_stock_a_knock_is_asked_about_whatever_was_decided():
    view = having_drawn("5h", NEARLY_GIN)
    last = View(view.seat, view.hand._replace(stock_left=WALL), view.match)
    told = confirmation_for(parse_move("discard Ks"), last, Style(), plays_on=True)
    assert told is not None
    assert told.sentence.endswith("Throw Ks all the same?")


def test_nothing_but_a_discard_and_a_meld_laid_down_is_asked_about():
    view = having_drawn("5h", NEARLY_GIN)
    knocks = [move for move in view.sensible_moves() if isinstance(move, Knock)]
    assert knocks
    for move in knocks:
        assert confirmation_for(move, view, Style(), plays_on=False) is None


@pytest.mark.parametrize("rules", VARIANTS)
def test_what_is_called_broken_counts_more_afterwards_in_every_variant(rules):
    rng = random.Random(rules)
    seen = 0
    for view in random_views(parse_ruleset(rules), 4, rng):
        for move in view.legal_moves() if view.hand.phase.value == "discard" else ():
            if type(move).__name__ != "Discard":
                continue
            meld = broken_meld(move.card, view)
            ways, seen = view.hand.melding, seen + 1
            if meld is None:
                continue
            assert meld & move.card.bit
            assert ways.is_meld(meld)
            if not view.hand.rules.mahjong:
                kept = view.cards ^ move.card.bit
                assert ways.deadwood(kept) > ways.deadwood(view.cards)
    assert seen > 50


# --- at the table ----------------------------------------------------------------------


def test_a_slip_where_a_yes_is_wanted_is_no_answer_and_it_is_asked_again(careful):
    careful.choose(having_drawn("Ah", RUNS).hand)
    careful.type("9d")
    asked = careful.type("ys")
    assert "Answer yes or no." in asked
    assert asked.endswith("throw it, yes or no> ")
    assert "Nothing was asked." not in careful.type("yes")


def test_a_card_that_may_not_be_thrown_is_refused_and_not_asked_about(careful):
    careful.choose(at("take", cards="4d 5d 3c 4c 5c Ks Qs 9d 2h Jh").hand)  # 6d, in a meld now
    assert "6d was just taken; throw another card." in careful.type("6d")
    assert "5d is part of your run" in careful.type("5d")


def test_a_careless_discard_wants_a_yes_and_is_asked_about_once(careful):
    careful.choose(having_drawn("Ah", RUNS).hand)
    asked = careful.type("9d")
    assert "9d is part of your run 7d 8d 9d. Throw it all the same?" in asked
    assert asked.endswith("throw it, yes or no> ")
    assert careful.session.played == []
    careful.type("yes")
    assert careful.session.played == ["discard 9d"]


@pytest.mark.parametrize("answer", ["no", "", "hand", "say wait", "confirm on"])
def test_anything_but_yes_throws_nothing(careful, answer):
    careful.choose(having_drawn("Ah", RUNS).hand)
    careful.type("9d")
    careful.type(answer)
    assert "Nothing was asked." in careful.type("yes")
    assert careful.session.played == []


def test_another_card_instead_of_yes_is_thrown_as_usual(careful):
    careful.choose(having_drawn("Ah", RUNS).hand)
    careful.type("9d")
    careful.type("ks")
    assert careful.session.played == ["discard Ks"]


def test_a_knock_that_is_passed_over_is_asked_about_once_in_a_hand(careful):
    careful.choose(square_with_a_king())
    asked = careful.type("ks")
    assert "You can knock: knock Ks leaves 1" in asked
    assert "Throw Ks and play on?" in asked
    careful.type("y")
    careful.choose(square_with_a_king())  # the same hand, some turns later
    careful.type("ks")
    assert careful.session.played == ["discard Ks", "discard Ks"]
    assert "is part of your" in careful.type("3c")  # a meld, though, each time
    careful.table.clear()  # another match
    careful.sit()
    careful.choose(square_with_a_king())
    assert "and play on?" in careful.type("ks")


def test_nothing_is_asked_of_a_program(program):
    program.choose(square_with_a_king())
    program.type("ks")
    assert program.session.played == ["discard Ks"]
    refused = program.type("confirm off")
    assert "event refused code=no-terminal" in refused
    assert program.kept == []


def test_confirm_off_ends_the_questions_and_is_kept(careful):
    careful.choose(having_drawn("Ah", RUNS).hand)
    assert "no discard is asked about any more" in careful.type("confirm off")
    careful.type("9d")
    assert careful.session.played == ["discard 9d"]
    assert "you are asked" in careful.type("confirm on")
    careful.choose(having_drawn("Ah", RUNS).hand)
    assert "yes or no> " in careful.type("9d")
    assert careful.kept == [("confirm", False), ("confirm", True)]
    assert "yes or no> " in careful.type("quit")


def test_confirm_is_on_or_off_and_nothing_else():
    assert parse_command("confirm") == parse_command("Confirm ON") == Command("confirm", True)
    assert parse_command("confirm off") == Command("confirm", False)
    with pytest.raises(Unreadable, match="Type confirm on, or confirm off"):
        parse_command("confirm maybe")
