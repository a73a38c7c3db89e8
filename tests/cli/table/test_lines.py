"""Lines from pipes and keyboards, and a console on a pipe."""

import io
import os
import queue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.terminal.console import Console
from cli.terminal.line_input import (
    MAX_LINE,
    EndOfInput,
    LineEditor,
    LineSplitter,
    OverlongLine,
    TypedLine,
)
from cli.terminal.output import width_of

# --- pipes ------------------------------------------------------------------------------


def fed(reader, *chunks):
    return [event for chunk in chunks for event in reader.feed(chunk)]


def test_lines_are_split_correctly_wherever_the_bytes_break():
    assert fed(LineSplitter(), b"dr", b"aw\nta", b"ke\r\n", b"\n") == [
        TypedLine("draw"),
        TypedLine("take"),
        TypedLine(""),
    ]


def test_a_last_line_needs_no_line_end():
    assert fed(LineSplitter(), b"quit", b"") == [TypedLine("quit"), EndOfInput()]
    assert fed(LineSplitter(), b"quit\n", b"") == [TypedLine("quit"), EndOfInput()]


def test_a_character_may_arrive_in_two_pieces():
    assert fed(LineSplitter(), "say é\n".encode()[:5], "say é\n".encode()[5:]) == [
        TypedLine("say é")
    ]


def test_undecodable_bytes_are_not_an_error():
    assert fed(LineSplitter(), b"\xff\xfe\x00\n") == [TypedLine("\ufffd\ufffd\x00")]


def test_ten_megabytes_without_a_line_end_give_one_message():
    reader = LineSplitter()
    events = fed(reader, *[b"x" * 65_536] * 160, b"\ndraw\n")
    assert events == [OverlongLine(), TypedLine("draw")]
    assert len(reader._text) == 0


def test_the_longest_allowed_line_is_accepted():
    assert fed(LineSplitter(), b"x" * MAX_LINE + b"\r\n") == [TypedLine("x" * MAX_LINE)]
    assert fed(LineSplitter(), b"x" * (MAX_LINE + 2)) == [OverlongLine()]


@given(st.lists(st.binary(max_size=20)))
def test_arbitrary_bytes_do_not_upset_the_line_splitter(chunks):
    whole = b"".join(chunks)
    assert fed(LineSplitter(), *filter(None, chunks), b"") == fed(
        LineSplitter(), *([whole] if whole else []), b""
    )


# --- keys -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "text"),
    [(b"a\x00b\x01", "ab"), (b"x\ty", "x y"), ("é".encode(), "é"), (b"\xff", "\ufffd")],
)
def test_control_characters_are_dropped_and_invalid_bytes_replaced(keys, text):
    for pieces in ([keys], [bytes([key]) for key in keys]):  # all at once, or one byte at a time
        editor = LineEditor()
        assert fed(editor, *pieces) == []
        assert editor.text == text


def test_enter_works_even_inside_an_escape_sequence():
    assert fed(LineEditor(), b"draw\x1b[\n") == [TypedLine("draw")]


def test_ctrl_d_ends_input_only_on_an_empty_line():
    assert fed(LineEditor(), b"ab\x04") == []
    assert fed(LineEditor(), b"\x04") == [EndOfInput(final=False)]
    assert fed(LineEditor(), b"") == [EndOfInput()]


def test_width_is_counted_in_columns():
    assert width_of("7♦> ") == 4
    assert width_of("\x1b[31m7♦\x1b[0m") == 2
    assert width_of("日本e\u0301") == 5


# --- the console ------------------------------------------------------------------------


class Pipe(io.TextIOWrapper):
    def __init__(self, data):
        raw = io.BytesIO(data)
        super().__init__(io.BufferedReader(raw), encoding="utf-8")


def piped(data, taker):
    calls = queue.Queue()
    console = Console(Pipe(data), io.StringIO(), lambda *call: calls.put(call), {})
    console.start(taker, lambda: None)
    return console, calls


def test_a_pipe_gets_no_prompts():
    console, _ = piped(b"", lambda event: True)
    console.prompt("draw> ")
    console.print("event draw")
    assert console.stdout.getvalue() == "event draw\n"


def test_a_line_that_cannot_be_taken_yet_waits_and_reading_stops():
    ready, taken = [], []

    def taker(event):
        if ready:
            taken.append(event)
        return bool(ready)

    console, calls = piped(b"draw\n" * 10_000, taker)
    call, *args = calls.get(timeout=10)
    call(*args)
    assert taken == []
    with pytest.raises(queue.Empty):
        calls.get(timeout=0.2)
    ready.append(True)
    console.offer()
    assert 0 < len(taken) < 10_000
    assert set(taken) == {TypedLine("draw")}
    assert calls.get(timeout=10)


def test_output_that_nobody_reads_is_reported_once_and_later():
    """A function that prints returns before the report is made."""
    broken, turns = [], []
    reading, writing = os.pipe()
    os.close(reading)
    stdout = io.TextIOWrapper(os.fdopen(writing, "wb"), encoding="utf-8")
    console = Console(None, stdout, lambda *call: turns.append(call), {})
    console.start(lambda event: True, lambda: broken.append(True))
    console.print("event draw")
    console.print("event draw")
    assert broken == []
    for call, *arguments in turns:
        call(*arguments)
    assert broken == [True]
    assert isinstance(console.broken, BrokenPipeError)
    with pytest.raises(BrokenPipeError):
        stdout.close()


def test_no_input_stream_counts_as_end_of_input():
    calls = queue.Queue()
    events = []
    console = Console(None, io.StringIO(), lambda *call: calls.put(call), {})
    console.start(lambda event: events.append(event) or True, lambda: None)
    call, *args = calls.get(timeout=10)
    call(*args)
    assert events == [EndOfInput()]
