"""How the bot of ginpeer 1.0 played, to measure others by it; Mahjong gin left out."""
# The bot looks one draw ahead and no further.
#
# Upcard: taken if it allows a knock; or if it melds and the ten cards then kept are about as good
#   as those after an average draw from the stock; or if they are clearly better.
# Discard: for each card, the deadwood after throwing it and drawing once more, averaged over all
#   unseen cards; the gain of that draw counts a little more than once, since what melds with the
#   next card melds with later ones too. To that, 4 points times the chance that the other player
#   melds the card thrown.
# Knock: gin always. With 6 or more, the expected score of knocking now, over guessed hands and
#   their best lay-offs, is set against one more round of play: the other may knock, and be
#   undercut or not, or go gin; if not, a card may come that makes gin, or the knock follows then.
#   The bot plays on only if that is clearly better, so early on it knocks at once. With 5 or less
#   it plays on for gin and lies in wait: who knocks against so little is usually undercut. Not if
#   the stock runs out, nor if the knock probably wins the game, or a column of it. The last
#   discard is taken if that allows a knock, and then it knocks unless that is expected to lose.
# Arrangement: of equal ones the one that does best against the guessed hands, so that it leaves the
#   fewest lay-offs. One that holds cards back (RULES 5.3) must do better by 4 points. That is rare:
#   in 3,100 knocks of bots against each other 220 could hold back, 16 would have won more by it, 47
#   points in all; by the guesses, without the 4 points, the bot held back in 5 and lost 9.
# Defence: the joint optimum of own melds and lay-offs.
#
# The numbers were found by playing some ten thousand hands against itself and against greedy
# players, and are flat around their optimum. Over 1,200 hands, each deal played from both sides, it
# gained 7.6 points a hand on the greedy player of its tests, boxes counted (standard error 1.0).
# Looking two draws ahead gained no more that could be told from luck, at ten times the cost.
#
# Variants change what melds, what it counts and what a hand is worth; all of that comes from the
# hand and the match, and the play stays as it is, with the same numbers. To wait with less at low
# knock limits, or not at all, made no difference that could be told from luck. Where the own
# discard sets the other's limit, low cards for it made none at a third of what a knock costs, and
# at all of it the points kept cost 7 a hand.
#
# What the bot does not do: remember how this opponent plays, bluff, throw a card to draw out
# another, or choose its moves by the score except as said. It does not play for a void hand, nor
# for the games of a series that are still to come, and does not shun a lead of exactly fifty.
#
# There is no hidden randomness. The guesses at the other hand come from a generator seeded with the
# own cards, so that a view always gets the same answer.

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
_DANGER = 4.0  # points that a card melded by the other player costs
_FAR = 12  # a discard that leaves so much more deadwood than the best is not looked at
_LIE_IN_WAIT = 5  # deadwood with which the bot does not knock while it can wait
_STOCK_TO_WAIT = 6  # and the stock cards it takes to wait
_CLEARLY = 3.0  # points by which playing on must be better than a knock
_HELD_BACK = 4.0  # points by which holding cards back must be better than not to


def choose(view: View) -> Move:
    """The bot's move for the player of this view, whose turn it must be.

    Depends on the view alone, and takes a few milliseconds. Raises Illegal ("hand-unknown") if the
    view lacks the own hand.
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
    """The least deadwood after taking the upcard and throwing another card."""
    return min(ways.deadwood(hand ^ card.bit | upcard.bit) for card in cards_of(hand))


def _can_knock_with_upcard(view: View) -> bool:
    """Whether the last discard allows a knock; big gin leaves one card that can go."""
    hand, upcard = view.cards, view.hand.upcard
    if upcard is None:
        raise AssertionError("there is a last chance only after a discard")
    return _with_upcard(hand, upcard, view.hand.melding) <= view.hand.knock_limit


def _after_a_draw(hand: CardSet, reading: Reading, ways: Melding) -> float:
    """The least deadwood after one more draw and discard, averaged over the unseen cards."""
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
    """Whether a plain discard makes the hand void, since it was the last discard that was taken."""
    hand = view.hand
    return (
        hand.rules.wall is Wall.LAST_DISCARD and hand.stock_left == WALL and hand.taken is not None
    )


def _next_limit(view: View, discard: Discard) -> int:
    """With how much the other player can knock after this discard."""
    rules = view.hand.rules
    if rules.knock_limit is KnockLimit.FLOATING:
        return rules.limit(discard.card)
    return view.hand.knock_limit


def _showdown(view: View, knock: Knock, theirs: CardSet) -> HandResult:
    hand = view.hand
    spread = hand.melding.best_spread(theirs, knock.melds)
    return score_hand(hand.rules, view.seat, knock, spread, doubled=hand.counts_double)


def _worth(view: View, winner: int | None, points: float) -> float:
    """What a hand won or lost with these points is worth to this player: in each column where it
    counts the points, the box, and the game bonus if it decides the column."""
    if winner is None:
        return 0.0
    rules, game = view.hand.rules, view.match.game
    worth = 0.0
    for at in game.columns_for(winner):
        bonus = rules.game_bonus * _decides(view, game.columns[at], winner, points)
        worth += points + rules.box + bonus
    return worth if winner == view.seat else -worth


def _decides(view: View, column: Column, winner: int, points: float) -> int:
    """How many game bonuses the hand moves to its winner: 1 if it wins the column; 2 if the other
    player would have won it; 0 if it decides nothing."""
    rules = view.hand.rules
    if rules.target is not None and column.points[winner] + points >= rules.target:
        return 1
    # The last of a number of hands: a hand that nobody wins leaves the game to who leads already.
    lead = column.points[winner] - column.points[1 - winner]
    last = view.match.game.hands + 1 == rules.hands
    return _sign(lead + points) - _sign(lead) if last else 0


def _sign(lead: float) -> int:
    return (lead > 0) - (lead < 0)


def _wins_game(view: View, result: HandResult) -> bool:
    """Whether this result wins the game for this player, or a column of it."""
    game, me = view.match.game, view.seat
    return result.winner == me and any(
        _decides(view, game.columns[at], me, result.points) > 0 for at in game.columns_for(me)
    )


def _gin_chance(kept: CardSet, reading: Reading, ways: Melding) -> float:
    """The chance that the next card makes gin."""
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
    """What it is worth to let the other player, who holds ``theirs`` and may knock with ``limit``,
    draw once, and then to go gin or to knock after all. ``knocked`` is what a knock now would have
    brought."""
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
