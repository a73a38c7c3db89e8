"""The score sheet: hand by hand, column by column, game by game, and the account at the end."""

import re

import pytest

from cli.text.score_sheet import account, hand_lines, score_line, score_sheet
from ginpeer.rules import HandResult, Outcome, parse_match
from tests.rules.played import GUEST, HOST, TIE, VOID, knock, mahjong, match_of, undercut

NAMES = ("Ann", "Bob")
GIN = HandResult(Outcome.GIN, HOST, 40, HOST, 0, 15)


def sheet(*results, rules="standard", names=NAMES):
    return score_sheet(match_of(*results, rules=rules), names)


# One game in one column


def test_each_hand_has_a_line_with_its_dealer_result_and_score():
    assert hand_lines(match_of(GIN, VOID, undercut(GUEST, 30)), NAMES) == [
        "Hand 1, dealt by Ann: Ann goes gin against 15 and scores 40. Ann 40, Bob 0.",
        "Hand 2, dealt by Bob: The hand is void: nobody scores, and the same player deals again. "
        "Ann 40, Bob 0.",
        "Hand 3, dealt by Bob: Ann knocks with 5 against 0: an undercut, and Bob scores 30. "
        "Ann 40, Bob 30.",
    ]


def test_the_player_who_reads_it_is_you_also_within_a_sentence():
    assert hand_lines(match_of(GIN, undercut(GUEST, 30)), ("Ann", "You")) == [
        "Hand 1, dealt by Ann: Ann goes gin against 15 and scores 40. Ann 40, You 0.",
        "Hand 2, dealt by you: Ann knocks with 5 against 0: an undercut, and you score 30. "
        "Ann 40, You 30.",
    ]


def test_a_hand_doubled_for_spades_says_so():
    doubled = HandResult(Outcome.BIG_GIN, GUEST, 92, GUEST, 0, 15, doubled=True)
    assert hand_lines(match_of(doubled, rules="oklahoma"), NAMES) == [
        "Hand 1, dealt by Ann: Bob goes big gin against 15 and scores 92, doubled for spades. "
        "Ann 0, Bob 92."
    ]


def test_before_the_end_it_says_what_is_missing():
    assert sheet(GIN)[1:] == [
        "Ann: 40 points and 1 box, 60 points short of 100.",
        "Bob: 0 points and 0 boxes, 100 points short of 100.",
    ]
    assert sheet(knock(HOST, 1), rules="standard target=2")[1:] == [
        "Ann: 1 point and 1 box, 1 point short of 2.",
        "Bob: 0 points and 0 boxes, 2 points short of 2.",
    ]


def test_the_score_line_says_how_far_it_goes():
    assert score_line(match_of(GIN), NAMES) == (
        "Score after 1 hand: Ann 40, Bob 0; the match goes to 100."
    )


def test_the_account_gives_every_bonus_a_line():
    match = match_of(GIN, rules="standard target=40")
    assert account(match, ("Ann", "You")) == [
        "Ann wins the match, 205 to 0.",
        "Ann: 40 from hands.",
        "Ann: 40 for the shutout.",
        "Ann: 100 game bonus.",
        "Ann: 25 for 1 box.",
        "Ann: total 205.",
        "You: 0 from hands.",
        "You: total 0.",
    ]


def test_a_resignation_is_said_before_the_account():
    match = parse_match("standard; first dealer 0; seat 1 resigned")
    assert account(match, ("Ann", "You"))[:2] == [
        "You resigned.",
        "Ann wins the match, 100 to 0.",
    ]


def test_a_lead_of_fifty_is_named_as_the_reason():
    lost = match_of(knock(HOST, 50), knock(GUEST, 100), rules="standard lead-of-fifty-loses=yes")
    assert account(lost, ("Ann", "You"))[0] == (
        "Ann wins the match, 175 to 125, because you led by exactly 50."
    )


def test_numbers_below_zero_are_read_in_words():
    lines = sheet(mahjong(HOST, 120, -35), rules="mahjong target=100")
    assert lines[0] == (
        "Hand 1, dealt by Ann: Ann goes gin against 40 and scores 120; Bob scores minus 35. "
        "Ann 120, Bob minus 35."
    )
    assert lines[1] == "Ann wins the match, 365 to minus 35."
    assert lines[-2:] == ["Bob: minus 35 from hands.", "Bob: total minus 35."]


# So many hands


def test_so_many_hands_are_counted():
    rules = "standard hands=3 tie=nobody"
    match = match_of(GIN, TIE, rules=rules)
    assert score_line(match, NAMES) == "Score after 2 of 3 hands: Ann 40, Bob 0."
    assert score_sheet(match, NAMES)[2:] == [
        "Ann: 40 points and 1 box.",
        "Bob: 0 points and 0 boxes.",
        "2 of 3 hands are played.",
    ]


