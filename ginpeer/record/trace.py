"""Every entry of a log that holds, as much of it as is looked at afterwards.

# A log may be as long as a log can be, and a stranger's. What is kept of its entries until all are
# judged has no proofs, and nothing that grows with the number of hands; what a hand has had of
# moves is put together again when it is asked for, of one hand at a time. So a log mostly takes
# half as much memory again to be walked through as to be judged; less than three times as much at
# worst, where a long hand has little in its entries that was let go, as in Mahjong gin.
"""

from __future__ import annotations

from dataclasses import replace

from ginpeer.referee.referee import Admitted
from ginpeer.referee.signed_moves import move_of
from ginpeer.referee.table import Table
from ginpeer.rules.moves import Move
from protocol import messages as m


class AdmittedEntries(list[Admitted]):
    """The admitted entries; judging appends to it."""

    def __init__(self) -> None:
        super().__init__()
        self._hand = (0, 0)  # from the first entry of the hand that was asked for last,
        self._moves: tuple[tuple[int, Move], ...] = ()  # its moves
        self._before: list[int] = []  # and how many of them came before each of its entries

    def append(self, event: Admitted) -> None:
        before = self[-1].after if self else _light(event.before)
        message = _without_proofs(event.message)
        super().append(Admitted(event.sequence, event.author, message, before, _light(event.after)))

    def moves_before(self, at: int) -> tuple[tuple[int, Move], ...]:
        """The moves in the same hand before the entry at this place, each with its seat."""
        start, end = self._hand
        if not start <= at < end:
            self._look_at_hand_of(at)
            start, _ = self._hand
        return self._moves[: self._before[at - start]]

    def _look_at_hand_of(self, at: int) -> None:
        number = self[at].before.hand_number
        start = at
        while start and self[start - 1].before.hand_number == number:
            start -= 1
        made: list[tuple[int, Move]] = []
        self._before = []
        end = start
        while end < len(self) and self[end].before.hand_number == number:
            self._before.append(len(made))
            move = move_of(self[end].message)
            if move is not None:
                made.append((self[end].author, move))
            end += 1
        self._hand, self._moves = (start, end), tuple(made)


def _light(table: Table) -> Table:
    """The table without what is kept of every hand for the audit, and of every move for a bot."""
    hand = None if table.hand is None else table.hand._replace(moves=())
    return replace(table, records=(), seeds=(), hand=hand)


def _without_proofs(message: m.Message) -> m.Message:
    """The message without the bytes that are for the referee alone."""
    match message:
        case m.DealDeck():
            return replace(message, possession=b"", deck=b"", argument=b"")
        case m.DealShuffle():
            return replace(message, deck=b"", argument=b"", shares=b"", proof=b"")
        case m.DealShares():
            return replace(message, shares=b"", proof=b"")
        case m.Share():
            return replace(message, share=b"", proof=b"")
        case m.Discard() | m.Knock() | m.Lay():
            return replace(message, hand=b"", argument=b"", opening=b"")
        case m.TakeDiscards():
            return replace(message, lay=replace(message.lay, hand=b"", argument=b"", opening=b""))
        case _:
            return message
