"""When a command is possible, and what Tab offers behind it (cli.table.commands).

# Rule 1: this is decided from what our player may know: our view, and what we are asked.
# Rule 2: a card is offered as letters, which every keyboard has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from cli.table.possible_moves import fits_on, knock_options, layable, several_counts
from cli.table.table_state import TableState
from cli.text.cards import Style
from ginpeer.rules.cards import Card, cards_of
from ginpeer.rules.hand import Phase
from ginpeer.rules.view import View

_LETTERS = Style()

Completer = Callable[[TableState], Iterable[str]]
Condition = Callable[[TableState], bool]


# --- when it is possible ----------------------------------------------------------------


def in_phase(*phases: Phase, mahjong: bool | None = None) -> Condition:
    """Allow a command in our turn in these phases; *mahjong*: only there, or only elsewhere."""

    def is_possible(state: TableState) -> bool:
        hand = None if state.view is None else state.view.hand
        return hand is not None and hand.phase in phases and mahjong in (None, hand.rules.mahjong)

    return is_possible


def with_cards(offer: Completer) -> Condition:
    """Allow a command after the draw, if there are cards to offer behind it."""
    return lambda state: in_phase(Phase.DISCARD)(state) and any(True for _ in offer(state))


def can_go_big_gin(state: TableState) -> bool:
    """Return whether our player can go big gin now."""
    return state.view is not None and any(
        each.discard is None for each in knock_options(state.view)
    )


def can_lay_off(state: TableState) -> bool:
    """Return whether a card of ours fits on a meld of the knocker."""
    possible = in_phase(Phase.LAY_OFF, mahjong=False)(state)
    return possible and state.view is not None and bool(fits_on(state.view))


def can_resign(state: TableState) -> bool:
    """Return whether it is our turn."""
    return state.view is not None and state.view.hand.phase is not Phase.OVER


def is_connected(state: TableState) -> bool:
    """Return whether the other player has joined."""
    return state.session is not None


def has_hand(state: TableState) -> bool:
    """Return whether cards have been dealt to us."""
    return state.look() is not None


def can_get_hint(state: TableState) -> bool:
    """Return whether our player practises a game that the adviser knows."""
    return state.practice and state.view is not None and not state.view.hand.rules.mahjong


def is_offered(state: TableState) -> bool:
    """Return whether our player is asked to accept a match, or to offer one."""
    return state.questions.offer is not None or state.questions.asks_aside


def is_asked(state: TableState) -> bool:
    """Return whether our player is asked something that yes or no answers."""
    session = state.session
    paused = session is not None and (session.pause_offered or session.pause_wanted)
    return is_offered(state) or paused or state.questions.confirming is not None


# --- what Tab offers behind a command ---------------------------------------------------


def fixed_words(*words: str) -> Completer:
    """Completer these words, whatever the state."""
    return lambda state: words


def named_cards(cards: Callable[[View], Iterable[Card | None]]) -> Completer:
    """Completer these cards of our view, as they are typed."""

    def offer(state: TableState) -> Iterator[str]:
        if state.view is not None:
            for card in cards(state.view):
                if card is not None:
                    yield _LETTERS.card(card).lower()

    return offer


def cards_in_hand(view: View) -> Iterable[Card]:
    """Return all our cards."""
    return cards_of(view.cards)


def _discardable(view: View) -> Iterable[Card]:
    if view.hand.phase is Phase.DISCARD:
        return [card for card in cards_of(view.cards) if card != view.hand.taken]
    return []


def _knocking(view: View) -> Iterable[Card | None]:
    return [option.discard for option in knock_options(view)]


def _going_gin(view: View) -> Iterable[Card | None]:
    return [option.discard for option in knock_options(view) if not option.deadwood]


def cards_that_fit(view: View) -> Iterable[Card]:
    """Return our cards that fit on an open meld, after the other player has knocked."""
    if view.hand.phase is not Phase.LAY_OFF:
        return []
    ways, melds = view.hand.melding, view.hand.open_melds
    return [card for card in cards_of(view.cards) if any(ways.fits(card, meld) for meld in melds)]


def _addable(view: View) -> Iterable[Card]:
    _, adds = layable(view)
    return [*cards_that_fit(view), *(card for card, _ in adds)]


def melds_to_lay(state: TableState) -> Iterator[str]:
    """Completer melds that can be laid; after a knock, cards to lay off."""
    yield from named_cards(cards_that_fit)(state)
    if state.view is not None:
        for meld in layable(state.view)[0]:
            yield "".join(_LETTERS.card(card).lower() for card in cards_of(meld))


def counts_to_take(state: TableState) -> Iterable[str]:
    """Completer how many cards of the pile can be taken."""
    return [] if state.view is None else map(str, several_counts(state.view))


cards_to_discard = named_cards(_discardable)
cards_to_knock = named_cards(_knocking)
cards_to_go_gin = named_cards(_going_gin)
cards_to_add = named_cards(_addable)
