"""Practice on a real terminal: playing another match, and taking back moves."""

import re
import sys

import pytest

from cli.main import main
from ginpeer.referee.referee import Finding, judge
from ginpeer.store import Home, read_log
from ginpeer.store.small_files import read_settings
from tests.cli.seated import Seated

pexpect = pytest.importorskip("pexpect")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")

QUESTION = (
    r"((?:[^>\r\n]*(?:yes or no|\(no\))|spread|next hand|take|draw|[^>\r\n]*discard)[^>\r\n]*)> "
)


class Player:
    """A person at a terminal."""

    def __init__(self, terminal):
        self.child = terminal.child
        self.read()

    def read(self):
        """Wait for the next question; return what was printed before it."""
        self.child.expect(QUESTION)
        self.asked = self.child.match[1]
        return self.child.before

    def type(self, line):
        self.child.send(f"{line}\r")
        return self.read()

    def resign(self):
        """Lose the match."""
        while not re.search("take|draw|discard", self.asked):
            self.type("")
        self.type("resign")
        return self.type("yes")

    def leave(self, key):
        self.child.send(key)
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus


@pytest.fixture
def sit(tmp_path, start_terminal):
    return lambda *arguments: Player(start_terminal(tmp_path, *arguments))


def test_after_a_match_a_person_may_play_again_at_the_new_level(sit, tmp_path):
    player = sit("practice", "--name", "Ada")
    assert "Again? The bot will play at level 1, because you lost." in player.resign()
    for nonsense in ("", "7d", "why", "undo"):
        player.type(nonsense)
        assert player.asked.endswith("play again (yes) or leave (no)")
    again = player.type("yes")
    assert "You offer a match" in again
    assert "The bot plays at" not in again
    assert "The bot plays at level 1." in player.type("score")
    again = player.resign()
    assert "Matches won since ginpeer started: you 0, Bot 2." in again
    assert "Again? The bot stays at level 1, its lowest." in again
    assert player.leave("no\r") == 0
    assert len(Home(tmp_path).logs()) == 2


def test_ctrl_d_answers_the_question_about_another_match(sit):
    player = sit("practice", "--name", "Ada", "--level", "4")
    assert "Again? The bot stays at level 4." in player.resign()
    assert player.leave("\x04") == 0


@pytest.mark.parametrize(
    "leave",
    [lambda seated: seated.type("quit"), lambda seated: seated.table.interrupt()],
    ids=["quit", "ctrl-c"],
)
def test_leaving_answers_the_question_about_another_match(leave):
    seated, answers = Seated(True).sit(), []
    seated.table.ask("Again?", "play again", answers.append, leaving_means_no=True)
    leave(seated)
    assert answers == [False]


def test_the_same_card_is_drawn_again_after_undo(sit, tmp_path, capsys):
    player = sit("practice", "--name", "Ada")
    while "draw" not in player.asked:
        costliest = re.search(r"eadwood (\S+) ", player.asked)
        if costliest is None:
            player.type("pass" if "pass" in player.asked else "yes")
        else:
            player.type(costliest[1])
    drawn = r"You draw (\S+)\."
    first = re.search(drawn, player.type("draw"))[1]
    assert re.search(rf"Bot .*\r\nYou draw {first}\.", player.type("last"), re.DOTALL)
    player.type("words on")
    assert re.search(r"You draw the \w+ of \w+\.", player.type("last"))
    player.type("words off")
    no_longer = "Because you took back a move, this match no longer counts in your statistics."
    assert f"You take back your draw.\r\n{no_longer}" in player.type("undo")
    assert "Nothing has happened since your last turn." in player.type("last")
    assert re.search(drawn, player.type("draw"))[1] == first
    assert no_longer not in player.type("undo")
    player.type("quit")
    player.leave("yes\r")

    player = sit("resume")
    assert re.search(drawn, player.type("draw"))[1] == first
    assert "You take back your draw." in player.type("undo")
    assert "Again? The bot stays at level 2, because you took back a move." in player.resign()
    assert player.leave("no\r") == 0
    assert read_settings(tmp_path).level == 2  # the level of the next practice match
    (log,) = Home(tmp_path).logs()
    assert judge(read_log(log.path).entries).finding is Finding.VALID
    assert main(["--home", str(tmp_path), "stats"]) == 0
    assert "Not counted: 1 match in which you took back a move." in capsys.readouterr().out
