"""The stored matches of a home: their status, what the first and last entries of their logs say
about it, and which of them can continue.

House rules

1. Check last whether a match is over: if its last entries leave that in doubt, it is judged, which
   takes seconds. Otherwise somebody who leaves match after match one entry before its end would
   make us judge all of them each time.
2. A log that can't be read is skipped, and a log without entries isn't a match: a crash left it.
   An entry that can't be read proves nothing.
3. If evidence against a player is stored, the match has ended.
4. A finished match can continue too, because the other player may lack its end.
5. What was read from a log is cached (Home.cache), so that a host with a thousand matches need not
   read them all before it greets its guest. Without the cache they are read; nothing else differs.
6. A match is shelved when the same two players agree on a later one before it is over. It stays
   shelved until it grows, and continues if it is requested by name. This isn't recorded: it
   follows if both matches are stored here and the later one began after the earlier one last grew.
   If the clock was ahead when the earlier one grew, the later one is noted as beginning just after
   that (`start_of_new_match`). Until the clock has caught up, a match that the later one shelved
   continues only by name.
7. An offer that wasn't accepted isn't a match. It continues only with a guest that claims to have
   accepted it, and only if our player would offer the same now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, TypeAlias

from ginpeer.referee.referee import judge
from ginpeer.rules.ruleset import RuleSet
from ginpeer.store import (
    Home,
    Journal,
    MatchNotes,
    StoredMatch,
    UnreadableLog,
    read_log,
    read_own_log,
)
from ginpeer.store.json_files import within
from ginpeer.store.log import message_in
from ginpeer.store.match_files import ClosingNote
from protocol.entry import CAPACITY, Capacity, LogSize
from protocol.messages import (
    MAX_SEEDS,
    Accept,
    Discard,
    Disclose,
    Disclosure,
    Offer,
    Pass,
    Settle,
    Spread,
)

Names: TypeAlias = tuple[str, str]
"""The names of host and guest, as they signed them. A stranger may have chosen them."""

Keys: TypeAlias = tuple[bytes | None, bytes | None]
"""The identity keys of host and guest; None for a key that isn't in the log."""


@dataclass(frozen=True, slots=True)
class UnreadableMatch:
    """The file isn't a log, or this program can't read it."""

    sentence: str


@dataclass(frozen=True, slots=True)
class InvalidMatch:
    entry: int  # the number of the first invalid entry, from 0
    sentence: str


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """The match has ended with this score, as the last entries claim. Unless ``verified``, no
    signature or earlier entry was checked."""

    names: Names
    score: Settle
    keys: Keys = (None, None)
    rules: str = ""
    verified: bool = False


@dataclass(frozen=True, slots=True)
class DecidedMatch:
    """The match has ended, and every entry is proven to be valid. Its last entries alone don't show
    its end: it may have been resigned, or the seeds of many hands may follow the score."""

    names: Names
    winner: Annotated[int, within(0, 1)] | None  # the seat; None if nobody has won
    keys: Keys = (None, None)
    rules: str = ""


@dataclass(frozen=True, slots=True)
class UnacceptedOffer:
    """The match was offered, and then declined, or abandoned before an answer."""

    names: Names
    keys: Keys = (None, None)
    rules: str = ""


@dataclass(frozen=True, slots=True)
class EmptyMatch:
    """The log has no entries."""

    names: Names
    keys: Keys = (None, None)


@dataclass(frozen=True, slots=True)
class UnfinishedMatch:
    """The referee has proven who owes the next entry; only our own clock says since when."""

    names: Names
    rules: RuleSet
    noted: ClosingNote
    shelved: bool = False  # whether the two players have agreed on a later match since
    stopped: bool = False  # whether evidence against a player has ended it (rule 3)
    keys: Keys = (None, None)


MatchStatus: TypeAlias = (
    UnreadableMatch
    | InvalidMatch
    | FinishedMatch
    | DecidedMatch
    | UnacceptedOffer
    | EmptyMatch
    | UnfinishedMatch
)


def keys_in(status: MatchStatus) -> Keys:
    """Return the keys of host and guest, as far as they are known."""
    return (None, None) if isinstance(status, UnreadableMatch | InvalidMatch) else status.keys


def rules_in(status: MatchStatus) -> str:
    """Return the rules in the offer; empty if they aren't known."""
    if isinstance(status, UnreadableMatch | InvalidMatch | EmptyMatch):
        return ""
    return str(status.rules)


# --- what the ends of a log say ------------------------------------------------------------------


_MAY_END_A_HAND = Discard | Pass | Spread | Disclose


