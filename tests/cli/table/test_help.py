"""What `help` and `rules` say of the whole match."""

from cli.table.help import help_lines, rules_lines
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
    assert help_lines(None) == ordinary
