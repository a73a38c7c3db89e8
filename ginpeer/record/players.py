"""Who played, and for how many points, as far as the entries that hold say so."""

from __future__ import annotations

from dataclasses import dataclass

from ginpeer.names.quoting import PlaceholderName, safe
from ginpeer.referee.table import ROLES, Table
from ginpeer.rules.match import Match
from protocol.crypto.identity import fingerprint


@dataclass(frozen=True, slots=True)
class Player:
    """One side of the match.

    The key is proven: it has signed this player's entries. The name is a claim, whatever the player
    liked to be called; and a key is not a person.

    ``seat``, ``role``, ``key``, ``fingerprint``, ``name``; as a text, the name made harmless.
    """

    seat: int
    """0 is the host, 1 the guest."""
    key: bytes | None
    """The Ed25519 public key, 32 bytes; None for a player who has not come, and on paper."""
    name: str | None
    """As it was signed, 1 to 64 bytes of a stranger's: print ``str(player)`` instead."""

    @classmethod
    def of(cls, table: Table, seat: int) -> Player:
        """The player of this seat."""
        name = table.names[seat]
        return cls(seat, table.keys[seat], None if isinstance(name, PlaceholderName) else name)

    @property
    def role(self) -> str:
        """ "host" or "guest"."""
        return ROLES[self.seat]

    @property
    def fingerprint(self) -> str | None:
        """The key as people compare it; None for a player who has not come."""
        return None if self.key is None else fingerprint(self.key)

    def __str__(self) -> str:
        """The name, harmless for a terminal; the role where nobody has come."""
        return self.role if self.name is None else safe(self.name)


@dataclass(frozen=True, slots=True)
class Score:
    """What host and guest have, by the rules, from the hands that hold: proven.

    ``hand_points``, ``hands_won``, ``games_won`` and ``totals``, each of host and guest.
    """

    hand_points: tuple[int, int]
    """Points from hands in the whole match, each hand once."""
    hands_won: tuple[int, int]
    games_won: tuple[int, int]
    totals: tuple[int, int] | None
    """With every bonus, once the match is decided; None before."""

    @classmethod
    def of(cls, match: Match) -> Score:
        """The score of a match as it stands."""
        points = [game.scores for game in match.games]
        won = [game.hands_won for game in match.games]
        return cls(
            (sum(host for host, _ in points), sum(guest for _, guest in points)),
            (sum(host for host, _ in won), sum(guest for _, guest in won)),
            match.games_won,
            match.credits if match.finished else None,
        )
