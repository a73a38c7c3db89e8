"""`ginpeer host`, `join`, `resume` and `practice`: what was typed, and the match that it asks for.

Exit statuses
-------------
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

import os
import re
import time
from argparse import Namespace
from collections.abc import Sequence

from cli.failure import USAGE, Failure
from cli.match.sitting import Sitting, own_faults
from cli.table.voice import PRACTICE
from ginpeer.keeper import (
    Stored,
    accepted,
    put_aside,
    stored_matches,
    unfinished,
    with_notes,
)
from ginpeer.names.shown import safe
from ginpeer.net.address import DEFAULT_PORT, Address, AddressError, parse_address
from ginpeer.net.invite import Invite, InviteError, parse_invite
from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from ginpeer.seat.seat import Options
from ginpeer.store import Home
from protocol.messages import Disclosure

_INVITE_LABEL = re.compile(r"^\s*invite:", re.IGNORECASE)  # pasted with the line it stands in

_DISCLOSURES = {
    "after-match": Disclosure.AFTER_MATCH,
    "after-hand": Disclosure.AFTER_HAND,
    "never": Disclosure.NEVER,
}


def run_practice(args: Namespace) -> int:
    """Play against the bot, over the wire that stays in this process."""
    rules = _rules(args.rules)
    sitting = Sitting(args, "host", Options(rules))
    return sitting.run(sitting.practise)


def run_host(args: Namespace) -> int:
    """Print an invite, wait for its guest, play."""
    options = _options(args)
    listen = _listen_address(args.listen)
    advertise = _advertised(args.advertise, listen)
    sitting = Sitting(args, "host", options)
    return sitting.run(lambda: sitting.wait_for_guest(listen, advertise))


def run_resume(args: Namespace) -> int:
    """Go on with a stored match: wait for its guest, or go to its host."""
    listen = _listen_address(args.listen)
    advertise = _advertised(args.advertise, listen)
    now_at = [str(_address(text, DEFAULT_PORT)) for text in args.at or ()]
    with own_faults():
        home = Home.locate(args.home, os.environ)
        stored = _chosen(home, args.match)
    args.name = stored.notes.name
    sitting = Sitting(args, stored.notes.role, Options(), only=stored)
    if _practised(stored):
        return sitting.run(sitting.practise)
    if stored.notes.role == "host":
        return sitting.run(lambda: sitting.wait_for_guest(listen, advertise))
    with own_faults():
        known = home.known_peers(time.time).peer(stored.notes.peer)
    addresses = (*(known.addresses if known else ()), *stored.notes.addresses)
    invite = _way_back(stored.notes.peer, now_at or addresses)
    return sitting.run(lambda: sitting.follow(invite, persistent=True))


def _chosen(home: Home, named: str | None) -> Stored:
    """The match of this name, finished or not; without a name, the only one that is unfinished, or
    else that was put aside, or else the latest against the bot. What was only offered is no match.
    Raises Failure."""
    if named is not None:
        found = [one for one in stored_matches(home) if one.match.name.startswith(named)]
        if len(found) == 1 and not accepted(found[0]):
            raise Failure(
                "nothing-to-resume",
                f"The match {safe(named)} was offered and not accepted; there is nothing to go on "
                "with.",
                USAGE,
            )
    else:
        left = [one for one in unfinished(home) if accepted(one)]
        others = with_notes(home)
        practised = [one for one in left if _practised(one)]
        with_friends = [one for one in left if not _practised(one)]
        going = [one for one in with_friends if not put_aside(one.match, one.notes, others)]
        found = going or with_friends or practised[:1]
    if not found:
        what = (
            f"There is no unfinished match in {safe(str(home.path), 200)}; "
            '"ginpeer host" begins one'
            if named is None
            else f'There is no match {safe(named)}; "ginpeer logs" lists them'
        )
        raise Failure("nothing-to-resume", f"{what}.", USAGE)
    if len(found) > 1:
        names = ", ".join(stored.match.name[:6] for stored in found)
        raise Failure(
            "several-to-resume",
            f"Say which match: ginpeer resume and one of {names}, the latest first; "
            '"ginpeer logs" says more of them.',
            USAGE,
        )
    return found[0]


def _practised(stored: Stored) -> bool:
    """Whether the other player was the bot in our own process."""
    return PRACTICE in stored.notes.addresses


def _way_back(host_key: bytes, addresses: Sequence[str]) -> Invite:
    """To a host that expects us: where it was, and no secret. Raises Failure."""
    known = []
    for text in addresses:
        try:
            address = parse_address(text, None)
        except AddressError:
            continue  # a path of this machine, or what an older version wrote
        if address not in known:
            known.append(address)
    if not known:
        raise Failure("no-address", "Where the host is, is not known; add --at HOST:PORT.", USAGE)
    return Invite(host_key, bytes(16), tuple(known[:8]))


def run_join(args: Namespace) -> int:
    """Follow an invite, play."""
    words = args.invite if isinstance(args.invite, list) else [args.invite]
    try:
        invite = parse_invite(_INVITE_LABEL.sub("", " ".join(words)))
    except InviteError as error:
        raise Failure(error.code, error.sentence, USAGE) from error
    wanted = None if args.rules is None else _options(args)
    sitting = Sitting(args, "guest", Options(), wanted)
    return sitting.run(lambda: sitting.follow(invite))


# --- what was typed -----------------------------------------------------------------


def _options(args: Namespace) -> Options:
    return Options(_rules(args.rules), _DISCLOSURES[args.disclose])


def _rules(text: str | None) -> RuleSet:
    try:
        rules = parse_ruleset(text or "standard")
        rules.check()
    except RulesError as error:
        raise Failure(error.code, error.sentence, USAGE) from error
    return rules


def _listen_address(text: str | None) -> Address | None:
    """HOST:PORT, or :PORT for all networks; None if the choice is left to us."""
    if text is None:
        return None
    everywhere = "0.0.0.0"  # noqa: S104 - whoever types :PORT wants guests from anywhere
    return _address(everywhere + text if text.startswith(":") else text, None)


def _advertised(texts: list[str] | None, listen: Address | None) -> tuple[Address, ...]:
    port = listen.port if listen is not None and listen.port else None
    return tuple(_address(text, port) for text in texts or ())


def _address(text: str, default_port: int | None) -> Address:
    try:
        return parse_address(text, default_port)
    except AddressError as error:
        raise Failure(error.code, error.sentence, USAGE) from error
