"""Taking back moves in practice, where both seats and both logs are ours.

Rule 1: a move is taken back by cutting both logs off before it. What is left of each is a valid,
        shorter log. Then both seats are restored from their logs, as when a match is resumed. All
        secrets derive from stored seeds, which are kept. So the same cards come again, in later
        hands too.
Rule 2: the bot's log is cut first. After a crash between the two, ours is merely ahead: the bot
        is sent the rest when the match is resumed, and nothing has been taken back.
Rule 3: after that, a player may sign two entries for the same place in the log. Against anybody
        else that would convict us, so nothing in this module may be used outside practice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ginpeer.referee.referee import Admitted
from ginpeer.referee.table import Table
from protocol import messages as m
from protocol.entry import RawEntry

Choice: TypeAlias = (
    m.Pass | m.TakeUpcard | m.DrawStock | m.TakeDiscards | m.Lay | m.Discard | m.Knock | m.Spread
)
"""A move that a player has chosen."""


def own_choices(entries: Sequence[bytes], key: bytes) -> Iterator[tuple[int, Choice]]:
    """Yield the moves that the player with this key has signed, with their entry numbers, the
    latest first."""
    for number in reversed(range(len(entries))):
        raw = RawEntry.split(entries[number])
        message = raw.decode().message
        if isinstance(message, Choice) and raw.is_signed_by(key):
            yield number, message


class SeenTables:
    """The tables before each move in this run of the program. Going back to one of them takes no
    time; going back further means judging the log again."""

    def __init__(self) -> None:
        self._tables: dict[bytes, Table] = {}  # by the hash of the last entry

    def note(self, event: Admitted) -> None:
        if isinstance(event.message, Choice):
            self._tables[event.before.head] = event.before

    def at(self, head: bytes) -> Table | None:
        return self._tables.get(head)