def is_over(entries: Sequence[bytes], capacity: Capacity = CAPACITY) -> bool:
    """Return whether this log contains the end of its match, or has no room for the match to
    continue. Usually its last four entries show that; otherwise the referee decides, which takes
    seconds, or minutes for a log that is nearly full."""
    if signed_result(entries) is not None:
        return True
    last, size = message_in(entries[-1]) if entries else None, LogSize.of(entries)
    if capacity.has_room_for_hand(size):
        return isinstance(last, Settle | Disclose) and judge(entries).table.finished
    if capacity.has_room_for_move(size) and not isinstance(last, _MAY_END_A_HAND | Settle):
        return False
    table = judge(entries).table
    return table.finished or table.is_full(size, capacity)


def surely_continues(entries: Sequence[bytes]) -> bool:
    """Return whether the last entry alone shows that this match isn't over. No log is judged."""
    last = message_in(entries[-1])
    if last is None or isinstance(last, Settle | Disclose):
        return False
    return CAPACITY.has_room_for_hand(LogSize.of(entries))


def offer_of(entries: Sequence[bytes]) -> Offer | None:
    message = message_in(entries[0])
    return message if isinstance(message, Offer) else None


def opening_of(entries: Sequence[bytes]) -> tuple[Offer, Accept] | None:
    """Return the offer and the acceptance with which these entries begin, if they do."""
    match [message_in(raw) for raw in entries[:2]]:
        case [Offer() as offer, Accept() as accept]:
            return offer, accept
    return None


def signed_result(entries: Sequence[bytes]) -> tuple[Offer, Accept, Settle] | None:
    """Return the offer, the acceptance, and the score that both players signed; None if these
    entries don't show for certain that the match is over."""
    opening, closing = opening_of(entries), [message_in(raw) for raw in entries[-4:]]
    if opening is None or None in closing:
        return None
    match closing:
        case [*_, Settle() as one, Settle() as two]:
            ended = one == two and opening[0].disclosure is not Disclosure.AFTER_MATCH
        case [Settle() as one, Settle() as two, Disclose() as host, Disclose()]:
            ended = one == two and len(host.seeds) < MAX_SEEDS  # else the host may owe more seeds
        case _:
            return None
    return (*opening, two) if ended else None


def finished_match(signed: tuple[Offer, Accept, Settle]) -> FinishedMatch:
    offer, accept, score = signed
    return FinishedMatch((offer.name, accept.name), score, (offer.key, accept.key), offer.rules)


@dataclass(frozen=True, slots=True)
class LogSummary:
    """What a list shows of a log, and what a host needs to know about it, cached until the file
    changes. These are the claims of the log's entries; only verifying the log proves them. A log
    with a torn end isn't cached; the journal handles that."""

    entries: int  # how many entries the log contains
    over: bool  # whether its match can't continue
    ended: FinishedMatch | DecidedMatch | None = None
    """How the match ended, if that was read as well."""


# --- stored matches -------------------------------------------------------------------------------

ACCEPTED = 2  # the number of entries of a match that both players have agreed to

JUST_PLAYED = 3600.0  # seconds within which the next match of an evening begins

_GLANCE = 10  # how many logs to read for a hint when the program starts

Noted: TypeAlias = tuple[StoredMatch, MatchNotes]


@dataclass(frozen=True, slots=True)
class LoadedMatch:
    match: StoredMatch
    notes: MatchNotes
    entries: Sequence[bytes]
    whole: bool = False  # whether these are all the bytes of its file


def is_accepted(stored: LoadedMatch) -> bool:
    """Return whether both players have agreed to this match: it is more than an offer."""
    return len(stored.entries) >= ACCEPTED


def noted_matches(home: Home) -> Sequence[Noted]:
    """Return every stored match that has notes, latest first."""
    both = ((match, home.notes(match)) for match in home.logs())
    return tuple((match, notes) for match, notes in both if notes is not None)


def stored_matches(home: Home, called: str | None = None) -> Iterator[LoadedMatch]:
    """Load every match that can be resumed, including finished ones, latest first. With *called*,
    load only the matches whose names begin with it."""
    names = None if called is None else {match.name for match in home.logs_named(called)}
    return readable_matches(home, names=names)


def readable_matches(
    home: Home,
    role: str | None = None,
    peer: bytes | None = None,
    *,
    table: bytes | None = None,
    names: Collection[str] | None = None,
) -> Iterator[LoadedMatch]:
    """Load the matches whose log can be read, latest first. The logs of matches that the
    arguments exclude aren't read."""
    for match, notes in noted_matches(home):
        wanted = table in (None, notes.table) and (names is None or match.name in names)
        if wanted and _is_of(notes, role, peer):
            stored = _loaded(home, match, notes)
            if stored is not None:
                yield stored


def _loaded(home: Home, match: StoredMatch, notes: MatchNotes) -> LoadedMatch | None:
    """Return a match with its log; None if the log has no entries, can't be read, or has a file of
    evidence next to it."""
    if home.evidence_beside(match.path):
        return None
    try:
        log = read_own_log(match.path)
    except UnreadableLog:
        return None
    return LoadedMatch(match, notes, log.entries, not log.torn) if log.entries else None


