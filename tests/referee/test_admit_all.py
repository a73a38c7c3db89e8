"""Admitting many entries at once has the same outcome as admitting them one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import ModuleType
from unittest.mock import patch

import pytest

from ginpeer.referee import referee
from ginpeer.referee.referee import Admitted, Referee
from ginpeer.referee.table import HandRecord
from ginpeer.referee.transitions import RefusedEntry, Violation
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Seat
from ginpeer.store.log import read_log
from protocol import messages as m
from protocol.crypto import dleq, shuffle
from protocol.crypto.group import (
    BASE,
    ORDER,
    SCALAR_BYTES,
    Element,
    decode_scalar,
    encode_scalar,
    multi_multiply,
)
from protocol.crypto.identity import IdentityKey
from protocol.deck import proofs
from protocol.deck.audit import AuditFailed, Disclosed
from protocol.deck.proofs import AT_ONCE, PROVEN, Batch, Proofs
from protocol.entry import RawEntry, sign_entry
from tests.cheating.cheat import RecordedMatch, one_hand, record, steady, two_hands
from tests.matches.golden_logs import FOLDER
from tests.matches.table_pair import TablePair
from tests.refusals import code_of
from tests.toy_group import cached_by_group, toy_group


def outcome(entries: list[bytes], hands: int | None) -> tuple[object, ...]:
    """Admit the entries in batches of *hands*, or one by one. Return everything that can be seen of
    it."""
    judge, watched, refusal = Referee(), list[Admitted](), None
    raw = b""
    try:
        if hands is None:
            for raw in entries:
                watched.append(judge.admit(raw))
        else:
            with patch.object(referee, "HANDS_PER_BATCH", hands):
                judge.admit_all(iter(entries), watched.append)
    except RefusedEntry as error:
        refusal = (type(error), error.code, error.sentence, error.raw or raw)
    return refusal, judge.table, list(judge.entries), watched


def signed_again(match: RecordedMatch, number: int, message: m.Message) -> bytes:
    """Return the entry with a different message, signed by its author."""
    table = match.table_at(number)
    assert table.owed_by is not None
    body = m.Body(table.table_id, table.sequence, table.head, message)
    return sign_entry(match.identities[table.owed_by], body)


def with_false_proof(match: RecordedMatch, number: int) -> bytes | None:
    """Return the entry with the last scalar of its first proof changed, or None if it has none."""
    message = RawEntry.split(match.entries[number]).decode().message
    for field in ("argument", "proof", "opening"):
        proof = getattr(message, field, b"")
        if proof:
            last = decode_scalar(proof[-SCALAR_BYTES:])
            changed = proof[:-SCALAR_BYTES] + encode_scalar((last + 1) % ORDER)
            return signed_again(match, number, replace(message, **{field: changed}))
    return None


@cached_by_group
def three_hands(disclosure: m.Disclosure) -> RecordedMatch:
    """Return a match of at least three hands."""
    return record("m5", parse_ruleset("standard target=30"), disclosure)


def after_each_hand() -> RecordedMatch:
    """Return a match of at least three hands, each disclosed when it ends."""
    return three_hands(m.Disclosure.AFTER_HAND)


@pytest.fixture
def toy() -> Iterator[None]:
    with toy_group():
        yield


@cached_by_group
def one_by_one(match: Callable[[], RecordedMatch]) -> tuple[object, ...]:
    return outcome(match().entries, None)


@pytest.mark.parametrize("hands", [1, 1000])
@pytest.mark.parametrize("match", [two_hands, after_each_hand])
def test_a_valid_log_leads_to_the_same_table(
    match: Callable[[], RecordedMatch], hands: int, toy: None
) -> None:
    assert outcome(match().entries, hands) == one_by_one(match)


@pytest.mark.parametrize("hands", [1, 1000])
def test_a_false_proof_is_refused_at_its_entry(hands: int, toy: None) -> None:
    match = two_hands()
    first_of_each_kind = {
        (step.before.hand_number, type(step.message)): step.sequence
        for step in reversed(match.steps)
    }
    refused = set()
    for (_, kind), number in first_of_each_kind.items():
        false = with_false_proof(match, number)
        if false is not None:
            entries = [*match.entries[:number], false, *match.entries[number + 1 :]]
            with pytest.raises(RefusedEntry) as caught:
                match.referee_at(number).admit(false)
            refusal, *reached = outcome(entries, hands)
            assert refusal == (Violation, caught.value.code, caught.value.sentence, false)
            assert reached == [
                match.table_at(number),
                entries[:number],
                list(match.steps[:number]),
            ]
            refused.add(kind)
    assert {m.DealDeck, m.DealShuffle, m.DealShares, m.Share, m.Discard} <= refused


AFTER_MATCH, AFTER_HAND = m.Disclosure.AFTER_MATCH, m.Disclosure.AFTER_HAND


@pytest.mark.parametrize(
    ("prover", "at", "disclosure"),
    [
        (shuffle, 0, AFTER_HAND),
        (shuffle, -1, AFTER_MATCH),
        (dleq, 1, AFTER_MATCH),
        (dleq, -1, AFTER_HAND),
    ],
)
def test_seeds_never_make_a_false_proof_valid(
    prover: ModuleType, at: int, disclosure: m.Disclosure, toy: None
) -> None:
    """The players conspire: neither refuses a false proof, and both disclose their real seeds."""
    proofs = list[object]()
    prove = prover.prove

    def play(false: int | None) -> Seat:
        """Play a match in which the proof with this number is false."""
        proofs.clear()

        def prove_or_falsify(*statement: object) -> object:
            proof = prove(*statement)
            proofs.append(proof)
            if len(proofs) - 1 != false:
                return proof
            last = "tau" if prover is shuffle else "response"
            return replace(proof, **{last: (getattr(proof, last) + 1) % ORDER})

        with (
            patch.object(referee, "AT_ONCE", PROVEN),
            patch.object(prover, "prove", prove_or_falsify),
        ):
            pair = TablePair("m5", parse_ruleset("standard hands=3"), disclosure).play(steady)
            return pair.host.seat

    play(None)
    seat = play(at % len(proofs))
    assert seat.table.finished
    entries = list(seat.entries)
    expected = outcome(entries, None)
    assert expected[0] is not None
    assert expected[0][1] == "bad-proof"
    for hands, most in ((1, 2**23), (4, 2**23), (1, 50_000)):
        with patch.object(referee, "MOST_WAITING", most):
            assert outcome(entries, hands) == expected


def test_seeds_save_most_multiplications(toy: None) -> None:
    """They save those in the sum and those in the proofs of equal logarithms."""
    multiplied: Counter[str] = Counter()

    def count(scalars: Sequence[int], elements: Sequence[Element]) -> Element:
        others = sum(element != BASE for element in elements)
        multiplied["in the sum" if others > 30 else "in small sums"] += others
        return multi_multiply(scalars, elements)

    counts = []
    for disclosure in (m.Disclosure.AFTER_MATCH, m.Disclosure.NEVER):
        match = record("m3", disclosure=disclosure)
        with (
            patch.object(proofs, "multi_multiply", count),
            patch.object(referee, "HANDS_PER_BATCH", 1),
        ):
            Referee().admit_all(match.entries)
        counts.append(multiplied.copy())
        multiplied.clear()
    with_seeds, without = counts
    assert with_seeds["in the sum"] < without["in the sum"] / 2
    assert with_seeds["in small sums"] == 0 < without["in small sums"]


@pytest.mark.parametrize("match", [two_hands, after_each_hand])
@pytest.mark.parametrize("hands", [1, 4])
def test_every_hand_is_audited_once(
    match: Callable[[], RecordedMatch], hands: int, toy: None
) -> None:
    audited: list[tuple[int, int]] = []
    audit = Disclosed.audit

    def note_audit(self: Disclosed, *others: Disclosed, **known: object) -> None:
        audited.extend((each.hand, each.seat) for each in (self, *others))
        audit(self, *others, **known)

    entries = match().entries
    last = match().table_at(len(entries)).hand_number
    with patch.object(Disclosed, "audit", note_audit):
        outcome(entries, hands)
    assert sorted(audited) == [(hand, seat) for hand in range(1, last + 1) for seat in (0, 1)]


@pytest.mark.parametrize(
    "lie", ["audit-failed", "audit-failed-in-the-shuffle", "cut-mismatch", "fork"]
)
def test_other_lies_are_refused_at_their_entry(lie: str) -> None:
    """If an audit in a batch fails, the batch counts as unproven."""
    entries = list(read_log(FOLDER / f"evidence-{lie}.ginlog").entries)
    expected = outcome(entries, None)
    assert expected[0] is not None
    assert outcome(entries, 1000) == expected


@pytest.mark.parametrize("hands", [1, 4])
@pytest.mark.parametrize("at", [0, 1, 5])
def test_bytes_that_are_no_entry_are_refused_at_their_place(hands: int, at: int, toy: None) -> None:
    """Place 5 is the first entry of the first hand."""
    entries = [*one_hand().entries[:at], b"", *one_hand().entries[at:]]
    expected = outcome(entries, None)
    assert expected[0] is not None
    assert outcome(entries, hands) == expected


@pytest.mark.parametrize("hands", [1, 4])
def test_a_failed_audit_costs_only_the_batch_with_the_seeds(hands: int, toy: None) -> None:
    match, alone = two_hands(), list[bytes]()
    admit, audit = Referee._admit, Disclosed.audit

    def note_admit(judge: Referee, raw: bytes, proofs: Proofs) -> Admitted:
        if proofs is AT_ONCE:
            alone.append(raw)
        return admit(judge, raw, proofs)

    def fail_in_the_first_hand(self: Disclosed, *others: Disclosed, **known: object) -> None:
        audit(self, *others, **known)
        if self.hand == 1:
            raise AuditFailed("the first hand wasn't as the seed says")

    with patch.object(Disclosed, "audit", fail_in_the_first_hand):
        expected = outcome(match.entries, None)
        assert expected[0] is not None
        assert expected[0][1] == "audit-failed"
        with patch.object(Referee, "_admit", note_admit):
            assert outcome(match.entries, hands) == expected
    first_of_second_hand = match.find(m.DealCommit, lambda step: step.before.hand_number == 2)
    last_batch = {1: first_of_second_hand, 4: 0}[hands]
    assert alone == list(match.entries[last_batch : len(match) - 1])


@pytest.mark.parametrize("most", [0, 50_000])
def test_the_outcome_does_not_depend_on_how_much_waits_for_the_seeds(most: int, toy: None) -> None:
    entries, expected = two_hands().entries, one_by_one(two_hands)
    with patch.object(referee, "MOST_WAITING", most):
        assert outcome(entries, 1) == expected


def test_fewer_entries_wait_in_a_long_match(toy: None) -> None:
    """Otherwise, their tables, which name every hand so far, would use hundreds of MiB."""
    entries, waiting = two_hands().entries, list[int]()
    begun = Referee()
    begun.admit_all(entries[:10])
    hands = (HandRecord(0),) * 10_000 + begun.table.records
    judge = Referee.continue_at(replace(begun.table, records=hands), entries[:10])
    admit = Referee._admit

    def note_waiting(each: Referee, raw: bytes, proofs: Proofs) -> Admitted:
        waiting.append(len(each.entries) - len(judge.entries))
        return admit(each, raw, proofs)

    with (
        patch.object(Referee, "_admit", note_waiting),
        patch.object(referee, "MOST_WAITING", 100_000),
    ):
        judge.admit_all(entries[10:])
    assert judge.table.finished
    assert 5 < max(waiting) <= 10


@pytest.mark.parametrize("lie", ["audit-failed", "audit-failed-in-the-shuffle"])
def test_a_hand_that_was_verified_before_is_audited(lie: str) -> None:
    """Its seeds may be disclosed only after the verified entries."""
    entries = list(read_log(FOLDER / f"evidence-{lie}.ginlog").entries)
    with pytest.raises(Violation) as caught:
        Referee().admit_all(entries, verified=len(entries) - 1)
    assert caught.value.code == "audit-failed"


def test_nothing_is_admitted_if_the_source_of_the_entries_fails(toy: None) -> None:
    entries = one_hand().entries

    def breaking() -> Iterator[bytes]:
        yield from entries[:25]
        raise OSError("the disk failed")

    judge = Referee()
    with pytest.raises(OSError, match="the disk failed"):
        judge.admit_all(breaking())
    assert not judge.entries
    judge.admit_all(entries)
    assert judge.table.finished


@pytest.mark.parametrize("longest", [1, 3])
@pytest.mark.parametrize("match", [two_hands, after_each_hand])
def test_a_long_hand_is_verified_in_parts(
    match: Callable[[], RecordedMatch], longest: int, toy: None
) -> None:
    entries, expected = match().entries, one_by_one(match)
    sizes: list[int] = []
    verify = Batch.verify

    def note_size(batch: Batch) -> None:
        sizes.append(len(batch._shuffles))
        verify(batch)

    with patch.object(referee, "LONGEST_BATCH", longest), patch.object(Batch, "verify", note_size):
        assert outcome(entries, 4) == expected
    assert max(sizes) <= longest
    assert len(sizes) == -(-len(entries) // longest) or match is after_each_hand


FAILURES = {"applying": (Batch, "equality"), "admitting": (referee, "Admitted")}
FAILURES["verifying"] = (shuffle, "weighted_sum")


@pytest.mark.parametrize("match", [two_hands, after_each_hand])
@pytest.mark.parametrize("fails", FAILURES)
def test_a_transient_memory_error_costs_only_time(
    fails: str, match: Callable[[], RecordedMatch], toy: None
) -> None:
    """Entries that couldn't be admitted together are admitted one by one."""
    calls = []
    target, name = FAILURES[fails]
    real = getattr(target, name)

    def failing(*arguments: object) -> object:
        calls.append(name)
        if len(calls) == 1:
            raise MemoryError
        return real(*arguments)

    entries, expected = match().entries, one_by_one(match)
    with patch.object(target, name, failing):
        assert outcome(entries, 1) == expected
    assert calls


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_if_the_watch_fails_the_table_is_that_of_the_entry_it_saw_last(
    error: type[BaseException], toy: None
) -> None:
    entries, seen, judge = two_hands().entries, list[Admitted](), Referee()

    def watch(admitted: Admitted) -> None:
        seen.append(admitted)
        if len(seen) == 30:
            raise error

    with pytest.raises(error):
        judge.admit_all(entries, watch)
    assert judge.table == seen[-1].after
    assert judge.entries == list(entries[:30])
    judge.admit_all(entries[30:], seen.append)
    assert judge.table.finished
    assert [each.sequence for each in seen] == list(range(len(entries)))


