"""The messages in the entries of a match (PROTOCOL 3), as plain, frozen values.

Cards are numbers 0 .. 51 (13 times the suit c d h s, plus the rank A .. K). Masked cards, elements
and proofs stay bytes here: protocol/deck turns them into types. Every other field is checked when a
message is built, so every message is well formed; the referee decides whether it is legal.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

KEY_BYTES = 32
HASH_BYTES = 32
MAX_NAME_BYTES = 64
MAX_RULES_BYTES = 512
MAX_SEEDS = 300  # in one entry: auditing each takes 70 ms, and meanwhile the peer seems silent
DECK_CARDS = 52
TOSS_BYTES = 32
MAX_TABLE_MELDS = 17  # of three cards each; 52 cards make no more
MAX_STARTED = 2**53 - 1  # seconds since 1970
MAX_TAKEN = 31  # the largest pile while at least one card is left to draw


class Malformed(ValueError):
    """A field of an entry has an impossible shape."""

    code = "malformed"


class Disclosure(IntEnum):
    """When the hand seeds are disclosed for the audit (PROTOCOL 6.8)."""

    AFTER_MATCH = 1
    AFTER_HAND = 2
    NEVER = 3

    @property
    def word(self) -> str:
        """The word that people type and read: "after-match"."""
        return self.name.lower().replace("_", "-")


def _check_length(name: str, value: bytes, length: int) -> None:
    if len(value) != length:
        raise Malformed(f"{name} has {len(value)} bytes, not {length}")


def _check_toss(value: bytes) -> None:
    if value:
        _check_length("the half of a toss", value, TOSS_BYTES)


def _check_card(card: int) -> None:
    if not 0 <= card < DECK_CARDS:
        raise Malformed(f"there is no card number {card}")


def check_count(name: str, count: int) -> None:
    """Refuse a list of cards, melds, lay-offs or additions with more items than the deck has cards.
    protocol.entry calls this before it decodes up to thirty thousand items of two bytes each."""
    if count > DECK_CARDS:
        raise Malformed(f"there are {count} {name}; {DECK_CARDS} is the limit")


def _check_ascending(name: str, cards: tuple[int, ...]) -> None:
    """Check that cards, or places in a hand, are in range, ascending and not too many."""
    check_count(f"cards or places in {name}", len(cards))
    for card in cards:
        _check_card(card)
    if any(a >= b for a, b in pairwise(cards)):
        raise Malformed(f"{name} is not in ascending order")


def _check_hand(cards: tuple[int, ...], melds: tuple[tuple[int, ...], ...]) -> None:
    """Check the cards and melds of a shown hand."""
    check_count("cards", len(cards))
    check_count("melds", len(melds))
    for card in cards:
        _check_card(card)
    for meld in melds:
        _check_ascending("a meld", meld)


# Code points that no name may contain: controls, line and paragraph marks, spaces other than the
# plain one, zero-width and bidirectional marks, tags, surrogates. The list is fixed, not taken from
# the running Python's Unicode categories, so that every version of every verifier gives the same
# verdict.
_NOT_IN_NAMES = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\udfff\ufeff\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def clean_name(name: str) -> str:
    """Return a typed name in its signed form: NFC, single spaces, at most 64 bytes. Raises
    Malformed."""
    cleaned = unicodedata.normalize("NFC", " ".join(name.split()))
    check_name(cleaned)
    return cleaned


def check_name(name: str) -> None:
    """Check a name from a peer: 1 .. 64 bytes of UTF-8, no control or invisible characters, and no
    space at either end. Raises Malformed."""
    if not 1 <= len(name.encode("utf-8", "surrogatepass")) <= MAX_NAME_BYTES:
        raise Malformed(f"a name has 1 to {MAX_NAME_BYTES} letters, fewer with accents")
    if _NOT_IN_NAMES.search(name):
        raise Malformed("the name contains an invisible or control character")
    if name != name.strip(" "):
        raise Malformed("the name begins or ends with a space")


def _check_rules(rules: str) -> None:
    if not 1 <= len(rules.encode("utf-8", "surrogatepass")) <= MAX_RULES_BYTES:
        raise Malformed("the rule set's text is empty or too long")
    if not rules.isascii() or not rules.isprintable():
        raise Malformed("the rule set's text is not printable ASCII")


@dataclass(frozen=True, slots=True)
class Offer:
    """Entry 0, by the host: the host's name and key, the rules, and when seeds are disclosed."""

    version: int
    key: bytes
    name: str
    rules: str
    disclosure: Disclosure
    nonce: bytes
    started: int  # seconds since 1970 by the host's own clock; a claim, not a proof

    def __post_init__(self) -> None:
        if not 1 <= self.version < 2**16:
            raise Malformed("the protocol version is out of range")
        _check_length("the host's key", self.key, KEY_BYTES)
        check_name(self.name)
        _check_rules(self.rules)
        _check_length("the host's nonce", self.nonce, HASH_BYTES)
        if not 0 <= self.started <= MAX_STARTED:
            raise Malformed("the starting time is out of range")


