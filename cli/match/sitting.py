"""A sitting: the home, key, settings, screen and event loop that our player's matches share.

Randomness, clock and reactor enter the program here.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from cli.failure import OUR_FAULT, Failure
from cli.match.bot_player import own_bot
from cli.match.identity import own_identity, player_name
from cli.match.process import Process
from cli.program import own_command, version
from cli.table.person_presenter import PersonPresenter
from cli.table.presenter import Presenter, ProgramPresenter
from cli.terminal.console import Console
from cli.text.cards import style_for
from ginpeer.match_store import TableKeeper
from ginpeer.names import KnownNames
from ginpeer.net.interfaces import PlayerPort
from ginpeer.net.session import Session, Side
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.seat.seat import SeedLost
from ginpeer.store import Home, KnownPeers, StoreError, UnreadableLog
from ginpeer.store.settings import change_settings, read_settings
from protocol.crypto.group import NoConstantTimeGroup, require_constant_time
from protocol.crypto.identity import IdentityKey


class Sitting:
    """What all matches of one run of the program share. ``known`` stores the opponents that we have
    met; None in practice, where there is nobody to remember. ``bot``: whether the bot plays for our
    player. ``plays``: chooses the bot's moves; None: as well as it can."""

    def __init__(self, args: Namespace, *, practice: bool = False) -> None:
        """*practice*: whether the opponent is the bot in our own process. Raises Failure."""
        self.plays = None if practice else own_bot(args)
        self.bot = bool(getattr(args, "bot", False))
        self.verbose = bool(getattr(args, "verbose", False))
        with own_faults():
            require_constant_time()
            self.home = Home.locate(args.home, os.environ)
        self.home.remember(version(), time.time)
        self.name = player_name(self.home, args.name)
        with own_faults():
            self.identity = own_identity(self.home)
        self.command = own_command(args.home)
        self.settings = read_settings(self.home.path)
        self.process = Process()
        self.reactor = self.process.reactor
        if sys.stdout is None:
            raise Failure("no-output", "ginpeer can't play here: its standard output is closed.")
        self.console = Console(sys.stdin, sys.stdout, self.reactor.callFromThread)
        self.known = None if practice else self.home.known_peers(time.time)
        self.names = known_names(self.identity, self.known if self.console.interactive else None)
        self.presenter = self._presenter()

    def _presenter(self) -> Presenter:
        if not self.console.interactive:
            return ProgramPresenter(self.console)
        settings = self.settings
        return PersonPresenter(
            self.console,
            replace(style_for(sys.stdout), words=settings.words, four=settings.four_colours),
            listens=not self.bot,
            command=self.command,
            known=self.names,
            settings=settings,
        )

    @property
    def asks(self) -> bool:
        return self.console.interactive and not self.bot

    def keep(self, **what: bool | int | str | None) -> None:
        """Save settings for next time: what our player typed, switched on or off, or reached."""
        try:
            change_settings(self.home.path, **what)
        except StoreError as error:  # unfortunate, but it still counts this time
            self.presenter.info(f"{error.sentence} ({error.code})")

    def side_of(
        self,
        keeper: TableKeeper,
        player_for: Callable[[Session], PlayerPort],
        *,
        bot: bool,
        identity: IdentityKey | None = None,
    ) -> Side:
        """Return one side of a connection. *identity*: a key to use instead of our own."""
        return Side(
            identity=identity or self.identity,
            software=f"ginpeer {version()}",
            seat_for=keeper.seat_for,
            player_for=player_for,
            journal=keeper,
            position_for=keeper.position_for,
            bot=bot,
            debug=debugs(),
            caught=self.process.heed,
        )


def known_names(own: IdentityKey, known: KnownPeers | None) -> KnownNames:
    """Return our player's names for others. *known*: None for a program, which uses the log's."""
    with suppress(StoreError):  # reported later, when the other player's name is known
        if known is not None:
            return KnownNames(own.public, known.peer_names())
    return KnownNames(own.public)


@contextmanager
def own_faults() -> Iterator[None]:
    try:
        yield
    except (StoreError, UnreadableLog, SeedLost, RefusedEntry, NoConstantTimeGroup) as error:
        raise Failure(error.code, str(error), OUR_FAULT) from error


def debugs() -> bool:
    return bool(os.environ.get("GINPEER_DEBUG"))
