"""The rule set: all parameters as one immutable value, and its canonical text (RULES 9).

Both players sign the text of the whole rule set, so nothing about the rules is implicit. ``check``
refuses values that can't be played together; it says why, and what to write instead
(ginpeer.rules.parameters).

The text names presets first and then the values that differ from theirs: "oklahoma hollywood
target=150". A preset is only a name for values that differ from the standard, so presets can be
combined in any order: "hollywood oklahoma" is Oklahoma with the score kept in three columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from ginpeer.rules.cards import Illegal, Unreadable, Unsupported
from ginpeer.rules.parameters import (
    DEFAULTS,
    NAMES,
    KnockLimit,
    Parameters,
    contradictions_in,
    key_of,
    parse_value,
    value_text,
)

# --- presets --------------------------------------------------------------------------


def _given(words: list[str]) -> dict[str, Any]:
    """Read words like "target=150". Return their values by field name. Raises Unreadable."""
    fields = {key_of(name): name for name in NAMES}
    values: dict[str, Any] = {}
    for word in words:
        key, _, value = word.partition("=")
        name = fields.get(key)
        if name is None:
            near = [each for each in fields if key in each.split("-")]
            which = f"the rules are {', '.join(fields)}"
            if near:
                which = f"maybe you meant {' or '.join(near)}"
            raise Unreadable("unknown-rule", f"There is no rule named {key[:20]!r}; {which}.")
        if name in values:
            raise Unreadable("repeated-rule", f"{key} is given twice; write it once.")
        values[name] = parse_value(name, value)
    return values


@dataclass(frozen=True, slots=True)
class Preset:
    """A name for values that differ from the standard. ``agrees`` says whether a value of the
    ``essential`` parameter fits the name, and ``meaning`` is the name's claim in words."""

    name: str
    values: Mapping[str, Any]
    essential: str | None = None
    agrees: Callable[[Any], bool] = bool
    meaning: str = ""

    def contradicting(self, values: Mapping[str, Any]) -> str | None:
        """Return the parameter whose value contradicts the name; None if none does."""
        at = self.essential
        return None if at is None or self.agrees(values[at]) else at


def _preset(name: str, text: str, *claim: Any) -> Preset:
    return Preset(name, _given(text.split()), *claim)


_CLASSIC = "undercut-bonus=10 tie=no-bonus gin-bonus=20 big-gin=none box=20"
_TEDESCO = "knock-limit=upcard spades-double=yes runs-wrap=yes ace-pips=15 target=200 columns=3"
# One hand can score more than 100 points, so with a target of 100 it could end the match.
_MAHJONG = "knock-limit=0 mahjong=yes big-gin=none target=500"
# What a name stands for: the parameter, the values that agree with it, and its meaning.
_CORNER = ("runs_wrap", bool, "lets runs go around the corner")
_CARDS = (KnockLimit.UPCARD, KnockLimit.SECOND_DECK)
_BY_CARD = ("knock_limit", lambda limit: limit in _CARDS, "lets a card set the knock limit")
_BY_DISCARD = "lets the last discard set the knock limit"
_FLOATING = ("knock_limit", lambda limit: limit is KnockLimit.FLOATING, _BY_DISCARD)
_GIN_ONLY = ("knock_limit", lambda limit: limit == 0, "requires gin")
_MELDS_LAID = ("mahjong", bool, "puts melds on the table")
_COLUMNS = ("columns", lambda columns: columns == 3, "keeps the score in three columns")
_SERIES = ("best_of", lambda games: games > 1, "is a series of games")
_MULTI = ("multi_match", lambda points: points is not None, "plays games to a number of points")

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        _preset("standard", ""),
        _preset("classic", f"{_CLASSIC} shutout=double-game-bonus"),
        _preset("tournament", "wall=last-discard target=250 best-of=5", *_SERIES),
        _preset("oklahoma", "knock-limit=upcard spades-double=yes", *_BY_CARD),
        _preset("oklahoma-floating", "knock-limit=floating", *_FLOATING),
        _preset("straight", "knock-limit=0", *_GIN_ONLY),
        _preset("tedesco", _TEDESCO, *_CORNER),
        _preset("around-the-corner", "runs-wrap=yes", *_CORNER),
        _preset("mahjong", _MAHJONG, *_MELDS_LAID),
        _preset("hollywood", "columns=3", *_COLUMNS),
        _preset("multi-match", "multi-match=500 shutout=double-game-bonus", *_MULTI),
    )
}
"""The presets by name, in the order of RULES 9.3."""


# --- the canonical text ---------------------------------------------------------------


@lru_cache(maxsize=64)  # an offer can contain any rules, and we need its text repeatedly
def canonical_text(rules: Parameters) -> str:
    """Return the text of these rules that has the fewest words (RULES 9.4).

    If several are equally short, choose the one with the fewest parameters, then the one whose
    presets come first in RULES 9.3. In the text, presets have that order, and parameters the order
    of RULES 9.1. A target is left out if ``hands`` replaces it, and written if both apply.
    """
    values = {name: getattr(rules, name) for name in NAMES}
    truthful = [p for p in PRESETS.values() if p.values and p.contradicting(values) is None]
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
    """Return the parameters to write besides these presets, because the presets don't imply their
    values or don't agree on them."""
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


