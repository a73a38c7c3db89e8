"""A host waits for its guest, and plays one match after another.

# From `ginpeer host` to the second match of an evening:
#
# 1. open_port listens. The HostContact asks routers, STUN servers and Tor for a way in
#    (cli.match.invitation), and prints the invite.
# 2. A guest connects, and ginpeer.net lets it in. Its session takes a player and a seat from
#    OneMatch (_player_for, _seat_for): the seat of a stored match, or of a new one, which it
#    offers.
# 3. The two play, and host_match waits for the end of the session. Then `decide` says what follows.
# 4. The match is finished, and both players stay: MatchEnd says who won, and clears the table.
#    Each match has a connection of its own, so the guest's program connects again. _seat_for brings
#    a new seat, and Series.ask_before asks our player by which rules to offer the next match.
#
# Rule 1: strangers may come by the thousand, and the host is playing: a few who were turned away
# are told at once, then one every while, and the rest are counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from cli.failure import failures_of
from cli.match.club import Club
from cli.match.contact import Contact
from cli.match.decision import Next, decide
from cli.match.invitation import HostOptions, Invitation
from cli.match.one_match import OneMatch, own_faults
from cli.match.practice import is_practice
from cli.match.route import places_of
from cli.text.connecting import (
    HOME_ONLY_YET,
    YOUR_OWN_INVITE,
    end_given,
    invite_to_a_host,
    kept_out,
    more_turned_away,
    no_address_in,
    nobody_yet,
    stuck_host,
    turned_away,
)
from cli.text.players import friend_name
from cli.text.shelved_match import has_just_ended, played_elsewhere, still_unfinished
from ginpeer.match_store import is_accepted
from ginpeer.names.quoting import safe_quote
from ginpeer.net.acceptor import END_GIVEN, Acceptor, listen
from ginpeer.net.address import DEFAULT_PORT, MAX_ADDRESSES, Address
from ginpeer.net.admission import RejectedConnection
from ginpeer.net.codes import (
    SECRET_BYTES,
    InviteError,
    PartialReply,
    ReplyError,
    is_invite,
    same_letters,
)
from ginpeer.net.hole_punch import STUCK
from ginpeer.net.own_addresses import is_reachable_from_outside, lasting_addresses
from ginpeer.net.session import Session
from ginpeer.net.tcp import ListenError
from ginpeer.net.throttle import RateLimited
from ginpeer.net.waiting import Reminder
from ginpeer.store import Journal, Peer
from protocol.crypto.identity import fingerprint, fingerprint_of_hash

BURST, RATE = 10, 1 / 30
"""How many guests that were turned away our player hears of at once, and then each second."""

PAUSE = 60.0
"""Seconds after which our player is told how many more were turned away."""

_NOBODY_YET = (1, 5, 20)
"""Minutes after which a host hears again what its friend has to type; then every hour."""


async def host_match(match: OneMatch, options: HostOptions) -> None:
    """Open a port, print the invite, and play one match after another until our player or the
    guest leaves. Raises Failure."""
    contact = HostContact(match, open_port(match, options), options)
    match.reach_by(contact)
    contact.begin()
    # None: our player has stopped waiting, or the guest has not come back; that has been said.
    while (session := await match.sessions.next()) is not None:
        closed = await match.end_of(session)
        match decide(closed, match.state(anyone_may_come=match.only is None)):
            case Next.WAIT:
                match.end.wait()
                contact.wait_for_anyone()
            case Next.RESUME:
                match.end.resume(closed)
                contact.look_again()
            case Next.NEXT_MATCH:
                match.end.next_match(closed)
                contact.look_again()
            case Next.END:
                match.end.say(closed)
                return


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


class HostContact(Contact):
    """A host's port and invite, and where the guest may be: there it is dialled until it comes, and
    again when it is lost."""

    takes_replies = True

    def __init__(
        self,
        match: OneMatch,
        listening: Acceptor,
        options: HostOptions,
        club: Club | None = None,
    ) -> None:
        super().__init__(match.command)
        self.hides = options.hides
        self._match = match
        self._listening = listening
        self._options = options
        self._club = club
        self._known: tuple[Address, ...] = ()  # where the guest may be
        self._broken = PartialReply()
        self._invitation = Invitation(match, options, listening, self._announce)

    # --- what the coroutine asks for ---------------------------------------------------------

    def begin(self) -> None:
        """Look for a guest whom we know, ask for a way in, and print the invite. Raises Failure."""
        if self._options.friend is not None:
            self.look(places_of(self._options.friend))
        elif self._match.only is not None:
            self.look(_guests_places(self._match))
        self._invitation.begin()

    def wait_for_anyone(self) -> None:
        """Forget the guest who has just been here, and print the invite if it was not printed."""
        self._match.keeper.expect_new_match()
        self._listening.reopen()
        self._invitation.print()

    def look_again(self) -> None:
        """Make sure that the guest can come back, now that it is lost or another match follows."""
        self._invitation.look_again()

    # --- what the match asks (Contact) -------------------------------------------------------

    def own_addresses(self) -> tuple[Address, ...]:
        """Return where the guest can find us another time."""
        return lasting_addresses(self._listening.places)

    def on_peer_addresses(self, addresses: tuple[Address, ...]) -> None:
        """Dial those of these addresses that are the guest's own, once it is lost."""
        self.look(self._match.other.at_its_own(addresses))

    def on_arrival(self) -> None:
        """Withdraw the question to our player, now that the guest has come."""
        self._invitation.on_arrival()

    def on_paste(self, text: str) -> None:
        """Dial the guest whose reply this is, once it is whole. Raises ReplyError."""
        if is_invite(text):
            raise ReplyError("invite-here", self._about_invite(text))
        reply = self._broken.take(text)
        self._known = self._listening.dial_guest(reply)
        key = fingerprint_of_hash(reply.guest)
        self._match.presenter.dialling(", ".join(map(str, self._known)), key)
        missing = no_address_in(
            invite=any(map(is_reachable_from_outside, self._listening.addresses)),
            reply=any(map(is_reachable_from_outside, self._known)),
        )
        if missing is not None:
            self._match.presenter.info(missing)
        self._match.reactor.callLater(STUCK, self._stuck)

    def accepts_more(self, text: str) -> bool:
        """Whether this line continues a reply that was begun."""
        return self._broken.accepts_more(text)

    def stop(self) -> None:
        """Stop asking for a way in, and close the port."""
        self._invitation.stop()

    # -----------------------------------------------------------------------------------------

    def _about_invite(self, text: str) -> str:
        own = same_letters(str(self._listening.invite)) in same_letters(text)
        return YOUR_OWN_INVITE if own else invite_to_a_host(self._match.command)

    def look(self, addresses: tuple[Address, ...]) -> None:
        """Also dial these addresses, except our own."""
        own = self._listening.addresses
        new = (each for each in addresses if each not in own and self._listening.may_dial(each))
        both = tuple(dict.fromkeys((*new, *self._known)))[:MAX_ADDRESSES]
        if set(both) != set(self._known):
            self._known = both
            self._listening.dial(both)

    def _stuck(self) -> None:
        if not (self._listening.occupied or self._match.end.is_over):
            self._match.presenter.info(stuck_host(self._invitation.same_port))

    def _announce(self, early: bool) -> None:
        """Print the invite and what our player should know about it. *early*: a better one may
        follow."""
        match, options, listening = self._match, self._options, self._listening
        only_home = early and not any(place.from_outside for place in listening.places)
        match.console.print(f"invite: {listening.invite}", whole=True)
        if only_home:
            match.presenter.info(HOME_ONLY_YET)
        if options.listen is None and listening.port != DEFAULT_PORT:
            match.presenter.info(
                f"Another program has port {DEFAULT_PORT}, so this game waits at port "
                f"{listening.port}. Where a router forwards a port to you, it has to be this one."
            )
        if self._club is not None:
            self._club.greet()
        told_already = self._club is not None or only_home
        match.presenter.begin_waiting(
            listening.places,
            fingerprint(match.identity.public),
            again=match.only is not None and is_accepted(match.only),
            port=listening.port if options.advertise else None,
            friend="" if told_already else _for_friend(match, options.friend),
        )
        if self._club is None:
            _tell_who_is_expected(match, options)
        if options.friend is not None:
            _remind(match, listening.arrival, options.friend)


