"""One page that shows statistics, with charts in SVG; it runs nothing and loads nothing.

# Rule 1: every text is escaped here, even if somebody has cleaned it before.
# Rule 2: the policy in the head allows this one style sheet, by its hash, and nothing else: no
#         script, no image, no font, no form, no connection.
# Rule 3: everything in a chart is also there in words and in a table. Nothing depends on colour
#         alone: losses are below the line.
# Rule 4: a chart is honest. Its axis includes 0, its columns are equally wide, and no value is left
#         out.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ginpeer.statistics.counts import Counts
from ginpeer.statistics.summary import Summary

# --- charts ---------------------------------------------------------------------------

_WIDE, _HIGH = 640, 200  # units of the drawing
_LEFT, _RIGHT, _ABOVE, _BELOW = 64, 8, 12, 28
_NAMED = 9  # with more columns than this, only some are labelled


@dataclass(frozen=True, slots=True)
class Plot:
    """A column chart: one column for each value, from a line at 0."""

    title: str
    across: str
    """The label of the horizontal axis."""
    up: str
    """The label of the values."""
    columns: tuple[tuple[int, int], ...]
    """The name and the value of each column."""


def plots_of(counts: Counts) -> list[Plot]:
    """Return the charts that these counts have data for."""
    made = [
        Plot(
            "The margin of each match",
            "Match, in the order played",
            "Your total minus your opponent's",
            tuple(enumerate(counts.margins, 1)),
        ),
        Plot(
            "The turn in which you ended a hand",
            "Your turn",
            "Hands",
            _without_gaps(counts.turns),
        ),
        Plot(
            "Your deadwood when you knocked", "Deadwood", "Hands", _without_gaps(counts.deadwoods)
        ),
    ]
    return [plot for plot in made if plot.columns]


def _without_gaps(counter: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """Return the count of every value from the least to the greatest; 0 if it never occurred."""
    if not counter:
        return ()
    return tuple((value, counter.get(value, 0)) for value in range(min(counter), max(counter) + 1))


def figure(plot: Plot, identity: str) -> str:
    """Return the figure as HTML: the chart, its description in words, and its table. *identity*
    must be unique in the page."""
    title, across, up = (escape(text) for text in (plot.title, plot.across, plot.up))
    return "\n".join(
        (
            "<figure>",
            f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-labelledby="{identity}">',
            f'<title id="{identity}">{title}. {escape(_in_words(plot))}</title>',
            *_axis(plot),
            *_columns(plot),
            "</svg>",
            f"<figcaption>{title}. Across: {across}. Up: {up}.</figcaption>",
            f"<details><summary>The numbers: {title}</summary>",
            f'<table><thead><tr><th scope="col">{across}</th>',
            f'<th scope="col">{up}</th></tr></thead><tbody>',
            *(
                f'<tr><th scope="row">{name}</th><td>{value}</td></tr>'
                for name, value in plot.columns
            ),
            "</tbody></table></details>",
            "</figure>",
        )
    )


def _in_words(plot: Plot) -> str:
    values = [value for _, value in plot.columns]
    return f"{len(values)} columns, from {min(values)} to {max(values)}; the numbers follow."


def _span(plot: Plot) -> tuple[int, int]:
    """Return the ends of the value axis, which includes 0."""
    values = [value for _, value in plot.columns]
    least, most = min(0, *values), max(0, *values)
    return least, max(most, least + 1)


def _at(value: int, span: tuple[int, int]) -> float:
    least, most = span
    return _ABOVE + (most - value) * (_HIGH - _ABOVE - _BELOW) / (most - least)


def _axis(plot: Plot) -> Iterator[str]:
    span = _span(plot)
    for value in dict.fromkeys((span[1], 0, span[0])):
        y = f"{_at(value, span):.1f}"
        yield f'<line class="axis" x1="{_LEFT}" x2="{_WIDE - _RIGHT}" y1="{y}" y2="{y}"/>'
        yield f'<text class="value" x="{_LEFT - 6}" y="{y}" dy="0.35em">{value}</text>'


def _columns(plot: Plot) -> Iterator[str]:
    span = _span(plot)
    step = (_WIDE - _LEFT - _RIGHT) / len(plot.columns)
    every = _every(plot.columns)
    for at, (name, value) in enumerate(plot.columns):
        x, zero, top = _LEFT + at * step, _at(0, span), _at(value, span)
        kind = "won" if value >= 0 else "lost"
        yield (
            f'<rect class="{kind}" x="{x + step * 0.1:.2f}" width="{step * 0.8:.2f}" '
            f'y="{min(zero, top):.1f}" height="{abs(zero - top):.1f}"/>'
        )
        if at % every == 0:
            yield f'<text class="name" x="{x + step / 2:.1f}" y="{_HIGH - 6}">{name}</text>'


def _every(columns: Sequence[tuple[int, int]]) -> int:
    return max(1, -(-len(columns) // _NAMED))


# --- the page -------------------------------------------------------------------------

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
    """Return the page as the bytes of a file. *sections* are headings, each with its lines of
    text."""
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
