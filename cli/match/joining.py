"""A guest begins: it goes to its host, and comes back when it is lost."""

from __future__ import annotations

from cli.match.one_match import OneMatch, own_faults
from ginpeer.net.address import DEFAULT_PORT
from ginpeer.net.dialler import Dialler
from ginpeer.net.invite import Invite
from ginpeer.net.own_addresses import own_places, whereabouts
from ginpeer.net.reconnecting import Reconnecting
from ginpeer.net.socks_messages import Proxy
from protocol.crypto.identity import fingerprint_of_hash

_NEW_INVITE = "If the host sends a new invite, type quit, and then ginpeer join and the invite."


def go_to_host(
    match: OneMatch, invite: Invite, through: Proxy | None, *, persistent: bool = False
) -> None:
    """Go to the host that the invite names. *through*: the proxy that everything goes through, if
    one was named; *persistent*: until the host is there. Raises Failure."""
    with own_faults():
        host = match.keeper.key_of(invite.host)
    if host is not None:
        match.open_stored(host)
    if through is None:  # who goes through a proxy does not tell where it is
        match.whereabouts = lambda: whereabouts(own_places("::", DEFAULT_PORT))
    keeper, ending, voice = match.keeper, match.ending, match.voice
    connection = Reconnecting(
        match.reactor,
        invite,
        match.side(),
        persistent=persistent,
        seated=lambda: keeper.live is not None,
        agreed=lambda: keeper.live is not None and keeper.live.agreed(),
        over=lambda: ending.is_over,
        not_there=lambda: voice.info(
            f"The host is not there yet; trying again until you type quit. {_NEW_INVITE}"
        ),
        not_let_in=lambda code, sentence: voice.info(
            f"{sentence} The match is kept, and this table waits on. {_NEW_INVITE}"
        ),
        failed=ending.no_way,
        dialler=Dialler(through),
    )
    voice.begin_joining(", ".join(map(str, invite.addresses)), fingerprint_of_hash(invite.host))
    ending.try_again = connection.later
    ending.give_up = connection.give_up
    connection.go()
