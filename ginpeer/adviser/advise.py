"""Value every choice, best first (``choices``), correct its points for hints and analyses
(``calibrated``), and give the numbers behind it (``advise``). The bot plays the first choice.

A player at the table could count every number in the facts. Several cards are a CardSet
(``ginpeer.rules.cards_of`` lists them), counts are numbers of cards, and deadwood is in pips.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Final

from ginpeer.adviser import mahjong
from ginpeer.adviser.observation import NO_CARD, Observation, neighbours, observe
from ginpeer.adviser.value_model import ValueModel, chance_after
from ginpeer.rules.cards import Card, CardSet, Illegal, cards_of, mask_of, popcount
from ginpeer.rules.hand import WALL, Phase
from ginpeer.rules.match import View
from ginpeer.rules.melds import Melding
from ginpeer.rules.moves import Discard, DrawStock, Knock, Move, Pass, Spread, TakeUpcard
from ginpeer.rules.parameters import KnockLimit
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import HandResult, score_hand

# --- the numbers behind a choice -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StockFacts:
    """The possible effects of the next card from the stock: of the ``unseen`` cards, ``gin`` make
    gin, ``knock`` allow a knock (including gin), and ``better`` leave less deadwood than the ten
    cards do now. ``melds`` are those of the better ones that make a meld or lengthen one; the
    others only replace a higher card. ``knock`` is None if the limit may change before the draw.
    ``stock`` is at most WALL if nobody draws again."""

    unseen: int
    gin: int
    knock: int | None
    better: int
    melds: int
    stock: int


@dataclass(frozen=True, slots=True)
class DiscardFacts:
    """The facts about a discard. ``pips`` is its value, ``deadwood`` is the deadwood of the other
    ten cards, and ``least`` is the least deadwood after any discard.

    ``near`` are the player's own cards of its rank or within two steps in its suit, ``broken`` is
    the deadwood that the discard adds by breaking a meld, and ``outs`` are the unseen cards that
    would meld it with one of the player's own. ``shuns`` are the cards near it that the opponent
    discarded (``threw``) or didn't take. ``melds`` are the pairs with which the opponent could meld
    it, as far as the player can see; a safe card has none. ``wants`` are the cards in those pairs
    that the opponent is known to hold, and ``sure`` the pairs of which it holds both. ``after`` has
    the effects of the next draw.
    """

    card: Card
    pips: int
    deadwood: int
    least: int
    broken: int
    near: CardSet
    outs: CardSet
    wants: CardSet
    shuns: CardSet
    threw: CardSet
    melds: tuple[CardSet, ...]
    sure: tuple[CardSet, ...]
    after: StockFacts


@dataclass(frozen=True, slots=True)
class KnockFacts:
    """The facts about a knock. ``deadwood`` is the deadwood shown, ``undercut`` is the
    estimated chance of an undercut in per cent, and ``layoffs`` are the cards, unseen or known to
    be the opponent's, that fit directly on its melds. For gin all three are 0 or empty."""

    deadwood: int
    limit: int
    gin: bool
    undercut: int
    layoffs: CardSet
    stock: int


@dataclass(frozen=True, slots=True)
class TakeFacts:
    """The facts about taking the upcard. ``melds`` are the player's own cards that it melds with,
    and ``throw`` is the best discard afterwards. ``before`` is the deadwood now and ``deadwood``
    that after the discard; ``knocks`` says whether knocking is then best."""

    card: Card
    before: int
    deadwood: int
    melds: CardSet
    throw: Card | None
    knocks: bool


@dataclass(frozen=True, slots=True)
class SpreadFacts:
    """An answer to a knock: the deadwood that it leaves, the number of cards laid off, the deadwood
    of the knock, and the least deadwood that any answer leaves."""

    deadwood: int
    laid_off: int
    against: int
    least: int


Facts = StockFacts | DiscardFacts | KnockFacts | TakeFacts | SpreadFacts


