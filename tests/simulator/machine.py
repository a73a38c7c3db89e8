"""A player's computer: its disk, its wall clock, and the program that runs on it, again and again.

A program ends by itself, by kill -9 (what was written stays), or in a power cut (what was not
synced may be lost). Between two runs the whole home may be replaced by an older copy.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ginpeer.store import files
from ginpeer.store.match_files import LOG_SUFFIX, SEEDS_SUFFIX, file_stem
from protocol.crypto.identity import IdentityKey
from tests.faults.disk import Crash, Disk, FaultyOs, Operation
from tests.simulator.world import World

if TYPE_CHECKING:
    from tests.simulator.match import Match
    from tests.simulator.process import Process

EPOCH = 1_800_000_000
"""Wall-clock time at which every match begins."""

_KEPT_CODES = (errno.ENOSPC, errno.EIO, errno.EDQUOT)


class _Pessimist(random.Random):
    """A random generator whose choices keep as little unsynced data as possible."""

    def random(self) -> float:
        return 0.0

    def randint(self, a: int, b: int) -> int:
        return a


class SeededOs(FaultyOs):
    """A replacement for the store's `os` whose random names are predictable, too."""

    def __init__(self, disk: Disk, rng: random.Random) -> None:
        super().__init__(disk)
        self.urandom = rng.randbytes


