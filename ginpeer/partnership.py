"""The tables of one partnership, which see each other's score between hands (WIRE 9.12): their
logs, and the score of all of them together (RULES 14).

Rule 1: we believe only what we have verified here. Even our own logs are judged again, a few
        entries at a time: a hand takes a second.
Rule 2: nothing of our table is shown without the consent of both its players (cli.match.sharing),
        and nothing of a hand that is being played.
Rule 3: another table's log counts only if its sender, whose key TLS has proven, plays in it and
        we don't: we have our own logs of the matches that we have played.
Rule 4: on each connection a sender's logs start from their first entry, and each entry comes
        once. We skip entries that we have, so a sender gains nothing by reconnecting. A different
        entry with the same number is a fork, and is refused. A shorter log removes nothing.
Rule 5: the bytes and logs that one sender may send are bounded for the life of the link. Each log
        has the referee's bounds as well.
Rule 6: this module does no I/O: it takes entries, and returns what to send and what to show.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.referee.referee import Referee
from ginpeer.referee.table import Awaiting, Table
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet
from ginpeer.seat.seat import Close, Effect, Send, Show
from ginpeer.tally.tables import Key, TableLog, TallyError, arrange, first_names
from ginpeer.tally.totals import TeamScore, TurnsScore, score_of
from protocol.codes import CodedError
from protocol.entry import NotAnEntry, NotCanonical, RawEntry
from protocol.messages import Malformed

_BETWEEN = (Awaiting.DEAL_COMMIT, Awaiting.SETTLE, Awaiting.DISCLOSE, Awaiting.NOTHING)
"""The entries that may be owed while no hand is being played."""

MAX_BYTES = 16 * 1024 * 1024
"""The most bytes in all logs of one sender: about 100 hands. A long evening has 40."""

MAX_LOGS = 32
"""The most logs of one sender. Three players begin a new log with every hand (RULES 14.3)."""

_ACCEPTED = 2  # entries after which both keys are known


class FollowedLog:
    """A growing log, judged entry by entry. ``whole`` counts its entries up to the end of the last
    finished hand; later entries belong to a hand that is being played."""

    def __init__(self) -> None:
        self.whole = 0
        self._referee = Referee()

    @property
    def entries(self) -> Sequence[bytes]:
        return self._referee.entries

    @property
    def table(self) -> Table:
        return self._referee.table

    def take(self, raw: bytes) -> bool:
        """Judge one entry, which takes up to a third of a second. Return whether it ends a hand or
        lets the next one begin. Raises what Referee.admit raises."""
        self._referee.admit(raw)
        if self.table.awaiting not in _BETWEEN:
            return False
        self.whole = len(self.entries)
        return True


class OwnLogs:
    """Our own logs that may be shared, by file name. The program at our table writes them."""

    def __init__(self) -> None:
        self._marked: tuple[str, ...] = ()
        self._logs: dict[str, FollowedLog] = {}
        self._seen: dict[str, int] = {}  # how many entries of each log are judged or waiting
        self._waiting: deque[tuple[str, bytes]] = deque()

    @property
    def shown(self) -> dict[bytes, FollowedLog]:
        """The logs that may be shown now, by table."""
        logs = (self._logs[name] for name in self._marked)
        return {log.table.table_id: log for log in logs if log.entries}

    def update(self, marked: Mapping[str, Sequence[bytes]]) -> None:
        """Set the logs that may be shown. Each comes with all its entries, or with none if there is
        nothing new to read."""
        for name, entries in marked.items():
            self._logs.setdefault(name, FollowedLog())
            self._waiting += [(name, raw) for raw in entries[self._seen.get(name, 0) :]]
            self._seen[name] = max(self._seen.get(name, 0), len(entries))
        self._marked = tuple(marked)

    @property
    def waiting(self) -> int:
        """How many entries are waiting to be judged."""
        return len(self._waiting)

    def judge(self, most: int) -> bool:
        """Judge at most this many entries. Return whether one ends a hand or lets the next begin.
        Stop following a log of ours that isn't valid: `ginpeer verify` says why."""
        ended = False
        for _ in range(min(most, len(self._waiting))):
            name, raw = self._waiting.popleft()
            try:
                ended |= self._logs[name].take(raw)
            except RefusedEntry:
                self._waiting = deque(each for each in self._waiting if each[0] != name)
                break
        return ended


class LogRefused(CodedError):
    """An entry that another table sent is refused, and so is everything after it."""


