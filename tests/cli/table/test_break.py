"""The break after a hand: what it holds back, and how it ends."""

import pytest
from twisted.internet.task import Clock

from cli.table.possible_moves import forced
from cli.table.table_state import BREAK, SLIP, HandBreak, TableState
from ginpeer.net.interfaces import CloseReason
from ginpeer.referee.referee import result_of
from ginpeer.rules import parse_ruleset
from ginpeer.store.small_files import Settings
from protocol import messages as m
from tests.cheating.cheat import two_hands
from tests.cli.seated import CARELESS, Seated
from tests.rules.drawing import second_deck_deal

LEFT = CloseReason("left", "Your opponent left the table.")

FIRST_CHOICE = m.Pass | m.TakeUpcard | m.DrawStock


def seated_after_a_hand(seat=0, kind="xterm", typed=None, **options):
    """Return a table that has received everything up to our player's first choice in the second of
    two hands. Only a break can hold that back. *typed*: a line typed in the first hand."""
    options = {"interactive": True, "settings": Settings(confirm=False), **options}
    seated, match = Seated(seat=seat, **options), two_hands()
    seated.console.kind = kind
    first = next(step.sequence for step in match.steps if result_of(step) is not None)
    seated.table.take_seat(match.seat_at(seat, first))
    seated.table.resume_match(match.table_at(first))
    seated.sit()
    if typed is not None:
        seated.type(typed)
    choice = next(
        step.sequence
        for step in match.steps[first + 1 :]
        if step.before.owed_by == seat and isinstance(step.message, FIRST_CHOICE)
    )
    for step in match.steps[first:choice]:
        seated.table.show(step)
    view = match.seat_at(seat, choice).view()
    seated.session.view = view
    seated.table.choose(view)
    return seated


def said(seated):
    return seated.output.getvalue()


@pytest.mark.parametrize(
    ("options", "breaks"),
    [
        ({}, True),
        ({"interactive": False}, False),
        ({"settings": Settings(pace=False)}, False),
    ],
)
def test_the_next_hand_waits_at_a_terminal_with_pace(options, breaks):
    seated = seated_after_a_hand(**options)
    next_hand = "Hand 2" if seated.console.interactive else "what=upcard"
    assert (next_hand in said(seated)) != breaks
    if breaks:
        assert next_hand in seated.type("")
        assert seated.session.played == []


def test_the_next_hand_is_shown_once_on_enter_or_when_the_break_expires():
    on_enter, later = seated_after_a_hand(), seated_after_a_hand()
    shown = on_enter.type("")
    assert shown.index("Hand 2") < shown.index("The upcard is") < shown.index("Your hand: ")
    assert shown.endswith("> ")
    before = len(said(later))
    later.clock.advance(BREAK)
    assert said(later)[before:].endswith(shown)
    before = len(said(on_enter))
    on_enter.clock.advance(BREAK)
    assert said(on_enter)[before:] == ""
    assert "Enter does nothing here." in on_enter.type("")  # the break is over


