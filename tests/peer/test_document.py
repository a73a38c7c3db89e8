"""PROTOCOL.md says what the program does, where both can be held against each other."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path

import pytest

from ginpeer.referee.referee import Referee
from ginpeer.rules.cards import RulesError
from ginpeer.rules.presets import PRESETS, parse_ruleset
from ginpeer.rules.ruleset import NAMES, STANDARD, key_of, value_text
from protocol import messages as m

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = (ROOT / "proto" / "PROTOCOL.md").read_text(encoding="utf-8")


def table_headed(first: str) -> list[list[str]]:
    """The rows of the table whose first column is headed so, without the marks of code."""
    lines = DOCUMENT.split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[at + 2 :]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
    return rows


def is_played(text: str) -> bool:
    try:
        parse_ruleset(text).check()
    except RulesError:
        return False
    return True


# Values that need another parameter beside them.
BESIDE = {
    "ace-limit=one": "knock-limit=upcard",
    "mahjong=yes": "knock-limit=0 big-gin=none",
    "target=none": "hands=5",
    "multi-match=1": "target=none",  # no game is that short
    "multi-match=100000": "",
}


@pytest.mark.parametrize("row", table_headed("parameter"), ids=lambda row: row[0])
def test_the_values_of_a_parameter_are_those_that_are_played(row: list[str]) -> None:
    key, values, standard = row
    name = next(name for name in NAMES if key_of(name) == key)
    assert standard == value_text(getattr(STANDARD, name))
    kind = type(getattr(STANDARD, name))
    words = set(re.findall(r"[a-z][a-z-]+", values)) - {"to", "odd"}
    if issubclass(kind, Enum) and name != "knock_limit":
        assert words == {choice.value for choice in kind}
    numbers = [int(number) for number in re.findall(r"\d+", values)]
    if "to" in values.split():
        low, high = numbers
        for number, plays in ((low, True), (high, True), (low - 1, False), (high + 1, False)):
            if number >= 0 and f"{key}={number}" != "multi-match=1":
                assert is_played(f"standard {key}={number}") is plays
    for value in [*words, *map(str, numbers)]:
        beside = BESIDE.get(f"{key}={value}", "")
        if beside != "target=none":
            assert is_played(f"standard {key}={value} {beside}")


def test_all_parameters_are_there_in_their_order() -> None:
    assert [row[0] for row in table_headed("parameter")] == [key_of(name) for name in NAMES]


def test_the_presets_stand_for_what_the_table_says() -> None:
    rows = table_headed("preset")
    assert [row[0] for row in rows] == list(PRESETS)
    for name, values, keeps in rows:
        preset = PRESETS[name]
        words = {f"{key_of(key)}={value_text(value)}" for key, value in preset.values.items()}
        assert set(values.split()) == words
        assert [key_of(key) for key in preset.essential] == keeps.split()[:1]
        assert parse_ruleset(f"standard {values}") == preset.rules


@pytest.mark.parametrize(
    "text",
    [
        "standard ace-limit=one",
        "tedesco ace-limit=one",
        "standard knock-limit=1 ace-pips=15",
        "straight undercut-bonus=10",
        "straight tie=nobody",
        "standard knock-limit=second-deck opening=either-pile",
        "standard mahjong=yes",
        "mahjong big-gin=31",
        "mahjong undercut-bonus=20",
        "mahjong tie=nobody",
        "mahjong ace-pips=15",
        "standard hands=5 target=525",
        "hollywood hands=1 target=1",
        "standard hands=1 next-dealer=loser",
        "standard target=1 next-dealer=winner",
        "straight target=25",
        "mahjong target=499",
        "straight gin-bonus=51 big-gin=51 lead-of-fifty-loses=yes target=1",
        "classic game-bonus=0",
        "mahjong multi-match=1001",
        "standard target=none",
        "standard hands=5 best-of=3",
        "standard hands=5 multi-match=500",
        "hollywood hands=5",
        "standard best-of=3 multi-match=500",
        "standard multi-match=225",
        "tedesco multi-match",
        "standard misdeal=yes",
        "tournament best-of=1",
        "oklahoma knock-limit=floating",
        "hollywood columns=1",
        "multi-match multi-match=none",
        "hollywood hollywood",
        "oklahoma straight",
        "tournament mahjong",
        "standard box=025",
        "standard box=20 box=20",
    ],
)
def test_what_contradicts_itself_cannot_be_offered(text: str) -> None:
    assert not is_played(text)


def test_every_code_of_a_refusal_is_in_the_document() -> None:
    """All codes in the sources of what judges an entry, but for those that no entry provokes."""
    sources = [
        *(ROOT / "ginpeer" / "referee").glob("*.py"),
        *(ROOT / "protocol" / "deck").glob("*.py"),
        *(ROOT / "protocol" / "codec").glob("entries.py"),
        *(ROOT / "protocol" / "crypto").glob("*.py"),
        ROOT / "protocol" / "entry.py",
        ROOT / "ginpeer" / "rules" / "hand.py",
        ROOT / "ginpeer" / "rules" / "mahjong.py",
    ]
    pattern = (
        r'(?:Illegal|IllegalEntry|Garbled|Violation|Unsupported|Unreadable)\(\s*"([a-z-]+)"'
        r'|code(?:: str)?, sentence = "([a-z-]+)"|\bcode = "([a-z-]+)"'
    )
    codes = {
        next(filter(None, found))
        for source in sources
        for found in re.findall(pattern, source.read_text(encoding="utf-8"))
    }
    assert len(codes) > 50
    unreachable = {
        # A referee knows no private hand, and reads no hand from a text.
        "hand-unknown",
        "unreadable-hand",
        # The message says it first: card-used-twice, wrong-hand; and a lay has a card.
        "card-twice",
        "wrong-card-count",
        "nothing-laid",
        # Of a connection, which knows whom it speaks with; a log alone does not.
        "unexpected-key",
        "same-key",
        # Of one's own keys and machine.
        "no-constant-time-group",
        "sodium-unavailable",
        "unknown-group",
    }
    missing = {code for code in codes if f"`{code}`" not in DOCUMENT}
    assert missing <= unreachable, missing - unreachable


def test_the_kinds_of_messages_are_all_owed_somewhere() -> None:
    rows = table_headed("awaited")
    named = {name for row in rows for name in re.findall(r"[A-Z]\w+", row[2])} - {"Mahjong"}
    assert named == {kind.__name__ for kind in m.Message.__args__} - {"Resign"}
    awaited = {row[0] for row in rows}
    assert {"last chance", "spread", "draw"} <= awaited
    assert Referee().table.awaiting.value == "the offer"
