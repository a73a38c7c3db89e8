"""The steps of a log as a document for programs: what ``ginpeer export --as json`` writes.

proto/steps.schema.json describes its keys.
"""

from __future__ import annotations

from typing import Any

from ginpeer.record.record import Record
from ginpeer.record.steps import RecordedHand, Step
from ginpeer.record.verdict_document import by_role, verdict_document
from ginpeer.referee.table import ROLES
from ginpeer.rules.card_order import costliest_first, in_row, laid_out
from ginpeer.rules.cards import Card, CardSet, cards_of
from ginpeer.rules.hand import Hand
from ginpeer.rules.melds import Meld, melding
from ginpeer.rules.moves import Discard, Knock, TakeUpcard
from protocol.entry import kind_name


def steps_document(record: Record) -> dict[str, Any]:
    verdict, cut = verdict_document(record.verdict), record.table.cut_cards
    hands = record.hands
    first = hands[0].steps[0].entry if hands else len(record.steps)
    apart = [step for step in record.steps if not step.hand_number]
    return {
        "schema": 1,
        "verdict": verdict,
        "cut": None if cut is None else by_role(lambda seat: str(cut[seat])),
        "opening": [_event(step) for step in apart if not hands or step.entry < first],
        "hands": [_hand(record, hand, verdict["hands"]) for hand in hands],
        "closing": [_event(step) for step in apart if hands and step.entry > first],
    }


def _event(step: Step) -> dict[str, Any]:
    return {
        "entry": step.entry,
        "author": ROLES[step.author],
        "kind": kind_name(type(step.message)),
    }


def _hand(record: Record, hand: RecordedHand, results: list[dict[str, Any]]) -> dict[str, Any]:
    over = hand.number <= len(results)
    positions = [step.after for step in hand.steps]
    dealt = next((position for position in positions if position is not None), None)
    return {
        "number": hand.number,
        "dealer": ROLES[hand.dealer],
        "degree": by_role(lambda seat: hand.degree(seat).value),
        "knock_card": None if dealt is None else _text(dealt.knock_card),
        "result": results[hand.number - 1] if over else None,
        "score": by_role(
            lambda seat: sum(result.points_of(seat) for result in record.results[: hand.number])
        ),
        "steps": [
            _step(step, position) for step, position in zip(hand.steps, positions, strict=True)
        ],
    }


def _step(step: Step, position: Hand | None) -> dict[str, Any]:
    return {
        "entry": step.entry,
        "share": step.entries[-1].sequence if len(step.entries) > 1 else None,
        "author": ROLES[step.author],
        "kind": kind_name(type(step.message)),
        "move": None if step.move is None else str(step.move),
        "card": _text(moved_card(step)),
        "position": None if position is None else _position(step, position),
    }


def moved_card(step: Step) -> Card | None:
    """Return the single card that the step moved, if it is known."""
    match step.move:
        case Discard(card=card) | Knock(discard=card):
            return card
        case TakeUpcard():
            before = step.before
            return None if before is None else before.upcard
    return step.drawn


def _position(step: Step, hand: Hand) -> dict[str, Any]:
    return {
        "phase": hand.phase.value.replace(" ", "-"),
        "to_move": None if hand.over else ROLES[hand.to_move],
        "knock_limit": None if hand.rules.mahjong else hand.knock_limit,
        "upcard": _text(hand.upcard),
        "pile": _texts(hand.pile),
        "stock": hand.stock_left,
        "table": [_table_meld(hand, meld) for meld in hand.table_melds],
        "hands": by_role(lambda seat: _held(step, hand, seat)),
    }


def _table_meld(hand: Hand, meld: Meld) -> dict[str, Any]:
    whose = by_role(lambda seat: _texts(cards_of(meld & hand.laid(seat))))
    return {"cards": _texts(in_row(meld)), **whose}


def _held(step: Step, hand: Hand, seat: int) -> dict[str, Any]:
    cards, degree = hand.hands[seat], step.degree(seat)
    melds, loose, total = layout(hand, seat) or ((), None, None)
    return {
        "count": hand.size(seat),
        "degree": None if degree is None else degree.value,
        "cards": None if cards is None else _texts(cards_of(cards)),
        "seen": _texts(cards_of(hand.known_held(seat))),
        "melds": None if loose is None else [_texts(in_row(meld)) for meld in melds],
        "loose": None if loose is None else _texts(costliest_first(loose, hand.rules)),
        "deadwood": total,
        "laid_off": [{"card": str(card), "meld": at} for card, at in hand.layoffs(seat)],
    }


def layout(hand: Hand, seat: int) -> tuple[tuple[Meld, ...], CardSet, int] | None:
    """Return this seat's melds, its loose cards and its deadwood (in Mahjong gin, its value): as
    the player has shown them, or else arranged for the least deadwood. Return None if the cards
    aren't known."""
    shown = hand.knock if seat == hand.knocker else hand.spread
    if shown is not None and not hand.rules.mahjong:
        return shown.melds, shown.deadwood, melding(hand.rules).pips(shown.deadwood)
    cards = hand.hands[seat]
    if cards is None:
        return None
    return laid_out(cards, hand.rules)


def _text(card: Card | None) -> str | None:
    return None if card is None else str(card)


def _texts(cards: tuple[Card, ...]) -> list[str]:
    return [str(card) for card in cards]
