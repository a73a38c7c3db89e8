"""The deck of a match as the stranger computes it: the stranger refuses the same entries as the
referee."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import pytest

from ginpeer.referee.transitions import RefusedEntry
from ginpeer.rules.ruleset import parse_ruleset
from protocol import messages as m
from tests.cheating.cheat import RecordedMatch, record, tiny
from tests.matches.table_pair import TablePair
from tests.matches.variants import laying
from tests.stranger.deck import Deck
from tests.stranger.proofs import Place, seed_commitment
from tests.stranger.refusal import Refusal

PROOF_CODES = ("bad-length", "bad-encoding", "bad-proof")
PROVEN = {
    m.DealKey: ("key", "possession"),
    m.DealDeck: ("key", "possession", "deck", "argument"),
    m.DealShuffle: ("deck", "argument", "shares", "proof"),
    m.DealShares: ("shares", "proof"),
    m.Share: ("share", "proof"),
    m.Discard: ("hand", "argument", "opening"),
    m.Knock: ("hand", "argument", "opening"),
    m.Spread: ("opening",),
}
"""The fields with elements, scalars and proofs, by kind of message."""


class Decks:
    """The effect of a match's entries on the decks of its hands. It relies on the referee for the
    rules."""

    def __init__(self) -> None:
        self.hands: list[Deck] = []
        self.pile: list[int] = []
        self.disclosed = [0, 0]

    def admit(self, place: Place, message: m.Message) -> None:
        """Raise Refusal if a proof in the message is invalid."""
        fields, seat = asdict(message), place.seat
        if isinstance(message, m.DealCommit):
            self.hands.append(Deck(second=message.toss != b""))
            self.pile = []
        deck = self.hands[-1] if self.hands else None
        if deck is None:
            return
        match message:
            case m.DealCommit(commitment) | m.DealKey(commitment):
                deck.commitments[seat] = commitment
                if isinstance(message, m.DealKey):
                    deck.deal_key(place, fields)
            case m.DealDeck():
                deck.deal_deck(place, fields)
            case m.DealShuffle():
                deck.deal_shuffle(place, fields)
            case m.DealShares():
                deck.deal_shares(place, fields)
                self.pile = [] if deck.second else [deck.turn_upcard()]
            case m.TakeUpcard():
                deck.take(seat, [self.pile.pop()])
            case m.TakeDiscards(count, lay):
                deck.take(seat, self.pile[-count:])
                del self.pile[-count:]
                deck.riffle_and_open(place, asdict(lay), lay.positions, lay.cards)
            case m.Share():
                deck.share(place, fields)
            case m.Discard():
                deck.riffle_and_open(place, fields, [message.position], [message.card])
                self.pile.append(message.card)
            case m.Lay():
                deck.riffle_and_open(place, fields, message.positions, message.cards)
            case m.Knock():
                held = range(len(deck.held[seat]))
                deck.riffle_and_open(place, fields, held, message.cards)
            case m.Spread():
                deck.open(place, fields)
            case m.Disclose(seeds):
                for seed in seeds:
                    self.disclose(place, seed)

    def disclose(self, place: Place, seed: bytes) -> None:
        self.disclosed[place.seat] += 1
        number = self.disclosed[place.seat]
        deck = self.hands[number - 1]
        deck.check_seed(place.table, number, place.seat, seed)
        deck.audit(place.table, number, place.seat, seed)


def place_of(match: RecordedMatch, k: int) -> Place:
    table = match.table_at(k)
    author = match.steps[k].author
    return Place(table.table_id or bytes(32), k, table.head, table.hand_number, author)


def follow(match: RecordedMatch) -> Iterator[tuple[int, Decks]]:
    """Yield the decks before each entry."""
    decks = Decks()
    for k, step in enumerate(match.steps):
        yield k, decks
        decks.admit(place_of(match, k), step.message)
    assert decks.disclosed == [len(decks.hands)] * 2


@cache
def played(rules: str) -> RecordedMatch:
    if "mahjong" in rules:
        return RecordedMatch.of(TablePair("stranger", parse_ruleset(rules)).play(laying))
    return record("stranger", parse_ruleset(rules))


@pytest.mark.parametrize(
    "rules",
    [
        "mahjong target=1",
        "standard target=1",
        "standard target=1 knock-limit=second-deck",
        "standard hands=3",
    ],
)
@pytest.mark.deep  # the match below is tested by default, entry by entry
def test_every_proof_and_every_seed_of_a_match_is_valid(rules: str) -> None:
    for _ in follow(played(rules)):
        pass


def falsehoods(message: m.Message, rng: random.Random) -> Iterator[m.Message]:
    """For each field of elements, scalars or proofs, yield the message with a false value in it."""
    for name in PROVEN.get(type(message), ()):
        value = getattr(message, name)
        at = rng.randrange(max(len(value) // 32, 1)) * 32
        false = [
            *(value[:-1], value + b"\1", value[:at] + b"\xff" * 32 + value[at + 32 :]),
            *(value[:at] + bytes(32) + value[at + 32 :], value[32:] + value[:32]),
        ]
        yield replace(message, **{name: rng.choice([v for v in false if v != value])})


def refused_by_the_referee(match: RecordedMatch, k: int, lie: m.Message) -> str | None:
    try:
        match.referee_at(k).admit(match.author(k).sign(match.table_at(k), lie))
    except RefusedEntry as error:
        return error.code
    return None


def refused_by_the_stranger(decks: Decks, place: Place, lie: m.Message) -> str | None:
    try:
        copy.deepcopy(decks).admit(place, lie)
    except Refusal as refusal:
        return refusal.code
    return None


def test_stranger_and_referee_refuse_every_false_field_with_the_same_code() -> None:
    """Compare only the codes of proofs: the stranger doesn't know what the rules refuse before."""
    match, rng, seen = tiny(), random.Random("fields"), set()
    for k, decks in follow(match):
        for lie in falsehoods(match.steps[k].message, rng):
            code = refused_by_the_referee(match, k, lie)
            if code in PROOF_CODES:
                assert refused_by_the_stranger(decks, place_of(match, k), lie) == code, (k, lie)
                seen.add((type(lie).__name__, code))
    assert {code for _, code in seen} == {*PROOF_CODES}
    assert {name for name, _ in seen} == {kind.__name__ for kind in PROVEN}


def test_a_wrong_seed_is_detected() -> None:
    """Try a seed that isn't the committed one, and a committed one that the hand wasn't dealt
    from."""
    match = tiny()
    k = match.find(m.Disclose)
    decks = next(copy.deepcopy(decks) for at, decks in follow(match) if at == k)
    place, other = place_of(match, k), bytes(32)
    lie = m.Disclose((other,))
    assert refused_by_the_stranger(decks, place, lie) == "seed-mismatch"
    committed: Any = decks.hands[0].commitments
    committed[place.seat] = seed_commitment(place.table, 1, place.seat, other)
    assert refused_by_the_stranger(decks, place, lie) == "audit-failed"
