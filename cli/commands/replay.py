"""`ginpeer replay` shows a match again, either as a walk or printed from beginning to end. `ginpeer
analyse` says how well a player chose in it, and how lucky the draws were.

Rule 1: the referee first verifies the whole log, once. Only entries that pass are shown or
        analysed; the output says what is wrong with the rest. The exit status is the verdict's.
Rule 2: each step is made only when it is printed or the reader reaches it. So a replay usually
        takes half as much memory again as verifying (ginpeer.record.steps says when it takes
        more).
Rule 3: a player's choices are judged by what that player could see. What the opponent really held
        is shown separately, if the log or this machine's records contain it.

The module docstring of ginpeer.analysis.report describes the document of analyse --json.
"""

from __future__ import annotations

from argparse import Namespace
from functools import lru_cache

from cli.commands.home_and_files import (
    UnreadableFile,
    known_names,
    open_record,
    own_style,
    progress_line,
    verdict_on,
    with_own_seeds,
)
from cli.program import USAGE, Failure, own_command, quoted
from cli.terminal.output import print_json, print_lines
from cli.terminal.questions import can_ask
from cli.text.advice import AdvicePhrases
from cli.text.analysis import analysis_lines, judge_line, result_line, short_analysis_lines
from cli.text.grammar import at_start, names_seen_by
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
from ginpeer.adviser.advise import can_advise
from ginpeer.analysis.decisions import Analysis, Decision, analyse, decisions_in
from ginpeer.analysis.report import analysis_document
from ginpeer.names import NO_KNOWN_NAMES, QUOTE, KnownNames, PlaceholderName, comparable, safe
from ginpeer.record import Record, Step, StepCursor, Verdict
from ginpeer.referee.referee import Finding
from ginpeer.referee.table import ROLES, Table


def run_replay(args: Namespace) -> int:
    if args.walk and args.events:
        raise Failure("walk-of-events", "Use --walk or --events, not both.")
    record = open_record(args.log, args.home)
    verdict = verdict_on(record, steps=True)
    known = known_names(args.home)
    only = None if args.seat is None else seat_named(args.seat, verdict.table, known)
    record = with_own_seeds(record, args.home)
    walk = StepCursor(record)
    _check_hand(args.hand, walk.hands)
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
            valued=lambda seat: _valued(record, seat),
            closing=_closing_lines(record, known),
        )
        Repl(answers).run(*lines)
        return verdict.finding.value
    print_lines(*lines)
    places = range(len(walk)) if args.hand is None else walk.places_of(args.hand)
    for told in step_paragraphs(walk, places, teller):
        print_lines(*told)
    sheet = replay_score_sheet(record, known) if args.hand is None else ()
    print_lines(*sheet, *_closing_lines(record, known, ends=places.stop == len(walk)))
    return verdict.finding.value


def _closing_lines(record: Record, known: KnownNames, *, ends: bool = True) -> list[str]:
    """Return what to say at the end about a log that fails or breaks off. *ends*: whether its last
    step was shown."""
    verdict = record.verdict
    if verdict.finding is Finding.VALID:
        return []
    told = headline(verdict)
    if ends:
        told = f"The {'log' if record.typed is None else 'text'} ends here. {told}"
    return [told, *failure_lines(verdict, known)]


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


# --- analyse ---------------------------------------------------------------------------------


def run_analyse(args: Namespace) -> int:
    try:
        record = open_record(args.log, args.home)
        verdict = verdict_on(record, steps=True)
    except UnreadableFile as why:
        if not args.json:
            raise
        _print(why.verdict, why)
        return why.status
    known = known_names(args.home)
    record = with_own_seeds(record, args.home)
    try:
        found = _analysed(record, _asked_for(record, args, known), args.hand)
    except Failure as why:
        if args.json:
            _print(verdict, why)
            return why.status
        if why.code == "hands-hidden" and verdict.finding is not Finding.VALID:
            print_lines(headline(verdict), *failure_lines(verdict, known))
        raise
    if args.json:
        print_json(analysis_document(verdict, record=record, found=found))
    else:
        _tell(record, found, args, known)
    return verdict.finding.value


def _print(verdict: Verdict, why: Failure) -> None:
    print_json(analysis_document(verdict, why.code, why.sentence))


