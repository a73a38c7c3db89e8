"""Real commands: none of them prints a secret, or stores it outside its own private file."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cli.match.aftermath import ENDED_EARLY
from cli.program import OUR_FAULT
from ginpeer.net.codes import parse_invite
from ginpeer.store import Home
from tests.cli import started
from tests.cli.table.script import PATIENCE
from tests.cli.table.script import ginpeer as command_line
from tests.matches.secrets import found, of_hand

WORDS = "correct horse battery staple"
RULES = ("--rules", "standard", "target=1")

BROKEN = """
import sys
from cli.main import main
from {module} import {owner}
calls = 0
usual = {owner}.{name}
def broken(*arguments, **named):
    global calls
    calls += 1
    if calls == {at}:
        raise ZeroDivisionError("no such thing")
    return usual(*arguments, **named)
{owner}.{name} = broken
sys.exit(main(sys.argv[1:]))
"""


def secrets_in(home):
    """Return the secrets in a home, by the name of the file that may contain them."""
    secrets = {"identity.pem": Home(home).identity(os.urandom, lambda: WORDS).secret_seed}
    for path in (Home(home).matches).glob("*.seeds"):
        for line in path.read_text().splitlines()[1:]:
            hand, seed = line.split()
            if hand != "0":  # hand 0 is the cut, which discloses each player's part itself
                of_this = of_hand(bytes.fromhex(seed), f"{path.name} {hand}")
                secrets |= {f"{path.name}: {name}": secret for name, secret in of_this.items()}
    return secrets


def leaks(home, secrets):
    """Return (file, secret) for every secret found outside its own file."""
    seen = set()
    for path in home.rglob("*"):
        if path.is_file():
            for name in found(secrets, path.read_bytes()):
                seen.add((path.name, name))
    return {(path, name) for path, name in seen if not name.startswith(path)}


def modes(home):
    return {
        (path.name, stat.S_IMODE(path.stat().st_mode))
        for path in home.rglob("*")
        if stat.S_IMODE(path.stat().st_mode) != (0o700 if path.is_dir() else 0o600)
    }


def test_a_match_prints_and_stores_no_secret_where_it_does_not_belong(tmp_path):
    """Host and guest run with GINPEER_DEBUG=1 and umask 0, and the host's key has a passphrase.
    Afterwards, every command that reads the match runs."""
    words = tmp_path / "words"
    words.write_text(WORDS)
    environ = {
        **os.environ,
        "GINPEER_DEBUG": "1",
        "GINPEER_PASSPHRASE_FILE": str(words),
    }
    homes = tmp_path / "host", tmp_path / "guest"

    def start(at, *arguments):
        command = command_line(homes[at], *arguments)
        pipe = subprocess.PIPE
        return started.start(
            command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=environ, umask=0
        )

    protect = start(0, "id", "--protect").communicate(timeout=PATIENCE)
    both = "--bot", "--disclose", "never"
    host = start(0, "host", *both, *RULES, "--listen", "127.0.0.1:0")
    printed = b""
    while not printed.startswith(b"invite: "):
        printed = host.stdout.readline()
        assert printed
    if sys.platform == "linux":
        assert "Umask:\t0000\n" in Path(f"/proc/{host.pid}/status").read_text()
    invite = printed.decode().removeprefix("invite: ").strip()
    guest = start(1, "join", *both, "--rules", "standard target=1", invite)
    outputs = [*protect, *host.communicate(timeout=PATIENCE), *guest.communicate(timeout=PATIENCE)]
    assert (host.returncode, guest.returncode) == (0, 0), outputs

    (match,) = Home(homes[0]).logs()
    for arguments in (["logs"], ["verify", match.name, "--json"]):
        done = started.run(command_line(homes[0], *arguments), timeout=PATIENCE, env=environ)
        outputs += done.stdout, done.stderr
    assert json.loads(outputs[-2])["verdict"] == "valid"

    shared = {"passphrase": WORDS.encode(), "invite": parse_invite(invite).secret}
    assert found(shared, printed) == {"invite"}  # deliberately, and once
    own = [secrets_in(home) for home in homes]
    for home, of_home in zip(homes, own, strict=True):
        secrets = {**of_home, **shared}
        assert len(secrets) >= 6
        for output in outputs:
            assert found(secrets, output) == set()
        assert leaks(home, secrets) == set()
        if sys.platform != "win32":
            assert modes(home) == set()
    seeds = (homes[1] / "matches" / f"{match.name}.seeds").read_bytes()
    # The search does find secrets.
    assert any("seed" in name for name in found(own[1], seeds))
    plain, sealed = ((home / "identity.pem").read_bytes() for home in reversed(homes))
    assert "identity.pem" in found(own[1], plain)
    assert "identity.pem" not in found(own[0], sealed)


@pytest.mark.parametrize(
    ("module", "owner", "name", "at"),
    [
        ("protocol.crypto", "dleq", "prove", 2),
        ("ginpeer.store", "Journal", "append_seed", 1),
    ],
)
@pytest.mark.deep(keep=1)
def test_a_traceback_contains_no_secret(tmp_path, module, owner, name, at):
    """A program with GINPEER_DEBUG=1 fails in the middle of the deal. Its output, which may be
    attached to a bug report, contains no secret."""
    script = BROKEN.format(module=module, owner=owner, name=name, at=at)
    with subprocess.Popen(
        [sys.executable, "-c", script, "--home", str(tmp_path), "practice", *RULES],
        stdin=subprocess.PIPE,  # never closed, so that the player doesn't leave
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "GINPEER_DEBUG": "1"},
    ) as process:
        printed, errors = process.stdout.read(), process.stderr.read()
    assert process.returncode in (OUR_FAULT, ENDED_EARLY)  # the latter if the error was the bot's
    assert b"Traceback" in errors
    for home in (tmp_path, tmp_path / "bot"):
        secrets = secrets_in(home)
        assert found(secrets, printed) == set()
        assert found(secrets, errors) == set()