class Machine:
    """One of the two machines; *role* is its player's role."""

    other: Machine

    def __init__(self, match: Match, role: str, folder: Path) -> None:
        self.match = match
        self.world: World = match.world
        self.role = role
        self.move_to("10.0.0.1" if role == "host" else "10.0.0.2")
        self.rng = self.world.random_for("machine", role)
        self.process: Process | None = None
        self.boots = 0
        self.finished: bytes | None = None
        self.lies = False  # runs a dishonest program
        self.signs_lies = False
        self.restored = False
        self.forgot = False
        self.signed_twice = False
        self.accuses = False  # has ended a session over something the opponent signed
        self.disk_failed = False  # at least once
        self.wall_offset = 0.0
        self.copy: Path | None = None
        self.identities: list[IdentityKey] = []
        self._folder = folder
        self._layouts = 0
        self._dying: str | None = None
        self._fuse: int | None = None  # touches until it dies
        self._full: range = range(0)  # disk operations that fail
        self._operations = 0
        self._changed: dict[str, float] = {}
        self.home = self._next_home()
        self.home.mkdir()
        self._use(self.home)

    def move_to(self, *addresses: str) -> None:
        """Make this machine reachable at these addresses only; its peer tries the first one
        first."""
        self.addresses = addresses
        self.address = addresses[0]

    # --- up and down -------------------------------------------------------------------

    @property
    def is_up(self) -> bool:
        """Whether a packet that arrives here is answered."""
        return self._dying != "power" or self.process is not None

    @property
    def is_running(self) -> bool:
        return self.process is not None

    def boot(self, mode: str) -> None:
        """Start the program. *mode*: new (host or join as if for the first time) or resume."""
        self.boots += 1
        self._dying = None
        self.world.note("boot", self.role, mode)
        self.process = self.match.process(self, mode)
        self.process.run(self.process.begin)

    def goes_down(self, kind: str) -> None:
        """Kill the program, or cut the power."""
        process = self.process
        if process is None:
            return
        self._dying = kind
        process.vanish(silent=kind == "power")
        self.process = None
        self.disk.abandon()
        if kind == "power":
            self.match.network.lose(self.role)
            self._lay_out()
        else:
            self.disk.dead = False
            if self.rng.random() < 0.5:
                self.disk.synced()
        self.world.fault("kill -9" if kind == "kill" else "power cut")
        self.match.user_returns(self)

    def leaves(self, code: str) -> None:
        """End the program of its own accord, with this code."""
        process = self.process
        if process is None:
            return
        process.end()
        self.process = None
        self.disk.abandon()
        self.world.note("exit", self.role, code)
        self.match.user_returns(self)

    def _lay_out(self) -> None:
        """Restart on whatever the last power cut has left on the disk."""
        self.home = self.disk.crash(self.rng, self._next_home())
        self._use(self.home)

    def remember_home(self) -> None:
        """Copy the whole home, as a backup does."""
        if self.copy is None and self.home.exists():
            self.copy = self._next_home()
            shutil.copytree(self.home, self.copy)
            self.world.note("copy", self.role)

    def go_back(self) -> None:
        """Replace the home with the older copy."""
        if self.copy is None or self.process is not None:
            return
        self.home, self.copy = self.copy, None
        self._use(self.home)
        self.restored = True
        self.finished = None
        self.match.observer.on_restore(self)
        self.world.fault("older copy restored")

    def lose_matches(self) -> None:
        """Remove every file of every match, but not the key."""
        if self.process is not None:
            return
        lost, self.home = self.home, self._next_home()
        shutil.copytree(lost, self.home, ignore=shutil.ignore_patterns("matches"))
        self._use(self.home)
        self.forgot = True
        self.finished = None
        self.match.observer.on_restore(self)
        self.world.fault("match files lost")

    @property
    def is_behind(self) -> bool:
        """Whether something that this machine once stored is missing."""
        return self.restored or self.forgot

    # --- what time it is ---------------------------------------------------------------

    def wall(self) -> float:
        """Return the seconds since 1970 according to this machine's clock."""
        return EPOCH + self.world.seconds() + self.wall_offset

    # --- faults inside the program -----------------------------------------------------

    def light_fuse(self, touches: int) -> None:
        """Die after this many more touches: disk operations, frames, or things shown."""
        self._fuse = touches

    def fill_disk(self, after: int, lasting: int) -> None:
        """Make the disk refuse *lasting* operations, once *after* more of them have succeeded."""
        self._full = range(self._operations + after, self._operations + after + lasting)

    def calm(self) -> None:
        """Stop all of these faults."""
        self._fuse = None
        self._full = range(0)

    def touch(self, what: str) -> None:
        """Note that something is about to be done, or has just been done; die if the fuse has burnt
        down."""
        if self.disk.dead:
            raise Crash
        if self._fuse is None:
            return
        self._fuse -= 1
        if self._fuse <= 0:
            self._fuse = None
            self.world.note("dies at", self.role, what)
            self.disk.die()
            raise Crash

    @property
    def is_dying(self) -> bool:
        return self.disk.dead

    def choose_death(self) -> str:
        return self.rng.choice(("kill", "power"))

    # --- the disk ----------------------------------------------------------------------

    def enter(self) -> None:
        """Let the store work on this machine's disk from now on."""
        files.os = self._os

    def durable_log(self, table: bytes) -> bytes:
        """Return what is left of a log after a power cut in the worst case."""
        return self._durable(file_stem(table) + LOG_SUFFIX)

    def durable_seeds(self, table: bytes) -> bytes:
        return self._durable(file_stem(table) + SEEDS_SUFFIX)

    def _durable(self, name: str) -> bytes:
        folder = self.disk._root.base.get("matches")
        inode = folder.base.get(name) if folder is not None else None
        return b"" if inode is None else inode.image(_Pessimist())

    def _next_home(self) -> Path:
        self._layouts += 1
        return self._folder / f"{self.role}-{self._layouts}"

    def _use(self, home: Path) -> None:
        """Start a disk with the contents of this folder, as a machine finds it when it boots."""
        for path in sorted(home.rglob("*")):
            self._stamp(path)
        self.disk = Disk(home, before=self._before, after=self._after)
        self._os = SeededOs(self.disk, self.world.random_for("names", self.role, self._layouts))

    def _before(self, operation: Operation) -> int | None:
        self._operations += 1
        name = operation.path.name
        self.world.note("disk", self.role, operation.kind, name, operation.data)
        self.touch(f"before {operation.kind} {name}")
        if self._operations not in self._full:
            return None
        self.disk_failed = True
        self.world.counts["failed syncs"] += operation.kind == "sync"
        if operation.kind == "write" and len(operation.data) > 1 and self.rng.random() < 0.3:
            self.world.fault("short write")
            return self.rng.randrange(1, len(operation.data))
        code = self.rng.choice(_KEPT_CODES)
        self.world.fault(f"disk: {errno.errorcode[code]}")
        raise OSError(code, os.strerror(code))

    def _after(self, operation: Operation) -> None:
        path = operation.to or operation.path
        put_back = operation.kind == "utime"
        then = (operation.size - EPOCH * 10**9) / 10**9
        self._changed[path.name] = then if put_back else self.world.seconds()
        self._stamp(path)
        self.touch(f"after {operation.kind} {path.name}")

    def _stamp(self, path: Path) -> None:
        """Set a file's time to the simulated one, because the store picks the latest log by it."""
        if path.is_file():
            when = EPOCH + self._changed.get(path.name, 0.0)
            os.utime(path, (when, when))
