"""Rules that were typed after a command."""

from __future__ import annotations

from cli.failure import USAGE, Failure
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet, parse_ruleset


def typed_rules(text: str) -> RuleSet:
    """The rule set of these words. Raises Failure where it cannot be read or played."""
    try:
        rules = parse_ruleset(text)
        rules.check()
    except RulesError as why:
        raise Failure(why.code, why.sentence, USAGE) from why
    return rules
