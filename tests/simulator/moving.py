"""A host that moves: its address changes during a match, and the guest finds it at the new one.

For a while both addresses lead to the host, whose program sends the guest the new one (a
`whereabouts` frame, WIRE 9.11). Then the old address stops working, and connections to it are cut.
A guest that has received the new address must come back by itself; otherwise the host's player
sends another invite after a while. A program that is restarted to resume a match looks for the host
wherever the store says it may be (cli.match.contact). The matches are those of an evening, with all
of its faults.

Now and then the host names addresses that aren't its own, which no reader may dial or keep.

These invariants are added to those of an evening:

1. A guest dials only what its invite, its store or the host has named, and nothing that WIRE 9.13
   forbids.
2. The guest has stored exactly the addresses that it has received.

Not simulated: host names, IPv6, Tor, and strangers who answer at an address that the host has left.
"""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from cli.match.contact import OtherPlayer, friend_addresses
from ginpeer.match_store import LoadedMatch
from ginpeer.net.address import MAX_ADDRESSES, Address, decode_addresses, parse_address
from ginpeer.net.codes import Invite
from ginpeer.net.interfaces import PeerInfo
from ginpeer.net.own_addresses import lasting_addresses
from ginpeer.net.session import Side
from ginpeer.referee.table import GUEST
from ginpeer.seat.seat import Options, Seat
from ginpeer.store import Home
from protocol.frames import PREFIX_BYTES, AddressUpdate, decode_frame
from tests.simulator.evening import Evening, EveningGuest, EveningObserver, EveningProcess
from tests.simulator.process import PORT, Process, SimGuest

if TYPE_CHECKING:
    from tests.simulator.machine import Machine

