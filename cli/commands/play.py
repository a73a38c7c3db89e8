"""`ginpeer host`, `join` and `resume`: play with a friend.

Exit statuses, also of `practice`:

0   the match is finished and signed by both, or paused by agreement
1   the other player signed something illegal; the proof is kept beside the log
2   wrong usage: an invite, a name, rules or an address that can't be used
4   the match ended early, or never began: somebody left, the connection was lost, nobody came, the
    guest declined the rules. Whatever was played is in the log
70  a fault of this machine (a full disk, say); everything stored until then is kept
130 Ctrl-C was pressed a second time while leaving
129, 143 SIGHUP or SIGTERM, and the program couldn't end cleanly; what was stored is kept
141 nobody reads our output any more; our player left the table and the log is kept
"""

from __future__ import annotations

import os
import re
import time
from argparse import Namespace
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from cli.commands.friends import find_friend, friend_named, similar_friend
from cli.commands.home_and_files import known_names, open_home
from cli.commands.match_options import (
    check_one_each,
    own_addresses,
    remembered_ways,
    typed_address,
    typed_host_options,
    typed_options,
    typed_proxy,
    typed_stun,
    typed_ways,
    ways_of_match,
)
from cli.match.club import Club, check_club
from cli.match.contact import friend_addresses
from cli.match.hosting import host_club, host_match
from cli.match.identity import ask_name_once, own_faults
from cli.match.joining import Route, invite_without_secret, join_match, remembered_route
from cli.match.one_match import MatchPlan, OneMatch
from cli.match.practice import practise
from cli.program import USAGE, Failure, failures_of, own_command
from cli.terminal.output import print_lines
from cli.terminal.questions import asked_lines, can_ask
from cli.text.shelved_match import opponent
from ginpeer.match_store import (
    LoadedMatch,
    active_matches,
    is_accepted,
    is_shelved,
    just_played,
    noted_matches,
    stored_matches,
    unfinished_matches,
)
from ginpeer.match_store.matches import offer_of
from ginpeer.names import safe, safe_quote
from ginpeer.net.address import DEFAULT_PORT
from ginpeer.net.codes import (
    CLOSING,
    OPENING,
    Invite,
    InviteError,
    PartialInvite,
    is_reply,
)
from ginpeer.net.simultaneous_open import PATIENCE
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import PRESETS, parse_ruleset
from ginpeer.seat.seat import Options
from ginpeer.store import Home, Journal, KnownPeers, Peer, StoredMatch, StoreError
from protocol.crypto.identity import key_hash

_LIKE_AN_INVITE = re.compile(r"\s*gin[1-9]", re.IGNORECASE)
# An invite may be pasted with the rest of its line, or with characters that a chat program added.
_BEFORE = re.compile(rf"^{OPENING}(invite\s*:|(\S*ginpeer\s+)?join\s)?{OPENING}", re.IGNORECASE)

_PASTE = (
    "Paste the invite that your friend sent you; it may span several lines. Or type the name of a "
    "friend you have met. To leave, type quit."
)
_REST = "part of the invite is missing: paste the rest, or all of it again> "
_LEAVES = 2  # this many empty lines in a row end the prompt for an invite


# --- host ----------------------------------------------------------------------------------


def run_host(args: Namespace) -> int:
    _take_friend_from_rules(args)
    rules = " ".join(args.rules)
    if args.hands is not None:
        rules = f"{rules} hands={args.hands}"
    options = typed_options(rules, args.disclose)
    check_one_each("--advertise", args.advertise, args.friend)
    friend, ways = None, typed_ways(args, "host")
    if args.friend is not None:
        friend = friend_named(args.home, args.friend)
        check_may_tell(friend, direct=args.direct)
    last = _match_to_come_back_to(args, friend)
    listens = None if last is None else last.notes.listens
    known = () if friend is None else friend.ways
    saved = ways_of_match(known, listens, for_anybody=friend is None)
    if friend is None and last is not None:
        whom = opponent(last, known_names(args.home))
        as_before = remembered_ways(args, saved, "host", f"the port of your match with {whom}")
    else:
        as_before = remembered_ways(args, saved, "host")
    host_options = replace(typed_host_options(args, ways), friend=friend)
    is_club = check_club(args, own_command(args.home))
    ask_name_once(args)
    match = OneMatch(args, MatchPlan("host", options, ways=ways, as_before=as_before))
    if is_club:
        club = Club(match, args, options)
        return match.run(lambda: host_club(match, host_options, club), club)
    return match.run(lambda: host_match(match, host_options))


