"""A router in this process: real PCP, NAT-PMP and UPnP bytes on the loopback, failing as real
routers do."""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from typing import Any

from twisted.internet import reactor
from twisted.internet.protocol import DatagramProtocol, Factory, Protocol

from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.methods import RouterPorts

HERE = "127.0.0.1"
OUTSIDE = "198.51.100.7"
SIX = "2001:db8::5"


@dataclass
class Entry:
    client: str
    port: int
    lifetime: int
    nonce: bytes = b""


class Router:
    """A home router. The ports of the protocols that it doesn't serve are closed."""

    def __init__(self, outside: str = OUTSIDE) -> None:
        self.outside = outside
        self.table: dict[int, Entry] = {}
        self.pinholes: dict[int, tuple[str, int]] = {}
        self.heard: list[str] = []
        self.pcp = PcpServer(self)
        self.nat_pmp = NatPmpServer(self)
        self.ssdp = SsdpServer(self)
        self.http = HttpServer(self)
        self._open: list[Any] = []
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as closed:
            closed.bind((HERE, 0))
            self._ports = dict.fromkeys(("pcp", "nat_pmp", "ssdp"), closed.getsockname()[1])

    @property
    def gateway(self) -> Gateway:
        return Gateway(HERE, HERE)

    @property
    def ports(self) -> RouterPorts:
        return RouterPorts(**self._ports, multicast=None)

    def serve(self, *names: str) -> Router:
        """Open ``pcp``, ``nat_pmp``, ``igd1``, ``igd2``, or ``igd2v6``, which also listens on IPv6
        and opens pinholes only for clients that use IPv6."""
        for name in names:
            if name.startswith("igd"):
                self.http.version = int(name[3])
                listening = reactor.listenTCP(0, self.http, interface=HERE)
                self._open.append(listening)
                self.http.port = listening.getHost().port
                self.http.strict = name.endswith("v6")
                if self.http.strict:
                    also = reactor.listenTCP(self.http.port, self.http, interface="::1")
                    self._open.append(also)
                name = "ssdp"
            port = reactor.listenUDP(0, getattr(self, name), interface=HERE)
            self._ports[name] = port.getHost().port
            self._open.append(port)
        return self

    async def close(self) -> None:
        for port in self._open:
            await_this = port.stopListening()
            if await_this is not None:
                await await_this
        for connection in tuple(self.http.connections):
            connection.transport.abortConnection()

    def restart(self, outside: str | None = None) -> None:
        """Forget all mappings, and change the external address to *outside* if given."""
        self.table.clear()
        self.pinholes.clear()
        self.outside = outside or self.outside

    def open(self, client: str, inside: int, wanted: int, lifetime: int, nonce=b"") -> int:
        """Open a port by PCP or NAT-PMP, and return it: the port that this client already has, or
        else the first free one from the wanted port on."""
        for external, entry in self.table.items():
            if (entry.client, entry.port) == (client, inside):
                entry.lifetime = lifetime
                return external
        while wanted in self.table:
            wanted += 1
        self.table[wanted] = Entry(client, inside, lifetime, nonce)
        return wanted

    def shut(self, client: str, inside: int) -> None:
        self.table = {
            external: entry
            for external, entry in self.table.items()
            if (entry.client, entry.port) != (client, inside)
        }


class _UdpServer(DatagramProtocol):
    """A UDP server. ``fault``: None, "silent", "garbage" or an error number. ``delay``: seconds."""

    name = ""

    def __init__(self, router: Router) -> None:
        self.router = router
        self.fault: Any = None
        self.delay = 0.0
        self.requests: list[bytes] = []

    def datagramReceived(self, data: bytes, addr: tuple[str, int]) -> None:
        self.requests.append(data)
        self.router.heard.append(self.name)
        if self.fault == "silent":
            return
        answer = b"\0\0\0" if self.fault == "garbage" else self.answer(data, addr[0])
        if answer is None:
            return
        if self.delay:
            reactor.callLater(self.delay, self._late, answer, addr)
        else:
            self.transport.write(answer, addr)

    def _late(self, answer: bytes, addr: tuple[str, int]) -> None:
        if self.transport is not None and self.transport.connected:
            self.transport.write(answer, addr)

    def answer(self, data: bytes, client: str) -> bytes | None:
        raise NotImplementedError


