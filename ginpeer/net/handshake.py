"""Who may sit down: hello and welcome, on top of TLS (PROTOCOL 9.3).

# After TLS both sides know each other's key, and the guest knows that it is the host's. Then:
#
#   guest -> host   Hello: its protocol versions, the invite's proof, where its log stands
#   host -> guest   Welcome: the version chosen, where its log stands, its signature
#
#   link      = frame("exporter", e) || frame("host-key", H) || frame("guest-key", G)
#   proof     = HMAC-SHA256(secret, frame("ginpeer/v1", "invite-proof") || frame("role", "guest")
#                           || link || frame("hello", hello with an empty proof))
#   signature = Ed25519(host, frame("ginpeer/v1", "welcome") || frame("role", "host")
#                       || link || frame("hello", hello)
#                       || frame("welcome", welcome with a signature of 64 zero bytes))
#
# e is 32 bytes of TLS exporter (tls.py) and frame() that of transcripts (PROTOCOL 5.1). So a
# hello is worth nothing on another connection, between other keys or with another version list,
# and a welcome answers one hello. The keys stand there because the exporter does not cover the
# guest's certificate.
#
# A secret of 80 bits can be tried here as fast as TLS connections are made: a thousand a second
# find it within a year once in 2^45. A bound on tries would be one more way to keep a friend out,
# whose place (a router, a proxy, Tor) others share.
# An invite lets in one key, once. That key may come back; nobody else may use the invite again. Who
# is expected, because a match with that key is to go on, needs no invite. Whoever sits down first
# has the table: from then on nobody else is let in, expected or not. (A club's: club_door.py.)
# Nothing here touches the deck's group: a stranger costs two signatures and an HMAC.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from protocol.codec.frames import encode_frame
from protocol.crypto.identity import BadSignature, key_hash, verify_signature
from protocol.crypto.transcript import frame as framed
from protocol.frames import SIGNATURE_BYTES, Hello, Welcome

VERSIONS = (1,)
"""The protocol versions spoken here, ascending."""

ANOTHER_MATCH = 1
"""The extension of a side that stays for another match when one is over (PROTOCOL 9.12)."""

SHARED_LOG = 2
"""The extension of a side that asks both players before its log goes to another table
(PROTOCOL 9.12)."""

OTHER_TABLE = 3
"""The extension of a connection between two tables, at which nothing is played (PROTOCOL 9.12)."""

BOT_GUEST = 4
"""The extension by which a guest says that a bot plays for it (PROTOCOL 9.12)."""

BOT_HOST = 5
"""The extension by which a host says that a bot plays for it (PROTOCOL 9.12)."""

REFUSALS = {
    "version-mismatch": "Host and guest speak different versions of the protocol; "
    "both need the same ginpeer.",
    "invite-wrong": "The invite's secret is not this host's; ask the host for a new invite.",
    "invite-used": "This invite has been used already; ask the host for a new one.",
    "not-expected": "The host waits for somebody else, or plays with them already.",
    "table-taken": "Somebody sits at the host's table already, or has come too often just now; "
    "try again in a moment.",
    "same-key": "Host and guest have the same identity key; each player needs a home of their own "
    "(--home).",
}
"""What a host may answer instead of a welcome, as both sides show it."""


class GreetingRefused(Exception):
    """The greeting fails; ``code`` and ``sentence`` suit both sides. ``has_invite``: the guest has
    proven that it has the invite, which nobody has used."""

    def __init__(self, code: str, sentence: str, *, has_invite: bool = False) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.has_invite = has_invite


def refusal(code: str) -> GreetingRefused:
    """What a host answers, by its code."""
    return GreetingRefused(code, REFUSALS[code])


@dataclass(frozen=True, slots=True)
class ChannelBinding:
    """What both ends of one TLS connection know of it, and no other connection shares."""

    exporter: bytes
    host_key: bytes
    guest_key: bytes

    def __bytes__(self) -> bytes:
        return (
            framed("exporter", self.exporter)
            + framed("host-key", self.host_key)
            + framed("guest-key", self.guest_key)
        )


def invite_proof(secret: bytes, link: ChannelBinding, hello: Hello) -> bytes:
    """The proof that belongs into *hello*, whatever stands there now: 32 bytes."""
    message = (
        framed("ginpeer/v1", b"invite-proof")
        + framed("role", b"guest")
        + bytes(link)
        + framed("hello", encode_frame(replace(hello, proof=b"")))
    )
    return hmac.digest(secret, message, "sha256")


def welcome_statement(link: ChannelBinding, hello: Hello, welcome: Welcome) -> bytes:
    """What the host signs, whatever stands in the welcome's signature now."""
    unsigned = replace(welcome, signature=bytes(SIGNATURE_BYTES))
    return (
        framed("ginpeer/v1", b"welcome")
        + framed("role", b"host")
        + bytes(link)
        + framed("hello", encode_frame(hello))
        + framed("welcome", encode_frame(unsigned))
    )


