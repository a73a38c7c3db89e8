"""A seat that stopped at any moment continues from what it had stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import pytest

from ginpeer.referee.table import GUEST, HOST, Awaiting
from ginpeer.referee.transitions import MalformedEntry, RefusedEntry
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import MATCH_SEED, Close, Effect, Persist, PersistSeed, Seat, SeedLost, Send
from protocol import messages as m
from protocol.crypto.identity import IdentityKey
from protocol.entry import RawEntry
from tests.cheating.cheat import (
    TINY,
    RecordedMatch,
    catch_up,
    choices,
    record,
    seated,
    steady,
    tiny,
)
from tests.matches.table_pair import Chooser, TablePair
from tests.refusals import code_of
from tests.seat.support import new_seat

# These tests are about which entries follow from which seeds, not about proofs.
pytestmark = pytest.mark.usefixtures("in_the_toy_group")


def restore(
    match: RecordedMatch, seat: int, entries: Sequence[bytes], seeds: Mapping[int, bytes]
) -> Seat:
    """Restore a seat by its public method, with randomness that no seat has used before."""
    rng = f"after the crash {seat} {len(entries)}"
    return new_seat(match, seat, rng).restore(entries, seeds)


def goes_on(match: RecordedMatch, restored: Seat, other: Seat, player: Chooser = steady) -> None:
    """Play both seats to the end, and check that it is the end of the original match."""
    had = tuple(restored.entries)
    seeds = dict(restored._seeds), dict(other._seeds)
    pair = seated(*((restored, other) if restored.seat == HOST else (other, restored)))
    catch_up(pair)
    pair.play(player)
    assert (
        pair.host.closed
        == pair.guest.closed
        == Close("finished", "The match is finished, and both players have signed it.", None)
    )
    assert pair.host.stored == pair.guest.stored == list(restored.entries)
    assert tuple(restored.entries[: len(had)]) == had
    if all(1 in known for known in seeds):
        # Both hand seeds had been drawn, so the deck and the hands are the same.
        for seat in (HOST, GUEST):
            assert pair.performers[seat].seeds[1] == match.seeds[seat][1]
        was, now = match.table_at(len(match)), restored.table
        assert now.match.results[0] == was.match.results[0]
        assert [kind(raw) for raw in restored.entries] == [kind(raw) for raw in match.entries]


def kind(raw: bytes) -> type[m.Message]:
    return type(RawEntry.split(raw).decode().message)


# --- at every entry -----------------------------------------------------------------------


# Before entry 6, the seeds of the hand aren't drawn yet, so a different deal follows.
@pytest.mark.parametrize("k", [1, 4, *range(6, TINY + 1)])
def test_a_seat_restored_at_any_entry_plays_to_the_same_end(k: int) -> None:
    """The other side has all stored entries, except the last one if this seat hadn't sent it."""
    match, seat = tiny(), k % 2  # the other seat is tested below, after every effect
    restored = restore(match, seat, match.entries[:k], match.seeds_at(seat, k))
    assert restored.table == match.table_at(k)
    sent = k - 1 if match.steps[k - 1].author == seat else k
    goes_on(match, restored, match.seat_at(1 - seat, sent))


# --- after every effect --------------------------------------------------------------------


@dataclass
class Stored:
    """Records the entries and seeds that a seat has stored, and the entries that it has sent."""

    entries: list[bytes]
    seeds: dict[int, bytes]
    sent: list[bytes] = field(default_factory=list)

    def perform(self, effect: Effect) -> None:
        match effect:
            case PersistSeed(_, hand, seed):
                assert hand not in self.seeds, "a stored seed is drawn again"
                self.seeds[hand] = seed
            case Persist(_, entry):
                self.entries.append(entry)
            case Send(entry):
                assert entry in self.entries
                self.sent.append(entry)


def activities(match: RecordedMatch, seat: int) -> Iterator[tuple[int, Iterator[Effect]]]:
    """Yield the effects of everything that a seat does in a match, with the number of the first
    entry of each."""
    for k, step in enumerate(match.steps):
        if step.author != seat:
            yield k, match.seat_at(seat, k).receive(match.entries[k])
        elif k in {k for awaiting in CHOICES for k in choices(match, awaiting)}:
            mine = match.seat_at(seat, k)
            yield k, mine.play(steady(mine.view()))


CHOICES = (Awaiting.UPCARD, Awaiting.DRAW, Awaiting.DISCARD, Awaiting.SPREAD)


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_seat_that_stops_after_any_effect_signs_no_place_twice(seat: int) -> None:
    """Stop after each effect in turn, restart from what is stored, and do what the seat owes.

    What was sent doesn't change: no second entry is signed for a place whose entry was sent, and no
    seed is drawn if one is stored. The other seat accepts everything.
    """
    match = tiny()
    seen: set[tuple[int, int]] = set()
    for k, effects in activities(match, seat):
        disk = Stored(list(match.entries[:k]), match.seeds_at(seat, k))
        for effect in effects:
            disk.perform(effect)
            state = (len(disk.entries), len(disk.seeds))
            if state in seen:
                continue
            seen.add(state)
            restored = restore(match, seat, disk.entries, disk.seeds)
            after = Stored(list(disk.entries), dict(disk.seeds))
            for more in restored.start():
                after.perform(more)
            places = [RawEntry.split(raw).decode().sequence for raw in disk.sent + after.sent]
            assert len(places) == len(set(places)), "a place was signed and sent twice"
            assert all(raw in restored.entries for raw in disk.sent)
            has = k if match.steps[k].author == seat else k + 1
            other = match.seat_at(1 - seat, has)
            for raw in after.entries[has:]:
                assert not any(isinstance(e, Close) and e.failure for e in other.receive(raw))
            assert len(other.entries) >= len(after.entries)
    assert len(seen) > len(match) // 2


