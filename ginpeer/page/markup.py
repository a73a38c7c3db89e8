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
    """Return plain text as HTML, also for an attribute between quotation marks. Without `=`, so
    that no name can look like the tag of the log (ginpeer.store.page_log)."""
    return html.escape(plain, quote=True).replace("=", "&#61;")


def filled(template: str, slots: Mapping[str, str]) -> str:
    """The template with its slots filled by HTML. Raises KeyError for a slot that nothing fills."""
    return _SLOT.sub(lambda found: slots[found[1]], template)
