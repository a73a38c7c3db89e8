"""Measure the cost of the deck: shuffles, their arguments, a riffle, a whole deal.

Every task begins and ends with bytes, as it does in a match: decoding, encoding and hashing are
included.
"""

from dataclasses import dataclass

from protocol.crypto import shuffle
from protocol.crypto.elgamal import decode_ciphertexts, encode_ciphertexts
from protocol.deck.secrets import HandSecrets
from protocol.deck.state import ProofContext, open_deck
from tests.bench.measure import V_BATCH, interleaved, library_calls, one_of_each
from tests.protocol.deck_pair import DeckPair, judged

GOALS = {
    "shuffle and prove 52 cards, open deck": 470,
    "shuffle and prove 52 cards, masked deck": 470,
    "verify 52 cards, open deck": 365,
    "verify 52 cards, masked deck": 365,
    "riffle of 11 cards, both": 190,
    "full deal, both players": 2150,
}
PROOF_GOALS = {52: 5312, 11: 1376}


@dataclass(frozen=True)
class Row:
    """One line of the table; *goal* is in V."""

    name: str
    milliseconds: float
    v: float
    goal: float | None
    calls: dict[str, int]


def _context(sequence=9):
    return ProofContext(b"\x01" * 32, sequence, b"\x02" * 32, 1, 0)


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
        argument = shuffle.prove(
            _context().transcript("shuffle"), self.key, self.before, after, witness
        )
        return encode_ciphertexts(after), argument.encoded

    def verify(self):
        n = len(self.before)
        shuffle.verify(
            _context().transcript("shuffle"),
            self.key,
            self.before,
            decode_ciphertexts(self.after, n),
            shuffle.ShuffleArgument.decode(self.argument, n),
        )


class Deal:
    """The five messages of a deal, made by one player and checked by the opponent."""

    def __init__(self, checks: int) -> None:
        """*checks*: 1 for the receiver's check only, 2 to include the author's check of its own
        message."""
        self.checks = checks

    def run(self) -> DeckPair:
        pair = DeckPair("bench")
        for number in range(1, 6):
            author, message = pair.deal_message(number)
            context = pair.context(author)
            for _ in range(self.checks):
                after = judged(pair.deck, context, author, message)
            pair.deck = after
            pair.sequence += 1
        for seat in (0, 1):
            pair.cards(seat)
        return pair


def tasks():
    """Return the tasks to time, by name."""
    seeds = [bytes([i]) * 32 for i in (1, 2)]
    first, second = (HandSecrets(seed) for seed in seeds)
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
        "riffle of 11 cards, both": lambda: (riffle.prove(), riffle.verify()),
        "full deal, both players": Deal(1).run,
        "full deal, authors checking themselves too": Deal(2).run,
    }


def run(rounds: int = 11) -> tuple[float, dict[str, float], list[Row]]:
    """Return V in seconds, the library's other operations in V, and a row for every task."""
    timed_tasks, others = tasks(), one_of_each()
    v, timed = interleaved({**others, **timed_tasks}, rounds)
    prices = {name: timed[name].v / V_BATCH for name in others}
    rows = [
        Row(name, timed[name].milliseconds, timed[name].v, GOALS.get(name), library_calls(task))
        for name, task in timed_tasks.items()
    ]
    return v, prices, rows
