"""Which logs belong together, and the sentences that refuse other combinations (RULES 14)."""

import pytest

from ginpeer.tally.tables import Mismatch, Teams, Turns, arrange, display
from protocol.crypto.identity import fingerprint
from tests.rules.played import GUEST, HOST, VOID, knock
from tests.tally.made_up import table

ONE = knock(HOST, 5)
TWO_HANDS = "standard hands=2"


def pair(host, guest, **more):
    return table(host, guest, ONE, ONE, rules=TWO_HANDS, **more)


def fp(player):
    return fingerprint(player.encode())


def keys(*players):
    return tuple(player.encode() for player in players)


def refusal(*logs, **how):
    with pytest.raises(Mismatch) as caught:
        arrange(logs, **how)
    return caught.value.code, caught.value.sentence


# --- teams ------------------------------------------------------------------------------


def test_the_hosts_are_one_team_if_none_is_named():
    teams = arrange([pair("Ann", "Ben"), pair("Cem", "Dora")])
    assert isinstance(teams, Teams)
    assert teams.team(0) == keys("Ann", "Cem")
    assert teams.team(1) == keys("Ben", "Dora")
    assert [log.name for log in teams.logs] == ["Ann-Ben.log", "Cem-Dora.log"]


@pytest.mark.parametrize(
    "team", [["Ann", "Dora"], [" dora", "ANN"], [fp("Ann"), "Dora"], [fp("Dora"), fp("Ann")]]
)
def test_a_team_is_named_by_names_or_fingerprints(team):
    teams = arrange([pair("Ann", "Ben"), pair("Cem", "Dora")], team=team)
    assert teams.team(0) == keys("Ann", "Dora")
    assert [hand.winner for row in teams.rows for hand in row.hands] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("team", "said"),
    [
        (["Ann"], "A team here has 2 players, one at each table; you named 1."),
        (["Ann", "Ann"], "A team here has 2 players, one at each table; you named 1."),
        (["Ann", "Cem", "Dora"], "A team here has 2 players, one at each table; you named 3."),
        (
            ["Ann", "Ben"],
            "A team needs one player at each table, but in Ann-Ben.log Ann plays Ben, and both "
            "would be in the team.",
        ),
        (
            ["Zoe", "Ben"],
            'Nobody is named "Zoe"; the players are '
            + ", ".join(f'"{name}" ({fp(name)})' for name in ("Ann", "Ben", "Cem", "Dora"))
            + ".",
        ),
    ],
)
def test_an_impossible_team_is_refused(team, said):
    assert refusal(pair("Ann", "Ben"), pair("Cem", "Dora"), team=team) == ("tally-team", said)


def test_a_player_named_like_a_fingerprint_is_not_found_by_it():
    code, sentence = refusal(pair(fp("Zoe"), "Ben"), pair("Cem", "Dora"), team=[fp("Zoe"), "Dora"])
    assert code == "tally-team"
    assert sentence.startswith(f'Nobody is named "{fp("Zoe")}"; the players are ')


def test_a_name_that_two_players_share_is_refused():
    code, sentence = refusal(pair("Ann", "Ben"), pair("Ann/2", "Dora"), team=["ann", "Dora"])
    assert code == "tally-team"
    assert sentence == (
        f'Several players are named "ann"; use a fingerprint instead: "Ann" ({fp("Ann")}), '
        f'"Ann" ({fp("Ann/2")}).'
    )


def test_later_matches_continue_the_first_whoever_is_host():
    logs = [
        pair("Ben", "Ann", started=9),
        pair("Cem", "Dora"),
        pair("Dora", "Cem", started=8),
        pair("Ann", "Ben"),
    ]
    teams = arrange(logs)
    assert [[log.name for log in row.logs] for row in teams.rows] == [
        ["Ann-Ben.log", "Ben-Ann.log"],
        ["Cem-Dora.log", "Dora-Cem.log"],
    ]
    assert [hand.winner for hand in teams.rows[0].hands] == [HOST, HOST, GUEST, GUEST]


def test_an_unplayed_hand_keeps_its_place():
    short = table("Cem", "Dora", ONE, rules=TWO_HANDS, resigned=HOST)
    teams = arrange([pair("Ann", "Ben"), short])
    assert [hand is None for hand in teams.rows[1].hands] == [False, True]


