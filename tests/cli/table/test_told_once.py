"""What a person hears of a turn: every fact, and none of them twice."""

import pytest

from cli.text.cards import Style
from ginpeer.record import Record
from ginpeer.rules import Discard, Knock, TakeUpcard
from tests.bench.words import GOALS, LOGS, Part, listen, measure, recorded

STYLE = Style(symbols=True)


@pytest.fixture(scope="module")
def records():
    return recorded()


def lines(name, seat, **ways):
    record = Record.read(LOGS / f"{name}.ginlog")
    return [line for _, line in listen(record, seat, **ways).said]


def test_a_turn_is_told_in_35_words(records):
    _, words, _ = measure(records)[Part.TURN]
    assert words <= GOALS["plain"]


def test_a_turn_is_told_in_20_words_where_it_is_told_briefly(records):
    _, words, _ = measure(records, typed=["brief on"])[Part.TURN]
    assert words <= GOALS["brief"]


def test_in_brief_a_turn_of_the_other_is_one_line_and_the_own_draw_another():
    told = lines("classic", 0, typed=["brief on"])
    at = told.index("Ben draws, discards K♥; 29 left.")
    assert told[at : at + 5] == [
        "Ben draws, discards K♥; 29 left.",
        "draw [Enter] or take> ",
        "You draw 4♦; deadwood 42.",
        "discard> ",
        "You discard K♦.",
    ]
    assert "Ben takes J♣, discards Q♥; 31 left." in told
    assert "Ben draws, discards 5♥ and knocks with 8." in told
    assert sum(line.startswith("Your hand: ") for line in told) == 1  # at the deal
    told = lines("hollywood", 1, typed=["brief on"])
    assert "You can knock: knock 6♠ leaves 6, the best of 3 ways." in told


def test_in_mahjong_gin_a_draw_is_told_before_what_is_laid_after_it():
    told = lines("mahjong", 0, typed=["brief on"])
    assert any(line == "Ben draws." for line in told)
    assert not any("draws, discards" in line for line in told)


def test_each_turn_says_once_what_was_thrown_what_is_left_and_what_came():
    told = lines("classic", 0)
    at = told.index("Ben discards K♥; 29 left in the stock.")
    assert told[at - 1 : at + 5] == [
        "Ben draws.",
        "Ben discards K♥; 29 left in the stock.",
        "draw or take K♥ [Enter draws]> ",
        "You draw 4♦; deadwood 42.",
        "discard a card> ",
        "You discard K♦.",
    ]


def test_the_hand_is_told_again_when_more_than_one_card_was_exchanged():
    told = lines("classic", 0)
    at = told.index("You draw 5♠.")
    assert told[at + 1] == ("Your hand: melds A♣ A♦ A♠; deadwood K♦ J♦ 8♠ 6♥ 5♠ 4♥ 3♠ 2♥ (48).")
    assert sum(line.startswith("Your hand: ") for line in told) == 3  # of six


def test_a_card_that_is_taken_comes_with_the_deadwood_that_it_leaves():
    assert "You take 6♥; deadwood 53." in lines("classic", 0)


def test_who_can_lay_nothing_off_spreads_unasked_and_the_hand_is_told_once():
    told = lines("classic", 0)
    at = told.index("Ben discards 5♥ and knocks with 8.")
    assert told[at + 2 : at + 5] == [
        "You spread. Melds: A♣ A♦ A♠, 4♦ 4♥ 4♠.",
        "Deadwood: 6♥ 5♠ 3♠ 2♥ (16).",
        "Ben knocks with 8 against 16 and scores 8.",
    ]


@pytest.mark.parametrize("name", ["standard", "hollywood", "mahjong", "oklahoma-floating"])
@pytest.mark.deep(keep=1)
def test_every_card_that_the_other_throws_or_takes_is_heard(name):
    record = Record.read(LOGS / f"{name}.ginlog")
    for seat in (0, 1):
        told = lines(name, seat)
        for step in record.steps:
            if step.author == seat:
                continue
            match step.move:
                case Discard() | Knock():
                    heard = f"discards {STYLE.card(thrown_by(step.move))}"
                case TakeUpcard():
                    heard = f"takes the upcard, {STYLE.card(step.before.upcard)}."
                case _:
                    continue
            assert any(heard in line for line in told)


def thrown_by(move):
    return move.card if isinstance(move, Discard) else move.discard
