"""What is said of two tables of one partnership: whose log may be shown, and how they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cli.words.grammar import inside
from cli.words.tally import tally_lines
from ginpeer.names.nicknames import KnownNames
from ginpeer.partnership.standing import Place, Standing
from ginpeer.tally.logs import Key
from ginpeer.tally.tables import display

WHAT_IS_SHOWN = (
    "What is shown is the log up to the last hand that is over: nothing of a hand that is being "
    "played, and of those before it what you both have in your logs."
)
LINK_ENDED = "The link to the other table does not run any more; this is what it has found last."
NOTHING_SHOWN = "This table shows its log to nobody; for that both of you type tally on."
NOT_SHARED = "You had not let the other table see this one."
YOU_TAKE_BACK = "Good; from now on nothing more of this table is shown. What was shown stays so."


def no_link(command: str) -> str:
    """*command*: of this program, with its home."""
    return (
        f"Nothing is known of another table: in a second window, a player of each table types "
        f"{command} link, and {command} link --help says how."
    )


def you_consent(name: str) -> str:
    """Our player has typed tally on, and the other one has not."""
    return f"You let the other table see this one, if {inside(name)} types tally on, too."


def both_consent(name: str) -> str:
    return f"{name} and you let the other table see this one; tally off takes that back."


def asks_consent(name: str) -> str:
    """The other player has typed tally on, and ours has not."""
    return (
        f"{name} would let the other table of your partnership see this one after each hand. If "
        "you would, too, type tally on."
    )


def takes_back(name: str) -> str:
    return f"{name} does not let the other table see this one any more; nothing more is shown."


# --- how they stand ---------------------------------------------------------------------


def standing_lines(standing: Standing, known: KnownNames) -> list[str]:
    """How far the tables are, and what they come to. *known*: by what names the reader knows the
    players."""
    names = display(standing.logs, known)
    lines = [
        *_places(standing.ours, "Your table", names),
        *_places(standing.theirs, "The other table", names),
    ]
    if not standing.ours:
        lines.insert(0, NOTHING_SHOWN)
    if not standing.theirs:
        lines.append("Nothing has come from the other table yet.")
    if standing.score is not None:
        lines += filter(None, tally_lines(standing.score, known))
    elif standing.sentence:
        lines.append(standing.sentence)
    return lines


def _places(places: Sequence[Place], which: str, names: dict[Key, str]) -> Iterator[str]:
    for place in places:
        one, other = (names[key] for key in place.logs[-1].keys)
        at = f"after hand {place.hands}" if place.hands else "before the first hand"
        yield f"{which}, {one} against {other}: {at}{_end(place, names)}."


def _end(place: Place, names: dict[Key, str]) -> str:
    """Behind how far a table is: that its last match is over, and who has given it up."""
    last = place.logs[-1]
    if last.match.resigned is not None:
        return f"; {names[last.keys[last.match.resigned]]} has resigned"
    return "; the match is over" if place.over else ""


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
    """*name*: by what name we know the key, if we do. *key*: its fingerprint."""
    who = f"{name}, key {key}," if name else f"Key {key}, whom you have never met,"
    return f"{who} is there, from the other table."
