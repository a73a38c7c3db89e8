"""`ginpeer verify`: what a log proves, for a person and as JSON.

# Rule 1: the verdict is the referee's (ginpeer.referee.verdict). Nothing here judges.
# Rule 2: no word goes further than the proof. A broken signature convicts nobody: a flipped
#         bit on a disk looks the same. A player is named only for what that player's key
#         signed, and a key is not a person.
# Rule 3: what stands in a log was written by strangers; it passes through ginpeer.names.shown.

The JSON document has these keys, always all of them, null where nothing is known:

    schema          3
    verdict         valid | illegal | forged | incomplete | unreadable; exit status 0 1 1 3 2
    code, sentence  the referee's stable code for it, and the reason in words
    entries         how many entries hold, from the first on
    failing_entry   the number of the first that does not, counted from 0
    author          host | guest: whose key signed the failing entry, where that is proven
    evidence        null unless illegal: name, key, fingerprint (of the author), place (the number
                    in the match that the entry was signed for), sections (of PROTOCOL.md, that say
                    what it breaks; null if none is known), signed (the entry: kind, says, which are
                    null where it cannot be read, and hash) and admitted (so the other entry of
                    that place, null where it was free)
    table           the table id in hexadecimal
    started         seconds since 1970 by the host's own clock: a claim
    players         host and guest: role, name, key (hexadecimal), fingerprint
    rules           the rule set's text, as both signed it
    disclosure      after-match | after-hand | never
    disclosed       for host and guest, of how many hands the seeds are in the log
    hands           each hand that is over: number, game (its number), dealer, result, winner,
                    points, other_points (of who has not won, in Mahjong gin only not 0), doubled,
                    knocker, deadwood (of host and guest; null for a void hand), columns (the
                    numbers of those in which it counts)
    games           each game that has begun: number, over, winner (null: nobody, or not over),
                    columns, and for host and guest score: hand_points, each hand once, hands_won,
                    and total, null before the game is over
    games.columns   number, over, winner, and for host and guest score: hand_points, hands_won, and
                    once the column is over shutout, game_bonus, boxes and total, null before
    score           for host and guest: hand_points and hands_won of the whole match, each hand
                    once, games_won, and once the match is decided total, which is null before
    margin          the winner's total less the other's, below 0 where the loser has more; where
                    nobody has won, by how much the totals differ; null before the end
    stake           what a point is worth, and once the match is decided debtor (null: nobody) and
                    payment; null without rules
    winner          host | guest, once the entries that hold decide the match; null if forged, and
                    where nobody has won
    decided         whether the match is at its end by the entries that hold
    owes            who owes the next entry and what: role, what; null unless incomplete

Schema 3 added `evidence` to schema 2. proto/verdict.schema.json has all this for a program.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from cli.commands.logs import Unreadable, judged, open_log
from cli.terminal.lines import tell
from cli.words.evidence import ROLES, evidence_document, evidence_lines, is_fork
from cli.words.grammar import plural
from cli.words.offers import disclosure_word
from cli.words.score_sheet import score_sheet
from ginpeer.names.shown import display_names, in_marks, safe
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.referee.verdict import Finding, Verdict
from ginpeer.rules.game import Column, Game
from ginpeer.rules.match import Match
from ginpeer.rules.score import HandResult, Outcome
from ginpeer.store import LogReader
from protocol.crypto.identity import fingerprint

_SLOW = 2.0  # seconds of verifying after which a terminal is told how far it is,
_OFTEN = 0.5  # and seconds from then on


def run_verify(args: Namespace) -> int:
    """Judge the log and say so; the exit status is the verdict's."""
    try:
        with open_log(args.log, args.home) as log:
            verdict = judge_log(log)
    except Unreadable as error:
        if not args.json:
            raise
        verdict = nothing_read(error)
    if args.json:
        print(json.dumps(document(verdict), indent=2))
    else:
        tell(*report(verdict))
    return verdict.finding.value


