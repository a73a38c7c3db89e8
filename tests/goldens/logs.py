"""The logs of the corpus: frozen ones, and matches played from fixed seeds in the toy group.

A toy match signs the same bytes on every run, so a log whose hash changes means that seat, deck or
rules behave differently.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ginpeer.rules.ruleset import PRESETS, RuleSet, parse_ruleset
from ginpeer.store.log import log_bytes
from protocol.messages import Disclosure
from tests.cheating.cheat import steady
from tests.matches import golden_logs
from tests.matches.recorded import plain_player
from tests.matches.table_pair import Chooser, TablePair
from tests.matches.variants import laying

MATCHES_BY_PRESET, MATCHES_BY_SETTING = 10, 4
SETTINGS = (
    "standard target=50",
    "oklahoma hollywood target=60",
    "tedesco target=40",
    "standard hands=3 big-gin=40",
    "standard wall=last-discard hands=2",
    "straight hands=2",
)
CUTS = range(4, 40, 3)
"""Cut one match after each of these numbers of entries, as a power failure would."""

_SHORT = {"tournament": "tournament target=1 best-of=3", "multi-match": "multi-match target=2"}


Logs = dict[str, Callable[[], bytes]]


def frozen() -> Logs:
    """Return the golden logs of version 1, which are judged in the real group."""
    paths = {name: golden_logs.FOLDER / f"{name}.ginlog" for name in golden_logs.GOLDEN}
    return {name: path.read_bytes for name, path in paths.items()}


def played() -> dict[str, partial[bytes]]:
    """Return functions that play the matches, by name. Call this and them in the toy group."""
    found: dict[str, partial[bytes]] = {}
    for name in PRESETS:
        rules = parse_ruleset(_SHORT.get(name, f"{name} target=1"))
        for number in range(MATCHES_BY_PRESET):
            player = laying if rules.mahjong else (steady, plain_player)[number % 2]
            disclosure = tuple(Disclosure)[number % len(Disclosure)]
            found[f"{name}-{number}"] = partial(_log, f"{name} {number}", rules, player, disclosure)
    for text in SETTINGS:
        rules, name = parse_ruleset(text), text.replace(" ", "_").replace("=", "-")
        for number in range(MATCHES_BY_SETTING):
            seed = f"{text} {number}"
            found[f"{name}-{number}"] = partial(
                _log, seed, rules, plain_player, Disclosure.AFTER_MATCH
            )
    for length in CUTS:
        found[f"cut-{length:02}"] = partial(_cut, length)
    return found


def seeds() -> dict[str, str]:
    """Return the seed of each match that is played here. Its players' keys are derived from it."""
    return {name: log.args[0] for name, log in played().items() if log.func is _log}


def _log(seed: str, rules: RuleSet, player: Chooser, disclosure: Disclosure) -> bytes:
    return log_bytes(tuple(TablePair(seed, rules, disclosure).play(player).host.seat.entries))


def _cut(length: int) -> bytes:
    pair = TablePair("cut short", parse_ruleset("standard target=1")).play(plain_player)
    return log_bytes(tuple(pair.host.seat.entries)[:length])
