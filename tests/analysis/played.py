"""Matches of players who do not play well, in the toy group, for an analysis to find fault with."""

from functools import cache

from ginpeer.rules import parse_ruleset
from protocol.messages import Disclosure
from tests.matches.recorded import Recorded, plain_player
from tests.matches.table_pair import TablePair
from tests.toy_group import toy_group


@cache
def played(rules="standard target=1", disclosure=Disclosure.AFTER_MATCH):
    """By default one hand, disclosed. It holds in the toy group alone."""
    with toy_group():
        pair = TablePair("analysed", parse_ruleset(rules), disclosure).play(plain_player)
    host, guest = pair.performers
    seeds = (host.seeds, guest.seeds)
    return Recorded(tuple(host.stored), seeds, pair.identities, host.seat.table)
