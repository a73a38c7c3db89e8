"""Every parameter of the game, with its values and its text (RULES 9.1), and which values can't be
played together (RULES 9.2).

A variant is a set of values, never a class: the engine asks for a feature (``rules.runs_wrap``),
and no code knows the name of a variant. A value of the wrong type is refused.
ginpeer.rules.ruleset has the named rule sets and the whole rule set.

A value without effect is as wrong as an impossible one: two players who sign "straight
undercut-bonus=10" believe that somebody can be undercut. So if the other values leave a value
without effect, it is refused, and each refusal says how to correct it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from types import NoneType
from typing import Any, NamedTuple

from ginpeer.rules.cards import Card, Illegal, Unreadable

# --- the parameters -------------------------------------------------------------------------------


class FirstDealer(Enum):
    LOWER_CUT = "lower-cut"
    HOST = "host"
    GUEST = "guest"


class NextDealer(Enum):
    ALTERNATES = "alternates"
    LOSER = "loser"
    WINNER = "winner"


class AfterVoid(Enum):
    SAME_DEALER = "same-dealer"
    ALTERNATES = "alternates"


class Opening(Enum):
    UPCARD_OPTION = "upcard-option"
    EITHER_PILE = "either-pile"


class KnockLimit(Enum):
    """A knock limit that a card sets for each hand, in place of a fixed number."""

    UPCARD = "upcard"
    FLOATING = "floating"
    SECOND_DECK = "second-deck"


class AceLimit(Enum):
    GIN_ONLY = "gin-only"
    ONE = "one"


class Wall(Enum):
    VOID = "void"
    LAST_DISCARD = "last-discard"


class Tie(Enum):
    UNDERCUT = "undercut"
    NO_BONUS = "no-bonus"  # the defender wins the hand and its box, but no points
    NOBODY = "nobody"


class Shutout(Enum):
    DOUBLE_HANDS = "double-hands"
    DOUBLE_GAME_BONUS = "double-game-bonus"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """One value for each parameter, checked on its own; ``RuleSet.check`` checks them together. The
    defaults are standard gin; RULES 9.1 gives the source of each value. Points are whole numbers.
    ``target`` is None if only the number of ``hands`` ends the match. A value may be given as its
    text: tie="nobody". Raises Unreadable for a value of another type."""

    first_dealer: FirstDealer = FirstDealer.LOWER_CUT
    next_dealer: NextDealer = NextDealer.ALTERNATES
    after_void: AfterVoid = AfterVoid.SAME_DEALER
    opening: Opening = Opening.UPCARD_OPTION
    knock_limit: int | KnockLimit = 10
    ace_limit: AceLimit = AceLimit.GIN_ONLY
    spades_double: bool = False
    wall: Wall = Wall.VOID
    swap_limit: int = 40
    misdeal: bool = False
    runs_wrap: bool = False
    ace_pips: int = 1
    mahjong: bool = False
    undercut_bonus: int = 25
    tie: Tie = Tie.UNDERCUT
    gin_bonus: int = 25
    big_gin: int | None = 31
    target: int | None = 100
    hands: int | None = None
    game_bonus: int = 100
    box: int = 25
    shutout: Shutout = Shutout.DOUBLE_HANDS
    lead_of_fifty_loses: bool = False
    columns: int = 1
    best_of: int = 1
    multi_match: int | None = None
    stake: int = 0

    def __post_init__(self) -> None:
        for name in NAMES:
            value = getattr(self, name)
            read = _read(name, value)
            if read is not value:
                object.__setattr__(self, name, read)

    def check_ranges(self) -> None:
        """Raise Illegal for a number outside its parameter's range."""
        for name, allowed in _NUMBERS.items():
            value = getattr(self, name)
            if isinstance(value, int) and value not in allowed:
                raise Illegal(
                    "rule-out-of-range",
                    f"{self.word(name)} isn't possible; it can be "
                    f"{_listed([_allowed_text(allowed), *_words(name)])}.",
                    "9.1",
                )

    def limit(self, card: Card | None) -> int:
        """Return the most deadwood with which a player may knock if this card sets the limit; if
        no card does, the limit that applies to every hand (RULES 5.1, 10)."""
        if isinstance(self.knock_limit, int):
            return self.knock_limit
        if card is None:
            raise ValueError("a card sets this limit")
        if card.rank == 0:
            return 0 if self.ace_limit is AceLimit.GIN_ONLY else 1
        return card.pips

    def word(self, name: str) -> str:
        """Return one parameter as it is written in the text of a rule set: "box=20"."""
        return f"{key_of(name)}={value_text(getattr(self, name))}"


