"""Count how far one action travels through the code: functions, files, and moves between files.

Five journeys. A `7d` that is refused and a `pass` are typed in a real `ginpeer practice` on a
pseudo-terminal. The frame is a guest's `pass`, from its arrival over TLS at a `ginpeer host --bot`
until the bot has stored its answer. The last two are `ginpeer verify` and `ginpeer export --as
html` of a recorded log of one hand. All five use commands, so that the code behind them can be
moved and renamed; randomness is seeded (tests.goldens.seeded). Two runs give nearly the same
counts.

It counts, with sys.setprofile, for code in the packages protocol, ginpeer and cli:

- functions: different functions that run, including lambdas, comprehensions and generator
  expressions; not the bodies of modules and classes, which only run when they are imported;
- files: the files that contain these functions;
- moves: how often a function that begins, or a generator that resumes, is in a different file from
  the last one that did so. Returning to a caller isn't a move.

The first three journeys consist of turns of the reactor: for a typed line the turn that takes it;
for the frame the turn in which it arrives and those after it, up to the one that stores the bot's
answer. The `7d` is counted the second time it's typed, and a command the second time it runs, so
that imports and one-time computations don't count. A command begins once its arguments have been
parsed.

Run by hand: `python -m tests.bench.journeys`, with --files for the files of each journey.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TextIO

from ginpeer.store.settings import change_settings
from tests.goldens.seeded import foresee

ROOT = Path(__file__).parents[2]
PACKAGES = ("protocol", "ginpeer", "cli")
LOG = ROOT / "tests" / "vectors" / "logs" / "one-hand.ginlog"

SEED = "s1"
"""With this seed, the first upcard is offered to the player who is typing."""
_ATTEMPTS = 30  # chosen so that the bot passes first: between two programs, the cards vary

_REACTOR = "asyncio/base_events.py"
_SYNCS = (os.fsync, getattr(os, "fdatasync", os.fsync))
_REST = 1.5  # seconds without output after which a prompt counts as final
_PATIENCE = 60.0
_PROMPT = re.compile(r"[^\r\n\x07]*> $")


@dataclass
class Travelled:
    """The functions and files that one stretch of code touched."""

    functions: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    moves: int = 0
    syncs: int = 0
    """How often something was written durably."""

    def __add__(self, other: Travelled) -> Travelled:
        return Travelled(
            self.functions | other.functions,
            self.files | other.files,
            self.moves + other.moves,
            self.syncs + other.syncs,
        )

    def written(self) -> str:
        return json.dumps([sorted(self.functions), sorted(self.files), self.moves, self.syncs])

    @classmethod
    def read(cls, line: str) -> Travelled:
        functions, files, moves, syncs = json.loads(line)
        return cls(set(functions), set(files), moves, syncs)


class Trace:
    """A function for sys.setprofile. With *turns*, it writes each turn of the reactor there."""

    def __init__(self, turns: TextIO | None = None) -> None:
        self._turns = turns
        self._files: dict[CodeType, str] = {}
        self._turn: FrameType | None = None  # the frame that the reactor called
        self.clear()

    def clear(self) -> None:
        """Forget what was counted."""
        self.travelled = Travelled()
        self._last = ""

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            file = self._file(frame.f_code)
            if not file:
                return
            if self._turns is not None and self._turn is None and self._begins_turn(frame):
                self._turn = frame
                self.clear()
            self._count(frame.f_code, file)
        elif event == "return" and frame is self._turn and self._turns is not None:
            self._turn = None
            self._turns.write(f"{self.travelled.written()}\n")
            self._turns.flush()
        elif event == "c_call" and arg in _SYNCS:
            self.travelled.syncs += 1

    def _count(self, code: CodeType, file: str) -> None:
        self.travelled.functions.add(f"{file}:{code.co_firstlineno}:{code.co_qualname}")
        self.travelled.files.add(file)
        self.travelled.moves += self._last not in ("", file)
        self._last = file

    def _file(self, code: CodeType) -> str:
        """Return the file's path below the root; "" for code that isn't counted."""
        found = self._files.get(code)
        if found is None:
            path = Path(code.co_filename)
            ours = code.co_flags & CO_OPTIMIZED and path.is_relative_to(ROOT)
            found = str(path.relative_to(ROOT)) if ours else ""
            found = found if found.split(os.sep)[0] in PACKAGES else ""
            self._files[code] = found
        return found

    def _begins_turn(self, frame: FrameType) -> bool:
        """Return whether the reactor calls this frame directly, without our code in between."""
        caller = frame.f_back
        while caller is not None and not self._file(caller.f_code):
            if Path(caller.f_code.co_filename).as_posix().endswith(_REACTOR):
                return True
            caller = caller.f_back
        return False


# --- a match at a terminal --------------------------------------------------------------------


class Table:
    """A program on a pseudo-terminal at which we type, and the trace of a program."""

    def __init__(self, folder: str, command: Sequence[str], trace: Path) -> None:
        import pexpect

        change_settings(Path(folder), name="Ann")  # so that the program doesn't ask for a name
        self._terminal = pexpect.spawn(
            sys.executable, [*command], env=environ(folder), dimensions=(24, 80),
            encoding="utf-8", timeout=_PATIENCE,
        )  # fmt: skip
        self._trace = trace

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *error: object) -> None:
        self._terminal.close(force=True)

    def type(self, line: str, expected: str) -> list[Travelled]:
        """Type a line; return the turns of the traced program until this one rests."""
        turns, said = self.typed(line)
        if expected not in said:
            raise RuntimeError(f"expected {expected!r}: {said}")
        return turns

    def typed(self, line: str) -> tuple[list[Travelled], str]:
        """Type a line; return the turns until the program rests, and its output."""
        before = len(self._turns())
        self.answer(line)
        said = self.wait_for_prompt()
        return [Travelled.read(turn) for turn in self._turns()[before:]], said

    def answer(self, line: str) -> None:
        """Type a line, the answer to a question."""
        self._terminal.sendline(line)

    def wait_for_prompt(self, expected: str = "") -> str:
        """Wait until the program is silent at a prompt; return its output."""
        import pexpect

        said = ""
        while True:
            try:
                patience = _REST if _PROMPT.search(said) else _PATIENCE
                said += self._terminal.read_nonblocking(65_536, patience)
            except pexpect.TIMEOUT:
                break
            except pexpect.EOF:
                raise RuntimeError(f"the program has ended: {said}") from None
        if expected not in said:
            raise RuntimeError(f"expected {expected!r}: {said}")
        return said

    def _turns(self) -> list[str]:
        return self._trace.read_text().splitlines()


def typed_lines() -> dict[str, Travelled]:
    """Return the journeys of lines typed in a practice match. It offers the first upcard to the
    player who is typing, and the bot passes it, too."""
    for attempt in range(_ATTEMPTS):
        with tempfile.TemporaryDirectory() as name:
            trace = Path(name) / "turns"
            seed = f"{SEED} {attempt}" if attempt else SEED
            with Table(name, traced(seed, trace, ["practice", "--name", "Ann"]), trace) as table:
                if "or pass> " not in table.wait_for_prompt():
                    continue
                table.type("7d", "or pass> ")
                refused = table.type("7d", "or pass> ")
                passed, said = table.typed("pass")
                if "discard> " in said:
                    return {"a typed `7d` that is refused": refused[0], "a typed `pass`": passed[0]}
    raise RuntimeError("no match began as it should")


def frame_at_a_bot() -> Travelled:
    """Return the journey of the frame with a guest's `pass` at a host that is a bot. The bot has
    already passed, so it answers by drawing."""
    for attempt in range(_ATTEMPTS):
        with tempfile.TemporaryDirectory() as name:
            travelled = _frame_at_a_bot(name, f"{SEED} {attempt}")
        if travelled is not None:
            return travelled
    raise RuntimeError("no match began as it should")


def _frame_at_a_bot(name: str, seed: str) -> Travelled | None:
    ours, theirs, trace = f"{name}/guest", f"{name}/host", Path(name) / "turns"
    for folder in (ours, theirs):
        Path(folder).mkdir()
    options = ["host", "--bot", "--listen", "127.0.0.1:0", "--no-mapping", "--no-stun"]
    host = subprocess.Popen(
        [sys.executable, *traced(f"{seed} host", trace, options)],
        env=environ(theirs),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert host.stdout is not None
        invite = host.stdout.readline().removeprefix("invite: ").strip()
        command = ["-m", "tests.goldens.seeded", f"{seed} guest", "join", invite, "--name", "Ann"]
        with Table(ours, command, trace) as guest:
            guest.wait_for_prompt("yes or no> ")
            guest.answer("yes")
            said = guest.wait_for_prompt()
            if "passes the upcard" not in said or "or pass> " not in said:
                return None
            return _answered(guest.type("pass", "draw"))
    finally:
        host.kill()
        host.communicate()


def _answered(turns: Sequence[Travelled]) -> Travelled:
    """Add up the turns until two entries have been stored: the one that arrived, and the answer."""
    travelled = Travelled()
    for turn in turns:
        travelled += turn
        if travelled.syncs >= 2:
            return travelled
    raise RuntimeError("the bot did not answer")


# --- a program that is traced -----------------------------------------------------------------


def environ(folder: str) -> dict[str, str]:
    """Return the environment of a program with its home in *folder*."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "HOME": folder,
        "GINPEER_HOME": f"{folder}/home",
        "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
    }


