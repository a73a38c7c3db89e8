import inspect
import re
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
    parameters,
    parse_card,
    parse_ruleset,
)
from ginpeer.rules.cards import RulesError
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match
from ginpeer.rules.parameters import AceLimit, KnockLimit, Shutout, Tie
from tests.refusals import code_of

# Every preset: its canonical text, and its meaning, spelled out parameter by parameter.
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


def test_the_presets_are_complete_and_in_order():
    assert list(PRESETS) == list(PRESET_TEXTS)


@pytest.mark.parametrize("name", PRESET_TEXTS)
def test_a_preset_stands_for_its_values(name):
    values = PRESETS[name].values
    assert parse_ruleset(name) == parse_ruleset(PRESET_TEXTS[name]) == RuleSet(**values)


@pytest.mark.parametrize("text", ["standard misdeal=yes", "classic misdeal=yes"])
def test_rules_with_a_misdeal_are_recognised_but_unsupported(text):
    with pytest.raises(Unsupported) as refusal:
        parse_ruleset(text).check()
    assert refusal.value.code == "rule-unsupported"
    assert "misdeal=yes" in str(refusal.value)
    with pytest.raises(Unsupported):
        Hand.begin(parse_ruleset(text), 0, parse_card("7d"))
    with pytest.raises(Unsupported):
        Match.begin(parse_ruleset(text), 0)


# Each contradiction, the two values that its sentence must name, and the text that it suggests.
CONTRADICTIONS = {
    "standard ace-limit=one": ("ace-limit=one", "knock-limit=10", "standard"),
    "tedesco ace-limit=one": ("ace-limit=one", "ace-pips=15", "tedesco"),
    "standard knock-limit=1 ace-pips=15": ("knock-limit=1", "ace-pips=15", "straight ace-pips=15"),
    "straight undercut-bonus=10": ("undercut-bonus=10", "knock-limit=0", "straight"),
    "straight tie=nobody": ("tie=nobody", "knock-limit=0", "straight"),
    "classic straight": (
        "undercut-bonus=10",
        "knock-limit=0",
        "classic straight undercut-bonus=25 tie=undercut",
    ),
    "oklahoma knock-limit=second-deck opening=either-pile": (
        "opening=either-pile",
        "knock-limit=second-deck",
        "oklahoma knock-limit=second-deck",
    ),
    "standard mahjong=yes": ("mahjong=yes", "knock-limit=10", "mahjong target=100"),
    "standard mahjong=yes knock-limit=0": ("mahjong=yes", "big-gin=31", "mahjong target=100"),
    "mahjong undercut-bonus=10": ("mahjong=yes", "undercut-bonus=10", "mahjong"),
    "mahjong tie=nobody": ("mahjong=yes", "tie=nobody", "mahjong"),
    "mahjong ace-pips=15": ("mahjong=yes", "ace-pips=15", "mahjong"),
    "mahjong target=498": ("target=498", "mahjong=yes", "mahjong"),
    "mahjong target=75": ("target=75", "gin-bonus=25", "mahjong target=1"),
    "straight target=25": ("target=25", "gin-bonus=25", "straight target=1"),
    "standard target=none": ("hands=none", "target=none", "standard"),
    "tournament hands=6": ("hands=6", "best-of=5", "standard wall=last-discard hands=6"),
    "multi-match hands=6": (
        "hands=6",
        "multi-match=500",
        "standard hands=6 shutout=double-game-bonus",
    ),
    "hollywood hands=6": ("hands=6", "columns=3", "hollywood target=100 hands=6"),
    "hollywood hands=1 target=100": ("hands=1", "columns=3", "standard hands=1"),
    "standard hands=6 target=656": ("hands=6", "target=656", "standard hands=6"),
    "standard hands=1 target=1": ("hands=1", "target=1", "standard hands=1"),
    "standard hands=1 next-dealer=loser": ("hands=1", "next-dealer=loser", "standard hands=1"),
    "standard next-dealer=winner target=1": ("next-dealer=winner", "target=1", "standard target=1"),
    "tournament multi-match=500": ("best-of=5", "multi-match=500", "tournament"),
    "multi-match multi-match=225": ("multi-match=225", "target=100", "multi-match"),
    "multi-match target=1": ("multi-match=500", "target=1", "multi-match target=2"),
    "tedesco multi-match": ("multi-match=500", "target=200", "tedesco multi-match multi-match=651"),
    # No two hands can score that many points, even with three boxes each.
    "multi-match target=263 multi-match=438": (
        "multi-match=438",
        "target=263",
        "multi-match target=263",
    ),
    "mahjong multi-match=602": ("multi-match=602", "mahjong=yes", "mahjong multi-match=605"),
    "classic game-bonus=0": (
        "shutout=double-game-bonus",
        "game-bonus=0",
        "classic game-bonus=0 shutout=none",
    ),
    "straight gin-bonus=60 big-gin=60 lead-of-fifty-loses=yes target=1": (
        "lead-of-fifty-loses=yes",
        "gin-bonus=60",
        "straight gin-bonus=60 big-gin=60 target=1",
    ),
}


