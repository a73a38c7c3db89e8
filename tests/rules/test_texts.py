"""Every value has one text, which reads back. Any other text is refused, without unexpected errors.

test_ruleset.py tests the texts of rule sets, test_cards.py those of cards.
"""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginpeer.rules import (
    CARDS,
    DECK,
    Discard,
    DrawStock,
    HandResult,
    Knock,
    Lay,
    Outcome,
    Pass,
    RulesError,
    Spread,
    TakeDiscards,
    TakeUpcard,
    Unreadable,
    parse_card,
    parse_hand,
    parse_match,
    parse_move,
    parse_result,
    parse_ruleset,
    parse_set,
    set_text,
)
from ginpeer.rules.parameters import KnockLimit
from tests.refusals import code_of
from tests.rules.drawing import drawn, melds, shuffled_deal
from tests.rules.played import GUEST, HOST, VOID, any_result, mahjong, undercut
from tests.rules.walk import ALL_RULES, likely

cards = st.sampled_from(CARDS)
card_sets = st.integers(0, DECK)


def lists_of(each, most):
    return st.lists(each, max_size=most).map(tuple)


ten_melds = lists_of(st.integers(1, DECK), 10)
lays = st.builds(
    Lay,
    lists_of(st.integers(1, DECK), 17),
    lists_of(st.tuples(cards, st.integers(0, 16)), 52),
)
moves = st.one_of(
    st.sampled_from([Pass(), TakeUpcard(), DrawStock()]),
    st.builds(Discard, cards),
    st.builds(Knock, st.none() | cards, ten_melds, card_sets),
    st.builds(Spread, ten_melds, lists_of(st.tuples(cards, st.integers(0, 9)), 10), card_sets),
    lays,
    st.builds(TakeDiscards, st.integers(2, 31), lays),
)


@given(card_sets)
def test_every_set_reads_back_in_any_order(mask):
    text = set_text(mask)
    assert parse_set(text) == mask
    backwards = "".join(text[at : at + 2] for at in range(len(text) - 2, -2, -2))
    assert parse_set(backwards) == mask


# Moves


@given(moves)
def test_every_move_reads_back_from_its_text(move):
    assert parse_move(str(move)) == move
    assert eval(repr(move)) == move


SIX, SEVEN = parse_card("6c"), parse_card("7c")


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Pass(), "pass"),
        (TakeUpcard(), "take"),
        (DrawStock(), "draw"),
        (Discard(SEVEN), "discard 7c"),
        (
            Knock(SEVEN, melds("7d7h7s", "3c4c5c"), drawn("2d")),
            "knock 7c melds 7d7h7s 3c4c5c deadwood 2d",
        ),
        (Knock(None, melds("7c7h7s", "3c4c5c"), 0), "knock melds 7c7h7s 3c4c5c"),
        (
            Spread(melds("2c3c4c"), ((SIX, 1), (SEVEN, 1)), drawn("Ks9d")),
            "spread melds 2c3c4c layoff 6c@1 7c@1 deadwood 9dKs",
        ),
        (Spread((), (), 0), "spread"),
        (Lay(melds("3c4c5c"), ()), "lay 3c4c5c"),
        (
            Lay(melds("3c4c5c", "7d7h7s"), ((SIX, 0), (SEVEN, 1))),
            "lay 3c4c5c 7d7h7s add 6c@0 7c@1",
        ),
        (Lay((), ((SIX, 16),)), "lay add 6c@16"),
        (Lay((), ()), "lay"),
        (TakeDiscards(31, Lay(melds("8s9sTs"), ())), "take 31 lay 8s9sTs"),
    ],
)
def test_the_text_of_a_move_is_what_a_player_types(move, text):
    assert str(move) == text
    assert parse_move(text) == move
    assert parse_move(text.replace(" ", "  ")) == move


# Hands


def played_on(text, seed, moves):
    """Return a random hand by these rules, after this many moves or at its end."""
    rng, rules = random.Random(seed), parse_ruleset(text)
    first = seed % 2 if rules.knock_limit is KnockLimit.SECOND_DECK else None
    hand, stock = shuffled_deal(rng, seed // 2 % 2, rules, first)
    for _ in range(moves):
        if hand.result is not None:
            break
        move = likely(rng, hand)
        hand = hand.drawing(stock.pop(0)) if isinstance(move, DrawStock) else hand.apply(move)
    return hand


some_hands = st.builds(
    played_on, st.sampled_from(ALL_RULES), st.integers(0, 2**32), st.integers(0, 90)
)


@given(some_hands)
def test_every_hand_reads_back_as_each_side_knows_it(hand):
    for known in (hand, hand.seen_by(0), hand.seen_by(1), hand.seen_by(0).seen_by(1)):
        assert known.stock is None or known == hand
        assert parse_hand(str(known)) == known
    assert eval(repr(hand)) == hand


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "unreadable-hand"),
        ("standard", "unreadable-hand"),
        ("standard; dealer 2; upcard 7d", "unreadable-hand"),
        ("standard; upcard 7d; dealer 1", "unreadable-hand"),
        ("standard; dealer 1; upcard 7x", "unreadable-card"),
        ("standard; dealer 1; upcard 7d; jump", "unreadable-move"),
        ("standard; dealer 1; upcard 7d; seat 1 holds 7", "unreadable-card"),
        # An upcard or a second deck that the rules don't have
        ("oklahoma knock-limit=second-deck; dealer 1; upcard 7d", "unreadable-hand"),
        ("oklahoma knock-limit=second-deck; dealer 1; knock card 7d", "unreadable-hand"),
        ("oklahoma knock-limit=second-deck; dealer 1; knock card 7d; first 2", "unreadable-hand"),
        ("oklahoma; dealer 1; knock card 7d; first 0", "unreadable-hand"),
        ("oklahoma; dealer 1; card 7d", "unreadable-hand"),
    ],
)
def test_a_text_that_is_not_a_hand_is_unreadable(text, code):
    assert code_of(Unreadable, parse_hand, text) == code


