"""A short part of tests/campaign/illegal_entries.py, and a check that it would notice faults."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ginpeer.referee.referee import Referee
from ginpeer.referee.transitions import MalformedEntry, Violation
from protocol import messages as m
from tests.campaign.illegal_entries import LEGAL, chunk, refused
from tests.cheating.cheat import ONE_HAND, record, tiny
from tests.fuzz import entries
from tests.fuzz.entries import CLASS_A, CLASS_B, honest_admitted, judged, refused_by_seat
from tests.fuzz.odd import Odd
from tests.matches.variants import staged


def few():
    return [record("m1", ONE_HAND), entries.RecordedMatch.of(staged())]


def test_illegal_entries_are_refused_and_the_honest_one_still_admitted():
    met = chunk(True, few, 1, "suite", 40)
    assert refused(met) > 700
    assert met[LEGAL] < 200
    assert len(met) > 25


def test_illegal_entries_are_refused_in_the_real_group():
    met = chunk(False, lambda: [tiny()], 1, "suite", 8)
    assert refused(met) > 120


def test_every_listed_code_is_in_the_document():
    text = (Path(__file__).parents[2] / "proto" / "PROTOCOL.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", text))
    assert named >= CLASS_A | CLASS_B


class Wrong(Referee):
    """A referee with one of the faults that the campaign looks for."""

    fault = ""

    def admit(self, raw):
        table = self.table
        try:
            return super().admit(raw)
        except Violation as error:
            match self.fault:
                case "blames the other":
                    raise Violation(error.code, str(error), error.entry, 1 - error.seat) from error
                case "blames nobody":
                    raise MalformedEntry(error.code, str(error)) from error
                case "has no sentence":
                    raise Violation(error.code, "", error.entry, error.seat) from error
                case "has another code":
                    raise Violation("odd", str(error), error.entry, error.seat) from error
                case "breaks":
                    raise KeyError("odd") from error
                case "changes the table":
                    self.table = replace(table)
                case "keeps the entry":
                    self.entries.append(raw)
            raise


@pytest.mark.parametrize(
    "fault",
    [
        *("blames the other", "blames nobody", "has no sentence", "has another code", "breaks"),
        *("changes the table", "keeps the entry"),
    ],
)
def test_a_faulty_referee_is_noticed(fault):
    match = tiny()
    k = match.find(m.Discard)
    cheat = match.author(k)
    raw = cheat.sign(match.table_at(k), m.Pass())
    referee = Wrong()
    sound = match.referee_at(k)
    referee.table, referee.entries = sound.table, list(sound.entries)
    assert judged(match, referee, k, raw, cheat.seat) is not None
    referee.fault = fault
    with pytest.raises(Odd):
        judged(match, referee, k, raw, cheat.seat)


def test_a_seat_that_does_not_close_and_a_changed_log_are_noticed():
    match = tiny()
    k = match.find(m.Discard)
    by = match.steps[k].author
    error = Violation("odd", "Not so.", k, by)
    with pytest.raises(Odd):
        refused_by_seat(match, k, match.entries[k], error, by)
    with pytest.raises(Odd):
        honest_admitted(match, match.referee_at(k), k - 1)
    with pytest.raises(Odd):
        honest_admitted(match, match.referee_at(k - 1), len(match))