def judge_log(log: LogReader, watch: list[Admitted] | None = None) -> Verdict:
    """The referee's verdict on a stored log; on a terminal, with progress if it takes long.

    Raises Unreadable if not even one entry can be read.
    """
    verdict = judged(log, _with_progress(log), watch)
    if log.fault is not None and not verdict.entries and verdict.finding is Finding.UNREADABLE:
        raise Unreadable(log.fault.code, log.fault.sentence, log.fault.entry)
    return verdict


def nothing_read(error: Unreadable) -> Verdict:
    """The verdict on what is no log at all."""
    return Verdict(Finding.UNREADABLE, Table(), 0, error.code, error.sentence, error.failing_entry)


def _with_progress(log: LogReader) -> Iterator[bytes]:
    if sys.stderr is None or not sys.stderr.isatty():
        yield from log
        return
    begun = told = time.monotonic()
    try:
        for number, entry in enumerate(log):
            now = time.monotonic()
            if now - begun > _SLOW and now - told > _OFTEN:
                told = now
                percent = 100 * log.good_end // log.size
                print(f"\r{number} entries, {percent} %", end="", file=sys.stderr, flush=True)
            yield entry
    finally:
        if told > begun:
            print(file=sys.stderr)


def word(verdict: Verdict) -> str:
    """The verdict in one word. A log is illegal where a player's own signature convicts that
    player, and forged where entries do not hold and nobody is convicted."""
    if verdict.finding is Finding.FORGED and verdict.culprit is not None:
        return "illegal"
    return verdict.finding.name.lower()


# --- for a person ------------------------------------------------------------------------


def report(verdict: Verdict) -> list[str]:
    """The whole verdict as lines of plain words, the verdict itself first."""
    names = display_names(verdict.table.names)
    lines = [headline(verdict), *what_happened(verdict)]
    if verdict.table.offer is not None:
        lines += ["", *players(verdict.table), *_circumstances(verdict)]
    match = verdict.table.match
    if match is not None and (match.results or match.finished):
        lines += ["", *score_sheet(match, names)]
    return [*lines, "", *proven(verdict)]


def headline(verdict: Verdict) -> str:
    """The verdict in one line."""
    at, code = verdict.failing_entry, verdict.code
    if is_fork(verdict) and verdict.conviction is not None:
        place = verdict.conviction.place
        return f"ILLEGAL: a player signed two different entries with the number {place} ({code})."
    match word(verdict):
        case "valid":
            return f"VALID: all {plural(verdict.entries, 'entry', 'entries')} hold, to the end."
        case "incomplete":
            count = plural(verdict.entries, "entry", "entries")
            hold = "holds" if verdict.entries == 1 else "hold"
            return f"INCOMPLETE: the match is not finished; {count} {hold} so far."
        case "illegal":
            return f"ILLEGAL: entry {at} is signed by a player and may not be ({code})."
        case "forged":
            return f"FORGED OR DAMAGED: entry {at} does not hold ({code})."
        case _:
            return f"CANNOT BE READ ({code})."


def what_happened(verdict: Verdict) -> list[str]:
    """The reason of a failure, and who owes what."""
    lines = []
    if verdict.code not in ("valid", "incomplete"):  # which the other lines say
        lines.append(safe(verdict.sentence))
    lines += evidence_lines(verdict)
    owes = verdict.table.owed_by
    if verdict.finding is Finding.INCOMPLETE and owes is not None:
        who = ", ".join((f"the {ROLES[owes]}", *_identity(verdict.table, owes)))
        lines.append(f"Owed next: {verdict.table.awaiting.value}, by {who}.")
    return lines


def players(table: Table) -> list[str]:
    """Who played, by the keys that signed and the names that they gave themselves."""
    return [
        f"{role.capitalize()}: {', '.join(_identity(table, seat)) or 'nobody yet'}"
        for seat, role in enumerate(ROLES)
    ]


def _identity(table: Table, seat: int) -> tuple[str, ...]:
    """Key and name of a player; nothing of a guest who has not come."""
    key = table.keys[seat]
    if key is None:
        return ()
    return f"key {fingerprint(key)}", f"called {in_marks(table.names[seat])}"


