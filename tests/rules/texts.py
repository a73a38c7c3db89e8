"""Texts of rule sets, each with its canonical form and the code with which an offer is refused.

``python -m tests.rules.texts`` writes tests/vectors/rules/texts.jsonl, whose README describes a row
(PROTOCOL 8.12).

Rule: additions here only add rows and change none, so that the diff can be read. Each randomly
  drawn text has its own seed, and draws from lists that don't grow when the program's do.
"""

import json
import random
from pathlib import Path

from ginpeer.rules.cards import RulesError
from ginpeer.rules.ruleset import PRESETS, parse_ruleset
from protocol.messages import MAX_RULES_BYTES

VECTORS = Path(__file__).parents[1] / "vectors" / "rules" / "texts.jsonl"

CHOSEN = (
    # One rule set written in several ways, the canonical text first.
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
    # Presets that contradict each other or another word.
    *("oklahoma straight", "classic multi-match", "classic multi-match game-bonus=50"),
    *(
        "oklahoma knock-limit=10",
        "hollywood columns=1",
        "tournament best-of=1",
        "mahjong mahjong=no",
    ),
    # Texts that aren't rule sets.
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
    # Contradictions, each beside a text without one.
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

# The words that each parameter takes, and the limits of its numbers (PROTOCOL 8.12). The standard
# value comes first.
VALUES = {
    "first-dealer": ("lower-cut", "host", "guest"),
    "next-dealer": ("alternates", "loser", "winner"),
    "after-void": ("same-dealer", "alternates"),
    "opening": ("upcard-option", "either-pile"),
    "knock-limit": ("10", "0", "1", "upcard", "floating", "second-deck"),
    "ace-limit": ("gin-only", "one"),
    "spades-double": ("no", "yes"),
    "wall": ("void", "last-discard"),
    "swap-limit": ("40", "4", "1000"),
    "misdeal": ("no", "yes"),
    "runs-wrap": ("no", "yes"),
    "ace-pips": ("1", "15"),
    "mahjong": ("no", "yes"),
    "undercut-bonus": ("25", "0", "1000"),
    "tie": ("undercut", "no-bonus", "nobody"),
    "gin-bonus": ("25", "0", "1000"),
    "big-gin": ("31", "none", "0", "1000"),
    "target": ("100", "none", "1", "10000"),
    "hands": ("none", "1", "1000"),
    "game-bonus": ("100", "0", "10000"),
    "box": ("25", "0", "1000"),
    "shutout": ("double-hands", "double-game-bonus", "none"),
    "lead-of-fifty-loses": ("no", "yes"),
    "columns": ("1", "3"),
    "best-of": ("1", "3", "99"),
    "multi-match": ("none", "1", "100000"),
    "stake": ("0", "1", "1000000"),
}

# More words that a randomly drawn text may have.
NAMES_BESIDE = (
    *("standard", "classic", "tournament", "oklahoma", "oklahoma-floating", "straight", "tedesco"),
    *("around-the-corner", "mahjong", "hollywood", "multi-match"),
)
WORDS_BESIDE = (
    *("first-dealer=host", "next-dealer=winner", "after-void=alternates", "opening=either-pile"),
    *("knock-limit=upcard", "ace-limit=one", "spades-double=yes", "wall=last-discard"),
    *("swap-limit=30", "runs-wrap=yes", "ace-pips=15", "undercut-bonus=10", "tie=nobody"),
    *("gin-bonus=20", "big-gin=none", "target=250", "hands=30", "game-bonus=0", "box=20"),
    *("shutout=double-game-bonus", "lead-of-fifty-loses=yes", "columns=3", "best-of=5"),
    *("multi-match=500", "stake=2"),
)


def canonical(text):
    """Return the canonical text of the same rule set, or None if there is no such rule set."""
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


def drawn(word):
    """Return a text with this word among a few random names and parameters."""
    rng = random.Random(word)
    names = rng.sample(NAMES_BESIDE, rng.choice((1, 1, 1, 2)))
    words = [*names, *rng.sample(WORDS_BESIDE, rng.choice((0, 0, 1, 1, 2))), word]
    if rng.random() < 0.3:
        rng.shuffle(words)
    return " ".join(words)


def rows():
    """Return a row for each chosen text, and for each preset and each value of each parameter: once
    alone, and once among random other words."""
    values = [f"{name}={value}" for name in VALUES for value in VALUES[name]]
    alone = [*PRESETS, *(f"standard {word}" for word in values)]
    texts = [*CHOSEN, *alone, *(drawn(word) for word in (*PRESETS, *values))]
    return [row_of(text) for text in dict.fromkeys(texts)]


def read():
    return [json.loads(line) for line in VECTORS.read_text("ascii").splitlines()]


if __name__ == "__main__":
    VECTORS.write_text("".join(json.dumps(row) + "\n" for row in rows()), "ascii")
