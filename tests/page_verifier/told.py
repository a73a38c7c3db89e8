"""What happened in a log according to the page's verifier, in the form of the steps document; and
the facts in that document, without arrangements of cards that nobody has laid down."""

from __future__ import annotations

from typing import Any

from ginpeer.referee.table import ROLES
from ginpeer.rules.card_order import in_row
from ginpeer.rules.cards import CARDS, mask_of

Document = dict[str, Any]


def told_by_page(told: Document) -> Document:
    """Return the facts in the verifier's *told*."""
    cut = told["cut"]
    return {
        "cut": None if cut is None else {role: _card(cut[at]) for at, role in enumerate(ROLES)},
        "opening": [_event(step) for step in told["opening"]],
        "hands": [_hand(hand) for hand in told["hands"]],
        "closing": [_event(step) for step in told["closing"]],
    }


def facts(document: Document) -> Document:
    """Return the facts in a document of ginpeer.record.steps_document."""
    return {
        "cut": document["cut"],
        "opening": document["opening"],
        "hands": [_facts_of_hand(hand) for hand in document["hands"]],
        "closing": document["closing"],
    }


def _facts_of_hand(hand: Document) -> Document:
    steps = []
    for step in hand["steps"]:
        kept = {key: step[key] for key in ("entry", "share", "author", "kind", "card")}
        position = step["position"]
        kept["position"] = position and {
            **{key: position[key] for key in ("to_move", "knock_limit", "pile", "stock", "table")},
            "phase": position["phase"].replace("first-upcard", "upcard").replace("second-", ""),
            "hands": {
                role: {
                    **{key: held[key] for key in ("count", "cards", "seen", "laid_off")},
                    "degree": held["degree"],
                    **(_laid(held) if _is_laid(position, role, hand) else {}),
                }
                for role, held in position["hands"].items()
            },
        }
        steps.append(kept)
    return {
        "number": hand["number"],
        "dealer": hand["dealer"],
        "steps": steps,
        "knock_card": hand["knock_card"],
    }


def _laid(held: Document) -> Document:
    return {"melds": held["melds"], "loose": sorted(held["loose"])}


def _is_laid(position: Document, role: str, hand: Document) -> bool:
    """Return whether this player has laid down melds and deadwood, outside Mahjong gin."""
    if position["knock_limit"] is None or position["phase"] not in ("over", "lay-off"):
        return False
    if position["phase"] == "lay-off":
        return bool(position["to_move"] != role)
    return hand["result"] is not None and hand["result"]["knocker"] is not None


# --- the page's document ----------------------------------------------------------------------


def _card(number: int | None) -> str | None:
    return None if number is None else str(CARDS[number])


def _cards(numbers: list[int]) -> list[str]:
    return [str(CARDS[number]) for number in numbers]


def _event(step: Document) -> Document:
    return {"entry": step["entry"], "author": ROLES[step["seat"]], "kind": step["kind"]}


def _hand(hand: Document) -> Document:
    positions = [step["position"] for step in hand["steps"] if step["position"]]
    return {
        "number": hand["number"],
        "dealer": ROLES[hand["dealer"]],
        "knock_card": _card(positions[0]["knockCard"]) if positions else None,
        "steps": [_step(step) for step in hand["steps"]],
    }


def _step(step: Document) -> Document:
    position = step["position"]
    return {
        **_event(step),
        "share": step["share"],
        "card": _card(step["card"]),
        "position": position and _position(position),
    }


def _position(position: Document) -> Document:
    to_move = position["toMove"]
    return {
        "phase": position["phase"],
        "to_move": None if to_move is None else ROLES[to_move],
        "knock_limit": position["limit"],
        "pile": _cards(position["pile"]),
        "stock": position["stock"],
        "table": [
            {
                "cards": [
                    str(card) for card in in_row(mask_of(CARDS[each] for each in meld["cards"]))
                ],
                **{role: _cards(meld["by"][at]) for at, role in enumerate(ROLES)},
            }
            for meld in position["table"]
        ],
        "hands": {role: _held(position["hands"][at]) for at, role in enumerate(ROLES)},
    }


def _held(held: Document) -> Document:
    cards = held["cards"]
    known = "disclosed" if held["isDisclosed"] else "public"
    made = {
        "count": held["count"],
        "cards": None if cards is None else _cards(cards),
        "degree": None if cards is None else known,
        "seen": _cards(held["seen"]),
        "laid_off": [{**laid, "card": _card(laid["card"])} for laid in held["laidOff"]],
    }
    if held["melds"] is not None:
        made["melds"] = [_row(meld) for meld in held["melds"]]
        made["loose"] = sorted(_cards(held["loose"]))
    return made


def _row(meld: list[int]) -> list[str]:
    return [str(card) for card in in_row(mask_of(CARDS[each] for each in meld))]
