"""Our hand on the screen: when it is shown, what an entry does to it, and the settings of the
display.

In the player's own order of the hand, a new card always goes to the end, so that a player using a
screen reader knows where to expect it. A discarded card leaves no gap. The order is kept only in
memory; the next hand begins in the order set by `sort`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cli.table.arguments import SWITCHES, Command, NewPlace
from cli.table.presenter import PersonPresenter, Presenter
from cli.table.table_state import MatchPort, TableState
from cli.terminal.console import Console
from cli.text.cards import Sort, Style, displayed_order
from cli.text.grammar import listed
from ginpeer.referee.referee import Admitted, taken_card
from ginpeer.rules.cards import CARDS, Card, CardSet, Illegal, cards_of, mask_of, popcount
from ginpeer.rules.hand import Phase
from ginpeer.rules.match import View
from protocol import messages as m


@dataclass(eq=False)
class Display:
    _console: Console
    _presenter: Presenter
    _state: TableState
    _port: MatchPort

    def __post_init__(self) -> None:
        self._held: CardSet = 0  # our cards as last noted, to recognise the next one drawn
        self._shown: CardSet = 0  # our cards when the hand was last shown
        self._reported: CardSet = 0  # our cards as far as the player has read about them
        self._order = HandOrder()

    def _drawn_card(self, event: Admitted) -> Card | None:
        """Return the card that this share gave us; None if it gave us none."""
        if not isinstance(event.message, m.Share) or event.author == self._state.seat:
            return None
        view = self._state.look()
        new = 0 if view is None else view.cards & ~self._held
        return Card(new.bit_length() - 1) if new.bit_count() == 1 else None

    def show_hand(self) -> None:
        view = self._state.look()
        if view is not None:
            self._held = self._shown = self._reported = view.known
            self._presenter.hand(view, self.in_order(view))

    def show_hand_before(self, asked: View | None) -> None:
        """Show our cards, unless the question about this choice (*asked*) contains them."""
        if asked is None or not self._presenter.shows_hand_in(asked):
            self.show_hand()

    def in_order(self, view: View) -> tuple[Card, ...]:
        table = self._state.table
        return self._order.of(view.known, (table.table_id, table.hand_number))

    def show_event(self, event: Admitted) -> None:
        """Show an entry and, if we got a card but the hand isn't shown, the new deadwood count."""
        seat, message = self._state.seat, event.message
        drawn = self._drawn_card(event)
        deadwood = None
        if isinstance(message, m.Discard) and event.author == seat:
            self._reported &= ~CARDS[message.card].bit
        elif drawn is not None or (isinstance(message, m.TakeUpcard) and event.author == seat):
            deadwood = self._deadwood_with(taken_card(event) if drawn is None else drawn)
        self._presenter.show_event(event, seat, drawn, deadwood)

    def _deadwood_with(self, card: Card) -> int | None:
        """Return the least deadwood with *card*, which we have just got. Return None if the hand is
        shown instead, for example if several cards have been exchanged since it was last shown."""
        view, presenter = self._state.look(), self._presenter
        if presenter.shows_hand or view is None or view.hand.rules.mahjong:
            return None
        now = self._reported | card.bit
        if now != view.known or (popcount(now ^ self._shown) > _EXCHANGE and not presenter.brief):
            return None
        self._reported = now
        return view.hand.melding.deadwood(now)

    def show_turn(self, view: View) -> None:
        if self._presenter.shows_hand_in(view):
            known = True
        elif not self._console.interactive:
            known = view.cards == self._shown
        else:
            begins = view.hand.phase is Phase.DRAW and bool(view.hand.moves)
            answers = view.hand.phase is Phase.LAY_OFF  # the best spread names our cards
            known = begins or answers or view.cards == self._reported
        if not known:
            self.show_hand()
        self._presenter.turn(view)

    def note_hand(self, view: View) -> None:
        """Remember our cards, so that the next card drawn can be recognised."""
        self._held = view.cards
        self.in_order(view)  # otherwise new cards wouldn't be added in the order they came

    # --- settings ----------------------------------------------------------------------

    def change(self, command: Command) -> None:
        """Change a setting of the display or of the questions. Raises Illegal."""
        presenter, state = self._presenter, self._state
        if not isinstance(presenter, PersonPresenter):
            fixed = "Output for programs has a fixed form."
            raise Illegal("no-terminal", f"That command works only in a terminal. {fixed}")
        said = ""
        match command.argument:
            case Sort() as sort:
                presenter.sort = sort
                self._order.forget()
            case tuple() | NewPlace() as order:
                self._arrange_hand(order)
            case on:
                spec = SWITCHES[command.name]
                said = spec.on if on else spec.off  # if empty, the hand is shown instead
                changes = {spec.setting: bool(on)}
                state.settings = replace(state.settings, **changes)  # type: ignore[arg-type]  # all bool
                self._port.keep_setting(spec.setting, bool(on))
                presenter.use_settings(state.settings)
                if command.name == "colours" and not presenter.style.colour:
                    presenter.info("Saved, but this terminal can't show colours.")
        if said:
            presenter.info(said)
        elif state.look() is None:
            presenter.info("Done. You will see the change once cards are dealt.")
        else:
            self.show_hand_before(state.view)

    def _arrange_hand(self, new: tuple[Card, ...] | NewPlace) -> None:
        view, presenter = self._state.look(), self._presenter
        if view is None:
            raise Illegal("no-hand", self._state.why_no_cards())
        sorted_cards = displayed_order(view.known, view.hand.rules, presenter.sort)
        self._order.change(new, self.in_order(view) or sorted_cards, presenter.style)


_EXCHANGE = 2  # how many cards change in a hand by one exchange: the old card and the new one


# --- the order of the hand --------------------------------------------------------------


class HandOrder:
    """The cards of one hand in the player's own order; empty while the hand is sorted."""

    def __init__(self) -> None:
        self._cards: list[Card] = []
        self._hand: object = None

    def of(self, held: CardSet, hand: object) -> tuple[Card, ...]:
        """Return the cards *held* in *hand* in the player's order; empty while it is sorted."""
        if hand != self._hand:
            self._cards, self._hand = [], hand
        if self._cards:
            self._cards = [card for card in self._cards if held & card.bit]
            self._cards += cards_of(held & ~mask_of(self._cards))
        return tuple(self._cards)

    def forget(self) -> None:
        self._cards = []

    def change(self, new: tuple[Card, ...] | NewPlace, shown: Sequence[Card], style: Style) -> None:
        """Put the cards in *new* before the rest of *shown*, or move one card to a new place.
        Raises Illegal if *shown* lacks a card."""
        named: tuple[Card | None, ...] = new if isinstance(new, tuple) else (new.card, new.beside)
        missing = [card for card in dict.fromkeys(named) if card is not None and card not in shown]
        if missing:
            lacking = listed(map(style.the, missing), "or")
            sentence = f"You don't have {lacking}. Nothing was moved."
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
