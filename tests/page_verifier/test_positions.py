"""A position as text: a page's button copies what `ginpeer export LOG --step` writes."""

from __future__ import annotations

import random
from base64 import b64encode

import pytest

from cli.text.position import position_at, position_text
from cli.text.verdict import headline
from ginpeer.record import Record
from ginpeer.rules import parse_ruleset
from ginpeer.rules.card_order import costliest_first, in_row, laid_out
from ginpeer.rules.cards import CARDS, mask_of
from tests.matches.golden_logs import GOLDEN
from tests.notation.test_reading import LATE
from tests.page.pages import golden, hostile, page_of
from tests.page.shown import shown
from tests.page_verifier.compare import lacking, node_says
from tests.page_verifier.test_drawing import typed_matches

pytestmark = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))

UNREADABLE = ("empty", "not-a-log", "too-new-format")
SOME = (
    *("standard", "mahjong", "oklahoma", "second-deck", "incomplete", "never-disclosed"),
    *("resigned", "multi-match", "void-hand"),
)
WHOLE = [name for name in GOLDEN if not name.startswith(("evidence", "forged", *UNREADABLE))]


def differing(*logs: bytes) -> list[str]:
    """Return the steps at which page and program differ."""
    questions, records = [], []
    for log in logs:
        page = page_of(log, analysed=False)
        record = Record.read(page)
        verdict = "" if record.verdict.word == "valid" else headline(record.verdict)
        text = b64encode(record.log()).decode("ascii")
        questions.append({**shown(page), "log": text, "verdict": verdict})
        records.append(record)
    found, count = [], 0
    for record, texts in zip(records, node_says("positions.mjs", questions), strict=True):
        for step, text in texts:
            count += 1
            if position_text(position_at(record, step)) != text:
                found.append(step)
    assert count > 5
    return found


def test_page_and_program_write_the_same_text_at_every_step() -> None:
    assert differing(*map(golden, SOME), hostile()) == []


@pytest.mark.deep
def test_page_and_program_write_the_same_text_for_all_golden_logs() -> None:
    assert differing(*map(golden, set(GOLDEN) - set(UNREADABLE))) == []


def test_page_and_program_write_the_same_text_for_typed_matches() -> None:
    assert differing(*typed_matches(), LATE.encode()) == []


def test_page_and_program_arrange_a_hand_alike() -> None:
    rng = random.Random("arrangements")
    asked, expected = [], []
    for at in range(900):
        rules = parse_ruleset(("standard", "around-the-corner", "mahjong")[at % 3])
        few = [13 * suit + rank for rank in rng.sample(range(13), 5) for suit in range(4)]
        cards = sorted(rng.sample(rng.choice([range(52), few]), rng.choice([0, 3, 10, 11])))
        hand = laid_out(mask_of(CARDS[card] for card in cards), rules)
        names = {
            "runs-wrap": "yes" if rules.runs_wrap else "no",
            "ace-pips": rules.ace_pips,
            "mahjong": "yes" if rules.mahjong else "no",
        }
        asked.append({"cards": cards, "rules": names})
        melds = [list(in_row(meld)) for meld in hand.melds]
        loose = list(costliest_first(hand.loose, rules))
        expected.append({"melds": melds, "loose": loose, "count": hand.total})
    assert node_says("arranged.mjs", asked) == expected
