"""The logs of a tally: whether each counts, and how they belong together, that is, who plays whom,
on which side, and in which order (RULES 14).

A player is a key: players choose their own names, and two may choose the same. All logs here are
verified, so their content is true. The question is whether they fit together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from ginpeer.names import (
    NO_KNOWN_NAMES,
    KnownNames,
    comparable,
    display_name,
    is_fingerprint,
    is_reserved_word,
    look_alike,
    safe,
    safe_quote,
)
from ginpeer.referee.referee import Finding, Verdict
from ginpeer.referee.table import Table
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import HandResult
from ginpeer.rules.team import Bout, first_out_of_turn, next_players, seen_from
from protocol.codes import CodedError
from protocol.crypto.identity import fingerprint

# --- why logs can't be scored ------------------------------------------------------------


class TallyError(CodedError):
    """These logs can't be added up."""


class Mismatch(TallyError):
    """The logs don't belong together, aren't in a possible order, or don't fit the named team.

    `code` is one of: tally-mismatch, tally-team, tally-order; or tally-unfinished if the tables are
    still playing.
    """

    def __init__(self, sentence: str, code: str = "tally-mismatch") -> None:
        super().__init__(code, sentence)


class NotScored(TallyError):
    """Some of the logs don't count. `finding` is the worst finding among them."""

    def __init__(self, bad: int, total: int, finding: Finding) -> None:
        logs = "log" if total == 1 else "logs"
        super().__init__("not-scored", f"Not scored: {bad} of {total} {logs} can't be counted.")
        self.finding = finding


# --- logs -----------------------------------------------------------------------------

Key = bytes


@dataclass(frozen=True, slots=True)
class TableLog:
    """A verified log of a match, finished or not."""

    name: str  # the user's name for the log
    table_id: bytes
    started: int  # when the match was offered, as the host claims, in seconds since 1970
    keys: tuple[Key, Key]
    names: tuple[str, str]
    match: Match
    head: bytes = b""  # the hash of the last entry

    @classmethod
    def of_table(cls, name: str, table: Table) -> TableLog | None:
        """Return what the tally needs from a match in play; None before the dealer is known."""
        host, guest = table.keys
        if table.offer is None or table.match is None or host is None or guest is None:
            return None
        return cls(
            name,
            table.table_id,
            table.offer.started,
            (host, guest),
            table.names,
            table.match,
            table.head,
        )


@dataclass(frozen=True, slots=True)
class JudgedLog:
    """A log and the verdict on it. ``log`` is None if it doesn't count or is a ``copy``."""

    name: str
    verdict: str
    """valid, illegal, forged, unreadable or incomplete; duplicate for a copy, fork for a different
    ending of the same match."""
    code: str
    sentence: str
    finding: Finding  # the finding of the whole tally if this is the worst of its logs
    log: TableLog | None
    copy: bool = False

    @classmethod
    def of(cls, named: str, verdict: Verdict) -> JudgedLog:
        name, sentence = safe(named, limit=200), safe(verdict.sentence)
        log = None
        if verdict.finding is Finding.VALID:  # so there is a match, and both players have signed
            log = TableLog.of_table(name, verdict.table)
        if verdict.finding is Finding.FORGED:
            sentence = f"At entry {verdict.failing_entry}: {sentence}"
        return cls(name, verdict.word, verdict.code, sentence, verdict.finding, log)


def each_match_once(judged: Sequence[JudgedLog]) -> list[JudgedLog]:
    """Mark copies, so that a match counts once even if the logs of both players are listed. A match
    is identified by its table id and its keys: a host chooses the table id, and could choose that
    of a match in which it took no part. Two logs of one match have the same last entry, whose hash
    covers the whole chain, unless a player has signed two different entries."""
    seen: dict[tuple[bytes, tuple[Key, Key]], TableLog] = {}
    found = []
    for log in judged:
        if log.log is not None:
            match = (log.log.table_id, log.log.keys)
            first = seen.setdefault(match, log.log)
            if first is not log.log:
                log = _again(log.name, first, first.head == log.log.head)
        found.append(log)
    return found


def _again(name: str, first: TableLog, copy: bool) -> JudgedLog:
    """Return the verdict on another log of the same match as *first*."""
    same = f"It's the same match as {first.name}"
    if copy:
        sentence = f"{same}, so it counts once."
        return JudgedLog(name, "duplicate", "tally-duplicate", sentence, Finding.VALID, None, True)
    sentence = f"{same}, but with a different ending: a player signed two different entries."
    return JudgedLog(name, "fork", "tally-fork", sentence, Finding.UNREADABLE, None)


def counted(judged: Sequence[JudgedLog]) -> list[TableLog]:
    """Return the logs that count. Raises NotScored if any log doesn't count, except copies."""
    bad = [log.finding for log in judged if log.log is None and not log.copy]
    if bad:
        worst = min(bad, key=lambda finding: finding.value)
        raise NotScored(len(bad), len(judged), worst)
    return [log.log for log in judged if log.log is not None]


