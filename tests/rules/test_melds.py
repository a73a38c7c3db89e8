import random
from itertools import combinations, pairwise

import pytest

from ginpeer.rules import (
    CARDS,
    DECK,
    MELDS,
    arrangements,
    best_discards,
    best_spread,
    cards_of,
    deadwood,
    is_meld,
    mask_of,
    parse_card,
    parse_move,
    pips_of,
    popcount,
    set_text,
)
from tests.rules.drawing import drawn, melds


def texts(arrangement):
    return [set_text(meld) for meld in arrangement]


def test_there_are_185_melds_of_three_to_five_cards_and_329_in_all():
    assert sum(popcount(meld) <= 5 for meld in MELDS) == 185
    assert len(MELDS) == len(set(MELDS)) == 329


def test_melds_are_the_sets_and_runs_of_the_rules_and_nothing_else():
    # Said a second time and otherwise: by looking at the cards of every combination of three and
    # four, and of every longer stretch of one suit.
    def is_set(cards):
        return len({card.rank for card in cards}) == 1

    def is_run(cards):
        ranks = sorted(card.rank for card in cards)
        in_sequence = all(b - a == 1 for a, b in pairwise(ranks))
        return in_sequence and len({card.suit for card in cards}) == 1

    found = {
        mask_of(cards)
        for size in (3, 4)
        for cards in combinations(CARDS, size)
        if is_set(cards) or is_run(cards)
    }
    found |= {
        mask_of(CARDS[low : low + length])
        for length in range(5, 14)
        for low in range(53 - length)
        if is_run(CARDS[low : low + length])
    }
    assert found == set(MELDS)


@pytest.mark.parametrize("cards", ["As2s3s", "JhQhKh", "7c7d7h", "7c7d7h7s", "Ad2d3d4d5d6d7d8d9d"])
def test_a_meld(cards):
    assert is_meld(drawn(cards))


@pytest.mark.parametrize(
    "cards",
    [
        "QsKsAs",
        "KsAs2s",
        "2s3s",
        "7c7d",
        "2s3s4d",
        "2s3s5s",
        "7c7d7h8h",
        "QcKcAd",
        "",
        "Jc Qc Kc Ad",
    ],
)
def test_not_a_meld(cards):
    assert not is_meld(drawn(cards))


def test_a_card_counts_in_one_meld_only():
    # 7c
    # 7d 8d 9d
    # 7s          the seven of diamonds goes with the run or with the sevens
    assert deadwood(drawn("7c 7d 8d 9d 7s")) == 14


def test_two_runs_of_five_are_gin():
    hand = drawn("Ac 2c 3c 4c 5c  9h Th Jh Qh Kh")
    assert deadwood(hand) == 0


def test_ten_court_cards_without_a_meld():
    # The dearest ten cards that make no meld: K Q J T of two suits, twice each rank, and two nines.
    hand = drawn("Ks Kc  Qd Qh  Js Jc  Td Th  9s 9c")
    assert deadwood(hand) == 98
    assert arrangements(hand) == ((),)


def test_the_best_discard_of_eleven_can_break_a_run():
    #    3s 4s 5s 6s
    # 2c 3c 4c 5c
    #       4d 5d
    #       4h         best: 4s4d4h 5s5c5d 2c3c4c, throw 6s, deadwood 3
    hand = drawn("""
              3s 4s 5s 6s
           2c 3c 4c 5c
                 4d 5d
                 4h
    """)
    least, discards = best_discards(hand)
    assert (least, discards) == (3, (parse_card("6s"),))
    assert [texts(a) for a in arrangements(hand ^ parse_card("6s").bit)] == [
        ["2c3c4c", "4d4h4s", "5c5d5s"]
    ]


def test_a_set_of_four_can_lend_its_card_to_a_run():
    # 7c 8c 9c
    # 7d
    # 7h
    # 7s          three sevens are enough for the set
    assert [texts(a) for a in arrangements(drawn("7c 8c 9c 7d 7h 7s"))] == [["7c8c9c", "7d7h7s"]]


