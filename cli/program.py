"""The version of this program, the command that starts it, and how a command fails.

A command that we tell our player to type contains the home that was given to this program, so that
it can be pasted. A command that we tell a friend to type doesn't: it is for another machine.

A failure is one line on standard error, "ginpeer: SENTENCE (CODE)". Another version may word the
sentence differently; the code and the status stay the same. STATUS_OF lists the codes (their
sentences are where they are raised), with these exceptions:

- a named log that can't be read ends with 2, whatever the reason, because the file is the command's
  subject. Its code is one of PROTOCOL 11.2, or no-permission or disk-error;
- a stored log of our own that no longer verifies gives 70 and the referee's code (PROTOCOL 7.1);
- an unexpected error has no code, says "something went wrong on this machine", and gives 70.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

_MAX_SHOWN = 1_000
"""The most characters of the command to show."""


def version() -> str:
    """Return ginpeer.__version__, which is imported only when it is needed."""
    from ginpeer import __version__

    return __version__


def own_command(home: str | None, environ: Mapping[str, str] = os.environ) -> str:
    """Return the command that starts this program with its home, from any folder: "ginpeer", or
    "ginpeer --home /srv/gin" if *home* or a relative GINPEER_HOME was given."""
    from ginpeer.names import safe

    if home is None:
        named = os.path.expanduser(environ.get("GINPEER_HOME", ""))
        if not named or os.path.isabs(named):
            return "ginpeer"
        home = named
    folder = quoted(os.path.abspath(os.path.expanduser(home)))
    return safe(f"ginpeer --home {folder}", _MAX_SHOWN)


def quoted(argument: str) -> str:
    """Return an argument, quoted for the user's shell."""
    if sys.platform == "win32":
        import subprocess

        return subprocess.list2cmdline([argument])
    return shlex.quote(argument)


USAGE = 2
"""Exit status for wrong usage, or for something named on the command line that can't be read."""
OUR_FAULT = 70
"""Exit status for an error on this machine (EX_SOFTWARE of sysexits.h)."""
INTERRUPTED = 130  # as shells report SIGINT

OUT_OF_MEMORY = "this program has run out of memory; what was stored is safe. (out-of-memory)"

_TYPED = """
usage bad-name
unreadable-rules unknown-preset unknown-rule repeated-rule rules-contradict rule-out-of-range
rule-unsupported
stun-list-unreadable invite-unreadable invite-damaged invite-checksum invite-too-new
invite-addresses address-unreadable address-not-ours port-taken port-forbidden cannot-listen
friend-unknown several-friends name-taken name-unusable nothing-to-resume several-to-resume
practice-over no-address was-hidden no-such-log not-a-file page-without-log page-with-two-logs
page-log-damaged page-too-large
unproven text-too-large text-not-utf8 text-empty too-many-lines line-too-long line-unreadable
line-misplaced tag-unreadable tag-twice tag-too-late notation-too-new hand-number hand-over
hand-too-long dealer-missing dealer-differs first-differs upcard-missing upcard-differs seat-differs
seat-missing turn-over sum-differs
no-such-hand no-such-step no-such-seat no-advice walk-of-events hands-hidden
tally-mismatch tally-team tally-order tally-unfinished bad-archive archive-differs nothing-to-pack
home-not-empty file-exists cannot-keep
wrong-passphrase bad-passphrase no-passphrase not-protected
"""
"""Codes for errors in the user's input, or in what it refers to."""

_HERE = """
disk-full file-size-limit no-permission disk-error no-home home-unusable bad-identity-file
identity-is-link sealing-failed bad-known-peers bad-match-file bad-seeds-file bad-onion-key-file
seed-lost seed-exists ambiguous-log no-such-match match-exists match-in-use link-runs match-ended
store-closed entry-too-long log-full
out-of-memory no-constant-time-group no-output
player-failed no-invite not-finished too-slow logs-differ
"""
"""Codes for errors on this machine."""

STATUS_OF: Final[Mapping[str, int]] = {
    **dict.fromkeys(_TYPED.split(), USAGE),
    **dict.fromkeys(_HERE.split(), OUR_FAULT),
    "stopped": 128,  # plus the number of the signal
}
"""The exit status for each code."""


class Failure(Exception):
    """Ends a command with a sentence for the user, a stable code and an exit status. If *status* is
    None, STATUS_OF gives the status."""

    def __init__(self, code: str, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.status = STATUS_OF.get(code, OUR_FAULT) if status is None else status


@contextmanager
def failures_of(*errors: type[Exception]) -> Iterator[None]:
    """End the command with the error's code and sentence if one of these errors is raised."""
    try:
        yield
    except errors as why:
        told: Any = why
        raise Failure(told.code, told.sentence) from why