def test_a_seed_stored_without_its_entry_gives_the_same_deck() -> None:
    match = tiny()
    for seat, made in ((HOST, m.DealCommit), (GUEST, m.DealCommit)):
        k = match.find(made)
        if match.steps[k].author != seat:
            k = match.find(m.DealKey)
        seeds = {**match.seeds_at(seat, k), 1: match.seeds[seat][1]}
        restored = restore(match, seat, match.entries[:k], seeds)
        effects = list(restored.start())
        assert not any(isinstance(effect, PersistSeed) for effect in effects)
        commitment = restored.table.records[0].players[seat].commitment
        assert commitment == match.table_at(len(match)).records[0].players[seat].commitment


# --- what cannot be restored ---------------------------------------------------------------


def test_an_invalid_log_is_not_restored() -> None:
    match = tiny()
    for k in (0, 3, 8, len(match) - 1):
        entries = list(match.entries)
        entries[k] = entries[k][:-1] + bytes([entries[k][-1] ^ 1])
        with pytest.raises(RefusedEntry):
            restore(match, HOST, entries, match.seeds[HOST])


def test_a_log_of_other_players_is_not_restored() -> None:
    match, k = tiny(), 5
    stranger = IdentityKey(bytes(32))
    for seat in (HOST, GUEST):
        for identity, peer in (
            (stranger, match.identities[1 - seat].public),
            (match.identities[seat], stranger.public),
        ):
            ours = new_seat(match, seat, identity=identity, peer_key=peer)
            assert code_of(MalformedEntry, ours.restore, match.entries[:k], {}) == "unexpected-key"


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_lost_seed_is_reported_at_once(seat: int) -> None:
    """It is reported when the match is restored, not later when a message can't be made."""
    match = tiny()
    for k in range(len(match)):
        seeds = match.seeds_at(seat, k)
        for number in seeds:
            undisclosed = match.table_at(k).undisclosed(seat)
            needed = number in undisclosed
            if number == MATCH_SEED:  # from the host's commitment to the cut until its reveal
                needed = seat == HOST and k in (3, 4)
            changed = {**seeds, number: bytes(32)}
            lost = {n: seed for n, seed in seeds.items() if n != number}
            for stored in (changed, lost):
                if not needed:
                    restore_quickly(match, seat, k, stored)
                    continue
                assert code_of(SeedLost, restore_quickly, match, seat, k, stored) == "seed-lost"


def test_a_half_of_the_cut_shown_in_the_log_is_not_used_as_a_seed() -> None:
    """Earlier versions of the program stored the half itself as the match seed."""
    match = tiny()
    k = match.find(m.CutReveal)
    shown = RawEntry.split(match.entries[k]).decode().message
    assert isinstance(shown, m.CutReveal)
    for at in range(k + 1, len(match)):
        with pytest.raises(SeedLost):
            restore_quickly(match, HOST, at, {**match.seeds_at(HOST, at), MATCH_SEED: shown.value})


def restore_quickly(match: RecordedMatch, seat: int, k: int, seeds: Mapping[int, bytes]) -> None:
    """Do only the last step of restoring a seat, without admitting the entries again."""
    at = match.seat_at(seat, k)
    at._seeds = dict(seeds)
    at._check_seeds()


@cache
def undisclosed() -> RecordedMatch:
    return record("m3", disclosure=m.Disclosure.NEVER)


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_match_that_is_over_needs_no_seeds(seat: int) -> None:
    """Thus a player who lacks the end can get it, even if the seeds are lost."""
    for match in (tiny(), undisclosed()):
        restored = restore(match, seat, match.entries, {})
        assert restored.table.finished
        assert [effect.code for effect in restored.start()] == ["finished"]


def test_a_guest_told_not_to_offer_does_everything_else_it_owes() -> None:
    """If an unfinished match would be put aside, both seats are told not to offer, but only the
    host waits."""
    pair = TablePair("waits with its offer", parse_ruleset("standard hands=1"))
    pair.guest.seat._offers = False
    pair.play(steady)
    assert pair.guest.closed is not None
    assert pair.guest.closed.code == "finished"


def test_restoring_a_seat_fails_without_its_seeds() -> None:
    with pytest.raises(SeedLost):
        restore(tiny(), HOST, tiny().entries[:3], {})


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_seat_that_has_committed_to_nothing_needs_no_seed(seat: int) -> None:
    for match in (tiny(), undisclosed()):
        k = match.find(m.DealCommit)
        assert restore(match, seat, match.entries[:k], {}).table == match.table_at(k)
