"""The index of logs: what it remembers about each file, and when it is discarded."""

import os
import random
import sqlite3
from unittest.mock import Mock

import pytest

from ginpeer.store import Home
from ginpeer.store.log_index import INDEX_NAME, LogIndex

STAMP = "100 1000 1000 7"


def write_index(folder, program="1", **rows):
    one = LogIndex(folder, program)
    for name, said in rows.items():
        one.note("glance", name, STAMP, said)
    one.flush()
    return folder / INDEX_NAME


def remembered(folder, name, stamp=STAMP, kind="glance", program="1"):
    return LogIndex(folder, program).lookup(kind, name, stamp)


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
    one = LogIndex(tmp_path, "1")
    for name, stamp, said in (("a", "", "one"), ("b", STAMP, "x" * (256 * 1024 + 1))):
        one.note("glance", name, stamp, said)
        assert one.lookup("glance", name, stamp) is None
    one.note("glance", "c", STAMP, "x" * 256 * 1024)
    assert one.lookup("glance", "c", STAMP) is not None


def test_a_known_note_is_not_written_again(tmp_path):
    path = write_index(tmp_path, a="one")
    again = LogIndex(tmp_path, "1")
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


def test_notes_of_another_version_are_discarded(tmp_path):
    write_index(tmp_path, "1", a="one")
    assert remembered(tmp_path, "a", program="2") is None
    write_index(tmp_path, "2", b="two")
    assert remembered(tmp_path, "a", program="1") is None
    assert remembered(tmp_path, "b", program="2") == "two"


def damage(path, what):
    data = path.read_bytes()
    match what:
        case "no database":
            path.write_bytes(b"what is this" * 1000)
        case "cut off":
            path.write_bytes(data[: len(data) // 2])
        case "a trigger":
            with sqlite3.connect(path) as made:
                made.execute("CREATE TRIGGER t AFTER INSERT ON told BEGIN DELETE FROM told; END")
        case "a view":
            with sqlite3.connect(path) as made:
                made.execute("DROP TABLE told")
                made.execute("CREATE VIEW told AS SELECT 1 AS kind")
        case "another table":
            with sqlite3.connect(path) as made:
                made.execute("DROP TABLE told")
                made.execute("CREATE TABLE told (kind, name, stamp, said, sum)")
        case "no table":
            with sqlite3.connect(path) as made:
                made.execute("DROP TABLE told")
        case "too many rows":
            with sqlite3.connect(path) as made:
                rows = ((str(at),) for at in range(50_001))
                made.executemany("INSERT INTO told VALUES ('x', ?, '', '', x'00')", rows)
        case "too large":
            os.truncate(path, 257 * 1024 * 1024)


@pytest.mark.parametrize(
    "what",
    [
        *("no database", "cut off", "a trigger", "a view", "another table", "no table"),
        *("too many rows", "too large"),
    ],
)
def test_a_damaged_or_foreign_index_is_ignored_and_rebuilt(tmp_path, what):
    path = write_index(tmp_path, a="one")
    damage(path, what)
    assert remembered(tmp_path, "a") is None
    write_index(tmp_path, b="two")
    assert remembered(tmp_path, "b") == "two"
    assert remembered(tmp_path, "a") is None


def test_a_row_changed_by_another_program_is_ignored(tmp_path):
    path = write_index(tmp_path, a="one", b="two")
    with sqlite3.connect(path) as made:
        made.execute("UPDATE told SET said = 'three' WHERE name = 'a'")
        made.execute("INSERT INTO told VALUES ('glance', 'c', ?, x'ff', x'ff')", (STAMP,))
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b"), remembered(tmp_path, "c")) == (
        None,
        "two",
        None,
    )


def test_a_damaged_index_never_returns_a_wrong_note(tmp_path):
    rng = random.Random(1)
    path = write_index(tmp_path, **{f"m{at}": f"said {at}" * 20 for at in range(40)})
    whole = path.read_bytes()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 50))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        for at in range(0, 40, 13):
            assert remembered(tmp_path, f"m{at}") in (None, f"said {at}" * 20)
        write_index(tmp_path, new="new")
        assert remembered(tmp_path, "new") in (None, "new")  # None: reading finds a bad page


def test_an_index_locked_by_another_process_is_skipped(tmp_path):
    path = write_index(tmp_path, a="one")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert remembered(tmp_path, "a") is None
    write_index(tmp_path, b="two")
    holder.execute("ROLLBACK")
    holder.close()
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", None)


def test_notes_of_two_processes_are_both_kept(tmp_path):
    one, two = LogIndex(tmp_path, "1"), LogIndex(tmp_path, "1")
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
    monkeypatch.setattr("ginpeer.store.files.create", Mock(side_effect=PermissionError))
    real = sqlite3.connect
    monkeypatch.setattr(
        "ginpeer.store.log_index.sqlite3.connect",
        lambda where, **how: real(where.replace("mode=rw", "mode=ro"), **how),
    )
    reading = LogIndex(tmp_path, "1")
    assert reading.lookup("glance", "a", STAMP) == "one"
    reading.note("glance", "b", STAMP, "two")
    reading.flush()
    assert reading.lookup("glance", "b", STAMP) == "two"
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", None)


def test_a_python_without_sqlite_remembers_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("ginpeer.store.log_index.sqlite3", None)
    write_index(tmp_path, a="one")
    assert remembered(tmp_path, "a") is None
