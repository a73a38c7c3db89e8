"""The course of one hand, fact by fact. Seat 0 is the non-dealer and moves first."""

import pytest

from ginpeer.rules import (
    NEXT_PHASE,
    STANDARD,
    Discard,
    DrawStock,
    Hand,
    Illegal,
    Outcome,
    Pass,
    Phase,
    TakeUpcard,
    parse_card,
    parse_hand,
    parse_move,
    parse_ruleset,
)
from tests.refusals import code_of
from tests.rules.drawing import deal, drawn, played, refused, to_the_wall

# 7c 7d 7h
# 3s 4s 5s
# 9c Tc Jc
# 2d              deadwood 2
KNOCKER = "7c 7d 7h  3s 4s 5s  9c Tc Jc  2d"

# Ks Kd Kc        a meld
# 6s 7s           fit the spades, one after the other; or 7s fits the sevens
# 8c Qc           fit the clubs, at either end
# 9h 4h Ah        loose: 14
DEFENDER = "Ks Kd Kc  7s 6s 8c Qc  9h 4h Ah"

KNOCK = "knock Kh melds 7c7d7h 3s4s5s 9cTcJc deadwood 2d"
BEST_ANSWER = "spread melds KcKdKs layoff 6s@1 7s@1 8c@2 Qc@2 deadwood Ah4h9h"


def table(rules="standard"):
    """Return a hand with the cards above and the ten of hearts as its upcard."""
    return deal(1, KNOCKER, DEFENDER, "Th", parse_ruleset(rules))


def reached(phase):
    """Return a hand in this phase, with both players' cards known."""
    if phase is Phase.LAST_CHANCE:
        hand = played(table("standard wall=last-discard"), "pass", "pass")
        return played(to_the_wall(hand, keep="Kh"), "draw Kh", "discard Kh")
    return played(table(), *REACHED_BY[phase])


def about_to_knock(rules="standard"):
    return played(table(rules), "pass", "pass", "draw Kh")


# Every phase and every kind of move

REACHED_BY = {
    Phase.FIRST_UPCARD: [],
    Phase.SECOND_UPCARD: ["pass"],
    Phase.FIRST_DRAW: ["pass", "pass"],
    Phase.DRAW: ["take", "discard 2d"],
    Phase.DISCARD: ["pass", "pass", "draw Kh"],
    Phase.LAY_OFF: ["pass", "pass", "draw Kh", KNOCK],
    Phase.OVER: ["pass", "pass", "draw Kh", KNOCK, BEST_ANSWER],
}
EXAMPLES = [Pass(), TakeUpcard(), DrawStock(), Discard(parse_card("Kh"))]
EXAMPLES += [parse_move(KNOCK), parse_move(BEST_ANSWER)]
MAHJONG_ONLY = [parse_move("lay 3s4s5s"), parse_move("take 2 lay 3s4s5s")]


@pytest.mark.parametrize("move", EXAMPLES, ids=lambda move: type(move).__name__)
@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.name)
def test_the_phases_follow_each_other_as_in_the_table(phase, move):
    hand = reached(phase)
    assert hand.phase is phase
    following = NEXT_PHASE.get((phase, type(move)))
    if following is None:
        refused(hand, str(move), "wrong-phase")
        return
    after = hand.apply(move)
    assert after.phase is following
    turn_goes_on = isinstance(move, TakeUpcard | DrawStock)
    assert (after.to_move == hand.to_move) is turn_goes_on
    assert after.moves == (*hand.moves, (hand.to_move, move))


@pytest.mark.parametrize("move", MAHJONG_ONLY, ids=lambda move: type(move).__name__)
@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.name)
def test_the_moves_of_mahjong_gin_are_refused_in_other_games(phase, move):
    allowed_there = (phase, type(move)) in NEXT_PHASE
    refused(reached(phase), str(move), "not-mahjong" if allowed_there else "wrong-phase")


# Drawing and discarding


def test_the_upcard_goes_into_the_hand_and_off_the_pile():
    hand = played(table(), "take")
    assert hand.pile == ()
    assert hand.upcard is None
    assert hand.hand_of(0) == drawn(KNOCKER + "Th")
    assert hand.known_held(0) == drawn("Th")
    hand = played(hand, "discard 7c")
    assert hand.pile == (parse_card("7c"),)
    assert hand.known_held(0) == drawn("Th")
    assert played(hand, "draw 2c", "discard 2c", "draw 2h", "discard Th").known_held(0) == 0


# Moves that are refused on public knowledge alone


def blind(*texts):
    """Return the same hand as seen by a referee, who knows neither player's cards."""
    return played(Hand.begin(STANDARD, 1, parse_card("Th")), *texts)


