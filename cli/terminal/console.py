"""The terminal or the pipes of this process: whole lines out, whole lines in.

# House rules
#
# 1. Everything is written through one Console, from one thread. On a terminal it knows the prompt
#    and what has been typed behind it, so news goes above them and nothing is garbled.
# 2. Reading blocks a daemon thread and nothing else, on every system and for pipes too; what it
#    reads is handed over in the reactor's thread. It reads on only when that has been used up: a
#    pipe that never ends costs one chunk of memory.
# 3. Whatever ends the program, the terminal is left as it was found.
# 4. Output that cannot be written (a closed pipe) is reported once; after that, silence.
#
# Taking keys one by one (termios, without ICANON and ECHO) is only done where both ends are a
# terminal that is not dumb. Elsewhere (Windows, TERM=dumb, Emacs) the terminal edits its own lines,
# and the prompt is printed again below the news; where nothing is asked, a bare one, so that the
# row in which somebody may be typing is known, and the news begins on the next.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from cli.terminal.line_input import InputEvent, Line, LineEditor, Lines, width_of
from cli.terminal.lines import wrapped

_CHUNK = 16 * 1024
_ERASE_BELOW = "\x1b[J"
_BARE_PROMPT = "> "
_NO_CHARACTER = "\N{REPLACEMENT CHARACTER}"


class Console:
    """One input and one output.

    *call_in_main* runs a call in the thread that everything else runs in (reactor.callFromThread).
    ``interactive`` says that a person sits at both ends.
    """

    def __init__(
        self,
        stdin: TextIO | None,
        stdout: TextIO,
        call_in_main: Callable[..., Any],
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.stdout = stdout
        self.interactive = is_terminal(stdin) and is_terminal(stdout)
        self.broken: OSError | ValueError | None = None
        """Why nothing can be written any more."""
        self._stdin = stdin
        self._call_in_main = call_in_main
        self.kind = environ.get("TERM", "")
        """The terminal's name for what it can do; "" where it has none."""
        self._dumb = self.kind in ("", "dumb")
        self._prompt = ""
        self._drawn = ""  # the prompt and the typing that stand on the last row or rows
        self._input: Lines | LineEditor = Lines()
        self._mode: _KeyMode | None = None
        self._read_on = threading.Semaphore(0)
        self._pending: deque[InputEvent] = deque()
        self._taker: Callable[[InputEvent], bool] | None = None
        self._answering = False
        self._listening = False
        self._on_broken: Callable[[], None] = lambda: None

    @property
    def terminal_gone(self) -> bool:
        """Whether a person sat here, and the terminal was closed."""
        if not self.interactive or self._stdin is None:
            return False
        try:
            return self.broken is not None or not os.isatty(self._stdin.fileno())
        except (OSError, ValueError):
            return True

    @property
    def in_foreground(self) -> bool:
        """Whether reading is allowed: a terminal stops whoever reads from it in the background."""
        if sys.platform == "win32" or not is_terminal(self._stdin) or self._stdin is None:
            return True
        try:
            return os.tcgetpgrp(self._stdin.fileno()) == os.getpgrp()
        except OSError:
            return False

    # --- output ------------------------------------------------------------------------

    def print(self, *lines: str, whole: bool = False) -> None:
        """Write whole lines, above the prompt if there is one.

        On a terminal, words are kept whole at its right edge; *whole* is for a line that will be
        copied from the screen, which must hold no line end of ours.
        """
        if self.interactive and not whole:
            lines = tuple(wrapped(line, self._columns()) for line in lines)
        if lines:
            self._write(self._becoming("") + "".join(f"{line}\n" for line in lines))
            self._draw()

    def prompt(self, prompt: str) -> None:
        """Ask with this text from now on; "" asks nothing. Pipes get no prompts."""
        if self.interactive:
            self._prompt = prompt
            self._draw()

    def signal(self, codes: str) -> None:
        """Write what takes no place on the screen: a bell, a title. Pipes get none of it."""
        if self.interactive:
            self._write(codes)

    def _draw(self) -> None:
        """Show the prompt and what has been typed behind it, unless a line is being answered."""
        if self.interactive and not self._answering:
            typed = self._input.text if isinstance(self._input, LineEditor) else ""
            bare = _BARE_PROMPT if self._mode is None and self._listening else ""
            self._write(self._becoming((self._prompt or bare) + typed))

    def _becoming(self, new: str) -> str:
        """What turns the last row, as it is drawn, into this; and it is then taken for drawn.

        As little as possible: a screen reader speaks what changes, and no more.
        """
        old, self._drawn = self._drawn, new
        if new == old:
            return ""
        if self._mode is None:  # what has been typed there is not known, so it stays
            return new if not old else f"\n{new}"
        if new.startswith(old):
            return new[len(old) :]
        columns = self._columns()
        if old.startswith(new) and width_of(old) < columns:
            gone = width_of(old) - width_of(new)
            return "\b" * gone + " " * gone + "\b" * gone
        rows_above = max(0, width_of(old) - 1) // columns
        up = f"\x1b[{rows_above}A" if rows_above else ""
        return f"\r{up}{_ERASE_BELOW}{new}"

    def _columns(self) -> int:
        return max(1, shutil.get_terminal_size().columns)

    def _write(self, text: str) -> None:
        if self.broken is not None or not text:
            return
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except (OSError, ValueError) as error:  # ValueError: the stream was closed
            self.broken = error
            self._on_broken()

    # --- input -------------------------------------------------------------------------

    def start(self, taker: Callable[[InputEvent], bool], on_broken: Callable[[], None]) -> None:
        """Begin to read. *taker* gets each event in order and says whether it took it; one that it
        did not take is offered again by ``offer``. *on_broken*: nothing can be written any more."""
        self._taker = taker
        self._on_broken = on_broken
        encoding = getattr(self._stdin, "encoding", None) or "utf-8"
        if self.interactive and not self._dumb and self._stdin is not None:
            self._mode = _KeyMode.begin(self._stdin.fileno(), self._redraw)
        self._input = LineEditor(encoding) if self._mode is not None else Lines(encoding)
        self._listening = True
        threading.Thread(target=self._read, name="stdin", daemon=True).start()
        self._draw()
        if self.broken is not None:  # by what was printed before; nobody was told
            self._call_in_main(on_broken)

    def offer(self) -> None:
        """Offer the events that wait, until one is not taken."""
        if self._answering:
            return  # from within a taker: the loop below goes on anyway
        self._answering = True
        try:
            while self._pending and self._taker is not None:
                event = self._pending[0]
                self._echo(event)
                taken = True  # what the taker fails at does not stand in the way of what follows
                try:
                    taken = self._taker(event)
                finally:
                    if taken:
                        self._pending.popleft()
                        if not self._pending:
                            self._read_on.release()
                if not taken:
                    break
        finally:
            self._answering = False
        self._draw()

    def _echo(self, event: InputEvent) -> None:
        """Finish the row of a typed line."""
        if self._mode is None:
            self._drawn = ""  # the terminal itself went on to the next row
        elif isinstance(event, Line):
            shown = "".join(c if c.isprintable() else _NO_CHARACTER for c in event.text)
            self._write(self._becoming(self._prompt + shown) + "\n")
            self._drawn = ""
        else:
            self._write(self._becoming(""))

    def close(self) -> None:
        """Stop reading, take the prompt away, leave the terminal as it was."""
        self._taker = None
        self._answering = True  # nothing is drawn any more
        self._write(self._becoming(""))
        if self._mode is not None:
            self._mode.end()
            self._mode = None

    def _read(self) -> None:
        """In the thread. Unbuffered, since a thread that holds a buffer's lock when the program
        ends would crash the interpreter."""
        raw = getattr(getattr(self._stdin, "buffer", None), "raw", None)
        while True:
            try:
                data = raw.read(_CHUNK) if raw is not None else b""
            except (OSError, ValueError):
                data = b""  # EIO: the terminal is gone
            if data is None:  # somebody made it non-blocking; without this the loop would spin
                data = b""
            self._call_in_main(self._received, data)
            if not data:
                return
            self._read_on.acquire()

    def _received(self, data: bytes) -> None:
        events = self._input.feed(data)
        self._pending.extend(events)
        if events:
            self.offer()
        else:
            self._draw()
            self._read_on.release()

    def _redraw(self) -> None:
        """After the program was stopped and continued."""
        self._drawn = ""
        self._draw()


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person may sit there."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


