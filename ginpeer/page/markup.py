"""Text in HTML, and data in a script element.

# Rule 1: whatever comes from outside the package passes through text() or data(), no matter who has
#         looked at it before.
# Rule 2: a template is filled in one pass: what was put in is never looked at for slots again.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any

_SLOT = re.compile(r"\{\{([a-z]+)\}\}")
_IN_SCRIPT = {ord(each): f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"}


def text(plain: str) -> str:
    """Plain text as HTML, also between quotation marks of an attribute."""
    return html.escape(plain, quote=True)


def data(value: Any) -> str:
    """A value as JSON that neither ends the script element that it stands in nor begins a comment
    there: "<", ">", "&" and the two line ends of JavaScript are escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_IN_SCRIPT)


def filled(template: str, slots: Mapping[str, str]) -> str:
    """The template with its slots filled by HTML. Raises KeyError for a slot that nothing fills."""
    return _SLOT.sub(lambda found: slots[found[1]], template)
