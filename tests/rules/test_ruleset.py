from dataclasses import fields, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ginpeer.rules import (
    PRESETS,
    STANDARD,
    Illegal,
    RuleSet,
    Unreadable,
    Unsupported,
    parse_card,
    parse_ruleset,
)
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import KnockLimit, Shutout, Tie


def test_standard_is_the_game_of_the_books():
    assert str(STANDARD) == "standard"
    assert parse_ruleset("standard") == STANDARD == RuleSet()
    STANDARD.check()


def test_only_what_differs_is_written():
    rules = parse_ruleset("standard box=20 target=150")
    assert (rules.target, rules.box) == (150, 20)
    assert str(rules) == "standard target=150 box=20"
    assert parse_ruleset("standard target=100") == STANDARD


@pytest.mark.parametrize(
    "text",
    [
        "standard target=150 box=20",
        "standard knock-limit=5",
        "standard undercut-bonus=10 tie=nobody gin-bonus=20 big-gin=none",
        "standard game-bonus=0 shutout=none",
        "standard shutout=double-game-bonus",
        "standard swap-limit=10",
        "standard first-dealer=lower-cut after-void=same-dealer misdeal=no multi-match=none",
    ],
)
def test_numbers_and_readings_that_are_played(text):
    parse_ruleset(text).check()


# Every preset: its canonical text, and what it stands for, written out parameter by parameter.
PRESET_TEXTS = {
    "standard": "standard",
    "classic": "standard undercut-bonus=10 tie=no-bonus gin-bonus=20 big-gin=none box=20 "
    "shutout=double-game-bonus",
    "tournament": "standard wall=last-discard target=250 best-of=5",
    "oklahoma": "standard knock-limit=upcard spades-double=yes",
    "oklahoma-floating": "standard knock-limit=floating",
    "straight": "standard knock-limit=0",
    "tedesco": "standard knock-limit=upcard spades-double=yes runs-wrap=yes ace-pips=15 target=200 "
    "columns=3",
    "around-the-corner": "standard runs-wrap=yes",
    "mahjong": "standard knock-limit=0 mahjong=yes big-gin=none target=500",
    "hollywood": "standard columns=3",
    "multi-match": "standard multi-match=500 shutout=double-game-bonus",
}


def test_the_presets_are_these_in_this_order():
    assert list(PRESETS) == list(PRESET_TEXTS)


@pytest.mark.parametrize("name", PRESET_TEXTS)
def test_a_preset_stands_for_its_values(name):
    assert parse_ruleset(name) == parse_ruleset(PRESET_TEXTS[name]) == PRESETS[name].rules


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("oklahoma box=20 target=150", "oklahoma target=150 box=20"),
        ("standard hollywood", "hollywood"),
        ("standard knock-limit=0", "straight"),
        ("standard knock-limit=0 columns=3", "straight hollywood"),
        ("standard knock-limit=upcard", "standard knock-limit=upcard"),
        ("oklahoma spades-double=no", "standard knock-limit=upcard"),
        ("oklahoma knock-limit=second-deck", "oklahoma knock-limit=second-deck"),
        ("tedesco hollywood", "tedesco"),
        ("tedesco columns=1", "tedesco columns=1"),
        ("oklahoma multi-match hollywood target=150", "oklahoma hollywood multi-match target=150"),
        ("hollywood multi-match", "hollywood multi-match"),
        ("multi-match shutout=double-hands", "standard multi-match=500"),
        ("classic game-bonus=200", "classic game-bonus=200"),
        ("tournament best-of=3", "tournament best-of=3"),
        ("standard hands=6", "standard hands=6"),
        ("standard target=none hands=6", "standard hands=6"),
        ("classic hands=8", "classic hands=8"),
    ],
)
def test_a_rule_set_has_one_text(typed, canonical):
    rules = parse_ruleset(typed)
    assert str(rules) == canonical
    assert parse_ruleset(canonical) == rules