@pytest.mark.parametrize(
    ("moves", "move", "code"),
    [
        (("pass", "pass", "draw"), "discard Th", "card-not-held"),  # it is in the pile
        (("take", "discard 2d", "draw"), "discard Th", "card-not-held"),  # the opponent took it
        # one knock shows a card from the pile; the other lacks a card that was taken openly
        (
            ("pass", "pass", "draw", "discard 7d", "draw", "discard As", "draw"),
            None,
            "card-not-held",
        ),
        (("take", "discard 6c", "draw", "discard As", "draw"), None, "card-missing"),
    ],
)
def test_a_referee_refuses_moves_that_public_knowledge_rules_out(moves, move, code):
    refused(blind(*moves), move or "knock Kh melds 7c7d7h 3s4s5s 9cTcJc deadwood 2d", code)


def test_a_referee_refuses_a_spread_with_a_card_of_the_knocker():
    hand = blind("pass", "pass", "draw", KNOCK)
    refused(hand, BEST_ANSWER.replace("9h", "2d"), "card-not-held")
    refused(hand, BEST_ANSWER.replace("9h", "Kh"), "card-not-held")  # the discard of the knock


def test_no_moves_are_listed_from_an_unknown_hand():
    for hand in (blind("take"), blind("pass", "pass", "draw", KNOCK)):
        assert code_of(Illegal, hand.legal_moves) == "hand-unknown"


def test_the_drawn_card_must_be_known_before_the_next_move():
    hand = played(table(), "pass", "pass", "draw")
    refused(hand, "discard 2d", "hand-unknown")
    with pytest.raises(Illegal):
        hand.legal_moves()
    told = hand.knowing(0, drawn(KNOCKER + "Kh"))
    assert Discard(parse_card("Kh")) in told.legal_moves()


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        ("7c 7d 7h 3s 4s 5s 9c Tc Jc", "wrong-card-count"),
        ("7c 7d 7h 3s 4s 5s 9c Tc Jc 2d 2c", "wrong-card-count"),
        ("7c 7d 7h 3s 4s 5s 9c Tc Jc Th", "card-not-held"),
        ("7c 7d 7h 3s 4s 5s 9c Tc Jc Ks", "card-not-held"),
    ],
)
def test_an_impossible_hand_is_refused(cards, code):
    hand = Hand.begin(STANDARD, 1, parse_card("Th")).knowing(1, drawn(DEFENDER))
    assert code_of(Illegal, lambda: hand.knowing(0, drawn(cards))) == code


def test_a_hand_that_lacks_a_card_seen_taken_is_refused():
    with pytest.raises(Illegal) as caught:
        blind("take", "discard 6c").knowing(0, drawn(KNOCKER))
    assert caught.value.code == "card-missing"


# Knocking


def test_a_knock_over_the_limit_is_refused():
    hand = played(about_to_knock(), "discard Kh", "draw 5d", "discard 5d", "draw Jh")
    refused(hand, "knock 2d melds 7c7d7h 3s4s5s deadwood 9cTcJcJh", "knock-over-limit")
    sentence = refused(about_to_knock("standard knock-limit=1"), KNOCK, "knock-over-limit")
    assert sentence == "The deadwood is 2; the limit is 1."


@pytest.mark.parametrize(
    ("knock", "code"),
    [
        ("knock Kh melds 7c7d7h 3s4s5s deadwood 9cTcJc", "wrong-card-count"),
        ("knock Kh melds 7c7d7h 3s4s5s 9cTcJc 2d", "not-a-meld"),
        ("knock Kh melds 7c7d7h2d 3s4s5s 9cTcJc", "not-a-meld"),
        ("knock Kh melds 7c7d7h 3s4s5s 9cTcJc deadwood 2dKh", "card-twice"),
        ("knock Kh melds 7c7d7h 3s4s5s 9cTcJc 9cTcJc", "card-twice"),
        ("knock Kh melds 7c7d7h 3s4s5s 9cTcJc deadwood Jc", "card-twice"),
        ("knock Kh melds 7c7d7h 3s4s5s 9cTcJc deadwood 3d", "card-not-held"),
        ("knock 6d melds 7c7d7h 3s4s5s 9cTcJc deadwood 2d", "card-not-held"),
        ("knock melds 7c7d7h 3s4s5s 9cTcJc", "wrong-card-count"),
        ("knock melds 7c7d7h 3s4s5s 9cTcJc deadwood 2dKh", "no-discard"),
        ("knock", "wrong-card-count"),
        ("knock Kh", "wrong-card-count"),
    ],
)
def test_a_knock_that_does_not_add_up_is_refused(knock, code):
    refused(about_to_knock(), knock, code)


# The defender's answer


