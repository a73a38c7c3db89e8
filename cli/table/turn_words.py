"""What a person reads when a move is due: the cards on the table, the possible moves, the question,
and a second question before a move that is more likely a slip than a plan.

# Rule 1: a line says what the player may do, never what the player should do. A player without a
#   choice isn't asked (cli.table.possible_moves.forced).
# Rule 2: the only input is a View, so no question can reveal what the player doesn't know.
# Rule 3: a player who plays on instead of knocking has decided that for the whole hand, and is
#   asked again only if the chance to knock would be lost. Giving up gin or breaking a meld needs a
#   confirmation each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cli.table.possible_moves import (
    KnockOption,
    best_answer,
    could_end,
    enter_move,
    fits_on,
    knock_options,
    layable,
    several_counts,
)
from cli.text.board import lay_text, pile_line, stock_text, turn_limit, upcard_line
from cli.text.cards import Style
from cli.text.grammar import plural
from ginpeer.rules.cards import Card, cards_of
from ginpeer.rules.hand import WALL, Hand, Phase
from ginpeer.rules.melds import Meld
from ginpeer.rules.moves import Discard, Knock, Lay, Move, Spread, TakeDiscards
from ginpeer.rules.parameters import Wall
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.view import View

_MOST_OPTIONS = 3
"""How many knocks are listed one by one."""

_MOST_IN_BRIEF = 1
"""How many knocks are listed in brief mode."""

_ALL_OPTIONS = 11
"""How many knocks are listed when the player asks, with hand or rules: one for each card."""


def may_do(view: View, style: Style) -> str:
    """Return what the player may do now, as the end of a sentence: "take 7♦, or pass"."""
    hand = view.hand
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD:
            return f"take {upcard}, or pass"
        case Phase.FIRST_DRAW:
            why = "no upcard was turned up" if hand.first_upcard is None else "both players passed"
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


def _may_end(view: View) -> str:
    words = ["discard"]
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
    *before, last = words
    return f"{', '.join(before)} or {last}" if before else last


def ending_words(hand: Hand) -> str:
    """Return how these rules let a player end a hand: "knock or go gin", or "go gin"."""
    return "knock or go gin" if hand.knock_limit else "go gin"


def options_text(options: Sequence[KnockOption], style: Style, most: int = _ALL_OPTIONS) -> str:
    """Return "K♠ (leaves 3) or Q♦ (4)": the discards, and the deadwood that each leaves, if any; in
    words "the king of spades, which leaves 3". If there are more than *most*, list the best."""
    shown: list[str] = []
    for option in options:
        if option.discard is None:
            continue
        leaves = ", which leaves {}" if style.words else " ({})" if shown else " (leaves {})"
        left = leaves.format(option.deadwood) if option.deadwood else ""
        shown.append(style.the(option.discard) + left)
    more = len(shown) - most
    if more > 0:
        shown[most:] = [plural(more, "other")]
    *before, last = shown
    between = "; " if style.words else ", "
    return f"{between.join(before)}{';' if style.words else ''} or {last}" if before else last


def turn_lines(view: View, style: Style, *, looked: bool = False, brief: bool = False) -> list[str]:
    """Say what is on the table and what the player can do, before the question. Leave out what the
    last moves have already shown, unless the player has asked (*looked*)."""
    hand = view.hand
    match hand.phase:
        case Phase.DRAW if hand.rules.mahjong:
            stock = [f"{stock_text(hand)}."] if looked or not hand.moves else []
            return [pile_line(hand, style), *stock, *_ways_to_take(view, style)]
        case Phase.DRAW if not hand.moves:  # the upcard has just been shown
            return [f"{stock_text(hand)}."]
        case Phase.DRAW if looked:
            return [upcard_line(hand, style)]
        case Phase.DRAW:
            limit = turn_limit(hand)
            return [] if limit is None else [limit]
        case Phase.LAST_CHANCE:
            return _last_chance(view, style)
        case Phase.DISCARD:
            most = _ALL_OPTIONS if looked else _MOST_IN_BRIEF if brief else _MOST_OPTIONS
            return [
                *_last_cards(view),
                *_ways_to_lay(view, style),
                *_ways_to_knock(knock_options(view), style, most),
            ]
        case Phase.LAY_OFF:
            return _ways_to_spread(view, style, brief=brief and not looked, looked=looked)
    return []


def _ways_to_take(view: View, style: Style) -> list[str]:
    pile = view.hand.pile
    shown = "; ".join(
        f"take {count}, down to {style.the(pile[-count])}" for count in several_counts(view)
    )
    return [f"You can take several cards: {shown}."] if shown else []


def _last_chance(view: View, style: Style) -> list[str]:
    hand = view.hand
    if hand.rules.mahjong or could_end(view):
        return [f"If you pass, or take it and don't {ending_words(hand)}, the hand is void."]
    return ["You couldn't end the hand with it, so the hand is void either way."]


def _last_cards(view: View) -> list[str]:
    """Say what a plain discard means once only two cards are left in the stock."""
    hand = view.hand
    if hand.stock_left != WALL:
        return []
    if hand.taken is None and hand.rules.wall is Wall.LAST_DISCARD:
        follows = "your opponent may take your discard to end the hand"
    else:
        follows = f"if you don't {ending_words(hand)} now, the hand is void"
    return [f"Two cards are left in the stock: {follows}."]


def _ways_to_lay(view: View, style: Style) -> list[str]:
    melds, adds = layable(view)
    lines = []
    if melds:
        lines.append(f"You can lay {style.melds(melds)}.")
    if adds:
        shown = ", ".join(f"{style.the(card)} to meld {at + 1}" for card, at in adds)
        lines.append(f"You can add {shown}.")
    return lines


def _ways_to_knock(options: tuple[KnockOption, ...], style: Style, most: int) -> list[str]:
    lines = []
    if any(option.discard is None for option in options):
        lines.append("You can go big gin: all eleven cards are melded.")
    gin = [option for option in options if option.discard is not None and not option.deadwood]
    if gin:
        lines.append(f"You can go gin by discarding {options_text(gin, style, most)}.")
    knocks = [option for option in options if option.deadwood]
    if knocks and not lines:
        lines.append(f"You can knock by discarding {options_text(knocks, style, most)}.")
    return lines


def _ways_to_spread(view: View, style: Style, *, brief: bool, looked: bool) -> list[str]:
    """Say what the best spread is, and if the player has asked (*looked*), what can be laid off
    on."""
    rules, best = view.hand.rules, best_answer(view)
    melds = view.hand.open_melds
    laid = ", ".join(f"{style.the(card)} on {style.meld(melds[at])}" for card, at in best.layoffs)
    off = [f"lay off {laid}"] if laid else []
    keep = [f"keep {style.melds(best.melds)}"] if best.melds and not brief else []
    if brief:
        left = f"deadwood {view.hand.melding.pips(best.deadwood)}"
    elif best.deadwood:
        left = f"deadwood {style.deadwood(best.deadwood, rules)}"
    else:
        left = "no deadwood"
    lines = [f"Your best: {'; '.join([*keep, *off, left])}."]
    if looked:
        lines.append(f"You can lay off on {style.numbered_melds(melds, fits_on(view))}.")
    return lines


def turn_question(view: View, style: Style, *, brief: bool = False) -> str:
    """Return the question of a turn, including what Enter alone does. *brief*: leave out the cards,
    which have just been shown."""
    hand = view.hand
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.FIRST_UPCARD | Phase.SECOND_UPCARD:
            return f"take {upcard} or pass"
        case Phase.DRAW:
            enter = " [Enter]" if enter_move(view) else ""
            more = ", or several" if several_counts(view) else ""
            return f"draw{enter} or take{more}" if brief else f"draw{enter} or take {upcard}{more}"
        case Phase.LAST_CHANCE:
            enter = "" if enter_move(view) is None else " [Enter]"
            return f"take {upcard} to {ending_words(hand)}, or pass{enter}"
        case Phase.LAY_OFF:
            return "spread your cards [Enter]"
    ways = may_do(view, style)
    if not brief and hand.taken is not None and view.cards & hand.taken.bit:
        return ways.replace("discard", f"discard (not {style.the(hand.taken)})", 1)
    return ways


def which_lines(moves: tuple[Move, ...], view: View, style: Style) -> list[str]:
    """List the moves that the typed line may mean, with the number that picks each."""
    first = moves[0]
    if isinstance(first, Knock):
        what = _ways_to_show(moves, view)
    elif isinstance(first, TakeDiscards):
        what = f"take {first.count} and lay the lowest"
    else:
        what = "lay that"
    return [
        f"There are {len(moves)} ways to {what}.",
        *(
            f"{number}: {_way(move, view.hand.rules, style)}."
            for number, move in enumerate(moves, 1)
        ),
    ]


def _ways_to_show(knocks: tuple[Move, ...], view: View) -> str:
    """Say how the arrangements of a knock differ. Only our cards and the pile count, so the answer
    reveals nothing about the opponent's hand."""
    pips = view.hand.melding.pips
    counts = [pips(knock.deadwood) for knock in knocks if isinstance(knock, Knock)]
    if counts[0] == counts[-1]:
        return f"show a hand that leaves {counts[0]}. They differ in what your opponent can lay off"
    return (
        "show your hand. Breaking up a meld leaves more deadwood but gives your opponent less to "
        "lay off"
    )


