"""Tampering with a log: cases 22 to 26 and 28 of tests/campaign/cases.txt.

Without a key, tampering must never get anybody blamed, and a player who signed two entries for one
place must never get away with it.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from ginpeer.record import Record
from ginpeer.referee.referee import Finding, Verdict, judge
from ginpeer.referee.table import GUEST, HOST, Table
from ginpeer.referee.transitions import MalformedEntry, RefusedEntry, final_score
from ginpeer.store.log import log_bytes
from protocol import messages as m
from protocol.crypto.identity import IdentityKey
from protocol.entry import SIGNATURE_BYTES, RawEntry
from tests.cheating.cheat import (
    ONE_HAND,
    TINY,
    Cheat,
    RecordedMatch,
    one_hand,
    record,
    tiny,
    violation,
)
from tests.refusals import code_of
from tests.stranger.group import B, L, P, combine

# These tests are about signatures and places, not about proofs.
pytestmark = pytest.mark.usefixtures("in_the_toy_group")


def forged(entries: list[bytes], number: int) -> Verdict:
    """Check that the verdict is FORGED and names entry *number*. Return the verdict."""
    verdict = judge(entries)
    assert verdict.finding is Finding.FORGED
    assert (verdict.entries, verdict.failing_entry) == (number, number)
    assert verdict.sentence.endswith(".")
    return verdict


# --- 22: flipped bytes ------------------------------------------------------------------------


@pytest.mark.parametrize("k", range(TINY))
@pytest.mark.deep(keep=3)
def test_every_flipped_byte_is_detected_and_blames_nobody(k: int) -> None:
    """Flip one bit of each byte of a one-hand log. The entries before it are valid, so it is enough
    to give the changed entry to the referee at that place."""
    match = tiny()
    referee = match.referee_at(k)
    entry = bytearray(match.entries[k])
    for place in range(len(entry)):
        entry[place] ^= 1 << place % 8
        with pytest.raises(MalformedEntry):
            referee.admit(bytes(entry))
        entry[place] ^= 1 << place % 8
    assert referee.table is match.table_at(k)
    assert referee.admit(bytes(entry)).sequence == k


# --- 23: deleted, swapped, repeated, inserted ---------------------------------------------------


def test_deleted_and_swapped_entries_are_detected() -> None:
    """Deleting an entry puts the next one in its place; swapping puts any later one there."""
    match = one_hand()
    for k in range(len(match)):
        for later in range(k + 1, len(match), 3):
            code = _garbled(match, k, match.entries[later]).code
            assert later > k + 1 or code in ("bad-signature", "wrong-sequence")


def test_an_inserted_entry_is_detected() -> None:
    """The entry comes from another match, of the same or of other players, and is inserted at each
    place, including the end."""
    match, other = one_hand(), tiny()
    for k in range(1, len(match) + 1):
        for raw in other.entries:
            _garbled(match, k, raw)
        table = match.table_at(k)
        for seat in (HOST, GUEST):
            if table.keys[seat] is not None:
                raw = match.cheat(seat).sign(table, m.Pass(), table=other.table_at(3).table_id)
                assert _garbled(match, k, raw).code == "wrong-table"


@pytest.mark.parametrize(
    "tamper",
    [
        lambda log: (log[:7] + log[8:], 7),
        lambda log: (log[1:], 0),
        lambda log: (log[:3] + log[4:5] + log[3:4] + log[5:], 3),
        lambda log: (log[:9] + log[8:], 9),
        lambda log: (log + log[-1:], len(log)),
        lambda log: (log + log[:1], len(log)),
        lambda log: (log + log, len(log)),
        lambda log: ([*log[:5], b"", *log[5:]], 5),
        lambda log: ([*log[:5], bytes(70_000), *log[5:]], 5),
    ],
    ids=[
        *("deleted", "first deleted", "swapped", "repeated", "last repeated", "offer at the end"),
        *("twice", "empty inserted", "huge inserted"),
    ],
)
def test_the_verdict_on_a_rearranged_log_is_forged_and_blames_nobody(tamper) -> None:
    entries, number = tamper(list(tiny().entries))
    assert forged(entries, number).culprit is None


def _garbled(match: RecordedMatch, k: int, raw: bytes) -> RefusedEntry:
    referee = match.referee_at(k)
    with pytest.raises(MalformedEntry) as caught:
        referee.admit(raw)
    assert referee.table is match.table_at(k)
    return caught.value


# --- 24: cut ------------------------------------------------------------------------------------


def test_a_log_cut_after_any_entry_is_incomplete_and_says_who_owes() -> None:
    match = tiny()
    for k in range(len(match)):
        verdict = judge(match.entries[:k])
        assert verdict.finding is Finding.INCOMPLETE
        assert verdict.entries == k
        assert verdict.failing_entry is None
        assert verdict.culprit is None
        table = verdict.table
        assert table == match.table_at(k)
        assert table.owed_by == match.steps[k].author
        assert f"{table.names[table.owed_by]}: {table.awaiting.value}." in verdict.sentence
    assert judge(match.entries).finding is Finding.VALID


def test_a_torn_last_record_is_reported_as_torn() -> None:
    """A crash leaves a torn record. The verdict counts the valid entries; the match isn't over."""
    match = tiny()
    ended = Record.read(log_bytes(match.entries[:8]) + b"\0\0\1\0\2").verdict
    assert (ended.finding, ended.code, ended.entries) == (Finding.INCOMPLETE, "torn", 8)
    assert ended.sentence == "The file ends with 5 bytes of an incomplete entry 8."
    behind = Record.read(log_bytes(match.entries) + b"\0\0\1\0\2").verdict
    assert (behind.finding, behind.code) == (Finding.FORGED, "torn")


