"""Which match goes on with whoever is there, and with which seat of ours.

# House rules
#
# 1. A match goes on with the key that it was begun with, and with no other. The guest names the
#    latest that can go on, or else the latest, whose end the host may lack. The host goes on with
#    the one that is named, or else with the latest that can go on: no new one is begun in the place
#    of an unfinished one, but where the host's player wants it, the two have changed seats, or its
#    files are damaged. What was offered and not accepted is no match: it goes on only with a guest
#    that says that it has accepted, and where our player would offer the same now.
# 2. Nothing is judged here. What was stored goes through the referee again when the seat is put
#    back (Seat.restore), as every log does.
# 3. While the other player may come back the seat lives on, and sits down again as it is. Whatever
#    else is stored than what it knows, it is put back from the store.
# 4. No clock, no socket, no screen: randomness and time are passed in, and only the store is asked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from ginpeer.keeper.log_ends import over
from ginpeer.keeper.matches import (
    ACCEPTED,
    Stored,
    accepted,
    convicts,
    going,
    holds,
    just_played,
    lies_here,
    read_again,
    readable,
    with_notes,
)
from ginpeer.keeper.named import named, stored_as
from ginpeer.referee.table import GUEST, HOST
from ginpeer.referee.violations import RefusedEntry
from ginpeer.seat.capacity import CAPACITY, Capacity
from ginpeer.seat.log_sync import LogRelation, compare, position_of
from ginpeer.seat.seat import Options, Seat, SeedLost
from ginpeer.store import Home, Journal, StoreError, UnreadableLog, read_own_log
from ginpeer.store.closing_note import Closing, last_change, write_closing
from ginpeer.store.journal import Role, read_notes
from protocol.crypto.expansion import RandomSource
from protocol.crypto.identity import IdentityKey, key_hash
from protocol.frames import Position

_DAMAGED = frozenset({"bad-seeds-file", "bad-match-file"})
"""What keeps a stored match from going on, and no other from being begun."""


class Comer(Protocol):
    """Who has proven a key: as much of it as the table needs. *position* is its own claim."""

    @property
    def key(self) -> bytes: ...

    @property
    def address(self) -> str: ...

    @property
    def position(self) -> Position | None: ...


class TableKeeper:
    """One table on this machine: finds the match that goes on, keeps it open in `journal` (and so
    locked) from then on, and brings our seat.

    ``journal`` stores what the seat wants stored. ``live`` is the seat that sits there, from the
    first peer on. ``passed_over`` is why the match that would go on cannot: its files are damaged.
    ``replaces`` is the unfinished match with the player opposite that is put aside when the new one
    is agreed; where ``asks`` is set, a host's seat waits with its offer of that one until it is
    told to. ``missing`` is the table that the guest has named and that is not stored here.
    ``came_over`` says that the match was over here before the other player came, who may lack its
    end; ``was_over`` that it was so at a host who waits for whoever comes.
    ``again`` says that one match was played at this table, and another one may be.
    """

    def __init__(
        self,
        home: Home,
        role: Role,
        identity: IdentityKey,
        *,
        name: str,
        options: Options,
        rng: RandomSource,
        now: Callable[[], float],
        only: Stored | None = None,
        fresh: bool = False,
        checking: Callable[[int], None] = lambda hands: None,
        capacity: Capacity = CAPACITY,
        dropped: Callable[[], None] = lambda: None,
        kept: Iterable[Seat] = (),
    ) -> None:
        """*only*: this match and no other. *fresh*: none at all; a new match is wanted.
        *now* gives seconds since 1970. *checking* is called before the proofs of a stored match
        are verified again, with the number of its hands. *dropped* is called when a host goes on
        with another match than the one that was being played here, or that the guest has named.
        *capacity*: how long a log may be. *kept*: seats of ours that have stood up at other
        tables, and may sit down again at this one, each with the match that it knows."""
        self.journal = home.new_journal(role, name, now)
        self.live: Seat | None = None
        self.passed_over: StoreError | None = None
        self.asks = False
        self.replaces: Stored | None = None
        self.missing: bytes | None = None
        self.came_over = self.was_over = False
        self.again = False
        self._home = home
        self._role = role
        self._seat = HOST if role == "host" else GUEST
        self._identity = identity
        self._name = name
        self._options = options
        self._rng = rng
        self._now = now
        self._only = only
        self._fresh = fresh
        self._announce = checking
        self._dropped = dropped
        self._kept = kept
        self._capacity = capacity
        self._opposite: bytes | None = None  # who sits there, or has sat there last
        self._played_with: bytes | None = None  # before this program began
        self._judged: dict[tuple[bytes, int], bool] = {}  # by table and length: is that log over
        self._ended: Seat | None = None  # of the match before; its guest may lack the end for long
        self._waiting: Seat | None = None  # put back before anybody came

    @property
    def stored(self) -> Journal | None:
        """The open match; None before there is one."""
        return self.journal.journal

    def close(self) -> None:
        """Give the match free."""
        self.journal.close()

    def forget_offer(self) -> None:
        """Remove what was offered here and came to nothing. A match that is agreed stays, and so
        does what a proof is kept beside: no command finds that without it. Raises StoreError."""
        stored = self.stored
        if stored is None or convicts(self._home, stored.notes.table):
            return
        if len(stored.entries) < ACCEPTED:
            self.journal.journal = None
            stored.forget_offer()

    def note_closing(self, code: str) -> None:
        """Keep, beside the log, who owes the next entry of the match that is left, and since when
        by our own clock. Nothing where no match is left unfinished; that it cannot be written is no
        reason to fail, for the log has what counts."""
        stored, seat = self.stored, self.live
        if stored is None or seat is None or not (seat.can_continue() or seat.is_full()):
            return
        if seat.table.sequence != len(stored.entries):
            return
        with contextlib.suppress(OSError, StoreError):
            since = last_change(stored.path)
            closing = Closing.of(seat.table, since, self._seconds(), code)
            if closing is not None:
                write_closing(stored.path, closing)

    @property
    def waits_with_offer(self) -> bool:
        """Whether our player is to say whether a match is offered in the place of another."""
        if self.live is None or self.live.entries:
            return False
        return self._holds_offer() and self._seat == HOST

    @property
    def meets_again(self) -> bool:
        """Whether the player opposite has just played a match with ours: at this table, or in the
        run of the program before this one."""
        return self.again or (self._opposite is not None and self._opposite == self._played_with)

    def expected(self) -> frozenset[bytes]:
        """The keys of guests that need no invite: a match of ours with them is to go on, or has
        just ended. Raises StoreError."""
        played = self.played_with()
        found = {stored.notes.peer for stored in self.waited_for()}
        return frozenset(found if played is None else {*found, played.notes.peer})

    def played_with(self) -> Stored | None:
        """The match that ended here a moment ago, before this program began: its guest may still
        sit at the table for another one, and is let in where our player is asked before that is
        offered. None where there is none. Raises StoreError."""
        if self._fresh or not self.asks:
            return None
        found = just_played(self._home, self._now(), self._capacity)
        self._played_with = None if found is None else found.notes.peer
        return found

    def waited_for(self) -> tuple[Stored, ...]:
        """The unfinished matches that go on when their guests come, the latest of each. Raises
        StoreError."""
        if self._fresh:
            return ()
        latest: dict[bytes, Stored] = {}
        for stored in going(self._home, "host", None, self._capacity):
            latest.setdefault(stored.notes.peer, stored)
        return tuple(latest.values())

    def keep_stored(self) -> bool:
        """Our player does not want the unfinished match to be put aside; whether it can go on with
        the guest when it comes next."""
        wanted = self.replaces
        if wanted is None or wanted.notes.role != self._role or self.passed_over is not None:
            return False
        self._fresh, self._only, self.replaces = False, wanted, None
        return True

    # --- before anybody comes ----------------------------------------------------------

    def key_of(self, hashed: bytes) -> bytes | None:
        """The key with this hash (``key_hash``) of somebody with whom a match is stored; None if
        there is none. Raises StoreError."""
        peers = {notes.peer for _, notes in with_notes(self._home)}
        return next((peer for peer in peers if key_hash(peer) == hashed), None)

    def put_back(self, peer: bytes) -> None:
        """Lock the match that is to go on with this key, and put its seat back, before the other
        player is there: the proofs of many hands take longer than a connection waits.

        Raises StoreError, UnreadableLog, and what Seat.restore raises.
        """
        self.position_for(peer, None)
        stored = self.stored
        if stored is None or over(stored.entries, self._capacity):
            return
        try:
            self._waiting = self._restored(stored, peer)
        except (SeedLost, RefusedEntry):
            if self._only is not None:
                raise  # else the host may begin a new match

    def end_for(self, key: bytes, claimed: Position, refused: bool) -> tuple[bytes, ...]:
        """Return the entries that this guest is missing of the match that it names, if that match
        is over here and this table isn't kept for it. A guest that isn't *refused* gets them when
        it sits down, unless another match is resumed here. Raises StoreError."""
        only = self._only
        if not refused and (only is None or only.notes.table == claimed.table):
            return ()
        seats = (self.live, self._ended, *self._kept)
        if any(seat is not None and seat.table.table_id == claimed.table for seat in seats):
            return ()
        entries = self._hosted(claimed.table, key)
        if compare(entries, claimed.table, claimed) is not LogRelation.AHEAD:
            return ()
        judged = (claimed.table, len(entries))
        if judged not in self._judged:  # judge once, since it may take seconds
            self._judged[judged] = over(entries, self._capacity)
        return tuple(entries[claimed.sequence + 1 :]) if self._judged[judged] else ()

    def _hosted(self, table: bytes, peer: bytes) -> Sequence[bytes]:
        """Return the log of the match with this id if we hosted it for this player. For anybody
        else we read only its notes, since strangers can name matches, too. Raises StoreError."""
        log = self._home.log_of(table)
        notes = None if log is None else read_notes(log)
        if log is None or notes is None or self._home.evidence_beside(log):
            return ()
        if (notes.table, notes.role, notes.peer) != (table, "host", peer):
            return ()
        try:
            return read_own_log(log).entries
        except UnreadableLog:
            return ()

    # --- when somebody is there --------------------------------------------------------

    def position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        """Where our log of the match with this key stands, *claimed* being where the other side
        says that its own stands; None where no match goes on. Raises StoreError, UnreadableLog."""
        journal = self.stored
        if journal is None:
            found = self._find(key, claimed)
            if claimed is not None and not lies_here(self._home, claimed.table):
                self.missing = claimed.table
            if found is None:
                return None
            try:
                journal = self.journal.journal = Journal.reopen(found.match.path)
            except StoreError as why:
                if self._only is not None or why.code not in _DAMAGED:
                    raise
                self.passed_over = self.passed_over or why
                return None
        if journal.notes.peer != key:
            return None
        return position_of(journal.entries, journal.notes.table)

    def seat_for(self, peer: Comer) -> Seat:
        """Our seat opposite *peer*: the one that sits there, the one that is stored, or a new one.

        Raises StoreError, UnreadableLog, and what Seat.restore raises.
        """
        if self._role == "guest":
            self._follow_host(peer.key, peer.position)
        self._opposite = peer.key
        stored = self.stored
        agreed = stored is not None and len(stored.entries) >= ACCEPTED
        self.replaces = (
            None if agreed else next(going(self._home, None, peer.key, self._capacity), None)
        )
        if stored is None:
            self.journal.meet(peer.key, (peer.address,))
            seat = self._new_seat(peer.key)
        else:
            seat = self._ready(stored) or self._restored(stored, peer.key)
        self.live, self._waiting = seat, None
        self.came_over = seat.table.finished
        self.was_over = self._role == "host" and self._only is None and self.came_over
        return seat

    def begin_anew(self) -> None:
        """The match that was taken up last was over before: whoever comes next plays another."""
        if self.stored is not None:
            self.stored.close()
            self.journal.journal = None
        if self.live is not None and self.live.table.finished:
            self._ended = self.live
        self.live, self.came_over, self.was_over = None, False, False

    def play_another(self) -> None:
        """The match is over, and both players stay: what is played next at this table is new. But
        who has not got the end of the one before is sent it first."""
        self.begin_anew()
        self.again, self._only = True, None

    def offer_with(self, options: Options) -> None:
        """The next match is to be by other rules."""
        self._options = options
        if self.live is not None and not self.live.entries:
            self.live.offer_with(options)

    # --- inside ------------------------------------------------------------------------

    def _follow_host(self, key: bytes, theirs: Position | None) -> None:
        """The guest plays what the host has welcomed it to: a new match, while the stored one stays
        as it is, or the host's match, which may be stored here as finished."""
        journal = self.stored
        if journal is not None and (theirs is None or journal.notes.table != theirs.table):
            played = self.live is not None and self.live.can_continue()
            if played:
                self.note_closing("other-match")
            named = len(journal.entries) >= ACCEPTED and not over(journal.entries, self._capacity)
            if played or (named and theirs is not None):
                self._dropped()
            journal.close()
            self.journal.journal = None
        if theirs is not None and self.stored is None:
            found = stored_as(self._home, self._role, key, theirs.table)
            if found is not None:
                self.journal.journal = Journal.reopen(found.match.path)
            elif convicts(self._home, theirs.table):
                raise StoreError(
                    "match-ended",
                    "The host goes on with a match that has ended here: a proof is kept beside its "
                    "log. Ask the host to begin a new one.",
                )

    def _holds_offer(self) -> bool:
        """Whether our player is asked before a new match is offered."""
        return self.asks and (self.meets_again or self.replaces is not None)

    def _find(self, key: bytes, claimed: Position | None) -> Stored | None:
        if self.again:
            one = None if claimed is None else self._claimed(key, claimed)
            old = one is not None and self._fresh and not over(one.entries, self._capacity)
            return None if old else one
        if self._fresh:
            return None
        if self._only is not None:
            return read_again(self._home, self._only, self._role, key)
        claims = None if claimed is None else self._claimed(key, claimed)
        found = claims or next(going(self._home, self._role, key, self._capacity), None)
        if found is None and self._role == "guest":
            found = next(filter(accepted, readable(self._home, "guest", key)), None)
        return found

    def _claimed(self, key: bytes, claimed: Position) -> Stored | None:
        """The match that the guest names, if it can go on. Between two matches our player is asked
        before each offer."""
        offers = None if self.again and self.asks else self._options
        return named(self._home, self._role, key, claimed, self._capacity, offers)

    def _new_seat(self, peer: bytes) -> Seat:
        return Seat(
            seat=self._seat,
            identity=self._identity,
            name=self._name,
            rng=self._rng,
            now=self._seconds,
            options=self._options,
            offers=not self._holds_offer(),
            peer_key=peer,
            holds=lambda table: holds(self._home, table),
            capacity=self._capacity,
        )

    def _ready(self, stored: Journal) -> Seat | None:
        """The seat of this match, where there is one already that knows what is stored."""
        first = self._waiting if self.live is None else self.live
        for seat in (first, self._ended, *self._kept):
            if seat is not None and list(seat.entries) == stored.entries:
                return seat
        return None

    def _restored(self, stored: Journal, peer: bytes) -> Seat:
        """The seat as its journal has it. Raises what Seat.restore raises."""
        self._announce(max(stored.seeds, default=0))
        return Seat.restore(
            stored.entries,
            stored.seeds,
            seat=self._seat,
            identity=self._identity,
            name=stored.notes.name,
            rng=self._rng,
            now=self._seconds,
            peer_key=peer,
            capacity=self._capacity,
        )

    def _seconds(self) -> int:
        return int(self._now())
