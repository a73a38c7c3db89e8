"""Decides which match continues with a peer, and with which seat of ours.

House rules

1. A match continues only with the key that it began with. The guest names the latest match that
   can continue, or else the latest of all, whose end the host may lack. The host continues the
   match that is named, or else the latest that can continue. It begins a new match in place of an
   unfinished one only if the host's player wants that, the two players have changed seats, or the
   files of the unfinished match are damaged. A match that is found damaged is reported once. Until
   its files change, it isn't tried again, and doesn't count as unfinished.
2. A stored log goes through the referee again when the seat is restored (Seat.restore). Only
   proofs that this program has certainly verified before are skipped (ginpeer.store.log_index).
3. While the other player may come back, the seat stays in memory, and is reused as it is. If
   the store differs from what the seat knows, the seat is restored from the store.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

from ginpeer.match_store.matches import (
    ACCEPTED,
    LoadedMatch,
    active_matches,
    has_entries,
    has_evidence,
    is_accepted,
    is_over,
    just_played,
    noted_matches,
    offer_of,
    readable_matches,
    shelved_matches,
    start_of_new_match,
)
from ginpeer.referee.table import GUEST, HOST, Table
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.seat.seat import LogRelation, Options, Seat, SeedLost, compare, position_of
from ginpeer.store import Home, Journal, MatchNotes, StoreError, UnreadableLog, read_own_log
from ginpeer.store.home import own_key_in
from ginpeer.store.journal import write_evidence
from ginpeer.store.log_index import mark_verified, verified_entries
from ginpeer.store.match_files import (
    NAME_DIGITS,
    TABLE_ID_BYTES,
    ClosingNote,
    Role,
    file_stem,
    read_notes,
    write_closing_note,
)
from protocol import messages as m
from protocol.crypto.hashing import RandomSource
from protocol.crypto.identity import IdentityKey, key_hash
from protocol.entry import RawEntry
from protocol.frames import Position

_DAMAGED = frozenset({"bad-seeds-file", "bad-match-file"})
"""The store's errors that stop a stored match from continuing but let a new one begin."""


class ProvenPeer(Protocol):
    """A peer that has proven that it has this key. *position* is only a claim."""

    @property
    def key(self) -> bytes: ...

    @property
    def address(self) -> str: ...

    @property
    def position(self) -> Position | None: ...


class KeeperNotices:
    """What a keeper reports immediately. A program at a terminal overrides these methods."""

    def about_to_verify(self, hands: int) -> None:
        """Report that the proofs of a match of this many hands are about to be verified again."""

    def damaged(self, why: StoreError) -> None:
        """Report why a stored match can't continue, although a new one may begin."""

    def dropped(self) -> None:
        """Report that the host continues a different match from the one played or named here."""


NO_NOTICES = KeeperNotices()


