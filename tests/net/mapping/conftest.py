"""Routers in process and what asks them, both closed at the end of a test.

What they are made of is imported late: it imports the reactor, which is not installed yet when
pytest reads this file.
"""

import pytest


@pytest.fixture
def home(closing):
    """Makes routers, and what asks them; both are closed at the end, whatever came of it."""

    from tests.net.mapping.gateways import OUTSIDE, Router

    def serve(*names, outside=OUTSIDE):
        router = Router(outside).serve(*names)
        closing.append(router.close)
        return router

    return serve


@pytest.fixture
def ask(closing):
    from tests.net.mapping.asking import Asking

    def begin(router, **options):
        asking = Asking(router, **options)

        async def stop():
            await asking.mapping.stop()

        closing.append(stop)
        return asking

    return begin
