"""What a club's host is shown, as lines that can go into a log file.

Rule 1: of what a guest has said, only its name is shown, which the caller has sanitised. The key
identifies the guest.
"""

from __future__ import annotations

from cli.text.grammar import plural
from cli.text.score_sheet import account
from ginpeer.names import safe_quote
from ginpeer.rules.match import Match

NEXT = "Waiting for the next guest."
NOT_BACK = "The guest hasn't come back."
SENT_AWAY = "Nobody played for a while, and others are waiting for the table."
TOOK_TOO_LONG = "This match has taken more than an hour, and others are waiting for the table."


def at_once(tables: int) -> str:
    many = "one at a time" if tables == 1 else f"up to {tables} at once"
    return (
        "Send this invite to everyone who wants to play. They type ginpeer join and the invite, "
        f"and play against the bot, {many}, until this program ends."
    )


def person_needs_bot(command: str) -> str:
    return (
        "You can play only one friend at a time. To let everyone play against the bot, add --bot. "
        f"For a second table, run {command} host again in another window; it uses its own port."
    )


def has_come(fingerprint: str, known_as: str | None, address: str) -> str:
    who = "A guest" if known_as is None else safe_quote(known_as)
    return f"{who} has connected from {address}, with the key {fingerprint}."


def begins(name: str, match: str, rules: str) -> str:
    return f"{name} accepts: match {match} starts, with these rules: {rules}."


def match_continues(name: str, match: str) -> str:
    return f"Match {match} with {name} continues."


def result(match: Match, names: tuple[str, str], name: str, short: str, log: str) -> str:
    outcome = account(match, names)
    won = " ".join(outcome[: 1 if match.resigned is None else 2])
    return f"Match {short} with {name} is over. {won} The log is {log}."


def is_lost(name: str, sentence: str, seconds: float) -> str:
    """*seconds*: how long the guest's table is kept."""
    return f"{name}: {sentence} The table is kept for {plural(round(seconds), 'second')}."


def has_left(name: str, sentence: str, code: str, unfinished: str | None) -> str:
    """*unfinished*: the match to resume when this guest comes back."""
    if unfinished is None:
        return f"{name}: {sentence} ({code})"
    return f"{name}: {sentence} Match {unfinished} continues when {name} returns. ({code})"


def summary(visits: int, matches: int) -> str:
    """*visits*: how often a guest had a table."""
    return f"The club is closed. Guest visits: {visits}. Finished matches: {matches}."