# --- rule sets ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet(Parameters):
    """All parameters, as ``Parameters`` describes them. ``str`` gives the canonical text, like
    "oklahoma target=150", and ``parse_ruleset`` reads it back."""

    def check(self) -> None:
        """Raise Illegal for a value out of range or a contradiction, Unsupported for a misdeal."""
        self.check_ranges()
        found = next(contradictions_in(self), None)
        if found is not None:
            raise Illegal(
                "rules-contradict",
                f"{self.word(found.one)} and {self.word(found.other)} contradict each other: "
                f"{found.why}. Write instead: {corrected(self)}.",
                "9.2",
            )
        if self.misdeal:
            raise Unsupported(
                "rule-unsupported",
                "misdeal=yes isn't possible: proving a misdeal would reveal a private hand. "
                "Write misdeal=no.",
                "5.2",
            )

    def __str__(self) -> str:
        return canonical_text(self)

    def __repr__(self) -> str:
        return f"parse_ruleset({str(self)!r})"


STANDARD = RuleSet()

_MAX_CHANGES = 64  # more than there are contradictions: a change can reveal another one


def corrected(rules: RuleSet) -> RuleSet:
    """Return these rules without contradictions and without rules that this version can't play."""
    rules = replace(rules, misdeal=False)
    for _ in range(_MAX_CHANGES):
        clash = next(contradictions_in(rules), None)
        if clash is None:
            break
        rules = replace(rules, **clash.instead)
    return rules


def parse_ruleset(text: str) -> RuleSet:
    """Read rules like "oklahoma hollywood target=150": presets and parameters, in any order.

    A parameter overrides what a preset says about it, and is required if two presets disagree.
    ``hands=N`` replaces the target unless a target is given as well. ``str`` of the result is the
    canonical text.

    Raises Unreadable, and Illegal ("rules-contradict") if presets contradict each other or a
    parameter contradicts a preset's name. Readable rules that can't be played are left to
    ``check``.
    """
    words = text.split()
    if not words:
        raise Unreadable(
            "unreadable-rules",
            "Rules are names and parameters, as in: oklahoma target=150. The basic game is "
            "called standard.",
        )
    presets = _named([word for word in words if "=" not in word])
    given = _given([word for word in words if "=" in word])
    if given.get("hands") is not None and "target" not in given:
        given["target"] = None
    values = {name: DEFAULTS[name] for name in NAMES}
    for preset in reversed(presets):
        values.update(preset.values)
    values |= given
    _check_agreement(presets, given, values)
    for preset in presets:
        name = preset.contradicting(values)
        if name is not None:
            raise Illegal(
                "rules-contradict",
                f"{key_of(name)}={value_text(values[name])} and {preset.name} contradict each "
                f"other: {preset.name} {preset.meaning}. "
                f"Write instead: {corrected(RuleSet(**values))}.",
                "9.2",
            )
    return RuleSet(**values)


def has_rules(rules: RuleSet, text: str) -> bool:
    """Return whether these rules have every name and value in *text*. Rules "oklahoma target=150"
    have "oklahoma" and "target=150", but not "standard". Raises Unreadable."""
    words = text.split()
    values = _given([word for word in words if "=" in word])
    names = {preset.name for preset in _named([word for word in words if "=" not in word])}
    named_so = names <= {*str(rules).split()}
    return named_so and all(getattr(rules, name) == value for name, value in values.items())


def _named(names: list[str]) -> list[Preset]:
    for name in names:
        if name not in PRESETS:
            from difflib import get_close_matches

            near = get_close_matches(name, PRESETS, n=1)
            which = f"Maybe you meant {near[0]}" if near else f"The names are {', '.join(PRESETS)}"
            sentence = f"There are no rules named {json.dumps(name[:20])}. {which}."
            for parameter, usual in DEFAULTS.items():
                if name == key_of(parameter):
                    value = "6" if usual is None else value_text(usual)
                    sentence = f"{name} needs a value, as in {name}={value}."
            raise Unreadable("unknown-preset", sentence)
        if names.count(name) > 1:
            raise Unreadable("repeated-rule", f"{name} is named twice; write it once.")
    return [preset for preset in PRESETS.values() if preset.name in names]


def _check_agreement(
    presets: Sequence[Preset], given: Mapping[str, Any], values: Mapping[str, Any]
) -> None:
    """Raise Illegal if two presets disagree on a parameter that isn't *given*. The suggested
    correction is based on *values*, in which the first preset takes precedence."""
    for at, preset in enumerate(presets):
        for name, value in preset.values.items():
            other = next((p for p in presets[:at] if p.values.get(name, value) != value), None)
            if other is None or name in given:
                continue
            sentence = (
                f"{other.name} has {key_of(name)}={value_text(other.values[name])} and "
                f"{preset.name} {key_of(name)}={value_text(value)}"
            )
            example = str(corrected(RuleSet(**values)))
            if {other.name, preset.name} <= set(example.split()):
                instead = f"Choose one, as in: {example}."
            else:  # no value satisfies both
                instead = f"Write {other.name} or {preset.name}."
            raise Illegal("rules-contradict", f"{sentence}. {instead}", "9.2")
