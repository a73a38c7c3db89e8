"""One player's view: the table and their own hand, never the opponent's."""

from __future__ import annotations

from dataclasses import dataclass

from ginpeer.rules.cards import CardSet, check_seat
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.moves import Move


@dataclass(frozen=True, slots=True)
class View:
    """The hand and the match as one seat sees them, always without the opponent's hand."""

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
        """The player's own hand. Raises Illegal ("hand-unknown") if the view lacks it."""
        return self.hand.hand_of(self.seat)

    @property
    def known(self) -> CardSet:
        """The player's own hand as far as it is known: without a drawn card whose share hasn't
        arrived yet, which can take as long as the opponent likes."""
        return self.hand.hands[self.seat] or 0

    @property
    def my_turn(self) -> bool:
        return self.hand.result is None and self.hand.to_move == self.seat

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every move that this player may make now; none if it isn't their turn."""
        return self.hand.legal_moves() if self.my_turn else ()

    def sensible_moves(self) -> tuple[Move, ...]:
        return self.hand.sensible_moves() if self.my_turn else ()
