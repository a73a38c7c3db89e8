"""Which match goes on, and with which seat: what the keeper of a table answers from its store."""

from dataclasses import replace

import pytest

from ginpeer.keeper import Stored, TableKeeper
from ginpeer.net.roles import PeerInfo
from ginpeer.seat.effects import Close, Persist, Send
from ginpeer.seat.seat import Options, Seat
from ginpeer.store import Home, StoreError
from ginpeer.store.closings import read_closing
from protocol.crypto.identity import IdentityKey
from protocol.frames import Position
from tests.peer.table_pair import seeded_rng

HOST_KEY, GUEST_KEY = IdentityKey(b"h" * 32), IdentityKey(b"g" * 32)
NOW = 1_790_000_000


def keeper(home, role, **settings):
    identity = HOST_KEY if role == "host" else GUEST_KEY
    return TableKeeper(
        home,
        role,
        identity,
        name=role.title(),
        options=Options(),
        rng=seeded_rng(role),
        now=lambda: NOW + 0.5,
        **settings,
    )


def host_at(table):
    """A host that offers a match with this table id."""
    drawn = iter([table])
    return Seat(
        seat=0,
        identity=HOST_KEY,
        name="Ann",
        rng=lambda count: next(drawn, b"r" * count),
        now=lambda: NOW,
        peer_key=GUEST_KEY.public,
    )


def entry_of(effects):
    return next(effect.entry for effect in effects if isinstance(effect, Send))


def info(key):
    return PeerInfo(key, "", "", "192.0.2.1:4466")


def take(keeper, effects):
    """Perform what is to be stored; what else there was."""
    rest = []
    for effect in effects:
        if isinstance(effect, Persist):
            keeper.journal.persist(effect.table, effect.entry)
        else:
            rest.append(effect)
    return rest


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def test_a_second_offer_under_a_stored_number_is_of_another_match_and_nobodys_fault(home):
    offer = entry_of(host_at(b"t" * 32).start())
    first = keeper(home, "guest")
    seat = first.seat_for(info(HOST_KEY.public))
    take(first, seat.receive(offer))
    first.close()
    (log,) = home.logs()
    kept = log.path.read_bytes()
    second = keeper(home, "guest", fresh=True)
    seat = second.seat_for(info(HOST_KEY.public))
    (close,) = take(second, seat.receive(offer))
    assert isinstance(close, Close)
    assert (close.code, close.failure) == ("other-match", "A")
    assert second.stored is None
    assert log.path.read_bytes() == kept
    other = entry_of(host_at(b"u" * 32).start())
    seat = second.seat_for(info(HOST_KEY.public))  # the host comes again, with a new number
    take(second, seat.receive(other))
    assert len(home.logs()) == 2
    second.close()


def test_a_name_that_a_crash_has_left_without_an_entry_is_no_match(home):
    first = keeper(home, "guest")
    first.seat_for(info(HOST_KEY.public))
    take(first, first.live.receive(entry_of(host_at(b"t" * 32).start())))
    first.close()
    (log,) = home.logs()
    log.path.write_bytes(b"")
    second = keeper(home, "guest")
    assert not second._holds(b"t" * 32)


def test_the_seat_that_sits_there_sits_down_again_while_the_store_says_the_same(home):
    here = keeper(home, "guest")
    seat = here.seat_for(info(HOST_KEY.public))
    take(here, seat.receive(entry_of(host_at(b"t" * 32).start())))
    position = here.position_for(HOST_KEY.public, None)
    assert position == seat.position
    back = PeerInfo(HOST_KEY.public, "", "", "192.0.2.1:4466", position)
    assert here.seat_for(back) is seat
    here.close()


def test_a_match_goes_on_with_the_key_that_it_was_begun_with_and_no_other(home):
    here = keeper(home, "guest")
    take(here, here.seat_for(info(HOST_KEY.public)).receive(entry_of(host_at(b"t" * 32).start())))
    assert here.position_for(GUEST_KEY.public, None) is None
    here.close()


def test_an_offer_that_nobody_accepted_leaves_no_note(home):
    here = keeper(home, "guest")
    take(here, here.seat_for(info(HOST_KEY.public)).receive(entry_of(host_at(b"t" * 32).start())))
    here.note_closing("left")
    assert read_closing(here.stored.path) is None
    here.close()


def test_a_match_that_is_left_is_noted_with_who_owes_what(home):
    here = keeper(home, "guest")
    seat = here.seat_for(info(HOST_KEY.public))
    take(here, seat.receive(entry_of(host_at(b"t" * 32).start())))
    take(here, seat.accept())
    here.note_closing("peer-silent")
    note = read_closing(here.stored.path)
    assert (note.entry, note.owed_by, note.owes) == (2, "host", "the commitment to the cut")
    assert (note.closed, note.code) == (NOW, "peer-silent")
    assert note.since == int(here.stored.path.stat().st_mtime)
    here.close()


