"""One end of a connection between two tables (PROTOCOL 9.12): it sends what may be shown of ours,
and takes what comes of the other one.

# It stands where a seat stands at a table, and nothing is played: no offer, no turn, no pause. So
# greeting, keys, bounds and silences are those of every connection, and written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ginpeer.partnership.logs import FollowedLog, LogNotTaken, ReceivedLogs
from ginpeer.seat.effects import Close, Effect, Send, Show

NO_LINK = (
    "Nothing is played on this connection: it is a link between two tables. For that both type "
    "ginpeer link; for a match, ginpeer host and ginpeer join."
)


class LinkSeat:
    """Our end of one connection between two tables. What it shows the session is a FollowedLog in
    which a hand is over."""

    def __init__(
        self,
        shown: Callable[[], Mapping[bytes, FollowedLog]],
        others: ReceivedLogs,
        *,
        is_link: bool,
    ) -> None:
        """*shown*: the logs, by table, that may be shown now; a player in one has it, and isn't
        sent it. *is_link*: whether the other side knows that this is a link."""
        self._shown = shown
        self._others = others
        self._is_link = is_link
        self._sent: dict[bytes, int] = {}  # entries of each table

    def meet(self, theirs: object) -> Iterable[Effect]:
        """Send what may be shown. Where the other side's log stands doesn't matter: it passes over
        what it has."""
        self._others.begin()
        if not self._is_link:
            yield Close("not-a-link", NO_LINK, "A")
            return
        yield from self._send()

    def receive(self, raw: bytes) -> Iterable[Effect]:
        """Take an entry of another table."""
        try:
            ended = self._others.take(raw)
        except LogNotTaken as why:
            yield Close(why.code, why.sentence, "A")
            return
        if ended:
            yield Show(self._others)

    def play(self, move: Any) -> Iterable[Effect]:
        """Send what may be shown and has not been sent; there is no *move*."""
        return self._send()

    def _send(self) -> Iterator[Effect]:
        for table, log in self._shown().items():
            if self._others.sender in log.table.keys:
                continue
            sent = self._sent.get(table, 0)
            self._sent[table] = log.whole
            for entry in log.entries[sent : log.whole]:
                yield Send(entry)

    # --- what a session asks of a seat, and there is none of here ------------------------

    def sync_pending(self) -> int | None:
        return None

    def resign(self) -> Iterable[Effect]:
        return ()

    def agreed(self) -> bool:
        return False

    def owes_next(self) -> bool | None:
        return None

    def owes_choice(self) -> bool:
        return False

    def offer_to_consider(self) -> Any:
        return None

    def accept(self) -> Iterable[Effect]:
        return ()

    def offer(self) -> Iterable[Effect]:
        return ()

    def can_continue(self) -> bool:
        return False

    def can_come_back(self) -> bool:
        return False

    def view(self) -> Any:
        return None
