"""Seats of a club whose guests have left in the middle of a match, for when they come again.

# Rule 1: a seat is put back from the store at the price of all proofs in its log, while nothing
# else is served. Who leaves and comes again, and again, is to cost no more than who stays.
# Rule 2: what is kept is the latest KEPT seats with logs of MAX_BYTES together. Which of them still
# knows what is stored, the keeper judges (TableKeeper).
"""

from __future__ import annotations

from collections.abc import Iterator

from ginpeer.seat.seat import Seat

KEPT = 16
MAX_BYTES = 16 * 1024 * 1024


class KeptSeats:
    """The seats, the latest first."""

    def __init__(self) -> None:
        self._seats: list[Seat] = []

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._seats)

    def keep(self, seat: Seat) -> None:
        """This one, in the place of what was kept of the same match."""
        table = seat.table.table_id
        seats = [seat, *(one for one in self._seats if one.table.table_id != table)]
        self._seats, size = [], 0
        for one in seats[:KEPT]:
            size += sum(map(len, one.entries))
            if size > MAX_BYTES:
                break
            self._seats.append(one)
