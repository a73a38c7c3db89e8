"""Everything that is counted for one player: with people and with bots, by rule set, by opponent.

# Rule 1: one match counts once, whatever its file is called; its table and keys identify it.
# Rule 2: logs that don't count are counted by the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from ginpeer.names.shown import safe
from ginpeer.statistics.counts import Average, Counts, PlayedMatch
from ginpeer.statistics.verified import CountedLog
from protocol.crypto.identity import fingerprint

ANOTHERS = "not-played-here"
"""The code of a match that our key hasn't signed."""
COPY = "copy"
"""The code of another log of a match that already counts."""


@dataclass(frozen=True, slots=True)
class DatedLog:
    """A judged log. *played* is when it was last written, in seconds since 1970, which puts
    matches in order; *bot* is whether our notes say that it was played against our own bot."""

    counted: CountedLog
    played: float
    bot: bool = False


@dataclass(slots=True)
class Opponent:
    """Another player: a key, the latest name it gave itself, and all matches with it."""

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
    """The statistics of one player."""

    own: bytes | None
    """Our key; None if there is none yet, and then nothing counts."""
    friend: bytes | None
    """The only opponent whose matches count; None for all."""
    people: Counts = field(default_factory=Counts)
    bots: Counts = field(default_factory=Counts)
    by_rules: dict[str, Counts] = field(default_factory=dict)
    """Matches with people, by the text of their rules."""
    opponents: dict[bytes, Opponent] = field(default_factory=dict)
    """Matches with people, by key."""
    unfinished: UnfinishedTotals = field(default_factory=UnfinishedTotals)
    """With people and bots."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many logs don't count, by code."""

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


def _in_order(log: DatedLog) -> tuple[bool, float]:
    """Sort by time, finished matches first, so that an unfinished copy never counts in place of
    the whole match."""
    match = log.counted.match
    return match is not None and not match.finished, log.played


def summarize(
    logs: Iterable[DatedLog],
    own: bytes | None,
    *,
    friend: bytes | None = None,
    bots: Collection[bytes] = (),
) -> Summary:
    """Add up these logs for our key *own*. *friend*: count only matches with this key, and list
    only those left out that may be such matches. *bots*: the keys of this machine's bots."""
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
            found.left_out[ANOTHERS] += 1
        elif name in seen:
            found.left_out[COPY] += 1
        else:
            seen.add(name)
            seat = match.keys.index(own)
            found._add(match, seat, bot=log.bot or match.keys[1 - seat] in bots)
    return found


# --- as JSON --------------------------------------------------------------------------

PLAIN = (
    *("matches", "won", "lost", "drawn", "resigned", "resigned_against"),
    *("hands", "hands_won", "hands_lost", "hands_drawn"),
    *("gins", "gins_against", "big_gins", "big_gins_against", "knocks", "knocks_against"),
    *("undercuts", "undercuts_against"),
    *("points", "points_against", "totals", "totals_against"),
)
"""The counts that are one number each."""


def stats_document(summary: Summary) -> dict[str, Any]:
    """Return the statistics as the document that ``ginpeer stats --json`` prints.

    It always has all of these keys (proto/stats.schema.json is the machine-readable form):

        schema          1
        player          our key and its fingerprint; null before there is one
        friend          the key and fingerprint of the only friend whose matches count, or null
        people, bots    counts: with other people; against a bot of this machine
        rules           with people: for each rule set its text, and counts
        opponents       with people: for each key the latest name it gave itself (a claim),
                        fingerprint, and counts
        unfinished      matches that are valid so far: how many, and of how many hands
        left_out        logs that don't count: how many with each code of the referee or the store;
                        not-begun, not-played-here and copy are added here

    Counts are whole numbers, as in ``ginpeer.statistics.counts``; an average is its ``sum`` and
    ``of`` how many. ``turns`` and ``deadwoods`` give the number of hands for each value.
    """
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
                "key": opponent.key.hex(),
                "fingerprint": fingerprint(opponent.key),
                "counts": _counts(opponent.counts),
            }
            for opponent in sorted(summary.opponents.values(), key=lambda one: one.key)
        ],
        "unfinished": {
            "matches": summary.unfinished.matches,
            "hands": summary.unfinished.hands,
        },
        "left_out": [
            {"code": code, "logs": logs} for code, logs in sorted(summary.left_out.items())
        ],
    }


def _player(key: bytes | None) -> dict[str, str] | None:
    return None if key is None else {"key": key.hex(), "fingerprint": fingerprint(key)}


def _counts(counts: Counts) -> dict[str, Any]:
    return {
        **{name: getattr(counts, name) for name in PLAIN},
        "knock_deadwood": _average(counts.knock_deadwood),
        "caught_deadwood": _average(counts.caught_deadwood),
        "turn": _average(counts.turn),
        "turn_against": _average(counts.turn_against),
        "streak": {
            "won": counts.streak.won,
            "lost": counts.streak.lost,
            "now": counts.streak.now,
        },
        "turns": _pairs(counts.turns),
        "deadwoods": _pairs(counts.deadwoods),
        "margins": list(counts.margins),
    }


def _average(average: Average) -> dict[str, int]:
    return {"sum": average.sum, "of": average.of}


def _pairs(counter: Counter[int]) -> list[dict[str, int]]:
    return [{"value": value, "hands": hands} for value, hands in sorted(counter.items())]
