"""`ginpeer replay`: a stored match again, move by move.

# Rule 1: the log is verified first, all of it, by the referee. Only entries that hold are shown,
#         and how the rest failed is said at the end.
# Rule 2: steps are told while they are printed, so that a log mostly takes half as much memory
#         again as to verify it (ginpeer.record.trace says how, and what it takes at worst). Only at
#         a terminal, where somebody may jump back, are their lines kept.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from cli.commands.analysed import check_advice, seat_named, seats_to_analyse
from cli.commands.home_and_log import (
    open_record,
    own_names,
    own_settings,
    verdict_on,
    with_own_seeds,
)
from cli.failure import Failure
from cli.terminal.lines import tell
from cli.terminal.progress import analysis_told
from cli.words.cards import Style, style_for
from cli.words.replay import Told, hands_in, heading, keys, sheet, told_steps
from cli.words.verdict import headline, what_happened
from ginpeer.analysis import Decision, analyse
from ginpeer.names.nicknames import KnownNames
from ginpeer.record import Record
from ginpeer.referee.verdict import Finding


def run_replay(args: Namespace) -> int:
    """Show the match; the exit status is the verdict's, as with `verify`."""
    record = open_record(args.log, args.home)
    verdict = verdict_on(record, steps=True)
    only = None if args.seat is None else seat_named(args.seat, verdict.table, own_names(args.home))
    record = with_own_seeds(record, args.home)
    if only is not None:
        record = record.seen_by(only)
    known = own_names(args.home)
    style = Style() if args.events else _own_style(args.home)
    values = _values(record, only, known, args.hand) if args.values else None
    steps = told_steps(record, style, known, values)
    if args.hand is not None:
        steps = (step for step in steps if step.hand == args.hand)
        first = next(steps, None)
        if first is None:
            hands = hands_in(verdict.table)
            raise Failure("no-such-hand", f"There is no hand {args.hand}: {hands}")
        steps = chain((first,), steps)
    if args.events:
        for line in (line for step in steps for line in step.events):
            print(line)
        return verdict.finding.value
    tell(*heading(record, only, known))
    if _show(step for step in steps if step.lines):
        tell(*(sheet(record, known) if args.hand is None else ()))
        if verdict.finding is not Finding.VALID:
            ends = "The log ends here." if record.typed is None else "Nothing more was typed."
            tell(f"{ends} {headline(verdict)}", *what_happened(verdict, known))
    return verdict.finding.value


def _values(
    record: Record, only: int | None, known: KnownNames, hand: int | None
) -> dict[int, Decision]:
    """What the choices were worth, by their entries: of one player, else of our own, else of both.
    Raises Failure."""
    seats = seats_to_analyse(record, only, known)
    check_advice(record)
    hands = range(1, record.table.hand_number + 1)
    if hand is not None and hand not in hands:
        return {}
    with analysis_told(len(seats)) as progress:
        found = [analyse(record, seat, hand, progress) for seat in seats]
    return {made.entry: made for each in found for made in each.decisions}


def _own_style(home: str | None) -> Style:
    """The style of this output, with the cards in words and the colours that the player likes."""
    likes = own_settings(home)
    return replace(style_for(sys.stdout), words=likes.words, four=likes.four_colours)


# --- on the screen -----------------------------------------------------------------------


def _show(steps: Iterator[Told]) -> bool:
    """All steps, at a terminal one by one; whether the end was reached."""
    if all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        return _walk(tuple(steps))
    for step in steps:
        tell(*step.lines)
    return True


def _walk(steps: Sequence[Told]) -> bool:
    """Step by step at a terminal; whether the end was reached."""
    tell("Enter goes on, the number of a hand jumps to it, q quits.")
    at = 0
    while at < len(steps):
        tell(*steps[at].lines)
        at += 1
        while True:
            try:
                typed = input("> ").strip().casefold()
            except EOFError:
                print()
                return False
            if typed in ("q", "quit"):
                return False
            if not typed:
                break
            jump = _first_step_of(typed, steps)
            if jump is not None:
                at = jump
                break
            tell(keys(steps))
    return True


def _first_step_of(typed: str, steps: Sequence[Told]) -> int | None:
    for at, step in enumerate(steps):
        if step.hand and typed == str(step.hand):
            return at
    return None
