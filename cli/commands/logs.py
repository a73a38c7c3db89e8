"""Finding and reading logs: a file, or a match in this machine's own store; and `ginpeer logs`.

# A finished match is listed as both players signed it: its last entries say the score, and
# verifying it once more would take seconds. Of what is not finished the referee alone can say who
# owes the next entry. Its word on a match of our own is kept beside the log, when the table is
# closed or the match is listed first, and holds until the log grows.
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from cli.failure import OUR_FAULT, USAGE, Failure
from cli.terminal.lines import tell
from cli.words.grammar import (
    inside,
    number,
    plural,
    seen_by,
)
from cli.words.settlement import by_name, joins_games
from ginpeer.keeper.matches import put_aside, settled, with_notes
from ginpeer.names.shown import display_names, safe
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Awaiting, Table
from ginpeer.referee.verdict import Finding, Verdict, judge, torn, unreadable
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.store import (
    Home,
    LogReader,
    MatchNotes,
    StoredMatch,
    StoreError,
    UnreadableLog,
    opened_log,
)
from ginpeer.store.closings import Closing, read_closing, write_closing
from ginpeer.store.settings import Settings, read_settings
from protocol.codec.entries import NotCanonical
from protocol.entry import NotAnEntry, RawEntry
from protocol.messages import Accept, Malformed, Offer, Settle

_DATE_AND_TIME = "%Y-%m-%d %H:%M"

_SHORT = 6
"""Digits of a match's short name that are shown, where they are enough to tell all apart."""


class Unreadable(Failure):
    """The log that was named cannot be read. `failing_entry` is the record at fault, if one is."""

    def __init__(self, code: str, sentence: str, failing_entry: int | None = None) -> None:
        super().__init__(code, sentence, USAGE)
        self.failing_entry = failing_entry


def open_home(given: str | None) -> Home:
    """The home folder. Raises Failure."""
    with _store_failures():
        return Home.locate(given, os.environ)


@contextmanager
def open_log(named: str, home: str | None) -> Iterator[LogReader]:
    """The log in this file or, if there is no such file, of the stored match of this name.

    Raises Unreadable.
    """
    with ExitStack() as stack:
        try:
            reader = stack.enter_context(opened_log(_path_named(named, home)))
        except (UnreadableLog, StoreError) as why:
            raise Unreadable(why.code, why.sentence) from why
        except ValueError as why:  # a NUL, or a character that no file name can have
            raise Unreadable("no-such-log", f"There is no file {safe(named, 200)}.") from why
        yield reader


def _path_named(named: str, home: str | None) -> Path:
    """Raises Unreadable, StoreError, ValueError."""
    path = Path(named)
    if os.path.lexists(path):
        return path
    if named == "-":
        raise Unreadable(
            "no-such-log",
            "A log is read from a file, not from what is piped in; give the name of a file.",
        )
    stored = Home.locate(home, os.environ).log_named(named)
    if stored is None:
        raise Unreadable(
            "no-such-log",
            f"There is no file {safe(named, 200)}, and no stored match of that name; "
            '"ginpeer logs" lists them.',
        )
    return stored.path


def judged(
    log: LogReader, entries: Iterable[bytes], watch: list[Admitted] | None = None
) -> Verdict:
    """The referee's verdict on a log file, whose *entries* pass by the caller.

    What comes first decides: a damaged length makes the rest unreadable, but only behind entries
    that hold.
    """
    verdict = judge(entries, watch=watch)
    if verdict.finding in (Finding.FORGED, Finding.UNREADABLE):
        return verdict
    if log.fault is not None:
        return unreadable(verdict, log.fault.code, log.fault.sentence)
    return torn(verdict, log.torn) if log.torn else verdict


def own_settings(home: str | None) -> Settings:
    """What the player of this home likes; the usual where nothing is kept."""
    try:
        return read_settings(Home.locate(home, os.environ).path)
    except (StoreError, ValueError):
        return Settings()