# --- 25: two entries at one position ---------------------------------------------------------


def second_entry(match: RecordedMatch, k: int) -> bytes:
    """Return a different entry for the place of entry k, by the same author."""
    cheat, table, message = match.author(k), match.table_at(k), match.steps[k].message
    match message:
        case m.Offer():
            same_table = match.table_at(1).table_id
            return cheat.sign(table, replace(message, name="Another"), table=same_table)
        case m.CutCommit():
            return cheat.sign(table, replace(message, commitment=bytes(32)))
        case m.CutValue():
            return cheat.sign(table, replace(message, value=bytes(32)))
    return cheat.sign(table, m.Resign())  # perhaps illegal, but still a second entry


@pytest.mark.parametrize("distance", [1, 4, None])
def test_two_entries_at_one_place_convict_their_author(distance: int | None) -> None:
    """The second entry may appear at once, later, or after the end."""
    match = tiny()
    for k in range(len(match)):
        later = len(match) if distance is None else min(k + distance, len(match))
        error = violation(match, later, second_entry(match, k), "fork", by=match.steps[k].author)
        assert error.entry == k


@pytest.mark.parametrize("k", [0, 1, 4, 7, 10, 12])
def test_stored_evidence_convicts_on_its_own(k: int) -> None:
    """What the seat stores convinces a third person who wasn't there."""
    match = tiny()
    author = match.steps[k].author
    seat = match.seat_at(1 - author, len(match) - 1)
    evidence, _close = seat.receive(second_entry(match, k))
    verdict = judge(evidence.entries)
    assert verdict.finding is Finding.FORGED
    assert (verdict.code, verdict.culprit) == ("fork", author)
    assert verdict.table.names[author] in verdict.sentence
    # The log up to that place is enough.
    short = judge([*match.entries[: k + 1], second_entry(match, k)])
    assert (short.code, short.culprit, short.failing_entry) == ("fork", author, k + 1)


