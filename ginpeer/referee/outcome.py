"""What an entry has brought about, read from the tables before and after it."""

from __future__ import annotations

from ginpeer.referee.referee import Admitted
from ginpeer.rules.cards import Card
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import HandResult
from protocol import messages as m


def taken_card(event: Admitted) -> Card:
    """The card that a TakeUpcard took."""
    hand = event.before.hand
    if hand is None or hand.upcard is None:
        raise ValueError("an upcard is taken only where one lies")
    return hand.upcard


def taken_cards(event: Admitted, message: m.TakeDiscards) -> tuple[Card, ...]:
    """The cards that a TakeDiscards took, from the top of the pile down."""
    hand = event.before.hand
    if hand is None:
        raise ValueError("cards are taken only in a hand")
    return hand.pile[: -message.count - 1 : -1]


def rules_of(event: Admitted) -> RuleSet:
    """The rules of the match that this entry belongs to."""
    match = event.after.match
    if match is None:
        raise ValueError("the match has not begun")
    return match.rules


def result_of(event: Admitted) -> HandResult | None:
    """The result of the hand that this entry ended; None for every other entry."""
    before, after = event.before.match, event.after.match
    if before is None or after is None or len(after.results) == len(before.results):
        return None
    return after.results[-1]
