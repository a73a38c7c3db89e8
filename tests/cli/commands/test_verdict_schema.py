"""The output of `ginpeer verify --json` fits proto/verdict.schema.json (PROTOCOL 13)."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from cli.main import main
from protocol import messages as m
from protocol.entry import kind_name
from tests.json_schema import PROTO, faults, is_valid, schema_named
from tests.matches.golden_logs import FOLDER, GOLDEN

FILE = "verdict.schema.json"
SCHEMA = schema_named(FILE)
DOCUMENT = (PROTO / "PROTOCOL.md").read_text(encoding="utf-8")


def verdict_on(path: Path | str) -> Any:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        main(["verify", "--json", str(path)])
    return json.loads(out.getvalue())


def frozen(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="ascii"))


def test_every_golden_verdict_matches_the_schema() -> None:
    for name in GOLDEN:
        assert faults(FILE, frozen(name)) == []


def test_the_golden_verdicts_include_every_kind() -> None:
    verdicts = {frozen(name)["verdict"] for name in GOLDEN}
    assert verdicts == set(SCHEMA["properties"]["verdict"]["enum"])


def test_the_verdict_on_a_file_that_is_not_a_log_matches_the_schema(tmp_path: Path) -> None:
    empty, other = tmp_path / "empty", tmp_path / "other"
    empty.touch()
    other.write_text("no log of ours")
    for path in (empty, other, tmp_path, tmp_path / "not-there"):
        assert faults(FILE, verdict_on(path)) == []


def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a document, but of only the first item of each list."""
    yield path
    for key, part in value.items() if isinstance(value, dict) else ():
        yield from parts(part, (*path, key))
    for number, part in enumerate(value[:1]) if isinstance(value, list) else ():
        yield from parts(part, (*path, number))


@pytest.mark.parametrize("name", ["hollywood", "evidence-fork", "incomplete"])
def test_any_deviation_from_the_schema_is_refused(name: str) -> None:
    """Replace each value with 0.5; leave out each key; and add an unknown key to each object."""
    document = frozen(name)
    for *path, last in list(parts(document))[1:]:
        inside = document
        for key in path:
            inside = inside[key]
        kept = inside[last]
        inside[last] = 0.5
        assert not is_valid(FILE, document), (*path, last)
        if isinstance(inside, dict):
            del inside[last]
            assert not is_valid(FILE, document), (*path, last)
        inside[last] = kept
        if isinstance(kept, dict):
            kept["more"] = None
            assert not is_valid(FILE, document), (*path, last)
            del kept["more"]
    assert is_valid(FILE, document)
    assert not is_valid(FILE, {**document, "more": None})


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("evidence-fork", "author", None),
        ("evidence-fork", "evidence", None),
        ("evidence-fork", "failing_entry", None),
        ("forged-flipped-bit", "author", "host"),
        ("forged-flipped-bit", "winner", "host"),
        ("incomplete", "owes", None),
        ("standard", "owes", {"role": "host", "what": "nothing"}),
        ("standard", "decided", False),
        ("standard", "code", "torn"),
        ("standard", "failing_entry", 3),
        ("standard", "players", []),
        ("standard", "verdict", "Valid"),
        ("standard", "started", -1),
        ("standard", "table", "ab"),
    ],
)
def test_inconsistent_values_are_refused(name: str, key: str, value: Any) -> None:
    assert faults(FILE, {**frozen(name), key: value})


def test_the_schema_has_every_kind_of_entry() -> None:
    kinds = SCHEMA["$defs"]["entry"]["properties"]["kind"]["enum"]
    assert set(kinds) == {*(kind_name(kind) for kind in m.Message.__args__), None}


def test_the_document_names_every_key_of_the_schema() -> None:
    section = DOCUMENT.split("\n13.1 ")[1].split("\nA page of several matches ")[0]
    keys = [word for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for word in
            re.findall(r"`(\w+)`", row)]  # fmt: skip
    assert sorted(keys) == sorted(SCHEMA["properties"]) == sorted([*SCHEMA["required"], "page"])
