"""`ginpeer rules`: explain a rule set, or the differences between two; and parse typed rules."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from cli.program import failures_of
from cli.terminal.output import print_lines
from cli.text.grammar import plural
from cli.text.rules import (
    PRESET_LINES,
    Numbered,
    parameter_differences,
    rule_sentences,
    sentence_differences,
    with_number,
)
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet, parse_ruleset


def run_rules(args: Namespace) -> int:
    named = " ".join(args.rules)
    if args.list:
        lines = preset_lines()
    elif args.diff is not None:
        lines = comparison(typed_rules(named or "standard"), typed_rules(" ".join(args.diff)))
    else:
        lines = explanation(typed_rules(named or "standard"))
        if not named:
            lines += ["", *preset_lines()]
    print_lines(*lines)
    return 0


def explanation(rules: RuleSet) -> list[str]:
    return [f"The rules: {rules}.", "", *_sentences(rule_sentences(rules))]


def preset_lines() -> list[str]:
    width = max(map(len, PRESET_LINES))
    return [
        "Named rules. You can combine names and change values, like: oklahoma hollywood "
        "target=150.",
        *(f"  {name:{width}}  {about}" for name, about in PRESET_LINES.items()),
    ]


def comparison(one: RuleSet, other: RuleSet) -> list[str]:
    """Return what differs: the parameters with both values, then the sentences of each side."""
    apart_in = parameter_differences(one, other)
    if not apart_in:
        return [f"These are the same rules: {one}."]
    lines = [f"{one} and {other} differ in {plural(len(apart_in), 'parameter')}:"]
    lines += [f"  {key}: {ours} in {one}; {theirs} in {other}" for key, ours, theirs in apart_in]
    for rules, sentences in zip((one, other), sentence_differences(one, other), strict=True):
        if sentences:
            lines += ["", f"Only in {rules}:", *_sentences(sentences)]
    return lines


def _sentences(numbered: Sequence[Numbered]) -> list[str]:
    return [with_number(number, sentence) for number, sentence in numbered]


def typed_rules(text: str) -> RuleSet:
    with failures_of(RulesError):
        rules = parse_ruleset(text)
        rules.check()
    return rules