@pytest.mark.parametrize("text", CONTRADICTIONS)
def test_a_contradiction_is_refused_with_both_values_and_a_correction(text):
    rules = parse_ruleset(text)
    with pytest.raises(Illegal) as refusal:
        rules.check()
    *values, instead = CONTRADICTIONS[text]
    assert refusal.value.code == "rules-contradict"
    assert all(value in str(refusal.value) for value in values)
    assert str(refusal.value).endswith(f" Write instead: {instead}.")
    parse_ruleset(instead).check()
    with pytest.raises(Illegal):
        Hand.begin(rules, 0, parse_card("7d"))
    with pytest.raises(Illegal):
        Match.begin(rules, 0)


def test_every_contradiction_has_an_example():
    met = set()
    for text in CONTRADICTIONS:
        found = next(parameters.contradictions_in(parse_ruleset(text)))
        met.add((found.one, found.other, found.why))
    # Contradictions with values that no version has yet.
    later = {("tie", "undercut_bonus"), ("hands", "after_void")}
    assert not later & {(one, other) for one, other, _ in met}
    written = re.findall(r"yield (?:Contradiction|_reset)\(", inspect.getsource(parameters))
    in_table = parameters._MAHJONG_NEEDS  # one of the places covers this whole table
    assert len(met) == len(written) - 1 + len(in_table) - len(later)


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("straight knock-limit=5", "Write instead: standard knock-limit=5."),
        ("oklahoma knock-limit=10", "Write instead: standard spades-double=yes."),
        ("hollywood columns=1", "Write instead: standard."),
        ("mahjong mahjong=no", "Write instead: straight big-gin=none target=500."),
        ("oklahoma straight", "Write oklahoma or straight."),
        ("tedesco mahjong", "Write tedesco or mahjong."),
        ("mahjong tournament", "Choose one, as in: tournament mahjong target=250."),
        ("tedesco tournament", "Choose one, as in: tournament tedesco target=250."),
        ("hollywood hollywood", "write it once."),
        ("target=1 target=1", "write it once."),
        ("", "The basic game is called standard."),
    ],
)
def test_a_refusal_of_rule_names_suggests_a_correction(text, instead):
    with pytest.raises(RulesError) as refusal:
        parse_ruleset(text)
    assert str(refusal.value).endswith(instead)
    if "as in: " in instead:
        parse_ruleset(instead.partition(": ")[2].rstrip(".")).check()
    if isinstance(refusal.value, Illegal):
        assert refusal.value.code == "rules-contradict"
        assert all(word in str(refusal.value) for word in text.split())


@pytest.mark.parametrize("more", ["best-of=3", "tie=nobody", "undercut-bonus=0"])
def test_the_winner_can_deal_where_a_win_may_not_end_the_match(more):
    parse_ruleset(f"standard target=1 next-dealer=winner {more}").check()


def test_a_lead_of_fifty_contradicts_a_match_of_one_hand():
    rules = parse_ruleset("straight gin-bonus=60 big-gin=60 lead-of-fifty-loses=yes hands=1")
    assert code_of(Illegal, rules.check) == "rules-contradict"
    parse_ruleset("mahjong lead-of-fifty-loses=yes hands=1").check()  # the scores can be equal


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "knock-limit=11",
            "knock-limit=11 isn't possible; it can be 0 to 10, upcard, floating or second-deck.",
        ),
        ("ace-pips=2", "ace-pips=2 isn't possible; it can be 1 or 15."),
        ("best-of=2", "best-of=2 isn't possible; it can be an odd number from 1 to 99."),
    ],
)
def test_the_sentence_of_a_refusal_says_what_is_possible(words, sentence):
    with pytest.raises(Illegal) as refusal:
        parse_ruleset("standard " + words).check()
    assert str(refusal.value) == sentence


