"""The deck of one hand (PROTOCOL 6): keys, shuffles, shares, openings and the audit."""

from collections.abc import Sequence

from . import group, proofs
from .group import Point
from .proofs import Ciphertext, Place, Shuffle
from .refusal import require
from .wire import Message

UPCARD = 20  # its place in the deck [6.3]


def _only_card(point: Point) -> int:
    cards = [card for card in range(52) if group.equal(proofs.CARDS[card], point)]
    require(len(cards) == 1, "bad-proof")
    return cards[0]


class Deck:
    """What the entries of a hand do to the deck; lists of two are by seat."""

    def __init__(self, *, second: bool) -> None:
        self.second = second  # a second deck gives the knock card, and no upcard is turned
        self.commitments: list[bytes | None] = [None, None]
        self.toss_commitments: list[bytes | None] = [None, None]  # the dealer's
        self.halves: list[bytes | None] = [None, None]  # of the toss
        self.keys: list[Point | None] = [None, None]
        self.joint_key: Point = group.IDENTITY
        self.deck: list[Ciphertext] = proofs.OPEN_DECK
        self.held: list[list[Ciphertext]] = [[], []]
        self.upcard_shares: list[Point] = []
        self.next_place = UPCARD if second else UPCARD + 1
        # What the audit looks at: all by this seat.
        self.shuffles: list[list[Shuffle]] = [[], []]
        self.shares: list[list[tuple[Point, Point]]] = [[], []]
        self.opened: list[list[tuple[Ciphertext, int]]] = [[], []]

    @property
    def left(self) -> int:
        """The cards left in the stock."""
        return 52 - self.next_place

    def key(self, seat: int) -> Point:
        return self.keys[seat] or group.IDENTITY

    # ------------------------------------------------------------ the deal [6.3]

    def read_key(self, place: Place, m: Message) -> None:
        require(len(m["key"]) == 32, "bad-encoding")
        key = group.decode(m["key"])
        proofs.check_possession(place, key, m["possession"])
        self.keys[place.seat] = key

    def join_keys(self) -> None:
        self.joint_key = group.add(self.key(0), self.key(1))
        require(not group.is_identity(self.joint_key), "bad-proof")

    def shuffle(self, place: Place, m: Message) -> None:
        after = proofs.read_ciphertexts(m["deck"], 52)
        proofs.check_shuffle(place, self.joint_key, self.deck, after, m["argument"])
        self.shuffles[place.seat].append(Shuffle("deal-shuffle", self.joint_key, self.deck, after))
        self.deck = after

    def deal(self, place: Place, m: Message, places: Sequence[int]) -> None:
        """Shares for the other's ten cards, and for the upcard where one is turned."""
        upcard = [] if self.second else [UPCARD]
        shares = self._give(place, [*places, *upcard], m["shares"], m["proof"])
        self._hold(1 - place.seat, places, shares[:10])
        self.upcard_shares += shares[10:]

    def turn_upcard(self) -> int:
        return _only_card(group.subtract(self.deck[UPCARD][1], group.add(*self.upcard_shares)))

    def _give(self, place: Place, places: Sequence[int], data: bytes, proof: bytes) -> list[Point]:
        """PROTOCOL 6.4."""
        bases = [self.deck[i][0] for i in places]
        images = proofs.read_elements(data, len(places))
        proofs.check_equal_logarithms("share", place, self.key(place.seat), bases, images, proof)
        self.shares[place.seat] += zip(bases, images, strict=True)
        return images

    def _hold(self, taker: int, places: Sequence[int], shares: Sequence[Point]) -> None:
        for i, share in zip(places, shares, strict=True):
            c1, c2 = self.deck[i]
            self.held[taker].append((c1, group.subtract(c2, share)))

    # ------------------------------------------------------------ turns [6.4 to 6.7]

    def share(self, place: Place, m: Message) -> None:
        shares = self._give(place, [self.next_place], m["share"], m["proof"])
        self._hold(1 - place.seat, [self.next_place], shares)
        self.next_place += 1

    def take(self, seat: int, cards: Sequence[int]) -> None:
        """From the pile, its lowest card first."""
        for card in cards:
            self.held[seat].append((group.B, group.add(proofs.CARDS[card], self.key(seat))))

    def riffle(self, place: Place, m: Message) -> None:
        before, key = self.held[place.seat], self.key(place.seat)
        if len(before) == 1:
            require(m["hand"] == m["argument"] == b"", "bad-length")
            return
        after = proofs.read_ciphertexts(m["hand"], len(before))
        proofs.check_shuffle(place, key, before, after, m["argument"])
        self.shuffles[place.seat].append(Shuffle("riffle", key, before, after))
        self.held[place.seat] = after

    def open(
        self, place: Place, positions: Sequence[int], cards: Sequence[int], proof: bytes
    ) -> None:
        """These places of the hand hold these cards, and leave it."""
        held, key = self.held[place.seat], self.key(place.seat)
        require(all(position < len(held) for position in positions), "bad-proof")
        opened = list(zip([held[position] for position in positions], cards, strict=True))
        bases = [c1 for (c1, _), _ in opened]
        images = [group.subtract(c2, proofs.CARDS[card]) for (_, c2), card in opened]
        proofs.check_equal_logarithms("opening", place, key, bases, images, proof)
        self.opened[place.seat] += opened
        self.held[place.seat] = [c for i, c in enumerate(held) if i not in positions]

    # ------------------------------------------------------------ the audit [6.8]

    def audit(self, table: bytes, number: int, seat: int, seed: bytes) -> None:
        commitment = proofs.seed_commitment(table, number, seat, seed)
        require(commitment == self.commitments[seat], "seed-mismatch")
        half = proofs.seed_toss(seed)
        require(self.halves[seat] in (None, half), "audit-failed")
        committed = proofs.toss_commitment(table, number, half)
        require(self.toss_commitments[seat] in (None, committed), "audit-failed")
        self._audit_cards(seat, seed)

    def _audit_cards(self, seat: int, seed: bytes) -> None:
        """Proofs have told all of it but the permutations and blindings, the audit tells anew."""
        key, x = self.keys[seat], proofs.seed_scalar(seed)
        if key is None:
            return
        require(group.equal(group.combine([(x, group.B)]), key), "audit-failed")
        for shuffle in self.shuffles[seat]:
            require(shuffle.follows_from(seed), "audit-failed")
        for base, image in self.shares[seat]:
            require(group.equal(group.combine([(x, base)]), image), "audit-failed")
        for (c1, c2), card in self.opened[seat]:
            point = group.subtract(c2, group.combine([(x, c1)]))
            require(group.equal(point, proofs.CARDS[card]), "audit-failed")


