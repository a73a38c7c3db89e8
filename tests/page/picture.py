"""Draw share/page.png, the picture of a page in README.md: ``python -m tests.page.picture``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.page.browser import browser
from tests.page.looked_at import go_to
from tests.page.pages import golden, page_of

PICTURE = Path(__file__).parents[2] / "share" / "page.png"
SIZE = (1000, 780)
STEP = 14


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, browser() as window:
        page = Path(folder, "match.html")
        page.write_bytes(page_of(golden("standard")))
        window.look(SIZE, "light")
        window.open(page)
        go_to(window, STEP)
        window.run("document.getElementById('table').scrollIntoView()")
        PICTURE.write_bytes(window.picture())


if __name__ == "__main__":
    main()
