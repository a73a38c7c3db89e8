"""The terminal or the pipes of this process: whole lines out, whole lines in. Also the bell and
the window title, which call a player who is looking elsewhere.

House rules

1. All output goes through one Console, from one thread. On a terminal it knows the prompt and
   what has been typed after it, so it prints news above them and nothing is garbled.
2. Reading blocks a daemon thread and nothing else, on every system, even for pipes. The reactor's
   thread receives what was read. The next read waits until all of that has been handled, so a pipe
   that never ends costs one chunk of memory.
3. Whatever ends the program, the terminal is left as it was found.
4. Output that can't be written (to a closed pipe, say) is reported once; after that, nothing is
   written. The report never comes from within `print`, whose callers don't expect it to end
   anything.
5. A title is an AlertState, so it never contains a peer's words, a name or a card: a window
   manager, a shell and anybody looking over the player's shoulder can read it. Pipes get no title,
   nor does a terminal that might print the codes as letters. At the end the title is cleared, and
   the terminal restores the old one if it saved it.
6. The bell rings once for a question. It stays silent when the question is asked again after a
   typed line, or after a lost player has come back.

Keys are read one by one (KeyMode) only if input and output are a terminal, and not a dumb one.
Otherwise (Windows, TERM=dumb, Emacs) the terminal edits its own lines with its own keys and, on
Windows, its own history. It keeps what is being typed while news arrives, and we read whole lines.
News begins below the prompt, which is printed again below the news. If nothing is asked, there is
no prompt, and news may appear on the line where somebody is typing.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Any, TextIO

from cli.terminal.line_input import (
    Complete,
    CompletionList,
    EditorEvent,
    InputEvent,
    Key,
    LineEditor,
    LineSplitter,
    Redraw,
    TypedLine,
)
from cli.terminal.output import (
    BLANK,
    PromptLine,
    fills_row,
    fit_to_screen,
    redraw_codes,
    visible,
    width_of,
    with_cursor_at_end,
    wrap_line,
)

if sys.platform != "win32":
    import termios

_CHUNK = 16 * 1024
_ROOM = 20  # columns to leave for what is typed after a question
_SHORTEST_STOP = 0.05  # seconds; if we continue sooner, no shell has stopped us
_ERASE_ROW_AND_BELOW = "\r\x1b[J"
_RULE, _PLAIN_RULE = "──", "--"


class Console:
    """The input and the output of this process. *call_in_main* makes the main thread run a call
    (reactor.callFromThread). `interactive`: whether input and output are a person's terminal."""

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
        """Why output can't be written any more; None while it can."""
        self._stdin = stdin
        self._call_in_main = call_in_main
        self.kind = environ.get("TERM", "")  # the terminal's type, from TERM; "" if unknown
        self._prompt = ""
        self._before_prompt: list[str] = []  # the rows of the question above the prompt
        self._drawn = BLANK  # the prompt and typed text on the last rows
        self._spoilt = False  # whether another program has written on those rows
        self._input: LineSplitter | LineEditor = LineSplitter()
        self._mode: KeyMode | None = None
        self._read_on = threading.Semaphore(0)
        self._coming: Iterator[EditorEvent] = iter(())  # events of what has been read
        self._reader_waits = False
        self._pending: deque[EditorEvent] = deque()
        self._taker: Callable[[InputEvent], bool] | None = None
        self._answering = False
        self._on_broken: Callable[[], None] = lambda: None

    @property
    def terminal_gone(self) -> bool:
        """Whether a person's terminal has been closed."""
        if not self.interactive or self._stdin is None:
            return False
        try:
            return self.broken is not None or not os.isatty(self._stdin.fileno())
        except (OSError, ValueError):
            return True

    @property
    def in_foreground(self) -> bool:
        """Whether we may read. A background program is stopped if it reads from its terminal."""
        if sys.platform == "win32" or not is_terminal(self._stdin) or self._stdin is None:
            return True
        try:
            return os.tcgetpgrp(self._stdin.fileno()) == os.getpgrp()
        except OSError:
            return False

    # --- output ------------------------------------------------------------------------

    def print(self, *lines: str, whole: bool = False) -> None:
        """Write whole lines, above the prompt if there is one. On a terminal they are wrapped
        between words. *whole*: don't wrap them, because the player may copy them."""
        if self.interactive and not whole:
            lines = tuple(wrap_line(line, self._columns()) for line in lines)
        if lines and not self._answering:  # the rows of the open question stay together
            lines = (*lines, *self._before_prompt)
        if lines:
            self._write(self._becoming(BLANK) + "".join(f"{line}\n" for line in lines))
            self._draw()

    def prompt(self, prompt: str) -> None:
        """Show this prompt from now on; "" shows none. Pipes get no prompts.

        If it is wider than the terminal, its first rows are printed, once for each question, and
        the last row is the prompt. If that leaves hardly any room to type, the prompt is only what
        follows the last colon.
        """
        if not self.interactive:
            return
        asked = prompt.rstrip(" ")
        rows, end = wrap_line(asked, self._columns()).split("\n"), prompt[len(asked) :]
        shown, colon, question = rows[-1].rpartition(": ")
        if colon and self._columns() - width_of(rows[-1] + end) < _ROOM:
            rows[-1:] = [f"{shown}:", question]
        before, self._prompt = rows[:-1], rows[-1] + end
        if before != self._before_prompt:
            self._before_prompt = []
            self.print(*before, whole=True)
            self._before_prompt = before
        self._draw()

    def ruled(self, text: str) -> str:
        encoding = getattr(self.stdout, "encoding", None) or "ascii"
        try:
            rule = _RULE.encode(encoding).decode(encoding)
        except (UnicodeEncodeError, LookupError):
            rule = _PLAIN_RULE
        return f"{rule} {text} {rule}"

    def signal(self, codes: str) -> None:
        """Write codes that take up no space, like a bell or a title. Pipes don't get them."""
        if self.interactive:
            self._write(codes)

    def _draw(self) -> None:
        """Show the prompt and the text typed after it, unless a line is being answered."""
        if self._answering:
            return
        line = PromptLine(self._prompt)
        if isinstance(self._input, LineEditor):
            size = shutil.get_terminal_size()
            line = fit_to_screen(self._prompt, self._input.text, self._input.at, *size)
        self._write(self._becoming(line))

    def _becoming(self, new: PromptLine) -> str:
        """Return the codes that turn the last rows into *new*, and record *new* as drawn."""
        old, self._drawn = self._drawn, new
        if self._spoilt:
            self._spoilt = False
            return _ERASE_ROW_AND_BELOW + redraw_codes(BLANK, new, self._columns())
        if new == old:
            return ""
        if self._mode is None:  # the text typed there is unknown, so it stays
            return new.prompt if old == BLANK else f"\n{new.prompt}"
        return redraw_codes(old, new, self._columns())

    def _columns(self) -> int:
        return max(1, shutil.get_terminal_size().columns)

    def _write(self, text: str) -> None:
        if self.broken is not None:
            return
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except (OSError, ValueError) as error:  # ValueError: the stream was closed
            self.broken = error
            # In a later turn of the event loop: the caller of `print` expects no end (rule 4).
            self._call_in_main(self._on_broken)

    # --- input -------------------------------------------------------------------------

    def start(
        self,
        taker: Callable[[InputEvent], bool],
        on_broken: Callable[[], None],
        *,
        complete: Complete = lambda text: None,
        instead: Mapping[Key, str] = {},
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start reading. *taker* gets each event in order and returns whether it took the event; if
        not, the next `offer` begins with the same event. If *taker* raises an error, the event is
        dropped, and the rest is offered in a later turn of the event loop. *on_broken* is called
        once nothing can be written any more. *complete*: how Tab completes a line. *instead*: the
        lines that single keys enter while nothing has been typed. *seconds*: returns the time."""
        self._taker = taker
        self._on_broken = on_broken
        encoding = getattr(self._stdin, "encoding", None) or "utf-8"
        has_keys = self.interactive and self.kind not in ("", "dumb") and sys.platform != "win32"
        if has_keys and self._stdin is not None:
            with contextlib.suppress(termios.error):
                self._mode = KeyMode(
                    self._stdin.fileno(), lambda: self._call_in_main(self._stop), self._on_continue
                )
        if self._mode is None:
            self._input = LineSplitter(encoding)
        else:
            self._input = LineEditor(encoding, complete, instead, seconds)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()
        self._draw()
        if self.broken is not None:  # output failed before, when there was nobody to tell
            self._call_in_main(on_broken)

    @property
    def takes_keys(self) -> bool:
        """Whether keys are read one by one, so that we know when a line was begun."""
        return isinstance(self._input, LineEditor)

    @property
    def half_typed(self) -> str:
        """What has been typed since the last Enter; "" if a terminal edits its own lines."""
        return self._input.text if isinstance(self._input, LineEditor) else ""

    def clear_typed(self) -> bool:
        """Erase the half-typed line, as a shell does on Ctrl-C, and return whether there was one. A
        terminal that edits its own lines has already erased the line, without our knowledge."""
        if not isinstance(self._input, LineEditor) or not self._input.text:
            return False
        self._input.clear()
        self._draw()
        return True

    def stop_obeying(self, answer: Callable[[], None]) -> None:
        """From now on, only call *answer* for each typed line that isn't empty."""

        def take(event: InputEvent) -> bool:
            if isinstance(event, TypedLine) and event.text.strip():
                answer()
            return True

        self._taker = take

    def offer(self) -> None:
        if self._answering:
            return  # called from within a taker; the loop below continues anyway
        self._answering = True
        try:
            self._obey_waiting()
        except BaseException:
            # However the error is handled, the later events must still be obeyed.
            self._call_in_main(self.offer)
            raise
        finally:
            if self._reader_waits and self._next() is None:
                self._reader_waits = False
                self._read_on.release()
            self._answering = False
        self._draw()

    def _obey_waiting(self) -> None:
        """Act on the waiting events in order, until one has to wait longer. If the taker raises an
        error, drop that event and pass on the error."""
        while self._taker is not None and (event := self._next()) is not None:
            taken = True
            try:
                match event:
                    case CompletionList(words):
                        self.print(", ".join(words))
                    case Redraw():
                        self._write(self._becoming(BLANK))
                    case _:
                        self._finish_row(event)
                        taken = self._taker(event)
            finally:
                if taken:
                    self._pending.popleft()
            if not taken:
                return

    def _next(self) -> EditorEvent | None:
        """Return the first waiting event. Input becomes events one at a time, so that each key
        takes effect after the line before it has been obeyed."""
        if not self._pending:
            self._pending.extend(islice(self._coming, 1))
        return self._pending[0] if self._pending else None

    def _finish_row(self, event: InputEvent) -> None:
        self._before_prompt = []
        if not isinstance(self._input, LineEditor):
            self._drawn = BLANK  # the terminal itself has moved to the next row
        elif isinstance(event, TypedLine):
            line = with_cursor_at_end(PromptLine(self._prompt, visible(event.text)))
            last = "" if fills_row(line, self._columns()) else "\n"
            self._write(self._becoming(line) + last)
            self._drawn = BLANK
        else:
            self._write(self._becoming(BLANK))

    def keep(self, line: str) -> None:
        """Add this line to the history."""
        if isinstance(self._input, LineEditor):
            self._input.history.keep(line)

    def close(self) -> None:
        """Stop reading, remove the prompt, and leave the terminal as it was."""
        self._taker = None
        self._answering = True  # nothing is drawn any more
        self._write(self._becoming(BLANK))
        if self._mode is not None:
            self._mode.end()
            self._mode = None

    def restore(self) -> None:
        """Leave the terminal as it was found, without writing. This is for a signal that ends the
        program, maybe in the middle of a write."""
        if self._mode is not None:
            self._mode.restore()

    def _read(self) -> None:
        """Read, in the daemon thread. Reading is unbuffered, because a thread that holds a buffer's
        lock when the program ends would crash the interpreter."""
        raw = getattr(getattr(self._stdin, "buffer", None), "raw", None)
        if sys.platform != "win32":  # otherwise a background read stops us, even when we should end
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTIN})
        while True:
            try:
                data = raw.read(_CHUNK) if raw is not None else b""
                if data == b"" and type(raw).__name__ == "_WindowsConsoleIO":
                    continue  # here, Ctrl-C looks like the end of input; the main thread gets it
            except (OSError, ValueError):  # EIO: the terminal is gone, or belongs to a shell
                if not self.in_foreground:
                    self._call_in_main(self._wait_for_foreground)
                    self._read_on.acquire()
                    continue
                data = b""
            data = data or b""  # None if the stream was made non-blocking: don't spin
            self._call_in_main(self._received, data)
            if not data:
                return
            self._read_on.acquire()

    def _received(self, data: bytes) -> None:
        self._coming = iter(self._input.feed(data))
        self._reader_waits = True
        self.offer()

    # --- stopping and continuing ---------------------------------------------------------

    def _stop(self) -> None:
        """Stop on Ctrl-Z. What the shell prints appears below the typed text."""
        if self._mode is not None:
            self._write(self._becoming(with_cursor_at_end(self._drawn)))
            self._mode.stop()
            self._draw()

    def _wait_for_foreground(self) -> None:
        """Stop, as a background program that reads from the terminal does. If no shell can continue
        us, or if we were told to end (cli.match.process), report the end of the input instead."""
        if sys.platform == "win32":
            return
        since = time.monotonic()
        os.kill(os.getpid(), signal.SIGTTIN)  # returns here after SIGCONT
        if time.monotonic() - since < _SHORTEST_STOP:
            self._received(b"")
        else:
            self._read_on.release()

    def _on_continue(self) -> None:
        """Redraw, because another program may have written. Called from a signal handler."""
        self._spoilt = True
        self._call_in_main(self._draw)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a person may be at this stream."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


