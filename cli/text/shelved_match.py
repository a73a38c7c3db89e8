"""Unfinished matches: which one is shelved for a new match, who shelves it, and how to resume
it."""

from __future__ import annotations

from cli.text.grammar import at_start, date_and_time, inside, names_seen_by
from cli.text.score_sheet import by_name, final_result
from ginpeer.match_store import LoadedMatch
from ginpeer.match_store.matches import opening_of, signed_result
from ginpeer.names import KnownNames
from ginpeer.referee.table import ROLES
from ginpeer.store.match_files import read_closing_note


def about(stored: LoadedMatch, known: KnownNames) -> str:
    """Describe a match: "3f2a1b, last played on 2026-11-21 22:40, you 45, Ben 12". The score is
    included only if a note stored with the log has it: replaying a long match takes too long."""
    when = date_and_time(stored.match.modified)
    parts = [stored.match.short, f"last played on {when}"]
    noted = read_closing_note(stored.match.path)
    if noted is not None and noted.entry == len(stored.entries) and noted.scores is not None:
        own = ROLES.index(stored.notes.role)
        host, guest = (inside(name) for name in names_seen_by(_names(stored, known), own))
        parts.append(by_name(noted.scores, (host, guest)))
    return ", ".join(parts)


def resuming(stored: LoadedMatch, known: KnownNames) -> str:
    """Say which match is being resumed; if it is over, say how it ended and why we wait."""
    signed = signed_result(stored.entries)
    if signed is not None:
        names, own = _names(stored, known), ROLES.index(stored.notes.role)
        ended = final_result(signed[2], names_seen_by(names, own))
        return (
            f"This match is over: {ended}. Your log of it is complete. Waiting for "
            f"{inside(names[1 - own])} anyway, in case theirs isn't."
        )
    return f"Resuming with {opponent(stored, known)}: {about(stored, known)}."


def resume_row(stored: LoadedMatch, known: KnownNames, command: str) -> str:
    """Return the row of the main help that offers to continue this match."""
    which = about(stored, known).partition(", ")[2]
    whom = opponent(stored, known)
    return f"  {command} resume {stored.match.short}  continue with {whom}: {which}"


def still_unfinished(stored: LoadedMatch, known: KnownNames, command: str, leave: str) -> str:
    """Tell a host that waits for anybody that this opponent can resume a match without an invite.
    *leave*: how our player leaves, as in "type quit"."""
    with_whom = opponent(stored, known)
    which = about(stored, known)
    return (
        f"Your match with {with_whom} isn't finished ({which}). {at_start(with_whom)} can "
        "continue that match without an invite. If somebody with the invite connects first, you "
        f"play them. To wait for one friend only, {leave}, then type {command} host and their "
        f"name. To start afresh, {leave}, then type {command} host --new."
    )


def played_elsewhere(stored: LoadedMatch, known: KnownNames) -> str:
    whom = opponent(stored, known)
    return f"You are playing {whom} in another window. This one waits for somebody else."


def has_just_ended(stored: LoadedMatch, known: KnownNames, command: str) -> str:
    """Tell a host that waits for anybody that this opponent can come back without an invite."""
    with_whom = opponent(stored, known)
    return (
        f"Your match with {with_whom} has just ended. {at_start(with_whom)} can come back without "
        "an invite, and ginpeer asks you before another match begins. To let in only somebody with "
        f"an invite, quit and type {command} host --new."
    )


def host_is_told(stored: LoadedMatch, resume: str, known: KnownNames) -> str:
    return (
        f"{_unfinished(stored, known)} If you begin another, the unfinished one is shelved; to "
        f"continue it later, type {resume}."
    )


def host_is_asked(stored: LoadedMatch, resume: str, known: KnownNames) -> str:
    return (
        f"{_unfinished(stored, known)} Offer a new one instead? If {opponent(stored, known)} "
        f"accepts, the unfinished match is shelved; to continue it later, type {resume}."
    )


def _unfinished(stored: LoadedMatch, known: KnownNames) -> str:
    return f"You have an unfinished match with {opponent(stored, known)}: {about(stored, known)}."


def guest_is_asked(stored: LoadedMatch, resume: str, known: KnownNames) -> str:
    which = about(stored, known)
    return (
        f"You have an unfinished match with this player: {which}. The host offers a new one "
        "instead. If you accept, the unfinished match is shelved; if you decline, no match begins "
        "now. Either way, if the host still has the unfinished one, you can continue it later: "
        f"type {resume}."
    )


def opponent(stored: LoadedMatch, known: KnownNames) -> str:
    """Return our name for the other player of a stored match, for use within a sentence."""
    return inside(_names(stored, known)[1 - ROLES.index(stored.notes.role)])


def _names(stored: LoadedMatch, known: KnownNames) -> tuple[str, str]:
    opening = opening_of(stored.entries)
    if opening is None:
        return known.display((None, None), ("", ""))
    offer, accept = opening
    return known.display((offer.key, accept.key), (offer.name, accept.name))
