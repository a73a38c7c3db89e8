"""One end of a connection between two tables (PROTOCOL 9.12): it sends what may be shown of ours,
and takes what comes of the other one.

# It stands where a seat stands at a table, and nothing is played: no offer, no turn, no pause. So
# greeting, keys, bounds and silences are those of every connection, and written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ginpeer.partnership.followed_log import FollowedLog
from ginpeer.partnership.other_tables import NotTaken, OtherTables
from ginpeer.seat.effects import Close, Effect, Send, Show

NO_LINK = (
    "Nothing is played on this connection: it is a link between two tables. For that both type "
    "ginpeer link; for a match, ginpeer host and ginpeer join."
)


class LinkSeat:
    """Our end of one connection. Shown are FollowedLog: that a hand is over there."""

    def __init__(
        self,
        shown: Callable[[], Mapping[bytes, FollowedLog]],
        others: OtherTables,
        *,
        is_link: bool,
    ) -> None:
        """*shown*: the logs, by table, that may be shown now; who plays in one has it, and is not
        sent it. *is_link*: whether the other side knows that this is a link."""
        self._shown = shown
        self._others = others
        self._is_link = is_link
        self._sent: dict[bytes, int] = {}  # entries of each table

    def meet(self, theirs: object) -> Iterable[Effect]:
        """The other side is there. Where its log stands does not matter: it gets all that may be
        shown, and passes over what it has."""
        self._others.begin()
        if not self._is_link:
            yield Close("not-a-link", NO_LINK, "A")
            return
        yield from self._send()

    def receive(self, raw: bytes) -> Iterable[Effect]:
        """An entry of another table."""
        try:
            ended = self._others.take(raw)
        except NotTaken as why:
            yield Close(why.code, why.sentence, "A")
            return
        if ended:
            yield Show(self._others)

    def play(self, move: Any) -> Iterable[Effect]:
        """Send what may be shown and was not yet; *move* is nothing."""
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
