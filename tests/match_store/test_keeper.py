"""Which match a table's keeper continues, and with which seat, depending on the store."""

import hashlib
import os
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest

from ginpeer.match_store import (
    KeeperNotices,
    LoadedMatch,
    TableKeeper,
    active_matches,
    shelved_matches,
)
from ginpeer.match_store.matches import (
    has_entries,
    has_evidence,
    is_over,
    latest_active_match,
    readable_matches,
    signed_result,
)
from ginpeer.net.interfaces import PeerInfo
from ginpeer.referee.transitions import MalformedEntry
from ginpeer.rules.ruleset import RuleSet
from ginpeer.seat.seat import Close, NotNow, Options, Persist, Seat, SeedLost, Send, position_of
from ginpeer.store import Home, Journal, MatchNotes, StoreError, read_log
from ginpeer.store.journal import write_evidence
from ginpeer.store.match_files import (
    SEEDS_HEADER,
    file_stem,
    read_closing_note,
    read_notes,
    seed_line,
)
from protocol.crypto.identity import IdentityKey
from protocol.entry import MAX_LOG_BYTES, Capacity, NotAnEntry, NotCanonical, RawEntry
from protocol.frames import Position
from protocol.messages import Disclosure, Malformed
from tests.matches.golden_logs import FOLDER
from tests.matches.table_pair import Performer, seeded_rng
from tests.refusals import code_of

HOST_KEY, GUEST_KEY = IdentityKey(b"h" * 32), IdentityKey(b"g" * 32)
NOW = 1_790_000_000
KEEPERS = []


class Notices(KeeperNotices):
    """Records the keeper's notices."""

    def __init__(self):
        self.told = []

    def about_to_verify(self, hands):
        self.told.append(hands)

    def damaged(self, why):
        self.told.append(why.code)

    def dropped(self):
        self.told.append("dropped")


def keeper(home, role, **settings):
    identity = HOST_KEY if role == "host" else GUEST_KEY
    made = TableKeeper(
        home,
        role,
        identity,
        name=role.title(),
        rng=seeded_rng(role),
        now=lambda: NOW + 0.5,
        **{"options": Options(), **settings},
    )
    KEEPERS.append(made)
    return made


def host_at(table, host=HOST_KEY, guest=GUEST_KEY):
    """Return a host's seat that offers a match with this table id."""
    drawn = iter([table])
    return Seat(
        seat=0,
        identity=host,
        name="Ann",
        rng=lambda count: next(drawn, b"r" * count),
        now=lambda: NOW,
        peer_key=guest.public,
    )


def entry_of(effects):
    return next(effect.entry for effect in effects if isinstance(effect, Send))


def info(key):
    return PeerInfo(key, "", "192.0.2.1:4466")


ANN, BEN = info(HOST_KEY.public), info(GUEST_KEY.public)
OFFER = entry_of(host_at(b"t" * 32).start())


def perform_stores(keeper, effects):
    """Perform the effects that store something. Return the others."""
    rest = []
    for effect in effects:
        if isinstance(effect, Persist):
            keeper.persist(effect.table, effect.entry)
        else:
            rest.append(effect)
    return rest


@pytest.fixture
def home(tmp_path):
    """Return a home. Its keepers are closed at the end of the test."""
    yield Home(tmp_path)
    while KEEPERS:
        KEEPERS.pop().close()


def offered(home, accepted=False, **settings):
    """Return a guest's keeper whose seat has received the offer of a match."""
    here = keeper(home, "guest", **settings)
    perform_stores(here, here.seat_for(ANN).receive(OFFER))
    if accepted:
        perform_stores(here, here.live.accept())
    return here


def test_a_second_offer_with_a_stored_table_id_is_another_match_without_blame(home):
    offered(home).close()
    (log,) = home.logs()
    kept = log.path.read_bytes()
    second = keeper(home, "guest", fresh=True)
    seat = second.seat_for(ANN)
    (close,) = perform_stores(second, seat.receive(OFFER))
    assert isinstance(close, Close)
    assert (close.code, close.failure) == ("other-match", "A")
    assert second.stored is None
    assert log.path.read_bytes() == kept
    other = entry_of(host_at(b"u" * 32).start())
    seat = second.seat_for(ANN)  # the host returns with a new table id
    perform_stores(second, seat.receive(other))
    assert len(home.logs()) == 2


def test_a_log_left_empty_by_a_crash_is_not_a_match(home):
    offered(home).close()
    (log,) = home.logs()
    log.path.write_bytes(b"")
    assert not has_entries(home, b"t" * 32)


def test_an_unaccepted_offer_is_not_continued_with_another_key_or_noted(home):
    here = offered(home)
    assert here.position_for(GUEST_KEY.public, None) is None
    here.note_closing("left")
    assert read_closing_note(here.stored.path) is None


def test_leaving_a_match_notes_who_owes_what(home):
    here = offered(home, accepted=True)
    here.note_closing("peer-silent")
    note = read_closing_note(here.stored.path)
    assert (note.entry, note.owed_by, note.owes) == (2, "host", "the commitment to the cut")
    assert (note.closed, note.code) == (NOW, "peer-silent")
    assert note.since == int(here.stored.path.stat().st_mtime)


