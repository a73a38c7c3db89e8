"""A mapping method asks one router for one port by one protocol: PCP, NAT-PMP or UPnP.

# Rule 1: a method opens our own port at our own address, for TCP, and nothing else.
# Rule 2: before it asks, it passes the lease that it is about to ask for to ``keep``, so that the
# port can be closed again whatever happens then.
# Rule 3: each request ends by itself: with a Grant, or with a Refusal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.lease import Lease
from ginpeer.net.mapping.results import MappingProtocol


@dataclass(frozen=True, slots=True)
class MappingTiming:
    """How long asking routers may take, in seconds."""

    lifetime: int = 3600  # asked for; the router may grant another
    whole: float = 8.0  # until the result is reported, whatever is missing
    # The RFCs begin with 3 s (PCP) and 0.25 s (NAT-PMP) and continue for minutes; a player waits.
    pcp: tuple[float, ...] = (0.5, 1.0, 2.0, 2.5)
    nat_pmp: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0)
    search: tuple[float, ...] = (0.5, 1.0, 1.5)
    http: float = 3.0  # one request by UPnP
    # The better methods go first; the others ask once those have failed or kept us waiting.
    head_starts: tuple[float, ...] = (0.0, 0.75, 1.25)
    forgetting: float = 1.0  # for closing what an earlier start has left open
    stopping: float = 1.5
    renewal: float = 300.0  # at the latest, so that a router's restart is noticed
    soonest: float = 5.0  # between two renewals, however short a lease is
    retry: float = 10.0  # after a renewal that failed; doubled each time, up to *renewal*


@dataclass(frozen=True, slots=True)
class RouterPorts:
    """Where routers listen. Only tests use other ports than the standard ones."""

    pcp: int = 5351
    nat_pmp: int = 5351
    ssdp: int = 1900
    multicast: str | None = "239.255.255.250"


@dataclass(frozen=True, slots=True)
class MappingContext:
    """What every method needs. *rng* returns so many random bytes."""

    reactor: Any
    clock: Any
    rng: Callable[[int], bytes]
    timing: MappingTiming
    ports: RouterPorts


@dataclass(frozen=True, slots=True)
class Grant:
    """A router has opened *lease* for *lifetime* seconds. *outside* is the IP address at which it
    says so, in its canonical spelling, or None if it doesn't know."""

    lease: Lease
    outside: str | None
    lifetime: int


class MappingMethod(ABC):
    """One protocol, for one port, at one router, from one address of ours."""

    protocol: ClassVar[MappingProtocol]

    def __init__(self, context: MappingContext, gateway: Gateway, port: int) -> None:
        self.gateway = gateway
        self._context = context
        self._port = port

    @property
    def is_heard(self) -> bool:
        """Whether the router has answered by this protocol, though not yet with a result."""
        return False

    @abstractmethod
    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None], /) -> Grant:
        """Ask the router for the port. *wanted* is the lease that we had there before, if any.
        Raises Refusal."""

    @abstractmethod
    async def take_back(self, lease: Lease, /) -> None:
        """Close the port again. Raises Refusal."""
