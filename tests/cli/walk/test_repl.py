"""Walking at a real terminal and through a pipe."""

import io
import os
import re
import signal
import sys
from types import SimpleNamespace

import pexpect
import pytest

from cli import walk as walking
from cli.main import main
from ginpeer.record import record
from ginpeer.store.small_files import change_settings
from tests.cli.started import COMMAND, on_terminal
from tests.matches.golden_logs import FOLDER
from tests.notation.test_reading import LATE

LOG = FOLDER / "tournament.ginlog"
"""A match of two hands."""


@pytest.fixture
def piped(monkeypatch, capsys, tmp_path):
    """Return a function that runs `ginpeer replay --walk` and pipes these lines into it. It returns
    the exit status and the output lines."""
    monkeypatch.setenv("GINPEER_HOME", str(tmp_path / "home"))

    def walk(*arguments, typed=""):
        said = tmp_path / "typed"
        said.write_text(typed, encoding="utf-8")
        with said.open(encoding="utf-8") as stdin, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", stdin)
            status = main(["replay", "--walk", *map(str, arguments)])
        out, err = capsys.readouterr()
        return status, out.splitlines(), err

    return walk


def test_piped_commands_are_answered_one_by_one(piped):
    status, lines, err = piped(LOG, typed="hand 2\n\nwhere\nback\n")
    assert (status, err) == (0, "")
    assert lines[0].startswith("VALID: ")
    assert lines[4].startswith("Ada offers a match")
    dealt = lines[5]
    assert dealt.startswith("Hand 2: ")
    assert [line.startswith("  ") for line in lines[6:8]] == [True, True]
    assert re.match(r"Hand 2 of \d+, turn 1 of", lines[-4])
    assert lines[-3] == dealt
    assert not any(">" in line for line in lines)


def test_the_score_of_a_text_that_begins_late_is_not_known(tmp_path, piped):
    text = tmp_path / "late.gin"
    text.write_text(LATE)
    _, lines, _ = piped(text, typed="last\ntable\nscore\n")
    assert lines[-1].startswith("This text begins with hand 3")
    assert not any("wins" in line or "Score" in line for line in lines)


def test_nothing_after_quit_is_answered(piped):
    _, lines, _ = piped(LOG, typed="1\nq\nwhere\nhand 2\n")
    assert not any(line.startswith(("Hand 2", "Hand 1 of")) for line in lines)


def test_the_log_is_judged_only_once_during_a_walk(piped, monkeypatch):
    judged, really = [], record.judge

    def counted(*given, **more):
        judged.append("judged")
        return really(*given, **more)

    monkeypatch.setattr(record, "judge", counted)
    ways = "1\n\n\nb\nb\nseat host\nseat both\nhighest match\nlast\nfirst\nscore\n"
    assert piped(LOG, typed=f"{ways * 3}values on\nn 2\nlast\nfirst\n")[0] == 0
    assert judged == ["judged"]


def test_a_walk_begins_at_the_named_hand(piped):
    _, lines, _ = piped(LOG, "--hand", "2")
    assert lines[4].startswith("Hand 2: ")
    status, _, err = piped(LOG, "--hand", "99")
    assert status == 2
    assert "(no-such-hand)" in err


def test_values_are_shown_while_stepping_through_a_match(piped):
    _, lines, _ = piped(LOG, "--values", typed="1\n" + "\n" * 6)
    assert sum(line.startswith("  Value: ") for line in lines) >= 3
    _, switched, _ = piped(LOG, typed="1\nvalues on\n" + "\n" * 6)
    assert [x for x in switched if "Value" in x] == [x for x in lines if "Value" in x]


def test_a_view_of_one_player_values_only_that_player(piped):
    """The value of a choice names cards of the hand from which it was made."""
    steps = "1\n" + "\n" * 6
    _, asked, _ = piped(LOG, "--values", "--seat", "guest", typed=steps)
    values = [line for line in asked if "Value" in line]
    assert values
    for begun in ((), ("--seat", "host")):
        for typed in ("seat guest\nvalues on\n", "values on\nseat guest\n"):
            _, lines, _ = piped(LOG, *begun, typed=typed + steps)
            assert [line for line in lines if "Value" in line] == values


def test_values_in_mahjong_gin_are_refused_with_a_message(piped):
    status, lines, _ = piped(FOLDER / "mahjong.ginlog", typed="values on\n")
    assert status == 0
    assert lines[-1].startswith("Mahjong gin ")


def test_cards_are_in_words_by_setting_or_by_option(piped, tmp_path):
    (tmp_path / "home").mkdir()
    _, asked, _ = piped(LOG, "--words", typed="1\n\n\n")
    change_settings(tmp_path / "home", words=True)
    _, liked, _ = piped(LOG, typed="1\n\n\n")
    assert asked == liked
    assert " of " in asked[6]


