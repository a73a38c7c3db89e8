"""The stranger finds of the golden logs what stands beside them.

Here those that end soon, evidence and forgeries: a whole hand takes it a second.
tests.campaign.same_verdict has it judge all of them.
"""

from __future__ import annotations

import json

import pytest

from tests.matches.golden_lies import LIES
from tests.matches.golden_logs import EVIDENCE, FOLDER, GOLDEN
from tests.stranger.log import HOST, judge

SEATS = {None: None, "host": HOST, "guest": 1 - HOST}
SAYS_NOTHING = ("valid", "incomplete")


def frozen(name):
    return json.loads((FOLDER / f"{name}.json").read_text("ascii"))


def compare(name):
    """Let the stranger judge a golden log, and compare what the two say."""
    then = frozen(name)
    now = judge((FOLDER / f"{name}.ginlog").read_bytes())
    code = None if then["code"] in SAYS_NOTHING else then["code"]
    assert (now["verdict"], now["code"]) == (then["verdict"], code)
    assert now["culprit"] == SEATS[then["author"]]
    if now["entry"] is not None and then["failing_entry"] is not None:
        assert now["entry"] == then["failing_entry"]
    if then["verdict"] == "valid":
        assert now["winner"] == SEATS[then["winner"]]
        assert now["totals"] == [then["score"][role]["total"] for role in ("host", "guest")]
    if then["owes"] is not None:
        assert now["owes"] == SEATS[then["owes"]["role"]]


SHORT = [name for name in GOLDEN if frozen(name)["entries"] <= 5 or name in LIES]


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.deep(keep=12)
def test_the_stranger_agrees_on_a_golden_log(name):
    compare(name)


def test_most_of_the_evidence_is_among_them():
    assert len(set(SHORT) & set(EVIDENCE)) >= 40
