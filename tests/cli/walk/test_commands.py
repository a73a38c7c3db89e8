"""How lines typed while walking are read as commands."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.walk import _HELP, BY_NAME, BY_WORD, COMMANDS, completions
from tests.cli.walk.test_answers import walking

WORDS = tuple(BY_NAME)


def refusal(line):
    """Return the answer to an unreadable line. Check that it is one line, and that the walk stays
    where it was."""
    answers, walk = walking(own=0)
    walk.to_hand(2)
    before = walk.place, walk.shown_seat
    (told,) = answers.to(line)
    assert (walk.place, walk.shown_seat, answers.over) == (*before, False)
    return told


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("", "next 1"),
        ("  ", "next"),
        ("n", "next"),
        ("NEXT 5", "next 5"),
        ("b", "back 1"),
        ("prev 12", "back 12"),
        ("1", "hand 1"),
        ("h 1", "hand 1"),
        ("n knock", "next knock"),
        ("d", "next discard"),
        ("throw Ben", "next discard Ben"),
        ("b discard host", "back discard Ada"),
        ("high", "highest"),
        ("deadwood", "highest"),
        ("highest deadwood Ada match", "highest host match"),
        ("view Ada", "seat host"),
        ("words ON", "words on"),
        ("full OFF", "full off"),
        ("value on", "values on"),
        ("show", "table"),
        ("?", "help"),
        ("help knock", "help"),
        ("q", "quit"),
    ],
)
def test_a_line_is_read_as_a_walk_command(line, order):
    def obeyed(typed):
        answers, walk = walking(own=0)
        walk.to_hand(2)
        walk.go(3)
        return answers.to(typed), walk.place, walk.shown_seat, answers.over

    assert obeyed(line) == obeyed(order)


@pytest.mark.parametrize(
    "line",
    [
        *("hand", "hand x", "turn -1", "entry", "next x", "next 1 2", "next table", "back hand 3"),
        *("words", "words maybe", "seat", "table 3", "where am i", "hand 9999999999", "\u0663"),
        *("3 4", "nonsense", "discrad"),
    ],
)
def test_an_invalid_command_is_refused_in_one_short_line(line):
    assert "\n" not in refusal(line)
    assert len(refusal(line)) < 90


def test_a_typo_is_answered_with_the_intended_word():
    assert "Did you mean back?" in refusal("bakc")
    assert "Did you mean start?" in refusal("stat")


@given(st.text(max_size=300) | st.text(string.ascii_lowercase + string.digits + " ", max_size=40))
def test_any_line_is_a_command_or_gets_a_harmless_one_line_reply(line):
    answers, walk = walking()
    answers.to(line)
    assert 0 <= walk.place <= walk.last
    first = line.split()[:1]
    if first and not first[0].isdigit() and first[0].casefold() not in BY_WORD:
        assert refusal(line).isprintable()
        assert len(refusal(line)) < 120


def test_every_word_and_every_short_form_is_known_and_help_names_each_word():
    told = " ".join(_HELP)
    for word in WORDS:
        assert word == "help" or f"{word} " in told or word in told.split(), word
    aliases = [alias for spec in COMMANDS for alias in spec.aliases]
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & set(WORDS)


def test_tab_completes_a_word_and_its_argument():
    assert completions("hi") == ("highest",)
    assert completions("se") == ("seat ",)
    assert completions("full o") == ("on", "off")
    assert completions("next k") == ("knock",)
    assert [word.strip() for word in completions("")] == list(WORDS)
    assert completions("where x") == ()
