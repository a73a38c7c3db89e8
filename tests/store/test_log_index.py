"""The index of logs: what it remembers about which file, and when it is discarded."""

import os
import random
import sqlite3

import pytest

from ginpeer.store import Home
from ginpeer.store.log_index import INDEX_NAME, LogIndex

LATER = 2**40
STAMP = "100 1000 1000 7"


def index(folder, program="1", now=LATER):
    return LogIndex(folder, program, lambda: now)


def write_index(folder, program="1", **rows):
    one = index(folder, program)
    for name, said in rows.items():
        one.note("glance", name, STAMP, said)
    one.flush()
    return folder / INDEX_NAME


def remembered(folder, name, stamp=STAMP, kind="glance", program="1"):
    return index(folder, program).lookup(kind, name, stamp)


def test_what_was_noted_is_told_to_the_next_process_for_the_same_stamp_and_kind(tmp_path):
    write_index(tmp_path, a="one", b="two")
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", "two")
    assert remembered(tmp_path, "a", "101 1000 1000 7") is None
    assert remembered(tmp_path, "a", "") is None
    assert remembered(tmp_path, "a", kind="other") is None
    assert remembered(tmp_path, "c") is None


def test_it_is_private_and_nothing_is_open_or_left_beside_it(tmp_path):
    path = write_index(tmp_path, a="one")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == [INDEX_NAME]


def test_what_is_noted_anew_takes_the_place_of_the_old(tmp_path):
    write_index(tmp_path, a="one")
    write_index(tmp_path, a="two")
    assert remembered(tmp_path, "a") == "two"


def test_nothing_is_noted_of_a_file_that_was_just_changed(tmp_path):
    """Another change may come in the same tick of the clock and leave every time stamp
    unchanged."""
    fresh = index(tmp_path, now=10.0)
    for at, kept in ((7_900_000_000, True), (8_100_000_000, False), (99_000_000_000, False)):
        for stamp in (f"1 {at} 0 7", f"1 0 {at} 7"):
            fresh.note("glance", "a", stamp, "said")
            assert (fresh.lookup("glance", "a", stamp) == "said") is kept


def test_nothing_is_noted_without_a_stamp_or_at_length(tmp_path):
    one = index(tmp_path)
    for name, stamp, said in (("a", "", "one"), ("b", STAMP, "x" * (256 * 1024 + 1))):
        one.note("glance", name, stamp, said)
        assert one.lookup("glance", name, stamp) is None
    one.note("glance", "c", STAMP, "x" * 256 * 1024)
    assert one.lookup("glance", "c", STAMP) is not None


def test_what_is_known_already_is_not_written_again(tmp_path):
    path = write_index(tmp_path, a="one")
    again = index(tmp_path)
    again.note("glance", "a", STAMP, "one")
    path.unlink()
    again.flush()
    assert not path.exists()


@pytest.mark.parametrize("change", ["same times", "same size"])
def test_a_log_that_is_edited_has_another_stamp_whatever_is_put_back(tmp_path, change):
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


def test_what_another_version_has_noted_is_thrown_away(tmp_path):
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
def test_what_is_damaged_or_not_ours_tells_nothing_and_is_made_anew(tmp_path, what):
    path = write_index(tmp_path, a="one")
    damage(path, what)
    assert remembered(tmp_path, "a") is None
    write_index(tmp_path, b="two")
    assert remembered(tmp_path, "b") == "two"
    assert remembered(tmp_path, "a") is None


def test_a_row_that_was_changed_behind_our_back_does_not_count(tmp_path):
    path = write_index(tmp_path, a="one", b="two")
    with sqlite3.connect(path) as made:
        made.execute("UPDATE told SET said = 'three' WHERE name = 'a'")
        made.execute("INSERT INTO told VALUES ('glance', 'c', ?, x'ff', x'ff')", (STAMP,))
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b"), remembered(tmp_path, "c")) == (
        None,
        "two",
        None,
    )


def test_whatever_byte_has_rotted_what_is_told_was_noted(tmp_path):
    rng = random.Random(1)
    path = write_index(tmp_path, **{f"m{at}": f"said {at}" * 20 for at in range(40)})
    whole = path.read_bytes()
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 50))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        for at in range(0, 40, 13):
            assert remembered(tmp_path, f"m{at}") in (None, f"said {at}" * 20)
        write_index(tmp_path, new="new")
        assert remembered(tmp_path, "new") in (None, "new")  # None: only reading shows a bad page


def test_another_process_that_holds_it_is_not_waited_for_long_and_nothing_is_lost(tmp_path):
    path = write_index(tmp_path, a="one")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert remembered(tmp_path, "a") is None
    write_index(tmp_path, b="two")
    holder.execute("ROLLBACK")
    holder.close()
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", None)


def test_two_processes_that_note_keep_what_both_have_found(tmp_path):
    one, two = index(tmp_path), index(tmp_path)
    one.note("glance", "a", STAMP, "one")
    two.note("glance", "b", STAMP, "two")
    one.flush()
    two.flush()
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", "two")


@pytest.mark.parametrize("thing", ["folder", "link", "nowhere"])
def test_what_is_in_its_place_is_left_alone(tmp_path, thing):
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


def test_a_home_that_cannot_be_written_is_read_all_the_same(tmp_path, monkeypatch):
    write_index(tmp_path, a="one")

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr("ginpeer.store.files.create", refused)
    real = sqlite3.connect
    monkeypatch.setattr(
        "ginpeer.store.log_index.sqlite3.connect",
        lambda where, **how: real(where.replace("mode=rw", "mode=ro"), **how),
    )
    reading = index(tmp_path)
    assert reading.lookup("glance", "a", STAMP) == "one"
    reading.note("glance", "b", STAMP, "two")
    reading.flush()
    assert reading.lookup("glance", "b", STAMP) == "two"
    assert (remembered(tmp_path, "a"), remembered(tmp_path, "b")) == ("one", None)


def test_a_python_without_sqlite_remembers_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("ginpeer.store.log_index.sqlite3", None)
    write_index(tmp_path, a="one")
    assert remembered(tmp_path, "a") is None
