"""Every value has one text, which reads back; any other text is refused without another error.

test_ruleset.py tests the texts of rule sets, test_match_text.py those of results and matches, and
test_moves.py the moves of ordinary gin.
"""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ginpeer.rules import (
    CARDS,
    DECK,
    Card,
    DrawStock,
    Lay,
    RulesError,
    TakeDiscards,
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
from tests.rules.drawing import shuffled_deal
from tests.rules.played import any_result
from tests.rules.test_moves import moves as ordinary_moves
from tests.rules.walk import ALL_RULES, likely

cards = st.sampled_from(CARDS)
card_sets = st.integers(0, DECK)
lays = st.builds(
    Lay,
    st.lists(st.integers(1, DECK), max_size=17).map(tuple),
    st.lists(st.tuples(cards, st.integers(0, 16)), max_size=52).map(tuple),
)
several = st.builds(TakeDiscards, st.integers(2, 31), lays)

# Cards and sets


@given(cards)
def test_every_card_reads_back(card):
    assert parse_card(str(card)) == card
    assert eval(repr(card)) == card


@given(card_sets)
def test_every_set_reads_back_in_any_order(mask):
    text = set_text(mask)
    assert parse_set(text) == mask
    backwards = "".join(text[at : at + 2] for at in range(len(text) - 2, -2, -2))
    assert parse_set(backwards) == mask


# The moves of Mahjong gin


@given(lays | several)
def test_every_move_of_mahjong_gin_reads_back(move):
    assert parse_move(str(move)) == move
    assert eval(repr(move)) == move


@pytest.mark.parametrize(
    "text",
    [
        "lay 3c4c5c",
        "lay 3c4c5c 7c7h7s add 6c@0 2c@0 7d@1",
        "lay add 6c@16",
        "lay",
        "take 31 lay 8s9sTs",
    ],
)
def test_a_move_of_mahjong_gin_says_what_a_player_says(text):
    assert str(parse_move(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        *("lay add", "lay 3c4c5c add", "lay add 6c", "lay add 6c@17", "lay add 6c@-1"),
        *("lay add 6c@00", "lay 3c3c3c", "lay 3x", "lay 3c4c5c deadwood 2d", "lay melds 3c4c5c"),
        *("lay 3c4c5c add 6c@0 add 7c@0", "lay " + "3c " * 18, "take 1 lay 8s9sTs"),
        *("take 0 lay 8s9sTs", "take 32 lay 8s9sTs", "take 03 lay 8s9sTs", "take ³ lay 8s9sTs"),
        *("take -3 lay 8s9sTs", "take 3", "take 3 8s9sTs", "take lay 8s9sTs", "take 3 knock 8s"),
        "take 999999999999 lay 8s9sTs",
    ],
)
def test_what_is_no_move_of_mahjong_gin_is_unreadable(text):
    with pytest.raises(Unreadable) as refusal:
        parse_move(text)
    assert len(str(refusal.value)) < 120


@pytest.mark.parametrize(
    "build",
    [
        lambda: Lay((0,), ()),
        lambda: Lay((-1,), ()),
        lambda: Lay((DECK + 1,), ()),
        lambda: Lay((7,) * 18, ()),
        lambda: Lay((), ((CARDS[0], -1),)),
        lambda: Lay((), ((CARDS[0], 17),)),
        lambda: Lay((), ((CARDS[0], 0),) * 53),
        lambda: TakeDiscards(1, Lay((7,), ())),
        lambda: TakeDiscards(32, Lay((7,), ())),
    ],
)
def test_a_move_of_mahjong_gin_without_a_text_cannot_be_built(build):
    with pytest.raises(Unreadable):
        build()


# Hands


def played_on(text, seed, moves):
    """Return a hand of these rules after this many moves, or at its end."""
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
def test_every_hand_reads_back_as_everybody_knows_it(hand):
    for known in (hand, hand.seen_by(0), hand.seen_by(1), hand.seen_by(0).seen_by(1)):
        assert known.stock is None or known == hand
        assert parse_hand(str(known)) == known
    assert eval(repr(hand)) == hand


@given(some_hands)
def test_every_listed_move_reads_back(hand):
    for move in hand.legal_moves():
        assert parse_move(str(move)) == move


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("oklahoma knock-limit=second-deck; dealer 1; upcard 7d", "unreadable-hand"),
        ("oklahoma knock-limit=second-deck; dealer 1; knock card 7d", "unreadable-hand"),
        ("oklahoma knock-limit=second-deck; dealer 1; knock card 7d; first 2", "unreadable-hand"),
        ("oklahoma; dealer 1; knock card 7d; first 0", "unreadable-hand"),
        ("oklahoma; dealer 1; card 7d", "unreadable-hand"),
    ],
)
def test_upcard_and_second_deck_stand_in_the_text_where_they_belong(text, code):
    assert code_of(Unreadable, parse_hand, text) == code


@given(some_hands, ordinary_moves | lays | several)
def test_any_move_at_all_is_legal_or_illegal_and_no_other_error(hand, move):
    for known in (hand, hand.seen_by(0), hand.seen_by(0).seen_by(1)):
        assert known.is_legal(move) in (True, False)


# Texts by other people

PARSERS = (parse_card, parse_set, parse_move, parse_ruleset, parse_result, parse_hand, parse_match)

# The words of all the texts, numbers, and things that are neither.
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


@settings(max_examples=400)
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
        assert len(refusal.sentence) < 400  # at most the names of all rules


def damaged(text, at, new):
    """Return the text with a few characters replaced by others."""
    at %= len(text) + 1
    return text[:at] + new + text[at + len(new) % 3 :]


@settings(max_examples=200)
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


@given(st.integers())
def test_a_card_number_is_a_card_or_refused(number):
    if 0 <= number < 52:
        assert Card(number) == number
        return
    with pytest.raises(Unreadable):
        Card(number)
