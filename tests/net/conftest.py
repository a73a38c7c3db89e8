"""Fixtures that several network tests share."""

import socket

import pytest

from ginpeer.net.address import LOOPBACK, Address


@pytest.fixture
def unused_address():
    """Return an address of this machine at which nothing listens, and nothing else can."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        yield Address(LOOPBACK, taken.getsockname()[1])