@pytest.mark.parametrize(
    ("spread", "code"),
    [
        ("spread melds KcKdKs layoff 4h@0 deadwood 7s6s8cQc9hAh", "layoff-does-not-fit"),
        ("spread melds KcKdKs layoff 7s@3 deadwood 6s8cQc9h4hAh", "layoff-does-not-fit"),
        ("spread melds KcKdKs layoff 7s@0 7s@1 deadwood 6s8cQc9h4h", "card-twice"),
        ("spread melds KcKdKs layoff 7s@0 deadwood 7s6s8cQc9h4h", "card-twice"),
        ("spread melds KcKdKs layoff 7s@0 deadwood 6s8cQc9h4h", "wrong-card-count"),
        ("spread melds KcKdKs layoff 7s@0 deadwood 6s8cQc9h4h5d", "card-not-held"),
        ("spread melds 6s7s8c layoff Qc@2 deadwood KsKdKc9h4hAh", "not-a-meld"),
        ("spread", "wrong-card-count"),
    ],
)
def test_an_answer_that_does_not_add_up_is_refused(spread, code):
    refused(played(about_to_knock(), KNOCK), spread, code)


# Scoring a hand


def test_gin_cannot_be_undercut():
    # The defender has no deadwood either, but the bonus still counts.
    hand = deal(1, "Ac Ad Ah  4d 5d 6d  8h 8s 8c  Kd", "2c 3c 4c 5c  Js Jh Jd  Qc Qh Qs", "9s")
    hand = played(hand, "pass", "pass", "draw As", "knock Kd melds AcAdAhAs 4d5d6d 8c8h8s")
    result = played(hand, "spread melds 2c3c4c5c JdJhJs QcQhQs").result
    assert (result.kind, result.winner, result.points) == (Outcome.GIN, 0, 25)


def test_gin_laid_as_a_knock_is_a_knock_and_can_be_undercut():
    # 7d would extend the run and make it gin. As it is laid as deadwood, 8d can be laid off on the
    # eights.
    hand = deal(1, "Ac Ad Ah  4d 5d 6d 7d  8h 8s 8c", "2c 3c 4c  Js Jh Jd  Qc Qh Qs  8d", "9s")
    hand = played(
        hand, "pass", "pass", "draw Kd", "knock Kd melds AcAdAh 4d5d6d 8c8h8s deadwood 7d"
    )
    result = played(hand, "spread melds 2c3c4c JdJhJs QcQhQs layoff 8d@2").result
    assert (result.kind, result.winner, result.points) == (Outcome.UNDERCUT, 1, 25 + 7)


def test_big_gin_may_be_made_by_taking_the_upcard():
    hand = deal(1, "Ac Ad Ah As  4d 5d 6d  8h 8s 8c", "2c 3c 4c  Js Jh Jd  Qc Qh Kd  7d", "8d")
    hand = played(hand, "take", "knock melds AcAdAhAs 4d5d6d 8c8d8h8s")
    assert hand.phase is Phase.LAY_OFF
    refused(hand, "spread melds 2c3c4c JdJhJs layoff 7d@1 deadwood QcQhKd", "layoff-on-gin")


# Endings without a knock


def swapping(turns, rules="standard"):
    """Let both players always take the card that the opponent has just thrown."""
    hand = played(table(rules), "take", "discard 2d")
    spare = {0: ["7c", "7d"], 1: ["9h", "4h"]}
    mine = {0: "Th", 1: None}
    for _ in range(turns - 1):
        seat = hand.to_move
        thrown = mine[seat] or spare[seat][0]
        mine[seat] = str(hand.upcard)
        hand = played(hand, "take", f"discard {thrown}")
    return hand


def test_a_stock_draw_ends_a_series_of_swaps():
    hand = played(swapping(39), "draw 2c", "discard 2c")
    assert hand.swaps == 0
    assert hand.result is None


def test_the_number_of_swaps_is_a_parameter():
    assert swapping(5, "standard swap-limit=6").result is None
    assert swapping(6, "standard swap-limit=6").result.kind is Outcome.VOID


def test_a_player_may_still_knock_after_the_last_swap():
    hand = swapping(4, "standard swap-limit=5")
    hand = played(hand, "take", "knock 9h melds 7c7d7h 3s4s5s 9cTcJc deadwood 2d")
    assert hand.phase is Phase.LAY_OFF


def test_a_text_with_an_illegal_move_is_refused_as_illegal():
    with pytest.raises(Illegal):
        parse_hand("standard; dealer 1; upcard 7d; take; discard 7d")


@pytest.mark.parametrize(
    ("rules", "upcard", "more"),
    [
        ("standard", None, {}),
        ("standard", "7d", {"first": 0}),
        ("standard", None, {"knock_card": "7d", "first": 0}),
        ("oklahoma knock-limit=second-deck", "7d", {}),
        ("oklahoma knock-limit=second-deck", None, {"knock_card": "7d"}),
        ("oklahoma knock-limit=second-deck", "6d", {"knock_card": "7d", "first": 0}),
    ],
)
def test_a_hand_begins_with_an_upcard_or_with_a_knock_card_and_never_with_both(rules, upcard, more):
    if "knock_card" in more:
        more = more | {"knock_card": parse_card(more["knock_card"])}
    with pytest.raises(ValueError, match="a hand starts with an upcard"):
        Hand.begin(parse_ruleset(rules), 0, upcard and parse_card(upcard), **more)
