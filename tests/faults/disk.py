"""A disk that can fail and lose power, in place of `os` in ginpeer.store.files.

`Disk(folder)` tracks one real folder: which bytes and names the medium is sure to hold, and which
changes are still pending. `faulty(disk, ...)` makes the store work on such
disks, chosen by path; outside of them it uses the real system. Each change is an `Operation`, and
the disk calls its hooks before and after it. `before` may

  - raise OSError: the operation fails and nothing is done,
  - return a number, for a write: only that many bytes are written (a short write),
  - raise Crash: the machine dies here. A dead disk refuses everything, so that no clean-up runs
    that a dead machine would not run. The files stay as the process saw them.

`after` may raise Crash, or OSError: the operation was done and is reported as failed.

`crash(rng, into)` writes what may be found when the power comes back: everything that was synced,
and whatever else the file system happened to have written. It assumes little. Changes that aren't
synced may be there or not, each on its own or in order. A write may end at any byte if it has made
the file longer, and blocks of it may read as what was there before, or as zeros if there was
nothing. Writing after synced bytes doesn't affect them. A rename is either complete or not
there. Syncing a file doesn't make its name durable; syncing its folder does. A failed sync behaves
as on Linux: earlier changes are no longer pending, though every reader still sees them, and a later
sync succeeds without storing them; only bytes that are written again become pending again. Not
modelled: a medium that loses or changes synced data, stale blocks of other files at the end of this
one, names lost by a failed sync of their folder, times, and two folders in one rename.

POSIX systems only, and not macOS: there the store syncs by fcntl, which isn't caught here.
"""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ginpeer.store import files

BLOCK = 512
"""Bytes that reach the medium together. Pages have 4096, but smaller blocks are a harder test."""


class Crash(BaseException):
    """The machine dies. This isn't an Exception, because none of our code may catch it."""


@dataclass(frozen=True)
class Operation:
    """One change to the disk. *kind*: create, write, truncate, chmod, utime, sync, sync-folder,
    rename, link, unlink or mkdir. *path* is what it changes, *to* the new name of a rename or link.
    *size* is the mode of a chmod, or the modification time in nanoseconds of a utime."""

    kind: str
    path: Path
    data: bytes = field(default=b"", repr=False)
    size: int = 0
    to: Path | None = None


@dataclass
class _Change:
    """A write at an offset, or a truncation to a size (*data* None)."""

    at: int
    data: bytes | None
    longer: bool = False  # whether the change has made the file longer
    durable: bool = False
    doomed: bool = False  # a sync of this file has failed, and a later sync won't report that

    def covers(self, other: _Change) -> bool:
        """Return whether this change hides the earlier one completely."""
        if self.data is None or other.data is None:
            return self.data is None and self.at <= other.at
        return self.at <= other.at and other.at + len(other.data) <= self.at + len(self.data)


@dataclass(eq=False)
class _Inode:
    """A file, under any of its names."""

    base: bytes = b""  # durable, before all changes
    changes: list[_Change] = field(default_factory=list)
    size: int = 0

    def change(self, change: _Change) -> None:
        if change.data is None:
            self.size = change.at
        else:
            end = change.at + len(change.data)
            change.longer = end > self.size
            self.size = max(self.size, end)
        self.changes.append(change)

    def synced(self) -> None:
        for change in self.changes:
            change.durable = not change.doomed
        for number, change in reversed([*enumerate(self.changes)]):
            if change.doomed and any(
                later.durable and later.covers(change) for later in self.changes[number + 1 :]
            ):
                del self.changes[number]
        while self.changes and self.changes[0].durable:
            self.base = _applied(self.base, self.changes.pop(0))

    def sync_failed(self) -> None:
        for change in self.changes:
            change.doomed = not change.durable

    def image(self, rng: random.Random) -> bytes:
        data = self.base
        in_order = rng.random() < 0.5
        reached = rng.randint(0, len(self.changes))
        for number, change in enumerate(self.changes):
            if change.durable or (number < reached if in_order else rng.random() < 0.5):
                last = number == len(self.changes) - 1 or (in_order and number == reached - 1)
                torn = not change.durable and (last or not in_order)
                data = _applied(data, _torn(change, rng, data, last) if torn else change)
        return data


