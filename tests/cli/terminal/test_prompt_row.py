"""What a terminal shows while somebody types, and how few bytes that takes."""

import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cli.terminal.line_input import MAX_LINE, TypedLine
from cli.terminal.output import columns_of_character, visible, wrap_line
from tests.cli.terminal.keyboard import Keyboard, laid_out

LEFT, RIGHT, UP, DOWN = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
HOME, END, DELETE = "\x1b[H", "\x1b[F", "\x1b[3~"


@pytest.fixture
def keyboard(monkeypatch):
    keyboard = Keyboard(monkeypatch)
    keyboard.ask("draw> ")
    return keyboard


# --- how few bytes ----------------------------------------------------------------------


def test_a_letter_at_the_end_is_sent_alone(keyboard):
    for letter in "say héllo 日e\u0301":
        assert keyboard.type(letter) == letter


def test_a_move_of_the_cursor_is_sent_alone(keyboard):
    keyboard.type("say good game")
    for key, sent in (
        (LEFT, "\b"),
        (RIGHT, "\x1b[C"),
        ("\x1b[1;5D", "\x1b[4D"),
        ("\x1bb", "\x1b[5D"),
        ("\x1bf", "\x1b[4C"),
        (HOME, "\x1b[8D"),
        (HOME, ""),
        (LEFT, ""),
        ("\x05", "\x1b[13C"),
        (RIGHT, ""),
        (UP, ""),
    ):
        assert keyboard.type(key) == sent


def test_a_change_in_the_middle_sends_the_rest_of_the_line_and_goes_back(keyboard):
    keyboard.type("say god" + LEFT)
    assert keyboard.type("o") == "od\b"
    assert keyboard.type("\x7f") == "\bd \b\b"
    assert keyboard.type(DELETE) == " \b"
    assert keyboard.type("\x15") == "\x1b[6D\x1b[K"


def test_only_the_difference_between_two_lines_is_sent(keyboard):
    keyboard.type("discard 7d\ndiscard 10h\n")
    keyboard.ask("")
    keyboard.ask("> ")
    assert keyboard.type(UP) == "discard 10h"
    assert keyboard.type(UP) == "\b\b\b7d \b"
    assert keyboard.type(DOWN) == "\b\b10h"


def test_news_takes_the_line_away_and_puts_it_back_with_the_cursor(keyboard):
    keyboard.type("say hello" + LEFT * 2)
    assert keyboard.tell("Bob draws.") == "\r\x1b[KBob draws.\ndraw> say hello\b\b"


def test_a_line_that_ctrl_c_clears_disappears_from_the_screen(keyboard):
    keyboard.type("7d")
    assert keyboard.sent(keyboard.console.clear_typed) == "\b\b\x1b[K"


def test_characters_that_would_hide_or_reverse_the_line_are_replaced(keyboard):
    assert keyboard.type("a\u202eb") == "a\ufffdb"
    assert keyboard.type(HOME + "\u0301") == "\b\b\b\ufffda\ufffdb\b\b\b"


# --- the same as drawn from scratch -----------------------------------------------------


KEYS = (
    *("a", "bc ", "7d", "日", "e\u0301", "\u0301", "\u202e", " ", "é", "x" * 7, "日本" * 3),
    *(LEFT, RIGHT, UP, DOWN, HOME, END, DELETE, "\x7f", "\x1b[1;5D", "\x1bf", "\x1bd", "\x1b\x7f"),
    *("\x17", "\x0b", "\x15", "\x0c", "\x04", "\r", "\t", "\x1b[1~", "\x1bOF", "\x1b[Z", "\x1b"),
)
STEP = st.one_of(
    st.tuples(st.just("type"), st.lists(st.sampled_from(KEYS), max_size=4).map("".join)),
    st.tuples(st.just("tell"), st.sampled_from(["Bob draws.", "", "x" * 12])),
    st.tuples(st.just("ask"), st.sampled_from(["", "> ", "draw or take \x1b[31m7♦\x1b[0m> "])),
)


