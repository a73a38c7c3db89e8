"""Statistics as one document for programs: what ``ginpeer stats --json`` prints.

It has these keys, always all of them (proto/stats.schema.json has them for a program):

    schema          1
    player          our key and its fingerprint; null before there is one
    friend          the key and fingerprint of the friend whose matches alone count, or null
    people, bots    counts: with other people; against a bot of this machine
    rules           with people: for each rule set its text, and counts
    opponents       with people: for each key the name that it gave itself last, a claim,
                    fingerprint, and counts
    unfinished      matches that hold so far: how many, and of how many hands
    left_out        logs that do not count: how many there are with each code of the referee or the
                    store; not-begun, not-played-here and copy are ours

Counts are whole numbers, as ``ginpeer.statistics.counts`` has them; an average is its ``sum`` and
``of`` how many. ``turns`` and ``deadwoods`` say of each value in how many hands it was.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ginpeer.names.shown import safe
from ginpeer.statistics.counts import Average, Counts
from ginpeer.statistics.summary import Summary
from protocol.crypto.identity import fingerprint

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
