"""Values that can't be played together, and what to write instead (RULES 9.2).

A value without effect is as wrong as an impossible one: two players who sign "straight
undercut-bonus=10" believe that somebody can be undercut. So if the other values leave a value
without effect, it is refused, and each refusal says how to correct it. Some contradictions depend
on how many points a hand can bring; those bounds come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from ginpeer.rules.cards import Illegal
from ginpeer.rules.parameters import (
    DEFAULTS,
    FATAL_LEAD,
    AceLimit,
    KnockLimit,
    NextDealer,
    Opening,
    Parameters,
    Shutout,
    Tie,
)

# --- how much a hand can bring ----------------------------------------------------------


def least_win(rules: Parameters) -> int:
    """Return the fewest points that a won hand can bring."""
    if rules.mahjong:
        return 50 + rules.gin_bonus  # ten cards laid, each worth at least five
    gin = [rules.gin_bonus] if rules.big_gin is None else [rules.gin_bonus, rules.big_gin]
    if rules.knock_limit == 0:
        return min(gin)
    undercut = [rules.undercut_bonus] if rules.tie is Tie.UNDERCUT else []
    if rules.tie not in (Tie.UNDERCUT, Tie.NOBODY):  # a tie has a winner, but brings nothing
        undercut = [0]
    return min(1, *gin, *undercut)


def most_points(rules: Parameters) -> int:
    """Return the most points that one hand can bring a player."""
    factor = 2 if rules.spades_double else 1
    if rules.mahjong:
        return factor * (380 + rules.gin_bonus)  # the whole deck melded
    # Nobody has to meld, so these are the ten costliest cards, with up to four aces of 15.
    deadwood = 120 if rules.ace_pips == 15 else 100
    wins = [rules.gin_bonus + deadwood, (rules.big_gin or 0) + deadwood]
    if rules.knock_limit != 0:
        limit = 10 if isinstance(rules.knock_limit, KnockLimit) else rules.knock_limit
        wins.append(rules.undercut_bonus + limit)
    return factor * max(wins)


def first_game(rules: Parameters) -> int:
    """Return a number of points that the first game of a match credits to at least one player
    (RULES 13.3).

    Its winner has the target, the game bonus, and boxes for at least as many hands as that takes.
    In Mahjong gin boxes don't count here: a player can reach the target without having won a hand.
    """
    target = rules.target or 0
    points = target + rules.game_bonus + _boxes(rules, target)
    if rules.lead_of_fifty_loses:
        ahead = max(target, FATAL_LEAD)
        behind = ahead - FATAL_LEAD
        loses = ahead + _boxes(rules, ahead)
        wins = behind + rules.game_bonus + _boxes(rules, behind)
        points = min(points, max(loses, wins))
    # One of the players has won two of the three columns.
    return 2 * points if rules.columns > 1 else points


def _boxes(rules: Parameters, points: int) -> int:
    """Return the fewest box points that a player with these points from hands can have."""
    return 0 if rules.mahjong else rules.box * -(-points // most_points(rules))


# --- the contradictions -----------------------------------------------------------------


class Contradiction(NamedTuple):
    """Two parameters that can't both have their values, the reason, and values that correct it.

    Changing either parameter removes the contradiction.
    """

    one: str
    other: str
    why: str
    instead: Mapping[str, Any]


def _card_limit(rules: Parameters) -> bool:
    return isinstance(rules.knock_limit, KnockLimit)


def _fives(rules: Parameters, *more: int) -> bool:
    """Return whether all points, and these numbers, are multiples of five."""
    return rules.mahjong and not any(each % 5 for each in (rules.gin_bonus, *more))


def _in_fives(number: int) -> int:
    return -(-number // 5) * 5


def _first_win_ends(rules: Parameters) -> bool:
    """Return whether winning a hand always wins a column. (In Mahjong gin the players can have
    equal points, which decides nothing.)"""
    if rules.mahjong:
        return False
    return rules.hands == 1 or (rules.target is not None and rules.target <= least_win(rules))


def _one_win_is_all(rules: Parameters) -> bool:
    """Return whether the deal never depends on the winner: the match ends with the first hand
    that is won, and no other hand passes the deal on."""
    alone = rules.columns == 1 and rules.best_of == 1 and rules.multi_match is None
    ties = rules.knock_limit != 0 and rules.tie is Tie.NOBODY
    return alone and _first_win_ends(rules) and not ties


def _longer_game(rules: Parameters) -> Mapping[str, Any]:
    longer = least_win(rules) + 1
    return {"target": _in_fives(longer) if _fives(rules) else longer}


def _higher_multi_match(rules: Parameters) -> Mapping[str, Any]:
    more = max(500, first_game(rules) + 1)
    if _fives(rules, rules.game_bonus, rules.box):
        more = _in_fives(more)
    return {"multi_match": more if more <= 100_000 else None}


def _reset(one: str, other: str, why: str, name: str | None = None) -> Contradiction:
    """Return a contradiction that the standard value of *name* corrects, or else that of *one*."""
    name = name or one
    return Contradiction(one, other, why, {name: DEFAULTS[name]})


def _in_a_hand(r: Parameters) -> Iterator[Contradiction]:
    if r.mahjong and r.knock_limit != 0:
        why = "in Mahjong gin nobody knocks; it needs knock-limit=0"
        yield Contradiction("mahjong", "knock_limit", why, {"knock_limit": 0})
    if r.mahjong and r.big_gin is not None:
        why = "Mahjong gin has only one way to go gin; it needs big-gin=none"
        yield Contradiction("mahjong", "big_gin", why, {"big_gin": None})
    if r.mahjong and r.undercut_bonus != DEFAULTS["undercut_bonus"]:
        why = "in Mahjong gin nobody knocks, so nobody is undercut"
        yield _reset("mahjong", "undercut_bonus", why, "undercut_bonus")
    if r.mahjong and r.tie is not DEFAULTS["tie"]:
        yield _reset("mahjong", "tie", "in Mahjong gin nobody knocks, so nobody can tie", "tie")
    if r.mahjong and r.ace_pips != 1:
        why = "in Mahjong gin the cards have their own values"
        yield _reset("mahjong", "ace_pips", why, "ace_pips")
    if r.ace_limit is not AceLimit.GIN_ONLY and not _card_limit(r):
        yield _reset("ace_limit", "knock_limit", "no card sets the knock limit, so no ace can")
    if r.ace_limit is AceLimit.ONE and r.ace_pips == 15:
        yield _reset("ace_limit", "ace_pips", "when an ace counts 15, no deadwood counts 1")
    if r.knock_limit == 1 and r.ace_pips == 15:
        why = "when an ace counts 15, no deadwood counts 1, so only gin could end the hand"
        yield Contradiction("knock_limit", "ace_pips", why, {"knock_limit": 0})
    if r.knock_limit == 0 and r.undercut_bonus != DEFAULTS["undercut_bonus"]:
        yield _reset("undercut_bonus", "knock_limit", "only gin ends a hand, so nobody is undercut")
    if r.knock_limit == 0 and r.tie is not DEFAULTS["tie"]:
        yield _reset("tie", "knock_limit", "only gin ends a hand, so nobody can tie")
    if r.undercut_bonus == 0 and r.tie not in (Tie.UNDERCUT, Tie.NOBODY):
        yield _reset("tie", "undercut_bonus", "an undercut earns no bonus, tie or not")
    if r.opening is Opening.EITHER_PILE and r.knock_limit is KnockLimit.SECOND_DECK:
        why = "with a second deck there is no upcard, and the first card comes from the stock"
        yield _reset("opening", "knock_limit", why)


def _in_the_end(r: Parameters) -> Iterator[Contradiction]:
    if r.hands is None and r.target is None:
        yield _reset("hands", "target", "the match would never end", "target")
    if r.hands is not None and r.best_of > 1:
        yield _reset(
            "hands", "best_of", "a match with a number of hands is a single game", "best_of"
        )
    if r.hands is not None and r.multi_match is not None:
        yield _reset(
            "hands",
            "multi_match",
            "a match with a number of hands is a single game",
            "multi_match",
        )
    if r.hands == 1 and r.columns > 1:
        yield _reset("hands", "columns", "one hand fills only one column", "columns")
    if r.hands is not None and r.target is None and r.columns > 1:
        why = "a column needs a target to end at"
        yield _reset("hands", "columns", why, "target")
    if r.hands is not None and r.target is not None and (r.hands - 1) * most_points(r) < r.target:
        why = "nobody can have that many points before the last hand"
        yield Contradiction("hands", "target", why, {"target": None})
    if r.hands == 1 and r.next_dealer is not NextDealer.ALTERNATES:
        yield _reset("hands", "next_dealer", "nobody deals again after one hand", "next_dealer")
    if r.hands == 1 and r.after_void is not DEFAULTS["after_void"]:
        yield _reset("hands", "after_void", "nobody deals again after one hand", "after_void")
    if r.best_of > 1 and r.multi_match is not None:
        why = "both combine games, and a match can use only one of them"
        yield _reset("best_of", "multi_match", why, "multi_match")


def _in_points(r: Parameters) -> Iterator[Contradiction]:
    if r.target is not None and 1 < r.target <= least_win(r):
        why = (
            "every hand that is won scores at least that much, so the first one decides, as with "
            "target=1"
        )
        yield Contradiction("target", "gin_bonus", why, {"target": 1})
    if r.target is not None and r.target > 1 and _fives(r) and r.target % 5:
        why = "in Mahjong gin the points come in fives"
        yield Contradiction("target", "mahjong", why, {"target": _in_fives(r.target)})
    if r.multi_match is not None and r.target is not None and r.target <= least_win(r):
        why = "every game would end with the first hand that is won"
        yield Contradiction("multi_match", "target", why, _longer_game(r))
    if r.multi_match is not None and r.multi_match <= first_game(r):
        why = "the first game alone always earns enough points for the match"
        yield Contradiction("multi_match", "target", why, _higher_multi_match(r))
    if r.multi_match is not None and _fives(r, r.game_bonus, r.box) and r.multi_match % 5:
        why = "in Mahjong gin the points come in fives"
        yield Contradiction(
            "multi_match", "mahjong", why, {"multi_match": _in_fives(r.multi_match)}
        )
    if r.next_dealer is not NextDealer.ALTERNATES and _one_win_is_all(r):
        yield _reset("next_dealer", "target", "the match ends with the first hand that is won")
    if r.lead_of_fifty_loses and _first_win_ends(r) and least_win(r) > FATAL_LEAD:
        why = "the first hand that is won decides, always by more than 50 points"
        yield _reset("lead_of_fifty_loses", "gin_bonus", why)
    if r.shutout is Shutout.DOUBLE_GAME_BONUS and r.game_bonus == 0:
        why = "there is no game bonus to double"
        yield Contradiction("shutout", "game_bonus", why, {"shutout": Shutout.NONE})


def contradictions_in(rules: Parameters) -> Iterator[Contradiction]:
    """Yield every contradiction between these values, which are all in range."""
    yield from _in_a_hand(rules)
    yield from _in_the_end(rules)
    yield from _in_points(rules)


P = TypeVar("P", bound=Parameters)


def refuse_contradiction(rules: Parameters) -> None:
    """Raise Illegal for the first contradiction between these values, which are all in range."""
    found = next(contradictions_in(rules), None)
    if found is not None:
        raise Illegal(
            "rules-contradict",
            f"{rules.word(found.one)} and {rules.word(found.other)} contradict each other: "
            f"{found.why}. Write instead: {corrected(rules)}.",
            "9.2",
        )


_MOST_CHANGES = 64  # more than there are contradictions: a change can reveal another one


def corrected(rules: P) -> P:
    """Return these rules without contradictions and without rules that this version can't play."""
    rules = replace(rules, misdeal=False)
    for _ in range(_MOST_CHANGES):
        clash = next(contradictions_in(rules), None)
        if clash is None:
            break
        rules = replace(rules, **clash.instead)
    return rules
