"""What every choice of a player is worth, in points, as it can be known from that player's seat.

    for advice in advise(view):       # the best first
        print(advice.move, advice.points, advice.facts)

The bot plays the first of them (``choices``: without the facts, which take longer), a hint says it
with its facts, an analysis compares it with what was played (``assess``) and tells luck from skill
(``draw_values``). A View is all that is asked: two worlds that look alike from a seat get the same
answer, and the same on every machine.

sight       what a seat knows, and has seen the other player do
neighbours  which cards are near a card
prospects   what ten cards may become with the next one
features    a position as a row of features
net         the learned functions, in whole numbers; *.values are their weights
score       what winning and losing a hand is worth as the score stands
values      what a position is worth to a seat
facts       the numbers behind a choice
advise      every choice with its worth, best first
levels      how somebody chooses who knows less, or looks less far
"""

from ginpeer.adviser.advise import (
    Advice,
    Choice,
    advise,
    assess,
    can_advise,
    choices,
    draw_values,
    explain,
)
from ginpeer.adviser.facts import (
    DiscardFacts,
    Facts,
    KnockFacts,
    SpreadFacts,
    StockFacts,
    TakeFacts,
)

__all__ = [
    "Advice",
    "Choice",
    "DiscardFacts",
    "Facts",
    "KnockFacts",
    "SpreadFacts",
    "StockFacts",
    "TakeFacts",
    "advise",
    "assess",
    "can_advise",
    "choices",
    "draw_values",
    "explain",
]