def test_a_host_that_begins_another_match_in_the_middle_of_one_does_not_do_it_unsaid(home):
    said = []
    here = keeper(home, "guest", dropped=lambda: said.append(True))
    seat = here.seat_for(info(HOST_KEY.public))
    take(here, seat.receive(entry_of(host_at(b"t" * 32).start())))
    path = here.stored.path
    here.seat_for(replace(info(HOST_KEY.public), position=seat.position))
    here.seat_for(info(HOST_KEY.public))  # an offer alone is nothing that could be dropped
    assert said == []
    seat = here.seat_for(replace(info(HOST_KEY.public), position=seat.position))
    take(here, seat.accept())
    kept = path.read_bytes()
    assert here.seat_for(info(HOST_KEY.public)) is not seat
    assert said == [True]
    note = read_closing(path)
    assert (note.owed_by, note.closed, note.code) == ("host", NOW, "other-match")
    assert path.read_bytes() == kept
    here.seat_for(replace(info(HOST_KEY.public), position=seat.position))
    assert list(here.live.entries) == list(seat.entries)
    here.close()


def test_a_note_that_cannot_be_written_is_no_reason_to_fail(home, monkeypatch):
    here = keeper(home, "guest")
    seat = here.seat_for(info(HOST_KEY.public))
    take(here, seat.receive(entry_of(host_at(b"t" * 32).start())))
    take(here, seat.accept())
    (home.matches / here.stored.path.with_suffix(".closed").name).mkdir()
    here.note_closing("left")
    assert read_closing(here.stored.path) is None
    here.close()


def test_who_checks_a_stored_match_is_told_of_how_many_hands(home):
    first = keeper(home, "guest")
    seat = first.seat_for(info(HOST_KEY.public))
    take(first, seat.receive(entry_of(host_at(b"t" * 32).start())))
    take(first, seat.accept())
    first.close()
    told = []
    second = keeper(home, "guest", checking=told.append)
    second.put_back(HOST_KEY.public)
    assert told == [0]
    position = second.position_for(HOST_KEY.public, None)
    back = PeerInfo(HOST_KEY.public, "", "", "192.0.2.1:4466", position)
    assert len(second.seat_for(back).entries) == 2
    assert told == [0]  # it was put back before
    second.close()


def test_a_seat_that_is_ahead_of_the_store_says_nothing_of_what_is_owed(home):
    """As after a disk that was full: what is not stored was not sent."""
    here = keeper(home, "guest")
    seat = here.seat_for(info(HOST_KEY.public))
    take(here, seat.receive(entry_of(host_at(b"t" * 32).start())))
    next(seat.accept())  # admitted, and never stored
    assert seat.can_go_on()
    here.note_closing("disk-full")
    assert read_closing(here.stored.path) is None
    here.close()


@pytest.mark.parametrize(("suffix", "code"), [(".seeds", "bad-seeds-file"), (".match", None)])
def test_a_match_with_damaged_files_is_no_reason_not_to_begin_another(home, suffix, code):
    host = HOST_KEY.public
    first = keeper(home, "guest")
    first.seat_for(info(host))
    take(first, first.live.receive(entry_of(host_at(b"t" * 32).start())))
    take(first, first.live.accept())
    notes = first.stored.notes
    first.close()
    (log,) = home.logs()
    log.path.with_suffix(suffix).write_bytes(b"nonsense\n")
    second = keeper(home, "guest")
    second.put_back(host)
    assert second.position_for(host, None) is None
    assert (None if second.passed_over is None else second.passed_over.code) == code
    seat = second.seat_for(info(host))  # the host begins a new one
    take(second, seat.receive(entry_of(host_at(b"u" * 32).start())))
    assert len(home.logs()) == 2
    second.close()
    chosen = keeper(home, "guest", only=Stored(log, notes, ()))
    if code is None:  # nothing says whose match it is
        assert chosen.position_for(host, None) is None
    else:  # who asks for this match is told why not
        with pytest.raises(StoreError, match="damaged"):
            chosen.put_back(host)


def test_a_match_with_a_proof_beside_it_has_ended_for_a_guest(home):
    """Whatever the host says of it, it is not taken up, and its log stays as it is."""
    offer = entry_of(host_at(b"t" * 32).start())
    first = keeper(home, "guest")
    take(first, first.seat_for(info(HOST_KEY.public)).receive(offer))
    first.journal.persist_evidence(b"t" * 32, (offer, b"illegal"))
    first.close()
    (log,) = home.logs()
    before = log.path.read_bytes()
    theirs = Position(b"t" * 32, 4, bytes(32))
    with pytest.raises(StoreError) as caught:
        keeper(home, "guest").seat_for(replace(info(HOST_KEY.public), position=theirs))
    assert caught.value.code == "match-ended"
    assert log.path.read_bytes() == before
