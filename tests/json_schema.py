"""The schemas in proto/, and whether a document matches one.

A float isn't an integer, even without a fraction: our documents never use one for the other.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from referencing import Registry, Resource

PROTO = Path(__file__).parent.parent / "proto"

_STRICT = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


@cache
def schema_named(file: str) -> dict[str, Any]:
    """Return the schema in this file of proto/, after checking the schema itself."""
    found: dict[str, Any] = json.loads((PROTO / file).read_text(encoding="utf-8"))
    _STRICT.check_schema(found)
    return found


@cache
def _validator(file: str) -> Any:
    registry = Registry(retrieve=lambda name: Resource.from_contents(schema_named(name)))  # type: ignore[call-arg]
    return _STRICT(schema_named(file), registry=registry)


def faults(file: str, document: Any) -> list[str]:
    """Return the differences between a document and the schema in this file of proto/."""
    return [
        f"{error.json_path}: {error.message}" for error in _validator(file).iter_errors(document)
    ]


def is_valid(file: str, document: Any) -> bool:
    """Return whether a document matches the schema, stopping at the first fault."""
    return bool(_validator(file).is_valid(document))
