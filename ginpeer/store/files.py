# Files that survive a power cut.
#
# - Written is not durable: `sync` asks the drive itself (F_FULLFSYNC on macOS, where fsync only
#   hands the bytes to the drive's cache).
# - A new name is durable only once its folder is synced too. Windows has no such call; its file
#   systems journal names.
# - A file that must be whole is written under another name, synced, and renamed.
# - A failed fsync says nothing about what is on disk, and asking again may answer "fine" about
#   pages that were dropped: Linux reports the error once, calls the pages clean, and goes on
#   showing what they hold to every reader. So whoever gets an error here gives the file up, and
#   whoever opens it again writes what it believes once more (`write_again`) before it syncs.
#   Names are not written again: a folder is the file system's own, and is kept in its journal
#   until it is written, or the file system stops.
# - Nothing else in ginpeer changes what is on disk but SQLite, and that only in a file that can be
#   thrown away (ginpeer/store/log_index.py); every change is one call of a function of
#   `os`, looked up here as os.NAME. So what a power cut may leave between any two of them can be
#   listed and tried (tests/faults/disk.py), which pathlib's or tempfile's own calls would hide.

"""Durable, atomic and private writing; bounded reading; locks."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ginpeer.store.errors import StoreError, printable, store_error

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows translates line ends without it
# Not to wait for a writer of a FIFO or for a modem line, and not to get a controlling terminal.
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_TEMPORARY_BYTES = 8  # random ones, in the name of a file that is not whole yet
_LOCK_AT = 2**62  # Windows' locks forbid reading too, so it is a byte that no file has


def create(path: Path) -> int:
    """A descriptor of a new, private file; FileExistsError if the name is taken."""
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | _BINARY, PRIVATE_FILE)
    make_private(fd)
    return fd


def make_private(fd: int) -> None:
    """Mode 0600 whatever the umask made of it; nothing where files have no modes."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # FAT and some network file systems
            os.fchmod(fd, PRIVATE_FILE)


def open_for_writing(path: Path) -> int:
    """A descriptor of an existing regular file, which is left as it is.

    Not O_APPEND, under which nothing could be written again in its place; and another descriptor
    for that would give up the lock of this one on NFS, when it is closed.
    """
    fd = os.open(path, os.O_RDWR | _BINARY | _NO_WAIT)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "it is not a regular file")
    return fd


def open_for_reading(path: Path) -> int:
    """A descriptor of anything; never waits, and never acquires a terminal."""
    return os.open(path, os.O_RDONLY | _BINARY | _NO_WAIT)


def write_all(fd: int, data: bytes | memoryview) -> None:
    """os.write until all is written; it may take less than asked for near a limit."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def write_at(fd: int, start: int, data: bytes) -> None:
    """`write_all` from this offset of the file on."""
    os.lseek(fd, start, os.SEEK_SET)
    write_all(fd, data)


def write_again(fd: int, start: int, data: bytes) -> None:
    """Give the file, which ends with `data` from `start` on as far as a reader can see, this end
    once more, so that the next `sync` is about it.

    What is there already is never taken away first: where the power goes in between, each block
    of the medium has what it had, or the same bytes again.
    """
    truncate(fd, min(size_of(fd), start + len(data)))
    write_at(fd, start, data)


def keep_times(fd: int, path: Path) -> Callable[[], None]:
    """What sets the times of this file, which is open, to what they are now."""
    status = os.fstat(fd)

    def put_back() -> None:
        # By name: Windows knows no other way. It is of use only, so no reason to fail.
        with contextlib.suppress(OSError):
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    return put_back


def set_modified(path: Path, seconds: float) -> None:
    """Give a file this time of its last change. It is of use only, so no reason to fail."""
    with contextlib.suppress(OSError, OverflowError):
        os.utime(path, ns=(int(seconds * 1e9),) * 2)


def size_of(fd: int) -> int:
    return os.fstat(fd).st_size


def has_name(fd: int, path: Path) -> bool:
    """Whether the file at `path` is this open one, and not another or none."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def truncate(fd: int, size: int) -> None:
    """Cut an open file to `size` bytes."""
    os.ftruncate(fd, size)


def close(fd: int) -> None:
    """Give a descriptor back; what was to be kept has been synced before."""
    with contextlib.suppress(OSError):
        os.close(fd)


def unlink(path: Path) -> None:
    os.unlink(path)


def sync(fd: int) -> None:
    """Return when what was written to `fd` is on the medium."""
    if sys.platform == "darwin":
        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
        except OSError as why:  # some network and USB file systems do not have it
            if why.errno in (errno.EIO, errno.ENOSPC, errno.EDQUOT):
                raise  # it was tried: fsync would be the second question
    os.fsync(fd)


