"""The journal, with real files and real disk failures."""

import contextlib
import errno
import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from ginpeer.store import Journal, MatchNotes, StoreError, files, journal, read_log
from ginpeer.store.journal import write_evidence
from ginpeer.store.log import MAX_ENTRY_BYTES, log_bytes
from tests.faults.disk import Disk, faulty
from tests.store.failure import failure

TABLE = bytes(range(32))
NOTES = MatchNotes(TABLE, "guest", "Ann", b"k" * 32, ("192.0.2.7:4000", "[2001:db8::1]:4000"), 99)
ENTRIES = [b"entry one", b"entry two, longer", b"three"]
SEED = bytes(range(100, 132))
posix = pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")


@pytest.fixture
def matches(tmp_path):
    return tmp_path / "home" / "matches"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def stored(matches, entries=ENTRIES, seeds=()):
    with Journal.create(matches, NOTES) as journal:
        for entry in entries:
            journal.append(entry)
        for hand, seed in seeds:
            journal.append_seed(hand, seed)
    return journal.path


# What is stored


def test_a_match_is_three_files_named_by_the_table(matches):
    path = stored(matches)
    stem = TABLE.hex()[:16]
    assert path == matches / f"{stem}.ginlog"
    assert names(matches) == [f"{stem}.ginlog", f"{stem}.match", f"{stem}.seeds"]
    assert path.read_bytes() == log_bytes(ENTRIES)


@pytest.fixture
def locks_of_windows(monkeypatch):
    """Lock as on Windows: the byte at the file's position. Return a list of these positions."""
    monkeypatch.setattr(files, "_LOCK_AT", 2**40)  # Linux has no file longer than 2**62
    monkeypatch.setattr(files, "sys", SimpleNamespace(platform="win32"))
    system = Mock(LK_LOCK=1, LK_NBLCK=2)
    places = []
    system.locking.side_effect = lambda fd, mode, length: places.append(os.lseek(fd, 0, 1))
    monkeypatch.setattr(files, "msvcrt", system, raising=False)
    return places


def test_a_match_reopened_on_windows_keeps_its_entries(matches, locks_of_windows):
    path = stored(matches)
    whole = path.read_bytes()
    with Journal.reopen(path) as journal:
        assert journal.entries == ENTRIES
        assert path.read_bytes() == whole
        journal.append(b"four")
    assert path.read_bytes() == log_bytes([*ENTRIES, b"four"])
    assert failure(Journal.create, matches, NOTES) == "match-exists"
    assert locks_of_windows == [2**40] * 3


@pytest.mark.parametrize("read", [5, 30])
def test_a_log_that_cannot_be_read_to_its_full_length_is_left_alone(matches, monkeypatch, read):
    path = stored(matches)
    whole = path.read_bytes()

    real = journal.read_own_open_log

    class Part(io.BytesIO):
        def seek(self, offset, whence=io.SEEK_SET):
            return len(whole) if whence == io.SEEK_END else super().seek(offset, whence)

    def read_part(file, path):
        return real(Part(file.read(read)), path)

    monkeypatch.setattr(journal, "read_own_open_log", read_part)
    assert failure(Journal.reopen, path) == "disk-error"
    assert path.read_bytes() == whole


def test_a_reopened_match_has_everything_needed_to_resume(matches):
    path = stored(matches, seeds=[(0, SEED), (3, SEED[::-1])])
    with Journal.reopen(path) as journal:
        assert journal.entries == ENTRIES
        assert journal.seeds == {0: SEED, 3: SEED[::-1]}
        assert journal.notes == NOTES
        journal.append(b"four")
        journal.append_seed(4, SEED)
    with Journal.reopen(path) as journal:
        assert journal.entries == [*ENTRIES, b"four"]
        assert set(journal.seeds) == {0, 3, 4}


def test_a_hand_has_one_seed(matches):
    with Journal.create(matches, NOTES) as journal:
        journal.append_seed(1, SEED)
        journal.append_seed(1, SEED)
        assert failure(journal.append_seed, 1, bytes(32)) == "seed-exists"
        for hand, seed in ((2, b"short"), (-1, SEED), (2**32, SEED)):
            with pytest.raises(ValueError, match="32 bytes"):
                journal.append_seed(hand, seed)
    with Journal.reopen(journal.path) as journal:
        assert journal.seeds == {1: SEED}


