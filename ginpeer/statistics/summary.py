"""Verified matches, what they add up to for one player, and all statistics of that player: against
people and bots, by rule set and by opponent.

Rule 1: only the referee's result of a hand counts, never what somebody said about it.
Rule 2: a knock is a hand that a player ended with deadwood left, whoever won it; gin and big gin
        aren't knocks. Deadwood is averaged over knocks alone, because gin has none; turns are
        averaged over knocks, gins and big gins.
Rule 3: in Mahjong gin a hand ends with gin, both players score, and cards have different values. So
        its gins and points count, but its deadwood doesn't.
Rule 4: a tie that the rules give the defender counts as an undercut, as the rules call it.
Rule 5: each match counts once, whatever its file is called; its table and keys identify it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Annotated, Any

from ginpeer.adviser.advise import can_advise
from ginpeer.analysis.decisions import MIN_MISTAKE_LOSS, Decision, DecisionKind, analyse
from ginpeer.names import safe
from ginpeer.record import CachedVerdict, Progress, Record, judge_log
from ginpeer.record.steps import BEGINS_TURN
from ginpeer.record.verdict_document import key_fields
from ginpeer.referee.referee import Admitted, Finding, result_of
from ginpeer.referee.table import Table, move_of
from ginpeer.rules import Knock
from ginpeer.rules.score import HandResult, Outcome
from ginpeer.store import Home, StoredMatch, UnreadableLog, log_file_bytes, open_log
from ginpeer.store.json_files import within

# --- verified matches -----------------------------------------------------------------

_Seat = Annotated[int, within(0, 1)]


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One finished hand."""

    result: HandResult
    turn: int | None
    """The number of the knocker's turn in which the hand ended, counted from 1 and including passes
    (as in ginpeer.record); None if nobody ended it."""


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
        """Return the match at the end of a log; None if the first dealer isn't known yet.
        *turns*: for each finished hand, its ``PlayedHand.turn``."""
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
            tuple(map(PlayedHand, match.results, turns)),
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


@dataclass(frozen=True, slots=True)
class CountedLog:
    """The verdict on a log, and its match. The match is None if the log doesn't count."""

    word: str  # valid, incomplete, illegal, forged or unreadable
    code: str
    match: PlayedMatch | None


def verify_log(home: Home, match: StoredMatch, progress: Progress | None = None) -> CountedLog:
    watched = TurnCounter()
    try:
        with open_log(match.path) as log:
            verdict = judge_log(log, progress, watched)
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
    found = CountedLog(verdict.word, code, played)
    if code not in ("disk-error", "no-permission"):  # these may be temporary
        home.cache(match, found)
        home.cache(match, CachedVerdict.of(verdict))  # for lists
        home.save_cache()  # now, so that the result isn't lost if the user interrupts the next log
    return found


# --- what matches add up to ------------------------------------------------------------


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
    """The number of our turn in which we ended a hand."""
    turn_against: Average = field(default_factory=Average)
    streak: Streak = field(default_factory=Streak)
    turns: Counter[int] = field(default_factory=Counter)
    """How many hands we ended in our first turn, our second, and so on."""
    deadwoods: Counter[int] = field(default_factory=Counter)
    """How many hands we ended by knocking with each deadwood."""
    margins: list[int] = field(default_factory=list)
    """For each match, our total minus the opponent's."""

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
        if result.knocker is not None:
            self._add_ending(hand, ours=result.knocker == seat)

    def _add_ending(self, hand: PlayedHand, *, ours: bool) -> None:
        """Add how we ended a hand, or how the opponent did."""
        result = hand.result
        match result.kind:
            case Outcome.GIN | Outcome.MAHJONG:
                self.gins += ours
                self.gins_against += not ours
            case Outcome.BIG_GIN:
                self.big_gins += ours
                self.big_gins_against += not ours
            case _:
                self.knocks += ours
                self.knocks_against += not ours
                undercut = result.kind is Outcome.UNDERCUT
                self.undercuts += undercut and not ours
                self.undercuts_against += undercut and ours
                if ours:
                    self.knock_deadwood.add(result.knocker_deadwood)
                    self.deadwoods[result.knocker_deadwood] += 1
        if not ours and result.kind is not Outcome.MAHJONG:
            self.caught_deadwood.add(result.defender_deadwood)
        if hand.turn is not None:
            (self.turn if ours else self.turn_against).add(hand.turn)
            if ours:
                self.turns[hand.turn] += 1


