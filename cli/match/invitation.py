"""The host's invite: asks routers, STUN servers and Tor for addresses, and prints the invite.

# Rule 1: an invite that works only on the home network is of no use to a friend elsewhere. So it
# waits until the routers, the STUN servers and Tor have answered, if they are asked.
# Rule 2: it doesn't wait for ever. After LONGEST seconds it is printed, and our player is told that
# it works only on the home network. If our player has a question to answer first, it waits longer.
# Rule 3: an address that is found later makes another invite, until the friend has come.
# Rule 4: if Tor makes no onion address, our player is told, and the host continues to wait. If Tor
# has proven that it is Tor, the address is the same the next time: its key is in the home.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cli.failure import USAGE, Failure
from cli.match.one_match import OneMatch
from cli.match.public_address import NOBODY, PublicAddressLookup, StunPolicy, is_of_use
from cli.match.routers import HostRouters, can_be_mapped
from cli.match.sitting import own_faults
from cli.text.connecting import outside_line
from ginpeer.names.quoting import safe
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.address import Address
from ginpeer.net.codes import Invite
from ginpeer.net.interfaces import Timer, cancel
from ginpeer.net.mapping.results import MappingResult
from ginpeer.net.own_addresses import Reach
from ginpeer.net.tor import OnionService
from ginpeer.net.tor_control import TorError
from ginpeer.store import Peer
from ginpeer.store.errors import StoreError
from ginpeer.store.network_files import OnionKeyFile, read_cookie

LONGEST = 20.0
"""Seconds for the routers, which take at most 8, and then for the STUN servers."""

SHORT = 0.9
"""Seconds for them if the invite already works outside the home network."""

LONGEST_FOR_TOR = 90.0
"""Seconds within which the onion address is nearly always known."""

PASSWORD_VARIABLE = "GINPEER_TOR_PASSWORD_FILE"  # noqa: S105 - the name of a file's name
"""The environment variable that names the file with the password of Tor's control port, if any."""

_MAX_PASSWORD = 1024

_ROUTERS, _STUN, _TOR = "routers", "stun", "tor"


@dataclass(frozen=True, slots=True)
class HostOptions:
    """How a host is to be reached. *listen*: where; None leaves it to us. *advertise*: what the
    invite names before our own addresses. *tor*: an onion address is to lead here as well.
    *mapping*: the routers are asked to let a friend in. *stun*: whom to ask for our public
    address. *friend*: who is waited for, and nobody else. *hides*: what is noted of the guest, by
    which way it does not learn where we are; empty: it may; None: nothing is noted."""

    listen: Address | None = None
    advertise: tuple[Address, ...] = ()
    tor: bool = False
    mapping: bool = True
    friend: Peer | None = None
    stun: StunPolicy = NOBODY
    hides: str | None = None


