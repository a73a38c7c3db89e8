"""`ginpeer resume`: continue a stored match, as its host or as its guest. (Exit statuses:
cli/commands/host.py.)"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from contextlib import suppress
from dataclasses import replace

from cli.commands.friends import find_friend, similar_friend
from cli.commands.match_options import (
    check_one_each,
    remembered_ways,
    typed_address,
    typed_host_options,
    typed_proxy,
    typed_ways,
    ways_of_match,
)
from cli.match.hosting import host_match
from cli.match.joining import join_match
from cli.match.one_match import MatchPlan, OneMatch
from cli.match.practice import is_practice, practise
from cli.match.route import Route, friend_addresses, invite_without_secret, remembered_route
from cli.match.sitting import own_faults
from cli.program import Failure, own_command
from ginpeer.match_store import (
    LoadedMatch,
    is_accepted,
    is_shelved,
    noted_matches,
    stored_matches,
    unfinished_matches,
)
from ginpeer.match_store.matches import offer_of
from ginpeer.names import safe, safe_quote
from ginpeer.net.address import DEFAULT_PORT
from ginpeer.net.simultaneous_open import PATIENCE
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.seat.seat import Options
from ginpeer.store import Home, Journal, StoredMatch


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
    role, with_bot = stored.notes.role, is_practice(stored)
    args.name = None  # this match keeps our name in it; the next one gets our present name
    ways = typed_ways(args, role)
    saved = ways_of_match(() if known is None else known.ways, stored.notes.listens)
    as_before = remembered_ways(args, saved, role)
    typed = typed_host_options(args, ways)
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
        host_options = replace(typed, hides="" if args.direct else None)
        return match.run(lambda: host_match(match, host_options))
    route = Route(
        through,
        punching_seconds=0.0 if through is not None else PATIENCE,
        stun=typed.stun,
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
        listed = () if found else home.logs_named(named)
        if len(listed) == 1:
            _say_why_not(home, listed[0])
        if len(found) == 1 and not is_accepted(found[0]):
            raise Failure(
                "nothing-to-resume",
                f"The match {safe(named)} was offered but not accepted, so there is nothing to "
                "continue.",
            )
    else:
        left = [one for one in unfinished_matches(home) if friend in (None, one.notes.peer)]
        others = noted_matches(home)
        with_bot = [one for one in left if is_practice(one)]
        with_friends = [one for one in left if not is_practice(one)]
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
            f"{command} host starts a new one. It also completes a friend's log of a finished "
            "match, if part of it is missing."
            if named is None
            else f"There is no match {safe(named)}; {command} logs lists your matches."
            + similar_friend(home.known_peers(time.time), named)
        )
        raise Failure("nothing-to-resume", what)
    if len(found) > 1:
        names = ", ".join(stored.match.short for stored in found)
        raise Failure(
            "several-to-resume",
            f"Say which match: {command} resume and one of {names} (latest first); "
            f"{command} logs describes them.",
        )
    return found[0]


def _say_why_not(home: Home, match: StoredMatch) -> None:
    """Raise the reason why this match, which `ginpeer logs` lists, isn't among those that can be
    resumed."""
    if home.evidence_beside(match.path):
        raise Failure(
            "nothing-to-resume",
            f"The match {match.short} was stopped because a player broke the rules, so it can't "
            "continue. The evidence is in the same folder as its log.",
        )
    Journal.reopen(match.path).close()


def _friend_without_match(home: Home, named: str, command: str) -> bytes | None:
    """Return the key of the friend with this name, unless a match has it. The beginning of a
    match's name isn't enough: a friend may be called Ed."""
    known = home.known_peers(time.time)
    if not known.find(named) or any(match.short == named for match in home.logs_named(named)):
        return None
    return find_friend(known, named, command).key
