"""A player's choices over many matches, by kind: how many were mistakes, and what they cost.

The adviser values each choice by what the player saw (ginpeer.analysis). It may be wrong, so
nothing that is counted elsewhere depends on it.

All statistics of one player: against people and bots, by rule set and by opponent.

Each match counts once, whatever its file is called; its table and keys identify it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ginpeer.adviser.advise import can_advise
from ginpeer.analysis.decisions import MIN_MISTAKE_LOSS, Decision, DecisionKind, analyse
from ginpeer.names import safe
from ginpeer.record import Record
from ginpeer.record.verdict_document import key_fields
from ginpeer.rules import Knock
from ginpeer.statistics.counts import Average, CountedLog, Counts, PlayedMatch, Streak, digest_of
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


# --- summary ---------------------------------------------------------------

NOT_OURS = "not-played-here"  # the code for a match that our key hasn't signed
COPY = "copy"  # the code for another log of a match that already counts
PRACTISED = "practised"  # the code for a finished match in which our player took a move back


@dataclass(frozen=True, slots=True)
class DatedLog:
    """A judged log, last written at ``played``, in seconds since 1970. Our notes say whether the
    opponent was our own bot (``bot``) and whether our player took a move back (``taken_back``)."""

    counted: CountedLog
    played: float
    bot: bool = False
    taken_back: bool = False


@dataclass(slots=True)
class Opponent:
    """Another player: the key, the latest name for it, and all matches with the key."""

    key: bytes
    name: str
    counts: Counts = field(default_factory=Counts)


@dataclass(slots=True)
class UnfinishedTotals:
    """Matches that are valid so far but not finished."""

    matches: int = 0
    hands: int = 0


@dataclass(slots=True)
class Summary:
    own: bytes | None  # our key; None if there is none yet, and then nothing counts
    friend: bytes | None  # the only opponent whose matches count; None for all
    people: Counts = field(default_factory=Counts)
    bots: Counts = field(default_factory=Counts)
    by_rules: dict[str, Counts] = field(default_factory=dict)
    """Matches with people, by the text of their rules."""
    opponents: dict[bytes, Opponent] = field(default_factory=dict)  # matches with people, by key
    unfinished: UnfinishedTotals = field(default_factory=UnfinishedTotals)
    """Unfinished matches with people and bots."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The number of logs that don't count, by code."""

    @property
    def logs_left_out(self) -> int:
        return sum(self.left_out.values())

    def _add(self, match: PlayedMatch, seat: int, *, bot: bool) -> None:
        if not match.finished:
            self.unfinished.matches += 1
            self.unfinished.hands += len(match.hands)
        elif bot:
            self.bots.add(match, seat)
        else:
            key, name = match.keys[1 - seat], match.names[1 - seat]
            opponent = self.opponents.setdefault(key, Opponent(key, name))
            opponent.name = name
            counted = (
                self.people,
                opponent.counts,
                self.by_rules.setdefault(match.rules, Counts()),
            )
            for counts in counted:
                counts.add(match, seat)


def _in_order(log: DatedLog) -> tuple[bool, bool, float]:
    """Return the sort key of a log: finished matches first, so that an unfinished copy never counts
    in place of the whole match; those with moves taken back before others, so that a copy without
    our notes never counts as won or lost; then by time."""
    match = log.counted.match
    return match is not None and not match.finished, not log.taken_back, log.played


def summarize(
    logs: Iterable[DatedLog],
    own: bytes | None,
    *,
    friend: bytes | None = None,
    bots: Collection[bytes] = (),
) -> Summary:
    """Add up these logs for our key *own*. With *friend*, ignore matches that are known to be
    without this key. *bots* are the keys of this machine's bots."""
    found = Summary(own, friend)
    seen: set[tuple[bytes, tuple[bytes, bytes]]] = set()
    for log in sorted(logs, key=_in_order):
        match = log.counted.match
        if match is None:
            found.left_out[log.counted.code] += 1
            continue
        if friend is not None and friend not in match.keys:
            continue
        name = (match.table, match.keys)
        if own not in match.keys:
            found.left_out[NOT_OURS] += 1
        elif name in seen:
            found.left_out[COPY] += 1
        elif log.taken_back and match.finished:
            seen.add(name)
            found.left_out[PRACTISED] += 1
        else:
            seen.add(name)
            seat = match.keys.index(own)
            found._add(match, seat, bot=log.bot or match.keys[1 - seat] in bots)
    return found


# --- as JSON --------------------------------------------------------------------------


def stats_document(summary: Summary) -> dict[str, Any]:
    """Return what ``ginpeer stats --json`` prints; proto/stats.schema.json describes its keys."""
    return {
        "schema": 1,
        "player": _player(summary.own),
        "friend": _player(summary.friend),
        "people": _counts(summary.people),
        "bots": _counts(summary.bots),
        "rules": [
            {"rules": safe(rules), "counts": _counts(counts)}
            for rules, counts in sorted(summary.by_rules.items())
        ],
        "opponents": [
            {
                "name": safe(opponent.name),
                **key_fields(opponent.key),
                "counts": _counts(opponent.counts),
            }
            for opponent in sorted(summary.opponents.values(), key=lambda one: one.key)
        ],
        "unfinished": asdict(summary.unfinished),
        "left_out": [
            {"code": code, "logs": logs} for code, logs in sorted(summary.left_out.items())
        ],
    }


def _player(key: bytes | None) -> dict[str, str | None] | None:
    return None if key is None else key_fields(key)


def _counts(counts: Counts) -> dict[str, Any]:
    return {each.name: _plain(getattr(counts, each.name)) for each in fields(counts)}


def _plain(value: Any) -> Any:
    """Return a count as a JSON value; a Counter becomes the number of hands for each value."""
    if isinstance(value, Counter):
        return [{"value": key, "hands": hands} for key, hands in sorted(value.items())]
    return asdict(value) if isinstance(value, Average | Streak) else value