def _way(move: Move, rules: RuleSet, style: Style) -> str:
    match move:
        case Knock():
            deadwood = style.deadwood(move.deadwood, rules)
            return f"melds {style.melds(move.melds)}; deadwood {deadwood}"
        case TakeDiscards(_, lay):
            return lay_text(lay, style)
        case Lay():
            return lay_text(move, style)
    return str(move)


# --- questions before a likely slip -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A question before a move. ``plays_on``: whether yes means playing on instead of knocking."""

    what: Literal["spread", "discard"]
    sentence: str
    plays_on: bool = False


def confirmation_for(
    move: Move, view: View, style: Style, *, plays_on: bool
) -> Confirmation | None:
    """Return the question to ask before this legal move; None if there is none. *plays_on*: our
    player has already decided in this hand to play on instead of knocking."""
    if isinstance(move, Spread):
        given = _gives_away(move, view)
        return None if given is None else Confirmation("spread", given)
    if not isinstance(move, Discard):
        return None
    card = move.card
    return (
        _throws_gin_away(card, view, style)
        or _breaks_a_meld(card, view, style)
        or _leaves_a_knock(card, view, style, plays_on)
    )


def _throws_gin_away(card: Card, view: View, style: Style) -> Confirmation | None:
    gins = [option for option in knock_options(view) if not option.deadwood]
    if not gins:
        return None
    if gins[0].discard is None:
        can = "You can go big gin"
    else:
        can = f"You can go gin by discarding {options_text(gins, style, _MOST_OPTIONS)}"
    return Confirmation("discard", f"{can}. Discard {style.the(card)} anyway?")


