"""What a word that is no command was probably meant as: a slip of the fingers, or the word that
another program has for the same.

# Rule 1: a suggestion is only said. Nothing is done by it, so a near miss can move no card.
# Rule 2: of words of two letters everything is near; they are taken for nothing.
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
    **dict.fromkeys(("advice", "advise", "suggest"), "hint"),
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


def why_not(word: str) -> str | None:
    """Why there is no such command here, in one sentence, for what people look for; else None."""
    return _WHY_NOT.get(word)


def meant(word: str, commands: Iterable[str]) -> str | None:
    """The command that a word was probably meant as, all in small letters; None if none is near."""
    instead = _INSTEAD.get(word)
    if instead is not None:
        return instead
    forgiven = (len(word) >= _SHORT) + (len(word) >= _LONG)
    if not forgiven or len(word) > _LONGEST:
        return None
    near = [(steps(word, command), command) for command in commands if len(command) >= _SHORT]
    least = min((count for count, _ in near), default=_LONGEST)
    return next(command for count, command in near if count == least) if least <= forgiven else None


def steps(typed: str, word: str) -> int:
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
