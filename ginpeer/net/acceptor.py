"""The host's side: accept connections, make an invite, and admit guests.

Rule 1: a stranger costs us at most one small frame, Timing.greeting seconds, and one of a limited
number of slots, which a newer stranger may take over once all are in use (limits.py).
Rule 2: seat, deck and log learn of a guest only after the access policy has admitted it.
Rule 3: it doesn't matter which side dialled. A guest that we dial has to speak first like any
other. So a peer can make us open a few connections to an address, but nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from math import inf
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import Logger

from ginpeer.net.access_policy import AccessPolicy, ClubPolicy, SidePool, SingleGuestPolicy
from ginpeer.net.address import MAX_ADDRESSES, Address
from ginpeer.net.close_reasons import goodbye_for
from ginpeer.net.codes import Invite, Reply, ReplyError
from ginpeer.net.connection import PeerConnection, Timing
from ginpeer.net.handshake import (
    ChannelBinding,
    GreetingRefused,
    choose_version,
    common_extensions,
    welcome_statement,
    with_bots,
)
from ginpeer.net.interfaces import CloseReason
from ginpeer.net.limits import (
    AdmissionFactory,
    BoundedSet,
    RejectedConnection,
    origin_of,
    stranger_limits,
)
from ginpeer.net.own_addresses import (
    Reach,
    ReachableAddress,
    classify_address,
    insert_by_reach,
    is_loopback,
    listening_addresses,
)
from ginpeer.net.session import Session, Side, position_to_continue
from ginpeer.net.simultaneous_open import HOST_EVERY, Dialling, may_dial
from ginpeer.net.tcp import ProtocolFactory, address_of, bind
from ginpeer.net.tls import HostTLS, Secured, tls_factory
from protocol.entry import entry_hash
from protocol.frames import SIGNATURE_BYTES, EntryFrame, Hello, Position, Welcome

_log = Logger()

END_GIVEN = "end-given"  # the guest wasn't admitted, but was sent the end of a finished match

_END_BURST, _END_RATE = 10.0, 1 / 30
"""How often a known guest may ask for the end of a match: this many times in a burst, then this
many times a second. All unknown guests share one such allowance."""


class Acceptor:
    """Accepts connections and admits guests. ``invite`` leads to our port; ``reachable_addresses``
    says where each of the invite's addresses can be reached from; ``arrival`` fires with the first
    guest's session; ``listening_port`` is the IListeningPort. ``Side.player_for`` gets every
    session."""

    def __init__(
        self,
        reactor: Any,
        side: Side,
        secret: bytes,
        *,
        address: Address | None = None,
        or_next: bool = False,
        advertise: Iterable[Address] = (),
        expected: Iterable[bytes] = (),
        nobody_else: bool = False,
        club: SidePool | None = None,
        timing: Timing | None = None,
        turned_away: Callable[[RejectedConnection], None] | None = None,
    ) -> None:
        """Open a port and wait for a guest. Raises ListenError, or InviteError for addresses that
        can't go into an invite.

        *secret*: SECRET_BYTES fresh random bytes for the invite. *address* and *or_next*: where to
        listen, as for `bind`. *advertise*: addresses that the invite names first. *expected*: keys
        admitted without the invite; with *nobody_else*, only these. *club*: if given, everyone with
        the invite gets one of its tables, each with its own side (access_policy.py), and *side* is
        only for the greeting. *turned_away* is called for every connection whose peer wasn't
        admitted.
        """
        self.arrival: Deferred[Session] = Deferred()
        self.side = side
        self.timing = timing = timing or Timing()
        self.reactor = reactor
        self._turned_away = turned_away
        self.policy: AccessPolicy
        if club is not None:
            self.policy = ClubPolicy(secret, club, reactor, expected)
        else:
            now = reactor.seconds()
            bucket = side.allowances.bucket(
                "sitting", timing.admissions, 1 / timing.admitted_every, now
            )
            self.policy = SingleGuestPolicy(
                secret,
                expected,
                nobody_else=nobody_else,
                may_admit=lambda: bucket.take(reactor.seconds()),
            )
        silent, securing, greeters = stranger_limits()
        self._securing: BoundedSet[HostConnection] = BoundedSet(securing)
        self._greeters: BoundedSet[HostConnection] = BoundedSet(greeters)
        self._connections: set[HostConnection] = set()
        tls = tls_factory(HostTLS(side.identity), ProtocolFactory(self._accept), reactor)
        self.admission = AdmissionFactory(
            tls,
            reactor,
            timing.greeting,
            silent,
            lambda address, code: self._report(address, CloseReason(code, "", "A"), None),
        )
        self._dialling: Dialling | None = None
        self.listening_port: Any = bind(reactor, address, self.admission, or_next=or_next)
        bound = self.listening_port.getHost()
        host = address.host if address is not None and not or_next else bound.host
        try:
            self._own = _advertised(advertise, listening_addresses(host, bound.port))
            self._added: tuple[ReachableAddress, ...] = ()  # by routers, STUN servers and Tor
            self.reachable_addresses = self._own
            self.invite = Invite.of(side.identity.public, secret, _addresses(self._own))
        except Exception:  # any error: a host that fails to start must not keep its port open
            self.listening_port.stopListening()
            raise

    # --- the invite and its addresses --------------------------------------------------

    @property
    def port(self) -> int:
        return int(self.listening_port.getHost().port)

    @property
    def addresses(self) -> tuple[Address, ...]:
        return self.invite.addresses

    def add(self, address: Address, *, reach: Reach | None = None) -> None:
        """Add an address to the invite. *reach*: where it can be reached from, if the address alone
        doesn't show that. If several sources add the same address, it stays until all of them have
        dropped it. Raises InviteError."""
        added = classify_address(address) if reach is None else ReachableAddress(address, reach)
        self._lead_to((*self._added, added))

    def drop(self, address: Address, reach: Reach) -> None:
        """Undo one `add` of this address with this reach, if there was one. The address stays in
        the invite if another source has added it, if our player has named it, or if this machine
        had it from the start."""
        gone = ReachableAddress(address, reach)
        if gone in self._added:
            at = self._added.index(gone)
            self._lead_to((*self._added[:at], *self._added[at + 1 :]))

    def drop_closed(self, host: str) -> None:
        """Undo every `add` of a CLOSED address with this IP address: the Internet no longer sees us
        there, whoever said so."""
        seen_at = (host, Reach.CLOSED)
        self._lead_to(tuple(e for e in self._added if (e.address.host, e.reach) != seen_at))

    def _lead_to(self, added: tuple[ReachableAddress, ...]) -> None:
        reachable = reduce(insert_by_reach, added, self._own)
        self.invite = replace(self.invite, addresses=_addresses(reachable))
        self._added, self.reachable_addresses = added, reachable

    # --- guests ------------------------------------------------------------------------

    @property
    def occupied(self) -> bool:
        return self.policy.occupied

    def dial_guest(self, reply: Reply) -> tuple[Address, ...]:
        """Dial the guest that sent this reply, which must answer our invite unless the guest needs
        none. Return the addresses dialled. Raises ReplyError."""
        if not (reply.answers(self.invite) or self.policy.expects(reply.guest)):
            raise ReplyError(
                "reply-elsewhere",
                "This reply answers a different invite. Ask your friend to run ginpeer join with "
                "this match's invite and to send you the reply that it shows.",
            )
        if self.occupied:
            raise ReplyError("reply-late", "Your friend is already at the table.")
        addresses = tuple(filter(self.may_dial, reply.addresses))
        if not addresses:
            alone = is_loopback(address_of(self.listening_port.getHost()))
            raise ReplyError(
                "reply-addresses",
                "Your program listens only on this machine (as with --listen 127.0.0.1), so it "
                "can't dial the addresses in this reply."
                if alone
                else "None of the addresses in this reply can be a friend's. To join from this "
                "machine, type ginpeer join and the invite; no reply is needed.",
            )
        self.dial(addresses)
        return addresses

    def may_dial(self, address: Address) -> bool:
        return may_dial(self.listening_port, address)

    def dial(self, addresses: Iterable[Address] | None) -> None:
        """Dial a guest from this port, and stop dialling any earlier guest. Dialling stops when a
        guest is admitted, resumes when its connection is lost, and lasts at most PATIENCE seconds
        each time. *addresses*: None only stops dialling."""
        if self._dialling is not None:
            self._dialling.stop()
            self._dialling = None
        if addresses is not None:
            self._dialling = Dialling(
                self.reactor, self.listening_port, addresses, self.admission, every=HOST_EVERY
            )
            self._dial_unless_occupied()

    def reopen(self) -> None:
        self.policy.reopen()

    def stop(self) -> Deferred[None]:
        """Stop admitting guests. A running session continues. Fires when the port is closed."""
        self.dial(None)
        self.admission.close()
        for connection in self.strangers:
            connection.cut(CloseReason("host-stopped", "The host stopped waiting."))
        return maybeDeferred(self.listening_port.stopListening)

    def _dial_unless_occupied(self) -> None:
        if self._dialling is not None and not self.occupied:
            self._dialling.start()

    # --- for the connections -----------------------------------------------------------

    @property
    def strangers(self) -> list[HostConnection]:
        """The connections that have begun TLS but whose peer hasn't been admitted."""
        return [*self._securing, *self._greeters]

    def session_with(self, key: bytes) -> Session | None:
        for connection in self._connections:
            session = connection.session_here
            if session is not None and session.peer.key == key and session.ending is None:
                return session
        return None

    def secured(self, connection: HostConnection) -> None:
        """Move a connection to the greeters: its TLS handshake is done."""
        self._securing.remove(connection)
        self._add_stranger(self._greeters, connection)

    def admitted(self, connection: HostConnection, session: Session) -> None:
        """Begin the session of an admitted guest."""
        if self._dialling is not None:
            self._dialling.stop()
        self._forget_stranger(connection)
        connection.begin()
        if not self.arrival.called:
            self.arrival.callback(session)

    def closed(self, connection: HostConnection, *, admitted: bool) -> None:
        """Forget a closed connection. If its guest was *admitted*, and so may return, resume any
        dialling."""
        key = connection.key
        if admitted and key is not None:
            self.policy.leave(key)
            self._dial_unless_occupied()
        self._connections.discard(connection)
        self._forget_stranger(connection)
        if connection.is_stranger and connection.failed is not None:
            self._report(connection.address, connection.failed, key, connection.has_invite)

    def _accept(self, address: Any) -> HostConnection:
        connection = HostConnection(self, origin_of(address.host), address)
        self._connections.add(connection)
        self._add_stranger(self._securing, connection)
        return connection

    def _report(
        self, address: Any, closed: CloseReason, key: bytes | None, has_invite: bool = False
    ) -> None:
        """Report a rejected connection, unless its guest is already here: a guest tries several of
        our addresses, and all but one attempt end without a session."""
        if self._turned_away is None or closed.code == "host-stopped":
            return
        if key is None or self.session_with(key) is None:
            where, fault = str(address_of(address)), closed.failure == "C"
            self._turned_away(RejectedConnection(where, closed.code, key, fault, has_invite))

    def _add_stranger(
        self, strangers: BoundedSet[HostConnection], connection: HostConnection
    ) -> None:
        crowded_out = strangers.add(connection, connection.origin)
        if crowded_out is not None:
            crowded_out.crowd_out()

    def _forget_stranger(self, connection: HostConnection) -> None:
        self._securing.remove(connection)
        self._greeters.remove(connection)


