"""Ask Tor for an onion address that leads to a host.

Rule 1: if Tor makes no onion address, our player is told, and the host continues to wait.
Rule 2: if Tor has proven that it is Tor, the home keeps the key of the onion address, so that the
address is the same next time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from cli.failure import Failure
from cli.match.one_match import OneMatch
from cli.match.sitting import own_faults
from ginpeer.names import safe
from ginpeer.net.acceptor import Acceptor
from ginpeer.net.tcp import local_address
from ginpeer.net.tor import OnionService
from ginpeer.net.tor_control import TorError
from ginpeer.store.errors import StoreError
from ginpeer.store.network_files import OnionKeyFile, read_cookie

PASSWORD_VARIABLE = "GINPEER_TOR_PASSWORD_FILE"  # noqa: S105 - names a variable
"""The environment variable that names the file with the password of Tor's control port, if any."""

_MAX_PASSWORD = 1024


def offer_onion(match: OneMatch, listening: Acceptor, answered: Callable[[bool], None]) -> None:
    """Ask Tor for an onion address that leads here. *answered* is called with True once the invite
    contains it, or with False if Tor fails. Raises Failure if our own files can't be used."""
    from twisted.internet.defer import Deferred

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
        except StoreError as error:  # without the key, the address will be different next time
            presenter.info(f"{error.sentence} ({error.code})")

    async def offer() -> bool:
        try:
            address = await service.begin()
        except TorError as error:
            if error.code != "tor-stopped":
                presenter.info(f"{error.sentence} The invite has no onion address. ({error.code})")
            return False
        listening.add(address)
        if not listening.arrival.called:  # the friend hasn't come another way meanwhile
            presenter.info(
                "Your friend can connect through Tor, whatever routers are between you. Tor is "
                "slower, and your friend needs it too."
            )
            if not lasts:
                presenter.info(
                    "This onion address works only this time: any program can control your Tor, "
                    "so ginpeer doesn't keep the key. To get a lasting address, add "
                    "CookieAuthentication 1 to Tor's torrc."
                )
        return True

    service = OnionService(
        match.reactor,
        local_address(listening.listening_port),
        rng=os.urandom,
        read_cookie=read_cookie,
        key=key,
        keep_key=keep,
        password=_password(os.environ),
        lost=lambda error: presenter.info(
            f"{error.sentence} Friends can no longer connect through Tor. To let them in again, "
            f"{match.way_to_leave} and start again. ({error.code})"
        ),
    )
    presenter.info(
        "Asking Tor to let your friend connect. Your invite follows within a minute or so."
    )
    match.reactor.addSystemEventTrigger("before", "shutdown", service.stop)
    Deferred.fromCoroutine(offer()).addCallback(answered)


def _password(environ: Mapping[str, str]) -> bytes | None:
    """Return the control port's password, if PASSWORD_VARIABLE is set. Raises Failure."""
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
            f"{PASSWORD_VARIABLE} must name a readable one-line file; {safe(named, 200)} isn't "
            "one.",
        ) from None
    return data.removesuffix(b"\n").removesuffix(b"\r")
