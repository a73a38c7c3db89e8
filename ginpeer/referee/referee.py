"""The one door for every entry of a match: ours, the other player's, and stored ones.

Rule 1: whatever decides that an entry is legal lives here or below.
Rule 2: the referee doesn't know which seat is ours, so the same rules bind both sides, and anyone
        who verifies the log.
Rule 3: an entry is judged as a whole before anything changes. A refusal leaves the table as it
        was, and the next honest entry is still welcome.
        `admit_all` applies entries before it verifies their proofs, in batches. From the first
        batch that isn't proven, or the first entry that can't be applied, it judges the entries
        again, one by one.
Rule 4: a player is convicted only of signing what an honest player never signs, no matter what
        the opponent did. An entry on top of a different history doesn't convict its author: the
        opponent may have signed two histories, shown one and kept the other, or offered a table
        again to a guest who lost the first log. So position and previous hash are checked before
        anybody is blamed. No cheat escapes that way: where two histories diverge, somebody signed
        two entries on top of the same history.

The checks, in their order (PROTOCOL 7):
  1  a length that an entry can have                       not-an-entry        A
  2  the signature of one of the players                   bad-signature       A
  3  canonical encoding, valid fields                      not-canonical, malformed  B
  4  this table                                            wrong-table         A
  5  this position                                         wrong-sequence, duplicate A
  6  the hash of the entry before                          wrong-previous      A
     (for the first entry, which has none before it        wrong-previous      B)
     no second entry by the signer on the same history     fork                B
     and the signer owes it                                out-of-turn, after-the-end  B
  7  the kind of message is allowed now                    not-allowed-now     B
  8  the rules                                             the rule's code     B
  9  the proofs                                            bad-proof, ...      B
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain, islice

from ginpeer.referee.table import HOST, Table, required
from ginpeer.referee.transitions import (
    PROTOCOL_VERSION,
    MalformedEntry,
    RefusedEntry,
    UnsupportedEntry,
    Violation,
    identity_of,
    step,
)
from ginpeer.rules.cards import Card, RulesError
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import HandResult
from protocol import messages as m
from protocol.codes import ProofError
from protocol.crypto.group import BadEncoding
from protocol.crypto.identity import BadPublicKey, fingerprint
from protocol.deck.proofs import AT_ONCE, PROVEN, Audits, Batch, Proofs
from protocol.entry import GENESIS, NotAnEntry, NotCanonical, RawEntry, entry_hash, offered_version
from protocol.messages import Accept, Body, Disclosure, Malformed, Message, Offer


@dataclass(frozen=True, slots=True)
class Admitted:
    """One admitted entry with the table before and after it."""

    sequence: int
    author: int
    message: Message
    before: Table
    after: Table


Watch = Callable[[Admitted], object]
"""A function called with each admitted entry."""

HANDS_PER_BATCH = 4
"""The number of hands whose proofs are verified together. Larger batches would save little more. If
a batch isn't proven, its entries are judged again, one by one, up to the one at fault."""

MOST_WAITING = 2**23
"""The most memory that entries may take up while their proofs wait for seeds, in 8-byte words
(`_weight`): about 64 MiB, and less than twice that even if the log is hostile. A match to 100
points needs a tenth of this."""

LONGEST_BATCH = 512
"""The number of entries after which a batch ends even within a hand, because each waiting entry
keeps a table. Four hands usually have about 200 entries; some rules allow hands of thousands."""


def _weight(table: Table) -> int:
    """Estimate the memory that a waiting entry takes, in words of 8 bytes: for its message, its
    proofs, and a table, whose tuples grow with the hands played and the moves of a hand."""
    return 1000 + len(table.records) + (0 if table.hand is None else len(table.hand.moves))