# --- the player's choices -------------------------------------------------------------
#
# How many were mistakes, and what they cost. The adviser values each choice by what the player saw
# (ginpeer.analysis). It may be wrong, so nothing that is counted elsewhere depends on it.


@dataclass(frozen=True, slots=True)
class KindCount:
    """Choices of one kind, the mistakes among them, and their cost in hundredths of a point."""

    choices: int = 0
    mistakes: int = 0
    hundredths: int = 0

    def __add__(self, other: KindCount) -> KindCount:
        return KindCount(
            self.choices + other.choices,
            self.mistakes + other.mistakes,
            self.hundredths + other.hundredths,
        )


@dataclass(frozen=True, slots=True)
class ChoiceCounts:
    """The choices of one player, by kind. A knock with the wrong melds or discard isn't a mistake
    here: only its timing counts."""

    draws: KindCount = KindCount()
    discards: KindCount = KindCount()
    knocks: KindCount = KindCount()  # knocks made; a mistake means that the knock came too early
    waits: KindCount = KindCount()  # possible knocks not made; a mistake means it was time to knock

    def __add__(self, other: ChoiceCounts) -> ChoiceCounts:
        return ChoiceCounts(
            *(getattr(self, each.name) + getattr(other, each.name) for each in fields(self))
        )


def count_choices(decisions: tuple[Decision, ...]) -> ChoiceCounts:
    """Count these decisions by kind. Answers to a knock aren't counted."""
    found = ChoiceCounts()
    for each in decisions:
        knocked, better = (isinstance(one.move, Knock) for one in (each.played, each.best))
        wrong = each.loss >= MIN_MISTAKE_LOSS and (
            each.kind is not DecisionKind.KNOCK or knocked != better
        )
        count = KindCount(1, int(wrong), round(100 * each.loss) if wrong else 0)
        match each.kind:
            case DecisionKind.DRAW:
                found += ChoiceCounts(draws=count)
            case DecisionKind.THROW:
                # If the player could have knocked and was right not to, only the discard is judged.
                found += ChoiceCounts(discards=count, waits=KindCount(int(each.could_knock)))
            case DecisionKind.KNOCK if knocked:
                found += ChoiceCounts(knocks=count)
            case DecisionKind.KNOCK:
                found += ChoiceCounts(waits=count)
    return found


def choices_in(home: Home, match: StoredMatch, seat: int) -> ChoiceCounts:
    """Return the choices of this seat in a stored match, whose log has been verified; none if the
    adviser doesn't cover its rules, or if the seat's cards aren't known."""
    stamp = str(home.state_of(match.name))  # covers the seeds, too: they reveal our cards
    place = replace(match, name=f"{match.name} {seat}", stamp=stamp)
    known = home.cached(place, ChoiceCounts)
    if known is not None:
        return known
    try:
        record = Record.read(log_file_bytes(match.path)).with_home(home)
    except UnreadableLog:
        return ChoiceCounts()
    found = ChoiceCounts()
    if record.match is not None and can_advise(record.match.rules):
        found = count_choices(analyse(record, seat, luck=False).decisions)
    home.cache(place, found)
    home.save_cache()
    return found


# --- all statistics of a player --------------------------------------------------------

NOT_OURS = "not-played-here"  # the code for a match that our key hasn't signed
COPY = "copy"  # the code for another log of a match that already counts
PRACTISED = "practised"  # the code for a finished match in which our player took a move back


@dataclass(frozen=True, slots=True)
class DatedLog:
    """A judged log, and what our notes say about its match."""

    counted: CountedLog
    played: float  # when the log was last written to, in seconds since 1970
    bot: bool = False  # whether the opponent was our own bot
    taken_back: bool = False  # whether our player took a move back


@dataclass(slots=True)
class Opponent:
    """Another player: the key, the latest name for it, and all matches with the key."""

    key: bytes
    name: str
    counts: Counts = field(default_factory=Counts)


@dataclass(slots=True)
class UnfinishedTotals:
    """Matches that are valid so far but not finished."""

    matches: int = 0
    hands: int = 0


