"""The cut for deal: a coin toss that neither side can steer."""

from collections import Counter

from protocol.deck.tosses import cut_cards
from tests.crypto.randomness import insecure_test_rng

TABLE = b"\x01" * 32


def test_two_different_cards_are_cut_with_equal_probability():
    rng = insecure_test_rng("cut")
    cuts = [cut_cards(TABLE, rng(32), rng(32)) for _ in range(5200)]
    assert all(0 <= host < 52 and 0 <= guest < 52 and host != guest for host, guest in cuts)
    for cards in zip(*cuts, strict=True):
        # 100 expected for each, standard deviation 10.
        counts = Counter(cards)
        assert all(50 < counts[card] < 150 for card in range(52))
    assert abs(sum(host < guest for host, guest in cuts) - 2600) < 5 * 36
