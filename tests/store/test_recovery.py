"""Our own log after a power failure in which some blocks of the last record weren't written."""

import itertools
import random

import pytest

from ginpeer.referee.transitions import identity_of
from ginpeer.store import Journal, MatchNotes, StoreError, UnreadableLog, read_log, read_own_log
from ginpeer.store.journal import BLOCK
from ginpeer.store.log import MAGIC, log_bytes
from ginpeer.store.match_files import SEEDS_HEADER, read_seeds, seed_line
from protocol.crypto.identity import BadPublicKey, IdentityKey
from protocol.entry import GENESIS, NotAnEntry, NotCanonical, RawEntry, sign_entry
from protocol.messages import Body, Disclosure, Malformed, Offer
from tests.refusals import code_of

TABLE = bytes(range(32))
NOTES = MatchNotes(TABLE, "host", "Ann", b"k" * 32, (), 1)
AUTHOR = IdentityKey(bytes(range(1, 33)))
OFFER = sign_entry(
    AUTHOR,
    Body(
        TABLE,
        0,
        GENESIS,
        Offer(1, AUTHOR.public, "Ann", "standard", Disclosure.NEVER, bytes(32), 1),
    ),
)


def signed(length):
    """Return an entry of this length, signed by the host, whose body contains no zero byte."""
    body = bytes(random.Random(length).randrange(1, 256) for _ in range(length - 64))
    return body + AUTHOR.sign(RawEntry(body, b"").signed_message)


def log_ending(known):
    """Return the entries of a log whose last record spans four or five blocks, of which the first
    contains *known* bytes of it."""
    start = len(log_bytes([OFFER])) + 4
    second = signed((-start - known) % BLOCK + BLOCK)
    entries = [OFFER, second, signed(3 * BLOCK + 100)]
    assert (len(log_bytes(entries[:2])) + known) % BLOCK == 0
    return entries


@pytest.fixture
def path(tmp_path):
    with Journal.create(tmp_path / "matches", NOTES) as journal:
        return journal.path


def unwritten(data, start):
    """Yield every state in which a power failure may leave a file whose bytes from *start* on
    weren't synced: one for each subset of these blocks that was written."""
    borders = [start, *range(start + BLOCK - start % BLOCK, len(data), BLOCK), len(data)]
    pieces = [data[a:b] for a, b in itertools.pairwise(borders)]
    for chosen in itertools.product((False, True), repeat=len(pieces)):
        if not all(chosen):
            mixed = [p if c else bytes(len(p)) for p, c in zip(pieces, chosen, strict=True)]
            yield data[:start] + b"".join(mixed)


@pytest.mark.parametrize("known", [1, 2, 3, 4, 5, BLOCK])
def test_a_last_record_with_unwritten_blocks_is_torn(path, known):
    """The first block may even end within the record's length field, so any length may be read."""
    entries = log_ending(known)
    whole = log_bytes(entries)
    tried = 0
    for data in unwritten(whole, len(log_bytes(entries[:2]))):
        for size in (len(data), len(data) - 1, len(data) - 700):
            if data[:size] == whole[:size]:
                continue
            path.write_bytes(data[:size])
            assert read_own_log(path).entries == tuple(entries[:2])
            with Journal.reopen(path) as journal:
                assert journal.entries == entries[:2]
                journal.append(entries[2])
            assert path.read_bytes() == whole
            tried += 1
    assert tried > 20


def test_the_first_record_can_be_torn_in_this_way_too(path):
    whole = log_bytes([OFFER])
    for data in unwritten(whole, len(MAGIC)):
        path.write_bytes(data)
        with Journal.reopen(path) as journal:
            assert journal.entries == []


def test_completely_written_entries_stay(path):
    for known in range(1, 6):
        entries = log_ending(known)
        path.write_bytes(log_bytes(entries))
        with Journal.reopen(path) as journal:
            assert journal.entries == entries


@pytest.mark.parametrize("known", [1, 2, 3, 100])
def test_an_entry_damaged_in_another_way_is_not_cut_off(path, known):
    """Such an entry may have been shown, and the referee says what is wrong with it. A length that
    begins with zeros isn't a sign of a power failure, even at the end of a block."""
    entries = log_ending(known)
    broken = bytearray(entries[2])
    broken[700] ^= 1
    path.write_bytes(log_bytes([*entries[:2], bytes(broken)]))
    with Journal.reopen(path) as journal:
        assert journal.entries == [*entries[:2], bytes(broken)]


