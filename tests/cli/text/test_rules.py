"""The output of `ginpeer rules`: every parameter changes it, and it cites the right rules."""

import re
from dataclasses import replace

import pytest

from cli.commands.rules import comparison, explanation
from cli.main import main
from cli.text.rules import (
    PRESET_LINES,
    limit_number,
    parameter_differences,
    rule_sentences,
    rules_in_short,
    sentence_differences,
    with_number,
)
from ginpeer.rules import PRESETS, STANDARD, Illegal, parse_move, parse_ruleset
from ginpeer.rules.cards import RulesError, Unsupported
from tests.rules.drawing import deal, played
from tests.rules.texts import VALUES

BASES = [
    *PRESETS,
    "oklahoma knock-limit=second-deck",
    "tedesco multi-match=700",
    "mahjong spades-double=yes",
    "hollywood hands=12 target=100",
    "mahjong hollywood",
    "standard hands=6",
    "straight best-of=3",
]


def playable(rules):
    """Return whether the values fit together. misdeal=yes counts, though it isn't supported."""
    try:
        rules.check()
    except Unsupported:
        return True
    except RulesError:
        return False
    return True


def has_no_effect(rules, name):
    """Return whether the parameter has no effect: if only gin ends a hand, there's no undercut
    (RULES 7.3)."""
    return rules.knock_limit == 0 and name in ("undercut_bonus", "tie")


def test_any_two_values_of_a_parameter_are_explained_differently():
    for base in BASES:
        rules = parse_ruleset(base)
        walked = set()
        for key, values in VALUES.items():
            name = key.replace("-", "_")
            if has_no_effect(rules, name):
                continue
            changed = {rules, *(replace(rules, **{name: value}) for value in values)}
            changed = [each for each in changed if playable(each)]
            assert len({str(rule_sentences(each)) for each in changed}) == len(changed), name
            for each in changed:
                if each != rules:
                    walked.add(name)
                    assert parameter_differences(rules, each)[0][0] == key
                    assert any(sentence_differences(rules, each))
        assert len(walked) >= 12


def test_each_sentence_is_complete_and_occurs_once():
    for base in BASES:
        told = rule_sentences(parse_ruleset(base))
        assert len(set(told)) == len(told)
        for number, sentence in told:
            assert re.fullmatch(r"\d+\.\d+", number)
            assert re.fullmatch(r"[A-Z].*\.", sentence), sentence
            assert "  " not in sentence
            assert ".." not in with_number(number, sentence)


def test_the_cited_numbers_belong_to_the_rules_that_decide():
    assert with_number("4.4", "You can't discard it.") == "You can't discard it (rule 4.4)."
    told = dict(rule_sentences(parse_ruleset("tedesco lead-of-fifty-loses=yes stake=5 best-of=3")))
    for number, words in {
        "11.1": "around the corner",
        "11.2": "lay off",
        "11.3": "aces 15",
        "10.1": "upcard",
        "10.2": "ace",
        "10.3": "spade",
        "8.3": "To win a column, you need 200 points",
        "8.4": "a game bonus of 100",
        "13.1": "The points of a game are kept in three columns",
        "13.2": "2 games",
        "13.4": "exactly 50",
        "13.6": "5 a point",
    }.items():
        assert words in told[number]
    assert "10.6" in dict(rule_sentences(parse_ruleset("straight")))
    assert "6.3" not in dict(rule_sentences(parse_ruleset("straight")))
    assert {f"12.{at}" for at in range(2, 11)} <= set(
        dict(rule_sentences(parse_ruleset("mahjong")))
    )
    assert "6 hands" in dict(rule_sentences(parse_ruleset("standard hands=6")))["13.5"]


def test_a_knock_over_the_limit_cites_the_rule_named_in_the_explanation():
    #      3c 4c 5c  7c 7h 7s | Ks 4d 2d Ah     the upcard 6d limits knocks to 6
    cards, others = "3c 4c 5c 7c 7h 7s Ks 4d 2d Ah", "6c 8s 9s Qd Qh Jc Js Td Tc Kd"
    for text in ("oklahoma", "oklahoma-floating", "straight", "standard knock-limit=5"):
        rules = parse_ruleset(text)
        hand = played(deal(1, cards, others, "6d", rules), "pass", "pass", "draw 9h")
        with pytest.raises(Illegal) as refused:
            hand.apply(parse_move("knock 9h melds 3c4c5c 7c7h7s deadwood Ks4d2dAh"))
        assert refused.value.rule == limit_number(rules)
        assert limit_number(rules) in dict(rule_sentences(rules))


def test_in_mahjong_gin_the_usual_values_of_the_cards_are_not_explained():
    usual, mahjong = (dict(rule_sentences(parse_ruleset(text))) for text in ("standard", "mahjong"))
    assert "deadwood" in usual["1.3"]
    assert "1.3" not in mahjong


def test_the_short_form_contains_exactly_the_differences():
    for base in BASES:
        rules = parse_ruleset(base)
        short = rules_in_short(rules)
        assert set(short) <= set(rule_sentences(rules))
        assert set(rule_sentences(rules)) - set(rule_sentences(STANDARD)) <= set(short)
    assert len(rules_in_short(STANDARD)) < 12


# --- the command ------------------------------------------------------------------------


def test_rules_alone_explains_the_standard_game_and_lists_the_presets(capsys):
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("The rules: standard.\n")
    assert "deadwood is 10 or less (rule 5.1)." in out
    assert list(PRESET_LINES) == list(PRESETS)
    assert all(f"  {name} " in out for name in PRESETS)


def test_named_rules_are_explained_as_host_would_play_them(capsys):
    assert main(["rules", "oklahoma", "hollywood", "target=150"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines() == explanation(parse_ruleset("oklahoma hollywood target=150"))
    assert "150 points" in out
    assert "tournament" not in out
    assert main(["rules", "oklahoma hollywood target=150"]) == 0
    assert capsys.readouterr().out == out


def test_the_list_has_a_line_for_each_preset_and_nothing_else(capsys):
    assert main(["rules", "--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(PRESETS)


def test_a_comparison_shows_only_the_differences(capsys):
    assert main(["rules", "oklahoma", "box=20", "--diff", "standard", "box=20"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines() == comparison(
        parse_ruleset("oklahoma box=20"), parse_ruleset("standard box=20")
    )
    assert "knock-limit: upcard in oklahoma box=20; 10 in standard box=20" in out
    assert "spades-double: yes in oklahoma box=20; no in standard" in out
    assert "boxes" not in out
    ours, theirs = out.split("Only in standard box=20:")
    assert "(rule 10.1)" in ours
    assert "(rule 5.1)" in theirs


def test_equal_rules_written_differently_do_not_differ(capsys):
    assert (
        main(["rules", "oklahoma", "--diff", "standard knock-limit=upcard spades-double=yes"]) == 0
    )
    assert capsys.readouterr().out == "These are the same rules: oklahoma.\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["bridge"], "unknown-preset"),
        (["standard", "frob=1"], "unknown-rule"),
        (["standard", "box=2000"], "rule-out-of-range"),
        (["standard", "hands=6", "columns=3"], "rules-contradict"),
        (["standard", "misdeal=yes"], "rule-unsupported"),
        (["standard", "--diff", "bridge"], "unknown-preset"),
    ],
)
def test_unplayable_rules_are_refused_with_a_code(capsys, words, code):
    assert main(["rules", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(f"({code})\n")
