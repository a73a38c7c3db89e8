"""The one door for every entry of a match: ours, the other player's, and stored ones.

# Rule 1: whatever decides that an entry is legal lives here or below.
# Rule 2: the referee does not know which seat is ours, so the same rules bind both
#         sides, and anyone who verifies the log.
# Rule 3: an entry is judged whole before anything changes. A refusal leaves the table
#         as it was, and the next honest entry is still welcome.
#
# The checks, in their order (PROTOCOL 7):
#   1  the length can be an entry's                          not-an-entry        A
#   2  the author's signature                                bad-signature       A
#      (by the other player: signed out of turn              out-of-turn         B)
#   3  canonical encoding, possible fields                   not-canonical, malformed
#   4  this table                                            wrong-table         A
#   5  this position                                         wrong-sequence, fork
#   6  the hash of the entry before                          wrong-previous      B
#   7  the kind of message is allowed now                    not-allowed-now     B
#   8  the rules                                             the rule's code     B
#   9  the proofs                                            bad-proof, ...      B
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ginpeer.referee.table import HOST, Awaiting, Table
from ginpeer.referee.transitions import identity_of, step
from ginpeer.referee.violations import Garbled, Violation
from ginpeer.rules.cards import RulesError
from protocol.codec.entries import NotCanonical
from protocol.crypto.errors import ProofError
from protocol.crypto.group import BadEncoding
from protocol.crypto.identity import BadPublicKey, BadSignature, verify_signature
from protocol.entry import NotAnEntry, RawEntry, entry_hash
from protocol.messages import Body, Malformed, Message


@dataclass(frozen=True, slots=True)
class Admitted:
    """One entry of the match as it happened: for the screen, the replay, and the seat."""

    sequence: int
    author: int
    message: Message
    before: Table
    after: Table


class Referee:
    """Holds the table and the admitted entries; `admit` is the only way to change them."""

    def __init__(self) -> None:
        self._table = Table()
        self._entries: list[bytes] = []

    @property
    def table(self) -> Table:
        return self._table

    @property
    def entries(self) -> Sequence[bytes]:
        """Every admitted entry, byte for byte, in order."""
        return self._entries

    def admit(self, raw: bytes) -> Admitted:
        """Judge one entry and, if it is legal, put it on the table.

        Raises Garbled (class A: blame nobody) or Violation (class B: signed but illegal).
        """
        table = self._table
        try:
            entry = RawEntry.split(raw)
        except NotAnEntry as error:
            raise Garbled(error.code, _sentence(error)) from error
        if table.owed_by is None:
            return self._too_late(raw, entry)
        author = table.owed_by
        body = self._authenticate(entry, author)
        self._check_position(raw, entry, body, author)
        try:
            after = step(replace(table, table_id=body.table), body.message, author)
        except (RulesError, ProofError, BadEncoding, Malformed, BadPublicKey) as error:
            raise Violation(error.code, _sentence(error), table.sequence, author) from error
        after = replace(after, sequence=table.sequence + 1, head=entry_hash(raw))
        self._table = after
        self._entries.append(raw)
        return Admitted(table.sequence, author, body.message, table, after)

    def _authenticate(self, entry: RawEntry, author: int) -> Body:
        """Checks 2 and 3: the body, once its author is known to have signed it."""
        key = self._table.keys[author]
        if key is None:
            return self._authenticate_newcomer(entry)
        if not _signed_by(key, entry):
            other = self._table.keys[1 - author]
            if other is not None and _signed_by(other, entry):
                self._judge_out_of_turn(entry, 1 - author)
            raise Garbled(
                "bad-signature",
                f"The entry is not signed by {self._table.names[author]}, who owes it.",
            )
        try:
            return entry.decode()
        except (NotCanonical, Malformed) as error:
            raise Violation(error.code, _sentence(error), self._table.sequence, author) from error

    def _authenticate_newcomer(self, entry: RawEntry) -> Body:
        """An offer or an acceptance brings its author's key along, so it is read first."""
        table = self._table
        try:
            body = entry.decode()
            key = identity_of(body.message)
        except (NotCanonical, Malformed, BadPublicKey) as error:
            raise Garbled(error.code, _sentence(error)) from error
        host = table.keys[HOST]
        if key is None or (table.awaiting is Awaiting.ACCEPT and host == key):
            if host is not None and _signed_by(host, entry):
                self._judge_out_of_turn(entry, HOST)
            raise Garbled(
                "bad-signature", f"The entry is not {table.awaiting.value} by a new player."
            )
        if not _signed_by(key, entry):
            raise Garbled("bad-signature", "The entry is not signed by the key that it names.")
        return body

    def _judge_out_of_turn(self, entry: RawEntry, signer: int) -> None:
        """An entry by the player who does not owe one: an echo, a fork, or out of turn."""
        table = self._table
        try:
            body = entry.decode()
        except (NotCanonical, Malformed) as error:
            raise Violation(error.code, _sentence(error), table.sequence, signer) from error
        if body.table != table.table_id:
            raise Garbled("wrong-table", "The entry belongs to another table.")
        self._check_echo(entry, body, signer)
        raise Violation(
            "out-of-turn",
            f"{table.names[signer]} signed an entry that {table.names[1 - signer]} owes.",
            table.sequence,
            signer,
        )

    def _check_position(self, raw: bytes, entry: RawEntry, body: Body, author: int) -> None:
        """Checks 4 to 6."""
        table = self._table
        if table.sequence and body.table != table.table_id:
            raise Garbled("wrong-table", "The entry belongs to another table.")
        self._check_echo(entry, body, author)
        if body.sequence > table.sequence:
            raise Garbled(
                "wrong-sequence",
                f"The entry has number {body.sequence}; {table.sequence} comes next.",
            )
        if body.previous != table.head:
            raise Violation(
                "wrong-previous",
                f"{table.names[author]} signed entry {body.sequence} on top of another history.",
                table.sequence,
                author,
            )

    def _check_echo(self, entry: RawEntry, body: Body, signer: int) -> None:
        """An entry for a place that is taken: the same one again, or a second one."""
        if body.sequence >= self._table.sequence:
            return
        standing = RawEntry.split(self._entries[body.sequence])
        if standing.unverified_body == entry.unverified_body:
            raise Garbled("duplicate", f"Entry {body.sequence} came a second time.")
        if _signed_by(self._table.keys[signer], standing):
            raise Violation(
                "fork",
                f"{self._table.names[signer]} signed two different entries "
                f"with the number {body.sequence}.",
                body.sequence,
                signer,
            )
        raise Violation(
            "out-of-turn",
            f"{self._table.names[signer]} signed entry {body.sequence}, "
            f"which {self._table.names[1 - signer]} owed.",
            body.sequence,
            signer,
        )

    def _too_late(self, raw: bytes, entry: RawEntry) -> Admitted:
        """Whatever comes after the last entry of a match."""
        for signer in (0, 1):
            key = self._table.keys[signer]
            if key is not None and _signed_by(key, entry):
                try:
                    body = entry.decode()
                except (NotCanonical, Malformed) as error:
                    sequence = self._table.sequence
                    raise Violation(error.code, _sentence(error), sequence, signer) from error
                if body.table != self._table.table_id:
                    raise Garbled("wrong-table", "The entry belongs to another table.")
                self._check_echo(entry, body, signer)
                raise Violation(
                    "after-the-end",
                    f"{self._table.names[signer]} signed an entry after the match was over.",
                    self._table.sequence,
                    signer,
                )
        raise Garbled("after-the-end", "Nothing follows the last entry of a match.")


def _signed_by(key: bytes | None, entry: RawEntry) -> bool:
    if key is None:
        return False
    try:
        verify_signature(key, entry.signed_message, entry.signature)
    except BadSignature:
        return False
    return True


def _sentence(error: Exception) -> str:
    """An error's text as a sentence for the player."""
    text = str(error)
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
