"""Our own key, which every command gets from here, and our name.

A sitting: the home, key, settings, screen and event loop that our player's matches share.

Randomness, clock and reactor enter the program here.
"""

from __future__ import annotations

import getpass
import os
import re
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from cli.match.bot_player import own_bot
from cli.match.process import Process
from cli.program import OUR_FAULT, Failure, failures_of, own_command, version
from cli.table.person_presenter import PersonPresenter
from cli.table.presenter import Presenter, ProgramPresenter
from cli.terminal.console import Console
from cli.terminal.output import print_lines
from cli.terminal.questions import (
    FILE_VARIABLE,
    ask_passphrase,
    asked_lines,
    can_ask,
    discard_typed,
    with_retries,
)
from cli.text.cards import style_for
from ginpeer.match_store import TableKeeper
from ginpeer.names import KnownNames, is_fingerprint
from ginpeer.net.interfaces import PlayerPort
from ginpeer.net.session import Session, Side
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.seat.seat import SeedLost
from ginpeer.store import Home, KnownPeers, StoreError, UnreadableLog
from ginpeer.store.small_files import change_settings, read_settings
from protocol.crypto.group import NoConstantTimeGroup, require_constant_time
from protocol.crypto.identity import IdentityKey
from protocol.messages import Malformed, clean_name


def own_identity(home: Home) -> IdentityKey:
    """Return our key, creating it the first time. Ask for its passphrase if it has one, and warn if
    other users of this machine could read the key. Raises Failure."""

    def opened() -> IdentityKey:
        with failures_of(StoreError):
            return home.identity(os.urandom, ask_passphrase)

    key = opened() if os.environ.get(FILE_VARIABLE) else with_retries(opened)
    for sentence in home.identity_file.access_warnings():
        print_lines(f"ginpeer: {sentence}", stream=sys.stderr)
    return key


def player_name(home: Home, given: str | None = None) -> str:
    """Return the name that is given, or else the saved one, or the login name. Raises Failure."""
    if given is not None:
        try:
            return usable_name(given)
        except Malformed as error:
            raise Failure("bad-name", _unusable(error)) from error
    kept = read_settings(home.path).name
    if kept:
        return kept
    try:
        return usable_name(getpass.getuser())
    except (Malformed, KeyError, OSError, ImportError):
        return "player"


_COMMAND = re.compile(r"\s*ginpeer\s+[a-z]")
_INVITE = re.compile(r"\bgin[1-9]-", re.IGNORECASE)


def ask_name_once(args: Namespace) -> None:
    """At the first start at a terminal, ask our player for their name, as if they had typed --name.
    Raises Failure, KeyboardInterrupt."""
    with failures_of(StoreError):
        home = Home.locate(args.home, os.environ)
    named = args.name is not None or read_settings(home.path).name
    if not named and can_ask() and not getattr(args, "bot", False):
        args.name = ask_own_name(home, own_command(args.home))


_ANSWERS = frozenset({"y", "yes", "n", "no", "ok", "?", "help"})
"""Answers that aren't accepted as a name here, although --name accepts them."""


def ask_own_name(home: Home, command: str) -> str:
    """Ask a person for their name, save it, and return it. Raises KeyboardInterrupt."""
    login = player_name(home)
    for line in asked_lines(lambda: f"What should others call you? [{login}]> "):
        if _INVITE.search(line):
            discard_typed()  # the rest of an invite that takes several lines
            print_lines("That is an invite. Type your name first, and then the invite.")
            continue
        if line.strip().casefold() in ("quit", "q"):
            break
        if line.strip().casefold() in _ANSWERS or _COMMAND.match(line):
            print_lines(f"Type a name, or press Enter for {login}.")
            continue
        try:
            name = usable_name(line) if line.strip() else login
        except Malformed as error:
            print_lines(_unusable(error))
            continue
        with suppress(StoreError):  # on failure, the answer counts only this time
            change_settings(home.path, name=name)
        print_lines(f"Others see you as {name}. To change that later, run {command} id --name NAME")
        return name
    raise KeyboardInterrupt


def _unusable(why: Malformed) -> str:
    return f"You can't use that name: {why}."


def usable_name(text: str) -> str:
    """Return the canonical form of a name for ourselves or for a friend. Raises Malformed."""
    if is_fingerprint(text):
        raise Malformed("it looks like a key's fingerprint")
    return clean_name(text)


# --- sitting ---------------------------------------------------------------


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
        self.home.remember()
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
