"""A new seat for a player of a recorded match."""

from __future__ import annotations

from ginpeer.seat.seat import Seat
from tests.cheating.cheat import RecordedMatch
from tests.matches.table_pair import TablePair, seeded_rng


def new_seat(
    match: RecordedMatch | TablePair, seat: int, rng: str = "new seat", **changes: object
) -> Seat:
    """Return a seat that has no entries yet. *rng*: the seed of its randomness."""
    wanted: dict[str, object] = {
        "seat": seat,
        "identity": match.identities[seat],
        "name": ("Ada", "Ben")[seat],
        "rng": seeded_rng(rng),
        "now": lambda: 1_700_000_000,
        "peer_key": match.identities[1 - seat].public,
    }
    return Seat(**{**wanted, **changes})  # type: ignore[arg-type]