@pytest.mark.parametrize("length", [0, MAX_ENTRY_BYTES + 1])
def test_an_entry_that_could_not_be_read_back_is_not_written(matches, length):
    with Journal.create(matches, NOTES) as journal:
        assert failure(journal.append, bytes(length)) == "entry-too-long"
        journal.append(b"x" * MAX_ENTRY_BYTES)
    assert read_log(journal.path).entries == (b"x" * MAX_ENTRY_BYTES,)


def test_a_closed_journal_stores_nothing(matches):
    journal = Journal.create(matches, NOTES)
    journal.close()
    journal.close()
    assert failure(journal.append, b"x") == "store-closed"
    assert failure(journal.append_seed, 1, SEED) == "store-closed"
    assert failure(journal.note_listening, "192.0.2.1:4466") == "store-closed"
    before = journal._notes_path.read_bytes()
    assert failure(journal.cut_back, 0) == "store-closed"
    assert journal._notes_path.read_bytes() == before


@pytest.mark.parametrize("entries", [[], ENTRIES[:1]])
def test_an_offer_that_came_to_nothing_is_forgotten_with_all_its_files(matches, entries):
    journal = Journal.create(matches, NOTES)
    for entry in entries:
        journal.append(entry)
    journal.append_seed(0, SEED)
    journal.forget_offer()
    assert names(matches) == []
    assert failure(journal.append, b"more") == "store-closed"
    assert stored(matches).exists()


def test_an_offer_loses_its_log_durably_before_its_seeds(matches, monkeypatch):
    """Otherwise, the log could reappear without its seeds after a power cut."""
    journal, done = Journal.create(matches, NOTES), []
    monkeypatch.setattr(files, "unlink", lambda path: done.append(path.suffix))
    monkeypatch.setattr(files, "sync_folder", lambda folder: done.append("sync"))
    journal.forget_offer()
    assert done[:3] == [".ginlog", "sync", ".seeds"]


def test_a_match_that_was_agreed_is_not_forgotten(matches):
    journal = Journal.create(matches, NOTES)
    for entry in ENTRIES[:2]:
        journal.append(entry)
    journal.forget_offer()
    assert list(read_log(journal.path).entries) == ENTRIES[:2]
    assert failure(journal.append, b"more") == "store-closed"
    assert failure(journal.forget_offer) == "store-closed"


@posix
@pytest.mark.parametrize("call", ["unlink", "size_of"])
def test_an_offer_that_cannot_be_removed_gives_one_sentence(matches, monkeypatch, call):
    journal = Journal.create(matches, NOTES)

    monkeypatch.setattr(files, call, Mock(side_effect=PermissionError(errno.EACCES, "Denied")))
    assert failure(journal.forget_offer) == "no-permission"
    assert failure(journal.forget_offer) == "store-closed"


@posix
def test_an_error_before_an_entry_is_written_closes_the_journal(matches, monkeypatch):
    journal = Journal.create(matches, NOTES)

    monkeypatch.setattr(files, "size_of", Mock(side_effect=OSError(errno.ESTALE, "Stale handle")))
    for code in ("disk-error", "store-closed"):
        assert failure(journal.append, ENTRIES[0]) == code


def test_two_matches_of_one_table_are_refused(matches):
    path = stored(matches)
    before = path.read_bytes()
    assert failure(Journal.create, matches, NOTES) == "match-exists"
    assert path.read_bytes() == before
    same_digits = MatchNotes(TABLE[:8] + bytes(24), "host", "", b"", (), 1)
    assert failure(Journal.create, matches, same_digits) == "match-exists"


def test_seeds_outlast_their_log(matches):
    """A program that synchronises a home may bring the seeds of a match before its log."""
    path = stored(matches, seeds=[(0, SEED)])
    seeds, log = path.with_suffix(".seeds").read_bytes(), path.read_bytes()
    path.unlink()
    assert failure(Journal.create, matches, NOTES) == "match-exists"
    assert path.with_suffix(".seeds").read_bytes() == seeds
    assert not path.exists()
    path.write_bytes(log)
    with Journal.reopen(path) as journal:
        assert (journal.entries, journal.seeds) == (ENTRIES, {0: SEED})