def _stock_facts(seen: Observation, kept: CardSet, thrown: CardSet = 0) -> StockFacts:
    """Return the effects of the next draw on these ten cards, with *thrown* on the pile."""
    ways, now = seen.ways, seen.ways.deadwood(kept)
    unseen = cards_of(seen.unseen & ~(kept | thrown))
    gin = knock = better = melds = 0
    for card in unseen:
        left = ways.deadwood_after_discard(kept | card.bit)
        gin += left == 0
        knock += left <= seen.limit
        better += left < now
        melds += left < now and ways.deadwood(kept | card.bit) < now + ways.pips(card.bit)
    stock = WALL if seen.is_last_turn else seen.stock
    return StockFacts(len(unseen), gin, knock, better, melds, stock)


def _discard_facts(seen: Observation, card: Card) -> DiscardFacts:
    ways, kept = seen.ways, seen.cards & ~card.bit
    may_go = cards_of(seen.cards & ~seen.taken)
    now = ways.deadwood(kept)
    near = neighbours(ways)
    about = near.mates[card] | near.next[card] | near.after_next[card]
    gone = kept | seen.pile | card.bit
    melds = tuple(pair for pair in near.set_pairs[card] + near.run_pairs[card] if not pair & gone)
    return DiscardFacts(
        card=card,
        pips=ways.pips(card.bit),
        deadwood=now,
        least=min(ways.deadwood(seen.cards & ~other.bit) for other in may_go),
        broken=max(0, now - ways.deadwood(seen.cards)),
        near=about & kept,
        outs=_outs(seen, kept, card),
        wants=reduce(or_, melds, 0) & seen.held,
        shuns=about & (seen.thrown | seen.left),
        threw=about & seen.thrown,
        melds=melds,
        sure=tuple(pair for pair in melds if not pair & ~seen.held),
        after=_stock_facts(seen, kept, card.bit),
    )


def _outs(seen: Observation, kept: CardSet, card: Card) -> CardSet:
    """Return the unseen cards that would meld this one with one of the cards kept."""
    near = neighbours(seen.ways)
    missing = (pair & ~kept for pair in near.set_pairs[card] + near.run_pairs[card])
    return reduce(or_, (one for one in missing if popcount(one) == 1), 0) & seen.unseen


def melded_with(ways: Melding, cards: CardSet, card: Card) -> CardSet:
    """Return the other cards of this card's meld in the best arrangement; none if it is loose."""
    melds = (meld for melds in ways.arrangements(cards) for meld in melds)
    return next((meld ^ card.bit for meld in melds if meld & card.bit), 0)


# --- choices ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choice:
    """A move and its expected points for its player by the end of the hand: points won minus points
    lost, without boxes and other bonuses."""

    move: Move
    points: float


@dataclass(frozen=True, slots=True)
class Advice(Choice):
    """A choice with the numbers behind it."""

    facts: Facts


def can_advise(rules: RuleSet) -> bool:
    """Return whether positions by these rules can be valued; in Mahjong gin they can't."""
    return not rules.mahjong


def choose(view: View) -> Move:
    """Return the bot's move for the player of this view, whose turn it must be. The move depends on
    the view alone and takes a millisecond or two. In Mahjong gin, ``mahjong.choose`` finds it.
    Raises Illegal ("hand-unknown") if the view lacks the player's own hand."""
    if not view.my_turn:
        raise ValueError("it isn't this player's turn")
    if not can_advise(view.hand.rules):
        return mahjong.choose(view)
    moves = view.sensible_moves()
    return moves[0] if len(moves) == 1 else choices(view)[0].move


def choices(view: View, seen: Observation | None = None) -> tuple[Choice, ...]:
    """Return every sensible move (``View.sensible_moves``) with its value, best first.

    *seen* is the part of ``observe(view)`` that the player remembers, by default all of it. Takes a
    millisecond or two. Raises ValueError if it isn't this seat's turn or the rules aren't covered,
    and Illegal ("hand-unknown") if the view lacks the player's own hand.
    """
    seen = _look(view) if seen is None else seen
    values = ValueModel(view, seen)
    valued = [(_thousandths(view, seen, values, move), move) for move in view.sensible_moves()]
    # Equal choices keep the engine's order, which is the same everywhere.
    valued.sort(key=lambda pair: -pair[0])
    return tuple(Choice(move, worth / 1000) for worth, move in valued)


