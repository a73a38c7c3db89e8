"""One page that shows statistics, with charts in SVG; it runs nothing and loads nothing.

Rule 1: every text is escaped here, even if somebody has cleaned it before.
Rule 2: the policy in the head allows this one style sheet, by its hash, and nothing else: no
        script, no image, no font, no form, no connection.
Rule 3: everything in a chart is also there in words and in a table. Nothing depends on colour
        alone: losses are below the line.
Rule 4: a chart is honest. Its axis includes 0, its columns are equally wide, and no value is left
        out. Colours and fonts are those of a match's page (ginpeer/page/page.css).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from ginpeer.statistics.summary import Counts


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the statistics, in words. Each row has a name, our value and our opponents'."""

    heading: str
    figures: tuple[tuple[str, str], ...] = ()
    counts: Counts | None = None  # what the charts show
    rows: tuple[tuple[str, str, str], ...] = ()
    lines: tuple[str, ...] = ()


# --- charts ---------------------------------------------------------------------------

_WIDE, _HIGH = 640, 200  # units of the drawing
_LEFT, _RIGHT, _ABOVE, _BELOW = 64, 8, 12, 28
_LABEL = 18  # the height of a label
_NAMED = 9  # with more columns than this, only some are labelled
MIN_PLOTTED = 5  # fewer values than this aren't drawn


@dataclass(frozen=True, slots=True)
class Plot:
    """A column chart: one column for each value, from a line at 0."""

    title: str
    across: str  # the label of the horizontal axis
    up: str  # the label of the values
    columns: tuple[tuple[int, int], ...]  # the name and the value of each column


def plots_of(counts: Counts) -> list[Plot]:
    """Return the charts that these counts have enough data for; the running sum comes first."""
    made = [
        Plot(
            "Your lead after each match",
            "Match, in the order played",
            "Sum of your totals minus your opponents'",
            tuple(enumerate(accumulate(counts.margins), 1)),
        ),
        Plot(
            "The turn in which you ended a hand", "Your turn", "Hands", _without_gaps(counts.turns)
        ),
        Plot(
            "Your deadwood when you knocked", "Deadwood", "Hands", _without_gaps(counts.deadwoods)
        ),
    ]
    enough = (len(counts.margins), counts.turns.total(), counts.deadwoods.total())
    return [plot for plot, values in zip(made, enough, strict=True) if values >= MIN_PLOTTED]


def _without_gaps(counter: dict[int, int]) -> tuple[tuple[int, int], ...]:
    """Return the count of every value from the least to the greatest; 0 if it never occurred."""
    if not counter:
        return ()
    return tuple((value, counter.get(value, 0)) for value in range(min(counter), max(counter) + 1))


def figure(plot: Plot, identity: str) -> str:
    """Return a chart as HTML, with its numbers in a table. *identity* is unique in the page."""
    title, across, up = (escape(text) for text in (plot.title, plot.across, plot.up))
    values = [value for _, value in plot.columns]
    columns = "1 column" if len(values) == 1 else f"{len(values)} columns"
    span = f"{columns}, from {min(values)} to {max(values)}; the numbers follow."
    return "\n".join(
        (
            "<figure>",
            f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-labelledby="{identity}">',
            f'<title id="{identity}">{title}. {span}</title>',
            *_axis(plot),
            *_columns(plot),
            "</svg>",
            f"<figcaption>{title}. Horizontal: {across}. Vertical: {up}.</figcaption>",
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
        if value and abs(_at(value, span) - _at(0, span)) < _LABEL:
            continue  # its label would overlap that of 0
        yield f'<text class="value" x="{_LEFT - 6}" y="{y}" dy="0.35em">{value}</text>'


def _columns(plot: Plot) -> Iterator[str]:
    span = _span(plot)
    step = (_WIDE - _LEFT - _RIGHT) / len(plot.columns)
    every = max(1, -(-len(plot.columns) // _NAMED))
    for at, (name, value) in enumerate(plot.columns):
        x, zero, top = _LEFT + at * step, _at(0, span), _at(value, span)
        kind = "won" if value >= 0 else "lost"
        yield (
            f'<rect class="{kind}" x="{x + step * 0.1:.2f}" width="{step * 0.8:.2f}" '
            f'y="{min(zero, top):.1f}" height="{abs(zero - top):.1f}"/>'
        )
        if at % every == 0:
            yield f'<text class="name" x="{x + step / 2:.1f}" y="{_HIGH - 6}">{name}</text>'


# --- the page -------------------------------------------------------------------------

_STYLE = """
:root { color-scheme: light dark;
  --paper: #f7f4ed; --ink: #23282b; --soft: #5b6159; --line: #ddd7c9; --raised: #fffdf8;
  --accent: #1d5c45; --bad: #9b1c1c;
  --serif: Charter, "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, "Noto Serif", serif;
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181a; --ink: #eae7e0; --soft: #a9ada3; --line: #30363a; --raised: #1e2326;
    --accent: #8fd0b0; --bad: #ffb4ab; }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 var(--sans); }
main { max-width: 44rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1, h2 { font-family: var(--serif); } h2 { margin-top: 2rem; }
dl { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; }
dl div { flex: 1 1 9rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: .5rem; padding: .6rem 1rem; }
dt { color: var(--soft); font-size: .9rem; }
dd { margin: 0; font: 700 1.6rem/1.3 var(--serif); }
figure { margin: 1.5rem 0; } svg { width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .9rem; }
.axis { stroke: var(--soft); stroke-width: 0.7; }
.won { fill: var(--accent); } .lost { fill: var(--bad); }
text { fill: var(--soft); font: 18px var(--sans); }
.value { text-anchor: end; } .name { text-anchor: middle; }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { text-align: right; padding: .2rem 1.2rem .2rem 0; font-weight: normal; }
tr { border-bottom: 1px solid var(--line); }
th:first-child { text-align: left; } thead th { color: var(--soft); }
summary { cursor: pointer; }
"""


def page(title: str, sections: Sequence[Section]) -> bytes:
    allowed = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    )
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
        *(part for at, section in enumerate(sections, 1) for part in _parts(section, at)),
        "</main>",
        "</body>",
        "</html>",
        "",
    )
    return "\n".join(lines).encode("utf-8", "backslashreplace")


def _parts(section: Section, number: int) -> Iterator[str]:
    yield f"<section><h2>{escape(section.heading)}</h2>"
    if section.figures:
        yield "<dl>"
        for name, value in section.figures:
            yield f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        yield "</dl>"
    plots = [] if section.counts is None else plots_of(section.counts)
    drawn = [figure(plot, f"plot-{number}-{at}") for at, plot in enumerate(plots, 1)]
    yield from drawn[:1]
    if section.rows:
        yield '<table><thead><tr><th></th><th scope="col">you</th>'
        yield '<th scope="col">opponent</th></tr></thead><tbody>'
        for name, ours, theirs in section.rows:
            yield (
                f'<tr><th scope="row">{escape(name)}</th>'
                f"<td>{escape(ours)}</td><td>{escape(theirs)}</td></tr>"
            )
        yield "</tbody></table>"
    yield from (f"<p>{escape(line)}</p>" for line in section.lines)
    yield from drawn[1:]
    yield "</section>"
