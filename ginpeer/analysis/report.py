"""An analysis as a document for programs: what ``ginpeer analyse --json`` prints.

proto/analysis.schema.json describes its keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ginpeer.adviser.advise import points_of
from ginpeer.analysis.decisions import Decision
from ginpeer.analysis.hidden_info import HiddenInfo, hidden_info_of
from ginpeer.analysis.totals import Analysis, HandTotal, Mistake
from ginpeer.record import Record, Verdict, verdict_document
from ginpeer.referee.table import ROLES
from ginpeer.rules import Match, set_text

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
