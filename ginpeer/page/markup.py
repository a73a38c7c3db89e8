"""Text in HTML.

# Rule 1: whatever comes from outside the package passes through text(), no matter who has looked
#         at it before.
# Rule 2: a template is filled in one pass: what was put in is never looked at for slots again.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

_SLOT = re.compile(r"\{\{([a-z]+)\}\}")


def text(plain: str) -> str:
    """Plain text as HTML, also between quotation marks of an attribute."""
    return html.escape(plain, quote=True)


def filled(template: str, slots: Mapping[str, str]) -> str:
    """The template with its slots filled by HTML. Raises KeyError for a slot that nothing fills."""
    return _SLOT.sub(lambda found: slots[found[1]], template)
