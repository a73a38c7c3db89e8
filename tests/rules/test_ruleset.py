from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginpeer.rules import STANDARD, Illegal, RuleSet, Unreadable, Unsupported, parse_ruleset
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.ruleset import KnockLimit, Shutout, Tie
from tests.rules.drawing import drawn


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


# One line for every parameter, or value of one, that this version knows and does not play.
REFUSED = [
    "first-dealer=agreed",
    "next-dealer=loser",
    "next-dealer=winner",
    "opening=either-pile",
    "knock-limit=0",
    "knock-limit=upcard",
    "knock-limit=floating",
    "knock-limit=second-deck",
    "knock-limit=upcard ace-limit=one",
    "knock-limit=upcard spades-double=yes",
    "wall=last-discard",
    "misdeal=yes",
    "runs-wrap=yes",
    "ace-pips=15",
    "knock-limit=0 mahjong=yes",
    "lead-of-fifty-loses=yes",
    "columns=3",
    "best-of=5",
    "multi-match=500",
    "stake=1",
]


@pytest.mark.parametrize("words", REFUSED)
def test_a_rule_that_is_not_played_is_refused_by_name(words):
    rules = parse_ruleset("standard " + words)
    with pytest.raises(Unsupported) as refusal:
        rules.check()
    assert refusal.value.code == "rule-unsupported"
    assert refusal.value.rule == "9.1"
    assert any(word in str(refusal.value) for word in words.split())


@pytest.mark.parametrize("words", REFUSED)
def test_no_hand_and_no_match_begins_by_rules_that_are_not_played(words):
    rules = parse_ruleset("standard " + words)
    with pytest.raises(Unsupported):
        Hand.begin(rules, 0, drawn("7d").bit_length() - 1)
    with pytest.raises(Unsupported):
        Match.begin(rules, 0)


@pytest.mark.parametrize(
    "preset",
    [
        "classic",
        "tournament",
        "oklahoma",
        "oklahoma-floating",
        "straight",
        "hollywood",
        "tedesco",
        "around-the-corner",
        "mahjong",
        "multi-match",
    ],
)
def test_the_other_presets_are_known_and_refused(preset):
    with pytest.raises(Unsupported) as refusal:
        parse_ruleset(preset)
    assert refusal.value.code == "preset-unsupported"


@pytest.mark.parametrize(
    "words",
    [
        "ace-limit=one",
        "spades-double=yes",
        "knock-limit=floating spades-double=yes",
        "mahjong=yes",
        "best-of=5 multi-match=500",
    ],
)
def test_contradictions_are_refused(words):
    with pytest.raises(Illegal) as refusal:
        parse_ruleset("standard " + words).check()
    assert refusal.value.code == "rules-contradict"


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
        ("Standard", "unreadable-rules"),
        ("target=150", "unreadable-rules"),
        ("standard colour=red", "unknown-rule"),
        ("standard target", "unknown-rule"),
        ("standard knock_limit=5", "unknown-rule"),
        ("standard target=150 target=150", "repeated-rule"),
        ("standard target=", "unreadable-rules"),
        ("standard target=+5", "unreadable-rules"),
        ("standard target=007", "unreadable-rules"),
        ("standard target=1e3", "unreadable-rules"),
        ("standard target=²", "unreadable-rules"),
        ("standard target=" + "9" * 5000, "unreadable-rules"),
        ("standard target=none", "unreadable-rules"),
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
    if field.name in ("big_gin", "multi_match"):
        return st.none() | st.integers(0, 100_000)
    if isinstance(default, bool):
        return st.booleans()
    if isinstance(default, int):
        return st.integers(0, 1_000_000)
    return st.sampled_from(type(default))


rule_sets = st.fixed_dictionaries(
    {}, optional={field.name: values_of(field) for field in fields(RuleSet)}
).map(lambda values: RuleSet(**values))


@given(rule_sets)
def test_every_rule_set_reads_back_from_its_text(rules):
    assert parse_ruleset(str(rules)) == rules
    assert str(parse_ruleset(str(rules))) == str(rules)
    assert eval(repr(rules)) == rules


@given(rule_sets)
def test_check_refuses_everything_that_is_not_played(rules):
    played = replace(
        STANDARD,
        **{
            name: getattr(rules, name)
            for name in (
                "knock_limit",
                "swap_limit",
                "undercut_bonus",
                "tie",
                "gin_bonus",
                "big_gin",
                "target",
                "game_bonus",
                "box",
                "shutout",
            )
        },
    )
    try:
        rules.check()
    except (Illegal, Unsupported):
        return
    assert rules == played


def test_each_reading_of_ties_and_shutouts_has_a_text():
    assert {tie.value for tie in Tie} == {"undercut", "nobody"}
    assert {s.value for s in Shutout} == {"double-hands", "double-game-bonus", "none"}
