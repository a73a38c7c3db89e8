"""Rule sets and their texts (PROTOCOL 8.12)."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .refusal import Refusal, require

Rules = dict[str, Any]  # by parameter: a number or a word


class Values(NamedTuple):
    """What a parameter can be; `standard` is one of these numbers or words."""

    standard: int | str
    words: Sequence[str] = ()
    numbers: range = range(0)

    def read(self, word: str) -> int | str | None:
        if word in self.words:
            return word
        number = int(word) if word.isdigit() else -1
        return number if number in self.numbers and str(number) == word else None


_NO_YES = Values("no", ["no", "yes"])

# In the order of the document.
PARAMETERS = {
    "first-dealer": Values("lower-cut", ["lower-cut", "host", "guest"]),
    "next-dealer": Values("alternates", ["alternates", "loser", "winner"]),
    "after-void": Values("same-dealer", ["same-dealer"]),
    "opening": Values("upcard-option", ["upcard-option", "either-pile"]),
    "knock-limit": Values(10, ["upcard", "floating", "second-deck"], range(11)),
    "ace-limit": Values("gin-only", ["gin-only", "one"]),
    "spades-double": _NO_YES,
    "wall": Values("void", ["void", "last-discard"]),
    "swap-limit": Values(40, numbers=range(2, 1001)),
    "misdeal": Values("no", ["no"]),
    "runs-wrap": _NO_YES,
    "ace-pips": Values(1, numbers=range(1, 16, 14)),
    "mahjong": _NO_YES,
    "undercut-bonus": Values(25, numbers=range(1001)),
    "tie": Values("undercut", ["undercut", "nobody"]),
    "gin-bonus": Values(25, numbers=range(1001)),
    "big-gin": Values(31, ["none"], range(1001)),
    "target": Values(100, ["none"], range(1, 10001)),
    "hands": Values("none", ["none"], range(1, 1001)),
    "game-bonus": Values(100, numbers=range(10001)),
    "box": Values(25, numbers=range(1001)),
    "shutout": Values("double-hands", ["double-hands", "double-game-bonus", "none"]),
    "lead-of-fifty-loses": _NO_YES,
    "columns": Values(1, numbers=range(1, 4, 2)),
    "best-of": Values(1, numbers=range(1, 100, 2)),
    "multi-match": Values("none", ["none"], range(1, 100_001)),
    "stake": Values(0, numbers=range(1_000_001)),
}
STANDARD: Rules = {name: values.standard for name, values in PARAMETERS.items()}


def _values(*pairs: str) -> Rules:
    values: Rules = {}
    for pair in pairs:
        name, _, word = pair.partition("=")
        values[name] = int(word) if word.isdigit() else word
    return values


class Preset(NamedTuple):
    """What it stands for; and the parameter that it keeps, with the values allowed there."""

    values: Rules
    kept: str = "stake"
    allowed: Values = PARAMETERS["stake"]


PRESETS = {
    "standard": Preset({}),
    "classic": Preset(
        _values("undercut-bonus=10", "tie=nobody", "gin-bonus=20", "big-gin=none", "box=20")
        | _values("shutout=double-game-bonus")
    ),
    "tournament": Preset(
        _values("wall=last-discard", "target=250", "best-of=5"),
        "best-of",
        Values(5, numbers=range(3, 100, 2)),
    ),
    "oklahoma": Preset(
        _values("knock-limit=upcard", "spades-double=yes"),
        "knock-limit",
        Values("upcard", ["upcard", "second-deck"]),
    ),
    "oklahoma-floating": Preset(
        _values("knock-limit=floating"), "knock-limit", Values("floating", ["floating"])
    ),
    "straight": Preset(_values("knock-limit=0"), "knock-limit", Values(0, numbers=range(1))),
    "tedesco": Preset(
        _values("knock-limit=upcard", "spades-double=yes", "runs-wrap=yes", "ace-pips=15")
        | _values("target=200", "columns=3"),
        "runs-wrap",
        Values("yes", ["yes"]),
    ),
    "around-the-corner": Preset(_values("runs-wrap=yes"), "runs-wrap", Values("yes", ["yes"])),
    "mahjong": Preset(
        _values("knock-limit=0", "mahjong=yes", "big-gin=none", "target=500"),
        "mahjong",
        Values("yes", ["yes"]),
    ),
    "hollywood": Preset(_values("columns=3"), "columns", Values(3, numbers=range(3, 4))),
    "multi-match": Preset(
        _values("shutout=double-game-bonus", "multi-match=500"),
        "multi-match",
        Values(500, numbers=range(1, 100_001)),
    ),
}
_ADDITIONS = [[], ["hollywood"], ["multi-match"], ["hollywood", "multi-match"]]


def _stand_for(names: Iterable[str]) -> Rules:
    rules = dict(STANDARD)
    for name in names:
        rules |= PRESETS[name].values
    return rules


def _keeps(rules: Rules, names: Iterable[str]) -> bool:
    presets = [PRESETS[name] for name in names]
    return all(p.allowed.read(str(rules[p.kept])) is not None for p in presets)


def _contradicts_itself(rules: Rules) -> bool:
    limit, hands, target, series = (
        rules[name] for name in ("knock-limit", "hands", "target", "multi-match")
    )
    several = rules["best-of"] > 1
    mahjong = _values("knock-limit=0", "big-gin=none", "undercut-bonus=25", "tie=undercut")
    mahjong |= _values("ace-pips=1")
    return (
        (rules["ace-limit"] == "one" and isinstance(limit, int))
        or (rules["spades-double"] == "yes" and limit not in ("upcard", "second-deck"))
        or (rules["opening"] == "either-pile" and limit == "second-deck")
        or (rules["mahjong"] == "yes" and any(rules[n] != v for n, v in mahjong.items()))
        or (hands == "none") == (target == "none")
        or (hands != "none" and (several or series != "none" or rules["columns"] == 3))
        or (several and series != "none")
        or (series != "none" and series <= target)
    )


def read(text: str) -> Rules | None:
    """The rule set that a text names, canonical or not; None if there is none."""
    words = text.split()
    names = [word for word in words if "=" not in word]
    pairs = [word.partition("=")[::2] for word in words[len(names) :]]
    if not names or words[: len(names)] != names or len(set(names)) < len(names):
        return None
    if not all(name in PRESETS for name in names):
        return None
    if not all(name in ("hollywood", "multi-match") for name in names[1:]):
        return None
    if len({name for name, _ in pairs}) < len(pairs):
        return None
    rules = _stand_for(names)
    for name, word in pairs:
        value = PARAMETERS[name].read(word) if name in PARAMETERS else None
        if value is None:
            return None
        rules[name] = value
    if rules["hands"] != "none" and "target" not in dict(pairs):
        rules["target"] = "none"
    return rules if _keeps(rules, names) and not _contradicts_itself(rules) else None


def canonical_text(rules: Rules) -> str:
    """The one text of a rule set."""
    candidates = []
    for first in [name for name in PRESETS if name not in ("hollywood", "multi-match")]:
        for addition in _ADDITIONS:
            names = [first, *addition] if first != "standard" or not addition else addition
            if _keeps(rules, names):
                base = _stand_for(names)
                changed = [
                    f"{name}={value}"
                    for name in PARAMETERS
                    if (value := rules[name]) != base[name] and (name, value) != ("target", "none")
                ]
                candidates.append((len(names) + len(changed), len(changed), [*names, *changed]))
    return " ".join(min(candidates, key=lambda candidate: candidate[:2])[2])


def parse_rules(text: str) -> Rules:
    """The rule set with this canonical text."""
    rules = read(text)
    if rules is None:
        raise Refusal("rules-unsupported", convicts=False)
    require(text == canonical_text(rules), "rules-not-canonical")
    return rules
