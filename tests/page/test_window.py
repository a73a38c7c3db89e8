"""The table of a page with what a step says and the buttons, in windows of many sizes: all of it is
visible at every step, and nothing lies over anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page.browser import Browser
from tests.page.pages import golden, hostile, page_of, sheet_page

SIZES = {
    "laptop": (1280, 720),
    "wider laptop": (1366, 768),
    "phone": (390, 844),
    "phone on its side": (844, 390),
    "laptop at 200 %": (640, 360),
}
PAGES = {
    "standard": lambda: page_of(golden("standard")),
    "three columns": lambda: page_of(golden("hollywood")),
    "second deck": lambda: page_of(golden("second-deck")),
    "melds on the table": lambda: page_of(golden("mahjong")),
    "long names": lambda: page_of(hostile()),
}

FAULTS = """
const found = [];
const box = (each) => each.getBoundingClientRect();
const at = (id) => box(document.getElementById(id));
// Cards are in front of the lines around the band, by a few pixels at most.
const isIn = (inner, outer, by = 1) => !inner.height
  || (inner.top >= outer.top - by && inner.bottom <= outer.bottom + by);
const key = (name) => document.dispatchEvent(new KeyboardEvent('keydown', {key: name}));
const count = document.querySelectorAll('#moves li').length;
key('Home');
for (let step = 0; step < count; step++, key('ArrowRight')) {
  const [board, controls, told] = ['board', 'controls', 'told'].map(at);
  const banner = document.querySelector('.banner');
  const top = banner ? box(banner).bottom : 0;
  const middle = box(document.querySelector('.middle'));
  const {scrollHeight, clientHeight} = document.getElementById('told');
  const faults = {
    'the board begins above the window': board.top < top - 1,
    'the buttons are below the window': controls.bottom > innerHeight + 1,
    'the buttons cover the board': board.bottom > controls.top + 1,
    'the buttons cover the advice': innerHeight > 640 && at('advice').bottom > controls.top + 1,
    'the sentence is cut': scrollHeight > clientHeight + 1 || !isIn(told, middle, 5),
    'a hand sticks out': [...document.querySelectorAll('.seat, .seat .card')]
      .some((each) => !isIn(box(each), board)),
    'the band sticks out': [...document.querySelectorAll('.middle :is(.card, small, div)')]
      .some((each) => !isIn(box(each), middle, 5)),
    'the page is too wide': document.documentElement.scrollWidth > innerWidth,
  };
  for (const [fault, is] of Object.entries(faults)) {
    if (is) found.push(`${document.getElementById('where').textContent}: ${fault}`);
  }
}
return [count, found];
"""


def faults(window: Browser, page: Path, content: bytes, size: tuple[int, int]) -> list[str]:
    """Walk through a page in a window of this size, and return what isn't visible."""
    page.write_bytes(content)
    window.look(size, "light")
    window.open(page)
    count, found = window.run(FAULTS)
    assert count > 5
    return list(found)


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        pytest.param(kind, size, marks=() if (place - number) % 5 == 1 else pytest.mark.deep)
        for number, kind in enumerate(PAGES)
        for place, size in enumerate(SIZES)
    ],
)
def test_the_whole_table_is_visible_at_every_step(
    window: Browser, tmp_path: Path, kind: str, size: str
) -> None:
    assert faults(window, tmp_path / "page.html", PAGES[kind](), SIZES[size]) == []


@pytest.mark.parametrize("size", ["laptop", "phone", "phone on its side"])
@pytest.mark.deep(keep=1)
def test_a_banner_leaves_room_for_the_whole_table(
    window: Browser, tmp_path: Path, size: str
) -> None:
    assert faults(window, tmp_path / "page.html", sheet_page(hands=2), SIZES[size]) == []


def test_the_board_stays_in_place_from_step_to_step(window: Browser, tmp_path: Path) -> None:
    """The buttons stay under the mouse."""
    page = tmp_path / "page.html"
    page.write_bytes(page_of(golden("standard")))
    window.open(page)
    for size in SIZES.values():
        window.look(size, "light")
        window.press("Home")
        places = window.run(
            """
            const found = new Set();
            const next = document.getElementById('next');
            for (let step = 0; step < 20; step++) {
              next.click();
              const {top, left} = next.getBoundingClientRect();
              found.add(`${Math.round(top)} ${Math.round(left)}`);
            }
            return [...found];
            """
        )
        assert len(places) == 1, size