def test_an_error_in_deferred_output_reaches_the_guard():
    caught, clock = [], Clock()

    def guard(call):
        with pytest.raises(ZeroDivisionError) as error:
            call()
        caught.append(error)

    made = HandBreak(clock, TableState(0), lambda: None)
    made.begin(guard)
    made.defer(lambda: 1 // 0)
    clock.advance(BREAK)
    assert caught


def test_a_yes_in_the_break_answers_the_question_shown():
    seated = seated_after_a_hand(typed="quit")
    assert "yes or no> " in said(seated).splitlines()[-1]
    seated.type("yes")
    assert seated.session.ending.code == "left"


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_a_dumb_terminal_has_no_ruled_lines(kind):
    assert ("-- After hand 1" in said(seated_after_a_hand(kind=kind))) == (kind == "xterm")


def test_there_is_no_break_after_the_last_hand():
    match = two_hands()
    last = [step for step in match.steps if result_of(step) is not None][-1]
    seated = Seated(interactive=True, settings=Settings())
    seated.table.take_seat(match.seat_at(0, last.sequence))
    seated.table.resume_match(match.table_at(last.sequence))
    seated.sit()
    seated.table.show(last)
    assert not seated.clock.getDelayedCalls()
    assert "next hand" not in said(seated)


def test_with_cards_in_words_the_break_lasts_until_the_player_continues():
    seated = seated_after_a_hand(settings=Settings(words=True))
    seated.clock.advance(100 * BREAK)
    assert "Hand 2" not in said(seated)


def test_an_enter_meant_for_the_break_is_not_taken_as_an_answer():
    seated = seated_after_a_hand()
    seated.clock.advance(BREAK)
    assert "Enter does nothing here." not in seated.type("")
    seated.clock.advance(SLIP)
    assert "Enter does nothing here." in seated.type("")


def test_a_command_typed_just_after_the_break_has_expired_is_obeyed():
    seated = seated_after_a_hand()
    seated.clock.advance(BREAK)
    assert "You 0, Ben 7." in seated.type("score")


def test_enter_during_ones_own_turn_is_not_taken_as_an_answer_to_a_requested_pause():
    seated = seated_after_a_hand(settings=CARELESS)
    seated.session.pause_offered = True
    assert "Enter does nothing here." in seated.type("")


@pytest.mark.parametrize(
    "typed",
    ["help", "hint", "last", "score", "say well played", "brief on", "tally on", "foo", "7"],
)
def test_commands_that_need_no_cards_are_answered_during_the_break(typed):
    seated = seated_after_a_hand()
    assert "Hand 2" not in seated.type(typed)
    assert said(seated).endswith("next hand in 3 seconds, or [Enter]> ")


@pytest.mark.parametrize("typed", ["t", "7d", "knock 7d"])
def test_a_move_typed_in_the_break_only_ends_it(typed):
    seated = seated_after_a_hand()
    said = seated.type(typed)
    assert said.index("Hand 2") < said.index("You typed that before you saw your next hand")
    assert seated.session.played == []


def test_a_move_typed_just_after_the_break_has_expired_is_not_played():
    seated = seated_after_a_hand()
    seated.clock.advance(BREAK)
    assert "You typed that before you saw your next hand" in seated.type("t")
    seated.clock.advance(SLIP)
    seated.type("t")
    assert len(seated.session.played) == 1


def test_a_rank_typed_in_the_break_is_no_answer_to_a_requested_pause():
    seated = seated_after_a_hand()
    seated.session.pause_offered = True
    assert "The next hand hasn't begun." in seated.type("7")


def test_yes_in_the_break_ends_it_and_agrees_to_no_pause():
    seated = seated_after_a_hand()
    seated.session.pause_offered = True
    assert "Hand 2" in seated.type("yes")
    assert seated.session.paused == 0


def test_a_break_that_expires_into_our_turn_asks_about_no_pause():
    seated = seated_after_a_hand(kind="dumb")
    seated.session.pause_offered = True
    seated.clock.advance(BREAK)
    assert "pause the match" not in said(seated)
    assert said(seated).count("next hand") == 1


def test_help_in_a_break_says_that_only_enter_is_needed(transcript):
    transcript(seated_after_a_hand().type("help").splitlines()[0])


@pytest.mark.parametrize("typed", ["hand", "yes"])
def test_asking_for_the_hand_in_a_break_or_agreeing_to_it_is_like_enter(typed):
    assert seated_after_a_hand().type(typed) == seated_after_a_hand().type("")


def test_deferred_output_is_shown_before_the_question_whether_to_leave():
    seated = seated_after_a_hand()
    seated.table.interrupt()
    assert said(seated).index("Hand 2") < said(seated).index("leave the table")


def test_undo_in_a_break_takes_back_a_move_of_the_hand_that_ended():
    seated = seated_after_a_hand(practice=True)
    taken_back = []
    seated.port.take_back = lambda: taken_back.append(True)
    seated.type("take back")
    assert taken_back
    seated.clock.advance(BREAK)
    assert "Hand 2" not in said(seated)


def test_an_opponent_who_leaves_in_a_break_ends_the_players_turn():
    seated = seated_after_a_hand()
    before = len(said(seated))
    seated.session.ending = LEFT
    seated.end(LEFT)
    assert "Hand 2" in said(seated)[before:]
    assert seated.table._state.view is None


@pytest.mark.parametrize("ended_by", ["", "quit", None])
def test_no_forced_move_is_made_for_an_opponent_who_has_left_in_the_break(ended_by):
    seated = seated_after_a_hand()
    hand = second_deck_deal(
        1, "3c 4c 5c 7c 7h 7s Ah 2h 3h 4h", "9s Ts 2c 2d 2s 6c 6h Jh Kd Ks", "9d", 0,
        parse_ruleset("oklahoma knock-limit=second-deck"),
    )  # fmt: skip
    seated.choose(hand)
    assert forced(seated.session.view) is not None
    seated.session.ending = LEFT
    if ended_by is None:
        seated.clock.advance(BREAK)
    else:
        seated.type(ended_by)
    assert seated.session.played == []
    assert not ended_by or "leave the table" in said(seated)