@dataclass(frozen=True, slots=True)
class Accept:
    """Entry 1, by the guest: the guest's name and key, and the same rules again."""

    key: bytes
    name: str
    rules: str
    nonce: bytes

    def __post_init__(self) -> None:
        _check_length("the guest's key", self.key, KEY_BYTES)
        check_name(self.name)
        _check_rules(self.rules)
        _check_length("the guest's nonce", self.nonce, HASH_BYTES)


@dataclass(frozen=True, slots=True)
class CutCommit:
    """The host's commitment to its half of the cut for deal."""

    commitment: bytes

    def __post_init__(self) -> None:
        _check_length("the cut's commitment", self.commitment, HASH_BYTES)


@dataclass(frozen=True, slots=True)
class CutValue:
    """The guest's half of the cut."""

    value: bytes

    def __post_init__(self) -> None:
        _check_length("the guest's cut", self.value, 32)


@dataclass(frozen=True, slots=True)
class CutReveal:
    """The host's half of the cut, which must match its commitment."""

    value: bytes

    def __post_init__(self) -> None:
        _check_length("the host's cut", self.value, 32)


@dataclass(frozen=True, slots=True)
class DealCommit:
    """Deal 1, by the dealer: a commitment to the dealer's hand seed and, if the knock card comes
    from a second deck, one to the dealer's half of the toss for it."""

    commitment: bytes
    toss: bytes = b""

    def __post_init__(self) -> None:
        _check_length("the dealer's seed commitment", self.commitment, HASH_BYTES)
        _check_toss(self.toss)


@dataclass(frozen=True, slots=True)
class DealKey:
    """Deal 2, by the non-dealer: a commitment to its seed, its hand key with a proof of possession,
    and its half of the toss for the knock card."""

    commitment: bytes
    key: bytes
    possession: bytes
    toss: bytes = b""

    def __post_init__(self) -> None:
        _check_length("the non-dealer's seed commitment", self.commitment, HASH_BYTES)
        _check_toss(self.toss)


@dataclass(frozen=True, slots=True)
class DealDeck:
    """Deal 3, by the dealer: its hand key with a proof of possession, the masked and shuffled deck
    with the shuffle argument, and the half of the toss that it committed to."""

    key: bytes
    possession: bytes
    deck: bytes
    argument: bytes
    toss: bytes = b""

    def __post_init__(self) -> None:
        _check_toss(self.toss)


@dataclass(frozen=True, slots=True)
class DealShuffle:
    """Deal 4, by the non-dealer: the deck shuffled again, with the shuffle argument, and shares for
    the dealer's ten cards and the upcard."""

    deck: bytes
    argument: bytes
    shares: bytes
    proof: bytes


@dataclass(frozen=True, slots=True)
class DealShares:
    """Deal 5, by the dealer: shares for the non-dealer's ten cards and for the upcard."""

    shares: bytes
    proof: bytes


@dataclass(frozen=True, slots=True)
class Pass:
    """The author declines the upcard."""


@dataclass(frozen=True, slots=True)
class TakeUpcard:
    """The top of the discard pile goes into the author's hand."""


@dataclass(frozen=True, slots=True)
class DrawStock:
    """The author draws the next card from the stock and is owed a share for it."""


@dataclass(frozen=True, slots=True)
class Share:
    """The opponent's share for the card just drawn."""

    share: bytes
    proof: bytes


@dataclass(frozen=True, slots=True)
class Discard:
    """A discard: the riffled hand, its argument, and one card opened onto the pile."""

    hand: bytes
    argument: bytes
    position: int
    card: int
    opening: bytes

    def __post_init__(self) -> None:
        _check_card(self.card)
        if not 0 <= self.position < DECK_CARDS:
            raise Malformed("the discard's position is out of range")


