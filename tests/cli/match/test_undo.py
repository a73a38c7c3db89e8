"""`undo` in practice: when a move can be taken back, and how far both logs are cut."""

from types import SimpleNamespace

import pytest

from cli.match import practice
from ginpeer.adviser.advise import choose
from ginpeer.match_store.table_keeper import own_choices
from ginpeer.referee.transitions import MalformedEntry
from ginpeer.rules.cards import Illegal
from ginpeer.rules.hand import Phase
from ginpeer.rules.moves import Pass
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options, SeedLost
from ginpeer.store import Home
from ginpeer.store.small_files import DEFAULT_SETTINGS
from protocol import messages as m
from tests.match_store.test_keeper import HOST_KEY
from tests.match_store.test_taking_back import Practice


class Undoing(Practice):
    """A practice match whose host can type undo."""

    def __init__(self, folder):
        super().__init__(folder, Options(parse_ruleset("standard first-dealer=guest target=1")))
        self.told, self.faults, self.cuts = [], [], []
        match = SimpleNamespace(
            home=Home(folder / "home"),
            only=None,
            level=None,
            command="ginpeer",
            settings=DEFAULT_SETTINGS,
            keeper=self.keepers[0],
            identity=HOST_KEY,
            table=SimpleNamespace(note_taken_back=self.told.append),
        )
        self.practice = practice._Practice(match)
        self.practice._bots = self.keepers[1]
        self.session = self.practice._session = SimpleNamespace(
            ending=None, cut=self.cuts.append, fault=self.faults.append
        )

    def undo(self):
        """Type undo, and wait for the end of the session."""
        self.practice.take_back()
        if self.practice._back_to is not None:
            self.practice._cut_back(self.practice._back_to)


@pytest.fixture
def undoing(tmp_path):
    started = Undoing(tmp_path)
    yield started
    started.close()


def passes(view):
    """Pass the upcard, or let the bot choose. After two passes, the first draw is forced."""
    upcard = view.hand.phase in (Phase.FIRST_UPCARD, Phase.SECOND_UPCARD)
    return Pass() if upcard else choose(view)


def test_undo_before_the_first_choice_is_refused(undoing):
    for moves in (None, 0):
        if moves is not None:
            undoing.play(moves)
        with pytest.raises(Illegal, match="nothing") as refused:
            undoing.undo()
        assert refused.value.code == "nothing-to-undo"


def test_undo_is_refused_when_the_session_is_ending(undoing):
    """Otherwise, a match that our player has just left would continue."""
    undoing.play(3)
    undoing.session.ending = "left"
    with pytest.raises(Illegal, match="over") as refused:
        undoing.undo()
    assert refused.value.code == "nothing-to-undo"
    assert undoing.practice._back_to is None


def test_a_forced_move_is_taken_back_with_the_choice_before_it(undoing):
    undoing.play(2, passes)
    ((_, last), *_) = own_choices(undoing.logs()[0], HOST_KEY.public)
    undoing.undo()
    assert (last, undoing.told) == (m.DrawStock(), [m.Pass()])
    assert [cut.code for cut in undoing.cuts] == ["taken-back"]


def test_only_our_log_is_cut_if_the_bots_log_is_shorter(undoing):
    """Our last entries may not have reached the bot yet."""
    undoing.play(6)
    undoing.cut(shorter := undoing.place(back=3), sides=(1,))
    place = undoing.place()
    undoing.undo()
    assert [len(each) for each in undoing.logs()] == [place, shorter]
    assert undoing.play(10_000) == "finished"
    assert undoing.logs()[0] == undoing.logs()[1]


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda stored: stored.entries.pop(4), MalformedEntry),
        (lambda stored: stored.seeds.clear(), SeedLost),
    ],
)
def test_a_damaged_file_of_ours_is_reported_as_our_fault(undoing, damage, why):
    undoing.play(3)
    damage(undoing.keepers[0].stored)
    undoing.undo()
    assert [type(fault) for fault in undoing.faults] == [why]
    assert (undoing.told, undoing.cuts) == ([], [])
