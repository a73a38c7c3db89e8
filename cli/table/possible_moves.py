"""What the player can do now: which knocks, lays and takes are possible, what Enter alone does,
which moves look like a slip, and the sentences that say so.

Rule 1: when a move is due, a line says what the player may do, never what the player should do.
Rule 2: a player who once plays on instead of knocking has decided that for the whole hand, and is
  asked again only if the chance to knock would be lost. Giving up gin or breaking a meld needs a
  confirmation each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cli.text.board import floating_limit, lay_text, pile_line, stock_text, upcard_line
from cli.text.cards import Style
from cli.text.grammar import capital, listed, plural
from ginpeer.rules.card_order import costliest_first
from ginpeer.rules.cards import Card, CardSet, cards_of, mask_of, popcount
from ginpeer.rules.hand import WALL, Hand, Phase
from ginpeer.rules.mahjong import lays_with, single_lays
from ginpeer.rules.match import View
from ginpeer.rules.melds import Meld
from ginpeer.rules.moves import (
    Discard,
    DrawStock,
    Knock,
    Lay,
    Move,
    Pass,
    Spread,
    TakeDiscards,
    TakeUpcard,
)
from ginpeer.rules.parameters import Wall
from ginpeer.rules.ruleset import RuleSet

MOST_KNOCKS = 3  # knocks listed one by one
ALL_KNOCKS = 11  # the same if the player asks, by typing hand or rules: one for each card
_MOST_IN_BRIEF = 1  # the same in brief mode


@dataclass(frozen=True, slots=True)
class KnockOption:
    """A possible knock or gin: the card to discard, and the deadwood that it leaves."""

    discard: Card
    deadwood: int


def knock_options(view: View) -> tuple[KnockOption, ...]:
    """List every possible knock and gin: by least deadwood, then by costliest discard."""
    hand, ways = view.hand, view.hand.melding
    if hand.phase is not Phase.DISCARD or hand.rules.mahjong:
        return ()
    options = [
        KnockOption(card, left)
        for card in costliest_first(view.cards, hand.rules)
        if card != hand.taken and (left := ways.deadwood(view.cards ^ card.bit)) <= hand.knock_limit
    ]
    return tuple(sorted(options, key=lambda option: option.deadwood))


def can_go_big_gin(view: View) -> bool:
    hand, allowed = view.hand, view.hand.rules.big_gin is not None
    return allowed and hand.phase is Phase.DISCARD and not hand.melding.deadwood(view.cards)


def least_deadwood(view: View) -> int:
    """Return the least deadwood that a discard can leave now."""
    cards = [card for card in cards_of(view.cards) if card != view.hand.taken]
    return min(view.hand.melding.deadwood(view.cards ^ card.bit) for card in cards)


def enter_move(view: View) -> Move | None:
    """Return what an empty line does: draw, pass the last discard, or make the best spread. None if
    it does nothing.

    Enter never knocks, and never discards, because pressing it twice would discard a card unseen.
    It doesn't draw if the upcard would go into a meld, because then drawing isn't the obvious
    choice. It doesn't pass the last discard if taking that card might end the hand.
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


def lay_off_targets(view: View) -> tuple[int, ...]:
    """Return the indexes of the open melds on which we can lay off a card."""
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
        case Phase.LAY_OFF if view.hand.rules.mahjong or not lay_off_targets(view):
            return best_answer(view)
    return None


def best_answer(view: View) -> Spread:
    """Return the spread with the least deadwood; in Mahjong gin, one that shows all our cards."""
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
        return joins or not loose & hand.upcard.bit or bool(take_counts(view))
    loose_count = ways.deadwood(view.cards) + ways.pips(hand.upcard.bit)
    return ways.deadwood(with_it) != loose_count


def could_end(view: View) -> bool:
    """Return whether taking the last discard might end the hand; always in Mahjong gin."""
    hand, upcard = view.hand, view.hand.upcard
    if hand.rules.mahjong or upcard is None:
        return True
    taken = View(view.seat, hand.apply(TakeUpcard()), view.match)
    return bool(knock_options(taken))


def take_counts(view: View) -> tuple[int, ...]:
    """Return every number of cards, above one, that can be taken from the pile."""
    return tuple(count for count in range(2, len(view.hand.pile) + 1) if takes_of(count, view))


