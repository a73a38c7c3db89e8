"""One page that shows statistics: nothing in it runs, and nothing is fetched from anywhere.

# Rule 1: every text is escaped here, whatever it is and whoever has cleaned it before.
# Rule 2: the policy in its head allows this one style sheet, by its hash, and nothing else: no
#         script, no picture, no font, no form, no connection.
# Rule 3: what is drawn stands there in words and in a table, too; and colour says nothing alone:
#         what was lost hangs below the line.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape

from ginpeer.statistics.plots import figure, plots_of
from ginpeer.statistics.summary import Summary

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2320; --paper: #fbfaf6; --soft: #66706b;
  --won: #1c6b4a; --lost: #a8442a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ece9; --paper: #141917; --soft: #9aa6a0; --won: #5fc795; --lost: #ef8f72; }
}
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1.05rem/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
figure { margin: 1.5rem 0; } svg { width: 100%; height: auto; display: block; }
figcaption, footer { color: var(--soft); font-size: 0.9rem; }
.axis { stroke: var(--soft); stroke-width: 0.7; }
.won { fill: var(--won); } .lost { fill: var(--lost); }
text { fill: var(--soft); font: 18px system-ui, sans-serif; }
.value { text-anchor: end; } .name { text-anchor: middle; }
table { border-collapse: collapse; margin: 0.5rem 0; }
th, td { text-align: right; padding: 0.15rem 0.8rem 0.15rem 0; font-weight: normal; }
thead th { text-align: left; color: var(--soft); }
summary { cursor: pointer; }
"""


def page(summary: Summary, title: str, sections: Sequence[tuple[str, Sequence[str]]]) -> bytes:
    """The page as it is written to a file. *sections*: headings, and the lines below each, in
    words."""
    allowed = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    )
    told = (
        f"<section><h2>{escape(heading)}</h2>\n"
        + "\n".join(f"<p>{escape(line)}</p>" for line in lines)
        + "</section>"
        for heading, lines in sections
    )
    figures = [figure(plot, f"plot-{at}") for at, plot in enumerate(plots_of(summary.people), 1)]
    plots = "<section><h2>Drawn</h2>\n" + "\n".join(figures) + "</section>" if figures else ""
    lines = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{escape(title)}</h1>",
        *told,
        plots,
        "</main>",
        "</body>",
        "</html>",
        "",
    )
    return "\n".join(lines).encode("utf-8", "backslashreplace")