def test_an_empty_seeds_file_does_not_stand_in_the_way(matches):
    """A crash while the files are created may leave one."""
    path = stored(matches)
    path.unlink()
    Journal.create(matches, NOTES).close()
    assert path.exists()


def test_a_missing_match_cannot_be_reopened(matches):
    assert failure(Journal.reopen, matches / "0123456789abcdef.ginlog") == "no-such-match"


def test_notes_of_another_match_are_reported(matches):
    path = stored(matches)
    other = path.with_name("00" * 8 + ".ginlog")
    for suffix in (".ginlog", ".seeds", ".match"):
        path.with_suffix(suffix).rename(other.with_suffix(suffix))
    assert failure(Journal.reopen, other) == "bad-match-file"


def test_notes_read_back_with_any_name():
    for name in ("", "Zoë", "\x1b[31m", "../../etc", "\ud800", "n" * 300):
        notes = MatchNotes(TABLE, "host", name, bytes(32), (name,), 0)
        assert MatchNotes.decode(notes.encode()) == notes
    assert json.loads(NOTES.encode())["role"] == "guest"


def test_the_level_of_a_bot_is_noted_if_there_is_one():
    practised = replace(NOTES, level=3)
    assert MatchNotes.decode(practised.encode()) == practised
    noted = json.loads(NOTES.encode())
    assert "level" not in noted
    for odd in (True, 0, -1, 10, "3", 3.0, None, [3], 10**30):
        assert MatchNotes.decode(json.dumps(noted | {"level": odd}).encode()) == NOTES


# Torn ends


def test_only_the_torn_record_is_dropped_wherever_the_file_ends(matches):
    path = stored(matches)
    whole = path.read_bytes()
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        kept = list(read_log(path).entries)
        with Journal.reopen(path) as journal:
            assert journal.entries == kept == ENTRIES[: len(kept)]
            journal.append(b"next")
        assert path.read_bytes() == log_bytes([*kept, b"next"])


def test_only_the_torn_seed_is_dropped_wherever_the_file_ends(matches):
    path = stored(matches, [], [(1, SEED), (2, SEED)])
    file = path.with_suffix(".seeds")
    whole = file.read_bytes()
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        with Journal.reopen(path) as journal:
            assert journal.seeds == {1: SEED} if cut >= len(whole) - 67 else not journal.seeds
            if 1 not in journal.seeds:
                journal.append_seed(1, SEED)
            journal.append_seed(2, SEED)
        assert file.read_bytes() == whole


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [
        *((".match", damage) for damage in (b"", b"[]", b"[" * 60_000, b'{"version": 1}')),
        (".match", NOTES.encode().replace(b'"version": 1', b'"version": 2')),
        (".match", None),  # the file is missing
        (".seeds", None),
        (".seeds", b"wrong"),
        (".seeds", b"ginseeds1\n1 00\n"),
        (".seeds", b"ginseeds1\n1 " + b"00" * 32 + b"\n1 " + b"11" * 32 + b"\n"),
        (".seeds", b"ginseeds1\n-1 " + b"00" * 32 + b"\n"),
        (".seeds", b"x" * 2_000_000),
    ],
)
def test_damaged_notes_and_seeds_are_reported_and_left_alone(matches, suffix, damage):
    path = stored(matches)
    file = path.with_suffix(suffix)
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    code = "bad-match-file" if suffix == ".match" else "bad-seeds-file"
    too_large = damage is not None and len(damage) > 1_000_000
    assert failure(Journal.reopen, path) == ("disk-error" if too_large else code)
    assert damage is None or file.read_bytes() == damage


# Failures of the disk


