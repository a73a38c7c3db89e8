"""A modified client during the deal, at a real table: cases 1 to 13 of tests/campaign/cases.txt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ginpeer.referee.table import Table
from ginpeer.referee.transitions import Violation
from protocol import messages as m
from protocol.crypto import dleq, shuffle
from protocol.crypto.elgamal import Ciphertext, encode_ciphertexts
from protocol.crypto.group import BASE, ELEMENT_BYTES, ORDER, base_multiple
from protocol.crypto.hashing import hash_to_group
from protocol.deck import prover
from protocol.deck.secrets import HandSecrets
from protocol.deck.state import open_deck
from tests.cheating.cheat import Cheat, RecordedMatch, one_hand, two_hands, violation
from tests.refusals import code_of

SHUFFLES = (m.DealDeck, m.DealShuffle)
IDENTITY = bytes(ELEMENT_BYTES)


def at(kind: type[m.Message]) -> tuple[RecordedMatch, int, Cheat, Table, m.Message]:
    """Return the one-hand match before the first entry of a kind, whose author now cheats."""
    match = one_hand()
    k = match.find(kind)
    return match, k, match.author(k), match.table_at(k), match.steps[k].message


def also_refused(match: RecordedMatch, k: int, raw: bytes, code: str) -> None:
    """Check the code of one more lie of a kind that `violation` has already tested fully."""
    assert code_of(Violation, lambda: match.referee_at(k).admit(raw)) == code


def honest_shuffle(cheat: Cheat, table: Table) -> tuple[Ciphertext, ...]:
    deck, secrets = table.deck, cheat.secrets(table)
    assert deck is not None
    if cheat.seat == deck.dealer:
        key, before = deck.key(deck.nondealer) + secrets.public_key, open_deck()
    else:
        key, before = deck.joint_key, deck.cards
    return secrets.deal_shuffle(key, before).apply(key, before)


def submit_deck(
    kind: type[m.Message], cards: bytes, argument: bytes, code: str = "bad-proof"
) -> None:
    """Sign the honest message with another deck and argument."""
    match, k, cheat, table, honest = at(kind)
    raw = cheat.sign(table, replace(honest, deck=cards, argument=argument))
    violation(match, k, raw, code, by=cheat.seat)


# --- 1, 2, 3: the deck itself ---------------------------------------------------------


@pytest.mark.parametrize("kind", SHUFFLES)
def test_a_card_cannot_be_encrypted_twice(kind: type[m.Message]) -> None:
    _, _, cheat, table, _ = at(kind)
    deck = honest_shuffle(cheat, table)
    twice = (deck[1].remask(_joint(cheat, table), 7), *deck[1:])
    submit_deck(kind, *cheat.prove_deck(table, twice))


@pytest.mark.parametrize("kind", SHUFFLES)
def test_a_card_cannot_be_replaced_by_a_random_point(kind: type[m.Message]) -> None:
    _, _, cheat, table, _ = at(kind)
    deck = honest_shuffle(cheat, table)
    stranger = Ciphertext(deck[3].c1, hash_to_group(b"no card", b"test"))
    submit_deck(kind, *cheat.prove_deck(table, (*deck[:3], stranger, *deck[4:])))


@pytest.mark.parametrize("kind", SHUFFLES)
def test_a_card_cannot_be_replaced_by_another_card(kind: type[m.Message]) -> None:
    """Put in a second ace of spades: every ciphertext holds a real card, but one card occurs
    twice."""
    _, _, cheat, table, _ = at(kind)
    deck = honest_shuffle(cheat, table)
    ace = open_deck()[39].remask(_joint(cheat, table), 1)
    submit_deck(kind, *cheat.prove_deck(table, (*deck[:51], ace)))


def _joint(cheat: Cheat, table: Table):
    assert table.deck is not None
    return table.deck.key(1 - cheat.seat) + cheat.secrets(table).public_key


@pytest.mark.parametrize("kind", SHUFFLES)
@pytest.mark.parametrize("count", [0, 51, 53])
def test_a_deck_has_52_cards(kind: type[m.Message], count: int) -> None:
    _, _, _, _, honest = at(kind)
    cards = (honest.deck + honest.deck[:64])[: 64 * count]
    submit_deck(kind, cards, honest.argument, "bad-length")


@pytest.mark.parametrize("kind", SHUFFLES)
@pytest.mark.parametrize("change", [-32, -1, 1, 32])
def test_an_argument_has_one_length(kind: type[m.Message], change: int) -> None:
    _, _, _, _, honest = at(kind)
    argument = (honest.argument + bytes(32))[: len(honest.argument) + change]
    submit_deck(kind, honest.deck, argument, "bad-length")


def test_an_argument_for_51_cards_does_not_prove_a_deck() -> None:
    """The argument is genuine, complete and valid, but without the 52nd card."""
    match, k, cheat, table, honest = at(m.DealDeck)
    secrets, key = cheat.secrets(table), _joint(cheat, table)
    before = open_deck()[:51]
    witness = secrets.deal_shuffle(key, before)
    after = witness.apply(key, before)
    argument = shuffle.prove(
        cheat.context(table).transcript("shuffle"), key, before, after, witness
    )
    raw = cheat.sign(
        table, replace(honest, deck=encode_ciphertexts(after), argument=argument.encoded)
    )
    violation(match, k, raw, "bad-length", by=cheat.seat)


# --- 6, 7: proofs made for something else ----------------------------------------------

PROOF_FIELDS = [
    (m.DealKey, "possession"),
    (m.DealDeck, "possession"),
    (m.DealShuffle, "proof"),
    (m.DealShares, "proof"),
    (m.Share, "proof"),
    (m.Discard, "argument"),
    (m.Discard, "opening"),
    (m.Knock, "opening"),
    (m.Spread, "opening"),
]


@pytest.mark.parametrize(("kind", "field"), PROOF_FIELDS)
def test_every_field_of_a_proof_counts(kind: type[m.Message], field: str) -> None:
    """Add one to each scalar of each proof of the match, and sign the message again."""
    match, k, cheat, table, honest = at(kind)
    value = getattr(honest, field)
    first = 8 if field == "argument" else 0
    for place in range(first, len(value) // 32):
        scalar = (int.from_bytes(value[32 * place : 32 * place + 32], "little") + 1) % ORDER
        lie = value[: 32 * place] + scalar.to_bytes(32, "little") + value[32 * place + 32 :]
        raw = cheat.sign(table, replace(honest, **{field: lie}))
        if place == first:
            violation(match, k, raw, "bad-proof", by=cheat.seat)
        else:
            also_refused(match, k, raw, "bad-proof")


@pytest.mark.parametrize("place", range(8))
def test_every_commitment_of_an_argument_counts(place: int) -> None:
    match, k, cheat, table, honest = at(m.Discard)
    value = honest.argument
    element = hash_to_group(value[32 * place : 32 * place + 32], b"test").encoded
    lie = value[: 32 * place] + element + value[32 * place + 32 :]
    raw = cheat.sign(table, replace(honest, argument=lie))
    violation(match, k, raw, "bad-proof", by=cheat.seat)


CONTEXT_LIES = {
    "table": bytes(32),
    "sequence": 4_000,
    "previous": bytes(32),
    "hand": 2,
    "seat": None,  # the opponent
}


def made_elsewhere(
    kind: type[m.Message], cheat: Cheat, table: Table, honest: m.Message, field: str
) -> m.Message:
    """Return the honest message with every proof made for another place, and everything else
    unchanged."""
    lie = CONTEXT_LIES[field] if field != "seat" else 1 - cheat.seat
    context = replace(cheat.context(table), **{field: lie})
    deck, secrets = table.deck, cheat.secrets(table)
    assert deck is not None
    if kind is m.DealKey:
        made = prover.deal_key(deck, secrets, context)
        return replace(made, commitment=honest.commitment)
    if kind is m.DealDeck:
        return prover.deal_deck(deck, secrets, context)
    if kind is m.DealShuffle:
        return prover.deal_shuffle(deck, secrets, context)
    if kind is m.DealShares:
        return prover.deal_shares(deck, secrets, context)
    if kind is m.Share:
        return prover.share(deck, secrets, context)
    hand = deck.hands[cheat.seat]
    if kind is m.Spread:
        cards = list(zip(hand, honest.cards, strict=True))
        return replace(honest, opening=prover.opening(cards, secrets, context))
    riffle = prover.riffle(deck, cheat.seat, secrets, context)
    return replace(honest, argument=riffle.argument)


@pytest.mark.parametrize("field", CONTEXT_LIES)
@pytest.mark.parametrize(
    "kind",
    [m.DealKey, m.DealDeck, m.DealShuffle, m.DealShares, m.Share, m.Discard, m.Knock, m.Spread],
)
def test_a_proof_is_valid_only_at_its_place_in_its_log(kind: type[m.Message], field: str) -> None:
    """Each proof is valid, by the right author and about the same statement, but was made for
    another table, entry, history, hand or seat."""
    match, k, cheat, table, honest = at(kind)
    lie = made_elsewhere(kind, cheat, table, honest, field)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_a_proof_of_an_earlier_hand_is_refused_in_a_later_one() -> None:
    """Use the same seed and key as in the first hand, with the proof that was valid there."""
    match = two_hands()
    k = match.find(m.DealKey, lambda step: step.before.hand_number == 2)
    cheat, table = match.author(k), match.table_at(k)
    honest = match.steps[k].message
    earlier = replace(cheat, seeds={2: cheat.seeds[1]})
    key = earlier.secrets(table).public_key.encoded
    first = match.steps[match.find(m.DealDeck)].message  # the same seat dealt there
    assert match.steps[match.find(m.DealDeck)].author == cheat.seat
    assert first.key == key
    lie = replace(honest, key=key, possession=first.possession)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_shares_of_another_draw_are_refused() -> None:
    """Use the share and proof that the cheat gave honestly for the previous card."""
    match = one_hand()
    first = match.find(m.Share)
    giver = match.steps[first].author
    k = match.find(m.Share, lambda s: s.sequence > first and s.author == giver)
    cheat, table = match.author(k), match.table_at(k)
    violation(match, k, cheat.sign(table, match.steps[first].message), "bad-proof", by=giver)


def test_my_possession_proof_cannot_be_reflected_at_me() -> None:
    match, k, cheat, table, honest = at(m.DealDeck)
    mine = match.steps[match.find(m.DealKey)].message
    lie = replace(honest, key=mine.key, possession=mine.possession)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_my_shares_cannot_be_reflected_at_me() -> None:
    match, k, cheat, table, _ = at(m.DealShares)
    mine = match.steps[match.find(m.DealShuffle)].message
    raw = cheat.sign(table, m.DealShares(mine.shares, mine.proof))
    violation(match, k, raw, "bad-proof", by=cheat.seat)


def test_my_shuffle_cannot_be_reflected_at_me() -> None:
    """The second shuffler returns the dealer's deck as its own, with the dealer's argument."""
    match, k, cheat, table, honest = at(m.DealShuffle)
    mine = match.steps[match.find(m.DealDeck)].message
    lie = replace(honest, deck=mine.deck, argument=mine.argument)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_a_riffle_of_the_last_turn_is_refused() -> None:
    match = one_hand()
    first = match.find(m.Discard)
    seat = match.steps[first].author
    k = match.find(m.Discard, lambda s: s.sequence > first and s.author == seat)
    cheat, table, old = match.author(k), match.table_at(k), match.steps[first].message
    lie = replace(match.steps[k].message, hand=old.hand, argument=old.argument)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=seat)


# --- 8, 9: generators and keys ----------------------------------------------------------


def test_a_proof_with_chosen_generators_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With G_i = i*B the cheat knows every relation, and can open a commitment to anything."""
    match, k, cheat, table, honest = at(m.Discard)

    def chosen(n: int):
        return tuple(base_multiple(i + 1) for i in range(n))

    with monkeypatch.context() as patch:
        patch.setattr(shuffle, "generators", chosen)
        table_deck, secrets = table.deck, cheat.secrets(table)
        riffle = prover.riffle(table_deck, cheat.seat, secrets, cheat.context(table))
        shuffle.verify(  # with those generators it would be valid
            cheat.context(table).transcript("shuffle"),
            secrets.public_key,
            table_deck.hands[cheat.seat],
            riffle.cards,
            shuffle.ShuffleArgument.decode(riffle.argument, 11),
        )
    lie = replace(honest, hand=riffle.hand, argument=riffle.argument)
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def rogue_key(cheat: Cheat, table: Table, k: int) -> bytes:
    """Return k*B minus the opponent's key, so that the joint key is k*B: the cheat alone could open
    everything."""
    return (base_multiple(k) - table.deck.key(1 - cheat.seat)).encoded


