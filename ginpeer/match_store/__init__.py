"""The stored matches of a home: which of them a table plays, their status, and their archive.

Reading order:

matches       the stored matches, and which of them can continue
listing       the status of each of them, for a list; it needs ginpeer.record, which takes time to
              load
archive       a friend's matches packed into one file, and restored from it
table_keeper  the match and our seat for a peer, on either side of a connection; moves taken back
              in practice

Functions that look for matches in a home raise StoreError if the home can't be read.
"""

from ginpeer.match_store.matches import (
    LoadedMatch,
    active_matches,
    is_accepted,
    is_shelved,
    just_played,
    noted_matches,
    shelved_matches,
    stored_matches,
    unfinished_matches,
)
from ginpeer.match_store.table_keeper import KeeperNotices, TableKeeper

__all__ = [
    "KeeperNotices",
    "LoadedMatch",
    "TableKeeper",
    "active_matches",
    "is_accepted",
    "is_shelved",
    "just_played",
    "noted_matches",
    "shelved_matches",
    "stored_matches",
    "unfinished_matches",
]
