"""What the deck refuses: every kind of message, changed or made by a cheat.

A cheat has an honest player's program and secrets, and uses them to make a false claim. Numbers in
comments are those of the cases in tests/campaign/cases.txt.
"""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import messages as m
from protocol.crypto import dleq, shuffle
from protocol.crypto.commitment import commit
from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts
from protocol.crypto.errors import BadLength, BadProof, ProofError
from protocol.crypto.group import BASE, IDENTITY, ORDER, BadEncoding, Element, base_multiple
from protocol.crypto.hashing import hash_to_group
from protocol.deck import prover, verifier
from protocol.deck.secrets import HandSecrets, read_card
from protocol.deck.state import Deck, card_points, open_deck
from protocol.deck.tosses import TossMismatch, WrongToss, toss_commitment
from protocol.deck.verifier import decode_opening
from protocol.messages import Malformed
from tests.crypto.encodings import NO_ELEMENTS, NO_SCALARS, replaced, second_encoding, slots
from tests.protocol.deck_pair import DeckPair, dealt_pair, judged, played_hand

POINT = hash_to_group(b"no card", b"test")

FIELDS = {
    # for each message and field, how many of its 32-byte pieces are elements; the others are
    # scalars
    (m.DealKey, "key"): 1,
    (m.DealKey, "possession"): 0,
    (m.DealDeck, "key"): 1,
    (m.DealDeck, "possession"): 0,
    (m.DealDeck, "deck"): 104,
    (m.DealDeck, "argument"): 8,
    (m.DealShuffle, "deck"): 104,
    (m.DealShuffle, "argument"): 8,
    (m.DealShuffle, "shares"): 11,
    (m.DealShuffle, "proof"): 0,
    (m.DealShares, "shares"): 11,
    (m.DealShares, "proof"): 0,
    (m.Share, "share"): 1,
    (m.Share, "proof"): 0,
    (m.Discard, "hand"): 22,
    (m.Discard, "argument"): 8,
    (m.Discard, "opening"): 0,
    (m.Knock, "hand"): 22,
    (m.Knock, "argument"): 8,
    (m.Knock, "opening"): 0,
    (m.Spread, "opening"): 0,
    (m.Lay, "hand"): 22,
    (m.Lay, "argument"): 8,
    (m.Lay, "opening"): 0,
}
every_field = pytest.mark.parametrize(
    ("kind", "field"), FIELDS, ids=lambda x: x if isinstance(x, str) else x.__name__
)


@pytest.fixture(scope="module")
def hand():
    return played_hand()


@pytest.fixture(scope="module")
def dealt():
    """Return a finished deal, for tests that don't play on."""
    return dealt_pair()


@cache
def laid():
    """Return a lay of three cards out of eleven."""
    pair = dealt_pair()
    pair.draw(pair.nondealer)
    pair.lay(pair.nondealer, pair.cards(pair.nondealer)[4:7])
    return pair.played[-1]


def last(hand, kind):
    """Return the last accepted message of a kind."""
    played = (*hand.played, laid())
    return [each for each in played if isinstance(each.message, kind)][-1]


def refused(error, played, **changed):
    """Check that the message with some fields changed isn't accepted; return the code."""
    message = replace(played.message, **changed)
    with pytest.raises(error) as caught:
        judged(played.deck, played.context, played.author, message)
    return caught.value.code


def test_the_table_of_fields_is_complete(hand):
    for kind in {kind for kind, _ in FIELDS}:
        played = last(hand, kind)
        names = {
            name
            for name in played.message.__dataclass_fields__
            if isinstance(getattr(played.message, name), bytes)
            and name not in ("commitment", "toss")
        }
        assert names == {field for other, field in FIELDS if other is kind}
        judged(played.deck, played.context, played.author, played.message)


# 5: encodings and lengths, in every field of every message.


@every_field
def test_a_bad_encoding_is_refused_in_every_part_of_a_field(hand, kind, field):
    played = last(hand, kind)
    data = getattr(played.message, field)
    for slot, piece in enumerate(slots(data)):
        is_element = slot < FIELDS[kind, field]
        bad = dict(NO_ELEMENTS if is_element else NO_SCALARS)
        if not is_element:
            bad["second-encoding"] = second_encoding(piece)
        # Try all of them in the outer pieces, and one in each of the others.
        if 3 <= slot < len(slots(data)) - 3 and slot != FIELDS[kind, field]:
            bad = {name: bad[name] for name in [sorted(bad)[slot % len(bad)]]}
        for wrong in bad.values():
            assert refused(BadEncoding, played, **{field: replaced(data, slot, wrong)}) == (
                "bad-encoding"
            )


