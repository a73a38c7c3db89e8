"""What follows knock, spread, lay and take: the card, and the parts that are named behind it.

# A part begins with its word (melds, layoff, add, deadwood) and ends with the next one. None is
# named twice. A part that was not named is None; one that was named as none is empty.
"""

from __future__ import annotations

import re

from cli.table.command import Adds, End, Groups, LayDown, Order, Place, PutDown, SortBy, Take
from cli.table.parse_cards import (
    cards_or_none,
    is_card,
    mask_once,
    read_card,
    read_cards,
    scan_card,
)
from cli.text.cards import Sort
from ginpeer.rules.cards import Card, CardSet, Unreadable

LAY_WORDS = ("lay", "meld", "melds", "add")
"""The words that put cards on the table, alone or behind take."""

_NO = ("none", "nothing", "no")
_PART_WORDS = {
    "add": "add",
    "meld": "melds",
    "melds": "melds",
    "layoff": "layoff",
    "layoffs": "layoff",
    "lay-off": "layoff",
    "deadwood": "deadwood",
    "dead": "deadwood",
}
_COUNT = re.compile(r"([0-9]{1,2})(?: cards?| discards?)?", re.ASCII)
_ON_MELD = re.compile(r"@|\b(?:on|to)\b")
_BETWEEN = re.compile(r"[\s,;+&]+|and\b")
_ON = re.compile(r"(?:on|to)\s*(?:meld\s*)?#?([1-9][0-9]?)\b", re.ASCII)
_AT = re.compile(r"@\s*([0-9]|[1-9][0-9])\b", re.ASCII)


_PLACE = re.compile(
    r"(?P<card>.+?)\s+(?:to\s+)?(?:(?P<first>first|front|start|beginning)|(?P<last>last|end)"
    r"|(?P<before>before)\s+(?P<next>.+)|(?:after|behind)\s+(?P<previous>.+))"
)


def read_sort(rest: str) -> SortBy:
    """What follows sort: a kind, or nothing for melds. Raises Unreadable."""
    sort = _kind(rest)
    if sort is None:
        raise Unreadable("unclear", "Sort by what? Type: sort melds, sort suit, or sort rank.")
    return SortBy(sort)


def read_order(rest: str) -> Order | SortBy:
    """What follows order: cards, or a kind. Raises Unreadable."""
    sort = _kind(rest) if rest else None
    if sort is not None:
        return SortBy(sort)
    if not rest:
        sentence = "Name cards in the order that you want, as in: order 4h 5h kd."
        raise Unreadable("no-card", f"{sentence} sort goes back to melds and deadwood.")
    cards = read_cards(rest)
    for at, card in enumerate(cards):
        if card in cards[:at]:
            raise Unreadable("repeated-card", f"{card} is named twice; nothing was moved.")
    return Order(tuple(cards))


def read_place(rest: str) -> Place:
    """What follows move: a card and where it goes. Raises Unreadable."""
    found = _PLACE.fullmatch(rest)
    if found is None:
        sentence = "Type move kd first, move kd last, or move kd after 5h. To throw it, type kd."
        raise Unreadable("unclear", sentence)
    card = read_card(found["card"])
    if found["first"] or found["last"]:
        return Place(card, before=bool(found["first"]))
    beside = read_card(found["next"] or found["previous"])
    if beside == card:
        raise Unreadable("repeated-card", f"{card} is named twice; nothing was moved.")
    return Place(card, bool(found["before"]), beside)


def _kind(rest: str) -> Sort | None:
    by = rest.removeprefix("by ").strip()
    kinds = (sort for sort in Sort if sort.value.startswith(by) or by == f"{sort.value}s")
    return next(kinds, None)


def read_end(word: str, rest: str) -> End:
    """What follows knock, gin or big gin, which is the *word*. Raises Unreadable."""
    head, parts = _parts(rest, ("melds", "deadwood"))
    choice: int | None = None
    numbered = re.fullmatch(r"(.*\S)\s+([1-9][0-9]?)", head, re.ASCII)
    if numbered is not None and is_card(numbered[1]):
        head, choice = numbered[1], int(numbered[2])
    card = read_card(head) if head else None
    if word == "big gin" and card is not None:
        raise Unreadable("unclear", "Big gin keeps all eleven cards; no card is thrown.")
    return End(word, card, _melds(parts), _deadwood(parts), choice)


def read_lay_down(rest: str) -> LayDown:
    """What follows spread. Raises Unreadable."""
    head, parts = _parts(rest, ("melds", "layoff", "deadwood"))
    if head:
        raise Unreadable(
            "unclear",
            "Type spread alone for the best way, or say: spread melds 3c4c5c layoff 6c on 1.",
        )
    return LayDown(_melds(parts), _layoffs(parts), _deadwood(parts))


