"""Disclosed seeds, a second way to reach the verdict, and who fails the audit (cases 10 and
beyond)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.referee.table import Awaiting
from ginpeer.referee.transitions import Violation
from ginpeer.rules.cards import mask_of
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.seat.seat import Close, PersistEvidence
from protocol import messages as m
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import Element
from protocol.crypto.shuffle import Shuffle
from protocol.deck.secrets import HandSecrets
from protocol.deck.state import card_at
from tests.cheating.cheat import (
    ONE_HAND,
    Cheat,
    OtherKey,
    RecordedMatch,
    record,
    steady,
    two_hands,
    violation,
)
from tests.matches.table_pair import Chooser, TablePair
from tests.matches.variants import laying
from tests.protocol.deck_pair import read_hand

# tests/protocol/test_deck.py audits in the real group.
pytestmark = pytest.mark.usefixtures("in_the_toy_group_unless_deep")


@cache
def disclosed(disclosure: m.Disclosure) -> RecordedMatch:
    """Return a match of two hands with this option."""
    return record("m3", parse_ruleset("standard hands=2"), disclosure)


# --- honest disclosure ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("disclosure", "expected"),
    [
        (m.Disclosure.AFTER_MATCH, {(1, 0), (1, 1), (2, 0), (2, 1)}),
        (m.Disclosure.AFTER_HAND, {(1, 0), (1, 1), (2, 0), (2, 1)}),
        (m.Disclosure.NEVER, set()),
    ],
)
def test_every_option_plays_to_a_valid_end(
    disclosure: m.Disclosure, expected: set[tuple[int, int]]
) -> None:
    match = disclosed(disclosure)
    table = match.table_at(len(match))
    assert table.finished
    assert {(seed.hand, seed.seat) for seed in table.seeds} == expected
    for seed in table.seeds:
        assert match.seeds[seed.seat][seed.hand] == seed.seed


def test_the_audit_covers_everything_that_a_seed_determines() -> None:
    """The audit checks eleven shares in the deal, one for each card drawn, and every opened
    card."""
    match = two_hands()
    for record_of_hand in match.table_at(len(match)).records:
        steps = [s for s in match.steps if s.before.hand_number == record_of_hand.number]
        for seat, player in enumerate(record_of_hand.players):
            own = [s.message for s in steps if s.author == seat]
            assert player is not None
            assert player.deal is not None
            given = [len(shares.cards) for shares in player.shares]
            assert given == [11] + [1] * sum(isinstance(x, m.Share) for x in own)
            opened = [opening.shown for opening in player.openings]
            assert opened == [
                (x.card,) if isinstance(x, m.Discard) else x.cards
                for x in own
                if isinstance(x, m.Discard | m.Knock | m.Spread)
            ]
            riffled = [x for x in own if isinstance(x, m.Discard | m.Knock)]
            assert len(player.riffles) == len(riffled)


def test_seeds_are_disclosed_when_the_option_says() -> None:
    """Seeds are disclosed before the next deal, host first; or after both have settled; or not at
    all."""
    kinds = {
        option: [type(step.message) for step in disclosed(option).steps] for option in m.Disclosure
    }
    assert m.Disclose not in kinds[m.Disclosure.NEVER]
    assert kinds[m.Disclosure.NEVER][-2:] == [m.Settle, m.Settle]
    end = [m.Settle, m.Settle, m.Disclose, m.Disclose]
    assert kinds[m.Disclosure.AFTER_MATCH][-4:] == end
    assert kinds[m.Disclosure.AFTER_MATCH].count(m.Disclose) == 2
    after_hand = kinds[m.Disclosure.AFTER_HAND]
    assert after_hand[-4:] == [m.Disclose, m.Disclose, m.Settle, m.Settle]
    first = after_hand.index(m.Disclose)
    assert after_hand[first - 1 : first + 3] == [m.Spread, m.Disclose, m.Disclose, m.DealCommit]


def test_both_seeds_of_a_hand_open_the_whole_deck() -> None:
    """The deck has 52 different cards, including the hands, the upcard and the stock."""
    match = two_hands()
    for k in [s.sequence for s in match.steps if type(s.message) is m.DealShares]:
        table = match.table_at(k + 1)
        host, guest = (HandSecrets(match.seeds[seat][table.hand_number]) for seat in (0, 1))
        key = host.key + guest.key
        cards = [card_at(card.unmask(key)) for card in table.deck.cards]
        assert sorted(cards) == list(range(52))
        assert cards[20] == table.deck.upcard
        for seat, secrets in enumerate((host, guest)):
            dealt = [cards[place] for place in table.deck.shared_places(1 - seat)[:10]]
            assert list(read_hand(table.deck.hands[seat], secrets)) == dealt


def test_disclosed_seeds_open_every_hand_at_every_moment() -> None:
    match = two_hands()
    for step in match.steps:
        table = step.after
        if table.hand is None or table.awaiting is Awaiting.SHARE:
            continue
        for seat in (0, 1):
            secrets = HandSecrets(match.seeds[seat][table.hand_number])
            cards = read_hand(table.deck.hands[seat], secrets)
            if table.hand.result is None:
                table.hand.knowing(seat, mask_of(cards))  # raises if the table disagrees


# --- seeds that are not the ones committed to ------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("option", [m.Disclosure.AFTER_MATCH, m.Disclosure.AFTER_HAND])
def test_a_seed_must_match_its_commitment(option: m.Disclosure, seat: int) -> None:
    match = disclosed(option)
    k = match.find(m.Disclose, lambda step: step.author == seat)
    cheat, table = match.cheat(seat), match.table_at(k)
    honest = match.steps[k].message.seeds
    for place in range(len(honest)):
        changed = bytes([honest[place][0] ^ 1]) + honest[place][1:]
        others = HandSecrets(match.seeds[1 - seat][1]).seed
        for lie in (bytes(32), changed, others):
            seeds = (*honest[:place], lie, *honest[place + 1 :])
            raw = cheat.sign(table, m.Disclose(seeds))
            violation(match, k, raw, "seed-mismatch", by=seat)
    if len(honest) > 1:
        raw = cheat.sign(table, m.Disclose(honest[::-1]))
        violation(match, k, raw, "seed-mismatch", by=seat)


@pytest.mark.parametrize("count", [0, 1, 3, m.MAX_SEEDS])
def test_every_committed_seed_is_owed_once(count: int) -> None:
    match = two_hands()
    k = match.find(m.Disclose)
    cheat, table = match.author(k), match.table_at(k)
    seeds = (match.steps[k].message.seeds * m.MAX_SEEDS)[:count]
    violation(match, k, cheat.sign(table, m.Disclose(seeds)), "wrong-seed-count", by=cheat.seat)


# --- valid proofs of hands that the seed doesn't explain ------------------------------------


class OtherShuffle(HandSecrets):
    """Secrets that shuffle the deck into a chosen order. The argument is valid."""

    def deal_shuffle(self, key: Element, before: Sequence[Ciphertext]) -> Shuffle:
        backwards = tuple(reversed(range(len(before))))
        return replace(super().deal_shuffle(key, before), permutation=backwards)


class OtherBlindings(HandSecrets):
    """Secrets that shuffle into the right order, with blindings that the seed doesn't give."""

    def deal_shuffle(self, key: Element, before: Sequence[Ciphertext]) -> Shuffle:
        blindings = tuple(range(1, len(before) + 1))
        return replace(super().deal_shuffle(key, before), blindings=blindings)


