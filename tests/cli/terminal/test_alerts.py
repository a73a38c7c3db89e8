"""The bell and the title of a terminal: they appear once, when needed, and only in our words."""

import io

import pytest
from twisted.internet.task import Clock

from cli.terminal.console import Alerts, AlertState, Console

PUT_BY, PUT_BACK, CLEARED = "\x1b[22;2t", "\x1b[23;2t", "\x1b]2;\x1b\\"


class Screen:
    def __init__(self, term="xterm-256color", bell=True):
        self.output, self.clock, self.bell = io.StringIO(), Clock(), bell
        self.console = Console(None, self.output, lambda *call: None, {"TERM": term})
        self.console.interactive = True
        self.attention = Alerts(self.console, self.clock.seconds)

    def tell(self, asked, after=0.0):
        """Let the state become *asked* after *after* seconds. Return what is then written."""
        self.clock.advance(after)
        before = len(self.output.getvalue())
        self.attention.update(asked, bell=self.bell)
        return self.output.getvalue()[before:]


def titled(text):
    return f"\x1b]2;{text}\x1b\\"


def test_the_bell_rings_once_for_a_wait_of_two_seconds():
    screen = Screen("dumb")
    assert screen.tell(AlertState.TURN, after=2.0) == "\a"
    assert screen.tell(AlertState.TURN, after=9.0) == ""
    assert screen.tell(AlertState.QUESTION, after=9.0) == ""
    assert screen.tell(AlertState.NOTHING) == ""
    assert screen.tell(AlertState.NOTHING, after=1.0) == ""  # still waiting
    assert screen.tell(AlertState.TURN, after=1.0) == "\a"


def test_the_bell_is_silent_after_a_short_wait_and_where_it_is_off():
    screen = Screen("dumb", bell=False)
    assert screen.tell(AlertState.TURN, after=60.0) == ""
    screen.bell = True
    screen.tell(AlertState.NOTHING)
    assert screen.tell(AlertState.TURN, after=1.9) == ""
    screen.tell(AlertState.NOTHING)
    assert screen.tell(AlertState.QUESTION, after=2.0) == "\a"


def test_the_title_says_whose_turn_it_is_and_is_sent_only_when_that_changes():
    screen = Screen(bell=False)
    assert screen.tell(AlertState.NOTHING) == PUT_BY + titled("waiting - ginpeer")
    assert screen.tell(AlertState.TURN) == titled("your turn - ginpeer")
    assert screen.tell(AlertState.TURN, after=9.0) == ""
    assert screen.tell(AlertState.QUESTION) == titled("a question - ginpeer")


def test_the_title_is_restored_once():
    screen = Screen()
    screen.tell(AlertState.TURN)
    screen.output.truncate(0)
    screen.attention.close()
    screen.attention.close()
    assert screen.output.getvalue().lstrip("\0") == CLEARED + PUT_BACK


def test_a_title_that_was_never_set_is_not_restored():
    screen = Screen()
    screen.attention.close()
    assert screen.output.getvalue() == ""


@pytest.mark.parametrize(
    "term", ["", "dumb", "linux", "vt100", "vt220", "ansi", "cons25", "eterm-color", "unknown"]
)
def test_a_terminal_that_might_print_the_title_codes_gets_no_title(term):
    screen = Screen(term, bell=False)
    for asked in AlertState:
        assert screen.tell(asked) == ""
    screen.attention.close()
    assert screen.output.getvalue() == ""


@pytest.mark.parametrize("term", ["xterm", "vte-256color", "screen", "tmux-256color", "rxvt"])
def test_a_terminal_window_gets_a_title(term):
    assert titled("your turn - ginpeer") in Screen(term).tell(AlertState.TURN)
