"""Values that can't be played together, and what to write instead (RULES 9.2).

A parameter without effect is as wrong as an impossible one: two players who sign "straight
undercut-bonus=10" believe that somebody can be undercut. So a value that the others leave without
effect is refused, and each refusal says what would correct it. Some depend on how many points a
hand can bring; those bounds come first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """Return the fewest points of a hand that somebody has won."""
    if rules.mahjong:
        return 50 + rules.gin_bonus  # ten cards laid, at five or more each
    gin = [rules.gin_bonus] if rules.big_gin is None else [rules.gin_bonus, rules.big_gin]
    if rules.knock_limit == 0:
        return min(gin)
    undercut = [rules.undercut_bonus] if rules.tie is Tie.UNDERCUT else []
    if rules.tie not in (Tie.UNDERCUT, Tie.NOBODY):  # a tie is won, and brings nothing
        undercut = [0]
    return min(1, *gin, *undercut)


def most_points(rules: Parameters) -> int:
    """Return the most points that one hand can bring a player."""
    factor = 2 if rules.spades_double else 1
    if rules.mahjong:
        return factor * (380 + rules.gin_bonus)  # the whole deck laid
    # Nobody has to meld: ten cards of the dearest, and up to four aces of 15 among them.
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
    # Of three columns one of the players has won two.
    return 2 * points if rules.columns > 1 else points


def _boxes(rules: Parameters, points: int) -> int:
    """Return the fewest box points that a player with these points from hands can have."""
    return 0 if rules.mahjong else rules.box * -(-points // most_points(rules))


# --- the contradictions -----------------------------------------------------------------


class Contradiction(NamedTuple):
    """Two parameters that can't both have their values, why, and the change that corrects it.

    Each ``clash`` is true of some value of one parameter only because of the other.
    """

    one: str
    other: str
    clash: Callable[[Parameters], bool]
    why: str
    instead: Callable[[Parameters], Mapping[str, Any]]


def _with(**values: Any) -> Callable[[Parameters], Mapping[str, Any]]:
    return lambda rules: values


def _card_limit(rules: Parameters) -> bool:
    """Return whether a card sets the knock limit, hand by hand."""
    return isinstance(rules.knock_limit, KnockLimit)


def _fives(rules: Parameters, *more: int) -> bool:
    """Return whether all points, and these numbers, are multiples of five."""
    return rules.mahjong and not any(each % 5 for each in (rules.gin_bonus, *more))


def _in_fives(number: int) -> int:
    """Return the next multiple of five."""
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


CONTRADICTIONS: tuple[Contradiction, ...] = (
    # What a hand can be
    Contradiction(
        "mahjong",
        "knock_limit",
        lambda r: r.mahjong and r.knock_limit != 0,
        "in Mahjong gin nobody knocks; it needs knock-limit=0",
        _with(knock_limit=0),
    ),
    Contradiction(
        "mahjong",
        "big_gin",
        lambda r: r.mahjong and r.big_gin is not None,
        "in Mahjong gin there is one way to go gin; it needs big-gin=none",
        _with(big_gin=None),
    ),
    Contradiction(
        "mahjong",
        "undercut_bonus",
        lambda r: r.mahjong and r.undercut_bonus != DEFAULTS["undercut_bonus"],
        "in Mahjong gin nobody knocks, so nobody is undercut",
        _with(undercut_bonus=DEFAULTS["undercut_bonus"]),
    ),
    Contradiction(
        "mahjong",
        "tie",
        lambda r: r.mahjong and r.tie is not DEFAULTS["tie"],
        "in Mahjong gin nobody knocks, so no count ties",
        _with(tie=DEFAULTS["tie"]),
    ),
    Contradiction(
        "mahjong",
        "ace_pips",
        lambda r: r.mahjong and r.ace_pips != 1,
        "in Mahjong gin the cards have values of their own",
        _with(ace_pips=1),
    ),
    Contradiction(
        "ace_limit",
        "knock_limit",
        lambda r: r.ace_limit is not AceLimit.GIN_ONLY and not _card_limit(r),
        "no card sets the knock limit, so no ace can",
        _with(ace_limit=AceLimit.GIN_ONLY),
    ),
    Contradiction(
        "ace_limit",
        "ace_pips",
        lambda r: r.ace_limit is AceLimit.ONE and r.ace_pips == 15,
        "where an ace counts 15, no deadwood counts 1",
        _with(ace_limit=AceLimit.GIN_ONLY),
    ),
    Contradiction(
        "knock_limit",
        "ace_pips",
        lambda r: r.knock_limit == 1 and r.ace_pips == 15,
        "where an ace counts 15, no deadwood counts 1, and only gin could end the hand",
        _with(knock_limit=0),
    ),
    Contradiction(
        "undercut_bonus",
        "knock_limit",
        lambda r: r.knock_limit == 0 and r.undercut_bonus != DEFAULTS["undercut_bonus"],
        "only gin ends a hand, so nobody is undercut",
        _with(undercut_bonus=DEFAULTS["undercut_bonus"]),
    ),
    Contradiction(
        "tie",
        "knock_limit",
        lambda r: r.knock_limit == 0 and r.tie is not DEFAULTS["tie"],
        "only gin ends a hand, so no count ties",
        _with(tie=DEFAULTS["tie"]),
    ),
    Contradiction(
        "tie",
        "undercut_bonus",
        lambda r: r.undercut_bonus == 0 and r.tie not in (Tie.UNDERCUT, Tie.NOBODY),
        "an undercut brings no bonus, tie or not",
        _with(tie=Tie.UNDERCUT),
    ),
    Contradiction(
        "opening",
        "knock_limit",
        lambda r: r.opening is Opening.EITHER_PILE and r.knock_limit is KnockLimit.SECOND_DECK,
        "with a second deck no upcard is turned, and the first card comes from the stock",
        _with(opening=Opening.UPCARD_OPTION),
    ),
    # How a match ends
    Contradiction(
        "hands",
        "target",
        lambda r: r.hands is None and r.target is None,
        "the match would never end",
        _with(target=DEFAULTS["target"]),
    ),
    Contradiction(
        "hands",
        "best_of",
        lambda r: r.hands is not None and r.best_of > 1,
        "a match of so many hands is one game",
        _with(best_of=1),
    ),
    Contradiction(
        "hands",
        "multi_match",
        lambda r: r.hands is not None and r.multi_match is not None,
        "a match of so many hands is one game",
        _with(multi_match=None),
    ),
    Contradiction(
        "hands",
        "columns",
        lambda r: r.hands == 1 and r.columns > 1,
        "one hand is entered in one column only",
        _with(columns=1),
    ),
    Contradiction(
        "hands",
        "columns",
        lambda r: r.hands is not None and r.target is None and r.columns > 1,
        "a column ends at a target, which has to be said, too",
        _with(target=DEFAULTS["target"]),
    ),
    Contradiction(
        "hands",
        "target",
        lambda r: (
            r.hands is not None
            and r.target is not None
            and (r.hands - 1) * most_points(r) < r.target
        ),
        "before the last hand nobody can have so many points",
        _with(target=None),
    ),
    Contradiction(
        "hands",
        "next_dealer",
        lambda r: r.hands == 1 and r.next_dealer is not NextDealer.ALTERNATES,
        "after one hand nobody deals again",
        _with(next_dealer=NextDealer.ALTERNATES),
    ),
    Contradiction(
        "hands",
        "after_void",
        lambda r: r.hands == 1 and r.after_void is not DEFAULTS["after_void"],
        "after one hand nobody deals again",
        _with(after_void=DEFAULTS["after_void"]),
    ),
    Contradiction(
        "best_of",
        "multi_match",
        lambda r: r.best_of > 1 and r.multi_match is not None,
        "they are two ways to join games, and a match has one",
        _with(multi_match=None),
    ),
    # What the points cannot reach, or always do
    Contradiction(
        "target",
        "gin_bonus",
        lambda r: r.target is not None and 1 < r.target <= least_win(r),
        "no hand is won with fewer points, so the first one decides, as by target=1",
        _with(target=1),
    ),
    Contradiction(
        "target",
        "mahjong",
        lambda r: r.target is not None and r.target > 1 and _fives(r) and r.target % 5 > 0,
        "in Mahjong gin the points come in fives",
        lambda r: {"target": _in_fives(r.target or 0)},
    ),
    Contradiction(
        "multi_match",
        "target",
        lambda r: r.multi_match is not None and r.target is not None and r.target <= least_win(r),
        "no game would be longer than the first hand that is won",
        _longer_game,
    ),
    Contradiction(
        "multi_match",
        "target",
        lambda r: r.multi_match is not None and r.multi_match <= first_game(r),
        "the first game alone always brings the points of the whole match",
        _higher_multi_match,
    ),
    Contradiction(
        "multi_match",
        "mahjong",
        lambda r: (
            r.multi_match is not None and _fives(r, r.game_bonus, r.box) and r.multi_match % 5 > 0
        ),
        "in Mahjong gin the points come in fives",
        lambda r: {"multi_match": _in_fives(r.multi_match or 0)},
    ),
    Contradiction(
        "next_dealer",
        "target",
        lambda r: r.next_dealer is not NextDealer.ALTERNATES and _one_win_is_all(r),
        "the match ends with the first hand that is won",
        _with(next_dealer=NextDealer.ALTERNATES),
    ),
    Contradiction(
        "lead_of_fifty_loses",
        "gin_bonus",
        lambda r: r.lead_of_fifty_loses and _first_win_ends(r) and least_win(r) > FATAL_LEAD,
        "the first hand that is won decides, and by more than 50 points",
        _with(lead_of_fifty_loses=False),
    ),
    Contradiction(
        "shutout",
        "game_bonus",
        lambda r: r.shutout is Shutout.DOUBLE_GAME_BONUS and r.game_bonus == 0,
        "there is no game bonus to double",
        _with(shutout=Shutout.NONE),
    ),
)


P = TypeVar("P", bound=Parameters)


def refuse_contradiction(rules: Parameters) -> None:
    """Raise Illegal for the first contradiction between these values, each in its range."""
    for each in CONTRADICTIONS:
        if each.clash(rules):
            raise Illegal(
                "rules-contradict",
                f"{rules.word(each.one)} and {rules.word(each.other)} contradict each other: "
                f"{each.why}. Write instead: {corrected(rules)}.",
                "9.2",
            )


def corrected(rules: P) -> P:
    """Return these rules without contradictions and without what this version can't play."""
    rules = replace(rules, misdeal=False)
    for _ in CONTRADICTIONS:  # a change can bring another one to light
        clashes = (each for each in CONTRADICTIONS if each.clash(rules))
        clash = next(clashes, None)
        if clash is None:
            break
        rules = replace(rules, **clash.instead(rules))
    return rules
