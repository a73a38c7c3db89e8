from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Body(_message.Message):
    __slots__ = ("table", "sequence", "previous", "offer", "accept", "cut_commit", "cut_value", "cut_reveal", "deal_commit", "deal_key", "deal_deck", "deal_shuffle", "deal_shares", "take_upcard", "draw_stock", "share", "discard", "knock", "spread", "lay", "take_discards", "resign", "settle", "disclose")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_FIELD_NUMBER: _ClassVar[int]
    CUT_COMMIT_FIELD_NUMBER: _ClassVar[int]
    CUT_VALUE_FIELD_NUMBER: _ClassVar[int]
    CUT_REVEAL_FIELD_NUMBER: _ClassVar[int]
    DEAL_COMMIT_FIELD_NUMBER: _ClassVar[int]
    DEAL_KEY_FIELD_NUMBER: _ClassVar[int]
    DEAL_DECK_FIELD_NUMBER: _ClassVar[int]
    DEAL_SHUFFLE_FIELD_NUMBER: _ClassVar[int]
    DEAL_SHARES_FIELD_NUMBER: _ClassVar[int]
    PASS_FIELD_NUMBER: _ClassVar[int]
    TAKE_UPCARD_FIELD_NUMBER: _ClassVar[int]
    DRAW_STOCK_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    KNOCK_FIELD_NUMBER: _ClassVar[int]
    SPREAD_FIELD_NUMBER: _ClassVar[int]
    LAY_FIELD_NUMBER: _ClassVar[int]
    TAKE_DISCARDS_FIELD_NUMBER: _ClassVar[int]
    RESIGN_FIELD_NUMBER: _ClassVar[int]
    SETTLE_FIELD_NUMBER: _ClassVar[int]
    DISCLOSE_FIELD_NUMBER: _ClassVar[int]
    table: bytes
    sequence: int
    previous: bytes
    offer: Offer
    accept: Accept
    cut_commit: CutCommit
    cut_value: CutValue
    cut_reveal: CutReveal
    deal_commit: DealCommit
    deal_key: DealKey
    deal_deck: DealDeck
    deal_shuffle: DealShuffle
    deal_shares: DealShares
    take_upcard: TakeUpcard
    draw_stock: DrawStock
    share: Share
    discard: Discard
    knock: Knock
    spread: Spread
    lay: Lay
    take_discards: TakeDiscards
    resign: Resign
    settle: Settle
    disclose: Disclose
    def __init__(self, table: _Optional[bytes] = ..., sequence: _Optional[int] = ..., previous: _Optional[bytes] = ..., offer: _Optional[_Union[Offer, _Mapping]] = ..., accept: _Optional[_Union[Accept, _Mapping]] = ..., cut_commit: _Optional[_Union[CutCommit, _Mapping]] = ..., cut_value: _Optional[_Union[CutValue, _Mapping]] = ..., cut_reveal: _Optional[_Union[CutReveal, _Mapping]] = ..., deal_commit: _Optional[_Union[DealCommit, _Mapping]] = ..., deal_key: _Optional[_Union[DealKey, _Mapping]] = ..., deal_deck: _Optional[_Union[DealDeck, _Mapping]] = ..., deal_shuffle: _Optional[_Union[DealShuffle, _Mapping]] = ..., deal_shares: _Optional[_Union[DealShares, _Mapping]] = ..., take_upcard: _Optional[_Union[TakeUpcard, _Mapping]] = ..., draw_stock: _Optional[_Union[DrawStock, _Mapping]] = ..., share: _Optional[_Union[Share, _Mapping]] = ..., discard: _Optional[_Union[Discard, _Mapping]] = ..., knock: _Optional[_Union[Knock, _Mapping]] = ..., spread: _Optional[_Union[Spread, _Mapping]] = ..., lay: _Optional[_Union[Lay, _Mapping]] = ..., take_discards: _Optional[_Union[TakeDiscards, _Mapping]] = ..., resign: _Optional[_Union[Resign, _Mapping]] = ..., settle: _Optional[_Union[Settle, _Mapping]] = ..., disclose: _Optional[_Union[Disclose, _Mapping]] = ..., **kwargs) -> None: ...

