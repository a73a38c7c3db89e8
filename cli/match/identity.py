"""Our own key and name. Every command gets the key from here."""

from __future__ import annotations

import getpass
import os
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from cli.program import OUR_FAULT, Failure, failures_of, own_command
from cli.terminal.output import print_lines
from cli.terminal.questions import (
    FILE_VARIABLE,
    ask_passphrase,
    asked_lines,
    can_ask,
    discard_typed,
    with_retries,
)
from ginpeer.names import KnownNames, is_fingerprint
from ginpeer.referee.transitions import RefusedEntry
from ginpeer.seat.seat import SeedLost
from ginpeer.store import Home, KnownPeers, StoreError, UnreadableLog
from ginpeer.store.small_files import change_settings, read_settings
from protocol.crypto.group import NoConstantTimeGroup
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
    """Return the given name, or else the saved name, the login name, or "player", in that order.
    Raises Failure if the given name can't be used."""
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
        print_lines(
            f"Others see you as {name}. To change that later, run {command} id --name NAME",
            "If you use a screen reader, type words on at the table.",
        )
        return name
    raise KeyboardInterrupt


def _unusable(why: Malformed) -> str:
    return f"You can't use that name: {why}."


def usable_name(text: str) -> str:
    """Return the canonical form of a name for ourselves or for a friend. Raises Malformed."""
    if is_fingerprint(text):
        raise Malformed("it looks like a key's fingerprint")
    return clean_name(text)


def known_names(own: IdentityKey, known: KnownPeers | None) -> KnownNames:
    """Return our player's names for others. *known*: None for a program, which uses the names in
    the log."""
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