NAMES: tuple[str, ...] = tuple(field.name for field in fields(Parameters))
"""The field names of all parameters, in the order of RULES 9.1."""

DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Parameters)}
"""The values of standard gin, by name."""

_CAN_BE_NONE = frozenset(("big_gin", "target", "hands", "multi_match"))
_KINDS: dict[str, tuple[type, ...]] = {
    **{name: (type(value),) for name, value in DEFAULTS.items()},
    **dict.fromkeys(_CAN_BE_NONE, (int, NoneType)),
    "knock_limit": (int, KnockLimit),
}
"""The types that each parameter's value may have. A bool isn't a number here, nor a number a
bool."""

# These bounds keep the sums of every match that anybody could finish within 32 bits. The largest
# scores in the sources are 500; a target of 10,000 takes about 400 hands.
_NUMBERS: dict[str, Collection[int]] = {
    "knock_limit": range(0, 11),
    # With 2 or 3, a player could void a hand once the opponent has taken a single discard (RULES
    # 4.8).
    "swap_limit": range(4, 1_001),
    "ace_pips": (1, 15),
    "undercut_bonus": range(0, 1_001),
    "gin_bonus": range(0, 1_001),
    "big_gin": range(0, 1_001),
    "target": range(1, 10_001),
    "hands": range(1, 1_001),
    "game_bonus": range(0, 10_001),
    "box": range(0, 1_001),
    "columns": (1, 3),
    "best_of": range(1, 100, 2),
    "multi_match": range(1, 100_001),
    "stake": range(0, 1_000_001),
}


def key_of(field_name: str) -> str:
    """Return a field's name as the text of a rule set writes it: "knock-limit"."""
    return field_name.replace("_", "-")


def value_text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    return str(value)


def parse_value(name: str, text: str) -> object:
    """Read the value of one parameter. Raises Unreadable; ``check_ranges`` checks its range."""
    kinds = _KINDS[name]
    if bool in kinds and text in ("yes", "no"):
        return text == "yes"
    if NoneType in kinds and text == "none":
        return None
    for choice in _choices(name):
        if choice.value == text:
            return choice
    # At most seven digits, without leading zeros, so that each value has only one text.
    if int in kinds and text.isascii() and text.isdigit():
        if len(text) > 7:
            raise _too_long(name)
        if str(int(text)) == text:
            return int(text)
    raise _unreadable(name, text)


def _read(name: str, value: object) -> object:
    """Return the value in the parameter's type, parsed if it is a string. Raises Unreadable."""
    if isinstance(value, str):
        return parse_value(name, value)
    large = isinstance(value, int) and abs(value) >= 10_000_000  # too large for any text
    if type(value) not in _KINDS[name]:
        plain = isinstance(value, (int, float, Enum, NoneType)) and not large
        raise _unreadable(name, value_text(value) if plain else type(value).__name__)
    if large:
        raise _too_long(name)
    return value


def _too_long(name: str) -> Unreadable:
    return Unreadable("unreadable-rules", f"{key_of(name)} has at most seven digits.")


def _choices(name: str) -> tuple[Enum, ...]:
    """Return the words that a parameter accepts, except yes, no and none."""
    return tuple(choice for kind in _KINDS[name] if issubclass(kind, Enum) for choice in kind)


