"""What is answered while one walks through a match.

# Rule 1: a way that was gone is answered by what happened there, in one or two lines mostly; where
#         one is, is said only when asked, and when one comes into another hand by something else
#         than its deal.
# Rule 2: nothing is judged or valued before somebody comes to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cli.failure import Failure
from cli.text.grammar import inside, plural
from cli.text.replay import StepNarrator, ValueOfStep, no_value
from cli.text.score_sheet import score_sheet
from cli.walk.guide import help_lines
from cli.walk.orders import NoOrder, Order, order_of
from ginpeer.record import Highest, Landmark, Walk
from ginpeer.rules.match import Match


@dataclass(frozen=True, slots=True)
class Company:
    """Who played, and who walks. ``names`` of host and guest; ``own``, the seat of who walks, None
    in a match of others; ``seat_named`` finds a seat by what is typed, and raises Failure;
    ``valued`` says what choices were worth, and raises Failure where nothing can be;
    ``behind``, what is said at the end of a log that does not hold or breaks off."""

    names: tuple[str, str]
    own: int | None
    seat_named: Callable[[str], int]
    valued: Callable[[], ValueOfStep]
    behind: tuple[str, ...] = ()


class Answers:
    """The answer to each line; ``over`` once somebody has enough of it."""

    def __init__(self, walk: Walk, teller: StepNarrator, company: Company) -> None:
        self.over = False
        self._walk = walk
        self._teller = teller
        self._with = company

    def here(self) -> list[str]:
        """The step that one stands at."""
        first, *others = self._teller.lines(self._walk.step)
        return [first, *(f"  {line}" for line in others)]

    def to(self, line: str) -> list[str]:
        """What is said to a line that was typed."""
        order = order_of(line)
        if isinstance(order, NoOrder):
            return [order.sentence]
        try:
            return _ANSWERS[order.word](self, order)
        except Failure as why:
            return [why.sentence]

    # --- ways to go ----------------------------------------------------------------------

    def _go(self, order: Order) -> list[str]:
        """next and back."""
        back, walk = order.word == "back", self._walk
        if order.aim in ("knock", "discard"):
            return self._to_landmark(Landmark(order.aim), order.player, back=back)
        if order.aim == "hand":
            hand = walk.hand or (walk.hands + 1 if walk.place else 0)
            return self._came(walk.to_hand(hand + (-1 if back else 1)), "There is no hand there.")
        if order.aim == "turn":
            return self._came(walk.to_turn(walk.turn + (-1 if back else 1)), self._no_turn())
        if walk.go(-order.number if back else order.number):
            return self.here()
        if not order.number:
            return self.here()
        return ["This is the beginning."] if back else self._end()

    def _end(self) -> list[str]:
        return ["This is the end; back goes back, score shows the sheet.", *self._with.behind]

    def _to_landmark(self, landmark: Landmark, player: str, *, back: bool) -> list[str]:
        anybody = landmark is Landmark.KNOCK and not player
        seats = (0, 1) if anybody else self._seats(player, own=True)
        whose = f" by {inside(self._with.names[seats[0]])}" if len(seats) == 1 else ""
        where = "before this" if back else "from here on"
        hand = self._walk.hand
        found = self._walk.to_next(landmark, seats, back=back)
        return self._came(found, f"No {landmark.value}{whose} {where}.", hand)

    def _numbered(self, order: Order) -> list[str]:
        """hand, turn and entry."""
        walk, number = self._walk, order.number
        if order.word == "hand":
            return self._came(walk.to_hand(number) or walk.hand == number > 0, self._no_hand())
        if order.word == "turn":
            return self._came(walk.to_turn(number) or walk.turn == number > 0, self._no_turn())
        hand = walk.hand
        return self._came(walk.to_entry(number), f"No other step has entry {number}.", hand)

    def _no_hand(self) -> str:
        hands = self._walk.hands
        return f"The hands here are 1 to {hands}." if hands > 1 else _NO_OTHER_HAND[hands]

    def _no_turn(self) -> str:
        if not self._walk.hand:
            return "This is no hand, and has no turns."
        return f"This hand has {plural(self._walk.turns, 'turn')}."

    def _edge(self, order: Order) -> list[str]:
        """start and end of the hand, first and last of the match."""
        way = {
            "start": self._walk.to_hand_start,
            "end": self._walk.to_hand_end,
            "first": self._walk.to_start,
            "last": self._walk.to_end,
        }[order.word]
        if order.word in ("start", "end") and not self._walk.hand:
            return ["This is no hand; first and last go to the ends of the match."]
        way()
        return self.here()

    def _highest(self, order: Order) -> list[str]:
        hand, seats = self._walk.hand, self._seats(order.player)
        if not hand and not order.everywhere:
            return ["This is no hand; highest match looks in all of them."]
        found = self._walk.to_highest(seats, everywhere=order.everywhere)
        if found is None:
            return ["No discard is seen that leaves a hand to be counted."]
        return [self._highest_told(found, order.everywhere), *self.here()]

    def _highest_told(self, found: Highest, everywhere: bool) -> str:
        walk = self._walk
        hand = f"hand {walk.hand}, " if everywhere else ""
        name = inside(self._with.names[found.seat])
        return f"Highest after a discard: {name} with {found.count}, {hand}turn {walk.turn}."

    def _came(self, found: bool, otherwise: str, hand: int | None = None) -> list[str]:
        """What is told where one has come to; *hand*: where one came from, if it may be another."""
        if not found:
            return [otherwise]
        if hand is None or hand == self._walk.hand or not self._walk.hand:
            return self.here()
        return [f"Hand {self._walk.hand}, turn {self._walk.turn}.", *self.here()]

    def _seats(self, player: str, *, own: bool = False) -> tuple[int, ...]:
        """The player that was named; else, with *own*, the one who walks; else those who are looked
        at."""
        if player and player.casefold() != "both":
            return (self._with.seat_named(player),)
        if not player and own and self._with.own is not None:
            return (self._with.own,)
        eyes = self._walk.eyes
        return (0, 1) if eyes is None or player else (eyes,)

    # --- what one may ask ----------------------------------------------------------------

    def _table(self, order: Order) -> list[str]:
        return self._teller.position(self._walk.step)

    def _where(self, order: Order) -> list[str]:
        walk = self._walk
        last = walk.step_at(walk.last).entries[-1].sequence
        entry = f"entry {walk.step.entry}; the last is {last}"
        if not walk.hand:
            return [f"About the match, {entry}."]
        turn = f"turn {walk.turn} of {walk.turns}" if walk.turn else "the deal"
        return [f"Hand {walk.hand} of {walk.hands}, {turn}, {entry}."]

    def _score(self, order: Order) -> list[str]:
        match: Match | None = self._walk.step.entries[-1].after.match
        if match is None or not match.results:
            return ["No hand is over yet."]
        return score_sheet(match, self._with.names)

    # --- how it is told ------------------------------------------------------------------

    def _seat(self, order: Order) -> list[str]:
        eyes = None if order.player.casefold() == "both" else self._with.seat_named(order.player)
        self._walk.see(eyes)
        whose = "both players" if eyes is None else inside(self._with.names[eyes])
        return [f"Now the cards of {whose}, as far as they are known.", *self.here()]

    def _switch(self, order: Order) -> list[str]:
        if order.word == "words":
            style = replace(self._teller.style, words=order.on)
            self._teller = replace(self._teller, style=style)
        elif order.word == "full":
            self._teller = replace(self._teller, full=order.on)
        else:
            valued = self._with.valued() if order.on else no_value
            self._teller = replace(self._teller, valued=valued)
        return self.here()

    def _help(self, order: Order) -> list[str]:
        return list(help_lines())

    def _quit(self, order: Order) -> list[str]:
        self.over = True
        return []


_NO_OTHER_HAND = ("There is no hand here.", "There is one hand here, number 1.")
_ANSWERS: dict[str, Callable[[Answers, Order], list[str]]] = {
    **dict.fromkeys(("next", "back"), Answers._go),
    **dict.fromkeys(("hand", "turn", "entry"), Answers._numbered),
    **dict.fromkeys(("start", "end", "first", "last"), Answers._edge),
    **dict.fromkeys(("words", "full", "values"), Answers._switch),
    "highest": Answers._highest,
    "table": Answers._table,
    "where": Answers._where,
    "score": Answers._score,
    "seat": Answers._seat,
    "help": Answers._help,
    "quit": Answers._quit,
}
