"""Leaving and resigning: what is laid down first, Ctrl-C, the end of the input."""

import pytest

from cli.terminal.line_input import EndOfInput
from ginpeer.net.session import SessionOver
from tests.cli.seated import Seated
from tests.cli.table.hands import first_choice, knocked

pytestmark = pytest.mark.usefixtures("wide_screen")


BEST = "spread melds QdQhQs layoff 6c@0 7d@1 deadwood 9c9dTdKdJs"


def test_who_leaves_after_a_knock_has_the_cards_laid_down_first(person):
    person.choose(knocked())
    asked = person.type("quit")
    assert "This hand counts: your cards are laid down first, in the best way." in asked
    assert person.session.played == []
    person.type("yes")
    assert person.session.played == [BEST]
    assert person.session.ending.code == "left"


def test_input_that_ends_after_a_knock_lays_the_cards_down(program):
    program.choose(knocked())
    program.table.leave()
    assert program.session.played == [BEST]
    assert program.session.ending.code == "left"


def test_who_leaves_in_any_other_turn_plays_nothing(person):
    person.choose(first_choice())
    assert "laid down" not in person.type("quit")
    person.type("yes")
    assert (person.session.played, person.session.ending.code) == ([], "left")


def test_a_session_that_takes_no_spread_any_more_is_left_all_the_same(person):
    person.choose(knocked())
    person.session.play = refusing(SessionOver("The session is over."))
    person.table.leave()
    assert person.session.ending.code == "left"


def refusing(error):
    def refuse(*_):
        raise error

    return refuse


def test_who_resigns_after_a_knock_lays_down_and_resigns_at_the_next_choice(person):
    person.choose(knocked())
    assert "This hand counts: your cards are laid down first" in person.type("resign")
    person.type("yes")
    assert person.session.played == [BEST]
    person.choose(first_choice())
    assert person.session.played == [BEST, "resign"]
    person.choose(first_choice())  # once is enough
    assert person.session.played == [BEST, "resign"]


def test_a_second_knock_before_the_resignation_is_answered_as_well(person):
    person.choose(knocked())
    person.type("resign")
    person.type("yes")
    person.choose(knocked())
    person.choose(first_choice())
    assert person.session.played == [BEST, BEST, "resign"]


def test_no_is_no_resignation_after_the_spread_either(person):
    person.choose(knocked())
    person.type("resign")
    person.type("no")
    person.type("spread")
    person.choose(first_choice())
    assert person.session.played == [BEST]


def test_resigning_waits_for_the_own_turn(person):
    assert "You can resign in your turn." in person.type("resign")
    assert "Nothing was asked." in person.type("yes")


def test_the_second_interrupt_leaves(person):
    person.choose(first_choice())
    person.table.interrupt()
    assert person.session.ending is None
    person.table.interrupt()
    assert person.session.ending.code == "left"


def test_ctrl_d_asks_and_the_end_of_input_leaves(person):
    person.table._dispatcher.take(EndOfInput(final=False))
    assert person.session.ending is None
    person.table._dispatcher.take(EndOfInput())
    assert person.session.ending.code == "left"


def test_leaving_before_anybody_came_stops_the_wait():
    alone = Seated(interactive=True)
    assert "Your opponent isn't here yet." in alone.type("draw")
    assert "Nobody is there to hear it yet." in alone.type("say hello")
    assert "Stop waiting and leave?" in alone.type("quit")
    alone.type("yes")
    alone.table.leave()
    assert alone.stopped == [True]
