"""A guest connects to its host, plays, and connects again if the connection is lost.

Rule 1: a guest that has hidden from its host uses the same route again, or none. The route noted
for a friend applies to every later connection, by name, by invite or to resume a match, until our
player types a different one. If that route no longer works, or the note can't be read, nothing is
dialled.
Rule 2: if we reached a host directly, its port isn't blocked. When it stops answering, our player
doesn't have to send it a reply at once. Both sides dial meanwhile, because that is how a host that
was cut off finds its guest. Our player is shown the reply only if the host doesn't come back.
Rule 3: a program is shown the reply at once, because it can wait by itself.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from twisted.internet.defer import Deferred

from cli.match.contact import Contact
from cli.match.identity import own_faults
from cli.match.one_match import OneMatch
from cli.match.series import Next
from cli.match.ways_in import (
    NOBODY,
    ROUTERS,
    STUN,
    GuestRouters,
    PublicAddressLookup,
    StunPolicy,
    is_public_address_useful,
)
from cli.program import Failure, failures_of
from cli.text.connecting import NOT_DIRECTLY, SEND_REPLY, like_last_time, no_address_in, stuck
from cli.text.grammar import at_start, inside
from ginpeer.net.address import DEFAULT_PORT, MAX_ADDRESSES, Address, AddressError, is_onion
from ginpeer.net.codes import SECRET_BYTES, Invite, InviteError, Reply
from ginpeer.net.connection_attempt import BOTH_JOIN, Dialler
from ginpeer.net.connector import TAKEN, Reconnector
from ginpeer.net.hole_punch import HolePunch
from ginpeer.net.interfaces import GuestPort, PeerInfo
from ginpeer.net.not_reached import NO_WAY_OUT
from ginpeer.net.own_addresses import (
    Reach,
    classify_address,
    is_reachable_from_outside,
    lasting_addresses,
    listening_addresses,
    outgoing_addresses,
)
from ginpeer.net.socks import Proxy, parse_proxy
from ginpeer.store import Peer
from protocol.crypto.identity import fingerprint_of_hash

TOR = "tor"  # noted for a host that we reached only at an onion address
_BY_A_PROXY = "proxy"  # noted if the proxy has a user name and password: they aren't saved

_GO_ON = (
    "Name a proxy with --through, or add --direct if you don't mind the host learning your address."
)

LATER = 60.0  # seconds after losing the host before our player is shown a reply to send


@dataclass(frozen=True, slots=True)
class Route:
    """How a guest reaches its host. *through*: the proxy for all connections, if one was named.
    *punching_seconds*: how many seconds both sides dial if no address leads to the host; 0: they
    don't. If they do, *advertise* are the first addresses in the reply, *stun* says which servers
    to ask for our public address, and *mapping* whether to ask the routers to let the host connect.
    *hides*: see Contact. *again*: the route noted last time, as shown to the player."""

    through: Proxy | None = None
    punching_seconds: float = 0.0
    advertise: tuple[Address, ...] = ()
    stun: StunPolicy = NOBODY
    mapping: bool = True
    hides: str | None = None
    again: str = ""


def remembered_route(
    route: Route,
    friend: Peer | None,
    addresses: tuple[Address, ...],
    *,
    direct: bool,
    otherwise: str = _GO_ON,
) -> tuple[Route, tuple[Address, ...]]:
    """Return the route to this host, and the addresses to try. If our player hid from this friend
    before and names no proxy now, hide in the same way again. *route*: as typed. *direct*: whether
    the host may learn where our player is. *otherwise*: the sentence that ends the error message if
    hiding isn't possible. Raises Failure."""
    if route.through is not None:
        hides = str(route.through) if route.through.user is None else _BY_A_PROXY
        return replace(route, hides=hides, punching_seconds=0.0), addresses
    if direct:
        return replace(route, hides=""), addresses
    if friend is None or not friend.hidden:
        return route, addresses
    if friend.hidden == TOR:
        onions = tuple(each for each in addresses if is_onion(each.host))
        if onions:
            return replace(route, punching_seconds=0.0, again="Tor"), onions
        way, why = "through Tor", "none of its known addresses is an onion address"
    elif friend.hidden == _BY_A_PROXY:
        way, why = "through a proxy", "the proxy's user name and password weren't saved"
    else:
        way, why = "through a proxy", "the saved proxy can no longer be read"
        with suppress(AddressError):
            through, hides = parse_proxy(friend.hidden), friend.hidden
            again = replace(route, through=through, hides=hides, again=str(through))
            return replace(again, punching_seconds=0.0), addresses
    raise Failure(
        "was-hidden",
        f"Last time, you hid your address from this host by connecting {way}. That can't be "
        f"repeated: {why}. {otherwise}",
    )


