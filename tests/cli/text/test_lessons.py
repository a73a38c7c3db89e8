"""What a mistake teaches: which lesson the facts lead to, and its sentence."""

from dataclasses import replace
from itertools import chain

import pytest

from cli.text.advice import OFTEN, AdvicePhrases
from cli.text.analysis import (
    _lessons_to_teach,
    _position,
    analysis_lines,
    hindsight,
    instead_of,
    lesson_advice,
    lesson_reason,
    mistake_reasons,
    past_action,
    short_analysis_lines,
)
from cli.text.cards import Style
from ginpeer.adviser.advise import Advice, Choice, explain
from ginpeer.analysis.decisions import (
    Analysis,
    Decision,
    DecisionKind,
    DrawnCard,
    HandTotal,
    Lesson,
    Mistake,
    lesson_of,
)
from ginpeer.analysis.report import HiddenInfo
from ginpeer.record import Record
from ginpeer.rules import STANDARD, Knock, Match, Spread, View, parse_card, parse_move, parse_set
from ginpeer.rules.hand import WALL
from tests.matches.golden_logs import FOLDER
from tests.rules.drawing import deal, drawn

TELLER = AdvicePhrases("Ben", Style(), STANDARD)
MATCH = Match.begin(STANDARD, 1)
VIEW = View(
    1, deal(1, "3c 4c 5c 7d 7h 7s Jd Qd 9d 2h", "Ac 2c 4d 6d 8h Th Js Ks Qc 5s", "8s"), MATCH
)
MELDS = "3c 4c 5c 7d 7h 7s"
OTHERS = "Ac 2c 4d 6d 8h Th Js Ks Qc 5s"


def mistake(hand, played, best):
    view = View(hand.to_move, hand, MATCH)
    did_, better = (
        Advice(move, 0.0, explain(view, move))
        for move in (parse_move(m) if isinstance(m, str) else m for m in (played, best))
    )
    made = Decision(1, 9, view, DecisionKind.THROW, Choice(did_.move, 0), Choice(better.move, 3))
    return Mistake(made, did_, better, lesson_of(did_, better))


def moved(hand, *moves):
    for move in moves:
        hand = hand.apply(parse_move(move))
    return hand


def hand_of_eleven(cards, draws, others=OTHERS):
    """Return a hand in which both players passed the upcard and the non-dealer has drawn."""
    hand = moved(deal(1, cards, others, "9s"), "pass", "pass")
    return hand.drawing(parse_card(draws))


LOOSE = deal(1, f"{MELDS} Jd Qd 9d 2h", OTHERS, "Kd")
VIEW = View(LOOSE.to_move, LOOSE, MATCH)
TAKEN = moved(LOOSE, "take")
FED = moved(deal(1, f"{MELDS} Jc Qd 9d 2h", OTHERS, "Jh"), "pass", "take", "discard 5s").drawing(
    parse_card("Kh")
)
LOW = hand_of_eleven(f"{MELDS} Ah Ad 2s 3s", "Tc")


def knock(discard, dead):
    kept = drawn(f"{MELDS} {dead}")
    melds = tuple(parse_set(meld) for meld in ("3c4c5c", "7d7h7s"))
    return Knock(parse_card(discard), melds, kept & ~sum(melds))


ANSWERED = LOW.apply(knock("Tc", "Ah Ad 2s 3s"))
NOTHING_LAID = Spread((), (), ANSWERED.hands[1])
BEST_ANSWER = ANSWERED.melding.best_spread(ANSWERED.hands[1], ANSWERED.open_melds)

