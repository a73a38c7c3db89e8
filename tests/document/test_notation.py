"""NOTATION.md describes the notation that the program reads and writes."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ginpeer.notation import MAX_BYTES, BadNotation, read_sheet, write_sheet
from ginpeer.notation.lines import read_line
from ginpeer.notation.reading import MAX_LINE, MAX_LINES, MAX_TAGS
from ginpeer.notation.sheet import MAX_VALUE, account_lines, result_line, score_line
from ginpeer.notation.sheet import BadNotation as Refusal
from ginpeer.record import Record, sheet_of
from ginpeer.rules import RulesError
from tests.abnf import Grammar
from tests.matches.golden_logs import FOLDER
from tests.notation.played import lines_of, played
from tests.notation.test_round_trip import RULES

DOCUMENT = (Path(__file__).parents[2] / "proto" / "NOTATION.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```abnf\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
GRAMMAR, SUMS = map(Grammar, BLOCKS)


def examples() -> list[str]:
    """Return the indented blocks of NOTATION.md."""
    lines = DOCUMENT.split("\n")
    blocks, block = [], []
    for line in [*lines, ""]:
        if line.startswith("    ") or (block and not line):
            block.append(line[4:])
        else:
            if len(block) > 5:
                blocks.append("\n".join(block).rstrip() + "\n")
            block = []
    return blocks


def is_read(line: str) -> bool:
    """Return whether the line can be parsed, even if the rules refuse it."""
    try:
        read_line(line, 1)
    except BadNotation:
        return False
    except RulesError:
        return True
    return True


def test_every_rule_of_the_grammar_can_be_read() -> None:
    for grammar in (GRAMMAR, SUMS):
        for rule in grammar.names:
            re.compile(grammar.expression(rule))


def test_the_first_example_is_what_the_program_writes() -> None:
    whole, typed = examples()[:2]
    sheet = sheet_of(Record.read(FOLDER / "standard.ginlog"))
    left_out = ("Verdict", "HostKey", "GuestKey", "Started", "Cut")
    lines = [
        line for line in write_sheet(sheet).split("\n") if line[1:].split(" ")[0] not in left_out
    ]
    assert whole == "\n".join(lines)
    assert read_sheet(whole.encode()).hands == sheet.hands
    (hand,) = read_sheet(typed.encode()).hands
    assert hand.made == sheet.hands[0].made


def test_the_documented_limits_are_those_of_the_program() -> None:
    text = " ".join(DOCUMENT.split())
    assert f"at most {MAX_BYTES // 2**20} MiB and {MAX_LINES:,} lines" in text
    assert f"a line at most {MAX_LINE:,} characters" in text
    assert f"at most {MAX_TAGS} tags, and a value at most {MAX_VALUE} characters" in text


def test_the_grammar_matches_every_written_sheet() -> None:
    for rules in RULES:
        sheet = played(rules, 11, tags=(("Rules", rules), ("Host", 'a"\\\x1b\u202e')), hands=1)
        for line in lines_of(sheet):
            assert GRAMMAR.matches("line", line), line
            assert is_read(line)
        text = write_sheet(sheet)
        assert GRAMMAR.matches("sheet", text)


@pytest.mark.parametrize("rules", RULES)
def test_result_and_score_lines_have_the_documented_forms(rules: str) -> None:
    for seed in range(3):
        sheet = played(rules, seed, hands=4)
        afters = [hand.before for hand in sheet.hands[1:]] + [sheet.match]
        for after in afters:
            if after.results:
                assert SUMS.matches("result", result_line(after.results[-1]))
                assert SUMS.matches("score", score_line(after))
        if sheet.match.finished:
            for line in account_lines(sheet.match):
                assert SUMS.matches(line.split(" ")[0], line), line


_PIECES = [
    *("hand", "dealer", "first", "upcard", "knock-card", "host", "guest", "pass", "draw", "d", "t"),
    *("take", "lay", "discard", "-", "\u2013", "knock", "gin", "big gin", "big-gin", "biggin"),
    *("shows", "resigns", "result", "score", "column", "total", "winner", "owes", "forged", "?"),
    *("3c", "10d", "Th", "aS", "9\u2660", "8\u2665\ufe0f", "3c4c5c", "7c7h7s", "@1", "@0", "@12"),
    *(" ", "  ", "\t", ",", "/", ":", ";", "; x", "1", "12", "007", "123456", "+", "=", ".", "%"),
    *("[", "]", '"', '[Host "Ada"]', '[a1 "\\u{41}"]', '\\"', "\\u{", "}", "\x1b", "\u212a", "x"),
]
pieces = st.lists(st.sampled_from(_PIECES), max_size=9).map("".join)


def has(line: str) -> bool:
    """Return whether the grammar matches the line. If reading it as it is fails, each td may also
    be the ten of diamonds (6.1)."""
    tens = re.sub(r"td", "10d", line, flags=re.IGNORECASE)
    return GRAMMAR.matches("line", line) and (is_read(line) or GRAMMAR.matches("line", tens))


@settings(max_examples=150)
@given(pieces)
@example("drawtdraw")  # not the ten of diamonds
@example("lay3c4c5ctdiscard3c")
@example("-3ctshows/3c")
@example("guest d TdTh-Td")  # the ten of diamonds, then a card that is not allowed there
def test_the_grammar_matches_the_lines_that_can_be_read(line: str) -> None:
    assert has(line) == is_read(line), f"NOTATION.md 6.1 and read_line disagree on {line!r}"


@settings(max_examples=100)
@given(st.integers(0, 2**32), st.sampled_from(RULES))
def test_a_changed_line_is_read_exactly_if_the_grammar_matches_it(seed: int, rules: str) -> None:
    choose = random.Random(seed)
    line = choose.choice(_written(rules))
    at = choose.randrange(len(line) + 1)
    cut = choose.randrange(3)
    line = line[:at] + choose.choice(["", *_PIECES]) + line[at + cut :]
    assert has(line) == is_read(line), f"NOTATION.md 6.1 and read_line disagree on {line!r}"


_MADE: dict[str, list[str]] = {}


def _written(rules: str) -> list[str]:
    if rules not in _MADE:
        _MADE[rules] = lines_of(played(rules, 5, tags=(("Rules", rules),)))
    return _MADE[rules]


def test_every_refusal_code_is_documented() -> None:
    told = " ".join((Refusal.__doc__ or "").split())
    source = "".join(
        (Path(__file__).parents[2] / "ginpeer" / "notation" / f"{name}.py").read_text("utf-8")
        for name in ("sheet", "lines", "reading")
    )
    codes = set(re.findall(r'BadNotation\(\s*"([a-z0-9-]+)"', source))
    assert len(codes) > 20
    listed = told.partition("one of: ")[2].partition(", or the code")[0].split(", ")
    assert sorted(codes) == sorted(listed)
