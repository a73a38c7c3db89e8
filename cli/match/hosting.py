"""A host waits for its guest, and plays one match after another.

From `ginpeer host` (cli/commands/play.py, which starts the reactor with OneMatch.run) to the
second match of an evening:

1. `open_port` listens. HostContact asks routers, STUN servers and Tor how the guest can connect,
   prints the invite, and dials the guest if that may help.
2. A guest connects. The Acceptor (ginpeer.net) checks its hello and admits it, which begins a
   session. The session asks OneMatch.begin_session for our player, which wakes `host_match`. Then
   it asks OneMatch.seat_for for our seat, in a stored match or in a new one, which it offers.
3. The two play until the seat closes a finished match, a player leaves, or the connection is
   lost. host_match gets the reason, `what_follows` decides what comes next, and Aftermath tells
   our player.
4. If both players stay after a finished match, the guest's program connects again, because each
   match has a connection of its own: step 2. This time, a person is asked for the rules before
   the seat offers (Series.ask_before); a program repeats its offer at once.
5. If the connection is lost, the port stays open and Absence counts the time. A guest that comes
   back continues at step 2 with the same seat, and the logs are compared. When patience runs out,
   our player reads the closing message, and `sessions.next()` returns None.

An invite that works only on the home network is of no use to a friend elsewhere. So it isn't
printed until the routers, the STUN servers and Tor have answered, if they are asked, or until
LONGEST seconds have passed, plus the time that our player takes to answer a question. If an address
is found later, a new invite is printed, unless the friend is connected.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cli.match.club import Club
from cli.match.contact import Contact, friend_addresses
from cli.match.identity import own_faults
from cli.match.one_match import OneMatch
from cli.match.series import Next
from cli.match.ways_in import (
    NOBODY,
    ROUTERS,
    STUN,
    TOR,
    HostRouters,
    PublicAddressLookup,
    StunConsent,
    StunPolicy,
    can_be_mapped,
    is_public_address_useful,
    offer_onion,
)
from cli.program import failures_of
from cli.text.connecting import (
    more_turned_away,
    no_address_in,
    only_nearby,
    outside_line,
    stuck,
    turned_away,
)
from cli.text.grammar import duration
from cli.text.match_list import friend_name
from cli.text.shelved_match import has_just_ended, opponent, played_elsewhere, still_unfinished
from ginpeer.names import safe_quote
from ginpeer.net.acceptor import END_GIVEN, Acceptor
from ginpeer.net.address import DEFAULT_PORT, MAX_ADDRESSES, Address
from ginpeer.net.codes import (
    SECRET_BYTES,
    Invite,
    InviteError,
    PartialReply,
    ReplyError,
    bare_letters,
    is_invite,
)
from ginpeer.net.hole_punch import STUCK
from ginpeer.net.interfaces import Timer, cancel
from ginpeer.net.limits import RateLimited, RejectedConnection
from ginpeer.net.mapping.results import MappingResult
from ginpeer.net.own_addresses import (
    Reach,
    is_loopback,
    is_reachable_from_outside,
    lasting_addresses,
)
from ginpeer.net.session import Session
from ginpeer.net.tcp import EVERYWHERE, ListenError, address_of
from ginpeer.net.timing import Reminder
from ginpeer.store import Journal, MatchNotes, Peer
from protocol.crypto.identity import fingerprint, fingerprint_of_hash

LONGEST = 20.0
"""Seconds to wait for the routers, which take at most 8, and then for the STUN servers."""

SHORT = 0.9  # seconds to wait if the invite already works outside the home network
LONGEST_FOR_TOR = 90.0  # seconds to wait for Tor, which nearly always has an onion address by then

_NOBODY_YET = (1, 5, 20)
"""Minutes after which a host is reminded of what its friend has to type; then every hour."""


BURST, RATE = 10, 1 / 30
"""How many refused guests our player is told about at once, and how many per second after that."""

PAUSE = 60.0  # seconds until our player is told how many more were refused


@dataclass(frozen=True, slots=True)
class HostOptions:
    """How a host can be reached. *listen*: the address to listen on; None lets us choose.
    *listens_again*: *listen* is from last time, not typed now; if its port is taken, we choose
    another. *advertise*: addresses that come first in the invite. *friend*: the only player to wait
    for. *hides*: see Contact."""

    listen: Address | None = None
    listens_again: bool = False
    advertise: tuple[Address, ...] = ()
    tor: bool = False
    mapping: bool = True
    friend: Peer | None = None
    stun: StunPolicy = NOBODY
    hides: str | None = None

    @property
    def usual_port(self) -> int | None:
        """The port that we choose if it is free; None if the typed one is the only choice."""
        if self.listen is None:
            return DEFAULT_PORT
        return self.listen.port or None if self.listens_again else None


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
                contact.await_friend()
                contact.ask_routers_again()
            case Next.NEXT_MATCH:
                match.after.finish_match(closed)
                contact.ask_routers_again()
            case Next.END:
                match.after.say_last_word(closed)
                break
    contact.stop()


async def host_club(match: OneMatch, options: HostOptions, club: Club) -> None:
    """Let the bot play everybody who joins, until our player closes the club. Raises Failure."""
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
    """Return a callback that tells our player about refused guests: always about those who have the
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


