"""The page writes rules and results in the same words as the program, so that it can compare what
it shows with its log."""

from __future__ import annotations

import copy
import random
from functools import cache

import pytest

from cli.text.page_texts import evening_texts, result_in_words, rules_in_words, total_in_words
from ginpeer.rules import parse_ruleset
from tests.campaign.rule_sets import RULE_SETS
from tests.page_verifier.asked import ends_of_ranges, random_text, rule_set
from tests.page_verifier.compare import lacking, node_says
from tests.rules.accounts import CHOSEN, chosen, hand_of, played

NAMES = ("Ada", "Ben")


def page_writes(texts=(), matches=(), evenings=()):
    asked = {"texts": list(texts), "matches": list(matches), "evenings": list(evenings)}
    return node_says("words.mjs", asked)[0]


@cache
def many_rules():
    """Return rule sets with every value of every parameter, and random ones."""
    rng = random.Random("words")
    texts = [*RULE_SETS, *ends_of_ranges(), *(random_text(rng) for _ in range(500))]
    return [rules for rules in map(rule_set, texts) if rules is not None]


def heading_and_totals(match):
    first, between, after = result_in_words(match)
    heading = f"{NAMES[first]} {between} {NAMES[1 - first]} {after}".strip()
    totals = (" ".join((NAMES[seat], *total_in_words(match, seat))) for seat in (first, 1 - first))
    return [heading, *totals]


has_node = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))


@has_node
def test_page_and_program_write_the_same_rules_in_words():
    rules = many_rules()
    written = page_writes(texts=map(str, rules))["texts"]
    assert written == [rules_in_words(each) for each in rules]
    assert len(written) > 400


def test_different_rules_have_different_words():
    words = {}
    for rules in many_rules():
        assert words.setdefault(rules_in_words(rules), rules) == rules
    assert not any("=" in each or "_" in each or "{" in each for each in words)


@has_node
def test_page_and_program_write_the_same_results():
    asked, expected = [], []
    for text, hands, resigned in CHOSEN:
        match = played(parse_ruleset(text), 0, [chosen(hand) for hand in hands], resigned)
        rows = [
            [result.kind.value.replace(" ", "-"), *(hand_of(result) or [None])]
            for result in match.results
        ]
        asked.append({"rules": text, "hands": rows, "resigned": match.resigned})
        expected.append(heading_and_totals(match))
    assert page_writes(matches=asked)["matches"] == expected


def an_evening(rng, names_of_keys):
    """Return some matches as they are in the verdict document and the page, with keys and names
    that repeat, copies, different endings and matches that don't count."""
    matches = []
    for number in range(rng.randint(1, 6)):
        keys = rng.sample("abcd", 2)
        verdict = rng.choice(["valid"] * 6 + ["incomplete", "illegal", "forged", "unreadable"])
        decided = verdict in ("valid", "incomplete") and rng.random() < 0.9
        total = {
            role: {"total": rng.randint(-20, 300) if decided else None}
            for role in ("host", "guest")
        }
        document = {
            "verdict": verdict,
            "decided": decided,
            "table": f"{number}",
            "started": rng.choice([None, 0, 1_700_000_000, 1_700_009_000, 2**53 - 1]),
            "winner": rng.choice(["host", "guest", None]) if decided else None,
            "score": total,
            "players": [
                {"role": role, "key": key, "fingerprint": f"{key}{key}", "name": key}
                for role, key in zip(("host", "guest"), keys, strict=True)
            ],
        }
        names = [rng.choice([f"Player {key}", *names_of_keys]) for key in keys]
        if names[0] == names[1] or rng.random() < 0.05:
            names = [f"{names[0]} (host)", f"{names[1]} (guest)"]
        matches.append({"verdict": document, "names": names})
    again = copy.deepcopy(rng.sample(matches, rng.randint(0, 1)))
    for match in again:
        match["verdict"]["winner"] = rng.choice(["host", "guest"])
    return [*matches, *again]


@has_node
def test_page_and_program_say_the_same_about_an_evening():
    rng = random.Random("evenings")
    evenings, told = [], []
    for number in range(500):
        alike = number % 2 == 0  # then only the program knows which names need a fingerprint
        matches = an_evening(rng, ["Ann", "\u0410nn", '"Ann (aa)"'] if alike else ["Ann"])
        told.append(texts_of_evening(matches))
        evenings.append({"matches": matches, "said": told[-1] if alike else []})
    assert page_writes(evenings=evenings)["evenings"] == told
    assert len({heading.partition(" ")[0] for _, heading, *_ in told}) > 5


def texts_of_evening(matches):
    told = evening_texts([(each["verdict"], tuple(each["names"])) for each in matches])
    table = [["Player", "Matches won", "Points"]] if told.pairs else []
    for pair in told.pairs:
        if len(told.pairs) > 1:
            table.append([f"{' and '.join(pair.names)}, {pair.matches}"])
        for name, won, points in zip(pair.names, pair.won, pair.points, strict=True):
            table.append([name, str(won), points])
    heading = " ".join(part for part in told.heading if part)
    return [told.begun, heading, *(cell for row in table for cell in row), *told.notes]