def common_extensions(hello: Hello, ours: Iterable[int]) -> tuple[int, ...]:
    """Those that both name; the others do not exist on this connection (PROTOCOL 9.12)."""
    spoken = frozenset(ours)
    return tuple(number for number in hello.extensions if number in spoken)


def with_bots(ours: Iterable[int], *, hosts: bool, bot: bool) -> tuple[int, ...]:
    """Add the extensions about bots: we always read the other side's, and name ours if a bot plays
    for us."""
    said, heard = (BOT_HOST, BOT_GUEST) if hosts else (BOT_GUEST, BOT_HOST)
    return tuple(sorted({*ours, heard, *((said,) if bot else ())}))


def choose_version(hello: Hello, link: ChannelBinding) -> int:
    """Return the highest common version. Raises GreetingRefused if there is none, or if the guest has
    our own key."""
    if link.guest_key == link.host_key:
        raise refusal("same-key")
    common = set(hello.versions) & set(VERSIONS)
    if not common:
        raise refusal("version-mismatch")
    return max(common)


def wrong_proof(secret: bytes, hello: Hello, link: ChannelBinding) -> bool:
    """Whether the hello does not prove that its guest has the invite with this secret."""
    return not hmac.compare_digest(invite_proof(secret, link, hello), hello.proof)


class SingleGuestPolicy:
    """Whom a host lets in: the bearer of the unused invite, and keys that are expected.

    ``occupied`` says that somebody sits at the table; whoever sees them leave takes it back.
    A door never forgets whom it let in, and lets in nobody else after that, unless it is told that
    nothing came of it (``as_before``).
    """

    def __init__(
        self,
        secret: bytes | None,
        expected: Iterable[bytes] = (),
        *,
        nobody_else: bool = False,
        may_sit: Callable[[], bool] = lambda: True,
    ) -> None:
        """*nobody_else*: the invite only says where we are, to those who are expected. *may_sit*:
        asked once for each guest that would be let in, whether that is not too often."""
        self.occupied = False
        self._secret = secret
        self._used = False  # by the invite's secret
        self._given = False  # the table, to one key
        self._expected = frozenset(expected)
        self._expected_first = self._expected
        self._nobody_else = nobody_else
        self._may_sit = may_sit

    def let_in(self, hello: Hello, link: ChannelBinding) -> int:
        """Let the guest in, one at a time, or raise GreetingRefused. Gives the version to speak.

        The proof is judged before anything about the table is told, and the invite is used up
        only by a guest who really sits down.
        """
        version = choose_version(hello, link)
        expected = link.guest_key in self._expected
        if not expected:
            self._check_proof(hello, link)
        if self.occupied or not self._may_sit():
            raise refusal("table-taken")
        if not expected:
            self._used = True
        self._given, self._expected = True, frozenset((link.guest_key,))
        self.occupied = True
        return version

    def leave(self, key: bytes) -> None:
        """Who sat at the table is gone."""
        self.occupied = False

    def as_before(self) -> None:
        """Nothing was begun with whoever sits there, or has sat there last: if it was expected,
        others may come as before. An invite that it has used is its own."""
        if not self._used:
            self._given, self._expected = False, self._expected_first

    def expects(self, hashed: bytes) -> bool:
        """Whether somebody with a key of this hash (``key_hash``) needs no invite."""
        return any(key_hash(key) == hashed for key in self._expected)

    def _check_proof(self, hello: Hello, link: ChannelBinding) -> None:
        if self._secret is None or self._nobody_else:
            raise refusal("not-expected")
        if wrong_proof(self._secret, hello, link):
            raise refusal("invite-wrong")
        if self._used:
            raise refusal("invite-used")
        if self._given:  # the table went to an expected key, which came first
            raise GreetingRefused("not-expected", REFUSALS["not-expected"], has_invite=True)


def check_welcome(link: ChannelBinding, hello: Hello, welcome: Welcome) -> None:
    """The guest's judgement of the host's answer; raises GreetingRefused."""
    try:
        verify_signature(link.host_key, welcome_statement(link, hello, welcome), welcome.signature)
    except BadSignature as error:
        raise GreetingRefused(
            "welcome-forged", "The host's welcome is not signed with the host's key."
        ) from error
    if welcome.version not in hello.versions:
        raise refusal("version-mismatch")
    if not set(welcome.extensions) <= set(hello.extensions):
        raise GreetingRefused(
            "extensions-malformed", "The host's welcome names an extension that was not asked for."
        )
