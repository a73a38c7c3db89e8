"""An analysis as a document for programs, which ``ginpeer analyse --json`` prints and
proto/analysis.schema.json describes; and the opponent's real cards, if the log shows them.

No value, loss, luck or lesson uses these cards, because the player couldn't know them. A hand that
was only shown at its end says nothing about earlier turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ginpeer.adviser.advise import melded_with, points_of
from ginpeer.analysis.decisions import Analysis, Decision, HandTotal, Mistake
from ginpeer.record import Record, Verdict, verdict_document
from ginpeer.referee.table import ROLES
from ginpeer.rules import Match, set_text
from ginpeer.rules.cards import DECK, CardSet, Illegal, cards_of, mask_of, popcount
from ginpeer.rules.hand import HAND_SIZE, Phase
from ginpeer.rules.match import View
from ginpeer.rules.melds import Melding
from ginpeer.rules.moves import Discard, Knock, Move
from ginpeer.rules.score import score_hand


@dataclass(frozen=True, slots=True)
class HiddenInfo:
    """The opponent's cards when a choice was made, and what they meant for that choice."""

    held: CardSet
    deadwood: int  # the least deadwood of those cards
    wanted: CardSet
    """The unseen cards that would have gone into a meld with the cards kept: before a draw, all ten
    of the hand; if the player knocked, those that the best discard keeps."""
    gone: CardSet  # the wanted cards that the opponent had, which couldn't come from the stock
    meld_played: CardSet
    """The opponent's cards with which the discard, if there was one, made a meld."""
    meld_best: CardSet  # the same for the best discard
    knock: int | None
    """The player's points from the hand if the player knocked; otherwise those that the best knock
    would have won against these cards, after lay-offs. Negative if the opponent gets the points.
    None if neither move was a knock, or the knock was never answered."""


def hidden_info_of(record: Record, mistake: Mistake) -> HiddenInfo | None:
    """Return what was hidden at this choice; None if nothing was (in an answer to a knock) or if
    *record* doesn't show both seats' cards."""
    made = mistake.decision
    played, best, view = made.played.move, made.best.move, made.view
    position = record.step_of(made.entry).before
    if position is None or position.phase is Phase.LAY_OFF:
        return None
    try:
        held = position.hand_of(1 - view.seat)
    except Illegal:
        return None
    ways = position.melding
    wanted = _wanted(view, played if isinstance(played, Discard) else best)
    result = None
    if isinstance(played, Knock):
        result = next(iter(record.results[made.hand - 1 :]), None)
    elif isinstance(best, Knock):
        answer = ways.best_spread(held, best.melds if best.deadwood else ())
        double = position.counts_double
        result = score_hand(position.rules, view.seat, best, answer, doubled=double)
    return HiddenInfo(
        held=held,
        deadwood=ways.deadwood(held),
        wanted=wanted,
        gone=wanted & held,
        meld_played=_melds(ways, held, played),
        meld_best=_melds(ways, held, best),
        knock=None if result is None else points_of(result, view.seat),
    )


def _wanted(view: View, move: Move) -> CardSet:
    """Return the unseen cards that would meld with the cards kept after this move."""
    hand, ways = view.hand, view.hand.melding
    thrown = move.card.bit if isinstance(move, Discard) else 0
    if popcount(view.cards & ~thrown) != HAND_SIZE:
        return 0
    kept, now = view.cards & ~thrown, ways.deadwood(view.cards & ~thrown)
    unseen = cards_of(DECK & ~(view.cards | mask_of(hand.pile) | hand.known_held(1 - view.seat)))
    return mask_of(
        card for card in unseen if ways.deadwood(kept | card.bit) < now + ways.pips(card.bit)
    )


def _melds(ways: Melding, held: CardSet, move: Move) -> CardSet:
    """Return the cards that the discard melds with in the opponent's best arrangement, if any."""
    if not isinstance(move, Discard):
        return 0
    cards = held | move.card.bit
    if ways.deadwood_after_discard(cards) >= ways.deadwood(held):
        return 0
    return melded_with(ways, cards, move.card)


# --- the document -----------------------------------------------------------------------

ANALYSED = "analysed"


def analysis_document(
    verdict: Verdict,
    code: str = ANALYSED,
    sentence: str | None = None,
    record: Record | None = None,
    found: Sequence[Analysis] = (),
) -> dict[str, Any]:
    """Return the whole document. *code* and *sentence*: why there is no analysis."""
    of_log = verdict_document(verdict)
    said = ("verdict", "code", "sentence", "entries")
    return {
        "schema": 1,
        **{key: of_log[key] for key in said},
        "analysis": code,
        "reason": sentence,
        "rules": of_log["rules"],
        "players": of_log["players"],
        "seats": [] if record is None else [_seat(record, each) for each in found],
    }


def _seat(record: Record, found: Analysis) -> dict[str, Any]:
    mistakes = {mistake.decision.entry: mistake for mistake in found.mistakes}
    return {
        "role": ROLES[found.seat],
        "hands": [_hand(record.match, hand, found.seat) for hand in found.hands],
        "loss": _points(found.loss),
        "luck": _points(found.luck),
        "kinds": {
            total.kind.value: {
                "choices": total.choices,
                "mistakes": total.mistakes,
                "loss": _points(total.loss),
            }
            for total in found.kinds()
        },
        "lessons": [
            {
                "lesson": total.lesson.value,
                "count": len(total.mistakes),
                "loss": _points(total.loss),
                "entries": [mistake.decision.entry for mistake in total.mistakes],
            }
            for total in found.lessons()
        ],
        "decisions": [
            _decision(record, each, mistakes.get(each.entry)) for each in found.decisions
        ],
        "draws": [
            {
                "hand": draw.hand,
                "entry": draw.entry,
                "card": str(draw.card),
                "luck": _points(draw.luck),
            }
            for draw in found.draws
        ],
    }


def _hand(match: Match | None, hand: HandTotal, seat: int) -> dict[str, Any]:
    results = () if match is None else match.results
    result = results[hand.number - 1] if hand.number <= len(results) else None
    return {
        "number": hand.number,
        "known": hand.known,
        "too_long": hand.too_long,
        "loss": _points(hand.loss),
        "luck": _points(hand.luck),
        "points": None if result is None else points_of(result, seat),
    }


def _decision(record: Record, made: Decision, mistake: Mistake | None) -> dict[str, Any]:
    truth = None if mistake is None else hidden_info_of(record, mistake)
    return {
        "hand": made.hand,
        "entry": made.entry,
        "kind": made.kind.value,
        "played": str(made.played.move),
        "best": str(made.best.move),
        "played_points": _points(made.played.points),
        "best_points": _points(made.best.points),
        "loss": _points(made.loss),
        "lesson": None if mistake is None else mistake.lesson.value,
        "truth": None if truth is None else _truth(truth),
    }


def _truth(truth: HiddenInfo) -> dict[str, Any]:
    return {
        "held": set_text(truth.held),
        "deadwood": truth.deadwood,
        "wanted": set_text(truth.wanted),
        "gone": set_text(truth.gone),
        "meld_played": set_text(truth.meld_played),
        "meld_best": set_text(truth.meld_best),
        "knock": truth.knock,
    }


def _points(value: float) -> float:
    return round(value, 3) + 0.0  # no minus before a zero
