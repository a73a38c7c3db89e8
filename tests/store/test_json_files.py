"""Small JSON files are read by a declaration: types, bounds, versions, and what may be missing."""

import json
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal

import pytest

from ginpeer.store.json_files import decode, of_32_bytes, plain, read_record, within


class Suit(Enum):
    CLUBS = "clubs"
    HEARTS = "hearts"


@dataclass(frozen=True)
class Note:
    key: Annotated[bytes, of_32_bytes]
    role: Literal["host", "guest"]
    score: tuple[int, int] | None
    suit: Suit = Suit.CLUBS
    at: Annotated[int, within(0, 9)] | None = None
    on: bool = False


@dataclass(frozen=True)
class Notes:
    each: tuple[Note, ...]


NOTE = Note(bytes(range(32)), "guest", (3, -4), Suit.HEARTS, 9, True)
WRITTEN = plain(NOTE)


def test_a_record_written_as_json_reads_back():
    for record in (Notes(()), Notes((NOTE, Note(bytes(32), "host", None)))):
        assert decode(Notes, json.loads(json.dumps(plain(record)))) == record


@pytest.mark.parametrize(
    ("field", "odd"),
    [
        *(("key", "ab" * 31), ("key", "x" * 64), ("key", 7), ("role", "judge"), ("role", None)),
        *(("score", [1]), ("score", [1, 2, 3]), ("score", [1, True]), ("score", [1, 2.0])),
        *(("suit", "stars"), ("suit", None), ("at", -1), ("at", 10), ("at", True), ("at", "9")),
        *(("on", 1), ("on", None)),
    ],
)
def test_a_value_of_another_type_or_out_of_bounds_is_refused(field, odd):
    with pytest.raises(ValueError):  # noqa: PT011 - the messages vary
        decode(Note, {**WRITTEN, field: odd})


def test_odd_values_are_replaced_by_defaults_only_on_request():
    odd = {**WRITTEN, "at": 10, "on": 1, "suit": "stars"}
    assert decode(Note, odd, lenient=True) == Note(NOTE.key, "guest", (3, -4))
    with pytest.raises(ValueError, match="judge"):  # roles have no default
        decode(Note, {**odd, "role": "judge"}, lenient=True)


def test_another_version_may_have_more_fields_and_lack_those_with_a_default():
    more = {**WRITTEN, "later": [1]}
    del more["on"]
    assert decode(Note, more) == Note(NOTE.key, "guest", (3, -4), Suit.HEARTS, 9)
    del more["role"]
    with pytest.raises(ValueError, match="missing"):
        decode(Note, more)


@pytest.mark.parametrize("named", [None, 2, "1"])
def test_a_file_that_names_its_version_is_read_in_that_version_only(named):
    assert decode(Note, {**WRITTEN, "version": 1}, version=1) == NOTE
    assert decode(Note, {**WRITTEN, "version": named}) == NOTE  # no version is required
    with pytest.raises(ValueError, match="version"):
        decode(Note, {**WRITTEN, "version": named}, version=1)


def test_a_file_that_cannot_be_read_parsed_or_used_counts_as_missing(tmp_path):
    path = tmp_path / "note.json"
    assert read_record(Note, path, 1_000) is None
    for text in ("", "[]", "[" * 50_000, json.dumps({**WRITTEN, "at": 10})):
        path.write_text(text)
        assert read_record(Note, path, 100_000) is None
    path.write_text(json.dumps(WRITTEN))
    assert read_record(Note, path, 1_000) == NOTE
    assert read_record(Note, path, 10) is None
