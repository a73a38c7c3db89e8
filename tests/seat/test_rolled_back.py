"""A seat that continues from an older copy of its store signs the same bytes again.

The copy dates from before the entry and its seeds, so it contains nothing that was drawn for the
entry, and all new randomness differs. The new entry is judged against the whole original match, as
by an opponent who has kept it. It must not convict the seat.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from ginpeer.referee.referee import Referee
from ginpeer.referee.table import GUEST, HOST, Awaiting
from ginpeer.referee.transitions import MalformedEntry, Violation
from ginpeer.rules.moves import TakeUpcard
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import MATCH_SEED, Close, Persist, PersistSeed, Seat, SeedLost, Send
from protocol import messages as m
from protocol.deck.secrets import cut_commitment
from protocol.entry import RawEntry
from tests.cheating.cheat import (
    Cheat,
    RecordedMatch,
    catch_up,
    choices,
    one_hand,
    seated,
    steady,
    tiny,
)
from tests.matches.table_pair import Chooser, TablePair, seeded_rng
from tests.matches.variants import laying
from tests.refusals import code_of
from tests.toy_group import toy_group

MATCHES: dict[str, tuple[str, m.Disclosure, Chooser]] = {
    "two hands": ("standard hands=2", m.Disclosure.AFTER_MATCH, steady),
    "seeds told after each hand": ("oklahoma hands=2", m.Disclosure.AFTER_HAND, steady),
    "second deck": ("oklahoma knock-limit=second-deck hands=2", m.Disclosure.AFTER_MATCH, steady),
    "mahjong": ("mahjong hands=1", m.Disclosure.AFTER_MATCH, laying),
    "no cut": ("straight first-dealer=guest hands=1", m.Disclosure.NEVER, steady),
}


@cache
def _of_toys(name: str) -> RecordedMatch:
    rules, disclosure, player = MATCHES[name]
    return RecordedMatch.of(
        TablePair(f"rolled back {name}", parse_ruleset(rules), disclosure).play(player)
    )


def signed_again(
    match: RecordedMatch, seat: int, player: Chooser = steady
) -> Iterator[tuple[int, bytes]]:
    """Yield the place of each entry of this seat, and the entry that it signs there after a
    rollback."""
    for k, step in enumerate(match.steps):
        if step.author == seat:
            yield k, first_entry(match, seat, k, player)


def first_entry(match: RecordedMatch, seat: int, k: int, player: Chooser) -> bytes:
    rolled_back = match.seat_at(seat, k, rng=seeded_rng(f"another time {seat} {k}"))
    mine = rolled_back.owes_choice()
    effects = rolled_back.play(player(rolled_back.view())) if mine else rolled_back.start()
    return next(effect.entry for effect in effects if isinstance(effect, Persist))


def refusal(referee: Referee, raw: bytes) -> str:
    """Return the code with which the referee refuses this entry as malformed. A Violation fails the
    test."""
    return code_of(MalformedEntry, referee.admit, raw)


def signs_the_same(match: RecordedMatch, player: Chooser) -> None:
    whole = match.referee_at(len(match))
    again = {k: raw for seat in (HOST, GUEST) for k, raw in signed_again(match, seat, player)}
    assert sorted(again) == list(range(len(match)))
    # A new offer begins a different match, and a new acceptance begins a different history.
    assert refusal(whole, again.pop(0)) == "wrong-table"
    assert refusal(whole, again.pop(1)) == "duplicate"
    assert {k for k, raw in again.items() if raw != match.entries[k]} == set()
    for raw in again.values():
        assert refusal(whole, raw) == "duplicate"


@pytest.mark.parametrize("name", list(MATCHES)[1:])
def test_a_seat_rolled_back_by_one_entry_is_never_convicted(name: str) -> None:
    with toy_group():
        signs_the_same(_of_toys(name), MATCHES[name][2])


def test_a_seat_rolled_back_by_one_entry_is_not_convicted_in_the_real_group() -> None:
    signs_the_same(one_hand(), steady)


@pytest.mark.parametrize("name", list(MATCHES)[1:])
def test_both_seats_rolled_back_to_the_acceptance_play_the_same_match_again(name: str) -> None:
    """Given the same choices, no randomness is drawn after the acceptance."""
    with toy_group():
        match = _of_toys(name)
        seats = [without_randomness(match, seat) for seat in (HOST, GUEST)]
        pair = seated(*seats)
        catch_up(pair)
        pair.play(MATCHES[name][2])
        assert tuple(pair.host.seat.entries) == match.entries
        assert [p.seeds for p in pair.performers] == list(match.seeds)


def no_randomness(length: int) -> bytes:
    raise AssertionError("randomness is drawn in the middle of a match")


def without_randomness(match: RecordedMatch, seat: int) -> Seat:
    """Return the seat just after the acceptance, without a source of randomness."""
    at = match.seat_at(seat, 2)
    at._rng = no_randomness
    return at


def test_a_different_choice_after_a_rollback_convicts() -> None:
    """A second choice can't be told from cheating (PROTOCOL 1.2)."""
    match = one_hand()
    k = next(
        k for k in choices(match, Awaiting.UPCARD) if isinstance(match.steps[k].message, m.Pass)
    )
    seat = match.steps[k].author
    raw = first_entry(match, seat, k, lambda view: TakeUpcard())
    with pytest.raises(Violation) as convicted:
        match.referee_at(len(match)).admit(raw)
    assert (convicted.value.code, convicted.value.seat) == ("fork", seat)


