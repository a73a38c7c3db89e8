"""Verify each log once, and store its verdict and match.

Rule 1: the whole file is read each time, and exactly these bytes are judged or looked up. So a
        changed log is a different log, whatever the file's name or time.
Rule 2: results are kept in the home's index (ginpeer.store.log_index), under the SHA-256 of the
        bytes, and are valid for this version of the program. Anybody who can write to the home
        can write there, too, so ginpeer verify doesn't use it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from ginpeer.record import CachedVerdict, Progress, judge_log
from ginpeer.referee.referee import Finding
from ginpeer.statistics.counts import PlayedMatch, TurnCounter
from ginpeer.store import Home, LogReader, StoredMatch, UnreadableLog, log_file_bytes


@dataclass(frozen=True, slots=True)
class CountedLog:
    """The verdict on a log, and its match. The match is None if the log doesn't count."""

    word: str  # valid, incomplete, illegal, forged or unreadable
    code: str
    match: PlayedMatch | None
    entries: int = 0  # how many entries are valid
    sentence: str = ""


def known_log(home: Home, match: StoredMatch) -> CountedLog | None:
    """Return the stored result for the log as it is now; None if it has to be verified."""
    if home.index is None:
        return None
    try:
        data = log_file_bytes(match.path)
    except UnreadableLog as why:
        return CountedLog("unreadable", why.code, None)
    counted = home.cached(digest_of(data), CountedLog)
    if counted is not None:
        _cache_verdict(home, match, counted)
    return counted


def verify_log(home: Home, match: StoredMatch, progress: Progress | None = None) -> CountedLog:
    try:
        data = log_file_bytes(match.path)
        watched = TurnCounter()
        verdict = judge_log(LogReader.of_bytes(data, match.path.name), progress, watched)
    except UnreadableLog as why:
        return CountedLog("unreadable", why.code, None)
    played = None
    holds = verdict.finding in (Finding.VALID, Finding.INCOMPLETE)
    if holds:
        played = PlayedMatch.of(verdict.table, watched.turns)
        if played is not None and verdict.finding is Finding.INCOMPLETE:
            # The moves may have ended the match, but a settlement or a disclosure is missing.
            played = replace(played, finished=False, winner=None, totals=None)
    code = verdict.code if played is not None or not holds else "not-begun"
    found = CountedLog(verdict.word, code, played, verdict.entries, verdict.sentence)
    _cache_verdict(home, match, found)
    home.cache(digest_of(data), found)
    home.save_cache()  # now, so that it isn't lost if the user stops the next one
    return found


def _cache_verdict(home: Home, match: StoredMatch, counted: CountedLog) -> None:
    """Store the verdict for lists, which don't read the log."""
    kept = CachedVerdict(counted.word, counted.entries, counted.sentence)
    home.cache(match, kept)


def digest_of(data: bytes) -> str:
    """Return the name under which the home caches what these bytes of a log have shown."""
    return hashlib.sha256(data).hexdigest()