def test_a_host_that_continues_another_match_during_one_is_reported(home):
    """If it only wants to begin another, its offer says so."""
    notices = Notices()
    here = offered(home, notices=notices)
    seat = here.live
    path = here.stored.path
    here.seat_for(replace(ANN, position=seat.position))
    here.seat_for(ANN)  # an offer alone is forgotten without a notice
    assert "dropped" not in notices.told
    assert not path.exists()
    here = offered(home, accepted=True, notices=notices)
    seat, path = here.live, here.stored.path
    kept = path.read_bytes()
    assert here.seat_for(ANN) is not seat
    assert "dropped" not in notices.told
    note = read_closing_note(path)
    assert (note.owed_by, note.closed, note.code) == ("host", NOW, "other-match")
    assert path.read_bytes() == kept
    here.seat_for(replace(ANN, position=seat.position))
    assert list(here.live.entries) == list(seat.entries)
    here.seat_for(replace(ANN, position=replace(seat.position, table=bytes(32))))
    assert notices.told[-1] == "dropped"


def test_a_note_that_cannot_be_written_is_not_an_error(home, monkeypatch):
    here = offered(home, accepted=True)
    (home.matches / here.stored.path.with_suffix(".closed").name).mkdir()
    here.note_closing("left")
    assert read_closing_note(here.stored.path) is None


def test_checking_a_stored_match_reports_its_number_of_hands(home):
    offered(home, accepted=True).close()
    notices = Notices()
    second = keeper(home, "guest", notices=notices)
    second.restore_seat(HOST_KEY.public)
    assert notices.told == [0]
    position = second.position_for(HOST_KEY.public, None)
    back = replace(ANN, position=position)
    assert len(second.seat_for(back).entries) == 2
    assert notices.told == [0]  # the seat had been put aside and is reused


def test_a_seat_ahead_of_the_store_leaves_no_closing_note(home):
    """The seat is ahead if the disk is full: entries that aren't stored are never sent."""
    here = offered(home)
    seat = here.live
    next(effect for effect in seat.accept() if isinstance(effect, Persist))  # never stored
    assert seat.can_continue()
    here.note_closing("disk-full")
    assert read_closing_note(here.stored.path) is None


@pytest.mark.parametrize(("suffix", "code"), [(".seeds", "bad-seeds-file"), (".match", None)])
def test_damaged_files_do_not_prevent_beginning_another_match(home, suffix, code):
    host = HOST_KEY.public
    first = offered(home, accepted=True)
    notes = first.stored.notes
    first.close()
    (log,) = home.logs()
    log.path.with_suffix(suffix).write_bytes(b"nonsense\n")
    notices = Notices()
    second = keeper(home, "guest", notices=notices)
    second.restore_seat(host)
    assert second.position_for(host, None) is None
    assert notices.told == ([] if code is None else [code])
    seat = second.seat_for(info(host))  # the host begins a new match
    perform_stores(second, seat.receive(entry_of(host_at(b"u" * 32).start())))
    assert len(home.logs()) == 2
    second.close()
    chosen = keeper(home, "guest", only=LoadedMatch(log, notes, ()))
    if code is None:  # nothing says whose match it is
        assert chosen.position_for(host, None) is None
    else:  # a player who asks for this match is told why it can't continue
        with pytest.raises(StoreError, match="damaged"):
            chosen.restore_seat(host)


def test_a_match_with_evidence_beside_it_has_ended_for_a_guest(home):
    """It isn't resumed, whatever the host claims, and its log stays unchanged."""
    first = offered(home)
    first.persist_evidence(b"t" * 32, (OFFER, b"illegal"))
    first.close()
    (log,) = home.logs()
    before = log.path.read_bytes()
    theirs = Position(b"t" * 32, 4, bytes(32))
    with pytest.raises(StoreError) as caught:
        keeper(home, "guest").seat_for(replace(ANN, position=theirs))
    assert caught.value.code == "match-ended"
    assert log.path.read_bytes() == before


@pytest.mark.parametrize("damage", [None, b"nonsense"])
def test_a_guest_without_its_notes_is_told_so_when_the_host_continues_the_match(home, damage):
    """Its log would look as if the host offered a new match with an old number."""
    offered(home, accepted=True).close()
    (log,) = home.logs()
    log.path.with_suffix(".match").unlink()
    if damage is not None:
        log.path.with_suffix(".match").write_bytes(damage)
    here = keeper(home, "guest")
    theirs = Position(b"t" * 32, 4, bytes(32))
    assert code_of(StoreError, here.seat_for, replace(ANN, position=theirs)) == "bad-match-file"
    assert here.damage.code == "bad-match-file"  # so that the player is advised


# Which stored matches continue


UNREADABLE = [
    (NotAnEntry, b"short"),
    (NotCanonical, bytes(100)),
    (Malformed, OFFER.replace(b"Ann", b"A\x1bn")),
]


