"""Checks of a page in a browser, which the suite runs on one page and `python -m tests.page` on
many."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.page.browser import Browser

STEPS = "return [...document.querySelectorAll('#moves li')].length"
STATE = """
const text = (id) => document.getElementById(id).innerText;
return {where: text('where'), sentence: text('sentence'),
  live: document.getElementById('live').textContent,
  slider: document.getElementById('slider').value,
  wide: document.documentElement.scrollWidth > innerWidth,
  current: document.querySelectorAll('[aria-current=step]').length}
"""
AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then(
  (found) => done(found.violations.map((v) => [v.id, ...v.nodes.map((n) => n.html)].join(' | '))),
  (error) => done(['axe: ' + error]));
"""


def state(browser: Browser) -> dict[str, Any]:
    found: dict[str, Any] = browser.run(STATE)
    return found


def focus_table(browser: Browser) -> None:
    browser.run("document.getElementById('table').focus()")


def text_in(browser: Browser, element: str) -> str:
    """Return the text of the element with this id."""
    return str(browser.run("return document.getElementById(arguments[0]).textContent", element))


def address(browser: Browser) -> str:
    """Return the fragment of the page's address, a moment after a step is shown."""
    return str(browser.wait("const [done] = arguments; setTimeout(() => done(location.hash), 300)"))


def go_to(browser: Browser, step: str | int) -> None:
    """Move the slider to the step with this number."""
    _set(browser, "slider", step, "input")


def look_with_eyes_of(browser: Browser, seat: int) -> None:
    """Choose the view of one player."""
    _set(browser, "eyes", seat, "change")


def _set(browser: Browser, control: str, value: str | int, event: str) -> None:
    browser.run(
        """
        const control = document.getElementById(arguments[0]);
        control.value = arguments[1];
        control.dispatchEvent(new Event(arguments[2]));
        """,
        *(control, value, event),
    )


def walked_by_keys(browser: Browser) -> list[dict[str, Any]]:
    """Walk through all steps with the right arrow key, then back to the start. Return the state at
    each step."""
    focus_table(browser)
    browser.press("Home")
    found = [state(browser)]
    for _ in range(int(browser.run(STEPS)) - 1):
        browser.press("ArrowRight")
        found.append(state(browser))
    browser.press("ArrowRight")
    assert state(browser)["where"] == found[-1]["where"]
    browser.press("Home")
    assert state(browser)["where"] == found[0]["where"]
    return found


def complaints(browser: Browser, page: Path) -> list[str]:
    """Return the browser's console messages, and all requests except those for the page itself."""
    own = (
        page.as_uri(),
        "data:",
        "about:",
        "blob:",
        "chrome:",
        "chrome-untrusted:",
        "chrome-extension:",
    )
    asked = [url for url in browser.requests() if not url.startswith(own)]
    return browser.console() + [f"asked for {url[:200]}" for url in asked]


def axe_script() -> str | None:
    """Return axe-core's script: the file that GINPEER_AXE names, or the one in the checkout's npm
    modules; None if this machine has neither."""
    for named in (os.environ.get("GINPEER_AXE"), "node_modules/axe-core/axe.min.js"):
        if named and Path(named).is_file():
            return Path(named).read_text(encoding="utf-8")
    return None


def findings(browser: Browser, axe: str) -> list[str]:
    """Return what axe-core finds wrong with the page in its current state."""
    browser.run(axe + "\nwindow.axe = axe;")
    found: list[str] = browser.wait(AXE)
    return found


def settled(browser: Browser) -> None:
    browser.wait("const done = arguments[0]; setTimeout(done, 50);")


def click(browser: Browser, selector: str) -> None:
    """Scroll to an element, and click the middle of it."""
    x, y = browser.run(
        """
        const found = document.querySelector(arguments[0]);
        found.scrollIntoView({block: 'center'});
        const at = found.getBoundingClientRect();
        return [at.left + Math.min(at.width / 2, 30), at.top + at.height / 2];
        """,
        selector,
    )
    browser.click(x, y)


def outcome(browser: Browser) -> str:
    """Click the button that verifies the log, and return its final text."""
    said = browser.wait(
        """
        const done = arguments[0];
        document.getElementById('run').click();
        const timer = setInterval(() => {
          const text = document.getElementById('outcome').textContent;
          if (text && text !== 'Verifying...') { clearInterval(timer); done(text); }
        }, 20);
        """
    )
    return str(said)


def saved(browser: Browser) -> bytes:
    """Return what a browser writes when it saves a page in its current state."""
    text = browser.run("return '<!DOCTYPE html>\\n' + document.documentElement.outerHTML")
    return str(text).encode()
