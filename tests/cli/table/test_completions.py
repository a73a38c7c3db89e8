"""Completion with Tab: it offers only words that are commands and possible now."""

import pytest

from cli.table.commands import completions, explain_command, parse_command
from cli.table.lookups import topic_lines
from cli.terminal.line_input import LineEditor
from ginpeer.rules import Match, View, parse_card, parse_ruleset
from ginpeer.rules.cards import cards_of
from tests.cli.seated import Seated
from tests.cli.table.hands import (
    DEALER,
    SQUARE,
    first_choice,
    knocked,
    square_with_a_king,
    view_after,
)
from tests.rules.drawing import deal, played


def situation(hand=None):
    seated = Seated(interactive=True).sit()
    if hand is not None:
        seated.session.view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
        seated.table._state.view = seated.session.view
    return seated.table._state


def after(hand, typed):
    return completions(typed, situation(hand))


def gone_out():
    """Return a hand of Mahjong gin in which it is the dealer's opponent's turn to show."""
    moves = ("pass", "pass", "draw 3h", "discard 2c", "draw Ac", "lay 3c3d3s 4c4d4h4s 5d5h5s")
    return view_after(*moves, "discard Ac", rules="mahjong", upcard="8s",
                      cards="9s Ts 8c 5c 6h Jh Kd Ks 2c 2d",
                      dealers="3c3d3s 4c4d4h4s 5d5h5s").hand  # fmt: skip


@pytest.mark.parametrize(
    ("hand", "moves"),
    [
        (first_choice(), ["take", "pass"]),
        (square_with_a_king(), ["discard ", "knock "]),
        (knocked(), ["spread", "layoff "]),
        (gone_out(), ["show"]),
        (None, []),
    ],
)
def test_an_empty_line_completes_to_the_possible_moves_only(hand, moves):
    words = {"take", "draw", "pass", "discard ", "knock ", "gin ", "big gin", "spread", "layoff "}
    words.add("show")  # only used in Mahjong gin
    assert [word for word in after(hand, "") if word in words] == moves


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("kn", ("knock ",)),
        ("KN", ("knock ",)),
        ("knock k", ("ks",)),
        ("k K", ("ks",)),
        ("dr", ()),
        ("3", ("3c", "3d", "3h")),
        ("5", ("5c", "5d", "5h")),
        ("discard a", ("as",)),
        ("throw  k", ("ks",)),
        ("sort ", ("melds", "suit", "rank")),
        ("bell o", ("on", "off")),
        ("colours f", ("four",)),
        ("tally o", ("on", "off")),
        ("or", ("order ",)),
        ("mo", ("move ",)),
        ("order a", ("as",)),
        ("move k", ("ks",)),
        ("move ks ", ("first", "last")),
        ("order as k", ("ks",)),
        ("help kn", ("knock",)),
        ("help ke", ("keys",)),
        ("rules kn", ("knock ",)),
        ("rules knock k", ("ks",)),
        ("rules be", ()),
        ("gin ", ()),
        ("knock ks ", ()),
        ("yes", ()),
        ("hel", ("help",)),
        ("frobnicate", ()),
        ("say kn", None),
        ("say ", None),
        ("reply: GIN", None),
        ("ginr1-AB", None),
        ("k" * 1_000, None),
    ],
)
def test_a_word_completes_to_what_fits_at_its_place(typed, words):
    assert after(square_with_a_king(), typed) == words


def test_knock_completes_to_the_possible_discards_best_first():
    assert after(square_with_a_king(), "knock ")[0] == "ks"
    assert set(after(square_with_a_king(), "knock ")) < set(after(square_with_a_king(), "discard "))


def test_the_card_just_taken_is_not_offered_for_a_discard():
    hand = played(deal(1, SQUARE, DEALER, "6d"), "take")
    view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
    assert len(cards_of(view.cards)) == 11
    assert len(after(hand, "discard ")) == 10
    assert "6d" not in after(hand, "6")


def test_yes_and_no_are_offered_only_when_there_is_a_question():
    seated = Seated(interactive=True).sit()
    here = seated.table._state
    assert completions("y", here) == completions("n", here) == ()
    seated.type("quit")
    assert completions("y", here) == ("yes",)
    assert completions("n", here) == ("no",)


