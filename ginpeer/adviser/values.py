"""What the choices of a seat are worth: expected points from here on, in thousandths.

The points are those of the hand, won less lost, priced as the score stands (``score``). They were
learned for gin and undercuts of 25 points (tests.training).
"""

from __future__ import annotations

from dataclasses import replace

from ginpeer.adviser import features
from ginpeer.adviser.facts import layoffs
from ginpeer.adviser.net import Heads, Net, Values, values_for
from ginpeer.adviser.observation import Observation
from ginpeer.adviser.score import Price, price
from ginpeer.rules import CARDS, CardSet, Knock, RuleSet, View
from ginpeer.rules.parameters import KnockLimit

BONUS = 25
"""What gin and an undercut brought where the values were learned."""


def name_of(rules: RuleSet) -> str:
    """The values that serve these rules."""
    if rules.runs_wrap:
        return "corner"
    return "standard" if rules.knock_limit == 10 else "oklahoma"


class ValueModel:
    """The values as one seat sees the table before its choice."""

    __slots__ = ("_others", "_price", "_rules", "_seen", "_values")

    def __init__(self, view: View, seen: Observation) -> None:
        self._rules = view.hand.rules
        self._values: Values = values_for(name_of(self._rules))
        self._price: Price = price(view)
        self._seen = seen
        self._others = features.see_other(seen)

    def keeping(self, kept: CardSet, card: int) -> int:
        """Of holding these ten after throwing this card."""
        seen, pile, others = self._seen, self._seen.pile | 1 << card, self._others
        if self._rules.knock_limit is KnockLimit.FLOATING:  # the card sets with how much they knock
            seen = replace(seen, limit=self._rules.limit(CARDS[card]))
            others = features.see_other(seen)
        row = features.see_future(seen, kept, pile) + features.see_top(seen, kept, pile, card)
        return self._worth(self._heads(self._values.keeping, others + row))

    def drawing(self, phase: int) -> int:
        """Of drawing from the stock with these ten, or passing (``features.see_phase``)."""
        seen = self._seen
        row = self._others + features.see_phase(phase)
        row += features.see_future(seen, seen.cards, seen.pile)
        if phase == 1:
            row += features.see_top(seen, seen.cards, seen.pile, seen.top)
        return self._worth(self._heads(self._values.drawing, row))

    def knocking(self, knock: Knock) -> int:
        """Of this knock. Where gin or an undercut brings less or more than it was learned with, the
        points differ by that much, as often as it happens."""
        rules = self._rules
        won, points_won, lost, points_lost = self._knock(knock)
        if knock.discard is None:
            won, lost, points_lost = 1000, 0, 0
            points_won += 1000 * ((rules.big_gin or 0) - BONUS)
        elif not knock.deadwood:
            won, lost, points_lost = 1000, 0, 0
            points_won += 1000 * (rules.gin_bonus - BONUS)
        else:
            points_lost += lost * (rules.undercut_bonus - BONUS)
        return self._worth((won, points_won, lost, points_lost))

    def undercutting(self, knock: Knock) -> int:
        """The chance that this knock is undercut, in thousandths."""
        return min(1000, max(0, self._knock(knock)[2])) if knock.deadwood else 0

    def _knock(self, knock: Knock) -> Heads:
        seen = self._seen
        pile = seen.pile if knock.discard is None else seen.pile | knock.discard.bit
        dead = seen.ways.pips(knock.deadwood)
        open_to = layoffs(seen, knock.melds) & ~pile
        row = self._others + features.see_knock(seen, knock.cards, pile, dead, open_to)
        return self._heads(self._values.knocking, row)

    def _heads(self, net: Net, row: features.Row) -> Heads:
        won, points_won, lost, points_lost = net.heads(net.sums(row))
        return min(1000, max(0, won)), points_won, min(1000, max(0, lost)), points_lost

    def _worth(self, heads: Heads) -> int:
        return sum([price * head for price, head in zip(self._price, heads, strict=True)]) // 1000