def invite_without_secret(
    host_key: bytes, addresses: tuple[Address, ...], command: str = "ginpeer"
) -> Invite:
    """Return an invite to a host that expects us, with its addresses and no secret. *command*: the
    command that starts this program. Raises Failure."""
    if not addresses:
        raise Failure(
            "no-address",
            "The host's address isn't known. Ask for an invite or, to continue a match, add --at "
            f"HOST:PORT to {command} resume.",
        )
    with failures_of(InviteError):
        return Invite.of(host_key, bytes(SECRET_BYTES), addresses[:MAX_ADDRESSES])


async def join_match(
    match: OneMatch, invite: Invite, route: Route, *, persistent: bool = False
) -> None:
    """Connect to the host, and play one match after another until either player leaves.
    *persistent*: keep trying until the host is there. Raises Failure."""
    with own_faults():
        host = match.keeper.key_of(invite.host)
    if host is not None:
        match.open_stored(host)
    contact = match.contact = GuestContact(match, invite, route, persistent=persistent)
    contact.connect(host)
    while (session := await match.sessions.next()) is not None:
        closed = await match.end_of(session)
        match match.what_follows(closed):
            case Next.RESUME:
                match.after.tell_lost(closed)
                contact.connect_later()
            case Next.NEXT_MATCH:
                match.after.finish_match(closed)
                contact.connect_later()
            case _:
                match.after.say_last_word(closed)
                break
    contact.stop()


