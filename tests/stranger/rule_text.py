"""Rule sets and their texts (PROTOCOL 8.12)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
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
        number = int(word) if word.isdecimal() and len(word) < 8 else -1
        return number if number in self.numbers and str(number) == word else None


_NO_YES = Values("no", ["no", "yes"])

# In the order of the document.
PARAMETERS = {
    "first-dealer": Values("lower-cut", ["lower-cut", "host", "guest"]),
    "next-dealer": Values("alternates", ["alternates", "loser", "winner"]),
    "after-void": Values("same-dealer", ["same-dealer", "alternates"]),
    "opening": Values("upcard-option", ["upcard-option", "either-pile"]),
    "knock-limit": Values(10, ["upcard", "floating", "second-deck"], range(11)),
    "ace-limit": Values("gin-only", ["gin-only", "one"]),
    "spades-double": _NO_YES,
    "wall": Values("void", ["void", "last-discard"]),
    "swap-limit": Values(40, numbers=range(4, 1001)),
    "misdeal": Values("no", ["no"]),
    "runs-wrap": _NO_YES,
    "ace-pips": Values(1, numbers=range(1, 16, 14)),
    "mahjong": _NO_YES,
    "undercut-bonus": Values(25, numbers=range(1001)),
    "tie": Values("undercut", ["undercut", "no-bonus", "nobody"]),
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
        _values("undercut-bonus=10", "tie=no-bonus", "gin-bonus=20", "big-gin=none", "box=20")
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


def _keeps(rules: Rules, names: Iterable[str]) -> bool:
    presets = [PRESETS[name] for name in names]
    return all(p.allowed.read(str(rules[p.kept])) is not None for p in presets)


def _spoken(names: Iterable[str]) -> dict[str, set[int | str]]:
    """By parameter the values that these presets stand for; nothing where none speaks of it."""
    values: dict[str, set[int | str]] = {}
    for name in names:
        for parameter, value in PRESETS[name].values.items():
            values.setdefault(parameter, set()).add(value)
    return values


# ---------------------------------------------------------------- contradictions


def _least_won(rules: Rules) -> int:
    """W: the least points of a hand that somebody has won."""
    if rules["mahjong"] == "yes":
        return 50 + int(rules["gin-bonus"])
    least = int(rules["gin-bonus"])
    if rules["big-gin"] != "none":
        least = min(least, rules["big-gin"])
    if rules["knock-limit"] == 0 or rules["tie"] == "nobody":
        return least if rules["knock-limit"] == 0 else min(least, 1)
    return min(least, 1, 0 if rules["tie"] == "no-bonus" else rules["undercut-bonus"])


def _most(rules: Rules) -> int:
    """M: the most points of a hand."""
    limit, gin = rules["knock-limit"], int(rules["gin-bonus"])
    if rules["mahjong"] == "yes":
        most = 380 + gin
    else:
        deadwood = 120 if rules["ace-pips"] == 15 else 100
        most = max(gin, 0 if rules["big-gin"] == "none" else rules["big-gin"]) + deadwood
        if limit != 0:
            undercut = rules["undercut-bonus"] + (limit if isinstance(limit, int) else 10)
            most = max(most, undercut)
    return most * 2 if rules["spades-double"] == "yes" else most


def _first_game(rules: Rules) -> int:
    """F: what the first game always brings a player."""

    def boxes(points: int) -> int:
        return 0 if rules["mahjong"] == "yes" else rules["box"] * -(-points // _most(rules))

    target, bonus = rules["target"], rules["game-bonus"]
    brings = target + bonus + boxes(target)
    if rules["lead-of-fifty-loses"] == "yes":
        u = max(target, 50)
        brings = min(brings, max(u + boxes(u), u - 50 + bonus + boxes(u - 50)))
    return int(brings * 2 if rules["columns"] == 3 else brings)


def _differs(rules: Rules, *pairs: str) -> bool:
    return any(rules[name] != value for name, value in _values(*pairs).items())


def _contradictions(rules: Rules) -> Iterator[bool]:
    """In the order of the document."""
    least = _least_won(rules)
    limit, hands, target, series = (
        rules[name] for name in ("knock-limit", "hands", "target", "multi-match")
    )
    by_number, by_target = hands != "none", target != "none"
    is_low = by_target and target <= least
    several, is_series, columns = rules["best-of"] > 1, series != "none", rules["columns"] == 3
    mahjong, ace_15 = rules["mahjong"] == "yes", rules["ace-pips"] == 15
    in_fives = mahjong and rules["gin-bonus"] % 5 == 0

    allowed = ("knock-limit=0", "big-gin=none", "undercut-bonus=25", "tie=undercut", "ace-pips=1")
    yield mahjong and _differs(rules, *allowed)
    yield rules["ace-limit"] == "one" and (isinstance(limit, int) or ace_15)
    yield limit == 1 and ace_15
    yield limit == 0 and _differs(rules, "undercut-bonus=25", "tie=undercut")
    yield rules["undercut-bonus"] == 0 and rules["tie"] == "no-bonus"
    yield rules["opening"] == "either-pile" and limit == "second-deck"
    yield not by_number and not by_target
    yield several and is_series
    yield by_number and (several or is_series or (columns and not by_target))
    other_dealer = _differs(rules, "next-dealer=alternates", "after-void=same-dealer")
    yield hands == 1 and (columns or other_dealer)
    yield by_number and by_target and target > (hands - 1) * _most(rules)
    yield by_target and 2 <= target <= least
    yield in_fives and by_target and target > least and target % 5 != 0
    other_next = rules["next-dealer"] != "alternates"
    one_game = not columns and not several and not is_series
    yield other_next and is_low and one_game and not mahjong and rules["tie"] != "nobody"
    lead = rules["lead-of-fifty-loses"] == "yes"
    yield lead and least > 50 and not mahjong and (is_low or hands == 1)
    yield rules["shutout"] == "double-game-bonus" and rules["game-bonus"] == 0
    yield is_series and is_low
    yield is_series and by_target and series <= _first_game(rules)
    all_in_fives = in_fives and rules["game-bonus"] % 5 == rules["box"] % 5 == 0
    yield all_in_fives and is_series and series % 5 != 0


# ---------------------------------------------------------------- reading and writing


def read(text: str) -> Rules | None:
    """The rule set that a text names, canonical or not; None if there is none."""
    words = [word for word in text.split(" ") if word]
    names = [word for word in words if "=" not in word]
    pairs = [word.partition("=")[::2] for word in words if "=" in word]
    given = [name for name, _ in pairs]
    if not words or not {*names} <= {*PRESETS}:
        return None
    if len({*names}) < len(names) or len({*given}) < len(given):
        return None
    rules: Rules = {}
    for name, word in pairs:
        value = PARAMETERS[name].read(word) if name in PARAMETERS else None
        if value is None:
            return None
        rules[name] = value
    if rules.get("hands", "none") != "none":
        rules.setdefault("target", "none")
    for name, values in _spoken(names).items():
        if name not in rules:
            if len(values) > 1:
                return None
            (rules[name],) = values
    rules = STANDARD | rules
    return rules if _keeps(rules, names) and not any(_contradictions(rules)) else None


def _written(rules: Rules, names: Sequence[str]) -> list[str]:
    """The words of the rule set behind the names of these presets."""
    words, spoken = [], _spoken(names)
    for name, value in rules.items():
        changed = spoken.get(name, {STANDARD[name]}) != {value}
        if name == "target" and rules["hands"] != "none":
            changed = value != "none"
        words += [f"{name}={value}"] * changed
    return words


def canonical_text(rules: Rules) -> str:
    """The one text of a rule set."""
    fitting = [name for name in PRESETS if name != "standard" and _keeps(rules, [name])]
    candidates = []
    for size in range(len(fitting) + 1):
        for names in combinations(fitting, size):  # in the order of the table
            order, words = [*PRESETS], _written(rules, names)
            shown = names or ("standard",)
            rank = (len(shown) + len(words), len(words), [order.index(name) for name in shown])
            candidates.append((rank, [*shown, *words]))
    return " ".join(min(candidates)[1])


def parse_rules(text: str) -> Rules:
    """The rule set with this canonical text."""
    rules = read(text)
    if rules is None:
        raise Refusal("rules-unsupported", convicts=False)
    require(text == canonical_text(rules), "rules-not-canonical")
    return rules
