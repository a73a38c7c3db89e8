"""The memory used for a log's entries: a stranger's log may have as many as a log can hold."""

import dataclasses
import tracemalloc
from itertools import pairwise

import pytest

from ginpeer.record import AdmittedEntries, Record, move_of
from ginpeer.referee.referee import judge
from ginpeer.rules import Discard, DrawStock, Lay, TakeUpcard, parse_ruleset, popcount
from ginpeer.rules.hand import Phase
from ginpeer.store.log import log_bytes, read_log
from protocol.messages import Disclosure
from tests.matches.golden_logs import FOLDER, WHOLE
from tests.matches.table_pair import TablePair
from tests.toy_group import toy_group


def test_only_the_shown_part_of_each_entry_is_kept():
    watched = AdmittedEntries()
    verdict = judge(read_log(FOLDER / "mahjong.ginlog").entries, watched.append)
    assert len(watched) == verdict.entries
    for event, following in pairwise(watched):
        assert event.after is following.before
    for event in watched:
        assert event.after.records == event.after.seeds == ()
        assert event.after.hand is None or event.after.hand.moves == ()
        fields = (getattr(event.message, field.name) for field in dataclasses.fields(event.message))
        assert sum(len(field) for field in fields if isinstance(field, bytes)) <= 3 * 64


@pytest.mark.parametrize("name", ["standard", "mahjong", "oklahoma-floating", "void-hand"])
def test_the_moves_before_an_entry_are_those_of_its_hand(name):
    assert name in WHOLE
    seen, kept = [], AdmittedEntries()
    judge(read_log(FOLDER / f"{name}.ginlog").entries, seen.append)
    for event in seen:
        kept.append(event)
    moved = 0
    for at, event in enumerate(seen):
        before, after = event.before.hand, event.after.hand
        if before is not None:
            assert kept.moves_before(at) == before.moves
        if before is not None and after is not None and after.moves != before.moves:
            assert after.moves[-1] == (event.author, move_of(event.message))
            moved += 1
    assert moved > 3
    assert kept.moves_before(0) == ()


def swapping(view):
    """Take the upcard and discard a card, until the rules end the hand."""
    legal = view.legal_moves()
    return next((move for move in legal if isinstance(move, TakeUpcard)), legal[0])


def thinning(view):
    """Lay melds until two cards are left, which keeps entries short, and swap the upcard."""
    hand, legal = view.hand, view.legal_moves()
    if hand.phase is Phase.DRAW:
        swaps = max(hand.laid_melds.sizes) <= 9 or hand.stock_left <= 4
        return TakeUpcard() if swaps else DrawStock()
    for move in legal:
        if isinstance(move, Lay) and popcount(move.cards) <= popcount(view.cards) - 2:
            return move
    return next((move for move in legal if isinstance(move, Discard)), legal[0])


@pytest.mark.parametrize(
    ("rules", "player", "at_most"),
    [
        ("standard hands=1 swap-limit=300 opening=either-pile", swapping, 1.5),
        ("mahjong hands=1 swap-limit=300", thinning, 3),
    ],
)
@pytest.mark.deep
def test_walking_through_a_log_needs_little_more_memory_than_judging_it(
    tmp_path, rules, player, at_most
):
    """The logs are costly: the test visits every position of a hand of hundreds of turns."""
    with toy_group():
        path = tmp_path / "long.ginlog"
        pair = TablePair("long", parse_ruleset(rules), Disclosure.NEVER).play(player)
        path.write_bytes(log_bytes(pair.host.stored))
        peaks = []
        for walks in (False, True):
            tracemalloc.start()
            record = Record.read(path)
            record.judge(steps=walks)
            if walks:
                turns = sum(step.after is not None and step.move is not None for step in record)
                assert turns > 300
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    judged, walked = peaks
    assert judged < 16 * path.stat().st_size
    assert walked < at_most * judged
