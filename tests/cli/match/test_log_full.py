"""What the players at a table hear when the log of their match is nearly full."""

import io

import pytest

from cli.failure import OUR_FAULT
from cli.match.bot_player import BotPlayer
from cli.match.ending import status_of
from cli.table.person_voice import PersonVoice
from cli.table.program_voice import ProgramVoice
from cli.terminal.console import Console
from cli.text.cards import Style
from cli.text.narration import filling_lines
from ginpeer.net.interfaces import Closed
from ginpeer.referee.outcome import result_of
from protocol import messages as m
from tests.cheating.cheat import one_hand
from tests.cli.seated import Seated

ROOM_FOR_THREE = (
    "The log of this match is nearly full. There is room for about 3 more hands; then the match "
    "stops."
)


def end_of_hand():
    match = one_hand()
    return match.steps[match.find(m.Spread)]


def test_it_is_said_when_a_hand_is_over_and_at_no_other_time():
    steps = one_hand().steps
    told = [step.sequence for step in steps if filling_lines(step, 3)]
    assert told == [end_of_hand().sequence]
    assert result_of(end_of_hand()) is not None
    assert filling_lines(end_of_hand(), 3) == [ROOM_FOR_THREE]
    assert "about 1 more hand;" in filling_lines(end_of_hand(), 1)[0]
    for left in (None, 0):  # none: what ends the match says why
        assert filling_lines(end_of_hand(), left) == []


@pytest.mark.parametrize("interactive", [True, False])
def test_a_person_and_a_script_hear_it(interactive):
    at = Seated(interactive).sit()
    at.table._hands_left = lambda: 3
    at.table.show(end_of_hand())
    assert ROOM_FOR_THREE in " ".join(at.output.getvalue().split())
    at = Seated(interactive).sit()
    at.table.show(end_of_hand())
    assert "nearly full" not in at.output.getvalue()


@pytest.mark.parametrize("interactive", [True, False])
def test_whoever_lets_a_bot_play_hears_it_too(interactive):
    output = io.StringIO()
    console = Console(None, output, lambda *call: None, {})
    console.interactive = interactive
    voice = PersonVoice(console, Style()) if interactive else ProgramVoice(console)
    bot = BotPlayer(
        None,
        console,
        voice,
        0,
        named=lambda name: [],
        over=lambda closed: False,
        hands_left=lambda: 3,
    )
    bot.show(end_of_hand())
    assert ROOM_FOR_THREE in " ".join(output.getvalue().split())


def test_the_program_ends_with_the_status_of_this_machines_faults():
    assert status_of(Closed("log-full", "The log is full.", "C")) == OUR_FAULT
