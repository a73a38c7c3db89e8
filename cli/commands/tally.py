"""`ginpeer tally`: the score of three players, or of teams, from the logs of their tables.

# House rules
#
# 1. Every log is judged first, as `ginpeer verify` does. If one of them does not hold, is not
#    finished or cannot be read, it is named, and no score is said at all.
# 2. Logs that do not belong together are refused with the names of two of them.
# 3. No score is invented: a hand that is not in the log of every table counts for nobody.

With --json one document is printed, always with these keys:

    schema          2
    verdict         scored | forged | unreadable | incomplete | mismatch; exit status 0 1 2 3 2
    code, sentence  the reason, "scored" if there is a score
    logs            for each log, in the order given: log (as it was named), verdict (as verify has
                    it, or duplicate, which counts once, or fork), code, sentence
    score           null unless scored, or else:
    .kind           teams | rotation (three players)
    .tedesco        whether the score is kept by Tedesco's rules
    .rules, .target of the tables; of the teams, or of the three
    .players        name, key (hexadecimal), fingerprint, team (0 or 1; null for three players),
                    known: own | met | null, as the home of this machine has it
    .tables         the logs of each table; of each hand, where three play in rotation
    .hands          number; counted: whether it is in the score; points: of each team or player;
                    bonus: how much of it is because a whole team won; tables: at each the result
                    and the points of its two players, team 0 or the host first, null if not played
    .columns        over, winner, score: for each team or player hand_points, hands_won, and once it
                    is over shutout, game_bonus, boxes, total, which are null before
    .over, .winner  whether the target is reached or the game given up; the team or the place among
                    the players, null if nobody has won
    .resigned       the teams or players that gave the game up
    .totals         once it is over

Schema 2 added known to schema 1, and counts the copies of a log once.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cli.commands.named import Unreadable, open_record, verdict_on
from cli.failure import USAGE, Failure
from cli.terminal.lines import tell
from cli.words.grammar import plural
from cli.words.known_keys import Acquaintances
from cli.words.tally_sheet import TeamSheet, TurnsSheet
from cli.words.tally_tables import Mismatch, TableLog, Teams, arrange
from ginpeer.names.shown import safe
from ginpeer.record import nothing_read, word
from ginpeer.referee.verdict import Finding, Verdict
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.team import THREE_PLAYERS_TARGET, plays_tedesco
from ginpeer.store import StoreError
from protocol.crypto.identity import fingerprint


def run_tally(args: Namespace) -> int:
    """Judge every log, and print the score if there is one."""
    judged = _told_twice([_judge(log, args.home) for log in args.logs])
    sound = [log.log for log in judged if log.log is not None]
    bad = [log for log in judged if log.log is None and not log.copy]
    if bad:
        status = min(log.status for log in bad)
        sentence = f"Not scored: {len(bad)} of {plural(len(judged), 'log')} cannot count."
        if args.json:
            _print_document(_VERDICTS[status], "not-scored", sentence, judged, None)
        else:
            tell(sentence, *(log.line for log in judged))
        return status
    try:
        sheet = _sheet(sound, args)
        known = _acquaintances(args.home)
    except Failure as why:
        if not args.json:
            raise
        _print_document("mismatch", why.code, why.sentence, judged, None)
        return why.status
    if args.json:
        _print_document("scored", "scored", "Every log holds.", judged, _document(sheet, known))
    else:
        copies = [log.line for log in judged if log.copy]
        whose = _whose_keys(sound, known)
        tell(*whose, "", *sheet.lines(), "", *copies, *_proven(judged))
    return 0


def _acquaintances(home: str | None) -> Acquaintances:
    try:
        return Acquaintances.of(home)
    except StoreError as why:
        raise Failure(why.code, why.sentence) from why


def _whose_keys(logs: Sequence[TableLog], known: Acquaintances) -> list[str]:
    """The players by their keys, and which logs are strangers' word alone."""
    lines, told = [], set()
    for log in logs:
        for key, name in zip(log.keys, log.names, strict=True):
            if key not in told:
                told.add(key)
                lines.append(known.line(key, name))
    for log in logs:
        strange = [fingerprint(key) for key in log.keys if not known.knows(key)]
        if len(strange) == 2:
            lines.append(
                f"Careful: you have met neither player of {log.name}. One person with two keys can "
                "make up such a match; ask your friends whether these keys are theirs."
            )
        elif strange:
            lines.append(f"Careful: you have never met a player of {log.name}, key {strange[0]}.")
    return lines


def _document(sheet: TeamSheet | TurnsSheet, known: Acquaintances) -> dict[str, Any]:
    score = sheet.document()
    for player in score["players"]:
        key = bytes.fromhex(player["key"])
        player["known"] = "own" if key == known.own else "met" if known.knows(key) else None
    return score


