"""The totals of several tables, and the document that reports them (RULES 14)."""

import pytest

from ginpeer.names import KnownNames, PeerNames
from ginpeer.rules import Illegal, parse_ruleset
from ginpeer.rules.team import TeamMatch, ThreePlayers
from ginpeer.tally.tables import Mismatch, arrange
from ginpeer.tally.totals import leavers, score_document, score_of, tally_document
from protocol.crypto.identity import fingerprint
from tests.json_schema import faults
from tests.refusals import code_of
from tests.rules.played import GUEST, HOST, VOID, knock, mahjong
from tests.tally.made_up import of_teams, of_three, table

NOBODY_KNOWN = KnownNames(None, {})
AHEAD = knock(HOST, 50)  # in favour of Ann and Cem


def document_of(score):
    """Return the document of the score, after checking it against its schema."""
    found = score_document(score, NOBODY_KNOWN)
    players = [{**each, "key": each["key"].ljust(64, "0")} for each in found["players"]]
    whole = tally_document(
        "scored", "scored", "Every log holds.", [], {**found, "players": players}
    )
    assert faults("tally.schema.json", whole) == []
    return found


# --- teams ------------------------------------------------------------------------------


@pytest.mark.parametrize(("tedesco", "target"), [(False, None), (False, 20), (True, None)])
def test_the_hands_of_all_tables_are_entered_one_after_the_other(tedesco, target):
    tables = [AHEAD, knock(GUEST, 9)], [knock(HOST, 20), knock(GUEST, 3)]
    rules = "standard hands=2"
    score = of_teams(rules, (tables[0], None), (tables[1], None), tedesco=tedesco, target=target)
    match = TeamMatch.begin(parse_ruleset(rules), 2, tedesco=tedesco, target=target)
    stages = [match]
    for results in zip(*tables, strict=True):
        stages.append(stages[-1].record(results))
    assert score.stages == tuple(stages)
    assert (score.match, score.tedesco) == (stages[-1], tedesco)
    whole = document_of(score)
    assert (whole["kind"], whole["tedesco"]) == ("teams", tedesco)
    assert whole["target"] == match.game.rules.target
    assert [hand["points"] for hand in whole["hands"]] == [
        None if hand is None else [hand.points_of(0), hand.points_of(1)]
        for hand in score.match.hands
    ]
    assert len(whole["columns"]) == (3 if tedesco else 1)
    assert whole["over"] == (target == 20)


def test_tables_with_tedesco_rules_are_scored_by_tedesco_by_default():
    rules = "tedesco columns=1 hands=1"
    names = ("Ann", "Ben"), ("Cem", "Dora"), ("Eva", "Fay")
    tables = [table(*pair, AHEAD, rules=rules) for pair in names]
    score = score_of(arrange(tables))
    assert score.tedesco
    assert document_of(score)["target"] == 300
    assert document_of(score)["hands"][0]["bonus"] == 25  # all three have won
    mixed = [*tables[:2], table(*names[2], knock(GUEST, 1), rules=rules)]
    assert document_of(score_of(arrange(mixed)))["hands"][0]["bonus"] == 0


def test_the_bonus_of_the_team_that_scores_nothing_is_none_of_the_points():
    rules, hand = "mahjong hands=1", mahjong(HOST, 60, 100)
    tables = [table(*pair, hand, rules=rules) for pair in ("AB", "CD", "EF")]
    (told,) = document_of(score_of(arrange(tables), tedesco=True))["hands"]
    assert (told["points"], told["bonus"]) == ([0, 3 * 100 - (3 * 60 + 25)], 0)


def test_the_team_of_a_resigning_player_loses_at_the_first_missing_hand():
    score = of_teams(
        "standard hands=3", ([AHEAD], HOST), ([AHEAD, knock(GUEST, 90), knock(GUEST, 9)], None)
    )
    (leaver,) = leavers(score.teams, 1)
    assert (leaver[0], leaver[1], leaver[2].name) == (0, b"Ann", "Ann-Ben.log")
    assert list(leavers(score.teams, 0)) == []
    assert score.match.winner == 1
    assert [hand["counted"] for hand in document_of(score)["hands"]] == [True, False, False]
    assert document_of(score)["hands"][1]["tables"] == [
        None,
        {"result": "knock", "points": [0, 90]},
    ]


def test_a_resignation_after_the_end_changes_nothing():
    score = of_teams(
        "standard hands=3", ([knock(HOST, 80)], HOST), ([knock(HOST, 80), VOID, VOID], None)
    )
    assert (score.match.winner, document_of(score)["resigned"]) == (0, [])


def test_neither_team_wins_if_both_give_up_the_same_hand():
    score = of_teams("standard hands=2", ([AHEAD], HOST), ([AHEAD], GUEST))
    whole = document_of(score)
    assert (whole["over"], whole["winner"], whole["resigned"]) == (True, None, [0, 1])
    assert whole["totals"] is None


def test_if_both_teams_lack_a_hand_the_first_to_resign_has_lost():
    score = of_teams("standard hands=3", ([AHEAD, AHEAD], HOST), ([VOID], GUEST))
    assert (score.match.winner, document_of(score)["resigned"]) == (0, [1])


