"""The bot of ginpeer 1.0, as a benchmark; without Mahjong gin."""
# The bot looks one draw ahead and no further.
#
# Upcard: take it if it allows a knock; or if it melds and the ten cards then kept are about as good
#   as those after an average draw from the stock; or if they are clearly better.
# Discard: for each card, the deadwood after throwing it and drawing once more, averaged over all
#   unseen cards; the gain of that draw counts a little more than once, since what melds with the
#   next card melds with later ones too. Add 4 points times the chance that the opponent melds the
#   card thrown.
# Knock: always with gin. With 6 or more, compare the expected score of knocking now, over guessed
#   hands and their best lay-offs, with one more round of play: the opponent may knock, and be
#   undercut or not, or go gin; if not, a card may come that makes gin, or the knock follows then.
#   The bot plays on only if that is clearly better, so early on it knocks at once. With 5 or less
#   it plays on for gin and lies in wait: whoever knocks against so little is usually undercut. It
#   doesn't wait if the stock is running out, or if the knock probably wins the game or a column of
#   it. It takes the last discard if that allows a knock, and then knocks unless it expects to lose.
# Arrangement: among equals, the one that does best against the guessed hands, so that it leaves the
#   fewest lay-offs. One that holds cards back (RULES 5.3) must do better by 4 points. That is rare:
#   of 3,100 knocks between bots, 220 could hold back and 16 would have won more by it, 47 points in
#   all; going by the guesses, without the 4 points, the bot held back in 5 and lost 9.
# Defence: the joint optimum of its melds and lay-offs.
#
# The numbers were found by playing about ten thousand hands against itself and against greedy
# players, and are flat around their optimum. Over 1,200 hands, each deal played from both sides, it
# gained 7.6 points a hand on the greedy player of its tests, boxes counted (standard error 1.0).
# Looking two draws ahead gained nothing distinguishable from luck, at ten times the cost.
#
# Variants change what melds, what it counts and what a hand is worth; all of that comes from the
# hand and the match, and the play stays the same, with the same numbers. Waiting with less at low
# knock limits, or not at all, made no difference distinguishable from luck. If a player's discard
# sets the opponent's limit, valuing low discards at a third of a knock's cost made no difference
# either; at its full cost, the points kept cost 7 a hand.
#
# The bot doesn't remember how this opponent plays, bluff, throw a card to draw out another, or
# choose its moves by the score except as said. It doesn't play for a void hand, nor for later games
# of a series, and doesn't avoid a lead of exactly fifty.
#
# There is no hidden randomness. The guesses at the opponent's hand come from a generator seeded
# with the player's own cards, so that a view always gets the same answer.

from __future__ import annotations

from random import Random

from ginpeer.rules import (
    Card,
    CardSet,
    Discard,
    DrawStock,
    HandResult,
    Knock,
    Melding,
    Move,
    Pass,
    Phase,
    TakeUpcard,
    View,
    cards_of,
    score_hand,
)
from ginpeer.rules.hand import WALL
from ginpeer.rules.parameters import KnockLimit, Wall
from ginpeer.rules.score import Column
from tests.bench.players.reading_1_0 import Reading, read

_GUESSES = 12
_DRAWS_PER_GUESS = 3
_NEXT_DRAW = 1.2  # the weight of what the next draw gains
_DANGER = 4.0  # points: what a card costs if the opponent melds it
_FAR = 12  # discards that leave this much more deadwood than the best are ignored
_LIE_IN_WAIT = 5  # with this deadwood or less the bot doesn't knock while it can wait
_STOCK_TO_WAIT = 6  # the stock cards needed to wait
_CLEARLY = 3.0  # points: how much better than a knock playing on must be
_HELD_BACK = 4.0  # points: how much more holding cards back must gain


def choose(view: View) -> Move:
    """Return the bot's move for the player of this view, whose turn it must be.

    Depends on the view alone, and takes a few milliseconds. Raises Illegal ("hand-unknown") if the
    view lacks the player's own hand.
    """
    if not view.my_turn:
        raise ValueError("it is not this player's turn")
    moves = view.sensible_moves()
    if len(moves) == 1:
        return moves[0]
    if view.hand.phase is Phase.LAST_CHANCE:
        return TakeUpcard() if _can_knock_with_upcard(view) else Pass()
    reading = read(view)
    if view.hand.phase is Phase.DISCARD:
        return _end_turn(view, reading, moves)
    if _wants_upcard(view, reading):
        return TakeUpcard()
    return DrawStock() if DrawStock() in moves else Pass()


