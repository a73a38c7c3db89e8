"""The mapping method NAT-PMP (RFC 6886): the outside address, and mappings for TCP.

# Rule 1: a request has no nonce (the RFC's 3.8 says so), so an answer counts only if it comes from
# the router's own address and port while we wait for it, and contains our port.
# Rule 2: we ignore the epoch (3.6), for the reason in pcp.py.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from typing import Any

from ginpeer.net.mapping.datagrams import ask
from ginpeer.net.mapping.methods import Grant, Lease, MappingMethod
from ginpeer.net.mapping.results import MappingProtocol, Refusal

_ADDRESS = 0
_MAP_TCP = 2
_ANSWER = 0x80

_ASK = struct.Struct("!BBHHHI")  # version, opcode, reserved, inside port, outside port, lifetime
_HEAD = 8  # version, opcode, result, epoch
_MAPPED = struct.Struct("!HHI")  # inside port, outside port, lifetime

# Result codes (3.5). What is not here is "refused", with its number.
_RESULTS = {
    1: "version-unsupported",
    2: "not-allowed",
    3: "router-without-address",
    4: "no-room",
    5: "version-unsupported",  # unsupported opcode
}


@dataclass(frozen=True, slots=True)
class NatPmpMapRequest:
    """A request to open *internal_port* of the sender for *lifetime* seconds; 0 closes it (3.4)."""

    internal_port: int
    external_port: int
    lifetime: int


@dataclass(frozen=True, slots=True)
class NatPmpMapResponse:
    """The port that the router has opened, for *lifetime* seconds."""

    lifetime: int
    external_port: int


def encode_address_request() -> bytes:
    """Encode a request for the outside address (3.2)."""
    return bytes((0, _ADDRESS))


def encode_map(request: NatPmpMapRequest) -> bytes:
    """Encode a request for a mapping (3.3). A request that closes one names no external port, as
    section 3.4 demands."""
    external = request.external_port if request.lifetime else 0
    return _ASK.pack(0, _MAP_TCP, 0, request.internal_port, external, request.lifetime)


def read_address(data: bytes) -> IPv4Address | None:
    """Return the outside address; None if *data* answers something else. Raises Refusal."""
    rest = _answer_to(_ADDRESS, data)
    if rest is None:
        return None
    if len(rest) != 4:
        raise Refusal("answer-unreadable")
    return IPv4Address(rest)


def read_answer(data: bytes, request: NatPmpMapRequest) -> NatPmpMapResponse | None:
    """Return the answer to this request; None if *data* answers another. Raises Refusal."""
    rest = _answer_to(_MAP_TCP, data)
    if rest is None:
        return None
    if len(rest) != _MAPPED.size:
        raise Refusal("answer-unreadable")
    internal, external, lifetime = _MAPPED.unpack(rest)
    if internal != request.internal_port:
        return None
    if request.lifetime and (lifetime == 0 or external == 0):
        raise Refusal("answer-unreadable")
    return NatPmpMapResponse(lifetime, external)


def _answer_to(opcode: int, data: bytes) -> bytes | None:
    """Return the rest of an answer to this opcode, after its header; None if it answers another."""
    if len(data) < 4:
        raise Refusal("answer-unreadable")
    if data[1] != _ANSWER | opcode:
        return None
    version, _, result = struct.unpack_from("!BBH", data)
    if version:
        raise Refusal("version-unsupported")
    if result:  # a refusal may be as short as this
        raise Refusal(_RESULTS.get(result, "refused"), result)
    return data[_HEAD:]  # nothing, of one that is cut off before


class NatPmp(MappingMethod):
    """The mapping method NAT-PMP, only for IPv4. We ask for the mapping first, and for the outside
    address only if that is granted."""

    protocol = MappingProtocol.NAT_PMP

    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant:
        external = wanted.external_port if wanted is not None else self._port
        lease = Lease(self.protocol, *self.gateway, self._port, external or self._port)
        keep(lease)
        answer = await self._map(lease, self._context.timing.lifetime)
        granted = replace(lease, external_port=answer.external_port)
        keep(granted)
        try:
            asked = encode_address_request()
            outside = str(await self._exchange(asked, read_address))
        except Refusal:
            return Grant(granted, None, answer.lifetime)
        return Grant(granted, outside, answer.lifetime)

    async def take_back(self, lease: Lease) -> None:
        await self._map(lease, 0)

    async def _map(self, lease: Lease, lifetime: int) -> NatPmpMapResponse:
        request = NatPmpMapRequest(lease.internal_port, lease.external_port, lifetime)
        answer: NatPmpMapResponse = await self._exchange(
            encode_map(request), lambda data: read_answer(data, request)
        )
        return answer

    async def _exchange(self, request: bytes, read: Callable[[bytes], Any]) -> Any:
        return await ask(
            self._context.reactor,
            self.gateway.own,
            (self.gateway.host, self._context.ports.nat_pmp),
            request,
            self._context.timing.nat_pmp,
            read,
            self._context.clock,
        )
