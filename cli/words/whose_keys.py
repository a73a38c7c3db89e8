"""Whose keys have played, and which logs are strangers' word alone.

# Beside each key it is said whether this home knows it (ginpeer.names.nicknames); who is called as
# somebody else is warned of, for names are what players call themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ginpeer.names.nicknames import KnownNames
from ginpeer.names.shown import called, in_marks
from ginpeer.tally.logs import TableLog
from protocol.crypto.identity import fingerprint


def key_lines(logs: Sequence[TableLog], known: KnownNames) -> Iterator[str]:
    """The players by their keys, and which logs are strangers' word alone."""
    names: dict[bytes, str] = {}
    for log in logs:
        for key, name in zip(log.keys, log.names, strict=True):
            names.setdefault(key, name)
    for key, name in names.items():
        yield _key(key, name, known)
    for log in logs:
        strange = [fingerprint(key) for key in log.keys if not known.knows(key)]
        if len(strange) == 2:
            yield (
                f"Careful: you have met neither player of {log.name}. One person with two keys can "
                "make up such a match; ask your friends whether these keys are theirs."
            )
        elif strange:
            yield f"Careful: you have never met a player of {log.name}, key {strange[0]}."


def _key(key: bytes, name: str, known: KnownNames) -> str:
    """Whose key this is, and what its player is called in the logs."""
    told = f"Key {fingerprint(key)}, called {in_marks(name)}"
    if key == known.own:
        return f"{told}: your own."
    if key not in known.met:
        return f"{told}: you have never met it.{_mistaken(key, name, known)}"
    friend = known.met[key].called
    known_as = f" as {in_marks(friend)}" if friend else ""
    return f"{told}: you know it{known_as}.{_mistaken(key, name, known)}"


def _mistaken(key: bytes, name: str, known: KnownNames) -> str:
    """A warning, where a player is called as somebody else is whom we know."""
    other = known.owner(key, name)
    if other is None:
        return ""
    friend = known.nickname(other) if known.is_nickname(other, name) else known.met[other].name
    return f" Careful: the {called(friend)} whom you know has another key, {fingerprint(other)}."
