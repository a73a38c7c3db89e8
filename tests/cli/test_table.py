"""The table itself, line by line, at drawn hands: questions, refusals, waiting, leaving."""

import io
from dataclasses import replace

import pytest
from twisted.internet.task import Clock

from cli.console import Console
from cli.line_input import End, Line, TooLong
from cli.table import PATIENCE, HumanTable
from cli.table_voice import PersonVoice, ProgramVoice
from cli.text import Style
from ginpeer.net.roles import Closed
from ginpeer.net.session import SessionOver, TooFast
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules import STANDARD, Match, View, parse_card
from protocol import messages as m
from tests.rules.drawing import deal, played

# 3c 4c 5c    3c 3d 3h
# 3d 4d 5d or 4c 4d 4h
# 3h 4h 5h    5c 5d 5h | As
SQUARE = "3c 4c 5c 3d 4d 5d 3h 4h 5h As"
DEALER = "6c 8s 9s Qd Qh Jc Js Td Tc Kd"


class Recorder:
    """A session that judges as a real one does and remembers what it was asked."""

    def __init__(self):
        self.view = None
        self.ending = None
        self.played = []
        self.said = []
        self.error = None

    def play(self, move):
        self.view.hand.apply(move)
        self.played.append(str(move))

    def resign(self):
        self.played.append("resign")

    def say(self, text):
        if self.error:
            raise self.error
        self.said.append(text)

    def leave(self):
        self.ending = Closed("left", "You left the table; the log is kept.")


class Seated:
    """A table with one player at it, in front of a terminal or a pipe."""

    def __init__(self, interactive):
        self.output = io.StringIO()
        console = Console(None, self.output, lambda *call: None, {})
        console.interactive = interactive
        voice = PersonVoice(console, Style()) if interactive else ProgramVoice(console)
        self.clock = Clock()
        self.session = Recorder()
        self.stopped = []
        self.table = HumanTable(
            console,
            voice,
            self.clock,
            0,
            log=lambda: "/home/ada/matches/1.ginlog",
            stop=lambda: self.stopped.append(True),
            named=lambda name: [],
            over=lambda closed: None,
        )

    def sit(self):
        self.table.sit_down(self.session)
        return self

    def choose(self, hand):
        self.session.view = View(hand.to_move, hand, Match.begin(STANDARD, hand.dealer))
        self.table.choose(self.session.view)

    def type(self, text):
        """What is shown in answer to a line; None if the line has to wait."""
        before = len(self.output.getvalue())
        taken = self.table._take(Line(text))
        return self.output.getvalue()[before:] if taken else None


@pytest.fixture(autouse=True)
def wide_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")


@pytest.fixture
def person():
    return Seated(interactive=True).sit()


@pytest.fixture
def program():
    return Seated(interactive=False).sit()


def square_with_a_king():
    """The non-dealer's turn with eleven cards: the king can go, two ways to show the rest."""
    hand = played(deal(1, SQUARE, DEALER, "6d"), "pass", "pass")
    return hand.drawing(parse_card("Ks"))


def first_choice():
    return deal(1, SQUARE, DEALER, "6d")


# --- moves ------------------------------------------------------------------------------


def test_a_typed_move_reaches_the_session(person):
    person.choose(square_with_a_king())
    person.type("ks")
    assert person.session.played == ["discard Ks"]


def test_a_refused_move_says_why_and_what_may_be_done(person):
    person.choose(first_choice())
    assert "You may take 6d, or pass." in person.type("draw")
    assert "You may take 6d, or pass." in person.type("7d")
    assert person.session.played == []


def test_enter_that_would_do_nothing_does_nothing(person):
    person.choose(square_with_a_king())
    assert "Enter alone does nothing here." in person.type("")
    assert person.session.played == []


def test_a_question_about_arrangements_is_answered_by_number(person):
    person.choose(square_with_a_king())
    asked = person.type("knock ks")
    assert "1: melds " in asked
    assert asked.endswith("which, 1 to 2> ")
    assert "Type a number from 1 to 2." in person.type("9")
    person.type("2")
    assert len(person.session.played) == 1
    assert person.session.played[0].startswith("knock Ks melds ")


def test_anything_but_a_number_drops_the_question(person):
    person.choose(square_with_a_king())
    person.type("knock ks")
    person.type("hand")
    assert "say the suit too" in person.type("1")
    assert person.session.played == []


def test_possible_knocks_are_told_with_what_they_leave(person):
    person.choose(square_with_a_king())
    shown = person.output.getvalue()
    assert "You can knock: knock Ks leaves 1" in shown
    assert shown.endswith("discard a card, or knock> ")


# --- questions that only yes answers -----------------------------------------------------


def test_quit_and_resign_want_a_yes(person):
    person.choose(first_choice())
    for word in ("quit", "resign"):
        assert "yes or no> " in person.type(word)
        assert "the game goes on" in person.type("no")
        assert "yes or no> " in person.type(word)
        person.type("hand")  # anything else is no, and is obeyed
        assert "Nothing was asked." in person.type("yes")
    assert (person.session.played, person.session.ending) == ([], None)
    person.type("resign")
    person.type("y")
    assert person.session.played == ["resign"]
    person.type("quit")
    person.type("yes")
    assert person.session.ending.code == "left"


