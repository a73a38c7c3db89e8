"""The rules that entries are judged by (PROTOCOL 8)."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .refusal import require
from .wire import Message

# The parameters of version 1 in their order [8.10]: standard value, numbers, words.
_PARAMETERS: dict[str, tuple[int | str, range, tuple[str, ...]]] = {
    "knock-limit": (10, range(1, 11), ()),
    "swap-limit": (40, range(2, 1001), ()),
    "undercut-bonus": (25, range(1001), ()),
    "tie": ("undercut", range(0), ("undercut", "nobody")),
    "gin-bonus": (25, range(1001), ()),
    "big-gin": (31, range(1001), ("none",)),
    "target": (100, range(1, 10001), ()),
    "game-bonus": (100, range(10001), ()),
    "box": (25, range(1001), ()),
    "shutout": ("double-hands", range(0), ("double-hands", "double-game-bonus", "none")),
}

# The others of RULES.md 9.1, of which version 1 plays the standard value, unsaid.
_FIXED = {
    **{"first-dealer": "lower-cut", "next-dealer": "alternates", "after-void": "same-dealer"},
    **{"opening": "upcard-option", "ace-limit": "gin-only", "spades-double": "no"},
    **{"wall": "void", "misdeal": "no", "runs-wrap": "no", "ace-pips": "1", "mahjong": "no"},
    **{"lead-of-fifty-loses": "no", "columns": "1", "best-of": "1", "multi-match": "none"},
    "stake": "0",
}

Rules = dict[str, Any]  # by parameter: a number or a word


def parse_rules(text: str) -> Rules:
    """The rule set with this canonical text (PROTOCOL 8.10)."""
    rules: Rules = {name: standard for name, (standard, _, _) in _PARAMETERS.items()}
    head, *words = text.split() or [""]
    pairs = [word.partition("=")[::2] for word in words]
    readable = head == "standard" and len(dict(pairs)) == len(pairs)
    for name, word in pairs:
        _, numbers, choices = _PARAMETERS.get(name, ("", (), ()))
        values = {str(value): value for value in [*numbers, *choices]}
        readable = readable and (word in values or _FIXED.get(name) == word)
        if word in values:
            rules[name] = values[word]
    require(readable, "rules-unsupported", convicts=False)
    changed = [
        f"{n}={rules[n]}" for n, (standard, *_) in _PARAMETERS.items() if rules[n] != standard
    ]
    require(text == " ".join(["standard", *changed]), "rules-not-canonical")
    return rules


def rank(card: int) -> int:
    return card % 13


def count(cards: Iterable[int]) -> int:
    """The points of cards outside melds (PROTOCOL 8.1)."""
    return sum(min(rank(card) + 1, 10) for card in cards)


def is_meld(cards: Sequence[int]) -> bool:
    """Are these different cards a set or a run (PROTOCOL 8.1)?"""
    if len(cards) < 3 or len({rank(card) for card in cards}) == 1:
        return len(cards) >= 3
    one_suit = len({card // 13 for card in cards}) == 1
    return one_suit and max(cards) - min(cards) == len(cards) - 1


class Laid(NamedTuple):
    """The knocker's hand on the table."""

    melds: list[list[int]]
    deadwood: int
    is_big: bool


class Known(NamedTuple):
    """What everybody has seen of a player's cards [8.3]."""

    elsewhere: set[int]
    taken: set[int]


def _loose_cards(m: Message, number: int, other: Sequence[int]) -> list[int]:
    """Of so many cards laid open, those that are in no meld and not among `other`."""
    cards, melds = list(m["cards"]), m["melds"]
    used = [card for meld in melds for card in meld] + list(other)
    require(len(cards) == len(set(cards)) == number, "wrong-hand")
    require(len(used) == len(set(used)), "card-used-twice")
    require(set(used) <= set(cards), "card-not-held")
    require(all(melds) and len(melds) <= 10, "unreadable-move")
    return [card for card in cards if card not in used]


def _check_shown(m: Message, known: Known) -> None:
    """True melds, and no card that was seen elsewhere or is held back (PROTOCOL 8.3)."""
    require(all(map(is_meld, m["melds"])), "not-a-meld")
    require(not known.elsewhere & set(m["cards"]), "card-not-held")
    require(known.taken <= set(m["cards"]), "card-missing")


def knock(rules: Rules, m: Message, known: Known, just_taken: int | None) -> Laid:
    """The knocker's hand (PROTOCOL 8.5)."""
    thrown = m["discard"]
    loose = _loose_cards(m, 11, [] if thrown is None else [thrown])
    if thrown is None:
        require(rules["big-gin"] != "none", "no-big-gin")
        require(not loose, "no-discard")
    _check_shown(m, known)
    require(thrown is None or thrown != just_taken, "just-taken")
    require(count(loose) <= rules["knock-limit"], "knock-over-limit")
    return Laid([list(meld) for meld in m["melds"]], count(loose), thrown is None)


def spread(m: Message, known: Known, knocker: Laid) -> int:
    """The defender's deadwood (PROTOCOL 8.6)."""
    loose = _loose_cards(m, 10, [layoff["card"] for layoff in m["layoffs"]])
    _check_shown(m, known)
    require(not m["layoffs"] or knocker.deadwood > 0, "layoff-on-gin")
    melds = [list(meld) for meld in knocker.melds]
    for layoff in m["layoffs"]:
        index = layoff["meld"]
        require(index < len(melds), "layoff-does-not-fit")
        melds[index].append(layoff["card"])
        require(is_meld(melds[index]), "layoff-does-not-fit")
    return count(loose)


def score(rules: Rules, knocker: Laid, defence: int) -> tuple[bool | None, int]:
    """Did the knocker win the hand (None: nobody), and how many points (PROTOCOL 8.7)?"""
    if knocker.deadwood == 0:
        return True, rules["big-gin" if knocker.is_big else "gin-bonus"] + defence
    if knocker.deadwood < defence:
        return True, defence - knocker.deadwood
    if knocker.deadwood == defence and rules["tie"] == "nobody":
        return None, 0
    return False, rules["undercut-bonus"] + knocker.deadwood - defence


def totals(
    rules: Rules, points: Sequence[int], hands_won: Sequence[int], winner: int, resigned: bool
) -> list[int]:
    """What the match counts for each seat (PROTOCOL 8.9)."""
    result = [points[seat] + rules["box"] * hands_won[seat] for seat in (0, 1)]
    result[winner] += rules["game-bonus"]
    loser = 1 - winner
    if not resigned and rules["shutout"] == "double-hands" and hands_won[loser] == 0:
        result[winner] += points[winner]
    if not resigned and rules["shutout"] == "double-game-bonus" and points[loser] == 0:
        result[winner] += rules["game-bonus"]
    return result