@pytest.mark.parametrize(("why", "entry"), UNREADABLE)
def test_a_log_with_an_unreadable_last_entry_is_neither_over_nor_full(why, entry):
    with pytest.raises(why):
        RawEntry.split(entry).decode()
    assert signed_result([OFFER, entry]) is None
    assert not is_over([entry])
    assert not is_over([OFFER, entry])
    assert not is_over([OFFER, entry], Capacity(hand_bytes=MAX_LOG_BYTES))


def write_match(home, table, role, peer, entries=(OFFER,)):
    """Write a match's files without a keeper. Return the log's path."""
    with Journal.create(home.matches, MatchNotes(table, role, "Ann", peer, (), NOW)) as journal:
        for entry in entries:
            journal.append(entry)
    return journal.path


def test_only_matches_with_the_given_role_and_player_are_searched(home):
    ann, ben = HOST_KEY.public, GUEST_KEY.public
    write_match(home, b"1" * 32, "host", ann)
    write_match(home, b"2" * 32, "host", ben)
    write_match(home, b"3" * 32, "guest", ann)

    def tables(*asked):
        return {one.notes.table[:1] for one in readable_matches(home, *asked)}

    assert tables() == {b"1", b"2", b"3"}
    assert tables("host") == {b"1", b"2"}
    assert tables(None, ann) == {b"1", b"3"}
    assert tables("host", ann) == {b"1"}


def test_a_match_in_use_by_another_program_is_not_skipped(home):
    offered(home, accepted=True)
    second = keeper(home, "guest")
    assert code_of(StoreError, second.position_for, HOST_KEY.public, None) == "match-in-use"


@cache
def opening(host_key=HOST_KEY, guest_key=GUEST_KEY):
    """Return the entries of a match up to the host's commitment to the cut, and the host's
    seeds."""
    host = Performer(host_at(b"t" * 32, host_key, guest_key))
    guest = Performer(willing_guest(host_key, guest_key))
    host.perform(host.seat.start())
    guest.perform(guest.seat.receive(host.stored[0]))
    host.perform(host.seat.receive(guest.stored[1]))
    return tuple(host.stored), host.seeds


def willing_guest(host=HOST_KEY, guest=GUEST_KEY):
    return Seat(
        seat=1,
        identity=guest,
        name="Ben",
        rng=seeded_rng("guest"),
        now=lambda: NOW,
        peer_key=host.public,
        consents=True,
    )


@pytest.mark.parametrize(
    ("stored", "claimed", "continues"),
    [
        (1, 0, False),  # an offer that nobody accepted
        (1, 1, True),  # the guest has accepted it, but the host doesn't know yet
        (2, 0, True),  # the guest restored an older copy of its home
        (2, 2, True),
    ],
)
def test_an_offer_continues_only_with_a_guest_that_has_its_acceptance(
    home, stored, claimed, continues
):
    write_match(home, b"t" * 32, "host", GUEST_KEY.public, ENTRIES[:stored])
    theirs = position_of(ENTRIES[: claimed + 1], b"t" * 32)
    here = keeper(home, "host")
    here.asks = True  # which matters only once another match has been played
    found = here.position_for(GUEST_KEY.public, theirs)
    assert found == (position_of(ENTRIES[:stored], b"t" * 32) if continues else None)


ENTRIES, SEEDS = opening()
ACCEPTED = position_of(ENTRIES[:2], b"t" * 32)


@pytest.mark.parametrize(
    ("table", "entries", "claimed", "settings"),
    [
        # Nobody can tell whether the guest has signed its acceptance already, or will sign one now.
        (b"t", ENTRIES[:1], ACCEPTED, {"options": Options(RuleSet(stake=100))}),
        (b"t", ENTRIES[:1], ACCEPTED, {"options": Options(disclosure=Disclosure.NEVER)}),
        # A log that doesn't begin with an offer never continues, whatever the guest claims.
        *(
            (b"t", [entry], Position(b"t" * 32, 1, bytes(32)), {})
            for entry in (*(entry for _, entry in UNREADABLE), ENTRIES[1])
        ),
        (b"u", ENTRIES[:1], ACCEPTED, {}),  # the guest's match is not stored here
        (b"t", ENTRIES[:2], None, {"fresh": True}),  # the player wants a new match
    ],
)
def test_a_match_does_not_continue_unless_it_is_stored_begun_and_wanted(
    home, table, entries, claimed, settings
):
    write_match(home, table * 32, "host", GUEST_KEY.public, entries)
    here = keeper(home, "host", **settings)
    assert here.position_for(GUEST_KEY.public, claimed) is None


# --- of several matches ---------------------------------------------------------------


def write_match_at(home, table, seconds, role="host", peer=GUEST_KEY.public, entries=ENTRIES):
    """Store a match that began *seconds* after NOW and last grew ten seconds later."""
    path = write_match(home, table, role, peer, entries)
    path.with_suffix(".seeds").write_bytes(
        SEEDS_HEADER + b"".join(seed_line(*each) for each in SEEDS.items())
    )
    notes = read_notes(path)
    path.with_suffix(".match").write_bytes(replace(notes, created=NOW + seconds).encode())
    os.utime(path, (NOW + seconds + 10, NOW + seconds + 10))
    return path


