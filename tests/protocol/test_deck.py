"""The deck from its deal to its audit, as two honest players handle it."""

from collections import Counter

import pytest

from protocol import messages as m
from protocol.crypto.group import IDENTITY
from protocol.crypto.hashing import expand_permutation
from protocol.deck.audit import (
    AuditFailed,
    Disclosed,
    OpeningRecord,
    PlayerRecord,
    SeedMismatch,
    ShareRecord,
)
from protocol.deck.secrets import HandSecrets
from protocol.deck.state import HAND_CARDS, Deck, card_at, card_points, open_deck
from protocol.deck.tosses import knock_card, toss_commitment
from tests.crypto.encodings import slots
from tests.crypto.randomness import insecure_test_rng
from tests.protocol.deck_pair import DeckPair, dealt_pair, judged, played_hand


@pytest.fixture(scope="module")
def dealt():
    """Return a finished deal. Decks are immutable, so tests may share it if none plays on."""
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
    with pytest.raises(ValueError, match="the stock is empty"):
        pair.draw(0)


def test_no_share_is_given_for_the_place_of_the_missing_upcard():
    pair = DeckPair("second deck", second_deck=True).deal()
    place = pair.deck.cards[20]
    given = {
        x for p in pair.played if hasattr(p.message, "shares") for x in slots(p.message.shares)
    }
    assert len(given) == 20
    for secrets in pair.secrets:
        assert (secrets.key * place.c1).encoded not in given


@pytest.mark.parametrize("dealer", [0, 1])
def test_a_deal_gives_every_card_to_one_place(dealer):
    pair = DeckPair(f"dealer {dealer}", dealer).deal()
    first, second = pair.cards(pair.nondealer), pair.cards(pair.dealer)
    everything = pair.all_cards()
    assert sorted(everything) == list(range(52))
    assert len(first) == len(second) == HAND_CARDS
    assert not set(first) & set(second)
    # Alternately, starting with the non-dealer; then the upcard; the rest is the stock.
    assert tuple(everything[0:20:2]) == first
    assert tuple(everything[1:20:2]) == second
    assert pair.deck.upcard == everything[20]
    assert pair.deck.stock_place == 21


def test_both_players_and_any_reader_of_the_log_compute_the_same_deck(dealt):
    deck = Deck(dealt.dealer)
    for played in dealt.played:
        assert deck == played.deck
        deck = judged(deck, played.context, played.author, played.message)
    assert deck == dealt.deck


def test_neither_player_can_read_the_others_cards_or_the_stock(dealt):
    for seat in (0, 1):
        own = dealt.secrets[seat]
        for card in dealt.deck.hands[1 - seat]:
            assert card_at(card.unmask(own.key)) is None
        for card in dealt.deck.cards:
            assert card_at(card.unmask(own.key)) is None
    for card in (*dealt.deck.cards, *dealt.deck.hands[0], *dealt.deck.hands[1]):
        assert card_at(card.c2) is None


def test_a_dealt_card_stays_masked_only_under_its_takers_key(dealt):
    for seat in (0, 1):
        for place, card in zip(dealt.deck.places(seat), dealt.deck.hands[seat], strict=True):
            masked = dealt.deck.cards[place]
            assert card.c1 == masked.c1
            assert card.c2 == masked.c2 - dealt.secrets[1 - seat].key * masked.c1


def test_the_stock_is_drawn_in_order_and_to_its_end():
    pair = dealt_pair()
    stock = pair.all_cards()[21:]
    drawn = [pair.draw(turn % 2) for turn in range(31)]
    assert drawn == stock
    with pytest.raises(ValueError, match="the stock is empty"):
        pair.draw(0)


def test_a_taken_upcard_is_a_card_of_the_hand_like_any_other():
    pair = dealt_pair()
    taker, upcard = pair.nondealer, pair.deck.upcard
    before = pair.cards(taker)
    assert pair.take(taker) == upcard
    assert pair.cards(taker) == (*before, upcard)
    pair.discard(taker, before[0])
    pair.draw(taker)
    pair.discard(taker, upcard)
    assert set(before[1:]) < set(pair.cards(taker))
    assert upcard not in pair.cards(taker)