def _wants_upcard(view: View, reading: Reading) -> bool:
    hand, upcard, ways = view.cards, view.hand.upcard, view.hand.melding
    if upcard is None:
        return False
    now = ways.deadwood(hand)
    taken = _with_upcard(hand, upcard, ways)
    if taken <= view.hand.knock_limit < now:
        return True
    melds = ways.deadwood(hand | upcard.bit) <= now
    from_stock = _after_a_draw(hand, reading, ways)
    return taken <= (from_stock + 2 if melds else from_stock - 4)


def _with_upcard(hand: CardSet, upcard: Card, ways: Melding) -> int:
    """Return the least deadwood after taking the upcard and throwing another card."""
    return min(ways.deadwood(hand ^ card.bit | upcard.bit) for card in cards_of(hand))


def _can_knock_with_upcard(view: View) -> bool:
    """Return whether the last discard allows a knock; big gin leaves one card to discard."""
    hand, upcard = view.cards, view.hand.upcard
    if upcard is None:
        raise AssertionError("there is a last chance only after a discard")
    return _with_upcard(hand, upcard, view.hand.melding) <= view.hand.knock_limit


def _after_a_draw(hand: CardSet, reading: Reading, ways: Melding) -> float:
    """Return the least deadwood after one more draw and discard, averaged over the unseen cards."""
    after = ways.deadwood_after_discard
    return sum(after(hand | card.bit) for card in reading.unseen) / len(reading.unseen)


def _end_turn(view: View, reading: Reading, moves: tuple[Move, ...]) -> Move:
    knocks = [move for move in moves if isinstance(move, Knock)]
    for knock in knocks:
        if knock.discard is None:
            return knock
    for knock in knocks:
        if not knock.deadwood:
            return knock
    discard = _best_discard(view, reading, moves)
    if not knocks:
        return discard
    return _knock_or_play_on(view, reading, knocks, discard)


def _best_discard(view: View, reading: Reading, moves: tuple[Move, ...]) -> Discard:
    hand, ways = view.cards, view.hand.melding
    left = {
        move.card: ways.deadwood(hand ^ move.card.bit)
        for move in moves
        if isinstance(move, Discard)
    }
    least = min(left.values())

    def cost(card: Card) -> tuple[float, int, int]:
        gain = left[card] - _after_a_draw(hand ^ card.bit, reading, ways)
        points = left[card] - _NEXT_DRAW * gain + _DANGER * reading.danger(card)
        return points, -ways.pips(card.bit), card

    return Discard(min((card for card in left if left[card] <= least + _FAR), key=cost))


def _knock_or_play_on(view: View, reading: Reading, knocks: list[Knock], discard: Discard) -> Move:
    rng = Random(view.cards)
    ways, limit = view.hand.melding, _next_limit(view, discard)
    guesses = reading.guesses(_GUESSES, rng)
    least = min(ways.pips(knock.deadwood) for knock in knocks)
    best = [knock for knock in knocks if ways.pips(knock.deadwood) == least]
    thrown = {knock.discard for knock in best}
    held_back = [knock for knock in knocks if knock not in best and knock.discard in thrown]
    worth, knock, results = -1_000_000.0, knocks[0], []
    for candidate in (*best, *held_back):
        found = [_showdown(view, candidate, theirs) for theirs in guesses]
        mean = sum(_worth(view, result.winner, result.points) for result in found) / _GUESSES
        if mean > worth + (_HELD_BACK if candidate in held_back else 0):
            worth, knock, results = mean, candidate, found
    if _is_last_chance(view):
        return knock if worth > 0 else discard
    if view.hand.stock_left <= _STOCK_TO_WAIT:
        return knock
    kept = view.cards ^ discard.card.bit
    if ways.deadwood(kept) <= _LIE_IN_WAIT:
        ending = sum(_wins_game(view, result) for result in results)
        return knock if 2 * ending > _GUESSES else discard
    play_on = 0.0
    gin_chance = _gin_chance(kept, reading, ways)
    for theirs, result in zip(guesses, results, strict=True):
        play_on += (
            _one_more_round(view, reading, kept, limit, gin_chance, theirs, result, rng) / _GUESSES
        )
    return discard if play_on > worth + _CLEARLY else knock