# --- key mode ---------------------------------------------------------------------------


class KeyMode:
    """Makes a terminal pass on each key and echo none (termios without ICANON and ECHO), until
    `end`, even if the program is stopped and continued.

    A signal handler never changes the screen, because the signal may come in the middle of a write.
    It leaves that to the main loop.
    """

    def __init__(
        self, fd: int, on_stop: Callable[[], None], on_continue: Callable[[], None]
    ) -> None:
        """Switch the terminal to key mode. Raises termios.error if that isn't possible.

        *on_stop* is called on Ctrl-Z, and must let the main loop call `stop`. *on_continue* is
        called when the program continues after any stop and has the terminal back. Both are called
        from a signal handler.
        """
        self._fd = fd
        self._on_stop = on_stop
        self._on_continue = on_continue
        self._before = termios.tcgetattr(fd)
        self._enter()
        atexit.register(self.restore)
        signal.signal(signal.SIGTSTP, self._on_sigtstp)
        signal.signal(signal.SIGCONT, self._on_sigcont)

    def end(self) -> None:
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.signal(signal.SIGCONT, signal.SIG_DFL)
        self.restore()
        atexit.unregister(self.restore)

    def stop(self) -> None:
        """Stop the program, with the terminal as it was found. Return when the program continues,
        or at once if no shell could continue it."""
        self.restore()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # returns here after SIGCONT
        signal.signal(signal.SIGTSTP, self._on_sigtstp)
        self._take_back()

    def _enter(self) -> None:
        mode = termios.tcgetattr(self._fd)
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSANOW, mode)

    def restore(self) -> None:
        """Leave the terminal as it was found. A signal handler may call this. If we are in the
        background, the terminal stays as the shell has set it."""
        if not self._is_the_shells():
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._fd, termios.TCSANOW, self._before)

    def _is_the_shells(self) -> bool:
        try:
            return os.tcgetpgrp(self._fd) != os.getpgrp()
        except OSError:  # gone, or not a terminal with a foreground
            return False

    def _take_back(self) -> bool:
        """Enter key mode again, no matter what the shell has set. Return False in the background,
        because the terminal isn't ours; the shell sends another signal when it is."""
        try:
            if os.tcgetpgrp(self._fd) != os.getpgrp():
                return False
            self._enter()
        except (termios.error, OSError):
            return False
        return True

    def _on_sigtstp(self, number: int, _: object) -> None:
        self._on_stop()

    def _on_sigcont(self, number: int, _: object) -> None:
        if self._take_back():
            self._on_continue()


