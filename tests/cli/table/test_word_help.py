"""`help WORD`: one command in a sentence or two."""

import re

import pytest

from cli.table.arguments import Explain
from cli.table.commands import WORDS, explain_command
from cli.table.parse import parse_command
from ginpeer.rules.cards import Unreadable
from tests.cli.table.hands import first_choice

pytestmark = pytest.mark.usefixtures("wide_screen")


@pytest.mark.parametrize("mahjong", [False, True])
@pytest.mark.parametrize("word", WORDS)
def test_every_command_is_explained_in_a_sentence_or_two(word, mahjong):
    said = explain_command(word, mahjong=mahjong)
    assert "no command" not in said
    assert said.endswith(".")
    assert len(re.findall(r"[.] [A-Za-z]", said)) <= 1
    assert len(said.split()) <= 40


def test_help_with_a_word_is_read_as_a_question_about_it():
    assert parse_command("help knock") == Explain("knock")
    assert parse_command("? big gin") == Explain("big gin")


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ("k", "knock 7d (k 7d) throws"),
        ("Say", "say good game sends"),
        ("exit", "quit (q) leaves"),
        ("big gin", "big gin ends the hand"),
        ("sort melds", "sort melds, sort suit"),
        ("lay off", "layoff 6c on 1"),
        ("7d", "discard 7d (x 7d"),
        ("konck", '"konck" is no command; the nearest is: knock 7d'),
        ("chat", '"chat" is no command; the nearest is: say good game'),
        ("undo", "Nothing is taken back"),
    ],
)
def test_a_word_is_explained_by_whatever_name_it_is_asked_for(asked, begins):
    assert explain_command(asked, mahjong=False).startswith(begins)


def test_in_mahjong_gin_the_words_mean_what_they_do_there():
    assert "Nobody knocks" in explain_command("knock", mahjong=True)
    assert "three top cards" in explain_command("take", mahjong=True)
    assert "three top cards" not in explain_command("take", mahjong=False)


def test_a_word_that_is_near_nothing_has_no_explanation():
    with pytest.raises(Unreadable, match=r'"frobnicate" is no command'):
        explain_command("frobnicate", mahjong=False)


def test_help_with_a_word_answers_at_once_and_changes_nothing(person, program):
    for seated in (person, program):
        assert "It is remembered." in seated.type("help words")
        seated.choose(first_choice())
        assert "begins your turn" in seated.type("help draw")
        assert "is no command" in seated.type("help frobnicate")
        assert "Stop: pause asks" in seated.type("help talk")
        assert seated.session.played == []
    assert "No rule is about that" in person.type("rules help draw")
