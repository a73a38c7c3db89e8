"""What winning and losing a hand is worth as the score stands.

Far from the target a point is a point. Near it they are not alike: who needs five points wants to
win the next hand, by however little, and who leads by much wants not to lose many. So a hand that
is won is priced by a line, through what few and many points do to the chance to win the game, and
so is one that is lost; scaled so that 25 points won or lost are what they are elsewhere.

Half of that price is taken, and half of points as points: the line is only near, and the chances
that were learned are. Against four simple players, over 4,000 games each, that won 0.8 % more than
the whole price.

Boxes and shutouts have no price: they come on top when a game is over, and decide none of one
column (RULES 8.7). In Hollywood the column that is nearest to its end stands for the three.
"""

from __future__ import annotations

from functools import cache

from ginpeer.rules import RuleSet, View
from ginpeer.rules.game import Column

FAR = 120
"""So many points to go, or more, are all alike."""

# The points of a hand that is won, and how often of a hundred times: of the bot against itself.
_BRINGS = (
    *((3, 8), (8, 11), (14, 14), (21, 12), (27, 12)),
    *((31, 13), (38, 12), (46, 9), (56, 9)),
)
_SURE = 1 << 24

Price = tuple[int, int, int, int]
"""What a sure win is worth, and each point of it; a sure loss, and each point of it: thousandths of
a point, as the heads of a net (``ginpeer.adviser.net``) are thousandths."""

_PLAIN: Price = (0, 1000, 0, -1000)


def price(view: View) -> Price:
    """What it is worth to the seat of this view."""
    return price_at(*needs(view))


def needs(view: View) -> tuple[int, int]:
    """The points that win the game, or the column of it that is nearest, for this seat and the
    other one; FAR and more where that decides nothing. Points that count twice are halved."""
    rules, game, me = view.hand.rules, view.match.game, view.seat
    found = []
    for seat in (me, 1 - me):
        columns = [game.columns[at] for at in game.columns_for(seat)]
        found.append(min((_need(rules, each, seat) for each in columns), default=FAR + 1))
    if rules.hands is not None and game.hands + 1 == rules.hands:
        lead = game.scores[me] - game.scores[1 - me]
        found = [min(found[0], max(1, 1 - lead)), min(found[1], max(1, 1 + lead))]
    if view.hand.counts_double:
        found = [-(-need // 2) for need in found]
    return found[0], found[1]


def _need(rules: RuleSet, column: Column, seat: int) -> int:
    return FAR + 1 if rules.target is None else max(1, rules.target - column.points[seat])


@cache
def price_at(need: int, their_need: int) -> Price:
    """What it is worth where the one and the other need so many points."""
    if need > FAR and their_need > FAR:
        return _PLAIN
    need, their_need = min(need, FAR), min(their_need, FAR)
    here = _chance(need, their_need)
    swing = _chance(need - 25, their_need) - _chance(need, their_need - 25)
    won = [_chance(need - points, their_need) - here for points in _FEW_AND_MANY]
    lost = [_chance(need, their_need - points) - here for points in _FEW_AND_MANY]
    full = (*_line(won, swing), *_line(lost, swing))
    won_at_all, each_won, lost_at_all, each_lost = (
        (price + plain) // 2 for price, plain in zip(full, _PLAIN, strict=True)
    )
    return won_at_all, each_won, lost_at_all, each_lost


_FEW_AND_MANY = (10, 40)


def _line(changes: list[int], swing: int) -> tuple[int, int]:
    """The line through what few and many points do to the chance: where it begins and how it rises,
    in thousandths of a point, of which *swing* is 50."""
    few, many = _FEW_AND_MANY
    rise, begin = changes[1] - changes[0], many * changes[0] - few * changes[1]
    return 50_000 * begin // ((many - few) * swing), 50_000 * rise // ((many - few) * swing)


def _chance(need: int, their_need: int) -> int:
    """To win the game, where a sure win is _SURE."""
    if need <= 0:
        return _SURE
    return 0 if their_need <= 0 else _chances()[need][their_need]


@cache
def _chances() -> list[list[int]]:
    """By what either player needs, up to FAR: either wins the next hand as often."""
    found = [[0] * (FAR + 1) for _ in range(FAR + 1)]
    for need in range(1, FAR + 1):
        for their_need in range(1, FAR + 1):
            total = 0
            for points, often in _BRINGS:
                mine, theirs = need - points, their_need - points
                total += often * (_SURE if mine <= 0 else found[mine][their_need])
                total += often * (0 if theirs <= 0 else found[need][theirs])
            found[need][their_need] = total // 200
    return found
