"""Real browsers for the page: Chromium, through the W3C protocol of its chromedriver, and Firefox,
through Marionette, which has the same commands on its own socket.

This covers only what the tests use, over loopback. A browser has a new profile and no network, so a
page's requests fail, and are recorded.
"""

from __future__ import annotations

import json
import shutil
import socket
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
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
NO_FIREFOX = "no Firefox: apt install firefox-esr"

SIZES = {"phone": (360, 740), "tablet": (820, 1180), "desk": (1440, 900)}

_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--force-color-profile=srgb", "--disable-dev-shm-usage"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--js-flags=--single-threaded --no-opt",  # a tenth less processor time for such short scripts
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


_SHOWN = "return document.readyState === 'complete' && location.href.startsWith(arguments[0])"
_UNPACKED = """
const done = arguments[0];
const ask = () => document.querySelector('.live')
  || document.querySelector('[id$=unable]')?.hidden !== true;
(function again() { if (ask()) done(); else setTimeout(again, 5); })();
"""
"""Wait until a page that unpacks itself shows its table, or says that it cannot."""


class Browser:
    """A window of Chromium."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._session = ""
        self._scripts = True
        self._shown = ""

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
        """Open the page in this file at a step; reload it if it is already open."""
        if page.as_uri() == self._shown:  # going to another of its steps wouldn't reload it
            self.go("about:blank")
        self.go(page.as_uri() + (f"#{step}" if step else ""))
        self._shown = page.as_uri()
        deadline = time.monotonic() + 10
        if self._scripts:
            # Firefox may answer before it has left the previous page.
            while self.run(_SHOWN, page.as_uri()) is not True and time.monotonic() < deadline:
                time.sleep(0.02)
            self.wait(_UNPACKED)
            return
        while not self._holds("#packed + script") and time.monotonic() < deadline:
            time.sleep(0.05)  # otherwise, its last script could run once scripts are allowed again

    def _holds(self, selector: str) -> bool:
        root = self._devtools("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        try:
            found = self._devtools("DOM.querySelector", {"nodeId": root, "selector": selector})
        except LookupError:  # the page was loaded between the two commands
            return False
        return bool(found["nodeId"])

    def go(self, address: str) -> None:
        """Open an address."""
        self._shown = ""
        self._do("POST", "/url", {"url": address})

    def run(self, script: str, *given: Any) -> Any:
        """Run this JavaScript and return its result."""
        return self._do("POST", "/execute/sync", {"script": script, "args": list(given)})

    def wait(self, script: str, *given: Any) -> Any:
        """Run this JavaScript and return what it passes to its last argument, a callback."""
        return self._do("POST", "/execute/async", {"script": script, "args": list(given)})

    def press(self, key: str) -> None:
        """Press a key; the focused element gets it."""
        value = _KEYS.get(key, key)
        actions = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        typed = {"actions": [{"type": "key", "id": "keys", "actions": actions}]}
        self._do("POST", "/actions", typed)

    def click(self, x: float, y: float) -> None:
        """Click the mouse at this point of the window."""
        actions = [
            {"type": "pointerMove", "x": round(x), "y": round(y), "origin": "viewport"},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self._do("POST", "/actions", {"actions": [{**mouse, "actions": actions}]})

    def look(self, size: tuple[int, int], scheme: str, *, motion: bool = False) -> None:
        """Set the window's size and the colour scheme, light or dark."""
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._devtools("Emulation.setDeviceMetricsOverride", metrics)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "no-preference" if motion else "reduce"},
        ]
        self._devtools("Emulation.setEmulatedMedia", {"features": features})

    def scripts(self, allowed: bool) -> None:
        """Allow or forbid scripts in pages opened from now on."""
        self._devtools("Emulation.setScriptExecutionDisabled", {"value": not allowed})
        self._scripts = allowed

    def picture(self) -> bytes:
        """Return a picture of the visible part, as PNG."""
        return b64decode(self._devtools("Page.captureScreenshot", {"format": "png"})["data"])

    def console(self) -> list[str]:
        """Return the messages on the browser's console since the last call."""
        return [entry["message"] for entry in self._log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses requested from network or disk since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def alert(self) -> str | None:
        """Return the text of the open dialog box, or None."""
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


_PREFERENCES = """
user_pref("marionette.port", 0);
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 1);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 1);
user_pref("ui.prefersReducedMotion", 1);
user_pref("ui.useOverlayScrollbars", 1);
"""
_COMMANDS = {
    "/url": "WebDriver:Navigate",
    "/execute/sync": "WebDriver:ExecuteScript",
    "/execute/async": "WebDriver:ExecuteAsyncScript",
    "/actions": "WebDriver:PerformActions",
    "/alert/text": "WebDriver:GetAlertText",
}
_RECORD_REQUESTS = """
window.asked = [];
Services.obs.addObserver({observe(channel) {
  channel.QueryInterface(Ci.nsIChannel);
  if (!channel.loadInfo.triggeringPrincipal.isSystemPrincipal) window.asked.push(channel.URI.spec);
}}, "http-on-modify-request");
"""
_CONSOLE = """
const found = Services.console.getMessageArray();
Services.console.reset();
const {errorFlag, warningFlag} = Ci.nsIScriptError;
return found.filter((each) => each instanceof Ci.nsIScriptError)
  .filter(({sourceName, flags}) => /^(file|blob):/.test(sourceName) && !(flags & warningFlag))
  .map((each) => `${each.category}: ${each.errorMessage}`);
"""
_ALLOW_SCRIPTS = "gBrowser.selectedBrowser.browsingContext.allowJavascript = arguments[0];"
_SIZE = """
const style = gBrowser.selectedBrowser.style;
for (const [at, side] of ['width', 'height'].entries()) {
  const size = `${arguments[at]}px`;
  for (const which of ['', 'min-', 'max-']) style.setProperty(which + side, size);
}
"""


class Firefox(Browser):
    """A window of Firefox."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._stream = socket.create_connection(("127.0.0.1", port), 120).makefile("rwb")
        self._read()  # skip Firefox's greeting
        self._command("WebDriver:NewSession", {"unhandledPromptBehavior": "ignore"})
        self._in_chrome(_RECORD_REQUESTS)

    def end(self) -> None:
        self._command("Marionette:Quit", {"flags": ["eForceQuit"]})
        self._stream.close()

    def look(self, size: tuple[int, int], scheme: str = "light", *, motion: bool = False) -> None:
        """Set the size of the page; it is always light and without motion."""
        self._in_chrome(_SIZE, *size)
        self.wait(
            "const [width, height, done] = arguments;"
            "(function again() { if (innerWidth === width && innerHeight === height) done();"
            " else setTimeout(again, 10); })()",
            *size,
        )

    def scripts(self, allowed: bool) -> None:
        self._in_chrome(_ALLOW_SCRIPTS, allowed)
        self._scripts = allowed

    def console(self) -> list[str]:
        """Return the errors that pages have caused since the last call."""
        return list(self._in_chrome(_CONSOLE))

    def requests(self) -> list[str]:
        return list(self._in_chrome("return window.asked.splice(0);"))

    def _holds(self, selector: str) -> bool:
        return True  # Navigate waits for the whole page

    def _in_chrome(self, script: str, *given: Any) -> Any:
        """Run a script with the rights of the browser itself."""
        self._command("Marionette:SetContext", {"value": "chrome"})
        try:
            asked = {"script": script, "args": list(given)}
            return self._command("WebDriver:ExecuteScript", asked)
        finally:
            self._command("Marionette:SetContext", {"value": "content"})

    def _do(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return self._command(_COMMANDS[path], body or {})

    def _command(self, name: str, given: dict[str, Any]) -> Any:
        asked = json.dumps([0, 1, name, given]).encode()
        self._stream.write(b"%d:%s" % (len(asked), asked))
        self._stream.flush()
        _, _, error, result = self._read()
        if error:
            raise LookupError(f"{error['error']}: {error['message'][:600]}")
        return result.get("value")

    def _read(self) -> Any:
        length = b""
        while (sign := self._stream.read(1)) not in (b":", b""):
            length += sign
        return json.loads(self._stream.read(int(length)))


@contextmanager
def firefox() -> Iterator[Browser]:
    """Run Firefox until the end of the block. It must be installed: check FIREFOX first."""
    assert FIREFOX is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        Path(profile, "user.js").write_text(_PREFERENCES, encoding="ascii")
        flags = ("--headless", "--no-remote", "--marionette", "--remote-allow-system-access")
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(
            [FIREFOX, *flags, "--profile", profile], stdout=quiet, stderr=quiet
        )
        try:
            made = Firefox(_marionette_port(Path(profile, "MarionetteActivePort")))
            try:
                yield made
            finally:
                made.end()
        finally:
            process.terminate()
            process.wait(20)


def _marionette_port(told: Path) -> int:
    for _ in range(1200):
        if told.exists() and (port := told.read_text(encoding="ascii").strip()):
            return int(port)
        time.sleep(0.05)
    raise TimeoutError("Firefox does not answer")


@contextmanager
def browser() -> Iterator[Browser]:
    """Run Chromium until the end of the block. It must be installed: check CHROMIUM and DRIVER
    first."""
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
