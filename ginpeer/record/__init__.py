"""Read a signed log as a Python object: have the referee judge it, and walk through its hands.

>>> from ginpeer.record import Record
>>> record = Record.read("friday.ginlog")  # a path or bytes; not judged yet
>>> record.verdict.sentence
'All entries are valid; the match is finished.'
>>> print(record.rules, *record.players)
standard target=1 Ada Ben
>>> (hand,) = record.hands
>>> print(hand.result)
knock: seat 0 knocked with 6 against 24, 18 to seat 0
>>> draw = next(step for step in hand.steps if step.drawn is not None)
>>> print(draw.entry, draw.author, draw.move, draw.drawn)
14 1 draw 8c
>>> print(*draw.hand(1), draw.degree(1).value)
3c 5c 8c 9c 2d 5d 3h 5h 6h 7h 8s disclosed
>>> draw.after.legal_moves()[0]
parse_move('discard 3c')

A record shows what the valid entries prove: the players' keys signed them, and they are legal, with
valid proofs. The players' names and the time at which the match began are only claimed. A key isn't
a person.

There are three sources of cards: what everybody with the log knows (PUBLIC), one player's own
seeds, which aren't in the log (OWN), and the seeds that the log discloses (DISCLOSED). A position
is a Hand of ginpeer.rules with all known cards.

A Record can also read a match that somebody typed (ginpeer.notation), recognised by its first tag
or by the file name extension .gin. Nobody signed it: ``record.typed`` is what was written down, and
the verdict's code is unproven.

A file that isn't a log raises UnreadableLog, which has a ``code`` and a ``sentence``. A log that
breaks off or lies raises nothing: it has a verdict, and the record shows its valid entries.

Reading order:

steps             hands and steps, with the position before and after each; which cards are known,
                  and how
typed_match       a typed match as a record
verdict_document  the players and the score; the verdict for programs, and what a log proves
                  against a player
record            the verdict on a log file, and Record, which brings all of this together
sheet             a record as a sheet, which ginpeer.notation writes
steps_document    the steps for programs
cursor            a cursor over the steps, which moves forward, back, to a hand, a turn or a knock
"""

from ginpeer.record.cursor import HighestDeadwood, Landmark, StepCursor
from ginpeer.record.record import CachedVerdict, Progress, Record, judge_log, unreadable_verdict
from ginpeer.record.sheet import sheet_of
from ginpeer.record.steps import AdmittedEntries, Degree, KnownCards, RecordedHand, Step, Steps
from ginpeer.record.steps_document import steps_document
from ginpeer.record.verdict_document import (
    Player,
    Score,
    describe_message,
    evidence_document,
    verdict_document,
)
from ginpeer.referee.referee import Conviction, Finding, Verdict
from ginpeer.referee.table import move_of
from ginpeer.store import UnreadableLog

__all__ = [
    "AdmittedEntries",
    "CachedVerdict",
    "Conviction",
    "Degree",
    "Finding",
    "HighestDeadwood",
    "KnownCards",
    "Landmark",
    "Player",
    "Progress",
    "Record",
    "RecordedHand",
    "Score",
    "Step",
    "StepCursor",
    "Steps",
    "UnreadableLog",
    "Verdict",
    "describe_message",
    "evidence_document",
    "judge_log",
    "move_of",
    "sheet_of",
    "steps_document",
    "unreadable_verdict",
    "verdict_document",
]
