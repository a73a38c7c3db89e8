"""Run a campaign that needs a reactor, on the one that the command line installs.

Import this before anything that imports the reactor.
"""

from contextlib import suppress

from twisted.internet import asyncioreactor
from twisted.internet.error import ReactorAlreadyInstalledError

with suppress(ReactorAlreadyInstalledError):  # in the test suite, pytest-twisted has installed one
    asyncioreactor.install()

from twisted.internet import reactor
from twisted.internet.defer import Deferred


def exit_status(campaign):
    """Return 0 if this coroutine returns True, else 1; print the traceback if it fails."""
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
