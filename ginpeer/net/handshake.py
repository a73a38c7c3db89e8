"""The greeting on top of TLS: hello and welcome (WIRE 9.3).

After TLS, both sides know each other's keys, and the guest knows that the peer's key is the host's.
A hello is worthless on a different connection, between different keys or with a different version
list, and a welcome answers only one hello. The hello's proof and the welcome's signature cover both
keys, because the exporter doesn't cover the guest's certificate (tls.py).

An attacker can guess at the 80-bit secret only as fast as it makes TLS connections: at a thousand a
second, the chance of finding it within a year is 2^-45. We don't limit attempts, since a friend
may share an address (a router, a proxy, Tor) with an attacker.
A stranger costs two signatures and an HMAC, and no computation in the deck's group.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from dataclasses import dataclass, replace

from protocol.codes import CodedError
from protocol.crypto.hashing import frame as framed
from protocol.crypto.identity import BadSignature, verify_signature
from protocol.frames import SIGNATURE_BYTES, Hello, Welcome, encode_frame

VERSIONS = (1,)  # the protocol versions that we support, ascending

# Extensions (WIRE 9.12)
ANOTHER_MATCH = 1  # this side stays connected for another match
SHARED_LOG = 2  # this side asks both players before its log is shown to another table
OTHER_TABLE = 3  # the connection is between two tables, and nothing is played on it
BOT_GUEST = 4  # a bot plays for the guest
BOT_HOST = 5  # a bot plays for the host

REFUSALS = {
    "version-mismatch": (
        "Host and guest speak different versions of the protocol; both need the same version of "
        "ginpeer."
    ),
    "invite-wrong": "This invite's secret is wrong; ask the host for a new invite.",
    "invite-used": "This invite has already been used; ask the host for a new one.",
    "not-expected": "The host is waiting for or playing with somebody else.",
    "table-taken": (
        "The host's table is taken, or you have connected too often in a short time; try again in "
        "a moment."
    ),
    "same-key": (
        "Host and guest have the same identity key; each player needs a separate home (--home)."
    ),
}
"""The refusals that a host may send instead of a welcome, as both sides show them."""


class GreetingRefused(CodedError):
    """The greeting failed. A code in REFUSALS needs no *sentence*. ``has_invite``: whether the
    guest has proven that it has the invite, which nobody has used yet."""

    def __init__(self, code: str, sentence: str = "", *, has_invite: bool = False) -> None:
        super().__init__(code, sentence or REFUSALS[code])
        self.has_invite = has_invite


@dataclass(frozen=True, slots=True)
class ChannelBinding:
    """Identifies one TLS connection by data that only its two ends know."""

    exporter: bytes
    host_key: bytes
    guest_key: bytes

    def __bytes__(self) -> bytes:
        return (
            framed("exporter", self.exporter)
            + framed("host-key", self.host_key)
            + framed("guest-key", self.guest_key)
        )


def invite_proof(secret: bytes, binding: ChannelBinding, hello: Hello) -> bytes:
    """Return the 32-byte proof for *hello*, ignoring the proof in it."""
    message = (
        framed("ginpeer/v1", b"invite-proof")
        + framed("role", b"guest")
        + bytes(binding)
        + framed("hello", encode_frame(replace(hello, proof=b"")))
    )
    return hmac.digest(secret, message, "sha256")


def welcome_statement(binding: ChannelBinding, hello: Hello, welcome: Welcome) -> bytes:
    """Return the statement that the host signs for *welcome*, ignoring the signature in it."""
    unsigned = replace(welcome, signature=bytes(SIGNATURE_BYTES))
    return (
        framed("ginpeer/v1", b"welcome")
        + framed("role", b"host")
        + bytes(binding)
        + framed("hello", encode_frame(hello))
        + framed("welcome", encode_frame(unsigned))
    )


def common_extensions(hello: Hello, ours: Iterable[int]) -> tuple[int, ...]:
    """Return the extensions that both sides name; only these are in use (WIRE 9.12)."""
    supported = frozenset(ours)
    return tuple(number for number in hello.extensions if number in supported)


def with_bots(ours: Iterable[int], *, hosts: bool, bot: bool) -> tuple[int, ...]:
    """Add the extensions about bots: the one that the peer may name, and ours if our side is a
    *bot*."""
    said, heard = (BOT_HOST, BOT_GUEST) if hosts else (BOT_GUEST, BOT_HOST)
    return tuple(sorted({*ours, heard, *((said,) if bot else ())}))


def choose_version(hello: Hello, binding: ChannelBinding) -> int:
    """Return the highest common version. Raises GreetingRefused if there is none, or if the guest
    has our own key."""
    if binding.guest_key == binding.host_key:
        raise GreetingRefused("same-key")
    common = set(hello.versions) & set(VERSIONS)
    if not common:
        raise GreetingRefused("version-mismatch")
    return max(common)


def wrong_proof(secret: bytes, hello: Hello, binding: ChannelBinding) -> bool:
    """Return whether the hello fails to prove that its guest has the invite with this secret."""
    return not hmac.compare_digest(invite_proof(secret, binding, hello), hello.proof)


def check_welcome(binding: ChannelBinding, hello: Hello, welcome: Welcome) -> None:
    """Check the host's answer, as a guest. Raises GreetingRefused."""
    try:
        verify_signature(
            binding.host_key, welcome_statement(binding, hello, welcome), welcome.signature
        )
    except BadSignature as error:
        raise GreetingRefused(
            "welcome-forged", "The host's welcome isn't signed with the host's key."
        ) from error
    if welcome.version not in hello.versions:
        raise GreetingRefused("version-mismatch")
    if not set(welcome.extensions) <= set(hello.extensions):
        raise GreetingRefused(
            "extensions-malformed", "The host's welcome names an extension that we didn't ask for."
        )
