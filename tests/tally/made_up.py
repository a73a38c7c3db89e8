"""Logs of tables with hands that a test chooses, as if they had been verified."""

from ginpeer.tally.tables import TableLog, arrange
from ginpeer.tally.totals import score_of
from tests.rules.played import match_of


def table(host, guest, *results, rules="standard hands=1", resigned=None, started=0):
    """Return the log of a table, named HOST-GUEST.log. *resigned*: the seat that resigned, or None.
    "Ann/2" is a different player called Ann."""
    match = match_of(*results, rules=rules)
    return TableLog(
        f"{host}-{guest}.log",
        f"{host}{guest}{started}".encode(),
        started,
        (host.encode(), guest.encode()),
        (host.partition("/")[0], guest.partition("/")[0]),
        match if resigned is None else match.resign(resigned),
    )


def of_teams(rules, ann_and_ben, cem_and_dora, **how):
    """Return the score of two tables. For each: hands, and the seat that then resigned or None."""
    (one, leaves), (other, goes) = ann_and_ben, cem_and_dora
    tables = [
        table("Ann", "Ben", *one, rules=rules, resigned=leaves),
        table("Cem", "Dora", *other, rules=rules, resigned=goes),
    ]
    return score_of(arrange(tables), **how)


def of_three(*bouts, rules="standard hands=1", **how):
    """Return the score of bouts. For each: host, guest, hands, and the seat that then resigned or
    None."""
    tables = [
        table(host, guest, *results, rules=rules, resigned=leaves)
        for host, guest, results, leaves in bouts
    ]
    return score_of(arrange(tables, as_given=True), **how)
