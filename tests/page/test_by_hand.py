"""What people do with a page in Chromium and in Firefox: open it, follow links, click, press keys,
scroll, save it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ginpeer.store.page_log import log_element, log_in_page
from tests.page.browser import Browser
from tests.page.looked_at import (
    click,
    focus_table,
    look_with_eyes_of,
    outcome,
    saved,
    settled,
    state,
)
from tests.page.pages import golden, page_of

SIZES = {
    "phone": (360, 740),
    "phone on its side": (740, 360),
    "tablet": (820, 1180),
    "low": (1280, 600),
    "desk": (1440, 900),
}
Open = Callable[..., Browser]


@pytest.fixture
def open_page(show: Open) -> Open:
    def run(page: bytes | str, step: str = "", size: str = "phone") -> Browser:
        return show(page if isinstance(page, bytes) else page_of(golden(page)), step, SIZES[size])

    return run


PLACES = """
const at = (id) => document.getElementById(id).getBoundingClientRect();
const heading = document.querySelector('h1').getBoundingClientRect().top;
return {scrolled: scrollY, height: innerHeight, heading,
  sentence: at('told').top, below: at('told').bottom, buttons: at('controls').top}
"""


def sentence_in_view(window: Browser) -> bool:
    """Return whether the sentence of the step is on the screen, above the buttons."""
    at = window.run(PLACES)
    return bool(at["sentence"] >= 0 and at["below"] <= at["buttons"] + 1 <= at["height"])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["standard", "incomplete"])
@pytest.mark.deep(keep=1)
def test_a_page_opens_at_its_heading(open_page: Open, name: str, size: str) -> None:
    window = open_page(name, size=size)
    settled(window)
    at = window.run(PLACES)
    assert at["scrolled"] == 0
    assert 0 <= at["heading"] < at["height"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.deep(keep=1)
def test_a_link_to_a_step_shows_what_the_step_says(open_page: Open, size: str) -> None:
    window = open_page("standard", "h1s9", size)
    settled(window)
    assert state(window)["where"] == "Hand 1, step 9 of 15"
    assert sentence_in_view(window)


@pytest.mark.parametrize("size", ["phone", "desk"])
@pytest.mark.deep(keep=1)
def test_a_clicked_move_is_shown_and_the_arrow_keys_continue_from_it(
    open_page: Open, size: str
) -> None:
    window = open_page("standard", size=size)
    click(window, "#moves a[href='#h1s8']")
    assert state(window)["where"] == "Hand 1, step 8 of 15"
    assert sentence_in_view(window)
    for key, step in (("ArrowRight", 9), ("ArrowRight", 10), ("ArrowLeft", 9)):
        window.press(key)
        assert state(window)["where"] == f"Hand 1, step {step} of 15"
    click(window, "#moves summary")
    window.press("ArrowRight")
    assert state(window)["where"] == "Hand 1, step 10 of 15"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.deep(keep=2)
def test_a_hand_clicked_in_the_score_sheet_is_brought_into_view(open_page: Open, size: str) -> None:
    window = open_page("standard", "h1s2", size)
    window.press("End")
    click(window, ".sheet a[href='#h1']")
    assert state(window)["where"] == "Hand 1, step 2 of 15"
    assert sentence_in_view(window)
    window.press("ArrowRight")
    assert state(window)["where"] == "Hand 1, step 3 of 15"


def test_a_key_scrolls_the_table_back_into_view(open_page: Open) -> None:
    window = open_page("standard", "h1s2")
    window.run("document.querySelector('footer').scrollIntoView()")
    window.press("ArrowRight")
    assert sentence_in_view(window)


def test_a_link_to_a_missing_step_says_so(open_page: Open) -> None:
    window = open_page("standard", "h9s1")
    missing = """
    const found = document.getElementById('missing');
    const at = found.getBoundingClientRect();
    const isSeen = at.top >= 0 && at.bottom <= innerHeight;
    return found.textContent && !isSeen ? 'unseen' : found.textContent;
    """
    assert 'has no step "h9s1"' in window.run(missing)
    assert state(window)["where"] == "Hand 1, step 2 of 15"
    window.press("ArrowRight")
    assert window.run(missing) == ""
    window.run("location.hash = '#h1s99'")
    settled(window)
    assert 'has no step "h1s99"' in window.run(missing)
    assert state(window)["where"] == "Hand 1, step 3 of 15"
    for known in ("moves", "verify"):
        assert open_page("standard", known).run(missing) == ""


@pytest.mark.parametrize("name", ["standard", "incomplete"])
@pytest.mark.deep(keep=1)
def test_a_page_saved_by_a_browser_is_still_trusted(open_page: Open, name: str) -> None:
    window = open_page(name, "h1s3")
    for _ in range(2):
        look_with_eyes_of(window, 0)
        window.run("document.getElementById('four').click()")
        window.press("ArrowRight")
        assert outcome(window).startswith("The log ")
        page = saved(window)
        assert b'class="' in page
        assert log_in_page(page, "saved.html") == golden(name)
        open_page(page)
    count = """
    return ['#way', '#hand option[value=h1]', '#eyes :first-child', '#board .seat', 'style',
      'script:not([type])'].map((each) => document.querySelectorAll(each).length)
    """
    assert window.run(count) == [1, 1, 1, 2, 1, 1]
    assert outcome(window).startswith("The log ")
    assert window.run("return document.title.startsWith('DO NOT')") is False
    focus_table(window)
    window.press("Home")
    window.press("ArrowRight")
    assert state(window)["where"].startswith("Before the first hand, step 2 of ")
    window.run("location.hash = '#h1s4'")
    settled(window)
    assert state(window)["where"].startswith("Hand 1, step 4 of ")


def test_the_verify_button_stays_when_the_table_cannot_be_drawn(open_page: Open) -> None:
    page = page_of(golden("standard"))
    window = open_page(
        page.replace(log_element(golden("standard")).encode(), log_element(b"?").encode())
    )
    hidden = "return arguments[0].map((id) => document.getElementById(id).hidden)"
    assert window.run(hidden, ["table", "unable", "verify", "save"]) == [True, False, False, False]
    assert outcome(window).startswith("DON'T TRUST THIS PAGE.")


def test_a_page_with_two_logs_is_not_verified(open_page: Open) -> None:
    page = page_of(golden("standard"))
    first = b"<script type='text/plain' id='ginpeer-log'>Z2lubG9nMQo=</script>\n</main>"
    window = open_page(page.replace(b"</main>", first, 1))
    assert "doesn't contain exactly one complete log" in outcome(window)


TARGETS = """
for (const each of document.querySelectorAll('details')) each.open = true;
const KINDS = 'a, button, select, summary, label:not(.vh), input:not([type=checkbox])';
return [...document.querySelectorAll(KINDS)]
  .filter((each) => each.checkVisibility() && !each.matches('.skip'))
  .map((each) => [each.getBoundingClientRect().height, each.outerHTML.slice(0, 80)])
  .filter(([height]) => height < arguments[0]);
"""


@pytest.mark.parametrize(("size", "least"), [("phone", 43), ("tablet", 43), ("desk", 24)])
@pytest.mark.deep(keep=1)
def test_every_touch_target_is_high_enough(open_page: Open, size: str, least: int) -> None:
    assert open_page("hollywood", size=size).run(TARGETS, least) == []
