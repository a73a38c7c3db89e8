"""The prompt on a real pseudo-terminal, under a shell: the screen after the program was stopped,
and news on a terminal that edits its own lines."""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.cli.terminal.emulator import Emulator
from tests.cli.terminal.sitting import NEWS, PROMPT

pexpect = pytest.importorskip("pexpect")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

PATIENCE = 30
ROOT = Path(__file__).parents[3]
SITTING = "-m", "tests.cli.terminal.sitting"
LEFT = "\x1b[D"


class Watched:
    """A program on a terminal, and its screen."""

    def __init__(self, command, *arguments, term="xterm"):
        environ = {**os.environ, "TERM": term, "PS1": "$ ", "COLUMNS": "", "PYTHONPATH": str(ROOT)}
        self.child = pexpect.spawn(
            command, list(arguments), env=environ, encoding="utf-8", timeout=PATIENCE, cwd=ROOT,
            dimensions=(24, 80), echo=True,
        )  # fmt: skip
        self.screen = Emulator(80)
        self.all = ""

    def until(self, row, column=None):
        """Wait until the last row is *row* and the cursor is in this column (default: its end)."""
        wanted = row, len(row) if column is None else column
        deadline = time.monotonic() + PATIENCE
        while True:
            shown = self.screen.text()[-1], self.screen.column
            if shown == wanted:
                return
            assert time.monotonic() < deadline, f"{shown}, not {wanted}: {self.all[-300:]!r}"
            try:
                told = self.child.read_nonblocking(4096, timeout=0.2)
            except pexpect.TIMEOUT:
                continue
            self.all += told
            self.screen.write(told.replace("\r\n", "\n"))

    def close(self):
        self.child.close(force=True)


@pytest.fixture
def watched():
    opened = []

    def watch(*command, **options):
        opened.append(Watched(*command, **options))
        return opened[-1]

    yield watch
    for each in opened:
        each.close()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.deep
def test_a_half_typed_line_and_its_cursor_are_restored_after_every_stop(watched):
    shell = watched("bash", "--norc", "--noprofile", "--noediting", "-i")
    shell.until("$", 2)
    shell.child.send(f"{sys.executable} {' '.join(SITTING)}\n")
    shell.until(PROMPT.strip(), len(PROMPT))
    group = os.tcgetpgrp(shell.child.child_fd)
    typed = f"{PROMPT}say helo"
    shell.child.send("say helo" + LEFT)
    shell.until(typed, len(typed) - 1)
    shell.child.send("\x1a")
    shell.until("$", 2)
    shell.child.send("fg\n")
    shell.until(typed, len(typed) - 1)
    os.killpg(group, signal.SIGSTOP)
    shell.until("$", 2)
    shell.child.send("fg\n")
    shell.until(typed, len(typed) - 1)
    os.killpg(group, signal.SIGSTOP)
    shell.until("$", 2)
    os.killpg(group, signal.SIGCONT)  # in the background: the terminal belongs to the shell
    shell.child.send("fg\n")
    shell.until(typed, len(typed) - 1)
    shell.child.send("l")
    shell.until(f"{PROMPT}say hello", len(typed))
    shell.child.send("\r")
    shell.until(PROMPT.strip(), len(PROMPT))
    assert shell.screen.text()[-2] == "read: say hello"
    shell.child.send("\x04")
    shell.until("$", 2)


def test_without_a_shell_ctrl_z_changes_nothing_and_a_stop_from_outside_redraws(watched):
    alone = watched(sys.executable, *SITTING)
    alone.until(PROMPT.strip(), len(PROMPT))
    alone.child.send("say helo" + LEFT)
    typed = f"{PROMPT}say helo"
    alone.until(typed, len(typed) - 1)
    alone.child.send("\x1a")
    alone.child.send("\x05")
    alone.until(typed)
    alone.child.send(LEFT)
    alone.until(typed, len(typed) - 1)
    alone.child.kill(signal.SIGSTOP)
    alone.child.kill(signal.SIGCONT)
    alone.child.send("l")
    alone.until(f"{PROMPT}say hello", len(typed))
    alone.child.send("\r")
    alone.until(PROMPT.strip(), len(PROMPT))
    assert alone.screen.text() == [f"{PROMPT}say hello", "read: say hello", PROMPT.strip()]


def test_a_dumb_terminal_reads_text_typed_before_and_after_the_news(watched):
    dumb = watched(sys.executable, *SITTING, term="dumb")
    dumb.until(PROMPT.strip(), len(PROMPT))
    dumb.child.send("sco")
    dumb.until(f"{PROMPT}sco")
    dumb.child.kill(signal.SIGUSR1)
    dumb.until(PROMPT.strip(), len(PROMPT))
    assert dumb.screen.text() == [f"{PROMPT}sco", NEWS, PROMPT.strip()]
    dumb.child.send("\x12")  # Ctrl-R: the terminal reprints its own line
    dumb.until("sco")
    dumb.child.send("re\n")
    dumb.until(PROMPT.strip(), len(PROMPT))
    assert dumb.screen.text()[-2] == "read: score"
    assert "\x1b" not in dumb.all
