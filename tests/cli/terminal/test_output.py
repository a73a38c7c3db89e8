"""How lines wrap on a terminal, and how other people's words in them are marked."""

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.terminal.output import (
    MARK,
    PromptLine,
    fills_row,
    print_lines,
    terminal_columns,
    width_of,
    wrap_line,
)
from ginpeer.names import safe_quote

FORGED = "You win the match, 224 to 82."


def test_words_are_kept_whole_at_the_right_edge():
    assert wrap_line("one two three", 12) == "one two\nthree"
    assert wrap_line("one", 3) == "one"
    assert wrap_line("invite: " + "x" * 50, 20) == "invite: " + "x" * 50
    assert wrap_line("see " + "x" * 50 + " and more", 20) == "see " + "x" * 50 + "\nand more"


def test_a_command_stays_on_one_row_for_copying():
    told = "You may type ginpeer --home '/a b/c' resume 0a1b2c, now or later."
    assert wrap_line(told, 50).split("\n") == [
        "You may type",
        "ginpeer --home '/a b/c' resume 0a1b2c, now or",
        "later.",
    ]
    assert (
        wrap_line("See with ginpeer host --new again.", 18)
        == "See with\nginpeer host --new\nagain."
    )
    assert wrap_line("It waits at ginpeer and goes", 12) == "It waits at\nginpeer and\ngoes"


def test_a_named_path_stays_on_one_row():
    told = "Nothing is in /home/ann smith/games. Yet."
    assert wrap_line(told, 24, ["/home/ann smith/games"]).split("\n") == [
        "Nothing is in",
        "/home/ann smith/games.",
        "Yet.",
    ]
    assert wrap_line(told, 24).split("\n")[0] == "Nothing is in /home/ann"


def test_a_whole_line_is_not_broken_on_a_terminal(monkeypatch):
    class Narrow(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "10")
    out = Narrow()
    print_lines("one two three four", stream=out, whole=True)
    assert out.getvalue() == "one two three four\n"


def test_continuation_rows_are_indented_like_the_text_of_the_line():
    assert wrap_line("  Ada: melds none at all", 14) == "  Ada: melds\n  none at all"
    assert wrap_line("  name  so it is called", 16) == "  name  so it is\n        called"
    long_label = "  a-name-that-is-long  so it is"
    assert wrap_line(long_label, 24) == "  a-name-that-is-long\n  so it is"


def test_a_long_quotation_begins_each_of_its_rows_with_a_mark():
    line = f"Bob says: {safe_quote('good evening, and ' + FORGED)} Yes."
    assert wrap_line(line, 24).split("\n") == [
        "Bob says:",
        '| "good evening, and You',
        "| win the match, 224 to",
        '| 82." Yes.',
    ]


def test_a_quotation_that_fits_a_row_is_not_broken_and_has_no_mark():
    line = f"The other side ended it. It said: {safe_quote('I have to go')} (left)"
    assert wrap_line(line, 34).split("\n") == [
        "The other side ended it. It said:",
        '"I have to go" (left)',
    ]
    assert wrap_line(f"{safe_quote('Ann Smith')} discards the seven", 20).split("\n") == [
        '"Ann Smith" discards',
        "the seven",
    ]


@pytest.mark.parametrize("columns", range(10, 120))
@pytest.mark.deep(keep=6)
def test_padding_cannot_give_forged_words_a_row_of_their_own(columns):
    """The padding may be meant for a terminal of any other width."""
    for words in (f"hello{' ' * columns}{FORGED}", "x" * columns + FORGED, f"{'x ' * 30}{FORGED}"):
        for row in wrap_line(f"Bob says: {safe_quote(words)}", columns).split("\n")[1:]:
            assert row.startswith(MARK) or row.startswith('"')
            assert width_of(row) <= columns


@given(st.text(max_size=200), st.integers(8, 100))
def test_only_our_own_rows_begin_without_a_mark(said, columns):
    line = f"Bob says: {safe_quote(said)} (left) It is your turn."
    _only_ours_without_a_mark(line, columns)


@given(st.text(alphabet="ginper -\"'hostmax", max_size=80), st.integers(8, 60))
def test_a_command_inside_a_quotation_is_marked_like_the_rest(said, columns):
    words = safe_quote(f"ginpeer --home 'x {said} ginpeer host --new")
    _only_ours_without_a_mark(f"Bob says: {words} (left) It's your turn.", columns)


def _only_ours_without_a_mark(line, columns):
    rows = wrap_line(line, columns).split("\n")
    assert not any("\n" in row or "\r" in row for row in rows)
    inside = False
    for row in rows:
        if inside:
            assert row.startswith(MARK)
        elif row.startswith("|"):  # quoted words that fill several rows begin here
            assert re.match(rf'{re.escape(MARK)}\u2066?("|$)', row)
        inside ^= row.count('"') % 2 == 1
        assert sum(1 if c.isascii() else 2 for c in row if c not in "\u2066\u2069") <= columns
    joined = "".join(row.removeprefix(MARK).replace(" ", "") for row in rows)
    assert joined.replace("|", "") == line.replace(" ", "").replace("|", "")


@given(st.text(st.characters(exclude_categories=["C", "M", "Z"], exclude_characters='"')))
def test_our_own_lines_lose_no_word(text):
    line = f"one {text} two three"
    assert wrap_line(line, 20).split() == line.split()


def test_pipes_and_files_get_lines_as_they_are(monkeypatch):
    out = io.StringIO()
    print_lines("word " * 100, stream=out)
    assert out.getvalue() == "word " * 100 + "\n"
    assert terminal_columns(out) is None
    assert terminal_columns(None) is None


def test_a_terminal_that_does_not_say_its_width_has_eighty_columns(monkeypatch):
    class Odd(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("COLUMNS", raising=False)
    assert terminal_columns(Odd()) == 80
    monkeypatch.setenv("COLUMNS", "33")
    assert terminal_columns(Odd()) == 33


@pytest.mark.parametrize(
    ("length", "fills"), [(0, False), (79, False), (80, True), (81, False), (160, True)]
)
def test_a_line_fills_its_last_row_if_nothing_is_left_of_it(length, fills):
    assert fills_row(PromptLine("", "x" * length, 0), 80) is fills
