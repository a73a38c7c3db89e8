"""The frames that two peers exchange (PROTOCOL 9), as frozen, checked values.

A frame is checked when it is built, from a peer's bytes or by our own code, so every frame is well
formed. The log's entries travel inside :class:`EntryFrame` as opaque bytes. Nothing else here is
ever stored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from protocol.messages import MAX_RULES_BYTES

MAX_FRAME = 128 * 1024
"""The most bytes in a frame, not counting its length prefix; the largest entry takes half of
that."""

MAX_CHAT = 500  # characters
MAX_ADDRESS_UPDATE = 2080  # bytes: eight host names of maximum length
MAX_VERSIONS = 16
MAX_EXTENSIONS = 64  # more than MAX_VERSIONS: they accumulate, and version 1 never reads more
MAX_SOFTWARE = 64
MAX_SENTENCE = 400
PROOF_BYTES = 32
SIGNATURE_BYTES = 64
TABLE_BYTES = 32
HASH_BYTES = 32

_ENVELOPE = 16  # more than the field number and length around the bytes of an entry
_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_MAX_CODE = 48


class MalformedFrame(ValueError):
    """The bytes aren't a frame, or have an impossible field.

    ``code`` is stable; ``sentence`` is what the player reads.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


def _require(held: bool, code: str, sentence: str) -> None:
    if not held:
        raise MalformedFrame(code, sentence)


def _are_ascending(numbers: tuple[int, ...]) -> bool:
    """Return whether each number is greater than the one before it, and the first at least 1."""
    return all(
        below < number < 2**32 for below, number in zip((0, *numbers), numbers, strict=False)
    )


def _check_extensions(extensions: tuple[int, ...]) -> None:
    _require(
        len(extensions) <= MAX_EXTENSIONS and _are_ascending(extensions),
        "extensions-malformed",
        f"A greeting lists at most {MAX_EXTENSIONS} extensions in ascending order.",
    )


def _check_software(software: str) -> None:
    _require(
        1 <= len(software) <= MAX_SOFTWARE and software.isascii() and software.isprintable(),
        "software-malformed",
        f"A program's name has 1 to {MAX_SOFTWARE} printable ASCII characters.",
    )


def _encodable(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8. A lone surrogate, which a terminal may send,
    can't."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


@dataclass(frozen=True, slots=True)
class Position:
    """How far a peer's log of a table goes: the number and the hash of its last entry."""

    table: bytes
    sequence: int
    head: bytes

    def __post_init__(self) -> None:
        _require(
            len(self.table) == TABLE_BYTES
            and len(self.head) == HASH_BYTES
            and 0 <= self.sequence < 2**32,
            "position-malformed",
            "A log position has a table's 32 bytes, a number and a hash of 32 bytes.",
        )


@dataclass(frozen=True, slots=True)
class Hello:
    """The guest's first frame.

    ``proof`` is empty for a guest that is known by its key and has no unused invite.
    """

    versions: tuple[int, ...]
    proof: bytes
    position: Position | None
    software: str
    extensions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _require(
            1 <= len(self.versions) <= MAX_VERSIONS and _are_ascending(self.versions),
            "versions-malformed",
            f"A hello lists 1 to {MAX_VERSIONS} protocol versions in ascending order.",
        )
        _require(
            len(self.proof) in (0, PROOF_BYTES),
            "proof-malformed",
            f"An invite's proof has {PROOF_BYTES} bytes.",
        )
        _check_software(self.software)
        _check_extensions(self.extensions)


@dataclass(frozen=True, slots=True)
class Welcome:
    """The host's answer: the chosen version, the extensions that both sides have, and a signature
    over both greetings."""

    version: int
    position: Position | None
    software: str
    signature: bytes
    extensions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _require(
            1 <= self.version < 2**32,
            "versions-malformed",
            "A welcome names one protocol version.",
        )
        _check_software(self.software)
        _require(
            len(self.signature) == SIGNATURE_BYTES,
            "signature-malformed",
            f"A signature has {SIGNATURE_BYTES} bytes.",
        )
        _check_extensions(self.extensions)


@dataclass(frozen=True, slots=True)
class EntryFrame:
    """One log entry, byte for byte as it was signed; the referee judges its content."""

    entry: bytes

    def __post_init__(self) -> None:
        _require(
            1 <= len(self.entry) <= MAX_FRAME - _ENVELOPE,
            "entry-malformed",
            "An entry is never empty and must fit into one frame.",
        )


@dataclass(frozen=True, slots=True)
class Chat:
    """A line of chat from one player to the other. Clean it before you show it."""

    text: str

    def __post_init__(self) -> None:
        _require(bool(self.text), "chat-empty", "There is nothing to send.")
        _require(
            len(self.text) <= MAX_CHAT,
            "chat-too-long",
            f"A line of chat has at most {MAX_CHAT} characters.",
        )
        _require(
            _encodable(self.text),
            "chat-malformed",
            "The line contains characters that UTF-8 can't encode.",
        )


def _check_token(token: int) -> None:
    _require(0 <= token < 2**64, "token-malformed", "A ping's token has 64 bits.")


@dataclass(frozen=True, slots=True)
class Ping:
    """A question whether the peer is still there."""

    token: int

    def __post_init__(self) -> None:
        _check_token(self.token)


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a ping, with its token."""

    token: int

    def __post_init__(self) -> None:
        _check_token(self.token)


@dataclass(frozen=True, slots=True)
class AddressUpdate:
    """Encoded addresses at which the sender says that it can be reached later; the receiver decodes
    them (PROTOCOL 9.11)."""

    packed: bytes

    def __post_init__(self) -> None:
        _require(
            1 <= len(self.packed) <= MAX_ADDRESS_UPDATE,
            "whereabouts-malformed",
            f"Addresses take 1 to {MAX_ADDRESS_UPDATE} bytes.",
        )


@dataclass(frozen=True, slots=True)
class Proposal:
    """The rules by which the guest would like to play next, as text that the receiver parses
    (PROTOCOL 9.12)."""

    rules: str

    def __post_init__(self) -> None:
        _require(
            _encodable(self.rules) and 1 <= len(self.rules.encode()) <= MAX_RULES_BYTES,
            "proposal-malformed",
            f"Proposed rules take 1 to {MAX_RULES_BYTES} bytes.",
        )


class Pause(Enum):
    """A player's message about a pause. To agree, the opponent sends ``Goodbye(PAUSED, ...)``."""

    ASK = 1
    DECLINE = 2
    WITHDRAW = 3


class Consent(Enum):
    """Whether a player lets this table's log be shown to the players at another table (PROTOCOL
    9.12). Both must consent, and either can withdraw."""

    GIVE = 1
    TAKE_BACK = 2


PAUSED = "paused"
"""The code of a goodbye that answers Pause.ASK with yes."""


@dataclass(frozen=True, slots=True)
class Goodbye:
    """Why the sender closes the connection. The sentence is only the sender's claim."""

    code: str
    sentence: str

    def __post_init__(self) -> None:
        _require(
            len(self.code) <= _MAX_CODE and _CODE.fullmatch(self.code) is not None,
            "goodbye-malformed",
            "A goodbye's code is a few lower-case words joined by dashes.",
        )
        _require(
            len(self.sentence) <= MAX_SENTENCE and _encodable(self.sentence),
            "goodbye-malformed",
            f"A goodbye's sentence has at most {MAX_SENTENCE} characters.",
        )


Frame = (
    Hello
    | Welcome
    | EntryFrame
    | Chat
    | Ping
    | Pong
    | Pause
    | AddressUpdate
    | Proposal
    | Consent
    | Goodbye
)