def test_part_of_a_parameters_name_suggests_the_full_names():
    with pytest.raises(Unreadable, match=r"maybe you meant gin-bonus or big-gin\.$"):
        parse_ruleset("standard gin=10")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "unreadable-rules"),
        ("Standard", "unknown-preset"),
        ("standard target", "unknown-preset"),
        ("standard jokers=2", "unknown-rule"),
        ("standard target=150 target=150", "repeated-rule"),
        ("standard target=", "unreadable-rules"),
        ("standard target=+5", "unreadable-rules"),
        ("standard target=007", "unreadable-rules"),
        ("standard target=²", "unreadable-rules"),
        ("standard target=" + "9" * 5000, "unreadable-rules"),
        ("standard box=none", "unreadable-rules"),
        ("hollywood hollywood", "repeated-rule"),
        ("standard tie=maybe", "unreadable-rules"),
        ("standard runs-wrap=true", "unreadable-rules"),
        ("standard knock-limit=spades", "unreadable-rules"),
    ],
)
def test_a_text_that_is_not_a_rule_set_is_unreadable(text, code):
    assert code_of(Unreadable, parse_ruleset, text) == code


# A value can be given in its parameter's type or as text.


def test_values_can_be_given_as_text():
    rules = RuleSet(tie="nobody", box="20", big_gin="none", knock_limit="upcard", mahjong="no")
    assert rules == RuleSet(
        tie=Tie.NOBODY, box=20, big_gin=None, knock_limit=KnockLimit.UPCARD, mahjong=False
    )
    assert (rules.tie, type(rules.box)) == (Tie.NOBODY, int)
    assert replace(STANDARD, knock_limit="7") == RuleSet(knock_limit=7)
    assert hash(RuleSet(tie="nobody")) == hash(RuleSet(tie=Tie.NOBODY))


TIES = "tie can be undercut, no-bonus or nobody"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"tie": "maybe"}, f"{TIES}, not 'maybe'."),
        ({"tie": Shutout.NONE}, f"{TIES}, not 'none'."),
        ({"tie": None}, f"{TIES}, not 'none'."),
        ({"box": 2.5}, "box needs a plain number, not '2.5'."),
        ({"box": True}, "box needs a plain number, not 'yes'."),
        ({"box": "025"}, "box needs a plain number, not '025'."),
        ({"box": [25]}, "box needs a plain number, not 'list'."),
        ({"box": 10**5000}, "box has at most seven digits."),
        ({"box": "10000000"}, "box has at most seven digits."),
        ({"gin_bonus": None}, "gin-bonus needs a plain number, not 'none'."),
        ({"big_gin": False}, "big-gin needs a plain number or none, not 'no'."),
        ({"mahjong": 1}, "mahjong can be yes or no, not '1'."),
        (
            {"knock_limit": AceLimit.ONE},
            "knock-limit needs a plain number, upcard, floating or second-deck, not 'one'.",
        ),
        ({"tie": 10**5000}, f"{TIES}, not 'int'."),
        ({"first_dealer": b"host"}, "first-dealer can be lower-cut, host or guest, not 'bytes'."),
    ],
    ids=lambda given: str(given)[:40] if not isinstance(given, dict) else next(iter(given)),
)
def test_a_value_of_a_wrong_type_is_refused(values, sentence):
    for make in (lambda: RuleSet(**values), lambda: replace(STANDARD, **values)):
        with pytest.raises(Unreadable) as refusal:
            make()
        assert refusal.value.code == "unreadable-rules"
        assert str(refusal.value) == sentence


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
            if base not in ("hollywood", "multi-match")
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
def test_no_text_is_longer_than_the_one_based_on_standard(rules):
    assume(rules.hands is None or rules.target is None)  # otherwise the target must be named
    plain = ["standard"] + [
        rules.word(field.name)
        for field in fields(RuleSet)
        if getattr(rules, field.name) != field.default
    ]
    assert len(str(rules).split()) <= len(plain)