def signed_with_another_nonce(identity: IdentityKey, raw: bytes) -> bytes:
    """Return the same body with a second valid signature. Only the key's owner can make it, as in
    RFC 8032 section 5.1.6, but with a freely chosen r."""
    entry, nonce = RawEntry.split(raw), 12_345
    x, y, z, _ = combine([(nonce, B)])
    inverse = pow(z, -1, P)
    r = (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")
    digest = hashlib.sha512(identity.secret_seed).digest()[:32]
    secret = int.from_bytes(digest, "little") & ~7 & (1 << 254) - 1 | 1 << 254
    text = r + identity.public + entry.signed_message
    challenge = int.from_bytes(hashlib.sha512(text).digest(), "little")
    s = (nonce + challenge * secret) % L
    return entry.unverified_body + r + s.to_bytes(32, "little")


def test_a_second_signature_under_the_same_body_is_a_second_entry() -> None:
    """Standard Ed25519 gives one signature. A player who makes another has two entries for one
    place, with different hashes, so two histories could continue from them."""
    match = tiny()
    k = match.find(m.Knock)
    twin = signed_with_another_nonce(match.identities[match.steps[k].author], match.entries[k])
    assert twin != match.entries[k]
    assert twin[:-SIGNATURE_BYTES] == match.entries[k][:-SIGNATURE_BYTES]
    violation(match, k + 1, twin, "fork", by=match.steps[k].author)
    # The twin would have been valid in that place. A player who answered the original then
    # continues a different history, which isn't their fault.
    referee = match.referee_at(k)
    referee.admit(twin)
    assert code_of(MalformedEntry, referee.admit, match.entries[k + 1]) == "wrong-previous"


def test_a_second_signature_made_by_arithmetic_is_refused() -> None:
    """S + L instead of S satisfies the same equation, but isn't canonical. Without the key, nobody
    can make a second valid signature."""
    match = tiny()
    for k, raw in enumerate(match.entries):
        s = int.from_bytes(raw[-32:], "little") + L
        twin = raw[:-32] + s.to_bytes(32, "little")
        assert _garbled(match, k, twin).code == "bad-signature"
        assert _garbled(match, len(match), twin).code == "after-the-end"


# --- 26: another winner --------------------------------------------------------------------------


def test_a_winner_that_the_replay_does_not_confirm_is_forged() -> None:
    """Even if both players sign that the loser won, the verdict is FORGED."""
    match = tiny()
    k = match.find(m.Settle)
    table = match.table_at(k)
    true = final_score(table)
    lie = replace(
        true,
        winner=m.Winner(1 - true.winner),
        host_total=true.guest_total,
        guest_total=true.host_total,
    )
    host = match.cheat(HOST).sign(table, lie)
    verdict = forged([*match.entries[:k], host], k)
    assert (verdict.code, verdict.culprit) == ("wrong-score", HOST)
    # The guest has signed nothing yet; its signature would change nothing.
    guest = match.cheat(GUEST).sign(table, lie, sequence=table.sequence + 1)
    assert forged([*match.entries[:k], host, guest], k).culprit == HOST


# --- 28: other keys -----------------------------------------------------------------------------


def test_a_match_signed_by_other_keys_is_valid_and_shows_those_keys() -> None:
    """Mallory plays both sides under the names Ada and Ben. The log is valid: it proves that two
    keys played it. Only the keys themselves show whose they are."""
    true, forged_names = tiny(), record("m21", ONE_HAND)
    ours, theirs = true.table_at(len(true)), judge(forged_names.entries).table
    assert theirs.finished
    assert theirs.names == ours.names == ("Ada", "Ben")
    assert theirs.keys == tuple(identity.public for identity in forged_names.identities)
    assert not set(theirs.keys) & set(ours.keys)


def test_a_replaced_first_entry_makes_the_rest_of_the_log_invalid() -> None:
    """Mallory takes the host's place in the offer, but the guest accepted a different offer."""
    match = tiny()
    mallory = Cheat(HOST, IdentityKey(bytes(range(32))), {})
    table_id = match.table_at(1).table_id
    offer = replace(match.steps[0].message, key=mallory.identity.public)
    entries = [mallory.sign(Table(), offer, table=table_id), *match.entries[1:]]
    verdict = forged(entries, 1)
    assert (verdict.code, verdict.culprit) == ("wrong-previous", None)
