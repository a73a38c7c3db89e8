"""Logs of tables with hands that a test chooses, as if they had been verified."""

from ginpeer.tally.logs import TableLog
from tests.rules.played import match_of


def table(host, guest, *results, rules="standard hands=1", resigned=None, started=0):
    """Return the log of a table, named HOST-GUEST.log; *resigned* is a seat. "Ann/2" is a different
    player called Ann."""
    match = match_of(*results, rules=rules)
    return TableLog(
        f"{host}-{guest}.log",
        f"{host}{guest}{started}".encode(),
        started,
        (host.encode(), guest.encode()),
        (host.partition("/")[0], guest.partition("/")[0]),
        match if resigned is None else match.resign(resigned),
    )
