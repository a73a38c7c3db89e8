"""Runs a campaign that needs the reactor: the one that the command line installs.

Imported before anything that imports the reactor.
"""

from contextlib import suppress

from twisted.internet import asyncioreactor
from twisted.internet.error import ReactorAlreadyInstalledError

with suppress(ReactorAlreadyInstalledError):  # within the suite, pytest-twisted has done it
    asyncioreactor.install()

from twisted.internet import reactor
from twisted.internet.defer import Deferred


def exit_status(campaign):
    """0 if this coroutine comes to True, else 1; with the traceback where it fails."""
    if not isinstance(reactor, asyncioreactor.AsyncioSelectorReactor):
        raise RuntimeError("another reactor was imported before this module")
    came_to = []

    def begin():
        running = Deferred.fromCoroutine(campaign)
        running.addCallbacks(came_to.append, lambda failure: print(failure.getTraceback()))
        running.addBoth(lambda _: reactor.stop())

    reactor.callWhenRunning(begin)
    reactor.run()
    return 0 if came_to == [True] else 1
