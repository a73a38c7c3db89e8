"""Logs in which something is wrong: broken by whoever held the file, or signed by a cheat."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ginpeer.store.log import log_bytes, read_log
from tests.campaign.same_verdict import GOLDEN, broken
from tests.cheating.cheat import RecordedMatch
from tests.fuzz.entries import Forger

WHOLE = ("disclosed-after-hand", "never-disclosed", "second-deck", "mahjong", "resigned")


def unsigned(rng: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """What needs no key: bits flipped anywhere, files cut, entries dropped, swapped, doubled,
    brought from other matches, bytes put in."""
    for number, (name, data) in enumerate(broken(rng, count)):
        which = number % 4
        if which == 3:  # broken() spares most of a log
            golden = rng.choice(WHOLE)
            path = GOLDEN / f"{golden}.ginlog"
            whole, entries = path.read_bytes(), list(read_log(path).entries)
            if rng.random() < 0.5:
                at = rng.randrange(len(whole))
                flipped = bytes([whole[at] ^ 1 << rng.randrange(8)])
                yield f"{golden}, a bit of byte {at}", whole[:at] + flipped + whole[at + 1 :]
            else:
                at = rng.randrange(len(entries))
                yield f"{golden}, entry {at} twice", log_bytes([*entries[: at + 1], *entries[at:]])
        else:
            yield name, data


def signed(
    rng: random.Random, count: int, recorded: list[RecordedMatch]
) -> Iterator[tuple[str, bytes]]:
    """What a player's own key signs: fields altered, cards and points swapped, other numbers,
    tables, histories, kinds, seeds, scores; in any place of a whole match."""
    for number in range(count):
        match = recorded[number % len(recorded)]
        forger = Forger(match, recorded, rng)
        k = forger.place()
        raw, by = forger.entry(k)
        rest = match.entries[k:] if rng.random() < 0.2 else ()
        yield f"signed {number}, entry {k} by {by}", log_bytes([*match.entries[:k], raw, *rest])
