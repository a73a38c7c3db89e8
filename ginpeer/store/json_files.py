"""Declares, reads and writes the small JSON files of a home.

A file's size is checked before it is read. Its contents are declared once, as a dataclass. Every
field's type and bounds are checked when it is read. Fields that the class lacks are ignored, and a
field with a default may be missing: another version may have written the file. A file is replaced
as a whole, and is durable once it has been written. Most of these files can be lost without harm,
so one that can't be read counts as missing, except the known peers and a match to be resumed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum, EnumType
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from ginpeer.store import files

R = TypeVar("R")

LATEST: Final = 253_402_214_400
"""The latest time that can be displayed, the last day of 9999, in seconds since 1970."""


Check = Callable[[Any], Any]
"""A check on a field beyond its type, declared as in ``Annotated[int, within(0, 9)]``. It returns
the value, perhaps changed, or raises ValueError."""


def within(least: int, most: int) -> Check:
    def check(number: int) -> int:
        if not least <= number <= most:
            raise ValueError(f"not from {least} to {most}")
        return number

    return check


def at_most(length: int) -> Check:
    """Accept strings of at most this many characters."""

    def check(text: str) -> str:
        if len(text) > length:
            raise ValueError(f"longer than {length} characters")
        return text

    return check


def of_32_bytes(value: bytes) -> bytes:
    """Accept values that are as long as a key or a table id."""
    if len(value) != 32:
        raise ValueError("not 32 bytes")
    return value


def decode(
    kind: type[R], document: object, *, version: int | None = None, lenient: bool = False
) -> R:
    """Return a record of this kind from a JSON document, which must state *version* if one is
    given. If *lenient*, a default replaces an unusable value. Raises ValueError."""
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    if version is not None and document.get("version") != version:
        raise ValueError("another version")
    found: dict[str, Any] = {}
    types = _types(kind)  # type: ignore[arg-type]
    for each in fields(kind):  # type: ignore[arg-type]
        if each.name in document:
            try:
                found[each.name] = _value(types[each.name], document[each.name])
            except ValueError:
                if not lenient or each.default is MISSING:
                    raise
    try:
        return kind(**found)
    except TypeError as why:
        raise ValueError("a field is missing") from why


@cache
def _types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _value(declared: Any, value: object) -> Any:
    """Convert a JSON value to the declared type (the inverse of ``plain``)."""
    if type(value) is declared:  # a bool isn't a number here
        return value
    origin, inside = get_origin(declared), get_args(declared)
    if origin is Annotated:
        found = _value(inside[0], value)
        for check in inside[1:]:
            found = check(found)
        return found
    if origin is tuple and isinstance(value, list):
        if inside[-1] is ...:
            return tuple(_value(inside[0], each) for each in value)
        if len(value) == len(inside):
            return tuple(map(_value, inside, value))
    elif origin is Literal:
        if value in inside:
            return value
    elif NoneType in inside:
        for kind in inside:  # the first that fits
            with suppress(ValueError):
                return _value(kind, value)
    elif declared is bytes and isinstance(value, str):
        return bytes.fromhex(value)
    elif isinstance(declared, type) and is_dataclass(declared):
        return decode(declared, value)
    elif isinstance(declared, EnumType):
        return declared(value)
    raise ValueError(f"{str(value)[:40]!r} is not {declared}")


def plain(value: Any) -> Any:
    """Return a value in its JSON form: bytes as hexadecimal, tuples as lists, records as
    objects."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return value.value if isinstance(value, Enum) else value


def read_json(path: Path, limit: int) -> Any:
    """Return the document in a file of at most *limit* bytes, or None if it can't be read."""
    try:
        return json.loads(files.read_small(path, limit))
    except (OSError, ValueError, RecursionError):
        return None


def read_record(
    kind: type[R], path: Path, limit: int, *, version: int | None = None, lenient: bool = False
) -> R | None:
    """Return the record in a file of at most *limit* bytes, or None if it can't be read."""
    try:
        return decode(kind, read_json(path, limit), version=version, lenient=lenient)
    except ValueError:
        return None


def json_bytes(document: object, indent: int | None = 1) -> bytes:
    return json.dumps(document, indent=indent).encode("ascii") + b"\n"


def write_json(path: Path, document: object, indent: int | None = 1) -> None:
    """Write this document to the file, replacing any earlier one. Raises StoreError."""
    files.write_atomically(path, json_bytes(document, indent), replace=True)


def remove(path: Path) -> None:
    """Remove a file, if there is one. Raises StoreError."""
    with files.store_errors("remove", path), suppress(FileNotFoundError):
        files.unlink(path)
