"""Programs that begin with everything imported: forked, where others are started from nothing.

`python -m tests.cli.fork_server FD` imports the program and then forks, as often as it is asked to
on that socket, a process that becomes `python -m cli ...`. That saves half a second of imports each
time, and there are several hundred times. tests/cli/started.py asks; nothing else needs to know.

# House rules
#
# 1. Only imports are shared, and nothing that a run makes: no reactor is installed here, no group
#    loaded, no file opened, no thread started. Whatever would differ is started from nothing.
# 2. What is forked is what exec would give: its own three files and no other, arguments,
#    environment, folder, signals as at a start, streams buffered as Python does, its end through
#    the interpreter's own. And it is a child of who asked, who waits for it and kills it as usual.
# 3. One exception to 2: `practice` deals the same hands to the same options, so that no test fails
#    because the bot knocked on its first turn. Two players never get the same randomness this way.
# 4. Whoever asks holds the other end of the socket. When that closes, this ends.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import signal
import socket
import struct
import sys
import termios
from typing import Any

from tests.goldens.seeded import insecure_urandom

SHARED = ("protocol", "ginpeer", "cli")
LATE = ("twisted.internet.asyncioreactor", "encodings.idna", "getpass", "stringprep", "traceback")
"""What the program imports in the middle of a function, and no module of it at its head."""

LENGTH = struct.Struct("!I")
FILES = 3


def ask(server: socket.socket, order: dict[str, Any], files: list[int]) -> int:
    """The number of a new process with these standard files; called by who holds the other end."""
    written = json.dumps(order).encode()
    socket.send_fds(server, [LENGTH.pack(len(written))], files)
    server.sendall(written)
    return int(_line(server))


def serve(connection: socket.socket) -> dict[str, Any] | None:
    """Fork what is asked for. Returns in each child, with its order, and at the end, with None."""
    while True:
        head, files, _, _ = socket.recv_fds(connection, LENGTH.size, FILES)
        if not head:
            return None
        order: dict[str, Any] = json.loads(_exactly(connection, LENGTH.unpack(head)[0]))
        between = os.fork()
        if between == 0:
            # Its parent ends at once, so that who asked, which adopts orphans, is its parent.
            child = os.fork()
            if child:
                connection.sendall(str(child).encode())
                os._exit(0)
            connection.close()
            _stand_on(files, order)
            return order
        for file in files:
            os.close(file)
        os.waitpid(between, 0)
        connection.sendall(b"\n")  # only now is it adopted


def import_all() -> None:
    for package in SHARED:
        for module in pkgutil.walk_packages(
            importlib.import_module(package).__path__, f"{package}."
        ):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)
    for name in LATE:
        importlib.import_module(name)
    if "twisted.internet.reactor" in sys.modules:
        raise RuntimeError("a reactor would be shared")


def _stand_on(files: list[int], order: dict[str, Any]) -> None:
    """What execve() and the start of an interpreter do."""
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.closerange(FILES, max(files) + 1)
    if order["terminal"] is not None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        termios.tcsetwinsize(0, order["terminal"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unbuffered = bool(order["environ"].get("PYTHONUNBUFFERED"))
    os.environ.clear()
    os.environ.update(order["environ"])
    os.chdir(order["folder"])
    sys.argv[1:] = order["arguments"]
    if "practice" in sys.argv:
        os.urandom = insecure_urandom(" ".join(sys.argv[sys.argv.index("practice") :]))
    sys.stdin = _stream(0, sys.stdin, False)
    sys.stdout = _stream(1, sys.stdout, unbuffered)
    sys.stderr = _stream(2, sys.stderr, unbuffered)


def _stream(number: int, ours: Any, unbuffered: bool) -> io.TextIOWrapper:
    """As Python opens it, in the encoding that it has chosen for ours (pylifecycle.c)."""
    mode, buffering = ("wb", 0 if unbuffered else -1) if number else ("rb", -1)
    file = open(number, mode, buffering, closefd=False)  # noqa: SIM115, as it is never closed
    return io.TextIOWrapper(
        file,
        ours.encoding,
        ours.errors,
        newline="\n",
        line_buffering=not unbuffered and (file.isatty() or number == 2),
        write_through=unbuffered and number > 0,
    )


def _line(connection: socket.socket) -> str:
    read = b""
    while not read.endswith(b"\n"):
        read += _exactly(connection, 1)
    return read.decode()


def _exactly(connection: socket.socket, length: int) -> bytes:
    read = b""
    while len(read) < length:
        more = connection.recv(length - len(read))
        if not more:
            raise ConnectionError("the other end is gone")
        read += more
    return read


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the tests, and for what they start
    _connection = socket.socket(fileno=int(sys.argv[1]))
    import_all()
    gc.collect()
    gc.freeze()  # what is shared stays shared
    if serve(_connection) is not None:
        runpy.run_module("cli", run_name="__main__", alter_sys=True)
