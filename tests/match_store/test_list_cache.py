"""With the index, listing matches or searching for one reads no log twice, and gives the same
results as without the index."""

import os
from importlib import import_module

import pytest

from ginpeer.match_store.listing import MatchList
from ginpeer.match_store.matches import (
    DecidedMatch,
    FinishedMatch,
    InvalidMatch,
    LogSummary,
    UnfinishedMatch,
    active_matches,
    unfinished_matches,
)
from ginpeer.record import CachedVerdict, judge_log
from ginpeer.store import Home, open_log
from ginpeer.store.log_index import INDEX_NAME
from protocol.messages import Settle, Winner
from tests.match_store.test_listing import ENTRIES, store

OLD = 1_600_000_000


@pytest.fixture
def stored(tmp_path):
    """Return a home's folder with two finished matches, a match in progress, the one that was put
    aside for it, and an offer."""
    (tmp_path / "matches").mkdir()
    home = Home(tmp_path)
    kinds = (("1", ENTRIES), ("2", ENTRIES), ("3", ENTRIES[:20]), ("4", ENTRIES[:20]))
    for at, (digit, entries) in enumerate((*kinds, ("5", ENTRIES[:1])), 1):
        path = store(home, digit, entries, "host", OLD + 100 * at)
        os.utime(path, (OLD + 100 * at + 10,) * 2)
    return tmp_path


def open_home(folder, remembers=True):
    home = Home(folder)
    if remembers:
        home.remember()
    return home


@pytest.fixture
def logs_read(monkeypatch):
    """Return a list that gets the name of each log that is read."""
    names = []
    for place in ("matches.read_own_log", "listing.open_log"):
        module, name = place.split(".")
        real = getattr(import_module(f"ginpeer.match_store.{module}"), name)

        def spied(path, real=real):
            names.append(path.stem[0])
            return real(path)

        monkeypatch.setattr(f"ginpeer.match_store.{place}", spied)
    return names


def found(home):
    listed = MatchList(home)
    standings = {match.name[0]: listed.listed(match).status for match in listed.matches}
    home.save_cache()
    on = [
        [one.match.name[0] for one in search(home)]
        for search in (active_matches, unfinished_matches)
    ]
    return standings, on


def test_the_results_with_and_without_the_index_are_the_same(stored):
    plain = found(open_home(stored, remembers=False))
    assert plain[1] == [["4"], ["4", "3"]]
    assert isinstance(plain[0]["3"], UnfinishedMatch)
    assert plain[0]["3"].shelved
    assert not plain[0]["4"].shelved
    assert not (stored / INDEX_NAME).exists()
    for _ in range(2):
        assert found(open_home(stored)) == plain
    assert (stored / INDEX_NAME).exists()
    (stored / INDEX_NAME).write_bytes(b"nonsense" * 100)
    assert found(open_home(stored)) == plain


def test_a_host_reads_only_the_active_log_again(stored, logs_read):
    first = [one.match.name[0] for one in active_matches(open_home(stored), "host")]
    assert {*logs_read} == {"4", "5"}  # 5 is only an offer; the others are shelved
    logs_read.clear()
    assert (
        [one.match.name[0] for one in active_matches(open_home(stored), "host")] == first == ["4"]
    )
    assert {*logs_read} == {"4"}


def test_a_list_reads_no_finished_log_again(stored, logs_read):
    found(open_home(stored))
    logs_read.clear()
    listed = MatchList(open_home(stored))
    for match in listed.matches:
        listed.listed(match)
    assert {*logs_read} == {"3", "4", "5"}


def test_a_log_that_is_changed_is_read_again_even_if_its_size_and_time_stay_the_same(
    stored, logs_read
):
    found(open_home(stored))
    path = stored / "matches" / f"{'1' * 16}.ginlog"
    before = path.stat()
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    logs_read.clear()
    found(open_home(stored))
    assert "1" in logs_read
    assert "2" not in logs_read


FORGED = (*ENTRIES[:30], *ENTRIES[31:])


def test_a_finished_match_is_listed_as_claimed_until_it_is_judged(stored, logs_read):
    """Anybody could have written a log that claims to contain a finished match."""
    path = store(Home(stored), "6", FORGED)
    claimed = found(open_home(stored))[0]
    assert isinstance(claimed["6"], FinishedMatch)
    assert (claimed["6"].verified, claimed["1"].verified) == (False, False)
    home = open_home(stored)
    for match in home.logs():
        if match.name[0] in "16":
            with open_log(match.path) as log:
                home.cache(match, CachedVerdict.of(judge_log(log)))
    home.save_cache()
    logs_read.clear()
    for _ in range(2):
        then = found(open_home(stored))[0]
        assert (type(then["6"]), then["6"].entry) == (InvalidMatch, 30)
        assert (then["1"].verified, then["2"].verified) == (True, False)
    assert "6" not in logs_read
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    assert found(open_home(stored))[0]["6"] == claimed["6"]


def test_a_match_whose_verdict_was_incomplete_is_judged_again(stored):
    home = open_home(stored)
    (match,) = (match for match in home.logs() if match.name[0] == "1")
    home.cache(match, CachedVerdict("incomplete", 20, ""))
    read_off = found(home)[0]["1"]
    assert isinstance(read_off, DecidedMatch)  # judged again: the cached verdict is wrong


SCORE = Settle(3, 120, -4, Winner.NOBODY)


@pytest.mark.parametrize(
    "glance",
    [
        LogSummary(7, False),
        LogSummary(7, True),
        LogSummary(7, True, FinishedMatch(("A\x1b", '"'), SCORE, (bytes(32), None), "x y")),
        LogSummary(7, True, DecidedMatch(("A", "B"), None, (None, bytes(32)), "")),
        LogSummary(7, True, DecidedMatch(("A", "B"), 1)),
    ],
)
def test_a_log_summary_is_remembered_unchanged(stored, glance):
    home = open_home(stored)
    (match, *_) = home.logs()
    home.cache(match, glance)
    assert home.cached(match, LogSummary) == glance


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (CachedVerdict, '["forged", "1", ""]'),
        *((CachedVerdict, said) for said in ("", "{", "null", "[" * 9999, '{"word": "valid"}')),
        (LogSummary, '{"entries": 1, "over": true, "ended": {"names": ["a", "b"]}}'),
        *(
            (LogSummary, f'{{"entries": 1, "over": true, "ended": {{"names": ["a", "b"], {odd}}}}}')
            for odd in (
                '"winner": 1, "keys": ["x", null]',
                '"winner": 2',
                '"score": {"hands": 1, "host_total": 2, "guest_total": 3, "winner": 9}',
                '"score": {"hands": -1, "host_total": 2, "guest_total": 3, "winner": 1}',
            )
        ),
    ],
)
def test_an_invalid_cached_record_is_ignored(stored, kind, said):
    home = open_home(stored)
    (match, *_) = home.logs()
    home.index.note(kind.__name__, match.name, match.stamp, said)
    assert home.cached(match, kind) is None
