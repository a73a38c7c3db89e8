"""`ginpeer link`: show each other how two tables of one partnership stand, while they play.

Exit statuses
-------------
0   it was left, here or there
1   what came of the other table does not hold
2   wrong usage: an invite or an address that cannot be used
4   the friend was not reached
70  a fault of this machine; another link that runs in this home
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Callable
from functools import partial

from cli.commands.home_and_log import own_names, store_failures
from cli.commands.match_options import advertised, listen_address
from cli.failure import USAGE, Failure
from cli.match.ending import ENDED_EARLY
from cli.match.identity import own_identity
from cli.match.linking import Link, Teams
from cli.match.process import Process
from cli.terminal.lines import tell
from cli.version import version
from cli.words.own_command import command_for
from ginpeer.net.host import listen
from ginpeer.net.invite import SECRET_BYTES, InviteError, parse_invite
from ginpeer.net.listening_port import ListenError
from ginpeer.net.reconnecting import Reconnecting
from ginpeer.store import Home
from ginpeer.store.told_standing import the_only_link

_tell = partial(tell, flush=True)


def run_link(args: Namespace) -> int:
    """Link this home's table with another one until one of both leaves; the exit status. Raises
    Failure."""
    with store_failures():
        home = Home.locate(args.home, os.environ)
    identity = own_identity(home)
    run = _Run(args, home)
    link = run.link = Link(
        home,
        identity,
        run.process.reactor,
        now=time.time,
        known=own_names(args.home),
        teams=Teams(None if args.team is None else args.team.split(","), args.tedesco, args.target),
        software=f"ginpeer {version()}",
        tell=_tell,
    )
    link.ended = run.end
    begin = run.join if args.invite else run.host
    with store_failures(), the_only_link(home):
        run.process.run(begin, interrupt=run.stop, leave=run.stop, hang_up=run.stop)
    return run.status


class _Run:
    """One run of the program: how it begins, and how it ends."""

    link: Link

    def __init__(self, args: Namespace, home: Home) -> None:
        self.status = 0
        self.process = Process(lambda: self.end(70))
        self._args = args
        self._command = command_for(args.home, os.environ)
        self._over = False
        self._give_up: Callable[[], object] = lambda: None

    def host(self) -> None:
        """Wait for the friend. Raises Failure."""
        where = listen_address(self._args.listen)
        try:
            listening = listen(
                self.process.reactor,
                self.link.side(joins=False),
                os.urandom(SECRET_BYTES),
                address=where,
                advertise=advertised(self._args.advertise, where),
            )
        except (ListenError, InviteError) as error:
            raise Failure(error.code, error.sentence, USAGE) from error

        self._give_up = listening.stop
        tell(f"invite: {listening.invite}", whole=True, flush=True)
        _tell(
            "Send that to a player of the other table, who types ginpeer link and the invite. At "
            "your table both of you type tally on, and tally to hear how it stands. Ctrl-C ends "
            "the link."
        )
        self.link.begin()

    def join(self) -> None:
        """Go to the friend. Raises Failure."""
        try:
            invite = parse_invite(" ".join(self._args.invite))
        except InviteError as error:
            raise Failure(error.code, error.sentence, USAGE) from error
        way = Reconnecting(
            self.process.reactor,
            invite,
            self.link.side(joins=True),
            persistent=False,
            seated=lambda: self.link.met,
            agreed=lambda: self.link.met,
            over=lambda: self._over,
            not_there=lambda: None,
            not_let_in=lambda code, sentence: _tell(sentence),
            failed=self._failed,
        )
        self.link.again, self._give_up = way.later, way.give_up
        self.link.begin()
        way.go()

    def _failed(self, code: str, sentence: str) -> None:
        _tell(f"{sentence} ({code})")
        self.end(ENDED_EARLY)

    def stop(self) -> None:
        """The player wants to leave; the second time, at once."""
        session = self.link.session
        gone = session is None or session.done.called
        self.link.stop()
        if gone or self._over:
            self.end(0)
        self._over = True

    def end(self, status: int) -> None:
        """Nothing is to be waited for."""
        self._over = True
        self.status = status
        self._give_up()
        self.link.stop()
        self.process.stop()