# Results


@given(any_result)
def test_every_result_reads_back_from_its_text(result):
    assert parse_result(str(result)) == result
    assert eval(repr(result)) == result


def test_the_text_of_a_result_can_be_read_by_people():
    assert str(undercut(GUEST, 29)) == "undercut: seat 0 knocked with 4 against 0, 29 to seat 1"
    assert str(mahjong(GUEST, 90, -5)) == (
        "mahjong: seat 1 went gin against 40, 90 to seat 1, -5 to the other"
    )
    both_doubled = HandResult(Outcome.MAHJONG, HOST, 180, HOST, 0, 40, True, -10)
    assert str(both_doubled) == (
        "mahjong: seat 0 went gin against 40, 180 to seat 0, -10 to the other, doubled"
    )
    assert parse_result(str(both_doubled)) == both_doubled
    doubled = HandResult(Outcome.GIN, GUEST, 80, GUEST, 0, 15, doubled=True)
    assert str(doubled) == "gin: seat 1 knocked with 0 against 15, 80 to seat 1, doubled"
    assert str(VOID) == "void"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Void",
        "knock: seat 2 knocked with 4 against 9, 5 to seat 0",
        "knock: seat 0 knocked with 04 against 9, 5 to seat 0",
        "knock: seat 0 knocked with 4 against 9, 5 to seat 0 ",
        "knock: seat 0 knocked with 4 against 9, 5 to seat 0, trebled",
        "knock: seat 0 knocked with 4 against 9, \u0665 to seat 0",
        "mahjong: seat 1 went gin against 40, 90 to seat 0, -5 to the other",
        "mahjong: seat 1 went gin against 40, 90 to seat 1, -0 to the other",
    ],
)
def test_a_text_that_is_not_a_result_is_unreadable(text):
    with pytest.raises(Unreadable):
        parse_result(text)


# Texts from other people

PARSERS = (parse_card, parse_set, parse_move, parse_ruleset, parse_result, parse_hand, parse_match)

# Words of every kind of text, numbers, and things that are neither.
WORDS = """
    standard oklahoma hollywood mahjong target=150 hands=6 knock-limit=second-deck misdeal=yes
    dealer first seat 0 1 2 holds upcard knock card pass take draw discard melds deadwood layoff
    spread lay add void resigned gin: big undercut: mahjong: knocked with against to nobody,
    doubled 7d As KsAs2s 3c4c5c 6c@0 6c@99 @ = 10 -5 ² \u0665 99999999999999999999
"""
words = st.sampled_from(WORDS.split()) | st.text(max_size=4)
garbage = st.text(max_size=60) | st.builds(
    lambda parts, joiner: joiner.join(parts),
    st.lists(words, max_size=14),
    st.sampled_from([" ", "; ", "", "  ", ", "]),
)


@settings(max_examples=100)
@given(garbage)
def test_garbage_is_read_or_refused_with_a_rules_error_by_every_parser(text):
    for parser in PARSERS:
        try:
            parser(text)
        except RulesError as error:
            refusal = error
        else:
            continue
        assert refusal.code
        assert len(refusal.sentence) < 400  # long enough for the names of all rules


def damaged(text, at, new):
    """Return the text with a few characters replaced by others."""
    at %= len(text) + 1
    return text[:at] + new + text[at + len(new) % 3 :]


@given(some_hands, st.integers(0, 5_000), st.sampled_from(["", "7d", "; ", "9", " ", "take", "²"]))
def test_a_damaged_hand_is_refused_or_is_another_hand(hand, at, new):
    text = damaged(str(hand), at, new)
    try:
        read = parse_hand(text)
    except RulesError:
        return
    assert parse_hand(str(read)) == read


@given(any_result, st.integers(0, 100), st.sampled_from(["", "7", "; ", "-", " ", "seat 0", "²"]))
def test_a_damaged_result_is_refused_or_is_another_result(result, at, new):
    text = damaged(str(result), at, new)
    try:
        read = parse_result(text)
    except RulesError:
        return
    assert str(read) == text
