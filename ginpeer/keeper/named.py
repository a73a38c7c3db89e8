"""The stored match that the other player names when it comes, and whether it can go on.

# Rule 1: what was offered and not accepted is no match: it goes on only with a guest that says that
# it has accepted, and where our player would offer the same now.
"""

from __future__ import annotations

from ginpeer.keeper.log_ends import offered, over
from ginpeer.keeper.matches import Stored, accepted, going, with_table
from ginpeer.seat.capacity import Capacity
from ginpeer.seat.log_sync import position_of
from ginpeer.seat.seat import Options
from ginpeer.store import Home
from protocol.frames import Position


def stored_as(home: Home, role: str, key: bytes, table: bytes) -> Stored | None:
    """The match of this id with this player. Raises StoreError."""
    return with_table(home, table, role, key)


def named(
    home: Home, role: str, key: bytes, claimed: Position, capacity: Capacity, offers: Options | None
) -> Stored | None:
    """The match that this player names; None where both have all of it, or no more than an offer.
    *offers*: what our player would offer now; None if it is asked before. Raises StoreError."""
    one = stored_as(home, role, key, claimed.table)
    if one is None:
        return None
    if not (accepted(one) or _still_offers(home, one, claimed, capacity, offers)):
        return None
    whole = position_of(one.entries, claimed.table) == claimed and over(one.entries, capacity)
    return None if whole else one


def _still_offers(
    home: Home, one: Stored, claimed: Position, capacity: Capacity, offers: Options | None
) -> bool:
    """Whether an offer that was not accepted here may be, by a guest that says that it has done so:
    maybe it declined it then. So it has to be what our player offers now, in the place of no
    unfinished match."""
    offer = offered(one.entries)
    if offer is None or claimed.sequence < 1 or offers is None:
        return False
    return (offer.rules, offer.disclosure) == (str(offers.rules), offers.disclosure) and (
        next(going(home, None, one.notes.peer, capacity), None) is None
    )
