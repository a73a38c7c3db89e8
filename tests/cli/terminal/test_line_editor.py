"""Keys and the line they edit: every encoding of every key, compared with a simple model."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.terminal.line_input import (
    MAX_HISTORY,
    MAX_LINE,
    CompletionList,
    EndOfInput,
    History,
    LineEditor,
    OverlongLine,
    Redraw,
    TypedLine,
)

ESC = "\x1b"
ENCODINGS = {
    "left": ("\x1b[D", "\x1bOD", "\x02", "\x1b[1;2D"),
    "right": ("\x1b[C", "\x1bOC", "\x06"),
    "home": ("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~", "\x01", "\x1b[1;5H"),
    "end": ("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~", "\x05"),
    "word left": ("\x1b[1;5D", "\x1b[1;3D", "\x1b[5D", "\x1bOd", "\x1bb"),
    "word right": ("\x1b[1;5C", "\x1b[1;3C", "\x1b[5C", "\x1bOc", "\x1bf"),
    "backspace": ("\x7f", "\b"),
    "delete": ("\x1b[3~", "\x04"),
    "erase blanks and word": ("\x17",),
    "erase word left": ("\x1b\x7f", "\x1b\b"),
    "erase word right": ("\x1bd", "\x1b[3;5~"),
    "erase to start": ("\x15",),
    "erase to end": ("\x0b",),
}


def left_of(key, before):
    """Return the part of the text before the cursor that this key moves over or erases."""
    pattern = {
        "left": ".?$",
        "backspace": ".?$",
        "home": ".*$",
        "erase to start": ".*$",
        "word left": "[a-z0-9]*[^a-z0-9]*$",
        "erase word left": "[a-z0-9]*[^a-z0-9]*$",
        "erase blanks and word": "[^ ]* *$",
    }[key]
    return re.search(pattern, before)[0]


def right_of(key, after):
    pattern = {
        "right": ".?",
        "delete": ".?",
        "end": ".*",
        "erase to end": ".*",
        "word right": "[^a-z0-9]*[a-z0-9]*",
        "erase word right": "[^a-z0-9]*[a-z0-9]*",
    }[key]
    return re.match(pattern, after)[0]


def modelled(key, before, after):
    """Return the texts before and after the cursor, after this key is pressed."""
    if len(key) == 1:
        return before + key, after
    erases = key.startswith(("erase", "backspace", "delete"))
    if "left" in key or key in ("home", "backspace", "erase to start", "erase blanks and word"):
        gone = left_of(key, before)
        return before.removesuffix(gone), after if erases else gone + after
    gone = right_of(key, after)
    return before if erases else before + gone, after.removeprefix(gone)


PRESSES = st.one_of(
    st.sampled_from("a7d  -.").map(lambda key: (key, key)),
    st.sampled_from([(name, code) for name, codes in ENCODINGS.items() for code in codes]),
)


@given(st.text("ad7 -", max_size=12), st.lists(PRESSES, max_size=20), st.booleans())
def test_every_key_in_every_encoding_works_as_specified(begun, presses, bytewise):
    editor = LineEditor()
    feed(editor, begun)
    before, after = begun, ""
    for name, code in presses:
        if code == "\x04" and not before + after:
            continue  # Ctrl-D on an empty line is the end of input
        for piece in code if bytewise else [code]:
            feed(editor, piece)
        if code in ("\x1bb", "\x1bf", "\x1bd") and modelled(name, before, after) == (
            before,
            after,
        ):
            name = code[1]  # no text to move over, so the letter is typed
        before, after = modelled(name, before, after)
        assert (editor.text[: editor.at], editor.text[editor.at :]) == (before, after)


def feed(editor, *texts):
    return [event for text in texts for event in editor.feed(text.encode())]


@pytest.mark.parametrize(
    "unknown",
    [
        *("\x1b[5~", "\x1b[6~", "\x1b[2~", "\x1b[15~", "\x1b[Z", "\x1b[I", "\x1b[[A", "\x1bOP"),
        *(
            "\x1b[200~",
            "\x1b[201~",
            "\x1b[38;5;1;2;3;4;5m",
            "\x1b[" + "9" * 5_000 + "~",
            "\x1b\x1b",
        ),
        *("\x1b[<0;1;1M", "\x00", "\x1c", "\x1a", "\x1b[99;99~"),
    ],
)
def test_an_unknown_sequence_does_nothing(unknown):
    editor = LineEditor()
    editor.history.keep("take")  # what the up arrow would bring back
    assert feed(editor, "draw", "\x1b[D", unknown, "") == [EndOfInput()]
    assert (editor.text, editor.at) == ("draw", 3)


def test_a_lone_escape_does_not_swallow_the_next_letter_typed():
    for word in ("draw", "brief on", "fold"):
        assert feed(LineEditor(), ESC, *word, "\r") == [TypedLine(word)]


def test_a_control_character_within_a_sequence_takes_effect():
    assert feed(LineEditor(), "ab\x1b[1\x7fc\n") == [TypedLine("ac")]


def test_combining_marks_move_with_their_character():
    editor = LineEditor()
    feed(editor, "ae\u0301b\x1b[D\x1b[D")
    assert editor.at == 1
    feed(editor, "\x1b[3~")
    assert (editor.text, editor.at) == ("ab", 1)


def test_a_combining_mark_is_part_of_a_word():
    editor = LineEditor()
    feed(editor, "say re\u0301sume\u0301s", "\x1bb")
    assert editor.at == len("say ")
    feed(editor, "\x1bf")
    assert editor.at == len(editor.text)


def test_alt_and_a_letter_without_a_meaning_type_the_letter_even_before_a_mark():
    editor = LineEditor()
    feed(editor, "\u0301", "\x01", "a", "\x1bx")
    assert editor.text == "ax\u0301"


def test_a_full_line_takes_no_more_until_something_is_erased():
    editor = LineEditor()
    assert feed(editor, "x" * (MAX_LINE + 1), "\r") == [OverlongLine()]
    assert feed(editor, "x" * MAX_LINE, "\x01", "y", "\x1b[3~", "y\r") == [
        TypedLine("y" + "x" * (MAX_LINE - 1))
    ]


def test_ctrl_l_redraws_the_row():
    assert feed(LineEditor(), "ab\x0c") == [Redraw()]


# --- history ----------------------------------------------------------------------------

UP, DOWN = "\x1b[A", "\x1b[B"


def entered(*lines):
    editor = LineEditor()
    for line in lines:
        editor.history.keep(line)
    return editor


def browsed(editor, *keys):
    texts = []
    for key in keys:
        feed(editor, key)
        texts.append(editor.text)
    return texts


def test_up_and_down_go_through_the_history_and_back_to_the_current_line():
    editor = entered("draw", "7d", "7d", " ", "say hi")
    feed(editor, "kno")
    assert browsed(editor, UP, UP, UP, UP, DOWN, "\x10", "\x0e", DOWN, DOWN, DOWN) == [
        *("say hi", "7d", "draw", "draw", "7d", "draw", "7d", "say hi", "kno", "kno")
    ]
    assert editor.at == len("kno")


def test_a_changed_history_line_stays_changed_until_enter():
    editor = entered("draw", "say hi")
    assert browsed(editor, UP, "!", UP, DOWN)[-1] == "say hi!"
    assert feed(editor, "\r") == [TypedLine("say hi!")]
    assert browsed(editor, UP, UP) == ["say hi", "draw"]


def test_the_oldest_lines_are_forgotten():
    history = History()
    for number in range(2 * MAX_HISTORY):
        history.keep(str(number))
    lines = [history.go(-1, "") for _ in range(MAX_HISTORY + 1)]
    assert lines[MAX_HISTORY - 1 :] == [str(MAX_HISTORY), None]


# --- Tab --------------------------------------------------------------------------------

WORDS = {"": ("draw", "knock "), "kn": ("knock ",), "ta": ("take", "table"), "t": ("take", "table")}


def complete(before):
    return None if before.startswith("say ") else WORDS.get(before, ())


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("kn\t", "knock "),
        ("KN\t", "KN"),
        ("kn\t7d", "knock 7d"),
        ("kn 7d\x01\x1b[C\x1b[C\t", "knock 7d"),
        ("t\t", "ta"),
        ("t\t\t", "ta"),
        ("\t", ""),
        ("x\t\t", "x"),
        ("say a\tb", "say a b"),
    ],
)
def test_tab_completes_what_is_unambiguous(typed, text):
    editor = LineEditor(complete=complete)
    feed(editor, typed)
    assert editor.text == text


def test_a_second_tab_lists_what_is_possible_and_a_third_does_nothing():
    editor = LineEditor(complete=complete)
    assert feed(editor, "\t") == []
    assert feed(editor, "\t") == [CompletionList(("draw", "knock"))]
    assert feed(editor, "\t") == []
    assert feed(editor, "t", "\t") == []  # completed to the common prefix
    assert feed(editor, "\t") == [CompletionList(("take", "table"))]


def test_repeated_tabs_look_completions_up_only_twice():
    asked = []
    editor = LineEditor(complete=lambda before: asked.append(before) or ("a", "b"))
    feed(editor, "\t" * 1_000)
    assert len(asked) == 2


def test_a_line_begins_with_its_first_character_and_not_when_it_is_completed():
    now = iter(range(9))
    editor = LineEditor(complete=complete, seconds=lambda: next(now))
    feed(editor, "x\x15")  # erased, so the next character begins a line
    assert feed(editor, "kn\t\r")[0].begun == 1


def test_a_completed_line_is_limited_like_any_other():
    editor = LineEditor(complete=lambda before: ("x" * 2 * MAX_LINE,))
    assert feed(editor, "x\t\r") == [OverlongLine()]


# --- random input -----------------------------------------------------------------------


@given(st.lists(st.one_of(st.binary(max_size=20), st.text(max_size=9).map(str.encode))))
def test_arbitrary_bytes_do_not_upset_the_editor(pieces):
    editor = LineEditor(complete=complete)
    for piece in (*filter(None, pieces), b""):
        for event in editor.feed(piece):
            if isinstance(event, TypedLine):
                editor.history.keep(event.text)
        assert 0 <= editor.at <= len(editor.text) <= MAX_LINE
        assert not any(ord(letter) < 32 for letter in editor.text)
