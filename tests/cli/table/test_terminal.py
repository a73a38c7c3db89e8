"""The table on a real pseudo-terminal, played by typing."""

import os
import re
import signal
import sys
from functools import partial

import pytest

from ginpeer.store.small_files import Settings, read_settings
from tests.cli.started import named, on_terminal, run
from tests.cli.table.script import PATIENCE, ginpeer

pexpect = pytest.importorskip("pexpect")
termios = pytest.importorskip("termios")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

ASKS = {
    "upcard": r"take [^>\r\n]+ or pass> ",
    "draw": r"draw[^>\r\n]*> ",
    "break": r"next hand[^>\r\n]*> ",
    "discard": r"(discard(?: a card)?[^>\r\n]*)> ",
    "spread": r"spread your cards \[Enter\]> ",
    "which": r"which, 1 (to|or) \d .or another move.> ",
    "end": r"To see it again: ginpeer --home \S+ replay (\S+)\r\n",
}


ARROWS = "\x1b[A\x1b[B"


class Terminal:
    """A ginpeer on a terminal, which takes the test for a person."""

    def __init__(self, home, *arguments, columns=200, **environ):
        environ = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "", **environ}
        self.child = on_terminal(
            ginpeer(named(home), *arguments), env=environ, timeout=PATIENCE, size=(50, columns)
        )

    def asked(self):
        """Wait for the next question. Return its kind, and the text before it."""
        kinds = list(ASKS)
        return kinds[self.child.expect(list(ASKS.values()))], self.child.before

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
    typed = ("practice", "--name", "Ada", "--rules", "standard target=1")
    return partial(start_terminal, tmp_path, *typed)


def answer(kind, told, asked):
    """Return what a person who only reads the last lines would type."""
    if kind == "upcard":
        return "pass"
    if kind == "draw":
        return "" if "Enter" in asked else "take"
    if kind == "discard" and "gin" in asked:
        return "gin" if "big gin" not in asked else "big gin"
    if kind == "discard" and "knock" in asked:
        ways = re.findall(r"You can knock by discarding (\S+) \(", told)
        return f"knock {ways[0]}" if ways else "hand"
    if kind == "discard":
        return re.findall(r"[Dd]eadwood (\S+) ", told)[-1]
    return "1" if kind == "which" else ""


def play_to_the_end(terminal):
    """Play until the match is over. Return all output and the match's short name."""
    screen = ""
    while True:
        kind, told = terminal.asked()
        screen += told + terminal.child.after
        if kind == "end":
            return screen, terminal.child.match[1]
        terminal.type(answer(kind, told, terminal.child.after))


def test_a_whole_match_is_played_by_typing(practice, tmp_path):
    terminal = practice()
    screen, log = play_to_the_end(terminal)
    terminal.expect("play again .yes. or leave .no.> ")
    terminal.type("no")
    assert terminal.status() == 0
    assert terminal.child.before.endswith("\x1b]2;\x1b\\\x1b[23;2t")  # the title is restored
    assert "\x1b[3" not in screen  # NO_COLOR
    assert "Your hand: " in screen
    if " or pass> " in screen:  # otherwise the bot took the upcard, and may have knocked with it
        assert "\x1b]2;your turn - ginpeer\x1b\\" in screen
    if "draw or take" in screen:
        assert "You draw " in screen
    verified = run(ginpeer(tmp_path, "verify", log), timeout=PATIENCE)
    assert verified.returncode == 0


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
    terminal.type("nd\x1b[1~xha\x1b[1;5Cz\x7f\x1bOH\x1b[3~")  # this types "hand"
    terminal.has_cards()
    terminal.asked()
    terminal.type("\x1b[A\x1b[A")
    terminal.expect("You: 0")
    terminal.asked()
    terminal.child.send("\t\t")
    terminal.expect("sort, [^>]* resign, quit\r\n")
    terminal.asked()
    terminal.type("q\t")  # only "quit" begins with q
    terminal.expect("yes or no> ")
    terminal.type("y\t")
    assert terminal.status() == 4


def test_closing_the_terminal_leaves_the_table(practice):
    terminal = practice()
    terminal.asked()
    terminal.child.kill(signal.SIGHUP)
    assert terminal.status() == 4


@pytest.mark.deep
def test_a_dumb_ascii_terminal_gets_letters_and_no_escape_codes(practice):
    terminal = practice(TERM="dumb", PYTHONIOENCODING="ascii")
    _, told = terminal.asked()
    assert re.search(r"Your hand: .*\b(10|[A2-9JQK])[cdhs]\b", told)
    terminal.type("score")
    terminal.expect("You: 0")
    told += terminal.asked()[1]
    assert told.isascii()
    assert "\x1b" not in told
    terminal.child.sendintr()
    terminal.expect("yes or no> ")
    terminal.type("yes")
    assert terminal.status() == 4


@pytest.mark.deep
def test_a_program_that_was_stopped_from_outside_takes_the_terminal_back(practice):
    """SIGSTOP can't be caught to restore the terminal, so the shell does that."""
    terminal = practice()
    terminal.asked()
    fd = terminal.child.child_fd
    terminal.child.kill(signal.SIGSTOP)
    mode = termios.tcgetattr(fd)
    mode[3] |= termios.ICANON | termios.ECHO
    termios.tcsetattr(fd, termios.TCSANOW, mode)
    terminal.child.kill(signal.SIGCONT)
    terminal.asked()  # the prompt is drawn again
    assert not termios.tcgetattr(fd)[3] & (termios.ICANON | termios.ECHO)
    terminal.child.send(ARROWS)
    terminal.type("score")
    terminal.expect("You: 0")
    assert "^[" not in terminal.child.before
    assert terminal.child.before.count("score") == 1


@pytest.mark.deep
def test_text_typed_at_a_dumb_terminal_is_not_joined_to_the_news(
    tmp_path, start_terminal, start_script
):
    """The news is that the other player connects while the host is typing an answer."""
    host = start_terminal(tmp_path / "a", "host", "--listen", "127.0.0.1:0", TERM="dumb")
    invite = host.invite()
    host.type("quit")
    host.expect("yes or no> ")
    host.child.send("ye")  # without Enter
    host.expect("ye")
    start_script(tmp_path / "b", "join", invite)
    host.expect("Connected to ")
    assert host.child.before.endswith("\r\n")


@pytest.mark.parametrize(("answer", "heard"), [("yes", "hand"), ("no", "end")])
def test_a_guest_is_asked_before_anything_is_signed(
    tmp_path, start_terminal, start_script, answer, heard
):
    rules = ("--rules", "oklahoma box=10")
    host = start_script(tmp_path / "a", "host", "--listen", "127.0.0.1:0", *rules)
    guest = start_terminal(tmp_path / "b", "join", host.invite())
    guest.expect("oklahoma box=10")
    guest.is_offered()
    guest.type(answer)
    assert host.wait_for(heard)
    if heard == "end":
        assert guest.status() == 4
