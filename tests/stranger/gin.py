"""The rules of a hand (PROTOCOL 8.1 to 8.7, 8.11)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .refusal import require
from .rule_text import Rules
from .wire import Message

SPADES = 3


def rank(card: int) -> int:
    return card % 13


def count(rules: Rules, cards: Iterable[int]) -> int:
    """The points of cards outside melds (PROTOCOL 8.1)."""
    return sum(min(rank(c) + 1, 10) if rank(c) else int(rules["ace-pips"]) for c in cards)


def is_meld(rules: Rules, cards: Sequence[int]) -> bool:
    """Are these different cards a set or a run (PROTOCOL 8.1)?"""
    ranks = {rank(card) for card in cards}
    if len(cards) < 3 or len(ranks) == 1:
        return len(cards) >= 3
    if len({card // 13 for card in cards}) > 1:
        return False
    if rules["runs-wrap"] == "yes":  # going round, at most one card is not followed by its next
        return sum((r + 1) % 13 not in ranks for r in ranks) <= 1
    return max(ranks) - min(ranks) == len(cards) - 1


def limit(rules: Rules, card: int | None) -> int:
    """What deadwood may knock, where this card is the one that sets it, if one does (8.5)."""
    fixed = rules["knock-limit"]
    if isinstance(fixed, int) or card is None:
        return int(fixed)
    if rank(card) == 0:
        return int(rules["ace-limit"] == "one")
    return min(rank(card) + 1, 10)


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
    require(all(melds) and len(melds) <= 10 and len(other) <= 10, "unreadable-move")
    return [card for card in cards if card not in used]


def _check_shown(rules: Rules, m: Message, known: Known) -> None:
    """True melds, and no card that was seen elsewhere or is held back (PROTOCOL 8.3)."""
    require(all(is_meld(rules, meld) for meld in m["melds"]), "not-a-meld")
    require(not known.elsewhere & set(m["cards"]), "card-not-held")
    require(known.taken <= set(m["cards"]), "card-missing")


def _put_on(
    rules: Rules, melds: Sequence[list[int]], additions: Sequence[Message], code: str
) -> None:
    """Each card goes on the meld with that index as it then stands, where it fits."""
    for addition in additions:
        index = addition["meld"]
        require(index < len(melds), code)
        melds[index].append(addition["card"])
        require(is_meld(rules, melds[index]), code)


def knock(
    rules: Rules,
    m: Message,
    number: int,
    known: Known,
    just_taken: int | None,
    limit_card: int | None,
) -> Laid:
    """The knocker's hand of so many cards (PROTOCOL 8.5)."""
    thrown = m["discard"]
    loose = _loose_cards(m, number, [] if thrown is None else [thrown])
    require(rules["mahjong"] == "no", "no-knocking")
    if thrown is None:
        require(rules["big-gin"] != "none", "no-big-gin")
        require(not loose, "no-discard")
    _check_shown(rules, m, known)
    require(thrown is None or thrown != just_taken, "just-taken")
    deadwood = count(rules, loose)
    require(deadwood <= limit(rules, limit_card), "knock-over-limit")
    return Laid([list(meld) for meld in m["melds"]], deadwood, thrown is None)


def spread(rules: Rules, m: Message, known: Known, knocker: Laid) -> int:
    """The defender's deadwood (PROTOCOL 8.6)."""
    loose = _loose_cards(m, 10, [layoff["card"] for layoff in m["layoffs"]])
    _check_shown(rules, m, known)
    require(not m["layoffs"] or knocker.deadwood > 0, "layoff-on-gin")
    _put_on(rules, [list(meld) for meld in knocker.melds], m["layoffs"], "layoff-does-not-fit")
    return count(rules, loose)


def doubles(rules: Rules, card: int | None) -> bool:
    """Does this card, which sets the limit or was turned up, count the hand twice (8.7, 8.11)?"""
    return rules["spades-double"] == "yes" and card is not None and card // 13 == SPADES


def score(
    rules: Rules, knocker: Laid, defence: int, doubling_card: int | None
) -> tuple[bool | None, int]:
    """Did the knocker win the hand (None: nobody), and how many points (PROTOCOL 8.7)?"""
    if knocker.deadwood == 0:
        won, points = True, rules["big-gin" if knocker.is_big else "gin-bonus"] + defence
    elif knocker.deadwood < defence:
        won, points = True, defence - knocker.deadwood
    elif knocker.deadwood == defence and rules["tie"] == "nobody":
        return None, 0
    elif knocker.deadwood == defence and rules["tie"] == "no-bonus":
        won, points = False, 0
    else:
        won, points = False, rules["undercut-bonus"] + knocker.deadwood - defence
    return won, points * 2 if doubles(rules, doubling_card) else points


# ---------------------------------------------------------------- Mahjong gin (PROTOCOL 8.11)


def check_named(m: Message) -> None:
    """The melds and single cards of a lay are its cards."""
    named = [card for meld in m["melds"] for card in meld] + [add["card"] for add in m["adds"]]
    require(len(named) == len(set(named)), "card-used-twice")
    require(sorted(named) == sorted(m["cards"]), "wrong-cards")
    require(all(m["melds"]) and len(m["melds"]) <= 17, "unreadable-move")


def lay(rules: Rules, m: Message, known: Known, table: list[list[int]]) -> None:
    """Put melds and single cards on the table."""
    require(not known.elsewhere & set(m["cards"]), "card-not-held")
    require(all(is_meld(rules, meld) for meld in m["melds"]), "not-a-meld")
    table += [list(meld) for meld in m["melds"]]
    _put_on(rules, table, m["adds"], "add-does-not-fit")


def show(rules: Rules, m: Message, number: int, known: Known) -> None:
    """The cards that are left when the other has none."""
    _loose_cards(m, number, [layoff["card"] for layoff in m["layoffs"]])
    require(not m["melds"] and not m["layoffs"], "too-late")
    _check_shown(rules, m, known)


def mahjong_points(cards: Iterable[int]) -> int:
    return sum(15 if rank(card) == 0 else 5 if rank(card) < 9 else 10 for card in cards)
