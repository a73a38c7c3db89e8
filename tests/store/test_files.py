"""The two basic disk operations: read a whole file, and replace a whole file."""

import errno
import os
import stat
import sys
from contextlib import nullcontext

import pytest

from ginpeer.store import files
from ginpeer.store.errors import StoreError
from tests.faults.disk import Disk, faulty

posix = pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")


@pytest.mark.parametrize("length", [0, 1, 8])
def test_a_file_of_so_many_bytes_is_read(tmp_path, length):
    path = tmp_path / "file"
    path.write_bytes(b"x" * length)
    assert files.read_small(path, 8) == b"x" * length


def test_a_file_of_one_byte_more_is_not(tmp_path):
    """Not even its beginning is returned: half of one of our files is a damaged file."""
    path = tmp_path / "file"
    path.write_bytes(b"x" * 9)
    with pytest.raises(OSError, match="more than 8 bytes"):
        files.read_small(path, 8)


def test_what_cannot_be_put_in_place_leaves_nothing_behind(tmp_path):
    taken = tmp_path / "folder"
    taken.mkdir()
    with pytest.raises(StoreError) as caught:
        files.write_atomically(taken, b"x", replace=True)
    assert str(taken) in caught.value.sentence
    assert list(tmp_path.iterdir()) == [taken]
    assert list(taken.iterdir()) == []


@pytest.mark.parametrize("platform", [sys.platform, "win32"])
def test_a_folder_takes_the_name_of_an_empty_one_and_of_no_other(tmp_path, monkeypatch, platform):
    new, folder = tmp_path / "new", tmp_path / "folder"
    for path in (new, folder):
        path.mkdir()
    (new / "file").touch()
    (folder / "letter").touch()
    rename = os.rename
    if platform == "win32":

        def rename_as_windows(old, path):
            if os.path.lexists(path):
                raise FileExistsError(path)
            rename(old, path)

        monkeypatch.setattr(os, "rename", rename_as_windows)
    else:  # there is no moment without a folder of that name
        monkeypatch.setattr(os, "rmdir", lambda path: pytest.fail("removed first"))
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(OSError, match="folder"):
        files.put_folder(new, folder)
    (folder / "letter").unlink()
    files.put_folder(new, folder)
    assert os.listdir(folder) == ["file"]
    assert os.listdir(tmp_path) == ["folder"]


def test_where_there_is_no_folder_nothing_is_written(tmp_path):
    with pytest.raises(StoreError):
        files.write_atomically(tmp_path / "no" / "file", b"x", replace=True)
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_no_name_is_one_sentence(tmp_path):
    with pytest.raises(StoreError, match="isn't a valid folder name") as caught:
        files.make_folder(tmp_path / "nul\0byte")
    assert caught.value.code == "home-unusable"


def test_where_a_folder_stands_in_place_of_a_lock_nobody_waits(tmp_path):
    (tmp_path / "lock").mkdir()
    with pytest.raises(StoreError, match="Couldn't open"), files.locked(tmp_path / "lock"):
        pytest.fail("locked")


@posix
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o600])
def test_a_lock_that_is_a_link_leaves_the_mode_of_what_it_leads_to(tmp_path, mode):
    target, lock = tmp_path / "letter", tmp_path / "lock"
    target.write_text("dear friend")
    target.chmod(mode)
    lock.symlink_to(target)
    with files.locked(lock), files.locked(tmp_path / "other"):
        assert target.read_text() == "dear friend"
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o600


@posix
def test_a_lock_that_is_a_link_to_nowhere_locks_all_the_same(tmp_path):
    lock = tmp_path / "lock"
    lock.symlink_to(tmp_path / "nowhere")
    for _ in range(2):
        with files.locked(lock):
            fd = files.open_for_writing(lock)
            assert not files.try_lock(fd)
            files.close(fd)


@posix
def test_what_knows_no_locks_is_not_taken_for_locked(tmp_path, monkeypatch):
    def knows_none(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(files.fcntl, "flock", knows_none)
    with pytest.raises(StoreError, match="Couldn't lock"), files.locked(tmp_path / "lock"):
        pytest.fail("locked")
    fd = files.create(tmp_path / "file")
    with pytest.raises(OSError, match=os.strerror(errno.ENOLCK)):
        files.try_lock(fd)
    files.close(fd)
    assert not files.is_locked(tmp_path / "file")
    assert not files.is_locked(tmp_path / "no file")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="syncs by other means there")
@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.EROFS, errno.EIO])
def test_only_where_names_need_no_sync_may_one_fail(tmp_path, number):
    def fails(operation):
        raise OSError(number, os.strerror(number))

    with faulty(Disk(tmp_path, before=fails)):
        if number == errno.EIO:
            with pytest.raises(OSError, match=os.strerror(number)):
                files.sync_folder(tmp_path)
        else:
            files.sync_folder(tmp_path)


def test_where_names_cannot_be_synced_none_is_tried_to_be(tmp_path, monkeypatch):
    """Windows has no call for this, and opening a folder fails there."""
    monkeypatch.setattr(sys, "platform", "win32")
    files.sync_folder(tmp_path / "no folder")


@posix
@pytest.mark.parametrize(
    ("number", "asked_again"),
    [(errno.ENOTSUP, True), (errno.EIO, False), (errno.ENOSPC, False), (errno.EDQUOT, False)],
)
def test_a_drive_that_has_failed_to_sync_is_not_asked_another_way(monkeypatch, number, asked_again):
    """On macOS, fsync may succeed although the drive has just lost the data."""
    asked = []

    def fails(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(files.fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(files.fcntl, "fcntl", fails)
    monkeypatch.setattr(os, "fsync", asked.append)
    with nullcontext() if asked_again else pytest.raises(OSError, match=os.strerror(number)):
        files.sync(7)
    assert asked == ([7] if asked_again else [])
