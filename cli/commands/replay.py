"""`ginpeer replay`: show a match again, either as a walk or printed from beginning to end.

Rule 1: the referee first verifies the whole log, once. Only entries that pass are shown; what is
        wrong with the rest is said at the end.
Rule 2: each step is made only when it is printed or the reader reaches it. So a replay usually
        takes half as much memory again as verifying (ginpeer.record.steps says how, and how much
        it can take at worst).
"""

from __future__ import annotations

from argparse import Namespace
from functools import lru_cache

from cli.commands.analyse import check_advice, own_seat, seat_named
from cli.commands.home_and_files import (
    known_names,
    open_record,
    own_style,
    verdict_on,
    with_own_seeds,
)
from cli.program import Failure
from cli.terminal.output import print_lines
from cli.terminal.questions import can_ask
from cli.text.analysis import judge_line
from cli.text.replay import (
    StepNarrator,
    ValueOfStep,
    no_value,
    replay_score_sheet,
    step_events,
    step_paragraphs,
)
from cli.text.verdict import failure_lines, hand_count, headline, replay_heading
from cli.walk import Answers, Repl
from ginpeer.analysis.decisions import Decision, decisions_in
from ginpeer.names import KnownNames
from ginpeer.record import Record, Step, StepCursor
from ginpeer.referee.referee import Finding


def run_replay(args: Namespace) -> int:
    if args.walk and args.events:
        raise Failure("walk-of-events", "Use --walk or --events, not both.")
    record = open_record(args.log, args.home)
    verdict = verdict_on(record, steps=True)
    known = known_names(args.home)
    only = None if args.seat is None else seat_named(args.seat, verdict.table, known)
    record = with_own_seeds(record, args.home)
    walk = StepCursor(record)
    if args.hand is not None and args.hand > walk.hands:
        raise Failure("no-such-hand", f"There is no hand {args.hand}: {hand_count(walk.hands)}")
    shown = record if only is None else record.seen_by(only)
    if args.events:
        for step in shown.steps:
            if args.hand in (None, step.hand_number):
                for line in step_events(step):
                    print(line)
        return verdict.finding.value
    valued = _valued(record, only) if args.values else no_value
    teller = StepNarrator(own_style(args.home, words=args.words), known, valued, args.full)
    walk.show_seat(only)
    lines = replay_heading(shown, only, known)
    if args.values:
        lines.append(judge_line("the player"))
    if len(walk) and (args.walk or can_ask()):
        if args.hand is not None:
            walk.to_hand(args.hand)
        answers = Answers(
            walk,
            teller,
            names=known.display(verdict.table.keys, verdict.table.names),
            own=own_seat(record, known),
            seat_named=lambda text: seat_named(text, verdict.table, known),
            valued=lambda: _valued(record, only),
            closing=_closing_lines(record, known),
        )
        Repl(answers).run(*lines)
        return verdict.finding.value
    print_lines(*lines)
    places = range(len(walk)) if args.hand is None else walk.places_of(args.hand)
    for told in step_paragraphs(walk, places, teller):
        print_lines(*told)
    sheet = replay_score_sheet(record, known) if args.hand is None else ()
    print_lines(*sheet, *_closing_lines(record, known))
    return verdict.finding.value


def _closing_lines(record: Record, known: KnownNames) -> list[str]:
    """Return what to say after the last step of a log that fails or breaks off."""
    verdict = record.verdict
    if verdict.finding is Finding.VALID:
        return []
    ends = "The log ends here." if record.typed is None else "The text ends here."
    return [f"{ends} {headline(verdict)}", *failure_lines(verdict, known)]


def _valued(record: Record, only: int | None) -> ValueOfStep:
    """Return a function that values the choice at a step: for *only*, or else for both players."""
    check_advice(record)
    views = [(seat, record.seen_by(seat)) for seat in ((0, 1) if only is None else (only,))]

    @lru_cache(maxsize=1)  # working out a hand takes about a tenth of a second
    def choices_in(hand: int) -> dict[int, Decision]:
        made = (each for seat, view in views for each in decisions_in(view.hands[hand - 1], seat))
        return {each.entry: each for each in made}

    def value_of(step: Step) -> Decision | None:
        if not step.hand_number:
            return None
        return choices_in(step.hand_number).get(step.entry)

    return value_of