_TOY_CARDS = [
    int.from_bytes(group.uniform(bytes([i]), b"ginpeer/v1/card"), "little") % group.L
    for i in range(52)
]


class UnprovenDeck(Deck):
    """Believes every key, shuffle, share and opening: for the rules of long matches alone.

    They are played in the toy group: an element is a number modulo L, added, little-endian. Of all
    of them it looks at the upcard's. What it holds are places without content.
    """

    def __init__(self, *, second: bool) -> None:
        super().__init__(second=second)
        self._upcard = b""
        self._shares_of_it: list[bytes] = []

    def read_key(self, place: Place, m: Message) -> None:
        pass

    def join_keys(self) -> None:
        pass

    def shuffle(self, place: Place, m: Message) -> None:
        self._upcard = m["deck"][64 * UPCARD + 32 : 64 * UPCARD + 64]

    def deal(self, place: Place, m: Message, places: Sequence[int]) -> None:
        self.take(1 - place.seat, places)
        if not self.second:
            self._shares_of_it.append(m["shares"][320:])

    def turn_upcard(self) -> int:
        upcard, *shares = (int.from_bytes(n, "little") for n in (self._upcard, *self._shares_of_it))
        return _TOY_CARDS.index((upcard - sum(shares)) % group.L)

    def share(self, place: Place, m: Message) -> None:
        self.take(1 - place.seat, [self.next_place])
        self.next_place += 1

    def take(self, seat: int, cards: Sequence[int]) -> None:
        self.held[seat] += [(group.IDENTITY, group.IDENTITY)] * len(cards)

    def riffle(self, place: Place, m: Message) -> None:
        pass

    def open(
        self, place: Place, positions: Sequence[int], cards: Sequence[int], proof: bytes
    ) -> None:
        held = self.held[place.seat]
        require(all(position < len(held) for position in positions), "bad-proof")
        self.held[place.seat] = held[len(positions) :]

    def _audit_cards(self, seat: int, seed: bytes) -> None:
        pass
