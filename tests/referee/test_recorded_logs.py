"""The logs of tests/vectors/logs are valid, and today's seats sign them byte for byte."""

from __future__ import annotations

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.store.log import log_bytes, read_log
from tests.matches.recorded_logs import LOGS, path_of, played


@pytest.mark.parametrize("name", LOGS)
def test_a_recorded_log_is_valid(name: str) -> None:
    verdict = judge(read_log(path_of(name)).entries)
    assert verdict.finding is Finding.VALID


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.deep(keep=2)
def test_the_same_seats_sign_the_same_bytes_again(name: str) -> None:
    pair = played(name)
    assert log_bytes(tuple(pair.host.seat.entries)) == path_of(name).read_bytes()
    assert pair.guest.seat.entries == pair.host.seat.entries
