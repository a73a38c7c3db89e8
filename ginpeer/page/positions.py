"""Encode the position after every step in few bytes, for page.js to draw the table.

Each step with text is an object that has only what differs from the previous step of the same hand
(the first has everything):

    a  the actor: 0 the host, 1 the guest
    c  the card that it moves, and d: 1 if that was drawn from the stock
    x, y  the hands of host and guest: "melds|loose|count", melds separated by dots, each followed
       by + and the cards that the opponent has laid off on it; "?count|seen" if it is unknown
    p  the pile: how many cards go from its top, then those that come
    o  who has laid the hand open: 1 the host, 2 the guest, 3 both
    s  the stock; l: the knock limit; t: whose turn it is, -1 when the hand is over
    m  in Mahjong gin the melds on the table, each followed by a colon and h, g or b for both

A card is one letter, A to Z and a to z, in the order of ginpeer.rules: clubs, diamonds, hearts,
spades, each from the ace.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from string import ascii_letters, ascii_uppercase
from typing import Any

from ginpeer.referee.table import ROLES
from ginpeer.rules.cards import parse_card

_LETTERS = ascii_uppercase + ascii_letters[:26]


def step_positions(hand: dict[str, Any], told: Collection[int]) -> list[dict[str, Any]]:
    """Return the steps of a hand of ginpeer.record.steps_document whose entries are in *told*."""
    found: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    pile = ""
    for step in hand["steps"]:
        if step["entry"] not in told:
            continue
        made: dict[str, Any] = {"a": ROLES.index(step["author"])}
        if step["card"] is not None:
            made["c"] = letters([step["card"]])
        if step["share"] is not None:
            made["d"] = 1
        if step["position"] is not None:
            whole = _whole(step["position"], hand["result"])
            now = whole.pop("p")
            made |= {key: value for key, value in whole.items() if last.get(key, "") != value}
            if now != pile:
                made["p"] = _change(pile, now)
            last, pile = whole, now
        found.append(made)
    return found


def letters(cards: Sequence[str]) -> str:
    """Return cards as the page writes them."""
    return "".join(_LETTERS[parse_card(card)] for card in cards)


def _whole(position: dict[str, Any], result: dict[str, Any] | None) -> dict[str, Any]:
    host, guest = (position["hands"][role] for role in ROLES)
    turn = position["to_move"]
    return {
        "x": _hand(host, guest),
        "y": _hand(guest, host),
        "p": letters(position["pile"]),
        "s": position["stock"],
        "l": position["knock_limit"],
        "t": -1 if turn is None else ROLES.index(turn),
        "m": ".".join(map(_table_meld, position["table"])),
        "o": _open(position, result),
    }


def _open(position: dict[str, Any], result: dict[str, Any] | None) -> int:
    if position["phase"] == "over":
        return 0 if result is None or result["knocker"] is None else 3
    if position["phase"] == "lay-off":
        return 1 if position["to_move"] == "guest" else 2
    return 0


def _hand(held: dict[str, Any], other: dict[str, Any]) -> str:
    if held["melds"] is None:
        return f"?{held['count']}|{letters(held['seen'])}"
    melds = [letters(meld) for meld in held["melds"]]
    for at in range(len(melds)):
        added = [laid["card"] for laid in other["laid_off"] if laid["meld"] == at]
        melds[at] += f"+{letters(added)}" if added else ""
    return f"{'.'.join(melds)}|{letters(held['loose'])}|{held['deadwood']}"


def _table_meld(meld: dict[str, Any]) -> str:
    whose = "b" if meld["host"] and meld["guest"] else "h" if meld["host"] else "g"
    return f"{letters(meld['cards'])}:{whose}"


def _change(before: str, after: str) -> str:
    """Return how many cards go from the top, and which come."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    return f"{len(before) - same}{after[same:]}"