def test_a_rogue_key_has_no_proof_of_possession() -> None:
    match, k, cheat, table, honest = at(m.DealDeck)
    proof = dleq.prove_possession(
        cheat.context(table).transcript("possession"), 5, base_multiple(5)
    )
    for key in (rogue_key(cheat, table, 5), rogue_key(cheat, table, 0)):
        lie = replace(honest, key=key, possession=proof.encoded)
        violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


@pytest.mark.parametrize("kind", [m.DealKey, m.DealDeck])
def test_a_key_needs_its_proof_of_possession(kind: type[m.Message]) -> None:
    match, k, cheat, table, honest = at(kind)
    for possession, code in ((b"", "bad-length"), (bytes(64), "bad-proof")):
        raw = cheat.sign(table, replace(honest, possession=possession))
        violation(match, k, raw, code, by=cheat.seat)


@pytest.mark.parametrize("kind", [m.DealKey, m.DealDeck])
def test_a_key_is_not_the_identity(kind: type[m.Message]) -> None:
    """Use the key of the secret 0, with a matching proof of possession."""
    match, k, cheat, table, honest = at(kind)
    proof = dleq.prove_possession(cheat.context(table).transcript("possession"), 0, 0 * BASE)
    raw = cheat.sign(table, replace(honest, key=IDENTITY, possession=proof.encoded))
    violation(match, k, raw, "bad-encoding", by=cheat.seat)


