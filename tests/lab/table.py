"""The table of scenes, one row each; README.md in this folder has a short form."""

from __future__ import annotations

from tests.lab.play import Played
from tests.lab.reading import sentences
from tests.lab.scene import CannotWork

HEAD = (
    *("scene", "options typed", "played", "invite", "connected", "reply code"),
    *("what was read", "as expected"),
)


def row(played: Played) -> tuple[str, ...]:
    """Return the cells of one scene; times in seconds."""
    return (
        played.scene.title,
        played.scene.options(),
        _match(played),
        _seconds(played.invited),
        _seconds(played.connected),
        "yes" if played.reply else "no",
        "" if played.verified else _read(played),
        "yes" if played.as_expected() else "NO",
    )


def _match(played: Played) -> str:
    if not played.verified:
        return "nothing"
    seconds = played.reconnected_after
    back = "" if seconds is None else f", the guest back after {seconds:.0f} s"
    ended = "" if played.ended is None else f", {played.ended:.0f} s"
    return f"a verified match{ended}{back}"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _read(played: Played) -> str:
    """Return how long it took to fail, and the last sentence that each player read."""
    told = [] if played.ended is None else [f"after {played.ended:.0f} s"]
    for name, lines in (("guest", played.guest), ("host", played.host)):
        said = sentences(lines)[-1:] or ["nothing"]
        told.append(f"{name}{' (still waiting)' if name in played.waiting else ''}: {said[0]}")
    return "; ".join(told)


def text(rows: list[Played]) -> str:
    """Return the whole table as Markdown."""
    lines = [HEAD, ("---",) * len(HEAD), *(row(played) for played in rows)]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(cell: str) -> str:
    return " ".join(cell.replace("|", "/").split())


def expectation(played: Played) -> str:
    """Describe the expected outcome of a scene that had a different one."""
    expected = played.scene.expected
    if isinstance(expected, CannotWork):
        return f"nothing is played, and the guest reads {expected.guest_reads!r}"
    if expected.reply is None:
        return "a verified match"
    return f"a verified match {'with' if expected.reply else 'without'} a reply code"
