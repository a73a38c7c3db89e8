"""Count the library calls that the deck costs: shuffles and their proofs, a riffle, a deal.

Every task begins and ends with bytes, as it does in a match. tests/protocol/test_cost.py has the
bounds.
"""

from collections.abc import Callable

from protocol.crypto import group, shuffle
from protocol.crypto.elgamal import decode_ciphertexts, encode_ciphertexts
from protocol.deck.secrets import HandSecrets
from protocol.deck.state import ProofContext, open_deck
from tests.protocol.deck_pair import DeckPair, judged


def _transcript():
    return ProofContext(b"\x01" * 32, 9, b"\x02" * 32, 1, 0).transcript("shuffle")


class _Shuffling:
    """One shuffle, proven and verified repeatedly."""

    def __init__(self, key, before, secrets, own=False):
        self.key, self.before, self.secrets, self.own = key, before, secrets, own
        self.after, self.argument = self.prove()

    def prove(self):
        """Shuffle the decoded cards and prove it; return the bytes of the new cards and of the
        argument."""
        witness = (
            self.secrets.riffle(self.before)
            if self.own
            else self.secrets.deal_shuffle(self.key, self.before)
        )
        after = witness.apply(self.key, self.before)
        argument = shuffle.prove(_transcript(), self.key, self.before, after, witness)
        return encode_ciphertexts(after), argument.encoded

    def verify(self):
        n = len(self.before)
        after = decode_ciphertexts(self.after, n)
        argument = shuffle.ShuffleArgument.decode(self.argument, n)
        shuffle.verify(_transcript(), self.key, self.before, after, argument)


def _deal():
    """Make the five messages of a deal; each is checked by the opponent."""
    pair = DeckPair("bench")
    for number in range(1, 6):
        author, message = pair.deal_message(number)
        pair.deck = judged(pair.deck, pair.context(author), author, message)
        pair.sequence += 1
    for seat in (0, 1):
        pair.cards(seat)


def tasks() -> dict[str, Callable[[], object]]:
    """Return the tasks to measure, by name."""
    first, second = (HandSecrets(bytes([i]) * 32) for i in (1, 2))
    key = first.public_key + second.public_key
    of_open = _Shuffling(key, open_deck(), first)
    of_masked = _Shuffling(key, decode_ciphertexts(of_open.after, 52), second)
    hand = tuple(card.remask(first.public_key, 5) for card in open_deck()[:11])
    riffle = _Shuffling(first.public_key, hand, first, own=True)
    return {
        "shuffle and prove 52 cards, open deck": of_open.prove,
        "shuffle and prove 52 cards, masked deck": of_masked.prove,
        "verify 52 cards, open deck": of_open.verify,
        "verify 52 cards, masked deck": of_masked.verify,
        "riffle of 11 cards, prove": riffle.prove,
        "riffle of 11 cards, verify": riffle.verify,
        "full deal, both players": _deal,
    }


class _CountingGroup:
    """A back-end that counts the costly calls that it passes on to another one."""

    def __init__(self, backend):
        self._backend = backend
        self.counts = {"multiplications": 0, "additions": 0}

    def __getattr__(self, name):
        return getattr(self._backend, name)

    def add(self, a, b):
        self.counts["additions"] += 1
        return self._backend.add(a, b)

    def subtract(self, a, b):
        self.counts["additions"] += 1
        return self._backend.subtract(a, b)

    def multiply(self, scalar, element):
        self.counts["multiplications"] += 1
        return self._backend.multiply(scalar, element)

    def multi_multiply(self, scalars, elements):
        self.counts["multiplications"] += len(scalars)
        self.counts["additions"] += max(0, len(scalars) - 1)
        return self._backend.multi_multiply(scalars, elements)


def library_calls(task: Callable[[], object]) -> dict[str, int]:
    """Count a task's calls to the library. The counts are the same on every machine."""
    counting = _CountingGroup(group._backend)
    group._backend = counting
    try:
        task()
    finally:
        group._backend = counting._backend
    return counting.counts
