"""Two players' secrets and one public deck, played message by message.

Everything is real: protocol.deck.prover makes the messages, protocol.entry encodes them as the
bodies of a chain (unsigned here), and protocol.deck.verifier judges them. The rules of gin don't
apply.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cache

from protocol import messages as m
from protocol.codes import ProofError
from protocol.deck import prover, state, verifier
from protocol.deck.audit import Disclosed, PlayerRecord, ShuffleRecord
from protocol.deck.secrets import HandSecrets, read_card, seed_commitment
from protocol.deck.state import Deck, ProofContext, card_at, open_deck
from protocol.entry import decode_body, encode_body, entry_hash
from tests.crypto.randomness import insecure_test_rng


def read_hand(hand, secrets):
    """Return the cards in these ciphertexts, in order."""
    return tuple(read_card(ciphertext, secrets) for ciphertext in hand)


@dataclass(frozen=True)
class AcceptedMessage:
    """One accepted message, with its author and the deck before it."""

    deck: Deck
    context: ProofContext
    author: int
    message: m.Message


def judged(deck: Deck, context: ProofContext, author: int, message: m.Message) -> Deck:
    """Return the deck after a message, as any reader of the log computes it. Raises the error of an
    invalid message."""
    match message:
        case m.DealCommit():
            return verifier.check_deal_commit(deck, message)
        case m.DealKey():
            return verifier.check_deal_key(deck, message, context)
        case m.DealDeck():
            return verifier.check_deal_deck(deck, message, context)
        case m.DealShuffle():
            return verifier.check_deal_shuffle(deck, message, context)
        case m.DealShares():
            return verifier.check_deal_shares(deck, message, context)
        case m.TakeUpcard():
            return state.take_open_cards(deck, author, (deck.upcard,))
        case m.Share():
            return verifier.check_share(deck, message, 1 - author, context)
        case m.Discard(hand, argument, place, card, opening):
            after = verifier.check_riffle(deck, author, hand, argument, context)
            _check_opening(after, author, (place,), (card,), opening, context)
            return state.remove_cards(after, author, (place,))
        case m.Knock(hand, argument, cards, _, _, opening):
            after = verifier.check_riffle(deck, author, hand, argument, context)
            _check_opening(after, author, range(len(cards)), cards, opening, context)
            return after
        case m.Spread(cards, _, _, opening):
            _check_opening(deck, author, range(len(cards)), cards, opening, context)
            return deck
        case _:
            return deck


def _check_opening(deck, author, places, cards, opening, context) -> None:
    proof = verifier.decode_opening(deck, author, places, cards, opening)
    verifier.check_opening(deck, author, places, cards, proof, context)


class DeckPair:
    """A deck on the table, and both players' secrets, which a test may look at."""

    def __init__(self, seed="deck pair", dealer=0, secrets=None, second_deck=False):
        self.rng = insecure_test_rng(seed)
        self.table, self.hand_number = self.rng(32), 1
        self.sequence, self.previous = 5, self.rng(32)
        self.seeds = (self.rng(32), self.rng(32))
        self.secrets = secrets or tuple(HandSecrets(seed) for seed in self.seeds)
        self.deck = Deck(dealer, second_deck)
        self.played: list[AcceptedMessage] = []

    @property
    def dealer(self):
        return self.deck.dealer

    @property
    def nondealer(self):
        return self.deck.nondealer

    def context(self, author):
        return ProofContext(self.table, self.sequence, self.previous, self.hand_number, author)

    def send(self, author, message):
        """Judge a message and add it. If the check raises an error, the deck stays unchanged."""
        body = m.Body(self.table, self.sequence, self.previous, message)
        raw = encode_body(body)
        assert decode_body(raw) == body
        context = self.context(author)
        after = judged(self.deck, context, author, message)
        self.played.append(AcceptedMessage(self.deck, context, author, message))
        self.deck = after
        self.sequence, self.previous = self.sequence + 1, entry_hash(raw)
        return message

    # The players' messages

    def commitment(self, seat):
        return seed_commitment(self.table, self.hand_number, seat, self.seeds[seat])

    def deal_message(self, number):
        """Return message 1 to 5 of the deal, after its author: the player who owes it."""
        author = self.dealer if number % 2 else self.nondealer
        secrets, context = self.secrets[author], self.context(author)
        match number:
            case 1:
                message = prover.deal_commit(self.deck, secrets, context)
            case 2:
                message = prover.deal_key(self.deck, secrets, context)
            case 3:
                message = prover.deal_deck(self.deck, secrets, context)
            case 4:
                message = prover.deal_shuffle(self.deck, secrets, context)
            case _:
                message = prover.deal_shares(self.deck, secrets, context)
        return author, message

    def deal(self, messages=5):
        """Send the deal, or its first few messages."""
        for number in range(1, messages + 1):
            self.send(*self.deal_message(number))
        return self

    def cards(self, seat):
        """Return the hand as its holder reads it."""
        return read_hand(self.deck.hands[seat], self.secrets[seat])

    def draw(self, taker):
        """Draw from the stock. Return the card."""
        self.send(taker, m.DrawStock())
        giver = 1 - taker
        self.send(giver, prover.share(self.deck, self.secrets[giver], self.context(giver)))
        return self.cards(taker)[-1]

    def take(self, taker):
        self.send(taker, m.TakeUpcard())
        return self.deck.upcard

    def riffled(self, seat):
        """Return a new shuffle of the hand, and the cards in their new order."""
        cards = self.cards(seat)
        riffle = prover.riffle(self.deck, seat, self.secrets[seat], self.context(seat))
        return riffle, tuple(cards[j] for j in riffle.permutation)

    def opening(self, seat, cards):
        return prover.opening(cards, self.secrets[seat], self.context(seat))

    def discard(self, seat, card):
        riffle, cards = self.riffled(seat)
        place = cards.index(card)
        opening = self.opening(seat, [(riffle.cards[place], card)])
        return self.send(seat, m.Discard(riffle.hand, riffle.argument, place, card, opening))

    def knock(self, seat):
        """Show all cards, without melds, which only the rules judge."""
        riffle, cards = self.riffled(seat)
        opening = self.opening(seat, list(zip(riffle.cards, cards, strict=True)))
        message = m.Knock(riffle.hand, riffle.argument, cards, None, (), opening)
        return self.send(seat, message)

    def spread(self, seat):
        cards = self.cards(seat)
        opening = self.opening(seat, list(zip(self.deck.hands[seat], cards, strict=True)))
        return self.send(seat, m.Spread(cards, (), (), opening))

    # What the secrets of both players reveal

    def all_cards(self):
        """Return the shuffled deck, place by place."""
        secret = self.secrets[0].key + self.secrets[1].key
        return [card_at(card.unmask(secret)) for card in self.deck.cards]

    def record(self, seat):
        """Return what a reader of the log keeps about a player for the audit."""
        decks = {
            played.author: (played.deck.cards or open_deck(), after)
            for played, after in zip(
                self.played,
                [*(later.deck.cards for later in self.played[1:]), self.deck.cards],
                strict=True,
            )
            if isinstance(played.message, m.DealDeck | m.DealShuffle)
        }
        riffles = tuple(
            ShuffleRecord(
                played.deck.hands[seat],
                verifier.decode_ciphertexts(played.message.hand, len(played.deck.hands[seat])),
            )
            for played in self.played
            if played.author == seat
            and isinstance(played.message, m.Discard | m.Knock)
            and played.message.hand
        )
        return PlayerRecord(
            self.commitment(seat),
            self.deck.key(seat),
            self.deck.joint_key,
            ShuffleRecord(*decks[seat]),
            riffles,
        )

    def disclosed(self, seat, seed=None, **changed):
        """Return what is audited after a player disclosed a seed, with these fields of the player's
        record changed."""
        record = replace(self.record(seat), **changed)
        return Disclosed(self.table, self.hand_number, seat, record, seed or self.seeds[seat])

    def audit(self, seat, seed=None, **changed):
        """Disclose a seed, and audit it against the record. Raises what the audit raises. If either
        player's audit fails, auditing both together must fail with the error of one of them."""
        disclosed, other = self.disclosed(seat, seed, **changed), self.disclosed(1 - seat)
        alone, others = _error_of(disclosed.audit), _error_of(other.audit)
        for together in (_error_of(disclosed.audit, other), _error_of(other.audit, disclosed)):
            assert repr(together) in ({repr(each) for each in (alone, others) if each} or {"None"})
        if alone is not None:
            raise alone


def _error_of(audit, *others):
    """Return the error with which this audit fails, or None if it succeeds."""
    try:
        audit(*others)
    except ProofError as error:
        return error
    return None


@cache
def _dealt(messages):
    return DeckPair().deal(messages)


def dealt_pair(messages=5):
    """Return a fixed deal up to this message. Each caller gets its own copy to continue."""
    pair = copy(_dealt(messages))
    pair.played = list(pair.played)
    return pair


@cache
def played_hand():
    """Return a hand with a deal, turns of every kind, a knock and a spread, all of them accepted.

    All tests share it, so none may continue it.
    """
    pair = DeckPair("played hand").deal()
    first, second = pair.nondealer, pair.dealer
    pair.take(first)
    pair.discard(first, pair.cards(first)[3])
    for seat in (second, first, second):
        pair.draw(seat)
        pair.discard(seat, pair.cards(seat)[0])
    pair.draw(first)
    pair.discard(first, pair.cards(first)[-1])  # the card that was just drawn
    pair.draw(second)
    pair.knock(second)
    pair.spread(first)
    return pair
