"""Which guests a host admits: one, or as many as a club has tables for (WIRE 9.3).

An invite admits one key. That key may come back, but nobody else may use the invite. Expected
guests need no invite: those whose match continues or has just ended, and a friend whom our player
has named. Once one guest has been admitted, nobody else is, expected or not.

A club's invite admits everybody, and each guest gets a table:

Rule 1: many people know the secret, so it proves only that a guest has seen the invite, and no key
has to prove that twice. TLS proves each guest's key, so nobody can pose as another guest. The
invite contains the hash of the host's key, so nobody can pose as the host.
Rule 2: the tables know nothing about each other, since each guest gets its own Side.
Rule 3: a person with the invite may come back at will, with many keys, and each key may leave a
match on our disk. So we limit the admissions of each key, and those of all unfamiliar keys
together. We remember nothing about unfamiliar keys that come while all tables are taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Protocol

from ginpeer.net.handshake import ChannelBinding, GreetingRefused, choose_version, wrong_proof
from ginpeer.net.interfaces import Clock
from ginpeer.net.limits import TokenBucket
from ginpeer.net.session import Side
from protocol.crypto.identity import key_hash
from protocol.frames import Hello

BURST = 20.0  # admissions of one key in succession: a guest on a bad line reconnects a dozen times
READMITTED_EVERY = 30.0  # seconds between later admissions of the same key
NEWCOMERS = 30.0  # unfamiliar keys admitted in quick succession: a club night's players
NEWCOMER_EVERY = 45.0  # seconds between more of them: 80 an hour; each stores some 16 KB
REMEMBERED = 256  # most recent keys whose admissions we count


class AccessPolicy(ABC):
    """Decides which guests are admitted."""

    def __init__(self, expected: Iterable[bytes]) -> None:
        self._expected = frozenset(expected)

    @property
    @abstractmethod
    def occupied(self) -> bool:
        """Whether there is no room for another guest."""

    @abstractmethod
    def admit(self, hello: Hello, binding: ChannelBinding) -> int:
        """Admit the guest and return the protocol version, or raise GreetingRefused. Judge the
        proof before disclosing anything about the tables."""

    @abstractmethod
    def leave(self, key: bytes) -> None:
        """Record that an admitted guest has disconnected."""

    def side_of(self, key: bytes) -> Side | None:
        """Return our side for an admitted guest; None: the same side for every guest."""
        return None

    def reopen(self) -> None:  # noqa: B027 - a club admits others at any time
        """Admit other guests again, because the last one hasn't begun a match."""

    def expects(self, hashed: bytes) -> bool:
        """Return whether the key with this hash (``key_hash``) needs no invite."""
        return any(key_hash(key) == hashed for key in self._expected)


class SingleGuestPolicy(AccessPolicy):
    """Admits one guest, who must have the unused invite or an expected key. After that, admits
    nobody else until it is reopened."""

    occupied = False

    def __init__(
        self,
        secret: bytes,
        expected: Iterable[bytes] = (),
        *,
        nobody_else: bool = False,
        may_admit: Callable[[], bool] = lambda: True,
    ) -> None:
        """*nobody_else*: admit only expected keys; the invite then only tells them our addresses.
        *may_admit* is called before each guest is admitted, and returns whether the rate limit
        allows it."""
        super().__init__(expected)
        self._secret = secret
        self._used = False  # whether a guest was admitted by the invite's secret
        self._given = False  # whether we now accept only the key of an admitted guest
        self._expected_first = self._expected
        self._nobody_else = nobody_else
        self._may_admit = may_admit

    def admit(self, hello: Hello, binding: ChannelBinding) -> int:
        version = choose_version(hello, binding)
        expected = binding.guest_key in self._expected
        if not expected:
            self._check_proof(hello, binding)
        if self.occupied or not self._may_admit():
            raise GreetingRefused("table-taken")
        if not expected:
            self._used = True  # not before the guest is really admitted
        self._given, self._expected = True, frozenset((binding.guest_key,))
        self.occupied = True
        return version

    def leave(self, key: bytes) -> None:
        self.occupied = False

    def reopen(self) -> None:
        """Admit others as before if the last guest was expected. A used invite still admits only
        the guest that used it."""
        if not self._used:
            self._given, self._expected = False, self._expected_first

    def _check_proof(self, hello: Hello, binding: ChannelBinding) -> None:
        if self._nobody_else:
            raise GreetingRefused("not-expected")
        if wrong_proof(self._secret, hello, binding):
            came_late = binding.guest_key in self._expected_first  # this guest needs no invite
            raise GreetingRefused("not-expected" if came_late else "invite-wrong")
        if self._used:
            raise GreetingRefused("invite-used")
        if self._given:  # an expected guest came first
            raise GreetingRefused("not-expected", has_invite=True)


class SidePool(Protocol):
    """The network's view of a club's tables."""

    def assign(self, key: bytes) -> Side | None:
        """Return our side at this guest's table, or else at a free table; None if none is free."""

    def note_left(self, key: bytes) -> None:
        """Record that this guest has disconnected."""

    def note_refused(self, key: bytes) -> None:
        """Record that this guest was refused because no table was free."""

    @property
    def is_full(self) -> bool:
        """Whether no table is free."""


class ClubPolicy(AccessPolicy):
    """Admits everybody who has the invite or is expected, as long as a table is free."""

    def __init__(
        self, secret: bytes, pool: SidePool, clock: Clock, expected: Iterable[bytes] = ()
    ) -> None:
        super().__init__(expected)
        self._secret = secret
        self._pool = pool
        self._clock = clock
        self._sides: dict[bytes, Side] = {}  # by the key of each connected guest
        self._admissions: dict[bytes, TokenBucket] = {}  # the most recent last
        self._newcomers = TokenBucket(NEWCOMERS, 1 / NEWCOMER_EVERY, clock.seconds())

    @property
    def occupied(self) -> bool:
        return self._pool.is_full

    def admit(self, hello: Hello, binding: ChannelBinding) -> int:
        version = choose_version(hello, binding)
        key = binding.guest_key
        if not self.expects(key_hash(key)) and wrong_proof(self._secret, hello, binding):
            raise GreetingRefused("invite-wrong")
        if key in self._sides or not self._may_come(key):
            raise GreetingRefused("table-taken")
        side = self._pool.assign(key)
        if side is None:
            self._pool.note_refused(key)
            raise GreetingRefused("table-taken")
        self._sides[key] = side
        return version

    def leave(self, key: bytes) -> None:
        if self._sides.pop(key, None) is not None:
            self._pool.note_left(key)

    def side_of(self, key: bytes) -> Side:
        return self._sides[key]

    def expects(self, hashed: bytes) -> bool:
        """Also return True for a recently admitted key."""
        return super().expects(hashed) or hashed in map(key_hash, self._admissions)

    def _may_come(self, key: bytes) -> bool:
        now = self._clock.seconds()
        bucket = self._admissions.pop(key, None)
        if bucket is None:
            if key not in self._expected and not self._newcomer_may_come(key, now):
                return False
            bucket = TokenBucket(BURST, 1 / READMITTED_EVERY, now)
        self._admissions[key] = bucket
        if len(self._admissions) > REMEMBERED:
            del self._admissions[next(iter(self._admissions))]
        return bucket.take(now)

    def _newcomer_may_come(self, key: bytes, now: float) -> bool:
        """Return whether to admit an unfamiliar key. A key for which no table is free doesn't use
        up the newcomers' shared allowance."""
        if self._pool.is_full:
            self._pool.note_refused(key)
            return False
        return self._newcomers.take(now)
