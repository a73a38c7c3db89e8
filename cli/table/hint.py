"""What `hint` answers: the best choice and why, and when it is asked again, the next two.

# Rule 1: only a View comes in, so a hint knows what the player can know and nothing else; and
#   nothing is changed by it.
# Rule 2: hints are given in practice alone, where the other player is the bot of this program. A
#   friend who lets a bot play is a friend.
"""

from __future__ import annotations

from cli.table.situation import Situation
from cli.text.advice import alternative_lines, best_line
from cli.text.cards import Style
from cli.text.grammar import inside
from ginpeer.adviser import Advice, can_advise, choices, explain
from ginpeer.rules.cards import Illegal

_MOST = 3  # choices that are told of, the best among them
_NOT_HERE = "Nobody gives hints in a match; rules says what you may do now, and by which rule."
_NOT_IN_MAHJONG = "There are no hints in Mahjong gin; rules says what you may do now."


def hint(here: Situation, style: Style) -> list[str]:
    """The answer, in lines. Raises Illegal with a sentence where there is none."""
    view = here.view
    if not here.practice:
        raise Illegal("no-hint", _NOT_HERE)
    if view is None:
        raise Illegal("not-your-turn", here.why_no_move())
    if not can_advise(view.hand.rules):
        raise Illegal("no-hint", _NOT_IN_MAHJONG)
    found = [
        Advice(choice.move, choice.points, explain(view, choice.move))
        for choice in choices(view)[:_MOST]
    ]
    again, here.hinted = here.hinted is view, view
    tell = alternative_lines if again else _first
    return tell(found, style, inside(here.other()))


def _first(found: list[Advice], style: Style, other: str) -> list[str]:
    more = [] if len(found) == 1 else ["Type hint again for what else there is."]
    return [best_line(found, style, other), *more]
