"""The match: whose entry is awaited, and what each entry does (PROTOCOL 3, 6, 7)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha512
from typing import Any, NamedTuple

from . import gin, group, proofs, wire
from .group import Point
from .proofs import DOMAIN, Ciphertext, frame
from .refusal import Refusal, require
from .wire import Message

HOST, GUEST = 0, 1
STOCK = 21  # the first place of the stock [6.3]

# What each state admits [3.3].
_ADMITTED = {
    "offer": {"offer"},
    "accept": {"accept"},
    "cut commit": {"cut_commit"},
    "cut value": {"cut_value"},
    "cut reveal": {"cut_reveal"},
    "deal 1": {"deal_commit", "resign"},
    "deal 2": {"deal_key", "resign"},
    "deal 3": {"deal_deck", "resign"},
    "deal 4": {"deal_shuffle", "resign"},
    "deal 5": {"deal_shares", "resign"},
    "first upcard": {"pass", "take_upcard", "resign"},
    "second upcard": {"pass", "take_upcard", "resign"},
    "first draw": {"draw_stock", "take_upcard", "resign"},
    "draw": {"draw_stock", "take_upcard", "resign"},
    "share": {"share", "resign"},
    "discard": {"discard", "knock", "resign"},
    "spread": {"spread", "resign"},
    "settle": {"settle"},
    "disclose": {"disclose"},
}


class Shuffle(NamedTuple):
    """A shuffle that the audit repeats from its author's seed [6.8]."""

    name: str
    suffix: str
    key: Point
    before: Sequence[Ciphertext]
    after: Sequence[Ciphertext]


@dataclass
class Hand:
    """One hand; lists of two are by seat."""

    number: int
    dealer: int
    commitments: list[bytes | None] = field(default_factory=lambda: [None, None])
    keys: list[Point | None] = field(default_factory=lambda: [None, None])
    joint_key: Point = group.IDENTITY
    deck: list[Ciphertext] = field(default_factory=list)
    held: list[list[Ciphertext]] = field(default_factory=lambda: [[], []])
    shuffles: list[list[Shuffle]] = field(default_factory=lambda: [[], []])
    upcard_shares: list[Point] = field(default_factory=list)
    drawn: int = 0
    pile: list[int] = field(default_factory=list)
    taken: list[set[int]] = field(default_factory=lambda: [set(), set()])  # seen taken, still held
    just_taken: int | None = None
    swaps: int = 0  # turns in a row that began with the pile
    laid: gin.Laid | None = None

    def key(self, seat: int) -> Point:
        return self.keys[seat] or group.IDENTITY

    def known(self, seat: int) -> gin.Known:
        return gin.Known(set(self.pile) | self.taken[1 - seat], self.taken[seat])