class TableKeeper:
    """One table on this machine. Finds the match that continues, keeps it open (and so locked), and
    creates our seat."""

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
        only: LoadedMatch | None = None,
        fresh: bool = False,
        notices: KeeperNotices = NO_NOTICES,
    ) -> None:
        """*only*: play this match and no other. *fresh*: a new match is wanted. *now*: returns
        seconds since 1970."""
        self.stored: Journal | None = None
        self.level: int | None = None  # of the practice bot
        self.live: Seat | None = None  # our seat opposite the current or last peer
        self.damage: StoreError | None = None  # why the match chosen last can't continue
        self.asks = False  # whether a host's seat offers a match only when told to
        self.replaces: LoadedMatch | None = None  # the unfinished match that a new one would shelve
        self.unknown_table: bytes | None = None  # named by the guest, but not stored here
        self.over_on_arrival = False
        """Whether our log already had the end of the match when the other player, who may lack it,
        connected."""
        self.again = False  # whether a match was played at this table, and another may follow
        self.listens: str | None = None  # the address where we, as the host, wait for guests
        self.evidence: str | None = None
        """The path of the evidence stored last. It has no log beside it if no match began."""
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
        self._notices = notices
        self._opponent = b""  # the key of our current or last opponent
        self._address = ""  # that opponent's address
        self._played_with: bytes | None = None  # the opponent just before this program began
        self._judged: dict[tuple[bytes, int], bool] = {}  # is a log over? by table and length
        self._ended: Seat | None = None  # from the previous match; its guest may still lack the end
        self._waiting: Seat | None = None  # restored before the peer connected
        self._damaged: dict[str, object] = {}  # the matches that couldn't be restored, by name

    def close(self) -> None:
        if self.stored is not None:
            self.stored.close()

    # --- what a session stores (ginpeer.net.interfaces.JournalPort) ------------------------
    #
    # The guest learns the table's id from the host's first entry, so the files of a match are
    # created when something is first stored. These methods return only when the bytes are
    # durable, and raise StoreError.

    def persist(self, table: bytes, entry: bytes) -> None:
        self._journal_of(table).append(entry)

    def persist_seed(self, table: bytes, hand: int, seed: bytes) -> None:
        self._journal_of(table).append_seed(hand, seed)

    def persist_evidence(self, table: bytes, entries: tuple[bytes, ...]) -> None:
        """Store evidence. If the table has no id yet, the file is named after the entries' hash."""
        if len(table) == TABLE_ID_BYTES:
            stem = file_stem(table)
        else:
            stem = hashlib.sha256(b"".join(entries)).hexdigest()[:NAME_DIGITS]
        path = write_evidence(self._home.matches, stem, entries)
        self.evidence = None if path is None else str(path)

    def _journal_of(self, table: bytes) -> Journal:
        if self.stored is None:
            addresses = (self._address,)
            begun = start_of_new_match(self._home, self._opponent, self._seconds())
            notes = MatchNotes(
                *(table, self._role, self._name, self._opponent, addresses, begun, self.level),
                listens=self.listens,
            )
            self.stored = Journal.create(self._home.matches, notes)
        if self.stored.notes.table != table:
            raise ValueError("one journal keeps one table")
        return self.stored

    # --- the current match -----------------------------------------------------------------

    def forget_offer(self) -> None:
        """Remove an offer that wasn't accepted, unless there is evidence beside it: no command
        would find that without its log."""
        stored = self.stored
        if stored is None or has_evidence(self._home, stored.notes.table):
            return
        if len(stored.entries) < ACCEPTED:
            self.stored = None
            stored.forget_offer()

    def note_closing(self, code: str) -> None:
        """Note beside the log of an unfinished match who owes the next entry, since when by our own
        clock, and that all its entries have been verified. Ignore errors."""
        stored, seat = self.stored, self.live
        if stored is None or seat is None or not (seat.can_continue() or seat.is_full()):
            return
        if seat.table.sequence != len(stored.entries):
            return
        with contextlib.suppress(OSError, StoreError):
            since = int(stored.path.stat().st_mtime)
            closing = ClosingNote.of(seat.table, since, self._seconds(), code)
            if closing is not None:
                write_closing_note(stored.path, closing)
        mark_verified(stored.path, stored.entries, self._identity)

    @property
    def delays_offer(self) -> bool:
        """Whether our offer waits until our player has been asked, because it would replace an
        unfinished match, or because this opponent has just played with us."""
        if self.live is None or self.live.entries:
            return False
        return self._holds_offer() and self._seat == HOST

    @property
    def only_sent_end(self) -> bool:
        """Whether a host that waits for anybody has only sent its guest the end of an old match."""
        waits_for_anybody = self._role == "host" and self._only is None and not self.again
        return waits_for_anybody and self.over_on_arrival

    @property
    def meets_again(self) -> bool:
        """Whether this opponent has just played with us, at this table or just before this program
        began."""
        return self.again or self._opponent == self._played_with

    def expected(self) -> frozenset[bytes]:
        """Return the keys of guests that need no invite, because a match with them continues or has
        just ended."""
        played = self.played_with()
        matches = [*self.awaited_matches(), *([] if played is None else [played])]
        return frozenset(stored.notes.peer for stored in matches)

    def played_with(self) -> LoadedMatch | None:
        """Return the match that ended here shortly before this program began, if our player is
        asked before offers are made. Its guest, who may want another match, is admitted."""
        if self._fresh or not self.asks:
            return None
        found = just_played(self._home, self._now())
        self._played_with = None if found is None else found.notes.peer
        return found

    def awaited_matches(self) -> tuple[LoadedMatch, ...]:
        """Return the latest unfinished match of each guest."""
        if self._fresh:
            return ()
        latest: dict[bytes, LoadedMatch] = {}
        for stored in self._continuing("host", None):
            latest.setdefault(stored.notes.peer, stored)
        return tuple(latest.values())

    def shelved_matches(self, peer: bytes) -> tuple[LoadedMatch, ...]:
        """Return the shelved matches with this player that can continue, latest first."""
        return tuple(filter(self._can_continue, shelved_matches(self._home, peer)))

    @property
    def can_resume_unfinished(self) -> bool:
        """Whether the match that a new one would shelve can continue instead."""
        return self.replaces is not None and self.replaces.notes.role == self._role

    def resume_unfinished(self) -> bool:
        """Continue the match that a new one would shelve, if it can. Return whether it can."""
        can_resume = self.can_resume_unfinished
        if can_resume:
            self._fresh, self._only, self.replaces = False, self.replaces, None
            self.again = False
        return can_resume

    # --- before a peer connects --------------------------------------------------------

    def key_of(self, hashed: bytes) -> bytes | None:
        """Return the key with this hash if a match with it is stored."""
        peers = {notes.peer for _, notes in noted_matches(self._home)}
        return next((peer for peer in peers if key_hash(peer) == hashed), None)

    def restore_seat(self, peer: bytes) -> None:
        """Lock the match that continues with this key, and restore its seat, before the other
        player connects: verifying the proofs of many hands takes longer than a connection waits.
        Raises StoreError, UnreadableLog, and what Seat.restore raises."""
        self.position_for(peer, None)
        stored = self.stored
        if stored is None or self._waiting is not None or is_over(stored.entries):
            return
        try:
            self._waiting = self._restore_from(stored, peer)
        except (SeedLost, RefusedEntry):
            if self._only is not None:
                raise
            self._leave_out(stored.path.stem)  # the host may begin a new match

    def missing_entries(self, key: bytes, claimed: Position, refused: bool) -> tuple[bytes, ...]:
        """Return the entries that this guest lacks from the match that it names, if that match is
        over in our log and none of our seats is in it. A guest that isn't *refused* gets them at
        the table instead, unless the table is kept for a different match."""
        only = self._only
        if not refused and (only is None or only.notes.table == claimed.table):
            return ()
        seats = (self.live, self._ended)
        if any(seat is not None and seat.table.table_id == claimed.table for seat in seats):
            return ()
        entries = self._hosted_log(claimed.table, key)
        if compare(entries, claimed.table, claimed) is not LogRelation.AHEAD:
            return ()
        over = self._is_over(claimed.table, entries)
        return tuple(entries[claimed.sequence + 1 :]) if over else ()

    def _is_over(self, table: bytes, entries: Sequence[bytes]) -> bool:
        """Like `is_over`, but judge each log only once, since it may take seconds or minutes."""
        judged = (table, len(entries))
        if judged not in self._judged:
            self._judged[judged] = is_over(entries)
        return self._judged[judged]

    def _hosted_log(self, table: bytes, peer: bytes) -> Sequence[bytes]:
        """Return the entries of this match if we hosted it for this player, otherwise none. For
        anybody else, read only its notes, because a stranger can ask for any match."""
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

    # --- once a peer is connected ------------------------------------------------------

    def position_for(self, key: bytes, claimed: Position | None) -> Position | None:
        """Return the position of our log of the match that continues with this key, or None.
        *claimed*: the position that the other side claims. Raises StoreError or UnreadableLog."""
        if self.stored is None:
            if claimed is not None and self._home.log_of(claimed.table) is None:
                self.unknown_table = claimed.table
            for found in self._matches_with(key, claimed):
                if self._open(found, key):
                    break
        stored = self.stored
        if stored is None or stored.notes.peer != key:
            return None
        return position_of(stored.entries, stored.notes.table)

    def _open(self, found: LoadedMatch, key: bytes) -> bool:
        """Open this match and, as a host, restore its seat now: if that failed later, no new match
        could begin. Return whether the match can continue. Raises StoreError or UnreadableLog."""
        try:
            self.stored = Journal.reopen(found.match.path)
            if self._role == "host" and self._only is None:
                matching = self._matching_seat(self.stored)
                self._waiting = matching or self._restore_from(self.stored, key)
        except (StoreError, SeedLost, RefusedEntry) as why:
            if isinstance(why, StoreError):
                if self._only is not None or why.code not in _DAMAGED:
                    raise
                self.damage = why
            self._leave_out(found.match.name)
        return self.stored is not None

    def seat_for(self, peer: ProvenPeer) -> Seat:
        """Return our seat for *peer*. Raises StoreError, UnreadableLog, and what Seat.restore
        raises."""
        self.damage = None
        if self._role == "guest":
            self._follow_host(peer.key, peer.position)
        self._opponent, self._address = peer.key, peer.address
        stored = self.stored
        agreed = stored is not None and len(stored.entries) >= ACCEPTED
        self.replaces = None if agreed else next(self._continuing(None, peer.key), None)
        if stored is None:
            seat = self._new_seat(peer.key)
        else:
            seat = self._matching_seat(stored) or self._restore_from(stored, peer.key)
            if self.listens is not None:
                with contextlib.suppress(StoreError):  # not worth stopping a match
                    stored.note_listening(self.listens)
        self.live, self._waiting = seat, None
        self.over_on_arrival = seat.table.finished
        return seat

    def expect_new_match(self) -> None:
        """Release the match that continued last, which was already over."""
        self.close()
        self.stored = None
        if self.live is not None and self.live.table.finished:
            self._ended = self.live
        self.live, self.over_on_arrival = None, False

    def play_another(self) -> None:
        """Make the next match at this table a new one, because both players stay. A player who
        lacks the end of the last match is sent that first."""
        self.expect_new_match()
        self.again, self._only = True, None

    def seat_at(self, entries: int, table: Table | None) -> Seat:
        """Return our seat as it was after this many entries. *table*: the table at that point, if
        known. Raises what Seat.restore raises."""
        stored = self._open_journal()
        return self._restore_from(stored, stored.notes.peer, stored.entries[:entries], table)

    def take_back(self, seat: Seat) -> None:
        """Cut the log after the last entry of *seat*, and continue with this seat. For practice
        only."""
        self._open_journal().cut_back(len(seat.entries))
        self.live, self._waiting = None, seat

    def _open_journal(self) -> Journal:
        if self.stored is None:
            raise ValueError("no match is open")
        return self.stored

    def set_options(self, options: Options) -> None:
        """Set the options of the next match that we offer."""
        self._options = options
        if self.live is not None and not self.live.entries:
            self.live.set_options(options)

    # --- internal ----------------------------------------------------------------------

    def _follow_host(self, key: bytes, theirs: Position | None) -> None:
        """As the guest, play the match that the host has chosen. It may be a new match (the
        stored one then stays as it is), or one that is stored here as finished."""
        journal = self.stored
        if journal is not None and (theirs is None or journal.notes.table != theirs.table):
            if self.live is not None and self.live.can_continue():
                self.note_closing("other-match")
            begun = len(journal.entries) >= ACCEPTED and not is_over(journal.entries)
            if begun and theirs is not None:
                self._notices.dropped()
            with contextlib.suppress(StoreError):  # on failure, the offer stays, which is harmless
                self.forget_offer()
            journal.close()
            self.stored = None
        if theirs is not None and self.stored is None:
            found = next(readable_matches(self._home, self._role, key, table=theirs.table), None)
            if found is not None:
                try:
                    self.stored = Journal.reopen(found.match.path)
                except StoreError as why:
                    self.damage = why
                    raise
            elif has_evidence(self._home, theirs.table):
                raise StoreError(
                    "match-ended",
                    "The host wants to continue a match that was stopped here because a player "
                    "broke the rules; the evidence is in the same folder as its log. Ask the host "
                    "to start a new match.",
                )
            elif has_entries(self._home, theirs.table):
                self._check_notes(theirs.table)

    def _check_notes(self, table: bytes) -> None:
        """Raise StoreError if our notes on this stored match are missing or damaged."""
        log = self._home.log_of(table)
        if log is not None and read_notes(log) is None:
            try:
                Journal.reopen(log).close()
            except StoreError as why:
                self.damage = why
                raise

    def _holds_offer(self) -> bool:
        """Return whether our player is asked before a new match is offered."""
        return self.asks and (self.meets_again or self.replaces is not None)

    def _matches_with(self, key: bytes, claimed: Position | None) -> Iterator[LoadedMatch]:
        """Load the matches that may continue with this key, the best one first."""
        if self._only is not None:  # if it can't continue, our player wants to know why
            again = {self._only.match.name}
            yield from readable_matches(self._home, self._role, key, names=again)
            return
        if self._fresh and not self.again:
            return
        one = None if claimed is None else self._claimed_match(key, claimed)
        if one is not None and (not self._fresh or self._is_over(one.notes.table, one.entries)):
            yield one
        if self.again:
            return
        yield from self._continuing(self._role, key)
        if self._role == "guest":
            last = next(filter(is_accepted, readable_matches(self._home, "guest", key)), None)
            if last is not None and self._can_continue(last):
                yield last

    def _continuing(self, role: str | None, peer: bytes | None) -> Iterator[LoadedMatch]:
        """Load the unfinished matches that aren't shelved and that can continue."""
        return filter(self._can_continue, active_matches(self._home, role, peer))

    def _claimed_match(self, key: bytes, claimed: Position) -> LoadedMatch | None:
        """Return the match that the guest names, if it can continue. It can't if both players have
        all of it, or if it is an offer that is no longer open."""
        one = next(readable_matches(self._home, self._role, key, table=claimed.table), None)
        if one is None or not self._can_continue(one):
            return None
        if not is_accepted(one):
            return one if self._still_offers(one, claimed, key) else None
        whole = position_of(one.entries, claimed.table) == claimed
        return None if whole and self._is_over(claimed.table, one.entries) else one

    def _still_offers(self, one: LoadedMatch, claimed: Position, key: bytes) -> bool:
        """Return whether an offer that we haven't seen accepted is still open: we would offer the
        same without asking our player first. An offer that would replace an unfinished match
        isn't open, because the guest may have declined it."""
        offer, options = offer_of(one.entries), self._options
        if offer is None or claimed.sequence < 1 or (self.again and self.asks):
            return False
        same = (offer.rules, offer.disclosure) == (str(options.rules), options.disclosure)
        return same and next(self._continuing(None, key), None) is None

    def _can_continue(self, stored: LoadedMatch) -> bool:
        """Return whether a match that isn't over can continue, as far as we know."""
        seen = self._damaged.get(stored.match.name)  # our player may have repaired it since
        damaged = seen is not None and seen == self._home.state_of(stored.match.name)
        return not damaged and self._has_our_key(stored.notes, stored.entries)

    def _has_our_key(self, notes: MatchNotes, entries: Sequence[bytes]) -> bool:
        """Return whether a match began with our current key, or True if its log doesn't say."""
        return own_key_in(notes, entries) in (None, self._identity.public)

    def _leave_out(self, name: str) -> None:
        """Release the match with this name, ignore it until its files change, and report why."""
        self.close()
        self.stored = None
        self._damaged[name] = self._home.state_of(name)
        if self.damage is not None:
            self._notices.damaged(self.damage)

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
            holds=lambda table: has_entries(self._home, table),
        )

    def _matching_seat(self, stored: Journal) -> Seat | None:
        first = self._waiting if self.live is None else self.live
        for seat in (first, self._ended):
            if seat is not None and list(seat.entries) == stored.entries:
                return seat
        return None

    def _restore_from(
        self,
        stored: Journal,
        peer: bytes,
        entries: Sequence[bytes] | None = None,
        table: Table | None = None,
    ) -> Seat:
        """Restore our seat from the stored match or, with *entries*, from these alone. Raises what
        Seat.restore raises, and notes it in ``damage``."""
        if entries is None:
            entries = stored.entries
        verified = 0
        if table is None:
            verified = verified_entries(stored.path, entries, self._identity)
            new, hands = len(entries) - verified, max(stored.seeds, default=0)
            if new:
                self._notices.about_to_verify(hands * new // len(entries))
        seat = Seat(
            seat=self._seat,
            identity=self._identity,
            name=stored.notes.name,
            rng=self._rng,
            now=self._seconds,
            peer_key=peer,
        )
        try:
            seat.restore(entries, stored.seeds, verified=verified, table=table)
        except (SeedLost, RefusedEntry) as why:
            what = f"is damaged. {why}"
            if not self._has_our_key(stored.notes, entries):
                what = "began with another key of yours, so it can't continue here."
            short = self._home.short_name(stored.path)
            self.damage = StoreError(why.code, f"The match {short} {what}")
            raise
        if table is None and verified < len(entries) and seat.can_continue():
            mark_verified(stored.path, entries, self._identity)
        return seat

    def _seconds(self) -> int:
        return int(self._now())


# --- taking back moves ---------------------------------------------------------------
#
# Only in practice, where both seats and both logs are ours.
#
# Rule 4: a move is taken back by cutting both logs off before it. Then both seats are restored from
#         their logs, as when a match is resumed. All secrets derive from stored seeds, which are
#         kept. So the same cards are dealt again, in later hands too.
# Rule 5: the bot's log is cut first. After a crash between the two cuts, ours is merely ahead: the
#         bot is sent the rest when the match is resumed, and nothing has been taken back.
# Rule 6: once a move has been taken back, a player may sign two entries for the same place in the
#         log. Against anybody else that would convict us, so nothing here may be used outside
#         practice.

Choice: TypeAlias = (
    m.Pass | m.TakeUpcard | m.DrawStock | m.TakeDiscards | m.Lay | m.Discard | m.Knock | m.Spread
)
"""A move that a player has chosen."""


def own_choices(entries: Sequence[bytes], key: bytes) -> Iterator[tuple[int, Choice]]:
    """Yield the moves that this player has signed, with their entry numbers, the latest first."""
    for number in reversed(range(len(entries))):
        raw = RawEntry.split(entries[number])
        message = raw.decode().message
        if isinstance(message, Choice) and raw.is_signed_by(key):
            yield number, message
