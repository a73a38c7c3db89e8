"""Complete logs for tests/vectors/logs, against which a second verifier can be checked.

`python -m tests.matches.recorded_logs` rewrites them. Like the vectors of tests/protocol/golden.py,
they change only together with PROTOCOL.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.store.log import log_bytes
from protocol.messages import Disclosure
from tests.cheating.cheat import steady
from tests.matches.table_pair import Chooser, TablePair
from tests.matches.variants import dawdling, laying, staged

FOLDER = Path(__file__).parent.parent / "vectors" / "logs"


def _match(seed: str, rules: str, disclosure: Disclosure, player: Chooser) -> TablePair:
    return TablePair(seed, parse_ruleset(rules), disclosure).play(player)


# The same seats, rules and players always sign the same bytes.
LOGS: dict[str, Callable[[], TablePair]] = {
    "one-hand": lambda: _match("m4", "standard target=10", Disclosure.AFTER_MATCH, steady),
    "second-deck": lambda: _match(
        "c", "oklahoma knock-limit=second-deck target=1", Disclosure.AFTER_HAND, steady
    ),
    "last-discard": lambda: _match(
        "wall",
        "standard opening=either-pile wall=last-discard hands=1",
        Disclosure.AFTER_MATCH,
        dawdling,
    ),
    "mahjong": lambda: _match(
        "e", "mahjong first-dealer=guest hands=1", Disclosure.AFTER_MATCH, laying
    ),
    "mahjong-staged": staged,
}


@cache
def played(name: str) -> TablePair:
    """Return the match with this name, played to the end."""
    return LOGS[name]()


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.ginlog"


if __name__ == "__main__":
    for name in LOGS:
        pair = played(name)
        path_of(name).write_bytes(log_bytes(tuple(pair.host.seat.entries)))
        keys = [identity.secret_seed.hex() for identity in pair.identities]
        print(name, pair.host.seat.table.match.rules, len(pair.host.seat.entries), *keys)
