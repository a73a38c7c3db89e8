"""Help, invites and replies, and the simulator's traces under fixed seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cli.parser import HELP
from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, Invite, Reply
from protocol.crypto.identity import IdentityKey
from tests.goldens.forms import run
from tests.matches.table_pair import seeded_rng
from tests.simulator.match import play

SIMULATED = range(112, 124)
"""Seeds of simulated matches. A digest covers every byte written to network and disk."""

_ADDRESSES = (
    Address("192.168.1.2", 4466),
    Address("2a02:10:1::2", 4466),
    Address("45.10.1.2", 50123),
    Address("my.home.example", 4466),
    Address("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion", 4466),
)


def codes() -> str:
    """Return invites and replies with fixed keys."""
    rng = seeded_rng("codes")
    lines = []
    for count in range(1, 6):
        host, guest = IdentityKey(rng(32)), IdentityKey(rng(32))
        invite = Invite.of(host.public, rng(SECRET_BYTES), _ADDRESSES[:count])
        lines += [str(invite), str(Reply.to(invite, guest.public, _ADDRESSES[:count][:3]))]
    return "\n".join(lines) + "\n"


def helps(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the help of the program, and the brief and full help of each command."""
    yield "ginpeer", run(["--help"], folder)
    for name in dict.fromkeys(re.findall("^  ginpeer ([a-z]+)", HELP, re.MULTILINE)):
        yield name, run([name, "--help"], folder)
        yield f"{name}-all", run([name, "--help-all"], folder)


def simulated() -> Iterator[tuple[str, str]]:
    """Yield the digest of each simulated match."""
    for seed in SIMULATED:
        yield f"seed-{seed}", f"{play(seed).digest}\n"
