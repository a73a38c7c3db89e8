"""What a home stores about a partnership: marks beside shared logs, and the scores from a link."""

import errno
import os
from unittest.mock import Mock

import pytest

from ginpeer.store import Home, files
from ginpeer.store.partnership_files import (
    EVENING,
    CachedStanding,
    cache_standing,
    cached_standing,
    forget_standing,
    mark_shared,
    only_link,
    shared_logs,
    unmark_later,
    unmark_shared,
)
from tests.store.failure import failure


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path / "home")
    home.matches.mkdir(parents=True)
    return home


def a_log(home, digit, modified):
    path = home.matches / f"{digit * 16}.ginlog"
    path.write_bytes(b"ginlog1\n")
    os.utime(path, (modified, modified))
    return path


def test_only_recent_shared_logs_are_listed_in_the_order_they_grew(home):
    one, two = a_log(home, "1", 200), a_log(home, "2", 100)
    a_log(home, "3", 300)
    mark_shared(one, 100)
    mark_shared(two, 50)
    assert [log.path for log in shared_logs(home, 0)] == [two, one]
    a_log(home, "4", 300).with_suffix(".shown").touch()  # made by an earlier version
    assert [log.path for log in shared_logs(home, 60)] == [one]
    unmark_shared(one)
    unmark_shared(one)
    assert shared_logs(home, 60) == ()


def test_marks_made_while_the_clock_was_ahead_are_removed(home):
    before, ahead = a_log(home, "1", 100), a_log(home, "2", 200)
    mark_shared(before, 159)
    mark_shared(ahead, 160)
    unmark_later(home, 100)
    assert [log.path for log in shared_logs(home, 0)] == [before]


def test_a_home_has_only_one_link_at_a_time(home):
    with only_link(home):
        assert failure(only_link(home).__enter__) == "link-runs"
    with only_link(home):
        pass


def test_a_lock_that_cannot_be_opened_is_a_failure_of_the_store(home, monkeypatch):
    monkeypatch.setattr(files, "create", Mock(side_effect=OSError(errno.ENOSPC, "full")))
    assert failure(only_link(home).__enter__) == "disk-full"


def test_a_standing_is_read_back(home):
    assert cached_standing(home, 100) is None
    lines = ["Ann 3.", "é \N{FIRST STRONG ISOLATE}Bén\N{POP DIRECTIONAL ISOLATE}."]
    cache_standing(home, lines, 100)
    kept = cached_standing(home, 100)
    assert kept.lines[0] == "Ann 3."
    assert not kept.running


@pytest.mark.parametrize(("now", "shown"), [(99, False), (100, True), (101 + EVENING, False)])
def test_only_a_standing_of_this_evening_is_shown(home, now, shown):
    cache_standing(home, ["Ann 3."], 100)
    assert bool(cached_standing(home, now)) is shown
    forget_standing(home)  # as a new link does first
    with only_link(home):
        assert cached_standing(home, now) == CachedStanding((), running=True)
        (home.path / "standing.json").write_bytes(b'{"version": 1, "lines": ["Ann 4."]}')  # by 1.19
        assert cached_standing(home, now) == CachedStanding(("Ann 4.",), running=True)


LINES = b'{"version": 1, "time": 9, "lines": '


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"[]", b"\xff", b"[" * 100_000),
        *(b'{"version": 2, "time": 9, "lines": []}', b'{"version": 1, "lines": []}'),
        *(LINES + b"[1]}", LINES + b'["\\u001b[2J"]}', LINES + b'["\\ud800"]}'),
        LINES + b'["x"' + b', "x"' * 500 + b"]}",
    ],
)
def test_an_invalid_standing_is_not_shown(home, data):
    (home.path / "standing.json").write_bytes(data)
    assert cached_standing(home, 9) is None