def test_so_many_hands_are_counted_beside_the_target():
    match = match_of(GIN, VOID, rules="standard hands=3 target=100")
    assert score_line(match, NAMES) == (
        "Score after 2 of 3 hands: Ann 40, Bob 0; the match goes to 100."
    )
    assert score_sheet(match, NAMES)[2:] == [
        "Ann: 40 points and 1 box, 60 points short of 100.",
        "Bob: 0 points and 0 boxes, 100 points short of 100.",
        "2 of 3 hands are played.",
    ]


def test_nobody_can_have_won():
    lines = sheet(knock(HOST, 40), knock(GUEST, 40), rules="standard hands=2 box=20")
    assert lines[2:] == [
        "Nobody wins the match: Ann 60, Bob 60.",
        "Ann: 40 from hands.",
        "Ann: 20 for 1 box.",
        "Ann: total 60.",
        "Bob: 40 from hands.",
        "Bob: 20 for 1 box.",
        "Bob: total 60.",
    ]


# Hollywood

HOLLYWOOD = (knock(HOST, 40), knock(HOST, 70), knock(GUEST, 15), knock(GUEST, 30), VOID)


def test_three_columns_stand_side_by_side_as_sentences():
    assert hand_lines(match_of(*HOLLYWOOD, rules="hollywood"), NAMES) == [
        "Hand 1, dealt by Ann: Ann knocks with 4 against 44 and scores 40. It counts in column 1. "
        "Column 1: Ann 40, Bob 0. Column 2: empty. Column 3: empty.",
        "Hand 2, dealt by Bob: Ann knocks with 4 against 74 and scores 70. It counts in columns 1 "
        "and 2. Column 1: Ann 110, Bob 0, won by Ann. Column 2: Ann 70, Bob 0. Column 3: empty.",
        "Hand 3, dealt by Ann: Bob knocks with 4 against 19 and scores 15. It counts in column 2. "
        "Column 1: Ann 110, Bob 0, won by Ann. Column 2: Ann 70, Bob 15. Column 3: empty.",
        "Hand 4, dealt by Bob: Bob knocks with 4 against 34 and scores 30. It counts in columns 2 "
        "and 3. "
        "Column 1: Ann 110, Bob 0, won by Ann. Column 2: Ann 70, Bob 45. Column 3: Ann 0, Bob 30.",
        "Hand 5, dealt by Ann: The hand is void: nobody scores, and the same player deals again. "
        "Column 1: Ann 110, Bob 0, won by Ann. Column 2: Ann 70, Bob 45. Column 3: Ann 0, Bob 30.",
    ]


def test_before_the_end_it_says_where_the_next_hand_counts():
    match = match_of(*HOLLYWOOD, rules="hollywood")
    assert score_sheet(match, ("Ann", "You"))[5:] == [
        "Column 2, Ann: 70 points and 1 box, 30 points short of 100.",
        "Column 2, you: 45 points and 2 boxes, 55 points short of 100.",
        "Column 3, Ann: 0 points and 0 boxes, 100 points short of 100.",
        "Column 3, you: 30 points and 1 box, 70 points short of 100.",
        "If Ann wins the next hand, it counts in columns 2 and 3.",
        "If you win the next hand, it counts in columns 2 and 3.",
    ]
    assert score_line(match, NAMES) == (
        "Score after 5 hands. Column 1: Ann 110, Bob 0, won by Ann. Column 2: Ann 70, Bob 45. "
        "Column 3: Ann 0, Bob 30. Each column goes to 100."
    )


def test_the_account_of_three_columns_has_a_heading_for_each():
    match = match_of(*HOLLYWOOD, knock(HOST, 30), rules="hollywood stake=5").resign(HOST)
    assert account(match, ("You", "Bob")) == [
        "You resigned.",
        "Bob wins the match, 250 to 675.",
        "Column 1, won by you:",
        "You: 110 from hands.",
        "You: 110 for the shutout.",
        "You: 100 game bonus.",
        "You: 50 for 2 boxes.",
        "You: total 370.",
        "Bob: 0 from hands.",
        "Bob: total 0.",
        "Column 2, won by you:",
        "You: 100 from hands.",
        "You: 100 game bonus.",
        "You: 50 for 2 boxes.",
        "You: total 250.",
        "Bob: 45 from hands.",
        "Bob: 50 for 2 boxes.",
        "Bob: total 95.",
        "Column 3, given up to Bob:",
        "You: 30 from hands.",
        "You: 25 for 1 box.",
        "You: total 55.",
        "Bob: 30 from hands.",
        "Bob: 100 game bonus.",
        "Bob: 25 for 1 box.",
        "Bob: total 155.",
        "Grand totals: You 675, Bob 250.",
        "The stake is 5 a point; who resigns is owed nothing, so Bob owes nothing for the 425 "
        "points.",
    ]


