"""What a line means in the current position: turn a Command into a move, seen from one seat.

Rule 1: this module only fills in what the player left out: the best arrangement, the best spread,
  the meld that a lay-off fits. What the player named is never changed, even if it gives points
  away; a person is then asked first (cli.table.possible_moves).
Rule 2: the rules of the match decide which of the typed cards are melds: there are more melds if
  runs go around the corner.
Rule 3: if a line can mean several lays, the player picks one by its number. We never guess, because
  a lay can't be taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from cli.table.arguments import NO_KNOCKING, OTHER, Adds, Command, Groups, Parts
from cli.table.possible_moves import (
    best_answer,
    enter_move,
    go_together,
    knock_options,
    layable,
    least_deadwood,
    options_text,
    takes_of,
)
from cli.table.table_state import TableState, WhichMove
from cli.text.cards import RANK_WORDS, Style, mask_of_distinct, no_suit, which_suit
from cli.text.grammar import plural
from cli.text.rules import limit_number
from ginpeer.rules.cards import Card, CardSet, Illegal, Unreadable, cards_of, mask_of, popcount
from ginpeer.rules.hand import Hand, Phase
from ginpeer.rules.match import View
from ginpeer.rules.melds import Meld, Melding
from ginpeer.rules.moves import Knock, Lay, Move, Spread, TakeDiscards, TakeUpcard

Placed = tuple[tuple[Card, int], ...]
"""Cards to add to melds, each with the meld's index."""

_MOST_ADDS = 8  # cards that one line can add; their order is found by trying all


def resolve(
    line: Command, which: WhichMove | None, state: TableState, style: Style
) -> Move | WhichMove | Command:
    """Return what a command means now. *which*: the moves from which a number picks one. A number
    that picks none is returned unchanged. Raises Illegal or Unreadable with a sentence."""
    match line:
        case Command("number", int(number)) if which is not None:
            return which.moves[number - 1] if 1 <= number <= len(which.moves) else line
        case Command("enter") if which is not None:
            return Command("number")  # one that picks nothing
        case Command("number", int(number)) if not 1 <= number <= _HIGHEST_NUMBER:
            raise Unreadable("unclear", f"{number} isn't a card. Type a card like 7d.")
        case Command("number", int(number)) if state.view is not None:
            raise _which_card(number - 1, state.view)
        case Command("show") if state.shows_what_is_left():
            line = Command("enter")
        case _ if not line.is_move and line.name not in ("number", "rank"):
            return line
    if state.view is None:
        raise Illegal("not-your-turn", state.why_no_move())
    return resolve_move(line, state.view, style)


_HIGHEST_NUMBER = 10  # the highest number that is the rank of a card


def _which_card(rank: int, view: View, before: str = "") -> Unreadable:
    """Return the error that says what to type instead of a rank without a suit. *before*: what was
    typed before the rank."""
    if view.hand.phase is not Phase.DISCARD:
        return Unreadable("wrong-phase", _not_now("discard", view.hand).sentence)
    taken, held = view.hand.taken, view.cards
    if taken is not None:  # it can't be discarded in this turn
        held &= ~taken.bit
        if taken.rank == rank and not any(card.rank == rank for card in cards_of(held)):
            sentence = f"You have just taken your only {RANK_WORDS[rank]}. Discard another card."
            return Unreadable("just-taken", sentence)
    return Unreadable("no-suit", no_suit(rank, held, before))


def _not_now(what: str, hand: Hand, rule: str | None = None) -> Illegal:
    """Return the error that says why our player can't do *what* now: it is allowed only after
    drawing and before discarding. *rule*: the rule that says so, if it isn't the general one."""
    if hand.phase is Phase.LAY_OFF:
        return Illegal("wrong-phase", "Your opponent has already ended the hand.", rule or "6.1")
    sentence = f"You can {what} only after you draw or take a card."
    return Illegal("wrong-phase", sentence, rule)


