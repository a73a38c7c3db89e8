"""Matches that are recorded once, for all tests that need an ordinary match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ginpeer.rules import ORDINARY, Discard, Knock, TakeUpcard, parse_ruleset
from ginpeer.store.log import log_bytes
from protocol.crypto.identity import IdentityKey
from protocol.messages import Disclosure
from tests.matches.table_pair import TablePair
from tests.rules.drawing import best_discards
from tests.toy_group import cached_by_group


def plain_player(view):
    """Meld if possible and knock if possible. The bot isn't used, because its play may change while
    these matches must stay the same."""
    moves = view.sensible_moves()
    knocks = [move for move in moves if isinstance(move, Knock)]
    if knocks:
        return min(knocks, key=lambda knock: ORDINARY.pips(knock.deadwood))
    if isinstance(moves[0], Discard):
        best = best_discards(ORDINARY, view.cards)[1]
        return next((move for move in moves if move.card in best), moves[0])
    upcard = view.hand.upcard
    if TakeUpcard() in moves and upcard is not None:
        left, thrown = best_discards(ORDINARY, view.cards | upcard.bit)
        if left < ORDINARY.deadwood(view.cards) - 3 and upcard not in thrown:
            return TakeUpcard()
    return next(move for move in moves if move != TakeUpcard())


@dataclass(frozen=True)
class Recorded:
    """A finished match: its log, both players' private seeds and identities, and its last table."""

    entries: tuple[bytes, ...]
    seeds: tuple[dict[int, bytes], dict[int, bytes]]
    identities: tuple[IdentityKey, IdentityKey]
    table: object

    def write(self, path: Path, entries: tuple[bytes, ...] | None = None) -> Path:
        """Write a log file of these entries, by default of all entries."""
        path.write_bytes(log_bytes(self.entries if entries is None else entries))
        return path


@cached_by_group
def recorded(
    rules: str = "standard target=1", disclosure: Disclosure = Disclosure.AFTER_MATCH
) -> Recorded:
    """Return a match. By default it has one hand, about forty entries, and disclosed seeds."""
    pair = TablePair("recorded", parse_ruleset(rules), disclosure).play(plain_player)
    host, guest = pair.performers
    assert host.stored == guest.stored
    return Recorded(tuple(host.stored), (host.seeds, guest.seeds), pair.identities, host.seat.table)