# --- how the guest finds us ---------------------------------------------------------------


class HostContact(Contact):
    """Asks routers, STUN servers and Tor how the guest can connect, prints the invite and, if the
    guest's addresses are known, dials the guest until it is connected."""

    takes_replies = True

    def __init__(
        self, match: OneMatch, listening: Acceptor, options: HostOptions, club: Club | None = None
    ) -> None:
        self.hides = options.hides
        self._match = match
        self._listening = listening
        self._options = options
        self._club = club
        self._known: tuple[Address, ...] = ()  # addresses at which the guest may be
        self._reply = PartialReply()  # the part that has been pasted so far
        self._refused: MappingResult | None = None  # why the routers refused, if they did
        self._missing: set[str] = set()  # which of routers, STUN and Tor haven't answered yet
        self._printed: Invite | None = None
        self._has_come = False  # whether the friend is here, so that nobody needs the invite
        self._has_settled = False
        self._timer: Timer | None = None
        self._asks_routers = options.mapping and can_be_mapped(listening.reachable_addresses)
        self._public = PublicAddressLookup(
            match, _useful_stun(match, options.stun, listening), self, routers=self._asks_routers
        )
        self._routers = HostRouters(match, listening, self)

    # --- called by the coroutine -------------------------------------------------------------

    def begin(self) -> None:
        """Dial the guest if we can, find ways to be reached, print the invite. Raises Failure."""
        if self._options.friend is not None:
            self.also_dial(friend_addresses(self._options.friend))
        elif self._match.only is not None:
            self.also_dial(_guest_addresses(self._match, self._match.only.notes))
        tor = self._options.tor
        asked = ((ROUTERS, self._asks_routers), (STUN, self._public.may_ask), (TOR, tor))
        self._missing = {name for name, whether in asked if whether}
        if tor:
            offer_onion(self._match, self._listening, self._tor_answered)
        if self._public.may_ask:
            useful = is_public_address_useful(self._listening.reachable_addresses)
            asking = self._public.ask(self._listening.listening_port, useful=useful)
            asking.addCallbacks(self._on_public_address, lambda _: self._done(STUN))
        if self._asks_routers:
            self._routers.ask()
        if tor:
            self._wait(LONGEST_FOR_TOR)
        elif self._missing:
            reaches = {each.reach for each in self._listening.reachable_addresses}
            self._wait(SHORT if reaches & {Reach.GIVEN, Reach.OUTSIDE} else LONGEST)
        elif self._printed is None:  # if the invite has been printed, all have answered
            self._print()
            self._settle()

    def wait_for_anyone(self) -> None:
        """Wait for a new guest, instead of the one who was just here."""
        self._match.keeper.expect_new_match()
        self._listening.reopen()
        self.await_friend()

    def await_friend(self) -> None:
        """Wait for the guest to come back. Print what was held back while the guest was here."""
        self._has_come = False
        self._print()
        self.reprint("ginpeer has found another way in.")
        self._settle()

    def ask_routers_again(self) -> None:
        """Renew the routers' leases after a lost connection, or before another match: a router that
        has restarted may have forgotten them."""
        if self._asks_routers:
            self._routers.look_again()

    # --- called by the match (Contact) -------------------------------------------------------

    def own_addresses(self) -> tuple[Address, ...]:
        return lasting_addresses(self._listening.reachable_addresses)

    def on_peer_addresses(self, addresses: tuple[Address, ...]) -> None:
        """Save the guest's own addresses among these, to dial them if the connection is lost."""
        self.also_dial(self._match.other.addresses_at_its_host(addresses))

    def invite_line(self) -> str | None:
        return None if self._printed is None or self._has_come else f"invite: {self._printed}"

    def on_arrival(self) -> None:
        self._has_come = True
        self._public.withdraw_question()

    def on_paste(self, text: str) -> None:
        """Dial the guest that sent this reply, once the reply is complete. Raises ReplyError."""
        if is_invite(text):
            own = bare_letters(str(self._listening.invite)) in bare_letters(text)
            raise ReplyError(
                "invite-here",
                "That is your own invite: give it to your friend, who types ginpeer join and the "
                "invite."
                if own
                else "That is an invite, and its sender is the host. To join, "
                f"{self._match.way_to_leave}, then type {self._match.command} join and the invite.",
            )
        reply = self._reply.take(text)
        self._known = self._listening.dial_guest(reply)
        key = fingerprint_of_hash(reply.guest)
        self._match.presenter.show_dialling(", ".join(map(str, self._known)), key)
        missing = no_address_in(
            invite=any(map(is_reachable_from_outside, self._listening.addresses)),
            reply=any(map(is_reachable_from_outside, self._known)),
        )
        if missing is not None:
            self._match.presenter.info(missing)
        self._match.reactor.callLater(STUCK, self._tell_stuck)

    def accepts_more(self, text: str) -> bool:
        return self._reply.accepts_more(text)

    def stop(self) -> None:
        self._public.close()
        self._listening.stop()

    # --- dialling the guest ------------------------------------------------------------------

    def also_dial(self, addresses: tuple[Address, ...]) -> None:
        own = self._listening.addresses
        new = (each for each in addresses if each not in own and self._listening.may_dial(each))
        both = tuple(dict.fromkeys((*new, *self._known)))[:MAX_ADDRESSES]
        if set(both) != set(self._known):
            self._known = both
            self._listening.dial(both)

    def _tell_stuck(self) -> None:
        listening = self._listening
        if not (listening.arrival.called or listening.occupied or self._match.after.is_over):
            begun = "Your friend hasn't connected yet. If you have pasted the latest reply"
            self._match.presenter.info(stuck(begun, self._public.same_port, hosts=True))

    # --- printing the invite -----------------------------------------------------------------

    def _print(self) -> None:
        cancel(self._timer)
        if self._printed is None and not (self._has_come or self._match.after.is_over):
            self._printed = self._listening.invite
            self._announce(bool(self._missing))

    def _announce(self, early: bool) -> None:
        """Print the invite. *early*: whether a better one may follow."""
        match, options, listening = self._match, self._options, self._listening
        only_home = early and not any(each.from_outside for each in listening.reachable_addresses)
        if match.only is not None:  # the guest needs no invite
            guest = opponent(match.only, match.names)
            match.presenter.await_guest(
                f"Waiting for {guest}, who has to type ginpeer resume if ginpeer isn't open there.",
                f"If {guest} can't connect, send them this invite for ginpeer join:",
                f"invite: {listening.invite}",
                listening.reachable_addresses,
                fingerprint(match.identity.public),
            )
            self._tell_other_port()
            return
        match.console.print(f"invite: {listening.invite}", whole=True)
        if only_home:
            match.presenter.info(
                f"{only_nearby(listening.reachable_addresses)} If your friend is elsewhere, wait: "
                "ginpeer prints another invite if it finds a way in."
            )
        self._tell_other_port()
        if self._club is not None:
            self._club.greet()
        friend = None if options.friend is None else friend_name(options.friend)
        told = None
        if self._club is not None or only_home:
            told = ""
        elif friend is not None:
            told = (
                f"Waiting for {friend}. Ask them to type ginpeer join and the name they know you "
                f"by, perhaps {safe_quote(match.name)}. If that fails, send the invite."
            )
        match.presenter.begin_waiting(
            listening.reachable_addresses,
            fingerprint(match.identity.public),
            port=listening.port if options.advertise else None,
            friend=told,
        )
        if friend is not None:
            _remind(match, listening.arrival, friend)
        elif self._club is None and match.keeper.live is None:  # else a guest has already come
            _tell_who_is_expected(match)

    def _tell_other_port(self) -> None:
        usual, port = self._options.usual_port, self._listening.port
        if usual not in (None, port):
            self._match.presenter.info(
                f"Another program is using port {usual}, so ginpeer is waiting on port {port}. If "
                "you have set your router to forward a port to this machine, change it to "
                f"{port}."
            )

    def reprint(self, why: str) -> None:
        """If the invite has a new address and the friend isn't connected, say *why* and print the
        invite again. An invite that has only lost addresses needn't be replaced."""
        invite, printed = self._listening.invite, self._printed
        if printed is None or self._has_come or {*invite.addresses} <= {*printed.addresses}:
            return
        self._printed = invite
        self._match.presenter.info(f"{why} Send this one instead:")
        self._match.console.print(f"invite: {invite}", whole=True)

    def _wait(self, seconds: float) -> None:
        def too_long() -> None:
            if self._public.asks_player:
                self._wait(seconds)
            else:
                self._print()

        self._timer = self._match.reactor.callLater(seconds, too_long)

    def _done(self, *names: str) -> None:
        """Note that the named sources have answered, or that we no longer wait for them."""
        if self._missing:
            self._missing.difference_update(names)
            if not self._missing:
                self._print()
                self._settle()

    def _settle(self) -> None:
        """Once all answers have arrived, say what a friend elsewhere needs in order to connect."""
        if self._missing or self._has_come or self._has_settled:
            return
        self._has_settled = True
        listening, why = self._listening, self._refused
        leave, asked = self._match.way_to_leave, self._public.may_ask
        line = outside_line(listening.reachable_addresses, listening.port, leave, asked=asked)
        if line is not None and (self._asks_routers or asked or self._options.listen is None):
            told = line if why is None else f"{why.sentence} {line} ({why.code})"
            self._match.presenter.info(told)

    # --- called by the routers and the public address lookup -------------------------------

    def on_router_answer(self, refused: MappingResult | None) -> None:
        self._refused = refused
        self._public.on_router_result(opened=refused is None)
        self._done(ROUTERS)

    def _on_public_address(self, address: Address) -> None:
        """Add our public address, and stop waiting for the routers."""
        self._listening.add(address, reach=Reach.CLOSED)
        self._done(ROUTERS, STUN)
        self.reprint(f"Your public address is {address}. This invite includes that address.")

    @property
    def needs_public_address(self) -> bool:
        return not self._listening.occupied

    def on_public_address_change(self, old: Address, new: Address) -> None:
        self._listening.drop(old, Reach.CLOSED)
        if new.host != old.host:  # a router may have named the old one, but won't take it back
            self._listening.drop_closed(old.host)
        self._listening.add(new, reach=Reach.CLOSED)
        self.ask_routers_again()  # their outside address may have changed as well
        self.reprint(f"Your public address is now {new}. This invite includes the new address.")

    def _tor_answered(self, up: bool) -> None:
        self._done(TOR)
        if up:
            self.reprint("This invite includes your onion address.")


