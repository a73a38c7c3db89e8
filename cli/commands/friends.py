"""`ginpeer friends` lists, renames or forgets the friends stored in this home. `ginpeer id` shows
our name and key, and protects the key with a passphrase."""

from __future__ import annotations

import os
import re
import sys
import time
from argparse import Namespace
from difflib import get_close_matches

from cli.commands.home_and_files import open_home
from cli.match.identity import own_identity, player_name, usable_name
from cli.program import Failure, failures_of, own_command
from cli.terminal.output import print_lines
from cli.terminal.questions import ask_new_passphrase
from cli.text.match_list import friend_line, friend_name
from ginpeer.names import safe, safe_quote
from ginpeer.net.codes import is_invite, is_reply
from ginpeer.store import Home, KnownPeers, Peer, StoreError
from ginpeer.store.small_files import change_settings
from protocol.crypto.identity import IdentityKey, fingerprint
from protocol.messages import Malformed

_LIKE_AN_INVITE = re.compile(r"\s*(invite:\s*)?gin[1-9]-?[a-z2-7]{8}", re.IGNORECASE)
"""Matches text that was meant as an invite of any version, even if part of it is missing."""


def run_friends(args: Namespace) -> int:
    known = open_home(args.home).known_peers(time.time)
    command = own_command(args.home)
    with failures_of(StoreError):
        if args.rename is not None:
            name, new = args.rename
            _rename(known, find_friend(known, name, command), new)
        elif args.forget is not None:
            friend = find_friend(known, args.forget, command)
            known.forget(friend.key)
            print_lines(
                f"{friend_name(friend)} has been forgotten. Your matches with this friend are kept."
            )
            if friend.hidden:
                print_lines(
                    "ginpeer also forgot that you hid your address from this friend. To keep it "
                    "hidden, add --through when you continue a match."
                )
        else:
            friends = known.all()
            if not friends:
                print_lines("You haven't met anybody yet. Everybody you play is listed here.")
            print_lines(*map(friend_line, friends))
    return 0


def find_friend(known: KnownPeers, text: str, command: str) -> Peer:
    """Return the one friend whose name is *text*, or whose fingerprint begins with it. *command*:
    the command that starts this program. Raises Failure, StoreError."""
    found = known.find(text)
    if not found:
        raise Failure(
            "friend-unknown",
            _advice_on_code(text, command)
            or f"You have no friend called {safe_quote(text, 60)}. To see your friends, run "
            f"{command} friends.{similar_friend(known, text)}",
        )
    if len(found) > 1:
        print_lines(*map(friend_line, found), stream=sys.stderr)
        raise Failure(
            "several-friends",
            f"{safe_quote(text, 60)} could be any of these. Type the first letters of the "
            f"fingerprint instead; {command} friends --rename changes a name.",
        )
    return found[0]


def similar_friend(known: KnownPeers, text: str) -> str:
    """Return " Did you mean NAME?" for a friend with this first name, or else with the most similar
    name; "" if there is none. It's only a question, because friends choose their own names: whoever
    calls themselves "Ben B" must not be let in as Ben. Raises StoreError."""
    typed = " ".join(text.casefold().split())
    names = {friend.called.casefold(): friend.called for friend in reversed(known.all())}
    first = [name for name in reversed(names) if typed and name.startswith(f"{typed} ")]
    near = first[:1] or get_close_matches(typed, names, n=1)
    return f" Did you mean {safe_quote(names[near[0]])}?" if near else ""


def _advice_on_code(text: str, command: str) -> str | None:
    if is_invite(text) or _LIKE_AN_INVITE.match(text):
        return (
            "This is an invite, not a friend's name. If your friend sent it, type "
            f"{command} join and the invite. If it is your own, send it to your friend."
        )
    if is_reply(text):
        return (
            f"This is a reply, not a friend's name. Type {command} host and send your friend the "
            "invite that it shows. If they send you a reply to that invite, paste it there."
        )
    return None


def friend_named(home: str | None, text: str) -> Peer:
    with failures_of(StoreError):
        known = open_home(home).known_peers(time.time)
        return find_friend(known, text, own_command(home))


def _rename(known: KnownPeers, friend: Peer, new: str) -> None:
    try:
        new = usable_name(new) if new.strip() else ""
    except Malformed as error:
        raise Failure("name-unusable", f"{safe_quote(new, 60)} can't be a name: {error}.") from None
    others = [peer for peer in known.find(new) if peer.key != friend.key] if new else []
    if others:
        raise Failure("name-taken", f"You already have a friend called {safe_quote(new, 60)}.")
    known.rename(friend.key, new)
    print_lines(
        f"{friend_name(friend)} is now called {friend_name(known.peer(friend.key) or friend)}."
    )


# --- our name and key (id) -------------------------------------------------------------


def run_id(args: Namespace) -> int:
    home = open_home(args.home)
    if args.protect:
        return _protect(home)
    if args.unprotect:
        return _unprotect(home)
    name = player_name(home, args.name)
    public = own_identity(home).public
    with failures_of(StoreError):
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
    """Add or change the passphrase. If there is no key yet, create an encrypted one."""
    file = home.identity_file
    with failures_of(StoreError):
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
    with failures_of(StoreError):
        if not file.is_sealed():
            raise Failure("not-protected", "Your key has no passphrase.")
        file.replace(own_identity(home), None, os.urandom)
    path = safe(str(file.path))
    print_lines(
        f"Your key no longer has a passphrase: anyone who can read {path} can play as you.",
        kept=[path],
    )
    return 0
