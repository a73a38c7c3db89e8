"""The break after a hand: what it holds back, and how it ends."""

import pytest
from twisted.internet.task import Clock

from cli.table.display import BREAK, SLIP, HandBreak


@pytest.fixture
def shown():
    return []


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def hand_break(clock, shown):
    made = HandBreak(clock, lambda: None)
    made.begin(lambda call: call())
    assert made.defer(lambda: shown.append("deal"))
    assert made.defer(lambda: shown.append("choice"), choice=True)
    assert made.defer(lambda: shown.append("upcard"))
    assert shown == []
    return made


def test_what_follows_a_hand_is_shown_when_the_break_expires(hand_break, clock, shown):
    clock.advance(BREAK)
    assert shown == ["deal", "upcard", "choice"]
    assert not hand_break.lasts
    assert not hand_break.defer(lambda: None)


def test_what_follows_a_hand_is_shown_at_once_when_the_player_continues(hand_break, clock, shown):
    assert hand_break.end()
    assert shown == ["deal", "upcard", "choice"]
    assert not clock.getDelayedCalls()
    assert not hand_break.end()


def test_nothing_is_asked_once_the_session_is_over(hand_break, clock, shown):
    hand_break.end(choice=False)
    clock.advance(BREAK)
    assert shown == ["deal", "upcard"]


def test_nothing_is_shown_of_moves_that_were_taken_back(hand_break, clock, shown):
    hand_break.drop()
    clock.advance(BREAK)
    assert shown == []


def test_an_error_in_what_is_shown_late_reaches_the_guard(clock):
    caught = []

    def guard(call):
        with pytest.raises(ZeroDivisionError) as error:
            call()
        caught.append(error)

    made = HandBreak(clock, lambda: None)
    made.begin(guard)
    made.defer(lambda: 1 // 0)
    clock.advance(BREAK)
    assert caught


def test_enter_just_after_a_break_was_meant_to_end_it(hand_break, clock):
    assert not hand_break.has_just_expired
    clock.advance(BREAK)
    assert hand_break.has_just_expired
    clock.advance(SLIP)
    assert not hand_break.has_just_expired


def test_a_break_that_waits_never_expires(clock, shown):
    made = HandBreak(clock, lambda: shown.append("prompt"))
    made.waits = True
    made.begin(lambda call: call())
    made.defer(lambda: shown.append("deal"))
    clock.advance(100 * BREAK)
    assert shown == ["prompt"]
    made.end()
    assert shown == ["prompt", "prompt", "deal"]
