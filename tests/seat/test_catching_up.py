"""Two seats reconnect: the seat with fewer entries gets the rest before either seat signs."""

from contextlib import suppress
from functools import cache

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.transitions import RefusedEntry, Violation
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Close, PersistEvidence, SeedLost, Send
from protocol import messages as m
from protocol.entry import RawEntry, entry_hash
from protocol.frames import Position
from tests.cheating.cheat import record, seated, steady, tiny, two_hands
from tests.seat.support import new_seat
from tests.seat.test_restore import restore

# These tests are about which entries are accepted and signed, not about proofs.
pytestmark = pytest.mark.usefixtures("in_the_toy_group")


FINISHED = Close("finished", "The match is finished, and both players have signed it.", None)


def meet(host, guest, unknown=None):
    """Exchange positions, as hello and welcome do, and all the entries that follow. *unknown*: a
    seat that sends no position, so it is taken for a stranger."""
    pair = seated(host, guest)
    positions = [None if seat.seat == unknown else seat.position for seat in (host, guest)]
    for performer, theirs in zip(pair.performers, reversed(positions), strict=True):
        performer.perform(performer.seat.meet(theirs))
    pair.settle()
    return pair


def test_a_claim_of_more_entries_stops_a_seat_without_changing_who_owes():
    match = tiny()
    count = match.find(m.Discard) + 1
    debtor = match.table_at(count).owed_by
    claimed = Position(match.table_at(count).table_id, 1_000, bytes(32))
    for seat in (HOST, GUEST):
        ours = restored(match, seat, count)
        assert list(ours.meet(claimed)) == []
        assert ours.agreed()
        assert not ours.owes_choice()
        assert ours.owes_next() == (seat == debtor)
    whole = restored(match, HOST, len(match.entries))
    assert list(whole.meet(claimed)) == []
    assert whole.owes_next() is None


def restored(match, seat, count, seeds=None):
    seeds = match.seeds[seat] if seeds is None else seeds
    return restore(match, seat, match.entries[:count], seeds)


# --- which side has more --------------------------------------------------------------------


@pytest.mark.parametrize("behind", [HOST, GUEST])
def test_a_seat_behind_by_any_number_of_entries_gets_the_rest(behind):
    """The seat that is behind accepts even entries of its own. Nobody signs until both logs are the
    same."""
    match = tiny()
    for count in range(1, len(match)):
        seats = [match.seat_at(HOST, len(match)), match.seat_at(GUEST, len(match))]
        seats[behind] = match.seat_at(behind, count)
        pair = meet(*seats)
        assert [performer.closed for performer in pair.performers] == [FINISHED, FINISHED]
        assert list(pair.host.seat.entries) == list(pair.guest.seat.entries) == list(match.entries)
        assert pair.performers[behind].stored == list(match.entries)


def test_a_seat_ahead_sends_only_the_entries_that_the_other_side_lacks():
    match = tiny()
    ahead, behind = match.seat_at(HOST, len(match)), match.seat_at(GUEST, 7)
    assert list(ahead.meet(behind.position)) == [*map(Send, match.entries[7:]), FINISHED]


def test_a_stored_entry_that_was_not_sent_is_sent_unchanged():
    match = tiny()
    for count in range(2, len(match) + 1):
        author = match.steps[count - 1].author
        seats = [match.seat_at(seat, count - (seat != author)) for seat in (HOST, GUEST)]
        pair = meet(*seats)
        entries = list(pair.host.seat.entries)
        assert entries == list(pair.guest.seat.entries)
        assert entries[:count] == list(match.entries[:count])


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_after_reconnecting_the_match_is_played_to_its_end(seat):
    match = two_hands()
    count = match.find(m.Knock) + 4  # in the deal of the second hand
    seats = [restored(match, HOST, count), restored(match, GUEST, count)]
    seats[seat] = restored(match, seat, 9)
    pair = meet(*seats).play(steady)
    assert pair.host.closed == pair.guest.closed == FINISHED
    assert pair.host.stored == pair.guest.stored
    assert tuple(pair.host.stored[:count]) == match.entries[:count]
    assert judge(pair.host.stored).finding is Finding.VALID


def test_nothing_is_signed_while_entries_are_still_coming():
    match = tiny()
    for count in range(1, len(match) - 1):
        for seat in (HOST, GUEST):
            behind = match.seat_at(seat, count)
            last = len(match) - 1
            theirs = Position(behind.table.table_id, last, entry_hash(match.entries[last]))
            effects = list(behind.meet(theirs))
            for raw in match.entries[count:last]:
                effects += behind.receive(raw)
                assert not behind.owes_choice()
                assert behind.offer_to_consider() is None
            assert not any(isinstance(effect, Send | Close) for effect in effects)


