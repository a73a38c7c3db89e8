"""What players are told when the log of their match is nearly full."""

import io

import pytest

from cli.match.aftermath import status_of
from cli.match.bot_player import BotPlayer
from cli.program import OUR_FAULT
from cli.table.presenter import PersonPresenter, ProgramPresenter
from cli.table.table_state import MatchPort
from cli.terminal.console import Console
from cli.text.cards import Style
from cli.text.narration import nearly_full_line
from ginpeer.names import NO_KNOWN_NAMES
from ginpeer.net.interfaces import CloseReason
from ginpeer.referee.referee import result_of
from protocol import messages as m
from tests.cheating.cheat import one_hand
from tests.cli.seated import Seated

ROOM_FOR_THREE = "about 3 more hands"


def end_of_hand():
    match = one_hand()
    return match.steps[match.find(m.Spread)]


class Port(MatchPort):
    """A match whose log has room for *left* more hands."""

    def __init__(self, left=3):
        self.left = left

    def hands_left(self):
        return self.left


def heard(step, left):
    at = Seated(False).sit()
    at.table._port = Port(left)
    at.table.show(step)
    return " ".join(at.output.getvalue().split())


def test_a_nearly_full_log_is_reported_only_at_the_end_of_a_hand():
    steps = one_hand().steps
    told = [step.sequence for step in steps if ROOM_FOR_THREE in heard(step, 3)]
    assert told == [end_of_hand().sequence]
    assert result_of(end_of_hand()) is not None
    assert ROOM_FOR_THREE in nearly_full_line(3)
    assert "about 1 more hand;" in heard(end_of_hand(), 1)
    for left in (None, 0):  # at zero, the message at the match's end says why
        assert "nearly full" not in heard(end_of_hand(), left)


@pytest.mark.parametrize("interactive", [True, False])
def test_both_people_and_scripts_are_told_of_a_nearly_full_log(interactive):
    at = Seated(interactive).sit()
    at.table._port = Port()
    at.table.show(end_of_hand())
    assert ROOM_FOR_THREE in " ".join(at.output.getvalue().split())
    at = Seated(interactive).sit()
    at.table.show(end_of_hand())
    assert "nearly full" not in at.output.getvalue()


@pytest.mark.parametrize("interactive", [True, False])
def test_the_user_of_a_bot_is_told_of_a_nearly_full_log_too(interactive):
    output = io.StringIO()
    console = Console(None, output, lambda *call: None, {})
    console.interactive = interactive
    presenter = PersonPresenter(console, Style()) if interactive else ProgramPresenter(console)
    match = Port()
    match.console, match.presenter = console, presenter
    match.names, match.plays = NO_KNOWN_NAMES, None
    bot = BotPlayer(None, match, 0)
    bot.show(end_of_hand())
    assert ROOM_FOR_THREE in " ".join(output.getvalue().split())


def test_a_full_log_ends_the_program_with_the_status_of_an_own_fault():
    assert status_of(CloseReason("log-full", "The log is full.", "C")) == OUR_FAULT
