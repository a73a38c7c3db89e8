"""What a word that is no command was probably meant as: a slip of the fingers, or the word that
another program has for the same.

# Rule 1: a suggestion is only said. Nothing is done by it, so a near miss can move no card.
# Rule 2: of words of two letters everything is near; they are taken for nothing.
# Rule 3: a word to a friend is no slip: "well played" is nobody's "bell". What is said to people is
#   answered with how to say it.
"""

from __future__ import annotations

from collections.abc import Iterable

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
"""Words of other programs that play cards, each with ours."""

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
"""Words that people begin a line to a friend with, those among them that are near a command."""

_OFTEN_TALK = frozenset(["back", "bye", "end", "message", "play", "points", "stop"])
"""Words that are answered otherwise when they stand alone, or before what makes a command."""


def is_talk(word: str, *, alone: bool, near: bool) -> bool:
    """Whether a line that begins with this word, in small letters, and is no command, is probably
    meant for the other player. *alone*: nothing stands behind it. *near*: with the command that it
    may be a slip for, it makes a whole one."""
    word = word.strip(".,!?:;")
    return (word in _TALK and (alone or not near)) or (
        word in _OFTEN_TALK and not alone and not near
    )


def why_no_such_command(word: str) -> str | None:
    """Why there is no such command here, in one sentence, for what people look for; else None."""
    return _WHY_NOT.get(word)


def nearest_command(word: str, commands: Iterable[str]) -> str | None:
    """The command that a word was probably meant as, all in small letters; None if none is near."""
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
    """How many letters have to be left out, put in, exchanged or swapped with their neighbour to
    make one word of the other (optimal string alignment)."""
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
