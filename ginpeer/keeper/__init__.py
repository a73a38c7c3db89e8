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

from ginpeer.keeper.log_ends import over
from ginpeer.keeper.matches import (
    Stored,
    accepted,
    aside,
    going,
    latest_going,
    put_aside,
    stored_matches,
    unfinished,
    with_notes,
)
from ginpeer.keeper.table_keeper import TableKeeper

__all__ = [
    "Stored",
    "TableKeeper",
    "accepted",
    "aside",
    "going",
    "latest_going",
    "over",
    "put_aside",
    "stored_matches",
    "unfinished",
    "with_notes",
]
