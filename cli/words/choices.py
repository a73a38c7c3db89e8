"""What a player chose, in words to that player: "threw K♠", and what should have been played."""

from __future__ import annotations

from dataclasses import dataclass

from cli.words.advice import AdvicePhrases
from cli.words.cards import Style
from cli.words.grammar import inside
from ginpeer.analysis import Mistake
from ginpeer.rules import (
    Card,
    CardSet,
    Discard,
    DrawStock,
    Knock,
    Move,
    Pass,
    RuleSet,
    Spread,
    TakeUpcard,
    cards_of,
    melding,
    popcount,
)

NAMED = 3
"""Cards that are named one by one; of more it is said how many there are."""


@dataclass(frozen=True, slots=True)
class ChoicePhrases:
    """How one player is told of the own choices: the other player by this name, cards in this
    style."""

    other: str
    style: Style
    rules: RuleSet

    @property
    def words(self) -> AdvicePhrases:
        """The words of a hint."""
        return AdvicePhrases(self.style, self.other)

    @property
    def them(self) -> str:
        """The other player within a sentence."""
        return inside(self.other)

    def pips(self, cards: CardSet) -> int:
        """What these cards count."""
        return melding(self.rules).pips(cards)

    def named(self, cards: CardSet) -> str:
        """Cards within a sentence: "Q♣ and K♣", "5 cards", "nothing"."""
        if popcount(cards) > NAMED:
            return f"{popcount(cards)} cards"
        *before, last = [*map(self.style.the, cards_of(cards))] or ["nothing"]
        return f"{', '.join(before)} and {last}" if before else last


def past_action(teller: ChoicePhrases, move: Move, upcard: Card | None) -> str:
    """What was played, behind "you": "threw K♠", "knocked with 4, throwing 9♣"."""
    style = teller.style
    match move:
        case Discard():
            return f"threw {style.the(move.card)}"
        case TakeUpcard():
            return "took the upcard" if upcard is None else f"took {style.the(upcard)}"
        case DrawStock() if upcard is not None:
            return f"left {style.the(upcard)} and drew from the stock"
        case Pass() if upcard is not None:
            return f"passed {style.the(upcard)}"
        case Knock(discard=None):
            return "went big gin"
        case Knock(discard=Card() as card) if not move.deadwood:
            return f"went gin, throwing {style.the(card)}"
        case Knock(discard=Card() as card):
            return f"knocked with {teller.pips(move.deadwood)}, throwing {style.the(card)}"
        case Spread():
            return f"answered the knock with {teller.pips(move.deadwood)}"
    return "drew from the stock" if isinstance(move, DrawStock) else "passed"


def instead_of(teller: ChoicePhrases, mistake: Mistake) -> str:
    """What should have been played, behind ``did``: " instead of Q♥"; nothing if that says it."""
    played, best = mistake.played.move, mistake.best.move
    match best:
        case Discard() if isinstance(played, Knock):
            return ", instead of playing on"
        case Discard() if isinstance(played, Discard):
            return f" instead of {teller.style.the(best.card)}"
        case Knock() if not isinstance(played, Knock):
            ends = f"knocking with {teller.pips(best.deadwood)}" if best.deadwood else "going gin"
            return f" instead of {ends}"
    return ""


def signed_points(value: float) -> str:
    """Points as they are said, with a tenth below ten: "23 points", "minus 4.2 points"."""
    rounded = round(value) if abs(value) >= 9.95 else round(value, 1)
    text = f"{abs(rounded):g}"
    return f"{'minus ' if rounded < 0 else ''}{text} {'point' if text == '1' else 'points'}"