def _circumstances(verdict: Verdict) -> list[str]:
    table = verdict.table
    offer = table.offer
    if offer is None:
        return []
    return [
        f"Rules: {safe(offer.rules)}",
        f"Begun: {_date(offer.started)}, by the host's clock",
        f"Table: {table.table_id.hex()}",
    ]


def _date(seconds: int) -> str:
    """A time that the host claims; any number of 53 bits is possible."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return f"{seconds} seconds after 1970"


_NOT_ABOUT_PEOPLE = (
    "who holds the keys (a key is not a person), when it was played, and whether anyone had help"
)


def proven(verdict: Verdict) -> list[str]:
    """What the log proves and what it does not, in two lines."""
    count = plural(verdict.entries, "entry", "entries").removeprefix("1 ")
    holds = f"the first {count}: signed in turn, in one chain, legal by rules and proofs"
    if not verdict.entries:
        holds = "of the match nothing"
    match word(verdict):
        case "valid":
            return [
                "Proven: both keys signed this whole match in one chain; every shuffle, card, move "
                f"and point is legal by rules and proofs{_audited(verdict.table)}.",
                f"Not proven: {_NOT_ABOUT_PEOPLE}.",
            ]
        case "incomplete":
            return [
                f"Proven: {holds}.",
                "Not proven: why it stops there (a player, the network or a cut file), "
                f"{_NOT_ABOUT_PEOPLE}.",
            ]
        case "illegal":
            return [
                f"Proven: {holds}; {_signed_too(verdict)}, and nobody without that key can "
                "have made this up.",
                "Not proven: whether by intent, by a broken program or from an old backup, "
                f"{_NOT_ABOUT_PEOPLE}.",
            ]
        case "forged":
            return [
                f"Proven: {holds}; entry {verdict.failing_entry} is not what the match requires.",
                f"Not proven: who made it so, or whether the file was damaged by chance, "
                f"{_NOT_ABOUT_PEOPLE}.",
            ]
        case _ if verdict.entries:
            return [
                f"Proven: {holds}.",
                f"Not proven: anything about what follows, {_NOT_ABOUT_PEOPLE}.",
            ]
        case _:
            return ["Proven: nothing.", "Not proven: anything about this match."]


def _signed_too(verdict: Verdict) -> str:
    """What the convicted key did."""
    if is_fork(verdict) and verdict.conviction is not None:
        return f"the key named above signed both entries with the number {verdict.conviction.place}"
    return f"the key named above signed entry {verdict.failing_entry}, which may not be"


def _audited(table: Table) -> str:
    """What the disclosed seeds add."""
    hands = table.hand_number
    told = [hands - len(table.undisclosed(seat)) for seat in (0, 1)]
    if told == [hands, hands]:
        return ", and the disclosed seeds give the same deals and hands once more"
    return "; the hand seeds are not all disclosed, so unopened cards stay unknown"


# --- as JSON -----------------------------------------------------------------------------


def document(verdict: Verdict) -> dict[str, Any]:
    """The verdict as one document; the keys are described at the head of this module."""
    table = verdict.table
    offer, match = table.offer, table.match
    sound = verdict.finding in (Finding.VALID, Finding.INCOMPLETE)
    return {
        "schema": 3,
        "verdict": word(verdict),
        "code": verdict.code,
        "sentence": safe(verdict.sentence),
        "entries": verdict.entries,
        "failing_entry": verdict.failing_entry,
        "author": _role(verdict.culprit),
        "evidence": evidence_document(verdict),
        "table": table.table_id.hex() or None,
        "started": None if offer is None else offer.started,
        "players": [_player(table, seat) for seat in (0, 1)],
        "rules": None if offer is None else safe(offer.rules),
        "disclosure": None if offer is None else disclosure_word(offer.disclosure),
        "disclosed": {ROLES[seat]: _disclosed(table, seat) for seat in (0, 1)},
        "hands": [] if match is None else _hands(match),
        "games": [] if match is None else [_game(game) for game in match.games],
        "score": None if match is None else _score(match),
        "margin": match.settlement().margin if match is not None and match.finished else None,
        "stake": None if match is None else _stake(match),
        "winner": _role(match.winner) if match is not None and sound else None,
        "decided": match is not None and match.finished,
        "owes": _owes(verdict),
    }


def _role(seat: int | None) -> str | None:
    return None if seat is None else ROLES[seat]


def _player(table: Table, seat: int) -> dict[str, str | None]:
    key = table.keys[seat]
    return {
        "role": ROLES[seat],
        "name": None if key is None else safe(table.names[seat]),
        "key": None if key is None else key.hex(),
        "fingerprint": None if key is None else fingerprint(key),
    }


def _disclosed(table: Table, seat: int) -> int:
    return sum(seed.seat == seat for seed in table.seeds)


def _hands(match: Match) -> list[dict[str, Any]]:
    return [
        _hand(number, before, after) for number, (before, after) in enumerate(match.stages(), 1)
    ]


def _hand(number: int, before: Match, after: Match) -> dict[str, Any]:
    result = after.results[-1]
    entered = () if result.winner is None else before.game.columns_for(result.winner)
    return {
        "number": number,
        "game": before.game.number,
        "dealer": _role(before.dealer),
        "result": result.kind.value.replace(" ", "-"),
        "winner": _role(result.winner),
        "points": result.points,
        "other_points": result.other_points,
        "doubled": result.doubled,
        "knocker": _role(result.knocker),
        "deadwood": _deadwood(result),
        "columns": [at + 1 for at in entered],
    }


def _deadwood(result: HandResult) -> dict[str, int] | None:
    if result.kind is Outcome.VOID or result.knocker is None:
        return None
    pair = (result.knocker_deadwood, result.defender_deadwood)
    host, guest = pair if result.knocker == 0 else pair[::-1]
    return {"host": host, "guest": guest}


def _game(game: Game) -> dict[str, Any]:
    return {
        "number": game.number,
        "over": game.over,
        "winner": _role(game.winner),
        "columns": [_column(number, column) for number, column in enumerate(game.columns, 1)],
        "score": {
            role: {
                "hand_points": game.scores[seat],
                "hands_won": game.hands_won[seat],
                "total": game.totals[seat] if game.over else None,
            }
            for seat, role in enumerate(ROLES)
        },
    }


def _column(number: int, column: Column) -> dict[str, Any]:
    score: dict[str, dict[str, int | None]] = {}
    for seat, role in enumerate(ROLES):
        line = column.lines[seat] if column.over else None
        score[role] = {
            "hand_points": column.points[seat],
            "hands_won": column.hands_won[seat],
            "shutout": None if line is None else line.shutout,
            "game_bonus": None if line is None else line.game_bonus,
            "boxes": None if line is None else line.boxes,
            "total": None if line is None else line.total,
        }
    return {
        "number": number,
        "over": column.over,
        "winner": _role(column.winner),
        "score": score,
    }


def _score(match: Match) -> dict[str, dict[str, int | None]]:
    return {
        role: {
            "hand_points": sum(game.scores[seat] for game in match.games),
            "hands_won": sum(game.hands_won[seat] for game in match.games),
            "games_won": match.games_won[seat],
            "total": match.credits[seat] if match.finished else None,
        }
        for seat, role in enumerate(ROLES)
    }


def _stake(match: Match) -> dict[str, int | str | None]:
    settlement = match.settlement() if match.finished else None
    return {
        "a_point": match.rules.stake,
        "debtor": None if settlement is None else _role(settlement.debtor),
        "payment": None if settlement is None else settlement.payment,
    }


def _owes(verdict: Verdict) -> dict[str, str] | None:
    owes = verdict.table.owed_by
    if verdict.finding is not Finding.INCOMPLETE or owes is None:
        return None
    return {"role": ROLES[owes], "what": verdict.table.awaiting.value}
