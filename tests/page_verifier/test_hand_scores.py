"""The page scores a hand as the engine does, for every value of every parameter that changes the
points of a hand, and plays random hands under random rules as the engine does."""

from __future__ import annotations

import random
from functools import cache
from itertools import product

import pytest

from ginpeer.rules import (
    CARDS,
    Discard,
    DrawStock,
    Hand,
    Illegal,
    Knock,
    Lay,
    Pass,
    Phase,
    Spread,
    TakeDiscards,
    TakeUpcard,
    cards_of,
    parse_card,
    parse_move,
)
from ginpeer.rules.parameters import NAMES, KnockLimit, key_of
from tests.page_verifier.asked import MORE_RULES, random_deck, random_move, random_rules, rule_set
from tests.page_verifier.compare import lacking
from tests.page_verifier.test_rules_of_the_page import page_says
from tests.rules.drawing import drawn
from tests.rules.showdowns import GIN, NINE, SIX
from tests.rules.test_parameters import OF_A_MATCH
from tests.rules.texts import VALUES

ELSEWHERE = (*OF_A_MATCH, *("first-dealer", "opening", "wall", "swap-limit", "misdeal"))
"""These parameters don't change the points of a hand. Those of a match change the accounts that
test_rules_of_the_page.py compares."""

OF_A_HAND = [name for name in NAMES if key_of(name) not in ELSEWHERE]

# --- the hands ------------------------------------------------------------------------------
#
# Seat 1 deals. The cards are chosen so that you can see at a glance what they count.

TWELVE, SIX_WITH_ACES = "2d 2s 3s 5s", "Ad As 2d 2s"
LOW = f"{SIX} Kd Kh Ks"


def knock_with(loose: str, against: str) -> tuple[str, ...]:
    """Return a hand in which seat 0 draws a king, discards it and knocks with one unmatched
    card."""
    answer = f"spread melds JcJdJh QcQdQh deadwood {against.replace(' ', '')}"
    knock = f"knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood {loose}"
    return f"{NINE} {loose}", f"{SIX} {against}", "draw Kc", knock, answer


