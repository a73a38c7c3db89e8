"""The page's verifier treats rule texts and scores as the program does; its group, hashes and
proofs match the vectors. test_hand_scores.py tests the scores of hands with every parameter."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path

import pytest

from tests import page_build
from tests.campaign.rule_sets import RULE_SETS
from tests.page_verifier.asked import ends_of_ranges, random_text, rule_set, text_near_a_bound
from tests.page_verifier.compare import lacking, node_says
from tests.rules import texts as vectors

HERE = Path(__file__).parent
ACCOUNTS = HERE.parent / "vectors" / "rules" / "accounts.jsonl"

pytestmark = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))


def page_says(**asked):
    nothing = {"texts": [], "accounts": [], "hands": []}
    return node_says("rules.mjs", nothing | asked)[0]


def program_writes(text):
    rules = rule_set(text)
    return None if rules is None else str(rules)


def test_page_and_program_read_and_write_the_same_rule_sets():
    rng = random.Random("page")
    texts = [*RULE_SETS, *(random_text(rng) for _ in range(500)), *ends_of_ranges()]
    texts += [text_near_a_bound(rng) for _ in range(500)]
    texts += ["mahjong mahjong=yes", "multi-match=1000 multi-match", "multi-match multi-match=1000"]
    texts += ["standard columns=constructor", "standard tie=toString", "constructor", "  "]
    texts += [row["text"] for row in vectors.read() if row["code"] != "malformed"]
    written = page_says(texts=texts)["texts"]
    assert written == [program_writes(text) for text in texts]
    assert sum(text is None for text in written) > 400
    assert sum(text is not None for text in written) > 400


def test_the_page_adds_up_matches_as_the_program_does():
    rows = [json.loads(line) for line in ACCOUNTS.read_text().splitlines()]
    for row, account in zip(rows, page_says(accounts=rows)["accounts"], strict=True):
        assert account["decided"]
        assert {name: account[name] for name in account if name != "decided"} == {
            name: row[name] for name in account if name != "decided"
        }


def test_the_page_sources_pass_the_vectors_of_standards_and_document():
    if not page_build.MODULES.exists():
        pytest.skip("no node modules: run `npm ci` in ginpeer/page/verifier")
    done = subprocess.run(
        ["node", str(HERE / "vectors.mjs")], capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"\d{3} asked\n", done.stdout), done.stdout
