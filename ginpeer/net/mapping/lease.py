"""A lease: a port of ours that may be open at a router, as a value and as text.

A lease is passed to the caller before the router is asked, so that it can be stored first: a
program that is killed then knows at its next start what to take back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import Any

from ginpeer.net.mapping.http import parse_url
from ginpeer.net.mapping.igd import CONNECTIONS, FIREWALL
from ginpeer.net.mapping.results import MappingProtocol, Refusal

MAX_LEASES = 16
MAX_TEXT = 1 << 14
VERSION = 1
NONCE_BYTES = 12  # of PCP


class LeaseError(ValueError):
    """The text doesn't hold leases as `write_leases` writes them."""

    def __init__(self) -> None:
        self.code = "leases-unreadable"
        self.sentence = "The note of what is open at the router cannot be read."
        super().__init__(self.sentence)


@dataclass(frozen=True, slots=True)
class Lease:
    """A port of ours at one router, asked for or granted.

    *gateway* and *own* are IP addresses, for an IPv6 pinhole by UPnP perhaps of two families.
    *external_port* is 0 until the router has named it. *nonce* belongs to PCP; *control*, *service*
    and *pinhole* (its number) belong to UPnP. *permanent*: the router keeps it until it is taken
    back.
    """

    protocol: MappingProtocol
    gateway: str
    own: str
    internal_port: int
    external_port: int = 0
    nonce: bytes = b""
    control: str = ""
    service: str = ""
    pinhole: int | None = None
    permanent: bool = False

    @property
    def key(self) -> tuple[MappingProtocol, str, str, int]:
        """What identifies a lease: there is one at a time for each."""
        return self.protocol, self.gateway, self.own, self.internal_port


def write_leases(leases: Iterable[Lease]) -> str:
    """Write leases as one line of JSON, which ``read_leases`` reads back. If there are too many,
    drop those that end by themselves."""
    kept = list(leases)
    if len(kept) > MAX_LEASES:
        kept = sorted(kept, key=lambda lease: not lease.permanent)[:MAX_LEASES]
    rows = [
        {**asdict(lease), "protocol": lease.protocol.value, "nonce": lease.nonce.hex()}
        for lease in kept
    ]
    return json.dumps({"version": VERSION, "leases": rows}) + "\n"


def read_leases(text: str) -> tuple[Lease, ...]:
    """Read leases back. Raises LeaseError for what ``write_leases`` wouldn't have written."""
    try:  # another value, or another key, than these lines ask for makes them raise
        document: Any = json.loads(text) if len(text) <= MAX_TEXT else None
        if set(document) != {"version", "leases"}:
            raise LeaseError
        rows = document["leases"]
        if not _is_number(document["version"], VERSION, VERSION) or not isinstance(rows, list):
            raise LeaseError
        if len(rows) > MAX_LEASES:
            raise LeaseError
        return tuple(_read_lease(row) for row in rows)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise LeaseError from None


def _read_lease(row: Any) -> Lease:
    gateway, own = row["gateway"], row["own"]
    for host in (gateway, own):
        if not isinstance(host, str) or len(host) > 80 or not host.isprintable():
            raise LeaseError
        ip_address(host)
    nonce = bytes.fromhex(row["nonce"])
    pinhole, permanent = row["pinhole"], row["permanent"]
    protocol = MappingProtocol(row["protocol"])
    if (
        not _is_number(row["internal_port"], 1, 0xFFFF)
        or not _is_number(row["external_port"], 0, 0xFFFF)
        or not (pinhole is None or _is_number(pinhole, 0, 0xFFFF))
        or not isinstance(permanent, bool)
        or len(nonce) != (NONCE_BYTES if protocol is MappingProtocol.PCP else 0)
        or (row["service"] in (*CONNECTIONS, FIREWALL)) is not (protocol is MappingProtocol.UPNP)
    ):
        raise LeaseError
    if protocol is MappingProtocol.UPNP:
        try:
            parse_url(row["control"], gateway)  # never to be sent anywhere else
        except Refusal:
            raise LeaseError from None
    elif (row["control"], row["service"]) != ("", ""):
        raise LeaseError
    return Lease(**{**row, "protocol": protocol, "nonce": nonce})


def _is_number(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
