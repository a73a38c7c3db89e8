"""The page's button and the program read the same log from any log element."""

from __future__ import annotations

import random
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ginpeer.store import UnreadableLog
from ginpeer.store.page_log import logs_in_page
from tests.page.browser import Browser
from tests.page.containers import COMMAS, EXACT, OWN, pages, rows, two_logs
from tests.page.pages import golden, page_of

MUTANTS = 400

READ = """
const read = (frame) => {
  const inside = frame.contentWindow;
  const save = frame.contentDocument.getElementById('save');
  if (!save || save.hidden) return Promise.resolve('no button');
  let bytes = null;
  inside.Blob = class { constructor(parts) { bytes = parts[0]; } };
  inside.URL.createObjectURL = () => '#';
  inside.HTMLAnchorElement.prototype.click = () => {};
  save.click();
  return Promise.resolve(bytes && btoa(String.fromCharCode(...bytes)));
};
"""
"""Define a function that presses the button that saves the log, which reads it as the verifying
button does. It returns the log in base64, or null if the button refuses it."""

OPENED = """
const done = arguments[arguments.length - 1];
const [first, last] = arguments;
const opened = (at) => new Promise((tell) => {
  const frame = document.createElement('iframe');
  frame.src = `/${at}`;
  frame.onload = async () => {
    const ready = () => {
      const within = frame.contentDocument;
      return !within.querySelector('script:not([type])')
        || within.body?.classList.contains('live')
        || within.getElementById('unable')?.hidden === false;
    };
    for (let i = 0; i < 100 && !ready(); i++) await new Promise((go) => setTimeout(go, 20));
    tell(await read(frame));
    frame.remove();
  };
  document.body.append(frame);
});
const all = [];
for (let at = first; at < last; at++) all.push(opened(at));
Promise.all(all).then(done, (why) => done(String(why)));
"""
"""Open pages in frames, and return what their buttons read."""


@contextmanager
def served(given: list[bytes]) -> Iterator[str]:
    """Serve these pages by number on this machine, so that a script may look into their frames."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = self.path[1:]
            body = given[int(number)] if number.isdigit() else b"<!doctype html><body>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def read_by_button(window: Browser, given: list[bytes]) -> list[bytes | str | None]:
    found: list[str | None] = []
    with served(given) as address:
        window.go(address + "frames")
        for first in range(0, len(given), 20):
            found += window.wait(READ + OPENED, first, min(first + 20, len(given)))
    return [each if each in (None, "no button") else b64decode(str(each)) for each in found]


def read_by_program(page: bytes) -> bytes | None:
    try:
        return logs_in_page(page, "page.html")[0]
    except UnreadableLog:
        return None


def test_page_and_program_read_the_same_blocks_between_commas(window: Browser) -> None:
    page, own = page_of(golden(OWN)).decode(), rows(OWN)
    exact = f"{EXACT}{own}</script>"
    assert exact in page
    given = [page.replace(exact, f"{EXACT}{each(own)}</script>").encode() for each in COMMAS]
    programs = [read_by_program(each) for each in given]
    assert read_by_button(window, given) == programs
    assert (programs.count(golden(OWN)), programs.count(None)) == (3, 13)


@pytest.mark.deep
def test_button_and_program_read_the_same_log_or_refuse_the_same_pages(window: Browser) -> None:
    named = list(pages(random.Random("containers"), MUTANTS))
    found = read_by_button(window, [page for _, page in named])
    assert len(found) == MUTANTS
    wrong, accepted, dead = [], 0, 0
    for (what, page), button in zip(named, found, strict=True):
        program = read_by_program(page)
        dead += button == "no button"  # the inserted text swallows the page's scripts
        accepted += button is not None and button == program
        if button not in ("no button", program):
            wrong.append(f"{what}: button {_short(button)}, program {_short(program)}")
    assert wrong == []
    assert accepted > 60
    assert dead < 60


@pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.deep)])
def test_page_and_program_never_read_two_different_logs_from_a_page(
    window: Browser, half: int
) -> None:
    """The page may refuse a log that the program reads, and the program one that the page reads."""
    named = list(two_logs())[half::2]
    for (what, page), button in zip(
        named, read_by_button(window, [p for _, p in named]), strict=True
    ):
        program = read_by_program(page)
        assert button in ("no button", None, program) or program is None, what


def _short(log: object) -> str:
    return "refuses" if log is None else f"reads {len(log)} bytes"  # type: ignore[arg-type]
