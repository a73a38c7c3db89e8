"""The rule set: every parameter of the game, as one immutable value (RULES 9).

A variant is a set of values, never a class: the engine asks for a feature (``rules.runs_wrap``)
and no code knows a variant's name. Both players sign the text of the whole rule set, so nothing
about the rules is implicit; what this version does not play is refused by ``check``, by name,
rather than ignored.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from ginpeer.rules.cards import Card, Illegal, Unreadable, Unsupported


class FirstDealer(Enum):
    LOWER_CUT = "lower-cut"
    AGREED = "agreed"


class NextDealer(Enum):
    ALTERNATES = "alternates"
    LOSER = "loser"
    WINNER = "winner"


class AfterVoid(Enum):
    SAME_DEALER = "same-dealer"


class Opening(Enum):
    UPCARD_OPTION = "upcard-option"
    EITHER_PILE = "either-pile"


class KnockLimit(Enum):
    """A limit that a card sets, hand by hand, in the place of a fixed number."""

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
    NOBODY = "nobody"


class Shutout(Enum):
    DOUBLE_HANDS = "double-hands"
    DOUBLE_GAME_BONUS = "double-game-bonus"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All parameters. The defaults are standard gin; RULES 9 says where each value comes from.

    Points are whole numbers. ``str`` gives the canonical text, "standard target=150", and
    ``parse_ruleset`` reads it back.
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
    target: int = 100
    game_bonus: int = 100
    box: int = 25
    shutout: Shutout = Shutout.DOUBLE_HANDS
    lead_of_fifty_loses: bool = False
    columns: int = 1
    best_of: int = 1
    multi_match: int | None = None
    stake: int = 0

    def check(self) -> None:
        """Raise Illegal for a value outside its range or a contradiction, and Unsupported for a
        sound value that this version does not play."""
        for name, allowed in _NUMBERS.items():
            value = getattr(self, name)
            if isinstance(value, int) and value not in allowed:
                raise Illegal(
                    "rule-out-of-range",
                    f"{_key(name)}={value} is not possible; it can be {_allowed_text(allowed)}.",
                    "9.1",
                )
        self._check_contradictions()
        for name, reason in _ONLY_STANDARD.items():
            value = getattr(self, name)
            if value != getattr(STANDARD, name):
                raise Unsupported(
                    "rule-unsupported",
                    f"{_key(name)}={_value_text(value)} is not played by this version: {reason}.",
                    "9.1",
                )
        if self.knock_limit == 0 or isinstance(self.knock_limit, KnockLimit):
            raise Unsupported(
                "rule-unsupported",
                f"knock-limit={_value_text(self.knock_limit)} is not played by this version: "
                "it plays limits from 1 to 10 that hold for the whole match.",
                "9.1",
            )

    def _check_contradictions(self) -> None:
        limit_from_card = isinstance(self.knock_limit, KnockLimit)
        for contradiction, sentence in (
            (
                self.ace_limit is not STANDARD.ace_limit and not limit_from_card,
                "ace-limit says what an ace sets the knock limit to, "
                "and here no card sets the knock limit.",
            ),
            (
                self.spades_double and self.knock_limit is not KnockLimit.UPCARD,
                "spades-double doubles for a spade that sets the knock limit, "
                "and here the upcard does not set it.",
            ),
            (
                self.mahjong and self.knock_limit != 0,
                "mahjong is played without knocking; it needs knock-limit=0.",
            ),
            (
                self.best_of > 1 and self.multi_match is not None,
                "best-of and multi-match are two ways to join matches; choose one.",
            ),
        ):
            if contradiction:
                raise Illegal("rules-contradict", sentence, "9.2")

    def limit(self, upcard: Card) -> int:
        """The most deadwood that may knock in a hand that began with this upcard (RULES 5.1)."""
        if isinstance(self.knock_limit, KnockLimit):
            raise Unsupported(
                "rule-unsupported",
                f"knock-limit={self.knock_limit.value} is not played by this version "
                f"(the upcard is {upcard}).",
            )
        return self.knock_limit

    def __str__(self) -> str:
        words = ["standard"]
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                words.append(f"{_key(field.name)}={_value_text(value)}")
        return " ".join(words)

    def __repr__(self) -> str:
        return f"parse_ruleset({str(self)!r})"


STANDARD = RuleSet()

# Presets of which this version knows only the name (RULES 9.3).
_LATER_PRESETS = (
    "classic",
    "tournament",
    "oklahoma",
    "oklahoma-floating",
    "straight",
    "hollywood",
    "tedesco",
    "around-the-corner",
    "mahjong",
    "multi-match",
)

# Bounds that keep every sum far inside 32 bits and every match finite. The largest scores in the
# sources are 500; a target of 10,000 is some 400 hands.
_NUMBERS: dict[str, Collection[int]] = {
    "knock_limit": range(0, 11),
    "swap_limit": range(2, 1_001),
    "ace_pips": (1, 15),
    "undercut_bonus": range(0, 1_001),
    "gin_bonus": range(0, 1_001),
    "big_gin": range(0, 1_001),
    "target": range(1, 10_001),
    "game_bonus": range(0, 10_001),
    "box": range(0, 1_001),
    "columns": (1, 3),
    "best_of": range(1, 100, 2),
    "multi_match": range(1, 100_001),
    "stake": range(0, 1_000_001),
}

# Parameters of which this version plays one value, and the clause that tells a player why.
_ONLY_STANDARD: dict[str, str] = {
    "first_dealer": "the first dealer is found by cutting for the lower card",
    "next_dealer": "the deal alternates",
    "opening": "a hand opens with the option on the upcard",
    "ace_limit": "no card sets the knock limit",
    "spades_double": "no suit counts double",
    "wall": "a hand is void when two stock cards are left",
    "misdeal": "proving a misdeal would expose a private hand",
    "runs_wrap": "runs end at the king",
    "ace_pips": "an ace counts 1",
    "mahjong": "melds stay in the hand until somebody knocks",
    "lead_of_fifty_loses": "the leader wins, whatever the lead",
    "columns": "scores are kept in one column",
    "best_of": "a game is a single match",
    "multi_match": "a game is a single match",
    "stake": "points are all that is played for",
}


def _key(field_name: str) -> str:
    return field_name.replace("_", "-")


def _value_text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    return str(value)


def _allowed_text(allowed: Collection[int]) -> str:
    if not isinstance(allowed, range):
        return " or ".join(map(str, allowed))
    step = "an odd number from " if allowed.step == 2 else ""
    return f"{step}{allowed[0]} to {allowed[-1]}"


def _parse_number(key: str, text: str) -> int:
    # At most seven digits, and only the shortest way to write them: one text for one value.
    if not (text.isascii() and text.isdigit() and len(text) <= 7) or str(int(text)) != text:
        raise Unreadable("unreadable-rules", f"{key} needs a plain number, not {text[:20]!r}.")
    return int(text)


def _parse_choice(key: str, text: str, choices: type[Enum]) -> Enum:
    for choice in choices:
        if choice.value == text:
            return choice
    known = ", ".join(str(choice.value) for choice in choices)
    raise Unreadable("unreadable-rules", f"{key} can be {known}, not {text[:20]!r}.")


def _parse_value(name: str, text: str) -> object:
    key = _key(name)
    standard = getattr(STANDARD, name)
    if isinstance(standard, bool):
        if text not in ("yes", "no"):
            raise Unreadable("unreadable-rules", f"{key} can be yes or no, not {text[:20]!r}.")
        return text == "yes"
    if isinstance(standard, Enum):
        return _parse_choice(key, text, type(standard))
    if name in ("big_gin", "multi_match") and text == "none":
        return None
    if name == "knock_limit" and not text.isdigit():
        return _parse_choice(key, text, KnockLimit)
    return _parse_number(key, text)


def parse_ruleset(text: str) -> RuleSet:
    """Read "standard", "standard target=150 box=20".

    Parameters may come in any order and may repeat the standard value; ``str`` of the result is
    the canonical text. Raises Unreadable; what is readable and cannot be played is ``check``'s.
    """
    preset, *words = text.split() or [""]
    if preset in _LATER_PRESETS:
        raise Unsupported(
            "preset-unsupported", f"The preset {preset!r} is not played by this version.", "9.3"
        )
    if preset != "standard":
        raise Unreadable(
            "unreadable-rules", f"Rules begin with the word standard, not {preset[:20]!r}."
        )
    names = {_key(field.name): field.name for field in fields(RuleSet)}
    values: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        name = names.get(key)
        if name is None or not equals:
            raise Unreadable("unknown-rule", f"There is no rule named {key[:20]!r}.")
        if name in values:
            raise Unreadable("repeated-rule", f"{key} is given twice.")
        values[name] = _parse_value(name, value)
    return RuleSet(**values)