def draw_values(view: View) -> tuple[tuple[Card, float], ...]:
    """Return each unseen card with the value of the best choice after drawing it from the stock.
    This separates luck from skill.

    It takes only about ten milliseconds, because it doesn't try every discard after every card. For
    one card in fifty, it misses the best discard. Raises what ``choices`` raises, and Illegal if
    the player may not draw from the stock now.
    """
    seen = _look(view)
    seat, cards, leaves = view.seat, view.cards, view.hand.melding.deadwood_after_discard
    drawn = view.hand.apply(DrawStock())
    after = {
        card: View(seat, drawn.knowing(seat, cards | card.bit), view.match)
        for card in cards_of(seen.unseen)
    }
    # The best discard after the least helpful card is usually the best after other cards, too.
    useless = max(after, key=lambda card: leaves(cards | card.bit))
    throws = (each.move for each in choices(after[useless]) if isinstance(each.move, Discard))
    spare = mask_of([throw.card for throw in throws if throw.card != useless][:_DISCARDS_TRIED])
    found = []
    for card, one in after.items():
        then = replace(seen, cards=one.cards, taken=0, stock=drawn.stock_left)
        moves = _likely(one, spare | card.bit)
        values = ValueModel(one, then)
        found.append((card, max(_thousandths(one, then, values, move) for move in moves) / 1000))
    return tuple(found)


_DISCARDS_TRIED = 2  # out of eleven; trying all would take three times as long


def _likely(view: View, spare: CardSet) -> Iterator[Move]:
    """Yield every knock, the discards of *spare* cards, and those that leave the least deadwood."""
    cards, deadwood = view.cards, view.hand.melding.deadwood
    moves = view.sensible_moves()
    throws = [move for move in moves if isinstance(move, Discard)]
    throws.sort(key=lambda throw: deadwood(cards & ~throw.card.bit))
    for at, throw in enumerate(throws):
        if at < _DISCARDS_TRIED or spare & throw.card.bit:
            yield throw
    yield from (move for move in moves if not isinstance(move, Discard))


def assess(view: View, move: Move) -> Choice:
    """Return this move with its value. Raises Illegal, and whatever ``choices`` raises."""
    seen = _look(view)
    view.hand.apply(move)
    return Choice(move, _thousandths(view, seen, ValueModel(view, seen), move) / 1000)


def advise(view: View, choice: Choice) -> Advice:
    """Return a choice with the numbers behind it, in a millisecond. Raises what ``choices``
    raises."""
    return Advice(choice.move, choice.points, explain(view, choice.move))


def win_chance(view: View, move: Move) -> int | None:
    """Return the estimated chance, in thousandths, that this seat wins the game after this move,
    if both play equally well. None if the game has no target, if it is scored in several columns,
    or if the move is an answer to a knock, after which the score is known.

    tests.bench.chances compares these chances with results. Raises what ``choices`` raises.
    """
    if isinstance(move, Spread):
        return None
    seen = _look(view)
    if isinstance(move, TakeUpcard):
        move = _best_after_taking(view, seen)[1]
        view, seen = _taken(view, seen)
    return chance_after(view, seen, lambda values: _undoubled(view, seen, values, move))


def explain(view: View, move: Move) -> Facts:
    seen = _look(view)
    pips = seen.ways.pips
    match move:
        case Discard():
            return _discard_facts(seen, move.card)
        case Knock():
            undercut = (ValueModel(view, seen).undercutting(move) + 5) // 10
            layoffs = seen.layoffs(move.melds) if move.deadwood else 0
            deadwood, limit = pips(move.deadwood), seen.limit
            return KnockFacts(deadwood, limit, not deadwood, undercut, layoffs, seen.stock)
        case TakeUpcard():
            return _take_facts(view, seen)
        case Spread() if view.hand.knock is not None:
            best = seen.ways.best_spread(view.cards, view.hand.open_melds)
            against, least = pips(view.hand.knock.deadwood), pips(best.deadwood)
            return SpreadFacts(pips(move.deadwood), len(move.layoffs), against, least)
    facts = _stock_facts(seen, seen.cards)
    floating = view.hand.rules.knock_limit is KnockLimit.FLOATING
    return replace(facts, knock=None) if floating and isinstance(move, Pass) else facts