def _guests_places(match: OneMatch) -> tuple[Address, ...]:
    """Return where the guest of the resumed match may be; nothing if our player hides from it. The
    guest may still be dialling an address that we no longer have."""
    if match.only is None:
        return ()
    notes = match.only.notes
    with own_faults():
        guest = match.home.known_peers(time.time).peer(notes.peer)
    hides = guest is None or guest.hidden
    return () if hides else places_of(guest, notes.addresses)


def _remind(match: OneMatch, arrival: Any, friend: Peer) -> None:
    """Say now and then what the friend has to type: if both host, they wait for each other, and
    nothing else tells them. *arrival*: the Deferred of the first session."""

    def say(minutes: int) -> None:
        if match.end.is_over:
            reminder.stop()
        else:
            match.presenter.info(
                nobody_yet(friend_name(friend), match.name, minutes, match.command)
            )

    def came(session: Session) -> Session:
        reminder.stop()
        return session

    reminder = Reminder(match.reactor, _NOBODY_YET, say)
    reminder.begin()
    arrival.addCallback(came)


def _for_friend(match: OneMatch, friend: Peer | None) -> str | None:
    """Say what the friend has to type who alone is waited for; None for whoever comes."""
    if friend is None:
        return None
    return (
        f"Waiting for {friend_name(friend)} alone, who types: ginpeer join and what you are called "
        f"there, {safe_quote(match.name)} perhaps. Only if that leads nowhere, send the invite."
    )


def _tell_who_is_expected(match: OneMatch, options: HostOptions) -> None:
    """Tell our player which opponents need no invite: those of unfinished matches, and of the one
    that has just ended."""
    if match.only is None and options.friend is None:
        with own_faults():
            waiting = match.keeper.awaited_matches()
            played = match.keeper.played_with()
        if played is not None and not is_practice(played):
            match.presenter.info(has_just_ended(played, match.names, match.command))
        for stored in waiting:
            if is_practice(stored):  # the bot comes to nobody's door
                continue
            if Journal.is_in_use(stored.match.path):
                match.presenter.info(played_elsewhere(stored, match.names))
            else:
                match.presenter.info(still_unfinished(stored, match.names, match.command))


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