def _breaks_a_meld(card: Card, view: View, style: Style) -> Confirmation | None:
    meld = broken_meld(card, view)
    if meld is None:
        return None
    kind = "set" if len({card.rank for card in cards_of(meld)}) == 1 else "run"
    part = f"{style.at_start(card)} is part of your {kind} {style.meld(meld)}"
    return Confirmation("discard", f"{part}. Discard it anyway?")


def broken_meld(card: Card, view: View) -> Meld | None:
    """Return the meld of the hand, as shown, that discarding this card breaks, if the rest then
    counts more than before. None if the meld survives (a run of four without its end), or if the
    cards make another that is as good."""
    ways, kept = view.hand.melding, view.cards & ~card.bit
    melds = ways.melds_in(view.cards)
    loose = view.cards ^ sum(melds)
    if ways.pips(kept ^ sum(ways.melds_in(kept))) <= ways.pips(loose):
        return None
    return next((meld for meld in melds if meld & card.bit), None)


def _leaves_a_knock(card: Card, view: View, style: Style, plays_on: bool) -> Confirmation | None:
    options, hand = knock_options(view), view.hand
    if not options:
        return None
    lost = hand.melding.deadwood(view.cards ^ card.bit) > hand.knock_limit
    last = hand.stock_left == WALL  # so the hand is void, or the opponent may end it
    if plays_on and not lost and not last:
        return None
    then = "anyway" if lost or last else "and play on"
    can = f"You can knock by discarding {options_text(options, style, _MOST_OPTIONS)}"
    return Confirmation("discard", f"{can}. Discard {style.the(card)} {then}?", plays_on=True)


def _gives_away(spread: Spread, view: View) -> str | None:
    """Return the question about a spread that leaves more than the best one would."""
    best, pips = best_answer(view), view.hand.melding.pips
    if pips(spread.deadwood) <= pips(best.deadwood):
        return None
    return (
        f"That spread leaves {pips(spread.deadwood)}; the best leaves {pips(best.deadwood)}. "
        "Spread anyway?"
    )
