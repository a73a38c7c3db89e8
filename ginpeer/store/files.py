"""Durable, atomic and private writing; bounded reading; locks; and the errors that these raise,
each with a stable code and a sentence.

Files that survive a power cut:

- Written bytes aren't durable yet: `sync` flushes the drive itself (F_FULLFSYNC on macOS, where
  fsync only hands the bytes to the drive's cache).
- A new name is durable only once its folder is synced too. Windows has no such call; its file
  systems journal names.
- A file that must be whole is written under another name, synced, and renamed.
- A failed fsync says nothing about what is on disk, and calling it again may succeed for pages
  that were dropped: Linux reports the error once, marks the pages clean, and continues to show
  their contents to every reader. So code that gets an error here stops using the file, and
  code that opens it again rewrites what it relies on (`write_again`) before it syncs. Names are
  not rewritten: folders belong to the file system, which keeps a change in its journal until it
  is written, or stops working.
- Nothing else in ginpeer writes to the disk except SQLite, and its file can be thrown away
  (ginpeer/store/log_index.py). Every change is one call of a function of `os`, looked up here
  as os.NAME. So tests can list and try every state that a power cut may leave between two
  calls (tests/faults/disk.py); pathlib's or tempfile's own calls would hide some of them.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from protocol.codes import CodedError


class StoreError(CodedError):
    """Our own machine couldn't store or read something. This is class C: nobody is blamed.

    `code` is one of: disk-full, file-size-limit, no-permission, disk-error, store-closed,
    match-in-use, match-exists, match-ended, log-full, no-such-match, seed-exists, entry-too-long,
    home-unusable, no-home, bad-identity-file, identity-is-link, sealing-failed, out-of-memory,
    wrong-passphrase, bad-passphrase, no-passphrase, bad-known-peers, bad-seeds-file,
    bad-match-file, bad-onion-key-file, ambiguous-log, link-runs, home-not-empty.
    """


class UnreadableLog(CodedError, ValueError):
    """This file can't be read as a log. `entry` is the number of the record at fault, if any.

    `code` is one of: no-such-log, not-a-file, no-permission, disk-error, not-a-log, too-new,
    empty-log, log-too-large, bad-record, log-changed (raised by ginpeer.record, which may judge a
    log twice). For a page that carries a log: page-without-log, page-with-two-logs,
    page-log-damaged, page-too-large.
    """

    def __init__(self, code: str, sentence: str, entry: int | None = None) -> None:
        super().__init__(code, sentence)
        self.entry = entry


class NotationFile(UnreadableLog):
    """The file is a match in notation (ginpeer.notation), not a log. ``text`` is its bytes."""

    def __init__(self, name: Path | str, text: bytes) -> None:
        super().__init__("not-a-log", f"{printable(name)} is a match in notation, not a log.")
        self.name = os.fspath(name)
        self.text = text


class PageOfSeveral(UnreadableLog):
    """A single log was wanted, but the file is a page of several matches, with these ``logs``."""

    def __init__(self, name: str, page: bytes, logs: tuple[bytes, ...]) -> None:
        super().__init__(
            "page-with-two-logs",
            f"{printable(name)} is a page of {len(logs)} matches. Open it in a browser, choose a "
            "match and save its log; then name that file.",
        )
        self.name = name
        self.page = page
        self.logs = logs


def printable(path: Path | str) -> str:
    """Return a path that is safe in a one-line sentence, whatever it contains."""
    text = "".join(c if c.isprintable() else "?" for c in os.fspath(path))
    return text if len(text) <= 200 else f"{text[:98]}...{text[-98:]}"


# --- changing, reading and locking files -----------------------------------------------

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
_BINARY: int = getattr(os, "O_BINARY", 0)  # without it, Windows translates line ends
# Don't wait for a writer of a FIFO or for a modem line, and don't acquire a controlling terminal.
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_TRIES = 20
_TEMPORARY_BYTES = 8  # random bytes in the name of a temporary file
_LOCK_AT = 2**62  # Windows' locks also stop readers, so lock a byte that no file has

_CODES = {
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
    errno.EFBIG: "file-size-limit",
    errno.EACCES: "no-permission",
    errno.EPERM: "no-permission",
    errno.EROFS: "no-permission",
}


def code_of(why: OSError) -> str:
    return _CODES.get(why.errno or 0, "disk-error")


def reason_of(why: OSError) -> str:
    """Return the operating system's error message, without any file name."""
    return why.strerror or type(why).__name__


@contextlib.contextmanager
def store_errors(doing: str, path: Path) -> Iterator[None]:
    """Turn an OSError that this block raises into a StoreError, "Couldn't *doing* *path*"."""
    try:
        yield
    except OSError as why:
        sentence = f"Couldn't {doing} {printable(path)}: {reason_of(why)}."
        raise StoreError(code_of(why), sentence) from why


