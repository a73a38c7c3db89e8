"""Looking for a router's UPnP description: asked directly, and by the group of all devices.

# Rule 1: only what comes from the router's own address counts, though the group is asked too: some
# routers answer only to that. Anybody else in the network could answer it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import DatagramProtocol

from ginpeer.net.mapping import ssdp
from ginpeer.net.mapping.datagrams import MAX_ANSWERS
from ginpeer.net.mapping.gateways import Gateway
from ginpeer.net.mapping.http import RouterUrl
from ginpeer.net.mapping.refusals import Refusal


def search(
    reactor: Any,
    gateway: Gateway,
    port: int,
    multicast: str | None,
    waits: Sequence[float],
    clock: Any,
) -> Deferred[RouterUrl]:
    """Where this router keeps its description, looked for once before each of *waits* seconds.

    Fails with Refusal. Cancelling it closes the socket.
    """
    groups = [gateway.host] if multicast is None else [gateway.host, multicast]
    looking = _Search(gateway, groups, port, waits, clock)
    try:
        reactor.listenMulticast(0, looking, interface=gateway.own)
    except CannotListenError:
        looking.refuse(Refusal("router-unreachable"))
    return looking.found


class _Search(DatagramProtocol):
    noisy = False
    transport: Any  # a UDP port of Twisted's, most of which has no types

    def __init__(
        self,
        gateway: Gateway,
        groups: Sequence[str],
        port: int,
        waits: Sequence[float],
        clock: Any,
    ) -> None:
        self.found: Deferred[RouterUrl] = Deferred(lambda _: self._close())
        self._gateway = gateway
        self._groups = groups
        self._port = port
        self._waits = list(waits)
        self._clock = clock
        self._timer: Any = None
        self._heard = 0
        self._silence = Refusal("no-answer")
        self._over = False

    def startProtocol(self) -> None:
        setting = self.transport.setOutgoingInterface(self._gateway.own)
        setting.addErrback(lambda _: None)  # then the routing table chooses the card
        self._send()

    def datagramReceived(self, datagram: bytes, addr: tuple[Any, ...]) -> None:
        if self._over or addr[0] != self._gateway.host:
            return
        self._heard += 1
        try:
            url = ssdp.read_answer(datagram, self._gateway.host)
        except Refusal as refusal:
            self._silence = refusal
            url = None
        if url is not None:
            self._close()
            self.found.callback(url)
        elif self._heard >= MAX_ANSWERS:
            self.refuse(Refusal("answer-unreadable"))

    def refuse(self, refusal: Refusal) -> None:
        if not self._over:
            self._close()
            self.found.errback(refusal)

    def _send(self) -> None:
        if not self._waits:
            self.refuse(self._silence)
            return
        self._timer = self._clock.callLater(self._waits.pop(0), self._send)
        sent = 0
        for host in self._groups:
            for target in ssdp.TARGETS:
                try:
                    search = ssdp.encode_search(host, self._port, target)
                    self.transport.write(search, (host, self._port))
                    sent += 1
                except OSError:
                    continue  # no route to the group, say; the router itself may still answer
        if not sent:
            self.refuse(Refusal("router-unreachable"))

    def _close(self) -> None:
        self._over = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if self.transport is not None:
            self.transport.stopListening()