class HostConnection(PeerConnection):
    """A connection to a guest: waits for a hello, then admits or refuses the guest."""

    def __init__(self, acceptor: Acceptor, origin: str, address: Any) -> None:
        """*origin*: as `origin_of` returns it. *address*: the peer's, as Twisted represents it."""
        super().__init__(acceptor.side, acceptor.reactor, acceptor.timing)
        self.origin = origin
        self.address = address
        self.has_invite = False  # whether the guest knew the invite but wasn't admitted
        self.session_here: Session | None = None
        self._acceptor = acceptor
        self._binding: ChannelBinding | None = None
        self._was_admitted = False
        self._may_get_end: bool | None = None  # None: the limit hasn't been checked yet

    @property
    def key(self) -> bytes | None:
        """The guest's key, once TLS has proven it."""
        return None if self._binding is None else self._binding.guest_key

    def greet(self, link: Secured) -> None:
        self._acceptor.secured(self)
        self._binding = ChannelBinding(link.exporter, self._side.identity.public, link.peer_key)

    def on_greeting(self, frame: Hello | Welcome) -> None:
        binding = self._binding
        if binding is None or not isinstance(frame, Hello):
            self.refuse_unexpected("The other side acted as the host.")
            return
        if self._gives_end(frame, binding, refused=False):
            return
        earlier = self._acceptor.session_with(binding.guest_key)
        if earlier is None or self._clock.seconds() - earlier.begun < self._timing.greeting:
            # A guest without a session is admitted if the policy has room. If the session has only
            # just begun, this may be a slower attempt by the same guest at another of our addresses
            # (connector.py). The policy refuses that one, since admitting it would cut off the
            # faster one.
            self._admit(frame, binding)
            return

        # The same guest has come back before we noticed that it was gone.
        def admit(closed: CloseReason) -> CloseReason:
            self._clock.callLater(0, self._guarded, self._admit, frame, binding)
            return closed

        earlier.done.addCallback(admit)
        earlier.cut(CloseReason("peer-came-back", "Your opponent has reconnected.", "A"))

    def _admit(self, frame: Hello, binding: ChannelBinding) -> None:
        if not self.is_greeting:  # the guest has left meanwhile
            return
        policy = self._acceptor.policy
        try:
            version = policy.admit(frame, binding)
        except GreetingRefused as refused:
            if self._gives_end(frame, binding, refused=True):
                return
            self.has_invite = refused.has_invite
            _log.info("refused {address}: {code}", address=self.peer_address(), code=refused.code)
            self.refuse_saying(refused.code, refused.sentence)
            return
        self._was_admitted = True
        side = policy.side_of(binding.guest_key) or self._acceptor.side
        self.use_side(side)
        position = side.position_for(binding.guest_key, frame.position)
        supported = with_bots(side.extensions(), hosts=True, bot=side.bot)
        extensions = common_extensions(frame, supported)
        self._welcome(frame, binding, version, position, extensions)
        theirs = position_to_continue(position, frame.position)
        self.session_here = self.open(binding.guest_key, theirs, extensions)
        self._acceptor.admitted(self, self.session_here)

    def _welcome(
        self,
        hello: Hello,
        binding: ChannelBinding,
        version: int,
        position: Position | None,
        extensions: tuple[int, ...] = (),
    ) -> None:
        side, blank = self._side, bytes(SIGNATURE_BYTES)
        unsigned = Welcome(version, position, side.software, blank, extensions)
        signature = side.identity.sign(welcome_statement(binding, hello, unsigned))
        self.send(replace(unsigned, signature=signature))

    def _gives_end(self, hello: Hello, binding: ChannelBinding, *, refused: bool) -> bool:
        """If the match that a guest names is over in our log, send the missing entries without
        admitting the guest. Return whether any were sent. *refused*: whether the policy has refused
        the guest."""
        side, theirs = self._acceptor.side, hello.position
        if theirs is None:
            return False
        now = self._clock.seconds()
        has_met = side.known is not None and side.known.name_of(binding.guest_key) is not None
        whose = binding.guest_key.hex() if has_met else "strangers"
        # The limit comes first, because reading and judging the log takes time.
        if self._may_get_end is None:
            bucket = side.allowances.bucket(f"ends/{whose}", _END_BURST, _END_RATE, now)
            self._may_get_end = bucket.take(now)
        if not self._may_get_end:
            return False
        missing = side.missing_entries(binding.guest_key, theirs, refused)
        if not missing:
            return False
        try:
            version = choose_version(hello, binding)
        except GreetingRefused:
            return False  # the policy's refusal tells the guest why
        last = Position(theirs.table, theirs.sequence + len(missing), entry_hash(missing[-1]))
        self._log_bytes = inf
        self._welcome(hello, binding, version, last)
        for entry in missing:
            self.send(EntryFrame(entry))
        sentence = "Your log of the match is now complete."
        self.refuse(CloseReason(END_GIVEN, sentence), goodbye_for("finished", sentence))
        return True

    def crowd_out(self) -> None:
        """Close this connection to make room for a newer one."""
        self.fail("crowded-out", "Too many others connected before the greeting was over.")
        self.abort()  # even if it was already closing for another reason

    def on_end(self) -> None:
        self._acceptor.closed(self, admitted=self._was_admitted)


def _advertised(
    named: Iterable[Address], own: tuple[ReachableAddress, ...]
) -> tuple[ReachableAddress, ...]:
    """Combine the addresses that the player has named with those that were found. The loopback
    address is included only if there is no other."""
    given = tuple(classify_address(address, given=True) for address in named)
    if not given:
        return own
    there = {place.address for place in given}
    found = (each for each in own if each.reach is not Reach.LOOPBACK and each.address not in there)
    return (*given, *tuple(found)[: max(0, MAX_ADDRESSES - len(given))])


def _addresses(reachable: tuple[ReachableAddress, ...]) -> tuple[Address, ...]:
    return tuple(each.address for each in reachable)
