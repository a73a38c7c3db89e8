"""What help says while one walks through a match, and what Tab makes of a line."""

from __future__ import annotations

from collections.abc import Sequence

from cli.walk.commands import AIMS, SWITCHES, WORDS

BEGIN = "Enter goes on, b back, a number to that hand, ? says what else, q quits."
"""What somebody at a terminal is told first."""

_HELP = (
    "Enter or next (n) goes one step on, back (b) one back; next 5, back 5. So do the keys right "
    "and left, and the keys home and end go to the ends of the hand.",
    "3 or hand 3 goes to the deal of hand 3, turn 7 to that turn of this hand, entry 20 to that "
    "entry of the log. start and end go to the ends of this hand, first and last to those of the "
    "match; next hand, back hand, next turn, back turn go where they say.",
    "knock (k) goes to the next knock or gin, discard (d) to your next discard, or in a match of "
    "others to the next that you look at. Both take a player, as in: discard host; and go back, "
    "as in: back knock.",
    "highest goes to the turn of this hand in which a player's own discard has left most "
    "deadwood, of several to the first. It looks at whom you look at; or name one, or both. "
    "highest match looks in all hands.",
    "seat and a player's name, or host, or guest, shows the cards of that player alone; seat both "
    "those of both.",
    "table (t) tells the whole position, where (w) the hand, the turn and the entry, score the "
    "sheet up to here.",
    "full on tells the whole position at each step, values on what each choice was worth, words "
    "on the cards in words; off takes it back. quit (q) ends the walk.",
)


def help_lines() -> tuple[str, ...]:
    """What can be typed."""
    return _HELP


_BEHIND = {
    **dict.fromkeys(SWITCHES, ("on", "off")),
    **dict.fromkeys(("next", "back"), AIMS),
    **dict.fromkeys(("seat", "highest"), ("host", "guest", "both")),
    **dict.fromkeys(("knock", "discard"), ("host", "guest")),
}
_MORE_FOLLOWS = (*SWITCHES, "hand", "turn", "entry", "seat")


def completions(typed: str) -> Sequence[str] | None:
    """What the last word may become of what was *typed* up to the cursor."""
    before, _, begun = typed.rpartition(" ")
    words = before.casefold().split()
    if not words:
        found = [f"{word} " if word in _MORE_FOLLOWS else word for word in WORDS]
    else:
        found = [*_BEHIND.get(words[0], ())] if len(words) == 1 else []
    return tuple(each for each in found if each.startswith(begun.casefold()))