class Match:
    """Entries are admitted one by one; after a refusal the match is of no further use."""

    def __init__(self) -> None:
        self.state = "offer"
        self.owes: int | None = HOST
        self.entries: list[tuple[bytes, int]] = []  # with the author
        self.previous = [bytes(32)]  # what the entry with this number names as the one before
        self.table = b""
        self.keys: list[bytes] = []
        self.offer: Message = {}
        self.rules: gin.Rules = {}
        self.cut: list[bytes] = []
        self.hands: list[Hand] = []
        self.points, self.hands_won = [0, 0], [0, 0]
        self.winner: int | None = None
        self.resigned = False
        self.totals: list[int] | None = None
        self.settled = False
        self.disclosures: list[tuple[int, list[Hand]]] = []  # still owed

    # ------------------------------------------------------------ one entry [7.1]

    def admit(self, entry: bytes) -> None:
        """Judge the next entry; Refusal says why it is none."""
        signer: int | None = None
        try:
            require(64 < len(entry) <= wire.MAX_ENTRY, "not-an-entry", convicts=False)
            signer, body = self._authenticate(entry)
            self._check_position(entry, body, signer)
            require(self.state != "end", "after-the-end")
            require(signer == self.owes, "out-of-turn")
            kind, message = body["message"]
            require(kind in _ADMITTED[self.state], "not-allowed-now")
            self.table = body["table"]
            getattr(self, f"_{kind}")(message, signer)
        except Refusal as refusal:
            if refusal.convicts and signer is not None:
                refusal.culprit = signer
            raise
        self.entries.append((entry, signer))
        self.previous.append(proofs.digest("entry-hash", entry=entry))

    def _authenticate(self, entry: bytes) -> tuple[int, Message]:
        """Steps 2 to 4 of 7.1: who signed, and what."""
        body, signature = entry[:-64], entry[-64:]

        def signed_by(key: bytes) -> bool:
            return group.signature_holds(key, frame(DOMAIN, "entry") + body, signature)

        for seat in sorted(range(len(self.keys)), key=lambda seat: seat != self.owes):
            if signed_by(self.keys[seat]):
                try:
                    return seat, wire.decode_body(body)
                except Refusal as refusal:
                    refusal.culprit = seat
                    raise
        require(self.state != "end", "after-the-end", convicts=False)
        require(self.state in ("offer", "accept"), "bad-signature", convicts=False)
        if self.state == "offer":
            require(wire.offered_version(body) <= 1, "too-new", convicts=False)
        try:
            decoded = wire.decode_body(body)
        except Refusal as refusal:
            raise Refusal(refusal.code, convicts=False) from None
        kind, message = decoded["message"]
        key = message.get("key", b"") if kind in ("offer", "accept") else b""
        require(key != b"", "bad-signature", convicts=False)
        require(group.is_public_key(key), "bad-public-key", convicts=False)
        require(signed_by(key), "bad-signature", convicts=False)
        return len(self.keys), decoded

    def _check_position(self, entry: bytes, body: Message, signer: int) -> None:
        """Steps 5 and 6 of 7.1."""
        number, here = body["sequence"], len(self.entries)
        require(self.state == "offer" or body["table"] == self.table, "wrong-table", False)
        require(number <= here, "wrong-sequence", convicts=False)
        if number < here:
            require(entry != self.entries[number][0], "duplicate", convicts=False)
        require(body["previous"] == self.previous[number], "wrong-previous", number == 0)
        if number < here:
            kind = body["message"][0]
            require(kind != "offer" or signer == 0, "wrong-table", convicts=False)
            require(kind != "accept" or signer == 0, "duplicate", convicts=False)
            require(self.entries[number][1] != signer, "fork")
            raise Refusal("out-of-turn")

    def verdict(self, torn: bool = False) -> dict[str, Any]:
        """PROTOCOL 7.2, if every entry so far was admitted."""
        finished = self.state == "end"
        finding = "incomplete" if not finished else "forged" if torn else "valid"
        return {
            "verdict": finding,
            "code": "torn" if torn else None,
            "entry": len(self.entries) if torn else None,
            "culprit": None,
            "owes": self.owes,
            "awaited": self.state,
            "totals": self.totals,
            "winner": self.winner,
        }

    def _await(self, state: str, owes: int) -> None:
        self.state, self.owes = state, owes

    @property
    def hand(self) -> Hand:
        return self.hands[-1]

    def _place(self, seat: int) -> proofs.Place:
        number = len(self.entries)
        return proofs.Place(self.table, number, self.previous[number], self.hand.number, seat)

    # ------------------------------------------------------------ before the first deal

    def _offer(self, m: Message, seat: int) -> None:
        self.rules = gin.parse_rules(m["rules"])
        self.offer = m
        self.keys.append(m["key"])
        self._await("accept", GUEST)

    def _accept(self, m: Message, seat: int) -> None:
        require(m["rules"] == self.offer["rules"], "rules-differ")
        self.keys.append(m["key"])
        self._await("cut commit", HOST)

    def _cut_commit(self, m: Message, seat: int) -> None:
        self.cut.append(m["commitment"])
        self._await("cut value", GUEST)

    def _cut_value(self, m: Message, seat: int) -> None:
        self.cut.append(m["value"])
        self._await("cut reveal", HOST)

    def _cut_reveal(self, m: Message, seat: int) -> None:
        """PROTOCOL 6.1."""
        commitment, guest = self.cut
        host = m["value"]
        opened = proofs.digest("cut", table=self.table, value=host)
        require(opened == commitment, "cut-mismatch")
        framed = frame("table", self.table) + frame("host", host) + frame("guest", guest)
        x = sha512(frame(DOMAIN, "cut-cards") + framed).digest()
        host_card = int.from_bytes(x[:32], "big") % 52
        guest_card = int.from_bytes(x[32:], "big") % 51
        guest_card += guest_card >= host_card
        lower = min(host_card, guest_card, key=lambda card: (gin.rank(card), card))
        self._next_hand(HOST if lower == host_card else GUEST)

    # ------------------------------------------------------------ the deal [6.3]

    def _next_hand(self, dealer: int) -> None:
        self.hands.append(Hand(len(self.hands) + 1, dealer))
        self._await("deal 1", dealer)

    def _deal_commit(self, m: Message, seat: int) -> None:
        self.hand.commitments[seat] = m["commitment"]
        self._await("deal 2", 1 - seat)

    def _deal_key(self, m: Message, seat: int) -> None:
        self._read_key(m, seat)
        self.hand.commitments[seat] = m["commitment"]
        self._await("deal 3", 1 - seat)

    def _deal_deck(self, m: Message, seat: int) -> None:
        self._read_key(m, seat)
        self.hand.joint_key = group.add(self.hand.key(HOST), self.hand.key(GUEST))
        require(not group.is_identity(self.hand.joint_key), "bad-proof")
        self._shuffle_deck(m, seat, proofs.OPEN_DECK)
        self._await("deal 4", 1 - seat)

    def _deal_shuffle(self, m: Message, seat: int) -> None:
        self._shuffle_deck(m, seat, self.hand.deck)
        self._deal_to(1 - seat, range(1, 20, 2), m, seat)
        self._await("deal 5", 1 - seat)

    def _deal_shares(self, m: Message, seat: int) -> None:
        self._deal_to(1 - seat, range(0, 19, 2), m, seat)
        upcard = group.subtract(self.hand.deck[20][1], group.add(*self.hand.upcard_shares))
        self.hand.pile = [card for card in range(52) if group.equal(proofs.CARDS[card], upcard)]
        require(len(self.hand.pile) == 1, "bad-proof")
        self._await("first upcard", 1 - seat)

    def _read_key(self, m: Message, seat: int) -> None:
        require(len(m["key"]) == 32, "bad-encoding")
        key = group.decode(m["key"])
        proofs.check_possession(self._place(seat), key, m["possession"])
        self.hand.keys[seat] = key

    def _shuffle_deck(self, m: Message, seat: int, before: Sequence[Ciphertext]) -> None:
        hand = self.hand
        after = proofs.read_ciphertexts(m["deck"], 52)
        proofs.check_shuffle(self._place(seat), hand.joint_key, before, after, m["argument"])
        hand.shuffles[seat].append(Shuffle("deal", "", hand.joint_key, before, after))
        hand.deck = after

    def _give(self, taker: int, places: Sequence[int], m: Message, shares: bytes) -> list[Point]:
        """The cards at these places go to the taker; the other's shares for them [6.4, 6.5].

        Place 20, the upcard, goes to nobody.
        """
        hand, giver = self.hand, 1 - taker
        bases = [hand.deck[place][0] for place in places]
        images = proofs.read_elements(shares, len(places))
        proofs.check_equal_logarithms(
            "share", self._place(giver), hand.key(giver), bases, images, m["proof"]
        )
        for place, share in zip(places, images, strict=True):
            c1, c2 = hand.deck[place]
            if place != 20:
                hand.held[taker].append((c1, group.subtract(c2, share)))
        return images

    def _deal_to(self, taker: int, places: Sequence[int], m: Message, seat: int) -> None:
        self.hand.upcard_shares.append(self._give(taker, [*places, 20], m, m["shares"])[-1])

    # ------------------------------------------------------------ turns [3.3, 6.5 to 6.7, 8]

    def _pass(self, m: Message, seat: int) -> None:
        first = self.state == "first upcard"
        self._await("second upcard" if first else "first draw", 1 - seat)

    def _take_upcard(self, m: Message, seat: int) -> None:
        require(self.state != "first draw", "wrong-phase")
        hand = self.hand
        card = hand.just_taken = hand.pile.pop()
        hand.held[seat].append((group.B, group.add(proofs.CARDS[card], hand.key(seat))))
        hand.taken[seat].add(card)
        hand.swaps += 1
        self._await("discard", seat)

    def _draw_stock(self, m: Message, seat: int) -> None:
        self.hand.just_taken, self.hand.swaps = None, 0
        self._await("share", 1 - seat)

    def _share(self, m: Message, seat: int) -> None:
        self._give(1 - seat, [STOCK + self.hand.drawn], m, m["share"])
        self.hand.drawn += 1
        self._await("discard", 1 - seat)

    def _riffle(self, m: Message, seat: int) -> list[Ciphertext]:
        """PROTOCOL 6.6."""
        hand = self.hand
        before, key = hand.held[seat], hand.key(seat)
        after = proofs.read_ciphertexts(m["hand"], len(before))
        proofs.check_shuffle(self._place(seat), key, before, after, m["argument"])
        number = len(hand.shuffles[seat]) - 1  # without the shuffle of the deck
        hand.shuffles[seat].append(Shuffle("riffle", f"-{number}", key, before, after))
        return after

    def _open(
        self, hand: Sequence[Ciphertext], cards: Sequence[int], proof: bytes, seat: int
    ) -> None:
        """PROTOCOL 6.7."""
        points = [proofs.CARDS[card] for card in cards]
        bases = [c1 for c1, _ in hand]
        images = [group.subtract(c2, point) for (_, c2), point in zip(hand, points, strict=True)]
        key = self.hand.key(seat)
        proofs.check_equal_logarithms("opening", self._place(seat), key, bases, images, proof)

    def _discard(self, m: Message, seat: int) -> None:
        hand, card, position = self.hand, m["card"], m["position"]
        require(card != hand.just_taken, "just-taken")
        require(card not in hand.known(seat).elsewhere, "card-not-held")
        riffled = self._riffle(m, seat)
        require(position < len(riffled), "bad-proof")
        self._open([riffled[position]], [card], m["opening"], seat)
        hand.held[seat] = riffled[:position] + riffled[position + 1 :]
        hand.taken[seat].discard(card)
        hand.pile.append(card)
        self._await("draw", 1 - seat)
        if 52 - STOCK - hand.drawn == 2 or hand.swaps == self.rules["swap-limit"]:
            self._after_hand()

    def _knock(self, m: Message, seat: int) -> None:
        hand = self.hand
        hand.laid = gin.knock(self.rules, m, hand.known(seat), hand.just_taken)
        self._open(self._riffle(m, seat), m["cards"], m["opening"], seat)
        hand.taken[seat] = set(m["cards"])
        self._await("spread", 1 - seat)

    def _spread(self, m: Message, seat: int) -> None:
        hand = self.hand
        if hand.laid is None:
            raise ValueError("a spread answers a knock")
        defence = gin.spread(m, hand.known(seat), hand.laid)
        self._open(hand.held[seat], m["cards"], m["opening"], seat)
        by_knocker, points = gin.score(self.rules, hand.laid, defence)
        if by_knocker is not None:
            winner = 1 - seat if by_knocker else seat
            self.points[winner] += points
            self.hands_won[winner] += 1
            if self.points[winner] >= self.rules["target"]:
                self.winner = winner
        self._after_hand()

    # ------------------------------------------------------------ the end [3.3, 6.8, 8.8, 8.9]

    def _resign(self, m: Message, seat: int) -> None:
        self.winner, self.resigned = 1 - seat, True
        self._after_hand()

    def _after_hand(self) -> None:
        if self.offer["disclosure"] == 2:
            self._owe_disclosures([self.hand])
        self._go_on()

    def _owe_disclosures(self, hands: Sequence[Hand]) -> None:
        for seat in (HOST, GUEST):
            committed = [hand for hand in hands if hand.commitments[seat] is not None]
            if committed:
                self.disclosures.append((seat, committed))

    def _go_on(self) -> None:
        """What follows a hand, a resignation, a settlement or a disclosure."""
        if self.disclosures:
            self._await("disclose", self.disclosures[0][0])
        elif self.settled:
            self.state, self.owes = "end", None
        elif self.winner is not None:
            self._await("settle", HOST)
        else:
            is_void = self.hand.laid is None
            self._next_hand(self.hand.dealer if is_void else 1 - self.hand.dealer)

    def _settle(self, m: Message, seat: int) -> None:
        if self.winner is None:
            raise ValueError("a settlement follows the last hand")
        totals = gin.totals(self.rules, self.points, self.hands_won, self.winner, self.resigned)
        stated = [m["hands"], m["host_total"], m["guest_total"], m["winner"]]
        require(stated == [len(self.hands), *totals, self.winner], "wrong-score")
        if seat == HOST:
            self._await("settle", GUEST)
            return
        self.totals, self.settled = totals, True
        if self.offer["disclosure"] == 1:
            self._owe_disclosures(self.hands)
        self._go_on()

    def _disclose(self, m: Message, seat: int) -> None:
        _, hands = self.disclosures[0]
        require(len(m["seeds"]) == len(hands), "wrong-seed-count")
        for hand, seed in zip(hands, m["seeds"], strict=True):
            commitment = proofs.seed_commitment(self.table, hand.number, seat, seed)
            require(commitment == hand.commitments[seat], "seed-mismatch")
            key = hand.keys[seat]
            require(key is None or group.equal(proofs.seed_key(seed), key), "audit-failed")
            for shuffle in hand.shuffles[seat]:
                require(proofs.is_shuffle_of_seed(seed, *shuffle), "audit-failed")
        del self.disclosures[0]
        self._go_on()


def judge(data: bytes) -> dict[str, Any]:
    """The verdict on a log file (PROTOCOL 7.2)."""
    match = Match()
    try:
        entries, torn = wire.split_log(data)
    except Refusal as refusal:
        return match.verdict() | {"verdict": "unreadable", "code": refusal.code}
    return judge_entries(match, entries, torn)


def judge_entries(match: Match, entries: Sequence[bytes], torn: bool = False) -> dict[str, Any]:
    """The verdict on a match that goes on with these entries."""
    for entry in entries:
        try:
            match.admit(entry)
        except Refusal as refusal:
            unread = refusal.code in ("too-new", "rules-unsupported")
            return match.verdict() | {
                "verdict": "unreadable" if unread else "forged",
                "code": refusal.code,
                "entry": len(match.entries),
                "culprit": refusal.culprit,
            }
    return match.verdict(torn)
