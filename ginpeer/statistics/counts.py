"""Verified matches, and what they add up to for the player in one seat.

Rule 1: only the referee's result of a hand counts, never what somebody said about it.
Rule 2: a knock is a hand that a player ended with deadwood left, whoever won it; gin and big gin
        aren't knocks. Deadwood is averaged over knocks alone, because gin has none; turns are
        averaged over knocks, gins and big gins.
Rule 3: in Mahjong gin a hand ends with gin, both players score, and cards have different values. So
        its gins and points count, but its deadwood doesn't.
Rule 4: a tie that the rules give the defender counts as an undercut, as the rules call it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from ginpeer.record import CachedVerdict, Progress, judge_log
from ginpeer.record.steps import BEGINS_TURN
from ginpeer.referee.referee import Admitted, Finding, result_of
from ginpeer.referee.table import Table, move_of
from ginpeer.rules.score import HandResult, Outcome
from ginpeer.store import Home, LogReader, StoredMatch, UnreadableLog, log_file_bytes
from ginpeer.store.json_files import within

# --- verified matches -----------------------------------------------------------------

_Seat = Annotated[int, within(0, 1)]


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One finished hand."""

    result: HandResult
    turn: int | None
    """In which of the knocker's turns the hand ended, counted from 1 and with passes, as in
    ginpeer.record; None if nobody ended it."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match whose entries are valid; host and guest are seats 0 and 1."""

    table: bytes
    keys: tuple[bytes, bytes]
    names: tuple[str, str]  # the names as the players signed them: untrusted text
    rules: str
    finished: bool
    winner: _Seat | None  # None before the end, and if nobody has won
    resigned: _Seat | None
    totals: tuple[int, int] | None
    """Each seat's total with every bonus; None before the match is finished."""
    hands: tuple[PlayedHand, ...]

    @classmethod
    def of(cls, table: Table, turns: Sequence[int | None]) -> PlayedMatch | None:
        """Return the match that this table has at the end of a log; None if it isn't known yet who
        deals first. *turns*: for each finished hand, its ``PlayedHand.turn``."""
        match, offer = table.match, table.offer
        host, guest = table.keys
        if match is None or offer is None or host is None or guest is None:
            return None
        return cls(
            table.table_id,
            (host, guest),
            table.names,
            offer.rules,
            match.finished,
            match.winner,
            match.resigned,
            match.credits if match.finished else None,
            tuple(
                PlayedHand(result, turn) for result, turn in zip(match.results, turns, strict=True)
            ),
        )


class TurnCounter(list[Admitted]):
    """A *watch* for `judge_log` that counts the turns of each hand instead of storing entries."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[int | None] = []  # for each finished hand, the turn in which it ended
        self._begin()

    def _begin(self) -> None:
        self._turns_begun = [0, 0]  # turns of each seat in this hand

    def append(self, event: Admitted) -> None:
        self._turns_begun[event.author] += isinstance(move_of(event.message), BEGINS_TURN)
        result = result_of(event)
        if result is not None:
            self.turns.append(None if result.knocker is None else self._turns_begun[result.knocker])
            self._begin()


# --- verifying, once for each log -----------------------------------------------------
#
# The whole file is read each time, and exactly these bytes are judged or looked up in the home's
# index (ginpeer.store.log_index, rules 3 and 4). So a changed log is a different log, whatever the
# file's name or time.


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
    home.save_cache()  # now, so that the result isn't lost if the user interrupts the next log
    return found


def _cache_verdict(home: Home, match: StoredMatch, counted: CountedLog) -> None:
    """Store the verdict for lists, which don't read the log."""
    kept = CachedVerdict(counted.word, counted.entries, counted.sentence)
    home.cache(match, kept)


def digest_of(data: bytes) -> str:
    """Return the name under which the home caches results for a log with exactly these bytes."""
    return hashlib.sha256(data).hexdigest()


# --- the counts -----------------------------------------------------------------------


@dataclass(slots=True)
class Average:
    """A sum, and the number of its values."""

    sum: int = 0
    of: int = 0

    def add(self, value: int) -> None:
        self.sum += value
        self.of += 1


