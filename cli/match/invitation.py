"""The host's invite: whom to ask for a way in that it can name, and when to print it.

# Rule 1: an invite that works only on the home network is of no use to a friend elsewhere. So it
# waits until the routers, the STUN servers and Tor have answered, if they are asked.
# Rule 2: it doesn't wait for ever. After LONGEST seconds it is printed, and our player is told that
# it works only on the home network. If our player has a question to answer first, it waits longer.
# Rule 3: an address that is found later makes another invite, until the friend has come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cli.match.one_match import OneMatch
from cli.match.onion import offer_onion
from cli.match.public_address import PublicAddress, is_of_use
from cli.match.routers import Routers, can_be_mapped
from cli.text.connecting import outside_line
from ginpeer.net.address import Address
from ginpeer.net.host import Listening
from ginpeer.net.interfaces import Timer
from ginpeer.net.invite import Invite
from ginpeer.net.mapping.outcome import Outcome
from ginpeer.net.own_addresses import Reach

if TYPE_CHECKING:
    from cli.match.hosting import Door

LONGEST = 20.0
"""Seconds for the routers, which take at most 8, and then for the STUN servers."""

SHORT = 0.9
"""Seconds for them if the invite already works outside the home network."""

LONGEST_FOR_TOR = 90.0
"""Seconds after which the onion address is nearly always known."""

_ROUTERS, _STUN, _TOR = "routers", "stun", "tor"


class Invitation:
    """Asks routers, servers and Tor for a way in, and prints the invite."""

    def __init__(
        self,
        match: OneMatch,
        door: Door,
        listening: Listening,
        show: Callable[[bool], None],
    ) -> None:
        """*show* prints the invite for the first time; its argument is whether answers are still
        missing."""
        self._match = match
        self._listening = listening
        self._show = show
        self._tor = door.tor
        self._tells_reach = door.listen is None
        self._refused: Outcome | None = None  # what the routers have said, if it was no
        self._missing: set[str] = set()
        self._printed: Invite | None = None
        self._timer: Timer | None = None
        self._asks_routers = door.mapping and can_be_mapped(listening.places)
        self._public = PublicAddress(
            match,
            door.stun,
            routers=self._asks_routers,
            needed=lambda: not listening.seated,
            changed=self._moved,
        )
        self._routers = Routers(match, listening, self._routers_answered, self.again)

    @property
    def same_port(self) -> bool | None:
        """Whether our router keeps one port for every connection, if that is known."""
        return self._public.same_port

    def begin(self) -> None:
        """Ask them all. Raises Failure if our own files can't be used."""
        asked = ((_ROUTERS, self._asks_routers), (_STUN, self._public.may_ask), (_TOR, self._tor))
        self._missing = {name for name, whether in asked if whether}
        self._match.arrives = self._public.arrives
        if self._tor:
            offer_onion(self._match, self._listening, self._tor_answered)
        if self._public.may_ask:
            of_use = is_of_use(self._listening.places)
            asking = self._listening.ask(lambda port: self._public.ask(port, of_use=of_use))
            asking.addCallbacks(self._found, lambda _: self._done(_STUN))
        if self._asks_routers:
            self._routers.ask()
            # A router that has restarted has forgotten us.
            self._match.ending.try_again = self._routers.look_again
        if self._tor:
            self._wait(LONGEST_FOR_TOR)
        elif self._missing:
            leads = {Reach.GIVEN, Reach.OUTSIDE} & {each.reach for each in self._listening.places}
            self._wait(SHORT if leads else LONGEST)
        else:
            self.print()
            self._settle()

    def print(self) -> None:
        """Print the invite, unless it has been printed."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if self._printed is None and not self._match.ending.is_over:
            self._printed = self._listening.invite
            self._show(bool(self._missing))

    def again(self, why: str) -> None:
        """Print it again if it has changed and the friend has not come. *why*: sentences that say
        what is new."""
        invite = self._listening.invite
        if self._printed in (None, invite) or self._listening.arrival.called:
            return
        self._printed = invite
        self._match.voice.info(f"{why} Send it instead of the one above:")
        self._match.console.print(f"invite: {invite}", whole=True)

    def stop(self) -> Any:
        """Stop asking, and close the port. Returns a Deferred."""
        self._public.close()
        return self._listening.stop()

    # -----------------------------------------------------------------------------------

    def _wait(self, seconds: float) -> None:
        def too_long() -> None:
            if self._public.asks_player:
                self._wait(seconds)
            else:
                self.print()

        self._timer = self._match.reactor.callLater(seconds, too_long)

    def _done(self, *names: str) -> None:
        """Note that these have answered, or no longer need to."""
        if self._missing:
            self._missing.difference_update(names)
            if not self._missing:
                self.print()
                self._settle()

    def _settle(self) -> None:
        """Everybody has answered: say what a friend elsewhere needs."""
        listening, why = self._listening, self._refused
        line = outside_line(listening.places, listening.port)
        if line is not None and (self._tells_reach or self._asks_routers or self._public.may_ask):
            told = line if why is None else f"{why.sentence} {line} ({why.code})"
            self._match.voice.info(told)

    def _routers_answered(self, refused: Outcome | None) -> None:
        self._refused = refused
        self._public.router(opened=refused is None)
        self._done(_ROUTERS)

    def _found(self, address: Address) -> None:
        """Add the address where the outside sees us, and stop waiting for the routers."""
        self._listening.add_closed(address)
        self._done(_ROUTERS, _STUN)
        self.again(
            f"The Internet sees this machine at {address}. This invite includes that address."
        )

    def _moved(self, old: Address, new: Address) -> None:
        self._listening.drop(old)
        self._listening.add_closed(new)
        self.again(
            f"The Internet now sees this machine at {new}. This invite includes the new address."
        )

    def _tor_answered(self, up: bool) -> None:
        self._done(_TOR)
        if up:
            self.again("This invite includes your onion address.")
