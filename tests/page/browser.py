"""A real browser for the page: Chromium, by the W3C protocol of its chromedriver.

Only as much of the protocol as these tests use, over plain HTTP on loopback. The browser has a
profile of its own and no network: whatever a page asks for leads nowhere, and is told.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.free_port import free_port

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
MISSING = "no Chromium with its chromedriver: apt install chromium chromium-driver"

SIZES = {"phone": (360, 740), "tablet": (820, 1180), "desk": (1440, 900)}

_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--force-color-profile=srgb", "--disable-dev-shm-usage"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
_KEYS = {
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
    "End": "\ue010",
    "Home": "\ue011",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "Tab": "\ue004",
    "Enter": "\ue007",
}


_UNPACKED = """
const done = arguments[0];
const ask = () => document.body.classList.contains('live')
  || document.getElementById('unable')?.hidden !== true;
(function again() { if (ask()) done(); else setTimeout(again, 5); })();
"""
"""A page that unpacks itself is ready when its table stands, or it says that none can."""


class Browser:
    """One window."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._session = ""
        self._scripts = True

    def wait_for_driver(self) -> None:
        for _ in range(200):
            try:
                if self._ask("GET", "/status")["ready"]:
                    return
            except ConnectionError:
                time.sleep(0.05)
        raise TimeoutError("chromedriver does not answer")

    def begin(self, profile: str) -> None:
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {
                "binary": CHROMIUM,
                "args": [*_FLAGS, f"--user-data-dir={profile}"],
            },
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "unhandledPromptBehavior": "ignore",
        }
        made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{made['sessionId']}"

    def end(self) -> None:
        self._ask("DELETE", self._session)

    def open(self, page: Path, step: str = "") -> None:
        """The page from the disk, at a step; read anew also where it is open already."""
        self._do("POST", "/url", {"url": "about:blank"})
        self._do("POST", "/url", {"url": page.as_uri() + (f"#{step}" if step else "")})
        if self._scripts:
            self.wait(_UNPACKED)

    def go(self, address: str) -> None:
        """Some page at an address."""
        self._do("POST", "/url", {"url": address})

    def run(self, script: str, *given: Any) -> Any:
        """What this JavaScript returns."""
        return self._do("POST", "/execute/sync", {"script": script, "args": list(given)})

    def wait(self, script: str, *given: Any) -> Any:
        """What this JavaScript gives its last argument, a function."""
        return self._do("POST", "/execute/async", {"script": script, "args": list(given)})

    def press(self, key: str) -> None:
        """One key, for whatever has the focus."""
        value = _KEYS.get(key, key)
        actions = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        typed = {"actions": [{"type": "key", "id": "keys", "actions": actions}]}
        self._do("POST", "/actions", typed)

    def look(self, size: tuple[int, int], scheme: str, *, motion: bool = False) -> None:
        """The window in this size, light or dark."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._devtools("Emulation.setDeviceMetricsOverride", metrics)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"},
        ]
        self._devtools("Emulation.setEmulatedMedia", {"features": features})

    def scripts(self, allowed: bool) -> None:
        """Whether pages that are opened from now on may run scripts."""
        self._devtools("Emulation.setScriptExecutionDisabled", {"value": not allowed})
        self._scripts = allowed

    def picture(self, whole: bool = False) -> bytes:
        """What is in view, or the whole page, as PNG."""
        asked = {"format": "png", "captureBeyondViewport": whole}
        return b64decode(self._devtools("Page.captureScreenshot", asked)["data"])

    def printed(self) -> bytes:
        """The page as PDF."""
        return b64decode(self._devtools("Page.printToPDF", {})["data"])

    def console(self) -> list[str]:
        """What the browser has complained about since it was asked last."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """What was asked of any network or disk since this was asked last."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def alert(self) -> str | None:
        """The text of a box that a script has put up."""
        try:
            return str(self._do("GET", "/alert/text"))
        except LookupError:
            return None

    def _log(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._do("POST", "/se/log", {"type": kind})
        return found

    def _devtools(self, command: str, params: dict[str, Any]) -> Any:
        return self._do("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def _do(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._ask(method, self._session + path, body)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=120)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(value, dict) and "error" in value:
            raise LookupError(f"{value['error']}: {value['message'][:600]}")
        return value


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser, until the end of the block. There must be one: ask CHROMIUM and DRIVER before."""
    assert DRIVER is not None
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([DRIVER, f"--port={port}"], stdout=quiet, stderr=quiet)
        try:
            made = Browser(port)
            made.wait_for_driver()
            made.begin(profile)
            try:
                yield made
            finally:
                made.end()
        finally:
            process.terminate()
            process.wait(10)