@pytest.mark.parametrize(
    "text",
    ["standard misdeal=yes", "classic misdeal=yes"],
)
def test_a_misdeal_is_known_and_not_played(text):
    with pytest.raises(Unsupported) as refusal:
        parse_ruleset(text).check()
    assert refusal.value.code == "rule-unsupported"
    assert "misdeal=yes" in str(refusal.value)
    with pytest.raises(Unsupported):
        Hand.begin(parse_ruleset(text), 0, parse_card("7d"))
    with pytest.raises(Unsupported):
        Match.begin(parse_ruleset(text), 0)


# Each contradiction, and the two values that its sentence has to name.
CONTRADICTIONS = {
    "standard ace-limit=one": ("ace-limit=one", "knock-limit=10"),
    "standard spades-double=yes": ("spades-double=yes", "knock-limit=10"),
    "oklahoma-floating spades-double=yes": ("spades-double=yes", "knock-limit=floating"),
    "oklahoma knock-limit=second-deck opening=either-pile": (
        "opening=either-pile",
        "knock-limit=second-deck",
    ),
    "standard mahjong=yes": ("mahjong=yes", "knock-limit=10"),
    "standard mahjong=yes knock-limit=0": ("mahjong=yes", "big-gin=31"),
    "mahjong undercut-bonus=10": ("mahjong=yes", "undercut-bonus=10"),
    "mahjong tie=nobody": ("mahjong=yes", "tie=nobody"),
    "mahjong ace-pips=15": ("mahjong=yes", "ace-pips=15"),
    "standard hands=6 target=150": ("hands=6", "target=150"),
    "standard target=none": ("hands=none", "target=none"),
    "tournament hands=6": ("hands=6", "best-of=5"),
    "multi-match hands=6": ("hands=6", "multi-match=500"),
    "hollywood hands=6": ("hands=6", "columns=3"),
    "tournament multi-match=500": ("best-of=5", "multi-match=500"),
    "multi-match multi-match=100": ("multi-match=100", "target=100"),
}


@pytest.mark.parametrize("text", CONTRADICTIONS)
def test_a_contradiction_is_refused_and_names_both_values(text):
    rules = parse_ruleset(text)
    with pytest.raises(Illegal) as refusal:
        rules.check()
    assert refusal.value.code == "rules-contradict"
    assert all(value in str(refusal.value) for value in CONTRADICTIONS[text])
    with pytest.raises(Illegal):
        Hand.begin(rules, 0, parse_card("7d"))
    with pytest.raises(Illegal):
        Match.begin(rules, 0)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("straight knock-limit=5", ("knock-limit=5", "straight")),
        ("oklahoma knock-limit=10", ("knock-limit=10", "oklahoma")),
        ("oklahoma-floating knock-limit=upcard", ("knock-limit=upcard", "oklahoma-floating")),
        ("hollywood columns=1", ("columns=1", "hollywood")),
        ("tournament best-of=1", ("best-of=1", "tournament")),
        ("tedesco runs-wrap=no", ("runs-wrap=no", "tedesco")),
        ("around-the-corner runs-wrap=no", ("runs-wrap=no", "around-the-corner")),
        ("mahjong mahjong=no", ("mahjong=no", "mahjong")),
        ("multi-match multi-match=none", ("multi-match=none", "multi-match")),
    ],
)
def test_what_takes_a_presets_name_back_is_refused(text, values):
    with pytest.raises(Illegal) as refusal:
        parse_ruleset(text)
    assert refusal.value.code == "rules-contradict"
    assert all(value in str(refusal.value) for value in values)


@pytest.mark.parametrize(
    "words",
    [
        "knock-limit=11",
        "target=0",
        "target=10001",
        "box=1001",
        "gin-bonus=1001",
        "undercut-bonus=1001",
        "big-gin=1001",
        "game-bonus=10001",
        "swap-limit=1",
        "swap-limit=1001",
        "ace-pips=2",
        "columns=2",
        "best-of=2",
        "best-of=0",
        "hands=0",
        "hands=1001",
        "multi-match=0",
        "stake=1000001",
    ],
)
def test_numbers_outside_their_range_are_refused(words):
    with pytest.raises(Illegal) as refusal:
        parse_ruleset("standard " + words).check()
    assert refusal.value.code == "rule-out-of-range"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("knock-limit=11", "knock-limit=11 is not possible; it can be 0 to 10."),
        ("ace-pips=2", "ace-pips=2 is not possible; it can be 1 or 15."),
        ("best-of=2", "best-of=2 is not possible; it can be an odd number from 1 to 99."),
    ],
)
def test_the_sentence_says_what_is_possible(words, sentence):
    with pytest.raises(Illegal) as refusal:
        parse_ruleset("standard " + words).check()
    assert str(refusal.value) == sentence


