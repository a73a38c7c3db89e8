"""`ginpeer friends`: list, rename or forget the friends of this home."""

from __future__ import annotations

import re
import sys
import time
from argparse import Namespace

from cli.commands.home_and_files import open_home, store_failures
from cli.failure import Failure
from cli.match.identity import usable_name
from cli.program import own_command
from cli.terminal.output import print_lines
from cli.text.players import friend_line, friend_name
from ginpeer.names.quoting import safe_quote
from ginpeer.net.codes import is_invite, is_reply
from ginpeer.store import KnownPeers, Peer
from protocol.messages import Malformed

_LIKE_AN_INVITE = re.compile(r"\s*(invite:\s*)?gin[1-9]-?[a-z2-7]{8}", re.IGNORECASE)
"""Text that was meant as an invite of any version, even if part of it is missing."""


def run_friends(args: Namespace) -> int:
    """List the friends, most recently met first; or rename or forget one. Raises Failure."""
    known = open_home(args.home).known_peers(time.time)
    command = own_command(args.home)
    with store_failures():
        if args.rename is not None:
            name, new = args.rename
            _rename(known, find_friend(known, name, command), new)
        elif args.forget is not None:
            friend = find_friend(known, args.forget, command)
            known.forget(friend.key)
            print_lines(f"{friend_name(friend)} is forgotten. Your matches with this key are kept.")
            if friend.hidden:
                print_lines(
                    "Forgotten is, too, that this friend was not to learn where you are: name the "
                    "way with --through when you go on with a match."
                )
        else:
            friends = known.all()
            if not friends:
                print_lines("You have met nobody yet. Whoever you play with is remembered here.")
            for friend in friends:
                print_lines(friend_line(friend))
    return 0


def find_friend(known: KnownPeers, text: str, command: str) -> Peer:
    """Return the only friend with this name, or whose fingerprint begins with it. *command*: the
    command that starts this program. Raises Failure, StoreError."""
    found = known.found(text)
    if not found:
        raise Failure(
            "friend-unknown",
            _looks_like_code(text, command)
            or f"You have met nobody called {safe_quote(text, 60)}; {command} friends lists whom "
            "you have met.",
        )
    if len(found) > 1:
        print_lines(*map(friend_line, found), stream=sys.stderr)
        raise Failure(
            "several-friends",
            f"{safe_quote(text, 60)} may be each of these. Say which by the first letters of its "
            f"fingerprint; {command} friends --rename gives it another name.",
        )
    return found[0]


def _looks_like_code(text: str, command: str) -> str | None:
    """Return a message if an invite or a reply was typed instead of a name; None otherwise."""
    if is_invite(text) or _LIKE_AN_INVITE.match(text):
        return (
            "Here the name of a friend is needed, and this is an invite. If your friend sent it, "
            f"your friend hosts, and you type {command} join and the invite; if it is your own, "
            "give it to your friend."
        )
    if is_reply(text):
        return (
            f"Here the name of a friend is needed, and this is a reply. Type {command} host alone, "
            "and send the invite that it shows; a reply to that one is pasted where it waits."
        )
    return None


def friend_named(home: str | None, text: str) -> Peer:
    """Return the only friend of this home that *text* can mean. Raises Failure."""
    with store_failures():
        known = open_home(home).known_peers(time.time)
        return find_friend(known, text, own_command(home))


def _rename(known: KnownPeers, friend: Peer, new: str) -> None:
    try:
        new = usable_name(new) if new.strip() else ""
    except Malformed as error:
        raise Failure(
            "name-unusable", f"{safe_quote(new, 60)} cannot be a name: {error}."
        ) from None
    others = [peer for peer in known.found(new) if peer.key != friend.key] if new else []
    if others:
        raise Failure("name-taken", f"Another key is called {safe_quote(new, 60)} already.")
    known.rename(friend.key, new)
    print_lines(
        f"{friend_name(friend)} is now called {friend_name(known.peer(friend.key) or friend)}."
    )
