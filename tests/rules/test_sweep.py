"""A sweep over the texts of rule sets: no two that play alike print differently, and none is
ignored."""

import random
from dataclasses import replace
from enum import Enum
from itertools import combinations

import pytest

from ginpeer.rules import PRESETS, STANDARD, parameters, parse_ruleset
from ginpeer.rules.cards import RulesError
from ginpeer.rules.parameters import NAMES, contradictions_in, key_of
from tests.rules.likeness import alike

NUMBERS = {
    "knock_limit": (0, 1, 2, 9, "upcard", "floating", "second-deck"),
    "swap_limit": (4, 41),
    "ace_pips": (15,),
    "undercut_bonus": (0, 26),
    "gin_bonus": (0, 26, 200),
    "big_gin": ("none", 0, 25),
    "target": (1, 2, 25, 26, 75, 76, 80, 99, 131, 132, "none"),
    "hands": (1, 2, 12),
    "game_bonus": (0, 1),
    "box": (0, 50),
    "columns": (3,),
    "best_of": (3,),
    "multi_match": (1, 225, 226, 227, 450, 451, 1000),
    "stake": (5,),
}


def values_of(name):
    standard = getattr(STANDARD, name)
    if isinstance(standard, bool):
        return ("yes",)
    if isinstance(standard, Enum):
        return tuple(value.value for value in type(standard) if value is not standard)
    return NUMBERS[name]


WORDS = {name: [f"{key_of(name)}={value}" for value in values_of(name)] for name in NAMES}
SINGLE = [word for words in WORDS.values() for word in words]
PAIRS = [
    f"{one} {other}"
    for first, second in combinations(NAMES, 2)
    for one in WORDS[first]
    for other in WORDS[second]
]
NAMED = [" ".join(names) for names in (*combinations(PRESETS, 1), *combinations(PRESETS, 2))]


def accepted(texts):
    """Return the accepted rule sets that these texts mean, by their canonical text."""
    found = {}
    for text in texts:
        try:
            rules = parse_ruleset(text)
            rules.check()
        except RulesError:
            continue
        found[str(rules)] = rules
    return found


def printed(groups):
    return sorted(sorted(map(str, group)) for group in groups)


@pytest.mark.deep
def test_no_two_texts_of_one_or_two_parameters_play_alike():
    rule_sets = accepted(["standard", *SINGLE, *PAIRS])
    assert len(rule_sets) > 1300
    assert len(set(rule_sets.values())) == len(rule_sets)
    assert printed(alike(rule_sets.values())) == []


@pytest.mark.deep  # each parameter alone: tests/rules/test_parameters_*.py
def test_no_two_texts_of_presets_and_a_parameter_play_alike():
    texts = [f"{names} {word}" for names in PRESETS for word in SINGLE]
    rule_sets = accepted([*NAMED, *texts])
    assert len(rule_sets) > 500
    assert printed(alike(rule_sets.values())) == []


# --- without the refusals ---------------------------------------------------------------

NOTICED = {
    # These values would have an effect, but none that anybody could intend.
    *(("mahjong", "knock_limit"), ("mahjong", "big_gin"), ("hands", "best_of")),
    *(("hands", "multi_match"), ("hands", "columns"), ("best_of", "multi_match")),
    ("multi_match", "target"),
}


def refused_for_nothing(texts):
    """Return the rule sets that have one contradiction, because of which a value changes nothing,
    each with the rule set that is said to be the same; by the parameters that contradict each
    other."""
    found = {}
    for text in texts:
        try:
            rules = parse_ruleset(text)
            rules.check_ranges()
        except RulesError:
            continue
        clashes = list(contradictions_in(rules))
        if len(clashes) != 1 or (clashes[0].one, clashes[0].other) in NOTICED:
            continue
        if rules.hands is None and rules.target is None:  # a match without an end isn't a match
            continue
        same = replace(rules, **clashes[0].instead)
        found.setdefault((clashes[0].one, clashes[0].other), {})[rules] = same
    return found


def test_what_is_refused_for_changing_nothing_changes_nothing(monkeypatch):
    """If such a rule set were accepted, the sweep would find it."""
    texts = [*SINGLE, *PAIRS, *(f"{names} {word}" for names in PRESETS for word in SINGLE), *RARE]
    refused = refused_for_nothing(texts)
    assert len(refused) >= 14
    monkeypatch.setattr(parameters, "contradictions_in", lambda rules: iter(()))
    rng = random.Random("nothing")
    for pairs in refused.values():
        for rules, same in rng.sample(sorted(pairs.items(), key=str), min(2, len(pairs))):
            assert rules != same
            assert printed(alike([rules, same], tries=60)) == [sorted([str(rules), str(same)])]


RARE = (  # two parameters aren't enough for these
    "straight gin-bonus=60 big-gin=60 lead-of-fifty-loses=yes target=1",
    "mahjong multi-match=602",
    "mahjong gin-bonus=26 target=76",
)


def test_a_text_that_is_ignored_is_found(monkeypatch):
    def kept(rules):
        left_out = ("undercut_bonus", "knock_limit")
        return (each for each in contradictions_in(rules) if (each.one, each.other) != left_out)

    monkeypatch.setattr(parameters, "contradictions_in", kept)
    rule_sets = accepted(f"straight{word and ' '}{word}" for word in ["", *SINGLE])
    assert printed(alike(rule_sets.values(), tries=60)) == [
        ["straight", "straight undercut-bonus=0", "straight undercut-bonus=26"]
    ]
