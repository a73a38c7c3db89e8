"""`ginpeer friends`: whom this home has met; what to call them; forgetting them."""

from __future__ import annotations

import time
from argparse import Namespace

from cli.commands.home_and_log import open_home, store_failures
from cli.failure import USAGE, Failure
from cli.terminal.lines import tell
from cli.words.friend_list import called, friend_line
from ginpeer.names.shown import safe
from ginpeer.store import KnownPeers, Peer
from protocol.messages import Malformed, clean_name


def run_friends(args: Namespace) -> int:
    """List them, the latest met first; or rename one, or forget one. Raises Failure."""
    known = open_home(args.home).known_peers(time.time)
    with store_failures():
        if args.rename is not None:
            name, new = args.rename
            _rename(known, the_friend(known, name), new)
        elif args.forget is not None:
            friend = the_friend(known, args.forget)
            known.forget(friend.key)
            tell(f"{called(friend)} is forgotten. Your matches with this key are kept.")
        else:
            friends = known.all()
            if not friends:
                tell("You have met nobody yet. Whoever you play with is remembered here.")
            for friend in friends:
                tell(friend_line(friend))
    return 0


def the_friend(known: KnownPeers, text: str) -> Peer:
    """The one friend of this name, or whose fingerprint begins so. Raises Failure, StoreError."""
    found = known.found(text)
    if not found:
        raise Failure(
            "friend-unknown",
            f"You have met nobody called {safe(text)!r}; ginpeer friends lists whom you have met.",
            USAGE,
        )
    if len(found) > 1:
        listed = "; ".join(friend_line(friend) for friend in found)
        raise Failure(
            "several-friends",
            f"Several keys are called {safe(text)!r}. Name one by the first letters of its "
            f"fingerprint, or give one another name with ginpeer friends --rename: {listed}",
            USAGE,
        )
    return found[0]


def friend_called(home: str | None, text: str) -> Peer:
    """The one friend of this home who is meant. Raises Failure."""
    with store_failures():
        return the_friend(open_home(home).known_peers(time.time), text)


def _rename(known: KnownPeers, friend: Peer, new: str) -> None:
    try:
        new = clean_name(new) if new.strip() else ""
    except Malformed as error:
        raise Failure("name-unusable", f"{safe(new)!r} cannot be a name: {error}.", USAGE) from None
    others = [peer for peer in known.found(new) if peer.key != friend.key] if new else []
    if others:
        raise Failure("name-taken", f"Another key is called {safe(new)!r} already.", USAGE)
    known.rename(friend.key, new)
    tell(f"{called(friend)} is now called {called(known.peer(friend.key) or friend)}.")