def tables_of(found):
    return [one.notes.table[:1] for one in found]


def test_a_match_is_shelved_by_a_later_one_with_the_same_player(home):
    other = IdentityKey(b"o" * 32).public
    write_match_at(home, b"1" * 32, 0)
    write_match_at(home, b"2" * 32, 5)  # begun before the first match last grew
    write_match_at(home, b"3" * 32, 100, peer=other)
    write_match_at(home, b"4" * 32, 100, entries=ENTRIES[:1])  # offered, but not accepted
    assert tables_of(active_matches(home)) == [b"3", b"2", b"1"]
    write_match_at(home, b"5" * 32, 10, role="guest")  # it counts, whoever hosted it
    assert tables_of(active_matches(home)) == [b"3", b"5", b"2"]
    assert tables_of(shelved_matches(home, GUEST_KEY.public)) == [b"1"]
    assert tables_of(shelved_matches(home, other)) == []
    assert tables_of(active_matches(home, "host", GUEST_KEY.public)) == [b"2"]


def test_an_earlier_match_shelves_none_even_if_a_file_seems_older_than_it_is(home):
    write_match_at(home, b"1" * 32, 0)
    path = write_match_at(home, b"2" * 32, 600)
    os.utime(path, (NOW - 3000, NOW - 3000))  # FAT, an hour after a change to summer time
    assert tables_of(active_matches(home)) == [b"2"]


def test_a_match_begun_while_the_clock_was_ahead_shelves_no_later_one(home):
    write_match_at(home, b"1" * 32, 365 * 86_400)
    for table in (b"2" * 32, b"3" * 32):
        here = keeper(home, "host", fresh=True)
        here.seat_for(BEN)
        for entry in ENTRIES:
            here.persist(table, entry)
        here.close()
        assert tables_of(active_matches(home)) == [table[:1]]


def test_shelved_matches_are_not_judged_to_find_the_active_one(home, monkeypatch):
    """Judging takes seconds, and a guest can leave many matches that lack only the last entry."""
    judged = []
    monkeypatch.setattr(
        "ginpeer.match_store.matches.is_over", lambda entries: bool(judged.append(entries))
    )
    for number in range(5):
        write_match_at(home, bytes([number]) * 32, 100 * number)
    write_match_at(home, b"o" * 32, 1_000, entries=ENTRIES[:1])
    assert [one.notes.table[0] for one in active_matches(home)] == [4]
    assert len(judged) == 1


def test_a_shelved_match_continues_with_a_guest_that_names_it(home):
    write_match_at(home, b"1" * 32, 0)
    write_match_at(home, b"2" * 32, 100)
    here = keeper(home, "host")
    assert here.position_for(GUEST_KEY.public, position_of(ENTRIES, b"1" * 32)).table == b"1" * 32


def test_the_latest_match_that_can_surely_continue_is_found(home):
    def latest():
        found = latest_active_match(home)
        return found and found.notes.table[:1]

    whole = read_log(FOLDER / "never-disclosed.ginlog").entries
    assert latest() is None
    first = write_match_at(home, b"1" * 32, 0)
    for at, in_doubt in enumerate([ENTRIES[:1], (*ENTRIES, b"short"), whole[:-1], whole], 1):
        peer = bytes([at]) * 32
        write_match_at(home, peer, 100 * at, peer=peer, entries=in_doubt)
        assert latest() == b"1"
    with Journal.reopen(first):
        assert latest() is None
    second = write_match_at(home, b"2" * 32, 1_000)
    assert latest() == b"2"
    with Journal.reopen(second):
        assert latest() is None  # the first match was put aside


def test_an_offer_is_forgotten_unless_there_is_evidence_beside_it(home):
    here = offered(home)
    here.forget_offer()
    here.forget_offer()  # there is no offer any longer
    assert home.logs() == ()
    assert not has_evidence(home, b"t" * 32)
    here = offered(home)
    here.persist_evidence(b"t" * 32, (OFFER, b"illegal"))
    assert has_evidence(home, b"t" * 32)
    here.forget_offer()
    assert len(home.logs()) == 1


def test_a_table_journal_makes_its_files_with_the_first_entry(home):
    here = keeper(home, "guest")
    here.seat_for(ANN)
    assert not home.matches.exists()
    here.persist(b"t" * 32, b"an entry")
    here.persist_seed(b"t" * 32, 1, b"s" * 32)
    with pytest.raises(ValueError, match="one table"):
        here.persist(bytes(32), b"x")
    here.close()
    (log,) = home.logs()
    with Journal.reopen(log.path) as journal:
        assert (journal.entries, journal.seeds) == ([b"an entry"], {1: b"s" * 32})
        met = (HOST_KEY.public, (ANN.address,), NOW)
        assert journal.notes == MatchNotes(b"t" * 32, "guest", "Guest", *met)


