"""A table of commands: which command a word names, what Tab offers, and what a typo may have meant.

# Rule 1: a suggestion is only said. Nothing is done by it, so a near miss can move no card.
# Rule 2: words of two letters are near everything, so nothing is suggested for them.
# Rule 3: a word to a friend isn't a typo: "well played" does not mean "bell". The answer to what is
#   said to people is how to say it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

State = TypeVar("State")
"""What decides which commands are possible."""

Read = TypeVar("Read")
"""What a line is read as."""


def no_words(state: object) -> Iterable[str]:
    """Offer nothing behind a command, whatever the state."""
    return ()


def is_always_possible(state: object) -> bool:
    """Say that a command is possible, whatever the state."""
    return True


@dataclass(frozen=True, kw_only=True)  # no slots: Generic sets an attribute of its own
class CommandSpec(Generic[State, Read]):
    """One command: everything that parsing, help, completion and suggestions need.

    ``aliases`` are other words for it; ``letter`` is its short form. ``read`` gets the word that
    was typed and what follows it. ``after`` lists what Tab offers behind it; ``more_follows``: Tab
    adds a blank. ``when`` says whether it is possible now. ``is_move``: ``rules`` can judge it.
    ``is_raw``: what follows is read exactly as it was typed. ``help_in_mahjong`` is what help says
    in Mahjong gin, if that differs. ``handler``: what answers it, if that is all it needs.
    """

    name: str
    read: Callable[[str, str], Read]
    aliases: tuple[str, ...] = ()
    letter: str = ""
    when: Callable[[State], bool] = is_always_possible
    after: Callable[[State], Iterable[str]] = no_words
    more_follows: bool = False
    is_move: bool = False
    is_raw: bool = False
    help: str = ""
    help_in_mahjong: str = ""
    handler: Callable[[Any, Read], list[str]] | None = None


class CommandTable(Generic[State, Read]):
    """Commands, in the order in which Tab offers them."""

    def __init__(self, *specs: CommandSpec[State, Read]) -> None:
        self.specs = specs
        self.by_name = {spec.name: spec for spec in specs}
        self.by_word = {
            word: spec
            for spec in specs
            for word in (spec.name, *spec.aliases, *filter(None, [spec.letter]))
        }

    def offered(self, state: State, *, moves_only: bool = False) -> list[str]:
        """Return what Tab offers for the first word of a line: commands that are possible now."""
        return [
            f"{spec.name} " if spec.more_follows else spec.name
            for spec in self.specs
            if (spec.is_move or not moves_only) and spec.when(state)
        ]


# --- near misses ------------------------------------------------------------------------

_SHORT, _LONG = 3, 6  # letters from which one slip is forgiven, and from which two are
_LONGEST = 14  # letters; no command has more, and steps() takes as long as they multiply

_INSTEAD = {
    **dict.fromkeys(("chat", "tell", "talk", "msg", "message"), "say"),
    **dict.fromkeys(("stats", "statistics", "points", "result"), "score"),
    **dict.fromkeys(("status", "board"), "table"),
    **dict.fromkeys(("drop", "toss", "play"), "discard"),
    **dict.fromkeys(("pick", "pickup"), "take"),
    **dict.fromkeys(("skip", "refuse"), "pass"),
    **dict.fromkeys(("surrender", "concede", "forfeit"), "resign"),
    **dict.fromkeys(("bye", "stop", "end"), "quit"),
    **dict.fromkeys(("ignore", "silence"), "mute"),
    **dict.fromkeys(("arrange", "rearrange"), "order"),
    **dict.fromkeys(("advice", "advise"), "hint"),
    **dict.fromkeys(("offer", "suggest", "suggestion", "proposal"), "propose"),
}
"""Words that other card programs use, each with ours."""

_NO_UNDO = "Nothing is taken back: the other player has seen it, and both logs hold it signed."
_NO_AGAIN = (
    "The host is asked for another match when one is over; to see once more what there is, type "
    "table or hand."
)
_WHY_NOT = {
    **dict.fromkeys(("undo", "takeback", "back", "revert"), _NO_UNDO),
    **dict.fromkeys(("again", "rematch", "repeat"), _NO_AGAIN),
}

_SAID = """
and bravo brilliant bro congrats congratulations cool cute dad damn day dude fine fun gg gl
good great had haha hard harder he hell hello hey hi how i im lol long lot love low luck lucky
mate mom more my nice nope odd oh ok okay oops ouch phew please pls quiet quite really sad saw
she slow sorry sure thank thanks thx ty unlucky very well what why win wow yay yeah yep you
your
"""
_TALK = frozenset(_SAID.split())
"""Words near a command with which people begin a line to a friend."""

_OFTEN_TALK = frozenset(["back", "bye", "end", "message", "play", "points", "stop"])
"""Words that are talk unless they stand alone, or make a command with what follows."""


def is_talk(word: str, *, alone: bool, near: bool) -> bool:
    """Return whether a line that isn't a command, and begins with this word in small letters, is
    probably meant for the other player. *alone*: nothing follows the word. *near*: with the command
    that the word may be a typo for, the line would be complete."""
    word = word.strip(".,!?:;")
    return (word in _TALK and (alone or not near)) or (
        word in _OFTEN_TALK and not alone and not near
    )


def why_no_such_command(word: str) -> str | None:
    """Return why a command that people look for doesn't exist, in one sentence; else None."""
    return _WHY_NOT.get(word)


def nearest_command(word: str, commands: Iterable[str]) -> str | None:
    """Return the command that a word in small letters was probably meant as, if one is near."""
    instead = _INSTEAD.get(word)
    if instead is not None:
        return instead
    forgiven = (len(word) >= _SHORT) + (len(word) >= _LONG)
    if not forgiven or len(word) > _LONGEST:
        return None
    near = [
        (edit_distance(word, command), command) for command in commands if len(command) >= _SHORT
    ]
    least = min((count for count, _ in near), default=_LONGEST)
    return next(command for count, command in near if count == least) if least <= forgiven else None


def edit_distance(typed: str, word: str) -> int:
    """Count the letters to leave out, insert, replace or swap with a neighbour to make one word of
    the other (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(word) + 1))
    for at, letter in enumerate(typed, 1):
        before, above = row, before
        row = [at]
        for along, other in enumerate(word, 1):
            count = min(
                before[along] + 1, row[along - 1] + 1, before[along - 1] + (letter != other)
            )
            swapped = at > 1 and along > 1 and letter == word[along - 2] and typed[at - 2] == other
            row.append(min(count, above[along - 2] + 1) if swapped else count)
    return row[-1]
