"""An analysis as one document for programs: what ``ginpeer analyse --json`` prints.

It always has all of these keys, None (null in JSON) if a value is unknown:

    schema          1
    verdict         valid | illegal | forged | incomplete | unreadable, as ``ginpeer verify`` says
    code, sentence  of the verdict
    entries         how many entries are valid; nothing after them is analysed
    analysis        analysed, or the reason it isn't: no-advice | hands-hidden | no-such-seat |
                    no-such-hand, or the verdict's code if the log can't be read
    reason          that as a sentence; null if analysed
    rules           the rule set's text, as both signed it
    players         host and guest: role, name, key (hexadecimal), fingerprint
    seats           one for each player who was analysed:
    .role           host | guest
    .hands          each hand: number, known (whether the player's cards are), too_long (whether it
                    has more than 1,000 moves), loss, luck, and points: this player's points minus
                    the opponent's, null if it isn't over. If the cards aren't known, or the hand is
                    too long, nothing in it is valued
    .loss           what all choices cost against the best ones, in points
    .luck           how much more the cards from the stock were worth than the average unseen card
    .kinds          for draw, throw, knock and answer: choices, mistakes, loss
    .lessons        what the mistakes teach, the costliest first: lesson (a word, see below), count,
                    loss, entries
    .decisions      each choice, in order: hand, entry, kind, played and best (moves, as
                    ginpeer.rules.parse_move reads them), played_points, best_points, loss, lesson
                    and truth
    .draws          each card from the stock: hand, entry, card, luck

A mistake is a choice that cost 0.5 points or more; for others ``lesson`` and ``truth`` are null.
``truth`` is what the player couldn't see, if the log has the opponent's cards (else null): held,
the opponent's cards; deadwood, the least that they left; wanted, the unseen cards that would have
gone into a meld with the cards kept, and gone, those that the opponent held; meld_played and
meld_best, the opponent's cards with which the discard made a meld; knock, what the knock brought
this player, or would have brought. Cards are written one after the other, like 7d8d9d; none are "".

The lessons: take-the-upcard, leave-the-upcard, keep-the-meld, do-not-feed, throw-the-high-card,
keep-what-is-near, go-gin, knock, do-not-knock-yet, knock-otherwise, answer-better, look-closer.

Another version may give other values, because the adviser learns; keys and words stay.

Strangers wrote the names and texts in a log; here they have passed through ginpeer.names.quoting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ginpeer.analysis.decisions import Decision
from ginpeer.analysis.hidden_info import HiddenInfo, hidden_info_of, points_of
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
    """Return the whole document. *code* and *sentence*: why there is no analysis; *record*: with
    the cards of both players, as far as they are known."""
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
