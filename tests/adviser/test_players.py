"""The measuring of playing strength."""

import pytest

from tests.bench.mirrored import CHALLENGE, Tally, play, played_apart, row
from tests.bench.players import PLAYERS, named


def test_a_player_wins_half_of_mirrored_games_against_itself():
    tally = play(named("bot"), named("bot"), 3)
    assert tally.pairs == [1, 1, 1]
    assert tally.a_hand == (0, 0)


@pytest.mark.deep  # only the bench uses these players, and it plays them anyway
def test_all_players_play_games_to_their_end():
    for name in PLAYERS:
        tally = play(named("bot"), named(name), 1)
        assert tally.games == 2
        assert tally.hands >= 4
        assert tally.knocks >= tally.gins + tally.undercut


def test_a_measurement_is_the_same_with_any_number_of_processes():
    apart = played_apart(named("level-2"), named("level-1"), 7, rules=CHALLENGE, seed="s", jobs=2)
    whole = play(named("level-2"), named("level-1"), 7, seed="s")
    assert (apart.pairs, apart.points) == (whole.pairs, whole.points)


def test_a_row_gives_the_standard_errors_over_pairs():
    tally = Tally([2, 1, 1, 0], [[10, 10], [0, 0], [5, -5], [-10, -10]], 1, 4, 1, 0, [0.001] * 100)
    assert tally.won[0] == 0.5
    assert abs(tally.won[1] - (0.5 / 3 / 4) ** 0.5) < 1e-9
    assert tally.a_hand[0] == 0
    assert abs(tally.a_hand[1] - (200 / 3 / 4) ** 0.5) < 1e-9
    assert row(tally).split() == [
        *("8", "50.0%", "20.4", "+0.00", "4.08"),
        *("50%", "25%", "25%", "0%", "1.00", "1.00"),
    ]
