"""Every rule number that the program cites is in RULES.md."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULES = (ROOT / "ginpeer" / "rules" / "RULES.md").read_text(encoding="utf-8")

# "RULES 5.1, 10", "RULES 8.4 to 8.8, 13", even across the end of a line.
CITED = re.compile(r"RULES ((?:\d+(?:\.\d+)?(?:,\s+|\s+to\s+|\s+and\s+)?)+)")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
ONLY_NUMBERS = re.compile(r"\d{1,2}\.\d{1,2}(, \d{1,2}\.\d{1,2})*")


def written():
    """Return the numbers of all rules and sections."""
    return {
        *re.findall(r"\n\n(\d+\.\d+)\b", RULES),
        *re.findall(r"^## (\d+)\.", RULES, re.MULTILINE),
    }


OF_THE_PROTOCOL = "ginpeer/record/verdict_document.py"
"""This file cites sections of PROTOCOL.md, which tests/record/test_evidence.py checks."""


ROOMS = ("adviser", "record", "referee", "rules", "seat")


def sources():
    for folder in ("cli", *(f"ginpeer/{room}" for room in ROOMS)):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name != OF_THE_PROTOCOL:
                yield name, path.read_text(encoding="utf-8")


def cited(text):
    """Yield all numbers cited in comments, docstrings and sentences, and strings that contain only
    numbers, as in Illegal("just-taken", "...", "4.4")."""
    for match in CITED.finditer(re.sub(r"\n\s*(#\s*)?", " ", text)):
        yield from NUMBER.findall(match[1])
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if ONLY_NUMBERS.fullmatch(node.value):
                yield from node.value.split(", ")
            yield from re.findall(r"\((\d{1,2}\.\d{1,2})\)", node.value)


def test_every_cited_rule_exists():
    known = written()
    found = [(name, number) for name, text in sources() for number in cited(text)]
    assert len(found) > 200
    assert not [each for each in found if each[1] not in known]


def test_the_rules_are_numbered_without_gaps():
    numbers = re.findall(r"\n\n(\d+)\.(\d+)\b", RULES)
    assert len(numbers) > 60
    for section in range(1, 15):
        places = [int(place) for of, place in numbers if int(of) == section]
        assert places == list(range(1, len(places) + 1)), section
