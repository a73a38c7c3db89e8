"""The grammar of our sentences: "you" and names, verbs, plurals, lists, numbers to read aloud."""

from __future__ import annotations

import time
from collections.abc import Iterable

YOU = "You"
_NAMELESS = ("the host", "the guest", "the other player")
_FIRST = {each: f"T{each[1:]}" for each in _NAMELESS}
_WITHIN = {YOU: "you", **{at_start: each for each, at_start in _FIRST.items()}}


def names_seen_by(names: tuple[str, str], seat: int | None) -> tuple[str, str]:
    """Return display names as this seat's player sees them: their own is "You"."""
    if seat is None:
        return names
    return (YOU, names[1]) if seat == 0 else (names[0], YOU)


def verb(name: str, base: str) -> str:
    """Return a verb in the form that its subject requires: verb("Ann", "pass") is "passes"."""
    if name == YOU:
        return base
    return f"{base}es" if base.endswith(("s", "o")) else f"{base}s"


def does(name: str, base: str) -> str:
    """Return subject and verb to begin a sentence: "Ann passes", "The guest passes"."""
    return f"{at_start(name)} {verb(name, base)}"


def at_start(name: str) -> str:
    """Return a name for the beginning of a sentence: "Ann", "The guest"."""
    return _FIRST.get(name, name)


def inside(name: str) -> str:
    """Return a name for use within a sentence: "Ann", "you", "the other player"."""
    return _WITHIN.get(name, name)


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count and its noun: "1 card", "2 cards"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def duration(minutes: int) -> str:
    """Return a duration and its unit: "2 minutes", "1 hour"."""
    if minutes % 60:
        return plural(minutes, "minute")
    return plural(minutes // 60, "hour")


def date_and_time(seconds: float) -> str:
    """Return a time since 1970 by the local clock: "2026-11-21 22:40"."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def ordinal(count: int) -> str:
    """Return "1st", "2nd", "3rd", "11th"."""
    endings = {} if count // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}
    return f"{count}{endings.get(count % 10, 'th')}"


def number(value: int) -> str:
    """Return "5" or "minus 5": many screen readers skip a minus sign."""
    return str(value) if value >= 0 else f"minus {-value}"


def score(ours: int, theirs: int) -> str:
    """Return two scores as they are read aloud: "104 to 62", "110 to minus 5"."""
    return f"{number(ours)} to {number(theirs)}"


def capital(text: str) -> str:
    """Return the text with its first character in upper case."""
    return text[:1].upper() + text[1:]


def listed(parts: Iterable[str], word: str = "and") -> str:
    """Return a list as text: "Ann, Ben and Cleo". It must not be empty."""
    *before, last = parts
    return f"{', '.join(before)} {word} {last}" if before else last
