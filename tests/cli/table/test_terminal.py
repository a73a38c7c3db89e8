"""The table on a real pseudo-terminal, played by typing."""

import os
import re
import sys
from functools import partial

import pytest

from ginpeer.store.small_files import Settings, read_settings
from tests.cli.started import named, on_terminal
from tests.cli.table.script import PATIENCE, ginpeer

pexpect = pytest.importorskip("pexpect")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

ASKS = {
    "upcard": r"take [^>\r\n]+ or pass> ",
    "draw": r"draw[^>\r\n]*> ",
    "break": r"next hand[^>\r\n]*> ",
    "discard": r"(discard(?: a card)?[^>\r\n]*)> ",
    "spread": r"spread your cards \[Enter\]> ",
}


class Terminal:
    """A ginpeer that assumes a person in front of its terminal."""

    def __init__(self, home, *arguments, columns=200, **environ):
        environ = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "", **environ}
        self.child = on_terminal(
            ginpeer(named(home), *arguments), env=environ, timeout=PATIENCE, size=(50, columns)
        )

    def asked(self):
        """Wait for the next question; return the text before it."""
        self.expect(*ASKS.values())
        return self.child.before

    def type(self, line=""):
        self.child.send(f"{line}\r")

    def expect(self, *patterns):
        return self.child.expect(list(patterns))

    def invite(self):
        self.expect(r"invite: (\S+)\r\n")
        return self.child.match[1]

    def is_offered(self):
        """Wait until our player is asked whether to accept a match."""
        self.expect("accept the match, yes or no> ")

    def accepts(self):
        self.is_offered()
        self.type("yes")

    def has_cards(self):
        self.expect("[Dd]eadwood ")

    def status(self):
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus


@pytest.fixture
def practice(tmp_path, start_terminal):
    return partial(start_terminal, tmp_path, "practice", "--name", "Ada")


def test_settings_made_at_the_table_are_kept_for_the_next_match(practice, tmp_path):
    terminal = practice()
    terminal.asked()
    for setting in ("words on", "colours four", "brief on"):
        terminal.type(setting)
        terminal.asked()
    terminal.type("quit")
    terminal.expect("yes or no> ")
    terminal.type("yes")
    terminal.expect(r"To continue: ginpeer --home \S+ resume \S+\r\n")
    assert terminal.status() == 4
    assert read_settings(tmp_path) == Settings(
        words=True, name="Ada", brief=True, four_colours=True
    )
    again = practice(NO_COLOR="")
    again.expect("Your hand: [^\r\n]* of (clubs|diamonds|hearts|spades)")
    again.asked()
    again.type("words off")
    again.expect("(?:Your hand: |\n)([^\r\n]*deadwood[^\r\n]*)")
    for colour, suit in re.findall("\x1b\\[([0-9]+)m[0-9AJQK]+(.)", again.child.match[1]):
        assert colour == {"♣": "32", "♦": "94", "♥": "31"}[suit]


def test_ctrl_c_asks_once_and_leaves_the_terminal_as_it_was(practice):
    terminal = practice()
    assert terminal.child.getecho()
    terminal.asked()
    assert not terminal.child.getecho()
    terminal.child.sendintr()
    terminal.expect(r"Press\s+Ctrl-C\s+again")
    terminal.expect("yes or no> ")
    terminal.child.sendintr()
    terminal.expect(r"To continue: ginpeer --home \S+ resume \S+\r\n")
    assert terminal.status() == 4


def test_keys_edit_the_line_bring_lines_back_and_complete_commands(practice):
    terminal = practice()
    terminal.asked()
    terminal.type("sco\t")
    terminal.expect("You: 0")
    terminal.asked()
    terminal.type("nd\x1b[1~xha\x1b[1;5Cz\x7f\x1bOH\x1b[3~")  # hand
    terminal.has_cards()
    terminal.asked()
    terminal.type("\x1b[A\x1b[A")
    terminal.expect("You: 0")
    terminal.asked()
    terminal.child.send("\t\t")
    terminal.expect("sort, [^>]* resign, quit\r\n")
    terminal.asked()
    terminal.type("q\t")  # only quit begins with q
    terminal.expect("yes or no> ")
    terminal.type("y\t")
    assert terminal.status() == 4


@pytest.mark.deep
def test_a_dumb_ascii_terminal_gets_letters_and_no_escape_codes(practice):
    terminal = practice(TERM="dumb", PYTHONIOENCODING="ascii")
    told = terminal.asked()
    assert re.search(r"Your hand: .*\b(10|[A2-9JQK])[cdhs]\b", told)
    terminal.type("score")
    terminal.expect("You: 0")
    told += terminal.asked()
    assert told.isascii()
    assert "\x1b" not in told
    terminal.child.sendintr()
    terminal.expect("yes or no> ")
    terminal.type("yes")
    assert terminal.status() == 4
