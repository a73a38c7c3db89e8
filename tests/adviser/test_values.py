"""The shipped values: the rules they were trained for, how they play, and the file format. Also the
value of a hand at the current score."""

import random
from pathlib import Path

import pytest

from ginpeer.adviser import value_model
from ginpeer.adviser.value_model import (
    FAR,
    HEADS,
    UNITS,
    needs,
    price_at,
    read,
    values_for,
    values_name,
)
from ginpeer.rules import PRESETS, Match, View, parse_result, parse_ruleset
from tests.rules.drawing import deal
from tests.training.plans import LESSONS, plays
from tests.training.values_file import write_values

# `python -m tests.training --plays` prints these.
PLAYS = {
    "standard": "75a1fe1d92fc7eb06e915aee75561b07",
    "oklahoma": "e4315553ef0ed06bee90a7fd5ee41b10",
    "corner": "63628f5b9a3cc5b89663e5db792f56d8",
}


@pytest.mark.parametrize("name", LESSONS)
def test_the_shipped_values_play_as_when_they_were_trained(name):
    assert plays(name) == PLAYS[name]


@pytest.mark.parametrize("name", LESSONS)
def test_the_shipped_values_say_which_rules_they_were_trained_for(name):
    about = values_for(name).about
    assert about["name"] == name
    assert about["hands"] >= 100_000
    assert isinstance(about["seed"], int)
    for text in LESSONS[name].rules:
        assert values_name(parse_ruleset(text)) == name


def test_the_shipped_value_files_are_complete_and_small():
    files = list(Path(value_model.__file__).parent.glob("*.values"))
    assert {file.stem for file in files} == set(LESSONS)
    assert sum(file.stat().st_size for file in files) < 100_000


def test_there_are_values_for_every_rule_set_but_mahjong_gin():
    names = {values_name(parse_ruleset(text)) for text in PRESETS if text != "mahjong"}
    assert names == set(LESSONS)


def small_net(rng, size):
    columns = UNITS + HEADS
    weights = [rng.uniform(-1, 1) for _ in range(size * columns)]
    weights[UNITS::columns] = [1.0] * size
    return weights, [rng.uniform(-1, 1) for _ in range(UNITS * HEADS)]


def test_written_values_read_back_within_byte_precision():
    rng = random.Random(1)
    nets = [small_net(rng, size) for size in value_model.SIZES]
    values = read(write_values({"name": "some"}, nets))
    for (weights, outs), found in zip(
        nets, (values.keeping, values.drawing, values.knocking), strict=True
    ):
        for _ in range(20):
            row = [(rng.randrange(value_model.KNOCKING), rng.randrange(1, 17)) for _ in range(40)]
            columns = UNITS + HEADS
            sums = [
                sum(weights[at * columns + column] * amount / 16 for at, amount in row)
                for column in range(columns)
            ]
            for head, result in enumerate(found.heads(row)):
                exact = sums[UNITS + head] + sum(
                    max(0.0, sums[unit]) * outs[unit * HEADS + head] for unit in range(UNITS)
                )
                assert result / 1000 == pytest.approx(exact, abs=0.2)


def test_values_for_other_features_are_refused():
    content = write_values(
        {"name": "some"}, [small_net(random.Random(1), size) for size in value_model.SIZES]
    )
    with pytest.raises(ValueError, match="other features"):
        read(content.replace(b'"version": %d' % value_model.VERSION, b'"version": 0'))


# --- the current score ------------------------------------------------------------------

MINE, OTHER = "7c 7d 7h  3s 4s 5s  9c Tc Jc 2h", "2c Ac 4d 6d 8h Th Js Ks Qd 5c"


def needed(rules, *results, upcard="Ad"):
    """Return the points that each player needs in the hand that follows these results, seat 0
    first."""
    match = Match.begin(parse_ruleset(rules), 1)
    for result in results:
        match = match.record(parse_result(result))
    hand = deal(match.dealer, MINE, OTHER, upcard, match.rules)
    return needs(View(0, hand, match))


WON_95 = "knock: seat 0 knocked with 1 against 96, 95 to seat 0"
LOST_5 = "knock: seat 1 knocked with 1 against 6, 5 to seat 1"


def test_a_player_needs_what_is_left_to_the_target():
    assert needed("standard", WON_95) == (5, 100)
    assert needed("standard target=250", WON_95, LOST_5) == (155, 245)


def test_only_the_column_nearest_to_the_target_counts():
    assert needed("hollywood", WON_95) == (5, 100)
    assert needed("hollywood", LOST_5, LOST_5) == (100, 90)


def test_in_the_last_hand_the_player_behind_needs_the_lead_plus_one():
    assert needed("standard hands=2", LOST_5) == (6, 1)
    assert min(needed("standard hands=3", LOST_5)) > FAR
    assert needed("standard hands=2 target=100", LOST_5) == (6, 1)


def test_half_the_points_are_needed_when_they_count_double():
    assert needed("oklahoma", upcard="9d") == (100, 100)
    assert needed("oklahoma", upcard="9s") == (50, 50)
    assert needed("oklahoma hands=2", LOST_5, upcard="9s") == (3, 1)
    assert min(needed("oklahoma hands=3", upcard="9s")) > FAR  # no points are needed


def worth(price, points):
    """Return the value in points of a hand with this result. Lost points are negative."""
    won, each, lost, each_lost = price
    return (won + each * points if points > 0 else lost - each_lost * points) / 1000


def test_far_from_the_target_points_are_worth_their_number():
    assert price_at(500, 500) == (0, 1000, 0, -1000)
    for points in (-40, -10, 10, 40):
        assert worth(price_at(100, 100), points) == pytest.approx(points, abs=2)


def test_near_the_target_winning_the_hand_matters_more_than_its_points():
    near, far = price_at(5, 100), price_at(100, 100)
    assert worth(near, 6) / worth(near, 50) > 3 * worth(far, 6) / worth(far, 50)
    assert worth(near, 6) > 2.5 * worth(far, 6)


def test_one_players_gain_is_the_others_loss():
    for need, their_need in ((100, 100), (60, 20), (5, 90), (130, 40)):
        for points in (5, 30):
            mine, theirs = price_at(need, their_need), price_at(their_need, need)
            assert worth(mine, points) == pytest.approx(-worth(theirs, -points), abs=0.1)
