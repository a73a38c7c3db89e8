"""`ginpeer id`: our name and key, and a passphrase for the key."""

from __future__ import annotations

import os
from argparse import Namespace

from cli.commands.home_and_files import open_home, store_failures
from cli.match.identity import own_identity, player_name
from cli.program import Failure
from cli.terminal.output import print_lines
from cli.terminal.questions import ask_new_passphrase
from ginpeer.names import safe
from ginpeer.store import Home
from ginpeer.store.small_files import change_settings
from protocol.crypto.identity import IdentityKey, fingerprint


def run_id(args: Namespace) -> int:
    home = open_home(args.home)
    if args.protect:
        return _protect(home)
    if args.unprotect:
        return _unprotect(home)
    name = player_name(home, args.name)
    public = own_identity(home).public
    with store_failures():
        if args.name is not None:
            change_settings(home.path, name=name)
        needed = "needed" if home.identity_file.is_sealed() else "none"
    print_lines(
        f"Name: {name}",
        f"Fingerprint: {fingerprint(public)}",
        f"Public key: {public.hex()}",
        f"Passphrase: {needed}",
        # The real path: Python from the Microsoft Store redirects the usual one to its own folder.
        f"Home: {safe(os.path.realpath(home.path))}",
        whole=True,
    )
    return 0


def _protect(home: Home) -> int:
    """Add or change the passphrase. A key created now is never on the disk without it."""
    file = home.identity_file
    with store_failures():
        sealed = file.is_sealed()
        if sealed is None:
            key, new = IdentityKey.generate(os.urandom), ask_new_passphrase(os.environ)
            home.hide_from_git()
            if file.create(key, new, os.urandom):
                created = f"Your key has been created. Its fingerprint: {fingerprint(key.public)}"
                print_lines(created, _NEEDED, _BESIDE)
                return 0
        key = own_identity(home)
        new = ask_new_passphrase(None if sealed else os.environ)
        file.replace(key, new, os.urandom)
    print_lines(_NEEDED, *([] if sealed else [_BEFORE]), _BESIDE)
    return 0


_NEEDED = (
    "From now on, you need the passphrase to start a match and to show your key. "
    "If you forget it, nobody can recover it."
)
_BEFORE = (
    "Until now the key was on this disk without a passphrase. Deleted files can often be "
    "recovered, and your backups may still contain it."
)
_BESIDE = (
    "The passphrase doesn't protect your matches: anyone who can read the files beside the key "
    "sees the cards you held."
)


def _unprotect(home: Home) -> int:
    file = home.identity_file
    with store_failures():
        if not file.is_sealed():
            raise Failure("not-protected", "Your key has no passphrase.")
        file.replace(own_identity(home), None, os.urandom)
    path = safe(str(file.path))
    print_lines(
        f"Your key no longer has a passphrase: anyone who can read {path} can play as you.",
        kept=[path],
    )
    return 0
