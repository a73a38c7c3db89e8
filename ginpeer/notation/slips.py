"""What was probably meant by a line that is refused: a hint, said behind the rules' own sentence.

# Rule 1: what is refused, and by which code, the rules have said; here nothing is decided.
# Rule 2: a hint names cards, never more of a line: what was typed is not quoted.
"""

from __future__ import annotations

from typing import Final

from ginpeer.rules.cards import CardSet, RulesError, popcount, set_text
from ginpeer.rules.hand import Hand
from ginpeer.rules.moves import Knock, Move, Spread

STROKE: Final = "Cards that count stand behind a stroke, as in: / 6s."
_COMMA: Final = "Between two melds stands a comma."
_TWO_MELDS: Final = 6
"""The fewest cards of two."""


def slip(why: RulesError, move: Move, position: Hand) -> str:
    """The sentence for a move that is refused, as far as can be told with what was meant."""
    hint = None
    if isinstance(move, Spread) and why.code == "layoff-does-not-fit":
        melds = len(position.open_melds)
        stranger = next((index for _, index in move.layoffs if index >= melds), None)
        if stranger is not None:  # the rules count from 0, and the notation from 1
            return f"There is no meld @{stranger + 1}: the knocker has {melds}, the first is @1."
    if isinstance(move, Knock | Spread):
        hint = _of_shown(why.code, move, position)
    return why.sentence if hint is None else f"{why.sentence} {hint}"


def _of_shown(code: str, shown: Knock | Spread, position: Hand) -> str | None:
    match code:
        case "wrong-card-count":
            return _missing(shown, position) or (None if shown.deadwood else STROKE)
        case "not-a-meld":
            if not shown.deadwood:
                return STROKE
            long = any(popcount(meld) >= _TWO_MELDS for meld in shown.melds)
            return _COMMA if long else None
        case "card-twice" if isinstance(shown, Knock) and shown.discard is not None:
            if shown.cards & shown.discard.bit:
                return f"{shown.discard} is the discard, and is not shown once more."
    return None


def _missing(shown: Knock | Spread, position: Hand) -> str | None:
    """Which cards are not shown, where the hand is known."""
    held: CardSet | None = position.hands[position.to_move]
    named = shown.cards
    if isinstance(shown, Knock) and shown.discard is not None:
        named |= shown.discard.bit
    missing = 0 if held is None else held & ~named
    if not missing:
        return None
    verb = "is" if popcount(missing) == 1 else "are"
    stroke = "" if shown.deadwood else f" {STROKE}"
    return f"{set_text(missing)} {verb} missing.{stroke}"
