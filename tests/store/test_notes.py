"""The small files beside the logs: how a table was left, and a player's settings."""

import json
from dataclasses import replace

import pytest

from ginpeer.referee.table import Table
from ginpeer.store.match_files import (
    CLOSING_SUFFIX,
    ClosingNote,
    read_closing_note,
    write_closing_note,
)
from ginpeer.store.small_files import Settings, change_settings, read_settings

CLOSING = ClosingNote(140, "guest", "a discard or a knock", 1_790_000_000, 1_790_000_360, "left")
SPOILT = [b"", b"[]", b"[" * 4000, b"x" * 5000]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "0123456789abcdef.ginlog"
    path.write_bytes(b"a log")
    return path


def test_a_closing_note_reads_back_and_a_later_one_replaces_it(log):
    assert read_closing_note(log) is None
    write_closing_note(log, CLOSING)
    assert read_closing_note(log) == CLOSING
    later = ClosingNote(141, "host", "a draw from the stock or the pile", 2, 3, "peer-left")
    write_closing_note(log, later)
    assert read_closing_note(log) == later
    assert log.read_bytes() == b"a log"


def test_no_closing_note_is_made_if_no_entry_is_owed():
    assert ClosingNote.of(Table(owed_by=None), 1, 2, "left") is None


def test_a_closing_note_may_lack_its_time(log):
    write_closing_note(log, replace(CLOSING, closed=None))
    assert read_closing_note(log) == replace(CLOSING, closed=None)


@pytest.mark.parametrize("data", SPOILT)
def test_a_damaged_closing_note_is_ignored(log, data):
    log.with_suffix(CLOSING_SUFFIX).write_bytes(data)
    assert read_closing_note(log) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 2),
        ("entry", "1"),
        ("owed_by", "nobody"),
        ("owes", 3),
        ("owes", "x" * 101),
        ("code", "x" * 101),
        ("since", 1.5),
        ("code", None),
        *((when, time) for when in ("since", "closed") for time in (-1, 2**53)),
    ],
)
def test_a_closing_note_with_an_odd_value_is_ignored(log, key, value):
    write_closing_note(log, CLOSING)
    path = log.with_suffix(CLOSING_SUFFIX)
    path.write_text(json.dumps({**json.loads(path.read_bytes()), key: value}))
    assert read_closing_note(log) is None


def test_settings_are_kept(tmp_path):
    assert read_settings(tmp_path) == Settings()
    change_settings(tmp_path, words=True)
    change_settings(tmp_path, name="Anna")
    assert read_settings(tmp_path) == Settings(words=True, name="Anna")
    change_settings(tmp_path, words=False, brief=True)
    assert read_settings(tmp_path) == Settings(name="Anna", brief=True)


def test_unchanged_settings_are_not_written(tmp_path):
    change_settings(tmp_path, words=False, name="")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("kept", "name"),
    [
        ("Anna", "Anna"),
        (" Anna  Smith ", "Anna Smith"),
        ("", ""),
        ("\x1b[2J", ""),
        ("\u202eannA", ""),
        ("\ud800", ""),
        ("x" * 65, ""),
        (7, ""),
        (["Anna"], ""),
        (None, ""),
    ],
)
def test_a_kept_name_is_used_only_if_it_can_be_signed(tmp_path, kept, name):
    (tmp_path / "settings.json").write_text(json.dumps({"words": True, "name": kept}))
    assert read_settings(tmp_path) == Settings(words=True, name=name)


@pytest.mark.parametrize(
    "data", [*SPOILT, b'{"words": 1, "brief": "on", "confirm": 0, "bell": "on", "four_colours": 4}']
)
def test_damaged_settings_are_replaced_by_the_defaults(tmp_path, data):
    (tmp_path / "settings.json").write_bytes(data)
    assert read_settings(tmp_path) == Settings()
