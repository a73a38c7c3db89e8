"""How far the tables of a partnership are, and their score together (RULES 14).

The arithmetic is that of `ginpeer tally`; only hands that every table has finished count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.partnership.logs import FollowedLog
from ginpeer.rules.cards import RulesError
from ginpeer.tally.logs import Key, TableLog, TallyError
from ginpeer.tally.tables import arrange
from ginpeer.tally.totals import TeamScore, TurnsScore, score_of

OURS, THEIRS = "your match", "their match"
"""The name of a log that has no file."""


@dataclass(frozen=True, slots=True)
class TableProgress:
    """How far the two players at a table are, over all matches that they play there. ``over``:
    whether their last match is over."""

    keys: frozenset[Key]
    logs: tuple[TableLog, ...]
    hands: int
    over: bool


@dataclass(frozen=True, slots=True)
class PartnershipStanding:
    """The tables on both sides, and their score together. ``score`` may be None; then ``sentence``
    says why, if there are logs to add up."""

    ours: tuple[TableProgress, ...]
    theirs: tuple[TableProgress, ...]
    score: TeamScore | TurnsScore | None
    sentence: str = ""

    @property
    def logs(self) -> tuple[TableLog, ...]:
        """The logs of all tables."""
        return tuple(log for place in (*self.ours, *self.theirs) for log in place.logs)


def standing_of(
    ours: Iterable[FollowedLog],
    theirs: Iterable[FollowedLog],
    *,
    team: Sequence[str] | None = None,
    tedesco: bool = False,
    target: int | None = None,
    known: KnownNames = NO_KNOWN_NAMES,
) -> PartnershipStanding:
    """Add up the tables. *ours* are logs in which we play, *theirs* those in which we don't.
    *team*, *tedesco* and *target* mean the same as for `ginpeer tally`."""
    here, there = _places(ours, OURS), _places(_each_once(theirs), THEIRS)
    logs = [log for place in (*here, *there) for log in place.logs]
    logs.sort(key=lambda log: (log.started, log.table_id))  # the same order at every table
    if not here or not there:
        return PartnershipStanding(here, there, None)
    try:
        arranged = arrange(logs, team=team, known=known, running=True)
        return PartnershipStanding(here, there, score_of(arranged, tedesco=tedesco, target=target))
    except (TallyError, RulesError) as why:
        sentence = str(why)
        return PartnershipStanding(here, there, None, sentence[:1].upper() + sentence[1:])


def _each_once(followed: Iterable[FollowedLog]) -> list[FollowedLog]:
    """Keep the longer of two logs of a match that two friends have shared. If the two differ,
    somebody has signed twice, which `ginpeer tally` reports for both files; here the first one
    counts."""
    found: dict[tuple[object, ...], FollowedLog] = {}
    for log in followed:
        match = (log.table.table_id, log.table.keys)
        first = found.setdefault(match, log)
        if len(log.entries) > len(first.entries) and log.follows(first):
            found[match] = log
    return list(found.values())


def _places(followed: Iterable[FollowedLog], name: str) -> tuple[TableProgress, ...]:
    found = [TableLog.of_table(name, log.table) for log in followed]
    logs = sorted((log for log in found if log is not None), key=lambda log: log.started)
    tables: dict[frozenset[Key], list[TableLog]] = {}
    for log in logs:
        tables.setdefault(frozenset(log.keys), []).append(log)
    return tuple(_place(keys, _numbered(at_table, name)) for keys, at_table in tables.items())


def _numbered(logs: Sequence[TableLog], name: str) -> tuple[TableLog, ...]:
    if len(logs) == 1:
        return tuple(logs)
    return tuple(log.called(f"{name} {at}") for at, log in enumerate(logs, 1))


def _place(keys: frozenset[Key], logs: tuple[TableLog, ...]) -> TableProgress:
    hands = sum(len(log.match.results) for log in logs)
    return TableProgress(keys, logs, hands, logs[-1].match.finished)
