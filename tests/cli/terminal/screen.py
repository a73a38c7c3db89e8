"""A pseudo-terminal in this process, with its input and all of its output."""

import contextlib
import os
import threading


class Screen:
    """A terminal that edits lines itself. ``stdin`` and ``stream`` are the program's ends."""

    def __init__(self, columns):
        import termios

        self._master, self._slave = os.openpty()
        termios.tcsetwinsize(self._slave, (24, columns))
        self.stream = open(self._slave, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        self.stdin = open(self._slave, encoding="utf-8", closefd=False)  # noqa: SIM115
        self._read = b""
        self._awaited, self._then = b"", ""
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()

    def _collect(self):
        with contextlib.suppress(OSError):  # EIO: the last writer has closed its end
            while data := os.read(self._master, 65_536):
                self._read += data
                if self._then and self._awaited in self._read:
                    self.type(self._then)
                    self._then = ""

    def type(self, text):
        os.write(self._master, text.encode())

    def type_after(self, awaited, text):
        """Type this once the output contains *awaited*, however long that takes."""
        self._awaited, self._then = awaited.encode(), text

    def text(self):
        """Close the terminal. Return everything that it showed, including the echo."""
        self.stdin.close()
        self.stream.close()
        os.close(self._slave)
        self._reader.join(10)
        os.close(self._master)
        return self._read.decode().replace("\r\n", "\n")
