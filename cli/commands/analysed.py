"""Which player's choices are looked at, of a log that is verified: for `analyse` and `replay`."""

from __future__ import annotations

from cli.failure import Failure
from ginpeer.analysis import can_advise
from ginpeer.names.nicknames import NO_KNOWN_NAMES, KnownNames
from ginpeer.names.quoting import QUOTE, safe
from ginpeer.record import Record
from ginpeer.referee.table import ROLES, Table


def seat_named(text: str, table: Table, known: KnownNames = NO_KNOWN_NAMES) -> int:
    """The seat of "host", "guest" or a player's name. Raises Failure."""
    wanted = text.strip().strip(QUOTE).casefold()
    if wanted in ROLES:
        return ROLES.index(wanted)
    names = known.display(table.keys, table.names)
    ways = [{shown, safe(own)} for shown, own in zip(names, table.names, strict=True)]
    found = [
        seat
        for seat in (0, 1)
        if wanted in (way.replace(QUOTE, "").casefold() for way in ways[seat])
    ]
    if len(found) != 1:
        why = "Both players have that name" if found else "Nobody of that name played"
        raise Failure(
            "no-such-seat",
            f"{why}: {names[0]} was the host and {names[1]} the guest.",
        )
    return found[0]


def own_seat(record: Record, known: KnownNames) -> int | None:
    """Where the player of this home sat; None in a match of others."""
    if known.own is None or known.own not in record.table.keys:
        return None
    return record.table.keys.index(known.own)


def seats_to_analyse(record: Record, only: int | None, known: KnownNames) -> tuple[int, ...]:
    """The seat that was asked for, else our own player's, else both."""
    own = own_seat(record, known) if only is None else only
    return (0, 1) if own is None else (own,)


def check_advice(record: Record) -> None:
    """Raises Failure where the rules of the match are not advised on."""
    if record.rules is not None and not can_advise(record.rules):
        raise Failure(
            "no-advice", "Choices in Mahjong gin cannot be valued; the match can be replayed."
        )
