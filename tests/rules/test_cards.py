import copy
import pickle

import pytest

from ginpeer.rules import (
    CARDS,
    DECK,
    Illegal,
    Unreadable,
    Unsupported,
    cards_of,
    mask_of,
    parse_card,
    parse_set,
    popcount,
    set_text,
)
from tests.refusals import code_of


def test_the_deck_goes_clubs_diamonds_hearts_spades_ace_to_king():
    assert " ".join(map(str, CARDS)) == (
        "Ac 2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ad 2d 3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd "
        "Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks"
    )
    assert [13 * card.suit + card.rank for card in CARDS] == list(range(52))


def test_every_card_is_true_even_the_ace_of_clubs_with_the_number_0():
    assert all(CARDS)


def test_an_ace_counts_one_and_a_court_card_ten():
    assert [card.pips for card in CARDS[:13]] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert sum(card.pips for card in CARDS) == 4 * 85


def test_every_card_reads_back_from_its_text_and_its_repr():
    for card in CARDS:
        assert parse_card(str(card)) is card
        assert eval(repr(card)) == card
        assert pickle.loads(pickle.dumps(card)) == card
        assert copy.deepcopy(card).rank == card.rank
        assert f"{card}" == str(card)


@pytest.mark.parametrize("text", ["", "7", "7x", "10d", "7D", "1d", "7d ", "d7", "♦7", "7d7d"])
def test_a_text_that_is_not_a_card_is_unreadable(text):
    assert code_of(Unreadable, parse_card, text) == "unreadable-card"


def test_a_set_is_written_in_ascending_order_and_read_in_any():
    assert set_text(parse_set("Ks3c7dAc")) == "Ac3c7dKs"
    assert set_text(0) == ""
    assert parse_set("") == 0
    assert set_text(DECK).startswith("Ac2c")
    assert popcount(DECK) == 52
    assert mask_of(cards_of(DECK)) == DECK


@pytest.mark.parametrize("text", ["7d7d", "7d8", "7d 8d", "x"])
def test_a_set_with_a_repeated_or_broken_card_is_unreadable(text):
    with pytest.raises(Unreadable):
        parse_set(text)


@pytest.mark.parametrize("kind", [Unreadable, Illegal, Unsupported])
def test_an_error_keeps_code_sentence_and_rule_when_copied(kind):
    error = pickle.loads(pickle.dumps(kind("some-code", "A sentence.", "4.4")))
    assert (type(error), error.code, str(error), error.rule) == (
        kind,
        "some-code",
        "A sentence.",
        "4.4",
    )
