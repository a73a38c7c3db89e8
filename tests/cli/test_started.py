"""A forked program has the same process state as one started by a new interpreter."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.cli import started
from tests.cli.table.script import PATIENCE, Script, ginpeer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="started from nothing there")

SAME = ("Umask", "PPid", "SigIgn", "CapEff", "NoNewPrivs")


def position(pid):
    """Return what the kernel reports about this process."""
    at = Path(f"/proc/{pid}")
    told = dict(line.split(":\t", 1) for line in (at / "status").read_text().splitlines())
    files = sorted(path.name for path in (at / "fd").iterdir())
    groups = os.getpgid(pid) == os.getpgrp(), os.getsid(pid) == os.getsid(0)
    limits = (at / "limits").read_text()
    caught = int(told["SigCgt"], 16) & 0x7FFF_FFFF  # higher bits are libc's own, used with threads
    return (
        {name: told[name] for name in SAME},
        caught,
        files,
        groups,
        limits,
        os.readlink(at / "cwd"),
    )


@pytest.mark.deep
def test_a_forked_program_has_the_same_files_signals_groups_and_parent(tmp_path, monkeypatch):
    seen = []
    for name in ("forked", "started"):
        script = Script(tmp_path / name, "host", "--listen", "127.0.0.1:0")
        try:
            script.wait_for("listening")
            assert ("fork_server" in cmdline(script.process.pid)) == (name == "forked")
            seen.append(position(script.process.pid))
            script.process.send_signal(signal.SIGKILL)
            assert script.process.wait(PATIENCE) == -signal.SIGKILL
        finally:
            script.kill()
        monkeypatch.setattr(started, "_forkable", lambda command, environ: False)
    assert seen[0] == seen[1]
    assert seen[0][0]["PPid"] == str(os.getpid())


def cmdline(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " ")


@pytest.mark.parametrize("name", ["PYTHONOPTIMIZE", "LC_ALL", "GINPEER_GROUP"])
def test_a_program_that_needs_a_fresh_start_is_never_forked(name):
    command = ginpeer("home", "logs")
    assert started._forkable(command, dict(os.environ))
    assert not started._forkable(command, {**os.environ, name: "other"})
    assert not started._forkable([sys.executable, "-c", "pass"], dict(os.environ))
