"""A cursor over the steps of a record: where it moves, and that it verifies nothing twice."""

from itertools import pairwise

import pytest

from cli.text.cards import Style
from cli.text.narration import narrate
from ginpeer.record import Landmark, Record, StepCursor
from ginpeer.rules import Discard, Knock, Unreadable
from ginpeer.rules.card_order import laid_out
from ginpeer.rules.cards import mask_of
from ginpeer.store.log import log_bytes
from protocol import messages as m
from tests.matches.golden_logs import FOLDER
from tests.matches.recorded import recorded

WHOLE = ("standard", "tedesco", "mahjong", "second-deck", "void-hand", "resigned", "incomplete")


def golden(name):
    return StepCursor(Record.read(FOLDER / f"{name}.ginlog"))


@pytest.fixture(scope="module")
def hands():
    """Return the record of a match of several hands, all of them disclosed."""
    return Record.read(log_bytes(recorded("standard hands=2").entries))


@pytest.fixture
def walk(hands):
    return StepCursor(hands)


@pytest.mark.parametrize("name", [*WHOLE, "disclosed-after-hand", "offer-alone", "multi-match"])
def test_the_places_are_the_narrated_steps_and_a_deal_is_one_place(name):
    walk = golden(name)
    told = [step for step in walk.steps if narrate(step.entries[-1], Style(), drawn=step.drawn)]
    dealt = {step.hand_number for step in told if isinstance(step.message, m.DealShares)}
    wanted = [
        step.entry
        for step in told
        if not (isinstance(step.message, m.DealCommit) and step.hand_number in dealt)
    ]
    assert [walk.step_at(place).entry for place in range(len(walk))] == wanted


def test_an_unfinished_deal_is_a_place():
    entries = recorded().entries
    whole = Record.read(log_bytes(entries))
    dealt = next(step.entry for step in whole if isinstance(step.message, m.DealShares))
    walk = StepCursor(Record.read(log_bytes(entries[: dealt - 1])))
    assert walk.to_hand(1)
    assert isinstance(walk.step.message, m.DealCommit)
    assert (walk.hands, walk.turns) == (1, 0)
    assert not walk.to_turn(1)


def test_there_are_no_places_outside_the_log(walk):
    for place in (-1, len(walk)):
        with pytest.raises(IndexError):
            walk.step_at(place)
    with pytest.raises(LookupError, match="there is no hand 3; the log has 2"):
        walk.places_of(3)


def test_back_undoes_next_and_both_stop_at_the_ends(walk):
    assert not walk.go(-1)
    seen = [walk.step.entry]
    while walk.go(1):
        seen.append(walk.step.entry)
    assert walk.place == walk.last
    assert seen == sorted(set(seen))
    again = [walk.step.entry]
    while walk.go(-1):
        again.append(walk.step.entry)
    assert again[::-1] == seen
    assert walk.go(10**9)
    assert walk.place == walk.last
    assert walk.go(-(10**9))
    assert walk.place == 0


def test_a_hand_extends_from_its_deal_to_its_end(walk):
    for number in range(1, walk.hands + 1):
        assert walk.to_hand(number)
        assert not walk.to_hand(number)  # already there
        assert walk.hand == number
        assert walk.turn == 0
        assert isinstance(walk.step.message, m.DealShares)
        assert walk.to_hand_end()
        assert walk.hand == number
        assert walk.step.after.over
        assert walk.step.move is not None
        assert walk.turn == walk.turns
        assert walk.to_hand_start()
        assert walk.turn == 0
    assert not walk.to_hand(walk.hands + 1)
    assert not walk.to_hand(0)
    assert walk.hand == walk.hands


def test_the_seeds_disclosed_after_a_hand_are_not_its_end():
    walk = golden("disclosed-after-hand")
    walk.to_hand(1)
    assert walk.to_hand_end()
    assert walk.step.move is not None


def test_steps_outside_the_hands_belong_to_no_hand(walk):
    walk.to_start()
    assert (walk.hand, walk.turn, walk.turns) == (0, 0, 0)
    assert not walk.to_hand_start()
    assert not walk.to_hand_end()
    assert not walk.to_turn(1)
    assert walk.to_highest() is None


def test_turns_are_counted_in_each_hand_and_begin_with_a_draw_a_take_or_a_pass(walk):
    walk.to_hand(2)
    turns = walk.turns
    assert turns > 2
    authors = []
    for number in range(1, turns + 1):
        assert walk.to_turn(number)
        assert (walk.hand, walk.turn) == (2, number)
        authors.append(walk.step.author)
        assert walk.step.before is not None
    assert all(one != other for one, other in pairwise(authors))
    assert walk.to_turn(0)
    assert walk.turn == 0
    assert not walk.to_turn(turns + 1)
    assert not walk.to_turn(-1)