@dataclass(frozen=True, slots=True)
class Knock:
    """A knock: the riffled and opened hand, the discard (none for big gin), and the melds."""

    hand: bytes
    argument: bytes
    cards: tuple[int, ...]  # cards[i] is at place i of the riffled hand
    discard: int | None
    melds: tuple[tuple[int, ...], ...]
    opening: bytes

    def __post_init__(self) -> None:
        _check_hand(self.cards, self.melds)
        if self.discard is not None:
            _check_card(self.discard)


@dataclass(frozen=True, slots=True)
class LayOff:
    """A card laid off on a meld, which is numbered from 0 among the knocker's melds or those on the
    table."""

    card: int
    meld: int

    def __post_init__(self) -> None:
        _check_card(self.card)
        if not 0 <= self.meld < MAX_TABLE_MELDS:
            raise Malformed("no table can have so many melds")


@dataclass(frozen=True, slots=True)
class Spread:
    """The defender's opened hand, with its melds and its lay-offs in order."""

    cards: tuple[int, ...]  # cards[i] is at place i of the defender's hand
    melds: tuple[tuple[int, ...], ...]
    layoffs: tuple[LayOff, ...]
    opening: bytes

    def __post_init__(self) -> None:
        _check_hand(self.cards, self.melds)
        check_count("lay-offs", len(self.layoffs))
        if any(layoff.meld >= 4 for layoff in self.layoffs):
            raise Malformed("no knocker can have so many melds")


@dataclass(frozen=True, slots=True)
class Lay:
    """A lay in Mahjong gin: the riffled hand, and some of its cards opened onto the table as new
    melds and as additions to melds already there."""

    hand: bytes
    argument: bytes
    positions: tuple[int, ...]  # places of the riffled hand, ascending
    cards: tuple[int, ...]  # the cards at those places, in that order
    melds: tuple[tuple[int, ...], ...]
    adds: tuple[LayOff, ...]
    opening: bytes

    def __post_init__(self) -> None:
        check_count("additions", len(self.adds))
        _check_ascending("the list of a lay's positions", self.positions)
        if not self.positions or len(self.positions) != len(self.cards):
            raise Malformed("a lay must name one card for each of its positions, and at least one")
        _check_hand(self.cards, self.melds)


@dataclass(frozen=True, slots=True)
class TakeDiscards:
    """Taking discards in Mahjong gin: the top cards of the pile go into the author's hand, the
    lowest first, and some cards of that hand are laid at once."""

    count: int
    lay: Lay

    def __post_init__(self) -> None:
        if not 2 <= self.count <= MAX_TAKEN:
            raise Malformed("nobody can take that many cards from the pile at once")


@dataclass(frozen=True, slots=True)
class Resign:
    """The author, whose turn it is, resigns the match."""


class Winner(IntEnum):
    """The winner of the match, as signed in the settlement."""

    HOST = 0
    GUEST = 1
    NOBODY = 2


@dataclass(frozen=True, slots=True)
class Settle:
    """The final score, which both players sign."""

    hands: int
    host_total: int
    guest_total: int
    winner: Winner

    def __post_init__(self) -> None:
        if not 0 <= self.hands < 2**31:
            raise Malformed("the number of hands is out of range")
        if not all(abs(total) < 2**31 for total in (self.host_total, self.guest_total)):
            raise Malformed("a total of the settlement is out of range")


@dataclass(frozen=True, slots=True)
class Disclose:
    """The author's hand seeds that aren't disclosed yet, in the order of their hands."""

    seeds: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if len(self.seeds) > MAX_SEEDS:
            raise Malformed("there are more seeds than an entry can disclose")
        for seed in self.seeds:
            _check_length("a hand seed", seed, 32)


Message = (
    Offer
    | Accept
    | CutCommit
    | CutValue
    | CutReveal
    | DealCommit
    | DealKey
    | DealDeck
    | DealShuffle
    | DealShares
    | Pass
    | TakeUpcard
    | DrawStock
    | Share
    | Discard
    | Knock
    | Spread
    | Lay
    | TakeDiscards
    | Resign
    | Settle
    | Disclose
)


@dataclass(frozen=True, slots=True)
class Body:
    """An entry before it is signed: a message and its place in the chain (PROTOCOL 2)."""

    table: bytes
    sequence: int
    previous: bytes
    message: Message

    def __post_init__(self) -> None:
        _check_length("the table id", self.table, 32)
        _check_length("the previous hash", self.previous, HASH_BYTES)
        if not 0 <= self.sequence < 2**32:
            raise Malformed("the sequence number is out of range")
