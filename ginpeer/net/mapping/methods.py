"""The ways to ask one router for one port: by PCP, by NAT-PMP, by UPnP.

# Rule 1: a way opens our own port at our own address, for TCP, and nothing else.
# Rule 2: what is about to be asked for is told first (``keep``), so that it can be taken back
# whatever happens then.
# Rule 3: each ends by itself: with a Grant, or with a Refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any, Protocol

from ginpeer.net.mapping import natpmp, pcp
from ginpeer.net.mapping.datagrams import ask
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.lease import Lease
from ginpeer.net.mapping.refusals import MappingProtocol, Refusal


@dataclass(frozen=True, slots=True)
class MappingTiming:
    """Seconds."""

    lifetime: int = 3600  # asked for; the router may grant another
    whole: float = 8.0  # until the outcome is told, whatever is missing
    # The RFCs begin with 3 s (PCP) and 0.25 s (NAT-PMP) and go on for minutes; a player waits.
    pcp: tuple[float, ...] = (0.5, 1.0, 2.0, 2.5)
    nat_pmp: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0)
    search: tuple[float, ...] = (0.5, 1.0, 1.5)
    http: float = 3.0  # one request by UPnP
    # The better ways go first, and the others ask once those have failed or kept us waiting.
    head_starts: tuple[float, ...] = (0.0, 0.75, 1.25)
    forgetting: float = 1.0  # for what an earlier start has left
    stopping: float = 1.5
    renewal: float = 300.0  # at the latest, so that a router's restart is noticed
    soonest: float = 5.0  # between two renewals, however short a lease is
    retry: float = 10.0  # after a renewal that failed; doubled each time, up to *renewal*


@dataclass(frozen=True, slots=True)
class RouterPorts:
    """Where routers listen; other than by the standards only in tests."""

    pcp: int = 5351
    nat_pmp: int = 5351
    ssdp: int = 1900
    multicast: str | None = "239.255.255.250"


@dataclass(frozen=True, slots=True)
class MappingContext:
    """What every way needs. *rng* gives so many random bytes."""

    reactor: Any
    clock: Any
    rng: Callable[[int], bytes]
    timing: MappingTiming
    ports: RouterPorts


@dataclass(frozen=True, slots=True)
class Grant:
    """The router has opened *lease* for *lifetime* seconds, as it says at *outside* (an IP address
    in its one spelling, or None if it does not know)."""

    lease: Lease
    outside: str | None
    lifetime: int


class MappingMethod(Protocol):
    """One protocol, one router, one address of ours."""

    protocol: MappingProtocol
    gateway: Gateway

    @property
    def is_heard(self) -> bool:
        """Whether the router has answered at all by this protocol."""

    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None], /) -> Grant:
        """Ask the router; *wanted* is what we had there, or would like. Raises Refusal."""

    async def take_back(self, lease: Lease, /) -> None:
        """Close it again. Raises Refusal."""


class Pcp:
    """PCP: of IPv4 a mapping, of IPv6 a hole in the router's firewall."""

    protocol = MappingProtocol.PCP
    is_heard = False  # its first answer is the last

    def __init__(self, around: MappingContext, gateway: Gateway, port: int) -> None:
        self.gateway = gateway
        self._around = around
        self._port = port

    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant:
        nonce = wanted.nonce if wanted is not None else self._around.rng(pcp.NONCE_BYTES)
        external = wanted.external_port if wanted is not None else 0
        lease = Lease(self.protocol, *self.gateway, self._port, external or self._port, nonce)
        keep(lease)
        answer = await self._map(lease, self._around.timing.lifetime)
        granted = replace(lease, external_port=answer.external_port)
        keep(granted)
        return Grant(granted, str(answer.external), answer.lifetime)

    async def take_back(self, lease: Lease) -> None:
        await self._map(lease, 0)

    async def _map(self, lease: Lease, lifetime: int) -> pcp.PcpMapResponse:
        own = ip_address(lease.own)
        external = lease.external_port if lifetime else 0
        request = pcp.PcpMapRequest(lease.nonce, own, lease.internal_port, lifetime, external)
        return await ask(
            self._around.reactor,
            self.gateway.own,
            (self.gateway.host, self._around.ports.pcp),
            pcp.encode_map(request),
            self._around.timing.pcp,
            lambda data: pcp.read_answer(data, request),
            self._around.clock,
        )


class NatPmp:
    """NAT-PMP: IPv4 alone. The mapping is asked for first and the outside address after it, since
    a router that refuses the first is not asked for the second."""

    protocol = MappingProtocol.NAT_PMP
    is_heard = False  # without its first answer there is no second question

    def __init__(self, around: MappingContext, gateway: Gateway, port: int) -> None:
        self.gateway = gateway
        self._around = around
        self._port = port

    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant:
        external = wanted.external_port if wanted is not None else self._port
        lease = Lease(self.protocol, *self.gateway, self._port, external or self._port)
        keep(lease)
        answer = await self._map(lease, self._around.timing.lifetime)
        granted = replace(lease, external_port=answer.external_port)
        keep(granted)
        try:
            asked = natpmp.encode_address_request()
            outside = str(await self._exchange(asked, natpmp.read_address))
        except Refusal:
            return Grant(granted, None, answer.lifetime)
        return Grant(granted, outside, answer.lifetime)

    async def take_back(self, lease: Lease) -> None:
        await self._map(lease, 0)

    async def _map(self, lease: Lease, lifetime: int) -> natpmp.NatPmpMapResponse:
        request = natpmp.NatPmpMapRequest(lease.internal_port, lease.external_port, lifetime)
        answer: natpmp.NatPmpMapResponse = await self._exchange(
            natpmp.encode_map(request), lambda data: natpmp.read_answer(data, request)
        )
        return answer

    async def _exchange(self, request: bytes, read: Callable[[bytes], Any]) -> Any:
        return await ask(
            self._around.reactor,
            self.gateway.own,
            (self.gateway.host, self._around.ports.nat_pmp),
            request,
            self._around.timing.nat_pmp,
            read,
            self._around.clock,
        )
