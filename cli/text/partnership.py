"""Sentences about the two tables of a partnership, and consent to show a log.

The scores are in cli.text.tally, which imports much more.
"""

from __future__ import annotations

from cli.text.grammar import inside

WHAT_IS_SHOWN = (
    "The players there see the log up to the last finished hand, and nothing of the current hand."
)
LINK_ENDED = "The link to the other table is no longer running. This is its last result."
NO_RESULT = "The link to the other table has no result yet."
NOTHING_SHOWN = "Nobody else sees this table's log. To share it, both of you type tally on."


def no_link(command: str) -> str:
    return (
        "No other table is linked. To link two, one player at each table has to run "
        f"{command} link in a second window; {command} link --help explains how."
    )


def both_consent(name: str) -> str:
    return (
        f"The other table can see this one: you and {inside(name)} have agreed. To stop that, type "
        "tally off."
    )


def asks_consent(name: str) -> str:
    return (
        f"{name} agrees to let the other table of your partnership see this one after each hand. "
        "If you agree too, type tally on."
    )
