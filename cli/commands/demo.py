"""`ginpeer demo`: two bots in two processes play a match, which is then verified.

Rule 1: the demo does only what two people could do with `host`, `join` and `verify`: it starts
        those commands, passes the invite on, and reads what they print.
Rule 2: it leaves nothing behind except what --keep names. Homes and logs are in a temporary
        folder, and both processes end before the demo does, no matter how it ends.
Rule 3: the exit status is 0 only if both logs are identical and valid.
"""

from __future__ import annotations

import json
import os
import re
import signal
import site
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

import cli
from cli.commands.home_and_files import verdict_on
from cli.commands.rules import typed_rules
from cli.program import Failure, quoted
from cli.terminal.output import print_lines
from cli.text.grammar import plural
from cli.text.verdict import verdict_report
from ginpeer.names import safe
from ginpeer.record import Record
from ginpeer.store import files

TIMEOUT = 180.0
"""Seconds that one hand may take. On two cores it takes a second or two; the rest allows for a busy
machine. The number of hands isn't limited."""

_POLL = 0.05  # seconds between two checks of what the players have printed
_PATIENCE = 5.0  # seconds a player may take to exit after being told to
_NAMES = ("Ada", "Ben")


def run_demo(args: Namespace) -> int:
    rules = str(typed_rules(" ".join(args.rules)))
    with _kept(args.keep) as keep:
        return _run(rules, keep)


@contextmanager
def _kept(named: str | None) -> Iterator[FileIO | None]:
    """Open the file for the log before anything is played, and remove it if it stays empty."""
    if named is None:
        yield None
        return
    try:
        file = open(named, "xb", buffering=0)  # noqa: SIM115 - closed below, whatever happens
    except FileExistsError:
        sentence = f"{safe(named, 200)} already exists; the demo overwrites nothing."
        raise Failure("file-exists", sentence) from None
    except OSError as why:
        raise _cannot_keep(named, why) from why
    try:
        yield file
    finally:
        empty = not file.tell()
        file.close()
        if empty:
            os.unlink(named)


def _cannot_keep(named: str, why: OSError) -> Failure:
    sentence = f"The log can't be saved in {safe(named, 200)}: {files.reason_of(why)}."
    return Failure("cannot-keep", sentence)


def _run(rules: str, keep: FileIO | None) -> int:
    begun = time.monotonic()
    with (
        deferred_signals() as check_signals,
        tempfile.TemporaryDirectory(prefix="ginpeer-demo-", ignore_cleanup_errors=True) as folder,
    ):
        print_lines("Two bots play a match of gin rummy over TCP and TLS, on this machine.")
        host, guest = _play(Path(folder), rules, check_signals)
        played = time.monotonic() - begun
        logs = [Path(log).read_bytes() for log in (host, guest)]
        if keep is not None:
            try:
                files.write_all(keep.fileno(), logs[0])
            except OSError as why:
                keep.truncate(keep.seek(0))  # so that it is removed
                raise _cannot_keep(keep.name, why) from why
        if logs[0] != logs[1]:
            raise Failure("logs-differ", "The two players' logs differ.")
        print_lines(
            f"The match is over. Both logs are the same, byte for byte: {len(logs[0])} bytes."
        )
        print()
        verdict = verdict_on(Record.read(host))
        check_signals()
    seconds = time.monotonic() - begun
    print_lines(*verdict_report(verdict), "")
    print_lines(
        f"{plural(verdict.table.hand_number, 'hand')}, "
        f"{plural(verdict.entries, 'entry', 'entries')}, {len(logs[0])} bytes; "
        f"played in {played:.1f} seconds, verified in {seconds - played:.1f}, "
        f"{seconds:.1f} seconds in total."
    )
    if keep is not None:
        name = safe(keep.name, 200)
        path = safe(quoted(os.path.abspath(keep.name)), 1_000)
        again = f"ginpeer replay {path}"
        print_lines(
            f"The log is saved in {name}. To watch the match again: {again}", kept=[again, name]
        )
    return verdict.finding.value


# --- the two players ---------------------------------------------------------------------