def _match_to_come_back_to(args: Namespace, friend: Peer | None) -> LoadedMatch | None:
    """Return the latest match for which a guest (this friend, if there is one) may come back: to
    continue it or, if it has just ended, to play another."""
    home, key = open_home(args.home), None if friend is None else friend.key
    home.remember()
    with own_faults():
        ended = just_played(home, time.time()) if can_ask() and not args.bot else None
        latest = () if ended is None or key not in (None, ended.notes.peer) else (ended,)
        for stored in chain(latest, active_matches(home, "host", key)):
            if not stored.notes.is_practice and not Journal.is_in_use(stored.match.path):
                return stored
    return None


def check_may_tell(friend: Peer, *, direct: bool) -> None:
    """Raise Failure if our player hid our address from this friend and hasn't typed --direct:
    waiting for a friend by name reveals the address."""
    if friend.hidden and not direct:
        raise Failure(
            "was-hidden",
            "You hid your address from this friend, but waiting for a friend by name reveals it. "
            "If that no longer matters, add --direct.",
        )


def _take_friend_from_rules(args: Namespace) -> None:
    """If the last of several rules is a friend's name, make it the friend: in "host --rules
    oklahoma Ben", argparse takes the name for a rule."""
    *rules, last = args.rules
    if args.friend is not None or not rules or last in PRESETS or "=" in last:
        return
    with failures_of(StoreError):
        if open_home(args.home).known_peers(time.time).find(last):
            args.rules, args.friend = rules, last


# --- join ----------------------------------------------------------------------------------


def run_join(args: Namespace) -> int:
    if args.disclose is not None and args.rules is None:
        sentence = "--disclose needs --rules. Otherwise, the host decides when to disclose seeds."
        raise Failure("usage", sentence)
    wanted = None if args.rules is None else typed_options(args.rules, args.disclose)
    ways = typed_ways(args, "guest")
    _route(args, ways)  # to refuse a wrong option before asking anything
    if not args.invite:
        ask_name_once(args)  # first, else a pasted invite's last line could be taken for the name
    meant, friend = _host_meant(args)
    ask_name_once(args)
    as_before = "" if friend is None else remembered_ways(args, friend.ways, "guest")
    by_name = isinstance(meant, Peer)
    if isinstance(meant, Peer):
        addresses = friend_addresses(meant, _last_reached(args.home, meant.key))
        route, addresses = remembered_route(
            _route(args, ways), friend, addresses, direct=args.direct
        )
        invite = invite_without_secret(meant.key, addresses, own_command(args.home))
    else:
        route, addresses = remembered_route(
            _route(args, ways), friend, meant.addresses, direct=args.direct
        )
        invite = replace(meant, addresses=addresses)
    match = OneMatch(args, MatchPlan("guest", accepts=wanted, ways=ways, as_before=as_before))
    return match.run(lambda: join_match(match, invite, route, persistent=by_name))


def _route(args: Namespace, ways: tuple[str, ...]) -> Route:
    return Route(
        typed_proxy(args.through),
        punching_seconds=PATIENCE if args.patience is None else float(args.patience),
        advertise=own_addresses(args.advertise),
        stun=typed_stun(args, ways),
        mapping=not args.no_mapping,
    )


def _last_reached(home: str | None, host: bytes) -> tuple[str, ...]:
    """Return the addresses at which we reached this host in our latest match as its guest. It was
    listening there, so even a high port can be dialled."""
    with failures_of(StoreError):
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
    with failures_of(StoreError):
        met = next((peer for peer in known.all() if key_hash(peer.key) == meant.host), None)
    return meant, met


def _meant(typed: str, known: KnownPeers, command: str, broken: PartialInvite) -> Invite | Peer:
    """Return the typed invite or friend. *broken*: the earlier lines of an invite that spans
    several."""
    text = CLOSING.sub("", _BEFORE.sub("", typed))
    if not (broken.begun or _LIKE_AN_INVITE.match(text)):
        with failures_of(StoreError):
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
        with failures_of(StoreError):
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


# --- resume --------------------------------------------------------------------------------