class Referee:
    """The judge of one match. Only `admit` and `admit_all` change its table and entries."""

    def __init__(self, expected: tuple[bytes | None, bytes | None] = (None, None)) -> None:
        """Start before the first entry. *expected* are the host's and guest's keys, if known."""
        self._expected = expected
        self.table = Table()
        self.entries: list[bytes] = []  # every admitted entry, byte for byte, in order

    @classmethod
    def continue_at(cls, table: Table, entries: Sequence[bytes]) -> Referee:
        """Return a referee that continues from this *table*, which a referee in this process has
        reached with these entries. The entries aren't judged again."""
        if not entries or table.head != entry_hash(entries[-1]) or None in table.keys:
            raise ValueError("these entries don't lead to a table with both keys")
        referee = cls()  # the keys that it would expect are on the table
        referee.table, referee.entries = table, list(entries)
        return referee

    def admit(self, raw: bytes) -> Admitted:
        """Judge one entry and, if it is legal, apply it. Raises MalformedEntry (class A: blame
        nobody) or Violation (class B: signed but illegal)."""
        return self._admit(raw, AT_ONCE)

    def admit_all(
        self,
        entries: Iterable[bytes],
        watch: Watch = lambda _: None,
        *,
        verified: int = 0,
    ) -> None:
        """Admit entries in order. The outcome is the same as calling `admit` for each entry, but
        the proofs of several hands are verified together. If reading an entry fails, the entries
        that aren't proven yet are not admitted.

        In the first *verified* entries, only the proofs of possession are verified: the caller
        knows that this program has already admitted exactly these bytes.
        *watch* is called with each admitted entry in order. If it raises, later entries aren't
        admitted, though some may have been read. Raises what `admit` raises, with the refused entry
        in ``raw``; the entries before it have been admitted.
        """
        entries = iter(entries)
        self._admit_each(islice(entries, verified), watch, PROVEN)
        rest = self._admit_together(entries, watch)
        self._admit_each(chain(rest, entries), watch, AT_ONCE)

    def _admit_each(self, entries: Iterable[bytes], watch: Watch, proofs: Proofs) -> None:
        for raw in entries:
            try:
                admitted = self._admit(raw, proofs)
            except RefusedEntry as error:
                error.raw = raw
                raise
            watch(admitted)

    def _admit_together(self, entries: Iterator[bytes], watch: Watch) -> Sequence[bytes]:
        """Admit entries in batches, up to the first entry that can't be applied or the first batch
        that isn't proven. Return the entries that were read but not admitted; any of them may be
        invalid.

        An entry may be applied long before its proofs are verified, because seeds disclosed after a
        match help to verify the proofs of all its hands. So another referee goes ahead, and this
        one follows as batches are proven.
        """
        ahead, audits = Referee(self._expected), Audits()
        ahead.table, ahead.entries = self.table, list(self.entries)
        waiting: deque[tuple[Batch, list[Admitted]]] = deque()

        def prove() -> bool:
            """Verify the waiting batches. Return False if one isn't proven."""
            while waiting:
                batch, admitted = waiting.popleft()
                try:
                    batch.verify()
                except Exception:  # of any kind: the caller judges these entries one by one
                    return False
                for each in admitted:
                    self.entries.append(ahead.entries[each.sequence])
                    self.table = each.after
                    watch(each)
            return True

        def unproven(*more: bytes) -> Sequence[bytes]:
            return [*ahead.entries[len(self.entries) :], *more]

        for raw in entries:
            hand = max(ahead.table.hand_number, 1)
            count = len(ahead.entries) - len(self.entries)
            is_full = count * _weight(ahead.table) > MOST_WAITING or (
                bool(waiting) and len(waiting[-1][1]) >= LONGEST_BATCH
            )
            if not waiting or hand > waiting[-1][0].last_hand or is_full:
                seeds_follow = ahead.table.disclosure is Disclosure.AFTER_MATCH and not is_full
                if not seeds_follow and not prove():
                    return unproven(raw)
                waiting.append((Batch(audits, hand, hand + HANDS_PER_BATCH - 1), []))
            batch, admitted = waiting[-1]
            try:
                event = ahead._admit(raw, batch)
            except Exception:  # after an unverified proof, any error is possible
                prove()
                return unproven(raw)
            admitted.append(event)
        prove()
        return unproven()

    def _admit(self, raw: bytes, proofs: Proofs) -> Admitted:
        table = self.table
        try:
            entry = RawEntry.split(raw)
        except NotAnEntry as error:
            raise MalformedEntry(error.code, _sentence(error)) from error
        author, body = self._authenticate(entry)
        self._check_position(raw, body, author)
        self._check_turn(author)
        try:
            after = step(replace(table, table_id=body.table), body.message, author, proofs)
        except (RulesError, ProofError, BadEncoding) as error:
            raise Violation(error.code, _sentence(error), table.sequence, author) from error
        after = replace(after, sequence=table.sequence + 1, head=entry_hash(raw))
        admitted = Admitted(table.sequence, author, body.message, table, after)
        self.entries.append(raw)  # nothing may fail after this
        self.table = after
        return admitted

    def _authenticate(self, entry: RawEntry) -> tuple[int, Body]:
        """Do checks 2 and 3. Return the signer's seat, even if it owes no entry, and the body."""
        table = self.table
        owed_by = HOST if table.owed_by is None else table.owed_by
        for signer in (owed_by, 1 - owed_by):
            if entry.is_signed_by(table.keys[signer]):
                try:
                    return signer, entry.decode()
                except (NotCanonical, Malformed) as error:
                    raise Violation(error.code, _sentence(error), table.sequence, signer) from error
        if table.owed_by is not None and table.keys[table.owed_by] is None:
            return table.owed_by, self._authenticate_newcomer(entry, table.owed_by)
        if table.owed_by is None:
            raise MalformedEntry(
                "after-the-end", "A match ends with its last entry; nothing can follow."
            )
        raise MalformedEntry(
            "bad-signature",
            f"The entry isn't signed by {table.distinct_names[table.owed_by]}, who has to sign it.",
        )

    def _authenticate_newcomer(self, entry: RawEntry, seat: int) -> Body:
        """Read an offer or an acceptance, which contains its author's key."""
        version = offered_version(entry.unverified_body)
        if seat == HOST and version is not None and version > PROTOCOL_VERSION:
            raise UnsupportedEntry(
                "too-new",
                f"This match uses version {version} of the protocol; this program uses version "
                f"{PROTOCOL_VERSION}.",
            )
        try:
            body = entry.decode()
            key = identity_of(body.message)
        except (NotCanonical, Malformed, BadPublicKey) as error:
            raise MalformedEntry(error.code, _sentence(error)) from error
        if key is None:
            raise MalformedEntry(
                "bad-signature", f"The entry isn't {self.table.awaiting.value} by a new player."
            )
        if not entry.is_signed_by(key):
            raise MalformedEntry(
                "bad-signature", "The entry isn't signed by the key that it names."
            )
        expected = self._expected[seat]
        if expected is not None and key != expected:
            raise MalformedEntry(
                "unexpected-key",
                f"The entry is signed by {fingerprint(key)}; "
                f"{self.table.distinct_names[seat]} is known as {fingerprint(expected)}.",
            )
        if key == self._expected[1 - seat]:
            raise MalformedEntry("same-key", "Both players have the same identity key.")
        return body

    def _check_position(self, raw: bytes, body: Body, signer: int) -> None:
        """Do checks 4 to 6: the table, the position, and the history before the entry."""
        table = self.table
        if table.sequence and body.table != table.table_id:
            raise MalformedEntry("wrong-table", "The entry belongs to a different match.")
        if body.sequence > table.sequence:
            raise MalformedEntry(
                "wrong-sequence", f"The entry has number {body.sequence}; {table.sequence} is next."
            )
        if body.sequence < table.sequence and self.entries[body.sequence] == raw:
            raise MalformedEntry("duplicate", f"Entry {body.sequence} arrived twice.")
        if body.previous == self._hash_before(body.sequence):
            if body.sequence == table.sequence:
                return
            self._judge_second_entry(body.message, body.sequence, signer)
        who = table.distinct_names[signer]
        sentence = f"Entry {body.sequence}, signed by {who}, follows a different history."
        if body.sequence == 0:  # the first entry has no predecessor
            raise Violation("wrong-previous", sentence, body.sequence, signer)
        raise MalformedEntry("wrong-previous", sentence)

    def _judge_second_entry(self, message: Message, sequence: int, signer: int) -> None:
        """Refuse a second entry for the same position, on top of the same history.

        Two kinds of such entries can be honest. First, an offer that the guest once made as a host
        has no history before it, and the host here may have reused that table's id. Second, a host
        can repeat an offer to a guest who lost the first log. The histories diverge with the
        acceptance, so every later entry is on top of only one of them.
        """
        table, name = self.table, self.table.distinct_names[signer]
        if isinstance(message, Offer) and signer != HOST:
            raise MalformedEntry(
                "wrong-table", f"The entry is {name}'s offer of a different match."
            )
        if isinstance(message, Accept) and signer != HOST and sequence == 1:
            raise MalformedEntry("duplicate", f"{name} accepted the offer a second time.")
        if RawEntry.split(self.entries[sequence]).is_signed_by(table.keys[signer]):
            sentence = f"{name} signed two different entries with the number {sequence}."
            raise Violation("fork", sentence, sequence, signer)
        sentence = (
            f"{name} signed entry {sequence}, which {table.distinct_names[1 - signer]} had to sign."
        )
        raise Violation("out-of-turn", sentence, sequence, signer)

    def _check_turn(self, signer: int) -> None:
        """Refuse an entry for this position by a player who doesn't owe it."""
        table = self.table
        if signer == table.owed_by:
            return
        name = table.distinct_names[signer]
        if table.owed_by is None:
            sentence = f"{name} signed an entry after the match was over."
            raise Violation("after-the-end", sentence, table.sequence, signer)
        sentence = f"{name} signed an entry that {table.distinct_names[table.owed_by]} has to sign."
        raise Violation("out-of-turn", sentence, table.sequence, signer)

    def _hash_before(self, sequence: int) -> bytes:
        """Return the hash that an entry with this number must name as its predecessor."""
        if sequence == self.table.sequence:
            return self.table.head
        return entry_hash(self.entries[sequence - 1]) if sequence else GENESIS