def _words(name: str) -> list[str]:
    none = ["none"] if NoneType in _KINDS[name] else []
    return [str(each.value) for each in _choices(name)] + none


def _listed(texts: Sequence[str]) -> str:
    *most, last = texts
    return f"{', '.join(most)} or {last}" if most else last


def _unreadable(name: str, given: str) -> Unreadable:
    key, kinds, words = key_of(name), _KINDS[name], _words(name)
    if bool in kinds:
        can_be = "can be yes or no"
    elif int not in kinds:
        can_be = f"can be {_listed(words)}"
    else:
        can_be = _listed(["needs a plain number", *words])
    return Unreadable("unreadable-rules", f"{key} {can_be}, not {given[:20]!r}.")


def _allowed_text(allowed: Collection[int]) -> str:
    if not isinstance(allowed, range):
        return " or ".join(map(str, allowed))
    step = "an odd number from " if allowed.step == 2 else ""
    return f"{step}{allowed[0]} to {allowed[-1]}"


# --- how much a hand can score --------------------------------------------------------------------
#
# Some contradictions depend on these bounds.

FATAL_LEAD = 50  # "if a match ends with one player in the lead by exactly 50 points" (W, M)


def least_win(rules: Parameters) -> int:
    """Return the fewest points that a won hand can score."""
    if rules.mahjong:
        return 50 + rules.gin_bonus  # ten cards laid, each worth at least five
    gin = rules.gin_bonus if rules.big_gin is None else min(rules.gin_bonus, rules.big_gin)
    if rules.knock_limit == 0:
        return gin
    if rules.tie is Tie.NO_BONUS:  # a tie has a winner, but scores nothing
        return 0
    return min(1, gin, rules.undercut_bonus if rules.tie is Tie.UNDERCUT else 1)


def most_points(rules: Parameters) -> int:
    """Return the most points that a player can score in one hand."""
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


