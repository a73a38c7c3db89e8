"""`ginpeer doctor`: say what is between this machine and a friend, in sentences or as JSON.

The module docstring of ginpeer.net.reachability describes the document of --json. The exit status
is 0 whatever was found.

As when hosting, a lease is stored before the router is asked for it. It is released however this
command ends, and so are leases that a crashed host has left behind.
"""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

from twisted.internet.defer import Deferred

from cli.commands.home_and_files import open_home
from cli.commands.match_options import typed_address
from cli.match.process import install_reactor, obey_signals
from cli.match.ways_in import RouterLeases
from cli.program import own_command
from cli.terminal.output import print_json, print_lines
from cli.text.diagnosis import asking_line, report
from ginpeer.net.address import DEFAULT_PORT
from ginpeer.net.diagnosis import Diagnosis, diagnose
from ginpeer.net.reachability import diagnosis_document
from ginpeer.net.stun import DEFAULT_STUN_PORT


def run_doctor(args: Namespace) -> int:
    stun = None if args.stun is None else typed_address(args.stun, DEFAULT_STUN_PORT)
    own_port = args.port or DEFAULT_PORT
    forwarded = None if args.advertise is None else typed_address(args.advertise, own_port)
    home = open_home(args.home).path
    if not args.json:
        named = None if stun is None else str(stun)
        print_lines(asking_line(mapping=not args.no_mapping, stun=named), flush=True)
    found = _diagnosis(
        port=own_port,
        mapping=not args.no_mapping,
        stun=stun,
        forwarded=forwarded,
        # If nothing can be stored, the lease expires by itself after two minutes.
        remembered=lambda port: RouterLeases(home, port).remembered(),
        store=lambda port, leases: RouterLeases(home, port).store(leases),
    )
    if args.json:
        print_json(diagnosis_document(found))
    else:
        print_lines(*report(found, own_command(args.home)))
    return 0


def _diagnosis(**what: Any) -> Diagnosis:
    """Run the reactor until the diagnosis is finished. Raises KeyboardInterrupt."""
    reactor = install_reactor()
    outcome: list[Any] = []  # the Diagnosis, or Twisted's Failure
    looking: list[Any] = []
    told: list[bool] = []  # not empty once we have been told to end

    def end(_: object = None) -> None:
        if reactor.running:
            reactor.stop()

    def begin() -> None:
        looking.append(Deferred.fromCoroutine(diagnose(reactor, rng=os.urandom, **what)))
        looking[0].addBoth(outcome.append).addCallback(end)

    def leave() -> None:
        """Close the port that a router has opened, and then end. If told again, end at once."""
        if told:
            end()
        told.append(True)
        for each in looking:
            each.cancel()

    reactor.callWhenRunning(begin)
    obey_signals(reactor, leave, leave, leave)
    reactor.run(installSignalHandlers=False)
    if told:
        raise KeyboardInterrupt
    found: Diagnosis | Any = outcome[0]
    if not isinstance(found, Diagnosis):
        found.raiseException()
    return found
