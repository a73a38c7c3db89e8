"""TCP hole punching: both sides dial if none of the host's addresses works.

The guest listens on a port, repeatedly dials its host from there, and makes a reply code that says
where to dial the guest. Its player sends the code to the host's player, whose program dials as well
(Acceptor.dial_guest). Whichever side makes the connection, the guest is the TLS client and says
hello (connector.py).

Rule 1: the port is open only while the guest isn't admitted, and is the same one each time, so
the reply and whatever the routers remember about us stay valid.
Rule 2: routers and servers are asked for our public address only once the port is open. A reply
with an address outside our network waits ASKING seconds for their answers. A reply without one is
useless to a friend elsewhere, so it waits until all have answered. A later answer leads to a new
reply.
Rule 3: quick dialling ends by itself after `seconds` in total, however often it was begun, unless
the guest has played for a while (`renew`). So a host that admits us and vanishes doesn't make us
dial quickly for ever. If the guest keeps trying, the port stays open and dialling continues slowly,
because the host may be away for longer than that.
Rule 4: this module looks up each name once. If a name resolves to other addresses later, only
connector.py dials those. If several names resolve to one address, it is dialled as if only one did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.protocol import Factory

from ginpeer.net.address import LOOPBACK, MAX_ADDRESSES, Address
from ginpeer.net.codes import Invite, Reply
from ginpeer.net.interfaces import GuestPort, Timer, cancel
from ginpeer.net.own_addresses import (
    NetworkWatch,
    Reach,
    is_loopback,
    listening_addresses,
    own_hosts,
)
from ginpeer.net.simultaneous_open import GUEST_EVERY, PATIENCE, Dialling
from ginpeer.net.tcp import bind, bind_everywhere, resolve

AFTER = 5.0  # seconds after which we consider a host unreachable
STUCK = 45.0  # seconds after which dialling most likely won't get through the routers
ASKING = 1.0  # seconds that a reply with an address outside our network waits for more answers


@dataclass(eq=False)
class HolePunch:
    """The guest's half of hole punching for one invite. It can be begun as often as needed."""

    reactor: Any
    invite: Invite
    guest_key: bytes
    guest: GuestPort
    _: KW_ONLY
    address: Address | None = None  # where to listen; None: as `bind` chooses
    advertise: tuple[Address, ...] = ()  # named first in the reply; port 0: the one we listen on
    after: float = AFTER  # seconds to try the host's addresses alone; 0 once that has failed
    seconds: float = PATIENCE  # how long to dial quickly, in total
    persistent: bool = False  # whether the guest keeps trying although it has never been admitted

    def __post_init__(self) -> None:
        self.worked = False  # whether hole punching made the last connection to the host
        self._left = self.seconds
        self._since = 0.0  # when the port was opened
        self._hosts: dict[str, tuple[str, ...]] = {}  # the IP addresses of each name
        self._reasons: set[str] = set()
        self._found: dict[str, Address] = {}  # our address according to each source
        self._network = NetworkWatch()
        self._port: Any = None
        self._dialling: list[Dialling] = []
        self._dialled: set[Address] = set()  # since the port was opened
        self._asking: list[Deferred[Any]] = []
        self._timers: list[Timer] = []
        self._last: Reply | None = None  # the last one given to the guest
        self._why = ""
        self._soon: Timer | None = None  # until the guest is given the reply

    @property
    def is_open(self) -> bool:
        return self._port is not None

    def is_useful(self) -> bool:
        """Return whether hole punching can help. It can't if the host is on this machine, unless
        our player has named an address of ours. Once its time is used up, it can't unless the guest
        keeps trying."""
        elsewhere = bool(self.advertise) or not all(map(is_loopback, self.invite.addresses))
        return elsewhere and (self._left > 0 or self._keeps_trying)

    @property
    def is_slow(self) -> bool:
        """Whether quick dialling has ended. The port must be open."""
        return bool(self.reactor.seconds() - self._since >= self._left)

    @property
    def _keeps_trying(self) -> bool:
        return self.persistent or self.guest.was_admitted

    def report(self, why: str, host: str) -> None:
        """Tell the guest, once, about a problem that a peer at this IP address has revealed. Ignore
        a peer at an address that we don't dial: it may be anybody."""
        is_target = any(host in hosts for hosts in self._hosts.values())
        if is_target and why not in self._reasons:
            self._reasons.add(why)
            self.guest.on_reason(why)

    def renew(self) -> None:
        """Reset the dialling time: the guest has played for a while."""
        self._left = self.seconds

    def begin(self, factory: Factory[Any], why: str, on_end: Callable[[], None]) -> None:
        """Open the port and dial. *factory* builds the protocol for every connection; *on_end* is
        called when the dialling time is used up, unless the guest keeps trying. Raises
        ListenError."""
        self._port = self._bind(factory)
        here = self._port.getHost()
        self.address, self.after = Address(here.host, here.port), 0.0
        self._since = self.reactor.seconds()
        self._reasons.add(why)
        if self._network.has_moved():  # an address found on another network may not lead here
            self._found.clear()
        if not self._keeps_trying:
            self._timers.append(self.reactor.callLater(self._left, on_end))
        if self._left > 0:  # otherwise, our player has already been told
            self._timers.append(self.reactor.callLater(STUCK, self.guest.on_stuck))
        for address in self.invite.addresses:
            if not is_loopback(address) or self.advertise:
                Deferred.fromCoroutine(self._dial(address, factory))
        self._ask(why)

    def _bind(self, factory: Factory[Any]) -> Any:
        """Listen. If the host is on this machine, avoid the ports where hosts listen; otherwise the
        host would find its port taken when it comes back."""
        beside = not {address.host for address in self.invite.addresses}.isdisjoint(own_hosts())
        if self.address is None and beside:
            return bind_everywhere(self.reactor, 0, factory)
        return bind(self.reactor, self.address, factory)

    def end(self) -> None:
        """Close the port. Connections stay open."""
        port, self._port = self._port, None
        for dialling in self._dialling:
            dialling.stop()
        for asking in self._asking:
            asking.cancel()
        cancel(*self._timers)
        if port is not None:
            self._left -= self.reactor.seconds() - self._since
            port.stopListening()
            self.guest.on_closed()
        self._dialling, self._asking, self._timers, self._soon = [], [], [], None
        self._dialled.clear()

    def set_address(self, address: Address, source: str) -> None:
        """Add an address of ours after those that our player has named, replacing any earlier one
        from the same *source* (a key of `GuestPort.ask_addresses`). If the guest already has a
        reply, give it a new one."""
        self._found[source] = address
        if self._last is not None:
            self._tell("")
        elif self._port is not None:
            self._tell_soon()

    def forget(self, host: str) -> None:
        """Forget the addresses found at this IP address, which is no longer ours."""
        self._found = {by: each for by, each in self._found.items() if each.host != host}

    async def _dial(self, address: Address, factory: Factory[Any]) -> None:
        """Dial an address of the invite, or the addresses that its name resolves to."""
        port = self._port
        if address.host not in self._hosts:
            found = await resolve(self.reactor, address.host)
            self._hosts.setdefault(address.host, found)
        if self._port is not port:
            return  # it was closed in the meantime
        targets = [Address(host, address.port) for host in self._hosts[address.host]]
        new = [each for each in targets if each not in self._dialled]
        self._dialled.update(new)
        dialling = Dialling(
            self.reactor,
            port,
            new,
            factory,
            every=GUEST_EVERY,
            seconds=self._left,
            lasts=self._keeps_trying,
            outlives_icmp=True,
        )
        self._dialling.append(dialling)
        dialling.start()

    def _ask(self, why: str) -> None:
        self._why = why
        # A server or router that can't name our address counts as having answered.
        self._asking = [
            asking.addCallbacks(self.set_address, lambda _: None, callbackArgs=(source,))
            for source, asking in self.guest.ask_addresses(self._port).items()
        ]
        here = self._port.getHost()
        own = listening_addresses(here.host, here.port)
        if self._asking and (self.advertise or any(place.from_outside for place in own)):
            self._tell_soon()
        DeferredList(self._asking).addCallback(lambda _: self._tell(self._why))

    def _tell_soon(self) -> None:
        """Give the guest its reply in a moment, since more answers may arrive by then."""
        if self._soon is None:
            self._soon = self.reactor.callLater(ASKING, self._tell, self._why)
            self._timers.append(self._soon)

    def _tell(self, why: str) -> None:
        if self._port is None:
            return
        reply = self._reply()
        if reply != self._last:
            self._last = reply
            self.guest.on_reply(why, reply)

    def _reply(self) -> Reply:
        here = self._port.getHost()
        named = (Address(host, port or here.port) for host, port in self.advertise)
        own = listening_addresses(here.host, here.port)
        others = [place.address for place in own if place.reach is not Reach.LOOPBACK]
        if not others and not self.advertise:
            others = [Address(LOOPBACK, here.port)]
        addresses = tuple(dict.fromkeys((*named, *self._found.values(), *others)))
        return Reply.to(self.invite, self.guest_key, addresses[:MAX_ADDRESSES])