def complete(before):
    return None if before.startswith("x") else ("bcd", "bcdef") if before else ("a", "b")


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None
)
@given(st.integers(2, 25), st.lists(STEP, max_size=25))
@example(25, [("type", "\t\t"), ("ask", "> ")])  # a list of completions
@example(10, [("ask", "> "), ("type", "x" * 8 + "\r")])  # a typed line that fills its row
def test_the_screen_shows_the_output_with_prompt_and_text_below(monkeypatch, columns, steps):
    keyboard = Keyboard(monkeypatch, columns, complete=complete)
    console, said = keyboard.console, []
    print_, keyboard.answers = console.print, lambda event: said.extend(typed_line(event))

    def typed_line(event):
        if isinstance(event, TypedLine):
            yield from rows_of(plain(console._prompt) + visible(event.text), columns)

    def printing(*lines, whole=False):
        for line in (*lines, *(() if console._answering else console._before_prompt)):
            for row in wrap_line(line, columns).split("\n"):
                said.extend(rows_of(row, columns))
        print_(*lines)

    console.print = printing
    for what, text in steps:
        getattr(keyboard, what)(text)
        prompt, text = plain(console._prompt), visible(keyboard.editor.text)
        rows, _ = laid_out(prompt + text, columns)
        assert keyboard.screen.text() == [row.rstrip() for row in (*said, *rows)]
        at = keyboard.editor.at
        _, (row, column) = laid_out(prompt + text[:at], columns)
        if at < len(text) and column + columns_of_character(text[at]) > columns:
            row, column = row + 1, 0
        assert (keyboard.screen.row, keyboard.screen.column) == (len(said) + row, column)


def plain(prompt):
    return re.sub("\x1b\\[[0-9]+m", "", prompt)


def rows_of(line, columns):
    """Return the rows of a whole line, and the position of its end."""
    rows, (_, column) = laid_out(line, columns)
    return rows if column or len(rows) == 1 else rows[:-1]


@pytest.mark.parametrize("letters", ["x", "日", "x日e\u0301"])
def test_a_line_that_is_longer_than_the_screen_is_shown_in_parts(monkeypatch, letters):
    keyboard = Keyboard(monkeypatch, columns=20, height=6)
    keyboard.ask("draw> ")
    keyboard.type(letters * 200)
    for key in (HOME, RIGHT, END, LEFT, "y", HOME, "y", DELETE, "\x1b[1;5C", END):
        keyboard.type(key)
        shown = keyboard.screen.text()
        start = max(at for at, row in enumerate(shown) if row.startswith("draw> "))
        assert start >= keyboard.screen.top  # all of the line is still on the screen
        assert all("draw>" not in row for row in shown[start + 1 :])
        part = "".join(shown[start:]).removeprefix("draw> ").strip("<>").replace(" ", "")
        assert part in keyboard.editor.text
    keyboard.type("\n")
    (line,) = keyboard.events
    assert len(line.text) == 200 * len(letters) + 1
    text = "".join(keyboard.screen.text()).replace(" ", "")
    assert line.text in text


def test_a_long_question_leaves_room_for_what_is_typed(monkeypatch):
    keyboard = Keyboard(monkeypatch, columns=40)
    keyboard.ask("7c 7h 7s; deadwood Ks: discard> ")
    keyboard.type("ks\n")
    keyboard.ask("7c 7h 7s: discard> ")
    assert keyboard.screen.text() == [
        "7c 7h 7s; deadwood Ks:",
        "discard> ks",
        "7c 7h 7s: discard>",
    ]


def test_a_flood_of_keys_produces_little_output(keyboard):
    keyboard.type("x" * 16_000 + LEFT * 5_000)
    assert len(keyboard.editor.text) == MAX_LINE
    assert len(keyboard.output.getvalue()) < 2 * MAX_LINE


def test_a_combining_mark_reaches_a_character_that_fills_a_row(monkeypatch):
    keyboard = Keyboard(monkeypatch, columns=6)
    keyboard.ask("> ")
    keyboard.type("abcd")
    assert keyboard.type("\u0301") == "\x1b[A\x1b[5Cd\u0301 \r"
    assert keyboard.screen.text() == ["> abcd\u0301", ""]
    keyboard.type("ef" + LEFT * 2)
    keyboard.type("\u0302")
    assert keyboard.screen.text() == ["> abcd\u0301\u0302", "ef"]
    assert (keyboard.screen.row, keyboard.screen.column) == (1, 0)
    keyboard.type("\x7f")
    assert keyboard.screen.text() == ["> abce", "f"]
