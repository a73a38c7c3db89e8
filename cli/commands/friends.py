"""`ginpeer friends`: list, rename or forget the friends of this home."""

from __future__ import annotations

import re
import sys
import time
from argparse import Namespace
from difflib import get_close_matches

from cli.commands.home_and_files import open_home, store_failures
from cli.match.identity import usable_name
from cli.program import Failure, own_command
from cli.terminal.output import print_lines
from cli.text.match_list import friend_line, friend_name
from ginpeer.names import safe_quote
from ginpeer.net.codes import is_invite, is_reply
from ginpeer.store import KnownPeers, Peer
from protocol.messages import Malformed

_LIKE_AN_INVITE = re.compile(r"\s*(invite:\s*)?gin[1-9]-?[a-z2-7]{8}", re.IGNORECASE)
"""Matches text that was meant as an invite of any version, even if part of it is missing."""


def run_friends(args: Namespace) -> int:
    known = open_home(args.home).known_peers(time.time)
    command = own_command(args.home)
    with store_failures():
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
    """Return the only friend whose name this is, or whose fingerprint begins with it. *command*:
    the command that starts this program. Raises Failure, StoreError."""
    found = known.find(text)
    if not found:
        raise Failure(
            "friend-unknown",
            _advice_on_code(text, command)
            or f"You have no friend called {safe_quote(text, 60)}; {command} friends lists your "
            f"friends.{similar_friend(known, text)}",
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
    """Ask whether a friend with this first name, or else the nearest name, was meant. It's only a
    question, because friends choose their own names: whoever calls themselves "Ben B" must not be
    let in as Ben. Raises StoreError."""
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
    with store_failures():
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
