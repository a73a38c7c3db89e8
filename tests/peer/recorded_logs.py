"""Whole logs for tests/vectors/logs, by which a second verifier can check itself.

`python -m tests.peer.recorded_logs` writes them anew. Like the vectors of tests/protocol/golden.py
they change only together with PROTOCOL.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ginpeer.rules.moves import Move
from ginpeer.rules.presets import parse_ruleset
from ginpeer.rules.view import View
from ginpeer.store.log import log_bytes
from protocol.messages import Disclosure
from tests.peer.cheat import steady
from tests.peer.table_pair import TablePair

FOLDER = Path(__file__).parent.parent / "vectors" / "logs"


@dataclass(frozen=True)
class Recipe:
    """How a log is made: the same two seats, rules and players always sign the same bytes."""

    seed: str
    rules: str
    disclosure: Disclosure = Disclosure.AFTER_MATCH
    chooser: Callable[[View], Move] = steady


LOGS = {
    "one-hand": Recipe("m36", "standard target=10"),
}


@cache
def played(name: str) -> TablePair:
    """The match of this name, played to its end."""
    recipe = LOGS[name]
    pair = TablePair(recipe.seed, parse_ruleset(recipe.rules), recipe.disclosure)
    return pair.play(recipe.chooser)


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.ginlog"


if __name__ == "__main__":
    for name in LOGS:
        pair = played(name)
        path_of(name).write_bytes(log_bytes(tuple(pair.host.seat.entries)))
        keys = [identity.secret_seed.hex() for identity in pair.identities]
        print(name, len(pair.host.seat.entries), *keys)
