"""What one player sees: the table and the own hand, never the other's."""

from __future__ import annotations

from dataclasses import dataclass

from ginpeer.rules.cards import CardSet, check_seat
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.moves import Move


@dataclass(frozen=True, slots=True)
class View:
    """The hand and the match from one seat. The other hand is stripped, whoever builds the view.
    ``print`` shows the table as that seat sees it."""

    seat: int
    hand: Hand
    match: Match

    def __post_init__(self) -> None:
        check_seat(self.seat)
        if self.hand.hands[1 - self.seat] is not None or self.hand.stock is not None:
            object.__setattr__(self, "hand", self.hand.seen_by(self.seat))

    def __str__(self) -> str:
        return self.hand.board()

    @property
    def cards(self) -> CardSet:
        """The own hand. Raises Illegal ("hand-unknown") if the view was built without it."""
        return self.hand.hand_of(self.seat)

    @property
    def known(self) -> CardSet:
        """The own hand as far as it is known: without the card just drawn from the stock while it
        has not come yet. That can take as long as the other player likes."""
        return self.hand.hands[self.seat] or 0

    @property
    def my_turn(self) -> bool:
        return self.hand.result is None and self.hand.to_move == self.seat

    def legal_moves(self) -> tuple[Move, ...]:
        """What this player may do now (``Hand.legal_moves``); empty when the other is to move."""
        return self.hand.legal_moves() if self.my_turn else ()

    def sensible_moves(self) -> tuple[Move, ...]:
        """Those of them that can be best (``Hand.sensible_moves``)."""
        return self.hand.sensible_moves() if self.my_turn else ()