class Invitation:
    """Asks routers, STUN servers and Tor for addresses, and prints the invite."""

    def __init__(
        self,
        match: OneMatch,
        options: HostOptions,
        listening: Acceptor,
        show: Callable[[bool], None],
    ) -> None:
        """*show* prints the invite for the first time; its argument is whether answers are still
        missing."""
        self._match = match
        self._listening = listening
        self._show = show
        self._tor = options.tor
        self._tells_reach = options.listen is None
        self._refused: MappingResult | None = None  # what the routers have said, if it was no
        self._missing: set[str] = set()
        self._printed: Invite | None = None
        self._timer: Timer | None = None
        self._asks_routers = options.mapping and can_be_mapped(listening.places)
        self._public = PublicAddressLookup(match, options.stun, self, routers=self._asks_routers)
        self._routers = HostRouters(match, listening, self)

    @property
    def same_port(self) -> bool | None:
        """Whether our router keeps one port for every connection, if that is known."""
        return self._public.same_port

    def begin(self) -> None:
        """Ask them all. Raises Failure if our own files can't be used."""
        asked = ((_ROUTERS, self._asks_routers), (_STUN, self._public.may_ask), (_TOR, self._tor))
        self._missing = {name for name, whether in asked if whether}
        if self._tor:
            offer_onion(self._match, self._listening, self._tor_answered)
        if self._public.may_ask:
            of_use = is_of_use(self._listening.places)
            asking = self._public.ask(self._listening.listening_port, of_use=of_use)
            asking.addCallbacks(self._found, lambda _: self._done(_STUN))
        if self._asks_routers:
            self._routers.ask()
        if self._tor:
            self._wait(LONGEST_FOR_TOR)
        elif self._missing:
            leads = {Reach.GIVEN, Reach.OUTSIDE} & {each.reach for each in self._listening.places}
            self._wait(SHORT if leads else LONGEST)
        else:
            self.print()
            self._settle()

    def check_routers(self) -> None:
        """Check that the routers still let a friend in; a restarted router may not."""
        if self._asks_routers:
            self._routers.look_again()

    def on_arrival(self) -> None:
        """Withdraw the question to our player: the friend has come."""
        self._public.arrives()

    def print(self) -> None:
        """Print the invite, unless it has been printed."""
        cancel(self._timer)
        if self._printed is None and not self._match.after.is_over:
            self._printed = self._listening.invite
            self._show(bool(self._missing))

    def again(self, why: str) -> None:
        """Print it again if it has changed and the friend has not come. *why*: sentences that say
        what is new."""
        invite = self._listening.invite
        if self._printed in (None, invite) or self._listening.arrival.called:
            return
        self._printed = invite
        self._match.presenter.info(f"{why} Send it instead of the one above:")
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
        """Say what a friend elsewhere needs: all answers are there."""
        listening, why = self._listening, self._refused
        line = outside_line(listening.places, listening.port)
        if line is not None and (self._tells_reach or self._asks_routers or self._public.may_ask):
            told = line if why is None else f"{why.sentence} {line} ({why.code})"
            self._match.presenter.info(told)

    # --- told by the routers and the public address lookup ---------------------------------

    def on_router_answer(self, refused: MappingResult | None) -> None:
        """Note that a router has opened our port, or why none has."""
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

    @property
    def needs_public_address(self) -> bool:
        """Whether a guest may still come."""
        return not self._listening.occupied

    def on_public_address_change(self, old: Address, new: Address) -> None:
        """Make another invite."""
        self._listening.drop(old)
        self._listening.add_closed(new)
        self.again(
            f"The Internet now sees this machine at {new}. This invite includes the new address."
        )

    def _tor_answered(self, up: bool) -> None:
        self._done(_TOR)
        if up:
            self.again("This invite includes your onion address.")


# --- Tor -----------------------------------------------------------------------------------


def offer_onion(match: OneMatch, listening: Acceptor, answered: Callable[[bool], None]) -> None:
    """Ask Tor for an onion address that leads here. *answered* is called with True when the invite
    names it, or with False if it fails. Raises Failure if our own files can't be used."""
    presenter = match.presenter
    file = OnionKeyFile(match.home.path)
    with own_faults():
        key = file.load()

    lasts = key is not None

    def keep(new: str) -> None:
        nonlocal lasts
        lasts = True
        try:
            file.keep(new)
        except StoreError as error:  # then the next address is another one
            presenter.info(f"{error.sentence} ({error.code})")

    def up(address: Address) -> None:
        listening.add(address)
        if not listening.arrival.called:  # else the friend has come by another way
            presenter.info(
                "Your friend can connect through Tor, whatever routers are between you. Tor is "
                "slower, and your friend needs it as well."
            )
            if not lasts:
                presenter.info(
                    "This onion address is for this time only: your Tor obeys every program, so "
                    "ginpeer keeps no key. To get an address that lasts, add "
                    "CookieAuthentication 1 to Tor's torrc."
                )
        answered(True)

    def failed(failure: Any) -> None:
        failure.trap(TorError)
        error = failure.value
        if error.code != "tor-stopped":
            presenter.info(
                f"{error.sentence} So there is no onion address; the invite is good without it. "
                f"({error.code})"
            )
        answered(False)

    service = OnionService(
        match.reactor,
        listening.local_address,
        rng=os.urandom,
        read_cookie=read_cookie,
        key=key,
        keep_key=keep,
        password=_password(os.environ),
        lost=lambda error: presenter.info(
            f"{error.sentence} Nobody comes through Tor any more. ({error.code})"
        ),
    )
    presenter.info(
        "Asking Tor to let your friend connect as well. Your invite follows within a minute or so."
    )
    match.reactor.addSystemEventTrigger("before", "shutdown", service.stop)
    service.begin().addCallbacks(up, failed)


def _password(environ: Mapping[str, str]) -> bytes | None:
    """Return the control port's password, if PASSWORD_VARIABLE names its file. Raises Failure."""
    named = environ.get(PASSWORD_VARIABLE)
    if not named:
        return None
    try:
        with open(named, "rb") as file:
            data = file.read(_MAX_PASSWORD + 1)
        if len(data) > _MAX_PASSWORD:
            raise ValueError
    except (OSError, ValueError):
        raise Failure(
            "usage",
            f"{PASSWORD_VARIABLE} names {safe(named, 200)}, which is no file of one line that can "
            "be read.",
            USAGE,
        ) from None
    return data.removesuffix(b"\n").removesuffix(b"\r")