def read_take(rest: str) -> Take:
    """ "3 lay 8s9sTs", "3 add 5h on 2", "5h": how far down the pile, and what is laid of it. Raises
    Unreadable."""
    if rest in ("", "upcard", "discard"):
        return Take()
    words = rest.split()
    at = next((at for at, word in enumerate(words) if word in LAY_WORDS), len(words))
    head, tail = " ".join(words[:at]), words[at:]
    lay = read_put_down(tail[0], " ".join(tail[1:])) if tail else None
    if head in ("several", "several cards"):
        raise Unreadable("unclear", "Say how many cards to take, as in: take 3.")
    counted = _COUNT.fullmatch(head)
    if counted is None:
        return Take(card=None if head in ("", "upcard") else read_card(head), lay=lay)
    if not int(counted[1]):
        raise Unreadable("unclear", "Take at least one card, or draw.")
    return Take(count=int(counted[1]), lay=lay)


def read_put_down(word: str, rest: str) -> PutDown:
    """What follows lay, meld or add, which is the *word*. Raises Unreadable."""
    if word == "add":
        return PutDown(None, _adds(rest))
    head, parts = _parts(rest, ("melds", "add"))
    if head and "melds" in parts:
        raise Unreadable("unclear", "Write it as in: lay 3c4c5c 7c7h7s add 6d on 2.")
    adds = _adds(parts["add"]) if "add" in parts else None
    if "melds" in parts:
        return PutDown(_melds(parts), adds)
    if not head:
        return PutDown(None, adds)
    if word == "lay" and adds is None and (_ON_MELD.search(head) or len(read_cards(head)) < 3):
        return PutDown(None, _adds(head))  # "lay 6d on 2"
    return PutDown(_melds({"melds": head}), adds)


def _parts(text: str, allowed: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """Split "7d melds ... deadwood ..." into what comes first and the named parts."""
    head: list[str] = []
    parts: dict[str, list[str]] = {}
    into = head
    words = text.replace("lay off", "layoff").split()
    for at, word in enumerate(words):
        name = _PART_WORDS.get(word)
        if word == "meld" and at and words[at - 1] in ("on", "to"):
            name = None  # "6c on meld 1"
        if name is None:
            into.append(word)
            continue
        if name not in allowed or name in parts:
            raise Unreadable("unclear", f"{word} is not expected there; nothing was done.")
        into = parts[name] = []
    return " ".join(head), {name: " ".join(words) for name, words in parts.items()}


def _melds(parts: dict[str, str]) -> Groups | None:
    """The groups as commas part them; without commas, as blanks do, if no word is a card alone."""
    if "melds" not in parts:
        return None
    text = parts["melds"]
    if text in _NO:
        return ()
    if not text:
        raise Unreadable("no-card", "Say which cards are melds, or melds none.")
    groups = [read_cards(group) for group in re.split(r"[,;/|+&]|\band\b", text) if group.strip()]
    words = [cards_or_none(word) for word in text.split()]
    if len(groups) == 1 and all(word is not None and len(word) >= 3 for word in words):
        groups = [word for word in words if word is not None]  # "3c4c5c 7c7h7s"
    for group in groups:
        mask_once(group)
    return tuple(map(tuple, groups))


def _adds(text: str) -> Adds:
    if not text:
        raise Unreadable("no-card", "Say which card to add, as in: add 6c on 1.")
    return _layoffs({"layoff": text}) or ()


def _layoffs(parts: dict[str, str]) -> Adds | None:
    """ "6c on 1, 7c@0": ``on`` counts the knocker's melds from 1 as the screen does and serves
    all cards before it, ``@`` counts from 0 as a move's text does and serves its card."""
    if "layoff" not in parts:
        return None
    text = parts["layoff"]
    if text in _NO:
        return ()
    found: list[tuple[Card, int | None]] = []
    waiting = 0  # from here on the cards have no meld yet
    position = 0
    while position < len(text):
        if separator := _BETWEEN.match(text, position):
            position = separator.end()
        elif on := _ON.match(text, position):
            meld = int(on[1]) - 1
            found[waiting:] = [(card, meld if at is None else at) for card, at in found[waiting:]]
            waiting, position = len(found), on.end()
        elif (at := _AT.match(text, position)) and found:
            found[-1] = (found[-1][0], int(at[1]))
            position = at.end()
        else:
            card, position = scan_card(text, position)
            found.append((card, None))
    if not found:
        raise Unreadable("no-card", "Say which card to lay off, as in: spread layoff 6c on 1.")
    return tuple(found)


def _deadwood(parts: dict[str, str]) -> CardSet | None:
    if "deadwood" not in parts:
        return None
    text = parts["deadwood"]
    return 0 if text in _NO else mask_once(read_cards(text))
