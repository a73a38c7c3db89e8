"""Signed nonsense: whatever a key's owner signs, the answer is a verdict.

It is never another exception or a half-changed table, and it never blames the player who didn't
sign. The tests are seeded, so that a failure can be reproduced.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.transitions import MalformedEntry, RefusedEntry, UnsupportedEntry, Violation
from protocol import messages as m
from protocol.entry import RawEntry
from tests.cheating.cheat import RecordedMatch, laid_off, one_hand
from tests.cheating.claims import lay_of_anything, nonsense
from tests.cheating.lies import inner, unchecked
from tests.matches.variants import mahjong, second_deck

pytestmark = pytest.mark.usefixtures("in_the_toy_group")

ROUNDS = 15
MATCHES = [one_hand, mahjong, second_deck]


def verdict_on(match: RecordedMatch, k: int, raw: bytes, by: int) -> str:
    """Submit these bytes in place of entry k; return the refusal code, or "" if they are legal
    after all."""
    referee = match.referee_at(k)
    table = referee.table
    refusal = None
    try:
        referee.admit(raw)
    except RefusedEntry as error:
        refusal = error
    if refusal is None:
        assert len(referee.entries) == k + 1
        return ""
    assert type(refusal) in (MalformedEntry, Violation, UnsupportedEntry)
    assert refusal.sentence
    assert getattr(refusal, "seat", by) == by
    assert referee.table is table
    assert len(referee.entries) == k
    return refusal.code


@pytest.mark.parametrize("kind", [m.Knock, m.Spread])
def test_any_claim_about_a_hand_gets_a_verdict(kind: type[m.Message]) -> None:
    choice = random.Random(f"claims {kind.__name__}")
    codes = set()
    for match in (one_hand(), laid_off()):
        k = match.find(kind)
        cheat, table = match.author(k), match.table_at(k)
        for _ in range(8 * ROUNDS):
            message = nonsense(kind, match.steps[k].message, choice)
            codes.add(verdict_on(match, k, cheat.sign(table, message), cheat.seat))
    assert {"wrong-hand", "not-a-meld", "card-used-twice", "card-not-held"} <= codes


def test_any_claim_about_a_lay_gets_a_verdict() -> None:
    choice, match, codes = random.Random("lays"), mahjong(), set()
    for k, step in enumerate(match.steps):
        if not isinstance(step.message, m.Lay | m.TakeDiscards):
            continue
        cheat, table, honest = match.author(k), match.table_at(k), step.message
        for _ in range(8 * ROUNDS):
            message: m.Message = lay_of_anything(inner(honest), choice)
            if isinstance(honest, m.TakeDiscards):
                count = choice.choice((2, 3, 3, 4, 31))
                message = m.TakeDiscards(count, lay_of_anything(honest.lay, choice))
            codes.add(verdict_on(match, k, cheat.sign(table, message), cheat.seat))
    assert {
        *("wrong-cards", "card-used-twice", "not-a-meld", "add-does-not-fit", "card-not-held"),
        *("lowest-not-laid", "pile-too-small", "unreadable-move"),
    } <= codes


@pytest.mark.parametrize("recorded", MATCHES)
@pytest.mark.deep(keep=1)
def test_any_signed_bytes_get_a_verdict(recorded: Callable[[], RecordedMatch]) -> None:
    """Change, move, remove or double a few bytes of each entry of a match, and sign it as either
    player. This breaks inner lengths, kinds, numbers and points."""
    match, choice = recorded(), random.Random("lengths, bytes")
    codes = set()
    for k, raw in enumerate(match.entries):
        body = RawEntry.split(raw).unverified_body
        for _ in range(2 * ROUNDS):
            mutant = bytearray(body)
            for _ in range(choice.randrange(1, 4)):
                # Most of the structure is at the beginning.
                at = choice.randrange(min(len(mutant), choice.choice((90, 200, 10_000))))
                match choice.randrange(4):
                    case 0:
                        mutant[at] = choice.randrange(256)
                    case 1:
                        mutant[at] ^= 1 << choice.randrange(8)
                    case 2:
                        del mutant[at : at + choice.randrange(1, 5)]
                    case 3:
                        mutant[at:at] = mutant[at : at + choice.randrange(1, 40)]
                if len(mutant) < 2:
                    mutant = bytearray(body)
            by = choice.choice((HOST, GUEST))
            signed = match.cheat(by).sign_bytes(bytes(mutant))
            codes.add(verdict_on(match, k, signed, by))
    assert {"not-canonical", "malformed", "wrong-table", "out-of-turn"} <= codes


@pytest.mark.parametrize("recorded", MATCHES)
@pytest.mark.deep(keep=1)
def test_any_fields_in_any_message_get_a_verdict(recorded: Callable[[], RecordedMatch]) -> None:
    """Cut, double, swap or replace the byte fields of the honest message at each place, and sign it
    as its author. Such messages can be decoded, so they reach the deck's own checks."""
    match, choice = recorded(), random.Random("fields")
    codes = set()
    for k, step in enumerate(match.steps):
        cheat, table, honest = match.author(k), match.table_at(k), step.message
        part = inner(honest)
        fields = [name for name in part.__dataclass_fields__ if type(getattr(part, name)) is bytes]
        for name in fields:
            value = getattr(part, name)
            for lie in (
                b"",
                bytes(len(value)),
                b"\xff" * len(value),
                value[:-32],
                value + value[-32:],
                value[32:64] + value[:32] + value[64:],
                choice.randbytes(len(value)),
            ):
                message = unchecked(part, **{name: lie})
                if isinstance(honest, m.TakeDiscards):
                    message = m.TakeDiscards(honest.count, message)
                raw = cheat.sign(table, message, table=match.table_at(1).table_id)
                codes.add(verdict_on(match, k, raw, cheat.seat))
    assert {"bad-length", "bad-encoding", "bad-proof", "malformed", "cut-mismatch"} <= codes
