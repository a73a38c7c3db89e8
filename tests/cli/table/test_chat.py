"""Talking at the table: what is said, heard and muted."""

import pytest

from cli.table.help import help_lines
from ginpeer.net.interfaces import Closed
from ginpeer.net.session import SessionOver, TooFast
from protocol.frames import Pause
from tests.cli.seated import Seated
from tests.cli.table.hands import first_choice, square_with_a_king

pytestmark = pytest.mark.usefixtures("wide_screen")


def test_chat_goes_out_and_its_refusal_is_told(person):
    person.choose(first_choice())
    person.type("say good evening")
    assert person.session.said == ["good evening"]
    person.session.error = TooFast("That is faster than the other side can read.")
    shown = person.type("say again")
    assert "faster" in shown
    assert "You may" not in shown
    person.session.error = SessionOver("The session is over.")
    assert "The session is over." in person.type("say again")


def test_what_our_player_says_is_shown_once_as_it_was_heard(person, program):
    assert person.type("say good evening").splitlines() == ['You say: "good evening"']
    person.session.error = TooFast("That is faster than the other side can read.")
    assert "You say" not in person.type("say again")
    assert program.type("say good evening") == ""  # a program knows what it has said


def test_chat_of_the_other_player_is_cleaned_and_quoted(person):
    person.table.chat("\x1b[2J\u202eevil\n")
    assert person.output.getvalue() == 'The guest says: "\ufffd[2J\ufffdevil"\n'


@pytest.mark.parametrize("interactive", [True, False])
def test_who_is_muted_is_not_shown_and_counted(interactive):
    seated = Seated(interactive=interactive).sit()
    seated.choose(first_choice())
    seated.table.chat("one")
    assert "one" in seated.output.getvalue()
    assert "not shown any more" in seated.type("mute")
    assert "already" in seated.type("mute")
    for at in range(149):
        seated.table.chat(f"flood {at}")
    assert "flood" not in seated.output.getvalue()
    seated.type("say still here")
    assert seated.session.said == ["still here"]
    assert "149 lines were kept silent." in seated.type("unmute")
    seated.table.chat("two")
    assert "two" in seated.output.getvalue()
    seated.type("mute")
    assert "Nothing was kept silent." in seated.type("unmute")
    assert "shown already" in seated.type("unmute")


def test_what_was_kept_silent_is_counted_at_the_end_too(person):
    person.choose(first_choice())
    person.type("mute")
    person.table.chat("bye")
    before = len(person.output.getvalue())
    person.table.closed(Closed("peer-left", "The other player left the table; the log is kept."))
    assert "1 line was kept silent." in person.output.getvalue()[before:]


def test_muting_decides_nothing_about_the_game(person):
    """A question of the game stays open, and a pause that is asked for is heard."""
    person.choose(square_with_a_king())
    person.type("quit")
    assert "yes or no" in person.type("mute") or person.table._here.questions.confirming is None
    person.table.pause(Pause.ASK)
    assert "asks for a pause" in person.output.getvalue()
    assert "mute shows no more" in " ".join(help_lines(None))
