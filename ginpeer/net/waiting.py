"""Waiting for the other player, who is lost or thinks: after what, for how long, and when it is due
to be said.

# Rule 1: who has gone may come back, who thinks may think. A person is told how long it has been,
# ever more rarely, and closes the table or does not; only a number of seconds that somebody has
# named ends a wait by itself.
# Rule 2: a session whose end nobody has wanted leaves the table waiting. Whoever has left it, or
# has broken the rules, or has a fault of its own, is not waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, count

from ginpeer.net.interfaces import Clock, Closed, Seat, Timer

SOON = 2.0
"""Seconds before a person is told what is being waited for; a quick opponent needs no such line."""

_MINUTE = 60.0
_GONE = (2, 10, 30)
"""Minutes after which a person hears again that the other player has gone; then every hour."""

_THINKING = (10, 30)
"""The same for a player who is there and owes the next entry: a thinker is not to be hurried."""


CAME_BACK = "peer-came-back"
"""How a session ends that makes room for the same player's next one (host_connection.py)."""

TAKES_UP = "takes-up-stored"
"""How one ends, at both sides, whose host goes on with a stored match in the place of a new one
(ginpeer.net.session)."""

NOT_BACK = "not-back"
"""Why a table is closed whose players had both stayed for another match, and one has not come."""

AT_ONCE = frozenset({CAME_BACK, TAKES_UP, NOT_BACK})
"""The ends of a session after which the other player is at the door already."""

LOST = frozenset(
    {
        "connection-lost",
        "peer-silent",
        "peer-not-reading",
        "log-withheld",  # by a peer that may come back with the right files
    }
    | AT_ONCE
)
"""Ends of a session after which the other player may come back, and nobody has left."""

_AT_THE_DOOR = 30.0
"""Seconds for a player who has come back to be let in once more."""


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
        """For a player who is there, and has not moved."""
        return cls(clock, _THINKING, say)

    def begin(self) -> None:
        """Count from now."""
        self.stop()
        moments = _moments(self._minutes)
        self._wait(self._clock.seconds(), next(moments), moments)

    def stop(self) -> None:
        """It is over: the other player has moved, or come back, or nobody waits any more."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _wait(self, begun: float, minutes: int, moments: Iterator[int]) -> None:
        due = begun + minutes * _MINUTE - self._clock.seconds()
        self._timer = self._clock.callLater(max(due, 0.0), self._tell, begun, minutes, moments)

    def _tell(self, begun: float, minutes: int, moments: Iterator[int]) -> None:
        """So many minutes are over; where the machine slept, more: only the last are said."""
        passed = self._clock.seconds() - begun
        coming = next(moments)
        while coming * _MINUTE <= passed:
            minutes, coming = coming, next(moments)
        self._wait(begun, coming, moments)
        self._say(minutes)


class Absence:
    """The other player's connection is lost and the table kept, until somebody comes or gives up.

    ``lasts`` says whether it does.
    """

    def __init__(
        self,
        clock: Clock,
        patience: float | None,
        *,
        remind: Callable[[int], None],
        give_up: Callable[[Closed], None],
    ) -> None:
        """*patience*: seconds until *give_up* is called with how the session ended; None waits for
        ever. *remind* is told now and then for how many minutes it has lasted."""
        self.lasts = False
        self._clock = clock
        self._patience = patience
        self._give_up = give_up
        self._reminder = Reminder(clock, _GONE, remind)
        self._deadline: Timer | None = None

    def follows(self, closed: Closed, seat: Seat | None) -> bool:
        """Whether a session that has ended so leaves the table waiting, where our player has not
        left it. *seat* is ours, once the other player has sat down."""
        return (
            closed.code in LOST
            and (self._patience != 0 or closed.code in AT_ONCE)
            and seat is not None
            and seat.can_come_back()
        )

    def begin(self, closed: Closed) -> None:
        """A session has ended so. One that follows on a failed attempt to go on ends no later."""
        if self.lasts:
            return
        self.lasts = True
        self._reminder.begin()
        if self._patience is not None:
            # Who has just come back is at the door, whatever the patience.
            seconds = max(self._patience, _AT_THE_DOOR if closed.code in AT_ONCE else 0.0)
            self._deadline = self._clock.callLater(seconds, self._over, closed)

    def end(self) -> None:
        """Somebody came, or the table is closed."""
        self.lasts = False
        self._reminder.stop()
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = None

    def _over(self, closed: Closed) -> None:
        self.end()
        self._give_up(closed)


class Waiting:
    """For the next entry of a player who is there: a person hears of it once for each turn, after a
    moment, and then rarely; a program at once, for each entry, and then as rarely."""

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
        """An entry has come, or nobody waits any more."""
        self._long.stop()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def new_turn(self) -> None:
        """What has been said counts no more."""
        self._said = False

    def was_told(self) -> None:
        """Our player has just heard in other words who is next."""
        self._said = True

    def _tell(self) -> None:
        self._timer = None
        self._said = True
        self._say()
