"""A table that waits for the opponent: how long it waits, and when it announces what."""

from twisted.internet.task import Clock

from ginpeer.net.interfaces import CloseReason
from ginpeer.net.timing import CAME_BACK, Absence, Reminder

LOST = CloseReason("connection-lost", "The connection was lost.", "A")


def absence(clock, patience=None):
    told, given_up = [], []
    absent = Absence(clock, patience, remind=told.append, give_up=given_up.append)
    return absent, told, given_up


def test_a_waiting_person_is_reminded_rarely_and_never_sent_away():
    clock = Clock()
    absent, told, given_up = absence(clock)
    absent.begin(LOST)
    for _ in range(24 * 60):
        clock.advance(60)
    assert told == [2, 10, 30, *range(60, 24 * 60 + 1, 60)]
    assert absent.is_waiting
    assert not given_up
    absent.end()
    assert not clock.getDelayedCalls()


def test_when_patience_ends_the_reason_of_the_lost_session_is_given():
    clock = Clock()
    absent, told, given_up = absence(clock, 300.0)
    absent.begin(LOST)
    clock.advance(299)
    assert (told, given_up) == ([2], [])
    clock.advance(1)
    assert given_up == [LOST]
    assert not absent.is_waiting
    assert not clock.getDelayedCalls()


def test_a_failed_attempt_neither_extends_patience_nor_delays_reminders():
    clock = Clock()
    absent, told, given_up = absence(clock, 150.0)
    absent.begin(LOST)
    clock.advance(100)
    absent.begin(LOST)
    clock.advance(20)
    assert told == [2]
    clock.advance(30)
    assert given_up == [LOST]


def test_a_player_who_is_reconnecting_is_waited_for_even_without_patience():
    clock = Clock()
    absent, _, given_up = absence(clock, 0.0)
    absent.begin(CloseReason(CAME_BACK, "The other player has come back.", "A"))
    clock.advance(10)
    assert absent.is_waiting
    clock.advance(60)
    assert len(given_up) == 1


def test_only_the_last_of_the_reminders_missed_during_sleep_is_shown():
    clock, told = Clock(), []
    reminder = Reminder(clock, (2, 10, 30), told.append)
    reminder.begin()
    clock.advance(119)
    assert told == []
    clock.advance(1)
    assert told == [2]
    clock.advance(3600)
    assert told == [2, 60]
    clock.advance(3479)
    assert told == [2, 60]
    clock.advance(1)
    assert told == [2, 60, 120]
    reminder.stop()
    assert not clock.getDelayedCalls()
