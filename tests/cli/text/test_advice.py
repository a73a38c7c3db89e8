"""Advice on a choice: what a hint says about a position, in sentences that can be read aloud."""

import re
from dataclasses import replace

import pytest

from cli.text.advice import (
    AdvicePhrases,
    alternative_lines,
    best_line,
    moves_to_compare,
    signed_points,
)
from cli.text.cards import SYMBOLS, Style
from ginpeer.adviser.advise import Advice, choices, explain
from ginpeer.rules import STANDARD, Match, View, parse_card, parse_move, parse_ruleset
from tests.rules.drawing import deal, played, to_the_wall

WORDS = AdvicePhrases("Bot", Style(), STANDARD)


def advice_lines(hand, *moves, style=None):
    """Return a hint about these moves, each a point and a half worse than the previous one. Without
    moves, return a hint about the best ones."""
    view = View(hand.to_move, hand, Match.begin(hand.rules, hand.dealer))
    worths = [(one.move, one.points) for one in choices(view)[:3]]
    if moves:
        worths = [(parse_move(text), 4 - 1.5 * at) for at, text in enumerate(moves)]
    every = [Advice(move, points, explain(view, move)) for move, points in worths]
    found = moves_to_compare(every)
    words = AdvicePhrases("Bot", style or Style(symbols=True), hand.rules)
    return best_line(found, words), alternative_lines(found, words)


def test_every_move_of_a_hand_has_its_reasons(transcript):
    dealt = deal(1, "3c 4c 5c 7c 7h 7s As 4d 2d Ah", "6c 8s 9s Qd Qh Jc Js Td Tc Kd", "6d")
    early = played(dealt, "pass", "pass", "draw 9h")
    thrown = played(early, "discard 9h")
    late = played(to_the_wall(thrown, keep="Qs"), "draw Qs")
    knocked = played(early, "knock 9h melds 3c4c5c 7c7h7s deadwood Ah2d4dAs")
    rules, corner = parse_ruleset("around-the-corner"), "Qs Ks 7c 8d 3h 3d Ah 9c Jd 8h"
    wrapped = deal(1, corner, "2c 2d 4d 6d 4h Th Jc Tc Qd 5c", "2s", rules)
    wrapped = played(wrapped, "pass", "pass", "draw As")
    phrases, told = WORDS, []
    for hand in (dealt, early, thrown, late, knocked, wrapped):
        view = View(hand.to_move, hand, Match.begin(hand.rules, 1))
        for move in view.sensible_moves():
            told.append(f"{move}: {'; '.join(phrases.reasons(explain(view, move)))}")
    transcript(told)


def test_a_pass_promises_no_knock_if_a_discard_may_change_the_limit(transcript):
    rules, mine = parse_ruleset("oklahoma-floating"), "3c 5c 6c 2d Jh Qh Kh 2s 4s Qs"
    hand = deal(0, "Ac 2c 4d 6d 8h Th Js Ks Qc 5s", mine, "Tc", rules)
    transcript(advice_lines(played(hand, "pass"), "pass", "take"))


def the_queen_was_taken():
    """Return a hand in which the opponent took the queen of clubs. They want the jack of clubs, but
    no card near the king of spades."""
    hand = deal(0, "2c 3c 4c 7d 7h 8h Jc 5s As 3d", "Ac 6c 9c Ts Th 8d 6h Qs Kh 4d", "9h")
    return played(hand, "pass", "pass", "draw Qc", "discard Qc", "take", "discard 4d", "draw Ks")


THROWS = ("discard Ks", "discard Jc", "discard 7d")


def test_a_card_that_the_opponent_needs_is_kept(transcript):
    """With `words on`, the text contains no symbols."""
    signs, words = (
        advice_lines(the_queen_was_taken(), *THROWS, style=style)
        for style in (None, Style(words=True))
    )
    transcript(signs, words)
    assert not re.search(rf"[{SYMBOLS}%+*/_=<>]", " ".join([words[0], *words[1]]))


