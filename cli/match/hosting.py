"""A host begins: it listens, prints the invite, and plays with who comes.

# Rule 1: strangers may come by the thousand, and the host is playing: a few who were turned away
# are told at once, then one every while, and the rest are counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from cli.failure import USAGE, Failure
from cli.match.club import Club
from cli.match.invitation import Invitation
from cli.match.one_match import OneMatch, own_faults
from cli.match.practice import practised
from cli.match.public_address import NOBODY, Stun
from cli.match.way_back import places_of
from cli.text.connecting import (
    HOME_ONLY_YET,
    YOUR_OWN_INVITE,
    invite_to_a_host,
    no_address_in,
    nobody_yet,
    stuck_host,
)
from cli.text.players import friend_name
from cli.text.put_aside import has_just_ended, played_elsewhere, still_unfinished
from cli.text.turned_away import end_given, kept_out, more_turned_away, turned_away
from ginpeer.keeper import accepted
from ginpeer.names.shown import in_marks
from ginpeer.net.address import DEFAULT_PORT, Address
from ginpeer.net.crossing import STUCK
from ginpeer.net.hall import TurnedAway
from ginpeer.net.host import Listening, listen
from ginpeer.net.host_connection import END_GIVEN
from ginpeer.net.invite import SECRET_BYTES, InviteError, is_invite
from ginpeer.net.listening_port import ListenError
from ginpeer.net.own_addresses import leads_elsewhere, whereabouts
from ginpeer.net.packed import MAX_ADDRESSES
from ginpeer.net.pasted_code import same_letters
from ginpeer.net.reply import BrokenReply, ReplyError
from ginpeer.net.session import Session
from ginpeer.net.throttle import RateLimited
from ginpeer.net.waiting import Reminder
from ginpeer.store import Journal, Peer
from protocol.crypto.identity import fingerprint, fingerprint_of_hash

BURST, RATE = 10, 1 / 30
"""Who was turned away: told at once, and after those each second."""

PAUSE = 60.0
"""Seconds after which those who were only counted are told of."""


_NOBODY_YET = (1, 5, 20)
"""Minutes after which a host hears again what its friend has to type; then every hour."""


@dataclass(frozen=True, slots=True)
class Door:
    """How a host is to be reached. *listen*: where; None leaves it to us. *advertise*: what the
    invite names before our own addresses. *tor*: an onion address is to lead here as well.
    *mapping*: the routers are asked to let a friend in. *stun*: whom to ask for our public
    address. *friend*: who is waited for, and nobody else. *club*: the tables at which the bot plays
    whoever comes."""

    listen: Address | None = None
    advertise: tuple[Address, ...] = ()
    tor: bool = False
    mapping: bool = True
    friend: Peer | None = None
    stun: Stun = NOBODY
    club: Club | None = None


def wait_for_guest(match: OneMatch, door: Door) -> None:
    """Open the door and say where it is. Raises Failure."""
    address, advertise = door.listen, door.advertise
    if match.only is not None:
        expected = frozenset({match.only.notes.peer})
        match.open_stored(match.only.notes.peer)
    elif door.friend is not None:
        expected = frozenset({door.friend.key})
        match.open_stored(door.friend.key)
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
            nobody_else=match.only is not None or door.friend is not None,
            club=door.club,
            turned_away=_knocks(match),
        )
    except (ListenError, InviteError) as error:
        raise Failure(error.code, error.sentence, USAGE) from error
    match.ending.try_again = lambda: None  # the door stays open, and the guest is expected
    match.whereabouts = lambda: whereabouts(listening.places)
    search = Search(match, listening)
    match.found_at = lambda addresses: search.look(match.other.at_its_own(addresses))
    match.pasted, match.goes_on = search.meet, search.goes_on
    if door.friend is not None:
        search.look(places_of(door.friend))
    elif match.only is not None:
        search.look(_guests_places(match))
    invitation = Invitation(
        match, door, listening, lambda early: _announce(match, door, listening, early=early)
    )
    search.same_port = lambda: invitation.same_port
    match.ending.give_up = invitation.stop
    if match.only is None:

        def wait_on() -> None:
            match.keeper.begin_anew()
            listening.wait_on()
            invitation.print()

        match.ending.wait_on = wait_on
    invitation.begin()


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


class Search:
    """Where the guest may be, which is dialled until it comes, and again when it is lost."""

    def __init__(self, match: OneMatch, listening: Listening) -> None:
        self._match = match
        self._listening = listening
        self._known: tuple[Address, ...] = ()
        self._broken = BrokenReply()
        self.same_port: Callable[[], bool | None] = lambda: None
        """Whether our router keeps one port for every connection, if that is known."""

    def meet(self, text: str) -> None:
        """The guest's reply, or a line of it: dial it. Raises ReplyError."""
        if is_invite(text):
            raise ReplyError("invite-here", self._about_invite(text))
        reply = self._broken.take(text)
        self._known = self._listening.meet(reply)
        key = fingerprint_of_hash(reply.guest)
        self._match.voice.dialling(", ".join(map(str, self._known)), key)
        missing = no_address_in(
            invite=any(map(leads_elsewhere, self._listening.addresses)),
            reply=any(map(leads_elsewhere, self._known)),
        )
        if missing is not None:
            self._match.voice.info(missing)
        self._match.reactor.callLater(STUCK, self._stuck)

    def goes_on(self, text: str) -> bool:
        """Whether this line is more of a reply that was begun."""
        return self._broken.goes_on(text)

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
        if not (self._listening.seated or self._match.ending.is_over):
            self._match.voice.info(stuck_host(self.same_port()))