class BotProcess:
    """A `ginpeer` process that plays as a bot, and what it has printed so far."""

    def __init__(self, role: str, folder: Path, *arguments: str) -> None:
        self.role = role
        self.end: dict[str, str] = {}  # the fields of the player's last line: code, text, log
        self._out = folder / f"{role}.out"
        self._err = folder / f"{role}.err"
        self._read = 0
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(  # noqa: S603 - our own program, our own arguments
                # With -P, a folder `cli` in the current folder can't be imported instead of ours.
                [sys.executable, "-P", "-m", "cli", "--home", str(folder / role), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=_environment(),
            )

    def lines(self) -> list[str]:
        """Return the complete lines printed since the last call. The output goes to a file, because
        a full pipe would block the player, and how to wait for two pipes depends on the system."""
        with self._out.open("rb") as out:
            out.seek(self._read)
            printed, newline, _ = out.read().rpartition(b"\n")
        self._read += len(printed) + len(newline)
        lines = printed.decode("utf-8", "replace").splitlines()
        for line in lines:
            kind, fields = parse_event(line)
            if kind == "end":
                self.end = fields
        return lines

    @property
    def log(self) -> str | None:
        """Return the path of the log, once the player has said that the match is finished."""
        return self.end.get("log") if self.end.get("code") == "finished" else None

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def check(self) -> None:
        """Raise Failure, with the last line that was printed, if the process has failed."""
        status = self._process.poll()
        if status:
            said = self._err.read_text("utf-8", "replace").strip().splitlines()
            why = safe(said[-1] if said else self.end.get("text", "it said nothing"))
            raise Failure(
                "player-failed", f"The demo's {self.role} stopped with status {status}: {why}"
            )

    def stop(self) -> None:
        """End the process if it is still running, politely at first."""
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _play(folder: Path, rules: str, check_signals: Callable[[], None]) -> tuple[str, str]:
    begun = hand_begun = time.monotonic()
    with ExitStack() as stack:

        def start(role: str, *arguments: str) -> BotProcess:
            player = BotProcess(role, folder, *arguments)
            stack.callback(player.stop)
            return player

        listen = ("--listen", "127.0.0.1:0", "--rules", rules)
        host = start("host", "host", "--bot", "--name", _NAMES[0], *listen)
        guest: BotProcess | None = None
        while True:
            # Check first, so that the last lines of a player that has ended are read, too.
            stopped = [each for each in (host, guest) if each is not None and each.ended]
            for line in host.lines():
                kind, fields = parse_event(line)
                if line.startswith("invite: ") and guest is None:
                    invite = line.removeprefix("invite: ").strip()
                    guest = start("guest", "join", "--bot", "--name", _NAMES[1], invite)
                    begun = time.monotonic()
                elif kind == "result":
                    hand_begun = time.monotonic()
                    print_lines(f"{hand_begun - begun:5.1f} s  {_result(fields)}", flush=True)
            if guest is not None:
                guest.lines()
            for player in stopped:
                player.check()
            if guest is None and host in stopped:
                raise Failure("no-invite", "The demo's host printed no invite.")
            if guest is not None and stopped == [host, guest]:
                break
            if time.monotonic() > hand_begun + TIMEOUT:
                raise Failure("too-slow", f"No hand of the demo ended within {TIMEOUT:.0f} s.")
            time.sleep(_POLL)
            # Last, so that Ctrl-C, which the players also get, doesn't count as their failure.
            check_signals()
    if host.log is None or guest.log is None:
        raise Failure("not-finished", "The demo's match wasn't finished.")
    return host.log, guest.log


def _result(fields: dict[str, str]) -> str:
    names = {"host": _NAMES[0], "guest": _NAMES[1]}
    kind = fields.get("kind", "").replace("-", " ")
    winner = names.get(fields.get("winner", ""))
    scored = plural(int(fields.get("points", "0")), "point")
    points = f", {scored} to {winner}" if winner else ", no points"
    score = ", ".join(f"{names[role]} {fields.get(role)}" for role in names)
    return f"Hand {fields.get('hand')}: {kind}{points}. {score}."


_FIELD = re.compile(r'([a-z-]+)=("(?:[^"\\]|\\.)*"|\S+)')


def parse_event(line: str) -> tuple[str, dict[str, str]]:
    """Return the kind and fields of a line of cli.text.event_lines; "" for any other line."""
    start, _, rest = line.partition(" ")
    kind, _, words = rest.partition(" ")
    if start != "event":
        return "", {}
    return kind, {
        key: json.loads(value) if value.startswith('"') else value
        for key, value in _FIELD.findall(words)
    }


@contextmanager
def deferred_signals() -> Iterator[Callable[[], None]]:
    """Hold back signals that would end this process, and yield a function that raises Failure if
    one has arrived. The handlers don't raise: an exception after a player was started, but before
    we have stored it, would leave that player running."""
    received: list[int] = []
    before: dict[int, Any] = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, lambda number, _: received.append(number))

    def check() -> None:
        if received:
            raise Failure("stopped", "stopped by a signal.", 128 + received[-1])

    try:
        yield check
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# --- starting our own program ------------------------------------------------------------

_ROOT = Path(cli.__file__).resolve().parent.parent


def _environment() -> dict[str, str]:
    """Return our environment, with the path of this checkout added if it isn't installed."""
    environment = dict(os.environ)
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    if _ROOT not in (Path(path).resolve() for path in installed):
        paths = [str(_ROOT), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return environment
