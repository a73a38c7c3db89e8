"""The mapping methods PCP (RFC 6887) and NAT-PMP (RFC 6886), its predecessor on the same port. Each
opens a TCP port with one datagram; only PCP supports IPv6.

Rule 1: an answer from the router (see datagrams.py) counts only if it names our port. With PCP it
also has to name our nonce and protocol (11.4); NAT-PMP has no nonce (3.8).
Rule 2: we send no options, and need none in an answer (RFC 6887, 7.3).
Rule 3: we ignore the router's epoch (8.5, 3.6). It tells a client that a restart has deleted its
mappings; each renewal of ours is a complete request, which creates them again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple, TypeVar

from ginpeer.net.address import IP
from ginpeer.net.mapping.datagrams import ask
from ginpeer.net.mapping.methods import NONCE_BYTES, Grant, Lease, MappingMethod
from ginpeer.net.mapping.results import MappingProtocol, Refusal

_Answer = TypeVar("_Answer")

_ANSWER = 0x80


# --- PCP --------------------------------------------------------------------------------------

MAX_MESSAGE = 1100  # bytes (RFC 6887, 7)

_VERSION = 2
_MAP = 1
_TCP = 6

_HEADER = struct.Struct("!BBHI16s")  # version, opcode, reserved, lifetime, the client's address
_ANSWERED = struct.Struct("!BBBBI4x12x")  # version, opcode, reserved, result, lifetime
_MAPPING = struct.Struct("!12sB3xHH16s")  # nonce, protocol, internal port, external port, address
_NAT_PMP = struct.Struct("!BBHI")  # a NAT-PMP server's answer to another version

# Result codes (7.4). Any other code is "refused", with its number.
_PCP_RESULTS = {
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


class GrantedPort(NamedTuple):
    """The port that a router has opened, for *lifetime* seconds. PCP also names the address."""

    lifetime: int
    external_port: int
    external: IP | None = None


def encode_pcp(lease: Lease, lifetime: int) -> bytes:
    """Encode a MAP request of 60 bytes for *lifetime* seconds; 0 closes the port (15). The router
    chooses the address, and the port if the lease names none."""
    own = ip_address(lease.own_address)  # the address from which the datagram leaves (16.4)
    any_address = IPv4Address(0) if own.version == 4 else IPv6Address(0)
    external_port = lease.external_port if lifetime else 0
    return _HEADER.pack(_VERSION, _MAP, 0, lifetime, _to_16_bytes(own)) + _MAPPING.pack(
        lease.nonce, _TCP, lease.internal_port, external_port, _to_16_bytes(any_address)
    )


def read_pcp(data: bytes, lease: Lease, lifetime: int) -> GrantedPort | None:
    """Return the answer to the request with these arguments; None if *data* answers a different
    request. Raises Refusal if the router refuses, or if its answer to us is invalid."""
    if len(data) >= _NAT_PMP.size and data[0] == 0:  # 9: a NAT-PMP server heard us
        _, opcode, result, _ = _NAT_PMP.unpack_from(data)
        if opcode & _ANSWER and result == 1:
            raise Refusal("version-unsupported")
        return None
    if len(data) < _ANSWERED.size or len(data) > MAX_MESSAGE or len(data) % 4:
        raise Refusal("answer-unreadable")
    version, opcode, _, result, granted = _ANSWERED.unpack_from(data)
    if opcode != _ANSWER | _MAP:
        return None
    if version != _VERSION:
        raise Refusal("version-unsupported")
    if len(data) < _ANSWERED.size + _MAPPING.size:
        raise Refusal("answer-unreadable")
    nonce, protocol, internal, external_port, packed = _MAPPING.unpack_from(data, _ANSWERED.size)
    if (nonce, protocol, internal) != (lease.nonce, _TCP, lease.internal_port):
        return None
    if result:
        raise Refusal(_PCP_RESULTS.get(result, "refused"), result)
    if lifetime and (granted == 0 or external_port == 0):
        raise Refusal("answer-unreadable")
    external = IPv6Address(packed)
    return GrantedPort(granted, external_port, external.ipv4_mapped or external)


def _to_16_bytes(ip: IP) -> bytes:
    """Encode an address as PCP does: an IPv4 address as an IPv4-mapped IPv6 address (5)."""
    return ip.packed if ip.version == 6 else b"\0" * 10 + b"\xff\xff" + ip.packed


class Pcp(MappingMethod):
    """Opens a port by PCP: a port mapping for IPv4, a firewall pinhole for IPv6."""

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

    async def _map(self, lease: Lease, lifetime: int) -> GrantedPort:
        context = self._context
        return await ask(
            context.reactor,
            self.gateway,
            context.ports.pcp,
            encode_pcp(lease, lifetime),
            context.timing.pcp,
            lambda data: read_pcp(data, lease, lifetime),
        )


# --- NAT-PMP ------------------------------------------------------------------------------------

_ADDRESS = 0
_MAP_TCP = 2
ADDRESS_REQUEST = bytes((0, _ADDRESS))  # RFC 6886, 3.2

# version, opcode, reserved, internal port, external port, lifetime
_ASK = struct.Struct("!BBHHHI")
_HEAD = 8  # version, opcode, result, epoch
_MAPPED = struct.Struct("!HHI")  # internal port, external port, lifetime

# Result codes (3.5). Any other code is "refused", with its number.
_NAT_PMP_RESULTS = {
    1: "version-unsupported",
    2: "not-allowed",
    3: "router-without-address",
    4: "no-room",
    5: "version-unsupported",  # unsupported opcode
}


def encode_nat_pmp(lease: Lease, lifetime: int) -> bytes:
    """Encode a request to open the port for *lifetime* seconds (3.3). 0 closes it; the request then
    names no external port (3.4)."""
    external_port = lease.external_port if lifetime else 0
    return _ASK.pack(0, _MAP_TCP, 0, lease.internal_port, external_port, lifetime)


def read_nat_pmp(data: bytes, lease: Lease, lifetime: int) -> GrantedPort | None:
    """Return the answer to the request with these arguments; None if *data* answers a different
    request. Raises Refusal."""
    rest = _answer_to(_MAP_TCP, data)
    if rest is None:
        return None
    if len(rest) != _MAPPED.size:
        raise Refusal("answer-unreadable")
    internal, external_port, granted = _MAPPED.unpack(rest)
    if internal != lease.internal_port:
        return None
    if lifetime and (granted == 0 or external_port == 0):
        raise Refusal("answer-unreadable")
    return GrantedPort(granted, external_port)


def read_address(data: bytes) -> IPv4Address | None:
    """Return the external address, or None if *data* answers something else. Raises Refusal."""
    rest = _answer_to(_ADDRESS, data)
    if rest is not None and len(rest) != 4:
        raise Refusal("answer-unreadable")
    return None if rest is None else IPv4Address(rest)


def _answer_to(opcode: int, data: bytes) -> bytes | None:
    """Return what follows the header of an answer to this opcode, or None if *data* answers
    a different one."""
    if len(data) < 4:
        raise Refusal("answer-unreadable")
    if data[1] != _ANSWER | opcode:
        return None
    version, _, result = struct.unpack_from("!BBH", data)
    if version:
        raise Refusal("version-unsupported")
    if result:  # a refusal may be this short
        raise Refusal(_NAT_PMP_RESULTS.get(result, "refused"), result)
    return data[_HEAD:]  # empty if the answer is cut off before that


class NatPmp(MappingMethod):
    """Opens an IPv4 port by NAT-PMP, then asks for the external address."""

    protocol = MappingProtocol.NAT_PMP

    async def ask(self, wanted: Lease | None, keep: Callable[[Lease], None]) -> Grant:
        external = wanted.external_port if wanted is not None else 0
        lease = Lease(self.protocol, *self.gateway, self._port, external or self._port)
        keep(lease)
        answer = await self._map(lease, self._context.timing.lifetime)
        granted = replace(lease, external_port=answer.external_port)
        keep(granted)
        try:
            outside = str(await self._exchange(ADDRESS_REQUEST, read_address))
        except Refusal:
            return Grant(granted, None, answer.lifetime)
        return Grant(granted, outside, answer.lifetime)

    async def take_back(self, lease: Lease) -> None:
        await self._map(lease, 0)

    async def _map(self, lease: Lease, lifetime: int) -> GrantedPort:
        return await self._exchange(
            encode_nat_pmp(lease, lifetime), lambda data: read_nat_pmp(data, lease, lifetime)
        )

    async def _exchange(self, request: bytes, read: Callable[[bytes], _Answer | None]) -> _Answer:
        reactor, port = self._context.reactor, self._context.ports.nat_pmp
        return await ask(reactor, self.gateway, port, request, self._context.timing.nat_pmp, read)