def test_two_cheats_cannot_make_a_joint_key_that_hides_nothing() -> None:
    """A key that cancels the opponent's can only be proven with the opponent's secret. So both
    players cheat here, because they want a log in which every card is open. The joint key is the
    identity, and nobody may mask with it."""
    match, k, cheat, table, honest = at(m.DealDeck)
    secret = -match.cheat(1 - cheat.seat).secrets(table).key % ORDER
    key = base_multiple(secret)
    assert (key + table.deck.key(1 - cheat.seat)).is_identity
    proof = dleq.prove_possession(cheat.context(table).transcript("possession"), secret, key)
    lie = replace(honest, key=key.encoded, possession=proof.encoded)
    error = violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)
    assert "cancels" in error.sentence


# --- 10: seeds and the cut ---------------------------------------------------------------


def test_the_cut_is_opened_as_committed() -> None:
    match, k, cheat, table, honest = at(m.CutReveal)
    lie = m.CutReveal(bytes(31) + bytes([honest.value[31] ^ 1]))
    violation(match, k, cheat.sign(table, lie), "cut-mismatch", by=cheat.seat)


# --- 11, 12, 13: shares ---------------------------------------------------------------


def share_of(cheat: Cheat, table: Table, card: Ciphertext, secrets: HandSecrets | None = None):
    secrets = secrets or cheat.secrets(table)
    return m.Share(*prover._shares((card,), secrets, cheat.context(table)))


