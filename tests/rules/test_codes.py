"""Every code with which the rules refuse a text, a number or a move, at every place that raises it.

Programs, logs and the opponent's machine depend on these codes, so the tests check the code and not
only that something is refused. Sentences stay short, whatever was typed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ginpeer.rules import moves
from ginpeer.rules.cards import DECK, Card, RulesError, mask_of, parse_card, parse_set
from ginpeer.rules.hand import Hand
from ginpeer.rules.match import Match, View, cut_dealer, parse_match
from ginpeer.rules.ruleset import STANDARD, parse_ruleset
from ginpeer.rules.score import Column, Game, HandResult, Outcome, parse_result, score_hand

KNOCKED = HandResult(Outcome.KNOCK, 0, 30, 0, 2, 32)
MELD = parse_set("3c4c5c")
SEVEN = parse_card("7d")


def refusal(attempt: Callable[[], object]) -> RulesError:
    with pytest.raises(RulesError) as caught:
        attempt()
    return caught.value


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        (
            "unreadable-move",
            (
                *("", "fold", "Pass", "pass now", "pass" + " " * 10_000, "x" * 100_000),
                *("discard", "discard 7d 8d", "knock 7d 8d", "knock 7d 3c4c5c", "knock 7d melds"),
                *("knock 7d 8d melds 3c4c5c", "knock 7d melds 3c4c5c deadwood 2dKs 2h"),
                *("knock 7d melds 3c4c5c melds 6c7c8c", "knock 7d melds deadwood 2d"),
                *("knock 7d deadwood 2d melds 3c4c5c", "knock 7d melds 3c4c5c deadwood"),
                *("knock 7d layoff 6c@0", "knock 7d melds 3c4c5c layoff 6c@0"),
                *("spread 7d melds 3c4c5c", "spread layoff 6c", "spread layoff 6c@"),
                *("spread layoff 6c@x", "spread layoff 6c@-1"),
                *("spread layoff 6c@\u0661", "spread layoff 6c@²", "spread layoff 6c@00"),
                *("spread layoff 6c@10", "spread layoff 6c@" + "1" * 2_000),
                *("lay add", "lay 3c4c5c add", "lay add 6c", "lay add 6c@17", "lay add 6c@-1"),
                *("lay add 6c@00", "lay 3c4c5c add 6c@17", "lay 3c4c5c add 6c@0 add 7c@0"),
                "lay " + "3c " * 18,
                *("take 3", "take 3 8s9sTs", "take lay 8s9sTs", "take 3 knock 8s"),
                *(
                    f"take {count} lay 8s9sTs"
                    for count in ("0", "1", "32", "02", "-3", "x", "\u0663", "³", "1" * 2_000)
                ),
            ),
        ),
        ("unreadable-card", ("discard 7x", "lay 3x", "lay melds 3c4c5c", "spread layoff @0")),
        ("repeated-card", ("knock 7d melds 3c4c3c", "lay 3c3c3c")),
    ],
)
def test_a_text_that_is_not_a_move_is_refused(code: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        error = refusal(lambda text=text: moves.parse_move(text))
        assert error.code == code, text[:40]
        assert len(error.sentence) < 120, text[:40]


IMPOSSIBLE: dict[str, Callable[[], moves.Move]] = {
    "eleven melds": lambda: moves.Knock(None, (MELD,) * 11, 0),
    "an empty meld": lambda: moves.Knock(None, (0,), 0),
    "a meld beyond the deck": lambda: moves.Knock(None, (DECK + 1,), 0),
    "a meld below nothing": lambda: moves.Knock(None, (-1,), 0),
    "deadwood beyond the deck": lambda: moves.Knock(None, (), DECK + 1),
    "deadwood below nothing": lambda: moves.Spread((), (), -1),
    "eleven lay-offs": lambda: moves.Spread((), ((SEVEN, 0),) * 11, 0),
    "a lay-off on meld -1": lambda: moves.Spread((), ((SEVEN, -1),), 0),
    "a lay-off on meld 10": lambda: moves.Spread((), ((SEVEN, 10),), 0),
    "53 cards added": lambda: moves.Lay((), ((SEVEN, 0),) * 53),
    "a card added to meld -1": lambda: moves.Lay((), ((SEVEN, -1),)),
    "a card added to meld 17": lambda: moves.Lay((), ((SEVEN, 17),)),
    "eighteen melds laid": lambda: moves.Lay((MELD,) * 18, ()),
    "one card taken": lambda: moves.TakeDiscards(1, moves.Lay((MELD,), ())),
    "32 cards taken": lambda: moves.TakeDiscards(32, moves.Lay((MELD,), ())),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_a_move_that_has_no_text_cannot_be_made(name: str) -> None:
    assert refusal(IMPOSSIBLE[name]).code == "unreadable-move"


@pytest.mark.parametrize(
    ("attempt", "code"),
    [
        (lambda: Card(52), "unreadable-card"),
        (lambda: Card(-1), "unreadable-card"),
        (lambda: Card(2**70), "unreadable-card"),
        (lambda: mask_of((0, 52)), "unreadable-card"),
        (lambda: parse_set("3c4c3c"), "repeated-card"),
        (lambda: cut_dealer((SEVEN, SEVEN)), "cut-twice"),
        (lambda: parse_match(""), "unreadable-match"),
        (lambda: parse_match("standard; seat 0 deals"), "unreadable-match"),
        (lambda: parse_match("standard; first dealer 2"), "unreadable-match"),
        (lambda: parse_match("standard; first dealer 0; nonsense"), "unreadable-result"),
        (lambda: parse_result("mahjong: seat 0 went gin"), "unreadable-result"),
        (lambda: Match.begin(STANDARD, 0).settlement(), "match-goes-on"),
        (lambda: Match.begin(STANDARD, 0).resign(0).resign(1), "match-over"),
        (lambda: Match.begin(STANDARD, 0).resign(0).record(KNOCKED), "match-over"),
    ],
)
def test_invalid_values_and_calls_are_refused_with_their_code(
    attempt: Callable[[], object], code: str
) -> None:
    assert refusal(attempt).code == code


# --- nobody has won before the end ------------------------------------------------------------


def test_an_open_column_has_no_winner() -> None:
    ahead = Column(STANDARD).enter(KNOCKED)
    assert (ahead.points, ahead.over, ahead.winner) == ((30, 0), False, None)
    assert replace(ahead, over=True).winner == 0


def test_an_unfinished_game_or_match_has_no_winner() -> None:
    game = Game.begin(STANDARD).record(KNOCKED)
    assert (game.over, game.winner) == (False, None)
    columns = Game.begin(parse_ruleset("hollywood target=10")).record(KNOCKED)
    assert (columns.over, columns.winner) == (False, None)
    series = Match.begin(parse_ruleset("standard target=10 best-of=3"), 0).record(KNOCKED)
    assert (series.games_won, series.finished, series.winner) == ((1, 0), False, None)


def test_a_knock_limit_set_by_a_card_needs_the_card() -> None:
    with pytest.raises(ValueError, match="a card sets this limit"):
        parse_ruleset("oklahoma").limit(None)


def test_big_gin_scores_only_where_it_is_played() -> None:
    """In play, the hand refuses big gin before it is scored."""
    without = replace(STANDARD, big_gin=None)
    knock, spread = moves.Knock(None, (MELD,), 0), moves.Spread((), (), 0)
    with pytest.raises(ValueError, match="without it"):
        score_hand(without, 0, knock, spread)


# --- what a player knows about a hand ------------------------------------------------------------


def test_a_hand_is_known_with_or_without_the_card_just_drawn() -> None:
    ten, eleven = mask_of(range(10)), mask_of(range(11))
    hand = Hand.begin(STANDARD, 1, Card(51)).apply(moves.Pass()).apply(moves.Pass())
    assert hand.knowing(0, ten).hands[0] == ten
    for wrong in (mask_of(range(9)), eleven):
        assert refusal(lambda wrong=wrong: hand.knowing(0, wrong)).code == "wrong-card-count"
    drawn = hand.apply(moves.DrawStock())
    assert drawn.knowing(0, ten).hands[0] == ten
    assert drawn.knowing(0, eleven).hands[0] == eleven
    for wrong in (mask_of(range(9)), mask_of(range(12))):
        assert refusal(lambda wrong=wrong: drawn.knowing(0, wrong)).code == "wrong-card-count"
    taken = Hand.begin(STANDARD, 1, Card(51)).apply(moves.TakeUpcard())
    assert refusal(lambda: taken.knowing(0, ten)).code == "wrong-card-count"


def test_it_is_nobodys_turn_in_a_hand_that_is_over() -> None:
    match = Match.begin(STANDARD, 1)
    hand = Hand.begin(STANDARD, 1, Card(51))
    assert View(0, hand, match).my_turn
    assert not View(1, hand, match).my_turn
    over = hand._replace(result=KNOCKED)
    assert not any(View(seat, over, match).my_turn for seat in (0, 1))
