"""The pseudocode of PROTOCOL.md, appendix C, run without changes and compared with the program."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ginpeer.rules import parameters
from ginpeer.rules.parameters import NAMES
from ginpeer.rules.ruleset import RuleSet, parse_ruleset
from protocol.crypto.elgamal import decode_elements
from protocol.crypto.group import BASE, IDENTITY, ORDER, decode_scalar
from protocol.crypto.hashing import frame
from protocol.crypto.shuffle import generators
from tests.document import PROTOCOL
from tests.protocol.golden import read
from tests.protocol.statements import context_of
from tests.rules import texts
from tests.stranger.proofs import digest

ACCOUNTS = Path(__file__).parents[1] / "vectors" / "rules" / "accounts.jsonl"


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


PRIMITIVES = {
    "B": BASE,
    "O": IDENTITY,
    "L": ORDER,
    "G": lambda i: generators(i)[i - 1],
    "H": lambda label, *fields: digest(label, **dict(fields)),
    "elements": lambda data: decode_elements(data, len(data) // 32),
    "scalars": lambda data: [decode_scalar(data[at : at + 32]) for at in range(0, len(data), 32)],
    "bytes_of": lambda points: b"".join(point.encoded for point in points),
    "u64": u64,
    "frame": frame,
    "sha512": lambda data: hashlib.sha512(data).digest(),
    "hmac_sha256": lambda key, data: hmac.digest(key, data, "sha256"),
    "int_of": lambda data: int.from_bytes(data, "big"),
}


def functions(name: str) -> dict[str, Any]:
    """Return the functions defined in the document's block with this name."""
    found = re.search(rf"^```python {name}\n(.*?)^```$", PROTOCOL, re.MULTILINE | re.DOTALL)
    assert found is not None
    made: dict[str, Any] = dict(PRIMITIVES)
    exec(compile(found[1], f"PROTOCOL.md {name}", "exec"), made)
    return made


def in_the_document(rules: RuleSet) -> dict[str, int | str]:
    """Return the rules as the document names them: a number or a word for each parameter."""
    pairs = (rules.word(name).split("=") for name in NAMES)
    return {name: int(value) if value.isdecimal() else value for name, value in pairs}


SHUFFLES = [each for each in read("proofs")["statements"] if each["kind"] == "shuffle"]


@pytest.mark.parametrize(
    "statement",
    [each for each in SHUFFLES if each["expect"] in ("ok", "bad-proof")],
    ids=lambda each: each["expect"],
)
def test_the_shuffle_argument(statement: dict[str, Any]) -> None:
    def points(text: str) -> list[Any]:
        data = bytes.fromhex(text)
        pieces = [data[at : at + 32] for at in range(0, len(data), 32)]
        return [
            IDENTITY if piece == bytes(32) else decode_elements(piece, 1)[0] for piece in pieces
        ]

    def pairs(text: str) -> list[Any]:
        flat = points(text)
        return list(zip(flat[::2], flat[1::2], strict=True))

    holds = functions("shuffle")["shuffle_holds"](
        context_of(statement).transcript("shuffle"),
        points(statement["key"])[0],
        pairs(statement["before"]),
        pairs(statement["after"]),
        bytes.fromhex(statement["proof"]),
    )
    assert holds is (statement["expect"] == "ok")


def test_the_toss() -> None:
    said = functions("toss")
    for row in read("toss")["tosses"]:
        table, hand = bytes.fromhex(row["table"]), row["hand"]
        halves = [bytes.fromhex(row[f"{who}'s half"]) for who in ("dealer", "other")]
        seeds = [bytes.fromhex(row[f"{who}'s seed"]) for who in ("dealer", "other")]
        assert [said["half_of"](seed) for seed in seeds] == halves
        assert said["toss_commitment"](table, hand, halves[0]).hex() == row["commitment"]
        assert said["knock_card"](table, hand, *halves) == row["card"]


ROWS = [json.loads(line) for line in ACCOUNTS.read_text().splitlines()]


def test_the_score_of_a_match() -> None:
    score_match = functions("match")["score_match"]
    assert len(ROWS) > 70
    for row in ROWS:
        hands = [(hand[0], hand[1:]) if hand else (None, (0, 0)) for hand in row["hands"]]
        rules = in_the_document(parse_ruleset(row["rules"]))
        games, totals, winner, decided = score_match(rules, hands, row["resigned"])
        assert decided
        assert (totals, winner) == (row["totals"], row["winner"]), row
        for made, game in zip(games, row["games"], strict=True):
            assert made["winner"] == game["winner"]
            for column, said in zip(made["columns"], game["columns"], strict=True):
                assert column["points"] == said["points"]
                assert column["wins"] == said["hands_won"]
                assert (column["winner"], column["totals"]) == (said["winner"], said["totals"])


def test_an_unfinished_match_is_not_decided() -> None:
    score_match = functions("match")["score_match"]
    row = next(row for row in ROWS if row["resigned"] is not None and len(row["hands"]) > 2)
    hands = [(hand[0], hand[1:]) if hand else (None, (0, 0)) for hand in row["hands"]]
    *_, winner, decided = score_match(in_the_document(parse_ruleset(row["rules"])), hands)
    assert (winner, decided) == (None, False)


def test_the_bounds() -> None:
    """Check every rule set of the vectors, and rule sets that a bound makes contradictory."""
    said, seen = functions("bounds"), set()
    for row in texts.read():
        if row["canonical"] is None:
            continue
        ours = parse_ruleset(row["canonical"])
        rules = in_the_document(ours)
        assert said["W"](rules) == parameters.least_win(ours)
        assert said["M"](rules) == parameters.most_points(ours)
        if rules["target"] != "none":
            assert said["F"](rules) == parameters.first_game_points(ours)
            for points in (0, 1, said["M"](rules), said["M"](rules) + 1, rules["target"]):
                assert said["b"](rules, points) == parameters._boxes(ours, points)
        seen.add((said["W"](rules), said["M"](rules)))
    assert len(seen) > 15