def _applied(data: bytes, change: _Change) -> bytes:
    if change.data is None:
        return data[: change.at].ljust(change.at, b"\0")
    end = change.at + len(change.data)
    return data[: change.at].ljust(change.at, b"\0") + change.data + data[end:]


def _torn(change: _Change, rng: random.Random, before: bytes, last: bool) -> _Change:
    """Return what a power cut may leave of a write to a file with these bytes: all of it, a
    beginning, or some of its blocks. Only the last change can leave a beginning, because it sets
    the file's size."""
    if change.data is None:
        return change
    data, how = change.data, rng.randrange(4)
    if how in (1, 3) and last and change.longer:
        data = data[: rng.randint(0, len(data))]
    if how in (2, 3):
        data = bytearray(data)
        first = change.at - change.at % BLOCK
        for block in range(first, change.at + len(data), BLOCK):
            if rng.random() < 0.5:
                start = max(block, change.at) - change.at
                stop = min(block + BLOCK - change.at, len(data))
                held = before[change.at + start : change.at + stop]
                data[start:stop] = held.ljust(stop - start, b"\0")
    return _Change(change.at, bytes(data))


_Names = dict[str, "_Inode | _Folder"]


@dataclass
class _Renaming:
    """A change of a folder's names: *name* becomes *what* (None: removed), and *gone* is
    removed."""

    name: str
    what: _Inode | _Folder | None
    gone: str | None = None


@dataclass(eq=False)
class _Folder:
    base: _Names = field(default_factory=dict)
    changes: list[_Renaming] = field(default_factory=list)

    @property
    def names(self) -> _Names:
        return self.after(self.changes)

    def after(self, changes: list[_Renaming]) -> _Names:
        names = dict(self.base)
        for change in changes:
            if change.gone is not None:
                names.pop(change.gone, None)
            if change.what is None:
                names.pop(change.name, None)
            else:
                names[change.name] = change.what
        return names

    def synced(self) -> None:
        self.base = self.names
        self.changes = []

    def image(self, rng: random.Random) -> _Names:
        if rng.random() < 0.5:  # a journalling file system keeps the order
            return self.after(self.changes[: rng.randint(0, len(self.changes))])
        return self.after([change for change in self.changes if rng.random() < 0.5])


