"""Log files: what is written reads back, and no file offered as a log does harm."""

import errno
import io
import os
import socket
import sys

import pytest

from ginpeer.store import LogReader, UnreadableLog, open_log, read_log
from ginpeer.store.log import (
    MAGIC,
    MAX_ENTRY_BYTES,
    MAX_LOG_BYTES,
    LogFile,
    log_bytes,
)

ENTRIES = (b"first entry", b"\0" * 40, b"x" * 300)
WHOLE = log_bytes(ENTRIES)
posix = pytest.mark.skipif(sys.platform == "win32", reason="has no such files")


@pytest.fixture
def log(tmp_path):
    return tmp_path / "some.ginlog"


def refusal(path):
    with pytest.raises(UnreadableLog) as refused:
        read_log(path)
    assert str(refused.value) == refused.value.sentence
    assert "\n" not in refused.value.sentence
    return refused.value


def test_the_format_is_magic_then_length_and_entry():
    assert log_bytes([b"ab", b"c"]) == b"ginlog1\n\0\0\0\2ab\0\0\0\1c"


def test_a_log_reads_back(log):
    log.write_bytes(WHOLE)
    assert read_log(log) == LogFile(ENTRIES, 0, len(WHOLE))
    assert read_log(str(log)) == read_log(log)
    log.write_bytes(MAGIC)
    assert read_log(log) == LogFile((), 0, len(MAGIC))


def test_a_log_cut_at_any_byte_keeps_its_whole_entries(log):
    ends = [len(log_bytes(ENTRIES[:n])) for n in range(len(ENTRIES) + 1)]
    for cut in range(1, len(WHOLE)):
        log.write_bytes(WHOLE[:cut])
        whole = sum(end <= cut for end in ends[1:])
        good_end = ends[whole] if cut >= len(MAGIC) else 0
        assert read_log(log) == LogFile(ENTRIES[:whole], cut - good_end, good_end)


@pytest.mark.parametrize("end", [b"\0", b"\0\0\1", b"\xff\xff\xff", bytes(5000)])
def test_a_partial_length_or_zeros_at_the_end_are_torn(log, end):
    log.write_bytes(WHOLE + end)
    assert read_log(log) == LogFile(ENTRIES, len(end), len(WHOLE))


def test_a_record_of_length_zero_with_more_after_it_is_refused(log):
    log.write_bytes(WHOLE + bytes(4) + b"\0\0\0\1x")
    error = refusal(log)
    assert (error.code, error.entry) == ("bad-record", len(ENTRIES))


@pytest.mark.parametrize("length", [MAX_ENTRY_BYTES + 1, 2**31, 2**32 - 1])
def test_an_impossible_length_is_refused_and_the_entry_named(log, length):
    log.write_bytes(WHOLE + length.to_bytes(4, "big") + b"x" * 10)
    error = refusal(log)
    assert (error.code, error.entry) == ("bad-record", 3)
    assert str(length) in error.sentence


def test_every_changed_magic_is_refused(log):
    for place in range(len(MAGIC)):
        wrong = bytearray(WHOLE)
        wrong[place] ^= 1
        for data in (wrong, wrong[: place + 1]):
            log.write_bytes(data)
            assert refusal(log).code == "not-a-log"


def test_a_huge_sparse_file_is_refused_unread(log):
    with log.open("wb") as file:
        file.write(WHOLE)
        file.truncate(2**40)
    assert refusal(log).code == "log-too-large"


def test_zeros_up_to_the_largest_size_are_torn(log):
    with log.open("wb") as file:
        file.write(WHOLE)
        file.truncate(MAX_LOG_BYTES)
    assert read_log(log) == LogFile(ENTRIES, MAX_LOG_BYTES - len(WHOLE), len(WHOLE))


def test_too_many_tiny_entries_are_refused(log, monkeypatch):
    monkeypatch.setattr("ginpeer.store.log.MAX_ENTRIES", 10)
    log.write_bytes(MAGIC + b"\0\0\0\1x" * 11)
    assert refusal(log).code == "log-too-large"
    log.write_bytes(MAGIC + b"\0\0\0\1x" * 10)
    assert len(read_log(log).entries) == 10


@pytest.mark.parametrize("name", ["missing", "x" * 5000, "nul\0byte", "no/such/folder", "\udcff"])
def test_a_missing_file_is_reported(tmp_path, name):
    assert refusal(tmp_path / name).code == "no-such-log"


def test_a_name_cannot_steer_the_terminal(tmp_path):
    sentence = refusal(tmp_path / "\x1b[2J\n\u202eevil").sentence
    assert all(character.isprintable() for character in sentence)


def test_an_empty_file_and_a_folder_are_refused(tmp_path, log):
    log.touch()
    assert refusal(log).code == "empty-log"
    assert refusal(tmp_path).code == "not-a-file"
    assert "folder" in refusal(tmp_path).sentence