@pytest.mark.parametrize(
    ("name", "status", "behind"),
    [
        ("incomplete", 3, "The log ends here. INCOMPLETE: "),
        ("forged-entry-left-out", 1, "The log ends here. "),
        ("impossible-length", 2, "The log ends here. CANNOT BE READ"),
    ],
)
def test_an_invalid_log_can_be_walked_up_to_where_it_fails(piped, name, status, behind):
    told, lines, _ = piped(FOLDER / f"{name}.ginlog", typed="last\n\n1\nt\nw\nhighest\n")
    assert told == status
    at = next(at for at, line in enumerate(lines) if line.startswith(behind))
    assert lines[at - 1].startswith("This is the end.")


def test_a_log_without_any_valid_entry_cannot_be_walked(piped):
    status, lines, err = piped(FOLDER / "forged-version-zero.ginlog", typed="\n\n")
    assert status == 1, err
    assert any(line.startswith("The log ends here. ") for line in lines)


def test_events_and_walk_cannot_be_combined(piped):
    status, lines, err = piped(LOG, "--events")
    assert (status, lines) == (2, [])
    assert "(walk-of-events)" in err


def test_an_endless_line_is_dropped(piped):
    _, lines, _ = piped(LOG, typed="n" * 200_000 + "\nwhere\n")
    assert any("too long" in line for line in lines)
    assert lines[-1].startswith("This step, entry ")


def test_unread_output_ends_the_walk(piped, monkeypatch):
    class Broken(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(walking.sys, "stdout", Broken())
    assert piped(LOG, typed="n\n" * 5)[0] == 141


def test_a_signal_during_a_write_still_ends_the_walk(monkeypatch):
    """Python refuses to write to a stream inside another write to it."""
    killed, refused = [], iter([RuntimeError("reentrant call"), None])

    def close():
        error = next(refused)
        if error is not None:
            raise error

    monkeypatch.setattr(walking.os, "kill", lambda *given: killed.append(given))
    walk = walking.Repl(None)
    monkeypatch.setattr(walk._console, "close", close)
    with walk._left_as_found():
        signal.raise_signal(signal.SIGTERM)
    assert killed == [(os.getpid(), signal.SIGTERM)]


@pytest.fixture
def terminal(tmp_path):
    child = on_terminal(
        [*COMMAND, "replay", str(LOG)],
        timeout=20,
        env={**os.environ, "TERM": "xterm", "GINPEER_HOME": str(tmp_path), "NO_COLOR": "1"},
    )
    yield child
    child.close(force=True)


on_unix = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


@on_unix
def test_words_and_keys_step_jump_and_quit_at_a_terminal(terminal):
    child = terminal
    child.expect("Enter steps forward, b back")
    child.expect("Ada offers")
    child.expect("> ")
    child.send("\r")
    child.expect("Ben accepts the match.")
    child.send("\x1b[C")  # right
    child.expect("The lower card deals")
    child.send("b\r")
    child.expect("Ben accepts the match.")
    child.send("2\r")
    child.expect("Hand 2: ")
    child.setwinsize(10, 30)
    child.send("\x1b[F")  # end
    child.expect("Deadwood: ")
    child.send("\x1b[D")  # left
    child.expect(r"and goes\s+gin")
    child.send("wh\t\r")
    child.expect(r"Hand 2 of \d+, turn")
    child.send("highst\r")
    child.expect(r"Did\s+you mean highest")
    child.send("\x1b[A\x7f\x7fest\r")  # the previous line, corrected
    child.expect("Highest deadwood after")
    child.send("\x04")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@on_unix
def test_no_prompt_follows_quit(terminal):
    terminal.expect("Ada offers")
    terminal.expect("> ")
    terminal.send("quit\r")
    terminal.expect(pexpect.EOF)
    assert "> " not in terminal.before


def test_ctrl_c_in_the_middle_of_a_call_waits_until_the_call_is_done(monkeypatch):
    """It once ended the walk if it was pressed while a typed letter was being processed."""
    done = []
    walk = walking.Repl(SimpleNamespace(over=False, here=list))
    monkeypatch.setattr(walk._console, "start", lambda *_, **__: None)

    def take_key():
        signal.raise_signal(signal.SIGINT)
        done.append("key")

    def clear():
        done.append("cleared")
        if len(done) == 2:
            walk._call_in_main(take_key)
        else:
            walk._stop()
        return True

    monkeypatch.setattr(walk._console, "clear_typed", clear)
    walk._call_in_main(take_key)
    before = signal.getsignal(signal.SIGINT)
    walk.run()
    assert done == ["key", "cleared", "key", "cleared"]
    assert signal.getsignal(signal.SIGINT) is before


@on_unix
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_stopping_a_walk_restores_the_terminal(terminal, stop):
    child = terminal
    child.expect("Ada offers")
    child.expect("> ")
    assert not child.getecho()
    child.send("where")
    child.expect("where")
    child.kill(stop)
    if stop == signal.SIGINT:  # the first signal only clears the line
        child.expect("\x1b\\[K|\b \b")
        child.send("next\r")
        child.expect("> ")
        child.kill(stop)
    child.expect(pexpect.EOF)
    assert child.getecho()
    child.close()
    assert (child.exitstatus, child.signalstatus) in ((130, None), (None, signal.SIGTERM))


def test_a_second_ctrl_c_interrupts_at_once():
    walk = walking.Repl(None)
    walk._interrupt()
    with pytest.raises(KeyboardInterrupt):
        walk._interrupt()