FEIGNED = [
    (NotAnEntry, b"short"),
    (NotCanonical, b"\xff" * 100),
    (Malformed, OFFER.replace(b"Ann", b"A\x1bn")),
    (BadPublicKey, OFFER.replace(AUTHOR.public, b"\xff" * 32)),
]


@pytest.mark.parametrize(("why", "feigned"), FEIGNED)
def test_an_entry_that_names_no_player_is_kept_without_an_error(path, why, feigned):
    """The entry replaces an offer or follows one. The referee says what is wrong with it."""
    with pytest.raises(why):
        identity_of(RawEntry.split(feigned).decode().message)
    for entries in ((feigned,), (OFFER, feigned)):
        path.write_bytes(log_bytes(entries))
        assert read_own_log(path).entries == entries


def test_zeros_before_the_last_entry_are_not_a_torn_end(path):
    entries = log_ending(100)
    middle = bytearray(log_bytes(entries))
    middle[300:900] = bytes(600)
    path.write_bytes(middle)
    with Journal.reopen(path) as journal:
        assert journal.entries[2] == entries[2]
        assert len(journal.entries) == 3


def test_an_impossible_length_without_zero_blocks_is_damage(path):
    path.write_bytes(log_bytes(log_ending(100)) + b"\xff" * 300)
    assert code_of(UnreadableLog, Journal.reopen, path) == "bad-record"


def test_more_zeros_than_one_record_has_are_damage_unless_nothing_follows(path):
    path.write_bytes(log_bytes(log_ending(100)) + bytes(300_000) + b"x")
    with pytest.raises(UnreadableLog):
        Journal.reopen(path)


def test_a_verifier_reads_a_log_strictly(path):
    entries = log_ending(2)
    whole = log_bytes(entries)
    start = len(log_bytes(entries[:2]))
    path.write_bytes(whole[:start] + bytes(2) + whole[start + 2 : -600] + bytes(600))
    assert len(read_log(path).entries) == 3  # the last one has no valid signature
    assert read_own_log(path).entries == tuple(entries[:2])


def test_a_log_without_an_entry_is_reused_with_new_seeds(path):
    zeros = (bytes(8), MAGIC[:3] + bytes(5), MAGIC, MAGIC + b"\0\0\1", MAGIC + bytes(900))
    for left in (b"", MAGIC[:3], *zeros):
        path.write_bytes(left)
        path.with_suffix(".seeds").write_bytes(SEEDS_HEADER + seed_line(1, bytes(32)))
        with Journal.create(path.parent, NOTES) as journal:
            assert not journal.seeds
            journal.append(OFFER)
        with Journal.reopen(path) as journal:
            assert (journal.entries, journal.seeds) == ([OFFER], {})
        assert path.read_bytes() == log_bytes([OFFER])


def test_a_file_that_is_not_an_empty_log_is_not_reused(path):
    for there in (b"something else", b"ginlog2\n", log_bytes([OFFER])):
        path.write_bytes(there)
        assert code_of(StoreError, Journal.create, path.parent, NOTES) == "match-exists"
        assert path.read_bytes() == there


def test_a_seed_with_unwritten_bytes_is_torn(path):
    file = path.with_suffix(".seeds")
    first, second = seed_line(1, b"\x11" * 32), seed_line(2, b"\x22" * 32)
    for size in range(1, len(second)):
        for torn in (bytes(size) + second[size:], second[:-size] + bytes(size)):
            file.write_bytes(SEEDS_HEADER + first + torn)
            assert read_seeds(file) == ({1: b"\x11" * 32}, len(SEEDS_HEADER + first))


def test_only_a_newline_ends_a_seed(path):
    file = path.with_suffix(".seeds")
    first, torn = seed_line(1, b"\x11" * 32), bytes(66) + b"\n"
    file.write_bytes(SEEDS_HEADER + first.replace(b"\n", b"\r") + torn)
    assert read_seeds(file) == ({}, len(SEEDS_HEADER))  # one torn line


def test_zeros_in_an_earlier_seed_are_damage(path):
    file = path.with_suffix(".seeds")
    file.write_bytes(SEEDS_HEADER + bytes(66) + b"\n" + seed_line(2, b"\x22" * 32))
    assert code_of(StoreError, read_seeds, file) == "bad-seeds-file"
