"""Numbers as columns, drawn in SVG: one column for each value, from a line at 0.

# Rule 1: a plot is honest. Its axis begins at 0, its columns are as wide as each other, no value is
#         left out, and the numbers stand in a table behind it.
# Rule 2: what is drawn here are numbers and our own words alone; they are escaped all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ginpeer.statistics.counts import Counts

_WIDE, _HIGH = 640, 200  # units of the drawing
_LEFT, _RIGHT, _ABOVE, _BELOW = 64, 8, 12, 28
_NAMED = 9  # columns of which each is named; of more, some


@dataclass(frozen=True, slots=True)
class Plot:
    """Columns with names, and what they are."""

    title: str
    across: str
    """What the names are."""
    up: str
    """What the values are."""
    columns: tuple[tuple[int, int], ...]
    """The name and the value of each."""


def plots_of(counts: Counts) -> list[Plot]:
    """What is worth drawing of these counts."""
    made = [
        Plot(
            "By how much each match was won or lost",
            "Match, in the order in which they were played",
            "Your total less the other player's",
            tuple(enumerate(counts.margins, 1)),
        ),
        Plot(
            "In which of your turns you ended a hand",
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
    """From the least value to the greatest, those between that never were with 0."""
    if not counter:
        return ()
    return tuple((value, counter.get(value, 0)) for value in range(min(counter), max(counter) + 1))


def figure(plot: Plot, identity: str) -> str:
    """The figure as HTML: the drawing, what it shows in words, and the table behind it.
    *identity*: a word that no other element of the page is called by."""
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
    return f"{len(values)} columns, from {min(values)} to {max(values)}; the numbers stand below."


def _span(plot: Plot) -> tuple[int, int]:
    """From where to where the axis goes; 0 is on it."""
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
