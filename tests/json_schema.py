"""JSON Schema 2020-12, as much of it as the schemas in proto/ use.

A keyword that is not known here is an error: nothing of a schema is passed over. A reference to
another file is to one in proto/.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

PROTO = Path(__file__).parent.parent / "proto"

_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}
_SAYS_NOTHING = {"$schema", "$defs", "title", "description"}


@cache
def schema_named(file: str) -> dict[str, Any]:
    """The schema in this file of proto/."""
    found = json.loads((PROTO / file).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def faults(schema: dict[str, Any], value: Any, root: dict[str, Any] | None = None) -> list[str]:
    """What is wrong with the value, each with its place; nothing where it is valid."""
    return list(_faults(schema, value, root or schema, "$"))


def _faults(schema: dict[str, Any], value: Any, root: dict[str, Any], at: str) -> Iterator[str]:
    for keyword, says in schema.items():
        if keyword in ("title", "description"):
            assert isinstance(says, str), f"{at}: {keyword} is no text"
        if keyword in _SAYS_NOTHING or keyword in ("then", "else"):
            continue
        match keyword:
            case "$ref":
                file, _, inside = says.partition("#")
                there = schema_named(file) if file else root
                yield from _faults(_referred(there, inside), value, there, at)
            case "allOf":
                for each in says:
                    yield from _faults(each, value, root, at)
            case "oneOf":
                fit = sum(not list(_faults(each, value, root, at)) for each in says)
                if fit != 1:
                    yield f"{at} fits {fit} of the alternatives: {value!r}"
            case "if":
                branch = "else" if list(_faults(says, value, root, at)) else "then"
                yield from _faults(schema.get(branch, {}), value, root, at)
            case "properties":
                for name, part in says.items():
                    if isinstance(value, dict) and name in value:
                        yield from _faults(part, value[name], root, f"{at}.{name}")
            case "items":
                for number, item in enumerate(value if isinstance(value, list) else ()):
                    yield from _faults(says, item, root, f"{at}[{number}]")
            case _:
                if not _holds(keyword, says, value, schema):
                    yield f"{at} does not hold {keyword} {says!r}: {value!r}"


def _referred(root: dict[str, Any], reference: str) -> dict[str, Any]:
    found: Any = root
    for name in filter(None, reference.split("/")):
        found = found[name]
    assert isinstance(found, dict)
    return found


def _holds(keyword: str, says: Any, value: Any, schema: dict[str, Any]) -> bool:
    number = isinstance(value, int) and not isinstance(value, bool)
    match keyword:
        case "type":
            return any(_is(name, value) for name in ([says] if isinstance(says, str) else says))
        case "const":
            return _same(says, value)
        case "enum":
            return any(_same(each, value) for each in says)
        case "required":
            return not isinstance(value, dict) or set(says) <= set(value)
        case "additionalProperties" if says is False:
            return not isinstance(value, dict) or set(value) <= set(schema["properties"])
        case "pattern":
            return not isinstance(value, str) or re.search(says, value) is not None
        case "minLength":
            return not isinstance(value, str) or len(value) >= says
        case "minimum":
            return not number or value >= says
        case "maximum":
            return not number or value <= says
        case "minItems":
            return not isinstance(value, list) or len(value) >= says
        case "maxItems":
            return not isinstance(value, list) or len(value) <= says
    raise ValueError(f"no keyword that is known here: {keyword}")


def _is(name: str, value: Any) -> bool:
    if isinstance(value, bool):  # which Python takes for a number
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
