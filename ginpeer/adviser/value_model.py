"""The value of a seat's choices: expected points until the end of the hand, in thousandths.

A learned function (``Net``) has a linear part and a few units that count only above zero. It
predicts four things about how a hand ends for a seat (``Heads``). Its weights are bytes and its
sums whole numbers, so every machine gets the same result. A file of values, which
``tests.training`` writes, contains three nets after a line of JSON that says for which rules and
how they were learned::

    {"version": 2, "name": "standard", "seed": 1, ...}
    compressed (zlib), for each net: 36 factors of 4 bytes, then 12 columns of a byte per feature

The points are those of the hand, won minus lost, priced by the score of the match. Far from the
target a point is a point. Near the target points differ in value: a player who needs five wants to
win the next hand, however narrowly, and one with a big lead wants to avoid losing many. So the
price of a won hand is a line, fitted to what few and many points do to the chance of winning the
game; so is that of a lost hand. Both are scaled so that the difference between winning and losing
25 points is worth as much as it is far from the target.

The value is the mean of that price and the plain points, because the line and the learned chances
are approximations. Against four simple players, over 4,000 games each, this won 0.8 % more
than the full price.

Boxes and shutouts have no price: they are added when a game is over, and never decide a game of one
column (RULES 8.7). In Hollywood the column nearest to its end represents all three.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from ginpeer.adviser import features
from ginpeer.adviser.features import DRAWING, KEEPING, KNOCKING, Row
from ginpeer.adviser.observation import Observation
from ginpeer.rules import CARDS, CardSet, Knock, Match, RuleSet, View
from ginpeer.rules.parameters import KnockLimit

# --- the learned functions ------------------------------------------------------------

VERSION = 2
UNITS = 8
HEADS = 4
COLUMNS = UNITS + HEADS  # the linear parts last
FACTORS = struct.Struct(
    f"<{(UNITS + 1) * HEADS}i"
)  # a factor of each unit for each head, then those of the linear parts
SHIFT = 16  # factors are in 65,536ths

# The twelve sums of a row are added up in one number, with a 32-bit lane for each: adding two such
# numbers takes little longer than adding small ones. No lane overflows: a weight is at most 63,
# times WHOLE, times 100 features.
_LANES = struct.Struct(f"<{COLUMNS}I")
_MIDDLE = 1 << 31
_OFFSET = sum(_MIDDLE << 32 * lane for lane in range(COLUMNS))

Heads = tuple[int, int, int, int]
"""The chance of winning the hand, the points won, the chance of losing it, and the points lost. All
are in thousandths, and the points are weighted by the chance. A void hand is neither won nor
lost."""


@dataclass(frozen=True, slots=True)
class Net:
    """One learned function. ``packed`` has the weights of each feature, a lane for each column."""

    packed: tuple[int, ...]
    factors: tuple[tuple[int, ...], ...]

    def heads(self, row: Row) -> Heads:
        packed = self.packed
        sums = sum([packed[at] * amount for at, amount in row])
        lanes: tuple[int, ...] = _LANES.unpack((sums + _OFFSET).to_bytes(4 * COLUMNS, "little"))
        linear = self.factors[UNITS]
        won, points_won, lost, points_lost = [
            (lane - _MIDDLE) * factor for lane, factor in zip(lanes[UNITS:], linear, strict=True)
        ]
        for lane, factors in zip(lanes, self.factors[:UNITS], strict=False):
            if lane > _MIDDLE:
                count = lane - _MIDDLE
                won += count * factors[0]
                points_won += count * factors[1]
                lost += count * factors[2]
                points_lost += count * factors[3]
        return won >> SHIFT, points_won >> SHIFT, lost >> SHIFT, points_lost >> SHIFT


@dataclass(frozen=True, slots=True)
class Values:
    """The three nets of one file: for keeping ten cards, for drawing, and for knocking."""

    about: dict[str, Any]
    keeping: Net
    drawing: Net
    knocking: Net


SIZES = (KEEPING, DRAWING, KNOCKING)


@cache
def values_for(name: str) -> Values:
    """Return the values with this name (``values_name``). Their file is read on first use."""
    return read(resources.files("ginpeer.adviser").joinpath(f"{name}.values").read_bytes())


def read(content: bytes) -> Values:
    """Return the values in a file. Raises ValueError if they were learned for other features."""
    first, _, packed_nets = content.partition(b"\n")
    about, rest = json.loads(first), zlib.decompress(packed_nets)
    if about["version"] != VERSION or len(rest) != sum(
        FACTORS.size + COLUMNS * size for size in SIZES
    ):
        raise ValueError("these values were made for other features")
    nets, at = [], 0
    for size in SIZES:
        numbers = FACTORS.unpack_from(rest, at)
        at += FACTORS.size
        weights = memoryview(rest)[at : at + COLUMNS * size].cast("b")
        at += COLUMNS * size
        packed = [
            sum(weights[lane * size + feature] << 32 * lane for lane in range(COLUMNS))
            for feature in range(size)
        ]
        factors = [numbers[start : start + HEADS] for start in range(0, len(numbers), HEADS)]
        nets.append(Net(tuple(packed), tuple(factors)))
    return Values(about, *nets)


# --- the price of a hand at this score ------------------------------------------------

FAR = 120  # with at least this many points to go, the distance makes no difference
_NO_NEED = 2 * (FAR + 1)  # more than FAR even when halved

# The points of a won hand, and how many of a hundred won hands bring about that many when the bot
# plays against itself.
_BRINGS = (
    *((3, 8), (8, 11), (14, 14), (21, 12), (27, 12)),
    *((31, 13), (38, 12), (46, 9), (56, 9)),
)
_SURE = 1 << 24

Price = tuple[int, int, int, int]
"""The value of a sure win and of each point in it, then of a sure loss and of each point in it:
thousandths of a point, like the heads of a net."""

_PLAIN: Price = (0, 1000, 0, -1000)


def needs(view: View) -> tuple[int, int]:
    """Return how many points this seat and the opponent each need to win the game, or its column
    nearest to the end; more than FAR if points decide nothing. If the hand counts double, the needs
    are halved."""
    mine, theirs = _needs(view.match, view.seat)
    return (-(-mine // 2), -(-theirs // 2)) if view.hand.counts_double else (mine, theirs)


def _needs(match: Match, me: int) -> tuple[int, int]:
    rules, game = match.rules, match.game
    found = []
    for seat in (me, 1 - me):
        points = [game.columns[at].points[seat] for at in game.columns_for(seat)]
        if rules.target is None or not points:
            found.append(_NO_NEED)
        else:
            found.append(max(1, rules.target - max(points)))
    if rules.hands is not None and game.hands + 1 == rules.hands:
        lead = game.scores[me] - game.scores[1 - me]
        found = [min(found[0], max(1, 1 - lead)), min(found[1], max(1, 1 + lead))]
    return found[0], found[1]


@cache
def price_at(need: int, their_need: int) -> Price:
    if need > FAR and their_need > FAR:
        return _PLAIN
    full = _full_price(need, their_need)
    won_at_all, each_won, lost_at_all, each_lost = (
        (price + plain) // 2 for price, plain in zip(full, _PLAIN, strict=True)
    )
    return won_at_all, each_won, lost_at_all, each_lost


_FEW_AND_MANY = (10, 40)


def _full_price(need: int, their_need: int) -> Price:
    """Return a price that counts only how the hand changes the chance of winning the game."""
    need, their_need = min(need, FAR), min(their_need, FAR)
    here = _chance(need, their_need)
    swing = _swing(need, their_need)
    won = [_chance(need - points, their_need) - here for points in _FEW_AND_MANY]
    lost = [_chance(need, their_need - points) - here for points in _FEW_AND_MANY]
    return (*_line(won, swing), *_line(lost, swing))


def _swing(need: int, their_need: int, *, doubling: bool = False) -> int:
    """Return how much 25 points won rather than lost change the chance of winning the game."""
    won = _chance(need - 25, their_need, doubling=doubling)
    return won - _chance(need, their_need - 25, doubling=doubling)


def _line(changes: list[int], swing: int) -> tuple[int, int]:
    """Return the start and slope, in thousandths of a point, of the line through *changes*: how few
    and many points change the chance of winning. A change of *swing* is worth 50 points."""
    few, many = _FEW_AND_MANY
    rise, begin = changes[1] - changes[0], many * changes[0] - few * changes[1]
    return 50_000 * begin // ((many - few) * swing), 50_000 * rise // ((many - few) * swing)


def _chance(need: int, their_need: int, *, doubling: bool = False) -> int:
    """Return the chance of winning the game, scaled so that a sure win is _SURE. *doubling*: one
    hand in four counts double, as with spades in Oklahoma."""
    if need <= 0:
        return _SURE
    return 0 if their_need <= 0 else _chances(doubling)[need][their_need]


@cache
def _chances(doubling: bool) -> list[list[int]]:
    """Return the chances for all needs up to FAR if both players win hands equally often."""
    single, double = (3, 1) if doubling else (4, 0)
    brings = [(points, single * often) for points, often in _BRINGS]
    brings += [(2 * points, double * often) for points, often in _BRINGS if double]
    found = [[0] * (FAR + 1) for _ in range(FAR + 1)]
    for need in range(1, FAR + 1):
        for their_need in range(1, FAR + 1):
            total = 0
            for points, often in brings:
                mine, theirs = need - points, their_need - points
                total += often * (_SURE if mine <= 0 else found[mine][their_need])
                total += often * (0 if theirs <= 0 else found[need][theirs])
            found[need][their_need] = total // 800
    return found


def score_chance(match: Match, seat: int) -> int | None:
    """Return this seat's chance, in thousandths, of winning the current game from its score; None
    if the game has no target or is scored in several columns."""
    needs = _needs(match, seat)
    if match.rules.target is None or len(match.game.columns) > 1:
        return None
    here = _chance(min(needs[0], FAR), min(needs[1], FAR), doubling=match.rules.spades_double)
    return here * 1000 // _SURE


def chance_after(view: View, seen: Observation, value: Callable[[ValueModel], int]) -> int | None:
    """Return this seat's estimated chance, in thousandths, of winning the game after a move; None
    as for ``score_chance``. *value* returns the value that a model gives the move."""
    if score_chance(view.match, view.seat) is None:
        return None
    need, their_need = needs(view)
    worth = value(ValueModel(view, seen, _full_price(need, their_need)))
    need, their_need = min(need, FAR), min(their_need, FAR)
    # A change of the chance as large as _swing() is worth 50 points (see _line).
    doubling = view.match.rules.spades_double
    change = worth * _swing(need, their_need, doubling=doubling) // 50_000
    here = _chance(need, their_need, doubling=doubling)
    return min(1000, max(0, (here + change) * 1000 // _SURE))


# --- the value of a move --------------------------------------------------------------

BONUS = 25  # the points for gin and for an undercut in the games from which the values were learned


def values_name(rules: RuleSet) -> str:
    if rules.runs_wrap:
        return "corner"
    return "standard" if rules.knock_limit == 10 else "oklahoma"


class ValueModel:
    """The values of one seat's choices, from what it sees before them."""

    __slots__ = ("_others", "_price", "_rules", "_seen", "_values")

    def __init__(self, view: View, seen: Observation, at: Price | None = None) -> None:
        """*at*: a price to use instead of this score's."""
        self._rules = view.hand.rules
        self._values: Values = values_for(values_name(self._rules))
        self._price: Price = price_at(*needs(view)) if at is None else at
        self._seen = seen
        self._others = features.opponent_features(seen)

    def keeping(self, kept: CardSet, card: int) -> int:
        """Return the value of keeping these ten cards after discarding this one."""
        seen, pile, others = self._seen, self._seen.pile | 1 << card, self._others
        if self._rules.knock_limit is KnockLimit.FLOATING:  # the discard sets the opponent's limit
            seen = replace(seen, limit=self._rules.limit(CARDS[card]))
            others = features.opponent_features(seen)
        row = others + features.future_features(seen, kept, pile)
        row += features.top_card_features(seen, kept, pile, card)
        return self._worth(self._heads(self._values.keeping, row))

    def drawing(self, phase: int) -> int:
        """Return the value of drawing or passing. *phase* is as in ``features.phase_feature``."""
        seen = self._seen
        row = self._others + features.phase_feature(phase)
        row += features.future_features(seen, seen.cards, seen.pile)
        if phase == 1:
            row += features.top_card_features(seen, seen.cards, seen.pile, seen.top)
        return self._worth(self._heads(self._values.drawing, row))

    def knocking(self, knock: Knock) -> int:
        """Return the value of this knock. If gin or an undercut scores more or less than in the
        games from which the values were learned, the points differ by that much, weighted by the
        chance."""
        rules = self._rules
        won, points_won, lost, points_lost = self._knock(knock)
        if knock.deadwood:
            points_lost += lost * (rules.undercut_bonus - BONUS)
        else:
            bonus = rules.gin_bonus if knock.discard is not None else rules.big_gin or 0
            won, lost, points_lost = 1000, 0, 0
            points_won += 1000 * (bonus - BONUS)
        return self._worth((won, points_won, lost, points_lost))

    def undercutting(self, knock: Knock) -> int:
        """Return the chance that this knock is undercut, in thousandths."""
        return self._knock(knock)[2] if knock.deadwood else 0

    def _knock(self, knock: Knock) -> Heads:
        seen = self._seen
        pile = seen.pile if knock.discard is None else seen.pile | knock.discard.bit
        dead = seen.ways.pips(knock.deadwood)
        open_to = seen.layoffs(knock.melds) & ~pile
        row = self._others + features.knock_features(seen, knock.cards, pile, dead, open_to)
        return self._heads(self._values.knocking, row)

    def _heads(self, net: Net, row: features.Row) -> Heads:
        won, points_won, lost, points_lost = net.heads(row)
        return min(1000, max(0, won)), points_won, min(1000, max(0, lost)), points_lost

    def _worth(self, heads: Heads) -> int:
        return sum([price * head for price, head in zip(self._price, heads, strict=True)]) // 1000