def test_a_side_without_a_log_gets_the_whole_log():
    """Only then does this side learn whether its store still has what the match needs."""
    match = tiny()
    fresh = lost_everything(match, GUEST)
    host = restored(match, HOST, len(match))
    pair = meet(host, fresh)
    assert list(pair.guest.seat.entries) == list(match.entries)
    assert pair.guest.closed == FINISHED


def test_an_older_copy_that_lacks_a_seed_cannot_continue():
    match = two_hands()
    count = match.find(m.DealShares) + 1
    behind = restored(match, GUEST, 2, seeds={})
    theirs = Position(behind.table.table_id, count - 1, entry_hash(match.entries[count - 1]))
    assert list(behind.meet(theirs)) == []
    for raw in match.entries[2 : count - 1]:
        assert not any(isinstance(effect, Send | Close) for effect in behind.receive(raw))
    with pytest.raises(SeedLost):
        list(behind.receive(match.entries[count - 1]))


def test_a_garbled_entry_is_forgotten_when_its_connection_closes():
    match = tiny()
    count = len(match) - 1
    author = match.steps[count].author
    seat = restored(match, 1 - author, count)
    raw = match.entries[count]
    closed = list(seat.receive(raw[:-1] + bytes([raw[-1] ^ 1])))[-1]
    assert (closed.code, closed.failure) == ("bad-signature", "A")
    assert list(seat.receive(raw)) == []
    other = restored(match, author, len(match))
    pair = meet(*((seat, other) if author == GUEST else (other, seat)))
    assert pair.host.closed == pair.guest.closed == FINISHED


# --- logs that differ -----------------------------------------------------------------------


def a_fork():
    """Return a match of two hands, the place of its first discard, the author of that discard, and
    a pair of seats that played a different discard there and continued."""
    match = two_hands()
    count = match.find(m.Discard)
    author = match.steps[count].author
    pair = meet(*(restored(match, seat, count) for seat in (HOST, GUEST)))
    mover = pair.to_choose()
    assert mover.seat.seat == author
    view = mover.seat.view()
    others = (x for x in view.legal_moves() if "discard" in str(x) and str(x) != str(steady(view)))
    mover.perform(mover.seat.play(next(others)))
    pair.settle()
    return match, count, author, pair


@pytest.mark.parametrize("longer", [HOST, GUEST])
def test_both_sides_keep_the_evidence_when_two_logs_fork(longer):
    match, count, author, elsewhere = a_fork()
    entries = list(elsewhere.performers[1 - longer].seat.entries)
    assert entries[count] != match.entries[count]
    honest, cheat = 1 - author, author
    seats = [None, None]
    seats[longer] = restored(match, longer, len(match))
    seats[1 - longer] = elsewhere.performers[1 - longer].seat
    pair = meet(*seats)
    for performer in pair.performers:
        assert performer.closed is not None
        assert performer.evidence is not None
        verdict = judge(performer.evidence)
        assert verdict.finding is Finding.FORGED
        assert (verdict.code, verdict.culprit, verdict.failing_entry) == (
            "fork",
            cheat,
            len(performer.evidence) - 1,
        )
        assert RawEntry.split(performer.evidence[-1]).decode().sequence == count
    assert pair.performers[honest].closed.failure == "B"
    assert pair.performers[honest].closed.code == "fork"
    own = pair.performers[cheat].closed
    assert (own.code, own.failure) == ("signed-twice", None)
    assert list(pair.performers[honest].seat.meet(None)) == [], "there is no going on"


def test_another_match_is_not_a_fork():
    match, other = tiny(), record("another")
    pair = meet(restored(match, HOST, 6), restored(other, GUEST, 4))
    closed = {performer.closed.code for performer in pair.performers if performer.closed}
    assert closed == {"other-match"}
    assert all(performer.evidence is None for performer in pair.performers)
    assert not any(isinstance(effect, PersistEvidence) for effect in pair.host.shown)


def test_missing_entries_are_counted_until_they_arrive():
    """The session allows time for each missing entry (net/session.py, rule 6)."""
    match = tiny()
    seat = restored(match, GUEST, 4)
    assert seat.sync_pending() is None
    list(seat.meet(Position(seat.table.table_id, 6, entry_hash(match.entries[6]))))
    assert seat.sync_pending() == 4
    list(seat.receive(match.entries[0]))
    assert seat.sync_pending() == 4, "what is there already buys no time"
    list(seat.receive(match.entries[4]))
    assert seat.sync_pending() == 5
    for raw in match.entries[5:7]:
        list(seat.receive(raw))
    assert seat.sync_pending() is None


@pytest.mark.parametrize("seat", [HOST, GUEST])
def test_a_peer_that_claims_more_than_a_whole_match_is_heard_out(seat):
    """The extra entries may convict it."""
    match = tiny()
    whole = len(match)
    ours, table = restored(match, seat, whole - 1), match.table_at(whole)
    assert list(ours.meet(Position(table.table_id, whole, bytes(32)))) == []
    effects = list(ours.receive(match.entries[-1]))
    assert not any(isinstance(effect, Close) for effect in effects)
    assert ours.sync_pending() == whole
    kept, close = ours.receive(match.cheat(1 - seat).sign(table, m.Resign()))
    assert isinstance(kept, PersistEvidence)
    assert (close.code, close.failure) == ("after-the-end", "B")


