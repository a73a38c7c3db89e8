"""`ginpeer verify` gives a log the same verdict in any environment.

These are some of the cases of tests.campaign.same_verdict.
"""

import random
import shutil

import pytest

from tests.campaign.same_verdict import (
    GOLDEN,
    SETTINGS,
    Compared,
    Setting,
    lay_out,
)

BASE = Setting(tuple(values[0] for values in SETTINGS.values()))
LOGS = ("evidence-bad-proof", "forged-other-history", "too-new-offer", "unknown-rules", "resigned")
"""The last log is a whole match, including the two shuffles of its deal."""


@pytest.mark.deep
def test_completely_different_settings_give_the_same_verdicts(tmp_path):
    every, quick = lay_out(tmp_path, seed=1, count=6)
    names = sorted({*random.Random(1).sample(quick, 8), *(f"{name}.ginlog" for name in LOGS)})
    assert set(names) <= set(every)
    compared = Compared(tmp_path, names)
    for values in (
        BASE.values,
        ("-OO", "python", "pure", "C.UTF-8", "random", "1", "Asia/Kathmandu", "200"),
        ("-O", "python", "sodium", "tr_TR.UTF-8", "1", "0", "Pacific/Kiritimati", "20"),
    ):
        assert compared.differs(Setting(values)) is None, values
    out, _said = compared.first
    assert out.count(b"\nstatus ") == 2 * len(names)
    assert {b"status 0", b"status 1", b"status 2"} <= set(out.splitlines())


def test_a_setting_that_does_not_apply_is_noticed():
    ran_under = [0, "upb", "pure", 0, "UTC", 0, "C"]
    assert set(BASE.did_not_apply(ran_under, True)) == {"group"}


def test_a_different_answer_is_noticed(tmp_path):
    shutil.copy(GOLDEN / "offer-alone.ginlog", tmp_path)
    compared = Compared(tmp_path, ["offer-alone.ginlog"])
    compared.first = (b"another verdict", ())
    assert compared.differs(BASE).startswith("other output")