@dataclass(slots=True)
class Streak:
    won: int = 0  # the longest winning streak
    lost: int = 0
    now: int = 0  # the current streak: positive if won, negative if lost

    def add(self, outcome: int) -> None:
        """Add a match: *outcome* is 1 for a win, -1 for a loss, 0 for a draw."""
        goes_on = self.now * outcome > 0
        self.now = self.now + outcome if goes_on else outcome
        self.won, self.lost = max(self.won, self.now), max(self.lost, -self.now)


@dataclass(slots=True)
class Counts:
    """Everything that is counted. ``add`` the matches in the order in which they were played."""

    matches: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0  # matches that nobody won
    resigned: int = 0  # matches that we resigned; they count as lost, too
    resigned_against: int = 0
    hands: int = 0
    hands_won: int = 0
    hands_lost: int = 0
    hands_drawn: int = 0  # hands that nobody won: void, or a tie
    gins: int = 0
    gins_against: int = 0
    big_gins: int = 0
    big_gins_against: int = 0
    knocks: int = 0
    knocks_against: int = 0
    undercuts: int = 0  # hands in which the opponent knocked and we had at most as much deadwood
    undercuts_against: int = 0
    points: int = 0  # points from hands
    points_against: int = 0
    totals: int = 0  # points of finished matches, with every bonus
    totals_against: int = 0
    knock_deadwood: Average = field(default_factory=Average)  # our deadwood when we knocked
    caught_deadwood: Average = field(default_factory=Average)
    """Our deadwood when the opponent ended the hand."""
    turn: Average = field(default_factory=Average)
    """In which of our turns we ended a hand, on average."""
    turn_against: Average = field(default_factory=Average)
    streak: Streak = field(default_factory=Streak)
    turns: Counter[int] = field(default_factory=Counter)
    """How many hands we ended in our first turn, our second, and so on."""
    deadwoods: Counter[int] = field(default_factory=Counter)
    """How many hands we ended by knocking with each deadwood."""
    margins: list[int] = field(default_factory=list)
    """For each match, our total less the opponent's."""

    def add(self, match: PlayedMatch, seat: int) -> None:
        self.matches += 1
        outcome = 0 if match.winner is None else 1 if match.winner == seat else -1
        self.won += outcome > 0
        self.lost += outcome < 0
        self.drawn += not outcome
        self.streak.add(outcome)
        self.resigned += match.resigned == seat
        self.resigned_against += match.resigned == 1 - seat
        if match.totals is not None:
            ours, theirs = match.totals[seat], match.totals[1 - seat]
            self.totals += ours
            self.totals_against += theirs
            self.margins.append(ours - theirs)
        for hand in match.hands:
            self._add_hand(hand, seat)

    def _add_hand(self, hand: PlayedHand, seat: int) -> None:
        result = hand.result
        self.hands += 1
        self.hands_won += result.winner == seat
        self.hands_lost += result.winner == 1 - seat
        self.hands_drawn += result.winner is None
        if result.winner is not None:
            self.points += result.points_of(seat)
            self.points_against += result.points_of(1 - seat)
        if result.knocker == seat:
            self._add_ours(result, hand.turn)
        elif result.knocker is not None:
            self._add_theirs(result, hand.turn)

    def _add_ours(self, result: HandResult, turn: int | None) -> None:
        match result.kind:
            case Outcome.GIN | Outcome.MAHJONG:
                self.gins += 1
            case Outcome.BIG_GIN:
                self.big_gins += 1
            case _:
                self.knocks += 1
                self.undercuts_against += result.kind is Outcome.UNDERCUT
                self.knock_deadwood.add(result.knocker_deadwood)
                self.deadwoods[result.knocker_deadwood] += 1
        if turn is not None:
            self.turn.add(turn)
            self.turns[turn] += 1

    def _add_theirs(self, result: HandResult, turn: int | None) -> None:
        match result.kind:
            case Outcome.GIN | Outcome.MAHJONG:
                self.gins_against += 1
            case Outcome.BIG_GIN:
                self.big_gins_against += 1
            case _:
                self.knocks_against += 1
                self.undercuts += result.kind is Outcome.UNDERCUT
        if result.kind is not Outcome.MAHJONG:
            self.caught_deadwood.add(result.defender_deadwood)
        if turn is not None:
            self.turn_against.add(turn)
