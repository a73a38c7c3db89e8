"""`ginpeer verify`: its exit status, and that its output never claims more than is proven."""

import io
import json
import sys

import pytest

from cli.main import main
from tests.cli.process import ginpeer
from tests.matches.recorded import recorded
from tests.notation.test_reading import TYPED
from tests.toy_group import toy_group


@pytest.fixture
def verify(capsys):
    """Return a function that runs `ginpeer verify --json` and returns exit status and document."""

    def run(path, *arguments):
        status = main(["verify", "--json", *arguments, str(path)])
        out, err = capsys.readouterr()
        assert err == ""
        return status, json.loads(out)

    return run


def test_a_log_cut_after_an_entry_is_incomplete_and_says_who_owes(tmp_path, verify):
    with toy_group():
        entries = recorded().entries
        last = len(entries) - 1
        for kept in (*range(1, 12, 3), *range(12, last, 9), last - 2, last - 1, last):
            path = recorded().write(tmp_path / "cut.ginlog", entries[:kept])
            status, document = verify(path)
            assert (status, document["verdict"], document["entries"]) == (3, "incomplete", kept)
            assert document["failing_entry"] is None
            assert document["owes"]["role"] in ("host", "guest")
            assert document["owes"]["what"] in document["sentence"]


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
    path = log(entries=tuple(entries(recorded().entries)))
    path.write_bytes(path.read_bytes()[: -torn or None])
    main(["verify", str(path)])
    out = capsys.readouterr().out
    assert [sentence for sentence in told if sentence not in out] == []
    assert (" of an incomplete entry 8. Entries are counted from 0.\n" in out) == bool(torn)


def test_a_stored_match_is_found_by_its_short_name(tmp_path, verify):
    matches = tmp_path / "matches"
    matches.mkdir()
    stem = recorded().table.table_id.hex()[:16]
    recorded().write(matches / f"{stem}.ginlog", recorded().entries[:5])
    status, document = verify(stem[:6], "--home", str(tmp_path))
    assert (status, document["entries"]) == (3, 5)


def test_a_name_that_the_terminal_cannot_show_is_not_an_error(tmp_path):
    typed = tmp_path / "typed.gin"
    typed.write_text('[Host "Zo\u00e9"]\n' + TYPED, "utf-8")
    done = ginpeer("replay", typed, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (2, "")  # 2, as for every typed match
    assert "Zo\\xe9 deals." in done.stdout


# --- slow checks ----------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def at_a_slow_terminal(monkeypatch):
    """Let every command show its progress at once, on a terminal; return its error output."""
    told = Terminal()
    monkeypatch.setattr("cli.commands.home_and_files._PROGRESS_DELAY", 0.0)
    monkeypatch.setattr("cli.commands.home_and_files._PROGRESS_INTERVAL", 0.0)
    monkeypatch.setattr(sys, "stderr", told)
    return told


@pytest.mark.parametrize("command", ["verify", "replay", "tally"])
def test_a_slow_check_shows_its_progress(log, monkeypatch, capsys, command):
    """Progress goes to standard error, so that standard output doesn't change."""
    main([command, str(log())])
    quick = capsys.readouterr()
    told = at_a_slow_terminal(monkeypatch)
    main([command, str(log())])
    assert capsys.readouterr().out == quick.out
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


def test_progress_is_shown_only_on_a_terminal(log, monkeypatch):
    told = at_a_slow_terminal(monkeypatch)
    monkeypatch.setattr(told, "isatty", lambda: False)
    assert main(["verify", str(log())]) == 0
    assert told.getvalue() == ""