def own_seeds(home: str | None, table: bytes) -> Mapping[int, bytes]:
    """The hand seeds that this machine keeps for a table, by hand; none where it kept none."""
    try:
        return Home.locate(home, os.environ).seeds(table)
    except (StoreError, ValueError):  # what cannot be read shows nothing
        return {}


@contextmanager
def _store_failures() -> Iterator[None]:
    """What the store cannot do ends the command, with the store's own sentence."""
    try:
        yield
    except StoreError as why:
        raise Failure(why.code, why.sentence, OUR_FAULT) from why


# --- ginpeer logs ------------------------------------------------------------------------


def run_logs(args: Namespace) -> int:
    """One line for each stored match, the latest first."""
    home = open_home(args.home)
    with _store_failures():
        matches = home.logs()
    if not matches:
        tell(f"No matches are stored in {safe(str(home.matches))}.")
    digits = _digits_to_tell_apart([match.name for match in matches])
    with _store_failures():
        noted = with_notes(home)
    lie_aside: list[StoredMatch] = []

    def is_aside(match: StoredMatch, notes: MatchNotes | None) -> bool:
        found = notes is not None and put_aside(match, notes, noted)
        if found:
            lie_aside.append(match)
        return found

    for match in matches:
        when = time.strftime(_DATE_AND_TIME, time.localtime(match.modified))
        told = describe(home, match, is_aside)
        tell(f"{match.name[:digits]}  {when}  {told}", flush=True)
        for evidence in home.evidence(match):
            tell(f"  evidence against the other player: {safe(str(evidence))}")
    if lie_aside:
        tell(
            f"{plural(len(lie_aside), 'match is', 'matches are')} unfinished and put aside for a "
            "later one; ginpeer resume and the name goes on."
        )
    return 0


def _digits_to_tell_apart(names: Sequence[str]) -> int:
    longest = max(map(len, names), default=_SHORT)
    for digits in range(_SHORT, longest):
        if len({name[:digits] for name in names}) == len(names):
            return digits
    return longest


def describe(
    home: Home,
    match: StoredMatch,
    is_aside: Callable[[StoredMatch, MatchNotes | None], bool] = lambda match, notes: False,
) -> str:
    """With whom, how it stands, and the score: 'with "Ben": finished, you won 224 to 82'.

    *is_aside*: whether an unfinished match was put aside.
    """
    notes = home.notes(match)
    own = None if notes is None else ("host", "guest").index(notes.role)
    try:
        with opened_log(match.path) as log:
            count, ends = _both_ends(log)
            whole = not log.torn and log.fault is None
        signed = settled(ends)
        if signed is not None and whole:
            offer, accept, score = signed
            names = display_names((offer.name, accept.name), quoted=True)
            return f"{_with(names, own)}: finished, {_final(score, names, own)}"
        standing = _noted(match, count, ends) if notes is not None and whole else None
        if standing is not None:
            return standing.text(own, aside=is_aside(match, notes))
        with opened_log(match.path) as log:
            verdict = judged(log, log)
    except UnreadableLog as why:
        return f"cannot be read: {why.sentence}"
    if verdict.finding is Finding.UNREADABLE:
        return f"cannot be read: {safe(verdict.sentence)}"
    if verdict.finding is Finding.FORGED:
        return f"does not hold at entry {verdict.failing_entry}: {safe(verdict.sentence)}"
    return _unfinished(match, verdict.table, own, lambda: is_aside(match, notes))


def _both_ends(log: Iterable[bytes]) -> tuple[int, list[bytes]]:
    """How many entries there are, the first two and the last four, which say who played and how it
    ended; the rest is let go, for a log may be long."""
    entries = iter(log)
    first = list(islice(entries, 2))
    last: deque[bytes] = deque(maxlen=4)
    count = len(first)
    for entry in entries:
        last.append(entry)
        count += 1
    return count, [*first, *last]


