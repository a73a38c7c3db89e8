"""Where in an invite an address belongs that was found after the invite was written."""

from __future__ import annotations

import ipaddress

from ginpeer.net.address import MAX_ADDRESSES, Address, is_onion

_OUTSIDE, _INSIDE, _OWN, _ONION = range(4)


def with_address(addresses: tuple[Address, ...], new: Address) -> tuple[Address, ...]:
    """These addresses and *new* among them: before the first that is of less use, without moving
    the others. Where there are too many, the last of the least use goes, but never *new*.

    What reaches us from outside comes before what does so at home, then this machine's own
    loopback; an onion address, the slowest way that leads everywhere, comes last.
    """
    if new in addresses:
        return addresses
    kept = list(addresses)
    if len(kept) >= MAX_ADDRESSES:
        kept.remove(max(reversed(kept), key=_expendable))
    at = next((i for i, each in enumerate(kept) if _rank(each) > _rank(new)), len(kept))
    return (*kept[:at], new, *kept[at:])


def _rank(address: Address) -> int:
    if is_onion(address.host):
        return _ONION
    try:
        ip = ipaddress.ip_address(address.host)
    except ValueError:
        return _OUTSIDE  # a name is what somebody has typed
    if ip.is_loopback:
        return _OWN
    return _OUTSIDE if ip.is_global else _INSIDE


def _expendable(address: Address) -> int:
    """The higher, the less is lost with it. An onion address leads here when nothing else does."""
    rank = _rank(address)
    return -1 if rank == _ONION else rank
