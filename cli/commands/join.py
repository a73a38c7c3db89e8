"""`ginpeer join`: accept an invite and play. (Exit statuses: cli/commands/host.py.)"""

from __future__ import annotations

import re
import time
from argparse import Namespace
from dataclasses import replace

from cli.commands.friends import find_friend, similar_friend
from cli.commands.home_and_files import open_home, store_failures
from cli.commands.match_options import (
    own_addresses,
    remembered_ways,
    typed_options,
    typed_proxy,
    typed_stun,
    typed_ways,
)
from cli.match.contact import friend_addresses
from cli.match.identity import ask_name_once
from cli.match.joining import Route, invite_without_secret, join_match, remembered_route
from cli.match.one_match import MatchPlan, OneMatch
from cli.program import USAGE, Failure, own_command
from cli.terminal.output import print_lines
from cli.terminal.questions import asked_lines, can_ask
from ginpeer.match_store import noted_matches
from ginpeer.net.codes import Invite, InviteError, PartialInvite, is_reply
from ginpeer.net.simultaneous_open import PATIENCE
from ginpeer.store import KnownPeers, Peer
from protocol.crypto.identity import key_hash

_LIKE_AN_INVITE = re.compile(r"\s*gin[1-9]", re.IGNORECASE)
# An invite may be pasted with the rest of its line, or with characters that a chat program added.
_BEFORE = re.compile(
    r"^[\s<(\[\"'`*]*(invite:|(\S*ginpeer\s+)?join\s)?[\s<(\[\"'`*]*", re.IGNORECASE
)
_AFTER = re.compile(r"[\s>)\]\"'`*.,;!]+$")

_PASTE = (
    "Paste the invite that your friend sent you; it may span several lines. Or type the name of a "
    "friend you have met. To leave, type quit."
)
_REST = "part of the invite is missing: paste the rest, or all of it again> "
_LEAVES = 2  # this many empty lines in a row end the prompt for an invite


def run_join(args: Namespace) -> int:
    if args.disclose is not None and args.rules is None:
        sentence = "--disclose needs --rules. Otherwise, the host decides when to disclose seeds."
        raise Failure("usage", sentence)
    wanted = None if args.rules is None else typed_options(args.rules, args.disclose)
    ways = typed_ways(args, "guest")
    _route(args)  # to refuse a wrong option before asking anything
    if not args.invite:
        ask_name_once(args)  # first, else a pasted invite's last line could be taken for the name
    meant, friend = _host_meant(args)
    ask_name_once(args)
    as_before = "" if friend is None else remembered_ways(args, friend.ways, "guest")
    by_name = isinstance(meant, Peer)
    if isinstance(meant, Peer):
        addresses = friend_addresses(meant, _last_reached(args.home, meant.key))
    else:
        addresses = meant.addresses
    route, addresses = remembered_route(_route(args), friend, addresses, direct=args.direct)
    if isinstance(meant, Peer):
        invite = invite_without_secret(meant.key, addresses, own_command(args.home))
    else:
        invite = replace(meant, addresses=addresses)
    match = OneMatch(args, MatchPlan("guest", accepts=wanted, ways=ways, as_before=as_before))
    return match.run(lambda: join_match(match, invite, route, persistent=by_name))


def _route(args: Namespace) -> Route:
    through = typed_proxy(args.through)
    punching_seconds = PATIENCE if args.patience is None else float(args.patience)
    return Route(
        through,
        punching_seconds=punching_seconds if through is None else 0.0,
        advertise=own_addresses(args.advertise),
        stun=typed_stun(args),
        mapping=not args.no_mapping,
    )


def _last_reached(home: str | None, host: bytes) -> tuple[str, ...]:
    """Return the addresses at which we reached this host in our latest match as its guest. It was
    listening there, so even a high port can be dialled."""
    with store_failures():
        noted = noted_matches(open_home(home))
    as_guest = (
        notes.addresses for _, notes in noted if (notes.role, notes.peer) == ("guest", host)
    )
    return next(as_guest, ())


def _host_meant(args: Namespace) -> tuple[Invite | Peer, Peer | None]:
    """Return the typed invite or friend, and the host as a peer if we have met it."""
    if not (args.invite or can_ask()):
        raise Failure(
            "usage", "The following arguments are required: INVITE|FRIEND. Try: ginpeer join --help"
        )
    known = open_home(args.home).known_peers(time.time)
    command = own_command(args.home)
    typed = " ".join(args.invite)
    meant = (
        _meant(typed, known, command, PartialInvite()) if args.invite else _asked(known, command)
    )
    if isinstance(meant, Peer):
        return meant, meant
    with store_failures():
        met = next((peer for peer in known.all() if key_hash(peer.key) == meant.host), None)
    return meant, met


def _meant(typed: str, known: KnownPeers, command: str, broken: PartialInvite) -> Invite | Peer:
    """Return the typed invite or friend. *broken*: the earlier lines of an invite in several."""
    text = _AFTER.sub("", _BEFORE.sub("", typed))
    if not (broken.begun or _LIKE_AN_INVITE.match(text)):
        with store_failures():
            if known.find(typed.strip()):  # not cut like an invite: a friend may be called Sam Jr.
                return find_friend(known, typed.strip(), command)
    if is_reply(text):
        raise Failure(
            "invite-unreadable",
            "That is a reply, which is for the host to paste where ginpeer host waits. Instead, "
            f"type {command} join and the invite, which begins with gin1-.",
        )
    more = broken.accepts_more(text)
    try:
        return broken.take(text)
    except InviteError as error:
        named = error.code == "invite-unreadable" and not _LIKE_AN_INVITE.match(text)
        if not (named or more):
            raise Failure(error.code, error.sentence) from error
        with store_failures():
            if known.find(text):
                return find_friend(known, text, command)
            nor = f" You have no friend with that name.{similar_friend(known, text)}"
        nor = nor if named else ""
        raise Failure(error.code, error.sentence + nor) from error


def _asked(known: KnownPeers, command: str) -> Invite | Peer:
    """Ask for an invite, in one line or several, or a name. Raises Failure, KeyboardInterrupt."""
    print_lines(_PASTE)
    broken, empty = PartialInvite(), 0
    for line in asked_lines(lambda: _REST if broken.begun else "invite> "):
        empty = 0 if line.strip() else empty + 1
        word = line.strip().casefold()
        if word in ("quit", "q") and not known.find(word):
            raise KeyboardInterrupt
        if empty == _LEAVES:
            break
        if word in ("help", "?"):
            print_lines(_PASTE)
            continue
        if not _BEFORE.sub("", line):  # an empty line, or "invite:" with the invite on the next
            continue
        try:
            return _meant(line, known, command, broken)
        except Failure as why:
            if why.status != USAGE:
                raise
            if not broken.begun:  # otherwise more is to come, as the prompt says
                print_lines(why.sentence)
    raise Failure("usage", "No invite was given.")