def test_where_the_host_waits_is_noted_with_the_match_whenever_its_guest_comes(home):
    here = keeper(home, "host")
    here.listens = "127.0.0.1:4466"
    here.seat_for(BEN)
    here.persist(b"t" * 32, OFFER)
    for then in ("127.0.0.1:4466", "[::]:4467"):
        assert read_notes(here.stored.path).listens == then
        here.listens = "[::]:4467"
        here.seat_for(BEN)


def test_evidence_before_there_is_a_table_is_named_by_its_hash(home):
    here = keeper(home, "guest")
    here.persist_evidence(b"", (b"illegal offer",))
    stem = hashlib.sha256(b"illegal offer").hexdigest()[:16]
    assert [each.name for each in home.matches.iterdir()] == [f"{stem}.evidence.ginlog"]
    assert here.evidence == str(home.matches / f"{stem}.evidence.ginlog")
    here.persist_evidence(b"t" * 32, (b"illegal",))
    assert has_evidence(home, b"t" * 32) is False  # there is no log
    assert (home.matches / f"{file_stem(b't' * 32)}.evidence.ginlog").exists()


@pytest.mark.parametrize("table", [b"", b"../../../etc/passwd", bytes(33)])
def test_an_invalid_table_id_does_not_become_a_file_name(home, table):
    here = keeper(home, "guest")
    with pytest.raises(ValueError, match="32 bytes"):
        here.persist(table, b"x")
    assert not home.matches.exists()


def test_an_unreadable_later_match_puts_nothing_aside(home):
    write_match_at(home, b"1" * 32, 0)
    write_match_at(home, b"2" * 32, 100).write_bytes(b"nonsense")
    assert tables_of(active_matches(home)) == [b"1"]


def test_a_host_expects_its_guests_unless_it_wants_a_new_match(home):
    write_match_at(home, b"1" * 32, 0)
    write_match_at(home, b"2" * 32, 0, role="guest", peer=IdentityKey(b"o" * 32).public)
    assert keeper(home, "host").expected() == {GUEST_KEY.public}
    assert keeper(home, "host", fresh=True).expected() == frozenset()


def test_a_guest_names_a_match_that_can_continue_before_a_finished_one(home, monkeypatch):
    monkeypatch.setattr("ginpeer.match_store.matches.is_over", lambda entries: len(entries) == 2)
    write_match_at(home, b"1" * 32, 0, role="guest", peer=HOST_KEY.public)
    ended = ENTRIES[:2]
    write_match_at(home, b"2" * 32, 5, role="guest", peer=HOST_KEY.public, entries=ended)
    here = keeper(home, "guest")
    assert here.position_for(HOST_KEY.public, None).table == b"1" * 32
    here.close()
    (home.matches / (file_stem(b"1" * 32) + ".ginlog")).unlink()
    here = keeper(home, "guest")
    assert here.position_for(HOST_KEY.public, None).table == b"2" * 32


def test_a_host_without_the_named_match_continues_its_own_and_says_so(home):
    write_match_at(home, b"1" * 32, 0)
    here = keeper(home, "host")
    assert here.position_for(GUEST_KEY.public, position_of(ENTRIES, b"u" * 32)).table == b"1" * 32
    assert here.unknown_table == b"u" * 32
    here.close()
    here = keeper(home, "host")
    here.position_for(GUEST_KEY.public, position_of(ENTRIES, b"1" * 32))
    assert here.unknown_table is None


def wants_a_new_one(home):
    """Return a host's keeper whose player has typed --new and can be asked, and its seat."""
    here = keeper(home, "host", fresh=True)
    here.asks = True
    assert here.position_for(GUEST_KEY.public, None) is None
    return here, here.seat_for(BEN)


def test_a_host_offers_no_new_match_before_its_player_agrees(home):
    write_match_at(home, b"1" * 32, 0)
    here, seat = wants_a_new_one(home)
    assert here.replaces.notes.table == b"1" * 32
    assert list(seat.meet(None)) == []
    offer = [effect for effect in seat.offer() if isinstance(effect, Send)]
    assert len(offer) == 1
    with pytest.raises(NotNow, match="There is no match to offer") as caught:
        seat.offer()
    assert caught.value.code == "nothing-to-offer"


@pytest.mark.parametrize("role", ["host", "guest"])
def test_a_declined_offer_does_not_put_an_earlier_match_aside(home, role):
    keys = (HOST_KEY, GUEST_KEY) if role == "host" else (GUEST_KEY, HOST_KEY)
    write_match_at(home, b"1" * 32, 0, role=role, entries=opening(*keys)[0])
    write_match_at(home, b"t" * 32, 100, entries=ENTRIES[:1])
    here = keeper(home, "host")
    found = here.position_for(GUEST_KEY.public, position_of(ENTRIES[:2], b"t" * 32))
    assert (found and found.table) == (b"1" * 32 if role == "host" else None)


