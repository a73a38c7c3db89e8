"""Everything that is kept on disk: identity key, known peers, match logs, hand seeds.

Reading order:

errors         StoreError (a fault of our own machine) and UnreadableLog (a file that is no log)
files          durable and atomic writing, locks; the only place that syncs
log            the log file's format, and reading one that a stranger may have written
page_log       the log that a page carries
log_source     a log wherever it lies: a file by its name, an open file, bytes
seeds          the private file of hand seeds
torn           our own log, up to what a power cut has left unfinished
journal        a match being played: append, and return only when it is durable
closing_note   how a table was left, beside its log
settings       what a player likes, and wants to be called
identity_file  our own key, plain or under a passphrase
peers          the keys that we have met
log_index      what was found out about stored logs, remembered; it can be thrown away
short_names    what each stored match is called for short, now and later
port_notes     what routers may have open for a port of ours
tor_files      the key of our onion service; the cookie of this machine's Tor
home           where all of it lies
packed_matches an archive: matches packed into one file, and read back
shown_logs     the mark beside a log that another table may be shown
told_standing  how a partnership stands, as its link has found it
acquaintances  whose keys a home knows: its own, and those that it has met

Layout of a home folder (0700; every file in it 0600):

  identity.pem                        our Ed25519 key, plain or under a passphrase
  known_peers.json                    who we have played with
  settings.json                       what we like, and want to be called
  stun-servers.txt                    STUN servers to ask instead of those on the installed list
  routers/port-<port>.json            what routers may have open for us, taken back after a crash
  onion.key                           the key of our onion service, and so its address
  matches/<16 hex>.ginlog             the log, which is public: it can be handed to anyone
  matches/<16 hex>.seeds              our hand seeds, which are not
  matches/<16 hex>.match              what resuming needs besides: role, peer, addresses, level
  matches/<16 hex>.closed             who owed the next entry when the table was closed, and the
                                      time by our own clock, which the log does not hold
  matches/<16 hex>.shown              both players have consented to show the log to another table
  matches/<16 hex>.evidence.ginlog    a log that ends with an illegal entry of the peer; a second
                                      one is .evidence-2.ginlog
  standing.json, link.lock            how a partnership stands, written by ginpeer link; held while
                                      it runs
  bot/                                the bot's own home, of practice
  log_index.sqlite                    what was read off the logs, so that lists are quick; whoever
                                      deletes it loses nothing
  short_names.json                    what matches are called for short where our notes do not tell;
                                      without it such as begin alike may be called otherwise
  .gitignore, *.lock                  so that nothing of it is ever committed; held while writing

The 16 hex digits are the first 8 bytes of the table id, or of a hash where there is none yet. No
string that came from a peer is part of a file's name.
"""

from ginpeer.store.acquaintances import Acquaintances
from ginpeer.store.errors import NotationFile, StoreError, UnreadableLog
from ginpeer.store.home import Home, StoredMatch
from ginpeer.store.journal import Journal, MatchNotes, TableJournal
from ginpeer.store.log import LogFile, LogReader, log_file_bytes, open_log, read_log
from ginpeer.store.log_source import LogInput, LogSource
from ginpeer.store.peers import KnownPeers, Peer
from ginpeer.store.recovery import read_own_log

__all__ = [
    "Acquaintances",
    "Home",
    "Journal",
    "KnownPeers",
    "LogFile",
    "LogInput",
    "LogReader",
    "LogSource",
    "MatchNotes",
    "NotationFile",
    "Peer",
    "StoreError",
    "StoredMatch",
    "TableJournal",
    "UnreadableLog",
    "log_file_bytes",
    "open_log",
    "read_log",
    "read_own_log",
]
