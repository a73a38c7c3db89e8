"""A match stops before its log is too large to be read, and both players are told in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

import pytest
from twisted.internet import reactor

from ginpeer.match_store.matches import is_over, unfinished_matches
from ginpeer.net.in_process import connect_in_process
from ginpeer.referee.referee import Finding, judge
from ginpeer.referee.table import GUEST, HOST, Awaiting, Table
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Close, Options, Persist, PersistEvidence, Seat, Send
from ginpeer.store import Journal, StoreError, log, read_log
from ginpeer.store.match_files import MatchNotes, read_closing_note
from protocol import messages as m
from protocol.entry import (
    CAPACITY,
    MAX_ENTRY,
    MAX_LOG_BYTES,
    MAX_LOG_ENTRIES,
    Capacity,
    LogSize,
    RawEntry,
    record_bytes,
)
from tests.cheating.cheat import Cheat, catch_up, one_hand, seated, steady
from tests.matches.table_pair import TablePair
from tests.net.players import NetPlayer
from tests.refusals import code_of
from tests.seat.support import new_seat

# These tests are about what a log has room for, not about proofs.
pytestmark = pytest.mark.usefixtures("in_the_toy_group")

MANY_HANDS = parse_ruleset("standard hands=40")
SMALL = Capacity(
    max_bytes=700_000,
    max_entries=2**17,
    hand_bytes=200_000,
    hand_entries=400,
    closing_bytes=100_000,
    closing_entries=40,
)
SMALLER = replace(SMALL, max_bytes=400_000)
FEW_ENTRIES = replace(SMALL, max_bytes=MAX_LOG_BYTES, max_entries=480, hand_entries=200)
NO_ROOM_FOR_HANDS = replace(SMALL, max_bytes=300_000, hand_bytes=0, hand_entries=0)


@cache
def play_until_full(
    capacity: Capacity, disclosure: m.Disclosure = m.Disclosure.AFTER_MATCH
) -> TablePair:
    """Return a match that has filled its log. Don't change it."""
    return TablePair("full", MANY_HANDS, disclosure, capacity=capacity).play(steady)


def kinds(entries: Sequence[bytes]) -> list[type[m.Message]]:
    return [type(RawEntry.split(raw).decode().message) for raw in entries]


# --- two honest players ---------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [SMALL, FEW_ENTRIES], ids=["bytes", "entries"])
@pytest.mark.parametrize("disclosure", m.Disclosure)
@pytest.mark.deep(keep=2)
def test_a_match_stops_for_both_players_between_two_hands(
    capacity: Capacity, disclosure: m.Disclosure
) -> None:
    pair = play_until_full(capacity, disclosure)
    entries = list(pair.host.seat.entries)
    for performer in pair.performers:
        assert performer.stored == entries
        assert performer.closed is not None
        assert (performer.closed.code, performer.closed.failure) == ("log-full", "C")
        assert performer.closed.notified
        assert not performer.seat.can_continue()
        assert not performer.seat.owes_choice()
    table = pair.host.seat.table
    assert table.awaiting is Awaiting.DEAL_COMMIT
    assert table.hand_number > 3
    size = LogSize.of(entries)
    assert size.length == len(log.log_bytes(entries))
    assert not capacity.has_room_for_hand(size)
    assert capacity.has_room_for_move(size)
    assert judge(entries).finding is Finding.INCOMPLETE


def test_the_players_are_warned_some_hands_before_the_log_is_full() -> None:
    """At the end of each hand, the test asks a seat for how many more hands there's room."""
    pair = play_until_full(SMALL)
    entries = pair.host.stored
    ends = [k for k, kind in enumerate(kinds(entries)) if kind is m.DealCommit][1:]
    ends.append(len(entries))
    said = [restored(pair, GUEST, k, SMALL).hands_left() for k in ends[-4:]]
    assert len(said) == 4
    assert said[-1] == 0
    assert said[-2] in (1, 2)
    for hands_after, left in enumerate(reversed(said)):
        assert left is not None
        assert abs(left - hands_after) <= 2