def test_a_negative_bonus_is_refused_even_when_no_text_made_it():
    with pytest.raises(Illegal):
        replace(STANDARD, box=-25).check()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "unreadable-rules"),
        ("Standard", "unknown-preset"),
        ("target=150", "unreadable-rules"),
        ("standard colour=red", "unknown-rule"),
        ("standard target", "unknown-preset"),
        ("standard knock_limit=5", "unknown-rule"),
        ("standard jokers=2", "unknown-rule"),
        ("standard target=150 target=150", "repeated-rule"),
        ("standard target=", "unreadable-rules"),
        ("standard target=+5", "unreadable-rules"),
        ("standard target=007", "unreadable-rules"),
        ("standard target=1e3", "unreadable-rules"),
        ("standard target=²", "unreadable-rules"),
        ("standard target=" + "9" * 5000, "unreadable-rules"),
        ("standard box=none", "unreadable-rules"),
        ("standrad", "unknown-preset"),
        ("standard oklahoma", "unreadable-rules"),
        ("hollywood oklahoma", "unreadable-rules"),
        ("hollywood hollywood", "unreadable-rules"),
        ("standard box=20 hollywood", "unreadable-rules"),
        ("standard tie=maybe", "unreadable-rules"),
        ("standard runs-wrap=true", "unreadable-rules"),
        ("standard knock-limit=spades", "unreadable-rules"),
    ],
)
def test_what_is_no_rule_set_is_unreadable(text, code):
    with pytest.raises(Unreadable) as refusal:
        parse_ruleset(text)
    assert refusal.value.code == code


def values_of(field):
    default = field.default
    if field.name == "knock_limit":
        return st.integers(0, 10) | st.sampled_from(KnockLimit)
    if field.name in ("big_gin", "target", "hands", "multi_match"):
        return st.none() | st.integers(0, 100_000)
    if isinstance(default, bool):
        return st.booleans()
    if isinstance(default, int):
        return st.integers(0, 1_000_000)
    return st.sampled_from(type(default))


rule_sets = st.fixed_dictionaries(
    {}, optional={field.name: values_of(field) for field in fields(RuleSet)}
).map(lambda values: RuleSet(**values))

near_presets = st.builds(
    lambda names, values: replace(parse_ruleset(names), **values),
    st.sampled_from(
        [
            " ".join(filter(None, (base, *over)))
            for base in PRESETS
            if not PRESETS[base].over_any
            for over in ((), ("hollywood",), ("multi-match",), ("hollywood", "multi-match"))
        ]
    ),
    st.fixed_dictionaries({}, optional={field.name: values_of(field) for field in fields(RuleSet)}),
)


@given(rule_sets | near_presets)
def test_every_rule_set_reads_back_from_its_text(rules):
    assert parse_ruleset(str(rules)) == rules
    assert str(parse_ruleset(str(rules))) == str(rules)
    assert eval(repr(rules)) == rules


@given(near_presets)
def test_no_text_is_longer_than_the_one_over_standard(rules):
    assume(rules.hands is None or rules.target is None)  # else the target has to be named
    plain = ["standard"] + [
        rules.word(field.name)
        for field in fields(RuleSet)
        if getattr(rules, field.name) != field.default
    ]
    assert len(str(rules).split()) <= len(plain)


def test_each_reading_of_ties_and_shutouts_has_a_text():
    assert {tie.value for tie in Tie} == {"undercut", "no-bonus", "nobody"}
    assert {s.value for s in Shutout} == {"double-hands", "double-game-bonus", "none"}
