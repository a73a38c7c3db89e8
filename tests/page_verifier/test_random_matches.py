"""A short run of tests/campaign/random_matches.py, and a check that it notices a difference."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.odd import Odd
from tests.page_verifier import compare as comparing
from tests.page_verifier.random_matches import compare, false_logs, honest_log, lacking_sources
from tests.toy_group import toy_group

pytestmark = pytest.mark.skipif(lacking_sources() is not None, reason=str(lacking_sources()))


@pytest.mark.parametrize(
    ("honest", "lies"),
    [((0, 5), 10), pytest.param(range(12), 60, marks=pytest.mark.deep)],
    ids=["few", "many"],
)
def test_page_and_program_find_the_same_in_random_matches_and_in_lies(honest, lies):
    with toy_group():
        logs = [honest_log(f"short {number}") for number in honest]
        met = compare(logs + false_logs(random.Random("short"), 1, lies))
    assert met["valid"] > 1
    assert met["hands"] > 3
    assert len(met) > 5


def test_a_different_score_is_noticed(monkeypatch):
    def with_another_score(log):
        verdict = honest(log)
        verdict["score"]["guest"]["hand_points"] += 1
        return verdict

    with toy_group():
        honest = comparing.program
        monkeypatch.setattr(comparing, "program", with_another_score)
        with pytest.raises(Odd, match="hand_points: page"):
            compare([honest_log("short 0")])