def test_an_unexpectedly_long_hand_stops_in_the_middle_for_both_players() -> None:
    pair = play_until_full(NO_ROOM_FOR_HANDS)
    assert pair.host.stored == pair.guest.stored
    assert pair.host.closed is not None
    assert pair.host.closed == pair.guest.closed
    assert pair.host.closed.code == "log-full"
    assert pair.host.seat.table.awaiting is not Awaiting.DEAL_COMMIT
    before, size = LogSize.of(pair.host.stored[:-1]), LogSize.of(pair.host.stored)
    assert NO_ROOM_FOR_HANDS.has_room_for_move(before)
    assert not NO_ROOM_FOR_HANDS.has_room_for_move(size)


def test_a_match_whose_last_hand_fills_the_log_is_settled_and_disclosed() -> None:
    rules = parse_ruleset("standard hands=1")
    whole = TablePair("full", rules).play(steady)
    end = next(k for k, kind in enumerate(kinds(whole.host.stored)) if kind is m.Settle)
    at_the_end = LogSize.of(whole.host.stored[:end]).length
    capacity = Capacity(at_the_end - 1 + 100_000, 2**17, 0, 0, 100_000, 40)
    pair = TablePair("full", rules, capacity=capacity).play(steady)
    assert pair.host.closed is not None
    assert pair.host.closed.code == "finished"
    assert pair.host.stored == whole.host.stored
    assert not capacity.has_room_for_move(LogSize.of(pair.host.stored))
    assert pair.host.seat.hands_left() is None  # no further hand is planned


# --- a cheat --------------------------------------------------------------------------------


def test_a_cheat_in_a_full_log_is_convicted_by_a_readable_log() -> None:
    pair = play_until_full(NO_ROOM_FOR_HANDS)
    table = pair.host.seat.table
    assert table.owed_by is not None
    cheat = Cheat(table.owed_by, pair.identities[table.owed_by], {})
    evidence = [*pair.host.stored, cheat.sign(table, m.CutCommit(bytes(32)))]
    verdict = judge(evidence)
    assert (verdict.code, verdict.culprit) == ("not-allowed-now", cheat.seat)
    longest = LogSize.of([*pair.host.stored, bytes(MAX_ENTRY)])
    assert longest.length <= NO_ROOM_FOR_HANDS.max_bytes
    assert longest.entries <= NO_ROOM_FOR_HANDS.max_entries


def test_the_entry_that_fills_the_log_can_convict() -> None:
    """The last entry that fits is illegal, so the result is evidence, not a full log."""
    pair = play_until_full(NO_ROOM_FOR_HANDS)
    entries = pair.host.stored
    k = len(entries) - 1
    before = judge(entries[:k]).table
    assert before.owed_by is not None
    honest = 1 - before.owed_by
    cheat = Cheat(before.owed_by, pair.identities[before.owed_by], {})
    seat = restored(pair, honest, k)
    effects = list(seat.receive(cheat.sign(before, m.CutCommit(bytes(32)))))
    assert [type(effect) for effect in effects] == [PersistEvidence, Close]
    assert effects[1].failure == "B"


def test_entries_are_stored_only_until_the_log_is_full() -> None:
    """The other player's legal entries are stored until no more fit."""
    match = TablePair("full", MANY_HANDS)
    for number, _ in enumerate(match.turns(steady)):
        if number == 30:
            break
    entries = list(match.host.seat.entries)
    k = len(entries) - 10
    room = LogSize.of(entries[: k + 5]).length + 4 + MAX_ENTRY
    capacity = Capacity(room, 2**17, 0, 0, 0, 0)
    seat = restored(match, GUEST, k, capacity)
    list(seat.meet(match.host.seat.position))
    stored = []
    for raw in entries[k:]:
        effects = list(seat.receive(raw))
        stored += [effect.entry for effect in effects if isinstance(effect, Persist)]
        closing = [effect for effect in effects if isinstance(effect, Close)]
        if closing:
            break
    assert stored == entries[k : k + 5]
    assert [(close.code, close.failure) for close in closing] == [("log-full", "C")]
    assert list(seat.receive(entries[-1])) == []
    assert list(seat.meet(match.host.seat.position)) == []


