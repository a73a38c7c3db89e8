"""Starts programs whose imports are already done: it forks them instead of running a new
interpreter.

`python -m tests.cli.fork_server FD` imports the program. For each request on the socket FD, it then
forks a process that becomes `python -m cli ...`. That saves half a second of imports each time,
several hundred times a run. Only tests/cli/started.py sends requests.

House rules

1. Programs share only imports and constant tables, never state: this process installs no reactor,
   loads no group, keeps no file open and starts no thread. A program that this would change gets a
   new interpreter.
2. A forked process is what exec would give: only its own three files, its arguments,
   environment, folder, default signals, Python's buffering of streams, and the interpreter's own
   exit. It is a child of the process that requested it, which waits for it and kills it as usual.
3. One exception to 2: `practice` deals the same hands to the same options, so that no test fails
   because the bot knocked on its first turn. Two players never get the same randomness this way.
4. Another exception to 2: when a process ends, it doesn't tear down the shared modules. That took
   half the time of a short command.
5. The server ends when the other end of its socket closes.
"""

from __future__ import annotations

import atexit
import ctypes
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
"""Modules that the program imports only inside functions."""

LENGTH = struct.Struct("!I")
FILES = 3


def ask(server: socket.socket, order: dict[str, Any], files: list[int]) -> int:
    """Ask the server to start a process with these standard files; return its process ID."""
    written = json.dumps(order).encode()
    socket.send_fds(server, [LENGTH.pack(len(written))], files)
    server.sendall(written)
    return int(_line(server))


def serve(connection: socket.socket) -> dict[str, Any] | None:
    """Fork a process for each request. Return the request in each child, and None in the server
    when the connection closes."""
    while True:
        head, files, _, _ = socket.recv_fds(connection, LENGTH.size, FILES)
        if not head:
            return None
        order: dict[str, Any] = json.loads(_exactly(connection, LENGTH.unpack(head)[0]))
        between = os.fork()
        if between == 0:
            # This intermediate child ends at once, so that the test process, which adopts orphans,
            # becomes the parent of the next.
            child = os.fork()
            if child:
                connection.sendall(str(child).encode())
                os._exit(0)
            connection.close()
            _take_over(files, order)
            return order
        for file in files:
            os.close(file)
        os.waitpid(between, 0)
        connection.sendall(b"\n")  # the process has been adopted


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


def make_tables() -> None:
    """Make the tables that every bot and every analysis would otherwise make itself."""
    from ginpeer import names
    from ginpeer.adviser import observation, value_model
    from ginpeer.rules import melds

    value_model.values_for("standard")
    value_model._chances(False)
    observation.neighbours(melds.ORDINARY)
    names.prototypes()


def _take_over(files: list[int], order: dict[str, Any]) -> None:
    """Set up files, folder, environment and signals as execve() and a new interpreter would."""
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
    if order["umask"] != -1:
        os.umask(order["umask"])
    sys.argv[1:] = order["arguments"]
    if "practice" in sys.argv:
        os.urandom = insecure_urandom(" ".join(sys.argv[sys.argv.index("practice") :]))
    sys.stdin = _stream(0, sys.stdin, False)
    sys.stdout = _stream(1, sys.stdout, unbuffered)
    sys.stderr = _stream(2, sys.stderr, unbuffered)


def _stream(number: int, ours: Any, unbuffered: bool) -> io.TextIOWrapper:
    """Open a standard stream as Python does (pylifecycle.c), with the encoding of *ours*."""
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


def _keep_modules() -> None:
    """Keep the interpreter from tearing down the modules when it ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(dict(sys.modules)))
    sys.modules.clear()


def main(file: int) -> None:
    atexit.register(_keep_modules)  # before the modules register functions, so that it runs last
    # Ctrl-C is for the tests and the programs that they start.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = socket.socket(fileno=file)
    import_all()
    make_tables()
    gc.collect()
    gc.freeze()  # so that memory pages stay shared
    if serve(connection) is not None:
        runpy.run_module("cli", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
