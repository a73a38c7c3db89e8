"""Cards as a player may type them."""

import pytest

from cli.table.command import (
    Throw,
)
from cli.table.parse import parse_command
from cli.table.parse_cards import read_card
from cli.text.cards import RANK_WORDS, SUIT_WORDS, Style
from ginpeer.rules import (
    CARDS,
    Unreadable,
    parse_card,
)

SEVEN = parse_card("7d")


TEN = parse_card("Td")


@pytest.mark.parametrize(
    "text",
    [
        *("7d", "7D", "d7", "7 d", " 7d ", "7♦", "7♢", "♦7", "7♦\ufe0f"),
        *("7 of diamonds", "seven of diamonds", "Seven Diamonds", "7-diamonds", "7diamonds"),
        *("7 diamond", "seven d"),
    ],
)
def test_a_card_may_come_in_any_dress(text):
    assert parse_command(text) == Throw(SEVEN)


@pytest.mark.parametrize("text", ["Td", "10d", "dt", "d10", "10♦", "ten of diamonds", "T d"])
def test_a_ten_may_be_written_as_letter_or_number(text):
    assert read_card(text) == TEN


@pytest.mark.parametrize("card", CARDS, ids=str)
def test_every_text_that_is_shown_for_a_card_can_be_typed(card):
    for style in (Style(), Style(symbols=True), Style(words=True)):
        assert read_card(style.card(card)) == card
    assert read_card(str(card)) == card
    assert read_card(f"{RANK_WORDS[card.rank]} {SUIT_WORDS[card.suit]}") == card


@pytest.mark.parametrize("rank", ["7", "10", "ten", "queen", "q"])
def test_a_card_without_its_suit_is_told_how_to_write_one_that_can_be_read(rank):
    with pytest.raises(Unreadable) as refusal:
        parse_command(f"discard {rank}")
    example = refusal.value.sentence.partition("like ")[2].removesuffix(".")
    assert str(read_card(example))[1] == "d"
