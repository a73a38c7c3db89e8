"""The rule sets that have a name, and the one text of every rule set (RULES 9.3, 9.4).

A preset is nothing but values that differ from the standard, and so presets can be named together,
in any order: "hollywood oklahoma" is Oklahoma with the score kept in three columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from ginpeer.rules.parameters import DEFAULTS, NAMES, KnockLimit, Parameters, Shutout, Tie, Wall


@dataclass(frozen=True, slots=True)
class Preset:
    """A name for values that differ from the standard.

    ``essential`` has the parameters that the name itself speaks of: which values keep its word, and
    what it obliges to.
    """

    name: str
    values: Mapping[str, Any]
    essential: Mapping[str, tuple[Callable[[Any], bool], str]]

    def taken_back(self, values: Mapping[str, Any]) -> str | None:
        """The parameter whose value takes back what the name says; None where its word is kept."""
        for name, (keeps_its_word, _) in self.essential.items():
            if not keeps_its_word(values[name]):
                return name
        return None


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
        ),
    )
}
"""By name, in the order of RULES 9.3."""


# --- the one text ---------------------------------------------------------------------


@lru_cache(maxsize=64)  # an offer can hold anything, and is asked for its text more than once
def canonical_text(rules: Parameters) -> str:
    """The text with the fewest words that means these rules (RULES 9.4).

    Of several as short it is the one with the fewest parameters, and then the one whose presets
    come first in RULES 9.3. Presets stand in that order, parameters in the order of RULES 9.1. The
    target that ``hands`` takes away is not named, and one that stands beside it is.
    """
    values = {name: getattr(rules, name) for name in NAMES}
    truthful = [p for p in PRESETS.values() if p.values and p.taken_back(values) is None]
    best: list[str] = []
    fewest = (len(NAMES) + 2, 0)
    for count in range(len(truthful) + 1):
        if count > fewest[0]:
            break
        for presets in combinations(truthful, count):
            names = [preset.name for preset in presets] or ["standard"]
            written = _written(presets, values)
            length = (len(names) + len(written), len(written))
            if length < fewest:
                fewest, best = length, [*names, *map(rules.word, written)]
    return " ".join(best)


def _written(presets: Iterable[Preset], values: Mapping[str, Any]) -> list[str]:
    """The parameters that have to stand behind these names: those with another value than the names
    say, and those of which they say different things."""
    said: dict[str, Any] = {}
    written = set()
    for preset in presets:
        for name, value in preset.values.items():
            if said.setdefault(name, value) != value:
                written.add(name)
    for name, value in values.items():
        if value != said.get(name, DEFAULTS[name]):
            written.add(name)
    if values["hands"] is not None:
        written.discard("target")
        if values["target"] is not None:
            written.add("target")
    return [name for name in NAMES if name in written]