def restored(pair: TablePair, seat: int, k: int, capacity: Capacity = NO_ROOM_FOR_HANDS) -> Seat:
    entries = list(pair.performers[HOST].seat.entries)[:k]
    return new_seat(pair, seat, capacity=capacity).restore(entries, pair.performers[seat].seeds)


# --- resuming -------------------------------------------------------------------------------


def test_a_resumed_full_match_stops_after_sending_the_missing_entries() -> None:
    pair = play_until_full(SMALL)
    count = len(pair.host.stored)
    host, guest = restored(pair, HOST, count, SMALL), restored(pair, GUEST, count - 3, SMALL)
    both = seated(host, guest)
    catch_up(both)
    both.settle()
    assert list(guest.entries) == list(host.entries) == pair.host.stored
    assert both.host.closed is not None
    assert both.host.closed.code == "log-full"
    assert both.guest.closed == both.host.closed


@pytest.mark.parametrize("capacity", [SMALL, NO_ROOM_FOR_HANDS], ids=["between", "in a hand"])
def test_a_stored_match_that_is_full_is_over(capacity: Capacity) -> None:
    pair = play_until_full(capacity)
    entries = pair.host.stored
    assert is_over(entries, capacity)
    assert not is_over(entries)
    assert not is_over(entries[:-4], capacity)
    assert not is_over(one_hand().entries[:-4])


@pytest.mark.parametrize("room", [5_000_000, 500_000], ids=["for a move", "for no move"])
@pytest.mark.parametrize("disclosure", m.Disclosure)
def test_a_log_is_never_too_full_for_the_end_of_its_match(
    disclosure: m.Disclosure, room: int
) -> None:
    pair = TablePair("full", parse_ruleset("standard hands=2"), disclosure).play(steady)
    entries = pair.host.stored
    over = next(k for k, kind in enumerate(kinds(entries)) if kind is m.Settle)
    for k in range(over, len(entries)):
        size = LogSize.of(entries[:k])
        capacity = Capacity(size.length + room, 2**17, 5_000_000, 0, 1_000_000, 0)
        assert restored(pair, HOST, k, capacity).can_continue()
        assert not is_over(entries[:k], capacity)


def test_a_void_hand_can_fill_a_log_too() -> None:
    """Only the referee can tell that this hand's last discard ended it."""
    rules = parse_ruleset("standard hands=2 swap-limit=4 opening=either-pile")

    def swapping(view):  # type: ignore[no-untyped-def]
        legal = view.legal_moves()
        return next((x for x in legal if str(x).startswith("take")), legal[0])

    whole = TablePair("void", rules).play(swapping)
    deals = [k for k, kind in enumerate(kinds(whole.host.stored)) if kind is m.DealCommit]
    first = whole.host.stored[: deals[1]]
    assert kinds(first)[-1] is m.Discard
    size = LogSize.of(first).length
    capacity = Capacity(size + 100, 2**17, 101, 0, 0, 0)
    assert is_over(first, capacity)
    assert not is_over(first[:-3], capacity)  # an earlier discard of this hand


# --- over the wire --------------------------------------------------------------------------


class SmallSeat(Seat):
    """A seat whose log is full soon."""

    def __init__(self, **given):
        super().__init__(**{**given, "capacity": SMALLER})


