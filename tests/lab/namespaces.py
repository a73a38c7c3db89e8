"""Build a world out of network namespaces, and take it down: Linux, root, ip and nft.

Rule 1: never touch a namespace that isn't called ginlab-..., or a process that runs outside such a
namespace.
Rule 2: an earlier run may have crashed anywhere, so building begins with taking down.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.lab.topology import (
    PREFIX,
    WIRES,
    Daemon,
    World,
    build,
    inside,
    namespace,
    power_off,
    power_on,
)

REPOSITORY = Path(__file__).parents[2]
_ETC = Path("/etc/netns")
"""The folder whose files `ip netns exec` mounts over /etc in a namespace."""
_LOCK = Path("/run/ginlab.lock")


class LabError(Exception):
    """The lab itself failed, rather than the match played in it."""


def lacking() -> str | None:
    """Return a sentence that says why the lab can't be built here, or None if it can."""
    if sys.platform != "linux":
        return "The lab is built of Linux's network namespaces, and this is another system."
    if os.geteuid() != 0:
        return "The lab needs root, to make network namespaces."
    for program, package in (("ip", "iproute2"), ("nft", "nftables"), ("sysctl", "procps")):
        if shutil.which(program) is None:
            return f"The lab needs the program {program} (on Debian: apt install {package})."
    probe = namespace("probe")
    tried = _run(["ip", "netns", "add", probe])
    if tried.returncode == 0:
        rules = "table inet x { chain c { type nat hook postrouting priority 100; masquerade; }; }"
        tried = _run(inside("probe", "nft", "-f", "-"), rules)
        _run(["ip", "netns", "del", probe])
    if tried.returncode != 0:
        return f"This kernel has no network namespaces with nft: {tried.stderr.strip()}"
    return None


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Allow one lab at a time: a second one would take the first one down. Raises LabError."""
    import fcntl  # other systems lack this module; their users have already been told

    with _LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LabError("Another lab is running on this machine.") from None
        yield


def take_down() -> None:
    """End everything that runs in namespaces of the lab, and delete them."""
    listed = _run(["ip", "netns", "list"]).stdout.split("\n")
    ours = [line.split()[0] for line in listed if line.startswith(PREFIX)]
    for number in (signal.SIGTERM, signal.SIGKILL):
        running = [pid for each in ours for pid in _running_in(each)]
        for pid in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        patience = time.monotonic() + 2
        while time.monotonic() < patience and any(_running_in(each) for each in ours):
            time.sleep(0.05)
    for each in ours:
        _run(["ip", "netns", "del", each])
    for each in _ETC.glob(f"{PREFIX}*"):
        shutil.rmtree(each, ignore_errors=True)


def _running_in(name: str) -> list[int]:
    return [int(pid) for pid in _run(["ip", "netns", "pids", name]).stdout.split()]


class Lab:
    """A running world. Use it as a context manager, which always takes it down."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._lines: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Lab:
        take_down()
        try:
            for command in build(self.world):
                self._must(command.argv, command.stdin)
            for machine in self.world.machines:
                etc = _ETC / namespace(machine.name)
                etc.mkdir(parents=True, exist_ok=True)
                # Added to the real file, so that looking up our own name needs no name server.
                known = Path("/etc/hosts").read_text()
                (etc / "hosts").write_text(f"{known}\n{self.world.hosts_file()}")
            for number, line in enumerate(self.world.lines):
                quality = map(str, (line.seconds, line.lost, line.rate))
                program = (sys.executable, "-m", "tests.lab.line", *quality, *line.ends)
                argv = inside(WIRES, *program)
                log = self.folder / f"line{number}.log"
                self._lines.append(self._start(argv, log))
                self._wait_for(self._lines[-1], "the line is up", log, 5)
            for machine in self.world.machines:
                for daemon in machine.daemons:
                    self.start(machine.name, daemon)
        except BaseException:
            take_down()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        take_down()
        for process in (*self._daemons.values(), *self._lines):
            process.wait()

    def run(self, machine: str, script: str) -> str:
        """Run a shell script in a machine, and return its output. Raises LabError."""
        return self._must(inside(machine, "sh", "-ec", script))

    def start(self, machine: str, daemon: Daemon) -> None:
        """Start a daemon and wait until it is ready. Raises LabError."""
        home = self.folder / f"{machine}-{daemon.name}"
        home.mkdir(exist_ok=True)
        for name, text in daemon.files:
            (home / name).write_text(text.replace("{dir}", str(home)))
        argv = [word.replace("{dir}", str(home)) for word in daemon.command]
        output = home / "output"
        process = self._start(inside(machine, *argv), output)
        self._daemons[f"{machine}/{daemon.name}"] = process
        self._wait_for(process, daemon.ready, output, daemon.seconds)

    def reboot(self, name: str, seconds: float) -> None:
        """Cut a machine's power for this long; it forgets whatever isn't in its description. Raises
        LabError."""
        machine = self.world.machine(name)
        for daemon in machine.daemons:
            process = self._daemons.pop(f"{name}/{daemon.name}")
            process.kill()
            process.wait()
        for command in power_off(machine):
            self._must(command.argv, command.stdin)
        time.sleep(seconds)
        for command in power_on(machine):
            self._must(command.argv, command.stdin)
        for daemon in machine.daemons:
            self.start(name, daemon)

    def _start(self, argv: Sequence[str], output: Path) -> subprocess.Popen[bytes]:
        with output.open("wb") as file:
            return subprocess.Popen(
                argv,
                cwd=REPOSITORY,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the lab, which then ends these processes
            )

    def _wait_for(
        self, process: subprocess.Popen[bytes], ready: str, log: Path, seconds: float
    ) -> None:
        patience = time.monotonic() + seconds
        while True:
            told = log.read_text(errors="replace") if log.exists() else ""
            if re.search(ready, told, re.MULTILINE):
                return
            ended = process.poll()
            if ended is not None or time.monotonic() > patience:
                state = "is not ready" if ended is None else f"ended with {ended}"
                raise LabError(f"{' '.join(process.args)} {state}; it wrote:\n{told[-2000:]}")
            time.sleep(0.05)

    def _must(self, argv: Sequence[str], stdin: str = "") -> str:
        done = _run(argv, stdin)
        if done.returncode != 0:
            raise LabError(f"{' '.join(argv)}: {done.stderr.strip()}\n{stdin}")
        return done.stdout


def _run(argv: Sequence[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=30)