class GuestContact(Contact, GuestPort):
    """A guest's attempts to reach its host, and what our player is told about them."""

    def __init__(
        self, match: OneMatch, invite: Invite, route: Route, *, persistent: bool = False
    ) -> None:
        """*persistent*: keep trying, because we know this host from an earlier match."""
        self.hole_punch: HolePunch | None = None  # both sides dial if no address leads to the host
        self._routers: GuestRouters | None = None
        self._match = match
        self._invite = invite
        ways = {classify_address(each).reach for each in invite.addresses} - {Reach.LOOPBACK}
        self._by_tor = route.through is None and ways == {Reach.ONION}
        if self._by_tor:  # Tor hides our address, so nothing else may reveal it
            route = replace(route, punching_seconds=0.0, hides=TOR)
        self.hides = route.hides
        self._route = route
        self._public = PublicAddressLookup(match, route.stun, self, routers=route.mapping)
        self._persistent = persistent
        self._moved: tuple[Address, ...] = ()  # addresses at which the host says it is now
        self._connection: Reconnector | None = None
        # Whether the invite and the reply contain a public address, as last reported.
        self._leads_told: tuple[bool, bool] | None = None
        self._told_loss_of: PeerInfo | None = None  # the connection whose loss was reported
        self._reply_kept: Reply | None = None  # not shown yet
        self._told_late = False
        self._may_have_moved = persistent  # whether to tell our player that the host may have moved
        self._friend: str | None = None  # our name for a host that we have met

    # --- called by the coroutine -------------------------------------------------------------

    def connect(self, host: bytes | None) -> None:
        """Try to reach the host. *host*: its key, if a match with it is stored."""
        match, route, invite = self._match, self._route, self._invite
        if host is not None:
            self._friend = match.other.name_of(host)
        if route.again:
            told = like_last_time(route.again)
            match.presenter.info(f"{told} To connect directly, add --direct.")
        if route.punching_seconds:
            self._prepare_hole_punch()
        connection = self._connection = Reconnector(
            match.reactor,
            invite,
            match.side(),
            self,
            persistent=self._persistent,
            dialler=Dialler(route.through, rng=os.urandom),
            queues=match.console.interactive,
            hole_punch=self.hole_punch,
        )
        match.presenter.begin_joining(
            ", ".join(map(str, invite.addresses)), fingerprint_of_hash(invite.host), host
        )
        connection.try_now()

    def connect_later(self) -> None:
        if self._connection is not None:
            self._connection.try_later()

    # --- called by the match (Contact) -------------------------------------------------------

    def own_addresses(self) -> tuple[Address, ...]:
        """Return the addresses at which we listen while both sides dial; none if the host must not
        learn them."""
        if self._by_tor or self._route.through is not None:
            return ()
        return lasting_addresses(outgoing_addresses(DEFAULT_PORT))

    def on_peer_addresses(self, addresses: tuple[Address, ...]) -> None:
        """Try these addresses first the next time, except over Tor."""
        if not self._by_tor:
            self._moved = self._match.other.addresses_after_move(addresses)

    def on_arrival(self) -> None:
        self._public.withdraw_question()

    def stop(self) -> None:
        if self._connection is not None:
            self._connection.give_up()

    # --- called by the attempts to connect (GuestPort) ---------------------------------------

    @property
    def was_admitted(self) -> bool:
        keeper = self._match.keeper
        return keeper.live is not None or keeper.again

    @property
    def has_match(self) -> bool:
        live = self._match.keeper.live
        return live is not None and live.agreed()

    @property
    def is_over(self) -> bool:
        return self._match.after.is_over

    @property
    def host_addresses(self) -> tuple[Address, ...]:
        return self._moved

    def on_failure(self, code: str, sentence: str) -> None:
        self._match.after.on_unreachable(code, self._answered(code, sentence))

    def _answered(self, code: str, sentence: str) -> str:
        """Return the host's answer in words that suit a guest without an invite."""
        if code != "invite-wrong" or not self._persistent:
            return sentence
        host = self._friend or "the host"
        return (
            f"{at_start(host)} is waiting, but you need an invite. Ask {host} to send you one, or "
            "to type ginpeer host and your name."
        )

    def on_host_absent(self) -> None:
        self._match.presenter.info(
            f"{at_start(self._host)} isn't there yet. "
            f"ginpeer keeps trying until you {self._match.way_to_leave}. {self._moved_advice}"
        )

    def on_refused(self, code: str, sentence: str) -> None:
        match = self._match
        if code == BOTH_JOIN.code:
            told = (
                f"{sentence} ginpeer keeps trying until you {match.way_to_leave}. To host instead, "
                f"{match.way_to_leave}, then type {match.command} host and your friend's name."
            )
        elif code in NO_WAY_OUT:
            told = f"{sentence} ginpeer keeps trying until you {match.way_to_leave}."
        elif code == TAKEN:
            told = (
                "The host's table is taken, or you have connected too often in a short time. "
                f"ginpeer keeps trying until you {match.way_to_leave}."
            )
        else:
            told = refusal_line(
                self._answered(code, sentence),
                f"If {self._host} sends a new invite, {match.way_to_leave}, then type "
                f"{match.command} join and the invite.",
                under_way=match.keeper.live is not None,
            )
        match.presenter.info(told)

    def on_lost(self) -> None:
        """Say that the host doesn't answer, once for each lost connection."""
        match, peer = self._match, self._lost_host()
        if peer is None or peer is self._told_loss_of:
            return
        self._told_loss_of, self._reply_kept, self._told_late = peer, None, False
        name, then = match.other.name("The"), ""
        if self.has_match:
            then = f" When {inside(name)} types ginpeer resume, the hand continues."
        match.presenter.info(
            f"{name}'s program doesn't answer at {peer.address}. Still trying.{then}"
        )

    def on_reply(self, why: str, reply: Reply) -> None:
        """Show the reply to send. *why*: why the host needs it; empty if only the reply changed."""
        peer = self._lost_host()
        if peer is None:
            then, host = SEND_REPLY, self._host
            if why and self._match.console.interactive:
                why = NOT_DIRECTLY
                if self._may_have_moved:
                    why = (
                        f"{at_start(host)} doesn't answer yet. Perhaps ginpeer isn't running there."
                    )
                    then = (
                        f"If {host}'s ginpeer is already waiting, send this line for them to paste "
                        "there."
                    )
            self._match.presenter.show_reply(why, str(reply), then)
            self._tell_moved()
            self._say_what_is_missing(reply)
            return
        self.on_lost()
        if self._told_late:
            self._match.presenter.show_reply("", str(reply))
            return
        if self._reply_kept is None:
            self._match.reactor.callLater(LATER, self._tell_kept_reply, peer)
        self._reply_kept = reply

    def on_reason(self, why: str) -> None:
        if self._lost_host() is None:
            self._match.presenter.info(why)

    def on_stuck(self) -> None:
        """Say that both sides have dialled without success, unless we have been connected before:
        then the routers aren't to blame."""
        if self._match.other.peer is None:
            begun = "You have no connection yet. If your friend has already pasted the reply"
            self._match.presenter.info(stuck(begun, self._public.same_port, hosts=False))

    def _say_what_is_missing(self, reply: Reply) -> None:
        """Say once, before anybody dials, if the invite or the reply has no public address."""
        leads = (
            any(map(is_reachable_from_outside, self._invite.addresses)),
            any(map(is_reachable_from_outside, reply.addresses)),
        )
        if leads != self._leads_told:
            self._leads_told = leads
            known = no_address_in(invite=leads[0], reply=leads[1])
            if known is not None:
                self._match.presenter.info(known)

    @property
    def _host(self) -> str:
        return self._friend or self._match.other.name("the")

    def _lost_host(self) -> PeerInfo | None:
        """Return the host that a person is waiting for, if we had reached it directly."""
        match = self._match
        waits = match.after.is_waiting and match.console.interactive
        return match.other.peer if waits and not self._met_by_hole_punch else None

    def _tell_kept_reply(self, peer: PeerInfo) -> None:
        reply, match = self._reply_kept, self._match
        if reply is not None and self._lost_host() is peer:
            self._told_late = True
            name = match.other.name("The")
            told = f"{name}'s program still doesn't answer at {peer.address}."
            match.presenter.show_reply(told, str(reply))
            self._may_have_moved = True
            self._tell_moved()

    def _tell_moved(self) -> None:
        if self._may_have_moved:
            self._may_have_moved = False
            self._match.presenter.info(self._moved_advice)

    @property
    def _moved_advice(self) -> str:
        """Advice in case the host has moved or has already finished the match that we resume."""
        host = self._host
        moved = (
            f"If {host}'s address has changed, ask for a new invite, {self._match.way_to_leave}, "
            "and join with that."
        )
        if self._match.only is None:
            return moved
        return (
            f"{moved} If the match is already over for {host}, ask {host} to run ginpeer host; "
            "when you connect, it sends you the rest of the log."
        )

    @property
    def _met_by_hole_punch(self) -> bool:
        return self.hole_punch is not None and self.hole_punch.worked

    # --- dialling on both sides --------------------------------------------------------------

    def _prepare_hole_punch(self) -> None:
        match, route = self._match, self._route
        if route.mapping:
            self._routers = GuestRouters(match, self._public)
        self.hole_punch = HolePunch(
            match.reactor,
            self._invite,
            match.identity.public,
            self,
            advertise=route.advertise,
            seconds=route.punching_seconds,
            persistent=self._persistent,
        )

    def ask_addresses(self, port: Any) -> dict[str, Deferred[Address]]:
        asked = {} if self._routers is None else {ROUTERS: self._routers.ask(port)}
        if self._public.may_ask:
            here = port.getHost()
            hidden = is_public_address_useful(listening_addresses(here.host, here.port))
            # A host that we met at its own address will most likely return there, so don't ask.
            lost_directly = self._match.other.peer is not None and not self._met_by_hole_punch
            needless = self._route.advertise or (self._public.asks_first and lost_directly)
            asked[STUN] = self._public.ask(port, useful=hidden and not needless)
        return asked

    @property
    def needs_public_address(self) -> bool:
        return self.hole_punch is not None and self.hole_punch.is_open

    def on_public_address_change(self, old: Address, new: Address) -> None:
        if self.hole_punch is not None:
            if new.host != old.host:  # the router's address has changed, too, unannounced
                self.hole_punch.forget(old.host)
            self.hole_punch.set_address(new, STUN)

    def on_closed(self) -> None:
        if self._routers is not None:
            self._routers.close()
        self._public.close()


def refusal_line(sentence: str, advice: str, *, under_way: bool) -> str:
    """Tell a waiting guest that its host refuses it. A host that was restarted between two matches
    expects nobody unless it was started with a friend's name."""
    how = (
        "Still waiting; the match is kept."
        if under_way
        else "Still waiting: you can join once the host types ginpeer host and your name."
    )
    return f"{sentence} {how} {advice}"