def test_advice_on_knocking_is_explained_by_the_prospects(transcript):
    hand = deal(0, "Ac Ad Ah 9c 9d 9s Kc Kd Kh 2c", "3c 4d 6h 8s Th Jd Qs 5c 7c 4h", "5d")
    hand = played(hand, "pass", "pass", "draw Ts")
    moves = "discard Ts", "knock Ts melds AcAdAh 9c9d9s KcKdKh deadwood 2c"
    transcript(advice_lines(hand, *moves), advice_lines(hand, *reversed(moves)))


def test_playing_on_is_compared_with_the_best_knock_even_if_another_discard_is_better():
    hand = deal(0, "Ac Ad Ah 9c 9d 9s Kc Kd Kh 2c", "3c 4d 6h 8s Th Jd Qs 5c 7c 4h", "5d")
    hand = played(hand, "pass", "pass", "draw Ts")
    knock = "knock Ts melds AcAdAh 9c9d9s KcKdKh deadwood 2c"
    assert (
        " Knocking is worth 3 points less"
        in advice_lines(hand, "discard Ts", "discard 2c", knock)[0]
    )


def test_knocks_with_the_same_discard_are_told_apart_by_their_melds(transcript):
    hand = deal(1, "3c 4c 5c 3d 4d 5d 3h 4h 5h As", "6c 8s 9s Qd Qh Jc Js Td Tc Kd", "6d")
    hand = played(hand, "pass", "pass", "draw 9h")
    runs, sets = (f"melds {melds} deadwood As" for melds in ("3c4c5c 3d4d5d 3h4h5h", SETS))
    alike = f"knock 9h {sets}", f"knock 9h {runs}"
    unlike = alike[0], "knock As melds 3c4c5c 3d4d5d 3h4h5h deadwood 9h"
    told = [
        advice_lines(hand, *alike),
        advice_lines(hand, *alike, style=Style(words=True)),
        advice_lines(hand, *unlike),
        advice_lines(hand, "discard 9h", *alike),
    ]
    transcript(*told)
    for _, lines in told:
        names = [re.split(",? (?:you can expect|is worth) ", line)[0] for line in lines]
        assert len({name.casefold() for name in names}) == len(names)


SETS = "3c3d3h 4c4d4h 5c5d5h"


def test_nobody_plays_on_after_a_discard_at_the_wall():
    hand = deal(1, "3c 4c 5c 7c 7h 7s As 4d 2d Ah", "6c 8s 9s Qd Qh Jc Js Td Tc Kd", "6d")
    hand = to_the_wall(played(hand, "pass", "pass", "draw 9h", "discard 9h"), keep="Qs")
    moves = ["discard Qs", "knock Qs melds 3c4c5c 7c7h7s deadwood Ah2d4dAs"]
    hand = played(hand, "draw Qs")
    told = [advice_lines(hand, *each)[0] for each in (moves, reversed(moves))]
    assert told[0].startswith("Discard Q♠ without knocking: ")
    assert ". Just discarding is worth 1.5 points less: " in told[1]


def test_nobody_plays_on_after_the_last_turn_without_a_stock_draw():
    mine, rules = "3c 4c 5c 7c 7h 7s As 4d 2d Ah", parse_ruleset("standard swap-limit=4")
    hand = deal(1, "6c 8s 9s Qd Qh Jc Js Td Tc Kd", mine, "6d", rules)
    hand = played(hand, *["take", "discard Kd", "take", "discard Ah", "take", "discard 6c", "take"])
    moves = ["discard Kd", "knock Kd melds 3c4c5c6c 7c7h7s deadwood As2d4d"]
    told = [advice_lines(hand, *each)[0] for each in (moves, reversed(moves))]
    assert told[0].startswith("Discard K♦ without knocking: ")
    assert told[1].endswith(" Just discarding is worth 1.5 points less: the hand is then void.")