@pytest.mark.parametrize("place", [0, 19, 20, 22, 51])
def test_a_share_is_for_the_card_just_drawn(place: int) -> None:
    """The share and its proof are valid, but for another place in the deck."""
    match, k, cheat, table, _ = at(m.Share)
    assert table.deck.next_stock_card == table.deck.cards[21]
    lie = share_of(cheat, table, table.deck.cards[place])
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_the_shares_of_a_deal_are_for_the_places_of_the_taker() -> None:
    """The dealer gives valid shares of its own ten cards instead of the opponent's: the opponent
    would then hold cards that the dealer can read."""
    match, k, cheat, table, _ = at(m.DealShares)
    cards = [table.deck.cards[place] for place in table.deck.shared_places(1 - cheat.seat)]
    lie = m.DealShares(*prover._shares(cards, cheat.secrets(table), cheat.context(table)))
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_the_shares_of_a_deal_keep_their_order() -> None:
    """With two places swapped, the taker would read wrong cards although every share is valid."""
    match, k, cheat, table, _ = at(m.DealShares)
    places = list(table.deck.shared_places(cheat.seat))
    places[0], places[1] = places[1], places[0]
    cards = [table.deck.cards[place] for place in places]
    lie = m.DealShares(*prover._shares(cards, cheat.secrets(table), cheat.context(table)))
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


