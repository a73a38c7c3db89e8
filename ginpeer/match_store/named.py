"""The stored match that the other player names when it comes, and whether it can go on.

# Rule 1: what was offered and not accepted is no match: it goes on only with a guest that says that
# it has accepted, and where our player would offer the same now.
"""

from __future__ import annotations

from ginpeer.match_store.log_ends import is_over, offer_of
from ginpeer.match_store.matches import LoadedMatch, active_matches, is_accepted, match_of_table
from ginpeer.seat.capacity import Capacity
from ginpeer.seat.catching_up import position_of
from ginpeer.seat.seat import Options
from ginpeer.store import Home
from protocol.frames import Position


def match_of_id(home: Home, role: str, key: bytes, table: bytes) -> LoadedMatch | None:
    """The match of this id with this player. Raises StoreError."""
    return match_of_table(home, table, role, key)


def claimed_match(
    home: Home, role: str, key: bytes, claimed: Position, capacity: Capacity, offers: Options | None
) -> LoadedMatch | None:
    """The match that this player names; None where both have all of it, or no more than an offer.
    *offers*: what our player would offer now; None if it is asked before. Raises StoreError."""
    one = match_of_id(home, role, key, claimed.table)
    if one is None:
        return None
    if not (is_accepted(one) or _still_offers(home, one, claimed, capacity, offers)):
        return None
    whole = position_of(one.entries, claimed.table) == claimed and is_over(one.entries, capacity)
    return None if whole else one


def _still_offers(
    home: Home, one: LoadedMatch, claimed: Position, capacity: Capacity, offers: Options | None
) -> bool:
    """Whether an offer that was not accepted here may be, by a guest that says that it has done so:
    maybe it declined it then. So it has to be what our player offers now, in the place of no
    unfinished match."""
    offer = offer_of(one.entries)
    if offer is None or claimed.sequence < 1 or offers is None:
        return False
    return (offer.rules, offer.disclosure) == (str(offers.rules), offers.disclosure) and (
        next(active_matches(home, None, one.notes.peer, capacity), None) is None
    )
