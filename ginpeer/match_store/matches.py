"""The stored matches of a home, and which of them can go on.

# House rules
#
# 1. Whether a match is over is asked last: where its last entries leave that in doubt it is judged
#    (ginpeer.match_store.match_status), which takes seconds. Otherwise somebody who leaves match
#    after match one entry before its end would have us judge all of them each time.
# 2. A log that cannot be read is skipped, and a log without entries isn't a match: a crash left it.
# 3. Where evidence against a player is kept, the match has ended.
# 4. A finished match continues, too, for the sake of the other player, who may lack its end.
# 5. What a look at a log has told is cached in the home's index (ginpeer.match_store.list_cache): a
#    host with a thousand matches need not read them all before it greets its guest. Without the
#    index they are read: nothing else is different.
# 6. A match is shelved when the same two players agree on a later one before it is over. It stays
#    shelved until it grows, and continues where it is asked for by its name. Nothing is noted for
#    that: the later match was begun after the earlier one had last grown, and both are stored here.
# 7. What was offered and not accepted isn't a match: it continues only with a guest that says that
#    it has accepted, and where our player would offer the same now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice

from ginpeer.match_store.list_cache import LogSummary, cache_summary, cached_summary, save_cache
from ginpeer.match_store.match_status import (
    finished_match,
    is_over,
    offer_of,
    signed_result,
    surely_continues,
)
from ginpeer.seat.capacity import CAPACITY, Capacity
from ginpeer.seat.catching_up import position_of
from ginpeer.seat.seat import Options
from ginpeer.store import (
    Home,
    Journal,
    MatchNotes,
    StoredMatch,
    UnreadableLog,
    read_log,
    read_own_log,
)
from protocol.frames import Position

ACCEPTED = 2
"""Entries of a match that both players have agreed to."""

_GLANCE = 10  # logs


@dataclass(frozen=True, slots=True)
class LoadedMatch:
    """A stored match, our notes on it, and its log."""

    match: StoredMatch
    notes: MatchNotes
    entries: Sequence[bytes]
    whole: bool = False
    """Whether these are all the bytes of its file."""


def stored_matches(home: Home, called: str | None = None) -> Iterator[LoadedMatch]:
    """Every match that can be taken up, finished ones included, the latest first; with a name,
    those alone that may be meant by it. Raises StoreError."""
    if called is None:
        return readable_matches(home)
    meant = {match.path for match in home.logs_named(called)}
    noted = ((match, notes) for match, notes in _noted(home) if match.path in meant)
    return _readable(home, noted, None, None)


def readable_matches(
    home: Home, role: str | None = None, peer: bytes | None = None
) -> Iterator[LoadedMatch]:
    """The matches whose log can be read, the latest first; those of one role, and with one player,
    where they are given. Raises StoreError."""
    return _readable(home, _noted(home), role, peer)


def match_of_table(home: Home, table: bytes, role: str, peer: bytes) -> LoadedMatch | None:
    """The match of this id with this player, if its log can be read; no other log is. Raises
    StoreError."""
    noted = ((match, notes) for match, notes in _noted(home) if notes.table == table)
    return next(_readable(home, noted, role, peer), None)


def reload_match(home: Home, stored: LoadedMatch, role: str, peer: bytes) -> LoadedMatch | None:
    """This match as it is now, if it is with this player and can be read; no other log is. Raises
    StoreError."""
    path = stored.match.path
    noted = ((match, notes) for match, notes in _noted(home) if match.path == path)
    return next(_readable(home, noted, role, peer), None)


def _readable(
    home: Home,
    noted: Iterable[tuple[StoredMatch, MatchNotes]],
    role: str | None,
    peer: bytes | None,
) -> Iterator[LoadedMatch]:
    for match, notes in noted:
        if not _is_of(notes, role, peer):
            continue
        if home.evidence(match):
            continue
        try:
            log = read_own_log(match.path)
        except UnreadableLog:
            continue
        if log.entries:
            yield LoadedMatch(match, notes, log.entries, not log.torn)


def _is_of(notes: MatchNotes, role: str | None, peer: bytes | None) -> bool:
    return role in (None, notes.role) and peer in (None, notes.peer)


def unfinished_matches(
    home: Home,
    role: str | None = None,
    peer: bytes | None = None,
    capacity: Capacity = CAPACITY,
) -> Iterator[LoadedMatch]:
    """The matches that can go on, the latest first. Raises StoreError."""
    with _remembering(home):
        noted = (
            (match, notes)
            for match, notes in _noted(home)
            if not _known_to_be_over(home, match, capacity)
        )
        for stored in _readable(home, noted, role, peer):
            if not _over(home, stored, capacity):
                yield stored


def active_matches(
    home: Home,
    role: str | None = None,
    peer: bytes | None = None,
    capacity: Capacity = CAPACITY,
) -> Iterator[LoadedMatch]:
    """The matches that go on when their players meet, the latest first: agreed, unfinished, and not
    put aside. Raises StoreError."""
    others = noted_matches(home)

    def may_go_on(match: StoredMatch, notes: MatchNotes) -> bool:
        known = cached_summary(home, match)
        if known is None:
            return True  # and is read
        lies_aside = known.entries < ACCEPTED or is_shelved(home, match, notes, others)
        return not lies_aside and not _known_to_be_over(home, match, capacity)

    with _remembering(home):
        asked = ((match, notes) for match, notes in others if _is_of(notes, role, peer))
        noted = ((match, notes) for match, notes in asked if may_go_on(match, notes))
        for stored in _readable(home, noted, role, peer):
            _look_at(home, stored)
            lies_aside = not is_accepted(stored) or is_shelved(
                home, stored.match, stored.notes, others
            )
            if not lies_aside and not _over(home, stored, capacity):
                yield stored


@contextmanager
def _remembering(home: Home) -> Iterator[None]:
    """What is found out meanwhile is kept, however long whoever asks goes on asking."""
    try:
        yield
    finally:
        save_cache(home)


def _known_to_be_over(home: Home, match: StoredMatch, capacity: Capacity) -> bool:
    """Whether a glance has found it at its end."""
    known = cached_summary(home, match) if capacity is CAPACITY else None
    return known is not None and known.over is True


def _look_at(home: Home, stored: LoadedMatch) -> None:
    """Note what its last entries say at once."""
    if stored.whole and cached_summary(home, stored.match) is None:
        signed = signed_result(stored.entries)
        over, ended = (None, None) if signed is None else (True, finished_match(signed))
        cache_summary(home, stored.match, LogSummary(len(stored.entries), over, ended))


def _over(home: Home, stored: LoadedMatch, capacity: Capacity) -> bool:
    """As `over`, and remembered."""
    _look_at(home, stored)
    known = cached_summary(home, stored.match) if capacity is CAPACITY else None
    if known is not None and known.over is not None:
        return known.over
    found = is_over(stored.entries, capacity)
    if stored.whole and capacity is CAPACITY:
        cache_summary(home, stored.match, LogSummary(len(stored.entries), found))
    return found


def latest_active_match(home: Home, capacity: Capacity = CAPACITY) -> LoadedMatch | None:
    """The latest match that can go on now, of the few latest logs: one that is being played is
    passed over. Nothing is judged: so is one whose last entries leave its end in doubt. Raises
    StoreError."""
    others = noted_matches(home)
    found = (
        stored
        for stored in islice(readable_matches(home), _GLANCE)
        if is_accepted(stored)
        and surely_continues(stored.entries, capacity)
        and not is_shelved(home, stored.match, stored.notes, others)
        and not Journal.is_in_use(stored.match.path)
    )
    return next(found, None)


def shelved_matches(home: Home, peer: bytes) -> Iterator[LoadedMatch]:
    """The unfinished matches with this player that were put aside, the latest first. Raises
    StoreError."""
    others = noted_matches(home)
    for stored in _readable(home, others, None, peer):
        lies_aside = is_accepted(stored) and is_shelved(home, stored.match, stored.notes, others)
        if lies_aside and not is_over(stored.entries):
            yield stored


def noted_matches(home: Home) -> Sequence[tuple[StoredMatch, MatchNotes]]:
    """Every stored match that has notes. Raises StoreError."""
    return tuple(_noted(home))


def _noted(home: Home) -> Iterator[tuple[StoredMatch, MatchNotes]]:
    for match in home.logs():
        notes = home.notes(match)
        if notes is not None:
            yield match, notes


def is_shelved(
    home: Home,
    match: StoredMatch,
    notes: MatchNotes,
    others: Sequence[tuple[StoredMatch, MatchNotes]],
) -> bool:
    """Whether, of *others*, one with the same player was agreed on since this one has last grown,
    whoever was the host."""
    return any(
        later.peer == notes.peer
        and later.table != notes.table
        and later.created >= int(match.modified)
        and _agreed(home, other)
        for other, later in others
    )


def _agreed(home: Home, match: StoredMatch) -> bool:
    known = cached_summary(home, match)
    if known is not None:
        return known.entries >= ACCEPTED
    try:
        return len(read_own_log(match.path).entries) >= ACCEPTED
    except UnreadableLog:
        return False


JUST_PLAYED = 3600.0
"""Seconds for which a match has just ended: an evening's next one begins sooner."""