class Disk:
    """What is durable in an existing folder; the real folder has the current contents."""

    def __init__(
        self,
        folder: Path,
        *,
        before: Callable[[Operation], int | None] | None = None,
        after: Callable[[Operation], None] | None = None,
    ) -> None:
        self.folder = folder.resolve()
        self.before = before
        self.after = after
        self.dead = False
        self.operations: list[Operation] = []
        self._root = _scanned(self.folder)
        self._open: dict[int, tuple[Path, _Inode | _Folder]] = {}

    def crash(self, rng: random.Random, into: Path) -> Path:
        """Write to *into*, a folder that doesn't exist yet, what a power cut now may leave."""
        _lay_out(self._root, rng, into)
        return into

    def synced(self) -> None:
        """Make everything durable, as happens some time later if the power stays on."""

        def sync(folder: _Folder) -> None:
            folder.synced()
            for what in folder.base.values():
                sync(what) if isinstance(what, _Folder) else what.synced()

        sync(self._root)

    def die(self) -> None:
        """Refuse everything with Crash from now on."""
        self.dead = True

    def abandon(self) -> None:
        """Close the files that a dead process has left open, which releases its locks."""
        for fd in list(self._open):
            self.close(fd)

    # --- what the store calls ------------------------------------------------------------

    def has(self, path: object) -> bool:
        path = Path(os.path.abspath(path))
        return path == self.folder or self.folder in path.parents

    def owns(self, fd: int) -> bool:
        return fd in self._open

    def open(self, path: Path, flags: int, mode: int = 0o777) -> int:
        self._alive()
        path = self._located(path)
        creates = flags & os.O_CREAT and not os.path.lexists(path)
        if not creates:
            assert not flags & os.O_TRUNC, "not modelled"
            assert not flags & os.O_APPEND, "not modelled"
            fd = os.open(path, flags, mode)
            # A reader doesn't change the disk.
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_DIRECTORY):
                self._open[fd] = (path, self._at(path))
            return fd
        made: list[int] = []

        def create() -> None:
            made.append(os.open(path, flags, mode))
            inode = _Inode()
            self._open[made[0]] = (path, inode)
            self._rename(path, inode)

        self._do(Operation("create", path), create)
        return made[0]

    def close(self, fd: int) -> None:
        del self._open[fd]
        os.close(fd)

    def write(self, fd: int, data: bytes) -> int:
        path, inode = self._open[fd]
        data = bytes(data)
        operation = Operation("write", path, data)
        taken = self._begin(operation)
        data = data if taken is None else data[:taken]
        at = os.lseek(fd, 0, os.SEEK_CUR)
        done = os.write(fd, data)
        inode.change(_Change(at, data[:done]))
        self._end(operation)
        return done

    def ftruncate(self, fd: int, size: int) -> None:
        path, inode = self._open[fd]

        def truncate() -> None:
            os.ftruncate(fd, size)
            inode.change(_Change(size, None))

        self._do(Operation("truncate", path, size=size), truncate)

    def fsync(self, fd: int) -> None:
        path, what = self._open[fd]
        kind = "sync-folder" if isinstance(what, _Folder) else "sync"
        try:
            self._do(Operation(kind, path), what.synced)
        except OSError:
            if isinstance(what, _Inode):
                what.sync_failed()
            raise

    def fchmod(self, fd: int, mode: int) -> None:
        self._do(Operation("chmod", self._open[fd][0], size=mode), lambda: os.fchmod(fd, mode))

    def chmod(self, path: Path, mode: int) -> None:
        path = self._located(path)
        self._do(Operation("chmod", path, size=mode), lambda: os.chmod(path, mode))

    def utime(self, path: Path, *, ns: tuple[int, int]) -> None:
        path = self._located(path)
        self._do(Operation("utime", path, size=ns[1]), lambda: os.utime(path, ns=ns))

    def mkdir(self, path: Path, mode: int = 0o777) -> None:
        path = self._located(path)

        def mkdir() -> None:
            os.mkdir(path, mode)
            self._rename(path, _Folder())

        self._do(Operation("mkdir", path), mkdir)

    def unlink(self, path: Path) -> None:
        path = self._located(path)

        def unlink() -> None:
            os.unlink(path)
            self._rename(path, None)

        self._do(Operation("unlink", path), unlink)

    def link(self, path: Path, to: Path) -> None:
        path, to = self._located(path), self._located(to)

        def link() -> None:
            os.link(path, to)
            self._rename(to, self._at(path))

        self._do(Operation("link", path, to=to), link)

    def replace(self, path: Path, to: Path) -> None:
        path, to = self._located(path), self._located(to)
        assert path.parent == to.parent, "not modelled"

        def replace() -> None:
            what = self._at(path)
            os.replace(path, to)
            self._rename(to, what, gone=path.name)

        self._do(Operation("rename", path, to=to), replace)

    # --- inside ------------------------------------------------------------------------

    def _do(self, operation: Operation, act: Callable[[], None]) -> None:
        self._begin(operation)
        act()
        self._end(operation)

    def _begin(self, operation: Operation) -> int | None:
        self._alive()
        self.operations.append(operation)
        return None if self.before is None else self._dying(lambda: self.before(operation))

    def _end(self, operation: Operation) -> None:
        if self.after is not None:
            self._dying(lambda: self.after(operation))

    def _dying(self, hook: Callable[[], int | None]) -> int | None:
        try:
            return hook()
        except Crash:
            self.dead = True
            raise

    def _alive(self) -> None:
        if self.dead:
            raise Crash

    def _located(self, path: object) -> Path:
        return Path(os.path.abspath(path))

    def _folder_at(self, path: Path) -> _Folder:
        folder = self._at(path)
        assert isinstance(folder, _Folder)
        return folder

    def _at(self, path: Path) -> _Inode | _Folder:
        what: _Inode | _Folder = self._root
        for part in path.relative_to(self.folder).parts:
            assert isinstance(what, _Folder)
            what = what.names[part]
        return what

    def _rename(self, path: Path, what: _Inode | _Folder | None, gone: str | None = None) -> None:
        self._folder_at(path.parent).changes.append(_Renaming(path.name, what, gone))


