"""`ginpeer verify`: its exit status, and that its output never claims more than is proven."""

import io
import json
import sys

import pytest

from cli.main import main
from tests.cli.process import ginpeer
from tests.matches.recorded import recorded


@pytest.fixture
def log(tmp_path):
    """Return a function that writes the recorded match, or the given entries, to a log file."""

    def write(entries=None):
        return recorded().write(tmp_path / "match.ginlog", entries)

    return write


@pytest.fixture
def verify(capsys):
    """Return a function that runs `ginpeer verify --json` and returns exit status and document."""

    def run(path, *arguments):
        status = main(["verify", "--json", *arguments, str(path)])
        out, err = capsys.readouterr()
        assert err == ""
        return status, json.loads(out)

    return run


def test_a_log_cut_after_an_entry_is_incomplete_and_says_who_owes(log, verify):
    entries = recorded().entries
    last = len(entries) - 1
    for kept in (*range(1, 12, 3), *range(12, last, 9), last - 2, last - 1, last):
        status, document = verify(log(entries[:kept]))
        assert status == 3, kept
        assert document["verdict"] == "incomplete"
        assert document["entries"] == kept
        assert document["failing_entry"] is None
        assert document["owes"]["role"] in ("host", "guest")
        assert document["owes"]["what"] in document["sentence"]


def test_an_empty_log_is_incomplete(log, verify):
    status, document = verify(log(()))
    assert status == 3
    assert document["owes"] == {"role": "host", "what": "the offer"}
    assert [player["key"] for player in document["players"]] == [None, None]


def test_a_log_cut_within_an_entry_names_it(log, verify):
    entries = recorded().entries
    whole = log(entries[:13]).read_bytes()
    for torn in (1, len(entries[12]) // 2, len(entries[12]) + 3):
        path = log(entries[:13])
        path.write_bytes(whole[:-torn])
        status, document = verify(path)
        assert status == 3
        assert (document["verdict"], document["code"]) == ("incomplete", "torn")
        assert (document["entries"], document["failing_entry"]) == (12, 12)


def test_a_flipped_byte_never_passes_and_the_entry_is_named(log, verify):
    """Only a sample of bytes; a campaign flips every byte."""
    whole = log().read_bytes()
    ends = _ends(recorded().entries)
    for at in range(11, len(whole), len(whole) // 24):
        path = log()
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x01]) + whole[at + 1 :])
        status, document = verify(path)
        assert status in (1, 2, 3)
        entry = next(number for number, end in enumerate(ends) if at < end)
        assert document["failing_entry"] == entry, at
        assert document["author"] is None  # a flipped bit is no evidence against either player
        assert document["winner"] is None


def test_a_flipped_length_names_the_entry(log, verify):
    """The rest of the file may no longer split into entries at all."""
    whole = log().read_bytes()
    start = _ends(recorded().entries)[4]
    for at, bit in ((at, bit) for at in range(start, start + 4) for bit in (0x01, 0x80)):
        path = log()
        path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        status, document = verify(path)
        assert status in (1, 2, 3)
        assert document["failing_entry"] == 5


@pytest.mark.parametrize(
    ("entries", "torn", "told"),
    [
        (
            lambda entries: [*entries[:9], entries[10]],
            0,
            {
                "FORGED OR DAMAGED: entry 9 (counted from 0) isn't valid (wrong-sequence).",
                "Proven: entries 0 to 8 are signed in one chain and legal; "
                "entry 9 isn't what the match requires.",
            },
        ),
        (
            lambda entries: entries[:9],
            5,
            {
                "INCOMPLETE: the match isn't finished. So far, 8 entries are valid.",
                "Proven: the first 8 entries are signed in one chain and legal.",
            },
        ),
        (
            lambda entries: entries[:-1],
            0,
            {"INCOMPLETE: the match is over, but its log isn't complete. So far, "},
        ),
    ],
)
def test_a_person_is_told_how_entries_are_counted_and_whether_the_match_is_over(
    log, capsys, entries, torn, told
):
    path = log(tuple(entries(recorded().entries)))
    path.write_bytes(path.read_bytes()[: -torn or None])
    main(["verify", str(path)])
    out = capsys.readouterr().out
    assert [sentence for sentence in told if sentence not in out] == []
    assert (" of an incomplete entry 8. Entries are counted from 0.\n" in out) == bool(torn)