@contextlib.contextmanager
def files_limited_to(size):
    """Make the system refuse to let any file of this process grow beyond `size` bytes (EFBIG)."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@posix
def test_a_full_disk_at_any_byte_leaves_the_log_whole_and_usable(matches):
    path = stored(matches, ENTRIES[:1])
    before = path.read_bytes()
    for room in range(len(before), len(before) + 4 + len(ENTRIES[1])):
        journal = Journal.reopen(path)
        with files_limited_to(room):
            assert failure(journal.append, ENTRIES[1]) == "file-size-limit"
        assert path.read_bytes() == before
        assert failure(journal.append, ENTRIES[1]) == "store-closed"
    with Journal.reopen(path) as journal:
        journal.append(ENTRIES[1])
    assert read_log(path).entries == tuple(ENTRIES[:2])


@posix
def test_a_seed_that_cannot_be_stored_is_not_half_stored(matches):
    path = stored(matches, ENTRIES, [(1, SEED)])
    file = path.with_suffix(".seeds")
    before = file.read_bytes()
    journal = Journal.reopen(path)
    with files_limited_to(len(before) + 20):
        assert failure(journal.append_seed, 2, SEED) == "file-size-limit"
    assert file.read_bytes() == before
    assert failure(journal.append, b"made from that seed") == "store-closed"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_no_space_left_is_called_a_full_disk(matches, monkeypatch):
    journal = Journal.create(matches, NOTES)
    journal._ends[journal.path] = 0  # the size of /dev/full
    monkeypatch.setattr(files, "has_name", lambda fd, path: True)
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, journal._fd)
    os.close(full)
    assert failure(journal.append, b"x") == "disk-full"


@posix
def test_a_match_that_cannot_be_created_leaves_nothing(matches):
    matches.mkdir(parents=True)
    for room in (0, 5, 12, len(NOTES.encode()) - 1):
        with files_limited_to(room):
            assert failure(Journal.create, matches, NOTES) == "file-size-limit"
        assert names(matches) == []


@posix
def test_an_impossible_folder_gives_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file" / "matches", tmp_path / "file", tmp_path / ("x" * 300)):
        assert failure(Journal.create, folder, NOTES) in ("disk-error", "home-unusable")


@pytest.mark.parametrize(
    ("where", "what", "number", "code"),
    [
        (files, "try_lock", errno.ENOLCK, "disk-error"),  # a file system without locks
        (journal, "read_own_open_log", errno.EIO, "disk-error"),
        (files, "sync_folder", errno.ENOSPC, "disk-full"),
    ],
)
def test_a_match_that_cannot_be_locked_read_or_kept_gives_one_sentence(
    matches, monkeypatch, where, what, number, code
):
    path = stored(matches, [])
    fails = Mock(side_effect=OSError(number, os.strerror(number)))
    for call, *arguments in ((Journal.reopen, path), (Journal.create, matches, NOTES)):
        with monkeypatch.context() as failing:
            failing.setattr(where, what, fails)
            assert failure(call, *arguments) == code
    for name in names(matches):
        (matches / name).unlink()
    with monkeypatch.context() as failing:
        failing.setattr(where, what, fails)
        assert failure(Journal.create, matches, NOTES) == code
    assert names(matches) == []
    with Journal.create(matches, NOTES) as journal:  # the lock was released
        journal.append(ENTRIES[0])


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="syncs by other means there")
def test_a_log_whose_start_cannot_be_written_leaves_nothing(matches):
    matches.mkdir(parents=True)

    def full(operation):
        if operation.kind == "write" and operation.path.suffix == ".ginlog":
            raise OSError(errno.ENOSPC, "No space left on device")

    with faulty(Disk(matches, before=full)):
        assert failure(Journal.create, matches, NOTES) == "disk-full"
    assert names(matches) == []


@posix
def test_a_pipe_in_place_of_the_log_is_refused_without_waiting(matches):
    matches.mkdir(parents=True)
    pipe = matches / f"{TABLE.hex()[:16]}.ginlog"
    os.mkfifo(pipe)
    assert failure(Journal.reopen, pipe) == "disk-error"
    assert failure(Journal.create, matches, NOTES) == "disk-error"


# Other processes


REOPEN = """
import sys
from pathlib import Path
from ginpeer.store import Journal, StoreError
try:
    Journal.reopen(Path(sys.argv[1]))
except StoreError as error:
    print(error.code)