def _look(view: View) -> Observation:
    if not view.my_turn:
        raise ValueError("it isn't this player's turn")
    if not can_advise(view.hand.rules):
        raise ValueError("there is no advice for Mahjong gin")
    return observe(view)


def _thousandths(view: View, seen: Observation, values: ValueModel, move: Move) -> int:
    """Return the value of a legal move, in thousandths of a point."""
    if isinstance(move, Spread):
        return _settled(view, move)
    if isinstance(move, TakeUpcard):
        worth = _best_after_taking(view, seen)[0]
    else:
        worth = _undoubled(view, seen, values, move)
    return 2 * worth if view.hand.counts_double else worth


def _undoubled(view: View, seen: Observation, values: ValueModel, move: Move) -> int:
    """Return the value of a discard, a knock, a draw or a pass as if the hand counted once."""
    match move:
        case Discard():
            return _throwing(view, seen, values, move)
        case Knock():
            return values.knocking(move)
        case Pass() if view.hand.phase is Phase.LAST_CHANCE:
            return 0
    return values.drawing(_OFFERED.get(view.hand.phase, 0))


_OFFERED = {Phase.FIRST_UPCARD: 1, Phase.SECOND_UPCARD: 2}


def _throwing(view: View, seen: Observation, values: ValueModel, discard: Discard) -> int:
    after = view.hand.apply(discard)
    if after.over:  # at the wall, or after too many swaps
        return 0
    worth = values.keeping(seen.cards & ~discard.card.bit, discard.card)
    # At the wall, the hand is void unless the opponent takes this discard and knocks.
    return min(0, worth) if after.phase is Phase.LAST_CHANCE else worth


def _best_after_taking(view: View, seen: Observation) -> tuple[int, Discard | Knock]:
    after, taken = _taken(view, seen)
    values = ValueModel(after, taken)
    found: list[tuple[int, Discard | Knock]] = []
    for move in after.sensible_moves():
        if isinstance(move, Knock):
            found.append((values.knocking(move), move))
        elif isinstance(move, Discard):
            # Taking the last discard is pointless except to knock.
            last = view.hand.phase is Phase.LAST_CHANCE
            found.append((-1 if last else _throwing(after, taken, values, move), move))
    return max(found, key=lambda pair: pair[0])


def _taken(view: View, seen: Observation) -> tuple[View, Observation]:
    hand, upcard = view.hand, _upcard(view)
    after = View(view.seat, hand.apply(TakeUpcard()), view.match)
    taken = replace(
        seen,
        cards=seen.cards | upcard.bit,
        pile=seen.pile & ~upcard.bit,
        top=hand.pile[-2] if len(hand.pile) > 1 else NO_CARD,
        taken=upcard.bit,
        shown=seen.shown | upcard.bit,
    )
    return after, taken


def _upcard(view: View) -> Card:
    if view.hand.upcard is None:
        raise Illegal("wrong-phase", "There is no upcard to take.")
    return view.hand.upcard


def _take_facts(view: View, seen: Observation) -> TakeFacts:
    upcard = _upcard(view)
    then = _best_after_taking(view, seen)[1]
    throw = then.discard if isinstance(then, Knock) else then.card
    kept = (seen.cards | upcard.bit) & ~(0 if throw is None else throw.bit)
    return TakeFacts(
        card=upcard,
        before=seen.ways.deadwood(seen.cards),
        deadwood=seen.ways.deadwood(kept),
        melds=melded_with(seen.ways, kept, upcard),
        throw=throw,
        knocks=isinstance(then, Knock),
    )