def test_a_stranger_is_refused_in_the_place_of_the_expected_player(toy: None) -> None:
    match, stranger = one_hand(), IdentityKey(bytes(32)).public
    for number, expected in enumerate(((stranger, None), (None, stranger))):
        alone, together = Referee(expected), Referee(expected)
        for raw in match.entries[:number]:
            alone.admit(raw)
        with pytest.raises(RefusedEntry) as refused_alone:
            alone.admit(match.entries[number])
        assert code_of(RefusedEntry, together.admit_all, match.entries) == refused_alone.value.code
        assert together.entries == alone.entries
    Referee((match.identities[0].public, match.identities[1].public)).admit_all(match.entries)


@pytest.mark.parametrize(
    ("disclosure", "most", "waits"),
    [
        (m.Disclosure.AFTER_MATCH, 2**23, True),
        (m.Disclosure.AFTER_MATCH, 1, False),
        (m.Disclosure.AFTER_HAND, 2**23, False),
        (m.Disclosure.NEVER, 2**23, False),
    ],
)
def test_proofs_wait_only_for_seeds_that_follow(
    disclosure: m.Disclosure, most: int, waits: bool, toy: None
) -> None:
    entries, read = three_hands(disclosure).entries, list[bytes]()
    verified_after: list[int] = []
    verify = Batch.verify

    def note_verify(batch: Batch) -> None:
        verified_after.append(len(read))
        verify(batch)

    def reading() -> Iterator[bytes]:
        for raw in entries:
            read.append(raw)
            yield raw

    with (
        patch.object(Batch, "verify", note_verify),
        patch.object(referee, "MOST_WAITING", most),
        patch.object(referee, "HANDS_PER_BATCH", 1),
    ):
        Referee().admit_all(reading())
    assert len(verified_after) > 2
    assert (verified_after[0] == len(entries)) is waits
