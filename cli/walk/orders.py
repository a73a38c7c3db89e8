"""What is typed while walking through a match, as orders.

# Rule 1: a line that is no order says in one line what was probably meant, and does nothing.
# Rule 2: of what is typed nothing is kept but a word of ours, a number of nine digits, and the rest
#         of the line where a player is named.
"""

from __future__ import annotations

from dataclasses import dataclass

from cli.table.near_miss import meant
from ginpeer.names.quoting import safe

SHORT = {
    "": "next",
    "n": "next",
    "+": "next",
    "forward": "next",
    "b": "back",
    "p": "back",
    "-": "back",
    "prev": "back",
    "previous": "back",
    "g": "hand",
    "goto": "hand",
    "t": "table",
    "show": "table",
    "board": "table",
    "w": "where",
    "k": "knock",
    "gin": "knock",
    "d": "discard",
    "throw": "discard",
    "high": "highest",
    "deadwood": "highest",
    "s": "seat",
    "view": "seat",
    "beginning": "start",
    "value": "values",
    "h": "hand",
    "?": "help",
    "q": "quit",
    "exit": "quit",
    "bye": "quit",
}
"""Other ways to say a word."""

WORDS = (
    *("next", "back", "hand", "turn", "entry", "start", "end", "first", "last"),
    *("knock", "discard", "highest", "table", "where", "score", "seat"),
    *("words", "full", "values", "help", "quit"),
)
AIMS = ("knock", "discard", "hand", "turn")
"""What stands behind next and back, if not a number."""
SWITCHES = ("words", "full", "values")
_NUMBERED = ("hand", "turn", "entry")
_PLAYER = ("discard", "highest", "knock", "seat")
_DIGITS = 9

_NEED = {
    "hand": "Name the hand, as in: hand 2.",
    "turn": "Name the turn of this hand, as in: turn 7; turn 0 is the deal.",
    "entry": "Name the entry of the log, as in: entry 20.",
    "seat": "Name whose cards to look at: a player's name, host, guest, or both.",
    "next": "Behind it stands how many steps, or knock, discard, hand or turn.",
    "back": "Behind it stands how many steps, or knock, discard, hand or turn.",
    "words": "Type words on or words off.",
    "full": "Type full on or full off.",
    "values": "Type values on or values off.",
}


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done. ``word`` is one of WORDS; ``number`` how many steps, or of which hand,
    turn or entry; ``aim``, what next and back look for; ``player``, as typed; ``everywhere``, in
    the whole match; ``on``, of a switch."""

    word: str
    number: int = 0
    aim: str = ""
    player: str = ""
    everywhere: bool = False
    on: bool = False


@dataclass(frozen=True, slots=True)
class NoOrder:
    """Why a line is none, in one line."""

    sentence: str


def order_of(line: str) -> Order | NoOrder:
    """What a line asks for."""
    typed = line.strip().split()
    word, rest = (typed[0].casefold() if typed else ""), typed[1:]
    number = _number(word)
    if number is not None and not rest:
        return Order("hand", number)
    word = SHORT.get(word, word)
    if word not in WORDS:
        return NoOrder(_unknown(word))
    if word in _NUMBERED:
        return _with_number(word, rest)
    if word in ("next", "back"):
        return _steps(word, rest)
    if word in SWITCHES:
        return _switch(word, rest)
    if word in _PLAYER:
        return _with_player(word, rest)
    if word == "table" and typed[0].casefold() == "t" and rest:
        return NoOrder("t is short for table, behind which nothing stands; turn 7 goes to a turn.")
    return NoOrder(f"Nothing stands behind {word}.") if rest and word != "help" else Order(word)


def _with_number(word: str, rest: list[str]) -> Order | NoOrder:
    number = _number(rest[0]) if len(rest) == 1 else None
    return NoOrder(_NEED[word]) if number is None else Order(word, number)


def _steps(word: str, rest: list[str]) -> Order | NoOrder:
    """ "next", "next 5", "next knock", "back discard Ann"."""
    if not rest:
        return Order(word, 1)
    number = _number(rest[0])
    if number is not None and len(rest) == 1:
        return Order(word, number)
    aim = SHORT.get(rest[0].casefold(), rest[0].casefold())
    if aim not in AIMS or (rest[1:] and aim not in _PLAYER):
        return NoOrder(_NEED[word])
    return Order(word, aim=aim, player=" ".join(rest[1:]))


def _switch(word: str, rest: list[str]) -> Order | NoOrder:
    said = [each.casefold() for each in rest]
    if said not in (["on"], ["off"]):
        return NoOrder(_NEED[word])
    return Order(word, on=said == ["on"])


def _with_player(word: str, rest: list[str]) -> Order | NoOrder:
    if word == "highest" and rest and rest[0].casefold() == "deadwood":
        rest = rest[1:]  # as help and the README call it
    everywhere = word == "highest" and bool(rest) and rest[-1].casefold() == "match"
    player = " ".join(rest[: len(rest) - everywhere])
    if word == "seat" and not player:
        return NoOrder(_NEED[word])
    if word in AIMS:
        return Order("next", aim=word, player=player)
    return Order(word, player=player, everywhere=everywhere)


def _number(text: str) -> int | None:
    digits = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    return int(text) if digits else None


def _unknown(word: str) -> str:
    instead = meant(word, WORDS)
    near = f" Did you mean {instead}?" if instead in WORDS else ""
    return f"There is no command {safe(word, 20)}.{near} ? lists them."
