"""How a command ends when it can't do what was asked: every code, and its exit status.

A failure is one line on standard error, "ginpeer: SENTENCE (CODE)". Another version may word the
sentence differently; code and status stay. STATUS_OF lists the codes, with these exceptions:

- a named log that can't be read ends with 2, whatever the reason, because the file is the command's
  subject. Its code is one of PROTOCOL 11.2, or no-permission or disk-error;
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
    "bad-name": "a player can't have this name",
    # rules
    "unreadable-rules": "the text isn't a rule set",
    "unknown-preset": "no rules have this name",
    "unknown-rule": "no parameter has this name",
    "repeated-rule": "a parameter is given twice",
    "rules-contradict": "two parameters exclude each other",
    "rule-out-of-range": "a parameter has an impossible value",
    "rule-unsupported": "this program doesn't support the rule",
    # invites and addresses
    "stun-list-unreadable": "the list of STUN servers can't be read",
    "invite-unreadable": "the text isn't an invite",
    "invite-damaged": "the invite makes no sense",
    "invite-checksum": "the invite's checksum is wrong",
    "invite-too-new": "the invite is of a later version",
    "invite-addresses": "an invite can't contain these addresses",
    "address-unreadable": "the text isn't an address",
    "address-not-ours": "no network of this machine has this address",
    "port-taken": "another program uses this port",
    "port-forbidden": "the system doesn't allow this address",
    "cannot-listen": "the system refuses to listen for another reason",
    # named matches and logs
    "friend-unknown": "you haven't met anybody with this name",
    "several-friends": "several friends match the name",
    "name-taken": "another friend has this name",
    "name-unusable": "a friend can't have this name",
    "nothing-to-resume": "no such unfinished match is stored",
    "several-to-resume": "there are several unfinished matches",
    "practice-over": "the bot's log of that practice match is gone",
    "no-address": "the host's address isn't known",
    "was-hidden": "you hid your address from this friend",
    "no-such-log": "there is no such file or stored match",
    "not-a-file": "the path isn't a regular file",
    "page-without-log": "the page contains no log",
    "page-with-two-logs": "the page contains more than one log",
    "page-log-damaged": "the page's log can't be unpacked",
    "page-too-large": "the page is too large",
    # typed matches
    "unproven": "the match was typed in, and nobody signed it",
    "text-too-large": "the text is too large",
    "text-not-utf8": "the text isn't UTF-8",
    "text-empty": "the text contains no match",
    "too-many-lines": "there are too many lines",
    "line-too-long": "the line is too long",
    "line-unreadable": "the line is neither a turn nor a tag",
    "line-misplaced": "the line is out of place",
    "tag-unreadable": "the tag can't be read",
    "tag-twice": "the tag is given twice",
    "tag-too-late": "the tag comes after the first hand",
    "notation-too-new": "the notation is of a later version",
    "hand-number": "the hand has the wrong number",
    "hand-over": "the turn comes after the end of the hand",
    "hand-too-long": "the hand has too many turns",
    "dealer-missing": "the text doesn't say who dealt",
    "dealer-differs": "by the rules, the other player dealt",
    "first-differs": "by the rules, the other player begins",
    "upcard-missing": "the hand has no upcard",
    "upcard-differs": "the card isn't the upcard",
    "seat-differs": "it is the other player's turn",
    "seat-missing": "the text doesn't say whose turn it is",
    "turn-over": "the turn has too many moves",
    "sum-differs": "the hands don't add up to this total",
    # requests about a log
    "no-such-hand": "the match has no hand with this number",
    "no-such-step": "the match has no step with this name",
    "no-such-seat": "no player has this name",
    "no-advice": "choices under these rules can't be valued",
    "walk-of-events": "--walk and --events are both given",
    "hands-hidden": "the player's cards aren't known",
    # several logs
    "tally-mismatch": "the logs don't belong together",
    "tally-team": "the teams don't match the players",
    "tally-order": "the logs are in the wrong order",
    "tally-unfinished": "a match isn't finished",
    "bad-archive": "the file isn't an archive, or is damaged",
    "archive-differs": "a different file is in the place of one from the archive",
    "nothing-to-pack": "there is no finished match with this friend, or no key",
    "home-not-empty": "a home is restored only into an empty folder",
    "file-exists": "the file exists, and --replace wasn't given",
    "cannot-keep": "the log can't be written to the named file",
    # the passphrase
    "wrong-passphrase": "the passphrase is wrong",
    "bad-passphrase": "a key can't have this passphrase",
    "no-passphrase": "a passphrase is needed, and none was given",
    "not-protected": "the key has no passphrase",
}
_HERE = {
    # the disk and its files
    "disk-full": "the disk is full",
    "file-size-limit": "the file has reached the allowed size",
    "no-permission": "this user may not read or write there",
    "disk-error": "any other disk error",
    "no-home": "there is no usable home folder",
    "home-unusable": "the path can't be a folder's name",
    "bad-identity-file": "our key file is damaged",
    "identity-is-link": "our key file is a link",
    "sealing-failed": "the protected key can't be opened again",
    "bad-known-peers": "the file of friends is damaged",
    "bad-match-file": "the notes of a match are damaged",
    "bad-seeds-file": "the seeds of a match are damaged",
    "bad-onion-key-file": "the key of the onion service is damaged",
    "seed-lost": "a seed that this match needs is missing",
    "seed-exists": "the hand already has a different seed",
    "ambiguous-log": "several stored matches have this name",
    "no-such-match": "a stored match is missing",
    "match-exists": "a match with this name is already stored",
    "match-in-use": "another program has this match open",
    "link-runs": "another link is running in this home",
    "match-ended": "the host continues a match that has ended here",
    "store-closed": "a match was closed after a failure",
    "entry-too-long": "an entry is too long to store",
    "log-full": "the log has reached the allowed size",
    # the rest of the machine
    "out-of-memory": "out of memory",
    "no-constant-time-group": "libsodium is missing, and playing needs it",
    "no-output": "standard output is closed",
    # the demo
    "player-failed": "a bot failed",
    "no-invite": "the host printed no invite",
    "not-finished": "the match wasn't finished",
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
