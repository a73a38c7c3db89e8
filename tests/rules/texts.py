"""Texts of rule sets, each with its canonical form and the code that an offer of it gets.

``python -m tests.rules.texts`` writes tests/vectors/rules/texts.jsonl, whose README says what a row
holds (PROTOCOL 8.12).
"""

import json
import random
from pathlib import Path

from ginpeer.rules.cards import RulesError
from ginpeer.rules.parameters import NAMES, key_of, value_text
from ginpeer.rules.ruleset import PRESETS, STANDARD, parse_ruleset
from protocol.messages import MAX_RULES_BYTES

VECTORS = Path(__file__).parents[1] / "vectors" / "rules" / "texts.jsonl"

CHOSEN = (
    # One rule set, written in several ways; the first is the canonical one.
    *("classic target=250", " target=250  classic", "target=250 standard classic"),
    "oklahoma hollywood stake=5",
    "hollywood stake=5 oklahoma",
    "standard columns=3",
    "hollywood columns=3",
    "standard runs-wrap=yes",
    "around-the-corner tedesco",
    "standard knock-limit=upcard spades-double=yes",
    "standard knock-limit=upcard",
    "oklahoma knock-limit=second-deck",
    "standard mahjong=yes knock-limit=0 big-gin=none target=500",
    "mahjong multi-match target=20",
    "standard hands=5",
    "standard hands=5 target=none",
    "standard hands=5 target=525",
    "standard hands=5 target=524",
    "classic hands=3",
    # Presets that do not agree, or whose word is given the lie.
    *("oklahoma straight", "classic multi-match", "classic multi-match game-bonus=50"),
    *(
        "oklahoma knock-limit=10",
        "hollywood columns=1",
        "tournament best-of=1",
        "mahjong mahjong=no",
    ),
    # What is no text of a rule set.
    *("", " ", "gin", "Standard", "standard standard", "standard target", "standard target="),
    *(
        "standard target=0100",
        "standard target=+100",
        "standard box=20 box=20",
        "standard jokers=2",
    ),
    *("standard columns=2", "standard best-of=2", "standard target=10001", "standard misdeal=yes"),
    *(
        "standard\tclassic",
        "standard" + 505 * " ",
        "standard" + 504 * " ",
        "standard target = 100",
        "standard target=1e2",
    ),
    # Contradictions, each beside a text that is none.
    *("standard mahjong=yes", "mahjong tie=nobody", "mahjong ace-pips=15"),
    *("standard ace-limit=one", "oklahoma ace-limit=one", "tedesco ace-limit=one"),
    *("standard knock-limit=1 ace-pips=15", "standard knock-limit=2 ace-pips=15"),
    *(
        "straight undercut-bonus=10",
        "straight tie=nobody",
        "standard undercut-bonus=0 tie=no-bonus",
    ),
    "standard opening=either-pile knock-limit=second-deck",
    *("standard target=none", "standard hands=2 best-of=3", "standard hands=2 multi-match=500"),
    *("hollywood hands=5", "hollywood hands=5 target=100", "hollywood hands=1 target=100"),
    *(
        "standard hands=1",
        "standard hands=1 next-dealer=loser",
        "standard hands=2 next-dealer=loser",
    ),
    *("standard target=1", "straight target=25", "straight target=26", "mahjong target=75"),
    *("mahjong target=76", "mahjong target=80", "mahjong gin-bonus=26 target=77"),
    *("standard target=1 next-dealer=winner", "standard target=2 next-dealer=winner"),
    "straight gin-bonus=51 big-gin=51 lead-of-fifty-loses=yes target=1",
    "straight gin-bonus=50 big-gin=51 lead-of-fifty-loses=yes target=1",
    *("classic game-bonus=0", "standard game-bonus=0"),
    *("standard multi-match=225", "standard multi-match=226", "standard target=1 multi-match=500"),
    *("mahjong multi-match=1001", "mahjong multi-match=1005", "tedesco multi-match"),
    *("hollywood multi-match=450", "hollywood multi-match=451"),
    *("standard lead-of-fifty-loses=yes multi-match=175", "tedesco multi-match=700"),
)
SEEDED = 150
"""More of them, drawn at random."""


def canonical(text):
    """The canonical text of the same rule set; None where there is no such rule set."""
    try:
        rules = parse_ruleset(text)
        rules.check()
    except RulesError:
        return None
    return str(rules)


def row_of(text):
    if not 1 <= len(text) <= MAX_RULES_BYTES or not text.isprintable():
        return {"text": text, "canonical": None, "code": "malformed"}
    found = canonical(text)
    refused = "rules-unsupported" if found is None else "rules-not-canonical"
    return {"text": text, "canonical": found, "code": None if found == text else refused}


def any_text(rng):
    """A few presets and a few parameters with values that presets have, or near their ends."""
    names = rng.sample(list(PRESETS), rng.choice((1, 1, 1, 2, 2, 3)))
    words = [*names]
    for name in rng.sample(NAMES, rng.choice((0, 1, 1, 2, 3))):
        values = [preset.values[name] for preset in PRESETS.values() if name in preset.values]
        values = [value_text(value) for value in (*values, getattr(STANDARD, name))]
        words.append(f"{key_of(name)}={rng.choice([*values, '0', '1', '2', '30', 'none', 'yes'])}")
    if rng.random() < 0.3:
        rng.shuffle(words)
    return " ".join(words)


def rows():
    rng = random.Random("texts")
    drawn, kinds = [], {}
    while len(drawn) < SEEDED:
        row = row_of(any_text(rng))
        if kinds.get(row["code"], 0) < SEEDED // 3 and row not in drawn:
            kinds[row["code"]] = kinds.get(row["code"], 0) + 1
            drawn.append(row)
    chosen = [row_of(text) for text in dict.fromkeys(CHOSEN)]
    return [*chosen, *(row for row in drawn if row not in chosen)]


def read():
    return [json.loads(line) for line in VECTORS.read_text("ascii").splitlines()]


if __name__ == "__main__":
    VECTORS.write_text("".join(json.dumps(row) + "\n" for row in rows()), "ascii")
