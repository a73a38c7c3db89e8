"""What is packed into an archive, and what came of one that was put back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from cli.words.grammar import plural
from cli.words.match_list import status_text
from ginpeer.keeper.archive import Chosen, PutBack

_SHOWN = 20  # names in a sentence


def about(chosen: Chosen) -> str:
    """What stands in an archive of itself: the same for the same matches, whoever packs them."""
    lines = [
        "Matches of gin rummy, packed by ginpeer.",
        "",
        "Each file in the folder matches is the signed log of a match, byte for byte, or evidence",
        "beside it. ginpeer archive --restore puts them into a home; ginpeer verify judges each.",
        "What the lines below say is what the last entries of each log claim.",
        "",
    ]
    for listed in sorted(chosen.packed, key=lambda one: (one.match.modified, one.match.name)):
        day = time.strftime("%Y-%m-%d", time.gmtime(listed.match.modified))
        claimed = status_text(replace(listed, own=None))  # its reader is not "you"
        lines.append(f"{listed.match.name}  {day}  {claimed}")
    return "\n".join((*lines, ""))


def packed_lines(chosen: Chosen, named: str) -> Iterator[str]:
    """What was written, and what was left out."""
    yield f"{_matches(len(chosen.packed))} packed into {named}"
    if chosen.going_on:
        names = _names([listed.match.short for listed in chosen.going_on])
        yield (
            f"Left out, because not finished: {names}. A match that can go on is in one place only."
        )
    if chosen.unsound:
        names = _names([listed.match.short for listed in chosen.unsound])
        yield f"Left out, because the log cannot be read or does not hold: {names}."


def put_back_lines(done: PutBack) -> Iterator[str]:
    """What was put back, and what lay here."""
    yield f"{plural(len(done.written), 'file')} put back."
    if done.there:
        yield f"{plural(len(done.there), 'file was', 'files were')} here already, and the same."


def stopped_lines(done: PutBack) -> Iterator[str]:
    """What was put back before something stood in the way of the rest; nothing where nothing was.
    The same command goes on behind it, for what lies here is left."""
    if done.written:
        yield (
            f"Put back before it stopped: {_names(done.written)}. This stays, and the same command "
            "leaves it as it is when it is typed again."
        )


def left_out_line(done: PutBack) -> str:
    """Say what was not put back, and why; empty if everything was."""
    told = []
    if done.differ:
        told.append(
            f"Not put back, because different files are already here: {_names(done.differ)}. "
            "The files here are unchanged."
        )
    if done.alone:
        told.append(
            f"Evidence that was not put back: {_names(done.alone)}. Evidence needs the log of its "
            "match from the same archive, and is never added to a match that you played."
        )
    return " ".join(told)


def refused_line(done: PutBack) -> str:
    """The sentence on what is no log of its name."""
    first, *others = done.refused
    if not others:
        return first
    verb = "is no such log" if len(others) == 1 else "are no such logs"
    return f"{first} {plural(len(others), 'other file')} of it {verb} either."


def _matches(count: int) -> str:
    return plural(count, "match", "matches")


def _names(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
