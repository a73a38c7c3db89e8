"""A guest begins: it goes to its host, and comes back when it is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cli.match.lost_host import LostHost
from cli.match.one_match import OneMatch, own_faults
from cli.match.public_address import NOBODY, PublicAddress, Stun, is_of_use
from cli.match.routers import GuestRouters
from cli.text.connecting import may_have_moved
from ginpeer.net.address import DEFAULT_PORT, Address, is_onion
from ginpeer.net.crossing import Crossing, Outside
from ginpeer.net.dialler import Dialler
from ginpeer.net.guest_connection import BOTH_JOIN
from ginpeer.net.invite import Invite
from ginpeer.net.own_addresses import leaving_places, own_places, whereabouts
from ginpeer.net.reconnecting import TAKEN, Reconnecting
from ginpeer.net.socks_messages import Proxy
from protocol.crypto.identity import fingerprint_of_hash

TOR = "tor"
"""What is noted of a host that was reached at an onion address alone."""


@dataclass(frozen=True, slots=True)
class Route:
    """How a guest gets to its host. *through*: the proxy that everything goes through, if one was
    named. *crosses*: for so many seconds both dial, where nothing leads to the host; 0: they do
    not. *advertise* is then the beginning of the reply, *stun* is asked for our public
    address, and with *mapping* the routers are asked to let the host in. *hides*: what is noted of
    the host, by which way it does not learn where we are; empty: it may; None: nothing is noted.
    *again*: the way that was noted the last time, as the player is told."""

    through: Proxy | None = None
    crosses: float = 0.0
    advertise: tuple[Address, ...] = ()
    stun: Stun = NOBODY
    mapping: bool = True
    hides: str | None = None
    again: str = ""


def go_to_host(match: OneMatch, invite: Invite, route: Route, *, persistent: bool = False) -> None:
    """Go to the host that the invite names; *persistent*: until it is there. Raises Failure."""
    with own_faults():
        host = match.keeper.key_of(invite.host)
    if host is not None:
        match.open_stored(host)
    by_tor = route.through is None and all(is_onion(each.host) for each in invite.addresses)
    if by_tor:  # and is not to be seen elsewhere
        route = replace(route, crosses=0.0, hides=TOR)
    elif route.through is None:
        match.whereabouts = lambda: whereabouts(leaving_places(DEFAULT_PORT))
    moved: list[Address] = []

    def found_at(addresses: tuple[Address, ...]) -> None:
        moved[:] = match.other.moved_to(addresses)

    if not by_tor:
        match.found_at = found_at
    match.hides = route.hides
    if route.again:
        match.voice.info(
            f"Going through {route.again}, as the last time, so that the host does not learn where "
            "you are. With --direct it may."
        )
    keeper, ending, voice = match.keeper, match.ending, match.voice
    anew = (
        f"If the host sends a new invite, type quit, and then {match.command} join and the invite."
    )
    resumes = match.only is not None
    lost = LostHost(match, has_met=persistent, resumes=resumes)
    crossing = _crossing(match, invite, route, lost) if route.crosses else None
    if crossing is not None:
        lost.crossed = lambda: crossing.led
    connection = Reconnecting(
        match.reactor,
        invite,
        match.side(),
        persistent=persistent,
        seated=lambda: keeper.live is not None or keeper.again,
        agreed=lambda: keeper.live is not None and keeper.live.agreed(),
        over=lambda: ending.is_over,
        not_there=lambda: voice.info(
            "The host is not there yet; trying again until you type quit. "
            + (may_have_moved(match.command, resumes=resumes) if persistent else anew)
        ),
        not_let_in=lambda code, sentence: voice.info(
            f"{sentence} Trying again until you type quit. To host, type {match.command} host and "
            "the other's name then."
            if code == BOTH_JOIN.code
            else f"{sentence} Trying again until you type quit."
            if code == TAKEN
            else not_let_in(sentence, anew, under_way=keeper.live is not None)
        ),
        failed=ending.no_way,
        dialler=Dialler(route.through),
        found_at=lambda: tuple(moved),
        queues=match.console.interactive,
        crossing=crossing,
        gone=lost.gone,
    )
    voice.begin_joining(", ".join(map(str, invite.addresses)), fingerprint_of_hash(invite.host))
    ending.try_again = connection.later
    ending.give_up = connection.give_up
    connection.go()


def not_let_in(sentence: str, anew: str, *, under_way: bool) -> str:
    """What a guest at its table hears whose host is there and turns it away. A host that was begun
    again between two matches expects nobody, unless by name."""
    how = (
        "The match is kept, and this table waits on."
        if under_way
        else "This table waits on: who types ginpeer host and your name there lets you in."
    )
    return f"{sentence} {how} {anew}"


def _crossing(match: OneMatch, invite: Invite, route: Route, lost: LostHost) -> Crossing:
    routers = GuestRouters(match, lambda opened: public.router(opened=opened))
    public = PublicAddress(
        match,
        route.stun,
        routers=route.mapping,
        needed=lambda: crossing.is_open,
        changed=lambda old, new: crossing.add(new, instead_of=old),
    )
    match.arrives = public.arrives
    lost.invite, lost.same_port = invite, lambda: public.same_port

    def ask_servers(port: Any) -> Any:
        here = port.getHost()
        hidden = is_of_use(own_places(here.host, here.port)) and not route.advertise
        # A host that we met at its own address most likely comes back there, so don't ask.
        lost_directly = match.other.peer is not None and not crossing.led
        return public.ask(port, of_use=hidden and not (public.asks_first and lost_directly))

    def close() -> None:
        routers.close()
        public.close()

    outside: list[Outside] = [routers.ask] if route.mapping else []
    crossing = Crossing(
        match.reactor,
        match.reactor,
        invite,
        match.identity.public,
        told=lost.unreached,
        advertise=route.advertise,
        outside=[*outside, ask_servers] if public.may_ask else outside,
        closed=close,
        stuck=lost.stuck,
        learned=lost.learned,
        seconds=route.crosses,
    )
    return crossing