def takes_of(count: int, view: View) -> tuple[TakeDiscards, ...]:
    """List every way to take *count* cards and lay the bottom one, with the longest meld first."""
    hand = view.hand
    if hand.laid_melds is None or hand.phase is not Phase.DRAW or not 2 <= count <= len(hand.pile):
        return ()
    held = view.cards | mask_of(hand.pile[-count:])
    lays = lays_with(hand.pile[-count], held, hand.laid_melds, hand.melding)
    moves = [TakeDiscards(count, lay) for lay in lays]
    moves.sort(key=lambda move: (-popcount(move.lay.cards), str(move)))
    return tuple(move for move in moves if hand.is_legal(move))


def layable(view: View) -> tuple[tuple[Meld, ...], tuple[tuple[Card, int], ...]]:
    """Return what can be laid now: melds of the hand, and single cards with their melds.

    The card just taken can't be the only one left. If that forbids the hand's only meld, return a
    shorter one; if it forbids adding the other card alone, return both cards, to be added together.
    """
    hand = view.hand
    if hand.laid_melds is None or hand.phase is not Phase.DISCARD:
        return (), ()
    legal = [*filter(hand.is_legal, single_lays(view.cards, hand.laid_melds, hand.melding))]
    every = sorted((meld for lay in legal for meld in lay.melds), key=popcount)
    melds = tuple(meld for meld in hand.melding.melds_in(view.cards) if meld in every)
    together = sorted((lay.adds for lay in legal if lay.adds), key=len)
    singles = tuple(adds[0] for adds in together if len(adds) == 1)
    return melds or tuple(every[-1:]), singles or next(iter(together), ())


def go_together(adds: tuple[tuple[Card, int], ...], view: View) -> bool:
    """Return whether these cards, which `layable` found, can only be added together."""
    return not view.hand.is_legal(Lay((), adds[:1]))


# --- lists of moves ---------------------------------------------------------------------


def options_text(options: Sequence[KnockOption], style: Style, most: int = ALL_KNOCKS) -> str:
    """Return "K♠ (leaves 3) or Q♦ (4)": the discards, and the deadwood that each leaves, if any. In
    words: "the king of spades, which leaves 3". List at most *most* discards, or one more if that
    is all, and count the rest."""
    shown: list[str] = []
    for option in options:
        leaves = ", which leaves {}" if style.words else " ({})" if shown else " (leaves {})"
        left = leaves.format(option.deadwood) if option.deadwood else ""
        shown.append(style.the(option.discard) + left)
    more = len(shown) - most
    if more > 1:
        shown[most:] = [plural(more, "other")]
    *before, last = shown
    between = "; " if style.words else ", "
    return f"{between.join(before)}{';' if style.words else ''} or {last}" if before else last


def which_lines(moves: tuple[Move, ...], view: View, style: Style) -> Iterator[str]:
    """Ask which of these moves is meant. Name melds that all knocks show only once, so that a
    listener hears how the knocks differ."""
    first, knocks = moves[0], [move for move in moves if isinstance(move, Knock)]
    what = _ways_to_show(knocks, view) if knocks else "lay that"
    if isinstance(first, TakeDiscards):
        what = f"take {first.count} and lay the bottom one"
    lead = f"There are {len(moves)} ways to {what}."
    if isinstance(first, TakeUpcard):
        lead = "That can mean the upcard, or how many cards to take."
    shared = sorted(set.intersection(*(set(knock.melds) for knock in knocks))) if knocks else []
    if shared:
        each = "Both" if len(moves) == 2 else "All"
        lead = f"{lead} {each} show {style.melds(shared)}."
    yield lead
    for number, move in enumerate(moves, 1):
        yield f"{number}: {_way(move, view.hand.rules, style, shared, TakeUpcard() in moves)}."


def _ways_to_show(knocks: Sequence[Knock], view: View) -> str:
    """Say how the arrangements of a knock differ, from our cards alone."""
    counts = [view.hand.melding.pips(knock.deadwood) for knock in knocks]
    if counts[0] == counts[-1]:
        return f"show a hand that leaves {counts[0]}. They differ in what your opponent can lay off"
    return (
        "show your hand. Breaking up a meld leaves more deadwood but gives your opponent less to "
        "lay off"
    )


def _way(
    move: Move, rules: RuleSet, style: Style, shared: Sequence[CardSet], upcard_too: bool
) -> str:
    """Describe one of several moves. *shared*: melds that needn't be named. *upcard_too*: whether
    taking only the upcard may be meant."""
    match move:
        case Knock():
            left = f"deadwood {style.deadwood(move.deadwood, rules)}"
            left = left if move.deadwood else "no deadwood"
            melds = tuple(meld for meld in move.melds if meld not in shared)
            return f"melds {style.melds(melds)}; {left}" if melds else left
        case TakeUpcard():
            return "take only the upcard"
        case TakeDiscards(count, lay):
            return f"take {count}, {lay_text(lay, style)}" if upcard_too else lay_text(lay, style)
        case Lay():
            return lay_text(move, style)
    return str(move)


