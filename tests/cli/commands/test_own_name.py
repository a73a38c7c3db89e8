"""The question for the player's name, the first time ginpeer is started at a terminal."""

import getpass
import sys

import pytest

from cli.match.identity import ask_own_name
from ginpeer.store import Home
from ginpeer.store.small_files import read_settings
from tests.cli.started import on_terminal
from tests.cli.table.script import PATIENCE, ginpeer
from tests.cli.terminal.screen import Screen

pexpect = pytest.importorskip("pexpect")

INVITE = "gin1-3ce4aj-n7dsfa-l4ojlz\n"
QUITS = "quits"
NO_NAMES = ("y", "ginpeer join foo", "?")
QUESTION = r"What should others call you\? \[[^\]]+\]> "


@pytest.fixture
def at_the_screen(tmp_path, monkeypatch):
    """Return a function that asks for the name on a screen and returns it, or QUITS."""

    def ask(screen):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", screen.stdin)
            patch.setattr(sys, "stdout", screen.stream)
            try:
                return ask_own_name(Home(tmp_path), "ginpeer")
            except KeyboardInterrupt:
                return QUITS

    return ask


@pytest.mark.parametrize(
    ("typed", "name", "said"),
    [
        ("\n", getpass.getuser(), "Others see you as"),
        ("  Ann   Lee \n", "Ann Lee", "Others see you as Ann Lee. To change that"),
        *((f"{each}\nAnn\n", "Ann", "Type a name, or press Enter for ") for each in NO_NAMES),
        ("An\x1b[Dn\nAnn\n", "Ann", "You can't use that name: the name contains an invisible"),
        (
            "A" * 65 + "\nAnn\n",
            "Ann",
            "You can't use that name: a name has 1 to 64 letters",
        ),
        ("ginpeer join " + INVITE, QUITS, "That is an invite. Type your name first"),
    ],
)
def test_a_typed_name_is_cleaned_and_saved_and_nonsense_is_asked_again(
    tmp_path, at_the_screen, typed, name, said
):
    screen = Screen(200)
    if name == QUITS:
        screen.type_after(said, "\x04")  # Ctrl-D would be discarded if it were typed earlier
    screen.type(typed)
    assert at_the_screen(screen) == name
    assert said in screen.text()
    assert read_settings(tmp_path).name == name.replace(QUITS, "")


def test_quit_is_not_a_name(at_the_screen, tmp_path):
    screen = Screen(200)
    screen.type("quit\n")
    assert at_the_screen(screen) == QUITS
    assert read_settings(tmp_path).name == ""


BEGUN = ["Paste the invite", r"(draw|discard|pass)[^>\r\n]*> ", "invite: "]


@pytest.mark.parametrize(
    "arguments", [["practice"], ["host", "--no-stun", "--no-mapping"], ["join"]]
)
def test_a_person_without_a_name_is_asked_for_one(tmp_path, arguments):
    child = on_terminal(ginpeer(tmp_path, *arguments), timeout=PATIENCE, size=(50, 200))
    child.expect(QUESTION)
    child.send("Ann\r")
    child.expect("Others see you as Ann.")
    child.expect(BEGUN)
    child.close(force=True)


def test_ctrl_c_leaves_before_anything_is_stored(tmp_path):
    child = on_terminal(ginpeer(tmp_path, "practice"), timeout=PATIENCE, size=(50, 200))
    child.expect(QUESTION)
    child.sendintr()
    child.expect("ginpeer: stopped.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert list(tmp_path.iterdir()) == []


def test_a_bot_is_not_asked_for_a_name(tmp_path):
    bot = ginpeer(tmp_path, "host", "--bot", "--no-mapping", "--no-stun")
    child = on_terminal(bot, timeout=PATIENCE)
    child.expect("invite: ")
    child.close(force=True)
