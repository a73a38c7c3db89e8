"""From what was typed to a knock: which card is thrown, and which arrangement is shown.

# House rule: of a knock only what was left unsaid is filled in: the card that alone can be meant,
# and the best arrangement. Where another one may win more, the player picks one by its number.
"""

from __future__ import annotations

from cli.table.command import End
from cli.table.melds import melds_of
from cli.table.possible_moves import knock_options
from cli.table.turn_words import options_text
from cli.text.cards import Style
from ginpeer.rules.cards import Card, Illegal, Unreadable, cards_of, mask_of
from ginpeer.rules.moves import Knock
from ginpeer.rules.view import View


def knocks_of(end: End, view: View, style: Style) -> tuple[Knock, ...]:
    """Every knock that may be meant, at least one. Raises Illegal or Unreadable with a sentence."""
    if end.melds is not None or end.deadwood is not None:
        return (_knock_by_hand(end, view),)
    if end.word == "big gin":
        return (_big_gin(view),)
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
        return (Knock(card, melds, kept ^ sum(melds)),)
    if end.choice is None:
        return telling
    if end.choice > len(telling):
        raise Illegal("no-such-choice", f"There is no arrangement number {end.choice}.")
    return (telling[end.choice - 1],)


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


def _big_gin(view: View) -> Knock:
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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