def test_passing_the_last_discard_is_said_to_void_the_hand():
    rules = parse_ruleset("standard wall=last-discard")
    hand = deal(1, "3c 4c 5c 7c 7h 7s As 4d 2d Ah", "6c 8s 9s Qd Qh Jc Js Td Tc Kd", "6d", rules)
    hand = to_the_wall(played(hand, "pass", "pass", "draw 9h", "discard 9h"), keep="3d")
    _, others = advice_lines(played(hand, "draw 3d", "discard 3d"), "take", "pass")
    assert others[-1].endswith(": if you pass, the hand is void.")


def test_choices_of_nearly_equal_value_are_called_about_as_good(transcript):
    hand = the_queen_was_taken()
    view = View(hand.to_move, hand, Match.begin(hand.rules, 0))
    moves = [*map(parse_move, THROWS[:2])]
    said = []
    for gain in (0.04, 0.49, 0.5):
        found = [Advice(moves[0], gain, explain(view, moves[0]))]
        found.append(Advice(moves[1], 0.0, explain(view, moves[1])))
        said += [best_line(found, WORDS), alternative_lines(found, WORDS)[1]]
    transcript(said)


def test_small_differences_are_named_if_there_are_no_others():
    hand = the_queen_was_taken()
    view = View(hand.to_move, hand, Match.begin(hand.rules, 0))
    good = explain(view, parse_move("discard Ks"))
    after = replace(good.after, melds=4)
    good = replace(good, card=parse_card("Ks"), outs=0, wants=0, sure=(), melds=(), after=after)

    def against(deadwood, ways, helps):
        melds, more = ((1,),) * ways, replace(after, melds=4 - helps)
        bad = replace(good, deadwood=good.deadwood + deadwood, melds=melds, after=more)
        moves = parse_move("discard Jc"), parse_move("discard Ks")
        said = WORDS.drawbacks(
            *(Advice(move, 0.0, facts) for move, facts in zip(moves, (bad, good), strict=True))
        )
        return [text.split()[0] for text in said]

    assert against(1, 2, 1) == ["4", "discarding", "Bot"]  # no difference reaches three
    assert against(3, 2, 1) == ["discarding"]
    assert against(1, 3, 2) == ["Bot"]
    assert against(2, 2, 3) == ["4"]
    assert against(0, 0, 0) == []


def test_a_single_choice_is_compared_with_nothing():
    hand = deal(0, "2c 3c 4c 7d 7h 8h Jc 5s As 3d", "Ac 6c 9c Ts Th 8d 6h Qs Kh 4d", "9h")
    best, others = advice_lines(played(hand, "pass", "pass"))
    assert re.fullmatch(r"Draw from the stock: \d+ of \d+ unseen cards make a meld\.", best)
    assert len(others) == 1


def test_advice_to_go_gin_gives_its_reason(transcript):
    hand = deal(0, "2c 3c 4c 5c 7d 7h 7s 9s Ts Js", "Ac 6c 9c Th 8d 6h Qs Kh 4d 8c", "9h")
    gin = "knock Kd melds 2c3c4c5c 7d7h7s 9sTsJs"
    hand, ways = played(hand, "pass", "pass", "draw Kd"), ("discard Kd", "discard Js")
    told = advice_lines(hand, gin, *ways)
    transcript(told)
    assert told == advice_lines(hand, gin)  # playing on isn't mentioned


@pytest.mark.parametrize(
    ("points", "text"),
    [
        *[(0.04, "0 points"), (0.96, "1 point"), (1.44, "1.4 points")],
        *[
            (-2, "minus 2 points"),
            (-4.21, "minus 4.2 points"),
            (9.97, "10 points"),
            (12.4, "12 points"),
        ],
    ],
)
def test_points_are_rounded_according_to_their_size(points, text):
    assert signed_points(points) == text