HANDS = {
    "a knock": knock_with("2c", TWELVE),
    "a knock with an ace against aces": knock_with("Ac", SIX_WITH_ACES),
    "a knock with four": knock_with("4c", SIX_WITH_ACES),
    "a tie": knock_with("6c", SIX_WITH_ACES),
    "an undercut": knock_with("9c", SIX_WITH_ACES),
    "a tie of aces": (
        *(f"{NINE} Ac", f"{LOW} Ad", "draw Kc"),
        "knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood Ac",
        "spread melds JcJdJh QcQdQh KdKhKs deadwood Ad",
    ),
    "an undercut by gin": (
        *(f"{NINE} 2c", f"{LOW} Js", "draw Kc"),
        "knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood 2c",
        "spread melds JcJdJhJs QcQdQh KdKhKs",
    ),
    "a lay-off": (
        *(f"{NINE} 2c", f"{SIX} 6h 2d 2s 3s", "draw Kc"),
        "knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood 2c",
        "spread melds JcJdJh QcQdQh layoff 6h@0 deadwood 2d2s3s",
    ),
    "gin": (
        *(f"{NINE} {GIN}", f"{SIX} {SIX_WITH_ACES}", "draw Ts"),
        "knock Ts melds 3h4h5h6h 7c7d7h TcTdTh",
        "spread melds JcJdJh QcQdQh deadwood AdAs2d2s",
    ),
    "big gin": (
        *(f"{NINE} {GIN}", f"{SIX} {TWELVE}", "draw Ts"),
        "knock melds 3h4h5h6h 7c7d7h TcTdThTs",
        "spread melds JcJdJh QcQdQh deadwood 2d2s3s5s",
    ),
    "a run around the corner": (
        *("Ks As 2s 7c 7d 7h Tc Td Th 3d", f"{SIX} 2d 3s 4d 5d", "draw Kc"),
        "knock Kc melds As2sKs 7c7d7h TcTdTh deadwood 3d",
        "spread melds JcJdJh QcQdQh deadwood 2d3s4d5d",
    ),
    "a knock by the dealer, past a spade": (
        *(f"{SIX} {TWELVE}", f"{NINE} 2c", "draw 6s", "discard 6s", "draw Kc"),
        "knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood 2c",
        "spread melds JcJdJh QcQdQh deadwood 2d2s3s5s",
    ),
    "a knock by the dealer, past an ace": (
        *(f"{SIX} {TWELVE}", f"{NINE} Ac", "draw As", "discard As", "draw Kc"),
        "knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood Ac",
        "spread melds JcJdJh QcQdQh deadwood 2d2s3s5s",
    ),
    "gin by the dealer, past the ace of clubs, which is card 0": (
        *(f"{SIX} {TWELVE}", f"{NINE} {GIN}", "draw Ac", "discard Ac", "draw Kc"),
        "knock Kc melds 3h4h5h6h 7c7d7h TcTdTh",
        "spread melds JcJdJh QcQdQh deadwood 2d2s3s5s",
    ),
    "gin by the dealer, who takes a spade": (
        *(f"{SIX} {TWELVE}", f"{NINE} Kc", "draw Ts", "discard Ts", "take"),
        "knock Kc melds 3h4h5h 7c7d7h TcTdThTs",
        "spread melds JcJdJh QcQdQh deadwood 2d2s3s5s",
    ),
    "gin on the table": (
        *(f"{NINE} {GIN}", f"{SIX} {SIX_WITH_ACES}", "draw Kc"),
        *("lay 3h4h5h6h 7c7d7h TcTdTh", "discard Kc", "spread deadwood AdAs2d2sJcJdJhQcQdQh"),
    ),
    "gin on the table, where both lay": (
        *("Ac Ad As 7c 7d 7h Tc Td Th Ts", f"{SIX} {TWELVE}", "draw 9c"),
        *("lay AcAdAs 7c7d7h", "discard 9c", "draw Js", "lay JcJdJhJs QcQdQh", "discard 5s"),
        *("draw 9d", "lay TcTdThTs", "discard 9d", "spread deadwood 2d2s3s"),
    ),
}
UPCARDS = ("8h", "4s", "Ah")
"""The upcard, or the card of a second deck. As knock limits, these mean eight; four, with the hand
counting double; and one, or gin only."""

read, cards_in = cache(parse_move), cache(drawn)

DEALS = [(upcard, *hand) for upcard, hand in product(UPCARDS, HANDS.values())]


def number(card):
    return card.rank + 13 * card.suit


def numbers(cards):
    return [number(card) for card in cards_of(cards)]


def call_of(move, hand):
    """Return this move as a method call on the page's Hand."""
    mine = numbers(hand.hands[hand.to_move])
    match move:
        case Discard(card):
            return ["discard", number(card)]
        case Knock(card, melds):
            thrown = None if card is None else number(card)
            shown = {"cards": mine, "discard": thrown, "melds": list(map(numbers, melds))}
            return ["declareKnock", shown]
        case Spread(melds, layoffs):
            laid_off = [{"card": number(card), "meld": at} for card, at in layoffs]
            shown = {"cards": mine, "melds": list(map(numbers, melds)), "layoffs": laid_off}
            return ["spread", shown]
        case Lay():
            return ["lay", _laid(move)]
        case TakeDiscards(count, lay):
            return ["takeDiscards", count, _laid(lay)]
    return ["takeUpcard" if isinstance(move, TakeUpcard) else "pass"]


def _laid(lay):
    adds = [{"card": number(card), "meld": at} for card, at in lay.adds]
    return {"cards": numbers(lay.cards), "melds": list(map(numbers, lay.melds)), "adds": adds}


