"""What `rules` answers at the table: what may be done now, what not, and by which rule.

# House rules
#
# 1. Only a View comes in, so no answer can tell what the player does not know.
# 2. Every answer ends with the number of the rule that decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from cli.table.possible_moves import knock_options, layable, several_counts
from cli.table.turn_words import options_text
from cli.text.cards import Style
from cli.text.rules import Numbered, limit_number, with_number
from ginpeer.rules.cards import cards_of
from ginpeer.rules.hand import WALL, Phase
from ginpeer.rules.parameters import KnockLimit, Wall
from ginpeer.rules.view import View


def now(view: View, style: Style) -> list[str]:
    """What the player whose move is due may do, what not and why."""
    return [
        with_number(number, sentence)
        for number, sentence in (*_limit(view, style), *_now(view, style))
    ]


def _limit(view: View, style: Style) -> Iterator[Numbered]:
    """The knock limit of this hand or turn, where a card sets it, and what a spade doubles."""
    hand = view.hand
    card = hand.limit_card
    if hand.phase in (Phase.LAY_OFF, Phase.OVER):
        return
    floating = hand.rules.knock_limit is KnockLimit.FLOATING
    if card is not None:
        limit = hand.knock_limit or "gin only"
        yield (
            limit_number(hand.rules),
            f"The knock limit of this {'turn' if floating else 'hand'} is {limit}, "
            f"by {style.the(card)}.",
        )
    if hand.counts_double:
        yield "10.3", f"This hand counts double{', if it ends in this turn' if floating else ''}."


def _now(view: View, style: Style) -> Iterator[Numbered]:
    hand = view.hand
    upcard = "the upcard" if hand.upcard is None else style.the(hand.upcard)
    match hand.phase:
        case Phase.FIRST_UPCARD:
            yield "4.2", f"You may take {upcard}, or pass."
            yield "4.2", "You cannot draw from the stock until both players have passed."
        case Phase.SECOND_UPCARD:
            yield "4.2", f"You may take {upcard}, or pass."
            yield "4.2", "You cannot draw: if you pass, the other player draws from the stock."
        case Phase.FIRST_DRAW if hand.first_upcard is None:
            yield "10.4", "You may draw from the stock; there is no upcard to take."
        case Phase.FIRST_DRAW:
            yield "4.2", f"You may draw from the stock; {upcard} has been passed by both players."
        case Phase.DRAW:
            yield "4.3", f"You may draw from the stock, or take {upcard}."
            if hand.rules.mahjong:
                yield "12.3", _several(view)
            yield "4.2", "You cannot pass; only the first upcard of a hand is passed."
        case Phase.LAST_CHANCE:
            yield from _last_chance(view, style)
        case Phase.DISCARD:
            yield from _ways_to_end(view, style)
        case Phase.LAY_OFF:
            yield from _answering(view, style)
        case Phase.OVER:
            yield "8.2", "The hand is over; wait for the next deal."
    if hand.phase in _BEFORE_THE_DRAW:
        ending = "throw a card or lay any" if hand.rules.mahjong else "throw a card or knock"
        yield "4.3", f"You cannot {ending} before you have drawn or taken one."


_BEFORE_THE_DRAW = (Phase.FIRST_UPCARD, Phase.SECOND_UPCARD, Phase.FIRST_DRAW, Phase.DRAW)


def _several(view: View) -> str:
    counts = several_counts(view)
    if not counts:
        return "You cannot take several cards: none of the lower ones could be laid at once."
    shown = " or ".join(map(str, counts))
    return f"You may take the top {shown} cards, if you lay the lowest of them at once."


def _last_chance(view: View, style: Style) -> Iterator[Numbered]:
    hand, card = view.hand, view.hand.upcard
    yield "4.7", "You may pass; the hand is then void."
    if card is None:
        return
    if hand.rules.mahjong:
        yield (
            "4.7",
            f"You may take {style.the(card)}; if you do not go gin with it, the hand is void.",
        )
        return
    taken = view.cards | card.bit
    least = min(hand.melding.deadwood(taken ^ other.bit) for other in cards_of(view.cards))
    limit = (
        hand.rules.limit(card)
        if hand.rules.knock_limit is KnockLimit.FLOATING
        else hand.knock_limit
    )
    big = hand.rules.big_gin is not None and not hand.melding.deadwood(taken)
    if least <= limit or big:
        yield "4.7", f"You may take {style.the(card)} and knock; your best leaves {least}."
    else:
        yield (
            limit_number(hand.rules),
            f"With {style.the(card)} you could not knock: your best leaves {least}, and the limit "
            f"is {limit}. You may take it, but the hand is void all the same.",
        )


def _ways_to_end(view: View, style: Style) -> Iterator[Numbered]:
    hand = view.hand
    if hand.taken is None:
        yield "4.3", "You may throw any card."
    else:
        yield "4.4", f"You may throw any card but {style.the(hand.taken)}, which you just took."
    if hand.stock_left == WALL:
        if hand.taken is None and hand.rules.wall is Wall.LAST_DISCARD:
            yield "4.7", "The other player may then take that card to end the hand, or it is void."
        else:
            yield "4.7", "If the hand is not ended with this turn, it is void."
    if hand.rules.mahjong:
        yield from _ways_to_lay(view)
        return
    options = knock_options(view)
    knocks = [option for option in options if option.discard is not None]
    least, limit = _least(view), hand.knock_limit
    knock, gin = "You cannot knock", "You cannot go gin"
    dearer = [option for option in knocks if option.deadwood]
    if dearer:
        yield limit_number(hand.rules), f"You may knock: {options_text(dearer, style)}."
    elif least > limit > 0:
        yield (
            limit_number(hand.rules),
            f"{knock}: your best leaves {least} and the limit is {limit}.",
        )
    if not least:
        gins = [option for option in knocks if not option.deadwood]
        yield "5.4", f"You may go gin: {options_text(gins, style, 'gin')}."
    elif not limit:
        yield limit_number(hand.rules), f"{knock} without gin, and your best leaves {least}."
    else:
        yield "5.4", f"{gin}: your best leaves {least}."
    if hand.rules.big_gin is not None:
        left = hand.melding.deadwood(view.cards)
        yield (
            "5.5",
            f"You cannot go big gin: with all eleven cards {left} is left."
            if left
            else "You may go big gin: all eleven cards are in melds.",
        )


def _ways_to_lay(view: View) -> Iterator[Numbered]:
    melds, adds = layable(view)
    yield (
        "12.4",
        "You may lay melds on the table."
        if melds
        else "You cannot lay a meld: you hold none that may be laid now.",
    )
    if view.hand.table_melds:
        yield (
            "12.5",
            "You may add cards to the melds on the table."
            if adds
            else "You cannot add to the melds on the table: no card of yours fits.",
        )
    yield "12.2", "You cannot knock; nobody does in Mahjong gin."


def _least(view: View) -> int:
    """The least deadwood that a discard can leave now."""
    hand = view.hand
    cards = view.cards if hand.taken is None else view.cards & ~hand.taken.bit
    return min(hand.melding.deadwood(view.cards ^ card.bit) for card in cards_of(cards))


def _answering(view: View, style: Style) -> Iterator[Numbered]:
    hand = view.hand
    if hand.rules.mahjong:
        yield "12.7", "You show the cards that you still hold; nothing more can be laid."
        return
    yield "6.1", "You spread: melds and deadwood, all ten cards."
    if hand.open_melds:
        yield "6.3", f"You may lay off on {style.numbered_melds(hand.open_melds)}."
    else:
        yield "6.3", "You cannot lay off: nothing is laid off against gin."