# --- how the logs belong together ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """One table of two teams: its logs in order, and its hands as if team 0 were in seat 0. A hand
    is None if it wasn't played because somebody had resigned."""

    players: tuple[Key, Key]
    logs: tuple[TableLog, ...]
    hands: tuple[HandResult | None, ...]


@dataclass(frozen=True, slots=True)
class Teams:
    """Two teams with one player each at every table."""

    rules: RuleSet
    rows: tuple[Row, ...]

    def team(self, number: int) -> tuple[Key, ...]:
        return tuple(row.players[number] for row in self.rows)

    @property
    def logs(self) -> tuple[TableLog, ...]:
        return tuple(log for row in self.rows for log in row.logs)


@dataclass(frozen=True, slots=True)
class Turns:
    """Three players who take turns, with a bout for each log."""

    rules: RuleSet
    players: tuple[Key, ...]
    logs: tuple[TableLog, ...]
    bouts: tuple[Bout, ...]


def arrange(
    logs: Sequence[TableLog],
    *,
    team: Sequence[str] | None = None,
    as_given: bool = False,
    known: KnownNames = NO_KNOWN_NAMES,
    named_by: KnownNames | None = None,
    running: bool = False,
) -> Teams | Turns:
    """Return how these logs belong together, ordered by the time at which each match was offered,
    unless *as_given* keeps the given order. *team* names the players of one team by their own
    names, by their fingerprints, or by the names in *named_by* (default: *known*, which sentences
    use). If *running*, the last match of a table may still be in play, and a hand of the
    teams counts once every table has played it. Raises Mismatch."""
    _check_rules(logs)
    ordered = list(logs) if as_given else sorted(logs, key=lambda log: log.started)
    players = tuple(first_names(ordered))
    if len(players) == 3:
        if team is not None:
            raise Mismatch("Three players take turns, each for themselves; there are no teams.")
        return _turns(ordered, players, known, running=running)
    return _teams(logs, ordered, team, known, named_by or known, running=running)


def first_names(logs: Iterable[TableLog]) -> dict[Key, str]:
    """Return the name of each player in that player's first log, in the order of the logs."""
    names: dict[Key, str] = {}
    for key, name in _names_in(logs):
        names.setdefault(key, name)
    return names


def _names_in(logs: Iterable[TableLog]) -> Iterator[tuple[Key, str]]:
    return chain.from_iterable(zip(log.keys, log.names, strict=True) for log in logs)


def display(logs: Sequence[TableLog], known: KnownNames = NO_KNOWN_NAMES) -> dict[Key, str]:
    """Return a name for each player: the one in *known*, or else in the player's first log,
    followed by the key's fingerprint if the name could mislead."""
    own = first_names(logs)
    names = {key: known.name(key, name) for key, name in own.items()}
    return {
        key: f"{display_name(name)} ({fingerprint(key)})"
        if is_reserved_word(name)
        or name.endswith(")")
        or known.owner(key, own[key]) is not None
        or any(look_alike(name, theirs) for other, theirs in names.items() if other != key)
        else display_name(name)
        for key, name in names.items()
    }


def _check_rules(logs: Sequence[TableLog]) -> None:
    first = logs[0]
    for log in logs:
        if log.match.rules != first.match.rules:
            raise Mismatch(
                f"{first.name} and {log.name} have different rules: {first.match.rules}; "
                f"{log.match.rules}."
            )
    if first.match.rules.target is not None:
        raise Mismatch(
            f"The matches have the rule target={first.match.rules.target}; only matches with a "
            "fixed number of hands, like --hands 6, can be added up."
        )


# --- teams ------------------------------------------------------------------------------


def _teams(
    given: Sequence[TableLog],
    ordered: Sequence[TableLog],
    team: Sequence[str] | None,
    known: KnownNames,
    named_by: KnownNames,
    *,
    running: bool,
) -> Teams:
    pairs: dict[frozenset[Key], list[TableLog]] = {frozenset(log.keys): [] for log in given}
    for log in ordered:
        pairs[frozenset(log.keys)].append(log)
    tables = list(pairs.values())
    _check_tables(tables, known, running=running)
    first_team = {table[0].keys[0] for table in tables}  # the hosts, unless others are named
    if team is not None:
        first_team = _named_team(team, given, named_by)
    rows = []
    for table in tables:
        ours = [key for key in table[0].keys if key in first_team]
        if len(ours) != 1:
            one, other = (display(given, known)[key] for key in table[0].keys)
            both = "both" if ours else "neither"
            raise Mismatch(
                f"A team needs one player at each table, but in {table[0].name} {one} plays "
                f"{other}, and {both} would be in the team.",
                "tally-team",
            )
        rows.append(_row(table, ours[0]))
    common = min(len(row.hands) for row in rows)  # all hands, if every table has finished
    return Teams(
        given[0].match.rules, tuple(replace(row, hands=row.hands[:common]) for row in rows)
    )


