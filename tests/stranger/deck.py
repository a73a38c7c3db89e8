"""The deck of one hand (PROTOCOL 6): keys, shuffles, shares, openings and the audit."""

from collections.abc import Sequence
from typing import Any

from . import group, proofs
from .group import Point
from .proofs import Argument, Ciphertext, Place, Shuffle
from .refusal import require

Message = dict[str, Any]
"""The fields of an entry's message, by their names in entry.proto."""

UPCARD = 20  # its place in the deck [6.3]


def _only_card(point: Point) -> int:
    cards = [card for card in range(52) if group.equal(proofs.CARDS[card], point)]
    require(len(cards) == 1, "bad-proof")
    return cards[0]


def _read_key(m: Message) -> tuple[Point, list[int]]:
    require(len(m["key"]) == 32, "bad-encoding")
    return group.decode(m["key"]), proofs.read_proof(m["possession"])


def _read_shuffle(cards: bytes, argument: bytes, n: int) -> tuple[list[Ciphertext], Argument]:
    return proofs.read_ciphertexts(cards, n), proofs.read_argument(argument, n)


def _read_opening(
    held: Sequence[Ciphertext], positions: Sequence[int], opening: bytes
) -> list[int]:
    require(all(position < len(held) for position in positions), "bad-proof")
    return proofs.read_proof(opening)


class Deck:
    """The effect of a hand's entries on the deck. Lists of two have an item for each seat."""

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
        # What each seat made, for the audit to check.
        self.shuffles: list[list[Shuffle]] = [[], []]
        self.shares: list[list[tuple[Point, Point]]] = [[], []]
        self.opened: list[list[tuple[Ciphertext, int]]] = [[], []]

    def key(self, seat: int) -> Point:
        return self.keys[seat] or group.IDENTITY

    # ------------------------------------------------------------ the deal [6.3, read as 7.5 says]

    def deal_key(self, place: Place, m: Message) -> None:
        self._take_key(place, *_read_key(m))

    def deal_deck(self, place: Place, m: Message) -> None:
        shuffled = _read_shuffle(m["deck"], m["argument"], 52)
        self._take_key(place, *_read_key(m))
        self.joint_key = group.add(self.key(0), self.key(1))
        require(not group.is_identity(self.joint_key), "bad-proof")
        self._shuffle(place, *shuffled)

    def deal_shuffle(self, place: Place, m: Message) -> None:
        shuffled = _read_shuffle(m["deck"], m["argument"], 52)
        shares = self._read_shares(m)
        self._shuffle(place, *shuffled)
        self._deal(place, range(1, 20, 2), *shares)

    def deal_shares(self, place: Place, m: Message) -> None:
        self._deal(place, range(0, 19, 2), *self._read_shares(m))

    def _take_key(self, place: Place, key: Point, possession: list[int]) -> None:
        proofs.check_possession(place, key, possession)
        self.keys[place.seat] = key

    def _shuffle(self, place: Place, after: list[Ciphertext], argument: Argument) -> None:
        proofs.check_shuffle(place, self.joint_key, self.deck, after, argument)
        self.shuffles[place.seat].append(Shuffle("deal-shuffle", self.joint_key, self.deck, after))
        self.deck = after

    def _read_shares(self, m: Message) -> tuple[list[Point], list[int]]:
        count = 10 if self.second else 11
        return proofs.read_elements(m["shares"], count), proofs.read_proof(m["proof"])

    def _deal(
        self, place: Place, places: Sequence[int], shares: list[Point], proof: list[int]
    ) -> None:
        """Handle the shares for the opponent's ten cards, and for the upcard if there is one."""
        upcard = [] if self.second else [UPCARD]
        self._give(place, [*places, *upcard], shares, proof)
        self._hold(1 - place.seat, places, shares[:10])
        self.upcard_shares += shares[10:]

    def turn_upcard(self) -> int:
        return _only_card(group.subtract(self.deck[UPCARD][1], group.add(*self.upcard_shares)))

    def _give(
        self, place: Place, places: Sequence[int], images: list[Point], proof: list[int]
    ) -> None:
        """Handle shares of these places for the other seat (PROTOCOL 6.4)."""
        bases = [self.deck[i][0] for i in places]
        proofs.check_equal_logarithms("share", place, self.key(place.seat), bases, images, proof)
        self.shares[place.seat] += zip(bases, images, strict=True)

    def _hold(self, taker: int, places: Sequence[int], shares: Sequence[Point]) -> None:
        for i, share in zip(places, shares, strict=True):
            c1, c2 = self.deck[i]
            self.held[taker].append((c1, group.subtract(c2, share)))

    # ------------------------------------------------------------ turns [6.4 to 6.7]

    def share(self, place: Place, m: Message) -> None:
        shares, proof = proofs.read_elements(m["share"], 1), proofs.read_proof(m["proof"])
        self._give(place, [self.next_place], shares, proof)
        self._hold(1 - place.seat, [self.next_place], shares)
        self.next_place += 1

    def take(self, seat: int, cards: Sequence[int]) -> None:
        """Take these cards from the pile, the bottom one first."""
        for card in cards:
            self.held[seat].append((group.B, group.add(proofs.CARDS[card], self.key(seat))))

    def riffle_and_open(
        self, place: Place, m: Message, positions: Sequence[int], cards: Sequence[int]
    ) -> None:
        """Riffle the hand and open these places. Their cards leave the hand."""
        before, key = self.held[place.seat], self.key(place.seat)
        proof = _read_opening(before, positions, m["opening"])
        if len(before) == 1:
            require(m["hand"] == m["argument"] == b"", "bad-length")
        else:
            after, argument = _read_shuffle(m["hand"], m["argument"], len(before))
            proofs.check_shuffle(place, key, before, after, argument)
            self.shuffles[place.seat].append(Shuffle("riffle", key, before, after))
            self.held[place.seat] = after
        self._open(place, positions, cards, proof)

    def open(self, place: Place, m: Message) -> None:
        """Open the whole hand, in its current order."""
        held = self.held[place.seat]
        positions = range(len(held))
        self._open(place, positions, m["cards"], _read_opening(held, positions, m["opening"]))

    def _open(
        self, place: Place, positions: Sequence[int], cards: Sequence[int], proof: list[int]
    ) -> None:
        held, key = self.held[place.seat], self.key(place.seat)
        opened = list(zip([held[position] for position in positions], cards, strict=True))
        bases = [c1 for (c1, _), _ in opened]
        images = [group.subtract(c2, proofs.CARDS[card]) for (_, c2), card in opened]
        proofs.check_equal_logarithms("opening", place, key, bases, images, proof)
        self.opened[place.seat] += opened
        self.held[place.seat] = [c for i, c in enumerate(held) if i not in positions]

    # ------------------------------------------------------------ the audit [6.8]

    def check_seed(self, table: bytes, number: int, seat: int, seed: bytes) -> None:
        commitment = proofs.seed_commitment(table, number, seat, seed)
        require(commitment == self.commitments[seat], "seed-mismatch")

    def audit(self, table: bytes, number: int, seat: int, seed: bytes) -> None:
        half = proofs.seed_toss(seed)
        require(self.halves[seat] in (None, half), "audit-failed")
        committed = proofs.toss_commitment(table, number, half)
        require(self.toss_commitments[seat] in (None, committed), "audit-failed")
        self._audit_cards(seat, seed)

    def _audit_cards(self, seat: int, seed: bytes) -> None:
        """Recompute the hand from its seed. The proofs have already shown everything except its
        permutations and blindings."""
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