@pytest.fixture
def small(monkeypatch):
    """Give all logs a small capacity."""
    monkeypatch.setattr("ginpeer.match_store.table_keeper.Seat", SmallSeat)
    for place in ("matches", "table_keeper"):
        full_soon = partial(is_over, capacity=SMALLER)
        monkeypatch.setattr(f"ginpeer.match_store.{place}.is_over", full_soon)


def players(folder):
    return [NetPlayer(role, folder, "full", Options(MANY_HANDS)) for role in ("host", "guest")]


async def test_a_full_practice_match_stops_and_the_next_match_is_new(tmp_path, small):
    host, guest = players(tmp_path)
    ours, theirs = connect_in_process(host.side, guest.side, reactor)
    assert (await ours.done).code == (await theirs.done).code == "log-full"
    stopped = host.keeper.stored.notes.table
    host.keeper.note_closing("log-full")
    assert read_closing_note(host.keeper.stored.path).code == "log-full"
    assert list(unfinished_matches(host.home)) == []
    for player in (host, guest):
        player.keeper.close()
    host, guest = players(tmp_path)
    claimed = guest.keeper.position_for(host.identity.public, None)
    assert claimed is not None
    assert host.keeper.position_for(guest.identity.public, claimed) is None
    assert claimed.table == stopped


# --- the real bounds ------------------------------------------------------------------------


def test_the_capacity_equals_the_limits_for_reading_a_log() -> None:
    assert (CAPACITY.max_bytes, CAPACITY.max_entries) == (64 * 1024 * 1024, 2**17)
    assert (log.MAX_LOG_BYTES, log.MAX_ENTRIES) == (MAX_LOG_BYTES, MAX_LOG_ENTRIES)


def test_a_log_is_full_in_bytes_or_in_entries_whichever_comes_first() -> None:
    """The limits are exact, to the byte and to the entry."""
    longest = 4 + MAX_ENTRY
    capacity = Capacity(
        max_bytes=10 * longest,
        max_entries=1_000,
        hand_bytes=5 * longest,
        hand_entries=500,
        closing_bytes=2 * longest,
        closing_entries=20,
    )
    for takes, length, entries in (
        (capacity.has_room_for_hand, 3 * longest, 480),
        (capacity.has_room_for_move, 8 * longest, 980),
        (capacity.can_store, 9 * longest, 999),
    ):
        assert takes(LogSize(length, entries))
        assert not takes(LogSize(length + 1, entries))
        assert not takes(LogSize(length, entries + 1))


def test_the_number_of_hands_left_is_unknown_before_the_first_hand() -> None:
    assert SMALL.hands_left(LogSize(500_000, 300), 0) is None
    assert TablePair("full", MANY_HANDS, capacity=SMALL).host.seat.hands_left() is None