def knocked():
    """The dealer is to spread; the best way lays off a card on each of the knocker's melds."""
    hand = played(deal(1, "3c 4c 5c 7c 7h 7s Ac 2d 4d Ah", "6c 7d Qd Qh Qs Js Td 9c 9d Kd", "6d"))
    hand = played(hand, "pass", "pass").drawing(parse_card("Ks"))
    return played(hand, "knock Ks melds 3c4c5c 7c7h7s deadwood Ac2d4dAh")


def test_a_spread_that_gives_points_away_wants_a_yes(person):
    person.choose(knocked())
    asked = person.type("layoff 6c on 1")
    assert "That spread leaves 55; the best leaves 48." in asked
    assert asked.endswith("lay it down, yes or no> ")
    assert "the game goes on" in person.type("no")
    person.type("layoff 6c on 1")
    assert person.session.played == []
    person.type("yes")
    assert len(person.session.played) == 1


def test_the_best_spread_and_an_illegal_one_are_not_asked_about(person):
    person.choose(knocked())
    assert "yes or no" not in person.type("spread melds 2c3c4c layoff none")
    assert person.session.played == []
    person.type("spread layoff 7d on 2, 6c on 1")
    assert len(person.session.played) == 1


def test_a_program_is_not_asked_about_its_spread(program):
    program.choose(knocked())
    program.type("spread melds none layoff none")
    assert len(program.session.played) == 1


def test_resigning_waits_for_the_own_turn(person):
    assert "You can resign in your turn." in person.type("resign")
    assert "Nothing was asked." in person.type("yes")


def test_an_open_question_survives_news(person):
    person.choose(first_choice())
    person.type("quit")
    person.table.chat("are you there?")
    assert person.output.getvalue().endswith("leave the table, yes or no> ")


def test_the_second_interrupt_leaves(person):
    person.choose(first_choice())
    person.table.interrupt()
    assert person.session.ending is None
    person.table.interrupt()
    assert person.session.ending.code == "left"


def test_ctrl_d_asks_and_the_end_of_input_leaves(person):
    person.table._take(End(final=False))
    assert person.session.ending is None
    person.table._take(End())
    assert person.session.ending.code == "left"


def test_leaving_before_anybody_came_stops_the_wait():
    alone = Seated(interactive=True)
    assert "Nobody sits at the table with you yet." in alone.type("draw")
    assert "Nobody is there to hear it yet." in alone.type("say hello")
    assert "Stop waiting and leave?" in alone.type("quit")
    alone.type("yes")
    alone.table.leave()
    assert alone.stopped == [True]


# --- a pipe -------------------------------------------------------------------------------


def test_a_move_from_a_pipe_waits_for_its_turn_and_a_question_does_not(program):
    assert program.type("draw") is None
    assert program.type("") is None
    assert program.type("resign") is None
    assert "event info" in program.type("score")
    assert "event refused code=unknown-command" in program.type("foo")
    program.choose(first_choice())
    assert program.type("pass") is not None
    assert program.session.played == ["pass"]


def test_a_program_is_told_the_arrangements(program):
    program.choose(square_with_a_king())
    shown = program.type("knock ks")
    assert shown.count("event arrangement number=") == 2
    program.type("knock ks 1")
    assert len(program.session.played) == 1


def test_a_program_is_asked_again_after_each_line_that_is_no_move(program):
    program.choose(first_choice())
    for line in ("foo", "draw", "hand", "say hi", "score"):
        assert program.type(line).splitlines()[-1] == "event choose what=upcard upcard=6d stock=31"


# --- talking, waiting --------------------------------------------------------------------


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


def test_chat_of_the_other_player_is_cleaned_and_quoted(person):
    person.table.chat("\x1b[2J\u202eevil\n")
    assert person.output.getvalue() == 'the guest says: "\ufffd[2J\ufffdevil"\n'


def waits(table):
    before = Table(match=Match.begin(STANDARD, 1), hand=first_choice())
    return Admitted(7, 0, m.Pass(), before, table)


def test_waiting_is_said_after_a_while_and_once(person):
    table = Table(match=Match.begin(STANDARD, 1), hand=played(first_choice(), "pass"))
    state = {"owed_by": 1, "awaiting": Awaiting.UPCARD}
    for _ in range(3):
        person.table.show(waits(replace(table, **state)))
        person.clock.advance(PATIENCE + 1)
    assert person.output.getvalue().count("Waiting for the guest") == 1
    assert "waiting for the guest to take the upcard or pass" in person.type("draw")
    assert not person.clock.getDelayedCalls()


def test_a_line_that_is_too_long_costs_a_sentence(person):
    person.choose(first_choice())
    assert person.table._take(TooLong())
    assert "longer than 4000 characters" in person.output.getvalue()


@pytest.mark.parametrize("interactive", [True, False])
def test_what_the_other_side_says_when_it_closes_cannot_steer_the_terminal(interactive):
    """The sentence of a goodbye is any text that a peer likes (case 41)."""
    output = io.StringIO()
    console = Console(None, output, lambda *call: None, {})
    console.interactive = interactive
    voice = PersonVoice(console, Style()) if interactive else ProgramVoice(console)
    said = "It said: bye\x1b[2J\x1b]0;mine\x07\u202e\x9b31m\nevent end code=finished (left)"
    voice.ended("peer-closed", said, 4, None)
    shown = output.getvalue()
    assert "It said: bye" in shown
    assert not set("\x1b\x07\x9b\u202e") & set(shown)
    assert shown.count("\n") == 1
