"""A host waits for its guest, and plays one match after another.

From `ginpeer host` (cli/commands/host.py, which starts the reactor with OneMatch.run) to the
second match of an evening:

1. `open_port` listens. HostContact asks routers, STUN servers and Tor for a way in
   (cli.match.invitation), prints the invite, and dials the guest if that may help.
2. A guest connects. The Acceptor (ginpeer.net) checks its hello and admits it, which begins a
   session. The session asks OneMatch.begin_session for our player, which wakes `host_match`, and
   then OneMatch.seat_for for our seat: that of a stored match, or of a new one, which it offers.
3. The two play until the seat closes a finished match, a player leaves, or the connection is
   lost. host_match gets the reason, `what_follows` decides what comes next, and Aftermath
   tells our player.
4. If the match is finished and both players stay, Aftermath says who won and clears the table.
   (The guest's program announced that it stays when it connected.) Each match has a connection of
   its own, so the guest's program connects again: step 2. This time, a person is asked for the
   rules before the seat offers (Series.ask_before); a program repeats its offer at once.
5. If the connection is lost, the port stays open and Absence counts the time. A guest that comes
   back continues at step 2 with the same seat, and the logs are compared. When patience runs out,
   our player reads the last word, and `sessions.next()` returns None.
6. If the guest leaves in the middle of a match, it says goodbye: the program ends, and the log
   is kept. Between matches nothing is said; the guest just doesn't connect again, as in step 5.

Rule 1: strangers may come by the thousand while the host is playing. Our player is told at once
about the first few that are refused, then about one every half minute; the rest are only counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from cli.match.club import Club
from cli.match.invitation import HostContact, HostOptions
from cli.match.one_match import OneMatch
from cli.match.series import Next
from cli.match.sitting import own_faults
from cli.program import failures_of
from cli.text.connecting import more_turned_away, turned_away
from ginpeer.net.acceptor import END_GIVEN, Acceptor
from ginpeer.net.address import Address
from ginpeer.net.codes import SECRET_BYTES, InviteError
from ginpeer.net.limits import RateLimited, RejectedConnection
from ginpeer.net.own_addresses import is_loopback
from ginpeer.net.tcp import EVERYWHERE, ListenError, address_of

BURST, RATE = 10, 1 / 30
"""How many refused guests our player is told about at once, and how many per second after that."""

PAUSE = 60.0  # seconds until our player is told how many more were refused


async def host_match(match: OneMatch, options: HostOptions) -> None:
    """Open a port, and play one match after another until a player leaves. Raises Failure."""
    contact = match.contact = HostContact(match, open_port(match, options), options)
    contact.begin()
    # None means that our player has stopped waiting, or that the guest hasn't come back. Either has
    # already been reported.
    while (session := await match.sessions.next()) is not None:
        closed = await match.end_of(session)
        match match.what_follows(closed):
            case Next.WAIT:
                match.after.tell_it_was_over()
                contact.wait_for_anyone()
            case Next.RESUME:
                match.after.tell_lost(closed)
                contact.on_loss()
            case Next.NEXT_MATCH:
                match.after.finish_match(closed)
                contact.ask_routers_again()
            case Next.END:
                match.after.say_last_word(closed)
                return
    contact.stop()


async def host_club(match: OneMatch, options: HostOptions, club: Club) -> None:
    """Let the bot play everybody who comes, until our player closes the club. Raises Failure."""
    match.contact = contact = HostContact(match, open_port(match, options, club), options, club)
    contact.begin()
    await club.closed


def open_port(match: OneMatch, options: HostOptions, club: Club | None = None) -> Acceptor:
    """Listen for one friend or opponent, or for anybody with the invite. Raises Failure."""
    only = None if match.only is None else match.only.notes.peer
    if only is None and options.friend is not None:
        only = options.friend.key
    if only is not None:
        match.open_stored(only)
        expected = frozenset({only})
    else:
        with own_faults():
            expected = match.keeper.expected()

    def listen(address: Address | None) -> Acceptor:
        return Acceptor(
            match.reactor,
            match.side(),
            os.urandom(SECRET_BYTES),
            address=address,
            or_next=options.listens_again,
            advertise=options.advertise,
            expected=expected,
            nobody_else=only is not None,
            club=club,
            turned_away=_tell_rejected(match),
        )

    with failures_of(ListenError, InviteError):
        try:
            listening = listen(options.listen)
        except ListenError as error:
            last = options.listen
            # An address that only this machine can reach is never replaced by one open to others.
            if not options.listens_again or last is None or is_loopback(last):
                raise
            match.presenter.info(
                f"{error.sentence} So ginpeer is waiting on every network of this machine."
            )
            listening = listen(last._replace(host=EVERYWHERE))
    listens = str(address_of(listening.listening_port.getHost()))
    if club is None:
        match.keeper.listens = listens
    else:
        club.listens = listens
    return listening


def _tell_rejected(match: OneMatch) -> Callable[[RejectedConnection], None]:
    """Return a callback that tells our player about refused guests: always about one who has the
    invite or only lacked the end of an old match, about all others only with -v."""

    def report_one(stranger: RejectedConnection) -> None:
        if stranger.code == END_GIVEN and stranger.key is not None:
            name = match.other.name_of(stranger.key)
            match.presenter.info(
                f"{name}'s log of a finished match was incomplete; ginpeer has sent the rest."
            )
            return
        if stranger.has_invite:
            name = match.other.name("The")
            match.presenter.info(
                f"{time.strftime('%H:%M:%S')} Somebody with your invite connected from "
                f"{stranger.address} and was refused: {name} connected first, and your match with "
                f"{name} is unfinished or has just ended. To play with your friend instead, "
                f"{match.way_to_leave}, then type {match.command} host --new, and send the new "
                "invite."
            )
            return
        met = stranger.key is not None and match.other.has_met(stranger.key)
        match.presenter.info(turned_away(stranger, time.localtime(), met=met))

    def report_rest(count: int) -> None:
        match.presenter.info(more_turned_away(count, time.localtime()))

    limited = RateLimited(match.reactor, BURST, RATE, PAUSE, each=report_one, rest=report_rest)

    def report(stranger: RejectedConnection) -> None:
        if match.verbose or stranger.has_invite or stranger.code == END_GIVEN:
            limited.admit(stranger)

    return report