"""


def test_a_match_is_played_by_one_process_at_a_time(matches):
    journal = Journal.create(matches, NOTES)
    reopen = [sys.executable, "-c", REOPEN, str(journal.path)]
    assert subprocess.check_output(reopen) == b"match-in-use\n"
    assert failure(Journal.reopen, journal.path) == "match-in-use"
    assert failure(Journal.create, matches, NOTES) == "match-in-use"
    assert Journal.is_in_use(journal.path)
    journal.append(b"still ours")
    assert read_log(journal.path).entries == (b"still ours",)
    journal.close()
    assert not Journal.is_in_use(journal.path)
    Journal.reopen(journal.path).close()


@pytest.mark.parametrize("change", ["entry", "seed", pytest.param("name", marks=posix)])
def test_nothing_is_written_to_a_file_that_another_machine_has_changed(
    matches, monkeypatch, change
):
    """A lock on a network drive might not stop another machine."""
    path = stored(matches)
    monkeypatch.setattr(files, "try_lock", lambda fd: True)
    with Journal.reopen(path) as here, Journal.reopen(path) as there:
        if change == "entry":
            there.append(b"signed there")
        elif change == "seed":
            there.append_seed(0, SEED)
        else:
            os.replace(shutil.copy(path, matches / "copy"), path)
        before = [(matches / name).read_bytes() for name in names(matches)]
        store = partial(here.append_seed, 0) if change == "seed" else here.append
        assert failure(store, SEED) == "match-in-use"
        assert failure(store, SEED) == "store-closed"
        assert [(matches / name).read_bytes() for name in names(matches)] == before


@posix
def test_a_match_moved_while_it_is_open_is_not_said_to_be_changed_elsewhere(matches):
    path = stored(matches)
    with Journal.reopen(path) as journal:
        path.rename(matches / "moved")
        with pytest.raises(StoreError, match="was moved or removed") as caught:
            journal.append(b"entry")
        assert caught.value.code == "match-in-use"


def test_an_offer_that_another_machine_has_continued_is_neither_removed_nor_cut(
    matches, monkeypatch
):
    monkeypatch.setattr(files, "try_lock", lambda fd: True)
    for act in (Journal.forget_offer, lambda here: failure(here.cut_back, 0)):
        with Journal.create(matches, NOTES) as made:
            made.append(ENTRIES[0])
        path = made.path
        with Journal.reopen(path) as here, Journal.reopen(path) as there:
            there.append(ENTRIES[1])
            act(here)
            assert list(read_log(path).entries) == ENTRIES[:2]
        for name in names(matches):
            (matches / name).unlink()


# Evidence


def test_evidence_is_a_log_of_its_own_and_never_overwritten(matches):
    stem = TABLE.hex()[:16]
    with Journal.create(matches, NOTES) as journal:
        journal.append(ENTRIES[0])
        first = write_evidence(journal.path.parent, journal.path.stem, [*ENTRIES, b"illegal"])
        assert first == matches / f"{stem}.evidence.ginlog"
        assert (
            write_evidence(journal.path.parent, journal.path.stem, [*ENTRIES, b"illegal"]) == first
        )
        second = write_evidence(journal.path.parent, journal.path.stem, [*ENTRIES, b"another"])
    assert second == matches / f"{stem}.evidence-2.ginlog"
    assert read_log(first).entries == (*ENTRIES, b"illegal")
    assert read_log(second).entries == (*ENTRIES, b"another")
    assert read_log(journal.path).entries == (ENTRIES[0],)


# Taking back moves in practice


def test_entries_taken_back_are_removed_from_the_log_and_noted(matches):
    path = stored(matches, seeds=[(0, SEED), (1, SEED)])
    path.with_suffix(".closed").touch()
    with Journal.reopen(path) as journal:
        journal.cut_back(1)
    assert not path.with_suffix(".closed").exists()  # it doesn't apply any longer
    with Journal.reopen(path) as journal:
        assert journal.entries == ENTRIES[:1]
        assert sorted(journal.seeds) == [0, 1]  # seeds are kept, so that the log never lacks one
        assert journal.notes == replace(NOTES, taken_back=True)
        journal.append(ENTRIES[1])
    assert list(read_log(path).entries) == ENTRIES[:2]


def test_a_log_that_cannot_be_cut_stays_whole_and_the_attempt_is_noted(matches, monkeypatch):
    journal = Journal.reopen(stored(matches))
    with monkeypatch.context() as failing:
        failing.setattr(files, "truncate", Mock(side_effect=OSError(errno.EIO, "it failed")))
        assert failure(journal.cut_back, 1) == "disk-error"
    assert failure(journal.append, b"x") == "store-closed"
    with Journal.reopen(journal.path) as journal:
        assert (journal.entries, journal.notes.taken_back) == (ENTRIES, True)
