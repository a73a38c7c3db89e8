"""`ginpeer join`: follow an invite, play. (Exit statuses: cli/commands/host.py.)"""

from __future__ import annotations

import re
import time
from argparse import Namespace
from dataclasses import replace

from cli.commands.friends import the_friend
from cli.commands.home_and_log import open_home, store_failures
from cli.commands.match_options import own_addresses, stun_server, typed_options, typed_proxy
from cli.failure import USAGE, Failure
from cli.match.hidden import the_same_way
from cli.match.joining import Route, go_to_host
from cli.match.one_match import OneMatch
from cli.match.way_back import places_of, way_back
from ginpeer.net.invite import Invite, InviteError, parse_invite
from ginpeer.net.reply import is_reply
from ginpeer.net.simultaneous_open import PATIENCE
from ginpeer.seat.seat import Options
from protocol.crypto.identity import key_hash

_LIKE_AN_INVITE = re.compile(r"\s*gin[1-9]", re.IGNORECASE)
# Pasted with the line that it stands in, or with what a chat has put around it.
_BEFORE = re.compile(
    r"^[\s<(\[\"'`*]*(invite:|(\S*ginpeer\s+)?join\s)?[\s<(\[\"'`*]*", re.IGNORECASE
)
_BEHIND = re.compile(r"[\s>)\]\"'`*.,;!]+$")


def run_join(args: Namespace) -> int:
    """Go to the host that the invite names and play; the exit status. Raises Failure."""
    wanted = None if args.rules is None else typed_options(args.rules, args.disclose)
    route = Route(
        typed_proxy(args.through),
        crosses=_crossing_seconds(args),
        advertise=own_addresses(args.advertise),
        stun=stun_server(args.stun),
        mapping=not args.no_mapping,
    )
    invite, route, persistent = _way_to_host(args, route)
    match = OneMatch(args, "guest", Options(), wanted)
    return match.run(lambda: go_to_host(match, invite, route, persistent=persistent))


def _way_to_host(args: Namespace, route: Route) -> tuple[Invite, Route, bool]:
    """The invite that was typed, or the way to a friend of that name; how to go there; whether we
    wait until the host is there, as we do for a friend. Raises Failure."""
    known = open_home(args.home).known_peers(time.time)
    text = _BEHIND.sub("", _BEFORE.sub("", " ".join(args.invite)))
    if is_reply(text):
        raise Failure(
            "invite-unreadable",
            "That is a reply, which is for the host: who waits with ginpeer host pastes it there. "
            "You type ginpeer join and the invite, which begins with gin1-.",
            USAGE,
        )
    try:
        invite = parse_invite(text)
    except InviteError as error:
        if error.code != "invite-unreadable" or _LIKE_AN_INVITE.match(text):
            raise Failure(error.code, error.sentence, USAGE) from error
        with store_failures():
            if not known.found(text):
                sentence = f"{error.sentence} Nor have you met anybody of that name."
                raise Failure(error.code, sentence, USAGE) from error
            friend = the_friend(known, text)
        route, places = the_same_way(route, friend, places_of(friend), direct=args.direct)
        return way_back(friend.key, places), route, True
    with store_failures():
        met = next((peer for peer in known.all() if key_hash(peer.key) == invite.host), None)
    route, places = the_same_way(route, met, invite.addresses, direct=args.direct)
    return replace(invite, addresses=places), route, False


def _crossing_seconds(args: Namespace) -> float:
    """How long both dial, where nothing leads to the host: as long as our player is patient."""
    if args.through is not None:
        return 0.0
    return PATIENCE if args.patience is None else float(args.patience)