def _settled(view: View, spread: Spread) -> int:
    """Return the certain value of an answer to a knock, in thousandths of a point."""
    hand, me = view.hand, view.seat
    if hand.knock is None:
        raise AssertionError("only a knock can be answered")
    result = score_hand(hand.rules, 1 - me, hand.knock, spread, doubled=hand.counts_double)
    return 1000 * points_of(result, me)


def points_of(result: HandResult, seat: int) -> int:
    """Return a hand's value to this seat: its points minus the opponent's."""
    return result.points_of(seat) - result.points_of(1 - seat)


# --- corrected points ------------------------------------------------------------------
#
# Why the values need a correction: the best choice is the one with the highest estimate, which is
# more often too high than too low. And the values were learned in a league of mostly weaker
# players, so they expect too much against an equal one.
#
# Rule 1: a correction never changes the order of choices: all choices in a position have the same
#         table, and every table is strictly increasing.
# Rule 2: the tables are fitted to what `python -m tests.bench.claims` measures: what such choices
#         were worth when the bot played on against itself. After every change of the values,
#         measure again, with a seed that wasn't used to choose them.

Table = tuple[tuple[float, float], ...]
"""Estimated points, ascending, each with the corrected points."""

LOST: Final[dict[type[Move], Table]] = {
    Pass: ((0, 0), (5, 0.2)),
    TakeUpcard: ((0, 0), (3, 0.2), (9, 8.1), (13, 10.6)),
    DrawStock: ((0, 0), (2, 1.7), (9, 4.1)),
    Discard: ((0, 0), (3, 1.7), (9, 7.2)),
}
"""The loss of any other choice, for each type of best move. A missed knock needs no correction."""

LOST_BY_KNOCKING: Final[Table] = ((0, 0), (1, 0.2), (4, 3.3), (14, 12.1))
"""The loss of any other choice if a knock is possible and a discard is better."""

EXPECTED: Final[dict[type[Move], Table]] = {
    Pass: ((0, -4.6), (20, 19.2)),
    TakeUpcard: ((0, -2.7), (25, 23.6)),
    DrawStock: ((0, -2.8), (25, 23.3), (35, 30.5)),
    Discard: ((0, -2.5), (25, 23.7), (35, 30.8)),
    Knock: ((0, -2), (24, 24.1), (28, 30), (35, 33.8)),
}
"""What the best move is worth in points by the end of the hand, for each type of move."""

_AS_CLAIMED: Table = ((0, 0),)


def corrected(table: Table, points: float) -> float:
    """Return the corrected points: interpolated between two entries of the table, and beyond its
    ends corrected by as much as the nearest entry."""
    if points < table[0][0]:
        return points - table[0][0] + table[0][1]
    for (low, least), (high, most) in pairwise(table):
        if points < high:
            return least + (points - low) * (most - least) / (high - low)
    return points - table[-1][0] + table[-1][1]


def calibrated(view: View, best: Choice, choice: Choice) -> Choice:
    """Return a choice with the corrected points; *best* is the best choice in the same position.
    The tables are for hands that count once. They don't apply if the best move makes the hand void,
    or leaves the opponent only the last discard to take."""
    if _ends_play(view, best.move):
        return choice
    move, times = type(best.move), 2 if view.hand.counts_double else 1
    waits = move is Discard and any(isinstance(each, Knock) for each in view.sensible_moves())
    table = LOST_BY_KNOCKING if waits else LOST.get(move, _AS_CLAIMED)
    loss = corrected(table, (best.points - choice.points) / times)
    expected = corrected(EXPECTED.get(move, _AS_CLAIMED), best.points / times)
    return Choice(choice.move, (expected - loss) * times)


def _ends_play(view: View, move: Move) -> bool:
    if isinstance(move, Discard):
        return view.hand.apply(move).phase in (Phase.LAST_CHANCE, Phase.OVER)
    return isinstance(move, Pass) and view.hand.phase is Phase.LAST_CHANCE