def _sentence(error: Exception) -> str:
    """Return an error's text as a sentence for the player."""
    text = str(error)
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


# --- the effect of an admitted entry --------------------------------------------------


def taken_card(event: Admitted) -> Card:
    """Return the card that a TakeUpcard took."""
    return required(required(event.before.hand).upcard)


def taken_cards(event: Admitted, message: m.TakeDiscards) -> tuple[Card, ...]:
    """Return the cards that a TakeDiscards took, from the top of the pile down."""
    return required(event.before.hand).pile[: -message.count - 1 : -1]


def rules_of(event: Admitted) -> RuleSet:
    return required(event.after.match).rules


def result_of(event: Admitted) -> HandResult | None:
    """Return the result of the hand that this entry ended; None for every other entry."""
    before, after = event.before.match, event.after.match
    if before is None or after is None or len(after.results) == len(before.results):
        return None
    return after.results[-1]


# --- the verdict on a whole log -------------------------------------------------------
#
# A verdict says no more than is proven: "valid" only for a match played to its end and signed by
# both players, "incomplete" for the beginning of one, "forged" for entries that aren't valid.
#
# A log that ends with an illegal entry is evidence: its verdict says which player the signature
# convicts, and of what. You needn't trust the person who passes it on, who could have made up
# everything except the signature. The signature is bound to one history, since an entry names the
# hash of the one before.


