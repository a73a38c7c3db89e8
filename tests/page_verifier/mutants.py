"""Faulty logs: cut off, or signed by a cheat (tests.campaign.same_verdict damages others)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from ginpeer.store.log import log_bytes, read_log
from protocol import messages as m
from tests.campaign.same_verdict import GOLDEN
from tests.cheating.cheat import RecordedMatch
from tests.cheating.claims import lay_of_anything, nonsense
from tests.fuzz.entries import Forger

WHOLE = ("disclosed-after-hand", "never-disclosed", "second-deck", "mahjong", "resigned")


def signed(
    rng: random.Random, count: int, recorded: list[RecordedMatch]
) -> Iterator[tuple[str, bytes]]:
    """Yield logs of whole matches with a changed entry anywhere, signed by a player's own key: with
    other fields, cards, points, numbers, tables, histories, kinds, seeds or scores."""
    for number in range(count):
        match = recorded[number % len(recorded)]
        forger = Forger(match, recorded, rng)
        k = forger.place()
        raw, by = forger.entry(k)
        rest = match.entries[k:] if rng.random() < 0.2 else ()
        yield f"signed {number}, entry {k} by {by}", log_bytes([*match.entries[:k], raw, *rest])


def claims(
    rng: random.Random, count: int, recorded: list[RecordedMatch]
) -> Iterator[tuple[str, bytes]]:
    """Yield logs with a knock, spread, lay or discard of random content, signed by the player who
    owes the entry."""
    kinds = m.Knock | m.Spread | m.Lay | m.TakeDiscards | m.Discard
    for number in range(count):
        match = recorded[number % len(recorded)]
        of_each: dict[type[m.Message], list[int]] = {}
        for k, step in enumerate(match.steps):
            if isinstance(step.message, kinds):
                of_each.setdefault(type(step.message), []).append(k)
        k = rng.choice(of_each[rng.choice(list(of_each))])
        claimed = _claim(match.steps[k].message, rng)
        raw = match.author(k).sign(match.table_at(k), claimed)
        name = f"claim {number}, {type(claimed).__name__} as entry {k}"
        yield name, log_bytes([*match.entries[:k], raw])


def _claim(honest: m.Message, rng: random.Random) -> m.Message:
    match honest:
        case m.Discard():
            other = rng.choice(({"card": rng.randrange(52)}, {"position": rng.randrange(12)}))
            return replace(honest, **other)
        case m.Lay():
            return lay_of_anything(honest, rng)
        case m.TakeDiscards(count, lay):
            return m.TakeDiscards(rng.choice((count, 2, 3, 31)), lay_of_anything(lay, rng))
    return nonsense(type(honest), honest, rng)


def cuts() -> Iterator[tuple[str, bytes]]:
    """Yield matches without their last entries, so that the settlement or the seeds are missing."""
    for name in (*WHOLE, "void-hand", "hollywood"):
        entries = read_log(GOLDEN / f"{name}.ginlog").entries
        for left_out in range(1, 5):
            yield f"{name} without the last {left_out}", log_bytes(entries[:-left_out])
