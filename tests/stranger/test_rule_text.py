"""The program and the stranger read the same rule sets and write them alike."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import parse_ruleset
from tests.campaign.rule_sets import RULE_SETS
from tests.rules import texts
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


def _words_in_any_order(rng: random.Random) -> str:
    """Up to three presets and three parameters, not two of a name."""
    chosen = rng.sample(list(PARAMETERS), rng.choice([0, 1, 1, 2, 2, 3]))
    words = rng.sample(list(PRESETS), rng.choice([0, 0, 1, 1, 1, 2, 2, 3]))
    words += [f"{name}={_value(rng, name)}" for name in chosen]
    rng.shuffle(words)
    return " ".join(words)


def _text(rng: random.Random) -> str:
    """Names that may stand together or not, with parameters that may agree or not."""
    names = list(PRESETS)
    if rng.random() < 0.6:
        return _words_in_any_order(rng)
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


@pytest.mark.deep
def test_both_read_and_write_the_same_random_rule_sets() -> None:
    rng = random.Random("texts")
    outcomes = [agree(_text(rng)) for _ in range(2500)]
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


def test_both_find_the_same_neighbours_of_every_contradiction() -> None:
    """Numbers beside the bounds W, M and F, in rule sets that have other ones."""
    rng = random.Random("bounds")
    outcomes = []
    for _ in range(1500):
        name = rng.choice(["target", "hands", "multi-match"])
        words = rng.choice(_BOUNDED).split() + rng.sample(_BOUNDING, rng.randrange(4))
        pairs = {word.partition("=")[0]: word for word in words}
        if name in ("target", "multi-match"):
            number = rng.choice([rng.randrange(1, 40), rng.randrange(1, 1200)])
            pairs[name] = f"{name}={number}"
            if name == "multi-match":
                pairs["target"] = f"target={rng.choice([1, 2, 7, 25, 26, 60, 75, 100])}"
                pairs.pop("hands", None)
        else:
            pairs[name] = f"{name}={rng.randrange(1, 4)}"
            pairs["target"] = f"target={rng.randrange(1, 400)}"
        outcomes.append(agree(" ".join(pairs.values())))
    assert min(Counter(outcomes).values()) > 100


_BOUNDED = ["standard", "straight", "mahjong", "classic", "tedesco", "hollywood", "oklahoma"]
_BOUNDING = [
    *("gin-bonus=0", "gin-bonus=60", "gin-bonus=77", "big-gin=0", "big-gin=none", "big-gin=70"),
    *("undercut-bonus=0", "undercut-bonus=300", "tie=no-bonus", "tie=nobody", "ace-pips=15"),
    *("spades-double=yes", "knock-limit=0", "knock-limit=1", "lead-of-fifty-loses=yes", "box=0"),
    *("box=1000", "box=3", "game-bonus=0", "game-bonus=33", "columns=3", "next-dealer=loser"),
    *("after-void=alternates", "shutout=double-game-bonus", "best-of=3", "hands=1", "hands=2"),
]


def test_a_preset_and_a_parameter_of_one_name_are_two_words() -> None:
    assert agree("mahjong mahjong=yes") == "rules-not-canonical"
    assert agree("multi-match=1000 multi-match") == "rules-not-canonical"
    assert agree("multi-match multi-match=1000") == "played"


def test_a_text_without_words_or_with_one_of_them_twice_names_nothing() -> None:
    twice = ("standard standard", "hollywood hollywood", "target=10 target=10", "box=1 box=2")
    for text in ("", " ", "gin", "=", "standard=", "=no", *twice):
        assert agree(text) == "rules-unsupported"


def test_the_stranger_says_of_every_vector_what_stands_beside_it() -> None:
    rows = [row for row in texts.read() if row["code"] != "malformed"]
    for row in rows:
        outcome, rules = stranger_reads(row["text"])
        assert outcome == (row["code"] or "played"), row
        if row["canonical"] is not None:
            assert stranger_reads(row["canonical"]) == ("played", rules), row
    assert len(rows) > 200
