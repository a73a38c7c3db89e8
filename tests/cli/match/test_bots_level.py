"""The bot's level: which values are accepted, how results change it, and what is said about it."""

import json
from argparse import Namespace
from dataclasses import replace
from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred

from cli import program
from cli.commands.arguments import options
from cli.main import main
from cli.match import practice
from cli.match.bot_player import own_bot
from cli.match.practice import FIRST, after_match, level_line, level_of
from cli.text.series import practise_again
from ginpeer.adviser.levels import BEST
from ginpeer.net.timing import STEP
from ginpeer.rules import STANDARD, parse_ruleset
from ginpeer.store import Home
from ginpeer.store.small_files import DEFAULT_SETTINGS, Settings, read_settings
from tests.store.test_journal import NOTES


def test_a_winner_gets_a_better_bot_and_a_loser_a_weaker_one():
    assert [after_match(level, won=True) for level in (1, 4, BEST)] == [2, 5, BEST]
    assert [after_match(level, won=False) for level in (1, 2, BEST)] == [1, 1, BEST - 1]


def test_a_typed_level_overrides_the_results():
    assert level_of(Settings(), None) == FIRST
    assert level_of(Settings(level=4), None) == 4
    assert level_of(Settings(level=4), 1) == 1
    assert level_of(Settings(level=9), None) == BEST  # saved by a version with more levels


def test_the_level_is_shown_with_its_reason_and_how_to_choose_one(transcript):
    won, lost = Settings(level=3, won=True), Settings(level=1, won=False)
    kept = (Settings(), None), (Settings(), 4), (won, None), (lost, None)
    transcript(level_line(settings, typed, "gin") for settings, typed in kept)