def _asked_for(record: Record, args: Namespace, known: KnownNames) -> tuple[int, ...]:
    """Return the seats to analyse: the one that --seat names, or else our own player's, or else
    both. Raises Failure if the log lacks the player or the hand."""
    if args.seat is None:
        only = own_seat(record, known)
    else:
        only = seat_named(args.seat, record.table, known)
    _check_hand(args.hand, len(record.hands))
    return (0, 1) if only is None else (only,)


def _analysed(record: Record, seats: tuple[int, ...], hand: int | None) -> list[Analysis]:
    check_advice(record)
    found: list[Analysis] = []
    with progress_line() as tell:

        def show(done: int, hands: int) -> None:
            share = 100 * (len(found) * hands + done) // (len(seats) * hands)
            tell(f"analysed, {share}%")

        for seat in seats:
            found.append(analyse(record, seat, hand, show))
    if any(each.hidden for each in found) and not any(each.valued for each in found):
        raise Failure(
            "hands-hidden",
            "The player's cards aren't known: the log doesn't disclose them, and this machine has "
            "no records of that player.",
            record.verdict.finding.value or USAGE,
        )
    return found


def _tell(record: Record, found: list[Analysis], args: Namespace, known: KnownNames) -> None:
    table, verdict = record.table, record.verdict
    if verdict.finding is not Finding.VALID:
        print_lines(headline(verdict), *failure_lines(verdict, known), "")
    names = known.display(table.keys, table.names)
    valued = [each for each in found if each.valued]
    if not valued or record.rules is None:
        over = table.match is not None and table.match.finished
        print_lines(f"There are no choices to analyse{'' if over else ' yet'}.")
        return
    full, own = args.full or args.all, own_seat(record, known)
    if not full and table.match is not None and table.match.finished and table.begins == 1:
        result = result_line(table.match, names_seen_by(names, own))
        print_lines(result, *([""] if own is None else []))
    for each in found:
        if each.hidden and not each.valued:
            print_lines(
                f"{at_start(names[each.seat])} is left out, because their cards aren't known.",
                "",
            )
    for at, each in enumerate(valued):
        print_lines(*([""] if at else []))
        if each.seat != own:
            name = names[each.seat]
            role = "" if isinstance(name, PlaceholderName) else f", the {ROLES[each.seat]}"
            print_lines(f"For {name}{role}:")
        teller = AdvicePhrases(names[1 - each.seat], own_style(args.home), record.rules)
        if full:
            print_lines(*analysis_lines(record, each, teller, every=args.all))
        else:
            print_lines(*short_analysis_lines(record, each, teller))
    print_lines("", judge_line("you" if len(valued) == 1 else "each player"))
    if not full:
        log = safe(quoted(args.log), 200)
        seat = f" --seat {safe(quoted(args.seat), 200)}" if args.seat else ""
        hand = f" --hand {args.hand}" if args.hand else ""
        whole = f"{own_command(args.home)} analyse {log}{seat}{hand} --full"
        print_lines(f"{whole} shows everything.", kept=[whole])


# --- shared by replay and analyse ------------------------------------------------------


def seat_named(text: str, table: Table, known: KnownNames = NO_KNOWN_NAMES) -> int:
    """Return the seat that the text names: "host", "guest" or a player's name. Raises Failure."""
    wanted = comparable(text.strip().strip(QUOTE))
    if wanted in ROLES:
        return ROLES.index(wanted)
    names = known.display(table.keys, table.names)
    ways = [{shown, safe(own)} for shown, own in zip(names, table.names, strict=True)]
    found = [
        seat
        for seat in (0, 1)
        if wanted in (comparable(way.replace(QUOTE, "")) for way in ways[seat])
    ]
    if len(found) != 1:
        why = "Both players have that name" if found else "No player has that name"
        raise Failure("no-such-seat", f"{why}: {names[0]} was the host and {names[1]} the guest.")
    return found[0]


def own_seat(record: Record, known: KnownNames) -> int | None:
    """Return the seat of this home's player; None in a match between other players."""
    if known.own is None or known.own not in record.table.keys:
        return None
    return record.table.keys.index(known.own)


def check_advice(record: Record) -> None:
    if record.rules is not None and not can_advise(record.rules):
        raise Failure("no-advice", "Mahjong gin can't be analysed, only replayed.")


def _check_hand(hand: int | None, hands: int) -> None:
    if hand is not None and hand > hands:
        raise Failure("no-such-hand", f"There is no hand {hand}: {hand_count(hands)}")