def just_played(home: Home, now: float, capacity: Capacity = CAPACITY) -> LoadedMatch | None:
    """The latest match of this home, if it was played as its host and has just ended; *now*:
    seconds since 1970. Raises StoreError."""
    for match in home.logs()[:1]:
        if not 0 <= now - match.modified <= JUST_PLAYED:
            return None
        for stored in readable_matches(home, "host"):
            latest = stored.match.path == match.path
            return stored if latest and is_over(stored.entries, capacity) else None
    return None


def has_evidence(home: Home, table: bytes) -> bool:
    """Whether evidence from the match of this id is kept. Raises StoreError."""
    log = home.log_of(table)
    return log is not None and bool(home.evidence_beside(log))


def has_log(home: Home, table: bytes) -> bool:
    """Whether there is a log of this id. Raises StoreError."""
    return home.log_of(table) is not None


def has_entries(home: Home, table: bytes) -> bool:
    """Whether entries of a match of this id are stored already, with whomever. Raises
    StoreError."""
    log = home.log_of(table)
    if log is not None:
        with suppress(UnreadableLog):  # the journal says what is wrong with it
            return bool(read_log(log).entries)
    return False


def is_accepted(stored: LoadedMatch) -> bool:
    """Whether this is more than an offer."""
    return len(stored.entries) >= ACCEPTED


def claimed_match(
    home: Home, role: str, key: bytes, claimed: Position, capacity: Capacity, offers: Options | None
) -> LoadedMatch | None:
    """The match that this player names; None where both have all of it, or no more than an offer.
    *offers*: what our player would offer now; None if it is asked before. Raises StoreError."""
    one = match_of_table(home, claimed.table, role, key)
    if one is None:
        return None
    if not (is_accepted(one) or _still_offers(home, one, claimed, capacity, offers)):
        return None
    whole = position_of(one.entries, claimed.table) == claimed and is_over(one.entries, capacity)
    return None if whole else one


def _still_offers(
    home: Home, one: LoadedMatch, claimed: Position, capacity: Capacity, offers: Options | None
) -> bool:
    """Whether an offer that was not accepted here still stands for a guest that says that it has
    accepted. Maybe it declined it then. So our player must offer the same now, and no unfinished
    match may be replaced."""
    offer = offer_of(one.entries)
    if offer is None or claimed.sequence < 1 or offers is None:
        return False
    return (offer.rules, offer.disclosure) == (str(offers.rules), offers.disclosure) and (
        next(active_matches(home, None, one.notes.peer, capacity), None) is None
    )
