"""The table of commands: how lines are read, suggestions after a typo, and the help.

readings.txt shows how each of many typed lines is read. To write it again after a deliberate
change: python -m tests.cli.table.test_commands
"""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.table import commands
from cli.table.arguments import SWITCHES, Command, NewPlace, Parts
from cli.table.commands import (
    BY_NAME,
    BY_WORD,
    TOPICS,
    WORDS,
    explain_command,
    parse_command,
)
from cli.table.lookups import help_lines, topic_lines
from cli.table.near_misses import (
    PHRASES,
    QUESTIONS,
    WHY_NOT,
    edit_distance,
    is_talk,
    nearest_command,
)
from cli.table.presenter import PersonPresenter
from cli.text.cards import RANK_WORDS, SUIT_WORDS, Sort, Style, read_card
from ginpeer.rules import CARDS, Unreadable, parse_ruleset
from ginpeer.rules.cards import RulesError, set_text
from ginpeer.store.small_files import DEFAULT_SETTINGS, Settings
from tests.cli.seated import Seated
from tests.cli.table.hands import square_with_a_king

pytestmark = pytest.mark.usefixtures("wide_screen")

READINGS = Path(__file__).with_name("readings.txt")


# --- how lines are read -----------------------------------------------------------------


def reading(line):
    """Return how a line is read, as one line of text."""
    try:
        return _shown(parse_command(line))
    except RulesError as refusal:
        return f"{refusal.code}: {refusal.sentence}"


def _shown(value):
    match value:
        case Command(name, None):
            return f"[{name}]"
        case Command(name, argument):
            return f"[{name}] {_shown(argument)}"
        case Parts() | NewPlace():
            named = {each.name: getattr(value, each.name) for each in fields(value)}
            if named.get("deadwood") is not None:
                named["deadwood"] = set_text(named["deadwood"])
            shown = (f"{name}={_shown(each)}" for name, each in named.items() if each is not None)
            return " ".join(shown) or "nothing named"
        case Sort():
            return value.value
        case tuple():
            return f"({' '.join(map(_shown, value))})"
    return str(value)


def lines_and_readings():
    lines = READINGS.read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" => ", 1)) for line in lines]


def test_a_line_is_read_as_recorded():
    for typed, read_as in lines_and_readings():
        assert reading(typed) == read_as


def test_every_text_that_is_shown_for_a_card_can_be_typed():
    for card in CARDS:
        for style in (Style(), Style(symbols=True), Style(words=True)):
            assert read_card(style.card(card)) == card
        assert read_card(str(card)) == card
        assert read_card(f"{RANK_WORDS[card.rank]} {SUIT_WORDS[card.suit]}") == card


_PIECES = """
knock spread melds layoff deadwood 7d 3c4c5c on 1 @ , and say gin big none take of king ♦ d k rules
propose lay off order move é
"""
PIECES = st.sampled_from([*_PIECES.split(), "\x1b"])


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join)))
def test_every_line_is_read_as_a_command_or_refused_with_a_message(line):
    assert reading(line)


def test_a_refusal_is_short_and_contains_no_control_characters():
    for typed, read_as in lines_and_readings():
        if re.match("[a-z-]+: ", read_as):
            # A sentence that ends with an example to be typed has no full stop.
            assert read_as.endswith((".", "?")) or re.search(r" for example: \S+$", read_as), typed
            assert len(read_as) < 220
    with pytest.raises(Unreadable) as refused:
        parse_command("\x1b[2J\x07\u202eevil")
    assert refused.value.sentence.isprintable()


@pytest.mark.parametrize("line", ["knock " + "7d " * 900, "d" * 2_001])
def test_a_long_line_is_not_a_command(line):
    assert reading(line).startswith("line-too-long: ")


def test_nested_questions_about_rules_are_refused_at_any_depth():
    assert reading("rules " * 600 + "draw").startswith("no-move: Ask about a move")


# --- suggestions after a typo -----------------------------------------------------------


def test_a_long_line_of_typos_is_examined_no_deeper_than_a_short_one():
    for line in ("ruels " * 330, "rulse " * 20 + "draw"):
        assert reading(line).endswith(" rules.")
    assert reading("d" * 1_900).startswith('unknown-command: "ddd')
    assert reading("hello there " * 20).endswith(SAY)


