"""Signed nonsense: whatever a key's owner puts its name to, the answer is a verdict.

Never an exception of a library or of ours, never a half-changed table, and never the blame on
the player who did not sign. Seeded, so that a failure comes again.
"""

from __future__ import annotations

import random

import pytest

from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.violations import Garbled, Refused, Unsupported, Violation
from protocol import messages as m
from protocol.entry import RawEntry
from tests.peer.cheat import RecordedMatch, laid_off, one_hand

ROUNDS = 40


def verdict_on(match: RecordedMatch, k: int, raw: bytes, by: int) -> str:
    """Submit it before entry k; the code it is refused with, or "" if it is legal after all."""
    referee = match.referee_at(k)
    table = referee.table
    refusal = None
    try:
        referee.admit(raw)
    except Refused as error:
        refusal = error
    if refusal is None:
        assert len(referee.entries) == k + 1
        return ""
    assert type(refusal) in (Garbled, Violation, Unsupported)
    assert refusal.sentence
    assert getattr(refusal, "seat", by) == by
    assert referee.table is table
    assert len(referee.entries) == k
    return refusal.code


def some_cards(choice: random.Random, most: int) -> tuple[int, ...]:
    return tuple(choice.randrange(52) for _ in range(choice.randrange(most + 1)))


def some_melds(choice: random.Random, cards: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Melds of anything, mostly of the cards shown, some of them real ones."""
    pool = cards if cards and choice.random() < 0.8 else tuple(range(52))
    melds = []
    for _ in range(choice.randrange(5)):
        size = min(choice.randrange(6), len(set(pool)))
        melds.append(tuple(sorted(choice.sample(sorted(set(pool)), size))))
    return tuple(melds)


def nonsense(kind: type[m.Message], honest: m.Message, choice: random.Random) -> m.Message:
    """A well-formed message of a kind, with anything in it."""
    cards = honest.cards if choice.random() < 0.6 else some_cards(choice, 12)
    if choice.random() < 0.3:
        cards = tuple(choice.sample(cards, len(cards)))
    melds = honest.melds if choice.random() < 0.3 else some_melds(choice, cards)
    if kind is m.Knock:
        discard = choice.choice((None, honest.discard, choice.randrange(52)))
        return m.Knock(honest.hand, honest.argument, cards, discard, melds, honest.opening)
    layoffs = tuple(
        m.LayOff(choice.choice(cards or (0,)), choice.randrange(4))
        for _ in range(choice.randrange(5))
    )
    return m.Spread(cards, melds, layoffs, honest.opening)


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


def test_any_signed_bytes_get_a_verdict() -> None:
    """Each entry of a match with a few bytes changed, moved, cut out or doubled, signed by
    either player. Lengths inside go wrong, so do kinds, numbers and points."""
    match, choice = one_hand(), random.Random("bytes")
    codes = set()
    for k, raw in enumerate(match.entries):
        body = RawEntry.split(raw).unverified_body
        for _ in range(ROUNDS):
            mutant = bytearray(body)
            for _ in range(choice.randrange(1, 4)):
                # Most of the structure is at the front.
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
            signed = one_hand().cheat(by).sign_bytes(bytes(mutant))
            codes.add(verdict_on(one_hand(), k, signed, by))
    assert {"not-canonical", "malformed", "wrong-table", "out-of-turn"} <= codes


def test_any_fields_in_any_message_get_a_verdict() -> None:
    """The honest message of each place with its byte fields cut, doubled, swapped or replaced,
    signed by its author: past the encoding, into the deck's own checks."""
    match, choice = one_hand(), random.Random("fields")
    codes = set()
    for k, step in enumerate(match.steps):
        cheat, table, honest = match.author(k), match.table_at(k), step.message
        fields = [
            name for name in honest.__dataclass_fields__ if type(getattr(honest, name)) is bytes
        ]
        for name in fields:
            value = getattr(honest, name)
            for lie in (
                b"",
                bytes(len(value)),
                b"\xff" * len(value),
                value[:-32],
                value + value[-32:],
                value[32:64] + value[:32] + value[64:],
                choice.randbytes(len(value)),
            ):
                message = object.__new__(type(honest))
                for field in honest.__dataclass_fields__:
                    object.__setattr__(
                        message, field, lie if field == name else getattr(honest, field)
                    )
                raw = cheat.sign(table, message, table=match.table_at(1).table_id)
                codes.add(verdict_on(match, k, raw, cheat.seat))
    assert {"bad-length", "bad-encoding", "bad-proof", "malformed", "cut-mismatch"} <= codes
