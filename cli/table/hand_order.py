"""The order in which a player has laid the hand by hand, for as long as the hand lasts.

# Rule 1: a card that comes stands at the end, wherever it would fit: whoever hears the hand read
#   aloud knows where to listen for it. What goes leaves no gap.
# Rule 2: the order is what is shown, and nothing more. It is in memory alone, and the next hand
#   begins in the order of its kind.
"""

from __future__ import annotations

from collections.abc import Sequence

from cli.table.command import Order, Place
from cli.text.cards import Style
from ginpeer.rules.cards import Card, CardSet, Illegal, cards_of, mask_of


class HandOrder:
    """The cards of one hand in the player's order; none while there is no such order."""

    def __init__(self) -> None:
        self._cards: list[Card] = []
        self._hand: object = None

    def of(self, held: CardSet, hand: object) -> tuple[Card, ...]:
        """The cards *held* in this *hand* of the match, in the player's order; none: by kind."""
        if hand != self._hand:
            self._cards, self._hand = [], hand
        if self._cards:
            self._cards = [card for card in self._cards if held & card.bit]
            self._cards += cards_of(held & ~mask_of(self._cards))
        return tuple(self._cards)

    def forget(self) -> None:
        """The hand is shown by kind again."""
        self._cards = []

    def change(self, command: Order | Place, shown: Sequence[Card], style: Style) -> None:
        """Lay the cards that were *shown* anew. Raises Illegal for one that is not among them."""
        named = command.cards if isinstance(command, Order) else command.named
        missing = [card for card in dict.fromkeys(named) if card not in shown]
        if missing:
            them = "That is" if len(missing) == 1 else "These are"
            sentence = f"{them} not in your hand: {style.cards(missing)}. Nothing was moved."
            raise Illegal("card-not-held", sentence)
        if isinstance(command, Order):
            rest = [card for card in shown if card not in command.cards]
            self._cards = [*command.cards, *rest]
            return
        cards = [card for card in shown if card != command.card]
        if command.beside is None:
            at = 0 if command.before else len(cards)
        else:
            at = cards.index(command.beside) + (not command.before)
        self._cards = [*cards[:at], command.card, *cards[at:]]