@pytest.mark.parametrize(
    ("ask", "answers"),
    [
        (lambda seated: setattr(seated.table._state.questions, "offer", object()), "yes accept"),
        (lambda seated: seated.table.ask("Another match?", "play again", print), "yes accept"),
        (lambda seated: setattr(seated.session, "pause_offered", True), "yes"),
        (lambda seated: setattr(seated.session, "pause_wanted", True), ""),
    ],
)
def test_no_answers_each_kind_of_question_yes_a_prompt_and_accept_only_a_match(ask, answers):
    seated = Seated(interactive=True).sit()
    ask(seated)
    here = seated.table._state
    assert completions("n", here) == ("no",)
    assert [*completions("y", here), *completions("acc", here)] == answers.split()


def test_yes_is_not_offered_for_a_pause_on_our_turn():
    here = situation(first_choice())
    here.session.pause_offered = True
    assert (completions("y", here), completions("n", here)) == ((), ("no",))


def test_a_hint_and_undo_are_offered_in_practice_once_there_are_cards():
    def offered(rules, **at):
        state = Seated(interactive=True, **at).sit().table._state
        before = completions("hin", state), completions("und", state)
        hand = deal(1, SQUARE, DEALER, "6d", parse_ruleset(rules))
        state.view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
        return (*before, completions("hin", state), completions("und", state))

    assert offered("standard", practice=True) == ((), (), ("hint",), ("undo",))
    assert offered("standard") == ((), (), (), ())
    assert offered("mahjong", practice=True)[2:] == ((), ("undo",))


def test_an_impossible_layoff_is_not_offered():
    assert after(knocked(), "layo") == ("layoff ",)
    assert after(square_with_a_king(), "resi") == ("resign",)
    knock = played(deal(1, SQUARE, "6c 8s 9s Qd Qh Jc Js Td Tc Kd", "7d"), "pass", "pass")
    knock = played(
        knock.drawing(parse_card("Ks")), "knock Ks melds 3c3d3h 4c4d4h 5c5d5h deadwood As"
    )
    assert after(knock, "layo") == ()


@pytest.mark.parametrize("hand", [None, first_choice(), square_with_a_king(), knocked()])
def test_every_completion_is_explained_and_readable(hand):
    for word in after(hand, ""):
        if word == "say ":
            continue  # any text may follow
        end = " first" if word == "move " else ""
        if topic_lines(word, mahjong=False) is None:
            assert "isn't a command" not in explain_command(word, mahjong=False)
        for more in after(hand, word) if word.endswith(" ") else ("",):
            parse_command(word + more + end)


def test_a_card_is_completed_as_people_type_it():
    hand = square_with_a_king()
    view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
    offered = {card for rank in "a2345678910jqk" for card in after(hand, rank)}
    assert {card for card in offered if len(card) < 4} >= {
        str(card).lower() for card in cards_of(view.cards) if card.rank != 9
    }


def test_mahjong_gin_completes_cards_to_take_lay_and_add():
    mahjong = parse_ruleset("mahjong")
    cards, other = "9s Ts 2c 2d 2h 5c 6h Jh Kd Ks", "3c 4c 5d 7c 7h 7d 9d 4h Ac Ah"
    moves = ("pass", "pass", "draw 3h", "discard Jh", "draw 3d", "discard 4h")
    assert after(played(deal(1, cards, other, "8s", mahjong), *moves), "take ") == ("3",)
    here = situation(view_after("pass", "pass", "draw Ac", rules="mahjong").hand)
    assert completions("lay ", here) == ("3c4c5c", "7c7h7s")
    assert completions("kn", here) == completions("add ", here) == ()


def test_a_pasted_code_is_not_kept_in_the_history():
    seated = Seated(interactive=True).sit()
    seated.console._input = editor = LineEditor()
    pasted = []
    seated.port.on_paste = pasted.append
    seated.port.accepts_more = lambda text: bool(pasted) and text == "ABCDEF"
    for line in ("ABCDEF", " reply: ABC", "ABCDEF", "invite: gin1-ABCDEF"):
        seated.type(line)
    assert editor.history.go(-1, "") == "ABCDEF"  # the first line, typed before the reply
    assert editor.history.go(-1, "") is None


def test_propose_completes_with_presets_when_rules_may_be_proposed():
    here = situation()
    assert completions("prop", here) == ()
    here.session.may_propose = True
    assert completions("prop", here) == ("propose ",)
    assert completions("propose mah", here) == ("mahjong",)