_WHY_NOT_ENTER = {
    Phase.DISCARD: "Enter doesn't discard. Type a card, like 7d.",
    Phase.DRAW: "The upcard would go into a meld, so Enter doesn't draw. Type draw or take.",
    Phase.LAST_CHANCE: "The upcard could end the hand, so Enter doesn't pass. Type pass or take.",
}


def resolve_move(line: Command | Move, view: View, style: Style) -> Move | WhichMove:
    """Return the move that a line means; the seat checks whether it is legal. Raises Illegal or
    Unreadable if no move can be made out."""
    if not isinstance(line, Command):
        return line
    named = line.argument if isinstance(line.argument, Parts) else Parts()
    hand = view.hand
    lays = hand.rules.mahjong and hand.phase is not Phase.LAY_OFF
    match line.name:
        case "rank" if isinstance(line.argument, int):
            raise _which_card(line.argument, view)
        case "discard" if hand.phase is not Phase.DISCARD:
            raise _not_now("discard", hand)
        case "discard" if named.missing is not None:
            raise named.missing
        case "enter":
            move = enter_move(view)
            if move is not None:
                return move
            why = _WHY_NOT_ENTER.get(hand.phase, "Enter does nothing here.")
            if hand.rules.mahjong and hand.phase is Phase.DRAW:
                why = "A card in the pile would go into a meld, so Enter doesn't draw."
            raise Illegal("enter-does-nothing", why)
        case "take" if named.number is not None and not hand.rules.mahjong:
            return _take_by_rank(named.number - 1, named, hand, style)
        case "take" if named.rank is not None and not hand.rules.mahjong:
            return _take_by_rank(named.rank, named, hand, style)
        case "take" if named.rank is not None and named.number is None:
            raise which_suit(named.rank)
        case "take":
            return _only(_resolve_take(named, view, style))
        case "lay" if hand.rules.mahjong or hand.phase is not Phase.LAY_OFF:
            return _only(_resolve_lay(named, view, style))
        case "knock" | "gin" | "big gin":
            _expect_phase(view, Phase.DISCARD)
            if named.missing is not None:
                raise named.missing
            if named.rank is not None:
                raise _which_card(named.rank, view, f"{line.name} ")
            return _only(_resolve_knock(line.name, named, view, style))
        case "spread" if (named.adds or named.missing) and lays:
            sentence = "To add a card to a meld on the table, type add instead, as in: add 6c on 1."
            raise Illegal("no-laying-off", sentence, "12.5")
        case "spread" | "lay":
            _expect_phase(view, Phase.LAY_OFF)
            spread = named if line.name == "spread" else _as_layoffs(named)
            return _resolve_spread(spread, view, style)
    raise Unreadable("no-move", "That isn't a move.")


def _only(moves: Sequence[Move]) -> Move | WhichMove:
    return moves[0] if len(moves) == 1 else WhichMove(tuple(moves))


def _expect_phase(view: View, phase: Phase) -> None:
    """Refuse a knock or a spread outside its *phase*, where nothing sensible could be filled in."""
    mahjong = view.hand.rules.mahjong
    if mahjong and phase is Phase.DISCARD:
        raise Illegal("no-knocking", NO_KNOCKING, "12.2")
    if view.hand.phase is phase:
        return
    if mahjong:
        sentence = "You can show your cards only after your opponent has gone gin."
        raise Illegal("wrong-phase", sentence, "12.7")
    if phase is Phase.LAY_OFF:
        raise Illegal(
            "wrong-phase",
            "You can spread or lay off only once your opponent has ended the hand.",
            "6.1",
        )
    raise _not_now("knock or go gin", view.hand)


# --- knocks -----------------------------------------------------------------------------