class _KeyMode:
    """A terminal that hands over each key and echoes none, until ``end``."""

    def __init__(self, fd: int, before: list[Any], redraw: Callable[[], None]) -> None:
        self._fd = fd
        self._before = before
        self._redraw = redraw

    @classmethod
    def begin(cls, fd: int, redraw: Callable[[], None]) -> _KeyMode | None:
        """None where there is no termios, or it is not possible on this terminal."""
        if sys.platform == "win32":
            return None
        import termios

        try:
            mode = cls(fd, termios.tcgetattr(fd), redraw)
            mode._enter()
        except (termios.error, OSError):
            return None
        atexit.register(mode._restore)
        signal.signal(signal.SIGTSTP, mode._stop)
        signal.signal(signal.SIGCONT, mode._continued)
        return mode

    def end(self) -> None:
        if sys.platform != "win32":
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            signal.signal(signal.SIGCONT, signal.SIG_DFL)
        self._restore()
        atexit.unregister(self._restore)

    def _enter(self) -> None:
        if sys.platform == "win32":
            return
        import termios

        mode = termios.tcgetattr(self._fd)
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def _restore(self) -> None:
        if sys.platform == "win32":
            return
        import termios

        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(self._fd, termios.TCSANOW, self._before)

    def _stop(self, number: int, _: object) -> None:
        """Ctrl-Z: stop with the terminal as it was."""
        if sys.platform == "win32":
            return
        self._restore()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # goes on here after SIGCONT
        signal.signal(signal.SIGTSTP, self._stop)

    def _continued(self, number: int, _: object) -> None:
        """Go on in key mode, whoever stopped us: what the shell has made of the terminal meanwhile
        is for its own lines. In the background the terminal is not ours; the shell says so again
        when it is."""
        if sys.platform == "win32":
            return
        import termios

        with contextlib.suppress(termios.error, OSError):
            if os.tcgetpgrp(self._fd) == os.getpgrp():
                self._enter()
                self._redraw()
