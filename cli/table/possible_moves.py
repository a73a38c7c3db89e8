"""What the player can do now: which knocks, lays and takes are possible, what Enter alone does,
when a command is possible, and what Tab offers after it.

# House rules
#
# 1. The only input is a View or a TableState, so nothing here can know the opponent's hand.
# 2. Nothing here is worded: a person reads sentences (cli.table.turn_words), a program reads event
#    lines (cli.table.presenter).
# 3. Tab offers a card as letters, because every keyboard has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from cli.table.table_state import TableState
from cli.text.cards import Style
from ginpeer.rules.card_order import costliest_first
from ginpeer.rules.cards import Card, cards_of, mask_of, popcount
from ginpeer.rules.hand import Phase
from ginpeer.rules.mahjong import lays_with, single_lays
from ginpeer.rules.melds import Meld
from ginpeer.rules.moves import DrawStock, Lay, Move, Pass, Spread, TakeDiscards, TakeUpcard
from ginpeer.rules.view import View


@dataclass(frozen=True, slots=True)
class KnockOption:
    """A possible knock: the card to throw (None: big gin) and the deadwood that it leaves."""

    discard: Card | None
    deadwood: int


def knock_options(view: View) -> tuple[KnockOption, ...]:
    """List every possible knock, by least deadwood first, then by costliest discard."""
    hand, ways = view.hand, view.hand.melding
    if hand.phase is not Phase.DISCARD or hand.rules.mahjong:
        return ()
    options = [
        KnockOption(card, left)
        for card in costliest_first(view.cards, hand.rules)
        if card != hand.taken and (left := ways.deadwood(view.cards ^ card.bit)) <= hand.knock_limit
    ]
    options.sort(key=lambda option: option.deadwood)
    if hand.rules.big_gin is not None and ways.deadwood(view.cards) == 0:
        return (KnockOption(None, 0), *options)
    return tuple(options)


def enter_move(view: View) -> Move | None:
    """Return what an empty line does: draw, pass the last discard, or lay the best spread. None if
    it does nothing.

    Enter never knocks, and never discards, because pressing it twice would throw a card unseen. It
    doesn't draw if the upcard would go into a meld, because then drawing isn't the obvious choice.
    It doesn't pass the last discard if taking it might end the hand.
    """
    match view.hand.phase:
        case Phase.FIRST_DRAW:
            return DrawStock()
        case Phase.DRAW:
            return DrawStock() if not _tempting(view) else None
        case Phase.LAST_CHANCE:
            return None if could_end(view) else Pass()
        case Phase.LAY_OFF:
            return best_answer(view)
    return None


def fits_on(view: View) -> tuple[int, ...]:
    """Return the indexes of the open melds that one of our cards fits."""
    ways, cards = view.hand.melding, cards_of(view.cards)
    melds = view.hand.open_melds
    return tuple(
        at for at, meld in enumerate(melds) if any(ways.fits(card, meld) for card in cards)
    )


def forced(view: View) -> Move | None:
    """Return the only sensible move: the draw after two passes, the best spread if nothing can be
    laid off, or showing the rest in Mahjong gin. None if there is a choice."""
    match view.hand.phase:
        case Phase.FIRST_DRAW:
            return DrawStock()
        case Phase.LAY_OFF if view.hand.rules.mahjong or not fits_on(view):
            return best_answer(view)
    return None


def best_answer(view: View) -> Spread:
    """Return the spread that leaves the least deadwood; in Mahjong gin, one that shows all cards
    left."""
    hand = view.hand
    if hand.rules.mahjong:
        return Spread((), (), view.cards)
    return hand.melding.best_spread(view.cards, hand.open_melds)


def _tempting(view: View) -> bool:
    """Return whether the upcard would go into a meld, or several cards could be taken."""
    hand, ways = view.hand, view.hand.melding
    if hand.upcard is None:
        return False
    with_it = view.cards | hand.upcard.bit
    if hand.rules.mahjong:
        joins = any(ways.fits(hand.upcard, meld) for meld in hand.table_melds)
        loose = with_it & ~sum(ways.melds_in(with_it))
        return joins or not loose & hand.upcard.bit or bool(several_counts(view))
    loose_count = ways.deadwood(view.cards) + ways.pips(hand.upcard.bit)
    return ways.deadwood(with_it) != loose_count


def could_end(view: View) -> bool:
    """Return whether taking the last discard could let us end the hand with a knock. Always True in
    Mahjong gin, because nobody checks it there."""
    hand, upcard = view.hand, view.hand.upcard
    if hand.rules.mahjong or upcard is None:
        return True
    taken = View(view.seat, hand.apply(TakeUpcard()), view.match)
    return bool(knock_options(taken))


def several_counts(view: View) -> tuple[int, ...]:
    """Return every number of cards that can be taken from the pile together."""
    deepest = len(view.hand.pile) if view.hand.rules.mahjong else 0
    return tuple(count for count in range(2, deepest + 1) if several(count, view))


def several(count: int, view: View) -> tuple[TakeDiscards, ...]:
    """List every way to take *count* cards and lay the lowest, with the longest meld first."""
    hand = view.hand
    if hand.laid_melds is None or hand.phase is not Phase.DRAW or not 2 <= count <= len(hand.pile):
        return ()
    held = view.cards | mask_of(hand.pile[-count:])
    lays = lays_with(hand.pile[-count], held, hand.laid_melds, hand.melding)
    moves = [TakeDiscards(count, lay) for lay in lays]
    moves.sort(key=lambda move: (-popcount(move.lay.cards), str(move)))
    return tuple(move for move in moves if hand.is_legal(move))


def layable(view: View) -> tuple[tuple[Meld, ...], tuple[tuple[Card, int], ...]]:
    """Return what can be laid now: the melds of the hand, and each single card that fits a meld on
    the table, with that meld's index."""
    hand = view.hand
    if hand.laid_melds is None or hand.phase is not Phase.DISCARD:
        return (), ()
    melds = tuple(
        meld for meld in hand.melding.melds_in(view.cards) if hand.is_legal(Lay((meld,), ()))
    )
    lays = single_lays(view.cards, hand.laid_melds, hand.melding)
    adds = [lay.adds[0] for lay in lays if lay.adds and hand.is_legal(lay)]
    return melds, tuple(adds)


