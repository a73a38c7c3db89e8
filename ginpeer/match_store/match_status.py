"""How a stored match can stand, each way with what its log says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ginpeer.rules.ruleset import RuleSet
from ginpeer.store.closing_note import ClosingNote
from protocol.messages import Settle

Names: TypeAlias = tuple[str, str]
"""Of host and guest, as they were signed: a stranger's words."""

Keys: TypeAlias = tuple[bytes | None, bytes | None]
"""Theirs; None where none is in the log."""


@dataclass(frozen=True, slots=True)
class UnreadableMatch:
    """It is no log, or not one that this program reads."""

    sentence: str


@dataclass(frozen=True, slots=True)
class InvalidMatch:
    """An entry of it is not what the match requires."""

    entry: int
    """Its number, from 0."""
    sentence: str


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """It has ended with this score, as the last entries claim: neither a signature nor an entry
    before them was checked, unless it was ``verified`` before. ``ginpeer verify`` proves it."""

    names: Names
    score: Settle
    keys: Keys = (None, None)
    rules: str = ""
    verified: bool = False


@dataclass(frozen=True, slots=True)
class DecidedMatch:
    """Every entry holds to the end: proven. Its last entries alone do not say so, as where it was
    given up in the first deal, or where the seeds of many hands follow the score."""

    names: Names
    winner: int | None
    """The seat; None where nobody has won."""
    keys: Keys = (None, None)
    rules: str = ""


@dataclass(frozen=True, slots=True)
class UnacceptedOffer:
    """It was offered; declined, or left before it was answered."""

    names: Names
    keys: Keys = (None, None)
    rules: str = ""


@dataclass(frozen=True, slots=True)
class EmptyMatch:
    """There is no entry in it."""

    names: Names
    keys: Keys = (None, None)


@dataclass(frozen=True, slots=True)
class UnfinishedMatch:
    """The referee says who owes the next entry: proven. Since when is our own clock's word."""

    names: Names
    rules: RuleSet
    noted: ClosingNote
    aside: bool
    """Whether it was put aside for a later match."""
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


def keys_in(standing: MatchStatus) -> Keys:
    """Of host and guest, as far as they are known."""
    return (None, None) if isinstance(standing, UnreadableMatch | InvalidMatch) else standing.keys


def rules_in(standing: MatchStatus) -> str:
    """By which rules it is played, as they stand in the offer; empty where that is not known."""
    if isinstance(standing, UnreadableMatch | InvalidMatch | EmptyMatch):
        return ""
    return str(standing.rules)
