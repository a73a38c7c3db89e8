"""From what was typed to a move, seen from one seat: what may be done, what Enter does, which
arrangement a knock shows.

# House rules
#
# 1. Only a View comes in, so nothing here can know the other hand.
# 2. Whether a move is legal is the hand's to say (Hand.apply). Here only what was left unsaid is
#    filled in: the best arrangement, the best spread, the meld that a lay-off fits on.
# 3. A refusal is one sentence and says what may be done instead. Nothing is lost by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.table.lays import layable, lays_of, melds_of, place, several, takes_of
from cli.table.parse import Command, Decline, Draw, End, Enter, LayDown, PutDown, Take, Throw
from cli.words.cards import Style
from ginpeer.rules.cards import (
    Card,
    CardSet,
    Illegal,
    Unreadable,
    cards_of,
    mask_of,
)
from ginpeer.rules.hand import Hand, Phase
from ginpeer.rules.laid_out import dearest_first
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Discard, DrawStock, Knock, Move, Pass, Spread, TakeUpcard
from ginpeer.rules.view import View


@dataclass(frozen=True, slots=True)
class Question:
    """Several knocks, lays or takes are meant by what was typed; the player picks one by its
    number. All are of one kind."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class KnockOption:
    """A knock that is possible now: the card to throw (None: big gin) and what it leaves."""

    discard: Card | None
    deadwood: int


def knock_options(view: View) -> tuple[KnockOption, ...]:
    """Every knock that is possible, the least deadwood first; the same, the dearest card first."""
    hand, ways = view.hand, view.hand.melding
    if hand.phase is not Phase.DISCARD or hand.rules.mahjong:
        return ()
    options = [
        KnockOption(card, left)
        for card in dearest_first(view.cards, hand.rules)
        if card != hand.taken and (left := ways.deadwood(view.cards ^ card.bit)) <= hand.knock_limit
    ]
    options.sort(key=lambda option: option.deadwood)
    if hand.rules.big_gin is not None and ways.deadwood(view.cards) == 0:
        return (KnockOption(None, 0), *options)
    return tuple(options)


def enter_move(view: View) -> Move | None:
    """What an empty line does: draw, pass the last discard, or spread in the best way; None where
    it does nothing.

    Never a knock; never a discard, or Enter pressed twice would throw a card unseen; no draw where
    the upcard would go into a meld, since there drawing is not the obvious thing; and no pass of
    the last discard where it might end the hand.
    """
    match view.hand.phase:
        case Phase.FIRST_DRAW:
            return DrawStock()
        case Phase.DRAW:
            return DrawStock() if not _tempting(view) else None
        case Phase.LAST_CHANCE:
            return None if could_end(view) else Pass()
        case Phase.LAY_OFF:
            return _best_answer(view)
    return None


def _tempting(view: View) -> bool:
    """Whether the upcard would go into a meld, or several cards could be taken."""
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
    """Whether the last discard, if it is taken, might end the hand: by a knock, or in Mahjong gin,
    where that is not looked into, always."""
    hand, upcard = view.hand, view.hand.upcard
    if hand.rules.mahjong or upcard is None:
        return True
    taken = View(view.seat, hand.apply(TakeUpcard()), view.match)
    return bool(knock_options(taken))


def several_counts(view: View) -> tuple[int, ...]:
    """How many cards of the pile can be taken together, each count that is possible."""
    deepest = len(view.hand.pile) if view.hand.rules.mahjong else 0
    return tuple(count for count in range(2, deepest + 1) if several(count, view))


def _best_answer(view: View) -> Spread:
    hand = view.hand
    if hand.rules.mahjong:
        return Spread((), (), view.cards)
    return hand.melding.best_spread(view.cards, hand.open_melds)


def may_do(view: View, style: Style) -> str:
    """What the player may do now, as it ends a sentence: "take 7♦, or pass"."""
    hand = view.hand
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD:
            return f"take {upcard}, or pass"
        case Phase.FIRST_DRAW:
            why = "no upcard is turned" if hand.first_upcard is None else "both players passed"
            return f"draw, since {why}"
        case Phase.DRAW:
            counts = several_counts(view)
            more = f", or take {counts[0]} from the pile" if counts else ""
            return f"draw, or take {upcard}{more}"
        case Phase.LAST_CHANCE:
            return f"take {upcard} to {ending_words(hand)}, or pass"
        case Phase.DISCARD:
            return _may_end(view)
        case Phase.LAY_OFF:
            return "show your cards" if hand.rules.mahjong else "spread"
        case Phase.OVER:
            return "wait for the next hand"


def ending_words(hand: Hand) -> str:
    """How a hand is ended by these rules, for a sentence."""
    return "knock or go gin" if hand.knock_limit else "go gin"


