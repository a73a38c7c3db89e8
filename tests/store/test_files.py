"""The two basic disk operations: read a whole file, and replace a whole file."""

import errno
import os
import stat
import sys
from contextlib import nullcontext
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from ginpeer.store import files
from ginpeer.store.files import StoreError
from tests.faults.disk import Disk, faulty

posix = pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")


@pytest.mark.parametrize("length", [0, 1, 8])
def test_a_file_within_the_limit_is_read(tmp_path, length):
    path = tmp_path / "file"
    path.write_bytes(b"x" * length)
    assert files.read_small(path, 8) == b"x" * length


def test_a_file_one_byte_over_the_limit_is_not_read(tmp_path):
    """Not even its beginning is returned, as half of a file is a damaged file."""
    path = tmp_path / "file"
    path.write_bytes(b"x" * 9)
    with pytest.raises(OSError, match="more than 8 bytes"):
        files.read_small(path, 8)


def test_a_write_that_fails_leaves_nothing_behind(tmp_path):
    taken = tmp_path / "folder"
    taken.mkdir()
    with pytest.raises(StoreError) as caught:
        files.write_atomically(taken, b"x", replace=True)
    assert str(taken) in caught.value.sentence
    assert list(tmp_path.iterdir()) == [taken]
    assert list(taken.iterdir()) == []


@pytest.mark.parametrize(("refusals", "replaced"), [(3, True), (99, False)])
def test_on_windows_a_file_that_is_open_elsewhere_is_replaced_when_it_is_closed(
    tmp_path, monkeypatch, refusals, replaced
):
    path, replace, tried = tmp_path / "file", os.replace, []
    path.write_bytes(b"old")

    def replace_if_closed(old, new):
        tried.append(old)
        if len(tried) <= refusals:
            raise PermissionError(13, "Access is denied")
        replace(old, new)

    monkeypatch.setattr(files, "_TRIES", 20)
    monkeypatch.setattr(files, "time", SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setattr(os, "replace", replace_if_closed)
    monkeypatch.setattr(sys, "platform", "win32")
    if replaced:
        files.write_atomically(path, b"new", replace=True)
    else:
        with pytest.raises(StoreError, match="denied"):
            files.write_atomically(path, b"new", replace=True)
    assert path.read_bytes() == (b"new" if replaced else b"old")
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("platform", [sys.platform, "win32"])
def test_a_folder_can_replace_only_an_empty_folder(tmp_path, monkeypatch, platform):
    new, folder = tmp_path / "new", tmp_path / "folder"
    for path in (new, folder):
        path.mkdir()
    (new / "file").touch()
    (folder / "letter").touch()
    rename = os.rename
    if platform == "win32":
        refusals = [PermissionError(13, "Access is denied")]  # as when a virus scanner reads a file

        def rename_as_windows(old, path):
            if os.path.lexists(path):
                raise FileExistsError(path)
            if refusals:
                raise refusals.pop()
            rename(old, path)

        monkeypatch.setattr(os, "rename", rename_as_windows)
        monkeypatch.setattr(files, "time", SimpleNamespace(sleep=lambda seconds: None))
    else:  # a folder of that name exists at every moment
        monkeypatch.setattr(os, "rmdir", lambda path: pytest.fail("removed first"))
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(OSError, match="folder"):
        files.put_folder(new, folder)
    (folder / "letter").unlink()
    files.put_folder(new, folder)
    assert os.listdir(folder) == ["file"]
    assert os.listdir(tmp_path) == ["folder"]


def test_nothing_is_written_without_a_folder(tmp_path):
    with pytest.raises(StoreError):
        files.write_atomically(tmp_path / "no" / "file", b"x", replace=True)
    assert list(tmp_path.iterdir()) == []


@posix
def test_without_hard_links_a_file_is_still_never_overwritten(tmp_path, monkeypatch):
    """A lock keeps another process from creating the same file at the same time."""
    locks, rename = [], files._rename

    def renames(call, old, new):
        locks.append(files.is_locked(tmp_path / ".key.lock"))
        rename(call, old, new)

    monkeypatch.setattr(os, "link", Mock(side_effect=PermissionError(errno.EPERM, "no links")))
    monkeypatch.setattr(files, "_rename", renames)
    for data, is_placed in ((b"ours", True), (b"theirs", False)):
        assert files.write_atomically(tmp_path / "key", data, replace=False) is is_placed
    assert (tmp_path / "key").read_bytes() == b"ours"
    assert locks == [True]


def test_an_invalid_name_gives_one_sentence(tmp_path):
    with pytest.raises(StoreError, match="isn't a valid folder name") as caught:
        files.make_folder(tmp_path / "nul\0byte")
    assert caught.value.code == "home-unusable"


def test_waiting_for_a_lock_on_windows_has_no_time_limit(tmp_path, monkeypatch):
    system = Mock(LK_LOCK=1, LK_NBLCK=2)
    system.locking.side_effect = [OSError(errno.EDEADLK, "after ten tries"), None]
    monkeypatch.setattr(files, "_LOCK_AT", 2**40)  # many file systems can't seek to 2**62
    monkeypatch.setattr(files, "msvcrt", system, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    with files.locked(tmp_path / "lock"):
        assert system.locking.call_count == 2


def test_a_folder_in_place_of_a_lock_is_an_error_at_once(tmp_path):
    (tmp_path / "lock").mkdir()
    with pytest.raises(StoreError, match="Couldn't open"), files.locked(tmp_path / "lock"):
        pytest.fail("locked")


@posix
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o600])
def test_a_lock_that_is_a_link_leaves_the_mode_of_its_target(tmp_path, mode):
    target, lock = tmp_path / "letter", tmp_path / "lock"
    target.write_text("dear friend")
    target.chmod(mode)
    lock.symlink_to(target)
    with files.locked(lock), files.locked(tmp_path / "other"):
        assert target.read_text() == "dear friend"
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o600


