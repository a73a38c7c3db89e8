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
from itertools import count

from cli.table_input import Command, Decline, Draw, End, Enter, LayDown, Take, Throw
from cli.text import Style, dearest_first
from ginpeer.rules.cards import (
    CARDS,
    DECK,
    Card,
    CardSet,
    Illegal,
    Unreadable,
    mask_of,
    pips_of,
)
from ginpeer.rules.hand import Phase
from ginpeer.rules.melds import Meld, arrangements, best_spread, deadwood, fits
from ginpeer.rules.moves import (
    Discard,
    DrawStock,
    Knock,
    Move,
    Pass,
    Spread,
    TakeUpcard,
)
from ginpeer.rules.view import View


@dataclass(frozen=True, slots=True)
class Question:
    """Several knocks are meant by what was typed; the player picks one by its number."""

    knocks: tuple[Knock, ...]


@dataclass(frozen=True, slots=True)
class KnockOption:
    """A knock that is possible now: the card to throw (None: big gin) and what it leaves."""

    discard: Card | None
    deadwood: int


def knock_options(view: View) -> tuple[KnockOption, ...]:
    """Every knock that is possible, the least deadwood first; the same, the dearest card first."""
    hand = view.hand
    if hand.phase is not Phase.DISCARD:
        return ()
    options = [
        KnockOption(card, left)
        for card in dearest_first(view.cards)
        if card != hand.taken and (left := deadwood(view.cards ^ card.bit)) <= hand.knock_limit
    ]
    options.sort(key=lambda option: option.deadwood)
    if hand.rules.big_gin is not None and deadwood(view.cards) == 0:
        return (KnockOption(None, 0), *options)
    return tuple(options)


def enter_move(view: View) -> Move | None:
    """What an empty line does: draw, or spread in the best way; None where it does nothing.

    Never a knock; never a discard, or Enter pressed twice would throw a card unseen; and no draw
    where the upcard would go into a meld, since there drawing is not the obvious thing.
    """
    upcard = view.hand.upcard
    if view.hand.phase is Phase.FIRST_DRAW:
        return DrawStock()
    if view.hand.phase is Phase.DRAW and upcard is not None:
        loose = deadwood(view.cards) + upcard.pips
        return DrawStock() if deadwood(view.cards | upcard.bit) == loose else None
    if view.hand.phase is Phase.LAY_OFF:
        return best_spread(view.cards, view.hand.open_melds)
    return None


def may_do(view: View, style: Style) -> str:
    """What the player may do now, as it ends a sentence: "take 7♦, or pass"."""
    hand = view.hand
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD:
            return f"take {upcard}, or pass"
        case Phase.FIRST_DRAW:
            return "draw, since both players passed"
        case Phase.DRAW:
            return f"draw, or take {upcard}"
        case Phase.DISCARD:
            return _may_end(view)
        case Phase.LAY_OFF:
            return "spread"
        case Phase.OVER:
            return "wait for the next hand"


def _may_end(view: View) -> str:
    options = knock_options(view)
    words = ["discard a card"]
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
        case Take(card):
            if card is not None and view.hand.upcard is not None and card != view.hand.upcard:
                raise Illegal("not-the-upcard", f"The upcard is {style.the(view.hand.upcard)}.")
            return TakeUpcard()
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


def _expect_phase(view: View, phase: Phase) -> None:
    """Filling in a knock or a spread makes no sense elsewhere."""
    if view.hand.phase is not phase:
        what = "Knocking ends a turn" if phase is Phase.DISCARD else "Spreading answers a knock"
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
    left = deadwood(kept)
    if end.word == "gin" and left:
        raise Illegal("not-gin", f"Throwing {style.the(card)} leaves {left}; that is not gin.")
    knocks = tuple(Knock(card, melds, kept ^ sum(melds)) for melds in arrangements(kept))
    if left > view.hand.knock_limit:
        return knocks[0]  # illegal, and the hand says why
    telling = worth_asking(knocks, view)
    if end.choice is not None:
        return _picked(telling, end.choice)
    return telling[0] if len(telling) == 1 else Question(telling)


def _picked(knocks: tuple[Knock, ...], choice: int) -> Knock:
    if choice > len(knocks):
        raise Illegal("no-such-choice", f"There is no arrangement number {choice}.")
    return knocks[choice - 1]


def _knock_by_hand(end: End, view: View) -> Knock:
    """Melds and deadwood as they were named; what was not named is what remains."""
    melds = end.melds or ()
    card = end.card
    if card is None and end.word != "big gin" and sum(melds) != view.cards:
        raise Unreadable("no-card", "Say which card to throw, as in: knock 7d melds 3c4c5c.")
    named = mask_of([card]) if card is not None else 0
    for meld in melds:
        named |= meld
    rest = view.cards & ~named if end.deadwood is None else end.deadwood
    return Knock(card, melds, rest)