def test_a_word_that_is_longer_than_any_command_is_not_compared():
    assert nearest_command("a" * 14, ["a" * 15]) == "a" * 15
    assert nearest_command("a" * 15, ["a" * 15]) is None


SAY = "That isn't a command. To send it as a message, type say on its own."

TALK = """
well played|Well played!|well|hello there|Nice one, don't you think?|see you in 5|hello|hi!|nice|gg
thanks|thank you|lol|how lucky|hard luck|had to|more cards please|love it|and now?|mate|saw that
really? again?|win some, lose some|bye for now|back in a minute|play well|stop it|end of my luck
Please be quick|long day|slow down|quite a hand|points galore
"""


def test_ordinary_talk_is_answered_with_how_to_say_it():
    for typed in TALK.strip().replace("\n", "|").split("|"):
        assert reading(typed) == f"unknown-command: {SAY}"


def test_a_word_that_stands_alone_may_be_meant_as_a_command():
    assert is_talk("points", alone=False, near=False)
    assert not is_talk("points", alone=True, near=False)


def test_text_quoted_back_from_a_line_is_harmless():
    assert " say a\N{REPLACEMENT CHARACTER}[2Jb." in reading("sya a\x1b[2Jb")


def test_every_phrase_means_a_command_and_a_move_is_never_made_by_asking():
    for phrase, command in PHRASES.items():
        assert reading(phrase.title()) == reading(command)
        assert re.match("[a-z-]+: ", reading(f"{phrase}?"))
    for question, command in QUESTIONS.items():
        assert reading(f"{question.title()}?") == reading(command)
        assert not reading(command).startswith("unknown-command")
    assert reading("What's the upcard?") == reading("table")
    assert reading("go gin") == reading("gin")
    assert reading("go big gin") == reading("big gin")


def test_no_command_is_taken_for_a_typo_or_an_unsupported_word():
    for word in WORDS:
        assert word not in WHY_NOT
        assert len(word) < 3 or nearest_command(word, WORDS) == word
        assert not reading(word).startswith("unknown-command")  # even if its card is missing


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
def test_the_edit_distance_counts_missing_extra_wrong_and_swapped_letters(typed, word, count):
    assert edit_distance(typed, word) == count == edit_distance(word, typed)


# --- the help ---------------------------------------------------------------------------


def test_every_command_is_explained_in_a_few_sentences():
    for mahjong in [False, True]:
        for word in [*BY_NAME, *WORDS]:
            said = explain_command(word, mahjong=mahjong)
            assert "isn't a command" not in said
            assert said.endswith(".")
            assert len(re.findall(r"[.] [A-Za-z]", said)) <= 3
            assert len(said.split()) <= 45


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        *(("k", "knock"), ("Say", "say"), ("exit", "quit"), ("sort melds", "sort")),
        *(("lay off", "layoff"), ("7d", "discard"), ("take back", "undo")),
    ],
)
def test_a_command_is_explained_under_each_of_its_names(asked, word):
    assert explain_command(asked, mahjong=False) == explain_command(word, mahjong=False)


@pytest.mark.parametrize(("asked", "word"), [("konck", "knock"), ("chat", "say")])
def test_an_unknown_word_is_explained_by_the_nearest_command(asked, word):
    told = explain_command(asked, mahjong=False)
    assert told.startswith(f'"{asked}" ')
    assert told.endswith(explain_command(word, mahjong=False))


def test_explanations_of_commands_fit_mahjong_gin():
    assert "no knocking" in explain_command("knock", mahjong=True)
    assert "no hints" in explain_command("hint", mahjong=True)
    assert "top three cards" in explain_command("take", mahjong=True)
    assert "top three cards" not in explain_command("take", mahjong=False)


def test_a_word_unlike_any_command_has_no_explanation():
    with pytest.raises(Unreadable, match=r"\"frobnicate\" isn't a command"):
        explain_command("frobnicate", mahjong=False)


def test_help_describes_the_game_being_played(transcript):
    ordinary, mahjong = (help_lines(parse_ruleset(text)) for text in ("standard", "mahjong"))
    assert help_lines(None) == ordinary
    assert help_lines(None, agreed=False)[1:] == ordinary
    moves = (topic_lines("moves", mahjong=each) for each in (False, True))
    others = (topic_lines(each, mahjong=False) for each in TOPICS if each != "moves")
    waiting = help_lines(None, waiting=True)
    look = topic_lines("look", mahjong=True)
    transcript(waiting, help_lines(None, agreed=False), mahjong, moves, others, look)