# --- questions before a likely slip -----------------------------------------------------


def question_before(
    move: Discard | Knock | Spread, view: View, style: Style, *, plays_on: bool
) -> tuple[str, bool] | None:
    """Return the question to ask before this legal move, and whether yes means playing on instead
    of knocking; None if nothing is asked. *plays_on*: that was already decided for this hand."""
    if isinstance(move, Spread):
        pips = view.hand.melding.pips
        left, best = pips(move.deadwood), pips(best_answer(view).deadwood)
        asked = f"That spread leaves {left}; the best leaves {best}."
        return (asked, False) if left > best else None
    gin = _can_go_gin(view, style)
    if isinstance(move, Knock):
        better = f"{gin}." if gin and move.deadwood else _poor_knock(move, view, style)
        return (better, False) if better else None
    if gin is not None:
        return f"{gin}.", False
    meld = broken_meld(move.card, view)
    if meld is not None:
        kind = "set" if len({card.rank for card in cards_of(meld)}) == 1 else "run"
        return f"{style.at_start(move.card)} is part of your {kind} {style.meld(meld)}.", False
    hand = view.hand
    lost = hand.melding.deadwood(view.cards ^ move.card.bit) > hand.knock_limit
    # After the last turn, the hand is void, or the opponent may end it.
    if knock_options(view) and (lost or hand.is_last_turn or not plays_on):
        return "You can knock instead.", True
    return None


def _poor_knock(move: Knock, view: View, style: Style) -> str | None:
    """Say which discard leaves less deadwood than this knock's, if any does."""
    options = knock_options(view)
    mine = next((option for option in options if option.discard == move.discard), None)
    if mine is None or mine.deadwood == options[0].deadwood:
        return None
    best = style.the(options[0].discard)
    return f"That leaves {mine.deadwood}; discarding {best} leaves {options[0].deadwood}."


def _can_go_gin(view: View, style: Style) -> str | None:
    if can_go_big_gin(view):
        return "You can go big gin"
    gins = [option for option in knock_options(view) if not option.deadwood]
    return (
        f"You can go gin by discarding {options_text(gins, style, MOST_KNOCKS)}" if gins else None
    )


def broken_meld(card: Card, view: View) -> Meld | None:
    """Return the meld that discarding this card breaks, if that leaves more deadwood than before.
    None if the meld survives, or if the remaining cards make another meld that is as good."""
    ways, kept = view.hand.melding, view.cards & ~card.bit
    melds = ways.melds_in(view.cards)
    loose = view.cards ^ sum(melds)
    if ways.pips(kept ^ sum(ways.melds_in(kept))) <= ways.pips(loose):
        return None
    return next((meld for meld in melds if meld & card.bit), None)


# --- how a person is asked for a move ------------------------------------------------------


def what_to_do(view: View, style: Style) -> str:
    """Say what the player may do now, or must do if there is no choice."""
    ways = may_do(view, style, verbs=True)
    return f"You {'may' if ' or ' in ways else 'must'} {ways}."


def may_do(view: View, style: Style, *, verbs: bool = False) -> str:
    """Return what the player may do now, as the end of a sentence: "take 7♦, or pass". *verbs*:
    write "go gin" instead of the command "gin"."""
    hand = view.hand
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD:
            return f"take {upcard}, or pass"
        case Phase.FIRST_DRAW:
            why = "no upcard was turned up" if hand.first_upcard is None else "both players passed"
            return f"draw, since {why}"
        case Phase.DRAW:
            counts = take_counts(view)
            more = f", or take {counts[0]} from the pile" if counts else ""
            return f"draw, or take {upcard}{more}"
        case Phase.LAST_CHANCE:
            to_end = f" to {_ending_words(hand)}" if could_end(view) else ""
            return f"take {upcard}{to_end}, or pass"
        case Phase.DISCARD:
            return _may_end(view, "go " if verbs else "")
        case Phase.LAY_OFF:
            return "show your cards" if hand.rules.mahjong else "spread your cards"
        case Phase.OVER:
            return "wait for the next hand"


def _may_end(view: View, go: str) -> str:
    words = ["discard"]
    melds, adds = layable(view)
    if melds:
        words.append("lay melds")
    if adds:
        words.append("add to melds")
    options = knock_options(view)
    if any(option.deadwood for option in options):
        words.append("knock")
    if any(not option.deadwood for option in options):
        words.append(f"{go}gin")
    if can_go_big_gin(view):
        words.append(f"{go}big gin")
    return listed(words, "or")


