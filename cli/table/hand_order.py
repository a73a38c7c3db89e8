"""The order into which a player has put the cards, for as long as the hand lasts.

# Rule 1: a new card goes to the end, wherever it would fit, so that a player who has the hand read
#   out knows where to listen for it. A card that goes leaves no gap.
# Rule 2: the order only affects what is shown. It is kept in memory alone, and the next hand begins
#   in the order that `sort` has set.
"""

from __future__ import annotations

from collections.abc import Sequence

from cli.table.arguments import NewPlace
from cli.text.cards import Style
from ginpeer.rules.cards import Card, CardSet, Illegal, cards_of, mask_of


class HandOrder:
    """The cards of one hand in the player's order; empty while the hand is sorted by kind."""

    def __init__(self) -> None:
        self._cards: list[Card] = []
        self._hand: object = None

    def of(self, held: CardSet, hand: object) -> tuple[Card, ...]:
        """Return the cards *held* in this *hand* in the player's order; empty if sorted by kind."""
        if hand != self._hand:
            self._cards, self._hand = [], hand
        if self._cards:
            self._cards = [card for card in self._cards if held & card.bit]
            self._cards += cards_of(held & ~mask_of(self._cards))
        return tuple(self._cards)

    def forget(self) -> None:
        """Go back to showing the hand sorted by kind."""
        self._cards = []

    def change(self, new: tuple[Card, ...] | NewPlace, shown: Sequence[Card], style: Style) -> None:
        """Put the cards that were *shown* in a new order: some cards first, or one card elsewhere.
        Raises Illegal for a card that is not among them."""
        named: tuple[Card | None, ...] = new if isinstance(new, tuple) else (new.card, new.beside)
        missing = [card for card in dict.fromkeys(named) if card is not None and card not in shown]
        if missing:
            them = "That is" if len(missing) == 1 else "These are"
            sentence = f"{them} not in your hand: {style.cards(missing)}. Nothing was moved."
            raise Illegal("card-not-held", sentence)
        if not isinstance(new, NewPlace):
            self._cards = [*new, *(card for card in shown if card not in new)]
            return
        cards = [card for card in shown if card != new.card]
        if new.beside is None:
            at = 0 if new.before else len(cards)
        else:
            at = cards.index(new.beside) + (not new.before)
        self._cards = [*cards[:at], new.card, *cards[at:]]