def test_a_riffle_keeps_the_cards_but_changes_every_ciphertext():
    pair = dealt_pair()
    seat = pair.nondealer
    pair.draw(seat)
    before, cards = pair.deck.hands[seat], pair.cards(seat)
    message = pair.discard(seat, cards[4])
    assert sorted((*pair.cards(seat), cards[4])) == sorted(cards)
    assert not set(slots(message.hand)) & {x.encoded for card in before for x in (card.c1, card.c2)}
    assert len(pair.deck.hands[seat]) == HAND_CARDS


def test_every_riffle_is_different(hand):
    befores = [
        played.deck.hands[played.author]
        for played in hand.played
        if isinstance(played.message, m.Discard | m.Knock)
    ]
    assert len(befores) == 6
    made = [secrets.riffle(before) for secrets in hand.secrets for before in befores]
    assert len({riffle.permutation for riffle in made}) == 12
    assert len({blinding for riffle in made for blinding in riffle.blindings}) == 12 * 11


def test_a_player_back_from_an_old_backup_repeats_a_riffle_and_nothing_else():
    # From the same state, the same hand is riffled to the same bytes; a hand with one other card,
    # to bytes that have nothing in common with the first.
    pair = dealt_pair()
    seat, secrets = pair.nondealer, pair.secrets[pair.nondealer]
    hand = pair.deck.hands[seat]
    first = (*hand, pair.deck.hands[1 - seat][0])
    other = (*hand, pair.deck.hands[1 - seat][1])
    assert secrets.riffle(first) == HandSecrets(pair.seeds[seat]).riffle(first)
    assert not {*secrets.riffle(first).blindings} & {*secrets.riffle(other).blindings}
    before, after = (
        secrets.riffle(cards).apply_own(secrets.key, cards) for cards in (first, other)
    )
    # With equal blindings the ten shared cards would differ by differences seen before.
    differences = [{x.c1 - y.c1 for x in riffled for y in hand} for riffled in (before, after)]
    assert not differences[0] & differences[1]


class Chosen(HandSecrets):
    """Secrets that shuffle the deck into a chosen order."""

    order = ()

    def deal_shuffle(self, key, before):
        return type(made := super().deal_shuffle(key, before))(self.order, made.blindings)


def test_a_dealer_back_from_an_old_backup_can_be_read_by_a_cheat():
    # PROTOCOL 1.2 warns of this. The dealer gives its shares, forgets them, and is sent the deck in
    # another order: the cards first dealt to the cheat are now in the dealer's places.
    first, again = dealt_pair(), dealt_pair(3)
    cheat = Chosen(first.seeds[first.nondealer])
    dealt = first.secrets[first.nondealer].deal_shuffle(first.deck.joint_key, again.deck.cards)
    known = [dealt.permutation[place] for place in first.deck.places(first.nondealer)]
    rest = iter([place for place in range(52) if place not in known])
    theirs = iter(known)
    places = first.deck.places(first.dealer)
    cheat.order = tuple(next(theirs if at in places else rest) for at in range(52))
    again.secrets = (again.secrets[0], cheat)
    for number in (4, 5):
        again.send(*again.deal_message(number))
    assert again.cards(again.dealer) == first.cards(first.nondealer)


def test_a_shuffle_depends_on_its_key_its_cards_and_their_order():
    secrets, key = HandSecrets(bytes(32)), HandSecrets(bytes(range(32))).public_key
    cards = open_deck()[:5]
    shuffles = {
        secrets.deal_shuffle(key, cards),
        secrets.deal_shuffle(secrets.public_key, cards),
        secrets.deal_shuffle(key, cards[::-1]),
        secrets.deal_shuffle(key, open_deck()[1:6]),
        secrets.riffle(cards),
    }
    assert len({shuffle.blindings for shuffle in shuffles}) == 5


def test_a_whole_hand_is_accepted_and_shown_as_it_was(hand):
    knock = next(p.message for p in hand.played if isinstance(p.message, m.Knock))
    spread = hand.played[-1].message
    assert knock.cards == hand.cards(hand.dealer)
    assert spread.cards == hand.cards(hand.nondealer)
    assert len({*knock.cards, *spread.cards}) == 21


