"""The tables of RULES 9 agree with the code, and every cell of 9.1 has its own test.

Each value in the table is tested in play. Rows of accounts.jsonl test what a match is worth and who
deals, and SCORES in test_parameters_knock.py tests what a hand is worth. Every other value, such as
``wall=void``, has a test with its name, ``test_wall_void``, in one of the files beside this one.
"""

import ast
import json
import re
from collections import Counter
from dataclasses import replace
from enum import Enum
from pathlib import Path

from ginpeer.rules import PRESETS, STANDARD, Illegal, Unreadable, parse_ruleset
from ginpeer.rules.parameters import NAMES, KnockLimit, key_of, parse_value, value_text
from tests.rules.accounts import VECTORS as ACCOUNTS
from tests.rules.test_parameters_knock import SCORES
from tests.rules.walk import ALL_RULES

OF_A_MATCH = (
    *("next-dealer", "after-void", "target", "hands", "game-bonus", "box", "shutout"),
    *("lead-of-fifty-loses", "columns", "best-of", "multi-match", "stake"),
)

HERE = Path(__file__).parent
RULES = (HERE.parents[1] / "ginpeer" / "rules" / "RULES.md").read_text()


def rows_below(heading):
    """Return the rows of the first table after this text, each as a list of its cells."""
    table = re.search(r"^\|.*?(?=\n\n|\Z)", RULES[RULES.index(heading) :], re.MULTILINE | re.DOTALL)
    lines = table.group().splitlines()[2:]  # without the heading and the rule below it
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


TABLE = {row[0].strip("`"): row[1:] for row in rows_below("9.1 ")}
VALUES = {key: re.findall("`([^`]+)`", values) for key, (values, *_) in TABLE.items()}
FIELDS = {key_of(name): name for name in NAMES}


def names_of_tests(pattern):
    """Return the names of the test functions in these files."""
    return Counter(
        node.name
        for path in HERE.glob(pattern)
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def test_every_cell_of_the_table_has_a_test():
    cells = {(key, value) for key, values in VALUES.items() for value in values}
    tests = names_of_tests("test_*.py")
    by_name = {cell for cell in cells if "_".join(("test", *cell)).replace("-", "_") in tests}
    in_rows = {
        (key, value_text(getattr(parse_ruleset(text), FIELDS[key])))
        for text in {json.loads(row)["rules"] for row in ACCOUNTS.read_text().splitlines()}
        for key in OF_A_MATCH
    }
    scored = {tuple(value.split("=")) for value, *_ in SCORES}
    assert len(cells) == 66
    assert cells == by_name | (cells & (in_rows | scored))


def test_the_table_has_every_parameter_in_the_order_of_the_text():
    assert [FIELDS[key] for key in TABLE] == list(NAMES)


def test_the_standard_of_the_table_is_the_default():
    for key in TABLE:
        standard = value_text(getattr(STANDARD, FIELDS[key]))
        assert TABLE[key][1] == f"`{standard}`"
        assert standard in VALUES[key]


def test_every_value_of_the_table_can_be_written():
    for key in TABLE:
        for value in VALUES[key]:
            assert value_text(parse_value(FIELDS[key], value)) == value


def test_only_words_in_the_table_can_be_written():
    for key in TABLE:
        standard = getattr(STANDARD, FIELDS[key])
        words = {"none", "no", "yes"} | {str(limit.value) for limit in KnockLimit}
        if isinstance(standard, Enum):
            words |= {str(choice.value) for choice in type(standard)}
        readable = set()
        for word in words:
            try:
                parse_value(FIELDS[key], word)
            except Unreadable:
                continue
            readable.add(word)
        assert readable == {value for value in VALUES[key] if not value.isdigit()}


def in_range(key, number):
    """Return whether the number is in the range that the rules allow."""
    try:
        replace(STANDARD, **{FIELDS[key]: number}).check()
    except Illegal as refusal:
        return refusal.code != "rule-out-of-range"
    return True


def numbers_in_text(key):
    """Return the numbers that the table allows, and some numbers to try."""
    text = TABLE[key][0]
    bounds = re.search(r"([\d,]+) to ([\d,]+)", text)
    if bounds is not None:
        low, high = (int(bound.replace(",", "")) for bound in bounds.groups())
        return range(low, high + 1), (-1, low - 1, low, low + 1, high - 1, high, high + 1)
    if "an odd number of games up to 99" in text:
        return range(1, 100, 2), range(-1, 103)
    return {int(value) for value in VALUES[key] if value.isdigit()}, range(-1, 20)


def test_the_number_ranges_in_the_table_are_those_that_are_checked():
    for key in [key for key, values in VALUES.items() if any(map(str.isdigit, values))]:
        possible, tried = numbers_in_text(key)
        assert {number for number in tried if in_range(key, number)} == set(tried) & set(possible)


def test_every_numeric_parameter_has_its_range_in_the_table():
    numbers = {key for key, values in VALUES.items() if any(map(str.isdigit, values))}
    counted = {name for name in NAMES if type(getattr(STANDARD, name)) is int}
    assert {FIELDS[key] for key in numbers} == counted | {"hands", "multi_match"}


def test_every_rule_cited_in_the_table_exists():
    for *_, cited in TABLE.values():
        for number in cited.split(", "):
            chapter = rf"^## {number}\. " if number.isdigit() else rf"^{re.escape(number)} "
            assert re.search(chapter, RULES, re.MULTILINE), number


def test_every_preset_in_the_rules_exists_and_is_played():
    named = [row[0].strip("`") for row in rows_below("9.3 ")]
    assert named == list(PRESETS)
    assert set(named) <= set(ALL_RULES)
