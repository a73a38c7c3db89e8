"""The way to a host that we know by its key: where it says that it is, and where it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cli.failure import USAGE, Failure
from ginpeer.net.address import DEFAULT_PORT, Address, AddressError, parse_address
from ginpeer.net.address_codec import MAX_ADDRESSES
from ginpeer.net.codes import SECRET_BYTES, Invite
from ginpeer.store import Peer

_PASSING = 32768
"""From here on systems take the ports of connections that they make."""


def places_of(friend: Peer | None, noted: Iterable[str] = ()) -> tuple[Address, ...]:
    """Where a friend may be: by their own word, where they were met, and as *noted* elsewhere."""
    told, met = (friend.told, friend.addresses) if friend is not None else ((), ())
    found = dict.fromkeys((*_read(told), *_read(noted)))
    for address in _read(met):
        # Whoever came to us came from a port that means nothing by now.
        at_its_own = address.port < _PASSING
        found[address if at_its_own else address._replace(port=DEFAULT_PORT)] = None
    return tuple(found)


def _read(texts: Iterable[str]) -> Iterator[Address]:
    for text in texts:
        try:
            yield parse_address(text, None)
        except AddressError:
            continue  # a path of this machine, or what an older version wrote


def way_back(host_key: bytes, addresses: tuple[Address, ...], command: str = "ginpeer") -> Invite:
    """To a host that expects us: where it may be, and no secret. *command*: how this program is
    called. Raises Failure."""
    if not addresses:
        raise Failure(
            "no-address",
            "Where the host is, is not known; ask for an invite, or, to go on with a match, add "
            f"--at HOST:PORT to {command} resume.",
            USAGE,
        )
    return Invite.of(host_key, bytes(SECRET_BYTES), addresses[:MAX_ADDRESSES])