class Finding(Enum):
    """The kind of verdict on a log. The number is the exit status of `ginpeer verify`."""

    VALID = 0
    FORGED = 1
    UNREADABLE = 2
    INCOMPLETE = 3


@dataclass(frozen=True, slots=True)
class Conviction:
    """A signed entry that no honest player would sign in this match, and its signer."""

    seat: int
    place: int  # the position in the log for which the entry was signed
    entry: bytes
    admitted: bytes | None  # the entry that already has this number; None if there is none


@dataclass(frozen=True, slots=True)
class Verdict:
    finding: Finding
    table: Table  # the state after the last valid entry
    entries: int  # how many entries are valid
    code: str
    sentence: str
    failing_entry: int | None = None
    conviction: Conviction | None = None

    @property
    def culprit(self) -> int | None:
        """The seat that signed the failing entry, if a signature proves it."""
        return None if self.conviction is None else self.conviction.seat

    @property
    def word(self) -> str:
        """The verdict in one word: valid, incomplete or unreadable; illegal if a player's own
        signature convicts that player; or forged if entries aren't valid and nobody is
        convicted."""
        if self.finding is Finding.FORGED and self.culprit is not None:
            return "illegal"
        return self.finding.name.lower()


def judge(entries: Iterable[bytes], watch: Watch = lambda _: None) -> Verdict:
    """Return the verdict on these entries. They are admitted in order, and the first refusal
    decides. *watch* is called with each valid entry."""
    referee = Referee()
    try:
        referee.admit_all(entries, watch)
    except RefusedEntry as error:
        count = len(referee.entries)
        finding = Finding.UNREADABLE if isinstance(error, UnsupportedEntry) else Finding.FORGED
        conviction = None
        if isinstance(error, Violation):
            admitted = referee.entries[error.entry] if error.entry < count else None
            conviction = Conviction(error.seat, error.entry, error.raw, admitted)
        return Verdict(finding, referee.table, count, error.code, error.sentence, count, conviction)
    table, count = referee.table, len(referee.entries)
    if table.finished:
        sentence = "All entries are valid; the match is finished."
        return Verdict(Finding.VALID, table, count, "valid", sentence)
    who = "nobody" if table.owed_by is None else table.distinct_names[table.owed_by]
    sentence = f"All entries so far are valid; still missing from {who}: {table.awaiting.value}."
    return Verdict(Finding.INCOMPLETE, table, count, "incomplete", sentence)


def cut_short(verdict: Verdict, finding: Finding, code: str, sentence: str) -> Verdict:
    """Return the verdict on a file that can't be read past its valid entries."""
    at = verdict.entries
    return replace(verdict, finding=finding, code=code, sentence=sentence, failing_entry=at)