def test_every_level_may_be_typed():
    assert [options.level(str(level)) for level in range(1, BEST + 1)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("typed", ["0", "7", "²", "1.5"])
def test_an_invalid_level_is_refused_and_the_valid_ones_are_named(capsys, typed):
    assert main(["practice", "--level", typed]) == program.USAGE
    assert "1 to 6" in capsys.readouterr().err


def test_a_level_needs_a_bot(tmp_path, capsys):
    assert own_bot(Namespace(bot=True)) is None  # without a level, it plays as well as it can
    assert own_bot(Namespace(bot=True, level=3)) is not None
    assert main(["--home", str(tmp_path), "host", "--level", "3"]) == program.USAGE
    assert "so it needs --bot. (usage)" in capsys.readouterr().err


@pytest.mark.parametrize("odd", [True, -1, 10, "3", 3.0, None])
def test_an_invalid_saved_level_is_ignored(tmp_path, odd):
    (tmp_path / "settings.json").write_text(json.dumps({"level": odd, "won": odd, "words": True}))
    won = odd if isinstance(odd, bool) else None
    assert read_settings(tmp_path) == Settings(words=True, won=won)


class Practised:
    """A practice match with fake parts; only practise() is real."""

    def __init__(
        self, monkeypatch, home, *, interactive=True, settings=DEFAULT_SETTINGS, goes_on=None
    ):
        self.grids, self.told, self.kept, self.ends = [], [], [], (Deferred(), Deferred())
        self.stored = None
        monkeypatch.setattr(practice, "connect_in_process", self._sit_down)
        self.match = SimpleNamespace(
            home=Home(home),
            only=goes_on,
            open_stored=lambda key: None,
            level=None,
            settings=settings,
            command="ginpeer",
            side=lambda: None,
            side_of=lambda *parts, bot, identity: None,
            reactor=None,
            table=None,
            keeper=SimpleNamespace(level=None, live=None, over_on_arrival=False, stored=None),
            identity=SimpleNamespace(public=NOTES.peer),
            console=SimpleNamespace(interactive=interactive),
            presenter=SimpleNamespace(info=self.told.append),
            keep=lambda **what: self.kept.append(what),
            after=SimpleNamespace(say_last_word=lambda closed: None),
            end_of=self._end_of,
        )
        self.playing = Deferred.fromCoroutine(practice.practise(self.match))

    async def _end_of(self, session):
        return await session.done

    def _sit_down(self, mine, bots, reactor, *, grid):
        self.grids.append(grid)
        return [SimpleNamespace(done=done) for done in self.ends]

    def ended(self, winner, *, finished=True, over_before=False, rules=STANDARD):
        table = SimpleNamespace(
            finished=finished, match=SimpleNamespace(winner=winner, rules=rules)
        )
        self.match.keeper = SimpleNamespace(
            live=SimpleNamespace(table=table), over_on_arrival=over_before, stored=self.stored
        )
        for done in self.ends:
            done.callback(None)
        return self.kept


def test_the_bot_moves_on_the_time_grid_for_a_person_and_at_once_for_a_program(
    monkeypatch, tmp_path
):
    assert Practised(monkeypatch, tmp_path, interactive=True).grids == [STEP]
    assert Practised(monkeypatch, tmp_path, interactive=False).grids == [0]


def test_the_level_is_shown_when_a_match_begins_but_not_in_mahjong_gin(monkeypatch, tmp_path):
    practised = Practised(monkeypatch, tmp_path, settings=Settings(level=4, won=True))
    practised.match.contact.on_match_start(parse_ruleset("mahjong"))
    assert practised.told == []
    assert practised.match.keeper.level is None
    practised.match.contact.on_match_start(STANDARD)
    assert practised.match.keeper.level == 4  # noted when the match begins
    assert "level 4 of 6" in practised.told[0]


def test_a_resumed_match_keeps_its_noted_level(monkeypatch, tmp_path):
    monkeypatch.setattr(practice, "_bots_side_of", lambda *home_and_match: None)
    keeper = SimpleNamespace(close=lambda: None, restore_seat=lambda peer: None)
    monkeypatch.setattr(practice, "TableKeeper", lambda *parts, **more: keeper)
    noted = SimpleNamespace(notes=replace(NOTES, level=5))
    practised = Practised(monkeypatch, tmp_path, settings=Settings(level=1), goes_on=noted)
    practised.match.contact.on_match_start(STANDARD)
    assert "level 5 of 6" in practised.told[0]


@pytest.mark.parametrize(("winner", "level"), [(0, 4), (1, 2)])
def test_a_result_changes_the_level_of_the_next_match(monkeypatch, tmp_path, winner, level):
    practised = Practised(monkeypatch, tmp_path, settings=Settings(level=3))
    assert practised.ended(winner) == [{"level": level, "won": winner == 0}]


def test_after_a_match_with_an_undone_move_the_next_begins_at_the_same_level(monkeypatch, tmp_path):
    practised = Practised(monkeypatch, tmp_path, settings=Settings(level=3))
    practised.stored = SimpleNamespace(notes=replace(NOTES, taken_back=True))
    assert practised.ended(0) == [{"level": 3, "won": None}]


@pytest.mark.parametrize(
    ("level", "before", "why", "question"),
    [
        (3, 2, ", because you won", "Again? The bot will play at level 3, because you won."),
        (6, 6, "", "Again? The bot stays at level 6, its best."),
        (1, 1, "", "Again? The bot stays at level 1, its lowest."),
        (3, 3, "", "Again? The bot stays at level 3."),
    ],
)
def test_the_question_about_another_match_names_the_level(level, before, why, question):
    assert practise_again(level, before=before, best=BEST, why=why) == question


def test_a_match_without_the_bots_side_cannot_be_resumed(tmp_path):
    ours = SimpleNamespace(notes=NOTES)
    with pytest.raises(program.Failure, match="no longer has its side") as caught:
        practice._bots_side_of(Home(tmp_path), SimpleNamespace(public=NOTES.peer), ours, "ginpeer")
    assert caught.value.code == "practice-over"


def test_nothing_is_saved_if_nobody_sat_down(monkeypatch, tmp_path):
    practised = Practised(monkeypatch, tmp_path)
    practised.match.keeper.live = None
    monkeypatch.setattr(practice.TableKeeper, "close", lambda keeper: None)
    for done in practised.ends:
        done.callback(None)
    assert (practised.kept, practised.playing.called) == ([], True)


@pytest.mark.parametrize(
    ("how", "kept"),
    [
        ({"winner": None}, [{"won": None}]),
        ({"winner": 0, "finished": False}, []),
        ({"winner": 0, "over_before": True}, []),  # it was counted when it ended
        ({"winner": 0, "rules": parse_ruleset("mahjong")}, [{"won": None}]),
    ],
)
def test_only_a_result_of_this_sitting_changes_the_level(monkeypatch, tmp_path, how, kept):
    assert Practised(monkeypatch, tmp_path).ended(**how) == kept