def _resolve_knock(name: str, named: Parts, view: View, style: Style) -> tuple[Knock, ...]:
    """Return every knock that the line may mean, at least one. *name*: knock, gin or big gin.

    Only what was left out is filled in: the card, if only one is possible, and the arrangement with
    the least deadwood. If the adviser values another arrangement more, all of them may be meant.
    """
    if named.melds is not None or named.deadwood is not None:
        return (_knock_as_named(name, named, view, style),)
    if name == "big gin":
        if left := view.hand.melding.deadwood(view.cards):
            sentence = f"For big gin, all eleven cards must be melded. Yours leave {left}."
            raise Illegal("no-big-gin", sentence, "5.5")
        return (Knock(None, view.hand.melding.arrangements(view.cards)[0], 0),)
    card = named.card if named.card is not None else _only_card(name, view, style)
    if not view.cards & card.bit:
        raise Illegal("card-not-held", f"You don't have {style.the(card)}.")
    kept = view.cards ^ card.bit
    ways = view.hand.melding
    left = ways.deadwood(kept)
    if name == "gin" and left:
        sentence = f"Discarding {style.the(card)} leaves {left}; that isn't gin."
        raise Illegal("not-gin", sentence, "5.4")
    sensible = (move for move in view.sensible_moves() if isinstance(move, Knock))
    telling = tuple(knock for knock in sensible if knock.discard == card)
    if not telling and left > (limit := view.hand.knock_limit):
        only = f"and the limit is {limit}" if limit else "and only gin ends the hand"
        sentence = f"You can't knock with {style.the(card)}: that leaves {left}, {only}."
        raise Illegal("knock-over-limit", sentence, limit_number(view.hand.rules))
    if not telling:  # illegal; the hand will say why
        melds = ways.arrangements(kept)[0]
        return (Knock(card, melds, kept ^ sum(melds)),)
    if named.number is None:
        return telling[:1] if _is_best(telling[0], telling, view) else telling
    if named.number > len(telling):
        sentence = f"There is no arrangement {named.number}."
        if named.number == OTHER:
            sentence = "Showing other melds can't win more. To do so anyway, name them."
        raise Illegal("no-such-choice", sentence, "5.3")
    return (telling[named.number - 1],)


def _is_best(knock: Knock, among: tuple[Knock, ...], view: View) -> bool:
    """Return whether the adviser ranks *knock* first of the knocks in *among*."""
    if len(among) == 1:
        return True
    from ginpeer.adviser.advise import choices  # imported here, because few lines need it

    return next(choice.move for choice in choices(view) if choice.move in among) == knock


def _knock_as_named(name: str, named: Parts, view: View, style: Style) -> Knock:
    melds = _read_melds(named.melds or (), view.hand.melding)
    card = named.card
    for missing in cards_of(reduce(or_, melds, 0 if card is None else card.bit) & ~view.cards):
        raise Illegal("card-not-held", f"You don't have {style.the(missing)}.")
    if card is None and name != "big gin" and sum(melds) != view.cards:
        sentence = f"Say which card to discard, as in: {name} 7d melds 3c4c5c."
        raise Unreadable("no-card", sentence)
    if named.deadwood is not None:
        return Knock(card, melds, named.deadwood)
    shown = reduce(or_, melds, 0 if card is None else card.bit)
    return Knock(card, melds, view.cards & ~shown)


def _only_card(name: str, view: View, style: Style) -> Card:
    options = [option for option in knock_options(view) if name == "knock" or not option.deadwood]
    if not options:
        least = least_deadwood(view)
        if name == "gin":
            sentence = f"You can't go gin: your best discard leaves {least}."
            raise Illegal("not-gin", sentence, "5.4")
        limit = view.hand.knock_limit
        only = f"and the limit is {limit}" if limit else "and only gin ends the hand"
        sentence = f"You can't knock: your best discard leaves {least}, {only}."
        raise Illegal("knock-over-limit", sentence, limit_number(view.hand.rules))
    if len(options) > 1:
        how = f"Say which card to discard, as in {name} {Style().card(options[0].discard).lower()}"
        raise Illegal("no-card", f"{how}. Your choices: {options_text(options, style)}.")
    return options[0].discard


