"""Fixtures that several network tests share."""

import socket

import pytest

from ginpeer.net.address import LOOPBACK, Address


@pytest.fixture
def nobody():
    """An address of this machine where nobody listens, and nobody else will either."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        yield Address(LOOPBACK, taken.getsockname()[1])
