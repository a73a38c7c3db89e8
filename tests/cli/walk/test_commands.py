"""How lines typed while walking are read as commands."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.walk.commands import (
    _HELP,
    COMMANDS,
    WalkCommand,
    completions,
    parse_walk_command,
)
from ginpeer.rules.cards import Unreadable

WORDS = tuple(COMMANDS.by_name)


def refusal(line):
    with pytest.raises(Unreadable) as refused:
        parse_walk_command(line)
    return refused.value.sentence


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("", WalkCommand("next", 1)),
        ("  ", WalkCommand("next", 1)),
        ("n", WalkCommand("next", 1)),
        ("NEXT 5", WalkCommand("next", 5)),
        ("b", WalkCommand("back", 1)),
        ("back 12", WalkCommand("back", 12)),
        ("3", WalkCommand("hand", 3)),
        ("hand 3", WalkCommand("hand", 3)),
        ("h 3", WalkCommand("hand", 3)),
        ("turn 7", WalkCommand("turn", 7)),
        ("turn 0", WalkCommand("turn", 0)),
        ("entry 20", WalkCommand("entry", 20)),
        ("n knock", WalkCommand("next", aim="knock")),
        ("b discard host", WalkCommand("back", aim="discard", player="host")),
        ("next hand", WalkCommand("next", aim="hand")),
        ("knock", WalkCommand("next", aim="knock")),
        ("d", WalkCommand("next", aim="discard")),
        ("discard Ann Smith", WalkCommand("next", aim="discard", player="Ann Smith")),
        ("high", WalkCommand("highest")),
        ("highest both match", WalkCommand("highest", player="both", everywhere=True)),
        ("highest deadwood", WalkCommand("highest")),
        ("highest deadwood Ann match", WalkCommand("highest", player="Ann", everywhere=True)),
        ("deadwood", WalkCommand("highest")),
        ("highest match", WalkCommand("highest", everywhere=True)),
        ("seat Ann", WalkCommand("seat", player="Ann")),
        ("words on", WalkCommand("words", on=True)),
        ("full OFF", WalkCommand("full", on=False)),
        ("show", WalkCommand("table")),
        ("?", WalkCommand("help")),
        ("help knock", WalkCommand("help")),
        ("q", WalkCommand("quit")),
    ],
)
def test_a_line_is_an_order(line, order):
    assert parse_walk_command(line) == order


@pytest.mark.parametrize(
    "line",
    [
        *(
            "hand",
            "hand x",
            "turn",
            "turn -1",
            "entry",
            "next x",
            "next 1 2",
            "next table",
            "back hand 3",
        ),
        *("words", "words maybe", "full", "seat", "table 3", "t 5", "where am i", "start now"),
        *("next table", "hand 9999999999", "٣", "hand ٣", "3 4", "nonsense", "draw", "discrad"),
    ],
)
def test_what_is_none_says_so_in_one_short_line(line):
    assert "\n" not in refusal(line)
    assert len(refusal(line)) < 90


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
    assert f"Did you mean {word}?" in refusal(typed)


@given(st.text(max_size=300) | st.text(string.ascii_lowercase + string.digits + " ", max_size=40))
def test_anything_typed_is_an_order_or_one_harmless_line(line):
    try:
        command = parse_walk_command(line)
    except Unreadable:
        assert refusal(line).isprintable()
        assert len(refusal(line)) < 120
    else:
        assert command.word in WORDS
        assert 0 <= command.number < 10**9


def test_every_word_and_every_short_form_is_known_and_help_names_each_word():
    told = " ".join(_HELP)
    for word in WORDS:
        assert word == "help" or f"{word} " in told or word in told.split(), word
    aliases = [alias for spec in COMMANDS.specs for alias in spec.aliases]
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & set(WORDS)


def test_tab_completes_a_word_and_what_stands_behind_it():
    assert completions("hi") == ("highest",)
    assert completions("se") == ("seat ",)
    assert completions("full o") == ("on", "off")
    assert completions("next k") == ("knock",)
    assert [word.strip() for word in completions("")] == list(WORDS)
    assert completions("where x") == ()
