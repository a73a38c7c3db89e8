"""The frame of a page: its style, its script, its log, and the policy that lets nothing else run.

Rule 1: everything from outside the package passes through text(), even if somebody has cleaned it
        before. A template is filled in one pass, so inserted text is never searched for slots.
Rule 2: the page's own style and scripts are allowed by their hashes, and nothing else: no handler
        in an attribute, no address, no frame, no form. Even if a browser found markup in a name,
        it would run none of it. Scripts insert text only as text. The policy enforces this
        (require-trusted-types-for) in browsers that support it.
Rule 3: the script is packed, which halves the page. The packed form is committed, so every machine
        makes the same bytes. The policy has the hash of the unpacked script, so nothing else can be
        unpacked and run. What a person reads without scripts isn't packed.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib import resources

from ginpeer.store.page_log import log_element

_SLOT = re.compile(r"\{\{([a-z]+)\}\}")


def text(plain: str) -> str:
    """Return plain text as HTML that is also safe in a quoted attribute. ``=`` is escaped, so that
    no name can look like the tag of the log (ginpeer.store.page_log)."""
    return html.escape(plain, quote=True).replace("=", "&#61;")


def filled(template: str, slots: Mapping[str, str]) -> str:
    """Return the template with its slots filled by HTML. Raises KeyError for a slot without a
    value."""
    return _SLOT.sub(lambda found: slots[found[1]], template)


def framed(
    slots: Mapping[str, str], logs: Iterable[bytes], version: str, *, styles: Sequence[str]
) -> bytes:
    """Return the page with these contents in UTF-8. *styles*: the names of its style sheets."""
    style, load = "\n".join(map(part, styles)), part("load.js")
    own = {
        "policy": _policy(style, (load, script())),
        "version": text(version),
        "style": style,
        "log": log_element(*logs),
        "packed": part("verifier/dist/page.packed"),
        "script": load,
    }
    return filled(part("page.html"), {**slots, **own}).encode("utf-8")


def part(name: str) -> str:
    """Return one of this package's own files, like page.css, without indentation and comment lines,
    which nobody reads in a page."""
    lines = (line.strip() for line in _own(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("// "))


def script() -> str:
    """Return the script whose packed form a page contains."""
    return _own("verifier/dist/page.js")


def _own(name: str) -> str:
    return resources.files("ginpeer.page").joinpath(name).read_bytes().decode("utf-8")


def _policy(style: str, scripts: Iterable[str]) -> str:
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(map(source_hash, scripts))}",
        f"style-src {source_hash(style)}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        # load.js unpacks the script, and the script starts a worker of its own source.
        "trusted-types ginpeer-page ginpeer-verify",
        "worker-src blob:",
    ]
    return text("; ".join(rules))


def source_hash(source: str) -> str:
    """Return the name that a policy uses for a script or style with this text."""
    return f"'sha256-{b64encode(sha256(source.encode('utf-8')).digest()).decode('ascii')}'"