# --- spreads ----------------------------------------------------------------------------


def _resolve_spread(named: Parts, view: View, style: Style) -> Spread:
    """Return the spread that was named, and fill in the best choice for anything left out. If the
    deadwood is named, or both melds and lay-offs, nothing is filled in."""
    hand, open_melds, ways = view.cards, view.hand.open_melds, view.hand.melding
    melds = None if named.melds is None else _read_melds(named.melds, ways)
    lays_off = bool(named.adds or named.missing)
    if melds is None and named.adds is None and named.deadwood is None and not lays_off:
        return best_answer(view)
    if view.hand.rules.mahjong:
        if melds or lays_off or named.deadwood is None:
            sentence = "The hand is over. Press Enter to show your remaining cards."
            raise Illegal("too-late", sentence, "12.7")
        return Spread((), (), named.deadwood)
    if lays_off and not open_melds:
        raise Illegal("layoff-on-gin", "You can't lay off against gin.", "6.3")
    if named.missing is not None:
        raise named.missing
    shown = reduce(or_, melds or (), mask_of(card for card, _ in named.adds or ()))
    for card in cards_of(shown & ~hand):
        raise Illegal("card-not-held", f"You don't have {style.the(card)}.")
    misfit = ("layoff-does-not-fit", "6.3")
    placed = _place(named.adds or (), open_melds, ways, style, misfit)
    off = mask_of(card for card, _ in placed)
    if named.deadwood is not None:
        return Spread(melds or (), placed, named.deadwood)
    if melds is None:
        melds = ways.arrangements(hand & ~off)[0]
        return Spread(melds, placed, hand & ~off & ~sum(melds))
    rest = hand & ~reduce(or_, melds, off)
    if named.adds is None:
        rest, placed = min(
            ways.all_layoffs(rest, open_melds), key=lambda choice: ways.pips(choice[0])
        )
    return Spread(melds, placed, rest)


def _as_layoffs(named: Parts) -> Parts:
    """Turn cards for the table into lay-offs, as in lay 6c on 1. If none are named, lay off
    what fits best, as spread does."""
    if named == Parts() or named.missing is not None:
        return named
    layoffs = tuple((card, None) for group in named.melds or () for card in group)
    adds = (*layoffs, *(named.adds or ()))
    mask_of_distinct([card for card, _ in adds])
    return Parts(adds=adds)


# --- on the table -----------------------------------------------------------------------


def _resolve_lay(named: Parts, view: View, style: Style) -> tuple[Lay, ...]:
    """Return every lay that the line may mean, at least one."""
    hand = view.hand
    if not hand.rules.mahjong and (named.adds or named.missing):
        sentence = "You can lay off only after your opponent has knocked."
        raise Illegal("wrong-phase", sentence, "6.3")
    if not hand.rules.mahjong:
        raise Illegal("not-mahjong", "You can lay cards on the table only in Mahjong gin.", "12.4")
    if hand.phase is not Phase.DISCARD:
        raise _not_now("lay cards", hand, "12.4")
    if named.missing is not None:
        raise named.missing
    if named.melds is None and named.adds is None:
        return _all_melds(view)
    return _lays(named, view.cards, hand, style)


def _all_melds(view: View) -> tuple[Lay, ...]:
    ways = view.hand.melding
    small = popcount(view.cards) <= 11  # for more cards, least deadwood is not defined
    arrangements = ways.arrangements(view.cards) if small else (ways.melds_in(view.cards),)
    if not arrangements[0]:
        told, adds = "You have no meld in your hand.", layable(view)[1]
        if adds:
            named = adds if go_together(adds, view) else adds[:1]
            how = f"name the card, as in: add {' '.join(str(card) for card, _ in named)}."
            told = f"{told} To add a card to a meld on the table, {how}"
        raise Illegal("no-meld", told, "12.4")
    return tuple(Lay(melds, ()) for melds in arrangements)