def traced(seed: str, trace: Path, arguments: Sequence[str]) -> list[str]:
    """Return Python's arguments for a program that writes what each turn of its reactor touches."""
    return ["-m", "tests.bench.journeys", "--trace", str(trace), "--seed", seed, "--", *arguments]


def run_traced(seed: str, trace: Path, arguments: Sequence[str]) -> int:
    """Run this process as a traced program."""
    foresee(seed)
    from cli.main import main as run

    with trace.open("w") as file:
        sys.setprofile(Trace(file))
        try:
            return run(arguments)
        finally:
            sys.setprofile(None)


# --- a command ----------------------------------------------------------------------------------


def of_a_command(arguments: Sequence[str]) -> Travelled:
    """Return the journey of a command, with an empty home."""
    trace = Trace()
    parse = argparse.ArgumentParser.parse_known_args

    def parsed(*args: Any, **kwargs: Any) -> Any:
        sys.setprofile(None)
        try:
            return parse(*args, **kwargs)
        finally:
            trace.clear()
            sys.setprofile(trace)

    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    home = os.environ.get("GINPEER_HOME")
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(out):
        os.environ["GINPEER_HOME"] = name
        argparse.ArgumentParser.parse_known_args = parsed  # type: ignore[method-assign]
        try:
            from cli.main import main as run

            for _ in range(2):
                status = run(arguments)
                sys.setprofile(None)
                if status != 0:
                    raise RuntimeError(f"{arguments} ended with status {status}")
        finally:
            sys.setprofile(None)
            argparse.ArgumentParser.parse_known_args = parse  # type: ignore[method-assign]
            os.environ.pop("GINPEER_HOME")
            if home is not None:
                os.environ["GINPEER_HOME"] = home
    return trace.travelled


def journeys() -> dict[str, Travelled]:
    """Trace all five journeys."""
    return {
        **typed_lines(),
        "a frame with an entry, at a bot": frame_at_a_bot(),
        "`verify` of a one-hand log": of_a_command(["verify", str(LOG)]),
        "`export` of it as a page": of_a_command(["export", "--as", "html", str(LOG)]),
    }


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.journeys")
    parser.add_argument("--files", action="store_true", help="name the files of each journey")
    parser.add_argument("--trace", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seed", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.trace is not None:
        return run_traced(args.seed, args.trace, args.arguments)
    print(f"{'':<36}{'functions':>10}{'files':>8}{'moves':>8}")
    for name, travelled in journeys().items():
        counts = (len(travelled.functions), len(travelled.files), travelled.moves)
        print(f"{name:<36}{counts[0]:>10}{counts[1]:>8}{counts[2]:>8,}")
        for file in sorted(travelled.files) if args.files else ():
            print(f"    {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