def _is_last_chance(view: View) -> bool:
    """Return whether a plain discard makes the hand void, because the last discard was taken."""
    hand = view.hand
    return (
        hand.rules.wall is Wall.LAST_DISCARD and hand.stock_left == WALL and hand.taken is not None
    )


def _next_limit(view: View, discard: Discard) -> int:
    """Return the opponent's knock limit after this discard."""
    rules = view.hand.rules
    if rules.knock_limit is KnockLimit.FLOATING:
        return rules.limit(discard.card)
    return view.hand.knock_limit


def _showdown(view: View, knock: Knock, theirs: CardSet) -> HandResult:
    hand = view.hand
    spread = hand.melding.best_spread(theirs, knock.melds)
    return score_hand(hand.rules, view.seat, knock, spread, doubled=hand.counts_double)


def _worth(view: View, winner: int | None, points: float) -> float:
    """Return the worth to this player of a hand won or lost with these points: the points, the box,
    and the game bonus if it decides the column, in each column where it counts."""
    if winner is None:
        return 0.0
    rules, game = view.hand.rules, view.match.game
    worth = 0.0
    for at in game.columns_for(winner):
        bonus = rules.game_bonus * _decides(view, game.columns[at], winner, points)
        worth += points + rules.box + bonus
    return worth if winner == view.seat else -worth


def _decides(view: View, column: Column, winner: int, points: float) -> int:
    """Return how many game bonuses the hand moves to its winner: 1 if it wins the column; 2 if the
    opponent would have won it; 0 if it decides nothing."""
    rules = view.hand.rules
    if rules.target is not None and column.points[winner] + points >= rules.target:
        return 1
    # The last of a number of hands: a hand that nobody wins leaves the game to the current leader.
    lead = column.points[winner] - column.points[1 - winner]
    last = view.match.game.hands + 1 == rules.hands
    return _sign(lead + points) - _sign(lead) if last else 0


def _sign(lead: float) -> int:
    return (lead > 0) - (lead < 0)


def _wins_game(view: View, result: HandResult) -> bool:
    """Return whether this result wins the game, or a column of it, for this player."""
    game, me = view.match.game, view.seat
    return result.winner == me and any(
        _decides(view, game.columns[at], me, result.points) > 0 for at in game.columns_for(me)
    )


def _gin_chance(kept: CardSet, reading: Reading, ways: Melding) -> float:
    """Return the chance that the next card makes gin."""
    outs = sum(ways.deadwood_after_discard(kept | card.bit) == 0 for card in reading.unseen)
    return outs / len(reading.unseen)


def _one_more_round(
    view: View,
    reading: Reading,
    kept: CardSet,
    limit: int,
    gin_chance: float,
    theirs: CardSet,
    knocked: HandResult,
    rng: Random,
) -> float:
    """Return the worth of letting the opponent, who holds ``theirs`` and may knock with ``limit``,
    draw once, and then going gin or knocking after all. ``knocked`` is the result of knocking
    now."""
    rules, me, ways = view.hand.rules, view.seat, view.hand.melding
    factor = 2 if view.hand.counts_double else 1
    mine = ways.deadwood(kept)
    unseen = [card for card in reading.unseen if not theirs & card.bit]
    improved = ways.deadwood(theirs)
    total = 0.0
    for _ in range(_DRAWS_PER_GUESS):
        left = ways.deadwood_after_discard(theirs | rng.choice(unseen).bit)
        if left == 0:
            total += _worth(view, 1 - me, factor * (rules.gin_bonus + mine))
        elif left <= limit and mine <= left:
            total += _worth(view, me, factor * (rules.undercut_bonus + left - mine))
        elif left <= limit:
            total += _worth(view, 1 - me, factor * (mine - left))
        else:
            gin = _worth(view, me, factor * (rules.gin_bonus + left))
            later = _worth(view, knocked.winner, knocked.points) - factor * (improved - left)
            total += gin_chance * gin + (1 - gin_chance) * later
    return total / _DRAWS_PER_GUESS