@posix
def test_pipes_devices_and_sockets_are_refused_without_waiting(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refusal(pipe).code == "not-a-file"
    for device in ("/dev/zero", "/dev/null", "/dev/tty"):
        assert refusal(device).code == "not-a-file"
    with socket.socket(socket.AF_UNIX) as listener:
        address = os.path.relpath(tmp_path / "socket")  # a socket's path must be short
        if len(address) < 100:
            listener.bind(address)
            assert refusal(tmp_path / "socket").code == "not-a-file"


@posix
def test_a_file_that_has_become_a_device_is_refused_too(log, monkeypatch):
    log.write_bytes(WHOLE)
    device = os.open("/dev/null", os.O_RDONLY)
    monkeypatch.setattr("ginpeer.store.files.open_for_reading", lambda path: device)
    assert refusal(log).code == "not-a-file"


@posix
def test_links_are_followed_but_not_in_circles_nor_through_a_file(tmp_path, log):
    log.write_bytes(WHOLE)
    (tmp_path / "link").symlink_to(log)
    assert read_log(tmp_path / "link").entries == ENTRIES
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for path in (tmp_path / "a", tmp_path / "dangling", log / "inside"):
        assert refusal(path).code == "no-such-log"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read all")
def test_a_file_without_permission_is_reported(log):
    log.write_bytes(WHOLE)
    log.chmod(0)
    assert refusal(log).code == "no-permission"


# Entry by entry


def test_a_later_format_is_too_new_and_anything_else_is_not_a_log(log):
    for digit in b"23456789":
        log.write_bytes(b"ginlog" + bytes([digit]) + b"\n" + bytes(20))
        assert refusal(log).code == "too-new"
    for magic in (b"ginlog0\n", b"ginlog:\n", b"ginlog2 ", b"ginlog2", b"ginlog22\n", b"Ginlog2\n"):
        log.write_bytes(magic)
        assert refusal(log).code == "not-a-log"


def test_a_log_named_like_a_typed_match_is_still_a_log(tmp_path):
    path = tmp_path / "match.gin"
    path.write_bytes(WHOLE)
    assert read_log(path).entries
    path.write_bytes(b"ginlog2\n" + bytes(20))
    assert refusal(path).code == "too-new"


def test_entries_are_read_one_at_a_time_and_then_the_torn_end_is_known(log):
    log.write_bytes(WHOLE + b"\0\0\0\5ab")
    with open_log(log) as reader:
        entries = iter(reader)
        assert next(entries) == ENTRIES[0]
        assert (reader.good_end, reader.torn) == (len(log_bytes(ENTRIES[:1])), 0)
        assert tuple(entries) == ENTRIES[1:]
        assert (reader.good_end, reader.torn, reader.fault) == (len(WHOLE), 6, None)
        assert tuple(reader) == ()


def test_entries_before_an_impossible_length_are_read(log):
    log.write_bytes(WHOLE + b"\xff" * 9)
    with open_log(log) as reader:
        assert tuple(reader) == ENTRIES
        assert (reader.fault.code, reader.fault.entry) == ("bad-record", len(ENTRIES))


def test_bytes_added_while_a_log_is_read_are_left_out(log):
    log.write_bytes(WHOLE)
    with open_log(log) as reader:
        entries = iter(reader)
        assert next(entries) == ENTRIES[0]
        with log.open("ab") as file:
            file.write(b"\0\0\0\1x" * 9000)
        assert tuple(entries) == ENTRIES[1:]
        assert (reader.torn, reader.fault) == (0, None)


def test_a_torn_end_stays_torn_for_an_open_reader(log):
    """This way, an entry that our own process is still storing is never read in part."""
    log.write_bytes(WHOLE + b"\0\0\0\5ab")
    with open_log(log) as reader:
        with log.open("ab") as file:
            file.write(b"cde" * 9000)
        assert tuple(reader) == ENTRIES
        assert (reader.good_end, reader.torn, reader.fault) == (len(WHOLE), 6, None)


@pytest.mark.parametrize(("kept", "torn"), [(0, 0), (3, 3), (4, 4), (50, 50)])
def test_an_entry_cut_off_while_a_log_is_read_is_torn(log, kept, torn):
    """Both entries are longer than the read-ahead; *kept* bytes of the second remain."""
    long = (b"a" * 100_000, b"b" * 100_000)
    log.write_bytes(log_bytes(long))
    with open_log(log) as reader:
        entries = iter(reader)
        assert next(entries) == long[0]
        os.truncate(log, len(log_bytes(long[:1])) + kept)
        left = list(entries)
        # Part of it may have been read ahead before the cut, but never a whole entry.
        assert left == []
        assert torn <= reader.torn < len(long[1])
        assert reader.fault is None


def test_a_disk_error_in_the_middle_is_reported(log):
    class Failing:
        def __init__(self, file):
            self.file, self.seek = file, file.seek

        def read(self, size):
            if self.file.tell() > len(log_bytes(ENTRIES[:1])):
                raise OSError(errno.EIO, "Input/output error")
            return self.file.read(size)

    log.write_bytes(WHOLE)
    with log.open("rb") as file:
        reader = LogReader(Failing(file), log)
        assert tuple(reader) == ENTRIES[:1]
    assert (reader.fault.code, reader.torn) == ("disk-error", 0)
    assert "Input/output error" in reader.fault.sentence


def test_a_disk_error_at_the_first_bytes_is_reported(log, monkeypatch):
    class Failing(io.FileIO):
        def read(self, size=-1):
            raise OSError(errno.EIO, "Input/output error")

    log.write_bytes(WHOLE)
    monkeypatch.setattr(os, "fdopen", Failing)
    assert refusal(log).code == "disk-error"
