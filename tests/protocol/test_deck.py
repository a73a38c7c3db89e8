"""The deck from its deal to its audit, as two honest players handle it."""

from dataclasses import replace

import pytest

from protocol import messages as m
from protocol.codes import BadProof, ProofError
from protocol.crypto.group import BASE, IDENTITY
from protocol.deck import verifier
from protocol.deck.audit import (
    Disclosed,
    OpeningRecord,
    PlayerRecord,
    SeedMismatch,
    ShareRecord,
)
from protocol.deck.secrets import knock_card, read_card, toss_commitment
from protocol.deck.state import HAND_CARDS, Deck, card_at, card_points, open_deck
from tests.crypto.encodings import slots
from tests.protocol.deck_pair import DeckPair, dealt_pair, played_hand


@pytest.fixture(scope="module")
def dealt():
    """Return a finished deal. Decks are immutable, so tests that don't continue it may share it."""
    return DeckPair().deal()


@pytest.fixture(scope="module")
def hand():
    return played_hand()


def test_the_open_deck_holds_the_52_cards_in_order():
    assert [card.c2 for card in open_deck()] == list(card_points())
    assert {card.c1 for card in open_deck()} == {IDENTITY}
    assert [card_at(point) for point in card_points()] == list(range(52))
    assert card_at(IDENTITY) is None


@pytest.mark.parametrize("dealer", [0, 1])
def test_with_a_second_deck_a_knock_card_is_tossed_for_and_no_upcard_turned(dealer):
    pair = DeckPair(f"second deck {dealer}", dealer, second_deck=True).deal()
    everything = pair.all_cards()
    assert pair.cards(pair.nondealer) == tuple(everything[0:20:2])
    assert pair.cards(pair.dealer) == tuple(everything[1:20:2])
    assert pair.deck.upcard is None
    halves = [pair.secrets[seat].toss for seat in (pair.dealer, pair.nondealer)]
    assert pair.deck.knock_card == knock_card(pair.table, 1, *halves)
    # The card that would have been the upcard is the first of the stock, which has 32.
    assert [pair.draw(turn % 2) for turn in range(32)] == everything[20:]


@pytest.mark.parametrize("dealer", [0, 1])
def test_a_deal_gives_every_card_to_one_place(dealer):
    pair = DeckPair(f"dealer {dealer}", dealer).deal()
    first, second = pair.cards(pair.nondealer), pair.cards(pair.dealer)
    everything = pair.all_cards()
    assert sorted(everything) == list(range(52))
    assert len(first) == len(second) == HAND_CARDS
    assert not set(first) & set(second)
    # Cards go to the players in turn, beginning with the non-dealer; then come upcard and stock.
    assert tuple(everything[0:20:2]) == first
    assert tuple(everything[1:20:2]) == second
    assert pair.deck.upcard == everything[20]
    assert pair.draw(0) == everything[21]


def test_neither_player_can_read_the_others_cards_or_the_stock(dealt):
    for seat in (0, 1):
        own = dealt.secrets[seat]
        for card in dealt.deck.hands[1 - seat]:
            assert card_at(card.unmask(own.key)) is None
        for card in dealt.deck.cards:
            assert card_at(card.unmask(own.key)) is None
    for card in (*dealt.deck.cards, *dealt.deck.hands[0], *dealt.deck.hands[1]):
        assert card_at(card.c2) is None


def test_the_stock_is_drawn_in_order_and_to_its_end():
    pair = dealt_pair()
    stock = pair.all_cards()[21:]
    drawn = [pair.draw(turn % 2) for turn in range(31)]
    assert drawn == stock


def test_a_riffle_keeps_the_cards_but_changes_every_ciphertext():
    pair = dealt_pair()
    seat = pair.nondealer
    pair.draw(seat)
    before, cards = pair.deck.hands[seat], pair.cards(seat)
    message = pair.discard(seat, cards[4])
    assert sorted((*pair.cards(seat), cards[4])) == sorted(cards)
    assert not set(slots(message.hand)) & {x.encoded for card in before for x in (card.c1, card.c2)}
    assert len(pair.deck.hands[seat]) == HAND_CARDS


def test_a_whole_hand_is_accepted_and_shown_as_it_was(hand):
    knock = next(p.message for p in hand.played if isinstance(p.message, m.Knock))
    spread = hand.played[-1].message
    assert knock.cards == hand.cards(hand.dealer)
    assert spread.cards == hand.cards(hand.nondealer)
    assert len({*knock.cards, *spread.cards}) == 21


# Requests that only a bug of ours could make. tests/cheating has what a cheat can send.