def _announce(match: OneMatch, door: Door, listening: Listening, *, early: bool) -> None:
    """Print the invite and what our player should know about it. *early*: a better one may
    follow."""
    only_home = early and not any(place.from_outside for place in listening.places)
    match.console.print(f"invite: {listening.invite}", whole=True)
    if only_home:
        match.voice.info(HOME_ONLY_YET)
    if door.listen is None and listening.port != DEFAULT_PORT:
        match.voice.info(
            f"Another program has port {DEFAULT_PORT}, so this game waits at port "
            f"{listening.port}. Where a router forwards a port to you, it has to be this one."
        )
    if door.club is not None:
        door.club.greet()
    match.voice.begin_waiting(
        listening.places,
        fingerprint(match.identity.public),
        again=match.only is not None and accepted(match.only),
        port=listening.port if door.advertise else None,
        friend="" if door.club is not None or only_home else _for_friend(match, door.friend),
    )
    if door.club is None:
        _tell_who_is_expected(match, door)
    if door.friend is not None:
        _remind(match, listening, door.friend)


def _remind(match: OneMatch, listening: Listening, friend: Peer) -> None:
    """Two who both host wait for each other, and nothing tells them but this."""

    def say(minutes: int) -> None:
        if match.ending.is_over:
            reminder.stop()
        else:
            match.voice.info(nobody_yet(friend_name(friend), match.name, minutes, match.command))

    def came(session: Session) -> Session:
        reminder.stop()
        return session

    reminder = Reminder(match.reactor, _NOBODY_YET, say)
    reminder.begin()
    listening.arrival.addCallback(came)


def _for_friend(match: OneMatch, friend: Peer | None) -> str | None:
    """What a friend who alone is waited for has to type."""
    if friend is None:
        return None
    return (
        f"Waiting for {friend_name(friend)} alone, who types: ginpeer join and what you are called "
        f"there, {in_marks(match.name)} perhaps. Only if that leads nowhere, send the invite."
    )


def _tell_who_is_expected(match: OneMatch, door: Door) -> None:
    """Who needs no invite: a friend who was named, or with whom a match is unfinished."""
    if match.only is None and door.friend is None:
        with own_faults():
            waiting = match.keeper.waited_for()
            played = match.keeper.played_with()
        if played is not None and not practised(played):
            match.voice.info(has_just_ended(played, match.names, match.command))
        for stored in waiting:
            if practised(stored):  # the bot comes to nobody's door
                continue
            if Journal.is_in_use(stored.match.path):
                match.voice.info(played_elsewhere(stored, match.names))
            else:
                match.voice.info(still_unfinished(stored, match.names, match.command))


def _knocks(match: OneMatch) -> Callable[[TurnedAway], None]:
    """Return what tells our player about guests that were refused: a friend who came too late or
    for the end of an old match, and all the others if our player asked for that (-v)."""

    def one(stranger: TurnedAway) -> None:
        if stranger.code == END_GIVEN and stranger.key is not None:
            match.voice.info(end_given(match.other.name_of(stranger.key)))
            return
        if stranger.has_invite:
            name = match.other.name("The")
            match.voice.info(kept_out(stranger, name, time.localtime(), match.command))
            return
        met = stranger.key is not None and match.other.has_met(stranger.key)
        match.voice.info(turned_away(stranger, time.localtime(), met=met))

    def more(count: int) -> None:
        match.voice.info(more_turned_away(count, time.localtime()))

    knocks = RateLimited(match.reactor, BURST, RATE, PAUSE, each=one, rest=more)

    def come(stranger: TurnedAway) -> None:
        if match.verbose or stranger.has_invite or stranger.code == END_GIVEN:
            knocks.come(stranger)

    return come
