"""One Chromium for all modules: starting it takes longer than most of what they do with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.page.browser import CHROMIUM, DRIVER, MISSING, Browser, browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None or DRIVER is None:
        pytest.skip(MISSING)
    with browser() as made:
        yield made


@pytest.fixture
def window(chromium: Browser) -> Browser:
    return chromium
