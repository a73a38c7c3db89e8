"""A power cut leaves the simulated disk in each of the possible states, and no others."""

import errno
import random
import sys
import tempfile
from pathlib import Path

import pytest

from ginpeer.store import Home, Journal, MatchNotes, StoreError, files
from tests.faults.disk import BLOCK, Crash, Disk, faulty

pytestmark = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="syncs by other means there"
)
NOTES = MatchNotes(bytes(32), "host", "Ann", b"k" * 32, (), 1)


@pytest.fixture
def disk(tmp_path):
    (tmp_path / "disk").mkdir()
    with faulty(Disk(tmp_path / "disk")) as stand_in:
        yield stand_in.disks[0]


def images(disk, tmp_path, count=200):
    """Return what *count* power cuts leave: the files of each as (name, bytes) pairs."""
    rng = random.Random(1)
    folder = tempfile.mkdtemp(dir=tmp_path)
    found = set()
    for number in range(count):
        into = disk.crash(rng, Path(folder, str(number)))
        found.add(frozenset((str(p.relative_to(into)), p.read_bytes()) for p in into.rglob("*.x")))
    return [dict(image) for image in found]


def test_a_file_synced_with_its_folder_always_survives(disk, tmp_path):
    fd = files.create(disk.folder / "a.x")
    files.write_all(fd, b"all of it")
    files.sync(fd)
    files.sync_folder(disk.folder)
    assert images(disk, tmp_path) == [{"a.x": b"all of it"}]


def test_a_synced_file_may_lack_its_name(disk, tmp_path):
    fd = files.create(disk.folder / "a.x")
    files.write_all(fd, b"all of it")
    files.sync(fd)
    left = images(disk, tmp_path)
    assert {} in left
    assert {"a.x": b"all of it"} in left
    assert len(left) == 2


def test_an_unsynced_write_may_be_cut_anywhere_or_zero(disk, tmp_path):
    fd = files.create(disk.folder / "a.x")
    files.write_all(fd, b"x" * (BLOCK - 2))
    files.sync(fd)
    files.sync_folder(disk.folder)
    files.write_all(fd, b"abcd")
    left = {image["a.x"][BLOCK - 2 :] for image in images(disk, tmp_path, 500)}
    assert {image["a.x"][: BLOCK - 2] for image in images(disk, tmp_path)} == {b"x" * (BLOCK - 2)}
    whole = {b"abcd", b"ab\0\0", b"\0\0cd", b"\0\0\0\0"}
    assert left == {one[:size] for one in whole for size in range(5)}


def test_a_rename_happens_completely_or_not_at_all(disk, tmp_path):
    files.write_atomically(disk.folder / "a.x", b"old", replace=True)
    disk.after = die_after("rename")
    with pytest.raises(Crash):
        files.write_atomically(disk.folder / "a.x", b"new", replace=True)
    left = [{k: v for k, v in image.items() if k == "a.x"} for image in images(disk, tmp_path)]
    assert {"a.x": b"old"} in left
    assert {"a.x": b"new"} in left
    assert all(image in ({"a.x": b"old"}, {"a.x": b"new"}) for image in left)


def test_an_unsynced_folder_is_lost_with_everything_in_it(disk, tmp_path):
    disk.after = die_after("mkdir")
    with pytest.raises(Crash):
        files.make_folder(disk.folder / "sub")
    kept = [disk.crash(random.Random(n), tmp_path / f"image-{n}") / "sub" for n in range(20)]
    assert {path.is_dir() for path in kept} == {True, False}


def test_a_later_sync_does_not_make_up_for_a_failed_one(disk, tmp_path):
    fd = files.create(disk.folder / "a.x")
    files.sync_folder(disk.folder)
    files.write_all(fd, b"one")

    def fail(operation):
        if operation.kind == "sync":
            raise OSError(errno.EIO, "input/output error")

    disk.before = fail
    with pytest.raises(OSError, match="input/output"):
        files.sync(fd)
    disk.before = None
    files.sync(fd)
    assert {"a.x": b""} in images(disk, tmp_path)
    files.write_all(fd, b"two")
    files.sync(fd)
    assert {image["a.x"][3:] for image in images(disk, tmp_path)} == {b"two"}
    files.write_again(fd, 0, b"onetwo")
    assert len(images(disk, tmp_path)) > 1
    files.sync(fd)
    assert images(disk, tmp_path) == [{"a.x": b"onetwo"}]


def test_overwritten_durable_bytes_are_either_old_or_new(disk, tmp_path):
    fd = files.create(disk.folder / "a.x")
    files.write_all(fd, b"a" * (BLOCK + 3))
    files.sync(fd)
    files.sync_folder(disk.folder)
    files.write_at(fd, BLOCK - 2, b"bbbbb")
    kept = b"a" * (BLOCK - 2)
    left = {image["a.x"] for image in images(disk, tmp_path)}
    assert left == {kept + first + rest for first in (b"aa", b"bb") for rest in (b"aaa", b"bbb")}


def die_after(kind):
    def hook(operation):
        if operation.kind == kind:
            raise Crash

    return hook


def test_a_dead_process_cannot_clean_up_the_disk(disk):
    disk.after = die_after("write")
    with pytest.raises(Crash):
        files.write_atomically(disk.folder / "a.x", b"data", replace=True)
    assert [path.suffix for path in disk.folder.iterdir()] == [".tmp"]
    with pytest.raises(Crash):
        files.create(disk.folder / "b.x")


def test_the_locks_of_a_dead_process_are_released(disk):
    journal = Journal.create(disk.folder, NOTES)
    disk.before = die_before_any
    with pytest.raises(Crash):
        journal.append(b"entry")
    with pytest.raises(Crash):
        Journal.reopen(journal.path)
    disk.abandon()
    disk.before, disk.dead = None, False
    with Journal.reopen(journal.path) as again:
        assert again.entries == []


def die_before_any(operation):
    raise Crash


def test_each_disk_fails_independently(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = Disk(tmp_path / "one"), Disk(tmp_path / "two")

    def full(operation):
        raise OSError(errno.ENOSPC, "no space")

    one.before = full
    with faulty(one, two):
        with pytest.raises(StoreError) as failed:
            Home(one.folder / "home").identity(random.Random(1).randbytes)
        Home(two.folder / "home").identity(random.Random(1).randbytes)
        Home(tmp_path / "outside").identity(random.Random(1).randbytes)
    assert failed.value.code == "disk-full"
    assert {operation.kind for operation in two.operations} >= {"mkdir", "create", "write", "link"}


def test_a_short_write_is_continued(disk, tmp_path):
    disk.before = lambda operation: 1 if operation.kind == "write" else None
    files.write_atomically(disk.folder / "a.x", b"one by one", replace=True)
    assert [op.kind for op in disk.operations].count("write") == 10
    assert images(disk, tmp_path, 20) == [{"a.x": b"one by one"}]
