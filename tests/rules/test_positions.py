"""The counts in tests/vectors/rules/positions.json, counted again (tests.rules.positions)."""

import json

import pytest

from ginpeer.rules import PRESETS
from tests.rules.positions import VECTORS, as_dealt, counts, starts

ROWS = json.loads(VECTORS.read_text(encoding="ascii"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["hand"][:40])
@pytest.mark.deep(keep=2)
def test_the_counts_are_those_of_the_file(row):
    assert counts(row["hand"], row["stock"], len(row["counts"])) == row["counts"]


def test_the_file_has_every_preset_and_is_what_the_command_would_write():
    assert {row["hand"].split(";")[0] for row in ROWS} >= set(PRESETS)
    written = [(str(hand), stock, depth) for hand, stock, depth in starts()]
    assert [(row["hand"], row["stock"], len(row["counts"])) for row in ROWS] == written


def first_counts(rules):
    return next(row["counts"] for row in ROWS if row["hand"].startswith(f"{rules}; "))


def test_the_first_moves_of_the_standard_deal_are_as_counted_by_hand():
    # The non-dealer has 3s 4s 5s, 7c 7d 7h, 9c Tc Jc and 2d; the upcard is 2s.
    #   1: pass, take                                                              2
    #   2: pass: the dealer's pass and take                                        2
    #      take: ten discards, all but 2s                                         10
    #            knocks that throw 2d: gin, or 2s or 5s held back; one that throws
    #            5s: deadwood 2. If 3s, 4s, a seven or a club is thrown, or a
    #            whole meld held back, more than ten is left                       4
    #   3: pass, pass: the draw                                                    1
    #      pass, take: ten discards; with 4h 5h 6h, 8d 8h 8s and Qs Ks 2h Kd 2s
    #            the dealer cannot knock                                          10
    #      take, discard: take or draw                                        10 * 2
    #      take, knock: nothing fits, and the dealer lays both melds, one or none  4 * 4
    assert first_counts("standard")[:3] == [[2, 2], [2 + 10 + 4, 16], [1 + 10 + 20 + 16, 47]]


def test_the_first_moves_of_other_deals_are_as_counted_by_hand():
    # Straight gin allows only one of those knocks, and thus four answers.
    assert first_counts("straight")[:3] == [[2, 2], [13, 13], [31 + 4, 35]]
    # Mahjong gin has no knocks, but five melds to lay: 7c 7d 7h, 9c Tc Jc, 3s 4s 5s, 2s 3s 4s and
    # 2s 3s 4s 5s.
    assert first_counts("mahjong")[:2] == [[2, 2], [2 + 10 + 5, 17]]
    # With the second deck, there is no upcard, and the ace of spades is drawn: eleven discards, and
    # the knocks within a limit of two, which throw As or 2d.
    assert first_counts("oklahoma knock-limit=second-deck")[:2] == [[1, 1], [11 + 2, 13]]
    # Either pile: fourteen after taking 2s, as above. After drawing As, there are eleven discards
    # and three knocks: with As thrown (deadwood 2), 2d thrown (1) or 5s thrown (3 + 4 + 2 + 1).
    assert first_counts("standard opening=either-pile")[:2] == [[2, 2], [14 + 11 + 3, 28]]


def test_around_the_corner_the_dealer_can_knock_in_the_second_turn():
    # With As drawn, Qs Ks As leave Kd and 2h, and either can be thrown, after each of the
    # non-dealer's ten discards.
    standard, corner = first_counts("standard")[3][0], first_counts("around-the-corner")[3][0]
    assert corner - standard == 2 * 10
    assert as_dealt("around-the-corner").melding.deadwood(as_dealt("standard").hands[1]) == 32