def test_a_second_acceptance_leads_to_other_secrets() -> None:
    """The guest accepts the same offer twice, with the same match seed in its store. If its half of
    the cut stayed the same, the host, which has seen it, could choose the result."""
    match = tiny()
    shown = set()
    for number in range(2):
        guest = match.seat_at(GUEST, 1, rng=seeded_rng(f"acceptance {number}"))
        guest._seeds = {MATCH_SEED: match.seeds[GUEST][MATCH_SEED]}
        list(guest.start())
        host = match.seat_at(HOST, 1)
        list(host.receive(guest.entries[1]))
        list(guest.receive(host.entries[2]))
        shown.add(RawEntry.split(guest.entries[3]).decode().message.value)
        shown.add(host._cut_half())
    assert len(shown) == 4


def test_all_seeds_of_a_match_differ() -> None:
    with toy_group():
        match = _of_toys("two hands")
    seeds = [seed for of_seat in match.seeds for seed in of_seat.values()]
    assert len(seeds) == len(set(seeds)) == 6


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_seat_from_an_older_copy_gets_its_entries_and_seeds_back(seat: int) -> None:
    """The copy is older than the hand. The opponent has the whole hand, and sends it."""
    with toy_group():
        match = _of_toys("two hands")
        k = choices(match, Awaiting.DISCARD)[0]
        old = without_randomness(match, seat)
        other = match.seat_at(1 - seat, k)
        assert set(old._seeds) == {MATCH_SEED}
        list(old.meet(other.position))
        for raw in match.entries[2:k]:
            effects = list(old.receive(raw))
            assert not any(isinstance(effect, Close) for effect in effects)
            kept = [effect for effect in effects if isinstance(effect, PersistSeed)]
            assert [(seed.hand, seed.seed) for seed in kept] in ([], [(1, match.seeds[seat][1])])
        assert old._seeds == {n: match.seeds[seat][n] for n in (MATCH_SEED, 1)}
        assert old.sync_pending() is None
        pair = seated(*((old, other) if seat == HOST else (other, old)))
        catch_up(pair)
        pair.play(steady)
        assert tuple(old.entries) == match.entries


def test_a_seed_that_cannot_be_derived_is_reported_as_lost() -> None:
    with toy_group():
        match = _of_toys("no cut")
        dealer = match.steps[match.find(m.DealCommit)].author
        k = choices(match, Awaiting.UPCARD)[0]
        old = match.seat_at(dealer, 2)
        old._seeds = {MATCH_SEED: bytes(32)}
        list(old.meet(match.seat_at(1 - dealer, k).position))
        for raw in match.entries[2 : k - 1]:
            list(old.receive(raw))
        assert set(old._seeds) == {MATCH_SEED}
        with pytest.raises(SeedLost, match="seed for hand 1"):
            list(old.receive(match.entries[k - 1]))


def test_a_guest_from_an_old_copy_shows_a_new_half_for_a_second_cut() -> None:
    """A host that could foresee the guest's half could choose its own to decide who deals (PROTOCOL
    5.7)."""
    match = one_hand()
    k = match.find(m.CutCommit)
    table = match.table_at(k)
    host = Cheat(HOST, match.identities[HOST], {})

    def half_for(value: bytes) -> bytes:
        commitment = m.CutCommit(cut_commitment(table.table_id, value))
        sent = [
            RawEntry.split(effect.entry).decode().message
            for effect in match.seat_at(GUEST, k).receive(host.sign(table, commitment))
            if isinstance(effect, Send)
        ]
        (said,) = sent
        assert isinstance(said, m.CutValue)
        return said.value

    halves = [half_for(bytes([n]) * 32) for n in (1, 2, 1)]
    assert halves[0] != halves[1]
    assert halves[0] == halves[2]
