"""The answers to commands while walking through a match.

walks.txt has walks in the format of tests/cli/transcripts.py: ":" begins a walk, ">" is a typed
line. To write it again: python -m tests.cli.walk.test_answers
"""

import re
from functools import cache
from pathlib import Path

import pytest

from cli.commands.replay import seat_named
from cli.program import Failure
from cli.text.analysis import judge_line
from cli.text.cards import Style
from cli.text.replay import StepNarrator, no_value
from cli.walk import Answers
from ginpeer.record import Record, StepCursor
from tests.cli.transcripts import replayed, transcripts, write_again
from tests.matches.golden_logs import FOLDER

FILE = Path(__file__).with_name("walks.txt")


@cache
def record_of(name):
    """Return the record of a golden log."""
    return Record.read(FOLDER / f"{name}.ginlog")


def walking(name="tournament", *, own=None, words=False, valued=lambda seat: no_value, closing=()):
    record = record_of(name)
    walk = StepCursor(record)
    names = tuple(map(str, record.players))
    answers = Answers(
        walk,
        StepNarrator(Style(words=words)),
        names=names,
        own=own,
        seat_named=lambda text: seat_named(text, record.table),
        valued=valued,
        closing=closing,
    )
    return answers, walk


def refused(seat):
    raise Failure("no-advice", "Mahjong gin can't be analysed.")


class Walk:
    """A walk, begun by a line such as ": tournament words own=1"."""

    def step(self, line):
        kind, _, text = line.partition(" ")
        if kind == ">":
            return [*self.answers.to(text.strip()), *(["= over"] if self.answers.over else [])]
        name, *more = text.split()
        ways = {}
        if "words" in more:
            ways["words"] = True
        if "own=0" in more or "own=1" in more:
            ways["own"] = int("own=1" in more)
        if "forged" in more:
            ways["closing"] = ("The log ends here. FORGED",)
        if "valueless" in more:
            ways["valued"] = refused
        self.answers, _ = walking(name, **ways)
        return self.answers.here()


WALKS = dict(transcripts(FILE))


@pytest.mark.parametrize("title", WALKS)
def test_a_walk_is_answered_as_recorded(title):
    assert replayed(WALKS[title], Walk().step) == WALKS[title]


def test_each_step_of_a_turn_is_one_or_two_short_lines():
    answers, walk = walking(words=True)
    for _ in range(len(walk) - 1):
        lines = answers.to("")
        step = walk.step
        if step.move is not None and not step.after.over and step.after.knock is None:
            assert 1 <= len(lines) <= 2, lines
            assert len(" ".join(lines).split()) < 45


def test_back_shows_the_same_as_next_did():
    answers, _ = walking()
    told = [answers.here()]
    for _ in range(12):
        told.append(answers.to("next"))
    for lines in reversed(told[:-1]):
        assert answers.to("back") == lines


def test_no_symbols_are_left_when_cards_are_in_words():
    answers, walk = walking(words=True)
    answers.to("1")
    said = []
    while walk.place < walk.last:
        said += answers.to("")
        said += answers.to("table")
    assert not re.search(r"\b([2-9]|10|[AJQK])([cdhs]\b|[♣♦♥♠])", " ".join(said))


def test_values_are_computed_only_for_visited_steps():
    asked = []

    def valued(step):
        asked.append(step.entry)
        return None

    answers, walk = walking(valued=lambda seat: valued)
    answers.to("2")
    assert not asked
    assert answers.to("values on")[0] == judge_line("the player")
    assert asked == [walk.step.entry]
    answers.to("values off")
    answers.to("")
    assert len(asked) == 1


@pytest.mark.parametrize("name", ["mahjong", "void-hand", "resigned", "second-deck", "incomplete"])
def test_every_kind_of_log_can_be_walked_and_queried(name):
    answers, walk = walking(name)
    for _ in range(len(walk)):
        assert answers.here()
        assert answers.to("table")
        assert answers.to("where")
        answers.to("")
    for line in ("highest match", "knock", "1", "end", "highest", "back knock", "score", "3"):
        assert answers.to(line)


if __name__ == "__main__":
    write_again(FILE, lambda: Walk().step)
