"""Play a scene with the real commands, and return its outcome.

Rule 1: import nothing from ginpeer: we judge what a player types and reads.
Rule 2: the match counts only if `ginpeer verify` finds both logs valid and finished, and both are
the same byte for byte.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab.namespaces import REPOSITORY, Lab
from tests.lab.reading import invite_in, is_connected, reply_in, sentences, without_prompts
from tests.lab.scene import CannotWork, Kill, Meanwhile, Plays, Reboot, Resume, Run, Scene
from tests.lab.topology import inside

GINPEER = str(Path(sys.executable).with_name("ginpeer"))
"""The command of this checkout."""

_INVITED_WITHIN = 100.0  # publishing an onion service may take this long
_NEWS = 2.0  # seconds in which the host may report that its guest has left
_LEAVING = 8.0  # seconds that a program has to end after it was asked to
_PATIENCE = 60.0  # how long players wait if the connection is lost in mid-match


@dataclass
class Played:
    """The outcome of a scene. Times are in seconds; None means that an event didn't happen."""

    scene: Scene
    invited: float | None = None
    connected: float | None = None
    ended: float | None = None
    """Time from the guest's start until both programs had ended, or the scene's time was up."""
    reply: bool = False
    verified: bool = False
    why_not: str = ""
    reconnected_after: float | None = None
    """Time from `ginpeer resume` until the guest was connected again."""
    happened: bool = False
    """Whether the mid-match event happened during the match."""
    host: list[str] = field(default_factory=list)
    guest: list[str] = field(default_factory=list)
    """Each program's lines; for a program still waiting, those before the lab ended it."""
    waiting: tuple[str, ...] = ()
    """Which players were still waiting: host, guest."""

    def as_expected(self) -> bool:
        """Return whether the scene had the expected outcome."""
        expected = self.scene.expected
        if isinstance(expected, Plays):
            if expected.reply is not None and expected.reply != self.reply:
                return False
            limit = expected.reconnects_within
            late = limit is not None and (self.reconnected_after or math.inf) > limit
            happened = self.scene.meanwhile is None or self.happened
            return self.verified and happened and not late
        return not self.verified and _reads(self, expected)


def _reads(played: Played, expected: CannotWork) -> bool:
    wanted = ((expected.guest_reads, played.guest), (expected.host_reads, played.host))
    return all(
        words is None or re.search(words, " ".join(sentences(lines)), re.IGNORECASE)
        for words, lines in wanted
    )


