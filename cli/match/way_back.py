"""The way to a host that we know by its key: where it says that it is, and where it was."""

from __future__ import annotations

from collections.abc import Iterable

from cli.failure import USAGE, Failure
from ginpeer.net.address import Address, AddressError, parse_address
from ginpeer.net.invite import SECRET_BYTES, Invite
from ginpeer.net.packed import MAX_ADDRESSES
from ginpeer.store import Peer


def places_of(friend: Peer | None, noted: Iterable[str] = ()) -> tuple[Address, ...]:
    """Where a friend may be: by their own word, where they were met, and as *noted* elsewhere."""
    texts = (*(friend.told + friend.addresses if friend is not None else ()), *noted)
    found: dict[Address, None] = {}
    for text in texts:
        try:
            found[parse_address(text, None)] = None
        except AddressError:
            continue  # a path of this machine, or what an older version wrote
    return tuple(found)


def way_back(host_key: bytes, addresses: tuple[Address, ...]) -> Invite:
    """To a host that expects us: where it may be, and no secret. Raises Failure."""
    if not addresses:
        raise Failure(
            "no-address",
            "Where the host is, is not known; ask for an invite, or, to go on with a match, add "
            "--at HOST:PORT to ginpeer resume.",
            USAGE,
        )
    return Invite.of(host_key, bytes(SECRET_BYTES), addresses[:MAX_ADDRESSES])
