"""Which match a table plays, and who sits down at it: what the store holds, brought to a seat.

Reading order:

standings      how a stored match can stand
log_ends       what the first and the last entries of a log say: whether it is over
glances        what a glance at a log tells, remembered
matches        the stored matches, and which of them can go on
named          the one that the other player names, and whether it can go on
listing        how each of them stands, for a list
archive        a friend's matches packed into one file, and put back
table_keeper   position and seat for whoever comes, on either side of a connection
"""

from ginpeer.match_store.log_ends import is_over
from ginpeer.match_store.matches import (
    LoadedMatch,
    active_matches,
    is_accepted,
    is_shelved,
    latest_active_match,
    noted_matches,
    shelved_matches,
    stored_matches,
    unfinished_matches,
)
from ginpeer.match_store.table_keeper import TableKeeper

__all__ = [
    "LoadedMatch",
    "TableKeeper",
    "active_matches",
    "is_accepted",
    "is_over",
    "is_shelved",
    "latest_active_match",
    "noted_matches",
    "shelved_matches",
    "stored_matches",
    "unfinished_matches",
]
