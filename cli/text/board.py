"""The cards on the table in words, and whose turn it is: upcard and stock, the card that sets the
knock limit, and in Mahjong gin the melds and the pile (RULES 4, 10, 12)."""

from __future__ import annotations

from cli.text.cards import Sort, Style, sorted_by
from cli.text.grammar import YOU, at_start, capital, does, inside, names_seen_by, plural
from cli.text.score_sheet import score_line
from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.referee.table import Awaiting, Table
from ginpeer.rules.cards import CardSet, cards_of, popcount
from ginpeer.rules.hand import Hand
from ginpeer.rules.moves import Lay
from ginpeer.rules.parameters import KnockLimit
from ginpeer.rules.ruleset import STANDARD
from ginpeer.rules.score import mahjong_value


def opening_line(hand: Hand, style: Style, names: tuple[str, str]) -> str:
    if hand.knock_card is not None:
        first = names[hand.to_move]
        return (
            f"The knock card, from the second deck, is {style.the(hand.knock_card)}"
            f"{_limit_set(hand)}. {does(first, 'draw')} first, from the stock."
        )
    if hand.upcard is None:
        return f"{stock_text(hand)}."
    return f"The upcard is {style.the(hand.upcard)}{_limit_set(hand)}."


def _limit_set(hand: Hand) -> str:
    """Say how the card just turned up limits knocking or doubles the hand; "" if it doesn't."""
    rules = hand.rules
    words = knock_words(hand.knock_limit)
    if rules.knock_limit is KnockLimit.FLOATING:
        return f": {words}{_for_double(hand)} until the next discard"
    usual = rules.mahjong or rules.knock_limit == STANDARD.knock_limit
    doubled = "; the hand counts double" if hand.counts_double else ""
    return f"{'' if usual else f': {words}'}{doubled}"


def _for_double(hand: Hand) -> str:
    """If each turn has its own limit: say that the hand counts double if it ends this turn."""
    return ", for double points," if hand.counts_double else ""


def knock_words(limit: int) -> str:
    return f"knock with {limit} or less" if limit else "only gin ends the hand"


def limit_line(hand: Hand, style: Style) -> str | None:
    """Give the knock limit and whether the hand counts double; None if both are as usual."""
    doubled = " The hand counts double." if hand.counts_double else ""
    if hand.rules.mahjong or hand.rules.knock_limit == STANDARD.knock_limit:
        return doubled.lstrip() or None
    card = hand.limit_card
    words = knock_words(hand.knock_limit)
    if card is None:
        return f"{capital(words)}.{doubled}"
    if hand.rules.knock_limit is KnockLimit.FLOATING:
        words = f"{words}{_for_double(hand)}".rstrip(",")
        return f"The limit of this turn is set by {style.the(card)}: {words}."
    return f"The limit of this hand is set by {style.the(card)}: {words}.{doubled}"


def stock_text(hand: Hand) -> str:
    """Return "27 cards are left in the stock", to begin or end a sentence."""
    return f"{plural(hand.stock_left, 'card is', 'cards are')} left in the stock"


def upcard_line(hand: Hand, style: Style) -> str:
    """Name the upcard, the stock, and the knock limit if the upcard sets it for this turn."""
    if hand.upcard is None:
        return f"{stock_text(hand)}."
    limit = floating_limit(hand)
    upcard = f"The upcard is {style.the(hand.upcard)}"
    return f"{upcard}{': ' if limit else ''}{limit}; {stock_text(hand)}."


def table_lines(hand: Hand, style: Style, names: tuple[str, str]) -> list[str]:
    if hand.rules.mahjong:
        held = ", ".join(f"{inside(names[seat])} {hand.size(seat)}" for seat in (0, 1))
        lines = [*meld_lines(hand, style, names), f"Cards in hand: {held}."]
        lines += [pile_line(hand, style), f"{stock_text(hand)}."]
        return lines + ["The hand counts double."] * hand.counts_double
    limit = None if floating_limit(hand) else limit_line(hand, style)
    return [upcard_line(hand, style), *filter(None, [limit])]


def floating_limit(hand: Hand) -> str:
    """Return the knock limit if the upcard sets it for this turn; otherwise "". The upcard doesn't
    set the limit if the card above it has just been taken."""
    floats = hand.rules.knock_limit is KnockLimit.FLOATING and hand.upcard is not None
    if not floats or hand.limit_card != hand.upcard:
        return ""
    return f"{knock_words(hand.knock_limit)}{_for_double(hand)} this turn"


def pile_line(hand: Hand, style: Style) -> str:
    """List the pile from the top. A card's number is also how many cards to take to get it."""
    if not hand.pile:
        return "The pile is empty."
    cards = ", ".join(f"({at}) {style.the(card)}" for at, card in enumerate(reversed(hand.pile), 1))
    return f"The pile, from the top: {cards}."


def taken_line(hand: Hand, style: Style, seat: int, name: str) -> str:
    held = hand.known_held(seat)
    if not held:
        return f"{at_start(name)} has no cards from the pile."
    cards = ", ".join(map(style.the, sorted_by(Sort.SUIT, held)))
    them = "it" if popcount(held) == 1 else "them"
    return f"{at_start(name)} took {cards} from the pile and still has {them}."


