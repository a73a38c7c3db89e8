"""`ginpeer host`: print an invite, wait for its guest, play.

Exit statuses, of `join`, `resume` and `practice` as well
---------------------------------------------------------
0   the match is finished and signed by both, or paused by agreement
1   the other player signed something illegal; the proof is kept beside the log
2   wrong usage: an invite, a name, rules or an address that cannot be used
4   the match ended early, or never began: somebody left, the connection was lost, nobody came, the
    guest declined the rules.
    Whatever was played is in the log
70  a fault of this machine (a full disk, say); the log is kept as far as it was stored
130 Ctrl-C a second time while still leaving
141 nobody reads our output any more; the table was left and the log is kept
"""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from cli.commands.friends import friend_called
from cli.commands.match_options import door_of, typed_options
from cli.failure import Failure
from cli.match.hidden import check_may_tell
from cli.match.hosting import wait_for_guest
from cli.match.one_match import OneMatch
from ginpeer.net.invite import is_invite
from ginpeer.net.reply import is_reply


def run_host(args: Namespace) -> int:
    """Wait for a friend and play; the exit status. Raises Failure."""
    rules = " ".join(args.rules)
    if args.hands is not None:
        rules = f"{rules} hands={args.hands}"
    options = typed_options(rules, args.disclose)
    door = door_of(args)
    if args.friend is not None:
        _check_no_code(args.friend)
        friend = friend_called(args.home, args.friend)
        check_may_tell(friend, direct=args.direct)
        door = replace(door, friend=friend)
    match = OneMatch(args, "host", options)
    match.hides = "" if args.direct else None
    return match.run(lambda: wait_for_guest(match, door))


def _check_no_code(friend: str) -> None:
    """Refuse an invite or a reply in the place of a friend. Raises Failure."""
    if is_invite(friend):
        raise Failure(
            "usage",
            "That is an invite. If your friend sent it, your friend hosts, and you type ginpeer "
            "join and the invite; if it is your own, give it to your friend.",
        )
    if is_reply(friend):
        raise Failure(
            "usage",
            "That is a reply. Type ginpeer host alone, and send the invite that it shows; a reply "
            "to that one is pasted where it waits.",
        )