# --- the bell and the window title ------------------------------------------------------

LONG = 2.0  # after waiting for this many seconds, a player may be looking elsewhere

_BELL = "\a"
# Operating system command 2, the window title, ended by ST (xterm control sequences). BEL would end
# it, too, but would ring on terminals that don't understand the rest.
_TITLE = "\x1b]2;{}\x1b\\"
_SAVE_TITLE, _RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"  # save and restore the title

_TITLELESS = re.compile(r"$|dumb|unknown|network|ansi|linux|fbterm|cons\d|vt\d|sun|eterm|emacs")
"""Terminal types (TERM) without a window title, such as consoles and terminals inside editors."""


class AlertState(Enum):
    """Whether our player is being asked something. The value is the window title."""

    NOTHING = "waiting - ginpeer"
    QUESTION = "a question - ginpeer"
    TURN = "your turn - ginpeer"


@dataclass(eq=False)
class Alerts:
    """Rings the bell for a question, and sets the window title."""

    _console: Console
    _seconds: Callable[[], float]

    def __post_init__(self) -> None:
        self._asked = AlertState.NOTHING
        self._since = self._seconds()  # when the time without a question began
        self._titled = False
        self._last: object = None  # the last question that was asked

    def update(self, asked: AlertState, question: object = None, *, bell: bool) -> None:
        """Set what is being asked. Equal *question* values mean the same question. *bell*: whether
        the bell may ring."""
        before, self._asked = self._asked, asked
        if asked is AlertState.NOTHING and before is not asked:
            self._since = self._seconds()
        waited = before is AlertState.NOTHING and self._seconds() - self._since >= LONG
        news = question is None or question != self._last
        if waited and asked is not AlertState.NOTHING and news and bell:
            self._console.signal(_BELL)
        if asked is not AlertState.NOTHING:
            self._last = question
        changes = before is not asked or not self._titled
        if changes and _TITLELESS.match(self._console.kind) is None:
            save = "" if self._titled else _SAVE_TITLE
            self._titled = True
            self._console.signal(save + _TITLE.format(asked.value))

    def answered(self) -> None:
        """Treat whatever is asked next as a new question, because our player has answered."""
        self._last = None

    def close(self) -> None:
        if self._titled:
            self._console.signal(_TITLE.format("") + _RESTORE_TITLE)
            self._titled = False