@pytest.mark.parametrize(
    ("begun", "asks", "fresh", "continues"),
    [
        (1, True, False, False),  # its offer was declined, and the host is asked about another
        (1, False, False, True),
        (None, False, True, False),  # the player wants a new match
        (None, False, False, True),
    ],
)
def test_between_matches_an_old_one_continues_only_if_no_new_one_is_wanted(
    home, begun, asks, fresh, continues
):
    write_match_at(home, b"t" * 32, 0, entries=ENTRIES[:begun])
    here = keeper(home, "host", fresh=fresh)
    here.asks = asks
    here.play_another()
    theirs = position_of(ENTRIES[: begun and begun + 1], b"t" * 32)
    assert (here.position_for(GUEST_KEY.public, theirs) is not None) is continues


def test_a_guest_that_lacks_the_end_of_a_new_match_is_sent_it_between_matches(home, monkeypatch):
    write_match_at(home, b"t" * 32, 0)
    here = keeper(home, "host", fresh=True)
    here.play_another()
    monkeypatch.setattr("ginpeer.match_store.table_keeper.is_over", lambda entries: True)
    assert here.position_for(GUEST_KEY.public, ACCEPTED).table == b"t" * 32


def test_a_match_that_was_already_over_is_known_until_another_is_played(home):
    write_match_at(home, b"t" * 32, 0)
    here = keeper(home, "host")
    here.position_for(GUEST_KEY.public, None)
    assert not here.meets_again  # nobody has connected yet
    for finished in (False, True):
        here.live = SimpleNamespace(entries=ENTRIES, table=SimpleNamespace(finished=finished))
        here.seat_for(BEN)
        assert here.over_on_arrival is here.only_sent_end is finished
    here.play_another()
    assert not here.over_on_arrival
    assert here.meets_again


@pytest.mark.parametrize(
    ("role", "only", "again", "sent"),
    [
        ("host", False, False, True),
        ("host", True, False, False),  # the host expects only its opponent in that match
        ("host", False, True, False),  # they have just played, and the guest lacks the end
        ("guest", False, False, False),
    ],
)
def test_a_host_waiting_for_any_guest_knows_that_it_only_sent_an_end(home, role, only, again, sent):
    peer = GUEST_KEY if role == "host" else HOST_KEY
    write_match_at(home, b"t" * 32, 0, role=role, peer=peer.public)
    (stored,) = readable_matches(home)
    here = keeper(home, role, only=stored if only else None)
    if again:
        here.play_another()
    position = here.position_for(peer.public, position_of(ENTRIES[:1], b"t" * 32))
    here.live = SimpleNamespace(entries=ENTRIES, table=SimpleNamespace(finished=True))
    here.seat_for(replace(info(peer.public), position=position))
    assert here.over_on_arrival
    assert here.only_sent_end is sent


def test_a_peer_that_keeps_asking_for_the_end_has_it_verified_once(home):
    write_match_at(home, b"t" * 32, 0)
    notices = Notices()
    here = keeper(home, "host", notices=notices)
    here.live = SimpleNamespace(entries=ENTRIES, table=SimpleNamespace(finished=True))
    ended = here.live
    for _ in range(3):
        here.play_another()
        claimed = position_of(ENTRIES[:1], b"t" * 32)
        assert here.position_for(GUEST_KEY.public, claimed) is not None
        assert here.seat_for(BEN) is ended
    assert notices.told == []


def just_over(home, ago, **settings):
    """Return a keeper whose player can be asked, in a home with a match that finished *ago* seconds
    before NOW."""
    whole = read_log(FOLDER / "never-disclosed.ginlog").entries
    write_match_at(home, RawEntry.split(whole[0]).decode().table, -ago, entries=whole)
    here = keeper(home, "host", **settings)
    here.asks = True
    return here


def test_a_host_restarted_between_matches_is_asked_and_admits_its_guest(home):
    here = just_over(home, 60)
    assert here.expected() == {GUEST_KEY.public}
    seat = here.seat_for(BEN)
    assert here.meets_again
    assert here.delays_offer
    assert not list(seat.start())


def test_another_player_is_offered_the_match_at_once(home):
    here = just_over(home, 60)
    here.expected()
    here.seat_for(info(b"o" * 32))
    assert not here.meets_again
    assert not here.delays_offer


@pytest.mark.parametrize(
    ("ago", "asks", "fresh"),
    [
        (7200, True, False),
        (-60, True, False),  # the clock has since been set back
        (60, False, False),
        (60, True, True),  # the player wants a new match
    ],
)
def test_a_guest_of_an_old_match_or_of_an_unasked_host_needs_an_invite(home, ago, asks, fresh):
    here = just_over(home, ago, fresh=fresh)
    here.asks = asks
    assert here.expected() == frozenset()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda log: write_evidence(log.parent, log.stem, ENTRIES),
        lambda log: log.write_bytes(b"no log"),
    ],
)
def test_no_earlier_match_stands_in_for_the_latest(home, spoil):
    here = just_over(home, 60)
    path = write_match_at(home, b"9" * 32, -30, peer=b"o" * 32)
    spoil(path)
    os.utime(path, (NOW - 20, NOW - 20))
    assert here.expected() == frozenset()


