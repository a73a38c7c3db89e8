"""`taken`: what the other player was seen to take from the pile, and still holds."""

import random

import pytest

from cli.text.board import taken_line
from cli.text.cards import Style
from ginpeer.rules import cards_of, parse_hand, parse_ruleset
from tests.cli.table.views import VARIANTS, at, random_views

pytestmark = pytest.mark.usefixtures("wide_screen")


def test_before_the_deal_there_is_nothing_to_list(person, program):
    assert "No cards have been dealt yet." in person.type("taken")
    assert "event refused code=no-hand" in program.type("taken")


def test_a_card_that_was_taken_is_listed_until_it_is_thrown():
    view = at("take", "discard Ks", "take", "discard 8s", "take", "discard 6d")
    assert taken_line(view.hand, Style(), 0, "Ann") == (
        "Ann took from the pile and still holds: 8s."
    )
    assert taken_line(view.hand, Style(words=True), 1, "Bob") == (
        "Bob took from the pile and still holds: king of spades."
    )


def test_who_asks_reads_what_the_other_player_took(person, program):
    for seated in (person, program):
        seated.choose(at("pass", "take", "discard Kd").hand)
        assert "the guest took from the pile and still holds: 6d." in seated.type("taken")
        seated.choose(at("pass", "pass", "draw 9h", "discard 9h", "draw 3d", "discard Kd").hand)
        assert "the guest holds no card that was seen taken" in seated.type("taken")


def test_a_card_from_the_stock_is_never_listed():
    view = at("pass", "pass", "draw 9h", "discard 9h")
    assert taken_line(view.hand, Style(), 0, "Ann").startswith("Ann holds no card")


@pytest.mark.parametrize("rules", VARIANTS)
def test_nothing_is_listed_that_everybody_has_not_seen(rules):
    """The same is said of a hand of which only the moves are known."""
    rng = random.Random(rules)
    for view in random_views(parse_ruleset(rules), 3, rng):
        text = str(view.hand._replace(hands=(None, None)))
        told = taken_line(view.hand, Style(), 1 - view.seat, "Bob")
        assert told == taken_line(parse_hand(text), Style(), 1 - view.seat, "Bob")
        assert not any(card.bit & view.cards for card in cards_of(view.hand.held[1 - view.seat]))