def run_resume(args: Namespace) -> int:
    check_one_each("--at", args.at, args.match)
    check_one_each("--advertise", args.advertise, args.match)
    through = typed_proxy(args.through)
    now_at = tuple(typed_address(text, DEFAULT_PORT) for text in args.at or ())
    with own_faults():
        home = Home.locate(args.home, os.environ)
        home.remember()
        command = own_command(args.home)
        stored = _chosen(home, args.match, command)
        known = home.known_peers(time.time).peer(stored.notes.peer)
    role, with_bot = stored.notes.role, stored.notes.is_practice
    if role == "guest" and args.tor:
        raise Failure(
            "usage",
            "You are the guest in that match, and --tor is for the host. To connect through Tor, "
            "use --through with the address of Tor's proxy, such as socks5://127.0.0.1:9050.",
        )
    args.name = None  # this match keeps the name in its log; the next one gets our current name
    ways = typed_ways(args, role)
    saved = ways_of_match(() if known is None else known.ways, stored.notes.listens)
    as_before = remembered_ways(args, saved, role)
    options = typed_host_options(args, ways)
    plan = MatchPlan(
        role,
        offers=_offers_after(stored),
        only=stored,
        practice=with_bot,
        ways=ways,
        as_before=as_before,
    )
    match = OneMatch(args, plan)
    if with_bot:
        return match.run(lambda: practise(match))
    if role == "host" and through is not None:
        raise Failure("usage", "You are the host of that match, and a host can't use a proxy.")
    if role == "host":
        return match.run(lambda: host_match(match, options))
    route = Route(
        through,
        punching_seconds=PATIENCE,
        advertise=own_addresses(args.advertise),
        stun=options.stun,
        mapping=not args.no_mapping,
    )
    addresses = now_at or friend_addresses(known, stored.notes.addresses)
    route, addresses = remembered_route(route, known, addresses, direct=args.direct)
    invite = invite_without_secret(stored.notes.peer, addresses, command)
    return match.run(lambda: join_match(match, invite, route, persistent=True))


def _offers_after(stored: LoadedMatch) -> Options:
    offer = offer_of(stored.entries)
    with suppress(RulesError):  # restoring the match will report it
        if offer is not None:
            return Options(parse_ruleset(offer.rules), offer.disclosure)
    return Options()


def _chosen(home: Home, named: str | None, command: str) -> LoadedMatch:
    """Return the stored match with this name, finished or not. Without a name, or with a friend's,
    return the only unfinished match, or else the only shelved one, or else the latest against the
    bot."""
    friend = None if named is None else _friend_without_match(home, named, command)
    if named is not None and friend is None:
        found = [*stored_matches(home, named)]
        meant = home.logs_named(named)
        if len(meant) > 1:  # even if only one of them can be resumed: another may be meant
            raise _several(meant, command)
        if meant and not found:
            _say_why_not(home, meant[0])
        if len(found) == 1 and not is_accepted(found[0]):
            raise Failure(
                "nothing-to-resume",
                f"The match {safe(named)} was offered but not accepted, so there is nothing to "
                "continue.",
            )
    else:
        left = [one for one in unfinished_matches(home) if friend in (None, one.notes.peer)]
        others = noted_matches(home)
        with_bot = [one for one in left if one.notes.is_practice]
        with_friends = [one for one in left if not one.notes.is_practice]
        going = [one for one in with_friends if not is_shelved(home, one.match, one.notes, others)]
        found = going or with_friends or with_bot[:1]
        unreadable = None if found else home.unreadable(friend)
        if unreadable is not None:
            _say_why_not(home, unreadable)
    if not found and friend is not None:
        raise Failure(
            "nothing-to-resume",
            f"You have no unfinished match with {safe_quote(named or '', 60)}. To start a new one, "
            f"type {command} host and that name.",
        )
    if not found:
        what = (
            f"There is no unfinished match in {safe(str(home.path), 200)}; "
            f"{command} host starts a new one. If a friend doesn't have the end of a finished "
            f"match, {command} host sends it; if that friend was the host, type {command} join "
            "and their name instead."
            if named is None
            else f"There is no match {safe(named)}; {command} logs lists your matches."
            + similar_friend(home.known_peers(time.time), named)
        )
        raise Failure("nothing-to-resume", what)
    if len(found) > 1:
        raise _several([stored.match for stored in found], command)
    return found[0]


def _several(matches: Iterable[StoredMatch], command: str) -> Failure:
    names = ", ".join(match.short for match in matches)
    return Failure(
        "several-to-resume",
        f"Say which match: {command} resume and one of {names} (latest first); "
        f"{command} logs describes them.",
    )


def _say_why_not(home: Home, match: StoredMatch) -> None:
    """Raise an error that says why this match, which `ginpeer logs` lists, can't be resumed."""
    if home.evidence_beside(match.path):
        raise Failure(
            "nothing-to-resume",
            f"The match {match.short} was stopped because a player broke the rules, so it can't "
            "continue. The evidence is in the same folder as its log.",
        )
    Journal.reopen(match.path).close()


def _friend_without_match(home: Home, named: str, command: str) -> bytes | None:
    """Return the key of the friend with this name, unless it is also a match's short name; None if
    there is no such friend. Ignore matches whose names only begin with it: a friend may be called
    Ed."""
    known = home.known_peers(time.time)
    if not known.find(named) or any(match.short == named for match in home.logs_named(named)):
        return None
    return find_friend(known, named, command).key
