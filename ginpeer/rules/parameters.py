"""Every parameter of the game, with its values and its text (RULES 9.1).

A variant is a set of values, never a class: the engine asks for a feature (``rules.runs_wrap``),
and no code knows the name of a variant. A value of any other type than its parameter's is refused.
ginpeer.rules.contradictions says which values can't be played together; ginpeer.rules.ruleset has
the named rule sets and the whole rule set.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from enum import Enum
from types import NoneType
from typing import Any

from ginpeer.rules.cards import Card, Illegal, Unreadable


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
    """One value for each parameter. Each is checked on its own; ``RuleSet.check`` also checks
    whether they can be played together.

    The defaults are standard gin; RULES 9.1 gives the source of each value. Points are whole
    numbers. ``target`` is None if only the number of ``hands`` ends the match. A value may be given
    as its text: tie="nobody". Raises Unreadable for a value of another type.
    """

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
        """Raise Illegal for a number outside its own range."""
        for name, allowed in _NUMBERS.items():
            value = getattr(self, name)
            if isinstance(value, int) and value not in allowed:
                raise Illegal(
                    "rule-out-of-range",
                    f"{self.word(name)} isn't possible; it can be {_allowed_text(allowed)}.",
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
        """Return one parameter as the text writes it: "box=20"."""
        return f"{key_of(name)}={value_text(getattr(self, name))}"


NAMES: tuple[str, ...] = tuple(field.name for field in fields(Parameters))
"""All parameters, in the order of RULES 9.1."""

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
    """Return a field's name as the text writes it: "knock-limit"."""
    return field_name.replace("_", "-")


def value_text(value: object) -> str:
    """Return a value as the text writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    return str(value)


def parse_value(name: str, text: str) -> object:
    """Return the value of one parameter. Raises Unreadable; ``check`` checks its range."""
    kinds = _KINDS[name]
    if bool in kinds and text in ("yes", "no"):
        return text == "yes"
    if NoneType in kinds and text == "none":
        return None
    for choice in _choices(name):
        if choice.value == text:
            return choice
    # At most seven digits, and only the shortest way to write them: one text for one value.
    plain = text.isascii() and text.isdigit() and len(text) <= 7 and str(int(text)) == text
    if int in kinds and plain:
        return int(text)
    raise _unreadable(name, text)


def _read(name: str, value: object) -> object:
    """Return the value as the parameter's type; text is parsed. Every value passes through here.
    Raises Unreadable."""
    if isinstance(value, str):
        return parse_value(name, value)
    large = isinstance(value, int) and abs(value) >= 10_000_000  # too large for any text
    if type(value) not in _KINDS[name]:
        plain = isinstance(value, (int, float, Enum, NoneType)) and not large
        raise _unreadable(name, value_text(value) if plain else type(value).__name__)
    if large:
        raise Unreadable("unreadable-rules", f"{key_of(name)} has at most seven digits.")
    return value


def _choices(name: str) -> tuple[Enum, ...]:
    """Return the words that a parameter accepts, except yes, no and none."""
    return tuple(choice for kind in _KINDS[name] if issubclass(kind, Enum) for choice in kind)


def _unreadable(name: str, given: str) -> Unreadable:
    key, kinds, words = key_of(name), _KINDS[name], [str(each.value) for each in _choices(name)]
    if bool in kinds:
        can_be = "can be yes or no"
    elif int not in kinds:
        can_be = f"can be {' or '.join(words)}"
    else:
        words += ["none"] * (NoneType in kinds)
        can_be = " or ".join(["needs a plain number", *words])
    return Unreadable("unreadable-rules", f"{key} {can_be}, not {given[:20]!r}.")


def _allowed_text(allowed: Collection[int]) -> str:
    if not isinstance(allowed, range):
        return " or ".join(map(str, allowed))
    step = "an odd number from " if allowed.step == 2 else ""
    return f"{step}{allowed[0]} to {allowed[-1]}"


FATAL_LEAD = 50  # "if a match ends with one player in the lead by exactly 50 points" (W, M)