def _ending_words(hand: Hand) -> str:
    return "knock or go gin" if hand.knock_limit else "go gin"


def turn_lines(view: View, style: Style, *, looked: bool, brief: bool) -> Iterator[str]:
    """Say what the player can do, before the question. Leave out what the last moves have shown,
    unless the player has asked to see it (*looked*)."""
    hand, ending = view.hand, _ending_words(view.hand)
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.DRAW if hand.rules.mahjong:
            yield pile_line(hand, style)
            if looked or not hand.moves:
                yield f"{stock_text(hand)}."
            lowest = ((count, style.the(hand.pile[-count])) for count in take_counts(view))
            if ways := "; ".join(f"take {count}, down to {card}" for count, card in lowest):
                yield f"You can take several cards if you meld the bottom one at once: {ways}."
        case Phase.DRAW if not hand.moves:  # the upcard has just been shown
            yield f"{stock_text(hand)}."
        case Phase.DRAW if looked:
            yield upcard_line(hand, style)
        case Phase.DRAW:
            if limit := floating_limit(hand):
                yield f"{capital(limit)}."
        case Phase.LAST_CHANCE if hand.rules.mahjong or could_end(view):
            yield f"If you pass, or take {upcard} and don't {ending}, the hand is void."
        case Phase.LAST_CHANCE:
            yield f"You couldn't {ending} after taking {upcard}, so the hand is void either way."
        case Phase.DISCARD:
            if hand.is_last_turn:
                yield _last_turn(hand)
            yield from _ways_to_lay(view, style)
            most = ALL_KNOCKS if looked else _MOST_IN_BRIEF if brief else MOST_KNOCKS
            yield from _ways_to_knock(view, style, most)
        case Phase.LAY_OFF:
            yield _best_spread(view, style, brief=brief and not looked)
            fitting = lay_off_targets(view)
            if looked and fitting:
                yield f"You can lay off on {style.numbered_melds(hand.open_melds, fitting)}."


def leaves_last_discard(hand: Hand) -> bool:
    """Return whether the opponent may take this turn's discard to end the hand. Not in Mahjong gin
    if it is the player's last card, since discarding that goes gin (RULES 12.9)."""
    at_wall = hand.stock_left == WALL and hand.taken is None
    last_card = hand.size(hand.to_move) == 1
    return at_wall and not last_card and hand.rules.wall is Wall.LAST_DISCARD


def _last_turn(hand: Hand) -> str:
    """Say what a plain discard means in the last turn of a hand."""
    at_wall = hand.stock_left == WALL
    why = "Two cards are left in the stock"
    if not at_wall:
        why = f"Nobody has drawn from the stock for {hand.swaps} turns"
    if leaves_last_discard(hand):
        return f"{why}: your opponent may take your discard to end the hand."
    return f"{why}: if you don't {_ending_words(hand)} now, the hand is void."


def _ways_to_lay(view: View, style: Style) -> Iterator[str]:
    melds, adds = layable(view)
    if melds:
        yield f"You can lay {style.melds(melds)}."
    places: dict[Card, list[str]] = {}
    for card, at in adds:
        places.setdefault(card, []).append(str(at + 1))
    if places:
        ways = (f"{style.the(card)} to meld {listed(at, 'or')}" for card, at in places.items())
        yield f"You can add {listed(ways)}{' together' if go_together(adds, view) else ''}."


def _ways_to_knock(view: View, style: Style, most: int) -> Iterator[str]:
    options, big_gin = knock_options(view), can_go_big_gin(view)
    gin = [option for option in options if not option.deadwood]
    if big_gin:
        yield "You can go big gin: all eleven cards are melded."
    if gin:
        yield f"You can go gin by discarding {options_text(gin, style, most)}."
    elif options and not big_gin:
        yield f"You can knock by discarding {options_text(options, style, most)}."


def _best_spread(view: View, style: Style, *, brief: bool) -> str:
    hand, best = view.hand, best_answer(view)
    off = [f"lay off {style.layoffs(best.layoffs, hand.open_melds)}"] if best.layoffs else []
    if brief:
        left = f"deadwood {hand.melding.pips(best.deadwood)}"
        return f"Best spread: {'; '.join([*off, left])}."
    keep = [f"keep {style.melds(best.melds)}"] if best.melds else []
    left = f"deadwood {style.deadwood(best.deadwood, hand.rules)}"
    parts = [*keep, *off, left if best.deadwood else "no deadwood"]
    return f"Your best spread: {'; '.join(parts)}."
