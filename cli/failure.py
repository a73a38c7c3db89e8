"""How a command ends when it can't do what was asked: every code, and its exit status.

A failure is one line on standard error, "ginpeer: SENTENCE (CODE)". Another version may word the
sentence differently; code and status stay. STATUS_OF lists the codes, with these exceptions:

- a named log that can't be read ends with 2, whatever the reason, because the file is the command's
  subject. Its code is one of protocol.codes.UNREADABLE_LOG, or no-permission or disk-error;
- a stored log of our own that no longer verifies gives 70 and the referee's code (PROTOCOL 7.1).

An unforeseen error has no code: "something went wrong on this machine", and 70.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

USAGE = 2
"""Exit status for wrong usage, or for something named on the command line that can't be read."""
OUR_FAULT = 70
"""Exit status for an error on this machine (EX_SOFTWARE of sysexits.h)."""

_TYPED = {
    "usage": "the command line is wrong",
    "bad-name": "a name that no player can have",
    # rules
    "unreadable-rules": "text that is no rule set",
    "unknown-preset": "no rules have this name",
    "unknown-rule": "no parameter has this name",
    "repeated-rule": "a parameter is given twice",
    "rules-contradict": "two parameters exclude each other",
    "rule-out-of-range": "a parameter has an impossible value",
    "rule-unsupported": "a rule that this program does not play",
    # invites and addresses
    "stun-list-unreadable": "the list of STUN servers cannot be read",
    "invite-unreadable": "text that is no invite",
    "invite-damaged": "an invite that makes no sense",
    "invite-checksum": "an invite whose checksum is wrong",
    "invite-too-new": "an invite of a later version",
    "invite-addresses": "an invite cannot contain these addresses",
    "address-unreadable": "text that is no address",
    "address-not-ours": "no network of this machine has this address",
    "port-taken": "another program uses this port",
    "port-forbidden": "the system does not allow this address",
    "cannot-listen": "the system refuses to listen for another reason",
    # named matches and logs
    "friend-unknown": "nobody of this name has been met",
    "several-friends": "several friends fit the name",
    "name-taken": "another friend has this name",
    "name-unusable": "a friend cannot have this name",
    "nothing-to-resume": "no such unfinished match is stored",
    "several-to-resume": "several unfinished matches fit",
    "practice-over": "the bot has not kept its side of a match",
    "no-address": "no address of the host is known",
    "was-hidden": "this friend was not to learn our address",
    "no-such-log": "neither a file nor a stored match",
    "not-a-file": "a folder, or another thing that is no file",
    "page-without-log": "a page without a log",
    "page-with-two-logs": "a page with more than one log",
    "page-log-damaged": "a page whose log cannot be unpacked",
    "page-too-large": "a page larger than any that is read",
    # typed matches
    "unproven": "a typed match, signed by nobody",
    "text-too-large": "more text than is read",
    "text-not-utf8": "text in another encoding",
    "text-empty": "text without a match",
    "too-many-lines": "more lines than are read",
    "line-too-long": "a line longer than any that is read",
    "line-unreadable": "a line that is neither turn nor tag",
    "line-misplaced": "a line that cannot be here",
    "tag-unreadable": "a tag that cannot be read",
    "tag-twice": "a tag that was there before",
    "tag-too-late": "a tag after the first hand",
    "notation-too-new": "the notation of a later version",
    "hand-number": "a hand with the wrong number",
    "hand-over": "a turn after the end of the hand",
    "hand-too-long": "a hand with too many turns",
    "dealer-missing": "nothing says who dealt",
    "dealer-differs": "the rules say that the other player dealt",
    "first-differs": "the rules say that the other player begins",
    "upcard-missing": "a hand without its upcard",
    "upcard-differs": "another card than the upcard",
    "seat-differs": "the other player is to move",
    "seat-missing": "nothing says whose turn it is",
    "turn-over": "more moves than a turn has",
    "sum-differs": "a total that the hands do not add up to",
    # requests about a log
    "no-such-hand": "the match has no hand with this number",
    "no-such-seat": "no player has this name",
    "no-advice": "rules whose choices cannot be valued",
    "walk-of-events": "--walk and --events together",
    "hands-hidden": "the cards of the player are not known",
    # several logs
    "tally-mismatch": "the logs do not belong together",
    "tally-team": "the teams do not fit the players",
    "tally-order": "the order of the logs does not fit",
    "tally-unfinished": "a match that is not finished",
    "bad-archive": "a file that is no archive, or a damaged one",
    "archive-differs": "another file is where one of the archive belongs",
    "nothing-to-pack": "no finished match with this friend",
    "file-exists": "a file that is not replaced unasked",
    "cannot-keep": "the log cannot be written to the named file",
    # the passphrase
    "wrong-passphrase": "not the passphrase of the key",
    "bad-passphrase": "no key can have this passphrase",
    "no-passphrase": "a passphrase is needed, and none was given",
    "not-protected": "the key has no passphrase",
}
_HERE = {
    # the disk and its files
    "disk-full": "no space left",
    "file-size-limit": "a file may not become larger",
    "no-permission": "this user may not read or write there",
    "disk-error": "any other error of the disk",
    "no-home": "no folder can serve as home",
    "home-unusable": "the path cannot be a folder's name",
    "bad-identity-file": "the file of our key is damaged",
    "identity-is-link": "the file of our key is a link",
    "sealing-failed": "the protected key cannot be opened again",
    "bad-known-peers": "the file of friends is damaged",
    "bad-match-file": "the notes of a match are damaged",
    "bad-seeds-file": "the seeds of a match are damaged",
    "bad-onion-key-file": "the key of the onion service is damaged",
    "seed-lost": "a seed that this match needs is gone",
    "seed-exists": "a hand has another seed already",
    "ambiguous-log": "several stored matches fit the name",
    "no-such-match": "a stored match is gone",
    "match-exists": "a match with this name is stored already",
    "match-in-use": "another program has this match open",
    "link-runs": "another link runs in this home",
    "match-ended": "the host continues a match that has ended here",
    "store-closed": "a match was closed after a failure",
    "entry-too-long": "an entry longer than any that is stored",
    "log-full": "the log is as long as a log may be",
    # the rest of the machine
    "out-of-memory": "no memory left",
    "no-constant-time-group": "libsodium is missing, and playing needs it",
    "no-output": "there is no output to play on",
    # the demo
    "player-failed": "a bot ended badly",
    "no-invite": "the host printed no invite",
    "not-finished": "the match was not finished",
    "too-slow": "a hand took too long",
    "logs-differ": "the players' logs differ",
}

MEANING_OF: Final[Mapping[str, str]] = {
    **_TYPED,
    **_HERE,
    "stopped": "a signal stopped the demo",
}
"""What each code means."""

STATUS_OF: Final[Mapping[str, int]] = {
    **dict.fromkeys(_TYPED, USAGE),
    **dict.fromkeys(_HERE, OUR_FAULT),
    "stopped": 128,  # plus the number of the signal
}
"""The exit status for each code."""


class Failure(Exception):
    """Ends a command with a sentence for the person, a stable code and an exit status. If *status*
    is None, it is the code's in STATUS_OF."""

    def __init__(self, code: str, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.status = STATUS_OF.get(code, OUR_FAULT) if status is None else status


@contextmanager
def failures_of(*errors: type[Exception], status: int | None = USAGE) -> Iterator[None]:
    """End the command with the error's code and sentence if one of these errors is raised.
    *status*: the exit status; None for the one that belongs to the code."""
    try:
        yield
    except errors as why:
        told: Any = why
        raise Failure(told.code, told.sentence, status) from why
