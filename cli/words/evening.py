"""What is said between two matches of one sitting."""

from __future__ import annotations

from collections.abc import Sequence

from cli.words.grammar import inside
from ginpeer.net.goodbyes import SAID
from ginpeer.referee.table import HOST
from ginpeer.rules.ruleset import RuleSet

NOBODY_CAME_BACK = "The other player has not come back for another match."
LEFT = "You left the table."


def by_name(sentence: str, name: str) -> str:
    """How a session ended, with this name for the other player; what was said for it stays. Of a
    name from right to left the marks that keep it in its place are set anew by who shows it."""
    ours, said, theirs = sentence.partition(SAID)
    name = name.translate(dict.fromkeys((0x2066, 0x2069)))
    ours = ours.replace("The other player ", f"{name} ")
    ours = ours.replace("the other player's turn", f"{inside(name)}'s turn")
    return f"{ours}{said}{theirs}"


def another(name: str, rules: RuleSet) -> str:
    """To a host: whether another match is to be offered."""
    return (
        f"Another match with {inside(name)}, by these rules: {rules}? Yes offers it, no leaves; "
        "rules and other rules changes them first, as in: rules oklahoma target=150."
    )


def other_rules(name: str, rules: RuleSet) -> str:
    """To a host that has named other rules."""
    return f"By {rules}, then. Offer that to {inside(name)}? Yes offers it, no leaves."


NOTHING_PROPOSED = "No other rules have been proposed to you."


def proposal(name: str, rules: RuleSet) -> str:
    """To a host: what the guest would like to play."""
    return f"{name} would like to play by {rules}; to offer that, type rules theirs."


def cannot_be_played(name: str) -> str:
    """The guest has named rules that make no sense here."""
    return f"{name} proposes rules that this version of ginpeer cannot play."


def declined(name: str) -> str:
    """To a host whose offer was not accepted."""
    return f"{name} has declined that offer, and is still there."


MAY_PROPOSE = (
    "To propose rules for it, type rules and them, as in: rules oklahoma target=150; quit leaves."
)


def may_offer(name: str) -> str:
    """To a guest that is back at the table."""
    return f"If {inside(name)} offers another match, you are asked. {MAY_PROPOSE}"


def score_of_evening(winners: Sequence[int | None], own: int, other: str) -> str:
    """Which matches of this sitting were won by whom. *own*: our player's seat."""
    ours = sum(winner == own for winner in winners)
    nobodys = sum(winner is None for winner in winners)
    won = [f"you {ours}", f"{inside(other)} {len(winners) - ours - nobodys}"]
    if own != HOST:
        won.reverse()
    if nobodys:
        won.append(f"nobody {nobodys}")
    return f"Matches won this evening: {', '.join(won)}."
