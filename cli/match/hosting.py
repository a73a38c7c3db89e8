"""A host waits for its guest, and plays one match after another.

# From `ginpeer host` to the second match of an evening:
#
# 1. `open_port` listens. HostContact asks routers, STUN servers and Tor for a way in
#    (cli.match.invitation), prints the invite, and dials the guest where that may help.
# 2. A guest connects, and ginpeer.net lets it in. It begins a session: OneMatch.begin_session gives
#    that session our player, and OneMatch.seat_for our seat, in a stored match or in a new one,
#    which the seat offers.
# 3. The two play, and host_match waits for the end of the session. Then `decide` says what follows,
#    and Aftermath tells our player.
# 4. If the match is finished and both players stay, Aftermath says who won and clears the table.
#    Each match has a connection of its own, so the guest's program connects again: step 2. This
#    time the seat offers nothing until Series.ask_before has asked our player by which rules.
#
# Rule 1: strangers may come by the thousand, and the host is playing: a few who were turned away
# are told at once, then one every while, and the rest are counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from cli.failure import failures_of
from cli.match.club import Club
from cli.match.decision import Next, decide
from cli.match.invitation import HostContact, HostOptions
from cli.match.one_match import OneMatch
from cli.match.sitting import own_faults
from cli.text.connecting import (
    end_given,
    kept_out,
    more_turned_away,
    turned_away,
)
from ginpeer.net.acceptor import END_GIVEN, Acceptor, listen
from ginpeer.net.admission import RejectedConnection
from ginpeer.net.codes import (
    SECRET_BYTES,
    InviteError,
)
from ginpeer.net.listening_port import ListenError
from ginpeer.net.throttle import RateLimited

BURST, RATE = 10, 1 / 30
"""How many guests that were turned away our player hears of at once, and then each second."""

PAUSE = 60.0
"""Seconds after which our player is told how many more were turned away."""


async def host_match(match: OneMatch, options: HostOptions) -> None:
    """Open a port, print the invite, and play one match after another until our player or the
    guest leaves. Raises Failure."""
    contact = HostContact(match, open_port(match, options), options)
    match.reach_by(contact)
    contact.begin()
    # None: our player has stopped waiting, or the guest has not come back; that has been said.
    while (session := await match.sessions.next()) is not None:
        closed = await match.end_of(session)
        match decide(closed, match.state()):
            case Next.WAIT:
                match.after.wait()
                contact.wait_for_anyone()
            case Next.RESUME:
                match.after.resume(closed)
                contact.keep_open()
            case Next.NEXT_MATCH:
                match.after.next_match(closed)
                contact.keep_open()
            case Next.END:
                match.after.say(closed)
                return
    contact.stop()


async def host_club(match: OneMatch, options: HostOptions, club: Club) -> None:
    """Open a port, print the invite, and let the bot play whoever comes, until our player closes
    the club. Raises Failure."""
    contact = HostContact(match, open_port(match, options, club), options, club)
    match.reach_by(contact)
    contact.begin()
    await club.closed


def open_port(match: OneMatch, options: HostOptions, club: Club | None = None) -> Acceptor:
    """Listen for guests: for the friend or the opponent who alone is waited for, or for whoever has
    the invite. Raises Failure."""
    only = None if match.only is None else match.only.notes.peer
    if only is None and options.friend is not None:
        only = options.friend.key
    if only is not None:
        match.open_stored(only)
        expected = frozenset({only})
    else:
        with own_faults():
            expected = match.keeper.expected()
    with failures_of(ListenError, InviteError):
        return listen(
            match.reactor,
            match.side(),
            os.urandom(SECRET_BYTES),
            address=options.listen,
            advertise=options.advertise,
            expected=expected,
            nobody_else=only is not None,
            club=club,
            turned_away=_tell_rejected(match),
        )


def _tell_rejected(match: OneMatch) -> Callable[[RejectedConnection], None]:
    """Return what tells our player about guests that were refused: a friend who came too late or
    for the end of an old match, and all the others if our player asked for that (-v)."""

    def one(stranger: RejectedConnection) -> None:
        if stranger.code == END_GIVEN and stranger.key is not None:
            match.presenter.info(end_given(match.other.name_of(stranger.key)))
            return
        if stranger.has_invite:
            name = match.other.name("The")
            match.presenter.info(kept_out(stranger, name, time.localtime(), match.command))
            return
        met = stranger.key is not None and match.other.has_met(stranger.key)
        match.presenter.info(turned_away(stranger, time.localtime(), met=met))

    def more(count: int) -> None:
        match.presenter.info(more_turned_away(count, time.localtime()))

    knocks = RateLimited(match.reactor, BURST, RATE, PAUSE, each=one, rest=more)

    def come(stranger: RejectedConnection) -> None:
        if match.verbose or stranger.has_invite or stranger.code == END_GIVEN:
            knocks.come(stranger)

    return come
