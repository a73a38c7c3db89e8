"""The cut for deal: a coin toss that neither side can steer."""

from collections import Counter

from protocol.deck.tosses import cut_cards, cut_commitment
from tests.crypto.randomness import insecure_test_rng

TABLE, HOST, GUEST = b"\x01" * 32, b"\x02" * 32, b"\x03" * 32
OTHER = b"\x04" * 32


def test_two_different_cards_are_cut_with_equal_probability():
    rng = insecure_test_rng("cut")
    cuts = [cut_cards(TABLE, rng(32), rng(32)) for _ in range(5200)]
    assert all(0 <= host < 52 and 0 <= guest < 52 and host != guest for host, guest in cuts)
    for cards in zip(*cuts, strict=True):
        # 100 expected for each, standard deviation 10.
        counts = Counter(cards)
        assert all(50 < counts[card] < 150 for card in range(52))
    assert abs(sum(host < guest for host, guest in cuts) - 2600) < 5 * 36


def test_both_halves_and_the_table_determine_the_cut():
    cut = cut_cards(TABLE, HOST, GUEST)
    assert cut_cards(OTHER, HOST, GUEST) != cut
    assert cut_cards(TABLE, OTHER, GUEST) != cut
    assert cut_cards(TABLE, HOST, OTHER) != cut
    assert cut_cards(TABLE, GUEST, HOST) != cut


def test_the_commitment_belongs_to_one_value_at_one_table():
    made = {cut_commitment(table, value) for table in (TABLE, OTHER) for value in (HOST, GUEST)}
    assert len(made) == 4