def test_the_same_seeds_give_the_same_deck_again():
    first, second = DeckPair("again").deal(), DeckPair("again").deal()
    assert [p.message for p in first.played] == [p.message for p in second.played]


def test_the_joint_shuffle_favours_no_card_and_no_place():
    # 1,000 joint permutations. Fixed points: one expected each, variance one. Card on top: each
    # 19.2 times, standard deviation 4.3. Bounds at about five standard deviations.
    rng, fixed, tops, deals = insecure_test_rng("joint"), 0, Counter(), 1_000
    for _ in range(deals):
        first, second = (expand_permutation(rng(32), "deal-permutation", 52) for _ in range(2))
        joint = [first[place] for place in second]
        fixed += sum(place == card for place, card in enumerate(joint))
        tops[joint[0]] += 1
    assert abs(fixed - deals) < 5 * deals**0.5
    assert all(1 <= tops[card] <= 42 for card in range(52))


def test_both_permutations_together_determine_the_order_of_the_deck(dealt):
    deck, key = open_deck(), dealt.deck.joint_key
    dealer, nondealer = dealt.secrets[dealt.dealer], dealt.secrets[dealt.nondealer]
    first = dealer.deal_shuffle(key, deck)
    dealers = first.permutation
    others = nondealer.deal_shuffle(key, first.apply(key, deck)).permutation
    assert dealt.all_cards() == [dealers[place] for place in others]


def test_secrets_do_not_show_in_a_traceback():
    secrets = HandSecrets(bytes(range(32)))
    assert "0001" not in repr(secrets)
    assert str(secrets.key) not in repr(secrets)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_has_32_bytes(length):
    with pytest.raises(ValueError, match="32 bytes"):
        HandSecrets(bytes(length))


# Lays: some cards of the hand are opened and leave it.


def test_cards_that_are_laid_leave_the_hand_and_the_rest_is_riffled():
    pair = dealt_pair()
    seat = pair.nondealer
    pair.draw(seat)
    before, cards = pair.deck.hands[seat], pair.cards(seat)
    message = pair.lay(seat, cards[:3])
    assert set(message.cards) == {*cards[:3]}
    assert set(pair.cards(seat)) == {*cards[3:]}
    seen = {x.encoded for card in before for x in (card.c1, card.c2)}
    assert not {x.encoded for card in pair.deck.hands[seat] for x in (card.c1, card.c2)} & seen
    pair.lay(seat, pair.cards(seat)[5:])  # a second lay in the same turn
    assert set(pair.cards(seat)) < {*cards[3:]}


def test_a_hand_grown_to_forty_cards_is_riffled_laid_and_shown_like_any_other():
    # As many as a hand can have in Mahjong gin: all except the opponent's hand and the last two.
    pair = dealt_pair()
    seat = pair.nondealer
    for _ in range(29):
        pair.draw(seat)
    pair.take(seat)
    assert len(pair.deck.hands[seat]) == 40
    cards = pair.cards(seat)
    message = pair.lay(seat, cards[::2])
    assert len(message.argument) == 8 * 32 + (3 * 40 + 2) * 32
    assert len(pair.deck.hands[seat]) == 20
    pair.spread(seat)


def test_a_hand_of_one_card_is_not_riffled():
    pair = dealt_pair()
    seat = pair.nondealer
    cards = pair.cards(seat)
    pair.lay(seat, cards[1:])
    (last,) = pair.deck.hands[seat]
    for made in (pair.discard_message(seat, cards[0]), pair.lay_message(seat, cards[:1])):
        assert (made.hand, made.argument) == (b"", b"")
    pair.discard(seat, cards[0])
    assert pair.deck.hands[seat] == ()
    opened = pair.played[-1]
    assert opened.deck.hands[seat] == (last,)


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


def audited(error, pair, seat=0, **arguments):
    with pytest.raises(error) as caught:
        pair.audit(seat, **arguments)
    return caught.value.code


