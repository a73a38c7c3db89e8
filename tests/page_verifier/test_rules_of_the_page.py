"""What the page's verifier makes of rule texts and of scores is what the program makes of them."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import parse_ruleset
from tests.campaign.rule_sets import RULE_SETS
from tests.page_verifier.compare import lacking
from tests.stranger.test_rule_text import _text

HERE = Path(__file__).parent
ACCOUNTS = HERE.parent / "vectors" / "rules" / "accounts.jsonl"

pytestmark = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))


def page_says(**asked):
    question = json.dumps({"texts": [], "accounts": [], **asked})
    command = ["node", str(HERE / "rules.mjs")]
    done = subprocess.run(command, input=question, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def program_writes(text):
    try:
        rules = parse_ruleset(text)
        rules.check()
    except RulesError:
        return None
    return str(rules)


def test_both_read_and_write_the_same_rule_sets():
    rng = random.Random("page")
    texts = [*RULE_SETS, *(_text(rng) for _ in range(500))]
    texts += ["standard columns=constructor", "standard tie=toString", "constructor", "  "]
    written = page_says(texts=texts)["texts"]
    assert written == [program_writes(text) for text in texts]
    assert sum(text is None for text in written) > 80
    assert sum(text is not None for text in written) > 150


def test_both_add_up_the_same_matches():
    rows = [json.loads(line) for line in ACCOUNTS.read_text().splitlines()]
    for row, account in zip(rows, page_says(accounts=rows)["accounts"], strict=True):
        assert account["decided"]
        assert {name: account[name] for name in account if name != "decided"} == {
            name: row[name] for name in account if name != "decided"
        }
