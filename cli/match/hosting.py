"""A host begins: it listens, prints the invite, and plays with who comes.

# Rule 1: strangers may come by the thousand, and the host is playing: a few who were turned away
# are told at once, then one every while, and the rest are counted.
"""

from __future__ import annotations

import os
import time

from cli.failure import USAGE, Failure
from cli.match.one_match import OneMatch, own_faults
from cli.words.turned_away import more_turned_away, turned_away
from ginpeer.keeper import accepted
from ginpeer.net.address import DEFAULT_PORT, LOOPBACK, Address
from ginpeer.net.host import TurnedAway, listen
from ginpeer.net.invite import InviteError
from ginpeer.net.listening_port import ListenError
from ginpeer.net.throttle import RateLimited
from protocol.crypto.identity import fingerprint

BURST, RATE = 10, 1 / 30
"""Who was turned away: told at once, and after those each second."""

PAUSE = 60.0
"""Seconds after which those who were only counted are told of."""


def wait_for_guest(
    match: OneMatch, address: Address | None, advertise: tuple[Address, ...]
) -> None:
    """Open the door and say where it is. *address*: where to listen; None leaves it to us.
    *advertise*: what the invite names in the place of our guess. Raises Failure."""
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
            os.urandom(16),
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
    match.console.print(f"invite: {listening.invite}", whole=True)
    if address is None and listening.port != DEFAULT_PORT:
        match.voice.info(
            f"Another program has port {DEFAULT_PORT}, so this game waits at port "
            f"{listening.port}. Where a router forwards a port to you, it has to be this one."
        )
    match.voice.begin_waiting(
        ", ".join(map(str, listening.addresses)),
        fingerprint(match.identity.public),
        again=match.only is not None and accepted(match.only),
        port=listening.port if advertise else None,
    )
    if address is None and {each.host for each in listening.addresses} == {LOOPBACK}:
        match.voice.info(
            "This machine has no address in any network, so the invite leads to this machine "
            "alone. Connect it and type the command again, or name an address with --advertise."
        )


def _knocks(match: OneMatch) -> RateLimited[TurnedAway]:
    """Tells of those who come to the door and are not let in."""

    def one(stranger: TurnedAway) -> None:
        met = stranger.key is not None and match.other.has_met(stranger.key)
        match.voice.info(turned_away(stranger, time.localtime(), met=met))

    def more(count: int) -> None:
        match.voice.info(more_turned_away(count, time.localtime()))

    return RateLimited(match.reactor, BURST, RATE, PAUSE, each=one, rest=more)