def _with(names: tuple[str, str], own: int | None) -> str:
    if own is None:
        return f"{names[0]} with {names[1]}"
    return f"with {names[1 - own]}"


def _final(score: Settle, names: tuple[str, str], own: int | None) -> str:
    totals = (number(score.host_total), number(score.guest_total))
    winner = int(score.winner)
    if winner not in (0, 1):
        return f"won by nobody, {totals[0]} to {totals[1]}"
    who = names[winner] if own is None else "you" if winner == own else names[winner]
    hands = plural(score.hands, "hand")
    return f"{who} won {totals[winner]} to {totals[1 - winner]} in {hands}"


def _unfinished(
    match: StoredMatch, table: Table, own: int | None, is_aside: Callable[[], bool]
) -> str:
    names = display_names(table.names, quoted=True)
    if table.finished and table.match is not None:  # a resignation in the first deal
        winner = table.match.winner
        return f"{_with(names, own)}: finished, the winner is {names[winner or 0]}"
    if table.awaiting is Awaiting.ACCEPT:  # declined, or left before it was answered
        return f"{_with(names, own)}: offered and not accepted"
    noted = read_closing(match.path)
    if noted is None or noted.entry != table.sequence:  # none, or the log has grown since
        noted = Closing.of(table, int(match.modified), None, "listed")
        if noted is not None and own is not None:
            with suppress(StoreError):  # it is no reason not to list the match
                write_closing(match.path, noted)
    if noted is None or table.offer is None:
        return f"{_with(names, own)}: incomplete"
    return Standing(names, parse_ruleset(table.offer.rules), noted).text(own, aside=is_aside())


def _noted(match: StoredMatch, count: int, ends: Sequence[bytes]) -> Standing | None:
    """How a match of ours stands, as our referee said when its table was closed or it was listed
    first. None where no note of this very entry was kept."""
    noted = read_closing(match.path)
    if noted is None or noted.entry != count:
        return None
    try:
        match [RawEntry.split(raw).decode().message for raw in ends[:2]]:
            case [Offer() as offer, Accept() as accept]:
                names = display_names((offer.name, accept.name), quoted=True)
                return Standing(names, parse_ruleset(offer.rules), noted)
    except (NotAnEntry, NotCanonical, Malformed, RulesError):
        return None
    return None


@dataclass(frozen=True, slots=True)
class Standing:
    """How an unfinished match stands; the names as they are shown."""

    names: tuple[str, str]
    rules: RuleSet
    noted: Closing

    def text(self, own: int | None, *, aside: bool) -> str:
        """As in: with "Ben": incomplete; you owe a discard; you 45, "Ben" 12; rules: classic."""
        owed_by = ("host", "guest").index(self.noted.owed_by)
        who = "you owe" if owed_by == own else f"{self.names[owed_by]} owes"
        parts = [
            "incomplete, put aside for a later match" if aside else "incomplete",
            f"{who} {safe(self.noted.owes)}{self._since()}",
        ]
        if self.noted.scores is not None:
            host, guest = (inside(name) for name in seen_by(self.names, own))
            game = f"game {self.noted.game}, " if joins_games(self.rules) else ""
            parts.append(f"{game}{by_name(self.noted.scores, (host, guest))}")
        parts.append(f"rules: {self.rules}")
        return f"{_with(self.names, own)}: {'; '.join(parts)}"

    def _since(self) -> str:
        """Since when it is owed, as our own clock had it when the table was closed; nothing where
        no note was kept then. The log proves that it is owed, and not since when.
        """
        if self.noted.closed is None:
            return ""
        since = time.strftime(_DATE_AND_TIME, time.localtime(self.noted.since))
        closed = time.strftime(_DATE_AND_TIME, time.localtime(self.noted.closed))
        if closed[:10] == since[:10]:
            closed = closed[11:]
        return f" since {since} by this machine's clock, closed {closed}"
