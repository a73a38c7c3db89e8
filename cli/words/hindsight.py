"""What the other player held, which could not be seen, in words to the player who chose."""

from __future__ import annotations

from collections.abc import Iterator

from cli.words.choices import ChoicePhrases, signed_points
from ginpeer.analysis import Mistake, Truth
from ginpeer.rules import Card, Discard, Knock, Move, cards_of, popcount


def hindsight(teller: ChoicePhrases, mistake: Mistake, truth: Truth) -> str:
    """What the other player held, and what that meant for the choice, in sentences."""
    played, best = mistake.played.move, mistake.best.move
    held = teller.style.hand(truth.held, teller.rules)
    said = [f"In truth {teller.them} held {held}."]
    if truth.knock is not None:
        said.append(_knocked(teller, played, truth.knock))
    if isinstance(played, Discard) and isinstance(best, Discard):
        said += _thrown(teller, played.card, best.card, truth)
    if truth.gone and 2 * popcount(truth.gone) >= popcount(truth.wanted):
        said.append(_never_coming(teller, truth))
    return " ".join(said)


def _never_coming(teller: ChoicePhrases, truth: Truth) -> str:
    """Of the cards that would have melded, those that could not be drawn."""
    gone = teller.style.cards(cards_of(truth.gone))
    count, wanted = popcount(truth.gone), popcount(truth.wanted)
    held = f"{teller.them} held"
    if wanted == 1:
        return f"The one card that would have melded was never coming: {held} {gone}."
    if count == wanted:
        return f"What would have melded was never coming: {held} {gone}."
    return f"Of the {wanted} cards that would have melded, {held} {count}: {gone}."


def _knocked(teller: ChoicePhrases, played: Move, brings: int) -> str:
    made = isinstance(played, Knock)
    who = "you" if brings >= 0 else teller.them
    told = "The knock brought" if made else "A knock would have brought"
    return f"{told} {who} {signed_points(abs(brings))}."


def _thrown(teller: ChoicePhrases, played: Card, best: Card, truth: Truth) -> Iterator[str]:
    the, style = teller.style.the, teller.style
    for card, meld, made in (
        (played, truth.meld_played, "made"),
        (best, truth.meld_best, "would have made"),
    ):
        if meld:
            told = f"{the(card)} {made} a meld there, with {style.cards(cards_of(meld))}"
            yield f"{told[:1].upper()}{told[1:]}."
