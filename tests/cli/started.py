"""Starts `python -m cli ...` for a test: by tests/cli/fork_server.py if the result is the same,
otherwise in a new interpreter.

Environment variables that Python and its imports read when they start can't affect a forked
program. A start with different values of these variables, of another program, or on a system other
than Linux uses a new interpreter. Tests that need to run code between fork and exec use subprocess,
as test_secrets.py does.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import getpass
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path

from ginpeer.store.small_files import change_settings, read_settings

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "cli"]
SERVER = [sys.executable, "-m", "tests.cli.fork_server"]
READ_AT_THE_START = ("PYTHON", "LC_", "LANG", "LD_", "TZ", "OPENSSL", "MALLOC_", "GINPEER_GROUP")

PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


def start(
    command, *, stdin=None, stdout=None, stderr=None, text=False, env=None, cwd=None, umask=-1
):
    """Start a process as subprocess.Popen does. If *text* is true, use UTF-8 text streams."""
    environ = dict(os.environ if env is None else env)
    streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    if not _forkable(command, environ):
        encoding = "utf-8" if text else None
        return subprocess.Popen(
            command, **streams, text=text, encoding=encoding, env=environ, cwd=cwd, umask=umask
        )
    return Forked(command, *streams.values(), text, environ, cwd, umask)


def run(command, *, timeout, text=False, input=None, env=None, cwd=None):
    """Run a command to its end, as subprocess.run does with captured output."""
    process = start(
        command,
        stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=text,
        env=env,
        cwd=cwd,
    )
    with process:
        try:
            out, errors = process.communicate(input, timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, errors)


class Forked:
    """A process of the fork server, with the part of subprocess.Popen that tests use."""

    def __init__(self, command, stdin, stdout, stderr, text, environ, cwd, umask):
        self.args = command
        self.returncode = None
        with contextlib.ExitStack() as ours:  # closed here once the child has its copies
            files, self.stdin, self.stdout, self.stderr = [], None, None, None
            for number, wanted in enumerate((stdin, stdout, stderr)):
                name = ("stdin", "stdout", "stderr")[number]
                if wanted == subprocess.PIPE:
                    reading, writing = os.pipe()
                    given, kept = (writing, reading) if number else (reading, writing)
                    setattr(self, name, _opened(kept, "rb" if number else "wb", text))
                    ours.callback(os.close, given)
                elif wanted == subprocess.DEVNULL:
                    given = os.open(os.devnull, os.O_RDWR)
                    ours.callback(os.close, given)
                elif wanted == subprocess.STDOUT:
                    given = files[1]
                elif wanted is None:
                    given = number
                else:
                    given = wanted.fileno()
                files.append(given)
            self.pid = fork(command, environ, cwd, files, umask=umask)
        self._text = text

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        if error is not None:
            self.kill()  # or else it might never end, and nobody would see the error
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self.wait()

    def poll(self):
        return self._reaped(os.WNOHANG)

    def wait(self, timeout=None):
        if timeout is None:
            return self._reaped(0)
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(self.args, timeout)
            time.sleep(0.005)
        return self.returncode

    def _reaped(self, options):
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def communicate(self, input=None, timeout=None):
        """Return output and error output; *timeout* counts in seconds once the input is written."""
        read = {}

        def reader(stream):
            thread = threading.Thread(
                target=lambda: read.__setitem__(stream, stream.read()), daemon=True
            )
            thread.start()
            return thread

        readers = [reader(stream) for stream in (self.stdout, self.stderr) if stream is not None]
        if self.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.stdin.write(input or ("" if self._text else b""))
                self.stdin.flush()
            with contextlib.suppress(BrokenPipeError):
                self.stdin.close()
        for thread in readers:
            thread.join(timeout)
            if thread.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout)
        self.wait(timeout)
        for stream in read:
            stream.close()
        return read.get(self.stdout), read.get(self.stderr)


def on_terminal(command, *, env=None, timeout, size=(24, 80)):
    """Start a command on a pseudo-terminal of *size* (lines, columns), as pexpect.spawn does."""
    import pexpect
    from ptyprocess import PtyProcess

    class Spawn(pexpect.spawn):
        def _spawnpty(self, args, **how):
            environ = dict(os.environ if env is None else env)
            if not _forkable(command, environ):
                return super()._spawnpty(args, **how)
            master, slave = os.openpty()
            try:
                pid = fork(command, environ, None, [slave] * 3, size)
            finally:
                os.close(slave)
            return PtyProcess(pid, master)

        def close(self, force=True):
            try:
                super().close(force=force)
            except pexpect.ExceptionPexpect:
                # pexpect waits a tenth of a second for a killed program, which may take longer.
                self.ptyproc.wait()
                super().close(force=force)

    program, *arguments = command
    return Spawn(
        program,
        arguments,
        env=env,
        encoding="utf-8",
        timeout=timeout,
        dimensions=size,
    )


def named(home):
    """Give the player of this home a name, so that nobody is asked for one; return the home."""
    if not read_settings(home).name:
        change_settings(home, name=getpass.getuser())
    return home


def fork(command, environ, cwd, files, terminal=None, umask=-1):
    """Fork a process for this command and return its ID. *terminal*: the size of its terminal.
    *umask*: -1 leaves it unchanged."""
    from tests.cli import fork_server  # only on POSIX

    return fork_server.ask(
        _server(),
        {
            "arguments": command[len(COMMAND) :],
            "environ": environ,
            "folder": str(cwd or os.getcwd()),
            "terminal": terminal,
            "umask": umask,
        },
        files,
    )


def _forkable(command, environ):
    return (
        sys.platform == "linux"
        and list(command[: len(COMMAND)]) == COMMAND
        and _read_at_the_start(environ) == _read_at_the_start(_servers_environ())
    )


def _read_at_the_start(environ):
    return {
        name: value
        for name, value in environ.items()
        if name.startswith(READ_AT_THE_START)
        and name != "PYTHONUNBUFFERED"  # the server sets the buffering itself
        and (name, value) != ("PYTHONPATH", str(ROOT))  # the same as the server's
    }


@cache
def _servers_environ():
    """Return the environment in which the server starts: ours, at the first call."""
    return dict(os.environ)


@cache
def _server():
    """Return our end of the socket to the fork server, which ends when this process does."""
    # Let this process adopt the forked ones, whose parent ends at once.
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no subreaper")
    ours, its = socket.socketpair()
    with its:
        server = subprocess.Popen(
            [*SERVER, str(its.fileno())],
            stdin=subprocess.DEVNULL,
            env=_servers_environ(),
            cwd=ROOT,
            pass_fds=[its.fileno()],
        )
    atexit.register(lambda: (ours.close(), server.wait(30)))
    return ours


def _opened(file, mode, text):
    return open(file, mode.removesuffix("b"), encoding="utf-8") if text else open(file, mode)
