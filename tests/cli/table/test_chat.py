"""Talking at the table: what is said, heard and muted."""

from types import SimpleNamespace

import pytest

from cli.table.chat import AGAIN, MAX_KEPT
from cli.table.lookups import topic_lines
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.session import CHAT_BURST, SessionOver, TooFast
from protocol.frames import MAX_CHAT, Pause
from tests.cli.seated import Recorder, Seated
from tests.cli.table.hands import first_choice, square_with_a_king

LOST = CloseReason("connection-lost", "The connection was lost. The log is kept.", "A")
BEN, CARL = b"b" * 32, b"c" * 32

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


def test_proposals_of_a_muted_player_are_silenced_and_counted(person):
    person.type("mute")
    person.table.proposed("oklahoma")
    assert person.proposed == []
    assert "1 line was kept silent." in person.type("unmute")
    person.table.proposed("straight")
    assert person.proposed == ["straight"]


def test_what_was_kept_silent_is_counted_at_the_end_too(person):
    person.choose(first_choice())
    person.type("mute")
    person.table.chat("bye")
    before = len(person.output.getvalue())
    person.end(CloseReason("peer-left", "The other player left the table; the log is kept."))
    assert "1 line was kept silent." in person.output.getvalue()[before:]


def test_muting_decides_nothing_about_the_game(person):
    """A question of the game stays open, and a pause that is asked for is heard."""
    person.choose(square_with_a_king())
    person.type("quit")
    assert "yes or no" in person.type("mute") or person.table._state.questions.confirming is None
    person.table.pause(Pause.ASK)
    assert "asks for a pause" in person.output.getvalue()
    assert "mute shows no more" in " ".join(topic_lines("talk", mahjong=False))


def met(seated, key=BEN):
    """Somebody with this key sits down."""
    seated.session = Recorder()
    seated.table.sit_down(seated.session)
    peer = SimpleNamespace(
        key=key, address="192.0.2.1:7777", fingerprint="f", known_as=None, bot=False
    )
    seated.table.connected(peer)
    seated.table.seated()
    return seated.session


@pytest.fixture
def left_alone(person):
    """A person whose table is kept when the other player is lost."""
    person.over = lambda closed: closed.code in ("connection-lost", "finished")
    met(person)
    return person


def test_what_is_said_to_a_player_who_is_lost_is_kept_until_that_player_is_back(left_alone):
    left_alone.end(LOST)
    shown = left_alone.type("say hello?")
    assert shown == 'You say: "hello?"\nThe guest will see it when you are connected again.\n'
    assert met(left_alone).said == ["hello?"]
    left_alone.end(LOST)
    assert "hello?" not in met(left_alone).said  # but as what may not have been heard


def test_who_leaves_before_hears_what_was_never_sent(left_alone):
    left_alone.end(LOST)
    left_alone.type("say hello?")
    left_alone.type("say where did you go?")
    before = len(left_alone.output.getvalue())
    left_alone.table.give_up()
    left_alone.table.give_up()
    assert left_alone.output.getvalue()[before:].splitlines() == [
        'The guest has not heard: "hello?".',
        'The guest has not heard: "where did you go?".',
    ]


def test_it_is_told_to_nobody_else(left_alone):
    left_alone.type("say between us")
    left_alone.end(LOST)
    left_alone.type("say hello?")
    assert met(left_alone, CARL).said == []
    assert "was for somebody else, and is not sent" in left_alone.output.getvalue()


def test_no_more_is_kept_than_may_be_said_at_once(left_alone):
    left_alone.end(LOST)
    for at in range(MAX_KEPT):
        left_alone.type(f"say {at}")
    assert "kept for the guest already" in left_alone.type("say and that")
    assert "at most" in left_alone.type("say " + "x" * (MAX_CHAT + 1))
    assert len(met(left_alone).said) == MAX_KEPT < CHAT_BURST


def test_what_was_said_last_before_a_loss_is_said_once_more(left_alone):
    for at in range(5):
        left_alone.type(f"say {at}")
    left_alone.clock.advance(599)
    left_alone.type("say " + "x" * MAX_CHAT)  # too long to be marked
    left_alone.end(LOST)
    left_alone.clock.advance(3_600)
    left_alone.type("say hello?")
    assert met(left_alone).said == [f"{AGAIN}3", f"{AGAIN}4", "hello?"]


def test_what_was_said_long_before_a_loss_is_not_said_again(left_alone):
    left_alone.type("say good evening")
    left_alone.clock.advance(601)
    left_alone.end(LOST)
    assert met(left_alone).said == []


def test_a_connection_that_comes_and_goes_is_not_told_the_same_for_ever(left_alone):
    left_alone.type("say good evening")
    said = []
    for _ in range(9):
        left_alone.end(LOST)
        said += met(left_alone).said
    assert said == [f"{AGAIN}good evening"] * 3


def test_between_two_matches_what_is_said_reaches_the_next_table(left_alone):
    left_alone.type("say well played")
    left_alone.end(CloseReason("finished", "It is."))
    left_alone.table.clear()
    left_alone.type("say once more?")
    assert met(left_alone).said == ["once more?"]  # and nothing twice: all before had arrived


def test_what_was_heard_already_is_not_shown_twice(person):
    person.table.chat("good evening")
    before = len(person.output.getvalue())
    person.table.chat(f"{AGAIN}good evening")
    assert len(person.output.getvalue()) == before
    person.table.chat(f"{AGAIN}are you there?")  # to who was started anew
    person.table.chat(f"{AGAIN}are you there?")
    assert 'The guest said before: "are you there?"' in person.output.getvalue()[before:]
    assert person.output.getvalue()[before:].count("are you there?") == 1
    person.table.chat("good evening")  # who says it twice is heard twice
    assert person.output.getvalue().count("good evening") == 2


def test_who_is_muted_is_silent_in_a_decline_too(person):
    ends = []
    person.over = lambda closed: ends.append(closed.sentence)
    declined = 'The other player declined the match. The other side said: "you cheat"'
    person.end(CloseReason("declined", declined))
    person.type("mute")
    person.end(CloseReason("declined", declined))
    assert ends == [declined, "The other player declined the match."]
    assert "1 line was kept silent." in person.output.getvalue()