@dataclass(slots=True)
class Summary:
    own: bytes | None  # our key; None if there is none yet, and then nothing counts
    friend: bytes | None  # the only opponent whose matches count; None for all
    people: Counts = field(default_factory=Counts)
    bots: Counts = field(default_factory=Counts)
    by_rules: dict[str, Counts] = field(default_factory=dict)
    """Matches with people, by the text of their rules."""
    opponents: dict[bytes, Opponent] = field(default_factory=dict)  # matches with people, by key
    unfinished: UnfinishedTotals = field(default_factory=UnfinishedTotals)
    """Unfinished matches with people and bots."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The number of logs that don't count, by code."""

    def _add(self, match: PlayedMatch, seat: int, *, bot: bool) -> None:
        if not match.finished:
            self.unfinished.matches += 1
            self.unfinished.hands += len(match.hands)
        elif bot:
            self.bots.add(match, seat)
        else:
            key, name = match.keys[1 - seat], match.names[1 - seat]
            opponent = self.opponents.setdefault(key, Opponent(key, name))
            opponent.name = name
            counted = (
                self.people,
                opponent.counts,
                self.by_rules.setdefault(match.rules, Counts()),
            )
            for counts in counted:
                counts.add(match, seat)


def _in_order(log: DatedLog) -> tuple[bool, bool, float]:
    """Return the sort key of a log: finished matches first, so that an unfinished copy never counts
    in place of the whole match; those with moves taken back before others, so that a copy without
    our notes never counts as won or lost; then by time."""
    match = log.counted.match
    return match is not None and not match.finished, not log.taken_back, log.played


def summarize(
    logs: Iterable[DatedLog],
    own: bytes | None,
    *,
    friend: bytes | None = None,
    bots: Collection[bytes] = (),
) -> Summary:
    """Add up these logs for our key *own*. With *friend*, ignore matches in which we know that this
    key didn't play. *bots* are the keys of this machine's bots."""
    found = Summary(own, friend)
    seen: set[tuple[bytes, tuple[bytes, bytes]]] = set()
    for log in sorted(logs, key=_in_order):
        match = log.counted.match
        if match is None:
            found.left_out[log.counted.code] += 1
            continue
        if friend is not None and friend not in match.keys:
            continue
        name = (match.table, match.keys)
        if own not in match.keys:
            found.left_out[NOT_OURS] += 1
        elif name in seen:
            found.left_out[COPY] += 1
        elif log.taken_back and match.finished:
            seen.add(name)
            found.left_out[PRACTISED] += 1
        else:
            seen.add(name)
            seat = match.keys.index(own)
            found._add(match, seat, bot=log.bot or match.keys[1 - seat] in bots)
    return found


# --- as JSON --------------------------------------------------------------------------


def stats_document(summary: Summary) -> dict[str, Any]:
    """Return what ``ginpeer stats --json`` prints; proto/stats.schema.json describes its keys."""
    return {
        "schema": 1,
        "player": _player(summary.own),
        "friend": _player(summary.friend),
        "people": _counts(summary.people),
        "bots": _counts(summary.bots),
        "rules": [
            {"rules": safe(rules), "counts": _counts(counts)}
            for rules, counts in sorted(summary.by_rules.items())
        ],
        "opponents": [
            {
                "name": safe(opponent.name),
                **key_fields(opponent.key),
                "counts": _counts(opponent.counts),
            }
            for opponent in sorted(summary.opponents.values(), key=lambda one: one.key)
        ],
        "unfinished": asdict(summary.unfinished),
        "left_out": [
            {"code": code, "logs": logs} for code, logs in sorted(summary.left_out.items())
        ],
    }


def _player(key: bytes | None) -> dict[str, str | None] | None:
    return None if key is None else key_fields(key)


def _counts(counts: Counts) -> dict[str, Any]:
    return {each.name: _plain(getattr(counts, each.name)) for each in fields(counts)}


def _plain(value: Any) -> Any:
    """Return a count as a JSON value; a Counter becomes the number of hands for each value."""
    if isinstance(value, Counter):
        return [{"value": key, "hands": hands} for key, hands in sorted(value.items())]
    return asdict(value) if isinstance(value, Average | Streak) else value
