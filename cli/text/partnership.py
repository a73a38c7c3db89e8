"""Sentences about the two tables of a partnership: consent to show a log, and the link.

The scores are in cli.text.tally, which imports much more.
"""

from __future__ import annotations

from cli.text.grammar import inside

WHAT_IS_SHOWN = (
    "The players there see the log up to the last finished hand, and nothing of the current hand."
)
LINK_ENDED = "The link to the other table is no longer running. This is its last result."
NOTHING_SHOWN = "Nobody else sees this table's log. To share it, both of you type tally on."
NOT_SHARED = "The other table couldn't see this one."
YOU_TAKE_BACK = (
    "The other table won't see any more of this one, but it keeps what it has already seen."
)


def no_link(command: str) -> str:
    return (
        "No other table is linked. To link two, one player at each table has to run "
        f"{command} link in a second window; {command} link --help explains how."
    )


def you_consent(name: str) -> str:
    return f"The other table can see this one once {inside(name)} types tally on too."


def both_consent(name: str) -> str:
    return (
        f"The other table can see this one: {name} and you have agreed. To stop that, type tally "
        "off."
    )


def asks_consent(name: str) -> str:
    return (
        f"{name} agrees to let the other table of your partnership see this one after each hand. "
        "If you agree too, type tally on."
    )


def takes_back(name: str) -> str:
    return f"{name} no longer lets the other table see this one. Nothing more is shown."


# --- the link ---------------------------------------------------------------------------

FOR_A_FRIEND = "Send it to a player of the other table. They type ginpeer link and the invite."
FOR_FRIENDS = "Send one of these to each friend. They type ginpeer link and the invite."
AT_THE_TABLE = (
    "At your table, both of you type tally on. To see the score, type tally. Ctrl-C ends the link."
)
LINK_LEFT = "The other player has left the link. What they have shared still counts."
WAITING = "Waiting for it to come back. Ctrl-C ends the link."
LINK_IS_LOST = "The connection to the other table is lost. Waiting for it."
NOTHING_PLAYED = "Nothing is played over a link between two tables."


def friend_is_there(name: str, key: str) -> str:
    """*name*: our name for the key, or "". *key*: its fingerprint."""
    who = f"{name}, key {key}," if name else f"Key {key}, which you haven't seen before,"
    return f"{who} has connected from the other table."