def play_hand(rules, upcard, non_dealers, dealers, *script):
    """Play a hand. Return its calls, and its score (the winner, the points of winner and loser, and
    whether they are doubled) or the code with which the engine refuses a move."""
    if rules.knock_limit is KnockLimit.SECOND_DECK:
        hand = Hand.begin(rules, 1, None, knock_card=parse_card(upcard), first=0)
    else:
        hand = Hand.begin(rules, 1, parse_card(upcard))
    hand = hand.knowing(0, cards_in(non_dealers)).knowing(1, cards_in(dealers))
    calls = []
    for step in script:
        word, _, card = step.partition(" ")
        if word == "draw":
            while hand.phase in (Phase.FIRST_UPCARD, Phase.SECOND_UPCARD):
                hand = hand.apply(Pass())
                calls.append(["pass"])
            hand = hand.drawing(parse_card(card))
            calls += [["drawStock"], ["share"]]
            continue
        move = read(step)
        calls.append(call_of(move, hand))
        try:
            hand = hand.apply(move)
        except Illegal as refusal:
            return calls, [refusal.code]
    result = hand.result
    return calls, [result.winner, result.points, result.other_points, result.doubled]


RARE = [parse_card(card) for card in ("Ac", "As", "Ks")]
"""Cards that decide limits and doublings."""


def played_at_random(rng):
    """Play a hand under random rules, usually ending it at the first chance. Return what to ask the
    page, and the score."""
    rules = random_rules(rng)
    knock_card = rng.choice([*RARE, *CARDS]) if _first(rules) == 0 else None
    deck = random_deck(rng, rules, RARE)
    hand = Hand.deal(rules, 1, deck=deck, knock_card=knock_card, first=_first(rules))
    upcard = hand.pile[0] if hand.knock_card is None else hand.knock_card
    knock_card = None if hand.knock_card is None else number(hand.knock_card)
    calls = []
    while not hand.over:
        move = random_move(rng, hand)
        draws = isinstance(move, DrawStock)
        calls += [["drawStock"], ["share"]] if draws else [call_of(move, hand)]
        hand = hand.apply(move)
    asked = {"rules": str(rules), "upcard": number(upcard), "knock_card": knock_card}
    result = hand.result
    score = [result.winner, result.points, result.other_points, result.doubled]
    return asked | {"calls": calls}, score


def _first(rules):
    return 0 if rules.knock_limit is KnockLimit.SECOND_DECK else None


# --- the rules ------------------------------------------------------------------------------


@cache
def scores(rules):
    """Play every hand with every upcard under these rules. Return each one's calls and score."""
    return [play_hand(rules, *deal) for deal in DEALS]


def with_each_value(name):
    """Yield groups of rule sets that differ only in the value of this parameter."""
    for text in MORE_RULES:
        found = [rule_set(f"{text} {key_of(name)}={value}") for value in VALUES[key_of(name)]]
        yield [rules for rules in found if rules is not None]


@pytest.mark.parametrize("name", OF_A_HAND)
def test_some_hand_shows_the_effect_of_each_parameter(name):
    """If this fails for a new parameter, add a hand whose score it changes. If there is no such
    hand, add the parameter to ELSEWHERE."""
    assert any(
        len({str([score for _, score in scores(rules)]) for rules in group}) > 1
        for group in with_each_value(name)
    )


@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
def test_the_page_scores_every_hand_as_the_engine_does():
    asked, expected = [], []
    groups = [group for name in OF_A_HAND for group in with_each_value(name)]
    for rules in dict.fromkeys(rules for group in groups for rules in group):
        has_second_deck = rules.knock_limit is KnockLimit.SECOND_DECK
        for (upcard, *_), (calls, score) in zip(DEALS, scores(rules), strict=True):
            card = number(parse_card(upcard))
            knock_card = card if has_second_deck else None
            hand = {"rules": str(rules), "upcard": card, "knock_card": knock_card, "calls": calls}
            asked.append(hand)
            expected.append(score)
    said = page_says(hands=asked)["hands"]
    compared = zip(asked, expected, said, strict=True)
    assert [each for each in compared if each[1] != each[2]][:3] == []


@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
def test_page_and_program_play_random_hands_alike():
    rng = random.Random("hands")
    played = [played_at_random(rng) for _ in range(300)]
    said = page_says(hands=[asked for asked, _ in played])["hands"]
    compared = [(*each, answer) for each, answer in zip(played, said, strict=True)]
    assert [each for each in compared if each[1] != each[2]][:3] == []
    assert {(score[0], score[3]) for _, score in played} >= {(0, True), (0, False), (None, False)}
