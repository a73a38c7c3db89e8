"""The verdict on a stored log, kept in the home's index for lists.

# Rule 1: it counts for the very file that was judged: its stamp was taken before it was read, so
#         what has changed since has another one.
# Rule 2: it is a note of this machine's for this machine's player (ginpeer.store.log_index), and
#         proves nothing; ginpeer verify judges anew each time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from ginpeer.record.verdicts import verdict_word
from ginpeer.referee.verdict import Verdict
from ginpeer.store import Home, StoredMatch

_KIND = "verdict"
_REFUSED = ("illegal", "forged")


@dataclass(frozen=True, slots=True)
class CachedVerdict:
    """What judging a log came to."""

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
    """Remember it, if the home does; *match*: as it was listed before it was judged."""
    if home.index is not None:
        said = json.dumps([kept.word, kept.entries, kept.sentence])
        home.index.note(_KIND, match.name, match.stamp, said)


def cached_verdict(home: Home, match: StoredMatch) -> CachedVerdict | None:
    """What was kept of this very file; None if nothing was, or nothing that is written here."""
    said = None if home.index is None else home.index.told(_KIND, match.name, match.stamp)
    try:
        match said if said is None else json.loads(said):
            case [str(found), int(entries), str(sentence)]:
                return CachedVerdict(found, entries, sentence)
    except (ValueError, RecursionError):
        pass
    return None