CASES = {
    "take": (
        deal(1, "3c 4c 5c Jd Qd 9d 8s 6h 2h Tc", "Ac 2c 4d 6d 8h Th Js Ks Qc 5s", "Kd"),
        *("pass", "take", Lesson.TAKE),
    ),
    "take to knock": (
        deal(1, "3c 4c 5c 7d 7h Ah As 2h 3d Kd", OTHERS, "7s"), "pass", "take", Lesson.TAKE,
    ),
    "take a low card": (
        deal(1, f"{MELDS} Jd Kh 9d 2h", OTHERS, "3h"), "pass", "take", Lesson.TAKE,
    ),
    "take a card that counts no less": (
        deal(1, "2d 3d 4d 5d Qc Jh Ts 9h 7h 2s", "Ah Ad As Kc Kd Th 9c 9d 8d 4h", "Js"),
        *("pass", "take", Lesson.TAKE),
    ),
    "leave": (deal(1, f"{MELDS} Jd Qd 9d 2h", OTHERS, "8s"), "take", "pass", Lesson.LEAVE),
    "keep-meld": (TAKEN, "discard 7d", "discard 9d", Lesson.KEEP_MELD),
    "high": (FED, "discard 2h", "discard Kh", Lesson.THROW_HIGH),
    "near": (FED, "discard 9d", "discard Kh", Lesson.KEEP_NEAR),
    "fed": (FED, "discard Jc", "discard Kh", Lesson.DO_NOT_FEED),
    "gin": (
        hand_of_eleven(f"{MELDS} 7c 8c 9c Tc", "Kd"), "discard Tc",
        parse_move("knock Kd melds 3c4c5c 7c8c9cTc 7d7h7s"), Lesson.GO_GIN,
    ),
    "gin with the same discard": (
        hand_of_eleven(f"{MELDS} 7c 8c 9c Tc", "Kd"), "discard Kd",
        parse_move("knock Kd melds 3c4c5c 7c8c9cTc 7d7h7s"), Lesson.GO_GIN,
    ),
    "a knock too late": (LOW, "discard Tc", knock("Tc", "Ah Ad 2s 3s"), Lesson.KNOCK),
    "a knock too soon": (LOW, knock("Tc", "Ah Ad 2s 3s"), "discard Tc", Lesson.WAIT),
    "worse melds": (
        hand_of_eleven("3c 4c 5c 3d 4d 5d 3h 4h 5h As", "9h", "6c 8s 9c Qd Qh Jc Js Td Tc Kd"),
        parse_move("knock 9h melds 3c4c5c 3d4d5d 3h4h5h deadwood As"),
        parse_move("knock 9h melds 3c3d3h 4c4d4h 5c5d5h deadwood As"), Lesson.KNOCK_BETTER,
    ),
    "gin instead of big gin": (
        hand_of_eleven(f"{MELDS} 2h 3h 4h 5h", "6h"),
        parse_move("knock 6h melds 3c4c5c 7d7h7s 2h3h4h5h"),
        parse_move("knock melds 3c4c5c 7d7h7s 2h3h4h5h6h"), Lesson.KNOCK_BETTER,
    ),
    "an answer that leaves too much": (ANSWERED, NOTHING_LAID, BEST_ANSWER, Lesson.LAY_OFF),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_mistake_has_its_lesson_and_the_supporting_facts(name, transcript):
    *made, lesson = CASES[name]
    made = mistake(*made)
    assert made.lesson is lesson
    transcript(
        past_action(TELLER, made) + instead_of(TELLER, made),
        lesson_reason(TELLER, made),
        mistake_reasons(TELLER, made),
        lesson_advice(TELLER, made),
    )


def test_an_unlikely_undercut_is_no_reason_to_wait():
    soon = mistake(*CASES["a knock too soon"][:3])
    for chance in (24, 9):
        played = replace(soon.played, facts=replace(soon.played.facts, undercut=chance))
        assert ("undercut" in lesson_reason(TELLER, replace(soon, played=played))) == (chance == 24)


def test_a_knock_missed_in_the_last_turn_is_blamed_on_what_ends_the_hand():
    for stock, swaps, why in ((25, 40, "the hand was then void"), (3, 0, "the stock was nearly")):
        hand = LOW._replace(stock_left=stock, swaps=swaps)
        missed = mistake(hand, "discard Tc", knock("Tc", "Ah Ad 2s 3s"))
        often = replace(missed.best, facts=replace(missed.best.facts, undercut=OFTEN))
        assert lesson_reason(TELLER, replace(missed, best=often)).startswith(why)


def test_no_card_is_worth_keeping_for_a_meld_if_nobody_draws_again():
    for stock, lesson in ((3, Lesson.KEEP_NEAR), (WALL, Lesson.CLOSER_LOOK)):
        made = mistake(FED._replace(stock_left=stock), "discard 9d", "discard Kh")
        level = replace(made.played.facts, deadwood=made.best.facts.deadwood)
        made = replace(made, played=replace(made.played, facts=level))
        assert lesson_of(made.played, made.best) is lesson
        assert ("could still meld" in mistake_reasons(TELLER, made)) is (stock > WALL)


def test_only_lessons_that_cost_enough_and_have_a_reason_are_shown():
    def cost(lesson, *losses):
        made = [mistake(LOW, "discard Tc", "discard 3s") for _ in losses]
        return [
            replace(
                one, lesson=lesson, decision=replace(one.decision, best=Choice(one.best.move, loss))
            )
            for one, loss in zip(made, losses, strict=True)
        ]

    def told(*mistakes):
        every = tuple(sorted(chain(*mistakes), key=lambda one: -one.decision.loss))
        found = Analysis(0, (HandTotal(1, True, False, 9, 0),), (every[0].decision,), (), every)
        return [total.lesson for total in _lessons_to_teach(found)]

    near, high = cost(Lesson.KEEP_NEAR, 3.0, 1.0), cost(Lesson.THROW_HIGH, 1.2, 0.9)
    close, fed = cost(Lesson.CLOSER_LOOK, 9.0), cost(Lesson.DO_NOT_FEED, 1.9)
    assert told(near, high, close, fed) == [Lesson.KEEP_NEAR, Lesson.THROW_HIGH]
    assert told(fed, close) == [Lesson.DO_NOT_FEED]  # the first lesson has no minimum cost
    assert told(close) == [Lesson.CLOSER_LOOK]
    wait = cost(Lesson.WAIT, 2.0), cost(Lesson.KNOCK, 5.0)
    assert told(near, high, *wait) == [Lesson.KNOCK, Lesson.KEEP_NEAR, Lesson.THROW_HIGH]


def test_hidden_cards_are_shown_as_hindsight(transcript):
    made = mistake(FED, "discard Jc", "discard Kh")
    held = parse_set("JhJsTh2c4d6d8hKsQcAc")
    truth = HiddenInfo(held, 60, parse_set("8dTdJd"), parse_set("Td"), parse_set("JhJs"), 0, None)
    other = HiddenInfo(held, 60, parse_set("Td"), parse_set("Td"), 0, 0, -27)
    some = replace(truth, gone=parse_set("TdJd"))
    knocked, passed = (mistake(*CASES[name][:3]) for name in ("a knock too soon", "take"))
    transcript(
        *(hindsight(TELLER, made, each) for each in (truth, some, other)),
        *(hindsight(TELLER, each, replace(some, meld_played=0)) for each in (knocked, passed)),
    )


def test_hindsight_names_no_cards_to_draw_if_nobody_draws_again():
    wanted = parse_set("TdJd")
    truth = HiddenInfo(parse_set("JhJsTh2c4d6d8hKsQcAc"), 60, wanted, wanted, 0, 0, None)
    last, turn = FED._replace(stock_left=3), FED._replace(swaps=FED.rules.swap_limit)
    for hand, told in ((FED, True), (last, False), (turn, False)):
        said = hindsight(TELLER, mistake(hand, "discard Jc", "discard Kh"), truth)
        assert ("couldn't come from the stock" in said) is told


def test_the_summary_tells_luck_from_play(transcript):
    choice = (Choice(parse_move("draw"), 1.0), Choice(parse_move("pass"), 5.0))
    made = Decision(1, 9, VIEW, DecisionKind.DRAW, *choice)
    draws = (
        DrawnCard(1, 11, parse_card("7d"), 1.5),
        DrawnCard(2, 60, parse_card("Kd"), -3.5),
    )
    hands = (HandTotal(1, True, False, 4.0, 1.5), HandTotal(2, True, False, 0.0, -3.5))
    found = Analysis(0, hands, (made,), draws, ())
    transcript(short_analysis_lines(recorded_nothing(), found, TELLER)[0])


def test_a_flawless_player_is_told_so_and_a_single_draw_is_not_best_and_worst(transcript):
    choice = Choice(parse_move("draw"), 1.0)
    made = Decision(1, 9, VIEW, DecisionKind.DRAW, choice, choice)
    drew = (DrawnCard(1, 9, parse_card("7d"), 1.5),)
    found = Analysis(0, (HandTotal(1, True, False, 0.0, 1.5),), (made,), drew, ())
    transcript(analysis_lines(recorded_nothing(), found, TELLER))


def recorded_nothing():
    """Return a record without any moves. The analysis doesn't read it."""
    return Record.read(FOLDER / "offer-alone.ginlog")


def test_the_hand_that_was_answered_ended_with_a_knock_gin_or_big_gin(transcript):
    gin, big_gin = (hand_of_eleven(f"{MELDS} 2h 3h 4h 5h", drawn) for drawn in ("Tc", "6h"))
    ended = (
        LOW.apply(knock("Tc", "Ah Ad 2s 3s")),
        gin.apply(parse_move("knock Tc melds 3c4c5c 7d7h7s 2h3h4h5h")),
        big_gin.apply(parse_move("knock melds 3c4c5c 7d7h7s 2h3h4h5h6h")),
    )
    transcript(*(_position(View(hand.to_move, hand, MATCH), TELLER) for hand in ended))
