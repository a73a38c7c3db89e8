"""What a look at a stored log tells, cached in the home's index while the file is the same.

# Rule 1: a summary is what the log's own entries say, and needs no proof: how many there are,
#         whether they end a match, and how. Verifying the log proves it.
# Rule 2: without the index, or if it knows nothing, the log is read. The answer is the same.
# Rule 3: only a log that is read whole is cached; the journal says what one with a torn end holds.
# Rule 4: whether a match is over is cached for logs of the usual capacity.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from ginpeer.match_store.match_status import DecidedMatch, FinishedMatch
from ginpeer.store import Home, StoredMatch
from protocol.messages import Malformed, Settle, Winner

_KIND = "glance"


@dataclass(frozen=True, slots=True)
class LogSummary:
    """What a list shows of a log, and a host needs to know of it."""

    entries: int
    """How many it holds."""
    over: bool | None
    """Whether its match cannot go on; None where only judging it would tell."""
    ended: FinishedMatch | DecidedMatch | None = None
    """How it has ended, where that was read, too."""


def cached_summary(home: Home, match: StoredMatch) -> LogSummary | None:
    """Return what was cached of this very file; None if nothing was."""
    said = None if home.index is None else home.index.told(_KIND, match.name, match.stamp)
    return None if said is None else _read(said)


def cache_summary(home: Home, match: StoredMatch, summary: LogSummary) -> None:
    """Cache a summary, if the home has an index."""
    if home.index is not None and match.stamp:
        home.index.note(_KIND, match.name, match.stamp, _written(summary))


def save_cache(home: Home) -> None:
    """Write to disk what was cached."""
    if home.index is not None:
        home.index.flush()


def _written(summary: LogSummary) -> str:
    ended = summary.ended
    said: dict[str, object] = {"entries": summary.entries, "over": summary.over}
    if ended is not None:
        said["names"] = ended.names
        said["keys"] = [None if key is None else key.hex() for key in ended.keys]
        said["rules"] = ended.rules
    if isinstance(ended, DecidedMatch):
        said["winner"] = ended.winner
    if isinstance(ended, FinishedMatch):
        score = ended.score
        said["score"] = [score.hands, score.host_total, score.guest_total, int(score.winner)]
    return json.dumps(said)


def _read(said: str) -> LogSummary | None:
    """Return None for anything that `_written` doesn't write; the log is read again then."""
    try:
        match json.loads(said):
            case {
                "entries": int(entries),
                "over": bool() | None as over,
                "names": [str(host), str(guest)],
                "keys": [str() | None as one, str() | None as other],
                "rules": str(rules),
                **how,
            }:
                names, keys = (host, guest), (_key(one), _key(other))
                match how:
                    case {"score": [int(hands), int(ours), int(theirs), int(winner)]}:
                        score = Settle(hands, ours, theirs, Winner(winner))
                        return LogSummary(entries, over, FinishedMatch(names, score, keys, rules))
                    case {"winner": (0 | 1 | None) as won}:
                        return LogSummary(entries, over, DecidedMatch(names, won, keys, rules))
            case {"entries": int(entries), "over": bool() | None as over, **rest} if not rest:
                return LogSummary(entries, over)
    except (ValueError, TypeError, RecursionError, Malformed):
        pass
    return None


def _key(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)
