"""What a typed line does at drawn hands: moves, refusals, questions back, and lines from a pipe."""

import pytest

from cli.terminal.line_input import OverlongLine
from ginpeer.rules import parse_card
from tests.cli.seated import Seated
from tests.cli.table.hands import DEALER, SQUARE, first_choice, knocked, square_with_a_king
from tests.rules.drawing import deal, played

pytestmark = pytest.mark.usefixtures("wide_screen")


def test_a_typed_move_reaches_the_session(person):
    person.choose(square_with_a_king())
    person.type("ks")
    assert person.session.played == ["discard Ks"]


def test_a_refused_move_says_why_and_what_may_be_done(person):
    person.choose(first_choice())
    assert "You may take 6d, or pass." in person.type("draw")
    assert "You may take 6d, or pass." in person.type("7d")
    assert person.session.played == []


def test_enter_that_would_do_nothing_does_nothing(person):
    person.choose(square_with_a_king())
    assert "Enter alone does nothing here." in person.type("")
    assert person.session.played == []


def test_a_question_about_arrangements_is_answered_by_number(person):
    person.choose(square_with_a_king())
    asked = person.type("knock ks")
    assert "1: melds " in asked
    assert asked.endswith("which, 1 to 3> ")
    assert "Type a number from 1 to 3." in person.type("9")
    person.type("2")
    assert len(person.session.played) == 1
    assert person.session.played[0].startswith("knock Ks melds ")


def test_it_is_said_that_holding_a_card_back_may_win_more(person):
    person.choose(square_with_a_king())
    asked = person.type("knock ks")
    assert (
        "There are 3 ways to show your hand. To hold cards back leaves more deadwood, and may win "
        "more all the same: less can be laid off then.\n"
    ) in asked
    assert "3: melds 4c 4d 4h, 5c 5d 5h; deadwood 3c 3d 3h As (10).\n" in asked
    person.type("3")
    assert person.session.played == ["knock Ks melds 4c4d4h 5c5d5h deadwood 3c3d3hAs"]


def test_where_all_ways_leave_the_same_nothing_is_said_of_holding_back(person):
    hand = played(deal(1, SQUARE.replace("As", "Td"), DEALER.replace("Td", "As"), "6d"), "pass")
    person.choose(played(hand, "pass").drawing(parse_card("Ks")))
    asked = person.type("knock ks")
    assert (
        "There are 2 ways to show a hand that leaves 10; they differ in what can be laid off on "
        "them.\n"
    ) in asked


def test_anything_but_a_number_drops_the_question(person):
    person.choose(square_with_a_king())
    person.type("knock ks")
    person.type("hand")
    assert "say the suit too" in person.type("1")
    assert person.session.played == []


def test_possible_knocks_are_told_with_what_they_leave(person):
    person.choose(square_with_a_king())
    shown = person.output.getvalue()
    assert "You can knock: knock Ks leaves 1" in shown
    assert shown.endswith("discard a card, or knock> ")


def test_a_lay_off_is_offered_only_where_a_card_fits(person):
    person.choose(knocked())
    assert "You may lay off on meld 1, 3c 4c 5c; meld 2, 7c 7h 7s." in person.output.getvalue()
    # Nothing of Qd Qh Qs Js Td 9d 9s Kd Ks 2s goes on 3c 4c 5c and 7c 7h 7s.
    hand = played(deal(1, "3c 4c 5c 7c 7h 7s Ac 2d 4d Ah", "2s 9s Qd Qh Qs Js Td Ks 9d Kd", "6d"))
    hand = played(hand, "pass", "pass").drawing(parse_card("Kh"))
    nothing = Seated(interactive=True).sit()
    nothing.choose(played(hand, "knock Kh melds 3c4c5c 7c7h7s deadwood Ac2d4dAh"))
    assert nothing.output.getvalue() == ""
    assert nothing.session.played == ["spread melds QdQhQs deadwood 9dTdKd2s9sJsKs"]


def test_a_move_from_a_pipe_waits_for_its_turn_and_a_question_does_not(program):
    assert program.type("draw") is None
    assert program.type("") is None
    assert program.type("resign") is None
    assert "event info" in program.type("score")
    assert "event refused code=unknown-command" in program.type("foo")
    program.choose(first_choice())
    assert program.type("pass") is not None
    assert program.session.played == ["pass"]


def test_a_program_is_told_the_arrangements(program):
    program.choose(square_with_a_king())
    shown = program.type("knock ks")
    assert shown.count("event arrangement number=") == 3
    program.type("knock ks 1")
    assert len(program.session.played) == 1


def test_a_program_is_asked_again_after_each_line_that_is_no_move(program):
    program.choose(first_choice())
    for line in ("foo", "draw", "hand", "say hi", "score"):
        assert program.type(line).splitlines()[-1] == (
            "event choose what=upcard upcard=6d stock=31 limit=10"
        )


def test_a_line_that_is_too_long_costs_a_sentence(person):
    person.choose(first_choice())
    assert person.table._dispatcher.take(OverlongLine())
    assert "longer than 4000 characters" in person.output.getvalue()
