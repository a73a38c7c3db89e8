"""The state of stored matches in a list: read from their last entries, noted, or judged."""

from dataclasses import replace

import pytest

from ginpeer.match_store.listing import MatchList
from ginpeer.match_store.matches import (
    DecidedMatch,
    EmptyMatch,
    FinishedMatch,
    InvalidMatch,
    UnacceptedOffer,
    UnfinishedMatch,
    UnreadableMatch,
    signed_result,
)
from ginpeer.record import judge_log
from ginpeer.rules import parse_ruleset
from ginpeer.store import Home, MatchNotes, open_log, read_log
from ginpeer.store.match_files import ClosingNote, write_closing_note
from protocol.entry import RawEntry, sign_entry
from protocol.messages import MAX_SEEDS, DealCommit, Disclose, Resign, Settle
from tests.cheating.cheat import one_hand, seated
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import recorded

ENTRIES = recorded().entries


@pytest.fixture
def home(tmp_path):
    (tmp_path / "matches").mkdir()
    return Home(tmp_path)


def store(home, digit, entries, role=None, created=0):
    path = recorded().write(home.matches / f"{digit * 16}.ginlog", entries)
    if role:
        table = bytes.fromhex(digit * 64)
        notes = MatchNotes(table, role, "", bytes(32), (), created)
        path.with_suffix(".match").write_bytes(notes.encode())
    return path


@pytest.fixture
def judged_logs(monkeypatch):
    """Return a list that gets every log that is judged."""
    logs = []

    def judge(log):
        logs.append(log)
        return judge_log(log)

    monkeypatch.setattr("ginpeer.match_store.listing.judge_log", judge)
    return logs


def statuses(home):
    """Return the state of each match, by the first digit of its name."""
    stored = MatchList(home)
    return {match.name[0]: stored.listed(match).status for match in stored.matches}


def test_a_finished_match_is_listed_as_it_was_signed_and_not_judged(home, judged_logs):
    store(home, "1", ENTRIES, "host")
    totals = recorded().table.match.settlement().totals
    found = statuses(home)["1"]
    assert isinstance(found, FinishedMatch)
    assert found.names == ("Ada", "Ben")
    assert isinstance(found.score, Settle)
    assert (found.score.host_total, found.score.guest_total) == totals
    assert judged_logs == []


@pytest.mark.parametrize("at", [0, 1, -4, -3, -2, -1])
def test_an_unreadable_entry_at_either_end_leaves_the_result_unknown(at):
    """That includes the entries just before the two settlements that end an undisclosed match."""
    entries = list(read_log(FOLDER / "never-disclosed.ginlog").entries)
    assert signed_result(entries) is not None
    entries[at] = b"short"
    assert signed_result(entries) is None


def test_two_entries_of_seeds_may_both_be_the_hosts(home):
    """The host of more than 300 hands discloses their seeds in several entries, before the guest's
    first."""
    *before, host, guest = ENTRIES
    body = RawEntry.split(host).decode()
    for seeds, ended in ((MAX_SEEDS - 1, True), (MAX_SEEDS, False)):
        most = replace(body, message=Disclose((bytes(32),) * seeds))
        entries = (*before, sign_entry(recorded().identities[0], most), guest)
        assert (signed_result(entries) is not None) == ended


def test_every_other_kind_of_stored_log_is_listed_as_such(home):
    store(home, "1", ())
    store(home, "2", ENTRIES[:1])
    store(home, "3", (*ENTRIES[:10], ENTRIES[11]))
    store(home, "4", ()).write_bytes(b"what is this")
    store(home, "5", ()).write_bytes(b"ginlog1\n\xff\xff\xff\xff")
    store(home, "6", ()).write_bytes((FOLDER / "too-new-offer.ginlog").read_bytes())
    store(home, "7", ENTRIES).write_bytes((FOLDER / "torn-after-the-end.ginlog").read_bytes())
    store(home, "8", ENTRIES[:20])
    found = statuses(home)
    assert {digit: type(one) for digit, one in found.items()} == {
        "1": EmptyMatch,
        "2": UnacceptedOffer,
        "3": InvalidMatch,
        "4": UnreadableMatch,
        "5": UnreadableMatch,
        "6": UnreadableMatch,
        "7": InvalidMatch,
        "8": UnfinishedMatch,
    }
    assert found["3"].entry == 10
    assert found["2"].names[0] == "Ada"


def test_a_match_given_up_in_its_first_deal_is_judged_to_be_over(home, judged_logs):
    """It has no seeds to disclose, so its last entries don't show that nothing follows."""
    match = one_hand()
    k = match.find(DealCommit)
    pair = seated(match.seat_at(0, k), match.seat_at(1, k))
    leaver = match.steps[k].author
    pair.performers[leaver].perform(pair.performers[leaver].seat._submit_and_continue(Resign()))
    pair.settle()
    store(home, "1", tuple(pair.host.stored), "host")
    keys = tuple(identity.public for identity in match.identities)
    won = DecidedMatch(("Ada", "Ben"), 1 - leaver, keys, match.table_at(1).offer.rules)
    assert statuses(home)["1"] == won
    assert len(judged_logs) == 1


def test_an_unfinished_match_says_who_owes_what_and_by_which_rules(home):
    path = store(home, "1", ENTRIES[:20], "guest")
    with open_log(path) as log:
        table = judge_log(log).table
    found = statuses(home)["1"]
    assert found.rules == parse_ruleset("standard target=1")
    assert found.noted == ClosingNote.of(table, int(path.stat().st_mtime), None, "listed")
    assert found.shelved is False


def test_an_unfinished_match_is_judged_once_until_it_grows(home, judged_logs):
    """The referee's verdict is noted beside the log of a match of ours, but not beside others'."""
    ours, theirs = store(home, "1", ENTRIES[:20], "host"), store(home, "2", ENTRIES[:20])

    def listed():
        judged_logs.clear()
        found = statuses(home)
        return [found["1"].noted.entry, found["1"].noted.owed_by, found["1"].noted.scores]

    first = listed()
    assert len(judged_logs) == 2
    assert first[2] == (0, 0)
    assert listed() == first
    assert len(judged_logs) == 1  # only the others' log
    assert ours.with_suffix(".closed").exists()
    assert not theirs.with_suffix(".closed").exists()
    recorded().write(ours, ENTRIES[:21])
    assert listed() != first
    assert len(judged_logs) == 2
    ours.write_bytes(ours.read_bytes()[:-1])  # torn, so the previous entry is the last
    assert listed() == first
    assert len(judged_logs) == 2


def test_a_note_on_another_entry_does_not_count(home, judged_logs):
    path = store(home, "1", ENTRIES[:20], "host")
    write_closing_note(path, ClosingNote(19, "host", "nothing", 1, None, "listed"))
    assert statuses(home)["1"].noted.entry == 20
    assert len(judged_logs) == 1


@pytest.mark.parametrize(
    "opening",
    [
        b"short",
        bytes(100),
        ENTRIES[0].replace(b"Ada", b"A\x1ba"),
        ENTRIES[0].replace(b"standard", b"standerd"),
    ],
    ids=["no entry", "not canonical", "malformed", "unknown rules"],
)
def test_a_note_does_not_hide_an_unreadable_opening(home, judged_logs, opening):
    """For example, somebody may change the log without changing the number of its entries."""
    path = store(home, "1", (opening, *ENTRIES[1:20]), "host")
    write_closing_note(path, ClosingNote(20, "host", "nothing", 1, None, "listed"))
    assert statuses(home)["1"].entry == 0
    assert len(judged_logs) == 1