@pytest.mark.parametrize("count", [0, 1, 10, 12])
def test_a_deal_has_eleven_shares(count: int) -> None:
    match, k, cheat, table, honest = at(m.DealShares)
    shares = (honest.shares + honest.shares)[: 32 * count]
    raw = cheat.sign(table, replace(honest, shares=shares))
    violation(match, k, raw, "bad-length", by=cheat.seat)


def test_a_share_is_made_with_the_hand_key() -> None:
    match, k, cheat, table, _ = at(m.Share)
    lie = share_of(cheat, table, table.deck.next_stock_card, HandSecrets(bytes(32)))
    violation(match, k, cheat.sign(table, lie), "bad-proof", by=cheat.seat)


def test_a_share_cannot_change_a_card() -> None:
    """With a share moved by the difference of two cards, the drawer would read another card."""
    match, k, cheat, table, honest = at(m.Share)
    points = open_deck()
    share = cheat.secrets(table).key * table.deck.next_stock_card.c1
    for lie in (share + points[0].c2 - points[1].c2, share + BASE, -1 * share):
        raw = cheat.sign(table, replace(honest, share=lie.encoded))
        violation(match, k, raw, "bad-proof", by=cheat.seat)


@pytest.mark.parametrize("kind", [m.Discard, m.Knock])
def test_my_hidden_card_cannot_be_masked_again_as_the_peers_own(kind: type[m.Message]) -> None:
    """Replace one of the cheat's own cards with a re-masked copy of the opponent's ciphertext."""
    match, k, cheat, table, honest = at(kind)
    after, _, _ = cheat.riffled(table)
    stolen = table.deck.hands[1 - cheat.seat][0].remask(cheat.secrets(table).public_key, 9)
    for place in (0, 10):
        lie = (*after[:place], stolen, *after[place + 1 :])
        hand, argument = cheat.prove_hand(table, lie)
        raw = cheat.sign(table, replace(honest, hand=hand, argument=argument))
        violation(match, k, raw, "bad-proof", by=cheat.seat)


@pytest.mark.parametrize("kind", [m.Discard, m.Knock])
def test_a_card_of_the_stock_cannot_be_riffled_into_a_hand(kind: type[m.Message]) -> None:
    match, k, cheat, table, honest = at(kind)
    after, _, _ = cheat.riffled(table)
    lie = (table.deck.next_stock_card, *after[1:])
    hand, argument = cheat.prove_hand(table, lie)
    raw = cheat.sign(table, replace(honest, hand=hand, argument=argument))
    violation(match, k, raw, "bad-proof", by=cheat.seat)


@pytest.mark.parametrize("kind", [m.Discard, m.Knock])
@pytest.mark.parametrize("count", [10, 12])
def test_a_riffle_keeps_the_number_of_cards(kind: type[m.Message], count: int) -> None:
    match, k, cheat, table, honest = at(kind)
    hand = (honest.hand + honest.hand[:64])[: 64 * count]
    raw = cheat.sign(table, replace(honest, hand=hand))
    violation(match, k, raw, "bad-length", by=cheat.seat)
