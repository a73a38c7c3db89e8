"""A sweep over the texts of rule sets: no two play alike and print differently, none is ignored.

All texts of one and two parameters beside standard, over values at and around whatever ends a
range or decides something; and all presets and pairs of presets with one parameter or none. What
is accepted is told apart by playing (tests.rules.likeness). Of what is refused for changing
nothing, it is shown that it changes nothing.
"""

from enum import Enum
from itertools import combinations

from ginpeer.rules import PRESETS, STANDARD, parse_ruleset
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import NAMES, key_of
from tests.rules.likeness import alike

NUMBERS = {
    "knock_limit": (0, 1, 2, 9, "upcard", "floating", "second-deck"),
    "swap_limit": (4, 5, 41),
    "ace_pips": (15,),
    "undercut_bonus": (0, 10, 26),
    "gin_bonus": (0, 1, 26, 200),
    "big_gin": ("none", 0, 25, 30),
    "target": (1, 2, 25, 26, 50, 75, 76, 80, 99, 101, 131, 132, "none"),
    "hands": (1, 2, 3, 40),
    "game_bonus": (0, 1, 200),
    "box": (0, 1, 50),
    "columns": (3,),
    "best_of": (3, 5),
    "multi_match": (1, 225, 226, 227, 450, 451, 500, 1000),
    "stake": (1, 5),
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
    """The rule sets that these texts mean and that are played, by their canonical text."""
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


def test_no_two_texts_of_one_or_two_parameters_play_alike():
    rule_sets = accepted(["standard", *SINGLE, *PAIRS])
    assert len(rule_sets) > 1500
    assert len(set(rule_sets.values())) == len(rule_sets)
    assert printed(alike(rule_sets.values())) == []


def test_no_two_texts_of_presets_and_a_parameter_play_alike():
    texts = [f"{names} {word}" for names in PRESETS for word in SINGLE]
    rule_sets = accepted([*NAMED, *texts])
    assert len(rule_sets) > 500
    assert printed(alike(rule_sets.values())) == []
