"""The cells of RULES 9.1 that say when a match ends and how its account is made up."""

from ginpeer.rules import ScoreLine
from tests.rules.played import GUEST, HOST, VOID, knock, match_of

# The end


def ends_with(points, rules):
    """Whether so many points end the match."""
    hundreds, more = divmod(points - 1, 100)
    return match_of(*[knock(HOST, 100)] * hundreds, knock(HOST, more + 1), rules=rules).finished


def test_target_100():
    assert not ends_with(99, "standard")
    assert ends_with(100, "standard")


def test_target_200():
    assert not ends_with(199, "standard target=200")
    assert ends_with(200, "standard target=200")


def test_target_250():
    assert not ends_with(249, "standard target=250")
    assert ends_with(250, "standard target=250")


def test_target_500():
    assert not ends_with(499, "standard target=500")
    assert ends_with(500, "standard target=500")


def test_target_none():
    # There is nothing to reach: the match ends with its hands.
    rules = "standard target=none hands=2"
    assert not ends_with(100, rules)
    assert match_of(knock(HOST, 125), knock(GUEST, 5), rules=rules).winner == HOST


def test_hands_6():
    played = [knock(HOST, 30), VOID, knock(GUEST, 40), VOID, knock(HOST, 90)]
    match = match_of(*played, rules="standard hands=6")
    assert not match.finished
    match = match.record(VOID)  # the sixth, though nobody wins it
    assert (match.finished, match.winner, match.scores) == (True, HOST, (120, 40))


def test_hands_none():
    match = match_of(*[VOID, knock(HOST, 3), knock(GUEST, 3)] * 20, rules="standard hands=none")
    assert (match.finished, match.scores) == (False, (60, 60))


# The account: the host wins by 60 and 45, the guest by 35 between


def lines(rules, *results):
    return match_of(*results, rules=rules).settlement().lines


SHARED = (knock(HOST, 60), knock(GUEST, 35), knock(HOST, 45))
ALONE = (knock(HOST, 60), knock(HOST, 45))


def test_game_bonus_100():
    assert lines("standard", *SHARED) == (ScoreLine(105, 0, 100, 50), ScoreLine(35, 0, 0, 25))


def test_game_bonus_200():
    host, guest = lines("standard game-bonus=200", *SHARED)
    assert (host.game_bonus, guest.game_bonus) == (200, 0)


def test_box_25():
    host, guest = lines("standard", *SHARED)
    assert (host.boxes, guest.boxes) == (2 * 25, 25)


def test_box_20():
    # "Both players gain 20 points for each winning hand, totaled at the end of the game."
    host, guest = lines("standard box=20", *SHARED)
    assert (host.boxes, guest.boxes) == (2 * 20, 20)


def test_shutout_double_hands():
    # "The points for each hand are doubled before adding the line bonus."
    assert lines("standard", *ALONE)[HOST] == ScoreLine(105, 105, 100, 50)
    assert lines("standard", *SHARED)[HOST].shutout == 0


def test_shutout_double_game_bonus():
    # "100 points, unless the loser did not score at all, in which case the bonus is 200 points."
    rules = "standard shutout=double-game-bonus"
    assert lines(rules, *ALONE)[HOST] == ScoreLine(105, 0, 200, 50)
    assert lines(rules, *SHARED)[HOST] == ScoreLine(105, 0, 100, 50)


def test_shutout_none():
    assert lines("standard shutout=none", *ALONE)[HOST] == ScoreLine(105, 0, 100, 50)


FIFTY = (knock(GUEST, 55), knock(HOST, 105))  # the host ends 50 ahead


def test_lead_of_fifty_loses_no():
    assert match_of(*FIFTY).winner == HOST


def test_lead_of_fifty_loses_yes():
    # "That player automatically loses."
    match = match_of(*FIFTY, rules="standard lead-of-fifty-loses=yes")
    assert match.winner == GUEST
    assert match.settlement().lines == (ScoreLine(105, 0, 0, 25), ScoreLine(55, 0, 100, 25))
    nearly = (knock(GUEST, 55), knock(HOST, 106))
    assert match_of(*nearly, rules="standard lead-of-fifty-loses=yes").winner == HOST


# Columns, series and stakes


def column_points(rules, *results):
    return [column.points for column in match_of(*results, rules=rules).game.columns]


THREE_WINS = (knock(HOST, 20), knock(HOST, 30), knock(HOST, 10))


def test_columns_1():
    assert column_points("standard columns=1", *THREE_WINS) == [(60, 0)]


def test_columns_3():
    # "A player's first win in Game One, the second in One and Two, the third in all three."
    rules = "standard columns=3"
    assert column_points(rules, *THREE_WINS[:1]) == [(20, 0), (0, 0), (0, 0)]
    assert column_points(rules, *THREE_WINS[:2]) == [(50, 0), (30, 0), (0, 0)]
    assert column_points(rules, *THREE_WINS) == [(60, 0), (40, 0), (10, 0)]


def test_best_of_1():
    assert match_of(knock(HOST, 100), rules="standard best-of=1").winner == HOST


def test_best_of_5():
    games = [knock(HOST, 100), knock(GUEST, 100), knock(HOST, 100)]
    match = match_of(*games, rules="standard best-of=5")
    assert (match.finished, match.games_won) == (False, (2, 1))
    match = match.record(knock(HOST, 100))
    assert (match.finished, match.winner, match.games_won) == (True, HOST, (3, 1))


def test_multi_match_none():
    assert match_of(knock(HOST, 100), rules="standard multi-match=none").finished


def test_multi_match_500():
    # "25 game points for each individual round won, 100 game points to the winner of the match":
    # 60 + 45 + 2 * 25 + 100, and 35 + 25.
    match = match_of(*SHARED, rules="standard multi-match=500")
    assert (match.finished, match.credits) == (False, (255, 60))
    match = match_of(*SHARED, *SHARED, rules="standard multi-match=500")
    assert (match.finished, match.winner, match.credits) == (True, HOST, (510, 120))


def test_stake_0():
    settlement = match_of(*SHARED).settlement()
    assert (settlement.margin, settlement.debtor, settlement.payment) == (195, None, 0)


def test_stake_5():
    # "The loser pays the winner the difference multiplied by the amount agreed to before."
    settlement = match_of(*SHARED, rules="standard stake=5").settlement()
    assert (settlement.margin, settlement.debtor, settlement.payment) == (195, GUEST, 975)
