"""Who knocked and was not let in, told to a host who asked for it (`ginpeer host -v`).

# Rule 1: nothing that a stranger has said is shown: an address, the fingerprint of a key that TLS
# has proven, and our own words.
# Rule 2: strangers may come by the thousand, and the host is playing: a few are told at once, then
# one every while, and the rest are counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ginpeer.net.host import TurnedAway
from ginpeer.net.roles import Clock, Timer
from ginpeer.net.throttle import TokenBucket
from protocol.crypto.identity import fingerprint

BURST, RATE = 10, 1 / 30
"""Told at once, and after those each second."""

PAUSE = 60.0
"""Seconds after which those who were only counted are told of."""

REASONS = {
    "invite-wrong": "it has not the secret of this invite; maybe it has an older one",
    "invite-used": "this invite has been used by somebody else",
    "not-expected": "this match goes on with another player",
    "table-taken": "somebody sits at the table, or it has come too often just now",
    "same-key": "it has your own key; each player needs a home of their own (--home)",
    "version-mismatch": "it speaks another version of the protocol",
    "wrong-alpn": "it speaks TLS, but it is not ginpeer",
    "tls-version": "it does not speak TLS 1.3",
    "tls-failed": "it does not speak our TLS 1.3, or showed no key of its own",
    "no-certificate": "it showed no key",
    "bad-certificate": "its key cannot be used",
    "greeting-timeout": "it was too slow, or said nothing",
    "connection-lost": "it went before it had greeted",
    "crowded-out": "too many others came",
    "peer-closed": "it closed the connection itself",
    "peer-not-reading": "it did not read what was sent to it",
}
"""By the code of how its connection ended; all others are ways to send what makes no sense."""

_NONSENSE = "what it sent makes no sense"
_OUR_FAULT = "something went wrong on this machine"


class Knocking:
    """Tells, not too often, of those who were turned away."""

    def __init__(
        self,
        clock: Clock,
        tell: Callable[[str], None],
        knows: Callable[[bytes], bool],
        now: Callable[[], time.struct_time] = time.localtime,
    ) -> None:
        """*tell* is given one line. *knows*: whether we have met a key. *now*: the time of day."""
        self._clock = clock
        self._tell = tell
        self._knows = knows
        self._now = now
        self._bucket = TokenBucket(BURST, RATE, clock.seconds())
        self._untold = 0
        self._timer: Timer | None = None

    def turned_away(self, stranger: TurnedAway) -> None:
        """Somebody was."""
        if self._bucket.take(self._clock.seconds()):
            self._tell_of_the_rest()
            self._tell(self._line(stranger))
            return
        self._untold += 1
        if self._timer is None:
            self._timer = self._clock.callLater(PAUSE, self._tell_of_the_rest)

    def stop(self) -> None:
        """Tell nothing more."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer, self._untold = None, 0

    def _line(self, stranger: TurnedAway) -> str:
        who = f"{self._time()} {stranger.address} knocked and was not let in"
        if stranger.key is not None:
            met = ", which you have met" if self._knows(stranger.key) else ""
            who += f", with the key {fingerprint(stranger.key)}{met}"
        reason = _OUR_FAULT if stranger.our_fault else REASONS.get(stranger.code, _NONSENSE)
        return f"{who}: {reason}. ({stranger.code})"

    def _tell_of_the_rest(self) -> None:
        """Of those who were only counted."""
        untold = self._untold
        self.stop()
        if untold:
            self._tell(f"{self._time()} {untold} more knocked and were not let in.")

    def _time(self) -> str:
        return time.strftime("%H:%M:%S", self._now())