def _lays(named: Parts, held: CardSet, hand: Hand, style: Style) -> tuple[Lay, ...]:
    melds = _read_melds(named.melds or (), hand.melding)
    adds = named.adds or ()
    laid = reduce(or_, melds, mask_of(card for card, _ in adds))
    for card in cards_of(laid & ~held):
        raise Illegal("card-not-held", f"You don't have {style.the(card)}.", "4.3")
    table = (*hand.table_melds, *melds)
    if len(adds) == 1:  # on any meld; the player is asked if several fit
        card, wanted = adds[0]
        places = [
            at
            for at, meld in enumerate(table)
            if wanted in (None, at) and hand.melding.fits(card, meld)
        ]
        if places:
            return tuple(Lay(melds, ((card, at),)) for at in places)
    if len(adds) > _MOST_ADDS:
        raise Unreadable("too-many", f"Name at most {_MOST_ADDS} cards in one line.")
    misfit = ("add-does-not-fit", "12.5")
    return (Lay(melds, _place(adds, table, hand.melding, style, misfit)),)


# --- from the pile ----------------------------------------------------------------------


def _resolve_take(named: Parts, view: View, style: Style) -> tuple[Move, ...]:
    """Return every take that the line may mean, at least one."""
    hand = view.hand
    count = _depth(named, hand, style)
    if count == 1:
        if named.lay is not None:
            raise Illegal("take-first", "Take the upcard first, then lay cards.", "12.4")
        return (TakeUpcard(),)
    is_rank = named.lay is None and hand.upcard is not None and hand.upcard.rank == named.rank
    if is_rank and (count > len(hand.pile) or hand.phase is Phase.LAST_CHANCE):
        return (TakeUpcard(),)
    if hand.phase is Phase.LAST_CHANCE:
        raise Illegal("wrong-phase", "You can take only the last discard now.", "4.7")
    if hand.phase in (Phase.DISCARD, Phase.LAY_OFF):
        sentence = "You can take several cards only at the start of your turn."
        raise Illegal("wrong-phase", sentence, "12.3")
    if count > len(hand.pile):
        sentence = f"The pile has only {plural(len(hand.pile), 'card')}."
        raise Illegal("pile-too-small", sentence, "12.3")
    if named.lay is not None and named.lay.missing is not None:
        raise named.lay.missing
    held = view.cards | mask_of(hand.pile[-count:])
    lowest = hand.pile[-count]
    if named.lay is not None and (named.lay.melds is not None or named.lay.adds is not None):
        lays = _lays(named.lay, held, hand, style)
        takes = tuple(TakeDiscards(count, lay) for lay in lays)
        if not all(lay.cards & lowest.bit for lay in lays):
            sentence = f"You must lay {style.the(lowest)}, the bottom card of the {count}."
            raise Illegal("lowest-not-laid", sentence, "12.3")
        return takes
    takes = takes_of(count, view)
    if is_rank:
        return (TakeUpcard(), *takes)
    if not takes:
        why = f"you couldn't lay {style.the(lowest)}, the bottom one"
        raise Illegal("cannot-lay", f"You can't take {count}: {why}.", "12.3")
    return takes


def _take_by_rank(rank: int, named: Parts, hand: Hand, style: Style) -> TakeUpcard:
    """Take the upcard, if it has this rank. A number is a count of cards only in Mahjong gin."""
    told, upcard = "You can take several cards only in Mahjong gin.", hand.upcard
    if named.lay is None and upcard is not None:
        if upcard.rank == rank or hand.phase is Phase.DISCARD:
            return TakeUpcard()  # after a draw, the hand says why it isn't possible
        if named.number is None or named.number > _HIGHEST_NUMBER:
            raise Illegal("not-the-upcard", f"The upcard is {style.the(upcard)}.", "4.6")
        told = f"The upcard is {style.the(upcard)}. {told}"
    raise Illegal("not-mahjong", told, "12.3")


