"""`ginpeer link`: share the scores of a partnership's two tables while they play.

Exit statuses:

0   either side left
1   the logs from the other table failed verification
2   wrong usage: an invite or an address that can't be used
4   the friend couldn't be reached
70  a fault of this machine; or another link is running in this home
141 nobody reads our output any more

Rule 1: a link reads no input. So only a failed write, or a check from time to time, shows that
        its terminal or its reader is gone; then the link ends.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace

from cli.commands.home_and_files import known_names, open_home, store_failures
from cli.commands.match_options import advertised, listen_address
from cli.match.identity import own_identity
from cli.match.joining import Route, remembered_route
from cli.match.linking import TableLink
from cli.match.process import Process
from cli.program import failures_of
from cli.terminal.console import is_terminal
from cli.terminal.output import print_lines
from cli.text.connecting import like_last_time
from ginpeer.net.address import Address
from ginpeer.net.codes import InviteError, parse_invite
from ginpeer.net.tcp import ListenError
from ginpeer.store.partnership_files import forget_standing, only_link
from protocol.crypto.identity import key_hash

GOODBYE = 1.0
"""The most seconds to spend on a goodbye, which needn't arrive. While the other side judges a long
log, sending the goodbye could otherwise take as long as closing a connection may."""

LOOK = 2.0  # seconds between two checks that the terminal still exists


def run_link(args: Namespace) -> int:
    home = open_home(args.home)
    with failures_of(InviteError):
        invite = parse_invite(" ".join(args.invite)) if args.invite else None
    route = Route()
    if invite is not None:  # hide again from a friend from whom our player has hidden (route.py)
        with store_failures():
            known = home.known_peers(time.time).all()
        friend = next((peer for peer in known if key_hash(peer.key) == invite.host), None)
        route, addresses = remembered_route(
            route, friend, invite.addresses, direct=False, otherwise="The link was not opened."
        )
        invite = replace(invite, addresses=addresses)
    identity = own_identity(home)
    team = None if args.team is None else args.team.split(",")
    run = _Run()
    link = run.link = TableLink(
        home,
        identity,
        run.process.reactor,
        known=known_names(args.home),
        scoring={"team": team, "tedesco": args.tedesco, "target": args.target},
        tell=run.tell,
        ended=run.end,
        caught=run.process.heed,
    )

    def begin() -> None:
        if invite is None:
            _print_invites(link, args, run.tell)
        run.begin()
        if route.again:
            run.tell(like_last_time(route.again))
        if invite is not None:
            link.add_end().connect(invite, route.through)
        forget_standing(home)

    with store_failures(), only_link(home):
        run.process.run(begin, run)
    if run.broken is not None and not run.at_terminal:
        raise run.broken
    return run.status or 0


def _print_invites(link: TableLink, args: Namespace, tell: Callable[..., None]) -> None:
    """Listen on a separate port for each friend, and print the invites."""
    first, invites = listen_address(args.listen), []
    for at in range(args.friends):
        where = Address(first.host, first.port + at) if first and first.port else first
        advertise = advertised(args.advertise, where)
        with failures_of(ListenError, InviteError):
            invites.append(link.add_end().listen(where, advertise))
    for each in invites:
        tell(f"invite: {each}", whole=True)
    tell(
        "Send it to a player at the other table. They type ginpeer link and the invite."
        if len(invites) == 1
        else "Send one of these to each friend. They type ginpeer link and the invite.",
        "At your table, both of you type tally on. To see the score, type tally. Ctrl-C ends the "
        "link.",
    )


class _Run:
    link: TableLink

    def __init__(self) -> None:
        self.status: int | None = None  # until the link ends
        self.at_terminal = is_terminal(sys.stdout)
        self.broken: OSError | ValueError | None = None
        """Why output can't be written any more; None while it can."""
        self.process = Process()
        self.has_left = False  # whether our player has left or wants to

    def begin(self) -> None:
        self.link.begin()
        if self.at_terminal:
            self.process.reactor.callLater(LOOK, self._look)

    def _look(self) -> None:
        """Stop once the terminal is gone. Some terminals send no signal when they close."""
        if not is_terminal(sys.stdout):
            self.stop()
        else:
            self.process.reactor.callLater(LOOK, self._look)

    def tell(self, *lines: str, whole: bool = False) -> None:
        """Print lines. If that fails, end the link, in a later turn of the event loop."""
        if self.broken is not None:
            return
        try:
            print_lines(*lines, whole=whole, flush=True)
        except (OSError, ValueError) as error:  # ValueError: the stream was closed
            self.broken = error
            self.process.reactor.callLater(0, self.stop)

    def stop(self) -> None:
        """Leave; when asked a second time, end at once."""
        self.link.stop()
        if self.has_left or not self.link.connected:
            self.end(0)
        else:
            self.process.reactor.callLater(GOODBYE, self.end, 0)
        self.has_left = True

    interrupt = leave = hang_up = stop

    def end(self, status: int) -> None:
        """End the run without waiting for anything."""
        self.has_left = True
        if self.status is None:  # closing also ends other sessions, and each reports a status
            self.status = status
        self.link.close()
        self.process.stop()
