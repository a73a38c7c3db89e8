"""All that is counted for one player: with people and with bots, by rule set, by friend.

# Rule 1: one match counts once, whatever its file is called; it is known by its table and keys.
# Rule 2: what does not count is counted by why it does not.
"""
# @@ document: """Statistics as one document for programs: what ``ginpeer stats --json`` prints.
# @@
# @@ It has these keys, always all of them (proto/stats.schema.json has them for a program):
# @@
# @@     schema          1
# @@     player          our key and its fingerprint; null before there is one
# @@     friend          the key and fingerprint of the friend whose matches alone count, or null
# @@     people, bots    counts: with other people; against a bot of this machine
# @@     rules           with people: for each rule set its text, and counts
# @@     opponents       with people: for each key the name that it gave itself last, a claim,
# @@                     fingerprint, and counts
# @@     unfinished      matches that hold so far: how many, and of how many hands
# @@     left_out        logs that do not count: how many there are with each code of the referee or the
# @@                     store; not-begun, not-played-here and copy are ours
# @@
# @@ Counts are whole numbers, as ``ginpeer.statistics.counts`` has them; an average is its ``sum`` and
# @@ ``of`` how many. ``turns`` and ``deadwoods`` say of each value in how many hands it was.
# @@ """
# @@

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from ginpeer.names.shown import safe
from ginpeer.statistics.counts import Average, Counts, PlayedMatch
from ginpeer.statistics.verified import CountedLog
from protocol.crypto.identity import fingerprint

# --- summary ---

ANOTHERS = "not-played-here"
"""The code of a match in which our key has not signed."""
COPY = "copy"
"""The code of another log of a match that counts already."""


@dataclass(frozen=True, slots=True)
class DatedLog:
    """What a log comes to. *played*: when it was last written to, in seconds since 1970, by which
    matches are put in order; *bot*: whether our notes say that it is against our own bot."""

    counted: CountedLog
    played: float
    bot: bool = False


@dataclass(slots=True)
class Opponent:
    """Another player: a key, what it called itself last, and all matches with it."""

    key: bytes
    name: str
    counts: Counts = field(default_factory=Counts)


@dataclass(slots=True)
class UnfinishedTotals:
    """Matches that hold so far, and are not at their end."""

    matches: int = 0
    hands: int = 0


@dataclass(slots=True)
class Summary:
    """What was asked for."""

    own: bytes | None
    """Our key; None where there is none yet, and nothing counts."""
    friend: bytes | None
    """Whose matches alone count; None for all."""
    people: Counts = field(default_factory=Counts)
    bots: Counts = field(default_factory=Counts)
    by_rules: dict[str, Counts] = field(default_factory=dict)
    """With people, by the text of the rules."""
    opponents: dict[bytes, Opponent] = field(default_factory=dict)
    """People alone."""
    unfinished: UnfinishedTotals = field(default_factory=UnfinishedTotals)
    """With people and bots."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many logs do not count, by code."""

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
    """As they were played; first those that are finished, so that no copy that was left in the
    middle counts in their place."""
    match = log.counted.match
    return match is not None and not match.finished, log.played


def summarize(
    logs: Iterable[DatedLog],
    own: bytes | None,
    *,
    friend: bytes | None = None,
    bots: Collection[bytes] = (),
) -> Summary:
    """Add up what these logs come to for our key *own*. *friend*: only matches with this key; of
    what does not count, then, only what may be one. *bots*: the keys of bots of this machine."""
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


# --- document ---

PLAIN = (
    *("matches", "won", "lost", "drawn", "resigned", "resigned_against"),
    *("hands", "hands_won", "hands_lost", "hands_drawn"),
    *("gins", "gins_against", "big_gins", "big_gins_against", "knocks", "knocks_against"),
    *("undercuts", "undercuts_against"),
    *("points", "points_against", "totals", "totals_against"),
)
"""The counts that are one number each."""


def stats_document(summary: Summary) -> dict[str, Any]:
    """The whole of it."""
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
