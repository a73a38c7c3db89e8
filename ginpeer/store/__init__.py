"""Everything that is stored on disk: identity key, known peers, match logs, hand seeds.

Reading order:

files              StoreError and UnreadableLog; durable and atomic writing, locks
page_log           writing logs into a page, and reading them back
log                reading a log that a stranger may have written
json_files         reading and writing the small JSON files of a home
match_files        the files beside a log: notes for resuming, seeds, the state at closing
journal            storing a match as it is played; reading it after a power cut
identity_file      our own key, plain or sealed with a passphrase
peers              the keys that we have met
log_index          a cache of facts about stored logs, and how much of each was verified here
small_files        settings, open port mappings, the key of our onion service, Tor's cookie
home               the folder with all of these
archive_file       an archive: matches packed into one file, and read back
home_archive       a whole home with its key, in one file encrypted with a passphrase
partnership_files  which logs may be shown to another table; the score that a link has stored

Layout of a home folder (0700; every file in it 0600):

  identity.pem                        our Ed25519 key, plain or sealed with a passphrase
  known_peers.json                    the players we have met
  settings.json                       our preferences, and the name that we use
  stun-servers.txt                    STUN servers to ask instead of those on the installed list
  routers/port-<port>.json            mappings that routers may have for us, released after a crash
  onion.key                           the key of our onion service, and so its address
  matches/<16 hex>.ginlog             the log, which is public: it can be handed to anyone
  matches/<16 hex>.seeds              our hand seeds, which are private
  matches/<16 hex>.match              what else resuming needs: role, peer, addresses, level,
                                      and the address where we waited as the host
  matches/<16 hex>.verified           how much of the log was verified here, so that resuming is
                                      quick; it can be deleted without loss
  matches/<16 hex>.closed             who owed the next entry when the table was closed, and the
                                      time by our own clock, which the log does not contain
  matches/<16 hex>.shown              a mark: both players allow another table to see the log
  matches/<16 hex>.evidence.ginlog    a log that ends with an illegal entry of the peer; a second
                                      one is .evidence-2.ginlog
  standing.json, link.lock            the score of a partnership, written by ginpeer link; the lock
                                      is held while it runs
  bot/                                the bot's own home, for practice
  log_index.sqlite                    a cache of what was read from the logs, so that listing
                                      them is quick; it can be deleted without loss
  .gitignore, *.lock                  keeps everything here out of Git; locks held while writing

The 16 hex digits are the first 8 bytes of the table id, or of a hash if there is no table id yet.
No string that came from a peer is part of a file's name.
"""

from ginpeer.store.files import NotationFile, PageOfSeveral, StoreError, UnreadableLog
from ginpeer.store.home import Home, StoredMatch
from ginpeer.store.journal import Journal, read_own_log
from ginpeer.store.log import LogInput, LogReader, LogSource, log_file_bytes, open_log, read_log
from ginpeer.store.match_files import MatchNotes
from ginpeer.store.peers import KnownPeers, Peer

__all__ = [
    "Home",
    "Journal",
    "KnownPeers",
    "LogInput",
    "LogReader",
    "LogSource",
    "MatchNotes",
    "NotationFile",
    "PageOfSeveral",
    "Peer",
    "StoreError",
    "StoredMatch",
    "UnreadableLog",
    "log_file_bytes",
    "open_log",
    "read_log",
    "read_own_log",
]
