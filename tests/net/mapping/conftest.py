"""Fixtures: routers in this process and their clients, closed at the end of a test.

Their modules are imported late, because they import the reactor, which isn't installed yet when
pytest reads this file.
"""

import pytest


@pytest.fixture
def map_port(closing):
    from tests.net.mapping.asking import Asking

    def begin(router, **options):
        asking = Asking(router, **options)

        async def stop():
            await asking.mapping.stop()

        closing.append(stop)
        return asking

    return begin


@pytest.fixture
def open_port(map_port):
    """Return a function that asks for a port mapping and waits for the outcome."""

    async def begin(router, **options):
        asking = map_port(router, **options)
        await asking.outcome()
        return asking

    return begin
