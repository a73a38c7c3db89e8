"""The match: whose entry is awaited, and what each entry does (PROTOCOL 3, 6, 7, 8)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha512
from typing import Any

from . import gin, group, proofs, wire
from .deck import Deck, UnprovenDeck
from .proofs import DOMAIN, frame
from .refusal import Refusal, require
from .rule_text import Rules, parse_rules
from .scores import Score, next_dealer
from .wire import Message

HOST, GUEST = 0, 1

# What each state admits [3.3].
_DRAW = {"draw_stock", "take_upcard", "take_discards", "resign"}
ADMITTED = {
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
    "stock draw": _DRAW,
    "draw": _DRAW,
    "share": {"share", "resign"},
    "discard": {"discard", "knock", "lay", "resign"},
    "last chance": {"pass", "take_upcard", "resign"},
    "spread": {"spread"},
    "settle": {"settle"},
    "disclose": {"disclose"},
}


@dataclass
class Hand:
    """One hand; lists of two are by seat."""

    number: int
    dealer: int
    deck: Deck
    pile: list[int] = field(default_factory=list)
    taken: list[set[int]] = field(default_factory=lambda: [set(), set()])  # seen taken, still held
    just_taken: int | None = None  # with TakeUpcard
    swaps: int = 0  # turns in a row that began with the pile
    upcard: int | None = None  # the card turned up at the deal
    limit_card: int | None = None  # the card that sets the knock limit [8.5]
    laid: gin.Laid | None = None  # the knocker's hand
    table: list[list[int]] = field(default_factory=list)  # Mahjong gin: the melds,
    put: list[set[int]] = field(default_factory=lambda: [set(), set()])  # and whose cards they are
    is_void: bool = False
    is_doubled: bool = False  # by a spade
    winner: int | None = None

    def known(self, seat: int) -> gin.Known:
        return gin.Known(
            {*self.pile, *self.taken[1 - seat], *self.put[0], *self.put[1]}, self.taken[seat]
        )


def cut_cards(table: bytes, host: bytes, guest: bytes) -> tuple[int, int]:
    """The host's card and the guest's (PROTOCOL 6.1)."""
    framed = frame("table", table) + frame("host", host) + frame("guest", guest)
    x = sha512(frame(DOMAIN, "cut-cards") + framed).digest()
    host_card = int.from_bytes(x[:32], "big") % 52
    guest_card = int.from_bytes(x[32:], "big") % 51
    return host_card, guest_card + (guest_card >= host_card)


class Match:
    """Entries are admitted one by one; after a refusal the match is of no further use."""

    def __init__(self, *, unproven: bool = False) -> None:
        self.deck_class = UnprovenDeck if unproven else Deck
        self.state = "offer"
        self.owes: int | None = HOST
        self.entries: list[tuple[bytes, int]] = []  # with the author
        self.previous = [bytes(32)]  # what the entry with this number names as the one before
        self.table = b""
        self.keys: list[bytes] = []
        self.offer: Message = {}
        self.rules: Rules = {}
        self.cut: list[bytes] = []
        self.hands: list[Hand] = []
        self.score = Score(parse_rules("standard"))
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
            require(kind in ADMITTED[self.state], "not-allowed-now")
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
            require(kind != "offer" or signer == HOST, "wrong-table", convicts=False)
            again = kind == "accept" and signer == GUEST and number == 1
            require(not again, "duplicate", convicts=False)
            require(self.entries[number][1] != signer, "fork")
            raise Refusal("out-of-turn")

    def verdict(self, end: str | None = None) -> dict[str, Any]:
        """PROTOCOL 7.2, if every entry so far was admitted; *end* is what stands behind them."""
        finished = self.state == "end"
        finding = "incomplete" if not finished else "forged" if end else "valid"
        if end in ("bad-record", "log-too-large"):
            finding = "unreadable"
        return {
            "verdict": finding,
            "code": end,
            "entry": len(self.entries) if end else None,
            "culprit": None,
            "owes": self.owes,
            "awaited": self.state,
            "totals": self.totals,
            "winner": self.score.winner,
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
        self.rules = parse_rules(m["rules"])
        self.score = Score(self.rules)
        self.offer = m
        self.keys.append(m["key"])
        self._await("accept", GUEST)

    def _accept(self, m: Message, seat: int) -> None:
        require(m["rules"] == self.offer["rules"], "rules-differ")
        self.keys.append(m["key"])
        if self.rules["first-dealer"] == "lower-cut":
            self._await("cut commit", HOST)
        else:
            self._next_hand(HOST if self.rules["first-dealer"] == "host" else GUEST)

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
        host_card, guest_card = cut_cards(self.table, host, guest)
        lower = min(host_card, guest_card, key=lambda card: (gin.rank(card), card))
        self._next_hand(HOST if lower == host_card else GUEST)

    # ------------------------------------------------------------ the deal [6.3, 6.9]

    def _next_hand(self, dealer: int) -> None:
        deck = self.deck_class(second=self.rules["knock-limit"] == "second-deck")
        self.hands.append(Hand(len(self.hands) + 1, dealer, deck))
        self._await("deal 1", dealer)

    def _check_toss(self, m: Message) -> None:
        require((m["toss"] != b"") == self.hand.deck.second, "wrong-toss")

    def _deal_commit(self, m: Message, seat: int) -> None:
        deck = self.hand.deck
        self._check_toss(m)
        deck.commitments[seat] = m["commitment"]
        if deck.second:
            deck.toss_commitments[seat] = m["toss"]
        self._await("deal 2", 1 - seat)

    def _deal_key(self, m: Message, seat: int) -> None:
        deck = self.hand.deck
        self._check_toss(m)
        if deck.second:
            deck.halves[seat] = m["toss"]
        deck.deal_key(self._place(seat), m)
        deck.commitments[seat] = m["commitment"]
        self._await("deal 3", 1 - seat)

    def _deal_deck(self, m: Message, seat: int) -> None:
        deck, number, other = self.hand.deck, self.hand.number, self.hand.deck.halves[1 - seat]
        self._check_toss(m)
        if other is not None:
            committed = proofs.toss_commitment(self.table, number, m["toss"])
            require(committed == deck.toss_commitments[seat], "toss-mismatch")
            deck.halves[seat] = m["toss"]
            self.hand.limit_card = proofs.knock_card(self.table, number, m["toss"], other)
        deck.deal_deck(self._place(seat), m)
        self._await("deal 4", 1 - seat)

    def _deal_shuffle(self, m: Message, seat: int) -> None:
        self.hand.deck.deal_shuffle(self._place(seat), m)
        self._await("deal 5", 1 - seat)

    def _deal_shares(self, m: Message, seat: int) -> None:
        hand, other = self.hand, 1 - seat
        hand.deck.deal_shares(self._place(seat), m)
        if hand.deck.second:
            winners = [done.winner for done in self.hands if done.winner is not None]
            self._await("stock draw", winners[-1] if winners else other)
            return
        upcard = hand.deck.turn_upcard()
        hand.pile, hand.upcard = [upcard], upcard
        if self.rules["knock-limit"] == "upcard":
            hand.limit_card = upcard
        either_pile = self.rules["opening"] == "either-pile"
        self._await("draw" if either_pile else "first upcard", other)

    # ------------------------------------------------------------ turns [3.3, 6.5 to 6.7, 8]

    def _pass(self, m: Message, seat: int) -> None:
        if self.state == "last chance":
            self._after_void_hand()
            return
        first = self.state == "first upcard"
        self._await("second upcard" if first else "stock draw", 1 - seat)

    def _begin_turn(self) -> None:
        hand = self.hand
        hand.just_taken = None
        if self.rules["knock-limit"] == "floating":
            hand.limit_card = hand.pile[-1]

    def _take(self, count: int, seat: int) -> list[int]:
        """So many cards from the top of the pile, the lowest of them first."""
        require(self.state != "stock draw", "wrong-phase")
        hand = self.hand
        require(count <= len(hand.pile), "pile-too-small")
        self._begin_turn()
        cards = hand.pile[-count:]
        del hand.pile[-count:]
        hand.deck.take(seat, cards)
        hand.taken[seat] |= set(cards)
        hand.swaps += 1
        return cards

    def _take_upcard(self, m: Message, seat: int) -> None:
        (self.hand.just_taken,) = self._take(1, seat)
        self._await("discard", seat)

    def _take_discards(self, m: Message, seat: int) -> None:
        require(self.rules["mahjong"] == "yes", "not-mahjong")
        gin.check_named(m["lay"])
        require(self.state != "stock draw", "wrong-phase")
        lowest = self._take(m["count"], seat)[0]
        require(lowest in m["lay"]["cards"], "lowest-not-laid")
        self._lay(m["lay"], seat)

    def _draw_stock(self, m: Message, seat: int) -> None:
        self._begin_turn()
        self.hand.swaps = 0
        self._await("share", 1 - seat)

    def _share(self, m: Message, seat: int) -> None:
        self.hand.deck.share(self._place(seat), m)
        self._await("discard", 1 - seat)

    def _lay(self, m: Message, seat: int) -> None:
        """PROTOCOL 8.11."""
        hand, cards = self.hand, set(m["cards"])
        require(self.rules["mahjong"] == "yes", "not-mahjong")
        gin.check_named(m)
        gin.lay(self.rules, m, hand.known(seat), hand.table)
        left = len(hand.deck.held[seat]) - len(m["cards"])
        is_stuck = left == 1 and hand.just_taken is not None and hand.just_taken not in cards
        require(not is_stuck, "just-taken")
        hand.deck.riffle_and_open(self._place(seat), m, list(m["positions"]), m["cards"])
        hand.taken[seat] -= cards
        hand.put[seat] |= cards
        self._await(*(("discard", seat) if left else ("spread", 1 - seat)))

    def _discard(self, m: Message, seat: int) -> None:
        hand, card = self.hand, m["card"]
        require(card != hand.just_taken, "just-taken")
        require(card not in hand.known(seat).elsewhere, "card-not-held")
        hand.deck.riffle_and_open(self._place(seat), m, [m["position"]], [card])
        hand.taken[seat].discard(card)
        hand.pile.append(card)
        if not hand.deck.held[seat]:
            self._await("spread", 1 - seat)
        elif hand.deck.left == 2 and self.rules["wall"] == "last-discard" and hand.swaps == 0:
            self._await("last chance", 1 - seat)
        elif hand.deck.left == 2 or hand.swaps == self.rules["swap-limit"]:
            self._after_void_hand()
        else:
            self._await("draw", 1 - seat)

    def _knock(self, m: Message, seat: int) -> None:
        hand, held, known = self.hand, len(self.hand.deck.held[seat]), self.hand.known(seat)
        hand.laid = gin.knock(self.rules, m, held, known, hand.just_taken, hand.limit_card)
        hand.deck.riffle_and_open(self._place(seat), m, range(held), m["cards"])
        hand.taken[seat] = set(m["cards"])
        self._await("spread", 1 - seat)

    def _spread(self, m: Message, seat: int) -> None:
        hand, held = self.hand, len(self.hand.deck.held[seat])
        points = [0, 0]
        if hand.laid is None:
            gin.show(self.rules, m, held, hand.known(seat))
            hand.winner = 1 - seat
            points = [gin.mahjong_points(hand.put[player]) for player in (HOST, GUEST)]
            points[1 - seat] += self.rules["gin-bonus"]
            points[seat] -= gin.mahjong_points(m["cards"])
            hand.is_doubled = gin.doubles(self.rules, hand.upcard)
            if hand.is_doubled:
                points = [2 * own for own in points]
        else:
            defence = gin.spread(self.rules, m, hand.known(seat), hand.laid)
            by_number = isinstance(self.rules["knock-limit"], int)
            doubling = hand.upcard if by_number else hand.limit_card
            hand.is_doubled = gin.doubles(self.rules, doubling)
            by_knocker, worth = gin.score(self.rules, hand.laid, defence, doubling)
            if by_knocker is not None:
                hand.winner = 1 - seat if by_knocker else seat
                points[hand.winner] = worth
        hand.deck.open(self._place(seat), m)
        self.score.enter(hand.winner, points)
        self._after_hand()

    # ------------------------------------------------------------ the end [3.3, 6.8, 8.8, 8.10]

    def _after_void_hand(self) -> None:
        self.hand.is_void = True
        self.score.enter(None, [0, 0])
        self._after_hand()

    def _resign(self, m: Message, seat: int) -> None:
        self.score.resign(seat)
        self._after_hand()

    def _after_hand(self) -> None:
        if self.offer["disclosure"] == 2:
            self._owe_disclosures([self.hand])
        self._go_on()

    def _owe_disclosures(self, hands: Sequence[Hand]) -> None:
        for seat in (HOST, GUEST):
            owed = [hand for hand in hands if hand.deck.commitments[seat] is not None]
            for start in range(0, len(owed), wire.MAX_SEEDS):
                self.disclosures.append((seat, owed[start : start + wire.MAX_SEEDS]))

    def _go_on(self) -> None:
        """What follows a hand, a resignation, a settlement or a disclosure."""
        if self.disclosures:
            self._await("disclose", self.disclosures[0][0])
        elif self.settled:
            self.state, self.owes = "end", None
        elif self.score.is_over:
            self._await("settle", HOST)
        else:
            hand, rules = self.hand, self.rules
            self._next_hand(next_dealer(rules, hand.dealer, hand.winner, is_void=hand.is_void))

    def _settle(self, m: Message, seat: int) -> None:
        totals, winner = self.score.totals(), self.score.winner
        stated = [m["hands"], m["host_total"], m["guest_total"], m["winner"]]
        due = [len(self.hands), *totals, 2 if winner is None else winner]
        require(stated == due, "wrong-score")
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
            hand.deck.check_seed(self.table, hand.number, seat, seed)
        for hand, seed in zip(hands, m["seeds"], strict=True):
            hand.deck.audit(self.table, hand.number, seat, seed)
        del self.disclosures[0]
        self._go_on()


def judge(data: bytes) -> dict[str, Any]:
    """The verdict on a log file (PROTOCOL 7.2)."""
    match = Match()
    try:
        entries, end = wire.split_log(data)
    except Refusal as refusal:
        return match.verdict() | {"verdict": "unreadable", "code": refusal.code}
    return judge_entries(match, entries, end)


def judge_entries(match: Match, entries: Sequence[bytes], end: str | None = None) -> dict[str, Any]:
    """The verdict on a match that goes on with these entries."""
    for entry in entries:
        try:
            match.admit(entry)
        except Refusal as refusal:
            unread = refusal.code in ("too-new", "rules-unsupported")
            return match.verdict() | {
                "verdict": "unreadable" if unread else "illegal" if refusal.convicts else "forged",
                "code": refusal.code,
                "entry": len(match.entries),
                "culprit": refusal.culprit,
            }
    return match.verdict(end)
