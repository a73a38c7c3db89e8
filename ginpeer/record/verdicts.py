"""The verdict on a log file, and what it says about the players and their score.

# Rule 1: the verdict is the referee's (ginpeer.referee.verdict). Here a file is brought before it
#         entry by entry, and nothing else is judged.
# Rule 2: what comes first decides: a damaged length makes the rest unreadable, but only after
#         entries that hold.
# Rule 3: a cached verdict counts for the very file that was judged: its stamp was taken before it
#         was read, so a changed file has another one. It is this machine's note for its own player
#         (ginpeer.store.log_index), and proves nothing; ginpeer verify judges anew each time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from ginpeer.names.quoting import PlaceholderName, safe
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import ROLES, Table
from ginpeer.referee.verdict import Finding, Verdict, judge, torn, unreadable
from ginpeer.rules.match import Match
from ginpeer.store import Home, LogReader, StoredMatch
from protocol.crypto.identity import fingerprint

UNPROVEN: Final = "unproven"
"""The code of the verdict on a match that was typed: nobody signed it, and no entry holds."""

_KIND: Final = "verdict"  # in the log index
_REFUSED: Final = ("illegal", "forged")

Progress = Callable[[int, int, int], None]
"""Called before each entry is judged, with the entry's number (from 0), the bytes read so far, the
entry's included, and the bytes of the whole log."""


def judge_log(
    log: LogReader, progress: Progress | None = None, watch: list[Admitted] | None = None
) -> Verdict:
    """Judge an open log, which is read up to the first entry that doesn't hold. Every entry that
    holds is appended to *watch*.

    Raises UnreadableLog if not even one entry can be read.
    """
    verdict = judge(log if progress is None else _told(log, progress), watch=watch)
    if verdict.finding in (Finding.FORGED, Finding.UNREADABLE):
        return verdict
    if log.fault is None:
        return torn(verdict, log.torn) if log.torn else verdict
    if not verdict.entries:
        raise log.fault
    return unreadable(verdict, log.fault.code, log.fault.sentence)


def unreadable_verdict(code: str, sentence: str, entry: int | None = None) -> Verdict:
    """Return the verdict on something that isn't a log, for callers that need one of that, too;
    *entry* is the number of the record at fault, if one is."""
    return Verdict(Finding.UNREADABLE, Table(), 0, code, sentence, entry)


def verdict_word(verdict: Verdict) -> str:
    """Return the verdict in one word: valid, illegal, forged, incomplete, unreadable.

    A log is illegal if a player's own signature convicts that player, and forged if entries don't
    hold and nobody is convicted.
    """
    if verdict.finding is Finding.FORGED and verdict.culprit is not None:
        return "illegal"
    return verdict.finding.name.lower()


def _told(log: LogReader, progress: Progress) -> Iterator[bytes]:
    for number, entry in enumerate(log):
        progress(number, log.good_end, log.size)
        yield entry


@dataclass(frozen=True, slots=True)
class CachedVerdict:
    """What judging a stored log came to, kept in the home's index for lists."""

    word: str
    """valid, incomplete, illegal, forged, unreadable."""
    entries: int
    """How many hold, and so the number of the first that does not."""
    sentence: str

    @classmethod
    def of(cls, verdict: Verdict) -> CachedVerdict:
        return cls(verdict_word(verdict), verdict.entries, verdict.sentence)

    @property
    def refuses(self) -> bool:
        """Whether an entry of it does not hold."""
        return self.word in _REFUSED


def cache_verdict(home: Home, match: StoredMatch, kept: CachedVerdict) -> None:
    """Remember a verdict, if the home has an index; *match*: as it was listed before it was
    judged."""
    if home.index is not None:
        said = json.dumps([kept.word, kept.entries, kept.sentence])
        home.index.note(_KIND, match.name, match.stamp, said)


def cached_verdict(home: Home, match: StoredMatch) -> CachedVerdict | None:
    """Return what was cached of this very file; None if nothing was, or nothing that can be
    read."""
    said = None if home.index is None else home.index.told(_KIND, match.name, match.stamp)
    try:
        match said if said is None else json.loads(said):
            case [str(found), int(entries), str(sentence)]:
                return CachedVerdict(found, entries, sentence)
    except (ValueError, RecursionError):
        pass
    return None


@dataclass(frozen=True, slots=True)
class Player:
    """One side of the match: the key, which is proven, for it has signed this player's entries, and
    the name, which is a claim. A key is not a person. As text, the name made harmless."""

    seat: int
    """0 is the host, 1 the guest."""
    key: bytes | None
    """The Ed25519 public key, 32 bytes; None for a player who has not come, and on paper."""
    name: str | None
    """As it was signed, 1 to 64 bytes of a stranger's: print ``str(player)`` instead."""

    @classmethod
    def of(cls, table: Table, seat: int) -> Player:
        name = table.names[seat]
        return cls(seat, table.keys[seat], None if isinstance(name, PlaceholderName) else name)

    @property
    def role(self) -> str:
        return ROLES[self.seat]

    @property
    def fingerprint(self) -> str | None:
        """The key as people compare it; None for a player who has not come."""
        return None if self.key is None else fingerprint(self.key)

    def __str__(self) -> str:
        """The name, harmless for a terminal; the role of a player who has not come."""
        return self.role if self.name is None else safe(self.name)


@dataclass(frozen=True, slots=True)
class Score:
    """What host and guest have, by the rules, from the hands that hold: proven."""

    hand_points: tuple[int, int]
    """Points from hands in the whole match, each hand once."""
    hands_won: tuple[int, int]
    games_won: tuple[int, int]
    totals: tuple[int, int] | None
    """With every bonus, once the match is decided; None before."""

    @classmethod
    def of(cls, match: Match) -> Score:
        points = [game.scores for game in match.games]
        won = [game.hands_won for game in match.games]
        return cls(
            (sum(host for host, _ in points), sum(guest for _, guest in points)),
            (sum(host for host, _ in won), sum(guest for _, guest in won)),
            match.games_won,
            match.credits if match.finished else None,
        )
