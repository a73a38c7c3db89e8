"""How well the bot plays: what may be typed, what the results make of it, and what is told."""

import json
from argparse import Namespace

import pytest

from cli import failure
from cli.commands import typed_values
from cli.main import main
from cli.match.bots_level import FIRST, after_match, level_line, level_of, own_bot
from ginpeer.adviser.levels import BEST
from ginpeer.store.settings import Settings, change_settings, read_settings


def test_who_wins_gets_a_better_bot_and_who_loses_a_weaker_one():
    assert [after_match(level, won=True) for level in (1, 4, BEST)] == [2, 5, BEST]
    assert [after_match(level, won=False) for level in (1, 2, BEST)] == [1, 1, BEST - 1]


def test_what_is_typed_counts_more_than_the_results():
    assert level_of(Settings(), None) == FIRST
    assert level_of(Settings(level=4), None) == 4
    assert level_of(Settings(level=4), 1) == 1
    assert level_of(Settings(level=9), None) == BEST  # kept where there were more


@pytest.mark.parametrize(
    ("likes", "typed", "line"),
    [
        (Settings(), None, f"level {FIRST} of 5; gin practice --level N chooses another."),
        (Settings(), 4, "level 4 of 5."),
        (Settings(level=3, won=True), None, "level 3 of 5, since you won the last match; gin "),
        (Settings(level=1, won=False), None, "level 1 of 5, since you lost the last match; gin "),
    ],
)
def test_the_level_is_told_with_its_reason_and_how_to_choose(likes, typed, line):
    assert level_line(likes, typed, "gin").startswith(f"The bot plays at {line}")


def test_as_many_levels_may_be_typed_as_there_are():
    assert [typed_values.level(str(level)) for level in range(1, BEST + 1)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("typed", ["0", "6", "-1", "²", "1.5", "12", ""])
def test_what_is_no_level_is_refused_with_those_that_are(capsys, typed):
    assert main(["practice", "--level", typed]) == failure.USAGE
    assert "a level is a number from 1 to 5" in capsys.readouterr().err


def test_a_level_is_a_bots(tmp_path, capsys):
    assert own_bot(Namespace(bot=True)) is None  # as well as it can
    assert own_bot(Namespace(bot=True, level=3)) is not None
    assert main(["--home", str(tmp_path), "host", "--level", "3"]) == failure.USAGE
    assert "type --bot, too, to let it play. (usage)" in capsys.readouterr().err


def test_the_level_of_the_next_practice_is_kept(tmp_path):
    change_settings(tmp_path, level=3, won=True)
    assert read_settings(tmp_path) == Settings(level=3, won=True)


@pytest.mark.parametrize("odd", [True, -1, 10, "3", 3.0, None, [3], 10**30])
def test_a_kept_level_that_is_none_counts_as_none(tmp_path, odd):
    (tmp_path / "settings.json").write_text(json.dumps({"level": odd, "won": odd, "words": True}))
    won = odd if isinstance(odd, bool) else None
    assert read_settings(tmp_path) == Settings(words=True, won=won)
