"""One Chromium and one Firefox for all modules: starting a browser takes longer than most tests.
Firefox, which is slower, runs only with --deep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.page.browser import (
    CHROMIUM,
    DRIVER,
    FIREFOX,
    MISSING,
    NO_FIREFOX,
    SIZES,
    Browser,
    browser,
    firefox,
)


@pytest.fixture(
    scope="session", params=["chromium", pytest.param("firefox", marks=pytest.mark.deep)]
)
def window(request: pytest.FixtureRequest) -> Iterator[Browser]:
    if request.param == "firefox":
        if FIREFOX is None:
            pytest.skip(NO_FIREFOX)
        with firefox() as made:
            yield made
        return
    if CHROMIUM is None or DRIVER is None:
        pytest.skip(MISSING)
    with browser() as made:
        yield made


@pytest.fixture
def show(window: Browser, tmp_path: Path) -> Callable[..., Browser]:
    """Return a function that opens a page at a step, by default in a window of a phone's size."""

    def run(page: bytes, step: str = "", size: tuple[int, int] = SIZES["phone"]) -> Browser:
        path = tmp_path / "page.html"
        path.write_bytes(page)
        window.look(size, "light")
        window.open(path, step)
        return window

    return run