@every_field
def test_every_field_has_exactly_one_length(hand, kind, field):
    played = last(hand, kind)
    data = getattr(played.message, field)
    wrong = [b"", data[:-1], data + b"\0", data[32:], data + data[:32], data + data, data[:-64]]
    for changed in wrong:
        # A single element is read by the group's own decoder, which calls that an encoding.
        assert refused((BadLength, BadEncoding), played, **{field: changed}) in (
            "bad-length",
            "bad-encoding",
        )


# 6: every field, changed to other valid values.


@every_field
def test_every_field_matters(hand, kind, field):
    played = last(hand, kind)
    data = getattr(played.message, field)
    count = len(slots(data))
    for slot in sorted({0, FIELDS[kind, field] % count, count // 2, count - 1}):
        piece = slots(data)[slot]
        other = (
            POINT.encoded
            if slot < FIELDS[kind, field]
            else ((int.from_bytes(piece, "little") + 1) % ORDER).to_bytes(32, "little")
        )
        assert refused(BadProof, played, **{field: replaced(data, slot, other)}) == "bad-proof"


@pytest.mark.parametrize(
    "kind", dict.fromkeys(kind for kind, _ in FIELDS), ids=lambda kind: kind.__name__
)
@pytest.mark.parametrize(
    ("place", "other"),
    [
        ("table", b"\x07" * 32),
        ("sequence", 99),
        ("previous", b"\x07" * 32),
        ("hand", 2),
        ("seat", None),
    ],
)
def test_no_message_can_be_moved_to_another_place(hand, kind, place, other):
    # 7: a proof from another hand, match or author.
    played = last(hand, kind)
    other = 1 - played.author if place == "seat" else other
    elsewhere = replace(played.context, **{place: other})
    with pytest.raises(BadProof):
        judged(played.deck, elsewhere, played.author, played.message)


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_arbitrary_bytes_raise_only_protocol_errors(data):
    hand = played_hand()
    kind, field = data.draw(st.sampled_from(list(FIELDS)))
    played = last(hand, kind)
    honest = getattr(played.message, field)
    if data.draw(st.booleans()):
        at, byte = data.draw(st.integers(0, len(honest) - 1)), data.draw(st.integers(1, 255))
        changed = honest[:at] + bytes([honest[at] ^ byte]) + honest[at + 1 :]
    else:
        changed = data.draw(st.binary(max_size=200))
    with pytest.raises((ProofError, BadEncoding, Malformed)):
        judged(
            played.deck, played.context, played.author, replace(played.message, **{field: changed})
        )


# 9: keys.


def test_a_key_that_cancels_the_other_one_is_refused():
    # This is true even if the dealer could prove possession of it, that is, knew the opponent's
    # secret.
    pair = dealt_pair(2)
    other, context = pair.secrets[pair.nondealer], pair.context(pair.dealer)
    secret = -other.key % ORDER
    key = base_multiple(secret)
    possession = dleq.prove_possession(context.transcript("possession"), secret, key)
    cards, argument = BASE.encoded * 104, BASE.encoded * 8 + bytes(32) * (3 * 52 + 2)
    message = m.DealDeck(key.encoded, possession.encoded, cards, argument)
    with pytest.raises(BadProof, match="cancels"):
        pair.send(pair.dealer, message)


def test_a_rogue_key_is_refused_for_lack_of_possession():
    # Y_D = X - Y_N: the joint key would be X, whose secret only the dealer knows.
    pair = dealt_pair(2)
    mine, context = 4711, pair.context(pair.dealer)
    rogue = base_multiple(mine) - pair.deck.key(pair.nondealer)
    cards = prover.open_deck()
    witness = HandSecrets(pair.seeds[pair.dealer]).deal_shuffle(base_multiple(mine), cards)
    after = witness.apply(base_multiple(mine), cards)
    argument = shuffle.prove(
        context.transcript("shuffle"), base_multiple(mine), cards, after, witness
    )
    for possession in (
        dleq.prove_possession(context.transcript("possession"), mine, rogue).encoded,
        dleq.prove_possession(context.transcript("possession"), mine, base_multiple(mine)).encoded,
        pair.played[1].message.possession,
        bytes(64),
        b"",
    ):
        message = m.DealDeck(rogue.encoded, possession, encode_ciphertexts(after), argument.encoded)
        with pytest.raises(ProofError):
            pair.send(pair.dealer, message)


def test_the_other_players_key_and_proof_cannot_be_sent_back():
    pair = dealt_pair(2)
    theirs = pair.played[1].message
    honest = pair.deal_message(3)[1]
    message = replace(honest, key=theirs.key, possession=theirs.possession)
    with pytest.raises(BadProof):
        pair.send(pair.dealer, message)


# 1 to 3: decks.


def shuffled_by_a_cheat(pair, author, before, after, witness):
    """Return the author's deck message with these cards and the best possible argument for them."""
    context = pair.context(author)
    key = pair.secrets[0].public_key + pair.secrets[1].public_key
    with pytest.MonkeyPatch.context() as patch:  # commit to arbitrary numbers
        patch.setattr(shuffle, "commit_to_permutation", commit)
        argument = shuffle.prove(context.transcript("shuffle"), key, before, after, witness)
    number = 3 if author == pair.dealer else 4
    return replace(
        pair.deal_message(number)[1],
        deck=encode_ciphertexts(after),
        argument=argument.encoded,
    )


@pytest.mark.parametrize("number", [3, 4])
@pytest.mark.parametrize("cheat", ["twice", "random", "unmasked key"])
def test_a_deck_with_a_false_card_is_refused(number, cheat):
    pair = dealt_pair(number - 1)
    author = pair.dealer if number == 3 else pair.nondealer
    before = open_deck() if number == 3 else pair.deck.cards
    key = pair.secrets[0].public_key + pair.secrets[1].public_key
    witness = pair.secrets[author].deal_shuffle(key, before)
    if cheat == "twice":
        ace = witness.permutation[0]
        witness = shuffle.Shuffle((ace, ace, *witness.permutation[2:]), witness.blindings)
        after = witness.apply(key, before)
    else:
        after = witness.apply(key, before)
        false = (
            Ciphertext(base_multiple(3), POINT + 3 * key)
            if cheat == "random"
            else before[witness.permutation[0]].remask(pair.secrets[author].public_key, 3)
        )
        after = (false, *after[1:])
    with pytest.raises(BadProof):
        pair.send(author, shuffled_by_a_cheat(pair, author, before, after, witness))


@pytest.mark.parametrize("number", [3, 4])
@pytest.mark.parametrize("cards", [51, 53])
def test_a_deck_of_51_or_53_cards_is_refused(number, cards):
    pair = dealt_pair(number - 1)
    author = pair.dealer if number == 3 else pair.nondealer
    before = list(open_deck() if number == 3 else pair.deck.cards)
    before = before[:51] if cards == 51 else [*before, before[0]]
    key = pair.secrets[0].public_key + pair.secrets[1].public_key
    witness = HandSecrets(bytes(32)).deal_shuffle(key, before)
    after = witness.apply(key, before)
    message = shuffled_by_a_cheat(pair, author, before, after, witness)
    with pytest.raises(BadLength):
        pair.send(author, message)
    honest = pair.deal_message(number)[1]
    with pytest.raises(BadLength):
        pair.send(author, replace(honest, argument=message.argument))
    with pytest.raises(BadLength):
        pair.send(author, replace(honest, deck=message.deck))


def test_the_dealers_deck_sent_back_as_the_others_is_refused():
    pair = dealt_pair(3)
    mine, theirs = pair.deal_message(4)[1], pair.played[2].message
    with pytest.raises(BadProof):
        pair.send(pair.nondealer, replace(mine, deck=theirs.deck, argument=theirs.argument))
    with pytest.raises(BadProof):
        pair.send(pair.nondealer, replace(mine, argument=theirs.argument))


def test_a_deck_that_was_not_masked_again_needs_an_argument_too():
    pair = dealt_pair(3)
    mine, theirs = pair.deal_message(4)[1], pair.played[2].message
    with pytest.raises(BadProof):
        pair.send(pair.nondealer, replace(mine, deck=theirs.deck))


# 11 and 13: shares.


def shares_by_a_cheat(pair, giver, cards, secret=None, proven=None):
    """Return shares of these cards, with a proof about those and perhaps another secret."""
    secret = pair.secrets[giver].key if secret is None else secret
    bases = [card.c1 for card in proven or cards]
    images = [secret * card.c1 for card in cards]
    proof = dleq.prove(
        pair.context(giver).transcript("share"),
        secret,
        pair.secrets[giver].public_key,
        bases,
        images,
    )
    return b"".join(image.encoded for image in images), proof.encoded


def owed(pair, giver):
    return [pair.deck.cards[place] for place in pair.deck.shared_places(giver)]


@pytest.mark.parametrize(
    "slots_given",
    ["own cards", "reversed", "one too far", "the upcard twice", "stock instead of upcard"],
)
def test_shares_for_other_places_of_the_deal_are_refused(slots_given):
    pair = dealt_pair(4)
    giver = pair.dealer
    places = list(pair.deck.shared_places(giver))
    places = {
        "own cards": [*pair.deck.places(giver), 20],
        "reversed": places[::-1],
        "one too far": [place + 1 for place in places],
        "the upcard twice": [*places[:9], 20, 20],
        "stock instead of upcard": [*places[:10], 21],
    }[slots_given]
    cards = [pair.deck.cards[place] for place in places]
    for proven in (cards, owed(pair, giver)):
        with pytest.raises(BadProof):
            pair.send(giver, m.DealShares(*shares_by_a_cheat(pair, giver, cards, proven=proven)))
    pair.send(*pair.deal_message(5))


def test_shares_by_another_secret_are_refused():
    pair = dealt_pair(4)
    giver = pair.dealer
    for secret in (pair.secrets[giver].key + 1, pair.secrets[1 - giver].key, pair.joint_secret()):
        message = m.DealShares(*shares_by_a_cheat(pair, giver, owed(pair, giver), secret))
        with pytest.raises(BadProof):
            pair.send(giver, message)
    pair.send(*pair.deal_message(5))


def test_one_false_share_among_eleven_is_refused():
    pair = dealt_pair(4)
    giver = pair.dealer
    honest = pair.deal_message(5)[1]
    for slot in range(11):
        # A share that differs by the difference of two cards would turn one card into the other.
        share = Element.decode(slots(honest.shares)[slot])
        other = share + card_points()[0] - card_points()[1]
        shares = replaced(honest.shares, slot, other.encoded)
        with pytest.raises(BadProof):
            pair.send(giver, replace(honest, shares=shares))


@pytest.mark.parametrize("place", [20, 22, 51, 0, 1])
def test_a_share_of_any_card_but_the_next_of_the_stock_is_refused(place):
    pair = dealt_pair()
    giver = pair.dealer
    pair.send(1 - giver, m.DrawStock())
    card = pair.deck.cards[place]
    for proven in ([card], [pair.deck.next_stock_card]):
        with pytest.raises(BadProof):
            pair.send(giver, m.Share(*shares_by_a_cheat(pair, giver, [card], proven=proven)))
    pair.send(giver, pair.share(giver))


def test_a_share_can_be_used_only_once():
    pair = dealt_pair()
    pair.draw(pair.nondealer)
    again = pair.played[-1].message
    pair.send(pair.nondealer, m.DrawStock())
    with pytest.raises(BadProof):
        pair.send(pair.dealer, again)


def test_a_player_cannot_give_the_share_to_itself(dealt):
    taker = dealt.nondealer
    message = m.Share(*shares_by_a_cheat(dealt, taker, [dealt.deck.next_stock_card]))
    with pytest.raises(BadProof):
        judged(dealt.deck, dealt.context(dealt.dealer), dealt.dealer, message)


def test_a_refused_message_changes_nothing():
    pair = dealt_pair()
    before, count = pair.deck, len(pair.played)
    bad = m.Share(*shares_by_a_cheat(pair, pair.dealer, [pair.deck.cards[40]]))
    with pytest.raises(BadProof):
        pair.send(pair.dealer, bad)
    assert (pair.deck, len(pair.played)) == (before, count)
    pair.draw(pair.nondealer)
    assert pair.deck.drawn == 1


# The toss for the knock card.


def tossing(messages):
    return DeckPair("second deck", second_deck=True).deal(messages)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_half_a_toss_is_sent_with_a_second_deck_and_only_then(number):
    for pair, wrong in ((tossing(number - 1), b""), (dealt_pair(number - 1), bytes(32))):
        author, honest = pair.deal_message(number)
        with pytest.raises(WrongToss) as caught:
            pair.send(author, replace(honest, toss=wrong))
        assert caught.value.code == "wrong-toss"
        pair.send(author, honest)


def test_the_dealer_must_show_the_committed_half():
    pair = tossing(2)
    author, honest = pair.deal_message(3)
    for other in (bytes(32), pair.secrets[pair.nondealer].toss, honest.toss[::-1]):
        with pytest.raises(TossMismatch) as caught:
            pair.send(author, replace(honest, toss=other))
        assert caught.value.code == "toss-mismatch"
    pair.send(author, honest)


def test_a_commitment_to_a_toss_is_valid_for_one_table_and_one_hand():
    for other in ({"table": bytes(32)}, {"hand": 2}):
        pair = tossing(0)
        author, honest = pair.deal_message(1)
        elsewhere = replace(pair.context(author), **other)
        lie = toss_commitment(elsewhere.table, elsewhere.hand, pair.secrets[author].toss)
        pair.send(author, replace(honest, toss=lie))
        pair.send(*pair.deal_message(2))
        with pytest.raises(TossMismatch):
            pair.send(*pair.deal_message(3))


def test_with_a_second_deck_only_the_ten_dealt_cards_have_shares():
    pair = tossing(4)
    giver = pair.dealer
    eleven = [pair.deck.cards[place] for place in (*pair.deck.shared_places(giver), 20)]
    with pytest.raises(BadLength):
        pair.send(giver, m.DealShares(*shares_by_a_cheat(pair, giver, eleven)))
    for places in (pair.deck.places(giver), range(20, 30)):
        cards = [pair.deck.cards[place] for place in places]
        with pytest.raises(BadProof):
            pair.send(giver, m.DealShares(*shares_by_a_cheat(pair, giver, cards)))
    pair.send(*pair.deal_message(5))
    # The share of a dealt card doesn't work for the stock, nor the other way round.
    pair.send(pair.nondealer, m.DrawStock())
    for place in (0, 19, 21, 51):
        card = pair.deck.cards[place]
        with pytest.raises(BadProof):
            pair.send(giver, m.Share(*shares_by_a_cheat(pair, giver, [card])))
    pair.send(giver, pair.share(giver))


# 12 and 16, 17: riffles and openings.


@pytest.fixture
def turn():
    """Return the turn in which the non-dealer has drawn and must discard."""
    pair = dealt_pair()
    pair.draw(pair.nondealer)
    return pair


def riffle_by_a_cheat(pair, seat, before, after, witness):
    return shuffle.prove(
        pair.context(seat).transcript("shuffle"),
        pair.secrets[seat].public_key,
        before,
        after,
        witness,
    ).encoded


@pytest.mark.parametrize("source", ["the other hand", "the stock", "an open card", "the same hand"])
def test_a_card_from_elsewhere_cannot_be_slipped_in_by_a_riffle(turn, source):
    seat = turn.nondealer
    own, key = turn.secrets[seat], turn.secrets[seat].public_key
    before = turn.deck.hands[seat]
    witness = own.riffle(before)
    after = list(witness.apply_own(own.key, before))
    after[0] = {
        "the other hand": turn.deck.hands[1 - seat][0].remask(key, 5),
        "the stock": turn.deck.next_stock_card.remask(key, 5),
        "an open card": Ciphertext(IDENTITY, card_points()[7]).remask(key, 5),
        "the same hand": before[witness.permutation[1]].remask(key, 5),
    }[source]
    argument = riffle_by_a_cheat(turn, seat, before, after, witness)
    honest = turn.discard_message(seat, turn.cards(seat)[0])
    with pytest.raises(BadProof):
        turn.send(seat, replace(honest, hand=encode_ciphertexts(after), argument=argument))
    turn.send(seat, honest)


@pytest.mark.parametrize("change", ["one less", "one more"])
def test_a_riffle_has_as_many_cards_as_the_hand(turn, change):
    seat = turn.nondealer
    own = turn.secrets[seat]
    before = turn.deck.hands[seat]
    before = before[:10] if change == "one less" else (*before, turn.deck.hands[1 - seat][0])
    witness = own.riffle(before)
    after = witness.apply_own(own.key, before)
    argument = riffle_by_a_cheat(turn, seat, before, after, witness)
    honest = turn.discard_message(seat, turn.cards(seat)[0])
    with pytest.raises(BadLength):
        turn.send(seat, replace(honest, hand=encode_ciphertexts(after), argument=argument))


def test_a_riffle_of_the_other_hand_is_refused(turn):
    seat = turn.nondealer
    turn.send(seat, turn.discard_message(seat, turn.cards(seat)[0]))
    turn.draw(turn.dealer)
    theirs = turn.discard_message(turn.dealer, turn.cards(turn.dealer)[0])
    with pytest.raises(BadLength):  # ten cards against eleven
        turn.send(seat, theirs)
    turn.deck = replace(turn.deck, hands=tuple(h[:10] for h in turn.deck.hands))
    theirs = turn.discard_message(turn.dealer, turn.cards(turn.dealer)[0])
    with pytest.raises(BadProof):
        turn.send(seat, theirs)


def test_an_earlier_riffle_is_refused(turn):
    seat = turn.nondealer
    old = turn.discard(seat, turn.cards(seat)[0])
    turn.draw(seat)
    honest = turn.discard_message(seat, turn.cards(seat)[0])
    with pytest.raises(BadProof):
        turn.send(seat, old)
    with pytest.raises(BadProof):
        turn.send(seat, replace(honest, argument=old.argument))


def opened_by_a_cheat(pair, seat, message, card):
    """Return the message with the best possible proof that its card is another one."""
    ciphertexts = verifier.decode_ciphertexts(message.hand, 11)
    opening = pair.opening(seat, [(ciphertexts[message.position], card)])
    return replace(message, card=card, opening=opening)


def test_a_discard_opens_to_no_other_card(turn):
    seat = turn.nondealer
    card = turn.cards(seat)[0]
    honest = turn.discard_message(seat, card)
    for other in range(52):
        if other != card:
            with pytest.raises(BadProof):
                turn.send(seat, opened_by_a_cheat(turn, seat, honest, other))
    with pytest.raises(BadProof):
        turn.send(seat, replace(honest, card=(card + 1) % 52))
    turn.send(seat, honest)


def test_a_card_that_is_not_held_cannot_be_discarded_from_any_place(turn):
    seat = turn.nondealer
    held = turn.cards(seat)
    honest = turn.discard_message(seat, held[0])
    for missing in (turn.cards(turn.dealer)[0], turn.deck.upcard, turn.all_cards()[50]):
        assert missing not in held
        for place in range(11):
            message = opened_by_a_cheat(turn, seat, replace(honest, position=place), missing)
            with pytest.raises(BadProof):
                turn.send(seat, message)


def test_an_opening_belongs_to_its_place(turn):
    seat = turn.nondealer
    honest = turn.discard_message(seat, turn.cards(seat)[0])
    for place in range(11):
        if place != honest.position:
            with pytest.raises(BadProof):
                turn.send(seat, replace(honest, position=place))


# Lays.


def lay_by_a_cheat(pair, seat, message, **lies):
    """Return the lay with other claims, and the best opening of the cards that it then names."""
    changed = replace(message, **lies)
    ciphertexts = verifier.decode_ciphertexts(changed.hand, len(pair.deck.hands[seat]))
    claims = [
        (ciphertexts[place % len(ciphertexts)], card)
        for place, card in zip(changed.positions, changed.cards, strict=True)
    ]
    return replace(changed, opening=pair.opening(seat, claims))


def test_a_lay_opens_to_no_other_cards(turn):
    seat = turn.nondealer
    honest = turn.lay_message(seat, turn.cards(seat)[2:5])
    missing = next(card for card in range(52) if card not in turn.cards(seat))
    for cards in (
        (missing, *honest.cards[1:]),
        (*honest.cards[:2], missing),
        (*honest.cards[::-1],),
    ):
        with pytest.raises(BadProof):
            turn.send(seat, replace(honest, cards=cards))
        with pytest.raises(BadProof):
            turn.send(seat, lay_by_a_cheat(turn, seat, honest, cards=cards))
    turn.send(seat, honest)


def test_a_lay_opens_the_places_that_leave_the_hand(turn):
    seat = turn.nondealer
    honest = turn.lay_message(seat, turn.cards(seat)[2:5])
    others = [place for place in range(11) if place not in honest.positions][:3]
    for positions in (tuple(others), (0, 1, 11), (0, 1, 51), (49, 50, 51)):
        if positions == honest.positions:
            continue
        with pytest.raises(BadProof):
            turn.send(seat, replace(honest, positions=positions))
        with pytest.raises(BadProof):
            turn.send(seat, lay_by_a_cheat(turn, seat, honest, positions=positions))


def test_a_lay_riffles_the_whole_hand(turn):
    seat = turn.nondealer
    honest = turn.lay_message(seat, turn.cards(seat)[2:5])
    for lies in (
        {"hand": b"", "argument": b""},
        {"hand": honest.hand[64:]},
        {"argument": b""},
        {"hand": encode_ciphertexts(turn.deck.hands[seat][:10])},
    ):
        with pytest.raises(BadLength):
            turn.send(seat, replace(honest, **lies))
    with pytest.raises(BadProof):  # unriffled
        turn.send(seat, replace(honest, hand=encode_ciphertexts(turn.deck.hands[seat])))


def test_a_riffle_of_a_single_card_is_refused(turn):
    seat = turn.nondealer
    cards = turn.cards(seat)
    turn.lay(seat, cards[1:])
    honest = turn.discard_message(seat, cards[0])
    hand = encode_ciphertexts(turn.deck.hands[seat])
    for lies in ({"hand": hand}, {"argument": bytes(32)}, {"hand": hand, "argument": bytes(416)}):
        for message in (honest, turn.lay_message(seat, cards[:1])):
            with pytest.raises(BadLength):
                turn.send(seat, replace(message, **lies))
    for message in (replace(honest, position=1), replace(honest, card=cards[1])):
        with pytest.raises(BadProof):
            turn.send(seat, message)
    turn.send(seat, honest)


@pytest.mark.parametrize(
    ("places", "cards"), [((-1,), (0,)), ((11,), (0,)), ((0, 1), (0,)), ((0,), (0, 1))]
)
def test_an_opening_names_places_of_the_hand_and_a_card_for_each(hand, places, cards):
    """A negative place would count from the end of the hand, and so name another card's place."""
    played = last(hand, m.Discard)
    with pytest.raises(BadProof, match="a place that the hand doesn't have"):
        decode_opening(played.deck, played.author, places, cards, played.message.opening)


def test_a_deck_without_its_keys_has_no_joint_key():
    deck = Deck(0)
    for read in (lambda: deck.key(0), lambda: deck.key(1), lambda: deck.joint_key):
        with pytest.raises(ValueError, match="isn't known yet"):
            read()


def test_a_ciphertext_without_a_card_is_not_read_as_one(dealt):
    """Two proven shuffles rule this out; even if they didn't, no card would be made up."""
    secrets = dealt.secrets[0]
    stranger = dealt.deck.hands[0][0].without_share(BASE)
    with pytest.raises(ValueError, match="doesn't open to a card"):
        read_card(stranger, secrets)


def test_an_opening_of_more_or_fewer_cards_than_the_hand_is_refused(hand):
    played = last(hand, m.Spread)
    cards = played.message.cards
    assert refused(BadProof, played, cards=cards[:9]) == "bad-proof"
    assert refused(BadProof, played, cards=(*cards, cards[0])) == "bad-proof"
    assert refused(BadProof, played, cards=()) == "bad-proof"


@pytest.mark.parametrize("kind", [m.Knock, m.Spread])
def test_a_shown_hand_opens_to_no_other_cards(hand, kind):
    played = last(hand, kind)
    cards = played.message.cards
    missing = next(card for card in range(52) if card not in cards)
    for i in range(len(cards)):
        assert refused(BadProof, played, cards=(*cards[:i], missing, *cards[i + 1 :]))
    assert refused(BadProof, played, cards=cards[::-1])
    assert refused(BadProof, played, cards=(cards[1], cards[0], *cards[2:]))


def test_a_shown_hand_with_two_cards_swapped_is_refused(hand):
    # The false claims cancel in the sum of the openings; the weights keep them apart.
    played = last(hand, m.Spread)
    seat, cards = played.author, list(played.message.cards)
    cards[0], cards[1] = cards[1], cards[0]
    opening = prover.opening(
        list(zip(played.deck.hands[seat], cards, strict=True)),
        hand.secrets[seat],
        played.context,
    )
    assert refused(BadProof, played, cards=tuple(cards), opening=opening) == "bad-proof"


def test_the_non_dealers_shares_come_before_the_dealers():
    pair = dealt_pair(4)
    message = pair.deal_message(5)[1]
    with pytest.raises(ValueError, match="must come first"):
        verifier.check_deal_shares(
            replace(pair.deck, upcard_shared=None), message, pair.context(pair.dealer)
        )