def _is_of(notes: MatchNotes, role: str | None, peer: bytes | None) -> bool:
    return role in (None, notes.role) and peer in (None, notes.peer)


def has_evidence(home: Home, table: bytes) -> bool:
    """Return whether evidence from the match with this table id is stored."""
    log = home.log_of(table)
    return log is not None and bool(home.evidence_beside(log))


def has_entries(home: Home, table: bytes) -> bool:
    """Return whether a log with this table id and any entries is stored, whoever played."""
    log = home.log_of(table)
    if log is not None:
        with suppress(UnreadableLog):  # the journal reports what is wrong with it
            return bool(read_log(log).entries)
    return False


# --- matches that can continue --------------------------------------------------------------------


def active_matches(
    home: Home, role: str | None = None, peer: bytes | None = None
) -> Iterator[LoadedMatch]:
    """Load the unfinished matches that aren't shelved, latest first."""
    return unfinished_matches(home, role, peer, shelved=False)


def unfinished_matches(
    home: Home, role: str | None = None, peer: bytes | None = None, *, shelved: bool = True
) -> Iterator[LoadedMatch]:
    """Load the agreed matches that can continue, latest first, including those that are shelved
    if *shelved*."""
    others = noted_matches(home)
    try:
        for match, notes in others:
            if not _is_of(notes, role, peer):
                continue
            known = home.cached(match, LogSummary)
            if known is not None and (known.entries < ACCEPTED or known.over):
                continue
            if not shelved and is_shelved(home, match, notes, others):
                continue
            stored = _loaded(home, match, notes)
            if stored is None:
                continue
            found = known or _summarize(home, stored)
            if found.entries >= ACCEPTED and not found.over:
                yield stored
    finally:  # however far the caller iterates
        home.save_cache()


def latest_active_match(home: Home) -> LoadedMatch | None:
    """Return the latest match that can continue now and isn't being played, or None. Only a few of
    the latest logs are read, and none is judged, so a match is skipped unless its last entry shows
    that it isn't over."""
    others = noted_matches(home)
    found = (
        stored
        for stored in islice(readable_matches(home), _GLANCE)
        if is_accepted(stored)
        and surely_continues(stored.entries)
        and not is_shelved(home, stored.match, stored.notes, others)
        and not Journal.is_in_use(stored.match.path)
    )
    return next(found, None)


def shelved_matches(home: Home, peer: bytes) -> Iterator[LoadedMatch]:
    """Load the shelved matches with this player, latest first."""
    others = noted_matches(home)
    for stored in unfinished_matches(home, None, peer):
        if is_shelved(home, stored.match, stored.notes, others):
            yield stored


def is_shelved(home: Home, match: StoredMatch, notes: MatchNotes, others: Sequence[Noted]) -> bool:
    """Return whether one of *others* was agreed with the same player after this match last grew.
    (FAT may report a file's time hours too early, so a match that began earlier doesn't count.)"""
    return any(
        later.peer == notes.peer
        and later.table != notes.table
        and later.created >= max(notes.created, int(match.modified))
        and _is_agreed(home, other)
        for other, later in others
    )


def start_of_new_match(home: Home, peer: bytes, now: int) -> int:
    """Return the start time of a new match with this player: now, or just after the latest earlier
    match if the clock was ahead then. Otherwise the earlier match would shelve the new one."""
    earlier = (
        max(notes.created + 1, int(match.modified))
        for match, notes in noted_matches(home)
        if notes.peer == peer
    )
    return max((now, *earlier))


def _is_agreed(home: Home, match: StoredMatch) -> bool:
    known = home.cached(match, LogSummary)
    if known is not None:
        return known.entries >= ACCEPTED
    try:
        return len(read_own_log(match.path).entries) >= ACCEPTED
    except UnreadableLog:
        return False


def just_played(home: Home, now: float) -> LoadedMatch | None:
    """Return the latest match of this home, apart from mere offers, if we hosted it and it has just
    ended."""
    for match, notes in noted_matches(home):
        stored = _loaded(home, match, notes)
        if stored is None:  # with evidence or damaged: no earlier match takes its place
            break
        if is_accepted(stored):
            recent = 0 <= now - match.modified <= JUST_PLAYED
            ended = recent and notes.role == "host" and is_over(stored.entries)
            return stored if ended else None
    return None


def _summarize(home: Home, stored: LoadedMatch) -> LogSummary:
    """Return what a list and a host need to know about a match, and cache it."""
    signed = signed_result(stored.entries)
    over = signed is not None or (is_accepted(stored) and is_over(stored.entries))
    ended = None if signed is None else finished_match(signed)
    found = LogSummary(len(stored.entries), over, ended)
    if stored.whole:
        home.cache(stored.match, found)
    return found
