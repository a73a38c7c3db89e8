"""`ginpeer link`: share the scores of a partnership's two tables while they play.

Exit statuses:

0   either side left
1   the logs from the other table failed verification
2   wrong usage: an invite or an address that can't be used
4   the friend couldn't be reached, or the connection ended for another reason
70  a fault of this machine, such as a closed standard output; or another link is running in this
    home
141 nobody reads our output any more
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from dataclasses import replace

from cli.commands.home_and_files import known_names, open_home
from cli.commands.match_options import advertised, listen_address
from cli.match.identity import own_identity
from cli.match.joining import Route, remembered_route
from cli.match.linking import TableLink
from cli.match.process import Process
from cli.program import Failure, failures_of
from cli.text.connecting import like_last_time
from ginpeer.net.address import LAST_PORT, Address
from ginpeer.net.codes import InviteError, parse_invite
from ginpeer.net.tcp import ListenError
from ginpeer.store import StoreError
from ginpeer.store.partnership_files import forget_standing, only_link
from protocol.crypto.identity import key_hash


def run_link(args: Namespace) -> int:
    if sys.stdout is None:
        raise Failure("no-output", "ginpeer can't link here: its standard output is closed.")
    home = open_home(args.home)
    with failures_of(InviteError):
        invite = parse_invite(" ".join(args.invite)) if args.invite else None
    first = listen_address(args.listen)
    if first is not None and first.port + args.friends - 1 > LAST_PORT:
        raise Failure(
            "usage",
            f"{args.friends} friends need {args.friends} ports, but there aren't that many from "
            f"{first.port} up.",
        )
    route = Route()
    if invite is not None:  # hide from this friend again if our player has done so before
        with failures_of(StoreError):
            known = home.known_peers(time.time).all()
        friend = next((peer for peer in known if key_hash(peer.key) == invite.host), None)
        route, addresses = remembered_route(
            route, friend, invite.addresses, direct=False, otherwise="The link was not opened."
        )
        invite = replace(invite, addresses=addresses)
    identity = own_identity(home)
    team = None if args.team is None else args.team.split(",")
    link = TableLink(
        home,
        identity,
        known_names(args.home),
        Process(),
        team=team,
        tedesco=args.tedesco,
        target=args.target,
    )

    def begin() -> None:
        if invite is None:
            _print_invites(link, args, first)
        link.begin()
        if route.again:
            link.tell(like_last_time(route.again))
        if invite is not None:
            link.add_end().connect(invite, route.through)
        forget_standing(home)

    with failures_of(StoreError), only_link(home):
        link.process.run(begin, link)
    if link.broken is not None and not link.at_terminal:
        raise link.broken
    return link.status or 0


def _print_invites(link: TableLink, args: Namespace, first: Address | None) -> None:
    invites = []
    for at in range(args.friends):
        where = Address(first.host, first.port + at) if first and first.port else first
        advertise = advertised(args.advertise, where)
        with failures_of(ListenError, InviteError):
            invites.append(link.add_end().listen(where, advertise))
    for each in invites:
        link.tell(f"invite: {each}", whole=True)
    link.tell(
        "Send it to a player at the other table. They type ginpeer link and the invite."
        if len(invites) == 1
        else "Send one of these to each friend. They type ginpeer link and the invite.",
        "At your table, both of you type tally on. To see the score, type tally. Ctrl-C ends the "
        "link.",
    )