def _big_gin(view: View) -> Move:
    left = deadwood(view.cards)
    if left:
        raise Illegal(
            "no-big-gin", f"Big gin needs all eleven cards melded; deadwood of {left} is left."
        )
    return Knock(None, arrangements(view.cards)[0], 0)


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
            deadwood(view.cards ^ card.bit)
            for card in dearest_first(view.cards)
            if card != view.hand.taken
        )
        if end.word == "gin":
            raise Illegal("not-gin", f"You cannot go gin: {least} is the least you can keep.")
        raise Illegal(
            "knock-over-limit",
            f"You cannot knock: {least} is the least you can keep, "
            f"and the limit is {view.hand.knock_limit}.",
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


def worth_asking(knocks: tuple[Knock, ...], view: View) -> tuple[Knock, ...]:
    """The knocks that differ in what can be laid off, without those that only allow more."""
    if not knocks[0].deadwood:
        return knocks[:1]  # gin: nothing can be laid off
    elsewhere = view.cards | mask_of(view.hand.pile)
    allowed = [_layoffs(knock.melds, DECK & ~elsewhere) for knock in knocks]
    kept: list[int] = []
    for at, mine in enumerate(allowed):
        others = ((other, allowed[other]) for other in range(len(knocks)) if other != at)
        if not any(
            _covers(mine, theirs) and (other < at or not _covers(theirs, mine))
            for other, theirs in others
        ):
            kept.append(at)
    return tuple(knocks[at] for at in kept)


_LayOffs = frozenset[tuple[Card, CardSet]]
"""Cards that can be laid off, each with the cards that must be laid off before it."""


def _layoffs(melds: tuple[Meld, ...], unseen: CardSet) -> _LayOffs:
    """What a defender who may hold any of the unseen cards could lay off on these melds."""
    found = set()
    for meld in melds:
        for step in (-1, 1, 0):
            grown, before = meld, 0
            for _ in count():
                card = next((card for card in _next_to(grown, step) if unseen & card.bit), None)
                if card is None:
                    break
                found.add((card, before))
                grown, before = grown | card.bit, before | card.bit
    return frozenset(found)


def _next_to(meld: Meld, step: int) -> list[Card]:
    """The cards that fit at the low end (-1) or high end (1) of a run, or on a set (0)."""
    low, high = CARDS[(meld & -meld).bit_length() - 1], CARDS[meld.bit_length() - 1]
    if low.suit == high.suit:
        at = low + step if step < 0 else high + step
        near = [CARDS[at]] if step and 0 <= at < 52 else []
    else:
        near = [card for card in CARDS if card.rank == low.rank] if not step else []
    return [card for card in near if fits(card, meld)]


def _covers(worse: _LayOffs, better: _LayOffs) -> bool:
    """Whether every lay-off on the better arrangement is possible on the worse one, too."""
    return all(
        any(card == other and not needs & ~before for other, needs in worse)
        for card, before in better
    )


# --- spreads ------------------------------------------------------------------------


def _spread(laid: LayDown, view: View, style: Style) -> Spread:
    """The spread as named; what was not named is filled in as well as it can be.

    With the deadwood named, or melds and lay-offs both, nothing is filled in.
    """
    hand, open_melds = view.cards, view.hand.open_melds
    if laid.melds is None and laid.layoffs is None and laid.deadwood is None:
        return best_spread(hand, open_melds)
    if laid.layoffs and not open_melds:
        raise Illegal("layoff-on-gin", "Nothing can be laid off against gin.", "6.3")
    if len(laid.layoffs or ()) > hand.bit_count():
        raise Illegal("card-not-held", "Those are more lay-offs than you hold cards.")
    placed = _place(laid.layoffs or (), open_melds, style)
    off = mask_of(card for card, _ in placed)
    melds = laid.melds or ()
    if laid.deadwood is not None:
        return Spread(melds, placed, laid.deadwood)
    if laid.melds is None:
        melds = arrangements(hand & ~off)[0]
        return Spread(melds, placed, hand & ~off & ~sum(melds))
    rest = hand & ~off
    for meld in melds:
        rest &= ~meld
    if laid.layoffs is None:
        placed = _all_that_fit(rest, open_melds)
        rest &= ~mask_of(card for card, _ in placed)
    return Spread(melds, placed, rest)


def _all_that_fit(rest: CardSet, open_melds: tuple[Meld, ...]) -> tuple[tuple[Card, int], ...]:
    """The lay-offs that lessen the deadwood most when no more melds are wanted."""
    best: tuple[tuple[Card, int], ...] = ()
    stack: list[tuple[CardSet, tuple[Meld, ...], tuple[tuple[Card, int], ...]]] = [
        (rest, open_melds, ())
    ]
    while stack:
        loose, melds, placed = stack.pop()
        if pips_of(loose) < pips_of(rest & ~mask_of(card for card, _ in best)):
            best = placed
        stack += [
            (loose & ~card.bit, _laid_on(melds, at, card), (*placed, (card, at)))
            for card in dearest_first(loose)
            for at, meld in enumerate(melds)
            if fits(card, meld)
        ]
    return best


def _place(
    layoffs: tuple[tuple[Card, int | None], ...], melds: tuple[Meld, ...], style: Style
) -> tuple[tuple[Card, int], ...]:
    """An order, and for each card a meld, in which all of them fit; asks no more than it must."""
    found = _order(layoffs, melds)
    if found is not None:
        return found
    card = next(
        (card for card, at in layoffs if _order(((card, at),), melds) is None), layoffs[0][0]
    )
    shown = style.numbered_melds(melds)
    raise Illegal(
        "layoff-does-not-fit",
        f"{_capital(style.the(card))} does not fit there. The melds: {shown}.",
        "6.3",
    )


def _order(
    layoffs: tuple[tuple[Card, int | None], ...], melds: tuple[Meld, ...]
) -> tuple[tuple[Card, int], ...] | None:
    if not layoffs:
        return ()
    for index, (card, wanted) in enumerate(layoffs):
        for at, meld in enumerate(melds):
            if wanted in (None, at) and fits(card, meld):
                others = layoffs[:index] + layoffs[index + 1 :]
                rest = _order(others, _laid_on(melds, at, card))
                if rest is not None:
                    return ((card, at), *rest)
    return None


def _laid_on(melds: tuple[Meld, ...], at: int, card: Card) -> tuple[Meld, ...]:
    return (*melds[:at], melds[at] | card.bit, *melds[at + 1 :])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
