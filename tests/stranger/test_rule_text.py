"""The program and the stranger read the same rule sets and write them alike."""

from __future__ import annotations

import random
from functools import cache

from ginpeer.rules.cards import RulesError
from ginpeer.rules.presets import parse_ruleset
from tests.campaign.rule_sets import RULE_SETS
from tests.stranger.refusal import Refusal
from tests.stranger.rule_text import PARAMETERS, PRESETS, STANDARD, Rules, parse_rules, read


def stranger_reads(text: str) -> tuple[str, Rules | None]:
    try:
        return "played", parse_rules(text)
    except Refusal as refusal:
        return refusal.code, read(text)


def program_reads(text: str) -> tuple[str, str | None]:
    """What the program says of a text, and the canonical one of the same rule set."""
    try:
        rules = parse_ruleset(text)
        rules.check()
    except RulesError:
        return "rules-unsupported", None
    return "played" if str(rules) == text else "rules-not-canonical", str(rules)


def agree(text: str) -> str:
    code, canonical = program_reads(text)
    outcome, rules = stranger_reads(text)
    assert outcome == code, text
    if canonical is not None:
        # The program's text of it is the stranger's too, and means the same.
        assert stranger_reads(canonical) == ("played", rules), (text, canonical)
    return code


@cache
def _values(name: str) -> list[str]:
    values = PARAMETERS[name]
    return [*values.words, *map(str, values.numbers)]


def _value(rng: random.Random, name: str) -> str:
    values = _values(name)
    return rng.choice([str(STANDARD[name]), rng.choice(values), values[0], values[-1]])


def _text(rng: random.Random) -> str:
    """Names that may stand together or not, with parameters that may agree or not."""
    names = list(PRESETS)
    if rng.random() < 0.2:  # what a preset stands for, almost, without its name
        meant = {k: v for k, v in PRESETS[rng.choice(names)].values.items() if rng.random() < 0.9}
        pairs = [f"{name}={value}" for name, value in meant.items()]
        name = rng.choice(list(PARAMETERS))
        return " ".join(["standard", *pairs, *([] if name in meant else [f"{name}=1"])])
    head = [rng.choice(names)]
    while rng.random() < 0.3:
        head.append(rng.choice(names[-2:] if rng.random() < 0.9 else names))
    chosen = rng.sample(list(PARAMETERS), rng.choice([0, 1, 1, 2, 2, 3, 4]))
    words = [*head, *(f"{name}={_value(rng, name)}" for name in chosen)]
    spoilt = rng.random()
    if spoilt < 0.02:
        rng.shuffle(words)
    text = " ".join(words)
    if spoilt > 0.95:
        text = text.replace("=", rng.choice(["==", "= ", " =", "=0", "=+", "=-", ""]), 1)
    elif spoilt > 0.92:
        text = rng.choice([f" {text}", f"{text} ", text.replace(" ", "  "), text.upper()])
    return text


def test_both_read_and_write_the_same_random_rule_sets() -> None:
    rng = random.Random("texts")
    outcomes = [agree(_text(rng)) for _ in range(1500)]
    for code in ("played", "rules-not-canonical", "rules-unsupported"):
        assert outcomes.count(code) > 150


def test_both_know_every_parameter_and_the_ends_of_its_range() -> None:
    words = [
        f"{name}={value}"
        for name in PARAMETERS
        for value in (-1, 0, 1, 2, 3, 10, 15, 99, 100, 101, 1000, 1001, 10**4, 10**5, 10**6)
    ]
    words += [f"{name}={value}" for name in PARAMETERS for value in ("none", "no", "010", "")]
    words += [f"{name}={word}" for name, values in PARAMETERS.items() for word in values.words]
    words += ["10001=1", "target=10001", "multi-match=100001", "stake=1000001", "moon=1", "=1"]
    for word in words:
        for head in ("standard", "oklahoma", "multi-match"):
            agree(f"{head} {word}")


def test_both_take_the_rule_sets_of_the_campaigns() -> None:
    for text in RULE_SETS:
        assert agree(text) in ("played", "rules-not-canonical")
        assert agree(str(parse_ruleset(text))) == "played"


def test_a_text_without_words_names_nothing() -> None:
    for text in ("", " ", "target=10", "gin", "standard standard", "hollywood hollywood"):
        assert agree(text) == "rules-unsupported"