def test_another_seed_does_not_match_the_commitment(hand):
    for seat in (0, 1):
        for seed in (bytes(32), hand.seeds[1 - seat]):
            assert audited(SeedMismatch, hand, seat, seed=seed) == "seed-mismatch"


def test_a_commitment_belongs_to_one_table_hand_and_seat(hand):
    record = hand.record(0)
    for place in ((bytes(32), 1, 0), (hand.table, 2, 0), (hand.table, 1, 1)):
        with pytest.raises(SeedMismatch):
            Disclosed(*place, record, hand.seeds[0]).audit()


def test_a_key_alone_is_audited_too(hand):
    assert audited(AuditFailed, hand, key=hand.deck.key(1), deal=None, riffles=()) == "audit-failed"


def test_the_audit_computes_every_share_again(hand):
    cards = hand.deck.cards[21:23]
    own, others = (
        b"".join((hand.secrets[seat].key * card.c1).encoded for card in cards) for seat in (0, 1)
    )
    hand.audit(0, shares=(ShareRecord(cards, own),))
    audited(AuditFailed, hand, shares=(ShareRecord(cards, own), ShareRecord(cards, others)))
    audited(AuditFailed, hand, shares=(ShareRecord(cards[:1], own),))


def test_the_audit_opens_every_card_again(hand):
    held = next(p.deck.hands[0] for p in hand.played if p.deck.hands[0])
    shown = tuple(card_at(card.unmask(hand.secrets[0].key)) for card in held)
    hand.audit(0, openings=(OpeningRecord(held, shown),))
    audited(AuditFailed, hand, openings=(OpeningRecord(held, shown[::-1]),))
    audited(AuditFailed, hand, openings=(OpeningRecord(held, shown[:-1]),))


def test_the_audit_computes_both_halves_of_a_toss_again():
    pair = DeckPair("second deck", second_deck=True).deal()
    table, halves = pair.table, [secrets.toss for secrets in pair.secrets]
    commitments = [toss_commitment(table, 1, half) for half in halves]
    pair.audit(0, toss_commitment=commitments[0])
    pair.audit(1, toss=halves[1])
    audited(AuditFailed, pair, toss_commitment=commitments[1])
    audited(AuditFailed, pair, toss_commitment=toss_commitment(table, 2, halves[0]))
    audited(AuditFailed, pair, seat=1, toss=halves[0])
    # This is true even if the hand was broken off before there was a key.
    audited(AuditFailed, pair, toss_commitment=commitments[1], key=None)


class Strayed(HandSecrets):
    """A player whose program does something that its seed doesn't give; every proof is valid."""

    def __init__(self, seed, stray):
        super().__init__(seed)
        self.stray, self.riffles = stray, 0
        if stray == "key":
            self.key += 1

    def deal_shuffle(self, key, before):
        return self._strayed("deal", super().deal_shuffle(key, before))

    def riffle(self, before):
        self.riffles += 1
        return self._strayed(f"riffle-{self.riffles}", super().riffle(before))

    def _strayed(self, which, shuffle):
        permutation, blindings = shuffle.permutation, shuffle.blindings
        if self.stray == f"{which}-permutation":
            permutation = permutation[::-1]
        if self.stray == f"{which}-blinding":
            blindings = (blindings[0] + 1, *blindings[1:])
        return type(shuffle)(permutation, blindings)


@pytest.mark.parametrize(
    ("stray", "dealer"),
    [
        ("key", 0),
        ("deal-permutation", 0),
        ("deal-permutation", 1),
        ("deal-blinding", 0),
        ("deal-blinding", 1),
        ("riffle-1-permutation", 0),
        ("riffle-1-blinding", 0),
        ("riffle-2-permutation", 0),
        ("riffle-2-blinding", 0),
    ],
)
def test_the_audit_detects_everything_not_derived_from_the_seed(stray, dealer):
    pair = DeckPair("stray", dealer)
    pair.secrets = (Strayed(pair.seeds[0], stray), pair.secrets[1])
    pair.deal()
    for _ in range(2):
        pair.draw(0)
        pair.discard(0, pair.cards(0)[0])
    assert audited(AuditFailed, pair) == "audit-failed"
    pair.audit(1)  # the opponent isn't to blame
