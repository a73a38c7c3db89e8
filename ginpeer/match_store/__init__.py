"""The stored matches of a home: which of them a table plays, their status, and how to archive them.

Reading order:

matches       the stored matches, and which of them can continue
listing       the status of each stored match, for a list; it needs ginpeer.record, which is slow to
              load
archive       packs the matches with a friend into one file, and restores them from it
table_keeper  the match and our seat opposite a peer, for hosts and guests; moves taken back in
              practice

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