def meld_lines(hand: Hand, style: Style, names: tuple[str, str]) -> list[str]:
    """List the melds on the table, from 1: who laid which cards, and for how many points."""
    if not hand.table_melds:
        return ["No melds are on the table yet."]
    lines = [
        f"Meld {at}, {style.the_meld(meld)}: {_laid_by(meld, hand, style, names)}."
        for at, meld in enumerate(hand.table_melds, 1)
    ]
    mine, theirs = (mahjong_value(hand.laid(seat)) for seat in (0, 1))
    return [*lines, f"Points on the table: {inside(names[0])} {mine}, {inside(names[1])} {theirs}."]


def _laid_by(meld: CardSet, hand: Hand, style: Style, names: tuple[str, str]) -> str:
    parts = [(inside(names[seat]), meld & hand.laid(seat)) for seat in (0, 1)]
    parts = [(name, cards) for name, cards in parts if cards]
    if len(parts) == 1:
        return f"laid by {parts[0][0]} for {mahjong_value(meld)}"
    return ", ".join(
        f"{style.cards(cards_of(cards))} by {name} for {mahjong_value(cards)}"
        for name, cards in parts
    )


def lay_text(lay: Lay, style: Style) -> str:
    """Return "lay 3♣ 4♣ 5♣; add 6♦ to meld 1"."""
    parts = [f"lay {style.melds(lay.melds)}"] if lay.melds else []
    parts += [f"add {style.the(card)} to meld {at + 1}" for card, at in lay.adds]
    return "; ".join(parts)


# --- whose turn it is -------------------------------------------------------------------

_WAITING_FOR = {  # completes "Waiting for Bob"
    Awaiting.OFFER: "to offer a match",
    Awaiting.ACCEPT: "to accept the match",
    **{each: "to cut for the deal" for each in Awaiting if each.name.startswith("CUT_")},
    **{each: "to shuffle and deal" for each in Awaiting if each.name.startswith("DEAL_")},
    Awaiting.UPCARD: "to take the upcard or pass",
    Awaiting.DRAW: "to draw a card",
    Awaiting.SHARE: "to deal you the card that you drew",
    Awaiting.DISCARD: "to discard or knock",
    Awaiting.SPREAD: "to spread",
    Awaiting.SETTLE: "to sign the final score",
    Awaiting.DISCLOSE: "to reveal how it shuffled",
    Awaiting.LAST_CHANCE: "to take the last discard or pass",
    Awaiting.NOTHING: "",  # never waited for
}
_WAITING_IN_MAHJONG = {
    Awaiting.DRAW: "to draw or take from the pile",
    Awaiting.DISCARD: "to lay cards or discard",
    Awaiting.SPREAD: "to show what is left",
}


def awaited_action(table: Table) -> str:
    """Return what the player who owes the next entry has to do: "to draw a card"."""
    usual = _WAITING_FOR[table.awaiting]
    if table.match is not None and table.match.rules.mahjong:
        return _WAITING_IN_MAHJONG.get(table.awaiting, usual)
    only_gin = table.match is not None and table.match.rules.knock_limit == 0
    return "to discard or go gin" if only_gin and table.awaiting is Awaiting.DISCARD else usual


# What a program does by itself, without asking its player.
_BY_PROGRAM = frozenset({Awaiting.SHARE, Awaiting.SETTLE, Awaiting.DISCLOSE})


def who_owes_what(table: Table, name: str) -> str:
    """Return who owes what, as in "Ben to draw a card", "Ben's program to deal you the card"."""
    who = f"{inside(name)}'s program" if table.awaiting in _BY_PROGRAM else inside(name)
    return f"{who} {awaited_action(table)}"


def position_lines(
    table: Table,
    style: Style,
    own: int | None,
    known: KnownNames = NO_KNOWN_NAMES,
    *,
    score: bool = True,
) -> list[str]:
    """Return the *score*, the cards on the table, the card just taken, and whose turn it is. *own*:
    our seat, whose player is "you"; None names both players."""
    names = names_seen_by(known.display(table.keys, table.names), own)
    begun = table.match is not None and bool(table.match.results) and table.begins == 1
    lines = [score_line(table.match, names)] if table.match and begun and score else []
    hand = table.hand
    if hand is not None and hand.result is None:
        lines += table_lines(hand, style, names)
        if hand.taken is not None:
            name = names[hand.to_move]
            has = f"{at_start(name)} {'have' if name == YOU else 'has'}"
            lines.append(f"{has} just taken {style.the(hand.taken)}.")
    return [*lines, *_turn(table, names, own)]


def _turn(table: Table, names: tuple[str, str], own: int | None) -> list[str]:
    if table.owed_by is None:
        return []
    if table.awaiting in _BY_PROGRAM:
        if table.owed_by == own:  # our own program does this by itself
            return []
        what = awaited_action(table)
        if table.awaiting is Awaiting.SHARE and own is None:
            what = "to deal the card that was drawn"
        return [f"Next, {inside(names[table.owed_by])}'s program has {what}."]
    whose = "your" if table.owed_by == own else f"{inside(names[table.owed_by])}'s"
    return [f"It's {whose} turn {awaited_action(table)}."]
