"""A host that plays whoever comes: one invite for all of them, and a table for each.

# Rule 1: the invite's secret is known to many here, so it proves only that somebody has seen the
# invite. Who a guest is, its own key says, which TLS has proven; nobody comes as somebody else, and
# nobody with the secret can pose as the host, whose key's hash is in the invite.
# Rule 2: what sits at one table knows nothing of the others: each guest gets a Side of its own.
# Rule 3: whoever has seen the invite may come as often as it likes, and with as many keys as it
# likes. So each key comes BURST times at once, and then every AGAIN seconds; and of the keys that
# have not been here before, all together, NEWCOMERS get a table at once, and then one every
# NEWCOMER_AGAIN seconds, for each may leave a match on the disk. What is kept of a key that has
# gone is bounded, and nothing is kept of one that finds no table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ginpeer.net.handshake import ChannelBinding, choose_version, refusal, wrong_proof
from ginpeer.net.interfaces import Clock
from ginpeer.net.session import Side
from ginpeer.net.throttle import TokenBucket
from protocol.crypto.identity import key_hash
from protocol.frames import Hello

BURST = 20.0
"""So often is a key let in at once: a bad line comes back a dozen times."""

AGAIN = 5.0
"""Seconds until it is let in once more after those."""

NEWCOMERS = 30.0
"""So many keys that have not been here lately are let in at once: the players of a club night."""

NEWCOMER_AGAIN = 45.0
"""Seconds until one more of those is let in: 80 an hour, who leave some 16 KB each."""

REMEMBERED = 256
"""Keys of which it is kept how often they have come, the latest."""


class Tables(Protocol):
    """The tables that guests are given."""

    def give(self, key: bytes) -> Side | None:
        """The table that is kept for this guest, or a free one, and what we bring to it; None if
        there is none."""

    def left(self, key: bytes) -> None:
        """This guest's connection is gone."""

    def wanted(self, key: bytes) -> None:
        """This guest was sent away because no table is free for it."""

    @property
    def full(self) -> bool:
        """Whether no table is free."""


class ClubPolicy:
    """Lets in whoever has the invite, or is expected, as long as there is a table."""

    def __init__(
        self, secret: bytes, tables: Tables, clock: Clock, expected: Iterable[bytes] = ()
    ) -> None:
        """*expected*: keys that need no invite, since a match with them is to go on."""
        self._secret = secret
        self._tables = tables
        self._clock = clock
        self._expected = frozenset(expected)
        self._seated: dict[bytes, Side] = {}
        self._comings: dict[bytes, TokenBucket] = {}  # the latest last
        self._newcomers = TokenBucket(NEWCOMERS, 1 / NEWCOMER_AGAIN, clock.seconds())

    @property
    def occupied(self) -> bool:
        """Whether nobody else can sit down."""
        return self._tables.full

    def let_in(self, hello: Hello, link: ChannelBinding) -> int:
        """Let the guest in, or raise Refused; gives the version to speak. The proof is judged
        before anything about the tables is told."""
        version = choose_version(hello, link)
        key = link.guest_key
        if key not in self._expected and wrong_proof(self._secret, hello, link):
            raise refusal("invite-wrong")
        if key in self._seated or not self._may_come(key):
            raise refusal("table-taken")
        side = self._tables.give(key)
        if side is None:
            self._tables.wanted(key)
            raise refusal("table-taken")
        self._seated[key] = side
        return version

    def side_of(self, key: bytes) -> Side:
        """What we bring to the table of a guest that was let in."""
        return self._seated[key]

    def leave(self, key: bytes) -> None:
        """This guest's connection is gone."""
        if self._seated.pop(key, None) is not None:
            self._tables.left(key)

    def as_before(self) -> None:
        """Others may come at any time."""

    def expects(self, hashed: bytes) -> bool:
        """Whether somebody with a key of this hash (``key_hash``) needs no invite."""
        return any(key_hash(key) == hashed for key in self._expected)

    def _may_come(self, key: bytes) -> bool:
        now = self._clock.seconds()
        bucket = self._comings.pop(key, None)
        if bucket is None:
            if key not in self._expected and not self._newcomer_may_come(key, now):
                return False
            bucket = TokenBucket(BURST, 1 / AGAIN, now)
        self._comings[key] = bucket
        if len(self._comings) > REMEMBERED:
            del self._comings[next(iter(self._comings))]
        return bucket.take(now)

    def _newcomer_may_come(self, key: bytes, now: float) -> bool:
        """Who finds no table uses up nothing of what the newcomers have together."""
        if self._tables.full:
            self._tables.wanted(key)
            return False
        return self._newcomers.take(now)
