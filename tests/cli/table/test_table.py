"""The table: when the hand is shown, and when it is said who is waited for."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from ginpeer.net.interfaces import CloseReason, PeerInfo
from ginpeer.net.waiting import SOON as PATIENCE
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules import STANDARD, Match, parse_card
from protocol import messages as m
from tests.cli.table.hands import first_choice, square_with_a_king
from tests.cli.table.playing import DEALER, NON_DEALER, Playing
from tests.rules.drawing import deal, played

pytestmark = pytest.mark.usefixtures("wide_screen")


def waits(table):
    before = Table(match=Match.begin(STANDARD, 1), hand=first_choice())
    return Admitted(7, 0, m.Pass(), before, table)


def test_waiting_is_said_after_a_while_and_once(person):
    table = Table(match=Match.begin(STANDARD, 1), hand=played(first_choice(), "pass"))
    state = {"owed_by": 1, "awaiting": Awaiting.UPCARD}
    for _ in range(3):
        person.table.show(waits(replace(table, **state)))
        person.clock.advance(PATIENCE + 1)
    assert person.output.getvalue().count("Waiting for the guest") == 1
    assert "waiting for the guest to take the upcard or pass" in person.type("draw")
    person.end(CloseReason("left", "You left the table; the log is kept."))
    assert not person.clock.getDelayedCalls()


def test_a_person_hears_the_hand_once_a_turn_and_a_program_whenever_it_changed():
    hand = deal(1, NON_DEALER, DEALER, "6d")
    hand = played(hand, "pass", "pass", "draw 9h", "discard 9h")
    drawing = played(hand, "draw 8h", "discard 8h")
    for interactive, times in ((True, 1), (False, 2)):
        playing = Playing(drawing, interactive)
        shown = playing.seated.output.getvalue() + playing.goes_on("draw 5h")
        assert shown.count("Your hand: ") + shown.count("event hand ") == times


def test_who_is_back_in_the_same_sitting_is_told_in_three_words_and_what_lies_there(person):
    """And whose turn it is, and the card just drawn; the key is known by then."""
    ben = PeerInfo(bytes(32), "tbj7y", "test", "192.0.2.1:7777", known_as="Ben")
    hand = square_with_a_king()
    table = replace(
        Table(), match=Match.begin(STANDARD, 1), hand_number=1, hand=hand, owed_by=0,
        awaiting=Awaiting.DISCARD,
    )  # fmt: skip
    person.table.connected(ben)
    assert "The other player's key is tbj7y" in person.output.getvalue()
    person.table._state.table = table
    person.table.own(SimpleNamespace(drawn=lambda: parse_card("Ks"), view=lambda: None))
    before = len(person.output.getvalue())
    person.table.connected(ben)
    person.table.goes_on()
    assert person.output.getvalue()[before:].splitlines() == [
        "Ben is back.",
        "The upcard is 6d; 30 cards are left in the stock.",
        "You are next, to discard or knock.",
        "The card that you have just drawn is Ks.",
    ]


def test_before_a_match_there_is_nothing_to_tell_of_it_to_who_is_back(person, program):
    for seated in (person, program):
        seated.table.goes_on()
        assert seated.output.getvalue() == ""
