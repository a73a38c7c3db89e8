"""The mapping method PCP (RFC 6887): the MAP request for TCP, for IPv4 and IPv6.

# Rule 1: an answer counts only with our nonce, protocol and port (11.4). Any other is ignored.
# Rule 2: we send no options, and need none from an answer (7.3).
# Rule 3: we ignore the router's epoch (8.5). It tells a client that a restart has deleted its
# mappings; each renewal of ours is a complete request, which creates them again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, ip_address

from ginpeer.net.mapping.datagrams import ask
from ginpeer.net.mapping.methods import NONCE_BYTES, Grant, Lease, MappingMethod
from ginpeer.net.mapping.results import IP, MappingProtocol, Refusal

MAX_MESSAGE = 1100  # 7

_VERSION = 2
_MAP = 1
_ANSWER = 0x80
_TCP = 6

_HEADER = struct.Struct("!BBHI16s")  # version, opcode, reserved, lifetime, the client's address
_ANSWERED = struct.Struct("!BBBBI4x12x")  # version, opcode, reserved, result, lifetime
_MAPPING = struct.Struct("!12sB3xHH16s")  # nonce, protocol, inside port, outside port and address
_NAT_PMP = struct.Struct("!BBHI")  # what a NAT-PMP server answers to another version

# Result codes (7.4). What is not here is "refused", with its number.
_RESULTS = {
    1: "version-unsupported",
    2: "not-allowed",
    4: "version-unsupported",  # UNSUPP_OPCODE
    7: "router-without-address",  # NETWORK_FAILURE
    8: "no-room",  # NO_RESOURCES
    9: "version-unsupported",  # UNSUPP_PROTOCOL
    10: "no-room",  # USER_EX_QUOTA
    11: "port-taken",  # CANNOT_PROVIDE_EXTERNAL
    12: "router-between",  # ADDRESS_MISMATCH
}


@dataclass(frozen=True, slots=True)
class PcpMapRequest:
    """A request to open *internal_port* at *own* for *lifetime* seconds; 0 closes it (15).

    *own* is the address from which the datagram leaves (16.4 of the RFC says why). *external_port*
    and *external* are our wishes; 0 and None leave the choice to the router.
    """

    nonce: bytes
    own: IP
    internal_port: int
    lifetime: int
    external_port: int = 0
    external: IP | None = None


@dataclass(frozen=True, slots=True)
class PcpMapResponse:
    """The port that the router has opened, for *lifetime* seconds."""

    lifetime: int
    external_port: int
    external: IP


def encode_map(request: PcpMapRequest) -> bytes:
    """Encode a MAP request, of 60 bytes."""
    any_address = IPv4Address(0) if request.own.version == 4 else IPv6Address(0)
    return _HEADER.pack(_VERSION, _MAP, 0, request.lifetime, _in_16(request.own)) + _MAPPING.pack(
        request.nonce,
        _TCP,
        request.internal_port,
        request.external_port,
        _in_16(request.external or any_address),
    )


def read_answer(data: bytes, request: PcpMapRequest) -> PcpMapResponse | None:
    """Return the answer to this request; None if *data* answers another.

    Raises Refusal: for the router's refusal, and for an answer to us that makes no sense.
    """
    if len(data) >= _NAT_PMP.size and data[0] == 0:  # 9: a NAT-PMP server heard us
        _, opcode, result, _ = _NAT_PMP.unpack_from(data)
        if opcode & _ANSWER and result == 1:
            raise Refusal("version-unsupported")
        return None
    if len(data) < _ANSWERED.size or len(data) > MAX_MESSAGE or len(data) % 4:
        raise Refusal("answer-unreadable")
    version, opcode, _, result, lifetime = _ANSWERED.unpack_from(data)
    if opcode != _ANSWER | _MAP:
        return None
    if version != _VERSION:
        raise Refusal("version-unsupported")
    if len(data) < _ANSWERED.size + _MAPPING.size:
        raise Refusal("answer-unreadable")
    nonce, protocol, internal, external_port, external = _MAPPING.unpack_from(data, _ANSWERED.size)
    if (nonce, protocol, internal) != (request.nonce, _TCP, request.internal_port):
        return None
    if result:
        raise Refusal(_RESULTS.get(result, "refused"), result)
    if request.lifetime and (lifetime == 0 or external_port == 0):
        raise Refusal("answer-unreadable")
    return PcpMapResponse(lifetime, external_port, _out_of_16(external))


def _in_16(ip: IP) -> bytes:
    """Return an address as PCP writes it: an IPv4 one as an IPv4-mapped IPv6 one (5)."""
    return ip.packed if ip.version == 6 else b"\0" * 10 + b"\xff\xff" + ip.packed


def _out_of_16(packed: bytes) -> IP:
    ip = ip_address(packed)
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return ip if mapped is None else mapped


class Pcp(MappingMethod):
    """The mapping method PCP: a port mapping for IPv4, a firewall pinhole for IPv6."""

    protocol = MappingProtocol.PCP

    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant:
        nonce = wanted.nonce if wanted is not None else self._context.rng(NONCE_BYTES)
        external = wanted.external_port if wanted is not None else 0
        lease = Lease(self.protocol, *self.gateway, self._port, external or self._port, nonce)
        keep(lease)
        answer = await self._map(lease, self._context.timing.lifetime)
        granted = replace(lease, external_port=answer.external_port)
        keep(granted)
        return Grant(granted, str(answer.external), answer.lifetime)

    async def take_back(self, lease: Lease) -> None:
        await self._map(lease, 0)

    async def _map(self, lease: Lease, lifetime: int) -> PcpMapResponse:
        own = ip_address(lease.own)
        external = lease.external_port if lifetime else 0
        request = PcpMapRequest(lease.nonce, own, lease.internal_port, lifetime, external)
        return await ask(
            self._context.reactor,
            self.gateway.own,
            (self.gateway.host, self._context.ports.pcp),
            encode_map(request),
            self._context.timing.pcp,
            lambda data: read_answer(data, request),
            self._context.clock,
        )
