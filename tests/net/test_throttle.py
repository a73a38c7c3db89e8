"""Events that anybody can cause are reported rarely, but none is forgotten."""

from __future__ import annotations

from twisted.internet.task import Clock

from ginpeer.net.limits import RateLimited, WorkingTime

BURST, RATE, PAUSE = 10, 1 / 30, 60.0


def make_limiter(clock: Clock, told: list[str | int]) -> RateLimited[str]:
    """Return a limiter that reports a few events singly, and then how many more there were."""
    return RateLimited(clock, BURST, RATE, PAUSE, each=told.append, rest=told.append)


def test_thousands_of_strangers_are_counted_instead_of_listed() -> None:
    clock, told = Clock(), []
    listener = make_limiter(clock, told)
    for port in range(1000):
        listener.admit(f"192.0.2.7:{port}")
    assert len(told) == BURST
    clock.advance(PAUSE - 0.1)
    assert len(told) == BURST
    clock.advance(0.1)
    assert told[BURST:] == [1000 - BURST]
    clock.advance(PAUSE * 10)
    assert len(told) == BURST + 1
    assert clock.getDelayedCalls() == []


def test_the_count_is_reported_before_the_next_stranger() -> None:
    clock, told = Clock(), []
    listener = make_limiter(clock, told)
    for _ in range(BURST + 7):
        listener.admit("192.0.2.7:1")
    clock.advance(1 / RATE)
    listener.admit("192.0.2.8:2")
    assert told[BURST] == 7
    assert told[BURST + 1] == "192.0.2.8:2"
    assert clock.getDelayedCalls() == []
    for _ in range(3):
        listener.admit("192.0.2.7:1")
    listener.stop()
    assert clock.getDelayedCalls() == []


def test_long_work_must_be_paid_off_before_more_begins() -> None:
    work = WorkingTime(burst=5.0, rate=0.2, now=100.0)
    assert work.has_any(100.0)
    work.spend(7.0)
    assert not work.has_any(109.9)
    assert not work.has_any(50.0)  # a clock that is set back changes nothing
    assert work.has_any(50.2)
    work.spend(1.0)
    assert work.has_any(1_000.0)
    work.spend(4.9)  # no more than one burst is saved up
    assert work.has_any(1_000.0)
    work.spend(0.2)
    assert not work.has_any(1_000.0)
