"""The index of logs: what it remembers about which file, and when it is discarded."""

import os
import random

import pytest

from ginpeer.store import Home, files
from ginpeer.store.log_index import INDEX_NAME, LogIndex

STAMP = "100 1000 1000 7"


def write_index(folder, **rows):
    one = LogIndex(folder)
    for name, said in rows.items():
        one.note("glance", name, STAMP, said)
    one.flush()
    return folder / INDEX_NAME


def remembered(folder, name, stamp=STAMP, kind="glance"):
    return LogIndex(folder).lookup(kind, name, stamp)


def test_a_note_is_found_only_for_its_stamp_and_kind(tmp_path):
    write_index(tmp_path, a="one", b="two")
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", "two")
    assert remembered(tmp_path, "a", "101 1000 1000 7") is None
    assert remembered(tmp_path, "a", "") is None
    assert remembered(tmp_path, "a", kind="other") is None
    assert remembered(tmp_path, "c") is None


def test_the_index_is_private_and_leaves_no_file_beside_it(tmp_path):
    path = write_index(tmp_path, a="one")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == [INDEX_NAME]


def test_a_new_note_replaces_the_old_one(tmp_path):
    write_index(tmp_path, a="one")
    write_index(tmp_path, a="two")
    assert remembered(tmp_path, "a") == "two"


def test_a_note_without_a_stamp_or_of_excessive_length_is_not_kept(tmp_path):
    one = LogIndex(tmp_path)
    for name, stamp, said in (("a", "", "one"), ("b", STAMP, "x" * (256 * 1024 + 1))):
        one.note("glance", name, stamp, said)
        assert one.lookup("glance", name, stamp) is None
    one.note("glance", "c", STAMP, "x" * 256 * 1024)
    assert one.lookup("glance", "c", STAMP) is not None


def test_a_known_note_is_not_written_again(tmp_path):
    path = write_index(tmp_path, a="one")
    again = LogIndex(tmp_path)
    again.note("glance", "a", STAMP, "one")
    path.unlink()
    again.flush()
    assert not path.exists()


@pytest.mark.parametrize("change", ["same times", "same size"])
def test_an_edited_log_has_another_stamp_even_with_its_time_restored(tmp_path, change):
    (tmp_path / "matches").mkdir()
    log = tmp_path / "matches" / f"{'a' * 16}.ginlog"
    log.write_bytes(b"one")
    os.utime(log, (5, 5))
    (before,) = Home(tmp_path).logs()
    log.write_bytes(b"two" if change == "same size" else b"three")
    os.utime(log, (5, 5))
    (after,) = Home(tmp_path).logs()
    assert before.modified == after.modified
    assert before.stamp != after.stamp


def test_notes_of_another_version_are_discarded(tmp_path, monkeypatch):
    path = write_index(tmp_path, a="one")
    monkeypatch.setattr("ginpeer.store.log_index.__version__", "0.0.0")
    assert remembered(tmp_path, "a") is None
    for at in range(3):
        write_index(tmp_path, b=f"two{at}")
    assert remembered(tmp_path, "b") == "two2"
    assert b"one" not in path.read_bytes()


@pytest.mark.parametrize(
    "data", [b"what is this\n" * 1000, b"\xff\t\0\r" * 99, b"a\tb\n\n\t\t\t\t"]
)
def test_a_foreign_index_is_ignored_and_rewritten(tmp_path, data):
    path = tmp_path / INDEX_NAME
    path.write_bytes(data)
    assert remembered(tmp_path, "a") is None
    write_index(tmp_path, b="two")
    assert remembered(tmp_path, "b") == "two"
    assert len(path.read_bytes().splitlines()) == 2


def test_an_index_that_is_too_large_is_rewritten(tmp_path):
    path = write_index(tmp_path, a="one")
    os.truncate(path, 257 * 1024 * 1024)
    assert remembered(tmp_path, "a") is None
    write_index(tmp_path, b="two")
    assert remembered(tmp_path, "b") == "two"
    assert path.stat().st_size < 200


def test_rows_that_were_replaced_are_removed_when_they_are_the_most(tmp_path):
    for at in range(9):
        path = write_index(tmp_path, a=str(at), b=str(at))
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("8", "8")
    assert len(path.read_bytes().splitlines()) < 9


def test_a_damaged_index_never_returns_a_wrong_note(tmp_path):
    rng = random.Random(1)
    path = write_index(tmp_path, **{f"m{at}": f"said {at}" * 20 for at in range(40)})
    whole = path.read_bytes()
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 50))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.choice((len(data), rng.randrange(len(data))))])
        for at in range(0, 40, 13):
            assert remembered(tmp_path, f"m{at}") in (None, f"said {at}" * 20)
        write_index(tmp_path, new="new")
        assert remembered(tmp_path, "new") == "new"


def test_an_index_locked_by_another_process_is_written_later(tmp_path):
    path = write_index(tmp_path, a="one")
    holder = files.open_for_writing(path)
    assert files.try_lock(holder)
    one = LogIndex(tmp_path)
    one.note("glance", "b", STAMP, "two")
    one.flush()
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", None)
    os.close(holder)
    one.flush()
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", "two")


def test_the_index_of_earlier_versions_is_removed(tmp_path):
    (tmp_path / "log_index.sqlite").write_bytes(b"SQLite format 3")
    path = write_index(tmp_path, a="one")
    assert list(tmp_path.iterdir()) == [path]


def test_notes_of_two_processes_are_both_kept(tmp_path):
    one, two = LogIndex(tmp_path), LogIndex(tmp_path)
    one.note("glance", "a", STAMP, "one")
    two.note("glance", "b", STAMP, "two")
    one.flush()
    two.flush()
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", "two")


@pytest.mark.parametrize("thing", ["folder", "link", "nowhere"])
def test_anything_else_in_place_of_the_index_is_left_alone(tmp_path, thing):
    path, other = tmp_path / INDEX_NAME, tmp_path / "other"
    home = tmp_path
    match thing:
        case "folder":
            path.mkdir()
        case "link":
            other.write_bytes(b"")
            path.symlink_to(other)
        case "nowhere":
            home = tmp_path / "gone"
    write_index(home, a="one")
    assert remembered(home, "a") is None
    assert path.is_dir() is (thing == "folder")
    assert not home.joinpath("other").exists() or other.read_bytes() == b""


def test_the_index_of_a_read_only_home_can_still_be_read(tmp_path, monkeypatch):
    write_index(tmp_path, a="one")

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr("ginpeer.store.files.create_or_open", refused)
    reading = LogIndex(tmp_path)
    assert reading.lookup("glance", "a", STAMP) == "one"
    reading.note("glance", "b", STAMP, "two")
    reading.flush()
    assert reading.lookup("glance", "b", STAMP) == "two"
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", None)
