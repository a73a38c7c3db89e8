"""SSDP (UPnP Device Architecture 1.1, section 1.3): finds out where a router keeps its UPnP
description.

# Rule 1: only what comes from the router's own address counts, though the group of all devices is
# asked too: some routers answer only to that. Anybody else in the network could answer it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError

from ginpeer.net.mapping.datagrams import Question
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.http import RouterUrl, parse_url
from ginpeer.net.mapping.results import Refusal

MAX_ANSWER = 2048

# Some routers answer only to what they are, some only to what all are.
TARGETS = (
    "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
    "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
    "upnp:rootdevice",
)


def encode_search(host: str, port: int, target: str) -> bytes:
    """Encode a search request for *host*: the group of all devices, or the router alone."""
    return (
        "M-SEARCH * HTTP/1.1\r\n"
        f"HOST: {host}:{port}\r\n"
        'MAN: "ssdp:discover"\r\n'
        "MX: 1\r\n"
        f"ST: {target}\r\n"
        "\r\n"
    ).encode("ascii")


def read_answer(data: bytes, router: str) -> RouterUrl | None:
    """Return where *router*, which sent *data*, keeps its description; None if that isn't said.

    Raises Refusal, also if the description is on another machine.
    """
    if len(data) > MAX_ANSWER:
        raise Refusal("answer-too-long")
    first, *lines = data.decode("latin-1").split("\r\n")
    if not first.startswith("HTTP/1.") or first.split(" ")[1:2] != ["200"]:
        return None
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and name.strip().lower() == "location":
            return parse_url(value.strip(), router)
    return None


def search(
    reactor: Any,
    gateway: Gateway,
    port: int,
    multicast: str | None,
    waits: Sequence[float],
    clock: Any,
) -> Deferred[RouterUrl]:
    """Find where this router keeps its description, asking once before each of *waits* seconds.

    Fails with Refusal. Cancelling it closes the socket.
    """
    hosts = [gateway.host] if multicast is None else [gateway.host, multicast]
    question = _Search(gateway, hosts, port, waits, clock)
    try:
        reactor.listenMulticast(0, question, interface=gateway.own)
    except CannotListenError:
        question.fail(Refusal("router-unreachable"))
    return question.answer


class _Search(Question[RouterUrl]):
    def __init__(
        self, gateway: Gateway, hosts: list[str], port: int, waits: Sequence[float], clock: Any
    ) -> None:
        requests = [
            (encode_search(host, port, target), (host, port))
            for host in hosts
            for target in TARGETS
        ]
        super().__init__(requests, waits, lambda data: read_answer(data, gateway.host), clock)
        self._gateway = gateway

    def startProtocol(self) -> None:
        setting = self.transport.setOutgoingInterface(self._gateway.own)
        setting.addErrback(lambda _: None)  # then the routing table chooses the card
        self._send()

    def is_from_router(self, host: str, port: int) -> bool:
        return host == self._gateway.host

    def is_final(self, refusal: Refusal) -> bool:
        return False