def test_help_names_its_topics_and_together_they_name_every_command():
    brief = " ".join(help_lines(None, agreed=False))
    assert all(f"help {topic}" in brief for topic in TOPICS)
    told = {brief}
    told |= {line for each in TOPICS for line in topic_lines(each, mahjong=False, undo=True)}
    told |= set(topic_lines("moves", mahjong=True))
    words = set(re.findall(r"[a-z]+", " ".join(told)))
    known = set(BY_NAME) - {"show", "accept", "decline", "yes", "no"}
    assert {word.split()[0] for word in known} <= words


@pytest.mark.parametrize(("asked", "topic"), [("Moves", 0), ("chat", 3), ("tab", 4)])
def test_a_help_topic_is_found_under_each_of_its_names(asked, topic):
    assert topic_lines(asked, mahjong=False) == topic_lines(TOPICS[topic], mahjong=False)
    assert topic_lines("move", mahjong=False) is None  # a command, not a topic


# --- commands are carried out -----------------------------------------------------------

ARGUMENTS = {
    "discard": "ks",
    "sort": "suit",
    "order": "4h 5h",
    "move": "ks first",
    "colours": "four",
    "say": "good game",
    "propose": "oklahoma",
    "layoff": "6c on 1",
    "add": "6c on 1",
    **dict.fromkeys(("words", "brief", "confirm", "bell"), "on"),
}
"""The arguments for each command that needs some."""


def refusals(word, spec, monkeypatch):
    """Type a line that begins with this word. Return the codes with which it is refused."""
    codes = []
    monkeypatch.setattr(
        PersonPresenter, "show_refusal", lambda self, code, sentence: codes.append(code)
    )
    line = f"{word} {ARGUMENTS.get(spec.name, '')}".strip()
    parse_command(line)  # raises if an argument is missing in ARGUMENTS
    seated = Seated(interactive=True).sit()
    seated.choose(square_with_a_king())
    seated.type(line)
    return codes


@pytest.mark.parametrize("word", BY_WORD)
def test_every_command_word_is_carried_out(word, monkeypatch):
    """Only the words that answer a question need one."""
    spec = BY_WORD[word]
    unasked = "nothing-asked" in refusals(word, spec, monkeypatch)
    assert unasked == (spec.name in ("yes", "no", "accept", "decline"))


# --- switches ---------------------------------------------------------------------------


def test_every_switch_in_the_settings_has_a_command():
    switches = {
        each.name
        for each in fields(Settings)
        if isinstance(getattr(DEFAULT_SETTINGS, each.name), bool)
    }
    assert {spec.setting for spec in SWITCHES.values()} == switches
    assert set(SWITCHES) <= set(BY_NAME)


@pytest.mark.parametrize("word", SWITCHES)
def test_each_switch_is_set_by_its_words_and_saved(word):
    spec = SWITCHES[word]
    seated = Seated(interactive=True).sit()
    for on, typed in zip((True, False), spec.typed, strict=True):
        for how in filter(None, typed):
            assert parse_command(f"{word} {how}") == Command(word, on)
        expected = (spec.on if on else spec.off) or ("Done. ", "Saved, ")
        assert seated.type(f"{word} {typed[0]}").startswith(expected)
    assert seated.kept == [(spec.setting, True), (spec.setting, False)]


def test_a_repeated_typo_is_looked_up_once_for_each_word(monkeypatch):
    """Checking twice whether the rest can be read would double the work with each word."""
    looked_up = []

    def nearest(word, words):
        looked_up.append(word)
        return nearest_command(word, words)

    monkeypatch.setattr(commands, "nearest_command", nearest)
    with pytest.raises(Unreadable, match="Maybe you meant rules"):
        parse_command(" ".join(["ruls"] * 12))
    assert len(looked_up) <= 12


if __name__ == "__main__":
    READINGS.write_text(
        "".join(f"{typed} => {reading(typed)}\n" for typed, _ in lines_and_readings()),
        encoding="utf-8",
    )