class _Player:
    """One of the two commands: its output, with the time of each line."""

    def __init__(self, machine: str, *argv: str) -> None:
        self.begun = time.monotonic()
        self.lines: list[str] = []
        self.times: list[float] = []
        self._process = self._start(inside(machine, *argv))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _start(self, argv: tuple[str, ...]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            argv,
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.times.append(time.monotonic() - self.begun)
            self.lines.append(line.rstrip("\n"))

    def type(self, text: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{text}\n")
            self._process.stdin.flush()

    def kill(self) -> None:
        """Kill the program as abruptly as a power cut would."""
        self._process.kill()
        self._process.wait()
        self._reader.join(5)

    def ended(self) -> int | None:
        return self._process.poll()

    def leave(self) -> int:
        """Send Ctrl-C, and then stronger signals."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                self._process.send_signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(_LEAVING)
        self._reader.join(5)
        return self._process.returncode


class _Person(_Player):
    """A person at a terminal, who answers yes to everything, resigns on their turn, and leaves
    after the match."""

    _ANSWERS = (
        (re.compile(r"yes or no> $"), "yes"),
        (re.compile(r"(pass|draw|discard)[^\n]*> $", re.IGNORECASE), "resign"),
    )

    def _start(self, argv: tuple[str, ...]) -> subprocess.Popen[str]:
        self._terminal, other = pty.openpty()
        settings = termios.tcgetattr(other)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(other, termios.TCSANOW, settings)
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 500, 0, 0))
        try:
            return subprocess.Popen(
                argv,
                cwd=REPOSITORY,
                stdin=other,
                stdout=other,
                stderr=other,
                env={**os.environ, "TERM": "dumb"},
                start_new_session=True,
            )
        finally:
            os.close(other)

    def _read(self) -> None:
        row = ""  # the line isn't complete yet
        while True:
            try:
                data = os.read(self._terminal, 65536).decode(errors="replace")
            except OSError:  # the other program has ended
                return
            *whole, row = (row + data.replace("\r", "")).split("\n")
            for line in whole:
                self.times.append(time.monotonic() - self.begun)
                self.lines.append(without_prompts(line))
                if "both players have signed it" in line:
                    self.type("quit")
            for asked, answer in self._ANSWERS:
                if asked.search(row):
                    row = ""
                    self.type(answer)

    def type(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self._terminal, f"{text}\n".encode())


def play(scene: Scene, folder: Path) -> Played:
    """Build the scene's world, play in it, and take it down. *folder* must be empty. Raises
    LabError."""
    played = Played(scene)
    with Lab(scene.world, folder) as lab:
        players: list[_Player] = []
        try:
            _sit_down(scene, lab, folder, players, played)
        finally:
            sides = (("host", played.host), ("guest", played.guest))
            for player, (name, lines) in zip(players, sides, strict=False):
                if player.ended() is None:
                    played.waiting += (name,)
                    lines += player.lines
            statuses = [player.leave() for player in players]
            for player, (name, lines) in zip(players, sides, strict=False):
                if name not in played.waiting:
                    lines += player.lines
    for player, name in zip(players, ("host", "guest"), strict=False):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in player.lines))
    if statuses == [0, 0]:
        played.why_not = _judge(folder)
        played.verified = not played.why_not
    else:
        played.why_not = f"exit statuses {' and '.join(map(str, statuses))}"
    return played


def _sit_down(scene: Scene, lab: Lab, folder: Path, players: list[_Player], played: Played) -> None:
    patience: tuple[str, ...] = ()
    if scene.meanwhile is not None:
        limit = scene.expected.reconnects_within if isinstance(scene.expected, Plays) else None
        patience = ("--patience", f"{max(_PATIENCE, (limit or 0) + 20):g}")
    common = patience if scene.at_terminals else ("--bot", *patience)
    player = _Person if scene.at_terminals else _Player
    host = player(
        "host",
        *(GINPEER, "host", "--home", str(folder / "host"), "--name", "Ann", *common),
        *(() if scene.at_terminals else ("--hands", str(scene.hands))),
        *scene.host,
    )
    players.append(host)
    invites: list[tuple[str, float]] = []
    while not invites and host.ended() is None and _passed(host) < _INVITED_WITHIN:
        time.sleep(0.02)
        invites = _found(host, invite_in)
    if not invites:
        return
    invite, played.invited = invites[0]
    guest = player(
        "guest",
        *(GINPEER, "join", "--home", str(folder / "guest"), "--name", "Bob", *common),
        *(invite, *scene.guest),
    )
    players.append(guest)
    resume = (GINPEER, "resume", "--home", str(folder / "host"), *common)
    meanwhile = _Meanwhile(scene.meanwhile, lab, players, resume)
    while _passed(guest) < scene.seconds:
        time.sleep(0.02)
        if not played.reply:
            replies = _found(guest, reply_in)
            if replies and _passed(guest) >= replies[0][1] + scene.pastes:
                players[0].type(replies[0][0])
                played.reply = True
        meanwhile.look()
        if not meanwhile.at_work and all(player.ended() is not None for player in players):
            break
        if guest.ended() not in (None, 0) and _passed(guest) > (guest.times or [0.0])[-1] + _NEWS:
            break  # the host keeps waiting for a guest
    played.ended = guest.times[-1] if guest.ended() is not None and guest.times else _passed(guest)
    there = _found(guest, lambda line: line if is_connected(line) else None)
    played.connected = there[0][1] if there else None
    played.happened = meanwhile.look(last=True)
    if meanwhile.resumed is not None:
        again = [when - meanwhile.resumed for _, when in there if when > meanwhile.resumed]
        played.reconnected_after = again[0] if again else None


def _passed(player: _Player) -> float:
    return time.monotonic() - player.begun


def _found(player, find):
    """Return everything that *find* finds in the output, with its time."""
    lines = zip(list(player.lines), list(player.times), strict=False)
    return [(find(line), when) for line, when in lines if find(line) is not None]


class _Meanwhile:
    """A runner for the mid-match steps, which the players don't wait for."""

    def __init__(
        self,
        meanwhile: Meanwhile | None,
        lab: Lab,
        players: list[_Player],
        resume: tuple[str, ...],
    ) -> None:
        """*players*: the host, who may be replaced, and the guest. *resume*: how the host's player
        resumes the match."""
        self.resumed: float | None = None  # seconds from the guest's start
        self._meanwhile = meanwhile
        self._lab = lab
        self._players = players
        self._guest = players[1]
        self._resume = resume
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None

    @property
    def at_work(self) -> bool:
        """Return whether the steps have begun and aren't finished."""
        return self._thread is not None and self._thread.is_alive()

    def look(self, *, last: bool = False) -> bool:
        """Start the step if it is time; return whether it was done during the match. Raises
        LabError."""
        meanwhile = self._meanwhile
        if meanwhile is None:
            return False
        if self._thread is None:
            seen = sum(re.search(meanwhile.line, line) is not None for line in self._guest.lines)
            if seen >= meanwhile.count and self._guest.ended() is None:
                self._thread = threading.Thread(target=self._do, args=(meanwhile,), daemon=True)
                self._thread.start()
        elif last:
            self._thread.join(30)
        if self._error is not None:
            raise self._error
        return self._thread is not None

    def _do(self, meanwhile: Meanwhile) -> None:
        try:
            for step in meanwhile.steps:
                match step:
                    case Run(machine, script):
                        self._lab.run(machine, script)
                    case Reboot(machine, seconds):
                        self._lab.reboot(machine, seconds)
                    case Kill():
                        self._players[0].kill()
                    case Resume(options):
                        self.resumed = _passed(self._guest)
                        self._players[0] = _Player("host", *self._resume, *options)
        except Exception as error:  # the error is raised where the scene is played
            self._error = error


def _judge(folder: Path) -> str:
    """Return what is wrong with the two logs, or "" if they are one finished, valid match."""
    logs = [list((folder / side / "matches").glob("*.ginlog")) for side in ("host", "guest")]
    if [len(found) for found in logs] != [1, 1]:
        return f"{len(logs[0])} and {len(logs[1])} logs"
    host, guest = logs[0][0], logs[1][0]
    for side, log in (("host", host), ("guest", guest)):
        command = (GINPEER, "verify", "--home", str(folder / side), str(log))
        verified = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if verified.returncode != 0:
            return f"verify of the {side}'s log ended with {verified.returncode}"
    if host.read_bytes() != guest.read_bytes():
        return "the two logs differ"
    return ""
