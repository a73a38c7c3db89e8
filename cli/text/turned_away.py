"""Guests that were refused, as told to a host who asked for it (`ginpeer host -v`).

# Nothing that a stranger has said is shown, only an address, the fingerprint of a key that TLS has
# proven, and our own words.
"""

from __future__ import annotations

import time

from ginpeer.net.admission import RejectedConnection
from protocol.crypto.identity import fingerprint

REASONS = {
    "invite-wrong": "it has not the secret of this invite; maybe it has an older one",
    "invite-used": "this invite has been used by somebody else",
    "not-expected": "this match goes on with another player",
    "table-taken": "somebody sits at the table, or it has come too often just now",
    "same-key": "it has your own key; each player needs a home of their own (--home)",
    "version-mismatch": "it speaks another version of the protocol",
    "wrong-alpn": "it speaks TLS, but it is not ginpeer",
    "tls-version": "it does not speak TLS 1.3",
    "tls-failed": "it does not speak our TLS 1.3, or showed no key of its own",
    "no-certificate": "it showed no key",
    "bad-certificate": "its key cannot be used",
    "greeting-timeout": "it was too slow, or said nothing",
    "connection-lost": "it went before it had greeted",
    "crowded-out": "too many others came",
    "peer-closed": "it closed the connection itself",
    "peer-not-reading": "it did not read what was sent to it",
}
"""Why a guest was refused, by the code with which its connection ended. With any other code, it has
sent something that makes no sense."""

_NONSENSE = "what it sent makes no sense"
_OUR_FAULT = "something went wrong on this machine"


def turned_away(stranger: RejectedConnection, at: time.struct_time, *, met: bool) -> str:
    """Say who was refused, and why. *met*: whether we have met the key."""
    who = f"{_time(at)} {stranger.address} knocked and was not let in"
    if stranger.key is not None:
        who += f", with the key {fingerprint(stranger.key)}{', which you have met' if met else ''}"
    reason = _OUR_FAULT if stranger.our_fault else REASONS.get(stranger.code, _NONSENSE)
    return f"{who}: {reason}. ({stranger.code})"


def kept_out(stranger: RejectedConnection, name: str, at: time.struct_time, command: str) -> str:
    """Say that somebody with the invite came too late. *name*: who came first, without an invite.
    *command*: what this program is called."""
    return (
        f"{_time(at)} Somebody with your invite connected from {stranger.address} and was refused: "
        f"{name} connected first, and your match with {name} is unfinished or has just ended. To "
        f"play with your friend instead, type quit, then {command} host --new, and send the new "
        "invite."
    )


def end_given(name: str) -> str:
    """Say that somebody came for the end of an old match and has gone."""
    return f"{name} was missing the end of a finished match and has it now."


def more_turned_away(count: int, at: time.struct_time) -> str:
    """Say how many more were refused."""
    return f"{_time(at)} {count} more knocked and were not let in."


def _time(at: time.struct_time) -> str:
    return time.strftime("%H:%M:%S", at)
