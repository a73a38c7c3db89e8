"""What the page makes of a hand's points is what the engine makes of them, under every value of
every parameter that changes them."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from ginpeer.rules import (
    Discard,
    Illegal,
    Knock,
    Lay,
    Pass,
    Phase,
    RulesError,
    Spread,
    TakeUpcard,
    cards_of,
    parse_card,
    parse_ruleset,
)
from ginpeer.rules.parameters import NAMES, KnockLimit, key_of
from tests.page_verifier.compare import lacking
from tests.page_verifier.test_rules_of_the_page import page_says
from tests.rules.likeness import begin, cards_in, read
from tests.rules.showdowns import GIN, NINE, SIX
from tests.rules.test_parameters import OF_A_MATCH
from tests.rules.texts import VALUES

ELSEWHERE = (
    *OF_A_MATCH,
    *("first-dealer", "opening", "wall", "swap-limit", "misdeal"),
)
"""The parameters that don't change what a finished hand brings. For those of a match the page is
asked about the rows of accounts.jsonl."""

OF_A_HAND = [name for name in NAMES if key_of(name) not in ELSEWHERE]

# --- the hands ------------------------------------------------------------------------------
#
# Seat 1 deals. What is laid down, by both, is chosen so that its counts can be read off.

TWELVE, SIX_WITH_ACES = "2d 2s 3s 5s", "Ad As 2d 2s"
LOW = f"{SIX} Kd Kh Ks"


def knock_with(loose: str, against: str) -> tuple[str, ...]:
    """Seat 0 draws a king, throws it and knocks with one loose card."""
    left = f"spread melds JcJdJh QcQdQh deadwood {against.replace(' ', '')}"
    knock = f"knock Kc melds 3h4h5h 7c7d7h TcTdTh deadwood {loose}"
    return f"{NINE} {loose}", f"{SIX} {against}", "draw Kc", knock, left


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
"""The upcard, or the card of a second deck: it allows eight, four and doubles, or hardly any."""


def number(card):
    return card.rank + 13 * card.suit


def numbers(cards):
    return [number(card) for card in cards_of(cards)]


def call_of(move, hand):
    """The call that tells the page's Hand of a move."""
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
        case Lay(melds):
            return [
                "lay",
                {"cards": numbers(move.cards), "melds": list(map(numbers, melds)), "adds": []},
            ]
    return ["takeUpcard" if isinstance(move, TakeUpcard) else "pass"]


def played(rules, upcard, non_dealers, dealers, *script):
    """The calls of a hand that is played so, and what it brings: the winner, the points of both and
    whether they are doubled; or the code by which the engine refuses."""
    hand, calls = begin(rules, 1, cards_in(non_dealers), cards_in(dealers), upcard), []
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


# --- the rules ------------------------------------------------------------------------------

BESIDE = (
    *("standard", "classic", "oklahoma", "oklahoma-floating", "oklahoma ace-limit=one", "straight"),
    *("standard tie=nobody", "tedesco", "mahjong", "mahjong knock-limit=0 spades-double=yes"),
    *("oklahoma knock-limit=second-deck", "straight big-gin=none"),
)


def rule_set(text):
    """The rule set of this text; None if there is none."""
    try:
        rules = parse_ruleset(text)
        rules.check()
    except RulesError:
        return None
    return rules


@cache
def brought(rules):
    """For each hand with each upcard its calls, and what it brings by these rules."""
    return [played(rules, *drawing) for drawing in drawings()]


def drawings():
    return [(upcard, *hand) for upcard, hand in product(UPCARDS, HANDS.values())]


def with_each_value(name):
    """The rule sets with each value of this parameter, in groups that differ in nothing else."""
    for text in BESIDE:
        found = [rule_set(f"{text} {key_of(name)}={value}") for value in VALUES[key_of(name)]]
        yield [rules for rules in found if rules is not None]


@pytest.mark.parametrize("name", OF_A_HAND)
def test_every_parameter_of_a_hand_changes_what_one_of_these_brings(name):
    """Give a new parameter a hand that shows its points; if it has none, add it to ELSEWHERE."""
    assert any(
        len({str([result for _, result in brought(rules)]) for rules in group}) > 1
        for group in with_each_value(name)
    )


@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
def test_a_hand_brings_the_same_on_the_page_by_every_value():
    groups = [group for name in OF_A_HAND for group in with_each_value(name)]
    asked, scored = [], []
    for rules in dict.fromkeys(rules for group in groups for rules in group):
        second = rules.knock_limit is KnockLimit.SECOND_DECK
        for (calls, result), (upcard, *_) in zip(brought(rules), drawings(), strict=True):
            shown = number(parse_card(upcard))
            cards = {"upcard": shown, "knock_card": shown if second else None}
            asked.append({"rules": str(rules), **cards, "calls": calls})
            scored.append((str(rules), calls, result))
    said = page_says(hands=asked)["hands"]
    different = [each for each, page in zip(scored, said, strict=True) if each[2] != page]
    assert different[:3] == []
