"""The logs that somebody at another table sends us, each judged here.

# Rule 1: a log counts only if its sender plays in it, whose key TLS has proven, and we do not:
#         what we have played we know from our own logs.
# Rule 2: on each connection logs come from their first entry on, each entry once. What we have is
#         passed over, so that to come again buys nothing but reading; and another entry in a place
#         that is taken is a fork, and is not taken. A log that is shorter than ours takes nothing
#         away.
# Rule 3: to judge a hand takes a second, so what one sender may send is bounded for the life of the
#         link, in bytes and in logs. Each log has the referee's bounds besides.
"""

from __future__ import annotations

from ginpeer.partnership.followed_log import FollowedLog
from ginpeer.referee.violations import MalformedEntry, Violation
from protocol.codec.entries import NotCanonical
from protocol.entry import NotAnEntry, RawEntry
from protocol.messages import Malformed

MAX_BYTES = 16 * 1024 * 1024
"""Bytes of all logs of one sender: some 100 hands, of which a long evening has 40."""

MAX_LOGS = 32
"""Three players begin a new one with every hand (RULES 14.3)."""

_ACCEPTED = 2  # entries, behind which both keys are known


class NotTaken(Exception):
    """What was sent is not taken, and nothing more is: a stable code, and the sentence."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class OtherTables:
    """The logs of one sender, over all connections with it. ``logs`` are in the order in which they
    came; ``refused`` is why nothing more is taken, if anything was not."""

    def __init__(self, own: bytes, sender: bytes) -> None:
        """*own*, *sender*: the identity keys."""
        self.logs: dict[bytes, FollowedLog] = {}
        self.refused: NotTaken | None = None
        self._own = own
        self.sender = sender
        self._size = 0
        self._next: dict[bytes, int] = {}  # entry of each log, on this connection

    def begin(self) -> None:
        """A connection with the sender begins."""
        self._next = {}

    def take(self, raw: bytes) -> bool:
        """One entry; whether a hand of its table is over by it, or the next one may begin. Raises
        NotTaken."""
        if self.refused is None:
            try:
                return self._take(raw)
            except NotTaken as why:
                self.refused = why
        raise self.refused

    def _take(self, raw: bytes) -> bool:
        try:
            body = RawEntry.split(raw).decode()
        except (NotAnEntry, NotCanonical, Malformed) as error:
            raise NotTaken("link-entry", "The other table sent what is no entry.") from error
        log = self.logs.get(body.table)
        if body.sequence != self._next.get(body.table, 0):
            raise NotTaken("link-order", "The other table sent its log in disorder.")
        self._next[body.table] = body.sequence + 1
        if log is None:
            if len(self.logs) == MAX_LOGS:
                raise NotTaken(
                    "link-too-much", f"The other table sent more than {MAX_LOGS} matches."
                )
            log = FollowedLog()
        elif body.sequence < len(log.entries):
            if log.entries[body.sequence] != raw:
                raise NotTaken(
                    "link-fork",
                    f"The other table sent another entry {body.sequence} than before: somebody "
                    "there has signed twice.",
                )
            return False
        self._size += len(raw)
        if self._size > MAX_BYTES:
            raise NotTaken(
                "link-too-much",
                f"The other table sent more than {MAX_BYTES // 2**20} MiB, which no evening has.",
            )
        ended = self._judge(log, raw)
        self.logs[body.table] = log
        if len(log.entries) == _ACCEPTED:
            self._check_players(log)
        return ended

    def _judge(self, log: FollowedLog, raw: bytes) -> bool:
        try:
            return log.take(raw)
        except (MalformedEntry, Violation) as error:
            raise NotTaken(
                error.code,
                f"The other table's log does not hold at entry {len(log.entries)}: "
                f"{error.sentence}",
            ) from error

    def _check_players(self, log: FollowedLog) -> None:
        keys = log.table.keys
        if self._own in keys or self.sender not in keys:
            del self.logs[log.table.table_id]
            raise NotTaken(
                "link-not-theirs",
                "The other table sent the log of a match in which its sender does not play, or in "
                "which you do.",
            )