# --- the same log again ---------------------------------------------------------------------


@pytest.mark.parametrize("behind", [HOST, GUEST])
def test_a_side_taken_for_a_stranger_ignores_the_entries_that_it_has(behind):
    """For example, the guest named another match, but the host continues this one."""
    match = two_hands()
    for count in (1, match.find(m.Knock)):
        seats = [match.seat_at(HOST, len(match)), match.seat_at(GUEST, len(match))]
        seats[behind] = match.seat_at(behind, count)
        pair = meet(*seats, unknown=behind)
        assert pair.host.closed == pair.guest.closed == FINISHED
        assert pair.host.stored == pair.guest.stored == list(match.entries)


def test_known_entries_are_ignored_only_once_and_in_order():
    match = tiny()
    for number, head in (
        (9, bytes(32)),  # more entries than ours
        (2, bytes(32)),  # another history
        (5, entry_hash(match.entries[5])),  # the same history
    ):
        seat = restored(match, HOST, 6)
        theirs = Position(seat.table.table_id, number, head)
        list(seat.meet(theirs))
        for raw in match.entries[:6]:
            assert list(seat.receive(raw)) == []
        assert [effect.code for effect in seat.receive(match.entries[0])] == ["duplicate"]
        seat = restored(match, HOST, 6)
        list(seat.meet(theirs))
        assert [effect.code for effect in seat.receive(match.entries[1])] == ["duplicate"]


def test_after_a_new_entry_an_earlier_one_is_a_duplicate():
    match = tiny()
    count = next(k for k in range(6, len(match)) if match.steps[k].author == GUEST)
    seat = restored(match, HOST, count)
    list(seat.meet(seat.position))
    list(seat.receive(match.entries[0]))
    list(seat.receive(match.entries[count]))
    codes = [effect.code for effect in seat.receive(match.entries[1]) if isinstance(effect, Close)]
    assert codes == ["duplicate"]


def test_evidence_of_a_fork_is_stored_before_it_is_sent():
    """If the connection breaks while sending, the evidence must not be lost."""
    match, count, author, elsewhere = a_fork()
    honest = restored(match, 1 - author, count + 1)
    other = elsewhere.performers[author].seat
    list(honest.meet(other.position))
    for raw in other.entries[: count + 1]:
        effects = list(honest.receive(raw))
    kinds = [type(effect) for effect in effects]
    assert kinds.index(PersistEvidence) < kinds.index(Send) < kinds.index(Close)


# --- old entries of our own -----------------------------------------------------------------


def lost_everything(match, seat):
    """Return the seat of a player who has lost all files except the key."""
    return new_seat(match, seat, offers=False)


@cache
def lost_match(rules):
    return record(f"lost {rules}", parse_ruleset(f"{rules} hands=1"))


@pytest.mark.parametrize("rules", ["standard", "standard first-dealer=host"])
@pytest.mark.parametrize("seat", [HOST, GUEST])
@pytest.mark.parametrize("claimed", [None, 0, 1, 2, 3, 4])
def test_a_player_whose_files_are_gone_never_signs_a_second_entry_for_one_place(
    rules, seat, claimed
):
    """The other side sends the old match as a new one or, claiming to have it up to entry
    *claimed*, as one to be continued."""
    match = lost_match(rules)
    fresh = lost_everything(match, seat)
    position = None
    if claimed is not None:
        head = entry_hash(match.entries[claimed])
        position = Position(match.table_at(1).table_id, claimed, head)
    effects = list(fresh.meet(position))
    with suppress(SeedLost):
        for raw in match.entries[:6]:
            effects += fresh.receive(raw)
    for raw in (effect.entry for effect in effects if isinstance(effect, Send)):
        with pytest.raises(RefusedEntry) as caught:
            match.referee_at(len(match)).admit(raw)
        assert not isinstance(caught.value, Violation)


def test_a_guest_that_named_another_match_may_send_the_rest_of_this_one():
    """A host that continues from an old copy doesn't know that the guest has more."""
    match = tiny()
    k = next(step.sequence for step in match.steps[9:] if step.author == HOST)
    host = restored(match, HOST, k)
    list(host.meet(None))
    stored = next(host.receive(match.entries[k]))
    assert stored.entry == match.entries[k]


def test_a_guest_cannot_begin_a_match_with_an_old_offer_of_the_host():
    match = tiny()
    host = lost_everything(match, HOST)
    assert list(host.meet(None)) == []
    (closed,) = host.receive(match.entries[0])
    assert (closed.code, closed.failure) == ("duplicate", "A")
    assert list(host.entries) == []
