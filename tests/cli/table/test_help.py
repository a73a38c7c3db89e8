"""What `help` and `rules` say of the whole match."""

import re
import textwrap
from types import SimpleNamespace

import pytest

from cli.table.help import TOPICS, help_lines, rules_lines, topic_lines
from cli.table.parse import WORDS, known_by
from cli.table.person_presenter import PersonPresenter
from ginpeer.rules import (
    parse_ruleset,
)


def test_the_rules_of_a_match_are_told_in_short_with_their_numbers():
    lines = rules_lines(parse_ruleset("oklahoma target=150"))
    assert lines[0] == "The rules of this match: oklahoma target=150."
    assert lines[-1] == "ginpeer rules oklahoma target=150 explains all of them."
    assert any("150 points" in line and line.endswith("(8.3).") for line in lines)
    assert any(line.endswith("(10.3).") for line in lines)


def test_help_is_about_the_game_that_is_played():
    ordinary, mahjong = (help_lines(parse_ruleset(text)) for text in ("standard", "mahjong"))
    assert any("knock 7d" in line for line in ordinary)
    assert not any("lay melds" in line for line in ordinary)
    assert any("lay melds" in line for line in mahjong)
    assert not any("knock 7d (k 7d)" in line for line in mahjong)
    assert help_lines(None) == ordinary
    assert help_lines(None, waiting=True, agreed=False)[2:] == ordinary
    assert "propose oklahoma target=150" in help_lines(None, agreed=False)[0]
    moves, laid = (" ".join(topic_lines("moves", mahjong=each)) for each in (False, True))
    assert "Answer a knock: " in moves
    assert "Then lay cards" not in moves
    assert "Then lay cards" in laid
    assert "Knock: " not in laid


@pytest.mark.parametrize("rules", ["standard", "mahjong", None])
def test_help_fits_into_half_a_screen_of_eighty_columns(rules):
    told = help_lines(
        None if rules is None else parse_ruleset(rules),
        waiting=rules is None,
        agreed=rules is not None,
    )
    shown = [row for line in told for row in textwrap.wrap(line, 80)]
    assert len(shown) <= (12 if rules is None else 9)  # and what is asked for now is told first


def test_help_names_its_topics_and_together_they_name_every_command():
    brief = " ".join(help_lines(None, agreed=False))
    assert all(f"help {topic}" in brief for topic in TOPICS)
    told = {brief, *(line for each in TOPICS for line in topic_lines(each, mahjong=False))}
    told |= set(topic_lines("moves", mahjong=True))
    words = set(re.findall(r"[a-z]+", " ".join(told)))
    known = {known_by(word) for word in WORDS} - {"show", "accept", "decline", "yes", "no"}
    assert {word.split()[0] for word in known} <= words


@pytest.mark.parametrize(("asked", "topic"), [("Moves", 0), ("chat", 3), ("tab", 4)])
def test_a_topic_is_found_by_whatever_name_it_is_asked_for(asked, topic):
    assert topic_lines(asked, mahjong=False) == topic_lines(TOPICS[topic], mahjong=False)
    assert topic_lines("move", mahjong=False) is None  # which is a command


def test_who_waits_is_told_of_the_line_that_a_friend_may_send():
    assert "reply:" in help_lines(None, waiting=True)[0]
    assert not any("reply:" in line for line in help_lines(parse_ruleset("standard")))


def test_what_a_guest_is_to_tell_the_host_stands_in_a_line_of_its_own():
    lines = []
    console = SimpleNamespace(print=lambda *given, whole=False: lines.extend(given))
    presenter = PersonPresenter(console, None)
    presenter.unreached('The host was not reached: so. Tell the host: "Open port 4466."', "ginr1-x")
    assert lines[:3] == [
        "The host was not reached: so. Still trying.",
        'Tell the host: "Open port 4466."',
        "reply: ginr1-x",
    ]
    lines.clear()
    presenter.unreached("", "ginr1-y")
    assert lines[:2] == ["There is one more way to you.", "reply: ginr1-y"]