def test_a_host_that_has_made_its_offer_is_not_asked_again(home):
    write_match_at(home, b"1" * 32, 0)
    here, seat = wants_a_new_one(home)
    assert here.delays_offer
    perform_stores(here, seat.offer())
    assert here.seat_for(BEN) is seat
    assert here.replaces is not None  # the old match is put aside when the guest accepts
    assert not here.delays_offer


@pytest.mark.parametrize(
    ("role", "peer", "asks", "comes"),
    [
        ("host", GUEST_KEY, False, True),  # a bot's host has nobody to ask
        ("guest", HOST_KEY, True, True),  # a guest makes no offers
        ("host", GUEST_KEY, True, False),  # no guest has arrived yet
    ],
)
def test_only_a_host_with_a_guest_and_a_player_is_asked_about_an_offer(
    home, role, peer, asks, comes
):
    write_match_at(home, b"1" * 32, 0, role=role, peer=peer.public)
    here = keeper(home, role, fresh=True)
    here.asks = asks
    if comes:
        here.seat_for(info(peer.public))
    assert (here.replaces is not None) is comes
    assert not here.delays_offer


def test_no_player_is_asked_without_an_unfinished_match(home):
    here, seat = wants_a_new_one(home)
    assert here.replaces is None
    assert not here.delays_offer
    assert not here.resume_unfinished()
    with pytest.raises(NotNow, match="There is no match to offer"):
        seat.offer()


def test_a_host_that_does_not_want_a_new_match_continues_the_old_one(home):
    write_match_at(home, b"t" * 32, 0)
    here, _ = wants_a_new_one(home)
    assert here.resume_unfinished()
    position = here.position_for(GUEST_KEY.public, None)
    assert position.table == b"t" * 32
    back = replace(BEN, position=position)
    assert list(here.seat_for(back).entries) == list(ENTRIES)
    assert here.replaces is None


def test_a_match_with_exchanged_seats_cannot_replace_a_new_one(home):
    write_match_at(home, b"1" * 32, 0, role="guest", entries=opening(GUEST_KEY, HOST_KEY)[0])
    here, _ = wants_a_new_one(home)
    assert here.replaces.notes.role == "guest"
    assert not here.resume_unfinished()


@pytest.mark.parametrize("continues", [b"2", None])
def test_a_damaged_match_is_reported_once_and_then_left_out(home, continues):
    """The latest other match continues, even if the guest names the damaged one."""
    write_match_at(home, b"1" * 32, 0).with_suffix(".seeds").write_bytes(b"nonsense\n")
    if continues is not None:
        write_match_at(home, continues * 32, 5)  # begun before the first match last grew
    notices = Notices()
    here = keeper(home, "host", notices=notices)
    here.asks = True
    for _ in range(2):
        found = here.position_for(GUEST_KEY.public, position_of(ENTRIES, b"1" * 32))
        assert (found and found.table[:1]) == continues
        seat = here.seat_for(BEN)
        assert (here.replaces, here.damage) == (None, None)
        assert not here.resume_unfinished()
    assert notices.told.count("bad-seeds-file") == 1
    assert len(notices.told) == (1 if continues is None else 2)  # verifying the other one
    if continues is None:
        perform_stores(here, seat.start())
        write_match_at(home, b"3" * 32, 100)  # the new match, once the guest has accepted it
        assert tables_of(shelved_matches(home, GUEST_KEY.public)) == [b"1"]
        assert here.shelved_matches(GUEST_KEY.public) == ()


def test_a_match_that_was_repaired_while_the_host_waited_continues(home):
    seeds = write_match_at(home, b"1" * 32, 0).with_suffix(".seeds")
    kept = seeds.read_bytes()
    seeds.unlink()
    here = keeper(home, "host")
    here.restore_seat(GUEST_KEY.public)
    assert here.stored is None
    seeds.write_bytes(kept)
    claimed = position_of(ENTRIES, b"1" * 32)
    assert here.position_for(GUEST_KEY.public, claimed).table == b"1" * 32


def test_a_guest_names_its_intact_match_in_the_place_of_a_damaged_one(home):
    host = HOST_KEY.public
    write_match_at(home, b"1" * 32, 0, role="guest", peer=host)
    damaged = (*ENTRIES[:2], ENTRIES[1])
    write_match_at(home, b"2" * 32, 5, role="guest", peer=host, entries=damaged)
    notices = Notices()
    here = keeper(home, "guest", notices=notices)
    here.restore_seat(host)
    assert notices.told[-1] == here.damage.code
    assert here.position_for(host, None).table == b"1" * 32


def test_a_shelved_match_is_not_named_in_the_place_of_a_damaged_later_one(home, monkeypatch):
    monkeypatch.setattr("ginpeer.match_store.matches.is_over", lambda entries: len(entries) == 2)
    host = HOST_KEY.public
    write_match_at(home, b"1" * 32, 0, role="guest", peer=host)
    ended = ENTRIES[:2]
    later = write_match_at(home, b"2" * 32, 100, role="guest", peer=host, entries=ended)
    later.with_suffix(".seeds").unlink()
    assert tables_of(shelved_matches(home, host)) == [b"1"]
    assert keeper(home, "guest").position_for(host, None) is None