@pytest.mark.parametrize(
    ("logs", "said"),
    [
        (
            (pair("Ann", "Ben"), table("Cem", "Dora", ONE)),
            "Ann-Ben.log and Cem-Dora.log have different rules: standard hands=2; standard "
            "hands=1.",
        ),
        (
            (
                table("Ann", "Ben", rules="standard target=1"),
                table("Cem", "Dora", rules="standard target=1"),
            ),
            "The matches have the rule target=1; only matches with a fixed number of hands, like "
            "--hands 6, can be added up.",
        ),
        (
            (
                table("Ann", "Ben", rules="standard hands=2 target=1"),
                table("Cem", "Dora", rules="standard hands=2 target=1"),
            ),
            "The matches have the rule target=1; only matches with a fixed number of hands, like "
            "--hands 6, can be added up.",
        ),
        (
            (pair("Ann", "Ben"), pair("Ben", "Ann", started=1)),
            "These matches are all between the same two players; verify each to see its score.",
        ),
        (
            (pair("Ann", "Ben"), pair("Cem", "Dora"), pair("Ann", "Dora")),
            "Ann-Ben.log and Ann-Dora.log are from two tables, and Ann plays at both.",
        ),
        (
            (pair("Ann", "Ben"), pair("Cem", "Dora"), pair("Ben", "Ann", started=1)),
            "Ann-Ben.log and Cem-Dora.log are from tables with different numbers of matches: 2 "
            "and 1.",
        ),
    ],
)
def test_logs_that_do_not_fit_together_are_refused(logs, said):
    assert refusal(*logs) == ("tally-mismatch", said)


# --- three players ----------------------------------------------------------------------


FIRST = table("Ann", "Ben", ONE)
SECOND = table("Cem", "Ann", ONE, started=1)  # Ann won the first bout
THIRD = table("Cem", "Ben", ONE, started=2)  # Cem won the second


def test_three_players_take_turns_in_the_order_of_their_clocks():
    turns = arrange([THIRD, FIRST, SECOND])
    assert isinstance(turns, Turns)
    assert turns.logs == (FIRST, SECOND, THIRD)
    assert turns.players == keys("Ann", "Ben", "Cem")
    assert [bout.players for bout in turns.bouts] == [(0, 1), (2, 0), (2, 1)]
    assert [bout.winner for bout in turns.bouts] == [0, 2, 2]


@pytest.mark.parametrize(
    ("logs", "said"),
    [
        ((SECOND, FIRST), "Ann-Ben.log can't follow Cem-Ann.log. Cem and Ben"),
        ((FIRST, THIRD), "Cem-Ben.log can't follow Ann-Ben.log. Ann and Cem"),
    ],
)
def test_an_order_in_which_the_loser_continues_is_refused(logs, said):
    code, sentence = refusal(*logs, as_given=True)
    assert code == "tally-order"
    assert sentence == f"{said} play next: the winner and the player who sat out (RULES 14.3)."


def test_after_a_void_hand_the_same_two_play_again():
    void, again = table("Ann", "Ben", VOID), table("Ben", "Ann", knock(GUEST, 5), started=1)
    assert arrange([void, again, SECOND], as_given=True).bouts[0].winner is None
    third = table("Cem", "Ann", ONE, started=1)
    code, sentence = refusal(void, third, as_given=True)
    assert code == "tally-order"
    assert sentence.endswith(". Ann and Ben play again, because nobody has won (RULES 14.3).")


def test_a_player_who_resigned_has_lost_whatever_came_before():
    given_up = table("Ann", "Ben", rules="standard hands=1", resigned=HOST)
    assert arrange([given_up, THIRD]).bouts[0].winner == 1
    assert refusal(given_up, SECOND)[0] == "tally-order"


def test_three_players_have_no_teams():
    assert refusal(FIRST, SECOND, team=["Ann"]) == (
        "tally-mismatch",
        "Three players take turns, each for themselves; there are no teams.",
    )


# --- names ------------------------------------------------------------------------------


def test_players_with_the_same_name_are_shown_with_fingerprints():
    names = display([pair("Ann", "Ben"), pair("Ann/2", "Nobody")])
    assert names == dict(
        zip(
            keys("Ann", "Ben", "Ann/2", "Nobody"),
            (f"Ann ({fp('Ann')})", "Ben", f"Ann ({fp('Ann/2')})", f'"Nobody" ({fp("Nobody")})'),
            strict=True,
        )
    )