def test_a_square_melds_by_rows_or_by_columns():
    # 3c 4c 5c
    # 3d 4d 5d
    # 3h 4h 5h
    assert [texts(a) for a in arrangements(drawn("3c 4c 5c 3d 4d 5d 3h 4h 5h"))] == [
        ["3c4c5c", "3d4d5d", "3h4h5h"],
        ["3c3d3h", "4c4d4h", "5c5d5h"],
    ]


def test_two_runs_that_join_are_one_run():
    assert [texts(a) for a in arrangements(drawn("4h 5h 6h 7h 8h 9h"))] == [["4h5h6h7h8h9h"]]


def test_with_eleven_cards_melded_the_ends_can_go():
    # A c 2c 3c 4c   5d 5h 5s   9s Ts Js Qs: gin remains after throwing an end of a run of four
    least, discards = best_discards(drawn("Ac 2c 3c 4c  5d 5h 5s  9s Ts Js Qs"))
    assert (least, "".join(map(str, discards))) == (0, "Ac4c9sQs")


def test_with_eleven_cards_melded_any_card_of_a_four_can_go():
    least, discards = best_discards(drawn("Kc Kd Kh Ks  5d 5h 5s  9s Ts Js Qs"))
    assert (least, "".join(map(str, discards))) == (0, "KcKdKh9sQsKs")


def by_hand(cards):
    """Least deadwood by trying, for the lowest card, every meld it could be in."""
    if not cards:
        return 0
    low = cards & -cards
    best = cards_of(low)[0].pips + by_hand(cards ^ low)
    for meld in MELDS:
        if meld & low and meld & ~cards == 0:
            best = min(best, by_hand(cards ^ meld))
    return best


def test_the_tables_agree_with_trying_everything():
    rng = random.Random(7)
    for _ in range(150):
        # Cards from a narrow window of ranks, where sets and runs cross.
        low = rng.randrange(8)
        window = [card for card in CARDS if low <= card.rank < low + 6]
        hand = mask_of(rng.sample(window, rng.choice((9, 10, 11))))
        assert deadwood(hand) == by_hand(hand), set_text(hand)
        for melds_laid in arrangements(hand):
            assert all(map(is_meld, melds_laid))
            assert pips_of(hand ^ sum(melds_laid)) == deadwood(hand)


def test_no_cards_have_no_deadwood():
    assert deadwood(0) == 0
    assert arrangements(0) == ((),)


@pytest.mark.parametrize("judge", [deadwood, best_discards, arrangements])
def test_more_cards_than_a_hand_are_refused_rather_than_tried_for_hours(judge):
    with pytest.raises(ValueError, match="eleven"):
        judge(DECK)


def spread_text(hand, *knocker_melds):
    return str(best_spread(drawn(hand), melds(*knocker_melds)))


def test_a_lay_off_chains_along_a_run():
    assert spread_text("7h 8h 2c 9d", "4h5h6h") == "spread layoff 7h@0 8h@0 deadwood 2c9d"


def test_a_run_takes_cards_at_both_ends():
    assert spread_text("3h 7h 2h Kc", "4h5h6h") == "spread layoff 3h@0 2h@0 7h@0 deadwood Kc"


def test_the_defender_breaks_a_meld_to_lay_off_more():
    # 8s 9s Ts      own run and two tens left: 20
    # Td Th         on the knocker's 5s 6s 7s go 8s and 9s, and three tens are a set: 0
    assert spread_text("8s 9s Ts Td Th", "5s6s7s") == "spread melds TdThTs layoff 8s@0 9s@0"


def test_a_card_between_two_melds_goes_on_one():
    assert spread_text("6h Kc", "3h4h5h", "7h8h9h") == "spread layoff 6h@1 deadwood Kc"


def test_own_melds_are_kept_when_laying_off_gains_nothing():
    assert spread_text("7h 8h 9h Kc", "4h5h6h") == "spread melds 7h8h9h deadwood Kc"


def test_nothing_is_laid_off_when_no_meld_is_open():
    assert best_spread(drawn("7h 8h Kc"), ()) == parse_move("spread deadwood 7h8hKc")
