"""The referee and the stranger, both put before an entry of a recorded log."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ginpeer.record import judge_log, unreadable_verdict
from ginpeer.referee.referee import Referee
from ginpeer.referee.table import Awaiting, Table
from ginpeer.referee.violations import RefusedEntry, Violation
from ginpeer.store.errors import UnreadableLog
from ginpeer.store.log import open_log, read_log
from protocol.crypto.identity import IdentityKey
from protocol.entry import RawEntry
from tests.stranger import log, wire
from tests.stranger.refusal import Refusal

FOLDER = Path(__file__).parent.parent / "vectors" / "logs"
README = (FOLDER / "README.md").read_text()

Answer = tuple[Any, ...]


class Both:
    """The stranger and the referee, before the same entry."""

    def __init__(self, stranger: log.Match, entries: Sequence[bytes], table: Table) -> None:
        self.stranger = stranger
        self.referee = Referee()
        # States are immutable; the list of entries is not.
        self.referee._table = table
        self.referee._entries = list(entries)

    def copy(self) -> Both:
        stranger: log.Match = pickle.loads(pickle.dumps(self.stranger))
        return Both(stranger, self.referee.entries, self.referee.table)

    def admit(self, raw: bytes) -> tuple[Answer, Answer]:
        """What each says: "admitted" and who owes what follows, or the code and the culprit.

        After a refusal the stranger is of no further use.
        """
        stranger: Answer
        try:
            self.stranger.admit(raw)
            stranger = "admitted", self.stranger.owes
        except Refusal as refusal:
            stranger = refusal.code, refusal.culprit
        try:
            self.referee.admit(raw)
        except RefusedEntry as error:
            return stranger, (error.code, error.seat if isinstance(error, Violation) else None)
        return stranger, ("admitted", self.referee.table.owed_by)

    def agree(self, raw: bytes) -> Answer:
        """What both say."""
        stranger, referee = self.admit(raw)
        assert stranger == referee, (len(self.referee.entries), raw.hex())
        return referee


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

    def at(self, k: int) -> Both:
        return Both(pickle.loads(self.strangers[k]), self.entries[:k], self.tables[k])

    def agree(self, k: int, raw: bytes) -> Answer:
        """What both say of *raw* in the place of entry k."""
        return self.at(k).agree(raw)

    def changed(self, k: int, changes: dict[str, Any], **header: Any) -> bytes:
        """Entry k with fields of its message changed, possible or not, signed by its author."""
        return signed(self.author(k), self.changed_body(k, changes, **header))

    def changed_body(self, k: int, changes: dict[str, Any], **header: Any) -> bytes:
        body = wire.decode_body(self.bodies[k])
        kind, message = body["message"]
        return wire.encode_body({**body, "message": (kind, {**message, **changes}), **header})

    def falsified(self, k: int, rng: random.Random) -> Iterator[bytes]:
        """Entry k with one false value for each of its fields, also of a lay inside it."""
        message = wire.decode_body(self.bodies[k])["message"][1]
        for name, falsehood in _falsehoods(message, rng):
            yield self.changed(k, {name: falsehood})
        for name, falsehood in _falsehoods(message.get("lay", {}), rng):
            yield self.changed(k, {"lay": {**message["lay"], name: falsehood}})

    def stranger_judges(self, data: bytes) -> Answer:
        """The verdict on a log file; what it has in common with the good one is not judged
        again."""
        try:
            entries, end = wire.split_log(data)
        except Refusal as refusal:
            return "unreadable", refusal.code
        own = self.entries
        same = next((k for k, e in enumerate(own) if entries[k : k + 1] != [e]), len(own))
        match: log.Match = pickle.loads(self.strangers[same])
        verdict = log.judge_entries(match, entries[same:], end)
        names = ("verdict", "code", "entry", "culprit", "owes", "totals")
        return tuple(verdict[name] for name in names)


TOTALS = (-1, 0, 1, 2**31 - 1, 1 - 2**31, -(2**31))


def _false_values(name: str, value: Any, rng: random.Random) -> list[Any]:
    """Other values of the same type."""
    if name.endswith("_total"):
        return [total for total in TOTALS if total != value]
    if isinstance(value, bytes):
        place = rng.randrange(len(value) + 1) // 32 * 32
        off_group = value[:place] + b"\xff" * 32 + value[place + 32 :]
        identity = value[:place] + bytes(32) + value[place + 32 :]
        swapped = value[1:2] + value[:1] + value[2:]
        return [b"", value[:-1], value + b"\1", value * 2, off_group, identity, swapped]
    if isinstance(value, str):
        return ["", value + " ", value + "\u202e", value + "\n", value * 70, "standard box=25"]
    if name in ("layoffs", "adds"):
        false: list[Any] = [{"card": 51, "meld": meld} for meld in (0, 1, 3, 4, 16, 17)]
        return [value * 2, value[::-1], *([*value, layoff] for layoff in false)]
    if isinstance(value, list):
        return [[], value[1:], value[::-1], [*value, *value], [*value, b""], [bytes(32)]]
    return [number for number in (0, 1, 3, 7, 11, 51, 52, 2**31, 2**32 - 1) if number != value]


def _falsehoods(message: dict[str, Any], rng: random.Random) -> Iterator[tuple[str, Any]]:
    for name, value in message.items():
        if not isinstance(value, dict):
            yield name, rng.choice([v for v in _false_values(name, value, rng) if v != value])


def referee_judges(data: bytes, path: Path) -> Answer:
    path.write_bytes(data)
    try:
        with open_log(path) as file:
            try:
                verdict = judge_log(file)
            except UnreadableLog as error:
                verdict = unreadable_verdict(error.code, error.sentence, error.entry)
    except UnreadableLog as error:
        return "unreadable", error.code
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
