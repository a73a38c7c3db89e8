"""A word that is no command: what was probably meant, or why there is no such command."""

import pytest

from cli.table.command_table import edit_distance, nearest_command, why_no_such_command
from cli.table.commands import WORDS
from cli.table.parse import parse_command
from ginpeer.rules.cards import Unreadable
from tests.cli.table.hands import first_choice, square_with_a_king

pytestmark = pytest.mark.usefixtures("wide_screen")


def refused(line):
    with pytest.raises(Unreadable) as refusal:
        parse_command(line)
    assert refusal.value.code == "unknown-command"
    return refusal.value.sentence


def code_of(line):
    try:
        parse_command(line)
    except Unreadable as refusal:
        return refusal.code
    return None


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("helo", "help"),
        ("disacrd 7d", "discard 7d"),
        ("Sya Good Game", "say Good Game"),
        ("chat well played", "say well played"),
        ("darw", "draw"),
        ("konck 7d", "knock 7d"),
        ("stats", "score"),
        ("spraed", "spread"),
        ("unmuet", "unmute"),
        ("play 7d", "discard 7d"),
        ("rules konck 7d", "knock 7d"),
        ("rule oklahoma target=150", "rules oklahoma target=150"),
        ("ruels theirs", "rules theirs"),
        ("porpose straight", "propose straight"),
        ("suggest oklahoma", "propose oklahoma"),
        ("offer target=150", "propose target=150"),
        ("play oklahoma target=150", "propose oklahoma target=150"),
        ("tkae foo", "take"),  # what stands behind it is no card either
        ("rulse " * 20 + "draw", "rules"),
    ],
)
def test_a_near_miss_is_answered_with_what_was_meant(typed, command):
    assert refused(typed) == f"Type {command}, if you mean that."


def test_a_long_line_of_near_misses_is_looked_into_no_deeper_than_a_short_one():
    assert refused("ruels " * 330) == "Type rules, if you mean that."
    assert refused("d" * 1_900).startswith('"ddd')


def test_a_word_that_is_longer_than_any_command_is_not_compared():
    assert nearest_command("a" * 14, ["a" * 15]) == "a" * 15
    assert nearest_command("a" * 15, ["a" * 15]) is None


@pytest.mark.parametrize("typed", ["foo", "jacks", "7d 8d", "zz", "good game", "\x07\x1b[2J"])
def test_what_is_near_nothing_is_taken_for_nothing(typed):
    assert "you mean that" not in refused(typed)


TALK = """
well played|Well played!|well|hello there|Nice one, don't you think?|see you in 5|hello|hi!|nice|gg
thanks|thank you|lol|how lucky|hard luck|had to|more cards please|love it|and now?|mate|saw that
really? again?|win some, lose some|bye for now|back in a minute|play well|stop it|end of my luck
Please be quick|long day|slow down|quite a hand|points galore
"""


@pytest.mark.parametrize("typed", TALK.strip().replace("\n", "|").split("|"))
def test_what_looks_like_words_to_a_person_is_answered_with_how_to_say_it(typed):
    assert refused(typed) == f"To say it, type: say {typed}"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("bye", "Type quit, if you mean that."),
        ("stop", "Type quit, if you mean that."),
        ("play", "Type discard, if you mean that."),
        ("points", "Type score, if you mean that."),
        ("play 7d", "Type discard 7d, if you mean that."),
        ("back", "Nothing is taken back: "),
        ("more kd last", "Type move kd last, if you mean that."),
        ("drawn", "Type draw, if you mean that."),
    ],
)
def test_a_word_that_is_talk_at_times_is_a_slip_where_it_makes_a_command(typed, told):
    assert refused(typed).startswith(told)


def test_what_is_said_back_of_a_line_is_harmless():
    assert refused("hello\x0bthere you") == "To say it, type: say hello there you"
    assert refused("sya a\x1b[2Jb") == "Type say a\N{REPLACEMENT CHARACTER}[2Jb, if you mean that."


def test_many_words_are_not_repeated():
    assert refused("hello there " * 20) == "To say it, type say before it."


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("undo", "Nothing is taken back: the other player has seen it"),
        ("again", "The host is asked for another match when one is over"),
    ],
)
def test_what_cannot_be_had_against_a_friend_is_answered_with_why(typed, why):
    assert refused(typed).startswith(why)


def test_no_command_is_one_that_is_answered_with_why_not_or_with_another():
    for word in WORDS:
        assert why_no_such_command(word) is None
        assert len(word) < 3 or nearest_command(word, WORDS) == word
        assert code_of(word) != "unknown-command"  # though the card may be missing


@pytest.mark.parametrize(
    ("typed", "word", "count"),
    [
        ("draw", "draw", 0),
        ("darw", "draw", 1),
        ("raw", "draw", 1),
        ("drawn", "draw", 1),
        ("drew", "draw", 1),
        ("dwar", "draw", 2),
        ("", "draw", 4),
    ],
)
def test_a_slip_is_a_letter_too_few_too_many_another_or_two_in_each_others_place(
    typed, word, count
):
    assert edit_distance(typed, word) == count == edit_distance(word, typed)


def test_the_suggestion_is_one_sentence_and_moves_nothing(person):
    person.choose(square_with_a_king())
    shown = person.type("disacrd ks")
    assert shown.splitlines() == [
        "Type discard ks, if you mean that.",
        "discard a card, or knock> ",
    ]
    assert person.session.played == []


def test_a_script_reads_the_suggestion_behind_the_code(program):
    program.choose(first_choice())
    told = program.type("undo")
    assert 'event refused code=unknown-command text="Nothing is taken back' in told
