"""Sentences about the two tables of a partnership: consent to show a log, and the link.

The scores are in cli.text.tally, which imports much more.
"""

from __future__ import annotations

from cli.text.grammar import inside

WHAT_IS_SHOWN = (
    "What is shown is the log up to the last hand that is over: nothing of a hand that is being "
    "played, and of those before it what you both have in your logs."
)
LINK_ENDED = "The link to the other table does not run any more; this is what it has found last."
NOTHING_SHOWN = "This table shows its log to nobody; for that both of you type tally on."
NOT_SHARED = "You had not let the other table see this one."
YOU_TAKE_BACK = "Good; from now on nothing more of this table is shown. What was shown stays so."


def no_link(command: str) -> str:
    """Say that no link is running, and how to start one. *command*: the command that starts this
    program."""
    return (
        f"Nothing is known of another table: in a second window, a player of each table types "
        f"{command} link, and {command} link --help says how."
    )


def you_consent(name: str) -> str:
    """Say that our player has typed tally on and the opponent hasn't."""
    return f"You let the other table see this one, if {inside(name)} types tally on, too."


def both_consent(name: str) -> str:
    return f"{name} and you let the other table see this one; tally off takes that back."


def asks_consent(name: str) -> str:
    """Say that the opponent has typed tally on and our player hasn't."""
    return (
        f"{name} would let the other table of your partnership see this one after each hand. If "
        "you would, too, type tally on."
    )


def takes_back(name: str) -> str:
    return f"{name} does not let the other table see this one any more; nothing more is shown."


# --- the link ---------------------------------------------------------------------------

FOR_A_FRIEND = "Send that to a player of the other table, who types ginpeer link and the invite."
FOR_FRIENDS = "Send each of your friends one of these, who types ginpeer link and the invite."
AT_THE_TABLE = (
    "At your table both of you type tally on, and tally to hear how it stands. Ctrl-C ends the "
    "link."
)
LINK_LEFT = "The other end of the link has left; what it has shown stands."
WAITING = "Waiting for it to come back; Ctrl-C ends the link."
LINK_IS_LOST = "The connection to the other table is lost; waiting for it."
NOTHING_PLAYED = "Nothing is played over a link between two tables."


def friend_is_there(name: str, key: str) -> str:
    """Say that a player of the other table is connected. *name*: our name for the key, or "".
    *key*: its fingerprint."""
    who = f"{name}, key {key}," if name else f"Key {key}, whom you have never met,"
    return f"{who} is there, from the other table."