class PcpServer(_UdpServer):
    """A PCP server, with one more value of ``fault``: "nat-pmp-only"."""

    name = "pcp"
    granted = 120

    def answer(self, data: bytes, client: str) -> bytes | None:
        if self.fault == "nat-pmp-only":
            return struct.pack("!BBHI", 0, data[1] | 0x80, 1, 5)
        lifetime = struct.unpack_from("!I", data, 4)[0]
        nonce, protocol, inside, wanted = struct.unpack_from("!12sB3xHH", data, 24)
        assert len(data) == 60
        assert data[:2] == b"\2\1"
        assert (protocol, data[8:24]) == (6, b"\0" * 10 + b"\xff\xff" + ip_address(client).packed)
        result = self.fault if isinstance(self.fault, int) else 0
        mine = [entry for entry in self.router.table.values() if entry.port == inside]
        if mine and mine[0].nonce not in (b"", nonce):
            result = 2
        external = wanted
        if not result and lifetime:
            external = self.router.open(client, inside, wanted, lifetime, nonce)
        elif not result:
            self.router.shut(client, inside)
        given = self.granted if lifetime else 0
        head = struct.pack("!BBBBII12x", 2, 0x81, 0, result, given, 77)
        outside = b"\0" * 10 + b"\xff\xff" + IPv4Address(self.router.outside).packed
        return head + struct.pack("!12sB3xHH16s", nonce, 6, inside, external, outside)


class NatPmpServer(_UdpServer):
    """A NAT-PMP server. ``address_fault``: an error number only for requests for the address."""

    name = "nat_pmp"
    granted = 120
    address_fault = 0

    def answer(self, data: bytes, client: str) -> bytes | None:
        result = self.fault if isinstance(self.fault, int) else 0
        if data == b"\0\0":
            head = struct.pack("!BBHI", 0, 0x80, result or self.address_fault, 9)
            return head + IPv4Address(self.router.outside).packed
        version, opcode, _, inside, wanted, lifetime = struct.unpack("!BBHHHI", data)
        assert (version, opcode) == (0, 2)
        external = wanted
        if not result and lifetime:
            external = self.router.open(client, inside, wanted, lifetime)
        elif not result:
            self.router.shut(client, inside)
        granted = self.granted if lifetime else 0
        return struct.pack("!BBHIHHI", 0, 0x82, result, 9, inside, external, granted)


class SsdpServer(_UdpServer):
    """An SSDP server. ``location``: what it sends instead of the URL of the description."""

    name = "ssdp"
    location: str | None = None

    def answer(self, data: bytes, client: str) -> bytes | None:
        version = self.router.http.version
        if b'MAN: "ssdp:discover"' not in data or b"Device:%d\r\n" % version not in data:
            return None
        location = self.location or f"http://{HERE}:{self.router.http.port}/desc.xml"
        return (
            "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nEXT:\r\nSERVER: Home/1 UPnP/1.1\r\n"
            f"ST: urn:schemas-upnp-org:device:InternetGatewayDevice:{version}\r\n"
            f"Location:{location}\r\n\r\n"
        ).encode()


_DESCRIPTION = """<?xml version="1.0"?>
<!-- a router of {version} -->
<root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor>
</specVersion><device>
<deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:{version}</deviceType><serviceList>
<service><serviceType>urn:schemas-upnp-org:service:Layer3Forwarding:1</serviceType>
<controlURL>/l3f</controlURL></service></serviceList><deviceList><device><deviceList><device>
<deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:{version}</deviceType><serviceList>
<service><serviceType>urn:schemas-upnp-org:service:{kind}</serviceType>
<controlURL>{control}</controlURL></service>{more}</serviceList></device></deviceList></device>
</deviceList></device></root>"""
_FIREWALL = """<service><serviceType>urn:schemas-upnp-org:service:WANIPv6FirewallControl:1
</serviceType><controlURL>{control}</controlURL></service>"""