def test_finished_columns_keep_their_winner_but_the_game_is_lost():
    first = [knock(HOST, 100), knock(HOST, 5)]
    score = of_teams("standard hands=3", (first, HOST), ([*first, VOID], None), tedesco=True)
    whole = document_of(score)
    assert [column["winner"] for column in whole["columns"]] == [0, 1, 1]
    host, guest = whole["totals"]
    assert host > guest
    assert score.match.winner == 1


def test_bonuses_are_unknown_until_a_column_is_over():
    open_still = of_teams("standard hands=1", ([AHEAD], None), ([AHEAD], None))
    (column,) = document_of(open_still)["columns"]
    assert column["score"][0] == {
        "hand_points": 100,
        "hands_won": 1,
        "shutout": None,
        "game_bonus": None,
        "boxes": None,
        "total": None,
    }
    over = of_teams("standard hands=1", ([AHEAD], None), ([AHEAD], None), target=100)
    (column,) = document_of(over)["columns"]
    assert column["score"][0]["total"] == document_of(over)["totals"][0] == 100 + 100 + 100 + 25


# --- three players ----------------------------------------------------------------------


def test_three_players_are_scored_separately():
    score = of_three(
        ("Ann", "Ben", [knock(HOST, 30)], None), ("Ann", "Cem", [knock(GUEST, 20)], None)
    )
    rules = parse_ruleset("standard hands=1")
    state = ThreePlayers(rules, 100).record((0, 1), knock(HOST, 30))
    state = state.record((0, 2), knock(GUEST, 20))
    assert score.state == score.played[-1].after == state
    whole = document_of(score)
    assert (whole["kind"], whole["target"], whole["over"]) == ("rotation", 100, False)
    assert [hand["points"] for hand in whole["hands"]] == [[30, 0, 0], [0, 0, 20]]
    assert whole["tables"] == [["Ann-Ben.log"], ["Ann-Cem.log"]]


def test_a_player_of_three_who_resigns_has_lost_the_game():
    score = of_three(
        ("Ann", "Ben", [knock(HOST, 30)], None),
        ("Ann", "Cem", [], HOST),
        ("Cem", "Ben", [knock(HOST, 90)], None),
    )
    assert score.given_up is not None
    assert score.given_up.name == "Ann-Cem.log"
    whole = document_of(score)
    assert (whole["over"], whole["winner"], whole["resigned"]) == (True, 2, [0])
    assert [hand["counted"] for hand in whole["hands"]] == [True, False]
    assert whole["hands"][1]["points"] is None


def test_a_resignation_after_the_end_of_three_is_not_counted():
    score = of_three(("Ann", "Ben", [knock(HOST, 100)], None), ("Ann", "Cem", [], HOST))
    assert (score.state.winner, score.given_up, document_of(score)["resigned"]) == (0, None, [])


ONE_HAND = ("Ann", "Ben", [AHEAD], None), ("Ann", "Cem", [AHEAD], None)


@pytest.mark.parametrize(
    ("rules", "how", "why"),
    [
        ("standard hands=1", {"tedesco": True}, "Tedesco's score is for teams"),
        ("standard hands=1 lead-of-fifty-loses=yes", {}, "works only with two sides"),
    ],
)
def test_options_for_two_sides_are_refused_for_three_players(rules, how, why):
    with pytest.raises(Mismatch, match=why) as caught:
        of_three(*ONE_HAND, rules=rules, **how)
    assert caught.value.code == "tally-mismatch"


@pytest.mark.parametrize("target", [0, 20_000])
def test_a_target_out_of_range_is_refused(target):
    for score in (
        lambda: of_three(*ONE_HAND, target=target),
        lambda: of_teams("standard hands=1", ([AHEAD], None), ([AHEAD], None), target=target),
    ):
        assert code_of(Illegal, score) == "rule-out-of-range"


# --- the document -----------------------------------------------------------------------


def test_a_player_is_listed_with_the_key_and_whether_it_is_known():
    teams = of_teams("standard hands=1", ([AHEAD], None), ([AHEAD], None))
    whole = score_document(teams, KnownNames(b"Ann", {b"Dora": PeerNames("Dora")}))
    assert whole["players"][0] == {
        "name": "Ann",
        "key": b"Ann".hex(),
        "fingerprint": fingerprint(b"Ann"),
        "team": 0,
        "known": "own",
    }
    known = {player["name"]: (player["team"], player["known"]) for player in whole["players"]}
    assert known == {"Ann": (0, "own"), "Cem": (0, None), "Ben": (1, None), "Dora": (1, "met")}
    three = document_of(of_three(*ONE_HAND))
    assert [player["team"] for player in three["players"]] == [None] * 3


def test_a_hand_between_two_of_three_scores_nothing_for_the_third():
    score = of_three(("Ann", "Ben", [knock(GUEST, 50)], None), ("Ben", "Cem", [VOID], None))
    whole = document_of(score)
    assert [hand["points"] for hand in whole["hands"]] == [[0, 50, 0], [0, 0, 0]]
    assert whole["hands"][1]["tables"] == [{"result": "void", "points": [0, 0]}]
