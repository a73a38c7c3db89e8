"""The errors of storing and reading, each with a stable code and a sentence."""

from __future__ import annotations

import os
from pathlib import Path

from protocol.codes import CodedError


class StoreError(CodedError):
    """Our own machine couldn't store or read something. This is class C: nobody is blamed.

    `code` is one of: disk-full, file-size-limit, no-permission, disk-error, store-closed,
    match-in-use, match-exists, match-ended, log-full, no-such-match, seed-exists, entry-too-long,
    home-unusable, no-home, bad-identity-file, identity-is-link, sealing-failed, out-of-memory,
    wrong-passphrase, bad-passphrase, no-passphrase, bad-known-peers, bad-seeds-file,
    bad-match-file, bad-onion-key-file, ambiguous-log, link-runs, home-not-empty.
    """


class UnreadableLog(CodedError, ValueError):
    """This file can't be read as a log. `entry` is the number of the record at fault, if any.

    `code` is one of: no-such-log, not-a-file, no-permission, disk-error, not-a-log, too-new,
    empty-log, log-too-large, bad-record, log-changed (raised by ginpeer.record, which may judge a
    log twice). For a page that carries a log: page-without-log, page-with-two-logs,
    page-log-damaged, page-too-large.
    """

    def __init__(self, code: str, sentence: str, entry: int | None = None) -> None:
        super().__init__(code, sentence)
        self.entry = entry


class NotationFile(UnreadableLog):
    """The file is a match in notation (ginpeer.notation), not a log. ``text``: its bytes."""

    def __init__(self, name: Path | str, text: bytes) -> None:
        super().__init__("not-a-log", f"{printable(name)} is a match in notation, not a log.")
        self.name = os.fspath(name)
        self.text = text


class PageOfSeveral(UnreadableLog):
    """The file is a page of several matches, with these ``logs``, but one log was wanted."""

    def __init__(self, name: str, page: bytes, logs: tuple[bytes, ...]) -> None:
        super().__init__(
            "page-with-two-logs",
            f"{printable(name)} is a page of {len(logs)} matches. Open it in a browser, choose a "
            "match and save its log; then name that file.",
        )
        self.name = name
        self.page = page
        self.logs = logs


def printable(path: Path | str) -> str:
    """Return a path that is safe in a one-line sentence, whatever it contains."""
    text = "".join(c if c.isprintable() else "?" for c in os.fspath(path))
    return text if len(text) <= 200 else f"{text[:98]}...{text[-98:]}"