def test_the_turns_of_a_seat_are_those_that_it_begins(walk):
    walk.to_hand(2)
    for seat in (0, 1):
        places = walk.turn_places(seat)
        assert [walk.step_at(place).own_turn for place in places] == [*range(1, len(places) + 1)]
        for number, place in enumerate(places, 1):
            assert walk.to_turn(number, seat)
            assert (walk.place, walk.step.author) == (place, seat)
            walk.go(1)
            if isinstance(walk.step.move, Discard | Knock):
                assert (walk.step.author, walk.step.own_turn) == (seat, number)
        assert not walk.to_turn(len(places) + 1, seat)
    assert sorted(walk.turn_places(0) + walk.turn_places(1)) == walk.turn_places()


def test_each_entry_is_found_at_the_step_that_shows_it(walk):
    for entry in range(walk.steps[-1].entries[-1].sequence + 1):
        walk.to_start()
        walk.to_entry(entry)
        number = walk.step.entries[-1].sequence
        assert number >= entry or walk.place == walk.last, entry
        told = [e.sequence for e in walk.step.entries]
        if walk.place and entry not in told:  # a part of a deal or a cut, shown at its end
            assert walk.step_at(walk.place - 1).entries[-1].sequence < entry
    for place in (1, walk.last):
        walk.to_start()
        walk.go(place)
        assert not walk.to_entry(-1)
        assert not walk.to_entry(10**9)
        assert walk.place == place


def test_the_next_discard_and_knock_of_a_seat_are_found_in_both_directions(walk):
    for landmark, kinds in ((Landmark.KNOCK, Knock), (Landmark.DISCARD, (Knock, Discard))):
        for seats in ((0,), (1,), (0, 1)):
            walk.to_start()
            wanted = [
                place
                for place in range(len(walk))
                if walk.step_at(place).author in seats
                and isinstance(walk.step_at(place).move, kinds)
            ]
            there = []
            while walk.to_next(landmark, seats):
                there.append(walk.place)
            assert there == wanted
            walk.to_end()
            back = []
            while walk.to_next(landmark, seats, back=True):
                back.append(walk.place)
            assert back[::-1] == wanted


def test_going_out_in_mahjong_gin_counts_as_a_knock():
    walk = golden("mahjong")
    assert walk.to_next(Landmark.KNOCK)
    assert not isinstance(walk.step.move, Knock)
    before = walk.place
    walk.to_hand_end()
    assert walk.place == before + 1


def by_hand(walk, seat, number):
    """Return the deadwood after each discard of a seat, with its place, computed independently."""
    found = []
    for place in walk.places_of(number):
        step = walk.step_at(place)
        if step.author == seat and isinstance(step.move, (Discard, Knock)):
            found.append((laid_out(mask_of(step.hand(seat)), step.after.rules).total, place))
    return found


def test_the_highest_deadwood_is_the_first_maximum_after_an_own_discard(walk):
    for number in range(1, walk.hands + 1):
        for seats in ((0,), (1,), (0, 1)):
            walk.to_hand(number)
            found = walk.to_highest(seats)
            counts = [pair for seat in seats for pair in by_hand(walk, seat, number)]
            most = max(count for count, _ in counts)
            assert found.count == most
            assert found.place == walk.place == min(at for count, at in counts if count == most)
            assert found.seat == walk.step.author
            assert found.seat in seats


def test_the_highest_deadwood_of_the_match_is_the_highest_of_its_hands(walk):
    most = []
    for number in range(1, walk.hands + 1):
        walk.to_hand(number)
        most.append(walk.to_highest().count)
    assert walk.to_highest(everywhere=True).count == max(most)


def test_hidden_hands_have_no_highest_deadwood():
    walk = golden("never-disclosed")
    walk.to_hand(1)
    found = walk.to_highest()  # only the cards that a knocker lays down are visible
    assert found is None or isinstance(walk.step_at(found.place).move, Knock)


def test_changing_the_viewing_seat_keeps_the_place(walk):
    walk.to_hand(1)
    walk.go(2)
    entry = walk.step.entry
    assert None not in (walk.step.hand(0), walk.step.hand(1))
    walk.show_seat(1)
    assert walk.step.entry == entry
    assert walk.step.hand(0) is None
    assert walk.step.hand(1) is not None
    assert walk.shown_seat == 1
    walk.show_seat(0)
    assert walk.step.hand(1) is None
    walk.show_seat(None)
    assert None not in (walk.step.hand(0), walk.step.hand(1))
    assert walk.step.entry == entry
    with pytest.raises(Unreadable):
        walk.show_seat(2)


def test_the_highest_deadwood_is_computed_again_for_another_view(walk):
    walk.to_hand(1)
    both = {walk.to_highest((seat,)).seat for seat in (0, 1)}
    assert both == {0, 1}
    walk.show_seat(1)
    own, other = walk.to_highest((1,)), walk.to_highest((0,))
    assert own is not None
    assert other is None or isinstance(walk.step_at(other.place).move, Knock)
