"""The page of an evening in a real browser: each match is shown, walked through and verified."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest

from ginpeer.store.page_log import log_element
from tests.page.browser import Browser
from tests.page.looked_at import (
    address,
    axe_script,
    click,
    complaints,
    findings,
    outcome,
    saved,
    settled,
    state,
    text_in,
)
from tests.page.pages import HOSTILE, evening_logs, evening_match, evening_of
from tests.page.test_containers import READ
from tests.page.test_page import SCRIPTS

Open = Callable[..., Browser]


@pytest.fixture
def open_page(show: Open) -> Open:
    def run(page: bytes | None = None, step: str = "") -> Browser:
        return show(evening_of(*evening_logs()) if page is None else page, step)

    return run


SHOWN = """
const shown = [...document.querySelectorAll('article:not([hidden])')].map((each) => each.id);
const links = [...document.querySelectorAll('#matches [aria-current]')].map((each) => each.hash);
return [...shown, ...links, document.querySelector('article:not([hidden]) h1').textContent];
"""
TWICE = """
const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
const named = [...document.querySelectorAll('[for], [aria-labelledby]')]
  .map((each) => each.htmlFor || each.getAttribute('aria-labelledby'));
return [ids.filter((id, at) => ids.indexOf(id) !== at), named.filter((id) => !ids.includes(id))];
"""


def test_one_match_is_shown_and_the_list_switches_to_another(open_page: Open) -> None:
    window = open_page()
    assert window.run(SHOWN)[:2] == ["m1", "#m1"]
    assert window.run(TWICE) == [[], []]
    click(window, "#matches a[href='#m3']")
    settled(window)
    settled(window)
    assert window.run(SHOWN)[:2] == ["m3", "#m3"]
    assert "Cleo" in window.run(SHOWN)[2]
    assert "Cleo" in text_in(window, "board")
    assert window.run(TWICE) == [[], []]
    where = state(window)["where"]
    window.press("ArrowRight")
    assert state(window)["where"] != where
    window.run("document.querySelector('#matches a').click()")
    settled(window)
    assert window.run(SHOWN)[:2] == ["m1", "#m1"]
    assert "Cleo" not in text_in(window, "board")
    assert not state(window)["wide"]


def test_a_link_names_the_match_too(open_page: Open) -> None:
    window = open_page(step="m2h1s4")
    settled(window)
    assert window.run(SHOWN)[0] == "m2"
    assert state(window)["where"].startswith("Hand 1, step 4 of ")
    window.press("ArrowRight")
    assert address(window) == "#m2h1s5"
    window.run("location.hash = '#m3h1s3'")
    settled(window)
    settled(window)
    assert window.run(SHOWN)[0] == "m3"
    assert state(window)["where"].startswith("Hand 1, step 3 of ")
    links = "return [...document.querySelectorAll('#moves a, #score a')].map((each) => each.hash)"
    assert {link[:4] for link in window.run(links)} == {"#m3h", "#m3e"}
    window.run("location.hash = '#m9h1'")
    settled(window)
    assert 'has no step "m9h1"' in text_in(window, "missing")


def test_every_match_is_drawn_and_each_of_its_controls_acts_once(open_page: Open) -> None:
    window = open_page()
    for at in (1, 2, 1):
        window.run(f"location.hash = '#m{at}h1s2'")
        settled(window)
        settled(window)
        before = state(window)["where"]
        window.run("document.getElementById('next').click()")
        assert before.startswith("Hand 1, step 2 ")
        assert state(window)["where"].startswith("Hand 1, step 3 ")


def test_the_button_verifies_all_matches_and_the_summary_of_the_evening(open_page: Open) -> None:
    window = open_page()
    told = outcome(window)
    assert told.startswith("All 4 logs have been checked, and 3 of them are valid. Match 4: INCOM")
    assert (
        "The headline, the list of matches and the totals were compared with all of the logs."
        in told
    )
    found = text_in(window, "progress")
    assert [f"Match {at}" in found for at in (1, 2, 3, 4, 5)] == [True] * 4 + [False]


LIES = (
    ("by 1 match to 0", "by 2 matches to 0", "who won how many"),
    ('<li><a href="#m1"><bdi class="', '<li><a href="#m1">Eve <bdi class="', "the list of"),
    (">Cleo</bdi> <span>", ">Eve</bdi> <span>", "match 1: the name of the guest"),
)
"""What a page shows, a lie that replaces it, and what Verify then names."""


def test_an_evening_that_contradicts_its_logs_is_detected(open_page: Open) -> None:
    page = evening_of(*evening_logs()[2:]).decode()
    for there, instead, _ in LIES:
        assert there in page
        page = page.replace(there, instead)
    told = outcome(open_page(page.encode()))
    assert told.startswith("DON'T TRUST THIS PAGE.")
    for *_, said in LIES:
        assert said in told


def test_an_evening_with_a_log_missing_is_not_verified(open_page: Open) -> None:
    logs = evening_logs()
    page = evening_of(*logs).replace(log_element(*logs).encode(), log_element(*logs[:3]).encode())
    assert "doesn't contain exactly one complete log of each match" in outcome(open_page(page))


def test_swapped_logs_are_detected(open_page: Open) -> None:
    one, two = evening_logs()[2:]
    page = evening_of(one, two)
    page = page.replace(log_element(one, two).encode(), log_element(two, one).encode())
    assert outcome(open_page(page)).startswith("DON'T TRUST THIS PAGE.")


def test_the_log_of_the_shown_match_is_saved(open_page: Open) -> None:
    window = open_page(step="m3")
    frame = "read({contentWindow: window, contentDocument: document}).then(arguments[0])"
    assert b64decode(window.wait(READ + frame)) == evening_logs()[2]


def test_a_saved_evening_is_still_trusted_and_can_be_walked_through(open_page: Open) -> None:
    window = open_page(evening_of(*reversed(evening_logs()[2:])), "m2h1s3")
    window.press("ArrowRight")
    told = outcome(window)
    window = open_page(saved(window))
    assert window.run(TWICE) == [[], []]
    assert window.run(SHOWN)[0] == "m1"
    assert outcome(window) == told
    window.run("location.hash = '#m2h1s4'")
    settled(window)
    assert state(window)["where"].startswith("Hand 1, step 4 of ")


def test_markup_in_names_is_shown_as_text_in_an_evening(
    open_page: Open, window: Browser, tmp_path: Path
) -> None:
    logs = evening_match(1, names=HOSTILE), evening_match(2, 0, 2, ("W" * 64, "i" * 64))
    window.console()
    window.requests()
    window = open_page(evening_of(*logs), "m1h1s4")
    settled(window)
    count = "return [document.images.length, document.querySelectorAll('script').length]"
    assert window.run(count) == [0, SCRIPTS]
    assert window.run(TWICE) == [[], []]
    assert not state(window)["wide"]
    assert outcome(window).startswith("Both logs are verified: no cheating found.")
    assert window.alert() is None
    assert complaints(window, tmp_path / "page.html") == []


def test_every_match_can_be_read_without_scripts(open_page: Open, window: Browser) -> None:
    try:
        window.scripts(allowed=False)
        open_page()
    finally:
        window.scripts(allowed=True)
    text = window.run("return document.body.innerText")
    assert text.count("Move by move") == 4
    assert text.count("host is named first") == 4
    assert "3 finished matches between 3 players" in text
    assert window.run(TWICE) == [[], []]


def test_axe_finds_nothing_wrong_with_an_evening(open_page: Open) -> None:
    axe = axe_script()
    if axe is None:
        pytest.skip("no axe-core: GINPEER_AXE names its axe.min.js")
    window = open_page(step="m2h1s4")
    settled(window)
    assert findings(window, axe) == []