def _may_end(view: View) -> str:
    words = ["discard a card"]
    melds, adds = layable(view)
    if melds:
        words.append("lay melds")
    if adds:
        words.append("add to melds")
    options = knock_options(view)
    if any(option.deadwood for option in options):
        words.append("knock")
    if any(not option.deadwood and option.discard is not None for option in options):
        words.append("gin")
    if any(option.discard is None for option in options):
        words.append("big gin")
    return ", or ".join(words)


def move_of(command: Command, view: View, style: Style) -> Move | Question:
    """The move that a command means in this view. Raises Illegal or Unreadable with a sentence.

    The move may still be illegal; the seat judges it.
    """
    match command:
        case Enter():
            move = enter_move(view)
            if move is None:
                raise Illegal("enter-does-nothing", "Enter alone does nothing here.")
            return move
        case Decline():
            return Pass()
        case Draw():
            return DrawStock()
        case Take(count=count, lay=lay) if count is not None and not view.hand.rules.mahjong:
            if lay is None:
                raise Unreadable("no-suit", f"Which {count}? Say the suit too, like {count}d.")
            raise Illegal("not-mahjong", "Only in Mahjong gin can several cards be taken.", "12.3")
        case Take():
            return _only_or_asked(takes_of(command, view, style))
        case PutDown():
            return _laid(command, view, style)
        case Throw(card):
            return Discard(card)
        case End():
            _expect_phase(view, Phase.DISCARD)
            return _knock(command, view, style)
        case LayDown():
            _expect_phase(view, Phase.LAY_OFF)
            return _spread(command, view, style)
        case _:
            raise Unreadable("no-move", "That is no move.")


def _only_or_asked(moves: Sequence[Move]) -> Move | Question:
    return moves[0] if len(moves) == 1 else Question(tuple(moves))


def _laid(command: PutDown, view: View, style: Style) -> Move | Question:
    """Cards for the table in Mahjong gin; elsewhere they are lay-offs, as in lay 6c on 1."""
    if view.hand.rules.mahjong or view.hand.phase is not Phase.LAY_OFF:
        return _only_or_asked(lays_of(command, view, style))
    layoffs = tuple((card, None) for group in command.melds or () for card in group)
    return _spread(LayDown(layoffs=(*layoffs, *(command.adds or ()))), view, style)


def _expect_phase(view: View, phase: Phase) -> None:
    """Filling in a knock or a spread makes no sense elsewhere."""
    if view.hand.rules.mahjong and phase is Phase.DISCARD:
        raise Illegal(
            "no-knocking",
            "Nobody knocks in Mahjong gin: lay your cards on the table, and throw the last one.",
            "12.2",
        )
    if view.hand.phase is not phase:
        what = "Knocking ends a turn" if phase is Phase.DISCARD else "Spreading answers a knock"
        if view.hand.rules.mahjong:
            what = "You show your cards when the other player has gone gin"
        raise Illegal("wrong-phase", f"{what}; that cannot be done now.")


# --- knocks -------------------------------------------------------------------------


def _knock(end: End, view: View, style: Style) -> Move | Question:
    if end.melds is not None or end.deadwood is not None:
        return _knock_by_hand(end, view)
    if end.word == "big gin":
        return _big_gin(view)
    card = end.card if end.card is not None else _only_card(end, view, style)
    if not view.cards & card.bit:
        raise Illegal("card-not-held", f"{_capital(style.the(card))} is not in your hand.")
    kept = view.cards ^ card.bit
    ways = view.hand.melding
    left = ways.deadwood(kept)
    if end.word == "gin" and left:
        raise Illegal("not-gin", f"Throwing {style.the(card)} leaves {left}; that is not gin.")
    sensible = (move for move in view.sensible_moves() if isinstance(move, Knock))
    telling = tuple(knock for knock in sensible if knock.discard == card)
    if not telling:  # illegal, and the hand says why
        melds = ways.arrangements(kept)[0]
        return Knock(card, melds, kept ^ sum(melds))
    if end.choice is not None:
        return _picked(telling, end.choice)
    return telling[0] if len(telling) == 1 else Question(telling)


def _picked(knocks: tuple[Knock, ...], choice: int) -> Knock:
    if choice > len(knocks):
        raise Illegal("no-such-choice", f"There is no arrangement number {choice}.")
    return knocks[choice - 1]


def _knock_by_hand(end: End, view: View) -> Knock:
    """Melds and deadwood as they were named; what was not named is what remains."""
    melds = melds_of(end.melds or (), view.hand.melding)
    card = end.card
    if card is None and end.word != "big gin" and sum(melds) != view.cards:
        raise Unreadable("no-card", "Say which card to throw, as in: knock 7d melds 3c4c5c.")
    named = mask_of([card]) if card is not None else 0
    for meld in melds:
        named |= meld
    rest = view.cards & ~named if end.deadwood is None else end.deadwood
    return Knock(card, melds, rest)