@pytest.mark.parametrize("asked_for", [True, False])
@pytest.mark.parametrize(
    ("entries", "error"),
    [
        (ENTRIES, SeedLost),  # the seeds weren't stored
        ((*ENTRIES[:2], ENTRIES[1]), MalformedEntry),
    ],
    ids=["lost seed", "repeated entry"],
)
def test_a_match_that_cannot_be_restored_gives_way_unless_it_is_asked_for(
    home, entries, error, asked_for
):
    """If the player didn't ask for it, the host begins a new match, and verifies the old one only
    once."""
    path = write_match(home, b"t" * 32, "host", GUEST_KEY.public, entries)
    before = path.read_bytes()
    (stored,) = readable_matches(home)
    notices = Notices()
    here = keeper(home, "host", only=stored if asked_for else None, notices=notices)
    with pytest.raises(error) if asked_for else nullcontext():
        here.restore_seat(GUEST_KEY.public)
    assert here.damage.sentence.startswith(f"The match {stored.match.short} is damaged. ")
    if not asked_for:
        assert here.position_for(GUEST_KEY.public, position_of(entries, b"t" * 32)) is None
        assert list(here.seat_for(BEN).entries) == []
        assert here.damage is None  # it isn't about the new match
    assert len(notices.told) == (1 if asked_for else 2)  # the last notice is about the damage
    assert path.read_bytes() == before


@pytest.mark.parametrize("entries", [1, 2])
def test_a_match_begun_with_another_key_of_ours_is_not_called_damaged(home, entries):
    """It doesn't continue, even if the guest names it, but gives no notice."""
    begun = opening(IdentityKey(b"o" * 32))[0]
    write_match(home, b"t" * 32, "host", GUEST_KEY.public, begun[:entries])
    notices = Notices()
    here = keeper(home, "host", notices=notices)
    assert here.position_for(GUEST_KEY.public, position_of(begun, b"t" * 32)) is None
    assert notices.told == []
    (stored,) = readable_matches(home)
    asked_for = keeper(home, "host", only=stored)
    with pytest.raises(MalformedEntry):
        asked_for.restore_seat(GUEST_KEY.public)
    assert "another key of yours" in asked_for.damage.sentence


def test_a_host_with_a_new_key_expects_nobody_for_a_match_begun_with_the_old_one(home):
    write_match_at(home, b"t" * 32, 0, entries=opening(IdentityKey(b"o" * 32))[0])
    here = keeper(home, "host")
    assert here.awaited_matches() == ()
    assert here.position_for(GUEST_KEY.public, None) is None
    assert list(here.seat_for(BEN).entries) == []
    assert (here.damage, here.replaces) == (None, None)


def test_nothing_is_noted_about_a_match_without_a_seated_player(home):
    path = write_match(home, b"t" * 32, "guest", HOST_KEY.public, ENTRIES)
    here = keeper(home, "guest")
    here.restore_seat(HOST_KEY.public)
    here.note_closing("left")
    assert read_closing_note(path) is None


def test_a_match_left_for_an_ended_one_is_not_noted_again(home):
    """The seat of the earlier match isn't asked about a match that was closed."""
    other = write_match(home, b"u" * 32, "guest", HOST_KEY.public, ENTRIES[:2])
    write_evidence(home.matches, other.stem, ENTRIES)
    here = offered(home, accepted=True)
    seat = here.live
    path = here.stored.path
    with pytest.raises(StoreError, match="was stopped here"):
        here.seat_for(replace(ANN, position=Position(b"u" * 32, 1, bytes(32))))
    assert (here.stored, here.live) == (None, seat)
    here.note_closing("left")
    assert read_closing_note(path).code == "other-match"


def test_the_proofs_of_a_finished_match_are_not_verified_before_a_peer_comes(home):
    entries = read_log(FOLDER / "never-disclosed.ginlog").entries
    assert is_over(entries)
    notices = Notices()
    write_match(home, RawEntry.split(entries[0]).decode().table, "host", GUEST_KEY.public, entries)
    (stored,) = readable_matches(home)
    here = keeper(home, "host", only=stored, notices=notices)
    here.restore_seat(GUEST_KEY.public)
    assert here.stored is not None
    assert notices.told == []


def test_the_folder_is_listed_once_to_find_the_match_with_a_player(tmp_path, monkeypatch):
    home = Home(tmp_path)
    for number in range(20):
        notes = MatchNotes(bytes([number]) * 32, "host", "Ann", bytes([number]) * 32, (), NOW)
        Journal.create(home.matches, notes).close()
    listed, original = [], home.logs
    monkeypatch.setattr(home, "logs", lambda: listed.append(1) or original())
    host = keeper(home, "host")
    assert host.position_for(GUEST_KEY.public, Position(b"t" * 32, 3, b"h" * 32)) is None
    assert len(listed) == 2  # the second time to find the match that the guest names
    host.seat_for(BEN)
    assert len(listed) == 3
