"""How a command ends when it cannot do what was asked: every code, and its exit status.

A failure is one line on standard error, "ginpeer: SENTENCE (CODE)". The sentence may change in
another version; code and status stay. STATUS_OF lists the codes, except these:

- a log that was named and cannot be read ends with 2, whatever the reason, because the file is the
  command's subject: with a code of protocol.codes.UNREADABLE_LOG, or with no-permission or
  disk-error;
- a stored log of our own that no longer holds ends with 70 and the referee's code (PROTOCOL 7.1).

An unforeseen error has no code: "something went wrong on this machine", and 70.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

USAGE = 2
"""Exit status: wrong usage, or something named on the command line cannot be read."""
OUR_FAULT = 70
"""Exit status: something went wrong on this machine (EX_SOFTWARE of sysexits.h)."""

_TYPED = (
    "usage",
    "bad-name",
    # rules
    "unreadable-rules",
    "unknown-preset",
    "unknown-rule",
    "repeated-rule",
    "rules-contradict",
    "rule-out-of-range",
    "rule-unsupported",
    # invites and addresses
    "stun-list-unreadable",
    "invite-unreadable",
    "invite-damaged",
    "invite-checksum",
    "invite-too-new",
    "invite-addresses",
    "address-unreadable",
    "address-not-ours",
    "port-taken",
    "port-forbidden",
    "cannot-listen",
    # matches and logs that are named
    "friend-unknown",
    "several-friends",
    "name-taken",
    "name-unusable",
    "nothing-to-resume",
    "several-to-resume",
    "practice-over",
    "no-address",
    "was-hidden",
    "no-such-log",
    "not-a-file",
    "page-without-log",
    "page-with-two-logs",
    "page-log-damaged",
    "page-too-large",
    # matches that are typed
    "unproven",
    "text-too-large",
    "text-not-utf8",
    "text-empty",
    "too-many-lines",
    "line-too-long",
    "line-unreadable",
    "line-misplaced",
    "tag-unreadable",
    "tag-twice",
    "tag-too-late",
    "notation-too-new",
    "hand-number",
    "hand-over",
    "hand-too-long",
    "dealer-missing",
    "dealer-differs",
    "first-differs",
    "upcard-missing",
    "upcard-differs",
    "seat-differs",
    "seat-missing",
    "turn-over",
    "sum-differs",
    "no-such-hand",
    "no-such-seat",
    "no-advice",
    "walk-of-events",
    "hands-hidden",
    "tally-mismatch",
    "tally-team",
    "tally-order",
    "tally-unfinished",
    "bad-archive",
    "archive-differs",
    "nothing-to-pack",
    "file-exists",
    "cannot-keep",
    # the passphrase
    "wrong-passphrase",
    "bad-passphrase",
    "no-passphrase",
    "not-protected",
)
_HERE = (
    # the disk, and what lies on it
    "disk-full",
    "file-size-limit",
    "no-permission",
    "disk-error",
    "no-home",
    "home-unusable",
    "bad-identity-file",
    "identity-is-link",
    "sealing-failed",
    "bad-known-peers",
    "bad-match-file",
    "bad-seeds-file",
    "bad-onion-key-file",
    "seed-lost",
    "seed-exists",
    "ambiguous-log",
    "no-such-match",
    "match-exists",
    "match-in-use",
    "link-runs",
    "match-ended",
    "store-closed",
    "entry-too-long",
    "log-full",
    # the rest of the machine
    "out-of-memory",
    "no-constant-time-group",
    "no-output",
    # the demo
    "player-failed",
    "no-invite",
    "not-finished",
    "too-slow",
    "logs-differ",
)
STATUS_OF: Final[Mapping[str, int]] = {
    **dict.fromkeys(_TYPED, USAGE),
    **dict.fromkeys(_HERE, OUR_FAULT),
    "stopped": 128,  # and the number of the signal that stopped the demo
}


class Failure(Exception):
    """Ends a command with a sentence for the person, a stable code and an exit status: *status*, or
    the code's in STATUS_OF."""

    def __init__(self, code: str, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.status = STATUS_OF.get(code, OUR_FAULT) if status is None else status
