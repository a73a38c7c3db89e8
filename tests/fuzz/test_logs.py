"""A short part of tests/campaign/broken_logs.py, and a check that it would notice faults."""

import random
from collections import Counter

import pytest

from ginpeer.referee.referee import Finding
from tests.campaign import broken_logs as campaign
from tests.cheating.cheat import ONE_HAND, record
from tests.fuzz.logs import check, check_signed, judged_file, log_bytes
from tests.fuzz.odd import Odd


def test_broken_logs_are_judged_correctly(monkeypatch):
    monkeypatch.setattr(campaign, "UNAIDED", 10)
    monkeypatch.setattr(campaign, "matches", lambda: [record("m1", ONE_HAND), record("m8")])
    campaign.toy_logs.cache_clear()
    met = campaign.chunk(1, "suite", 120)
    campaign.toy_logs.cache_clear()
    assert {"forged bad-signature", "incomplete torn", "unreadable bad-record"} <= set(met)
    assert met["with a signed entry: illegal"] > 8 < met[campaign.AGAIN]


@pytest.mark.parametrize("places", [5, pytest.param(60, marks=pytest.mark.deep)])
def test_flipped_bits_of_a_recorded_log_are_found_and_the_entry_is_named(places):
    size, met = len(campaign.recorded_log().data), Counter()
    for first in (0, 8, *random.Random(1).sample(range(12, size), places)):
        met += campaign.flips(first, first + 3, 8)
    assert met.total() == (2 + places) * 3 * 8
    assert {"not-a-log", "forged bad-signature"} <= set(met)


@pytest.fixture(scope="module")
def log():
    return campaign.recorded_log()


WRONG = {
    "valid though a byte is another": (Finding.VALID, "valid", None, None, 33),
    "incomplete": (Finding.INCOMPLETE, "incomplete", None, None, 5),
    "the entry after it": (Finding.FORGED, "bad-signature", 6, None, 6),
    "the entry before it": (Finding.FORGED, "bad-signature", 4, None, 4),
    "unreadable": (Finding.UNREADABLE, "too-new", 5, None, 5),
    "somebody is convicted": (Finding.FORGED, "bad-proof", 5, 0, 5),
    "fewer hold": (Finding.FORGED, "bad-signature", 5, None, 4),
}


@pytest.mark.parametrize("found", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_verdict_is_noticed(log, found):
    entry = log.entries[5]
    data = log_bytes((*log.entries[:5], entry[:-1] + bytes([entry[-1] ^ 1]), *log.entries[6:]))
    right = (Finding.FORGED, "bad-signature", 5, None, 5)
    assert check(data, right, [log]) == "forged bad-signature"
    with pytest.raises(Odd):
        check(data, found, [log])
    if found != WRONG["somebody is convicted"]:
        convicts = (*found[:3], 1, found[4])
        with pytest.raises(Odd):
            check_signed(data, convicts, log, 5, 0)


def test_bytes_after_the_end_of_a_log_are_reported(log, tmp_path):
    path = tmp_path / "a.ginlog"
    for tail, what in ((b"", "valid valid"), (b"\0" * 9, "forged torn"), (b"ab", "forged torn")):
        path.write_bytes(log.data + tail)
        assert check(log.data + tail, judged_file(path), [log]) == what