def first_game_points(rules: Parameters) -> int:
    """Return the points that at least one player is sure to have after the first game (RULES 13.3),
    unless a column is below zero, which is possible only in Mahjong gin.

    The winner has the target, the game bonus, and boxes for the fewest hands that the target can
    take. In Mahjong gin no boxes are counted: a player can reach the target without winning a hand.
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


# --- the contradictions ---------------------------------------------------------------------------


class Contradiction(NamedTuple):
    """Two parameters that can't both have their values, the reason, and values that correct it.
    Changing either parameter removes the contradiction."""

    one: str
    other: str
    why: str
    instead: Mapping[str, Any]


def _points_come_in_fives(rules: Parameters, *more: int) -> bool:
    """Return whether all points of hands, and the numbers *more*, are multiples of five."""
    return rules.mahjong and not any(each % 5 for each in (rules.gin_bonus, *more))


def _round_up_to_five(number: int) -> int:
    return -(-number // 5) * 5


def _first_win_ends(rules: Parameters) -> bool:
    """Return whether winning a hand always wins a column. (In Mahjong gin the players can have
    equal points, which decides nothing.)"""
    if rules.mahjong:
        return False
    return rules.hands == 1 or (rules.target is not None and rules.target <= least_win(rules))


def _one_win_is_all(rules: Parameters) -> bool:
    """Return whether the deal never depends on the winner: the match ends with the first hand that
    is won, and no other hand passes the deal on."""
    alone = rules.columns == 1 and rules.best_of == 1 and rules.multi_match is None
    ties = rules.knock_limit != 0 and rules.tie is Tie.NOBODY
    return alone and _first_win_ends(rules) and not ties


def _longer_game(rules: Parameters) -> Mapping[str, Any]:
    longer = least_win(rules) + 1
    return {"target": _round_up_to_five(longer) if _points_come_in_fives(rules) else longer}


def _higher_multi_match(rules: Parameters) -> Mapping[str, Any]:
    more = max(500, first_game_points(rules) + 1)
    if _points_come_in_fives(rules, rules.game_bonus, rules.box):
        more = _round_up_to_five(more)
    return {"multi_match": more if more <= 100_000 else None}


def _reset(one: str, other: str, why: str, name: str | None = None) -> Contradiction:
    """Return a contradiction that is fixed by resetting *name* (by default, *one*)."""
    name = name or one
    return Contradiction(one, other, why, {name: DEFAULTS[name]})


_MAHJONG_NEEDS: dict[str, tuple[Any, str]] = {
    "knock_limit": (0, "in Mahjong gin nobody knocks; it needs knock-limit=0"),
    "big_gin": (None, "Mahjong gin has only one way to go gin; it needs big-gin=none"),
    "undercut_bonus": (
        DEFAULTS["undercut_bonus"],
        "in Mahjong gin nobody knocks, so nobody is undercut",
    ),
    "tie": (DEFAULTS["tie"], "in Mahjong gin nobody knocks, so nobody can tie"),
    "ace_pips": (1, "in Mahjong gin the cards have their own values"),
}


def contradictions_in(r: Parameters) -> Iterator[Contradiction]:
    """Yield every contradiction between these values, which are all in range."""
    # about a hand
    for name, (value, why) in _MAHJONG_NEEDS.items() if r.mahjong else ():
        if getattr(r, name) != value:
            yield Contradiction("mahjong", name, why, {name: value})
    if r.ace_limit is not AceLimit.GIN_ONLY and not isinstance(r.knock_limit, KnockLimit):
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

    # about the end of a match
    single = "a match with a fixed number of hands is a single game"
    if r.hands is None and r.target is None:
        yield _reset("hands", "target", "the match would never end", "target")
    if r.hands is not None and r.best_of > 1:
        yield _reset("hands", "best_of", single, "best_of")
    if r.hands is not None and r.multi_match is not None:
        yield _reset("hands", "multi_match", single, "multi_match")
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

    # about the points
    if r.target is not None and 1 < r.target <= least_win(r):
        why = (
            "winning a hand always scores at least the target, so the first win would end the "
            "match, as with target=1"
        )
        yield Contradiction("target", "gin_bonus", why, {"target": 1})
    if r.target is not None and r.target > 1 and _points_come_in_fives(r) and r.target % 5:
        why = "in Mahjong gin the points come in fives"
        yield Contradiction("target", "mahjong", why, {"target": _round_up_to_five(r.target)})
    if r.multi_match is not None and r.target is not None and r.target <= least_win(r):
        why = "every game would end with the first hand that is won"
        yield Contradiction("multi_match", "target", why, _longer_game(r))
    if r.multi_match is not None and r.multi_match <= first_game_points(r):
        why = "the first game alone earns enough points for the match"
        yield Contradiction("multi_match", "target", why, _higher_multi_match(r))
    if (
        r.multi_match is not None
        and _points_come_in_fives(r, r.game_bonus, r.box)
        and r.multi_match % 5
    ):
        why = "in Mahjong gin the points come in fives"
        yield Contradiction(
            "multi_match", "mahjong", why, {"multi_match": _round_up_to_five(r.multi_match)}
        )
    if r.next_dealer is not NextDealer.ALTERNATES and _one_win_is_all(r):
        yield _reset("next_dealer", "target", "the match ends with the first hand that is won")
    if r.lead_of_fifty_loses and _first_win_ends(r) and least_win(r) > FATAL_LEAD:
        why = "the first hand that is won decides, always by more than 50 points"
        yield _reset("lead_of_fifty_loses", "gin_bonus", why)
    if r.shutout is Shutout.DOUBLE_GAME_BONUS and r.game_bonus == 0:
        why = "there is no game bonus to double"
        yield Contradiction("shutout", "game_bonus", why, {"shutout": Shutout.NONE})
