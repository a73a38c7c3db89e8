"""Faulty logs: damaged by anybody who had the file, or signed by a cheat."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.store.log import log_bytes, read_log
from protocol import messages as m
from tests.campaign.same_verdict import GOLDEN, broken
from tests.cheating.cheat import RecordedMatch, steady
from tests.cheating.claims import lay_of_anything, nonsense
from tests.fuzz.entries import Forger
from tests.matches.table_pair import TablePair
from tests.matches.variants import laying

MATCHES = (
    "classic target=40 stake=5",
    "tournament target=30 best-of=3",
    "oklahoma target=40",
    "oklahoma-floating target=40",
    "straight target=60",
    "tedesco target=60",
    "around-the-corner tie=nobody target=30",
    "mahjong spades-double=yes target=120",
    "hollywood target=30",
    "oklahoma next-dealer=loser knock-limit=second-deck target=30",
    "standard first-dealer=guest next-dealer=winner opening=either-pile target=30",
    "oklahoma hollywood multi-match target=20",
    "classic target=60 lead-of-fifty-loses=yes",
    "around-the-corner mahjong wall=last-discard hands=2",
    "standard swap-limit=4 tie=no-bonus hands=3",
    "tedesco hands=3 columns=1",
)
"""Together, these have every preset, and most values of every parameter."""

WHOLE = ("disclosed-after-hand", "never-disclosed", "second-deck", "mahjong", "resigned")


def unsigned(rng: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield logs changed without a key: flipped bits, cut files, and entries dropped, swapped,
    doubled or inserted."""
    for number, (name, data) in enumerate(broken(rng, count)):
        which = number % 4
        if which == 3:  # because broken() changes little of a log
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
    """Yield logs with an entry that a player's own key signed: with other fields, cards, points,
    numbers, tables, histories, kinds, seeds or scores, anywhere in a whole match."""
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
    """Yield whole matches without their last entries, so not settled or not disclosed."""
    for name in (*WHOLE, "void-hand", "hollywood"):
        entries = read_log(GOLDEN / f"{name}.ginlog").entries
        for left_out in range(1, 5):
            yield f"{name} without the last {left_out}", log_bytes(entries[:-left_out])


def matches() -> Iterator[tuple[str, bytes]]:
    """Yield whole matches of several hands, in each of the three ways to disclose seeds."""
    for number, text in enumerate(MATCHES):
        rules, disclosure = parse_ruleset(text), list(m.Disclosure)[number % 3]
        player = laying if rules.mahjong else steady
        pair = TablePair(f"page {number}", rules, disclosure).play(player)
        yield f"a match by {text}", log_bytes(pair.host.stored)
