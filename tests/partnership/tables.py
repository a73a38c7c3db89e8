"""Growing logs of two tables of one partnership."""

from ginpeer.partnership import FollowedLog
from tests.tally.played import identity, play

RULES = "standard hands=2"


def entries_of(host, guest, rules=RULES, **more):
    return play(host, guest, rules, **more).entries


def key(player):
    return identity(player).public


def followed(entries, hands=None):
    """Return the log up to the end of this hand, or all of it if *hands* is None."""
    log = FollowedLog()
    for raw in entries:
        log.take(raw)
        if hands is not None and log.hands == hands and log.whole == len(log.entries):
            break
    return log