def _scanned(path: Path) -> _Folder:
    folder = _Folder()
    for child in path.iterdir():
        if child.is_dir():
            folder.base[child.name] = _scanned(child)
        else:
            data = child.read_bytes()
            folder.base[child.name] = _Inode(data, size=len(data))
    return folder


def _lay_out(folder: _Folder, rng: random.Random, into: Path) -> None:
    into.mkdir(mode=0o700)
    for name, what in sorted(folder.image(rng).items()):
        if isinstance(what, _Folder):
            _lay_out(what, rng, into / name)
        else:
            (into / name).write_bytes(what.image(rng))


class FaultyOs:
    """A replacement for the module `os`: calls for paths on one of these disks go to that disk, all
    others to os."""

    def __init__(self, *disks: Disk) -> None:
        self.disks = disks

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)

    def _by_path(self, path: object) -> Disk | None:
        return next((disk for disk in self.disks if disk.has(path)), None)

    def _by_fd(self, fd: int) -> Disk | None:
        return next((disk for disk in self.disks if disk.owns(fd)), None)

    def open(self, path: object, flags: int, mode: int = 0o777) -> int:
        return (self._by_path(path) or os).open(path, flags, mode)

    def mkdir(self, path: object, mode: int = 0o777) -> None:
        (self._by_path(path) or os).mkdir(path, mode)

    def chmod(self, path: object, mode: int) -> None:
        (self._by_path(path) or os).chmod(path, mode)

    def utime(self, path: object, *, ns: tuple[int, int]) -> None:
        (self._by_path(path) or os).utime(path, ns=ns)

    def unlink(self, path: object) -> None:
        (self._by_path(path) or os).unlink(path)

    def link(self, path: object, to: object) -> None:
        (self._by_path(path) or os).link(path, to)

    def replace(self, path: object, to: object) -> None:
        (self._by_path(path) or os).replace(path, to)

    def close(self, fd: int) -> None:
        (self._by_fd(fd) or os).close(fd)

    def write(self, fd: int, data: bytes) -> int:
        return (self._by_fd(fd) or os).write(fd, data)

    def fsync(self, fd: int) -> None:
        (self._by_fd(fd) or os).fsync(fd)

    def ftruncate(self, fd: int, size: int) -> None:
        (self._by_fd(fd) or os).ftruncate(fd, size)

    def fchmod(self, fd: int, mode: int) -> None:
        (self._by_fd(fd) or os).fchmod(fd, mode)


@contextlib.contextmanager
def in_memory() -> Iterator[Path]:
    """Yield a folder that is removed afterwards. It is in memory if possible, because its data is
    synced ten thousand times, and a simulated disk doesn't need a real one."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@contextlib.contextmanager
def faulty(*disks: Disk) -> Iterator[FaultyOs]:
    """Make the store work on these disks."""
    usual = files.os
    stand_in = files.os = FaultyOs(*disks)
    try:
        yield stand_in
    finally:
        files.os = usual