def _useful_stun(match: OneMatch, stun: StunPolicy, listening: Acceptor) -> StunPolicy:
    """Return which STUN servers to ask: none if only this machine can reach our port. Our public
    address wouldn't lead here, and our player may be hiding it behind Tor."""
    if stun is NOBODY or not is_loopback(address_of(listening.listening_port.getHost())):
        return stun
    if stun.consent is StunConsent.ALWAYS:
        match.presenter.info("ginpeer is waiting only on this machine, so it asks no STUN server.")
    return NOBODY


def _guest_addresses(match: OneMatch, notes: MatchNotes) -> tuple[Address, ...]:
    """Return the addresses at which the guest of the resumed match may be; none if our player hides
    from this guest. The guest may still be dialling an address that we no longer have."""
    with own_faults():
        guest = match.home.known_peers(time.time).peer(notes.peer)
    hides = guest is None or guest.hidden
    return () if hides else friend_addresses(guest, notes.addresses)


def _remind(match: OneMatch, arrival: Any, friend: str) -> None:
    """Remind our player from time to time what the friend has to type. If both are hosting, they
    wait for each other, and nothing else tells them. *arrival*: the Deferred of the first
    session."""

    def say(minutes: int) -> None:
        if match.after.is_over:
            reminder.stop()
        else:
            match.presenter.info(
                f"Nobody has connected in {duration(minutes)}. Ask {friend} to type "
                f"ginpeer join and the name they know you by, perhaps {safe_quote(match.name)}. "
                "If your friend typed ginpeer host too, you are waiting for each other: "
                f"{match.way_to_leave}, then type {match.command} join and your friend's name."
            )

    def came(session: Session) -> Session:
        reminder.stop()
        return session

    reminder = Reminder(match.reactor, _NOBODY_YET, say)
    reminder.begin()
    arrival.addCallback(came)


def _tell_who_is_expected(match: OneMatch) -> None:
    """Tell our player which opponents don't need an invite, while anybody may come."""
    with own_faults():
        waiting = match.keeper.awaited_matches()
        played = match.keeper.played_with()
    if played is not None and not played.notes.is_practice:
        match.presenter.info(has_just_ended(played, match.names, match.command))
    for stored in waiting:
        if stored.notes.is_practice:  # the practice bot never connects
            continue
        if Journal.is_in_use(stored.match.path):
            match.presenter.info(played_elsewhere(stored, match.names))
        else:
            leave = match.way_to_leave
            match.presenter.info(still_unfinished(stored, match.names, match.command, leave))
