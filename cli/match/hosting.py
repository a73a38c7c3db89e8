"""A host begins: it listens, prints the invite, and plays with who comes.

# Rule 1: strangers may come by the thousand, and the host is playing: a few who were turned away
# are told at once, then one every while, and the rest are counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cli.failure import USAGE, Failure
from cli.match.club import Club
from cli.match.one_match import OneMatch, own_faults
from cli.match.onion import offer_onion
from cli.match.practice import practised
from cli.match.routers import Routers, can_be_mapped
from cli.match.way_back import places_of
from cli.words.friend_list import called
from cli.words.places import (
    STUCK_HOST,
    YOUR_OWN_INVITE,
    invite_to_a_host,
    nobody_yet,
    outside_line,
)
from cli.words.put_aside import has_just_ended, played_elsewhere, still_unfinished
from cli.words.turned_away import end_given, kept_out, more_turned_away, turned_away
from ginpeer.keeper import accepted
from ginpeer.names.shown import in_marks
from ginpeer.net.address import DEFAULT_PORT, Address
from ginpeer.net.crossing import ASKING, STUCK
from ginpeer.net.hall import TurnedAway
from ginpeer.net.host import Listening, listen
from ginpeer.net.host_connection import END_GIVEN
from ginpeer.net.invite import SECRET_BYTES, InviteError, is_invite
from ginpeer.net.listening_port import ListenError
from ginpeer.net.outside_address import ask_stun
from ginpeer.net.own_addresses import whereabouts
from ginpeer.net.packed import MAX_ADDRESSES
from ginpeer.net.pasted_code import same_letters
from ginpeer.net.reply import BrokenReply, ReplyError
from ginpeer.net.session import Session
from ginpeer.net.stun import StunError
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
    *mapping*: the routers are asked to let a friend in. *stun*: whom to ask for our address from
    outside. *friend*: who is waited for, and nobody else. *club*: the tables at which the bot plays
    whoever comes."""

    listen: Address | None = None
    advertise: tuple[Address, ...] = ()
    tor: bool = False
    mapping: bool = True
    friend: Peer | None = None
    stun: Address | None = None
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
    match.ending.give_up = listening.stop
    match.ending.try_again = lambda: None  # the door stays open, and the guest is expected
    match.whereabouts = lambda: whereabouts(listening.places)
    if match.only is None:

        def wait_on() -> None:
            match.keeper.begin_anew()
            listening.wait_on()

        match.ending.wait_on = wait_on
    search = Search(match, listening)
    match.found_at = lambda addresses: search.look(match.other.at_its_own(addresses))
    match.pasted, match.goes_on = search.meet, search.goes_on
    if door.friend is not None:
        search.look(places_of(door.friend))
    elif match.only is not None:
        search.look(_guests_places(match))
    routers = door.mapping and can_be_mapped(listening.places)
    waiting = Announcement(lambda: _announce(match, door, listening), routers + bool(door.stun))
    if routers:
        asking = Routers(match, listening, waiting.ready)
        asking.ask()
        match.ending.try_again = asking.look_again  # a router that has restarted has forgotten us
    if door.stun is not None:
        _ask(match, listening, door.stun, waiting)
    if not routers:
        alone = outside_line(listening.places, listening.port) if address is None else None
        if alone is not None:
            waiting.then(lambda: match.voice.info(alone))


def _guests_places(match: OneMatch) -> tuple[Address, ...]:
    """Where the guest of the match that is resumed may be, unless our player hides from it. It may
    still look for us where we no longer are."""
    if match.only is None:
        return ()
    notes = match.only.notes
    with own_faults():
        guest = match.home.known_peers(time.time).peer(notes.peer)
    hides = guest is None or guest.hidden
    return () if hides else places_of(guest, notes.addresses)


class Announcement:
    """What is said once: when all who were asked have answered, or a moment later."""

    def __init__(self, say: Callable[[], None], asked: int) -> None:
        """*asked*: how many will say ``ready``; said at once where nobody was asked."""
        self.made = False
        self._say = say
        self._asked = asked
        self._behind: list[Callable[[], None]] = []
        if not asked:
            self.make()

    def ready(self) -> None:
        """One of those who were asked has answered, or takes too long."""
        self._asked -= 1
        if self._asked <= 0:
            self.make()

    def make(self) -> None:
        """Say it, if it has not been said."""
        if not self.made:
            self.made = True
            self._say()
            for say in self._behind:
                say()

    def then(self, say: Callable[[], None]) -> None:
        """Say that behind it."""
        if self.made:
            say()
        else:
            self._behind.append(say)


