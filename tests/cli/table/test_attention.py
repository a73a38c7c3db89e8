"""When a player who looks elsewhere is called to the table: a turn, an offer, a pause."""

import pytest

from cli.table.command import Switch
from cli.table.parse import parse_command
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
    assert parse_command("bell") == Switch("bell", True)


def test_the_title_is_ours_alone_and_goes_with_the_table():
    seated = waiting()
    seated.console.kind = "xterm"
    seated.table.chat("\x1b]2;mine\x1b\\")
    seated.choose(first_choice())
    seated.table.close()
    titles = [part.partition("\x1b\\")[0] for part in seated.output.getvalue().split("\x1b]2;")[1:]]
    assert titles == ["your turn - ginpeer", ""]