class Offer(_message.Message):
    __slots__ = ("version", "key", "name", "rules", "disclosure", "nonce", "started")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    DISCLOSURE_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    version: int
    key: bytes
    name: str
    rules: str
    disclosure: int
    nonce: bytes
    started: int
    def __init__(self, version: _Optional[int] = ..., key: _Optional[bytes] = ..., name: _Optional[str] = ..., rules: _Optional[str] = ..., disclosure: _Optional[int] = ..., nonce: _Optional[bytes] = ..., started: _Optional[int] = ...) -> None: ...

class Accept(_message.Message):
    __slots__ = ("key", "name", "rules", "nonce")
    KEY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    key: bytes
    name: str
    rules: str
    nonce: bytes
    def __init__(self, key: _Optional[bytes] = ..., name: _Optional[str] = ..., rules: _Optional[str] = ..., nonce: _Optional[bytes] = ...) -> None: ...

class CutCommit(_message.Message):
    __slots__ = ("commitment",)
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    commitment: bytes
    def __init__(self, commitment: _Optional[bytes] = ...) -> None: ...

class CutValue(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: bytes
    def __init__(self, value: _Optional[bytes] = ...) -> None: ...

class CutReveal(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: bytes
    def __init__(self, value: _Optional[bytes] = ...) -> None: ...

class DealCommit(_message.Message):
    __slots__ = ("commitment", "toss")
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    TOSS_FIELD_NUMBER: _ClassVar[int]
    commitment: bytes
    toss: bytes
    def __init__(self, commitment: _Optional[bytes] = ..., toss: _Optional[bytes] = ...) -> None: ...

class DealKey(_message.Message):
    __slots__ = ("commitment", "key", "possession", "toss")
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    POSSESSION_FIELD_NUMBER: _ClassVar[int]
    TOSS_FIELD_NUMBER: _ClassVar[int]
    commitment: bytes
    key: bytes
    possession: bytes
    toss: bytes
    def __init__(self, commitment: _Optional[bytes] = ..., key: _Optional[bytes] = ..., possession: _Optional[bytes] = ..., toss: _Optional[bytes] = ...) -> None: ...

class DealDeck(_message.Message):
    __slots__ = ("key", "possession", "deck", "argument", "toss")
    KEY_FIELD_NUMBER: _ClassVar[int]
    POSSESSION_FIELD_NUMBER: _ClassVar[int]
    DECK_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_FIELD_NUMBER: _ClassVar[int]
    TOSS_FIELD_NUMBER: _ClassVar[int]
    key: bytes
    possession: bytes
    deck: bytes
    argument: bytes
    toss: bytes
    def __init__(self, key: _Optional[bytes] = ..., possession: _Optional[bytes] = ..., deck: _Optional[bytes] = ..., argument: _Optional[bytes] = ..., toss: _Optional[bytes] = ...) -> None: ...

class DealShuffle(_message.Message):
    __slots__ = ("deck", "argument", "shares", "proof")
    DECK_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    deck: bytes
    argument: bytes
    shares: bytes
    proof: bytes
    def __init__(self, deck: _Optional[bytes] = ..., argument: _Optional[bytes] = ..., shares: _Optional[bytes] = ..., proof: _Optional[bytes] = ...) -> None: ...

class DealShares(_message.Message):
    __slots__ = ("shares", "proof")
    SHARES_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    shares: bytes
    proof: bytes
    def __init__(self, shares: _Optional[bytes] = ..., proof: _Optional[bytes] = ...) -> None: ...

class Pass(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TakeUpcard(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DrawStock(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Share(_message.Message):
    __slots__ = ("share", "proof")
    SHARE_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    share: bytes
    proof: bytes
    def __init__(self, share: _Optional[bytes] = ..., proof: _Optional[bytes] = ...) -> None: ...

class Discard(_message.Message):
    __slots__ = ("hand", "argument", "position", "card", "opening")
    HAND_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    OPENING_FIELD_NUMBER: _ClassVar[int]
    hand: bytes
    argument: bytes
    position: int
    card: int
    opening: bytes
    def __init__(self, hand: _Optional[bytes] = ..., argument: _Optional[bytes] = ..., position: _Optional[int] = ..., card: _Optional[int] = ..., opening: _Optional[bytes] = ...) -> None: ...

class Knock(_message.Message):
    __slots__ = ("hand", "argument", "cards", "discard", "melds", "opening")
    HAND_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    OPENING_FIELD_NUMBER: _ClassVar[int]
    hand: bytes
    argument: bytes
    cards: bytes
    discard: int
    melds: _containers.RepeatedScalarFieldContainer[bytes]
    opening: bytes
    def __init__(self, hand: _Optional[bytes] = ..., argument: _Optional[bytes] = ..., cards: _Optional[bytes] = ..., discard: _Optional[int] = ..., melds: _Optional[_Iterable[bytes]] = ..., opening: _Optional[bytes] = ...) -> None: ...

class LayOff(_message.Message):
    __slots__ = ("card", "meld")
    CARD_FIELD_NUMBER: _ClassVar[int]
    MELD_FIELD_NUMBER: _ClassVar[int]
    card: int
    meld: int
    def __init__(self, card: _Optional[int] = ..., meld: _Optional[int] = ...) -> None: ...

class Spread(_message.Message):
    __slots__ = ("cards", "melds", "layoffs", "opening")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    LAYOFFS_FIELD_NUMBER: _ClassVar[int]
    OPENING_FIELD_NUMBER: _ClassVar[int]
    cards: bytes
    melds: _containers.RepeatedScalarFieldContainer[bytes]
    layoffs: _containers.RepeatedCompositeFieldContainer[LayOff]
    opening: bytes
    def __init__(self, cards: _Optional[bytes] = ..., melds: _Optional[_Iterable[bytes]] = ..., layoffs: _Optional[_Iterable[_Union[LayOff, _Mapping]]] = ..., opening: _Optional[bytes] = ...) -> None: ...

class Lay(_message.Message):
    __slots__ = ("hand", "argument", "positions", "cards", "melds", "adds", "opening")
    HAND_FIELD_NUMBER: _ClassVar[int]
    ARGUMENT_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    ADDS_FIELD_NUMBER: _ClassVar[int]
    OPENING_FIELD_NUMBER: _ClassVar[int]
    hand: bytes
    argument: bytes
    positions: bytes
    cards: bytes
    melds: _containers.RepeatedScalarFieldContainer[bytes]
    adds: _containers.RepeatedCompositeFieldContainer[LayOff]
    opening: bytes
    def __init__(self, hand: _Optional[bytes] = ..., argument: _Optional[bytes] = ..., positions: _Optional[bytes] = ..., cards: _Optional[bytes] = ..., melds: _Optional[_Iterable[bytes]] = ..., adds: _Optional[_Iterable[_Union[LayOff, _Mapping]]] = ..., opening: _Optional[bytes] = ...) -> None: ...

class TakeDiscards(_message.Message):
    __slots__ = ("count", "lay")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    LAY_FIELD_NUMBER: _ClassVar[int]
    count: int
    lay: Lay
    def __init__(self, count: _Optional[int] = ..., lay: _Optional[_Union[Lay, _Mapping]] = ...) -> None: ...

class Resign(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Settle(_message.Message):
    __slots__ = ("hands", "host_total", "guest_total", "winner")
    HANDS_FIELD_NUMBER: _ClassVar[int]
    HOST_TOTAL_FIELD_NUMBER: _ClassVar[int]
    GUEST_TOTAL_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    hands: int
    host_total: int
    guest_total: int
    winner: int
    def __init__(self, hands: _Optional[int] = ..., host_total: _Optional[int] = ..., guest_total: _Optional[int] = ..., winner: _Optional[int] = ...) -> None: ...

class Disclose(_message.Message):
    __slots__ = ("seeds",)
    SEEDS_FIELD_NUMBER: _ClassVar[int]
    seeds: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, seeds: _Optional[_Iterable[bytes]] = ...) -> None: ...