class OtherRiffle(HandSecrets):
    """Secrets that riffle into an order that reveals the position of the card just drawn."""

    def riffle(self, before: Sequence[Ciphertext]) -> Shuffle:
        return replace(super().riffle(before), permutation=tuple(range(len(before))))


class RepeatedRiffle(HandSecrets):
    """Secrets that mask every hand with the blindings of its first one."""

    first: Shuffle | None = None

    def riffle(self, before: Sequence[Ciphertext]) -> Shuffle:
        made = super().riffle(before)
        self.first = self.first or made
        return replace(made, blindings=self.first.blindings)


class OtherToss(HandSecrets):
    """Secrets with a half of the toss for the knock card that doesn't come from the seed."""

    @property
    def toss(self) -> bytes:  # type: ignore[override]
        return b"\x07" * 32


def play_with(
    secrets: Callable[[bytes], HandSecrets],
    liar: int,
    option: m.Disclosure,
    rules: RuleSet = ONE_HAND,
    player: Chooser = steady,
) -> TablePair:
    """Return a match in which one client doesn't derive all of its secrets from the seed."""
    pair = TablePair("m1", rules, option)
    seat = pair.performers[liar].seat
    made: dict[int, HandSecrets] = {}

    def hand_secrets() -> HandSecrets:
        number = seat.table.hand_number
        if number not in made:
            made[number] = secrets(seat._seeds[number])
        return made[number]

    seat._hand_secrets = hand_secrets  # type: ignore[method-assign]
    # The cheat's own referee is honest and wouldn't send the entry.
    with pytest.raises(Violation) as own:
        pair.play(player)
    assert own.value.code == "audit-failed"
    pair.settle()
    return pair


