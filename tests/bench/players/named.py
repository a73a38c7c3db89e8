"""The benchmark players, each by a name that another process can look up."""

from __future__ import annotations

from functools import partial
from random import Random

from ginpeer.adviser.advise import choose
from ginpeer.adviser.levels import BEST, player_at
from tests.bench.mirrored import Maker
from tests.bench.players import reference
from tests.bench.players.checkout import choose_of
from tests.bench.players.java import JavaPlayer, is_java_player
from tests.bench.players.reference import Choose

_MAKERS: dict[str, Maker] = {
    "bot": lambda seed: choose,
    **{
        f"level-{number}": lambda seed, number=number: player_at(number, Random(seed).randbytes)
        for number in range(1, BEST)
    },
    "at-once": lambda seed: reference.at_once,
    "simple": reference.Simple,
    "gin-only": lambda seed: reference.gin_only,
}
PLAYERS = tuple(_MAKERS)
"""The bot itself, the levels below the bot's, and the reference players."""


def named(name: str) -> Maker:
    """Return the maker of the player with this name, of a Java player (FOLDER:CLASS), or of the
    bot of the checkout in the folder *name*."""
    return partial(_made, name)


def _made(name: str, seed: str) -> Choose:
    if name in _MAKERS:
        return _MAKERS[name](seed)
    return JavaPlayer(name) if is_java_player(name) else choose_of(name)
