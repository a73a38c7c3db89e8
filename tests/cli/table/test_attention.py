"""When a player who looks elsewhere is called to the table: a turn, an offer, a pause."""

from dataclasses import replace

import pytest

from cli.table.arguments import Command
from cli.table.commands import parse_command
from ginpeer.net.interfaces import CloseReason
from ginpeer.referee.table import Awaiting
from ginpeer.store.settings import Settings
from protocol.frames import Pause
from tests.cli.seated import Seated
from tests.cli.table.hands import first_choice

pytestmark = pytest.mark.usefixtures("wide_screen")


def waiting(interactive=True, bell=True, seconds=2.0):
    seated = Seated(interactive, likes=Settings(confirm=False, bell=bell)).sit()
    seated.clock.advance(seconds)
    return seated


def rung(seated):
    return seated.output.getvalue().count("\a")


def test_the_bell_rings_for_a_turn_and_not_again_for_what_is_typed_in_it():
    seated = waiting()
    seated.choose(first_choice())
    assert rung(seated) == 1
    for line in ("hand", "foo", "quit", "no", "draw", "say hello"):
        seated.clock.advance(5)
        seated.type(line)
    seated.table.chat("your turn!")
    assert rung(seated) == 1


def test_the_bell_rings_for_what_is_asked_while_we_wait():
    seated = waiting()
    seated.session.pause_offered = True
    seated.table.pause(Pause.ASK)
    assert rung(seated) == 1


@pytest.mark.parametrize(
    "quiet", [{"interactive": False}, {"bell": False}, {"seconds": 1.0}], ids=str
)
def test_nobody_rings_a_program_or_who_wants_none_or_who_has_just_looked(quiet):
    seated = waiting(**quiet)
    seated.choose(first_choice())
    assert rung(seated) == 0


def test_a_chat_line_does_not_ring():
    seated = waiting()
    seated.table.chat("\a\a hello \x1b]2;mine\a")
    assert rung(seated) == 0


def test_the_bell_is_off_at_first_and_kept_when_it_is_switched():
    assert not Settings().bell
    seated = waiting(bell=False)
    assert "two seconds" in seated.type("bell on")
    seated.choose(first_choice())
    assert rung(seated) == 1
    assert "silent" in seated.type("bell off")
    assert seated.kept == [("bell", True), ("bell", False)]
    assert parse_command("bell") == Command("bell", True)


def test_the_title_is_ours_alone_and_goes_with_the_table():
    seated = waiting()
    seated.console.kind = "xterm"
    seated.table.chat("\x1b]2;mine\x1b\\")
    seated.choose(first_choice())
    seated.table.close()
    titles = [part.partition("\x1b\\")[0] for part in seated.output.getvalue().split("\x1b]2;")[1:]]
    assert titles == ["your turn - ginpeer", ""]


def returned(seated, choice):
    """The other player is lost for a minute, and back."""
    seated.over = lambda closed: True
    seated.end(CloseReason("connection-lost", "The connection was lost.", "A"))
    seated.clock.advance(60)
    seated.table.sit_down(seated.session)
    choice()


def test_a_player_who_comes_and_goes_does_not_ring_for_the_same_turn_again():
    seated = waiting()
    hand = first_choice()
    seated.choose(hand)
    for _ in range(3):
        returned(seated, lambda: seated.choose(hand))
    assert rung(seated) == 1
    at_once = waiting(seconds=1.0)
    at_once.choose(hand)
    returned(at_once, lambda: at_once.choose(hand))
    assert rung(at_once) == 0  # nor for one that was asked while our player looked
    seated.table._state.table = replace(seated.table._state.table, sequence=9)
    returned(seated, lambda: seated.choose(hand))
    assert rung(seated) == 2


def test_a_question_that_is_asked_anew_rings_once_it_was_answered():
    seated = waiting()
    said = []

    def ask():
        seated.table.ask_aside("Another match?", lambda: said.append("yes"), seated.table.leave)
        seated.table.seated()

    ask()
    returned(seated, ask)
    assert rung(seated) == 1
    seated.type("yes")
    seated.table.ask_again()  # as after the offer
    seated.clock.advance(60)
    ask()
    assert (rung(seated), said) == (2, ["yes"])


def test_the_title_stands_while_the_card_that_we_draw_is_given_out():
    seated = waiting()
    seated.console.kind = "xterm"
    seated.choose(first_choice())
    here, hand = seated.table._state, first_choice()
    here.view = None
    here.table = replace(here.table, hand=hand, awaiting=Awaiting.SHARE)
    seated.table.ask_again()
    here.table = replace(here.table, awaiting=Awaiting.DISCARD)
    seated.table.ask_again()
    here.table = replace(here.table, awaiting=Awaiting.SHARE)
    assert "waiting - ginpeer" not in seated.output.getvalue()
    seated.table._display.wait_for(replace(here.table, owed_by=1))
    seated.clock.advance(2)  # which is not for ever
    assert "waiting - ginpeer" in seated.output.getvalue()
