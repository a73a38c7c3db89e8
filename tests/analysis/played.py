"""Matches of weak players in the toy group, to test an analysis with."""

from functools import cache

from ginpeer.rules import parse_ruleset
from protocol.messages import Disclosure
from tests.matches.recorded import Recorded, plain_player
from tests.matches.table_pair import TablePair
from tests.toy_group import toy_group


@cache
def played(rules="standard target=1", disclosure=Disclosure.AFTER_MATCH):
    """Return a match, by default of one hand, disclosed. It is valid only in the toy group."""
    with toy_group():
        pair = TablePair("analysed", parse_ruleset(rules), disclosure).play(plain_player)
    host, guest = pair.performers
    seeds = (host.seeds, guest.seeds)
    return Recorded(tuple(host.stored), seeds, pair.identities, host.seat.table)
