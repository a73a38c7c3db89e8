"""What a line means in the current position: turn a Command into a move, seen from one seat.

# Rule 1: the only input is a View, so nothing here can know the opponent's hand.
# Rule 2: the hand decides whether a move is legal (Hand.apply). This module only fills in what the
#   player left out: the best arrangement, the best spread, the meld that a lay-off fits. What the
#   player named is never changed, even if it gives points away; a person is then asked first
#   (cli.table.turn_words).
# Rule 3: a refusal is one sentence that says what the player can do instead. It costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from cli.table.arguments import OTHER, Command, Parts
from cli.table.lays import place, read_melds, resolve_lay, resolve_take, with_card
from cli.table.possible_moves import best_answer, enter_move, knock_options
from cli.table.table_state import TableState, WhichMove
from cli.table.turn_words import options_text
from cli.text.cards import Style
from ginpeer.rules.cards import (
    Card,
    CardSet,
    Illegal,
    Unreadable,
    cards_of,
    mask_of,
)
from ginpeer.rules.hand import Phase
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Knock, Move, Spread
from ginpeer.rules.view import View


def resolve(
    line: Command | Move, which: WhichMove | None, state: TableState, style: Style
) -> Move | WhichMove | Command:
    """Return what the player wants: a move, a question to ask, or another command.

    *which*: the moves that a number picks from. A number that picks none is returned unchanged.
    Raises Illegal or Unreadable with a sentence.
    """
    match line:
        case Command("number", int(number)):
            if which is None:
                raise Unreadable("unclear", f"{number} isn't a card. Type the suit too, like 7d.")
            return which.moves[number - 1] if 1 <= number <= len(which.moves) else line
        case Command("show") if state.shows_what_is_left():
            line = Command("enter")
        case Command() if not line.is_move:
            return line
    if state.view is None:
        raise Illegal("not-your-turn", state.why_no_move())
    return resolve_move(line, state.view, style)


_NOTHING = "Enter does nothing here."
_WHY_NOT_ENTER = {
    Phase.DRAW: "Enter doesn't draw when the upcard fits a meld.",
    Phase.LAST_CHANCE: "Enter doesn't pass when the upcard could end the hand.",
}


def resolve_move(line: Command | Move, view: View, style: Style) -> Move | WhichMove:
    """Return the move that a line means in this view. Raises Illegal or Unreadable with a sentence.

    The move may still be illegal; the seat judges it.
    """
    if not isinstance(line, Command):
        return line
    named = line.argument if isinstance(line.argument, Parts) else Parts()
    hand = view.hand
    match line.name:
        case "enter":
            move = enter_move(view)
            if move is None:
                raise Illegal("enter-does-nothing", _WHY_NOT_ENTER.get(hand.phase, _NOTHING))
            return move
        case "take" if named.number is not None and not hand.rules.mahjong:
            if named.lay is None:
                count = named.number
                raise Unreadable("no-suit", f"Which {count}? Type the suit too, like {count}d.")
            raise Illegal("not-mahjong", "You can take several cards only in Mahjong gin.", "12.3")
        case "take":
            return _only(resolve_take(named, view, style))
        case "lay" if hand.rules.mahjong or hand.phase is not Phase.LAY_OFF:
            return _only(resolve_lay(named, view, style))
        case "knock" | "gin" | "big gin":
            _expect_phase(view, Phase.DISCARD)
            return _only(resolve_knock(line.name, named, view, style))
        case "spread" | "lay":
            _expect_phase(view, Phase.LAY_OFF)
            return resolve_spread(
                named if line.name == "spread" else _as_layoffs(named), view, style
            )
    raise Unreadable("no-move", "That isn't a move.")


def _only(moves: Sequence[Move]) -> Move | WhichMove:
    return moves[0] if len(moves) == 1 else WhichMove(tuple(moves))


def _expect_phase(view: View, phase: Phase) -> None:
    """Refuse a knock or a spread in any other phase, in which completing it makes no sense."""
    if view.hand.rules.mahjong and phase is Phase.DISCARD:
        raise Illegal(
            "no-knocking",
            "You can't knock in Mahjong gin. Lay your cards on the table, and discard the last "
            "one.",
            "12.2",
        )
    if view.hand.phase is not phase:
        what = (
            "You can knock only after you draw"
            if phase is Phase.DISCARD
            else "You can spread only after a knock"
        )
        if view.hand.rules.mahjong:
            what = "You can show your cards only after your opponent has gone gin"
        raise Illegal("wrong-phase", f"{what}.")


# --- knocks -----------------------------------------------------------------------------


def resolve_knock(name: str, named: Parts, view: View, style: Style) -> tuple[Knock, ...]:
    """Return every knock that the line may mean, at least one. *name*: knock, gin or big gin.
    Raises Illegal or Unreadable with a sentence.

    Only what was left out is filled in: the card, if only one is possible, and the arrangement. The
    one with the least deadwood is meant, unless the adviser thinks that another can win more.
    """
    if named.melds is not None or named.deadwood is not None:
        return (_knock_as_named(name, named, view),)
    if name == "big gin":
        return (_big_gin(view),)
    card = named.card if named.card is not None else _only_card(name, view, style)
    if not view.cards & card.bit:
        raise Illegal("card-not-held", f"You don't have {style.the(card)}.")
    kept = view.cards ^ card.bit
    ways = view.hand.melding
    left = ways.deadwood(kept)
    if name == "gin" and left:
        raise Illegal("not-gin", f"Discarding {style.the(card)} leaves {left}; that isn't gin.")
    sensible = (move for move in view.sensible_moves() if isinstance(move, Knock))
    telling = tuple(knock for knock in sensible if knock.discard == card)
    if not telling:  # illegal; the hand will say why
        melds = ways.arrangements(kept)[0]
        return (Knock(card, melds, kept ^ sum(melds)),)
    if named.number is None:
        return telling[:1] if _is_best(telling[0], telling, view) else telling
    if named.number > len(telling):
        other = "other way to lay out that hand"
        other = other if named.number == OTHER else f"arrangement {named.number}"
        raise Illegal("no-such-choice", f"There is no {other}.")
    return (telling[named.number - 1],)


def _is_best(knock: Knock, among: tuple[Knock, ...], view: View) -> bool:
    """Return whether the adviser values no other knock *among* these more. Without an adviser, a
    knock is the best if it is the only one."""
    if len(among) == 1:
        return True
    from ginpeer.adviser import can_advise, choices  # here, because few lines need it

    if not can_advise(view.hand.rules):
        return False
    return next(choice.move for choice in choices(view) if choice.move in among) == knock


def _knock_as_named(name: str, named: Parts, view: View) -> Knock:
    """Return the knock with the melds and deadwood that were named; the remaining cards are the
    rest."""
    melds = read_melds(named.melds or (), view.hand.melding)
    card = named.card
    if card is None and name != "big gin" and sum(melds) != view.cards:
        raise Unreadable("no-card", "Say which card to discard, as in: knock 7d melds 3c4c5c.")
    if named.deadwood is not None:
        return Knock(card, melds, named.deadwood)
    shown = mask_of([card]) if card is not None else 0
    for meld in melds:
        shown |= meld
    return Knock(card, melds, view.cards & ~shown)


def _big_gin(view: View) -> Knock:
    ways = view.hand.melding
    left = ways.deadwood(view.cards)
    if left:
        raise Illegal(
            "no-big-gin", f"For big gin, all eleven cards must be melded. Yours leave {left}."
        )
    return Knock(None, ways.arrangements(view.cards)[0], 0)


def _only_card(name: str, view: View, style: Style) -> Card:
    """Return the card to throw if none was named and only one is possible."""
    options = [
        option
        for option in knock_options(view)
        if option.discard is not None and (name == "knock" or not option.deadwood)
    ]
    cards = [option.discard for option in options if option.discard is not None]
    if not cards:
        least = min(
            view.hand.melding.deadwood(view.cards ^ card.bit)
            for card in cards_of(view.cards)
            if card != view.hand.taken
        )
        if name == "gin":
            raise Illegal("not-gin", f"You can't go gin: your best discard leaves {least}.")
        limit = view.hand.knock_limit
        only = f"and the limit is {limit}" if limit else "and only gin ends the hand"
        raise Illegal(
            "knock-over-limit", f"You can't knock: your best discard leaves {least}, {only}."
        )
    if len(cards) > 1:
        shown = options_text(options, style)
        raise Illegal("no-card", f"Say which card to discard: {shown}.")
    return cards[0]


# --- spreads ----------------------------------------------------------------------------


def resolve_spread(named: Parts, view: View, style: Style) -> Spread:
    """Return the spread as named, with anything left out filled in as well as possible.

    If the deadwood is named, or both melds and lay-offs, nothing is filled in. Raises Illegal or
    Unreadable with a sentence.
    """
    hand, open_melds, ways = view.cards, view.hand.open_melds, view.hand.melding
    melds = None if named.melds is None else read_melds(named.melds, ways)
    if melds is None and named.adds is None and named.deadwood is None:
        return best_answer(view)
    if view.hand.rules.mahjong:
        if melds or named.adds or named.deadwood is None:
            raise Illegal(
                "too-late", "The hand is over. Press Enter to show your remaining cards.", "12.7"
            )
        return Spread((), (), named.deadwood)
    for card in cards_of(sum(melds or ()) & ~hand):
        raise Illegal("card-not-held", f"You don't have {style.the(card)}.")
    if named.adds and not open_melds:
        raise Illegal("layoff-on-gin", "You can't lay off against gin.", "6.3")
    if len(named.adds or ()) > hand.bit_count():
        raise Illegal("card-not-held", "You don't have that many cards to lay off.")
    misfit = ("layoff-does-not-fit", "6.3")
    placed = place(named.adds or (), open_melds, ways, style, misfit)
    off = mask_of(card for card, _ in placed)
    if named.deadwood is not None:
        return Spread(melds or (), placed, named.deadwood)
    if melds is None:
        melds = ways.arrangements(hand & ~off)[0]
        return Spread(melds, placed, hand & ~off & ~sum(melds))
    rest = hand & ~off
    for meld in melds:
        rest &= ~meld
    if named.adds is None:
        placed = _all_that_fit(rest, open_melds, ways)
        rest &= ~mask_of(card for card, _ in placed)
    return Spread(melds, placed, rest)


def _as_layoffs(named: Parts) -> Parts:
    """Turn cards for the table into lay-offs, as in lay 6c on 1."""
    layoffs = tuple((card, None) for group in named.melds or () for card in group)
    return Parts(adds=(*layoffs, *(named.adds or ())))


def _all_that_fit(
    rest: CardSet, open_melds: tuple[Meld, ...], ways: Melding
) -> tuple[tuple[Card, int], ...]:
    """Return the lay-offs that reduce the deadwood most without forming further melds."""
    best: tuple[tuple[Card, int], ...] = ()
    stack: list[tuple[CardSet, tuple[Meld, ...], tuple[tuple[Card, int], ...]]] = [
        (rest, open_melds, ())
    ]
    while stack:
        loose, melds, placed = stack.pop()
        if ways.pips(loose) < ways.pips(rest & ~mask_of(card for card, _ in best)):
            best = placed
        stack += [
            (loose & ~card.bit, with_card(melds, at, card), (*placed, (card, at)))
            for card in cards_of(loose)[::-1]
            for at, meld in enumerate(melds)
            if ways.fits(card, meld)
        ]
    return best