@pytest.mark.parametrize(
    ("places", "cards"), [((-1,), (0,)), ((11,), (0,)), ((0, 1), (0,)), ((0,), (0, 1)), ((), ())]
)
def test_an_opening_names_places_of_the_hand_and_a_card_for_each(dealt, places, cards):
    """A negative place would count from the end of the hand, and thus name another card's place."""
    with pytest.raises(BadProof, match=r"the opening (doesn't open|names a place)"):
        verifier.decode_opening(dealt.deck, 0, places, cards, bytes(64))


def test_a_deck_without_its_keys_has_no_joint_key():
    deck = Deck(0)
    for read in (lambda: deck.key(0), lambda: deck.key(1), lambda: deck.joint_key):
        with pytest.raises(ValueError, match="isn't known yet"):
            read()


def test_a_ciphertext_without_a_card_is_not_read_as_one(dealt):
    """Two proven shuffles rule this out. Even if they didn't, no card would be made up."""
    card = dealt.deck.hands[0][0]
    stranger = replace(card, c2=card.c2 - BASE)
    with pytest.raises(ValueError, match="doesn't open to a card"):
        read_card(stranger, dealt.secrets[0])


def test_the_non_dealers_shares_come_before_the_dealers():
    pair = dealt_pair(4)
    message = pair.deal_message(5)[1]
    deck = replace(pair.deck, upcard_share=None)
    with pytest.raises(ValueError, match="must come first"):
        verifier.check_deal_shares(deck, message, pair.context(pair.dealer))


# The audit.


def test_the_audit_of_an_honest_hand_opens_everything(hand):
    for seat in (0, 1):
        hand.audit(seat)
        for played in hand.played:
            for card in played.deck.hands[seat]:
                assert card_at(card.unmask(hand.secrets[seat].key)) is not None


def test_an_unfinished_deal_can_be_audited_as_far_as_it_went():
    pair = dealt_pair(2)
    for seat, key in ((pair.dealer, None), (pair.nondealer, pair.deck.key(pair.nondealer))):
        record = PlayerRecord(pair.commitment(seat), key)
        Disclosed(pair.table, pair.hand_number, seat, record, pair.seeds[seat]).audit()


def fails_the_audit(pair, seat=0, code="audit-failed", **arguments):
    with pytest.raises(ProofError) as caught:
        pair.audit(seat, **arguments)
    assert caught.value.code == code


def test_another_seed_does_not_match_the_commitment(hand):
    for seat in (0, 1):
        for seed in (bytes(32), hand.seeds[1 - seat]):
            fails_the_audit(hand, seat, "seed-mismatch", seed=seed)


def test_a_commitment_belongs_to_one_table_hand_and_seat(hand):
    record = hand.record(0)
    for place in ((bytes(32), 1, 0), (hand.table, 2, 0), (hand.table, 1, 1)):
        with pytest.raises(SeedMismatch):
            Disclosed(*place, record, hand.seeds[0]).audit()


def test_a_key_alone_is_audited_too(hand):
    fails_the_audit(hand, key=hand.deck.key(1), deal=None, riffles=())


def test_the_audit_computes_every_share_again(hand):
    cards = hand.deck.cards[21:23]
    own, others = (
        b"".join((hand.secrets[seat].key * card.c1).encoded for card in cards) for seat in (0, 1)
    )
    hand.audit(0, shares=(ShareRecord(cards, own),))
    fails_the_audit(hand, shares=(ShareRecord(cards, own), ShareRecord(cards, others)))
    fails_the_audit(hand, shares=(ShareRecord(cards[:1], own),))


def test_the_audit_opens_every_card_again(hand):
    held = next(p.deck.hands[0] for p in hand.played if p.deck.hands[0])
    shown = tuple(card_at(card.unmask(hand.secrets[0].key)) for card in held)
    hand.audit(0, openings=(OpeningRecord(held, shown),))
    fails_the_audit(hand, openings=(OpeningRecord(held, shown[::-1]),))
    fails_the_audit(hand, openings=(OpeningRecord(held, shown[:-1]),))


def test_the_audit_computes_both_halves_of_a_toss_again():
    pair = DeckPair("second deck", second_deck=True).deal()
    table, halves = pair.table, [secrets.toss for secrets in pair.secrets]
    commitments = [toss_commitment(table, 1, half) for half in halves]
    pair.audit(0, toss_commitment=commitments[0])
    pair.audit(1, toss=halves[1])
    fails_the_audit(pair, toss_commitment=commitments[1])
    fails_the_audit(pair, toss_commitment=toss_commitment(table, 2, halves[0]))
    fails_the_audit(pair, seat=1, toss=halves[0])
    # It fails even if the hand was broken off before there was a key.
    fails_the_audit(pair, toss_commitment=commitments[1], key=None)
