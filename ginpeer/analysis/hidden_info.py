"""What the other player really held, where that is known: told apart from what could be seen.

# Rule 1: nothing of this is in a value, a loss, a luck or a lesson. Who played could not know it.
# Rule 2: it is of a log in which the other player's cards are known too. A hand that was only laid
#         open at its end says nothing of the turns before.
"""

from __future__ import annotations

from dataclasses import dataclass

from ginpeer.analysis.decisions import view_before
from ginpeer.analysis.totals import Mistake
from ginpeer.record import Record
from ginpeer.rules import (
    DECK,
    Card,
    CardSet,
    Discard,
    Hand,
    HandResult,
    Illegal,
    Knock,
    Melding,
    Move,
    Phase,
    View,
    cards_of,
    mask_of,
    popcount,
    score_hand,
)
from ginpeer.rules.hand import HAND_SIZE


@dataclass(frozen=True, slots=True)
class HiddenInfo:
    """What the other player held before a choice."""

    held: CardSet
    deadwood: int
    """The least that those left."""
    wanted: CardSet
    """The unseen cards that would have gone into a meld with what was kept; where a knock was made,
    with what was best kept; before a draw, with the ten."""
    gone: CardSet
    """Those of them that the other held, so that they could not come from the stock."""
    meld_played: CardSet
    """With which of the other's cards the one that was thrown made a meld; none if it did not help
    there, or none was thrown."""
    meld_best: CardSet
    """The same of the best throw."""
    knock: int | None
    """What the knock that was made, or would have been best, brings against those cards, lay-offs
    and all: points of who chose, below 0 where they are the other's; None where neither was one."""


def hidden_info_of(record: Record, mistake: Mistake) -> HiddenInfo | None:
    """Of this choice; None where the other's cards are not known. *record* knows both seats."""
    played, best = mistake.decision.played.move, mistake.decision.best.move
    step = record.step_of(mistake.decision.entry)
    position = step.before
    view = view_before(step)
    if position is None or view is None or position.phase is Phase.LAY_OFF:
        return None
    try:
        held = position.hand_of(1 - view.seat)
    except Illegal:
        return None
    ways = position.melding
    wanted = _wanted(view, played if isinstance(played, Discard) else best)
    knock = next((each for each in (best, played) if isinstance(each, Knock)), None)
    return HiddenInfo(
        held=held,
        deadwood=ways.deadwood(held),
        wanted=wanted,
        gone=wanted & held,
        meld_played=_melds(ways, held, played),
        meld_best=_melds(ways, held, best),
        knock=None if knock is None else _brings(position, view.seat, knock, held),
    )


def _wanted(view: View, move: Move) -> CardSet:
    """The unseen cards that meld with what is kept after this move, thrown cards apart."""
    hand, ways = view.hand, view.hand.melding
    thrown = move.card.bit if isinstance(move, Discard) else 0
    if popcount(view.cards & ~thrown) != HAND_SIZE:
        return 0
    kept, now, found = view.cards & ~thrown, ways.deadwood(view.cards & ~thrown), 0
    seen = view.cards | mask_of(hand.pile) | hand.known_held(1 - view.seat)
    for card in cards_of(DECK & ~seen):
        if ways.deadwood(kept | card.bit) < now + ways.pips(card.bit):
            found |= card.bit
    return found


def _melds(ways: Melding, held: CardSet, move: Move) -> CardSet:
    """The cards that a thrown one is laid out with in the other's best arrangement, if it is."""
    card: Card | None = move.card if isinstance(move, Discard) else None
    if card is None or ways.deadwood_after_discard(held | card.bit) >= ways.deadwood(held):
        return 0
    for melds in ways.arrangements(held | card.bit):
        for meld in melds:
            if meld & card.bit:
                return meld ^ card.bit
    return 0


def _brings(hand: Hand, seat: int, knock: Knock, held: CardSet) -> int:
    """The points of a knock against these cards, answered as well as can be."""
    ways = hand.melding
    open_melds = knock.melds if knock.deadwood else ()
    answer = ways.best_spread(held, open_melds)
    result = score_hand(hand.rules, seat, knock, answer, doubled=hand.counts_double)
    return points_of(result, seat)


def points_of(result: HandResult, seat: int) -> int:
    """What a hand brought this seat: what it won, less what the other won."""
    return result.points_of(seat) - result.points_of(1 - seat)