# --- when a command is possible -----------------------------------------------------------

_LETTERS = Style()

Completer = Callable[[TableState], Iterable[str]]
Condition = Callable[[TableState], bool]


def in_phase(*phases: Phase, mahjong: bool | None = None) -> Condition:
    """Allow a command during our turn in these phases. *mahjong*: only in Mahjong gin, or only in
    other games; None: in both."""

    def is_possible(state: TableState) -> bool:
        hand = None if state.view is None else state.view.hand
        return hand is not None and hand.phase in phases and mahjong in (None, hand.rules.mahjong)

    return is_possible


def with_cards(offer: Completer) -> Condition:
    """Allow a command after the draw, if there are cards to offer after it."""
    return lambda state: in_phase(Phase.DISCARD)(state) and any(True for _ in offer(state))


def can_go_big_gin(state: TableState) -> bool:
    """Return whether our player can go big gin now."""
    return state.view is not None and any(
        each.discard is None for each in knock_options(state.view)
    )


def can_lay_off(state: TableState) -> bool:
    """Return whether one of our cards fits a meld of the knocker."""
    possible = in_phase(Phase.LAY_OFF, mahjong=False)(state)
    return possible and state.view is not None and bool(fits_on(state.view))


def can_resign(state: TableState) -> bool:
    """Return whether our player can resign, which is possible only in our turn."""
    return state.view is not None and state.view.hand.phase is not Phase.OVER


def can_undo(state: TableState) -> bool:
    """Return whether our player may take back a move, if there is one."""
    return state.allows_undo and has_hand(state)


def is_connected(state: TableState) -> bool:
    """Return whether the other player has joined."""
    return state.session is not None


def has_hand(state: TableState) -> bool:
    """Return whether cards have been dealt to us."""
    return state.look() is not None


def can_get_hint(state: TableState) -> bool:
    """Return whether our player is practising a game that the adviser knows."""
    return state.practice and state.view is not None and not state.view.hand.rules.mahjong


def is_offered(state: TableState) -> bool:
    """Return whether our player is asked to accept a match or to offer one."""
    return state.questions.offer is not None or state.questions.asks_aside


def is_asked(state: TableState) -> bool:
    """Return whether our player is being asked something that yes or no answers."""
    session = state.session
    paused = session is not None and (session.pause_offered or session.pause_wanted)
    return is_offered(state) or paused or state.questions.confirming is not None


# --- what Tab offers after a command ----------------------------------------------------


def fixed_words(*words: str) -> Completer:
    """Offer these words, whatever the state."""
    return lambda state: words


def named_cards(cards: Callable[[View], Iterable[Card | None]]) -> Completer:
    """Offer these cards of our view, spelt as they are typed."""

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
    """Return the cards of ours that fit an open meld, after the opponent has knocked."""
    if view.hand.phase is not Phase.LAY_OFF:
        return []
    ways, melds = view.hand.melding, view.hand.open_melds
    return [card for card in cards_of(view.cards) if any(ways.fits(card, meld) for meld in melds)]


def _addable(view: View) -> Iterable[Card]:
    _, adds = layable(view)
    return [*cards_that_fit(view), *(card for card, _ in adds)]


def melds_to_lay(state: TableState) -> Iterator[str]:
    """Offer melds that can be laid, or cards to lay off after a knock."""
    yield from named_cards(cards_that_fit)(state)
    if state.view is not None:
        for meld in layable(state.view)[0]:
            yield "".join(_LETTERS.card(card).lower() for card in cards_of(meld))


def counts_to_take(state: TableState) -> Iterable[str]:
    """Offer the counts of cards that can be taken from the pile."""
    return [] if state.view is None else map(str, several_counts(state.view))


cards_to_discard = named_cards(_discardable)
cards_to_knock = named_cards(_knocking)
cards_to_go_gin = named_cards(_going_gin)
cards_to_add = named_cards(_addable)
