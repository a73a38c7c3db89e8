"""The schemas in proto/, and what of a document doesn't match one of them.

A float isn't an integer, even if it has no fraction: our documents never write one for the other.
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
    """Return the schema in this file of proto/, which is itself checked."""
    found: dict[str, Any] = json.loads((PROTO / file).read_text(encoding="utf-8"))
    _STRICT.check_schema(found)
    return found


@cache
def _validator(file: str) -> Any:
    registry = Registry(retrieve=lambda name: Resource.from_contents(schema_named(name)))  # type: ignore[call-arg]
    return _STRICT(schema_named(file), registry=registry)


def faults(file: str, document: Any) -> list[str]:
    """Return what is wrong with a document by the schema in this file of proto/."""
    return [
        f"{error.json_path}: {error.message}" for error in _validator(file).iter_errors(document)
    ]