def sync_folder(folder: Path) -> None:
    """Return when the names in `folder` are on the medium."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync(fd)
    except OSError as why:
        # Some FUSE and network file systems know no such call; what is read-only loses no name.
        if why.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
            raise
    finally:
        os.close(fd)


def make_folder(folder: Path) -> None:
    """Create a private folder with its parents, durably. Raises `StoreError`.

    One that is there may have been made by a process that died, or failed, before its name was
    durable: so its name is synced, too.
    """
    try:
        if folder.is_dir():
            with contextlib.suppress(PermissionError):  # a parent that others own and keep unread
                sync_folder(folder.parent)
            return
        if folder.parent != folder:
            make_folder(folder.parent)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, PRIVATE_FOLDER)
            os.chmod(folder, PRIVATE_FOLDER)  # whatever the umask
            sync_folder(folder.parent)
        if not folder.is_dir():
            raise StoreError(
                "home-unusable", f"{printable(folder)} is in the way: it is no folder."
            )
    except OSError as why:
        raise store_error("create the folder", folder, why) from why
    except ValueError as why:  # a NUL or an unencodable character
        raise StoreError(
            "home-unusable", f"{printable(folder)} cannot be a folder's name."
        ) from why


def write_atomically(path: Path, data: bytes | memoryview, *, replace: bool) -> bool:
    """Make `path` a private file holding `data`: the whole of it, durably, or not at all.

    With `replace` false an existing file is left alone, and the answer is False. Raises
    `StoreError`.
    """
    temporary = path.with_name(f".{path.name}.{os.urandom(_TEMPORARY_BYTES).hex()}.tmp")
    try:
        fd = create(temporary)
    except OSError as why:
        raise store_error("write", path, why) from why
    try:
        try:
            write_all(fd, data)
            sync(fd)
        finally:
            os.close(fd)
        try:
            return _place(temporary, path, replace)
        finally:
            sync_folder(path.parent)
    except OSError as why:
        raise store_error("write", path, why) from why
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def temporaries(path: Path) -> list[Path]:
    """What crashes have left of attempts to write `path` atomically, and those still going on."""
    return sorted(path.parent.glob(f".{glob.escape(path.name)}.*.tmp"))


def _place(temporary: Path, path: Path, replace: bool) -> bool:
    if replace:
        os.replace(temporary, path)
        return True
    try:
        os.link(temporary, path)  # unlike rename, fails if the name is taken
    except FileExistsError:
        return False
    except OSError:  # file systems without hard links
        with locked(path.with_name(f".{path.name}.lock")):  # for two that see none at once
            if os.path.lexists(path):
                return False
            os.replace(temporary, path)
    return True


class Access(NamedTuple):
    """What other users may do with a file or folder, where there are modes."""

    others_read: bool
    others_rename: bool
    """Whether they may put something else in the place of what is in this folder."""
    of_another: bool


def access_of(path: Path) -> Access:
    """Raises OSError. Links are followed."""
    if sys.platform == "win32":
        return Access(False, False, False)
    status = os.stat(path)
    writable = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    return Access(
        bool(status.st_mode & 0o077),
        writable and not status.st_mode & stat.S_ISVTX,  # sticky, as /tmp: each the own files alone
        status.st_uid not in (os.geteuid(), 0),
    )


def read_small(
    path: Path,
    limit: int,
    *,
    private: bool = False,
    check: Callable[[os.stat_result], None] = lambda status: None,
) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; OSError for everything else.

    With `private`, a file that has become readable to others (a copy, a restored backup) is made
    private again. `check` looks at the status of the open file before anything is read, and raises
    what it likes.
    """
    fd = open_for_reading(path)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is not a regular file")
        check(status)
        if private and status.st_mode & 0o077:
            make_private(fd)
        with os.fdopen(fd, "rb", closefd=False) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise OSError(0, f"it has more than {limit} bytes")
        return data
    finally:
        os.close(fd)


def try_lock(fd: int) -> bool:
    """Whether this open file is now ours alone among all that lock it; ends with its closing.

    OSError where the file system knows no locks.
    """
    try:
        if sys.platform == "win32":
            os.lseek(fd, _LOCK_AT, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as why:
        if why.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait for, and hold, the lock that the file `path` stands for. Raises `StoreError`.

    Only a file made here gets a mode: the name may be a link, and what it leads to is not ours.
    """
    try:
        try:
            fd = create(path)
        except FileExistsError:
            fd = os.open(path, os.O_CREAT | os.O_RDWR | _BINARY | _NO_WAIT, PRIVATE_FILE)
    except OSError as why:
        raise store_error("open", path, why) from why
    try:
        try:
            if sys.platform == "win32":
                os.lseek(fd, _LOCK_AT, os.SEEK_SET)
                msvcrt.locking(fd, msvcrt.LK_LOCK, 1)
            else:
                fcntl.flock(fd, fcntl.LOCK_EX)
        except OSError as why:
            raise store_error("lock", path, why) from why
        yield
    finally:
        os.close(fd)
