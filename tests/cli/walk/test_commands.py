"""What is typed while walking, as orders."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.walk.commands import AIMS, SHORT, WORDS, NoOrder, Order, order_of
from cli.walk.guide import completions, help_lines


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("", Order("next", 1)),
        ("  ", Order("next", 1)),
        ("n", Order("next", 1)),
        ("NEXT 5", Order("next", 5)),
        ("b", Order("back", 1)),
        ("back 12", Order("back", 12)),
        ("3", Order("hand", 3)),
        ("hand 3", Order("hand", 3)),
        ("h 3", Order("hand", 3)),
        ("turn 7", Order("turn", 7)),
        ("turn 0", Order("turn", 0)),
        ("entry 20", Order("entry", 20)),
        ("n knock", Order("next", aim="knock")),
        ("b discard host", Order("back", aim="discard", player="host")),
        ("next hand", Order("next", aim="hand")),
        ("knock", Order("next", aim="knock")),
        ("d", Order("next", aim="discard")),
        ("discard Ann Smith", Order("next", aim="discard", player="Ann Smith")),
        ("high", Order("highest")),
        ("highest both match", Order("highest", player="both", everywhere=True)),
        ("highest deadwood", Order("highest")),
        ("highest deadwood Ann match", Order("highest", player="Ann", everywhere=True)),
        ("deadwood", Order("highest")),
        ("highest match", Order("highest", everywhere=True)),
        ("seat Ann", Order("seat", player="Ann")),
        ("words on", Order("words", on=True)),
        ("full OFF", Order("full", on=False)),
        ("show", Order("table")),
        ("?", Order("help")),
        ("help knock", Order("help")),
        ("q", Order("quit")),
    ],
)
def test_a_line_is_an_order(line, order):
    assert order_of(line) == order


@pytest.mark.parametrize(
    "line",
    [
        *("hand", "hand x", "turn", "turn -1", "entry", "next x", "next 1 2", "back hand 3"),
        *("words", "words maybe", "full", "seat", "table 3", "t 5", "where am i", "start now"),
        *("hand 9999999999", "٣", "hand ٣", "3 4", "nonsense", "draw", "discrad"),
    ],
)
def test_what_is_none_says_so_in_one_short_line(line):
    answer = order_of(line)
    assert isinstance(answer, NoOrder)
    assert "\n" not in answer.sentence
    assert len(answer.sentence) < 90


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("nxt", "next"),
        ("bakc", "back"),
        ("higest", "highest"),
        ("were", "where"),
        ("stat", "start"),
    ],
)
def test_a_slip_of_the_fingers_is_told_what_was_meant(typed, word):
    assert f"Did you mean {word}?" in order_of(typed).sentence


@given(st.text(max_size=300) | st.text(string.ascii_lowercase + string.digits + " ", max_size=40))
def test_anything_typed_is_an_order_or_one_harmless_line(line):
    answer = order_of(line)
    if isinstance(answer, NoOrder):
        assert answer.sentence.isprintable()
        assert len(answer.sentence) < 120
    else:
        assert answer.word in WORDS
        assert 0 <= answer.number < 10**9


def test_every_word_and_every_short_form_is_known_and_help_names_each_word():
    told = " ".join(help_lines())
    for word in WORDS:
        assert word == "help" or f"{word} " in told or word in told.split(), word
    assert set(SHORT.values()) <= set(WORDS)
    assert not set(SHORT) & set(WORDS)
    assert set(AIMS) <= set(WORDS)


def test_tab_completes_a_word_and_what_stands_behind_it():
    assert completions("hi") == ("highest",)
    assert completions("se") == ("seat ",)
    assert completions("full o") == ("on", "off")
    assert completions("next k") == ("knock",)
    assert [word.strip() for word in completions("")] == list(WORDS)
    assert completions("where x") == ()
