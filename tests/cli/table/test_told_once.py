"""What a person reads during a turn: every fact, but only once."""

import re

import pytest

from ginpeer.record import Record
from tests.bench.words import GOALS, LOGS, WAYS, Part, listen, measure, recorded


def lines(name, seat, **ways):
    record = Record.read(LOGS / f"{name}.ginlog")
    return [line for _, line in listen(record, seat, **ways).said]


@pytest.mark.parametrize("name", ["plain", "brief"])
def test_a_turn_and_the_end_of_a_hand_stay_within_their_number_of_words(name):
    measured = measure(recorded(), **WAYS[name])
    for part in Part:
        assert measured[part][1] <= GOALS.get((name, part.value), measured[part][1])


@pytest.mark.parametrize("ways", [{}, {"typed": ["brief on"]}], ids=["plain", "brief"])
def test_a_hand_is_narrated_as_recorded(ways, transcript):
    """The recording names the discard, the rest of the hand and the drawn card. It repeats the
    whole hand only if two or more cards were exchanged."""
    transcript(lines("classic", 0, **ways))


def test_in_mahjong_gin_a_draw_is_shown_before_the_melds_laid_after_it_and_without_a_count():
    told = lines("mahjong", 0, typed=["brief on"])
    assert "Ben draws." in told
    assert not any("draws, discards" in line for line in told)
    drawn = [line for line in told if line.startswith("You draw ")]
    assert drawn
    assert all(re.fullmatch(r"You draw \w+[♣♦♥♠]\.", line) for line in drawn)


def test_with_hand_off_the_hand_is_shown_again_once_two_cards_were_exchanged():
    told = lines("classic", 0, typed=["hand off"])
    assert told[told.index("You draw 5♠.") + 1].startswith("Your hand: ")
    assert "You draw 4♦; deadwood 42." in told
