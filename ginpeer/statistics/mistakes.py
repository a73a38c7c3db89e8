"""A player's choices over many matches, by kind: how many were mistakes, and what they cost.

The adviser values each choice by what the player saw (ginpeer.analysis). It may be wrong, so
nothing that is counted elsewhere depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from ginpeer.analysis import MIN_MISTAKE_LOSS, Decision, DecisionKind, analyse, can_advise
from ginpeer.record import Record
from ginpeer.rules import Knock
from ginpeer.statistics.counts import digest_of
from ginpeer.store import Home, StoredMatch, UnreadableLog, log_file_bytes
from ginpeer.store.match_files import SEEDS_SUFFIX


@dataclass(frozen=True, slots=True)
class KindCount:
    """Choices of one kind, the mistakes among them, and their cost in hundredths of a point."""

    choices: int = 0
    mistakes: int = 0
    hundredths: int = 0

    def __add__(self, other: KindCount) -> KindCount:
        return KindCount(
            self.choices + other.choices,
            self.mistakes + other.mistakes,
            self.hundredths + other.hundredths,
        )


@dataclass(frozen=True, slots=True)
class ChoiceCounts:
    """The choices of one player, by kind. A knock with the wrong melds or discard isn't a mistake
    here: only its timing counts."""

    draws: KindCount = KindCount()
    discards: KindCount = KindCount()
    knocks: KindCount = KindCount()  # knocks made; a mistake means that the knock came too early
    waits: KindCount = KindCount()  # possible knocks not made; a mistake means it was time to knock

    def __add__(self, other: ChoiceCounts) -> ChoiceCounts:
        return ChoiceCounts(
            *(getattr(self, each.name) + getattr(other, each.name) for each in fields(self))
        )


def count_choices(decisions: tuple[Decision, ...]) -> ChoiceCounts:
    """Count these decisions by kind. Answers to a knock aren't counted."""
    found = ChoiceCounts()
    for each in decisions:
        knocked, better = (isinstance(one.move, Knock) for one in (each.played, each.best))
        wrong = each.loss >= MIN_MISTAKE_LOSS and (
            each.kind is not DecisionKind.KNOCK or knocked != better
        )
        count = KindCount(1, int(wrong), round(100 * each.loss) if wrong else 0)
        match each.kind:
            case DecisionKind.DRAW:
                found += ChoiceCounts(draws=count)
            case DecisionKind.THROW:
                # If the player could have knocked and was right not to, only the discard is judged.
                found += ChoiceCounts(discards=count, waits=KindCount(int(each.could_knock)))
            case DecisionKind.KNOCK if knocked:
                found += ChoiceCounts(knocks=count)
            case DecisionKind.KNOCK:
                found += ChoiceCounts(waits=count)
    return found


def choices_in(home: Home, match: StoredMatch, seat: int) -> ChoiceCounts:
    """Return the choices of this seat in a stored match, whose log has been verified. Nothing is
    counted if the adviser doesn't cover its rules, or if the seat's cards aren't known."""
    try:
        data = log_file_bytes(match.path)
        has_seeds = match.path.with_suffix(SEEDS_SUFFIX).exists()  # they reveal our cards
        name = f"{digest_of(data)} {seat} {'with' if has_seeds else 'without'} seeds"
        known = home.cached(name, ChoiceCounts)
        if known is not None:
            return known
        record = Record.read(data).with_home(home)
    except UnreadableLog:
        return ChoiceCounts()
    found = ChoiceCounts()
    if record.match is not None and can_advise(record.match.rules):
        found = count_choices(analyse(record, seat, luck=False).decisions)
    home.cache(name, found)
    home.save_cache()
    return found