def test_there_is_always_room_for_the_end_of_a_match() -> None:
    """The log has as many hands as possible, each only a deal. The last move is followed by all the
    entries that end a match, and by a cheat's entry of maximum length."""
    match = one_hand()
    deal = [match.find(kind) for kind in (m.DealCommit, m.DealShares)]
    shortest = LogSize.of(match.entries[deal[0] : deal[1] + 1])
    hands = CAPACITY.max_bytes // shortest.length
    assert hands > 2_000
    author, table = match.cheat(HOST), match.table_at(len(match) - 1)
    lengthy = Table(**{**vars(table), "sequence": 2**31})
    told = len(author.sign(lengthy, m.Disclose((b"\xff" * 32,) * m.MAX_SEEDS)))
    settled = len(author.sign(lengthy, m.Settle(2**31 - 1, -(2**31) + 1, 2**31 - 1, m.Winner(1))))
    disclosures = 2 * -(-hands // m.MAX_SEEDS)
    entries = [bytes(MAX_ENTRY), *[bytes(settled)] * 2, *[bytes(told)] * disclosures]
    end = LogSize.of(entries)
    assert end.length + 4 + MAX_ENTRY <= CAPACITY.closing_bytes
    assert end.entries + 1 <= CAPACITY.closing_entries


def test_a_usual_hand_fits_into_the_room_reserved_for_a_hand() -> None:
    """There is room for as many turns as the standard swap limit allows, each with a discard."""
    match = one_hand()
    longest = max(len(raw) for raw in match.entries[match.find(m.DealShares) + 1 :])
    turns = 31 + 2 * 40
    assert 100_000 + 3 * turns * (4 + longest) <= CAPACITY.hand_bytes
    assert 20 + 3 * turns <= CAPACITY.hand_entries


def test_a_usual_match_is_never_warned_with_the_real_limits() -> None:
    size = LogSize(length=5_000_000, entries=3_000)
    assert CAPACITY.hands_left(size, 40) is None
    assert CAPACITY.has_room_for_hand(size)
    full_bytes = CAPACITY.max_bytes - CAPACITY.hand_bytes - CAPACITY.closing_bytes
    assert CAPACITY.hands_left(LogSize(full_bytes + 1, 40_000), 400) == 0
    assert CAPACITY.hands_left(LogSize(full_bytes, 40_000), 400) == 1
    assert CAPACITY.hands_left(LogSize(full_bytes - 3 * full_bytes // 400, 40_000), 400) == 4
    full_entries = CAPACITY.max_entries - CAPACITY.hand_entries - CAPACITY.closing_entries
    assert CAPACITY.hands_left(LogSize(50_000_000, full_entries), 400) == 1
    assert not CAPACITY.has_room_for_hand(LogSize(50_000_000, full_entries + 1))


def test_the_journal_writes_no_log_too_large_to_be_read(tmp_path) -> None:
    """The limit is exact: once the log has 64 MiB, the journal refuses to add anything."""
    notes = MatchNotes(b"t" * 32, "host", "Ada", b"k" * 32, (), 0)
    journal = Journal.create(tmp_path, notes)
    path = journal.path
    journal.close()
    filler = b"\xff" * (128 * 1024)
    left = MAX_LOG_BYTES - 8
    with path.open("ab") as file:
        while left > 2 * len(filler):
            file.write(record_bytes(filler))
            left -= 4 + len(filler)
    with Journal.reopen(path) as journal:
        rest = left - 2 * 4
        half = rest // 2
        for length in (half, rest - half + 1, rest - half):
            if length == rest - half + 1:
                assert code_of(StoreError, journal.append, b"\xff" * length) == "log-full"
            else:
                journal.append(b"\xff" * length)
        with pytest.raises(StoreError):
            journal.append(b"\xff")
    assert path.stat().st_size == MAX_LOG_BYTES
    assert len(read_log(path).entries) == len(journal.entries)


def test_the_journal_writes_no_log_with_too_many_entries(tmp_path) -> None:
    notes = MatchNotes(b"t" * 32, "host", "Ada", b"k" * 32, (), 0)
    with Journal.create(tmp_path, notes) as journal:
        journal.append(b"\xff")
        journal.entries *= MAX_LOG_ENTRIES
        assert code_of(StoreError, journal.append, b"\xff") == "log-full"


def test_no_entry_is_sent_that_the_full_log_cannot_store() -> None:
    """The peer's entries have left no room even for the seat's own entry."""
    pair = TablePair("full", MANY_HANDS)
    for number, _ in enumerate(pair.turns(steady)):
        if number == 10:
            break
    mover = pair.to_choose()
    assert mover is not None
    entries = list(mover.seat.entries)
    room = LogSize.of(entries).length + 4 + MAX_ENTRY
    seat = restored(pair, mover.seat.seat, len(entries), Capacity(room, 2**17, 0, 0, 0, 0))
    effects = list(seat.play(steady(seat.view())))
    assert [type(effect) for effect in effects] == [Close]
    assert effects[0].code == "log-full"
    assert not any(isinstance(effect, Send) for effect in effects)
