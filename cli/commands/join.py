"""`ginpeer join`: follow an invite, play. (Exit statuses: cli/commands/host.py.)"""

from __future__ import annotations

import re
from argparse import Namespace

from cli.commands.match_options import own_addresses, stun_server, typed_options, typed_proxy
from cli.failure import USAGE, Failure
from cli.match.joining import Route, go_to_host
from cli.match.one_match import OneMatch
from ginpeer.net.invite import InviteError, parse_invite
from ginpeer.net.simultaneous_open import PATIENCE
from ginpeer.seat.seat import Options

_INVITE_LABEL = re.compile(r"^\s*invite:", re.IGNORECASE)  # pasted with the line it stands in


def run_join(args: Namespace) -> int:
    """Go to the host that the invite names and play; the exit status. Raises Failure."""
    try:
        invite = parse_invite(_INVITE_LABEL.sub("", " ".join(args.invite)))
    except InviteError as error:
        raise Failure(error.code, error.sentence, USAGE) from error
    wanted = None if args.rules is None else typed_options(args.rules, args.disclose)
    route = Route(
        typed_proxy(args.through),
        crosses=_crossing_seconds(args),
        advertise=own_addresses(args.advertise),
        stun=stun_server(args.stun),
    )
    match = OneMatch(args, "guest", Options(), wanted)
    return match.run(lambda: go_to_host(match, invite, route))


def _crossing_seconds(args: Namespace) -> float:
    """How long both dial, where nothing leads to the host: as long as our player is patient."""
    if args.through is not None:
        return 0.0
    return PATIENCE if args.patience is None else float(args.patience)
