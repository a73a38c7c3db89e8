"""The rule sets that have a name, and the one text of every rule set (RULES 9.3, 9.4).

A preset is nothing but values that differ from the standard. Two of them, ``hollywood`` and
``multi-match``, are ways of keeping score and can stand behind any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations
from typing import Any

from ginpeer.rules.cards import Illegal, Unreadable
from ginpeer.rules.ruleset import (
    NAMES,
    STANDARD,
    KnockLimit,
    RuleSet,
    Shutout,
    Tie,
    Wall,
    key_of,
    parse_value,
    value_text,
)


@dataclass(frozen=True, slots=True)
class Preset:
    """A name for values that differ from the standard.

    ``essential`` has the parameters that the name itself speaks of: which values keep its word, and
    what it obliges to.
    """

    name: str
    values: Mapping[str, Any]
    essential: Mapping[str, tuple[Callable[[Any], bool], str]]
    over_any: bool = False

    @property
    def rules(self) -> RuleSet:
        """The rule set that the name alone stands for."""
        return replace(STANDARD, **self.values)


def _is(*allowed: object) -> Callable[[Any], bool]:
    return lambda value: value in allowed


_by_card = _is(KnockLimit.UPCARD, KnockLimit.SECOND_DECK)

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("standard", {}, {}),
        Preset(
            "classic",
            {
                "undercut_bonus": 10,
                "tie": Tie.NO_BONUS,
                "gin_bonus": 20,
                "big_gin": None,
                "box": 20,
                "shutout": Shutout.DOUBLE_GAME_BONUS,
            },
            {},
        ),
        Preset(
            "tournament",
            {"wall": Wall.LAST_DISCARD, "target": 250, "best_of": 5},
            {"best_of": (lambda games: games > 1, "is a series of games")},
        ),
        Preset(
            "oklahoma",
            {"knock_limit": KnockLimit.UPCARD, "spades_double": True},
            {"knock_limit": (_by_card, "lets a card set the knock limit")},
        ),
        Preset(
            "oklahoma-floating",
            {"knock_limit": KnockLimit.FLOATING},
            {
                "knock_limit": (
                    _is(KnockLimit.FLOATING),
                    "lets the last discard set the knock limit",
                )
            },
        ),
        Preset(
            "straight",
            {"knock_limit": 0},
            {"knock_limit": (_is(0), "obliges to go gin")},
        ),
        Preset(
            "tedesco",
            {
                "knock_limit": KnockLimit.UPCARD,
                "spades_double": True,
                "runs_wrap": True,
                "ace_pips": 15,
                "target": 200,
                "columns": 3,
            },
            {"runs_wrap": (_is(True), "lets runs go around the corner")},
        ),
        Preset(
            "around-the-corner",
            {"runs_wrap": True},
            {"runs_wrap": (_is(True), "lets runs go around the corner")},
        ),
        Preset(
            "mahjong",
            # A hand of it brings up to 250 points; a target of 100 would make a match of one hand.
            {"knock_limit": 0, "mahjong": True, "big_gin": None, "target": 500},
            {"mahjong": (_is(True), "is played with melds on the table")},
        ),
        Preset(
            "hollywood",
            {"columns": 3},
            {"columns": (_is(3), "keeps the score in three columns")},
            over_any=True,
        ),
        Preset(
            "multi-match",
            {"multi_match": 500, "shutout": Shutout.DOUBLE_GAME_BONUS},
            {
                "multi_match": (
                    lambda points: points is not None,
                    "plays games up to a number of points",
                )
            },
            over_any=True,
        ),
    )
}
"""By name, in the order of RULES 9.3."""


def parse_ruleset(text: str) -> RuleSet:
    """Read "oklahoma hollywood target=150": names of presets, then parameters.

    One name is of a preset, and ``hollywood`` and ``multi-match`` can follow it or stand alone.
    Parameters may come in any order and may repeat the preset's value; ``str`` of the result is the
    canonical text. ``hands=N`` alone takes the place of the target. Raises Unreadable, and Illegal
    ("rules-contradict") where a parameter takes back what a preset's name says; what is readable
    and cannot be played is left to ``check``.
    """
    words = text.split()
    names = [word for word in words if "=" not in word]
    if not names or words[: len(names)] != names:
        raise Unreadable(
            "unreadable-rules",
            f"Rules begin with the name of a preset ({', '.join(PRESETS)}), "
            "and then come parameters, as in: standard box=20.",
        )
    presets = _named(names)
    values: dict[str, Any] = {}
    for preset in presets:
        values.update(preset.values)
    given = _given(words[len(names) :])
    if given.get("hands") is not None and "target" not in given:
        given["target"] = None
    values.update(given)
    for preset in presets:
        _check_essential(preset, values)
    return RuleSet(**values)


def _named(names: list[str]) -> list[Preset]:
    for name in names:
        if name not in PRESETS:
            raise Unreadable(
                "unknown-preset",
                f"There are no rules named {name[:20]!r}; there are {', '.join(PRESETS)}.",
            )
    presets = [PRESETS[name] for name in names]
    if len(set(names)) < len(names) or not all(preset.over_any for preset in presets[1:]):
        raise Unreadable(
            "unreadable-rules",
            f"{' '.join(names)[:80]} cannot be joined; only hollywood and multi-match can stand "
            "behind other rules, once each.",
        )
    return presets


def _given(words: list[str]) -> dict[str, Any]:
    """The parameters that were given one by one."""
    fields = {key_of(name): name for name in NAMES}
    values: dict[str, Any] = {}
    for word in words:
        key, _, value = word.partition("=")
        name = fields.get(key)
        if name is None:
            raise Unreadable(
                "unknown-rule",
                f"There is no rule named {key[:20]!r}; there are {', '.join(fields)}.",
            )
        if name in values:
            raise Unreadable("repeated-rule", f"{key} is given twice.")
        values[name] = parse_value(name, value)
    return values


def _check_essential(preset: Preset, values: Mapping[str, Any]) -> None:
    for name, (keeps_its_word, says) in preset.essential.items():
        if not keeps_its_word(values[name]):
            raise Illegal(
                "rules-contradict",
                f"{key_of(name)}={value_text(values[name])} and {preset.name} contradict each "
                f"other: {preset.name} {says}.",
                "9.2",
            )


# --- the one text ---------------------------------------------------------------------


@lru_cache(maxsize=64)  # an offer can hold anything, and is asked for its text more than once
def canonical_text(rules: RuleSet) -> str:
    """The text with the fewest words that means these rules (RULES 9.4).

    Of several as short it is the one with the fewest parameters, and then the one whose presets
    come first in RULES 9.3. Parameters stand in the order of RULES 9.1; the target that ``hands``
    takes away is not named.
    """
    texts = (_text_over(presets, rules) for presets in _joined() if _means(presets, rules))
    return min(texts, key=lambda text: (text.count(" "), text.count("=")))


@cache
def _joined() -> tuple[tuple[Preset, ...], ...]:
    """Every way to join presets, in the order in which they are tried."""
    alone = [preset for preset in PRESETS.values() if not preset.over_any]
    over = [preset for preset in PRESETS.values() if preset.over_any]
    ways = [way for count in range(len(over) + 1) for way in combinations(over, count)]
    # "hollywood" says the same as "standard hollywood".
    return tuple(
        way if way and preset.name == "standard" else (preset, *way)
        for preset in alone
        for way in ways
    )


def _means(presets: tuple[Preset, ...], rules: RuleSet) -> bool:
    """Whether these names say nothing that the rules take back."""
    return all(
        keeps_its_word(getattr(rules, name))
        for preset in presets
        for name, (keeps_its_word, _) in preset.essential.items()
    )


def _text_over(presets: tuple[Preset, ...], rules: RuleSet) -> str:
    values: dict[str, Any] = {}
    for preset in presets:
        values.update(preset.values)
    base = replace(STANDARD, **values)
    words = [preset.name for preset in presets]
    for name in NAMES:
        differs = getattr(rules, name) != getattr(base, name)
        if name == "target" and rules.hands is not None:
            differs = rules.target is not None
        if differs:
            words.append(rules.word(name))
    return " ".join(words)