class HttpServer(Factory):
    """The server for UPnP's description and control.

    ``fault``: None, "silent" or "redirect". ``faults``: an error number for an action.
    ``only_permanent``: it refuses leases. ``chunked``: it sends answers in chunks. ``firewall``:
    the answer to GetFirewallStatus. ``reserved``: the port that AddAnyPortMapping returns.
    ``on_add``: called with the arguments of each request to add a mapping; it may return an error
    number.
    """

    noisy = False

    def __init__(self, router: Router) -> None:
        self.router = router
        self.version = 1
        self.port = 0
        self.kind: str | None = None
        self.control = "/ctl/ip"
        self.fault: str | None = None
        self.faults: dict[str, int] = {}
        self.only_permanent = False
        self.chunked = False
        self.firewall = ("1", "1")
        self.reserved: str | None = None
        self.on_add: Callable[[dict[str, str]], int | None] = lambda given: None
        self.strict = False
        self.connections: set[_Connection] = set()
        self.actions: list[str] = []

    def buildProtocol(self, addr: Any) -> _Connection:
        return _Connection(self)

    def control_path(self) -> bytes:
        return (
            b"/" + self.control.encode().partition(b"//")[2].partition(b"/")[2]
            if "//" in self.control
            else self.control.encode()
        )

    def description(self) -> str:
        return _DESCRIPTION.format(
            version=self.version,
            kind=self.kind or f"WANIPConnection:{self.version}",
            control=self.control,
            more=_FIREWALL.format(control=self.control) if self.version == 2 else "",
        )

    def perform(self, action: str, given: dict[str, str], client: str) -> dict[str, str] | int:
        """Perform a UPnP action. Return its result or an error number."""
        self.actions.append(action)
        self.router.heard.append(action)
        fault = self.on_add(given) if action.startswith("Add") else None
        if fault or action in self.faults:
            return fault or self.faults[action]
        table = self.router.table
        match action:
            case "GetExternalIPAddress":
                return {"NewExternalIPAddress": self.router.outside}
            case "GetFirewallStatus":
                names = ("FirewallEnabled", "InboundPinholeAllowed")
                return dict(zip(names, self.firewall, strict=True))
            case "AddPinhole" if self.strict and given["InternalClient"] != client:
                return 606
            case "AddPinhole":
                hole = given["InternalClient"], int(given["InternalPort"])
                held = [number for number, other in self.router.pinholes.items() if other == hole]
                number = held[0] if held else len(self.router.pinholes) + 1
                self.router.pinholes[number] = hole
                return {"UniqueID": str(number)}
            case "DeletePinhole":
                gone = self.router.pinholes.pop(int(given["UniqueID"]), None)
                return 704 if gone is None else {}
        external = int(given["NewExternalPort"])
        entry = table.get(external)
        match action:
            case "GetSpecificPortMappingEntry" | "DeletePortMapping" if entry is None:
                return 714
            case "GetSpecificPortMappingEntry":
                return {
                    "NewInternalPort": str(entry.port),
                    "NewInternalClient": entry.client,
                    "NewEnabled": "1",
                    "NewLeaseDuration": str(entry.lifetime),
                }
            case "DeletePortMapping":
                del table[external]
                return {}
            case "AddAnyPortMapping" if self.version < 2:
                return 401
        lifetime = int(given["NewLeaseDuration"])
        client, inside = given["NewInternalClient"], int(given["NewInternalPort"])
        if self.only_permanent and lifetime:
            return 725
        if entry is not None and (entry.client, entry.port) != (client, inside):
            if action == "AddPortMapping":
                return 718
            while external in table:
                external += 1
        table[external] = Entry(client, inside, lifetime)
        told = self.reserved or str(external)
        return {"NewReservedPort": told} if action == "AddAnyPortMapping" else {}


class _Connection(Protocol):
    def __init__(self, server: HttpServer) -> None:
        self.server = server
        self._request = b""

    def connectionMade(self) -> None:
        self.server.connections.add(self)

    def connectionLost(self, reason: Any = None) -> None:
        self.server.connections.discard(self)

    def dataReceived(self, data: bytes) -> None:
        self._request += data
        head, end, body = self._request.partition(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        if not end or (length and len(body) < int(length[1])):
            return
        self._request = b""
        if self.server.fault == "silent":
            return
        if self.server.fault == "redirect":
            self._send(302, "", "Location: http://192.0.2.1/\r\n")
            return
        if head.startswith(b"GET "):
            self._send(200, self.server.description())
            return
        if not head.startswith(b"POST " + self.server.control_path()):
            self._send(404, "")
            return
        action = re.search(rb'SOAPAction: "[^"]+#(\w+)"', head)[1].decode()
        given = dict(re.findall(r"<(\w+)>([^<]*)</", body.decode()))
        done = self.server.perform(action, given, self.transport.getPeer().host)
        if isinstance(done, int):
            inside = (
                "<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring>"
                '<detail><UPnPError xmlns="urn:schemas-upnp-org:control-1-0">'
                f"<errorCode>{done}</errorCode><errorDescription>No</errorDescription>"
                "</UPnPError></detail></s:Fault>"
            )
        else:
            answers = "".join(f"<{name}>{value}</{name}>" for name, value in done.items())
            inside = f"<u:{action}Response>{answers}</u:{action}Response>"
        envelope = f"<s:Envelope><s:Body>{inside}</s:Body></s:Envelope>"
        self._send(500 if isinstance(done, int) else 200, envelope)

    def _send(self, status: int, text: str, more: str = "") -> None:
        body = text.encode()
        if self.server.chunked:
            head = f"HTTP/1.1 {status} X\r\nTransfer-Encoding: chunked\r\n{more}\r\n".encode()
            half = len(body) // 2
            parts = [part for part in (body[:half], body[half:]) if part]
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
            self.transport.write(head + chunks + b"0\r\n\r\n")
            return
        head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{more}\r\n"
        self.transport.write(head.encode() + body)