_NOT_INTERNET = tuple(
    ip_network(network)
    for network in (
        *("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        "192.168.0.0/16",
    )
)
_FORBIDDEN = (
    Address("127.0.0.1", 22),
    Address("127.0.0.1", PORT),
    Address("10.0.0.9", 22),
    Address("192.168.1.1", 80),
    Address("169.254.169.254", 80),
    Address("169.254.169.254", PORT),
    Address("224.0.0.1", PORT),
    Address("240.0.0.1", PORT),
)
"""Addresses that no reader may dial, even if a host names them."""

_FIRST_PORT = 1024
_ASKS = 90.0
"""Seconds until a guest's player asks why the host isn't answering."""


class MovingProcess(EveningProcess):
    """One run of a program whose host may move."""

    evening: Moving

    def __init__(self, machine: Machine, mode: str) -> None:
        super().__init__(machine, mode)
        self.heard: tuple[Address, ...] = ()
        self._moved: tuple[Address, ...] = ()
        self._named: tuple[Address, ...] = ()

    def _side_with(self, side: Side, options: Options) -> Side:
        side = super()._side_with(side, options)
        self._known = side.known
        if self.machine.role == "guest":
            self._player_opposite = OtherPlayer(self.keeper, GUEST, side.known)
            return replace(side, on_peer_addresses=self._hears)
        return replace(side, own_addresses=self._own_addresses)

    def _seat_for(self, peer: PeerInfo) -> Seat:
        if self.machine.role == "guest":
            self._player_opposite.peer = peer
            if parse_address(peer.address) not in self._named:
                self.world.counts["came back at a new address"] += 1
        return super()._seat_for(peer)

    def _guest_port(self, invite: Invite) -> SimGuest:
        self._named = invite.addresses
        self.watcher.may_dial.update(invite.addresses)
        self.later(_ASKS, self._asks_where_the_host_is)
        return _MovingGuest(self)

    def _addresses_of(self, stored: LoadedMatch) -> tuple[Address, ...]:
        addresses = friend_addresses(self._known.peer(stored.notes.peer), stored.notes.addresses)
        return addresses[:MAX_ADDRESSES]  # as cli.match.joining.invite_without_secret does

    def _own_addresses(self) -> tuple[Address, ...]:
        own = lasting_addresses(self._listening.reachable_addresses)
        odd = self.evening.rng.random() < self.evening.oddities
        return (*((self.evening.rng.choice(_FORBIDDEN),) if odd else ()), *own)[:8]

    def _hears(self, addresses: tuple[Address, ...]) -> None:
        self.heard = addresses
        self._moved = self._player_opposite.addresses_after_move(addresses)
        self.watcher.on_addresses(self, self._player_opposite.peer.key, addresses)

    def knows(self, address: Address) -> bool:
        """Return whether this guest can find the host at this address without help."""
        return address in self._named or address in self.heard

    def _asks_where_the_host_is(self) -> None:
        """Have the player ask for another invite if none of the known addresses leads to the
        host."""
        self.later(_ASKS, self._asks_where_the_host_is)
        host = self.machine.other
        lost = not self._is_seated and host.is_running
        if lost and not self.knows(Address(host.address, PORT)):
            self.world.counts["another invite was needed"] += 1
            self._exit("asks-for-invite")

    def moves(self, new: str, leaves: bool) -> None:
        """Change the host's address. *leaves*: its other addresses no longer work."""
        listening = self._listening
        if listening is None:
            return
        if not leaves:
            listening.add(Address(new, PORT))
        else:
            reachable = listening.reachable_addresses
            left = tuple(each for each in reachable if each.address.host == new)
            listening._own = left or reachable[-1:]
            listening._lead_to(())
        self.evening.invite = listening.invite
        if self.current is not None and self.current.ending is None:
            self.current.send_addresses()


class _MovingGuest(EveningGuest):
    _process: MovingProcess

    @property
    def host_addresses(self) -> tuple[Address, ...]:
        return self._process._moved


class MovingObserver(EveningObserver):
    """An observer that also knows who was given which address."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.may_dial: set[Address] = set()

    def on_send(self, process: Process, data: bytes) -> None:
        super().on_send(process, data)
        frame = decode_frame(data[PREFIX_BYTES:])
        if isinstance(frame, AddressUpdate):
            self.world.counts["addresses told"] += 1
            self.may_dial.update(decode_addresses(frame.packed))

    def on_addresses(self, process: Process, key: bytes, addresses: tuple[Address, ...]) -> None:
        """Check the addresses of the host that the guest has just noted."""
        self.world.counts["addresses heard"] += 1
        peer = Home(process.machine.home).known_peers(process.machine.wall).peer(key)
        if peer is None or tuple(parse_address(each) for each in peer.told) != addresses:
            self.world.refute("the guest has not stored where the host says that it is")
        if any(not self._is_fit(each) for each in addresses):
            self.world.refute("the guest keeps an address that it may not dial")

    def on_dial(self, process: Process, host: str, port: int) -> None:
        address = Address(host, port)
        if address not in self.may_dial:
            self.world.refute(f"the {process.machine.role} dials {address}, which nobody has named")
        if not self._is_fit(address):
            self.world.refute(f"the {process.machine.role} dials {address}, which it may not")

    def _is_fit(self, address: Address) -> bool:
        """Return whether a peer may name this IPv4 address (WIRE 9.13)."""
        ip = ip_address(address.host)
        if ip.is_unspecified or ip.is_multicast or ip.is_reserved or ip.is_loopback:
            return False
        if any(ip in network for network in _NOT_INTERNET):
            return address.port >= _FIRST_PORT and not ip.is_link_local and self.evening.is_at_home
        return True


class Moving(Evening):
    """An evening whose host moves."""

    process = MovingProcess
    watched_by = MovingObserver
    observer: MovingObserver

    def __init__(self, seed: int, **more: Any) -> None:
        super().__init__(seed, **more)
        rng = self.world.random_for("moving")
        self.tonight.wanted = rng.choice((1, 1, 2))
        self.is_at_home = rng.random() < 0.5
        self.oddities = rng.choice((0.0, 0.3, 1.0))
        self._stays = rng.choice((20.0, 60.0, 120.0))
        self._moves = rng
        self._net = "10.0.0" if self.is_at_home else "198.51.100"
        self._last = 100
        self.guest.move_to(f"{self._net}.2")
        self.host.move_to(f"{self._net}.{self._last}")
        self._next_move()

    def _next_move(self) -> None:
        self.world.callLater(self._moves.expovariate(1 / self._stays), self._move)

    def _move(self) -> None:
        if not self.plan.is_stormy or self._last > 200:
            return
        self._last += 1
        new = f"{self._net}.{self._last}"
        self.host.move_to(new, *self.host.addresses)
        self._tell_host(new, leaves=False)
        self.world.callLater(
            self._moves.choice((0.0, 1.0, 10.0, 70.0, 100.0)), self._drop_old_addresses, new
        )
        self._next_move()

    def _drop_old_addresses(self, new: str) -> None:
        """Make the addresses before *new* stop leading to the host."""
        if new not in self.host.addresses:
            return  # a later move happened first
        kept = self.host.addresses[: self.host.addresses.index(new) + 1]
        left = set(self.host.addresses) - set(kept)
        self.host.move_to(*kept)
        self.world.fault("host moved")
        if self._moves.random() < 0.5:
            self.network.silent |= left
        noticed = self._moves.choice(("both", "guest", "host", "nobody"))
        for connection in self.network.alive():
            if connection.led_to in left:
                connection.cut(noticed)
        self._tell_host(self.host.address, leaves=True)

    def _tell_host(self, new: str, *, leaves: bool) -> None:
        process = self.host.process
        if process is not None:
            process.run(process.moves, new, leaves)
