"""The table of a page, the text of a step and the buttons, in windows of many sizes: all of it is
visible at every step, and nothing overlaps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.page.browser import Browser
from tests.page.looked_at import focus_table
from tests.page.pages import golden, hostile, page_of, sheet_page, weak_match

Open = Callable[..., Browser]

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
document.getElementById('table').focus({preventScroll: true});
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
    'a rank is covered': [...document.querySelectorAll('.card:not(.back) + .card')].some((each) => {
      const rank = document.createRange();
      rank.selectNodeContents(each.previousSibling.firstChild);
      return box(rank).right > box(each).left + 1;
    }),
    'a short name is cut': [...document.querySelectorAll('.name')]
      .some((each) => each.textContent.length < 5 && each.scrollWidth > each.clientWidth + 1),
    'the page is too wide': document.documentElement.scrollWidth > innerWidth,
  };
  for (const [fault, is] of Object.entries(faults)) {
    if (is) found.push(`${document.getElementById('where').textContent}: ${fault}`);
  }
}
return [count, found];
"""


BROKEN = {
    "the buttons cover the board": (
        "#board { --room: calc(100dvh - 2.6rem) }",
        "second deck",
        "phone on its side",
    ),
    "the buttons are below the window": (
        ".walked #controls { position: static }",
        "standard",
        "wider laptop",
    ),
    "the sentence is cut": (
        ".live #sentence { font-size: 2rem }",
        "second deck",
        "laptop at 200 %",
    ),
    "a short name is cut": (".name { min-width: 0; max-width: 1em }", "standard", "phone"),
    "a rank is covered": (".live .discards { --w: 5rem }", "second deck", "laptop"),
}
"""For some faults: a style that causes the fault, and a page and a window in which it shows."""
ADD_STYLE = """
const style = new CSSStyleSheet();
style.replaceSync(arguments[0]);
document.adoptedStyleSheets.push(style);
"""


def faults(window: Browser, style: str = "") -> list[str]:
    """Walk through the page, and return what isn't visible."""
    window.run(ADD_STYLE, style)
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
def test_the_whole_table_is_visible_at_every_step(show: Open, kind: str, size: str) -> None:
    assert faults(show(PAGES[kind](), size=SIZES[size])) == []


@pytest.mark.parametrize("size", ["laptop", "phone", "phone on its side"])
@pytest.mark.deep(keep=1)
def test_a_banner_leaves_room_for_the_whole_table(show: Open, size: str) -> None:
    assert faults(show(sheet_page(hands=2), size=SIZES[size])) == []


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.deep(keep=2)
def test_a_broken_style_is_noticed(show: Open, fault: str) -> None:
    style, kind, size = BROKEN[fault]
    found = faults(show(PAGES[kind](), size=SIZES[size]), style)
    assert fault in {each.partition(": ")[2] for each in found}


@pytest.mark.parametrize("size", ["laptop", "phone"])
def test_the_first_screen_has_nothing_over_the_table(show: Open, size: str) -> None:
    """The buttons stay at the bottom of the window only while somebody walks through the match."""
    window = show(page_of(golden("standard")), size=SIZES[size])
    places = """
    const [board, controls] = ['board', 'controls']
      .map((id) => document.getElementById(id).getBoundingClientRect());
    return [controls.top - board.bottom, innerHeight - controls.bottom];
    """
    assert window.run(places)[0] >= -1
    focus_table(window)
    window.press("ArrowRight")
    window.run("scrollTo(0, 0)")
    assert window.run(places)[1] >= -1


LENGTHEN = """
const [id, inside] = arguments;
const text = document.getElementById(id);
text.append('If you play on, four of 24 unseen cards make gin. '.repeat(60));
const [box, around] = [text, document.querySelector(inside)]
  .map((each) => each.getBoundingClientRect());
return [box.top >= around.top - 5 && box.bottom <= around.bottom + 5,
  text.scrollHeight > text.clientHeight + 100,
  getComputedStyle(text).backgroundAttachment];
"""


@pytest.mark.parametrize("size", ["laptop", "phone"])
def test_text_that_is_too_long_is_scrolled_and_has_a_shadow_at_its_foot(
    show: Open, size: str
) -> None:
    window = show(page_of(weak_match()), size=SIZES[size])
    for text, inside in (("told", ".middle"), ("advice", "#table")):
        assert window.run(LENGTHEN, text, inside) == [True, True, "local, scroll"], text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.deep(keep=2)
def test_the_board_stays_in_place_from_step_to_step(show: Open, size: str) -> None:
    """The buttons stay under the mouse."""
    window = show(page_of(golden("standard")), "h1s2", SIZES[size])
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
    assert len(places) == 1