def _big_gin(view: View) -> Move:
    ways = view.hand.melding
    left = ways.deadwood(view.cards)
    if left:
        raise Illegal(
            "no-big-gin", f"Big gin needs all eleven cards melded; deadwood of {left} is left."
        )
    return Knock(None, ways.arrangements(view.cards)[0], 0)


def _only_card(end: End, view: View, style: Style) -> Card:
    """The card to throw where none was named and only one can be meant."""
    options = [
        option
        for option in knock_options(view)
        if option.discard is not None and (end.word == "knock" or not option.deadwood)
    ]
    cards = [option.discard for option in options if option.discard is not None]
    if not cards:
        least = min(
            view.hand.melding.deadwood(view.cards ^ card.bit)
            for card in cards_of(view.cards)
            if card != view.hand.taken
        )
        if end.word == "gin":
            raise Illegal("not-gin", f"You cannot go gin: {least} is the least you can keep.")
        limit = view.hand.knock_limit
        only = f"and the limit is {limit}" if limit else "and only gin ends the hand"
        raise Illegal(
            "knock-over-limit", f"You cannot knock: {least} is the least you can keep, {only}."
        )
    if len(cards) > 1:
        choices = options_text(options, style, end.word)
        raise Illegal("no-card", f"Say which card to throw: {choices}.")
    return cards[0]


def options_text(options: Sequence[KnockOption], style: Style, word: str = "knock") -> str:
    """ "knock K♠ leaves 3, knock Q♦ leaves 4"; the best few where there are many."""
    shown = [
        f"{word} {style.card(option.discard)} leaves {option.deadwood}"
        for option in options
        if option.discard is not None
    ]
    more = len(shown) - MAX_OPTIONS
    if more > 0:
        shown[MAX_OPTIONS:] = [f"and {more} more"]
    return ("; " if style.words else ", ").join(shown)


MAX_OPTIONS = 5


# --- spreads ------------------------------------------------------------------------


def _spread(laid: LayDown, view: View, style: Style) -> Spread:
    """The spread as named; what was not named is filled in as well as it can be.

    With the deadwood named, or melds and lay-offs both, nothing is filled in.
    """
    hand, open_melds, ways = view.cards, view.hand.open_melds, view.hand.melding
    melds = None if laid.melds is None else melds_of(laid.melds, ways)
    if melds is None and laid.layoffs is None and laid.deadwood is None:
        return _best_answer(view)
    if view.hand.rules.mahjong:
        if melds or laid.layoffs or laid.deadwood is None:
            raise Illegal("too-late", "The hand is over; show what is left with Enter.", "12.7")
        return Spread((), (), laid.deadwood)
    if laid.layoffs and not open_melds:
        raise Illegal("layoff-on-gin", "Nothing can be laid off against gin.", "6.3")
    if len(laid.layoffs or ()) > hand.bit_count():
        raise Illegal("card-not-held", "Those are more lay-offs than you hold cards.")
    misfit = ("layoff-does-not-fit", "6.3")
    placed = place(laid.layoffs or (), open_melds, ways, style, misfit)
    off = mask_of(card for card, _ in placed)
    if laid.deadwood is not None:
        return Spread(melds or (), placed, laid.deadwood)
    if melds is None:
        melds = ways.arrangements(hand & ~off)[0]
        return Spread(melds, placed, hand & ~off & ~sum(melds))
    rest = hand & ~off
    for meld in melds:
        rest &= ~meld
    if laid.layoffs is None:
        placed = _all_that_fit(rest, open_melds, ways)
        rest &= ~mask_of(card for card, _ in placed)
    return Spread(melds, placed, rest)


def _all_that_fit(
    rest: CardSet, open_melds: tuple[Meld, ...], ways: Melding
) -> tuple[tuple[Card, int], ...]:
    """The lay-offs that lessen the deadwood most when no more melds are wanted."""
    best: tuple[tuple[Card, int], ...] = ()
    stack: list[tuple[CardSet, tuple[Meld, ...], tuple[tuple[Card, int], ...]]] = [
        (rest, open_melds, ())
    ]
    while stack:
        loose, melds, placed = stack.pop()
        if ways.pips(loose) < ways.pips(rest & ~mask_of(card for card, _ in best)):
            best = placed
        stack += [
            (loose & ~card.bit, _laid_on(melds, at, card), (*placed, (card, at)))
            for card in cards_of(loose)[::-1]
            for at, meld in enumerate(melds)
            if ways.fits(card, meld)
        ]
    return best


def _laid_on(melds: tuple[Meld, ...], at: int, card: Card) -> tuple[Meld, ...]:
    return (*melds[:at], melds[at] | card.bit, *melds[at + 1 :])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
