"""The output of commands on a pseudo-terminal of fifty columns and in a pipe."""

import io
import os
import re
import sys

import pytest

from cli.commands import home_and_files
from cli.main import main
from cli.terminal.output import MARK
from ginpeer.store import Home
from tests.cli.terminal.screen import Screen
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import recorded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

COLUMNS = 50
WHOLE = re.compile(r"[0-9a-f]{64}|/\S{30,}")
"""Text that is never broken, as players copy it: hashes and paths."""


@pytest.fixture
def run_both(monkeypatch, tmp_path):
    """Return a function that runs a command on a terminal and into a pipe. It returns the text on
    the terminal and the text in the pipe."""
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("COLUMNS", raising=False)
    # Otherwise, a command could show its progress on a busy machine.
    monkeypatch.setattr(home_and_files, "_PROGRESS_DELAY", float("inf"))

    def run(*words):
        screen, pipe = Screen(COLUMNS), io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        told = []
        for out in (screen.stream, pipe):
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdout", out)
                patch.setattr(sys, "stderr", out)
                told.append(main(list(map(str, words))))
        assert told[0] == told[1]
        pipe.flush()
        return screen.text(), pipe.buffer.getvalue().decode()

    return run


def check(screen, pipe):
    assert re.split(r"\s+", screen.strip()) == re.split(r"\s+", pipe.strip())
    for row in screen.split("\n"):
        assert len(row) <= COLUMNS or WHOLE.search(row), row
    assert any(len(line) > COLUMNS for line in pipe.split("\n"))


@pytest.fixture
def log(tmp_path):
    return recorded().write(tmp_path / "match.ginlog")


@pytest.mark.parametrize(
    "words",
    [
        ("verify", FOLDER / "evidence-fork.ginlog"),
        ("tally", FOLDER / "resumed.ginlog"),
        ("replay", FOLDER / "classic.ginlog"),
        ("analyse", FOLDER / "classic.ginlog", "--seat", "host"),
        ("rules",),
        ("rules", "mahjong", "--diff", "hollywood"),
    ],
    ids=lambda words: " ".join(word for word in words if isinstance(word, str)),
)
def test_commands_wrap_at_words(run_both, words):
    check(*run_both(*words))


@pytest.mark.parametrize(
    "words",
    [
        ("rules", "nonsense"),
        ("replay", FOLDER / "classic.ginlog", "--hand", "9", "--seat", "Nobody"),
        ("host", "Bob"),
    ],
    ids=lambda words: words[0],
)
def test_an_error_wraps_at_words_and_its_commands_stay_whole(run_both, words):
    screen, pipe = run_both(*words)
    check(screen, pipe)
    for command in re.findall(r"ginpeer (?:[a-z]+)(?: --[a-z]+)?", pipe):
        assert command in screen


def test_suggested_commands_name_the_home_and_stay_whole(run_both, tmp_path, monkeypatch):
    """The command can be pasted in any folder."""
    monkeypatch.delenv("GINPEER_HOME")
    monkeypatch.chdir(tmp_path)
    command = f"ginpeer --home {tmp_path / 'other'}"
    invite = "gin1-aaaaaaaaaaaaaaaa"
    for words, told in (
        (("verify", "none"), "logs lists your matches"),
        (("resume",), "host starts a new one"),
        (("resume", "abc"), "logs lists your matches"),
        (("host", "Bob"), "friends."),
        (("host", invite), "join and the invite"),
        (("host", "ginr1-aaaa"), "host and send your friend"),
        (("friends", "--forget", "Bob"), "friends."),
        (("friends", "--forget", f"{invite}bb"), "join and the invite"),
        (("join", "ginr1-aaaa"), "join and the invite"),
    ):
        screen, pipe = run_both("--home", "other", *words)
        assert f"{command} {told}" in pipe
        assert f"{command} {told.split(' ')[0]}" in screen
        assert MARK not in screen


def test_friends_and_matches_wrap_at_words(run_both, tmp_path):
    home = Home.locate(None, os.environ)
    known = home.known_peers(lambda: 1_700_000_000)
    for at in range(3):
        known.remember(bytes([at + 1]) * 32, "198.51.100.7:4466", f"Somebody Longnamed {at}")
    check(*run_both("friends"))
    matches = tmp_path / "home" / "matches"
    matches.mkdir(parents=True, exist_ok=True)
    for at, entries in enumerate((recorded().entries, recorded().entries[:30], ())):
        recorded().write(matches / f"{'0' * 15}{at}.ginlog", entries)
    screen, pipe = run_both("logs")
    rows = re.sub(r"\n +", " ", screen)  # rules that don't fit have a row of their own
    assert rows.split() == pipe.split()
    assert len(rows.splitlines()) == len(pipe.splitlines())
    check(*run_both("logs", "0" * 15 + "1"))


@pytest.mark.deep
def test_documents_and_lines_for_programs_are_the_same_on_a_terminal(run_both, log):
    for words in (("verify", log, "--json"), ("tally", log, "--json"), ("replay", log, "--events")):
        screen, pipe = run_both(*words)
        assert screen == pipe


def test_text_to_be_copied_stays_on_one_row(run_both, tmp_path, monkeypatch):
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path / ("a home of some length " * 3)))
    screen, pipe = run_both("id")
    assert screen == pipe
    screen, _ = run_both("logs")
    assert str(Home.locate(None, os.environ).matches) in screen
