"""A mapping method asks one router for one port over one protocol: PCP, NAT-PMP or UPnP. A lease is
a port of ours that may be open on a router, stored as text between runs.

Rule 1: a method opens our own port at our own address, for TCP, and nothing else.
Rule 2: before a method asks for a lease, it passes the lease to ``keep``, which stores it. So if
our program is killed, it knows at its next start what to release.
Rule 3: each request ends by itself, with a Grant or a Refusal.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import Any, ClassVar

from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.http import parse_url
from ginpeer.net.mapping.igd import CONNECTIONS, FIREWALL
from ginpeer.net.mapping.results import MappingProtocol, Refusal

MAX_LEASES = 16
MAX_TEXT = 1 << 14
VERSION = 1
NONCE_BYTES = 12  # in PCP


class LeaseError(ValueError):
    """The text doesn't contain leases as `write_leases` writes them."""

    code = "leases-unreadable"


@dataclass(frozen=True, slots=True)
class Lease:
    """A port of ours that one router was asked to open, or has opened. *gateway* and *own_address*
    are IP addresses, which may be of different families for a UPnP pinhole. *external_port* is 0
    until the router has named it. *nonce* belongs to PCP; *control*, *service* and *pinhole* (its
    number) belong to UPnP. *permanent*: the router keeps the lease until it is released."""

    protocol: MappingProtocol
    gateway: str
    own_address: str
    internal_port: int
    external_port: int = 0
    nonce: bytes = b""
    control: str = ""
    service: str = ""
    pinhole: int | None = None
    permanent: bool = False

    @property
    def key(self) -> tuple[MappingProtocol, str, str, int]:
        """The identity of a lease: no two leases with the same key are open at a time."""
        return self.protocol, self.gateway, self.own_address, self.internal_port


def write_leases(leases: Iterable[Lease]) -> str:
    """Write leases as one line of JSON, which ``read_leases`` reads back. If there are too many,
    keep the permanent ones first."""
    kept = list(leases)
    if len(kept) > MAX_LEASES:
        kept = sorted(kept, key=lambda lease: not lease.permanent)[:MAX_LEASES]
    return json.dumps({"version": VERSION, "leases": [*map(_row, kept)]}) + "\n"


def _row(lease: Lease) -> dict[str, Any]:
    row = {**asdict(lease), "protocol": lease.protocol.value, "nonce": lease.nonce.hex()}
    row["own"] = row.pop("own_address")  # the name that version 1 of this document uses
    return row


def read_leases(text: str) -> tuple[Lease, ...]:
    """Read leases back. Raises LeaseError for text that ``write_leases`` wouldn't have written."""
    try:  # any unexpected key or value makes these lines raise
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
    gateway, own_address = row["gateway"], row.pop("own")
    for host in (gateway, own_address):
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
            parse_url(row["control"], gateway)  # so that no request goes to another machine
        except Refusal:
            raise LeaseError from None
    elif (row["control"], row["service"]) != ("", ""):
        raise LeaseError
    return Lease(**{**row, "protocol": protocol, "nonce": nonce}, own_address=own_address)


def _is_number(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


# --- the methods --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MappingTiming:
    """Time limits and intervals for asking routers, in seconds."""

    lifetime: int = 3600  # requested; the router may grant a different one
    total: float = 8.0  # until the result is reported, even if answers are missing
    # The RFCs start at 3 s (PCP) or 0.25 s (NAT-PMP) and repeat for minutes; our player is waiting.
    pcp: tuple[float, ...] = (0.5, 1.0, 2.0, 2.5)
    nat_pmp: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0)
    search: tuple[float, ...] = (0.5, 1.0, 1.5)
    http: float = 3.0  # for one UPnP request
    # The better methods start first; the others start when those have failed or taken too long.
    head_starts: tuple[float, ...] = (0.0, 0.75, 1.25)
    forgetting: float = 1.0  # for closing what an earlier run has left open
    stopping: float = 1.5
    renewal: float = 300.0  # at most this long apart, so that a router's restart is noticed
    soonest: float = 5.0  # at least this long apart, however short a lease is
    retry: float = 10.0  # after a renewal that failed; doubled each time, up to *renewal*


@dataclass(frozen=True, slots=True)
class RouterPorts:
    """The ports on which routers listen. Only tests use nonstandard ports."""

    pcp: int = 5351
    nat_pmp: int = 5351
    ssdp: int = 1900
    multicast: str | None = "239.255.255.250"


@dataclass(frozen=True, slots=True)
class MappingContext:
    """What every method needs. *rng* returns the given number of random bytes."""

    reactor: Any
    rng: Callable[[int], bytes]
    timing: MappingTiming
    ports: RouterPorts


@dataclass(frozen=True, slots=True)
class Grant:
    """A router has opened *lease* for *lifetime* seconds. *outside* is the router's external
    IP address in canonical form, or None if the router doesn't know it."""

    lease: Lease
    outside: str | None
    lifetime: int


class MappingMethod(ABC):
    """Asks one router for one port over one protocol, from one address of ours."""

    protocol: ClassVar[MappingProtocol]

    def __init__(self, context: MappingContext, gateway: Gateway, port: int) -> None:
        self.gateway = gateway
        self._context = context
        self._port = port

    @property
    def has_answered(self) -> bool:
        """Whether the router has answered over this protocol, though not yet with a result."""
        return False

    @abstractmethod
    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None], /) -> Grant:
        """Ask the router for the port. *wanted* is the lease that we had there before, if any.
        Raises Refusal."""

    @abstractmethod
    async def take_back(self, lease: Lease, /) -> None:
        """Close the port again. Raises Refusal."""
