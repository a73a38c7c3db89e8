"""A host begins: it listens, prints the invite, and plays with who comes.

# Rule 1: strangers may come by the thousand, and the host is playing: a few who were turned away
# are told at once, then one every while, and the rest are counted.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from cli.failure import USAGE, Failure
from cli.match.one_match import OneMatch, own_faults
from cli.match.onion import offer_onion
from cli.match.routers import Routers, can_be_mapped
from cli.words.places import outside_line
from cli.words.turned_away import more_turned_away, turned_away
from ginpeer.keeper import accepted
from ginpeer.net.address import DEFAULT_PORT, Address
from ginpeer.net.host import ListenError, Listening, TurnedAway, listen
from ginpeer.net.invite import SECRET_BYTES, InviteError
from ginpeer.net.own_addresses import whereabouts
from ginpeer.net.throttle import RateLimited
from protocol.crypto.identity import fingerprint

BURST, RATE = 10, 1 / 30
"""Who was turned away: told at once, and after those each second."""

PAUSE = 60.0
"""Seconds after which those who were only counted are told of."""


@dataclass(frozen=True, slots=True)
class Door:
    """How a host is to be reached. *listen*: where; None leaves it to us. *advertise*: what the
    invite names before our own addresses. *tor*: an onion address is to lead here as well.
    *mapping*: the routers are asked to let a friend in."""

    listen: Address | None = None
    advertise: tuple[Address, ...] = ()
    tor: bool = False
    mapping: bool = True


def wait_for_guest(match: OneMatch, door: Door) -> None:
    """Open the door and say where it is. Raises Failure."""
    address, advertise = door.listen, door.advertise
    if match.only is not None:
        expected = frozenset({match.only.notes.peer})
        match.open_stored(match.only.notes.peer)
    else:
        with own_faults():
            expected = match.keeper.expected()
    try:
        listening = listen(
            match.reactor,
            match.side(),
            os.urandom(SECRET_BYTES),
            address=address,
            advertise=advertise,
            expected=expected,
            nobody_else=match.only is not None,
            turned_away=_knocks(match).come if match.verbose else None,
        )
    except (ListenError, InviteError) as error:
        raise Failure(error.code, error.sentence, USAGE) from error
    match.ending.give_up = listening.stop
    match.ending.try_again = lambda: None  # the door stays open, and the guest is expected
    match.whereabouts = lambda: whereabouts(listening.places)
    if door.mapping and can_be_mapped(listening):
        Routers(match, listening, lambda: _announce(match, door, listening)).ask()
        return
    _announce(match, door, listening)
    alone = outside_line(listening.places, listening.port) if address is None else None
    if alone is not None:
        match.voice.info(alone)


def _announce(match: OneMatch, door: Door, listening: Listening) -> None:
    """Print the invite and what is to be known of it."""
    match.console.print(f"invite: {listening.invite}", whole=True)
    if door.listen is None and listening.port != DEFAULT_PORT:
        match.voice.info(
            f"Another program has port {DEFAULT_PORT}, so this game waits at port "
            f"{listening.port}. Where a router forwards a port to you, it has to be this one."
        )
    match.voice.begin_waiting(
        listening.places,
        fingerprint(match.identity.public),
        again=match.only is not None and accepted(match.only),
        port=listening.port if door.advertise else None,
    )
    if door.tor:
        offer_onion(match, listening)


def _knocks(match: OneMatch) -> RateLimited[TurnedAway]:
    """Tells of those who come to the door and are not let in."""

    def one(stranger: TurnedAway) -> None:
        met = stranger.key is not None and match.other.has_met(stranger.key)
        match.voice.info(turned_away(stranger, time.localtime(), met=met))

    def more(count: int) -> None:
        match.voice.info(more_turned_away(count, time.localtime()))

    return RateLimited(match.reactor, BURST, RATE, PAUSE, each=one, rest=more)
