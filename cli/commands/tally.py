"""`ginpeer tally`: add up the score of three players, or of teams, from the logs of their tables.

Every log is judged first, as in `ginpeer verify`. ginpeer.tally has the house rules, and
ginpeer.tally.totals describes the document of --json. Exit statuses: 0 with a score; 1, 2 or 3 for
the worst log, as for `ginpeer verify`; 2 for logs that don't belong together.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Sequence

from cli.commands.home_and_files import UnreadableFile, open_home, open_record, verdict_on
from cli.program import Failure, failures_of
from cli.terminal.output import print_json, print_lines
from cli.text.match_list import key_lines
from cli.text.tally import tally_lines
from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.rules.cards import RulesError
from ginpeer.store import StoreError
from ginpeer.tally.tables import (
    JudgedLog,
    NotScored,
    TableLog,
    TallyError,
    arrange,
    counted,
    each_match_once,
)
from ginpeer.tally.totals import TeamScore, TurnsScore, score_document, score_of, tally_document


def run_tally(args: Namespace) -> int:
    judged = each_match_once([_judge(log, args.home) for log in args.logs])
    try:
        logs = counted(judged)
    except NotScored as why:
        if args.json:
            print_json(tally_document(why.finding.name.lower(), why.code, why.sentence, judged))
        else:
            print_lines(why.sentence, *map(_line, judged))
        return why.finding.value
    try:
        with failures_of(StoreError):
            known = open_home(args.home).known_names(time.time)
        score = _score(logs, args, known)
    except Failure as why:
        if not args.json:
            raise
        print_json(tally_document("mismatch", why.code, why.sentence, judged))
        return why.status
    if args.json:
        scored = score_document(score, known)
        print_json(tally_document("scored", "scored", "Every log is valid.", judged, scored))
    else:
        copies = [_line(log) for log in judged if log.copy]
        keys = key_lines(logs, known)
        print_lines(*keys, "", *tally_lines(score, known), "", *copies, *_proven(judged))
    return 0


def _judge(named: str, home: str | None) -> JudgedLog:
    try:
        verdict = verdict_on(open_record(named, home))
    except UnreadableFile as why:
        verdict = why.verdict
    return JudgedLog.of(named, verdict)


def _score(logs: Sequence[TableLog], args: Namespace, known: KnownNames) -> TeamScore | TurnsScore:
    team = None if args.team is None else args.team.split(",")
    with failures_of(TallyError, RulesError):
        arranged = arrange(
            logs,
            team=team,
            as_given=args.as_given,
            known=NO_KNOWN_NAMES if args.json else known,
            named_by=known,
        )
        return score_of(arranged, tedesco=args.tedesco, target=args.target)


def _line(log: JudgedLog) -> str:
    return f"{log.name}: {log.verdict}. {log.sentence} ({log.code})"


def _proven(judged: Sequence[JudgedLog]) -> list[str]:
    count = len(judged)
    which = {1: "the log is", 2: "both logs are"}.get(count, f"all {count} logs are")
    return [
        f"Proven: {which} valid and complete.",
        "Not proven: who holds the keys, and that no other matches were played.",
    ]