class ReceivedLogs:
    """The logs of one sender, over all connections with it. ``logs`` are in order of arrival;
    ``refused`` is why nothing more is accepted, or None. *own* and *sender* are identity keys."""

    def __init__(self, own: bytes, sender: bytes) -> None:
        self.logs: dict[bytes, FollowedLog] = {}
        self.refused: LogRefused | None = None
        self._own = own
        self.sender = sender
        self._size = 0
        self._next: dict[bytes, int] = {}  # the next entry's number, by log, on this connection

    def begin(self) -> None:
        """Begin a new connection, on which the sender's logs start from their first entry again."""
        self._next = {}

    def take(self, raw: bytes) -> bool:
        """Accept one entry. Return whether it ends a hand of its table or lets the next one begin.
        Raises LogRefused."""
        if self.refused is None:
            try:
                return self._take(raw)
            except LogRefused as why:
                self.refused = why
        raise self.refused

    def _take(self, raw: bytes) -> bool:
        try:
            body = RawEntry.split(raw).decode()
        except (NotAnEntry, NotCanonical, Malformed) as error:
            raise LogRefused(
                "link-entry", "The other table sent something that isn't an entry."
            ) from error
        log = self.logs.get(body.table)
        if body.sequence != self._next.get(body.table, 0):
            raise LogRefused("link-order", "The other table sent its log in the wrong order.")
        self._next[body.table] = body.sequence + 1
        if log is None:
            if len(self.logs) == MAX_LOGS:
                raise LogRefused(
                    "link-too-much", f"The other table sent more than {MAX_LOGS} matches."
                )
            log = FollowedLog()
        elif body.sequence < len(log.entries):
            if log.entries[body.sequence] != raw:
                raise LogRefused(
                    "link-fork",
                    f"The other table sent two different entries with the number {body.sequence}: "
                    "a player there signed both.",
                )
            return False
        self._size += len(raw)
        if self._size > MAX_BYTES:
            raise LogRefused(
                "link-too-much",
                f"The other table sent more than {MAX_BYTES // 2**20} MiB, which is more than an "
                "evening of matches can need.",
            )
        try:
            ended = log.take(raw)
        except RefusedEntry as error:
            raise LogRefused(
                error.code,
                f"The other table's log is invalid at entry {len(log.entries)}: {error.sentence}",
            ) from error
        keys = log.table.keys
        if len(log.entries) == _ACCEPTED and (self._own in keys or self.sender not in keys):
            self.logs.pop(body.table, None)
            raise LogRefused(
                "link-not-theirs",
                "The other table sent the log of a match that its sender doesn't play in, or "
                "that you play in.",
            )
        self.logs[body.table] = log
        return ended


# --- one end of a link ----------------------------------------------------------------
#
# Our end of a link takes the place of a seat at a table, but nothing is played. So links use the
# same code as other connections for greeting, keys, bounds and silences.

NO_LINK = (
    "This connection is a link between two tables, so nothing is played on it. To link tables, "
    "both run ginpeer link; to play, run ginpeer host and ginpeer join."
)


class LinkSeat:
    """Our end of one connection between two tables. Whenever a hand of the other table ends, it
    shows our player the ReceivedLogs."""

    def __init__(
        self,
        shown: Callable[[], Mapping[bytes, FollowedLog]],
        others: ReceivedLogs,
        *,
        is_link: bool,
    ) -> None:
        """*shown* returns the logs that may be shown now, by table; a log isn't sent to a player in
        it, who already has it. *is_link*: whether the other side knows that this is a link."""
        self._shown = shown
        self._others = others
        self._is_link = is_link
        self._sent: dict[bytes, int] = {}  # how many entries of each table's log

    def meet(self, theirs: object) -> Iterable[Effect]:
        """Send the entries that may be shown. The position in *theirs* doesn't matter: the other
        side skips entries that it has."""
        self._others.begin()
        if not self._is_link:
            yield Close("not-a-link", NO_LINK, "A")
            return
        yield from self._send()

    def receive(self, raw: bytes) -> Iterable[Effect]:
        try:
            ended = self._others.take(raw)
        except LogRefused as why:
            yield Close(why.code, why.sentence, "A")
            return
        if ended:
            yield Show(self._others)

    def play(self, move: Any) -> Iterable[Effect]:
        """Send the entries that may be shown and haven't been sent yet. *move* is ignored."""
        return self._send()

    def _send(self) -> Iterator[Effect]:
        for table, log in self._shown().items():
            if self._others.sender in log.table.keys:
                continue
            sent = self._sent.get(table, 0)
            self._sent[table] = log.whole
            for entry in log.entries[sent : log.whole]:
                yield Send(entry)

    # --- what a session expects of a seat but a link doesn't have ----------------------

    def _none(self) -> Any:
        """Return None: a link has no match."""

    def _no(self) -> bool:
        return False

    def _no_effects(self) -> tuple[Effect, ...]:
        return ()

    sync_pending = owes_next = offer_to_consider = view = _none
    resign = accept = offer = _no_effects
    agreed = owes_choice = can_continue = can_come_back = _no


