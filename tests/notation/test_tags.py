"""Hostile text in a tag can't end its value or its line, and reads back unchanged."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ginpeer.notation import Sheet, read_sheet, write_sheet
from ginpeer.notation.sheet import MAX_VALUE, escaped, tag_line, unescaped
from ginpeer.rules import STANDARD

HOSTILE = (
    *('Ada"]\n[Proof "verified"]', 'Ada"] [Proof "verified', "Ada\\", '\\" ] ; x'),
    *("\r\n\nhand 1\ndealer host", "\u2028[Proof \u201cverified\u201d]"),
    *("\u202e]\u202c\u2066x\u2069", "\x1b[2J\x07\x00\x9b", "\u0301\u0302 \u0303"),
    *("a" + "\u0301" * 40, "\U000e0041\u200b\ufeff\u00ad", "\u00ab\u201d\uff02\u02ba", "  ", ""),
    "\u05d0\u05d1 7",
)


@pytest.mark.parametrize("value", HOSTILE)
def test_a_players_name_cannot_leave_its_tag(value):
    line = tag_line("Host", value)
    assert re.fullmatch(r'\[Host "(?:[^"\\]|\\.)*"\]', line)
    assert line.isprintable()
    sheet = Sheet(STANDARD, (("Proof", "forged"), ("Host", value)))
    text = write_sheet(sheet)
    assert len(text.splitlines()) == 3
    assert read_sheet(text.encode("utf-8")) == sheet


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=MAX_VALUE))
@example("\\u{41}")
@example('"')
def test_every_text_reads_back(value):
    line = escaped(value)
    assert unescaped(line) == value
    assert line.isprintable()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
@example('"\u0301')
def test_a_value_has_no_bare_quote_and_no_mark_after_a_quote_or_space(value):
    line = escaped(value)
    for before, character in zip('"' + line, line, strict=False):
        if unicodedata.category(character)[0] == "M":
            assert before not in '" '
        if character == '"':
            assert before == "\\"


def test_quote_lookalikes_and_piled_marks_are_escaped():
    assert escaped("\u201d\u00a8") == "\\u{201d}\\u{a8}"
    piled = escaped("a" + "\u0301" * 40)
    assert piled.startswith("a\u0301")
    assert piled.endswith("\\u{301}")


def test_names_in_any_script_are_not_escaped():
    for name in (
        *("Zoë", "Đặng Thị", "李小龙", "Ольга", "O'Brien", "Zoe\u0308", "\u05d3\u05d5\u05d3"),
        "\U0001f600",
    ):
        assert escaped(name) == name


@pytest.mark.parametrize(
    "text", ["\\", "\\x", "\\u{}", "\\u{110000}", "\\u{d800}", "\\u{0000041}", "\\u41", '"', 'a"b']
)
def test_an_invalid_escape_is_refused(text):
    assert unescaped(text) is None
