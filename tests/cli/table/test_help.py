"""What `help` and `rules` say of the whole match."""

from types import SimpleNamespace

from cli.table.help import help_lines, rules_lines
from cli.table.person_voice import PersonVoice
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
    assert not any(line.startswith("Then lay cards") for line in ordinary)
    assert any(line.startswith("Then lay cards") for line in mahjong)
    assert not any(line.startswith("Knock: ") for line in mahjong)
    assert help_lines(None)[2:] == ordinary


def test_who_waits_is_told_of_the_line_that_a_friend_may_send():
    assert "reply:" in help_lines(None)[0]
    assert not any("reply:" in line for line in help_lines(parse_ruleset("standard")))


def test_what_a_guest_is_to_tell_the_host_stands_in_a_line_of_its_own():
    lines = []
    console = SimpleNamespace(print=lambda *given, whole=False: lines.extend(given))
    voice = PersonVoice(console, None)
    voice.unreached('The host was not reached: so. Tell the host: "Open port 4466."', "ginr1-x")
    assert lines[:3] == [
        "The host was not reached: so. Trying on.",
        'Tell the host: "Open port 4466."',
        "reply: ginr1-x",
    ]
    lines.clear()
    voice.unreached("", "ginr1-y")
    assert lines[:2] == ["There is one more way to you.", "reply: ginr1-y"]
