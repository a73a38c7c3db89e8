"""A match: hands until one player reaches the target, and the final account (RULES 8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ginpeer.rules.cards import Card, Illegal, Unreadable
from ginpeer.rules.presets import parse_ruleset
from ginpeer.rules.ruleset import RuleSet, Shutout
from ginpeer.rules.score import HandResult, Outcome, parse_result


def cut_dealer(cards: tuple[Card, Card]) -> int:
    """The seat that deals first: the one that cut the lower card (RULES 8.1).

    Equal ranks are decided by suit: clubs, diamonds, hearts, spades, clubs the lowest.
    """
    mine, theirs = ((card.rank, card.suit) for card in cards)
    if mine == theirs:
        raise Illegal("cut-twice", f"Both players cannot cut {cards[0]}.")
    return 0 if mine < theirs else 1


@dataclass(frozen=True, slots=True)
class Line:
    """One player's side of the final account, in points."""

    hand_points: int
    shutout: int  # the hand points once more
    game_bonus: int
    boxes: int

    @property
    def total(self) -> int:
        return self.hand_points + self.shutout + self.game_bonus + self.boxes


@dataclass(frozen=True, slots=True)
class Settlement:
    """The final account: a line for each seat.

    ``margin`` is the winner's total less the other's. It can be negative: boxes go to both, and who
    reached the target first has won.
    """

    winner: int
    lines: tuple[Line, Line]

    @property
    def totals(self) -> tuple[int, int]:
        return self.lines[0].total, self.lines[1].total

    @property
    def margin(self) -> int:
        return self.totals[self.winner] - self.totals[1 - self.winner]


@dataclass(frozen=True, slots=True, repr=False)
class Match:
    """The hands played so far. Begin with ``Match.begin``; scores and dealer follow from them."""

    rules: RuleSet
    first_dealer: int
    results: tuple[HandResult, ...] = ()
    resigned: int | None = None

    @classmethod
    def begin(cls, rules: RuleSet, dealer: int) -> Match:
        """A match in which this seat deals first. Raises what ``rules.check`` raises."""
        rules.check()
        return cls(rules, dealer)

    @property
    def dealer(self) -> int:
        """Who deals the hand being played, or the next one: alternates, except that a void hand is
        dealt again by the same player (RULES 8.2)."""
        played = sum(result.kind is not Outcome.VOID for result in self.results)
        return (self.first_dealer + played) % 2

    @property
    def scores(self) -> tuple[int, int]:
        """The points from hands, without any bonus of the match."""
        return self._points(0), self._points(1)

    @property
    def hands_won(self) -> tuple[int, int]:
        return self._won(0), self._won(1)

    @property
    def finished(self) -> bool:
        return self.resigned is not None or max(self.scores) >= self.rules.target

    @property
    def winner(self) -> int | None:
        """Who reached the target or did not resign; None while the match goes on."""
        if self.resigned is not None:
            return 1 - self.resigned
        for seat, score in enumerate(self.scores):
            if score >= self.rules.target:  # only one can: a hand gives points to one player
                return seat
        return None

    def record(self, result: HandResult) -> Match:
        """The match after one more hand. Raises Illegal when it is finished."""
        self._check_goes_on()
        return replace(self, results=(*self.results, result))

    def resign(self, seat: int) -> Match:
        """The match given up by this seat. Raises Illegal when it is finished."""
        self._check_goes_on()
        return replace(self, resigned=seat)

    def settlement(self) -> Settlement:
        """The final account (RULES 8.4 to 8.7). Raises Illegal before the match is finished."""
        winner = self.winner
        if winner is None:
            raise Illegal("match-goes-on", "The match is not finished; nothing is settled yet.")
        return Settlement(winner, (self._line(0, winner), self._line(1, winner)))

    def _line(self, seat: int, winner: int) -> Line:
        points, boxes = self._points(seat), self._won(seat) * self.rules.box
        if seat != winner:
            return Line(points, 0, 0, boxes)
        shutout, bonus = 0, self.rules.game_bonus
        if self.resigned is None:
            if self.rules.shutout is Shutout.DOUBLE_HANDS and self._won(1 - seat) == 0:
                shutout = points
            if self.rules.shutout is Shutout.DOUBLE_GAME_BONUS and self._points(1 - seat) == 0:
                bonus *= 2
        return Line(points, shutout, bonus, boxes)

    def _points(self, seat: int) -> int:
        return sum(result.points for result in self.results if result.winner == seat)

    def _won(self, seat: int) -> int:
        return sum(result.winner == seat for result in self.results)

    def _check_goes_on(self) -> None:
        if self.finished:
            raise Illegal("match-over", "The match is finished.")

    def __str__(self) -> str:
        parts = [str(self.rules), f"first dealer {self.first_dealer}", *map(str, self.results)]
        if self.resigned is not None:
            parts.append(f"seat {self.resigned} resigned")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"parse_match({str(self)!r})"


def parse_match(text: str) -> Match:
    """The match of a text as ``str`` writes it. Raises Unreadable, Illegal or Unsupported."""
    rules, *parts = text.split("; ")
    dealers = {"first dealer 0": 0, "first dealer 1": 1}
    if not parts or parts[0] not in dealers:
        raise Unreadable("unreadable-match", "A match begins with rules and the first dealer.")
    match = Match.begin(parse_ruleset(rules), dealers[parts[0]])
    for part in parts[1:]:
        if part in ("seat 0 resigned", "seat 1 resigned"):
            match = match.resign(int(part[5]))
        else:
            match = match.record(parse_result(part))
    return match