def _check_tables(
    tables: Sequence[Sequence[TableLog]], known: KnownNames, *, running: bool
) -> None:
    """Check that every player is at only one table, and that all tables have the same number of
    matches or, in a *running* tally, that each match before a table's last one is finished. Raises
    Mismatch."""
    if len(tables) == 1:
        raise Mismatch(
            "These matches are all between the same two players; verify each to see its score."
        )
    at: dict[Key, TableLog] = {}
    names = display([log for table in tables for log in table], known)
    for table in tables:
        for key in table[0].keys:
            if key in at:
                raise Mismatch(
                    f"{at[key].name} and {table[0].name} are from two tables, and {names[key]} "
                    "plays at both."
                )
            at[key] = table[0]
    if running:
        # Otherwise nobody knows which hands at other tables belong to this table's later match.
        for table in tables:
            _check_finished(table)
        return
    first = tables[0]
    for table in tables:
        if len(table) != len(first):
            raise Mismatch(
                f"{first[0].name} and {table[0].name} are from tables with different numbers of "
                f"matches: {len(first)} and {len(table)}."
            )


def _check_finished(logs: Sequence[TableLog]) -> None:
    for log, following in pairwise(logs):
        if not log.match.finished:
            raise Mismatch(
                f"{log.name} isn't finished, but {following.name} follows it.", "tally-unfinished"
            )


def _named_team(team: Sequence[str], logs: Sequence[TableLog], known: KnownNames) -> set[Key]:
    found = {_player_named(name, logs, known) for name in team}
    tables = len(first_names(logs)) // 2
    if len(found) != tables:
        raise Mismatch(
            f"A team here has {tables} players, one at each table; you named {len(found)}.",
            "tally-team",
        )
    return found


def _player_named(name: str, logs: Sequence[TableLog], known: KnownNames) -> Key:
    """Return the one player with this name or fingerprint. Raises Mismatch."""
    names: dict[Key, set[str]] = {}
    for key, own in _names_in(logs):
        names.setdefault(key, set()).add(comparable(safe(own)))
    wanted = comparable(name.strip())
    if is_fingerprint(wanted):
        letters = wanted.replace("-", "")
        found = [key for key in names if fingerprint(key).replace("-", "") == letters]
    else:
        by_us = [key for key in names if wanted and comparable(known.nickname(key)) == wanted]
        found = by_us or [key for key, own in names.items() if wanted in own]
    if len(found) == 1:
        return found[0]
    shown, last_names = safe_quote(name, limit=60), dict(_names_in(logs))
    players = ", ".join(
        f"{safe_quote(last_names[key])} ({fingerprint(key)})" for key in found or names
    )
    if found:
        raise Mismatch(
            f"Several players are named {shown}; use a fingerprint instead: {players}.",
            "tally-team",
        )
    raise Mismatch(f"Nobody is named {shown}; the players are {players}.", "tally-team")


def _row(table: Sequence[TableLog], ours: Key) -> Row:
    hands: list[HandResult | None] = []
    for log in table:
        results = [seen_from(result, log.keys.index(ours)) for result in log.match.results]
        missing = (log.match.rules.hands or 0) - len(results) if log.match.finished else 0
        hands += [*results, *[None] * missing]
    theirs = next(key for key in table[0].keys if key != ours)
    return Row((ours, theirs), tuple(table), tuple(hands))


# --- three players ----------------------------------------------------------------------


def _turns(
    logs: Sequence[TableLog], players: tuple[Key, ...], known: KnownNames, *, running: bool
) -> Turns:
    if running:
        for pair in pairwise(logs):
            if set(pair[0].keys) != set(pair[1].keys):  # the same two may have begun again
                _check_finished(pair)
    bouts = []
    for log in logs:
        host, guest = (players.index(key) for key in log.keys)
        winner = _stays(log.match)
        place = None if winner is None else (host, guest)[winner]
        bouts.append(Bout((host, guest), log.match.results, place))
    at = first_out_of_turn(bouts)
    if at is not None:
        names = display(logs, known)
        before = bouts[at - 1]
        due = " and ".join(names[players[place]] for place in sorted(next_players(before)))
        next_two = (
            f"{due} play again, because nobody has won"
            if before.winner is None
            else f"{due} play next: the winner and the player who sat out"
        )
        raise Mismatch(
            f"{logs[at].name} can't follow {logs[at - 1].name}. {next_two} (RULES 14.3).",
            "tally-order",
        )
    return Turns(logs[0].match.rules, players, tuple(logs), tuple(bouts))


def _stays(match: Match) -> int | None:
    """Return the seat that stays at the table: the winner of the hand, or of the match if the log
    has several hands. A player who resigned has lost. Return None during play."""
    if match.resigned is None and match.rules.hands == 1 and match.results:
        return match.results[-1].winner
    return match.winner
