"""Resuming a match doesn't repeat what this program has verified before, but verifies all else."""

import json
from dataclasses import replace

import pytest

from ginpeer.referee.referee import Referee
from ginpeer.referee.transitions import MalformedEntry, Violation
from ginpeer.store import log_index
from ginpeer.store.log_index import mark_verified, verified_entries
from protocol import messages as m
from protocol.crypto.identity import IdentityKey
from tests.cheating.cheat import one_hand
from tests.match_store.test_keeper import (
    HOST_KEY,
    Notices,
    home,  # noqa: F401 - a fixture
    keeper,
    offered,
)
from tests.refusals import code_of

KEY, ANOTHER_KEY = IdentityKey(b"k" * 32), IdentityKey(b"a" * 32)


def test_a_mark_is_valid_only_for_its_bytes_key_and_version(tmp_path, monkeypatch):
    log, entries = tmp_path / "a.ginlog", [b"one", b"two", b"three"]
    assert verified_entries(log, entries, KEY) == 0
    mark_verified(log, entries[:2], KEY)
    assert verified_entries(log, entries, KEY) == 2
    assert verified_entries(log, entries[:2], KEY) == 2
    assert verified_entries(log, entries[:1], KEY) == 0
    assert verified_entries(log, [b"onet", b"wo", b"three"], KEY) == 0
    assert verified_entries(log, [b"two", b"one"], KEY) == 0
    assert verified_entries(log, entries, ANOTHER_KEY) == 0
    monkeypatch.setattr(log_index, "__version__", "0.0.0")
    assert verified_entries(log, entries, KEY) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"entries": 3},
        {"entries": 1},
        {"entries": 0},
        {"entries": "2"},
        {"mac": "00" * 32},
        {"mac": ""},
        {"version": 2},
    ],
)
def test_a_changed_mark_is_ignored(tmp_path, change):
    log, entries = tmp_path / "a.ginlog", [b"one", b"two", b"three"]
    mark_verified(log, entries[:2], KEY)
    path = log.with_suffix(".verified")
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert verified_entries(log, entries, KEY) == 0


def test_a_mark_that_cannot_be_written_is_not_an_error(tmp_path):
    log = tmp_path / "a.ginlog"
    log.with_suffix(".verified").mkdir()
    mark_verified(log, [b"one"], KEY)
    assert verified_entries(log, [b"one"], KEY) == 0


def test_verified_entries_lead_to_the_same_table_and_the_next_one_is_judged_in_full():
    entries = one_hand().entries
    whole = Referee()
    whole.admit_all(entries)
    for count in (0, 1, 2, 3, len(entries) // 2, len(entries)):
        known, watched = Referee(), []
        known.admit_all(entries, watched.append, verified=count)
        assert known.table == whole.table
        assert known.entries == whole.entries
        assert [each.sequence for each in watched] == [*range(len(entries))]


def changed(data):
    return data[:-1] + bytes([data[-1] ^ 1])


def test_a_signature_is_verified_even_in_a_verified_entry():
    entries = [*one_hand().entries[:-1], changed(one_hand().entries[-1])]
    code = code_of(MalformedEntry, Referee().admit_all, entries, verified=len(entries))
    assert code == "bad-signature"


def test_proofs_are_verified_from_the_first_new_entry_on():
    match = one_hand()
    at = match.find(m.DealDeck)
    message = match.steps[at].message
    lie = replace(message, argument=changed(message.argument))
    entries = [*match.entries[:at], match.author(at).sign(match.table_at(at), lie)]
    Referee().admit_all(entries, verified=at + 1)
    with pytest.raises(Violation):
        Referee().admit_all(entries, verified=at)


def test_resuming_verifies_only_what_is_new(home):  # noqa: F811
    offered(home, accepted=True).close()
    for told in ([0], []):  # the first resuming leaves a mark
        notices = Notices()
        here = keeper(home, "guest", notices=notices)
        here.restore_seat(HOST_KEY.public)
        assert notices.told == told
        assert len(here.stored.entries) == 2
        here.close()


def test_leaving_the_table_marks_what_was_played(home):  # noqa: F811
    here = offered(home, accepted=True)
    here.note_closing("left")
    here.close()
    notices = Notices()
    again = keeper(home, "guest", notices=notices)
    again.restore_seat(HOST_KEY.public)
    assert notices.told == []


def test_an_offer_leaves_no_mark(home):  # noqa: F811
    offered(home).close()
    here = keeper(home, "guest")
    here.restore_seat(HOST_KEY.public)
    here.close()
    assert not [*home.matches.glob("*.verified")]
