"""Logs of the two tables of a partnership, which grow while they are played."""

from ginpeer.partnership import FollowedLog
from tests.tally.played import identity, play

RULES = "standard hands=2"


def entries_of(host, guest, rules=RULES, **more):
    return play(host, guest, rules, **more).entries


def key(player):
    return identity(player).public


def hands_of(log):
    """Return how many hands of the log are over."""
    match = log.table.match
    return 0 if match is None else len(match.results)


def followed(entries, hands=None):
    """Return the log up to the end of this many hands, or all of it if *hands* is None."""
    log = FollowedLog()
    for raw in entries:
        log.take(raw)
        if hands is not None and hands_of(log) == hands and log.whole == len(log.entries):
            break
    return log