def _ends(entries):
    """Return the offset in the file at which each entry's record ends."""
    ends, end = [], 8
    for entry in entries:
        end += 4 + len(entry)
        ends.append(end)
    return ends


@pytest.mark.parametrize("tampering", ["deleted", "repeated", "swapped", "inserted"])
def test_rearranged_entries_incriminate_nobody(log, verify, tampering):
    entries = list(recorded().entries)
    for at in (3, 10, 17):
        changed = {
            "deleted": entries[:at] + entries[at + 1 :],
            "repeated": entries[: at + 1] + entries[at:],
            "swapped": [*entries[:at], entries[at + 1], entries[at], *entries[at + 2 :]],
            "inserted": [*entries[:at], entries[at - 2], *entries[at:]],
        }[tampering]
        status, document = verify(log(tuple(changed)))
        assert status == 1
        assert document["verdict"] == "forged"
        assert document["author"] is None
        assert document["failing_entry"] in (at, at + 1)


@pytest.mark.parametrize("content", [b"", b"root:x:0:0\n", b"ginlog1\n\xff\xff\xff\xff"])
def test_a_file_that_is_not_a_log_cannot_be_read(tmp_path, verify, capsys, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    status, document = verify(path)
    assert (status, document["verdict"]) == (2, "unreadable")
    assert main(["verify", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("ginpeer: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["missing", ".", "a\0b", "x" * 5000, "\udce9", "../\x1b[31m"])
def test_a_missing_or_impossible_file_is_reported(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path))
    assert main(["verify", name]) == 2
    err = capsys.readouterr().err
    assert err.startswith("ginpeer: ")
    assert err.count("\n") == 1
    assert "\x1b" not in err


def test_a_stored_match_is_found_by_its_short_name(tmp_path, verify, log):
    matches = tmp_path / "matches"
    matches.mkdir()
    stem = recorded().table.table_id.hex()[:16]
    recorded().write(matches / f"{stem}.ginlog", recorded().entries[:5])
    status, document = verify(stem[:6], "--home", str(tmp_path))
    assert (status, document["entries"]) == (3, 5)


def test_the_pure_group_gives_the_same_verdict(log):
    """Only keys, proofs of possession and cut: a whole shuffle takes the pure group seconds."""
    path = log(recorded().entries[:7])
    documents = [
        ginpeer("verify", "--json", path, GINPEER_GROUP=group).stdout
        for group in ("pure", "sodium")
    ]
    assert documents[0] == documents[1]
    assert json.loads(documents[0])["verdict"] == "incomplete"


def test_a_name_that_the_terminal_cannot_show_is_not_an_error(tmp_path):
    done = ginpeer("verify", recorded().write(tmp_path / "log"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0


# --- slow checks ----------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("arguments", [["verify"], ["verify", "--json"], ["replay"], ["tally"]])
@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.deep(keep=2)
def test_a_slow_check_shows_its_progress_on_a_terminal_only(
    log, monkeypatch, capsys, arguments, terminal
):
    """Progress goes to standard error, so that standard output doesn't change."""
    main([*arguments, str(log())])
    quick = capsys.readouterr()
    told = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr("cli.commands.home_and_files._PROGRESS_DELAY", 0.0)
    monkeypatch.setattr("cli.commands.home_and_files._PROGRESS_INTERVAL", 0.0)
    monkeypatch.setattr(sys, "stderr", told)
    main([*arguments, str(log())])
    assert capsys.readouterr().out == quick.out
    if not terminal:
        assert told.getvalue() == quick.err
        return
    *parts, erased, rest = told.getvalue().split("\r")
    assert not erased.strip()
    assert len(erased) == max(map(len, parts))
    assert not rest or "entries, " not in rest
    count = len(recorded().entries)
    assert [int(part.split()[0]) for part in parts[1:]] == list(range(1, count + 1))[
        -len(parts[1:]) :
    ]
    assert parts[-1].rstrip() == f"{count} entries, 100%"
    assert ", 0%" in parts[1]
