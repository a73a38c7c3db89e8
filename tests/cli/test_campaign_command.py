"""The real command against hostile names (case 42 of tests/campaign/cases.txt).

In every case, it ends with a documented status, prints at most one line of error and no traceback,
and changes nothing outside its own folder.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import main
from ginpeer.store.log import log_bytes, read_log
from tests.cli.started import run as run_command
from tests.cli.table.script import PATIENCE, ginpeer
from tests.matches.recorded_logs import path_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")

USAGE, INCOMPLETE, ENDED_EARLY = 2, 3, 4

# Files that the command may create in its folder: some have fixed names, and those of matches are
# named after their table. No name comes from a person.
OURS = re.compile(
    r"(bot/)?(\.gitignore|[a-z_]+\.[a-z]+|matches(/[0-9a-f]{16}(\.evidence(-\d)?)?\.[a-z]+)?)|bot"
)
HOSTILE = {
    "parent": "../../etc/passwd",
    "through a folder": "matches/../../nowhere/log",
    "home": "~/log",
    "overlong": "a" * 300,
    "longer than a path": "b/" * 3_000,
    "nothing": "",
    "a folder": ".",
    "dots": "..",
    "escape": "\x1b[2J\x1b]0;gone\x07",
    "not text": b"\xff\xfe".decode("utf-8", "surrogateescape"),
    "a line": "x\nevent end code=finished",
    "a zero byte": "log\0.txt",  # only a program that calls main can pass this
}


def tree(folder: Path) -> dict[str, bytes | None]:
    """Return everything below a folder, with the bytes of its files."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def workspace(tmp_path):
    """Return a folder with a home, a file outside of it, and a current folder for the command."""
    for name in ("home", "outside", "start/matches"):
        (tmp_path / name).mkdir(parents=True)
    entries = read_log(path_of("one-hand")).entries[:3]
    (tmp_path / "outside" / "log").write_bytes(log_bytes(entries))
    return tmp_path


def run(workspace, *arguments, input=None):
    """Run the command in this folder, without a keyboard, and capture its output as bytes."""
    return run_command(
        ginpeer(workspace / "home", *arguments),
        cwd=workspace / "start",
        env={**os.environ, "HOME": str(workspace / "start"), "PYTHONPATH": os.getcwd()},
        timeout=PATIENCE,
        input=input,
    )


def all_is_well(done) -> None:
    """Check for at most one line of error, no traceback and no control characters."""
    assert b"Traceback" not in done.stdout + done.stderr
    assert done.stderr.count(b"\n") <= 1
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", done.stdout + done.stderr)


def nothing_is_changed_outside(workspace, before) -> None:
    after = tree(workspace)
    outside = {name: data for name, data in after.items() if not name.startswith("home/")}
    assert outside == {name: data for name, data in before.items() if not name.startswith("home/")}
    made = {name.removeprefix("home/") for name in after if name.startswith("home/")}
    assert not {name for name in made if not OURS.fullmatch(name)}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.deep(keep=3)
def test_no_log_name_makes_a_command_crash_or_write(workspace, capfdbinary, monkeypatch, name):
    """To save time, these commands run in this process. The tests below run real ones."""
    monkeypatch.chdir(workspace / "start")
    before = tree(workspace)
    for command in ("verify", "replay", "tally", "resume"):
        status = main(["--home", str(workspace / "home"), command, HOSTILE[name]])
        out, err = capfdbinary.readouterr()
        assert status in (USAGE, ENDED_EARLY), command
        all_is_well(subprocess.CompletedProcess(command, status, out, err))
    nothing_is_changed_outside(workspace, before)


@pytest.mark.parametrize("command", ["verify", "replay", "tally", "resume"])
@pytest.mark.deep(keep=1)
def test_a_log_outside_the_home_can_be_read_but_never_resumed(workspace, command):
    """`verify ../outside/log` reads any file that a person names; `resume` only takes our own
    matches."""
    before = tree(workspace)
    done = run(workspace, command, "../outside/log")
    all_is_well(done)
    assert done.returncode == (USAGE if command == "resume" else INCOMPLETE)
    nothing_is_changed_outside(workspace, before)


@pytest.mark.parametrize("home", ["../outside/log", "no\0where", "x" * 300, "/dev/null/home"])
@pytest.mark.deep(keep=2)
def test_an_impossible_home_gives_one_message(workspace, capfdbinary, monkeypatch, home):
    monkeypatch.chdir(workspace / "start")
    before = tree(workspace)
    for command in (["logs"], ["id"], ["practice"]):
        status = main(["--home", home, *command])
        out, err = capfdbinary.readouterr()
        assert status != 0 or command == ["logs"]
        all_is_well(subprocess.CompletedProcess(command, status, out, err))
    nothing_is_changed_outside(workspace, before)


def test_no_players_name_becomes_a_files_name(workspace, start_script):
    """Both players use a path as their name. The files are still named after the table."""
    before = tree(workspace)
    evil = ["../../outside/log", "/" + "a" * 40 + "/../../log"]
    host = start_script(workspace / "home", "host", "--listen", "127.0.0.1:0", "--name", evil[0])
    guest = start_script(workspace / "other", "join", "--name", evil[1], host.invite())
    assert guest.wait_for("confirm", what="accept")["text"].startswith(f'"{evil[0]}" ')
    guest.send("yes")
    for side in (host, guest):
        side.wait_for("hand")
    assert (guest.end()[1], host.end()[1]) == ("", "")
    after = tree(workspace)
    for name in after:
        folder, _, rest = name.partition("/")
        if folder in ("home", "other"):
            assert not rest or OURS.fullmatch(rest), name
        else:
            assert after[name] == before[name]
    assert sum(name.endswith(".ginlog") for name in after) == 2
