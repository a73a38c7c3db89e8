"""Run a STUN server over UDP and TCP: `python -m tests.lab.stun_server PORT`.

It answers a Binding request with the address that it came from (RFC 8489, XOR-MAPPED-ADDRESS).
"""

import ipaddress
import socket
import socketserver
import struct
import sys
import threading

_COOKIE = 0x2112A442
_BINDING_REQUEST, _BINDING_SUCCESS = 0x0001, 0x0101
_XOR_MAPPED_ADDRESS = 0x0020
_HEADER = struct.Struct("!HHI12s")


def answer(request, host, port):
    """Return the answer to a Binding request from this address, or None for anything else."""
    if len(request) < _HEADER.size:
        return None
    kind, _, cookie, transaction = _HEADER.unpack_from(request)
    if kind != _BINDING_REQUEST or cookie != _COOKIE:
        return None
    ip = ipaddress.ip_address(host)
    ip = getattr(ip, "ipv4_mapped", None) or ip
    mask = (struct.pack("!I", _COOKIE) + transaction)[: len(ip.packed)]
    masked = bytes(one ^ other for one, other in zip(ip.packed, mask, strict=True))
    family = 1 if ip.version == 4 else 2
    value = struct.pack("!BBH", 0, family, port ^ (_COOKIE >> 16)) + masked
    attribute = struct.pack("!HH", _XOR_MAPPED_ADDRESS, len(value)) + value
    return _HEADER.pack(_BINDING_SUCCESS, len(attribute), _COOKIE, transaction) + attribute


class OverUdp(socketserver.BaseRequestHandler):
    """A handler for one packet."""

    def handle(self):
        """Answer the packet."""
        data, sock = self.request
        told = answer(data, *self.client_address[:2])
        if told is not None:
            sock.sendto(told, self.client_address)


class OverTcp(socketserver.StreamRequestHandler):
    """A handler for one connection with any number of requests."""

    def handle(self):
        """Answer each request."""
        while len(header := self.rfile.read(_HEADER.size)) == _HEADER.size:
            body = self.rfile.read(struct.unpack_from("!H", header, 2)[0])
            told = answer(header + body, *self.client_address[:2])
            if told is None:
                return
            self.wfile.write(told)


class _Udp(socketserver.UDPServer):
    address_family = socket.AF_INET6


class _Tcp(socketserver.ThreadingTCPServer):
    address_family = socket.AF_INET6
    allow_reuse_address = True
    daemon_threads = True


def main():
    place = ("::", int(sys.argv[1]))
    udp, tcp = _Udp(place, OverUdp), _Tcp(place, OverTcp)
    threading.Thread(target=udp.serve_forever, daemon=True).start()
    print("listening", flush=True)
    tcp.serve_forever()


if __name__ == "__main__":
    main()