# Games in a row


def test_a_series_says_after_each_game_how_it_stands():
    match = match_of(
        knock(HOST, 60), knock(HOST, 40), knock(GUEST, 100), VOID, rules="standard best-of=3"
    )
    lines = score_sheet(match, NAMES)
    assert [line.split(":")[0] for line in lines[:7]] == [
        "Game 1.",
        "Hand 1, dealt by Ann",
        "Hand 2, dealt by Bob",
        "Game 1 to Ann",
        "Game 2.",
        "Hand 3, dealt by Ann",
        "Game 2 to Bob",
    ]
    assert lines[3] == "Game 1 to Ann: Ann 350, Bob 0. Games won: Ann 1, Bob 0; 2 win the match."
    assert lines[6] == "Game 2 to Bob: Ann 0, Bob 325. Games won: Ann 1, Bob 1; 2 win the match."
    assert lines[7:9] == [
        "Game 3.",
        "Hand 4, dealt by Bob: The hand is void: nobody scores, and the same player deals again. "
        "Ann 0, Bob 0.",
    ]
    assert lines[9:] == [
        "Games won: Ann 1, Bob 1; 2 win the match.",
        "Ann: 0 points and 0 boxes, 100 points short of 100.",
        "Bob: 0 points and 0 boxes, 100 points short of 100.",
    ]


def test_between_two_games_the_next_one_is_named():
    assert sheet(knock(HOST, 100), rules="multi-match")[2:5] == [
        "Game 1 to Ann: Ann 325, Bob 0. All games so far: Ann 325, Bob 0; the match goes to 500.",
        "Game 2.",
        "All games so far: Ann 325, Bob 0; the match goes to 500.",
    ]


def test_the_score_line_tells_the_end_of_a_game_instead():
    match = match_of(knock(HOST, 100), rules="standard best-of=3")
    assert score_line(match, ("You", "Bob")) == (
        "Game 1 to you: You 325, Bob 0. Games won: You 1, Bob 0; 2 win the match."
    )
    assert score_line(match.record(VOID), NAMES) == (
        "Score after 1 hand of game 2: Ann 0, Bob 0; the game goes to 100."
    )


def test_the_account_of_a_series_goes_game_by_game():
    match = match_of(
        knock(HOST, 100), knock(GUEST, 10), knock(HOST, 100), rules="hollywood best-of=3 target=50"
    )
    lines = account(match.resign(GUEST), NAMES)
    headings = [line for line in lines if line.endswith(":")]
    assert headings == [
        "Game 1, column 1, won by Ann:",
        "Game 1, column 2, won by Ann:",
        "Game 1, column 3, given up to Ann:",
    ]
    assert lines[-2:] == ["Game 1, totals: Ann 650, Bob 35.", "Grand totals: Ann 650, Bob 35."]
    won = match_of(knock(HOST, 100), knock(HOST, 100), rules="standard best-of=3 stake=1")
    lines = account(won, NAMES)
    assert lines[:2] == ["Ann wins the match, 2 games to 0.", "Game 1, won by Ann:"]
    assert lines[-2:] == [
        "Grand totals: Ann 650, Bob 0.",
        "The stake is 1 a point; Bob owes Ann 1 times 650, that is 650.",
    ]


def test_a_winner_who_has_less_owes():
    match = match_of(*[knock(GUEST, 9)] * 11, knock(HOST, 100), rules="standard stake=2")
    assert account(match, ("You", "Bob"))[-1] == (
        "The stake is 2 a point; you owe Bob 2 times 149, that is 298."
    )
    even = match_of(knock(HOST, 10), knock(GUEST, 10), rules="standard hands=2 stake=2")
    assert account(even, NAMES)[-1] == (
        "The stake is 2 a point; the totals are equal, and nobody owes anything."
    )


@pytest.mark.parametrize(
    "rules", ["standard", "hollywood", "multi-match hollywood", "standard best-of=3", "oklahoma"]
)
def test_every_line_is_plain_words_that_end(rules):
    match = match_of(rules=f"{rules} stake=1")
    for result in (knock(HOST, 60), knock(GUEST, 50), VOID, knock(HOST, 40), knock(GUEST, 50)) * 3:
        for stage in (match, match if match.finished else match.resign(HOST)):
            lines = score_sheet(stage, NAMES)
            assert all(re.fullmatch(r"[A-Z][A-Za-z0-9 ,:;.]*[.:]", line) for line in lines)
            assert not any("  " in line for line in lines)
        if match.finished:
            return
        match = match.record(result)