def _ask(match: OneMatch, listening: Listening, stun: Address, waiting: Announcement) -> None:
    """Have the invite name our address from outside; an answer after a second makes another."""
    match.voice.info(asking_stun(stun))
    asking = listening.ask(ask_stun(match.reactor, match.reactor, os.urandom, stun))
    late = match.reactor.callLater(ASKING, waiting.ready)

    def give_up() -> object:
        asking.cancel()
        return listening.stop()

    def answered(address: Address) -> None:
        before = listening.invite
        invite = listening.add(address)
        if waiting.made and invite != before:
            match.console.print(f"invite: {invite}", whole=True)
            match.voice.info(
                f"From outside this machine is {address}. The invite now leads there, too: if your "
                "friend has not used the other one yet, send this one instead."
            )

    def failed(failure: Any) -> None:
        if isinstance(failure.value, StunError) and not match.ending.is_over:
            match.voice.info(failure.value.sentence)

    def done(_: object) -> None:
        if late.active():
            late.cancel()
            if not match.ending.is_over:
                waiting.ready()

    match.ending.give_up = give_up
    asking.addCallbacks(answered, failed)
    asking.addCallback(done)


def asking_stun(server: Address) -> str:
    """Whom we ask, and what for."""
    return f"Asking {server} by which address the outside sees this machine."


class Search:
    """Where the guest may be, which is dialled until it comes, and again when it is lost."""

    def __init__(self, match: OneMatch, listening: Listening) -> None:
        self._match = match
        self._listening = listening
        self._known: tuple[Address, ...] = ()
        self._broken = BrokenReply()

    def meet(self, text: str) -> None:
        """The guest's reply, or a line of it: dial it. Raises ReplyError."""
        if is_invite(text):
            raise ReplyError("invite-here", self._about_invite(text))
        reply = self._broken.take(text)
        self._known = self._listening.meet(reply)
        key = fingerprint_of_hash(reply.guest)
        self._match.voice.dialling(", ".join(map(str, self._known)), key)
        self._match.reactor.callLater(STUCK, self._stuck)

    def goes_on(self, text: str) -> bool:
        """Whether this line is more of a reply that was begun."""
        return self._broken.goes_on(text)

    def _about_invite(self, text: str) -> str:
        own = same_letters(str(self._listening.invite)) in same_letters(text)
        return YOUR_OWN_INVITE if own else invite_to_a_host(self._match.command)

    def look(self, addresses: tuple[Address, ...]) -> None:
        """Dial there as well, but never ourselves."""
        own = self._listening.addresses
        new = (each for each in addresses if each not in own and self._listening.may_dial(each))
        both = tuple(dict.fromkeys((*new, *self._known)))[:MAX_ADDRESSES]
        if set(both) != set(self._known):
            self._known = both
            self._listening.dial(both)

    def _stuck(self) -> None:
        if not (self._listening.seated or self._match.ending.is_over):
            self._match.voice.info(STUCK_HOST)


def _announce(match: OneMatch, door: Door, listening: Listening) -> None:
    """Print the invite and what is to be known of it."""
    match.console.print(f"invite: {listening.invite}", whole=True)
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
        friend=_for_friend(match, door.friend) if door.club is None else "",
    )
    if door.club is None:
        _tell_who_is_expected(match, door)
    if door.tor:
        offer_onion(match, listening)
    if door.friend is not None:
        _remind(match, listening, door.friend)


def _remind(match: OneMatch, listening: Listening, friend: Peer) -> None:
    """Two who both host wait for each other, and nothing tells them but this."""

    def say(minutes: int) -> None:
        if match.ending.is_over:
            reminder.stop()
        else:
            match.voice.info(nobody_yet(called(friend), match.name, minutes, match.command))

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
        f"Waiting for {called(friend)} alone, who types: ginpeer join and what you are called "
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
    """Tells of those who come to the door and are not let in: a friend who came too late, or for
    the end of an old match, and all of them if our player asked for it (-v)."""

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
