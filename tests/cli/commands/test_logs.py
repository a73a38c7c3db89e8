"""`ginpeer logs` as a real command: the list by friend, day and rules."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from cli.commands.logs import row_text
from cli.main import main
from cli.text.match_list import ClaimedNames, match_row
from ginpeer.match_store.listing import ListedMatch
from ginpeer.match_store.matches import UnfinishedMatch
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.store import Home, MatchNotes, StoredMatch
from ginpeer.store.match_files import ClosingNote
from protocol.crypto.identity import fingerprint
from tests.matches.recorded import recorded

OTHER = "oklahoma target=1"
DAY = 24 * 3600
NOON = int(time.mktime((2026, 11, 20, 12, 0, 0, 0, 0, -1)))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return a home with matches on four days: two against Ben with different rules, one between
    strangers that has no notes, and one unfinished. The latest is called 4."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "matches").mkdir()
    plain, oklahoma = recorded(), recorded(OTHER)
    ben = plain.identities[1].public
    Home(folder).known_peers(lambda: NOON).remember(ben, "", "Ben")
    Home(folder).known_peers(lambda: NOON).remember(bytes(32), "", "Cleo")
    Home(folder).known_peers(lambda: NOON).remember(bytes([7]) * 32, "", "1111")
    logs = (plain.entries, oklahoma.entries, plain.entries, plain.entries[:20])
    for at, entries in enumerate(logs, 1):
        path = plain.write(folder / "matches" / f"{str(at) * 16}.ginlog", entries)
        if at != 3:
            notes = MatchNotes(bytes([at]) * 32, "host", "Ada", ben, (), NOON + at * DAY)
            path.with_suffix(".match").write_bytes(notes.encode())
        os.utime(path, (NOON + at * DAY,) * 2)
    return folder


@pytest.fixture
def logs(home, capsys):
    def run(*arguments):
        status = main(["--home", str(home), "logs", *arguments])
        out, err = capsys.readouterr()
        return status, [line.partition("  ")[0] for line in out.splitlines()], err

    return run


ALL = ["444444", "333333", "222222", "111111"]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([], ALL),
        (["ben"], ALL),
        (["--rules", "Oklahoma, target = 1"], ALL[2:3]),
        (["--rules", "standard"], [*ALL[:2], ALL[3]]),
        (["--since", "2026-11-22"], ALL[:3]),
        (["--until", "2026-11-22"], ALL[2:]),
        (["--since", "2026-11-22", "--until", "2026-11-23"], ALL[1:3]),
        (["--limit", "2"], ALL[:2]),
        (["Ben", "--rules", "standard", "--until", "2026-11-23", "--limit", "1"], ALL[1:2]),
    ],
)
def test_only_the_requested_matches_are_listed_latest_first(logs, arguments, found):
    status, names, err = logs(*arguments)
    assert (status, names, err) == (0, found, "")


@pytest.mark.parametrize(
    "arguments", [["Cleo"], ["--since", "2027-01-01"], ["--rules", "target=99"]]
)
def test_a_filter_that_no_match_fits_says_so(logs, arguments):
    status, names, _ = logs(*arguments)
    assert (status, names) == (0, ["None of your matches fits these options."])


def test_a_friends_name_counts_before_the_name_of_a_match(logs):
    assert logs("1111")[1] == ["None of your matches fits these options."]
    assert logs("11111")[1] == ALL[3:]


def test_logs_accepts_a_friends_fingerprint(logs):
    ben = recorded().identities[1].public
    assert logs(fingerprint(ben)[:8])[1] == ALL


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["Dora"], "friend-unknown"),
        (["--rules", "frob"], "unknown-preset"),
        (["--rules", "frob=1"], "unknown-rule"),
        (["--since", "2026-02-30"], "usage"),
        (["--until", "tomorrow"], "usage"),
        (["--until", "\uff12026-11-22"], "usage"),
        (["--limit", "0"], "usage"),
    ],
)
def test_invalid_filters_are_refused_with_a_code(logs, arguments, code):
    status, names, err = logs(*arguments)
    assert (status, names) == (2, [])
    assert f"({code})" in err


def test_a_match_played_elsewhere_shows_whether_it_was_verified(tmp_path, capsys, transcript):
    (tmp_path / "matches").mkdir()
    entries = recorded().entries
    for digit, kept in (("a", entries), ("b", (*entries[:30], *entries[31:]))):
        path = recorded().write(tmp_path / "matches" / f"{digit * 16}.ginlog", kept)
        os.utime(path, (NOON, NOON))

    def told(*command):
        main(["--home", str(tmp_path), *command])
        lines = sorted(capsys.readouterr().out.splitlines())
        return [line.split("  ", 2)[2] for line in lines]

    before = told("logs")
    for command in (["verify", "aaaaaa"], ["verify", str(path)]):
        main(["--home", str(tmp_path), *command])
    capsys.readouterr()
    after = told("logs")
    transcript(before, after)
    main(["--home", str(tmp_path), "stats"])
    capsys.readouterr()
    assert told("logs") == after


def test_a_row_has_the_result_and_whose_turn_it_is(home, capsys, transcript):
    assert main(["--home", str(home), "logs"]) == 0
    transcript(line.split("  ", 2)[2] for line in capsys.readouterr().out.splitlines())


def test_an_unfinished_match_with_evidence_is_stopped_whoever_broke_the_rules(home, capsys):
    evidence = home / "matches" / f"{'4' * 16}.evidence.ginlog"
    evidence.touch()
    try:
        assert main(["--home", str(home), "logs", "--limit", "1"]) == 0
        assert main(["--home", str(home), "logs", "4444"]) == 0
    finally:
        evidence.unlink()
    row, below, line, below_line = capsys.readouterr().out.splitlines()
    assert " stopped " in row
    assert '"Ben": stopped; ' in line
    assert {below, below_line} == {f"  evidence that a player broke the rules: {evidence}"}


def test_a_single_match_is_described_in_full(home, capsys):
    assert main(["--home", str(home), "logs", "4444"]) == 0
    line = capsys.readouterr().out
    assert line.startswith('444444  2026-11-24 12:00  with "Ben": unfinished; ')
    assert line.endswith(" standard target=1\n")


def test_a_row_fits_the_terminal_and_our_turn_is_bold(transcript):
    stored = StoredMatch("1" * 16, Path("1.ginlog"), NOON, "111111")
    note = ClosingNote(20, "guest", "a discard", NOON, None, "", 1, (45, -5))
    rules = parse_ruleset("oklahoma target=150 gin-bonus=20 box=20 undercut-bonus=20")
    status = UnfinishedMatch(("Ada", "Ben"), rules, note)
    row = match_row(ListedMatch(stored, 1, status), ClaimedNames())
    shelved = match_row(ListedMatch(stored, 1, replace(status, shelved=True)), ClaimedNames())
    won = replace(row, result="you won 153 to 0", rules="standard target=150")
    transcript(
        row_text("111111", row, columns=80, bold=True),
        *(row_text("1111", row, columns=room, bold=False) for room in (100, 120)),
        *(row_text("1111", won, columns=room, bold=False) for room in (60, 61, 68, 69, 80, 90)),
        row_text("111111", shelved, columns=50, bold=True),
        *(row_text("1111", row, columns=room, bold=False) for room in (55, 70)),
    )


def test_names_of_different_lengths_are_aligned(tmp_path, capsys):
    (tmp_path / "matches").mkdir()
    for at, name in enumerate(("a" * 6 + "1" * 10, "a" * 6 + "2" * 10, "b" * 16)):
        path = recorded().write(tmp_path / "matches" / f"{name}.ginlog")
        notes = MatchNotes(bytes(32), "host", "Ada", bytes(32), (), at)
        path.with_suffix(".match").write_bytes(notes.encode())
        os.utime(path, (NOON, NOON))
    assert main(["--home", str(tmp_path), "logs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:10] for line in lines] == ["aaaaaa1  2", "aaaaaa2  2", "bbbbbb   2"]


@pytest.mark.parametrize("modified", [7e16, -7e16])
def test_a_match_with_an_impossible_time_is_listed(home, logs, monkeypatch, modified):
    def stat(path, *rest, **how):
        found = real(path, *rest, **how)
        if str(path).endswith(f"{'4' * 16}.ginlog"):
            found = os.stat_result([*found[:8], modified, 0], {"st_mtime": modified})
        return found

    real = os.stat
    monkeypatch.setattr("ginpeer.store.home.os.stat", stat)
    status, listed, err = logs()
    assert (status, sorted(listed), err) == (0, sorted(ALL), "")