def create(path: Path) -> int:
    """Create a private file. Raises FileExistsError if the name is taken."""
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | _BINARY, PRIVATE_FILE)
    make_private(fd)
    return fd


def make_private(fd: int) -> None:
    """Set mode 0600 whatever the umask was; do nothing on systems without modes."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # FAT and some network file systems
            os.fchmod(fd, PRIVATE_FILE)


def open_for_writing(path: Path) -> int:
    """Open an existing regular file without changing it. Rewrite it only through this descriptor:
    on NFS, closing a second one would release the lock that this one holds."""
    fd = os.open(path, os.O_RDWR | _BINARY | _NO_WAIT)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "it isn't a regular file")
    return fd


def create_or_open(path: Path) -> int:
    try:
        return create(path)
    except FileExistsError:
        return open_for_writing(path)


def open_for_reading(path: Path) -> int:
    """Open a file of any kind, without waiting and without acquiring a terminal."""
    return os.open(path, os.O_RDONLY | _BINARY | _NO_WAIT)


def write_all(fd: int, data: bytes | memoryview) -> None:
    """Write all bytes. A single os.write may write only some of them when space is short."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def write_at(fd: int, start: int, data: bytes) -> None:
    os.lseek(fd, start, os.SEEK_SET)
    write_all(fd, data)


def write_again(fd: int, start: int, data: bytes) -> None:
    """Rewrite `data` at `start`, where readers already see it as the end of the file, so that the
    next `sync` covers it. If the power fails in between, each block keeps its old bytes or gets
    these."""
    truncate(fd, min(size_of(fd), start + len(data)))
    write_at(fd, start, data)


def set_times(path: Path, accessed: int, modified: int) -> None:
    """Set a file's times, in nanoseconds since 1970, if the system can."""
    with contextlib.suppress(OSError, OverflowError):
        os.utime(path, ns=(accessed, modified))


def size_of(fd: int) -> int:
    return os.fstat(fd).st_size


def has_name(fd: int, path: Path) -> bool:
    """Return whether this open file is still the one at `path`."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def is_file(path: Path) -> bool:
    """Return whether this is a regular file. Raises OSError if that can't be determined. (Since
    Python 3.14, `Path.is_file` returns False then.)"""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def truncate(fd: int, size: int) -> None:
    os.ftruncate(fd, size)


def close(fd: int) -> None:
    """Close a descriptor and ignore errors: whatever must be kept has already been synced."""
    with contextlib.suppress(OSError):
        os.close(fd)


def unlink(path: Path) -> None:
    os.unlink(path)


def sync(fd: int) -> None:
    """Return once the bytes written to `fd` are on the medium."""
    if sys.platform == "darwin":
        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
        except OSError as why:  # some network and USB file systems lack it
            if why.errno in (errno.EIO, errno.ENOSPC, errno.EDQUOT):
                raise  # the flush failed, and a later fsync could falsely succeed
    os.fsync(fd)


def sync_folder(folder: Path) -> None:
    """Return once the names in `folder` are on the medium."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        sync(fd)
    except OSError as why:
        # Some FUSE and network file systems lack this call; a read-only one can't lose a name.
        if why.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EROFS):
            raise
    finally:
        os.close(fd)


def make_folder(folder: Path) -> None:
    """Create a private folder with its parents, durably. Raises `StoreError`. An existing folder's
    name is synced too, since the process that created it may have died before doing that."""
    try:
        with store_errors("create the folder", folder):
            if folder.is_dir():
                with contextlib.suppress(PermissionError):  # a parent that we may not read
                    sync_folder(folder.parent)
                return
            if folder.parent != folder:
                make_folder(folder.parent)
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, PRIVATE_FOLDER)
                with contextlib.suppress(OSError):  # FAT and some network file systems
                    os.chmod(folder, PRIVATE_FOLDER)  # whatever the umask
                sync_folder(folder.parent)
            if not folder.is_dir():
                raise StoreError("home-unusable", f"{printable(folder)} isn't a folder.")
    except ValueError as why:  # a NUL or an unencodable character
        raise StoreError(
            "home-unusable", f"{printable(folder)} isn't a valid folder name."
        ) from why


def put_folder(new: Path, folder: Path) -> None:
    """Rename the folder *new* to *folder*, durably. Raises OSError, for example if *folder* is a
    file or isn't empty."""
    if sys.platform == "win32" and os.path.isdir(folder):
        os.rmdir(folder)  # on other systems, rename replaces an empty folder in one step
    _rename(os.rename, new, folder)
    sync_folder(folder.parent)


def remove_folder(folder: Path) -> None:
    """Delete a folder of ours with everything in it, as far as the system allows."""
    for inside, folders, names in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            for name in names:
                os.unlink(os.path.join(inside, name))
            for name in folders:
                os.rmdir(os.path.join(inside, name))
    remove_if_empty(folder)


