"""A verified match as it is counted: who played, and how each hand was ended, in which turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ginpeer.record import Player
from ginpeer.referee.outcome import result_of
from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from ginpeer.rules.score import HandResult
from protocol import messages as m


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One hand that is over."""

    result: HandResult
    turn: int | None
    """In which of the knocker's own turns the hand was ended, from 1; None for a hand that nobody
    ended. A turn goes from the first card that is taken, where one is, to the discard."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match whose entries hold; host and guest are seats 0 and 1."""

    table: bytes
    keys: tuple[bytes, bytes]
    names: tuple[str, str]
    """As they were signed: strangers' words."""
    rules: str
    finished: bool
    winner: int | None
    """None while it goes on, and where nobody has won."""
    resigned: int | None
    totals: tuple[int, int] | None
    """With every bonus; None before it is finished."""
    hands: tuple[PlayedHand, ...]

    @classmethod
    def of(cls, table: Table, turns: Sequence[int | None]) -> PlayedMatch | None:
        """Of a table as its log ends, and the turn in which each hand was ended; None before it is
        agreed who deals first."""
        match, offer = table.match, table.offer
        host, guest = (Player.of(table, seat).key for seat in (0, 1))
        if match is None or offer is None or host is None or guest is None:
            return None
        return cls(
            table.table_id,
            (host, guest),
            table.names,
            offer.rules,
            match.finished,
            match.winner,
            match.resigned,
            match.credits if match.finished else None,
            tuple(
                PlayedHand(result, turn) for result, turn in zip(match.results, turns, strict=True)
            ),
        )


_IN_A_TURN = (m.TakeUpcard, m.DrawStock, m.TakeDiscards, m.Lay, m.Discard, m.Knock)


class TurnCounter(list[Admitted]):
    """Watches the judging of a log, keeps nothing of its entries, and counts the turns of each
    hand."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[int | None] = []
        """Of each hand that is over."""
        self._begin()

    def _begin(self) -> None:
        self._taken = [0, 0]  # turns of each seat in this hand
        self._inside = [False, False]  # of a turn that has begun and not ended

    def append(self, event: Admitted) -> None:
        seat = event.author
        if isinstance(event.message, _IN_A_TURN):
            self._taken[seat] += not self._inside[seat]
            self._inside[seat] = not isinstance(event.message, m.Discard)
        result = result_of(event)
        if result is not None:
            self.turns.append(None if result.knocker is None else self._taken[result.knocker])
            self._begin()
