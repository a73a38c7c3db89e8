"""Waiting for the other player, who is lost or thinks: after which ends of a session, for how long,
and when our player is reminded.

# Rule 1: a player who has gone may come back, and one who thinks may think. A person is told how
# long it has been, ever more rarely, and decides whether to leave; a wait ends by itself only after
# a number of seconds that somebody has named.
# Rule 2: we wait after a session whose end nobody has wanted. We don't wait for a player that has
# left, has broken the rules, or has a fault of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, count

from ginpeer.net.interfaces import Clock, CloseReason, Timer, cancel

SOON = 2.0
"""Seconds before a person is told what is being waited for; a quick opponent needs no such line."""

_MINUTE = 60.0
_GONE = (2, 10, 30)
"""Minutes after which a person is reminded that the other player has gone; then every hour."""

_THINKING = (10, 30)
"""The same for a player who is there and owes the next entry. Don't hurry somebody who thinks."""


CAME_BACK = "peer-came-back"
"""The code of a session that makes room for the same player's next one (acceptor.py)."""

TAKES_UP = "takes-up-stored"
"""The code, at both sides, of a session whose host continues a stored match instead of a new one
(session.py)."""

NOT_BACK = "not-back"
"""The code if both players had stayed for another match, and one has not come."""

AT_ONCE = frozenset({CAME_BACK, TAKES_UP, NOT_BACK})
"""The ends of a session after which the other player is connecting already."""

LOST = frozenset(
    {
        "connection-lost",
        "peer-silent",
        "peer-not-reading",
        "log-withheld",  # by a peer that may come back with the right files
    }
    | AT_ONCE
)
"""The ends of a session after which the other player may come back."""

_AT_THE_DOOR = 30.0
"""Seconds for a player who has come back to be admitted once more."""


def _moments(first: tuple[int, ...]) -> Iterator[int]:
    return chain(first, count(60, 60))


class Reminder:
    """Says after a while, and then ever more rarely, how many minutes something has lasted."""

    def __init__(self, clock: Clock, moments: tuple[int, ...], say: Callable[[int], None]) -> None:
        self._clock = clock
        self._minutes = moments
        self._say = say
        self._timer: Timer | None = None

    @classmethod
    def of_thinking(cls, clock: Clock, say: Callable[[int], None]) -> Reminder:
        """Make one for a player who is there, and has not moved."""
        return cls(clock, _THINKING, say)

    def begin(self) -> None:
        """Count from now."""
        self.stop()
        moments = _moments(self._minutes)
        self._wait(self._clock.seconds(), next(moments), moments)

    def stop(self) -> None:
        """Stop reminding."""
        cancel(self._timer)
        self._timer = None

    def _wait(self, begun: float, minutes: int, moments: Iterator[int]) -> None:
        due = begun + minutes * _MINUTE - self._clock.seconds()
        self._timer = self._clock.callLater(max(due, 0.0), self._tell, begun, minutes, moments)

    def _tell(self, begun: float, minutes: int, moments: Iterator[int]) -> None:
        """Say that so many minutes are over; after the machine has slept, only the last of them."""
        passed = self._clock.seconds() - begun
        coming = next(moments)
        while coming * _MINUTE <= passed:
            minutes, coming = coming, next(moments)
        self._wait(begun, coming, moments)
        self._say(minutes)


class Absence:
    """The other player's connection is lost, and the match waits until somebody comes or gives up.

    ``lasts`` says whether it does so now.
    """

    def __init__(
        self,
        clock: Clock,
        patience: float | None,
        *,
        remind: Callable[[int], None],
        give_up: Callable[[CloseReason], None],
    ) -> None:
        """*patience*: seconds until *give_up* is called with why the session ended; None waits for
        ever. *remind* is called now and then with how many minutes it has lasted."""
        self.lasts = False
        self._clock = clock
        self._patience = patience
        self._give_up = give_up
        self._reminder = Reminder(clock, _GONE, remind)
        self._deadline: Timer | None = None

    def begin(self, closed: CloseReason) -> None:
        """Begin to wait, unless we do already: after a failed attempt to continue the wait ends no
        later."""
        if self.lasts:
            return
        self.lasts = True
        self._reminder.begin()
        if self._patience is not None:
            # A player that has just come back is connecting, whatever the patience.
            seconds = max(self._patience, _AT_THE_DOOR if closed.code in AT_ONCE else 0.0)
            self._deadline = self._clock.callLater(seconds, self._over, closed)

    def end(self) -> None:
        """Stop waiting: somebody has come, or the match is closed."""
        self.lasts = False
        self._reminder.stop()
        cancel(self._deadline)
        self._deadline = None

    def _over(self, closed: CloseReason) -> None:
        self.end()
        self._give_up(closed)


class Waiting:
    """Says that we wait for the next entry of a player who is there: to a person once for each
    turn, after a moment, and then rarely; to a program at once for each entry, and as rarely."""

    def __init__(
        self, clock: Clock, patient: bool, say: Callable[[], None], long: Reminder
    ) -> None:
        """*patient*: for a person. *say*: whom we wait for. *long*: that it has been long."""
        self._clock = clock
        self._patient = patient
        self._say = say
        self._long = long
        self._timer: Timer | None = None
        self._said = False

    def begin(self) -> None:
        """The other player owes the next entry."""
        self.stop()
        self._long.begin()
        if not self._patient:
            self._say()
        elif not self._said:
            self._timer = self._clock.callLater(SOON, self._tell)

    def stop(self) -> None:
        """An entry has come, or we don't wait any longer."""
        self._long.stop()
        cancel(self._timer)
        self._timer = None

    def new_turn(self) -> None:
        """A new turn has begun: our player may be told again."""
        self._said = False

    def was_told(self) -> None:
        """Our player has just been told in other words who is next."""
        self._said = True

    def _tell(self) -> None:
        self._timer = None
        self._said = True
        self._say()
