"""The status of each stored match of a home, for lists of many matches.

A finished match is listed as its last entries claim: they state the score, and verifying the score
and the signatures would take seconds. If the log was verified before, that verdict counts. Only the
referee can say who owes the next entry of an unfinished match. For a match of our own, the
referee's answer is noted beside the log when the table is closed or the match is first listed, and
counts until the log grows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from ginpeer.match_store.matches import (
    DecidedMatch,
    EmptyMatch,
    FinishedMatch,
    InvalidMatch,
    LogSummary,
    MatchStatus,
    UnacceptedOffer,
    UnfinishedMatch,
    UnreadableMatch,
    finished_match,
    is_shelved,
    noted_matches,
    opening_of,
    signed_result,
)
from ginpeer.record import CachedVerdict, judge_log
from ginpeer.referee.referee import Finding
from ginpeer.referee.table import ROLES, Awaiting, Table
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.store import Home, StoredMatch, StoreError, UnreadableLog, open_log
from ginpeer.store.match_files import ClosingNote, read_closing_note, write_closing_note


@dataclass(frozen=True, slots=True)
class ListedMatch:
    match: StoredMatch
    own: int | None  # our seat according to our notes
    status: MatchStatus
    level: int | None = None  # of the bot, in a practice match


class MatchList:
    """The stored matches, latest first. Each is read only when it is needed."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._noted = noted_matches(home)
        self._peers = {match.name: notes.peer for match, notes in self._noted}
        self.matches = home.logs()

    def may_be_with(self, match: StoredMatch, key: bytes) -> bool:
        """Return whether this match may be with this player, according to our notes."""
        return self._peers.get(match.name, key) == key

    def listed(self, match: StoredMatch) -> ListedMatch:
        """Return a match with its status. Judging it takes seconds if its status isn't cached."""
        notes = self._home.notes(match)
        own = None if notes is None else ROLES.index(notes.role)
        status = _status(self._home, match, own)
        if isinstance(status, UnfinishedMatch):
            if self._home.evidence_beside(match.path):
                status = replace(status, stopped=True)
            elif notes is not None:
                status = replace(status, shelved=is_shelved(self._home, match, notes, self._noted))
        return ListedMatch(match, own, status, None if notes is None else notes.level)


def _status(home: Home, match: StoredMatch, own: int | None) -> MatchStatus:
    kept, known = home.cached(match, CachedVerdict), home.cached(match, LogSummary)
    if kept is not None and kept.has_bad_entry:
        return InvalidMatch(kept.entries, kept.sentence)
    claims_count = kept is None or kept.word == "valid"
    if claims_count and known is not None and known.ended is not None:
        return _ended(known.ended, kept)
    try:
        with open_log(match.path) as log:
            count, ends = _both_ends(log)
            whole = not log.torn and log.fault is None
        signed = signed_result(ends)
        if signed is not None and whole and claims_count:
            finished = finished_match(signed)
            home.cache(match, LogSummary(count, True, finished))
            return _ended(finished, kept)
        status = _noted(match, count, ends) if own is not None and whole else None
        if status is not None:
            return status
        with open_log(match.path) as log:
            verdict = judge_log(log)
    except UnreadableLog as why:
        return UnreadableMatch(why.sentence)
    if verdict.finding is Finding.UNREADABLE:
        return UnreadableMatch(verdict.sentence)
    if verdict.finding is Finding.FORGED:
        home.cache(match, CachedVerdict.of(verdict))
        return InvalidMatch(verdict.entries, verdict.sentence)
    found = _unfinished(match, verdict.table, own)
    if isinstance(found, DecidedMatch) and whole:
        home.cache(match, LogSummary(count, True, found))
    return found


def _ended(
    claimed: FinishedMatch | DecidedMatch, kept: CachedVerdict | None
) -> FinishedMatch | DecidedMatch:
    if isinstance(claimed, FinishedMatch) and kept is not None:
        return replace(claimed, verified=True)
    return claimed


def _both_ends(log: Iterable[bytes]) -> tuple[int, list[bytes]]:
    """Return how many entries there are, and the first two and last four, which say who played and
    how the match ended."""
    entries = iter(log)
    first = list(islice(entries, 2))
    last: deque[bytes] = deque(maxlen=4)
    count = len(first)
    for entry in entries:
        last.append(entry)
        count += 1
    return count, [*first, *last]


def _unfinished(match: StoredMatch, table: Table, own: int | None) -> MatchStatus:
    names, keys = table.names, table.keys
    rules = "" if table.offer is None else table.offer.rules
    if table.finished and table.match is not None:
        return DecidedMatch(names, table.match.winner, keys, rules)
    if table.awaiting is Awaiting.ACCEPT:
        return UnacceptedOffer(names, keys, rules)
    noted = read_closing_note(match.path)
    if noted is None or noted.entry != table.sequence:  # no note, or the log has grown since
        noted = ClosingNote.of(table, int(match.modified), None, "listed")
        if noted is not None and own is not None:
            with suppress(StoreError):  # the match is listed anyway
                write_closing_note(match.path, noted)
    if noted is None or table.offer is None:
        return EmptyMatch(names, keys)
    return UnfinishedMatch(names, parse_ruleset(table.offer.rules), noted, keys=keys)


def _noted(match: StoredMatch, count: int, ends: Sequence[bytes]) -> UnfinishedMatch | None:
    """Return the status of our own match from the referee's answer noted beside it; None if there
    is no note about its next entry."""
    noted = read_closing_note(match.path)
    if noted is None or noted.entry != count:
        return None
    opening = opening_of(ends)
    if opening is None:
        return None
    offer, accept = opening
    try:
        rules = parse_ruleset(offer.rules)
    except RulesError:
        return None
    names, keys = (offer.name, accept.name), (offer.key, accept.key)
    return UnfinishedMatch(names, rules, noted, keys=keys)