def remove_if_empty(folder: Path) -> None:
    """Delete a folder of ours if it is empty and the system allows it."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def write_new(path: Path, data: bytes | memoryview, modified: int | None = None) -> None:
    """Create a private file. *modified*: its modification time in nanoseconds since 1970, if not
    now. Its bytes and times are durable when this returns, but its name isn't. Raises OSError."""
    fd = create(path)
    try:
        write_all(fd, data)
        if modified is not None:
            modified = min(modified, os.fstat(fd).st_mtime_ns)  # but not in the future
            set_times(path, modified, modified)
        sync(fd)
    finally:
        os.close(fd)


def write_atomically(
    path: Path, data: bytes | memoryview, *, replace: bool, mode: int | None = None
) -> bool:
    """Make `path` a private file with this content, durably and completely, or not at all. If
    `replace` is false, leave an existing file alone and return False. `mode`: its permissions, if
    not 0600. Raises `StoreError`."""
    temporary = path.with_name(f".{path.name}.{os.urandom(_TEMPORARY_BYTES).hex()}.tmp")
    with store_errors("write", path):
        fd = create(temporary)
        try:
            try:
                write_all(fd, data)
                if mode is not None and sys.platform != "win32":
                    with contextlib.suppress(OSError):
                        os.fchmod(fd, mode)
                sync(fd)
            finally:
                os.close(fd)
            try:
                return _place(temporary, path, replace)
            finally:
                with contextlib.suppress(PermissionError):  # a folder that can't be listed
                    sync_folder(path.parent)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def temporaries(path: Path) -> list[Path]:
    """Return the temporary files of attempts to write `path`, crashed or still running."""
    return sorted(path.parent.glob(f".{glob.escape(path.name)}.*.tmp"))


def _place(temporary: Path, path: Path, replace: bool) -> bool:
    if replace:
        _rename(os.replace, temporary, path)
        return True
    try:
        os.link(temporary, path)  # unlike rename, fails if the name is taken
    except FileExistsError:
        return False
    except OSError:  # file systems without hard links
        with locked(path.with_name(f".{path.name}.lock")):  # in case two processes find it missing
            if os.path.lexists(path):
                return False
            _rename(os.replace, temporary, path)
    return True


def _rename(call: Callable[[Path, Path], None], old: Path, new: Path) -> None:
    """Rename with os.rename or os.replace. On Windows, retry for a second: renaming fails while a
    virus scanner or another ginpeer has the file, or a file in the folder, open."""
    for _ in range(_TRIES if sys.platform == "win32" else 0):
        with contextlib.suppress(PermissionError):
            call(old, new)
            return
        time.sleep(1 / _TRIES)
    call(old, new)


def read_small(
    path: Path,
    limit: int,
    *,
    private: bool = False,
    check: Callable[[os.stat_result], None] = lambda status: None,
) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes. Raises OSError for anything
    else. With `private`, a file that others can read, like a restored backup, is made private.
    `check` gets the status of the open file before anything is read, and may raise any error."""
    fd = open_for_reading(path)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it isn't a regular file")
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


def read_stored(path: Path, limit: int) -> bytes | None:
    """Return what `read_small` does with *private*; None if there is no file. Raises StoreError."""
    with store_errors("read", path):
        try:
            return read_small(path, limit, private=True)
        except FileNotFoundError:
            return None


def _lock(fd: int, *, wait: bool) -> None:
    if sys.platform == "win32":
        position = os.lseek(fd, 0, os.SEEK_CUR)
        os.lseek(fd, _LOCK_AT, os.SEEK_SET)
        try:
            while True:
                try:
                    msvcrt.locking(fd, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                    break
                except OSError as why:
                    if not wait or why.errno != errno.EDEADLK:  # LK_LOCK gives up after ten tries
                        raise
        finally:
            os.lseek(fd, position, os.SEEK_SET)  # or the next read would find no bytes
    else:
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(fd: int) -> bool:
    """Try to lock this open file until it is closed. Return whether we now hold the lock. Raises
    OSError if the file system has no locks."""
    try:
        _lock(fd, wait=False)
    except OSError as why:
        if why.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True


def is_locked(path: Path) -> bool:
    """Return whether any process, perhaps this one, has locked this file. A file that can't be
    opened or locked counts as unlocked."""
    try:
        fd = open_for_writing(path)
    except OSError:
        return False
    try:
        return not try_lock(fd)
    except OSError:
        return False
    finally:
        close(fd)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait for the lock on the file `path`, and hold it during this block. Raises `StoreError`."""
    with store_errors("open", path):
        try:
            fd = create(path)
        except FileExistsError:  # the name may be a link, perhaps to a missing file
            fd = os.open(path, os.O_CREAT | os.O_RDWR | _BINARY | _NO_WAIT, PRIVATE_FILE)
    try:
        with store_errors("lock", path):
            _lock(fd, wait=True)
        yield
    finally:
        os.close(fd)
