"""Logs of several tables, played by real seats once for all tests. A test says which players meet,
and a player with the same name always has the same key."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ginpeer.rules import Match, parse_ruleset
from ginpeer.store.log import log_bytes
from protocol.crypto.identity import IdentityKey
from protocol.messages import Disclosure
from tests.matches.recorded import plain_player
from tests.matches.table_pair import TablePair
from tests.toy_group import cached_by_group


@cache
def identity(player):
    """Return the key of a player. "Ann/2" is a different player called Ann."""
    return IdentityKey(hashlib.sha256(f"tables/{player}".encode()).digest())


@dataclass(frozen=True)
class Played:
    """A match played at one table."""

    players: tuple[str, str]
    entries: tuple[bytes, ...]
    match: Match

    @property
    def winner(self):
        """Return the player who won the last hand, or None if nobody did."""
        seat = self.match.results[-1].winner
        return None if seat is None else self.players[seat]

    def write(self, path: Path, entries=None) -> Path:
        path.write_bytes(log_bytes(self.entries if entries is None else entries))
        return path


@cached_by_group
def play(host, guest, rules="standard hands=1", seed=0, started=1_700_000_000, resign=None):
    """Return a finished match. *resign*: the number of moves after which a player resigns."""
    pair = TablePair(
        f"tables/{host}/{guest}/{seed}",
        parse_ruleset(rules),
        Disclosure.NEVER,
        identities=(identity(host), identity(guest)),
        names=(host.partition("/")[0], guest.partition("/")[0]),
        started=started,
    )
    for made, _ in enumerate(pair.turns(plain_player), 1):
        if made == resign:
            leaver = pair.to_choose()
            leaver.perform(leaver.seat.resign())
            pair.settle()
            break
    assert pair.host.stored == pair.guest.stored
    assert pair.host.seat.table.finished
    return Played((host, guest), tuple(pair.host.stored), pair.host.seat.table.match)
