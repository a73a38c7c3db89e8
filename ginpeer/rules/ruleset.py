"""The rule set: every parameter of the game, as one immutable value (RULES 9).

Both players sign the text of the whole rule set, so nothing about the rules is implicit. Values
that cannot be played together are refused by ``check``, with the reason and with what to write
instead, rather than ignored (ginpeer.rules.contradictions).

The text names presets first and then what differs: "oklahoma hollywood target=150"
(ginpeer.rules.presets).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ginpeer.rules.cards import Illegal, Unreadable, Unsupported
from ginpeer.rules.contradictions import corrected, refuse_contradiction
from ginpeer.rules.parameters import (
    DEFAULTS,
    NAMES,
    Parameters,
    key_of,
    parse_value,
    value_text,
)
from ginpeer.rules.presets import PRESETS, Preset, canonical_text


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet(Parameters):
    """All parameters. The defaults are standard gin; RULES 9.1 says where each value comes from.

    Points are whole numbers. ``target`` is None where only the number of ``hands`` ends the match.
    A value can be given as its text, too: ``RuleSet(tie="nobody") == RuleSet(tie=Tie.NOBODY)``.
    Raises Unreadable for a value of another type. ``str`` gives the canonical text, "oklahoma
    target=150", and ``parse_ruleset`` reads it back.
    """

    def check(self) -> None:
        """Raise Illegal for a value outside its range or a contradiction, and Unsupported for a
        sound value that is not played. The sentence says what to write instead."""
        self.check_ranges()
        refuse_contradiction(self)
        if self.misdeal:
            raise Unsupported(
                "rule-unsupported",
                "misdeal=yes is not played: proving a misdeal would expose a private hand. Write "
                "misdeal=no.",
                "5.2",
            )

    def __str__(self) -> str:
        return canonical_text(self)

    def __repr__(self) -> str:
        return f"parse_ruleset({str(self)!r})"


STANDARD = RuleSet()


def parse_ruleset(text: str) -> RuleSet:
    """Read "oklahoma hollywood target=150": names of presets and parameters, in any order.

    A parameter stands above what a preset says of it, and has to be given where two presets say
    different things. ``hands=N`` takes the place of the target, unless one is given with it.
    ``str`` of the result is the canonical text.

    Raises Unreadable, and Illegal ("rules-contradict") where presets contradict each other, or a
    parameter takes back what a preset's name says; what is readable and cannot be played is left to
    ``check``.
    """
    words = text.split()
    if not words:
        raise Unreadable(
            "unreadable-rules",
            "Rules are names and parameters, as in: oklahoma target=150. The plain game is called "
            "standard.",
        )
    presets = _named([word for word in words if "=" not in word])
    given = _given([word for word in words if "=" in word])
    if given.get("hands") is not None and "target" not in given:
        given["target"] = None
    values = _joined(presets, given)
    for preset in presets:
        name = preset.taken_back(values)
        if name is not None:
            raise Illegal(
                "rules-contradict",
                f"{key_of(name)}={value_text(values[name])} and {preset.name} contradict each "
                f"other: {preset.name} {preset.essential[name][1]}. "
                f"Write instead: {corrected(RuleSet(**values))}.",
                "9.2",
            )
    return RuleSet(**values)


def has_rules(rules: RuleSet, text: str) -> bool:
    """Whether these rules are called by all the names in *text*, and have all the values in it:
    "oklahoma target=150" is oklahoma, and is target=150, and is not standard. Raises what
    ``parse_ruleset`` raises."""
    words = text.split()
    values = _given([word for word in words if "=" in word])
    names = {preset.name for preset in _named([word for word in words if "=" not in word])}
    named_so = names <= {*str(rules).split()}
    return named_so and all(getattr(rules, name) == value for name, value in values.items())


def _named(names: list[str]) -> list[Preset]:
    for name in names:
        if name not in PRESETS:
            raise Unreadable(
                "unknown-preset",
                f"There are no rules named {name[:20]!r}; there are {', '.join(PRESETS)}.",
            )
        if names.count(name) > 1:
            raise Unreadable("repeated-rule", f"{name} is named twice; write it once.")
    return [preset for preset in PRESETS.values() if preset.name in names]


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
            raise Unreadable("repeated-rule", f"{key} is given twice; write it once.")
        values[name] = parse_value(name, value)
    return values


def _joined(presets: Sequence[Preset], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values that presets stand for together, and the given ones above them. Raises Illegal
    where two presets say different things of a parameter that is not given."""
    values: dict[str, Any] = {}
    for preset in presets:
        for name, value in preset.values.items():
            if name not in given and values.get(name, value) != value:
                other = next(p for p in presets if p.values.get(name, value) != value)
                raise _split(other, preset, name, _values_of(presets, given))
            values[name] = value
    return {name: DEFAULTS[name] for name in NAMES} | values | dict(given)


def _split(one: Preset, other: Preset, name: str, first: Mapping[str, Any]) -> Illegal:
    """The refusal of two presets that differ in a parameter; *first* has the values of all presets,
    those of the first where they differ."""
    sentence = (
        f"{one.name} has {key_of(name)}={value_text(one.values[name])} and {other.name} "
        f"{key_of(name)}={value_text(other.values[name])}"
    )
    example = str(corrected(RuleSet(**first)))
    if {one.name, other.name} <= set(example.split()):
        instead = f"Write which, as in: {example}."
    else:  # nothing keeps the word of both
        instead = f"Write {one.name} or {other.name}."
    return Illegal("rules-contradict", f"{sentence}. {instead}", "9.2")


def _values_of(presets: Sequence[Preset], given: Mapping[str, Any]) -> dict[str, Any]:
    values = {name: DEFAULTS[name] for name in NAMES}
    for preset in reversed(presets):
        values.update(preset.values)
    return values | dict(given)
