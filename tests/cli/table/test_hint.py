"""`hint`: available only in practice, based on what the player sees, and without side effects."""

import random

import pytest

from cli.table.lookups import look_up
from cli.table.possible_moves import knock_options, question_before
from cli.table.table_state import TableState
from cli.text.cards import Style
from ginpeer.adviser.advise import choices
from ginpeer.rules import DECK, STANDARD, Discard, Knock, Phase, View, cards_of, mask_of, popcount
from ginpeer.store.small_files import Settings
from tests.cli.seated import Seated
from tests.cli.table.hands import random_views, view_after

pytestmark = pytest.mark.usefixtures("wide_screen")

TURN = ("pass", "pass", "draw 9h")


@pytest.fixture
def practising():
    return Seated(interactive=True, practice=True).sit()


def test_undo_works_only_for_a_person_in_practice(practising):
    friend = Seated(interactive=True).sit()
    program = Seated(interactive=False, practice=True).sit()
    for seated in (friend, program, practising):
        seated.choose(view_after(*TURN).hand)
    for typed in ("undo", "takeback", "back", "take back"):
        assert "You can take back moves only in a practice match." in friend.type(typed)
        assert "You can take back moves only at a terminal." in program.type(typed)
        assert "There is nothing to take back yet." in practising.type(typed)
    assert "To send it as a message" in practising.type("back in a minute")


def hinted(view):
    here = TableState(view.seat, practice=True)
    here.view = view
    return [look_up("hint", here, Style(), None) for _ in range(2)]


def test_a_hint_changes_nothing_and_uses_only_what_its_seat_knows():
    rng, seen = random.Random(5), 0
    for view in [*random_views(STANDARD, 1, rng)][::8]:
        if view.hand.phase is Phase.LAY_OFF or not view.my_turn:
            continue
        hand, other, before = view.hand, 1 - view.seat, str(view.hand)
        told = hinted(view)
        assert str(view.hand) == before
        known = hand.known_held(other)
        may = cards_of(DECK & ~(view.cards | mask_of(hand.pile) | known))
        hidden = known | mask_of(rng.sample(may, 10 - popcount(known)))
        assert hinted(View(view.seat, hand.knowing(other, hidden), view.match)) == told
        seen += 1
    assert seen > 3


def test_a_hint_always_weighs_a_knock():
    """In one turn of this random hand, a knock is possible but not among the best three choices."""
    left_out = 0
    for view in random_views(STANDARD, 1, random.Random(7)):
        if view.hand.phase is Phase.DISCARD and view.my_turn:
            knocks = [isinstance(each.move, Knock) for each in choices(view)]
            if any(knocks) and not any(knocks[:3]):
                left_out += 1
                assert "knock" in " ".join(map(str, hinted(view))).casefold()
    assert left_out


def test_the_advised_discard_needs_no_confirmation():
    """In one turn of this random hand, playing on is better than knocking."""
    asked = 0
    for view in random_views(STANDARD, 1, random.Random(6)):
        if not (view.seat == 0 and view.my_turn and knock_options(view)):
            continue
        best = choices(view)[0].move
        if isinstance(best, Discard) and question_before(best, view, Style(), plays_on=False):
            other = next(move for move in view.sensible_moves() if isinstance(move, Discard))
            assert question_before(other, view, Style(), plays_on=False)
            assert other != best
            for first, card, asks in (
                ("", best.card, True), ("hint", best.card, False), ("hint", other.card, True),
            ):  # fmt: skip
                player = Seated(interactive=True, practice=True, settings=Settings()).sit()
                player.choose(view.hand)
                player.type(first)
                assert ("discard anyway, yes or no" in player.type(str(card))) is asks
            asked += 1
    assert asked


def test_a_hint_for_gin_compares_it_with_nothing(practising):
    cards = "3c 4c 5c 7c 7h 7s Ac Ah As Kh"
    practising.choose(view_after("pass", "pass", "draw Ad", cards=cards).hand)
    hint = "Go gin and discard Kh: all your cards are melded."
    assert hint in practising.type("hint")
    practising.choose(view_after("pass", "pass", "draw Ad", cards=cards).hand)
    assert "Type hint again" not in practising.type("hint")