SECOND_DECK = parse_ruleset("standard knock-limit=second-deck target=1")


@pytest.mark.parametrize(
    ("secrets", "liar", "rules", "player"),
    [
        (OtherShuffle, 0, ONE_HAND, steady),
        (OtherBlindings, 1, ONE_HAND, steady),
        (OtherKey, 0, ONE_HAND, steady),
        (OtherKey, 1, ONE_HAND, steady),
        (OtherRiffle, 1, ONE_HAND, steady),
        (OtherRiffle, 0, parse_ruleset("mahjong target=1"), laying),
        (RepeatedRiffle, 0, ONE_HAND, steady),
        (OtherToss, 0, SECOND_DECK, steady),
        (OtherToss, 1, SECOND_DECK, steady),
    ],
)
def test_the_audit_detects_values_not_derived_from_the_seed(
    secrets: type[HandSecrets], liar: int, rules: RuleSet, player: Chooser
) -> None:
    pair = play_with(secrets, liar, m.Disclosure.AFTER_MATCH, rules, player)
    honest = pair.performers[1 - liar]
    table = honest.seat.table
    assert (table.awaiting, table.owed_by) == (Awaiting.DISCLOSE, liar)
    log = tuple(honest.seat.entries)
    cheat = Cheat(liar, pair.identities[liar], pair.performers[liar].seeds)
    raw = cheat.sign(table, m.Disclose(tuple(cheat.seeds[n] for n in table.undisclosed(liar))))
    evidence, close = honest.seat.receive(raw)
    assert evidence == PersistEvidence(table.table_id, (*log, raw))
    assert isinstance(close, Close)
    assert (close.code, close.failure) == ("audit-failed", "B")
    assert tuple(honest.seat.entries) == log

    verdict = judge((*log, raw))
    assert verdict.finding is Finding.FORGED
    assert (verdict.code, verdict.culprit, verdict.entries) == ("audit-failed", liar, len(log))


def test_after_every_hand_the_audit_comes_before_the_next_deal() -> None:
    pair = play_with(OtherRiffle, 0, m.Disclosure.AFTER_HAND)
    table = pair.guest.seat.table
    assert (table.awaiting, table.owed_by, table.hand_number) == (Awaiting.DISCLOSE, 0, 1)


def test_without_disclosure_only_the_proofs_are_judged() -> None:
    """As PROTOCOL says, nothing shows then that a shuffle came from a seed. Nothing needs to: the
    proofs alone show that it was a shuffle."""
    pair = TablePair("m1", ONE_HAND, m.Disclosure.NEVER)
    seat = pair.host.seat
    made: dict[int, HandSecrets] = {}
    seat._hand_secrets = lambda: made.setdefault(  # type: ignore[method-assign]
        seat.table.hand_number, OtherRiffle(seat._seeds[seat.table.hand_number])
    )
    pair.play(steady)
    assert pair.guest.seat.table.finished
