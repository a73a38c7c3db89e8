"""The referee and the stranger, both put before an entry of a recorded log."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ginpeer.referee.referee import Referee
from ginpeer.referee.table import Awaiting, Table
from ginpeer.referee.verdict import judge as judge_entries
from ginpeer.referee.violations import Refused, Violation
from ginpeer.store.errors import UnreadableLog
from ginpeer.store.log import read_log
from protocol.crypto.identity import IdentityKey
from protocol.entry import RawEntry
from tests.stranger import log, wire
from tests.stranger.refusal import Refusal

FOLDER = Path(__file__).parent.parent / "vectors" / "logs"
README = (FOLDER / "README.md").read_text()

Answer = tuple[Any, ...]


def admits(match: log.Match, raw: bytes) -> Answer:
    """The code and the culprit's seat by which the stranger refuses, or who owes what follows."""
    try:
        match.admit(raw)
    except Refusal as refusal:
        return refusal.code, refusal.culprit
    return "admitted", match.owes


def copy_of(match: log.Match) -> log.Match:
    copied: log.Match = pickle.loads(pickle.dumps(match))
    return copied


def referee_admits(entries: Sequence[bytes], table: Table, raw: bytes) -> Answer:
    """The same of a referee who has admitted these entries, and has come to this table."""
    referee = Referee()
    referee._table = table
    referee._entries = list(entries)
    try:
        referee.admit(raw)
    except Refused as error:
        return error.code, error.seat if isinstance(error, Violation) else None
    return "admitted", referee.table.owed_by


def signed(identity: IdentityKey, body: bytes) -> bytes:
    return body + identity.sign(RawEntry(body, b"").signed_message)


class Compared:
    """A log that both find good; both verify all of its proofs."""

    def __init__(self, name: str) -> None:
        self.path = FOLDER / f"{name}.ginlog"
        self.entries = read_log(self.path).entries
        self.bodies = [RawEntry.split(entry).unverified_body for entry in self.entries]
        # With the keys that stand beside the log lies can be signed.
        keys = re.search(rf"`{name}\.ginlog`.*?\b(\w{{64}}),\s(\w{{64}})\b", README, re.DOTALL)
        assert keys is not None
        self.identities = [IdentityKey(bytes.fromhex(secret)) for secret in keys.groups()]
        assert tuple(key.public for key in self.identities) == self.tables[-1].keys

    @cached_property
    def strangers(self) -> list[bytes]:
        """The stranger's match before each entry, and after the last."""
        match, stages = log.Match(), []
        for entry in self.entries:
            stages.append(pickle.dumps(match))
            match.admit(entry)
        return [*stages, pickle.dumps(match)]

    @cached_property
    def tables(self) -> list[Table]:
        """The referee's table before each entry, and after the last."""
        referee = Referee()
        tables = [referee.table]
        for entry in self.entries:
            referee.admit(entry)
            tables.append(referee.table)
        return tables

    def author(self, k: int) -> IdentityKey:
        return self.identities[self.tables[k].owed_by or 0]

    def agree(self, k: int, raw: bytes) -> Answer:
        """What both say of *raw* in the place of entry k."""
        outcome = admits(pickle.loads(self.strangers[k]), raw)
        assert outcome == referee_admits(self.entries[:k], self.tables[k], raw), (k, raw.hex())
        return outcome

    def changed(self, k: int, changes: dict[str, Any], **header: Any) -> bytes:
        """Entry k with fields of its message changed, possible or not, signed by its author."""
        return signed(self.author(k), self.changed_body(k, changes, **header))

    def changed_body(self, k: int, changes: dict[str, Any], **header: Any) -> bytes:
        body = wire.decode_body(self.bodies[k])
        kind, message = body["message"]
        return wire.encode_body({**body, "message": (kind, {**message, **changes}), **header})

    def stranger_judges(self, data: bytes) -> Answer:
        """The verdict on a log file; what it has in common with the good one is not judged
        again."""
        try:
            entries, torn = wire.split_log(data)
        except Refusal as refusal:
            return "unreadable", refusal.code
        own = self.entries
        same = next((k for k, e in enumerate(own) if entries[k : k + 1] != [e]), len(own))
        match: log.Match = pickle.loads(self.strangers[same])
        verdict = log.judge_entries(match, entries[same:], torn)
        names = ("verdict", "code", "entry", "culprit", "owes", "totals")
        return tuple(verdict[name] for name in names)


def referee_judges(data: bytes, path: Path) -> Answer:
    path.write_bytes(data)
    try:
        file = read_log(path)
    except UnreadableLog as error:
        return "unreadable", error.code
    verdict = judge_entries(file.entries, file.torn)
    table = verdict.table
    settled = table.awaiting in (Awaiting.DISCLOSE, Awaiting.NOTHING) and table.match
    return (
        verdict.finding.name.lower(),
        None if verdict.code in ("valid", "incomplete") else verdict.code,
        verdict.failing_entry,
        verdict.culprit,
        table.owed_by,
        list(settled.settlement().totals) if settled else None,
    )
