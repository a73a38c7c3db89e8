"""The status of a stored match, what the first and last entries of its log say about it, and what
is cached of that for lists.

These are the logs of our own home. An entry that can't be read proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from ginpeer.referee.referee import judge
from ginpeer.referee.table import Awaiting
from ginpeer.rules.ruleset import RuleSet
from ginpeer.store.json_files import within
from ginpeer.store.log import message_in
from ginpeer.store.match_files import ClosingNote
from protocol.entry import CAPACITY, Capacity, LogSize
from protocol.messages import Accept, Discard, Disclose, Disclosure, Offer, Pass, Settle, Spread

Names: TypeAlias = tuple[str, str]
"""The names of host and guest, as they signed them: a stranger's words."""

Keys: TypeAlias = tuple[bytes | None, bytes | None]
"""The identity keys of host and guest; None for a key that isn't in the log."""


@dataclass(frozen=True, slots=True)
class UnreadableMatch:
    """The file isn't a log, or not one that this program can read."""

    sentence: str


@dataclass(frozen=True, slots=True)
class InvalidMatch:
    entry: int  # the number of the first invalid entry, from 0
    sentence: str


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """The match has ended with this score, as the last entries claim. Unless ``verified``, no
    signature or earlier entry was checked."""

    names: Names
    score: Settle
    keys: Keys = (None, None)
    rules: str = ""
    verified: bool = False


@dataclass(frozen=True, slots=True)
class DecidedMatch:
    """The match has ended, and every entry is proven to be valid. Its last entries alone don't show
    that: it may have been resigned in the first deal, or the score may be followed by the seeds of
    many hands."""

    names: Names
    winner: Annotated[int, within(0, 1)] | None  # the seat; None if nobody has won
    keys: Keys = (None, None)
    rules: str = ""


@dataclass(frozen=True, slots=True)
class UnacceptedOffer:
    """The match was offered, and then declined, or abandoned before an answer."""

    names: Names
    keys: Keys = (None, None)
    rules: str = ""


@dataclass(frozen=True, slots=True)
class EmptyMatch:
    """The log has no entries."""

    names: Names
    keys: Keys = (None, None)


@dataclass(frozen=True, slots=True)
class UnfinishedMatch:
    """The referee has proven who owes the next entry; only our own clock says since when."""

    names: Names
    rules: RuleSet
    noted: ClosingNote
    shelved: bool = False  # whether the two players have agreed on a later match since
    keys: Keys = (None, None)


MatchStatus: TypeAlias = (
    UnreadableMatch
    | InvalidMatch
    | FinishedMatch
    | DecidedMatch
    | UnacceptedOffer
    | EmptyMatch
    | UnfinishedMatch
)


def keys_in(status: MatchStatus) -> Keys:
    """Return the keys of host and guest, as far as they are known."""
    return (None, None) if isinstance(status, UnreadableMatch | InvalidMatch) else status.keys


def rules_in(status: MatchStatus) -> str:
    """Return the rules in the offer; empty if they aren't known."""
    if isinstance(status, UnreadableMatch | InvalidMatch | EmptyMatch):
        return ""
    return str(status.rules)


# --- what the ends of a log say ------------------------------------------------------------------


def is_over(entries: Sequence[bytes], capacity: Capacity = CAPACITY) -> bool:
    """Return whether this log contains its match to the end, or has no room for the match to
    continue. Usually its last four entries show that. If no seeds or very many had to be
    disclosed, the end has fewer or more entries, and only the referee can decide, which takes
    seconds."""
    if signed_result(entries) is not None or is_full(entries, capacity):
        return True
    last = message_in(entries[-1]) if entries else None
    return isinstance(last, Settle | Disclose) and judge(entries).table.finished


def is_full(entries: Sequence[bytes], capacity: Capacity = CAPACITY) -> bool:
    """Return whether the match has to stop because its log has no room for another move or, between
    two hands, for another hand."""
    size = LogSize.of(entries)
    if capacity.has_room_for_hand(size):
        return False
    if not capacity.has_room_for_move(size):
        return True
    last = message_in(entries[-1])
    if isinstance(last, Discard | Pass):  # either can have made the hand void
        return judge(entries).table.awaiting is Awaiting.DEAL_COMMIT
    return isinstance(last, Spread | Disclose)


def surely_continues(entries: Sequence[bytes]) -> bool:
    """Return whether the last entry alone shows that this match isn't over. Nothing is judged."""
    last = message_in(entries[-1])
    if last is None or isinstance(last, Settle | Disclose):
        return False
    return CAPACITY.has_room_for_hand(LogSize.of(entries))


def offer_of(entries: Sequence[bytes]) -> Offer | None:
    message = message_in(entries[0])
    return message if isinstance(message, Offer) else None


def opening_of(entries: Sequence[bytes]) -> tuple[Offer, Accept] | None:
    """Return the offer and the acceptance with which these entries begin, if they do."""
    match [message_in(raw) for raw in entries[:2]]:
        case [Offer() as offer, Accept() as accept]:
            return offer, accept
    return None


def signed_result(entries: Sequence[bytes]) -> tuple[Offer, Accept, Settle] | None:
    """Return the offer, the acceptance, and the score that both signed; None if that isn't
    certain."""
    opening, closing = opening_of(entries), [message_in(raw) for raw in entries[-4:]]
    if opening is None or None in closing:
        return None
    match closing:
        case [*_, Settle() as one, Settle() as two]:
            ended = one == two and opening[0].disclosure is not Disclosure.AFTER_MATCH
        case [Settle() as one, Settle() as two, Disclose(), Disclose()]:
            ended = one == two
        case _:
            return None
    return (*opening, two) if ended else None


def finished_match(signed: tuple[Offer, Accept, Settle]) -> FinishedMatch:
    offer, accept, score = signed
    return FinishedMatch((offer.name, accept.name), score, (offer.key, accept.key), offer.rules)


# --- what a list remembers of a log ---------------------------------------------------
#
# Only a log that is read whole is cached; the journal handles one with a torn end.


@dataclass(frozen=True, slots=True)
class LogSummary:
    """What a list shows of a log, and what a host needs to know about it, cached until the file
    changes (Home.cache). It is what the log's own entries claim; verifying the log proves it."""

    entries: int  # how many entries the log contains
    over: bool | None
    """Whether its match can't continue; None if only judging the log would show that."""
    ended: FinishedMatch | DecidedMatch | None = None
    """How the match has ended, if that was read as well."""
