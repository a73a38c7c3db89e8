"""A replay of a log prints what was printed at the table."""

import random

from cli.text.cards import Style
from cli.text.narration import narrate
from cli.text.replay import StepNarrator, step_paragraphs
from ginpeer.record import Record, StepCursor
from ginpeer.referee.referee import judge
from ginpeer.rules import Discard, DrawStock, Pass, Phase, parse_ruleset
from ginpeer.rules.hand import WALL
from ginpeer.store.log import log_bytes
from tests.matches.table_pair import TablePair
from tests.toy_group import toy_group


def waiting_for_the_wall(view):
    """Draw, discard any card (if possible, an ace as the last one), and never knock."""
    moves = view.legal_moves()
    for kind in (DrawStock, Pass):
        if any(isinstance(move, kind) for move in moves):
            return next(move for move in moves if isinstance(move, kind))
    throws = [move for move in moves if isinstance(move, Discard)]
    aces = [move for move in throws if move.card.rank == 0]
    if aces and view.hand.stock_left == WALL:
        return aces[0]
    return random.Random(str(view.hand.pile)).choice(throws) if throws else moves[0]


def test_the_last_discard_is_told_as_at_the_table():
    rules = parse_ruleset("oklahoma-floating wall=last-discard hands=1")
    with toy_group():
        entries = TablePair("wall 0", rules).play(waiting_for_the_wall).host.stored
        seen = []
        judge(entries, seen.append)
        walk = StepCursor(Record.read(log_bytes(entries)))
        steps = list(step_paragraphs(walk, range(len(walk)), StepNarrator(Style())))
    (last,) = [e for e in seen if e.after.hand and e.after.hand.phase is Phase.LAST_CHANCE]
    (_, at_the_table) = narrate(last, Style())
    assert any(f"  {at_the_table}" in lines for lines in steps)