def _depth(named: Parts, hand: Hand, style: Style) -> int:
    if named.card is None:
        return 1 if named.number is None else named.number
    if hand.rules.mahjong:
        if named.card in hand.pile:
            return len(hand.pile) - hand.pile.index(named.card)
        sentence = f"{style.at_start(named.card)} isn't in the pile."
        raise Illegal("not-in-the-pile", sentence, "4.6")
    if hand.upcard not in (None, named.card) and hand.phase is not Phase.DISCARD:
        raise Illegal("not-the-upcard", f"The upcard is {style.the(hand.upcard)}.", "4.6")
    return 1


# --- melds and cards to add -------------------------------------------------------------


def _read_melds(groups: Groups, melding: Melding) -> tuple[Meld, ...]:
    """Return the melds that were typed; split cards written together. Raises Unreadable.

    If every group has three cards or more, the groups are the melds, and the hand judges them.
    """
    if len(groups) > 1 and all(len(group) >= 3 for group in groups):
        return tuple(map(mask_of, groups))
    cards = [card for group in groups for card in group]
    named = mask_of_distinct(cards)
    if not cards or melding.is_meld(named):
        return (named,) if cards else ()
    split = _split(cards, melding)
    if split is None:
        shown = "".join(map(str, cards[:12]))
        told = f"{shown} can't be split into melds. Put a comma after each meld, and nowhere else."
        if len(cards) < 6:  # too few for two melds
            few = "; a meld has three cards or more" if len(cards) < 3 else ""
            told = f"{shown} isn't a meld{few}."
        raise Unreadable("not-melds", told)
    return split


def _split(cards: list[Card], melding: Melding) -> tuple[Meld, ...] | None:
    """Split the cards, in their order, into the fewest melds; None if cards are left over."""
    best: list[tuple[CardSet, ...] | None] = [()]
    for end in range(1, len(cards) + 1):
        ways = []
        for start in range(end - 2):
            before, meld = best[start], mask_of(cards[start:end])
            if before is not None and melding.is_meld(meld):
                ways.append((*before, meld))
        best.append(min(ways, key=len, default=None))
    return best[-1] or None


def _place(
    adds: Adds, melds: tuple[Meld, ...], melding: Melding, style: Style, misfit: tuple[str, str]
) -> Placed:
    """Choose an order and melds so that all cards fit. *misfit*: the error code and the rule to
    raise if they don't."""
    placed = _fitting_order(adds, melds, melding)
    if len(placed) == len(adds):
        return placed
    fit = [card for card, _ in placed]
    card, wanted = next((card, wanted) for card, wanted in adds if card not in fit)
    told = f"{style.at_start(card)} doesn't fit"
    if not melds:
        told += ": there are no melds on the table."
    elif wanted is None:
        told += f". The melds: {style.numbered_melds(melds)}."
    else:
        at_one = wanted < len(melds)
        told = f"{told} meld {wanted + 1}." if at_one else f"There is no meld {wanted + 1}."
        told += f" The melds: {style.numbered_melds(melds)}."
    code, rule = misfit
    raise Illegal(code, told, rule)


def _fitting_order(adds: Adds, melds: tuple[Meld, ...], melding: Melding) -> Placed:
    """Return as many of the cards as fit, with their melds, in an order in which each fits. One
    card can make another fit: 7c fits 3c 4c 5c once 6c has been added."""
    best: Placed = ()
    for index, (card, wanted) in enumerate(adds):
        for at, meld in enumerate(melds):
            if wanted in (None, at) and melding.fits(card, meld):
                others, grown = adds[:index] + adds[index + 1 :], meld | card.bit
                new_melds = (*melds[:at], grown, *melds[at + 1 :])
                placed = ((card, at), *_fitting_order(others, new_melds, melding))
                if len(placed) == len(adds):
                    return placed
                best = max(best, placed, key=len)
    return best
