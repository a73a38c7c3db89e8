"""Fixtures that several network tests share."""

import contextlib
import socket

import pytest

from ginpeer.net.address import LOOPBACK, Address


@pytest.fixture
def unused_address():
    """Return an address of this machine at which nothing listens. No other program can take it."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        yield Address(LOOPBACK, taken.getsockname()[1])


@pytest.fixture
def silence():
    """Return a function that makes a port drop unsolicited packets, like a router. Linux does so
    when the port's queue is full."""
    with contextlib.ExitStack() as stack:

        def silence(port):
            port.stopReading()
            port.socket.listen(0)
            for _ in range(2):
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex((LOOPBACK, port.getHost().port))

        yield silence


@pytest.fixture
def make_router(closing):
    """Return a function that starts a router. All its routers are closed at the end of the test."""

    # It imports the reactor, which isn't installed yet when pytest reads this file.
    from tests.net.mapping.gateways import OUTSIDE, Router

    def serve(*names, outside=OUTSIDE):
        router = Router(outside).serve(*names)
        closing.append(router.close)
        return router

    return serve