# --- the score of all tables together -------------------------------------------------
#
# The arithmetic is that of `ginpeer tally`; only hands that every table has finished count.

OURS, THEIRS = "your match", "their match"
"""Names for logs without a file: logs of our matches, and logs of the other table's matches."""


@dataclass(frozen=True, slots=True)
class TableProgress:
    """How far the two players at a table have got, over all their matches there."""

    keys: frozenset[Key]
    logs: tuple[TableLog, ...]
    hands: int
    over: bool  # whether their last match is over


@dataclass(frozen=True, slots=True)
class PartnershipStanding:
    """The tables on both sides, and their common score, if there is one."""

    ours: tuple[TableProgress, ...]
    theirs: tuple[TableProgress, ...]
    score: TeamScore | TurnsScore | None
    sentences: tuple[str, ...] = ()  # which matches aren't counted, and why there is no score

    @property
    def logs(self) -> tuple[TableLog, ...]:
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
    *team*, *tedesco* and *target* mean the same as for `ginpeer tally`. Here, matches may
    have different rules, but only those with one rule set count: the first that our table and
    another have both played."""
    here, there = _places(ours, OURS), _places(_each_once(theirs), THEIRS)
    logs = [log for place in (*here, *there) for log in place.logs]
    logs.sort(key=lambda log: (log.started, log.table_id))  # the same order at every table
    rules = _shared_rules(logs, {place.keys for place in here})
    counted = [log for log in logs if rules is None or log.match.rules == rules]
    sentences = [
        f"{log.name} isn't counted. Its rules are {log.match.rules}, not {rules}."
        for log in logs
        if log not in counted
    ]
    score = None
    if here and len(first_names(logs)) > 2:  # two keys are one table; three may all be at ours
        try:
            arranged = arrange(counted, team=team, known=known, running=True)
            score = score_of(arranged, tedesco=tedesco, target=target)
        except (TallyError, RulesError) as why:
            sentences.append(str(why))
    capitalized = tuple(each[:1].upper() + each[1:] for each in sentences)
    return PartnershipStanding(here, there, score, capitalized)


def _shared_rules(logs: Iterable[TableLog], ours: set[frozenset[Key]]) -> RuleSet | None:
    """Return the first rules that can be added up and were played at two tables, one of them ours;
    None if there are none. The other table alone can't decide which rules count."""
    tables: dict[RuleSet, set[frozenset[Key]]] = {}
    for log in logs:
        if log.match.rules.target is None:
            tables.setdefault(log.match.rules, set()).add(frozenset(log.keys))
    return next((rules for rules, at in tables.items() if len(at) > 1 and at & ours), None)


def _each_once(followed: Iterable[FollowedLog]) -> list[FollowedLog]:
    """If two friends have sent logs of the same match, keep the longer one. If the two differ,
    somebody has signed twice, which `ginpeer tally` reports; here the first one counts."""
    found: dict[tuple[object, ...], FollowedLog] = {}
    for log in followed:
        match = (log.table.table_id, log.table.keys)
        first = found.setdefault(match, log)
        known = len(first.entries)
        if len(log.entries) > known and log.entries[:known] == first.entries:
            found[match] = log
    return list(found.values())


def _places(followed: Iterable[FollowedLog], name: str) -> tuple[TableProgress, ...]:
    found = [TableLog.of_table(name, log.table) for log in followed]
    logs = sorted((log for log in found if log is not None), key=lambda log: log.started)
    tables: dict[frozenset[Key], list[TableLog]] = {}
    for log in logs:
        tables.setdefault(frozenset(log.keys), []).append(log)
    places = []
    for keys, at_table in tables.items():
        if len(at_table) > 1:
            at_table = [replace(log, name=f"{name} {at}") for at, log in enumerate(at_table, 1)]
        hands = sum(len(log.match.results) for log in at_table)
        places.append(TableProgress(keys, tuple(at_table), hands, at_table[-1].match.finished))
    return tuple(places)