_VERDICTS = {1: "forged", 2: "unreadable", 3: "incomplete"}


def _sheet(logs: Sequence[TableLog], args: Namespace) -> TeamSheet | TurnsSheet:
    team = None if args.team is None else args.team.split(",")
    arranged = arrange(logs, team=team, as_given=args.as_given)
    rules = arranged.rules
    try:
        if isinstance(arranged, Teams):
            tedesco = args.tedesco or plays_tedesco(rules)
            return TeamSheet(arranged, tedesco=tedesco, target=args.target)
        return TurnsSheet(arranged, target=_target_of_three(rules, args))
    except RulesError as why:
        raise Failure(why.code, why.sentence, USAGE) from why


def _target_of_three(rules: RuleSet, args: Namespace) -> int:
    """Raises RulesError for a target out of range, Failure for what is of two sides only."""
    if args.tedesco:
        raise Mismatch("Tedesco's score is of teams; three players take turns, each for one.")
    if rules.lead_of_fifty_loses:
        raise Mismatch("lead-of-fifty-loses=yes decides between two sides; here are three players.")
    target: int = THREE_PLAYERS_TARGET if args.target is None else args.target
    replace(rules, hands=None, target=target).check_ranges()
    return target


# --- the logs ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Judged:
    """A log and what the referee says of it; ``log`` is None if it cannot count, or, being a
    ``copy``, counts already."""

    name: str
    verdict: str
    code: str
    sentence: str
    status: int
    log: TableLog | None
    copy: bool = False

    @property
    def line(self) -> str:
        return f"{self.name}: {self.verdict}. {self.sentence} ({self.code})"


def _judge(named: str, home: str | None) -> _Judged:
    try:
        verdict = verdict_on(open_record(named, home))
    except Unreadable as why:
        verdict = nothing_read(why.code, why.sentence, why.failing_entry)
    name, sentence = safe(named, limit=200), safe(verdict.sentence)
    log = _table_log(name, verdict)
    if log is None and verdict.finding is Finding.VALID:
        return _Judged(name, "valid", "no-hand", "No match was begun in it.", USAGE, None)
    if verdict.finding is Finding.FORGED:
        sentence = f"At entry {verdict.failing_entry}: {sentence}"
    return _Judged(name, word(verdict), verdict.code, sentence, verdict.finding.value, log)


def _table_log(name: str, verdict: Verdict) -> TableLog | None:
    """What the tally needs of a valid log; the rest, which is much, is let go."""
    table = verdict.table
    host, guest = table.keys
    if verdict.finding is not Finding.VALID or table.offer is None or table.match is None:
        return None
    if host is None or guest is None:
        return None
    return TableLog(
        name,
        table.table_id,
        table.offer.started,
        (host, guest),
        table.names,
        table.match,
        table.head,
    )


def _told_twice(judged: Sequence[_Judged]) -> list[_Judged]:
    """A match counts once, whether its log was named twice or both players kept one.

    It is known by its keys, too: a host chooses the table id, and can choose that of a match in
    which it had no part. Two logs of one match are the same to the last entry, whose hash is that
    of the whole chain, or its players have signed two endings.
    """
    seen: dict[tuple[bytes, tuple[bytes, bytes]], TableLog] = {}
    found = []
    for log in judged:
        if log.log is not None:
            match = (log.log.table_id, log.log.keys)
            first = seen.setdefault(match, log.log)
            if first is not log.log and first.head == log.log.head:
                sentence = f"It is the same match as {first.name}, and counts once."
                log = _Judged(log.name, "duplicate", "tally-duplicate", sentence, 0, None, True)
            elif first is not log.log:
                sentence = (
                    f"It is the same match as {first.name}, and ends otherwise: a player has "
                    "signed twice."
                )
                log = _Judged(log.name, "fork", "tally-fork", sentence, USAGE, None)
        found.append(log)
    return found


def _proven(judged: Sequence[_Judged]) -> list[str]:
    return [
        f"Proven: all {plural(len(judged), 'log')} hold to the end, as ginpeer verify would say.",
        "Not proven: who holds the keys, and that these are all the matches that were played.",
    ]


def _print_document(
    verdict: str, code: str, sentence: str, judged: Sequence[_Judged], score: dict[str, Any] | None
) -> None:
    logs = [
        {"log": log.name, "verdict": log.verdict, "code": log.code, "sentence": log.sentence}
        for log in judged
    ]
    document = {
        "schema": 2,
        "verdict": verdict,
        "code": code,
        "sentence": sentence,
        "logs": logs,
        "score": score,
    }
    print(json.dumps(document, indent=2))
