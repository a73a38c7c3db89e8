"""Verify each log once, and store its verdict and match.

Rule 1: the whole file is read each time, and exactly these bytes are judged or looked up. So a
        changed log is a different log, whatever the file's name or time.
Rule 2: results are kept in the home's index (ginpeer.store.log_index), under the SHA-256 of the
        bytes, and are valid for this version of the program. Anybody who can write to the home
        can write there, too, so ginpeer verify doesn't use it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TypeVar

from ginpeer.record import CachedVerdict, Progress, judge_log
from ginpeer.referee.referee import Finding
from ginpeer.statistics.counts import PlayedMatch, TurnCounter
from ginpeer.store import Home, LogReader, StoredMatch, UnreadableLog, log_file_bytes
from ginpeer.store.json_files import decode, plain

_KIND = "played"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CountedLog:
    """The verdict on a log, and its match. The match is None if the log doesn't count."""

    word: str  # valid, incomplete, illegal, forged or unreadable
    code: str
    match: PlayedMatch | None
    entries: int = 0  # how many entries are valid
    sentence: str = ""


class Verifier:
    """A verifier that judges each log of a home only once."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def known(self, match: StoredMatch) -> CountedLog | None:
        """Return the stored result for the log as it is now; None if it has to be verified."""
        if self._home.index is None:
            return None
        try:
            data = log_file_bytes(match.path)
        except UnreadableLog as why:
            return CountedLog("unreadable", why.code, None)
        counted = recall(self._home, _KIND, digest_of(data), CountedLog)
        if counted is not None:
            self._keep(match, counted)
        return counted

    def verify(self, match: StoredMatch, progress: Progress | None = None) -> CountedLog:
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
        if self._home.index is not None:
            self._keep(match, found)
            remember(self._home, _KIND, digest_of(data), found)
        return found

    def keep(self) -> None:
        """Write the results to disk if the home has an index."""
        if self._home.index is not None:
            self._home.index.flush()

    def _keep(self, match: StoredMatch, counted: CountedLog) -> None:
        """Store the verdict for lists, which don't read the log."""
        kept = CachedVerdict(counted.word, counted.entries, counted.sentence)
        self._home.cache(match, kept)


# --- what a log has shown, in the home's index ----------------------------------------

_ANY_TIME = "-"  # instead of a file's stamp, because the result depends only on the bytes


def digest_of(data: bytes) -> str:
    """Return the name under which the index stores what these bytes of a log have shown."""
    return hashlib.sha256(data).hexdigest()


def remember(home: Home, kind: str, name: str, found: object) -> None:
    """Store a result, if the home has an index."""
    if home.index is not None:
        home.index.note(kind, name, _ANY_TIME, json.dumps(plain(found)))
        home.index.flush()  # now, so that it isn't lost if the user stops the next one


def recall(home: Home, kind: str, name: str, shape: type[T]) -> T | None:
    """Return the stored result of this *shape*; None if there is none."""
    said = None if home.index is None else home.index.lookup(kind, name, _ANY_TIME)
    return None if said is None else read_back(shape, said)


def read_back(shape: type[T], said: str) -> T | None:
    """Return the result that was stored as this text; None for a text that we didn't write."""
    try:
        return decode(shape, json.loads(said))
    except (ValueError, RecursionError):
        return None
