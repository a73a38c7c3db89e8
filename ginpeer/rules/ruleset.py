"""The rule set: every parameter of the game, as one immutable value (RULES 9).

A variant is a set of values, never a class: the engine asks for a feature (``rules.runs_wrap``)
and no code knows a variant's name. Both players sign the text of the whole rule set, so nothing
about the rules is implicit; a value that cannot be played is refused by ``check``, with the reason,
rather than ignored.

The text names presets first and then what differs: "oklahoma hollywood target=150"
(ginpeer.rules.presets).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from enum import Enum

from ginpeer.rules.cards import Card, Illegal, Unreadable, Unsupported


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
    NO_BONUS = "no-bonus"  # the defender's hand and box, and no points
    NOBODY = "nobody"


class Shutout(Enum):
    DOUBLE_HANDS = "double-hands"
    DOUBLE_GAME_BONUS = "double-game-bonus"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All parameters. The defaults are standard gin; RULES 9.1 says where each value comes from.

    Points are whole numbers. ``target`` is None where the match ends after so many ``hands``.
    ``str`` gives the canonical text, "oklahoma target=150", and ``parse_ruleset`` reads it back.
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

    def check(self) -> None:
        """Raise Illegal for a value outside its range or a contradiction, and Unsupported for a
        sound value that is not played."""
        for name, allowed in _NUMBERS.items():
            value = getattr(self, name)
            if isinstance(value, int) and value not in allowed:
                raise Illegal(
                    "rule-out-of-range",
                    f"{self.word(name)} is not possible; it can be {_allowed_text(allowed)}.",
                    "9.1",
                )
        for one, other, clash, why in _CONTRADICTIONS:
            if clash(self):
                raise Illegal(
                    "rules-contradict",
                    f"{self.word(one)} and {self.word(other)} contradict each other: {why}.",
                    "9.2",
                )
        if self.misdeal:
            raise Unsupported(
                "rule-unsupported",
                "misdeal=yes is not played: proving a misdeal would expose a private hand.",
                "5.2",
            )

    def limit(self, card: Card | None) -> int:
        """The most deadwood that may knock where this card sets the limit; where none does, the
        same for all (RULES 5.1, 10)."""
        if isinstance(self.knock_limit, int):
            return self.knock_limit
        if card is None:
            raise ValueError("a card sets this limit")
        if card.rank == 0:
            return 0 if self.ace_limit is AceLimit.GIN_ONLY else 1
        return card.pips

    def word(self, name: str) -> str:
        """One parameter as the text writes it: "box=20"."""
        return f"{key_of(name)}={value_text(getattr(self, name))}"

    def __str__(self) -> str:
        # The names of the presets are needed for the text alone, and they are made of this class.
        from ginpeer.rules.presets import canonical_text

        return canonical_text(self)

    def __repr__(self) -> str:
        return f"parse_ruleset({str(self)!r})"


STANDARD = RuleSet()

NAMES: tuple[str, ...] = tuple(field.name for field in fields(RuleSet))
"""All parameters, in the order of RULES 9.1."""

# Bounds that keep the sums of every match that anybody could finish inside 32 bits. The largest
# scores in the sources are 500; a target of 10,000 is some 400 hands.
_NUMBERS: dict[str, Collection[int]] = {
    "knock_limit": range(0, 11),
    "swap_limit": range(2, 1_001),
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


def _card_limit(rules: RuleSet) -> bool:
    """Whether a card sets the knock limit, hand by hand."""
    return isinstance(rules.knock_limit, KnockLimit)


# Two parameters that cannot both be as they are, the test, and why. Each test holds for some value
# of the one only because of the other.
_CONTRADICTIONS: tuple[tuple[str, str, Callable[[RuleSet], bool], str], ...] = (
    (
        "ace_limit",
        "knock_limit",
        lambda r: r.ace_limit is not AceLimit.GIN_ONLY and not _card_limit(r),
        "no card sets the knock limit, so no ace can",
    ),
    (
        "spades_double",
        "knock_limit",
        lambda r: (
            r.spades_double and r.knock_limit not in (KnockLimit.UPCARD, KnockLimit.SECOND_DECK)
        ),
        "a hand counts double for the spade that sets its knock limit",
    ),
    (
        "opening",
        "knock_limit",
        lambda r: r.opening is Opening.EITHER_PILE and r.knock_limit is KnockLimit.SECOND_DECK,
        "with a second deck no upcard is turned, and the first card comes from the stock",
    ),
    (
        "mahjong",
        "knock_limit",
        lambda r: r.mahjong and r.knock_limit != 0,
        "in Mahjong gin nobody knocks; it needs knock-limit=0",
    ),
    (
        "mahjong",
        "big_gin",
        lambda r: r.mahjong and r.big_gin is not None,
        "in Mahjong gin there is one way to go gin; it needs big-gin=none",
    ),
    (
        "mahjong",
        "undercut_bonus",
        lambda r: r.mahjong and r.undercut_bonus != STANDARD.undercut_bonus,
        "in Mahjong gin nobody knocks, so nobody is undercut",
    ),
    (
        "mahjong",
        "tie",
        lambda r: r.mahjong and r.tie is not Tie.UNDERCUT,
        "in Mahjong gin nobody knocks, so no count ties",
    ),
    (
        "mahjong",
        "ace_pips",
        lambda r: r.mahjong and r.ace_pips != 1,
        "in Mahjong gin the cards have values of their own",
    ),
    (
        "hands",
        "target",
        lambda r: r.hands is not None and r.target is not None,
        "the match ends after its hands, whether or not the target is reached",
    ),
    (
        "hands",
        "target",
        lambda r: r.hands is None and r.target is None,
        "the match would never end",
    ),
    (
        "hands",
        "best_of",
        lambda r: r.hands is not None and r.best_of > 1,
        "a match of so many hands is one game",
    ),
    (
        "hands",
        "multi_match",
        lambda r: r.hands is not None and r.multi_match is not None,
        "a match of so many hands is one game",
    ),
    (
        "hands",
        "columns",
        lambda r: r.hands is not None and r.columns > 1,
        "columns end at a target, and a match of so many hands has none",
    ),
    (
        "best_of",
        "multi_match",
        lambda r: r.best_of > 1 and r.multi_match is not None,
        "they are two ways to join games, and a match has one",
    ),
    (
        "multi_match",
        "target",
        lambda r: r.multi_match is not None and r.target is not None and r.multi_match <= r.target,
        "the first game alone would reach the points of the whole match",
    ),
)


def key_of(field_name: str) -> str:
    """How the text writes a field's name: "knock-limit"."""
    return field_name.replace("_", "-")


def value_text(value: object) -> str:
    """How the text writes a value."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    return str(value)


def parse_value(name: str, text: str) -> object:
    """The value of one parameter. Raises Unreadable; its range is ``check``'s."""
    key = key_of(name)
    standard = getattr(STANDARD, name)
    if isinstance(standard, bool):
        if text not in ("yes", "no"):
            raise Unreadable("unreadable-rules", f"{key} can be yes or no, not {text[:20]!r}.")
        return text == "yes"
    if isinstance(standard, Enum):
        return _parse_choice(key, text, type(standard))
    if name in ("big_gin", "target", "hands", "multi_match") and text == "none":
        return None
    if name == "knock_limit" and not text.isdigit():
        return _parse_choice(key, text, KnockLimit)
    return _parse_number(key, text)


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
