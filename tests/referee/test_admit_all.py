"""Admitting many entries at once has the same outcome as admitting them one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ginpeer.referee.referee import Admitted, Helpers, Referee, no_helpers
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.store.log import read_log
from protocol import messages as m
from protocol.crypto.group import ORDER, SCALAR_BYTES, decode_scalar, encode_scalar
from protocol.entry import RawEntry, sign_entry
from tests.cheating.cheat import RecordedMatch, one_hand
from tests.matches.golden_logs import FOLDER


def outcome(
    entries: list[bytes], batch: int | None, helpers: Helpers = no_helpers
) -> tuple[object, ...]:
    """Admit the entries one by one (None) or in batches; return everything that shows."""
    referee, watched, refusal = Referee(), list[Admitted](), None
    raw = b""
    try:
        if batch is None:
            for raw in entries:
                watched.append(referee.admit(raw))
        else:
            referee.admit_all(iter(entries), watched.append, batch=batch, helpers=helpers)
    except RefusedEntry as error:
        refusal = (type(error), error.code, error.sentence, error.raw or raw)
    return refusal, referee.table, list(referee.entries), watched


def signed_again(match: RecordedMatch, number: int, message: m.Message) -> bytes:
    """Return the entry with another message, signed by its author."""
    table = match.table_at(number)
    assert table.owed_by is not None
    body = m.Body(table.table_id, table.sequence, table.head, message)
    return sign_entry(match.identities[table.owed_by], body)


def with_false_proof(match: RecordedMatch, number: int) -> bytes | None:
    """Return the entry with the last scalar of its first proof changed; None without a proof."""
    message = RawEntry.split(match.entries[number]).decode().message
    for field in ("argument", "proof", "opening"):
        proof = getattr(message, field, b"")
        if proof:
            last = decode_scalar(proof[-SCALAR_BYTES:])
            changed = proof[:-SCALAR_BYTES] + encode_scalar((last + 1) % ORDER)
            return signed_again(match, number, replace(message, **{field: changed}))
    return None


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_a_valid_log_leads_to_the_same_table(batch: int) -> None:
    entries = one_hand().entries
    assert outcome(entries, batch) == outcome(entries, None)


@pytest.mark.parametrize("batch", [4, 9, 1000])
def test_a_false_proof_is_refused_at_its_entry(batch: int) -> None:
    match = one_hand()
    kinds = set()
    for number in range(len(match.entries)):
        false = with_false_proof(match, number)
        if false is None:
            continue
        entries = [*match.entries[:number], false, *match.entries[number + 1 :]]
        expected = outcome(entries, None)
        assert expected[0] is not None
        assert outcome(entries, batch) == expected
        kinds.add(type(RawEntry.split(false).decode().message))
    assert {m.DealDeck, m.DealShuffle, m.DealShares, m.Share, m.Discard} <= kinds


@pytest.mark.parametrize(
    "lie", ["audit-failed", "audit-failed-in-the-shuffle", "cut-mismatch", "fork"]
)
def test_other_lies_are_refused_at_their_entry(lie: str) -> None:
    """The audits of a batch count, too."""
    entries = list(read_log(FOLDER / f"evidence-{lie}.ginlog").entries)
    expected = outcome(entries, None)
    assert expected[0] is not None
    assert outcome(entries, 1000) == expected


def test_only_proven_entries_are_admitted_if_their_source_fails() -> None:
    """If the source of the entries fails, nothing unproven has been admitted."""
    entries, watched = one_hand().entries, list[Admitted]()
    referee = Referee()

    def breaking() -> Iterator[bytes]:
        yield from entries[:25]
        raise OSError("the disk failed")

    with pytest.raises(OSError, match="the disk failed"):
        referee.admit_all(breaking(), watched.append, batch=10)
    count = len(referee.entries)
    assert count in (0, 10, 20)
    assert [each.sequence for each in watched] == list(range(count))
    assert referee.table.sequence == count
    referee.admit_all(entries[count:])
    assert referee.table.finished
