"""What a line that isn't a command probably means.

Rule 1: a suggestion is only shown, never carried out, so a typo can't move a card. PHRASES and
  QUESTIONS aren't typos, so they are carried out.
Rule 2: a word of two letters is close to everything, so nothing is suggested for it.
Rule 3: a line meant for a friend isn't a typo: "well played" doesn't mean "bell". The answer to
  such a line explains how to say it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

_SHORT, _LONG = 3, 6  # letters that a word needs before one typo is forgiven, or two
_LONGEST = 14  # letters; no command is longer, and edit_distance() takes quadratic time

_INSTEAD = {
    **dict.fromkeys(("chat", "tell", "talk", "msg", "message"), "say"),
    **dict.fromkeys(("stats", "statistics", "points", "result"), "score"),
    **dict.fromkeys(("status", "board"), "table"),
    **dict.fromkeys(("drop", "toss", "play"), "discard"),
    **dict.fromkeys(("pick", "pickup"), "take"),
    **dict.fromkeys(("skip", "refuse"), "pass"),
    **dict.fromkeys(("none", "neither", "nah"), "no"),
    **dict.fromkeys(("surrender", "concede", "forfeit"), "resign"),
    **dict.fromkeys(("bye", "stop", "end"), "quit"),
    **dict.fromkeys(("ignore", "silence"), "mute"),
    **dict.fromkeys(("arrange", "rearrange"), "order"),
    **dict.fromkeys(("advice", "advise"), "hint"),
    **dict.fromkeys(("offer", "suggest", "suggestion", "proposal"), "propose"),
}
"""Words that other card programs use, with our word for each."""

WHY_NOT = dict.fromkeys(
    ("again", "rematch"),
    "When a match is over, ginpeer asks the host about another. During a match, table and hand "
    "show the cards again.",
)
"""Why a command doesn't exist, for words that people often type."""

PHRASES = {
    **dict.fromkeys(("take it", "pick up", "pick it up"), "take"),
    **dict.fromkeys(("draw card", "draw a card"), "draw"),
}
"""Whole lines that mean a move, in lower case and without articles."""

QUESTIONS = {
    **dict.fromkeys(
        ("my hand", "my cards", "show hand", "show my hand", "show cards", "show my cards",
         "what do i have", "whats in my hand", "what is in my hand"), "hand",
    ),
    **dict.fromkeys(
        ("whose turn", "whose turn is it", "whats upcard", "what is upcard", "how many cards left",
         "how many cards are left"), "table",
    ),
    **dict.fromkeys(("last move", "what happened", "what just happened"), "last"),
    **dict.fromkeys(("can i knock", "may i knock"), "rules knock"),
    **dict.fromkeys(("can i go gin", "may i go gin"), "rules gin"),
    **dict.fromkeys(("what can i do", "what may i do"), "help"),
    "settings": "help settings",
    "keys": "help keys",
}  # fmt: skip
"""Whole lines that ask to see something, without apostrophes and final punctuation."""

_SAID = """
and bravo brilliant bro congrats congratulations cool cute dad damn day dude fine fun gg gl
good great had haha hard harder he hell hello hey hi how i im lol long lot love low luck lucky
mate mom more my nice nope odd oh ok okay oops ouch phew please pls quiet quite really sad saw
she slow sorry sure thank thanks thx ty unlucky very well what why win wow yay yeah yep you
your
"""
_TALK = frozenset(_SAID.split())
"""Words that look like a command, but often begin a line to a friend."""

_OFTEN_TALK = frozenset(["back", "bye", "end", "play", "points", "stop"])
"""Words that are chat unless they stand alone, or form a command with what follows."""


def is_talk(word: str, *, alone: bool, near: bool) -> bool:
    """Return whether a line that isn't a command is probably chat. *word*: its first word, in lower
    case. *alone*: nothing follows. *near*: correcting the word would make the line a command."""
    word = word.strip(".,!?:;")
    return (word in _TALK and (alone or not near)) or (
        word in _OFTEN_TALK and not alone and not near
    )


def nearest_command(word: str, commands: Iterable[str]) -> str | None:
    """Return the command that *word*, in lower case, probably means; None if none is close."""
    instead = _INSTEAD.get(word)
    if instead is not None:
        return instead
    forgiven = (len(word) >= _SHORT) + (len(word) >= _LONG)
    if len(word) > _LONGEST:
        return None
    long = [command for command in commands if len(command) >= _SHORT]
    near = min(long, key=partial(edit_distance, word), default="")
    return near if near and edit_distance(word, near) <= forgiven else None


def edit_distance(typed: str, word: str) -> int:
    """Return the optimal string alignment distance: letters deleted, added, changed, swapped."""
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
