"""The grammar of our sentences: you and the others, verbs, one and many, numbers read aloud."""

from __future__ import annotations

YOU = "You"
_NAMELESS = ("the host", "the guest", "the other player")
_FIRST = {each: f"T{each[1:]}" for each in _NAMELESS}
_WITHIN = {YOU: "you", **{at_start: each for each, at_start in _FIRST.items()}}


def names_seen_by(names: tuple[str, str], seat: int | None) -> tuple[str, str]:
    """Display names as this seat reads them: the own one is "You"."""
    if seat is None:
        return names
    return (YOU, names[1]) if seat == 0 else (names[0], YOU)


def verb(name: str, base: str) -> str:
    """The verb as it stands with this subject: verb("Ann", "pass") is "passes"."""
    if name == YOU:
        return base
    return f"{base}es" if base.endswith(("s", "o")) else f"{base}s"


def does(name: str, base: str) -> str:
    """Subject and verb, to begin a sentence: "Ann passes", "You pass", "The guest passes"."""
    return f"{at_start(name)} {verb(name, base)}"


def at_start(name: str) -> str:
    """A name at the beginning of a sentence: "Ann", "The guest"."""
    return _FIRST.get(name, name)


def inside(name: str) -> str:
    """A name within a sentence: "Ann", "you", "the other player"."""
    return _WITHIN.get(name, name)


def plural(count: int, one: str, many: str | None = None) -> str:
    """ "1 card", "2 cards"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def duration(minutes: int) -> str:
    """ "2 minutes", "1 hour"."""
    if minutes % 60:
        return plural(minutes, "minute")
    return plural(minutes // 60, "hour")


def number(value: int) -> str:
    """A number as it is read aloud: "5", "minus 5", for many screen readers skip a sign."""
    return str(value) if value >= 0 else f"minus {-value}"