@posix
def test_only_a_regular_file_is_opened_for_writing(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="it isn't a regular file"):
        files.open_for_writing(pipe)


def test_nothing_is_a_file_below_a_file(tmp_path):
    (tmp_path / "file").touch()
    assert files.is_file(tmp_path / "file")
    assert not files.is_file(tmp_path / "file" / "inside")


@posix
def test_a_lock_that_is_a_dangling_link_still_locks(tmp_path):
    lock = tmp_path / "lock"
    lock.symlink_to(tmp_path / "nowhere")
    for _ in range(2):
        with files.locked(lock):
            fd = files.open_for_writing(lock)
            assert not files.try_lock(fd)
            files.close(fd)


@posix
def test_a_file_system_without_locks_is_not_taken_for_locked(tmp_path, monkeypatch):
    no_locks = OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
    monkeypatch.setattr(files.fcntl, "flock", Mock(side_effect=no_locks))
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
def test_a_failed_folder_sync_is_ignored_only_where_it_is_unsupported(tmp_path, number):
    fails = Mock(side_effect=OSError(number, os.strerror(number)))
    with faulty(Disk(tmp_path, before=fails)):
        if number == errno.EIO:
            with pytest.raises(OSError, match=os.strerror(number)):
                files.sync_folder(tmp_path)
        else:
            files.sync_folder(tmp_path)


def test_a_file_is_written_to_a_folder_that_cannot_be_listed(tmp_path, monkeypatch):
    """Root can list any folder, so the failure is simulated."""
    denied = Mock(side_effect=PermissionError(errno.EACCES, "Permission denied"))
    monkeypatch.setattr(files, "sync_folder", denied)
    assert files.write_atomically(tmp_path / "file", b"x", replace=True)
    assert os.listdir(tmp_path) == ["file"]


def test_folders_are_not_synced_on_windows(tmp_path, monkeypatch):
    """Windows has no call for this, and opening a folder fails there."""
    monkeypatch.setattr(sys, "platform", "win32")
    files.sync_folder(tmp_path / "no folder")


@posix
@pytest.mark.parametrize(
    ("number", "asked_again"),
    [(errno.ENOTSUP, True), (errno.EIO, False), (errno.ENOSPC, False), (errno.EDQUOT, False)],
)
def test_after_a_drive_error_no_other_kind_of_sync_is_tried(monkeypatch, number, asked_again):
    """On macOS, fsync may succeed although the drive has just lost the data."""
    asked = []
    fails = Mock(side_effect=OSError(number, os.strerror(number)))
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(files.fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(files.fcntl, "fcntl", fails)
    monkeypatch.setattr(os, "fsync", asked.append)
    with nullcontext() if asked_again else pytest.raises(OSError, match=os.strerror(number)):
        files.sync(7)
    assert asked == ([7] if asked_again else [])


@posix
def test_a_folder_is_made_where_permissions_cannot_be_set(tmp_path, monkeypatch):
    refused = PermissionError(errno.EPERM, os.strerror(errno.EPERM))
    monkeypatch.setattr(os, "chmod", Mock(side_effect=refused))
    files.make_folder(tmp_path / "f" / "home")
    assert (tmp_path / "f" / "home").is_dir()
