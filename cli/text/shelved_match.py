"""Unfinished matches: which one is shelved for a new match, who shelves it, and how to resume
it."""

from __future__ import annotations

from cli.text.grammar import at_start, date_and_time, inside, names_seen_by
from cli.text.score_sheet import by_name, final_result
from ginpeer.match_store import LoadedMatch
from ginpeer.match_store.match_status import opening_of, signed_result
from ginpeer.names import NO_KNOWN_NAMES, KnownNames
from ginpeer.referee.table import ROLES
from ginpeer.store.match_files import read_closing_note


def about(stored: LoadedMatch, known: KnownNames = NO_KNOWN_NAMES) -> str:
    """Describe a match: "3f2a1b, last played on 2026-11-21 22:40, you 45, Ben 12". The score is
    left out unless a note beside the log has it, because judging a long match takes too long."""
    when = date_and_time(stored.match.modified)
    parts = [stored.match.short, f"last played on {when}"]
    noted = read_closing_note(stored.match.path)
    if noted is not None and noted.entry == len(stored.entries) and noted.scores is not None:
        own = ROLES.index(stored.notes.role)
        host, guest = (inside(name) for name in names_seen_by(_names(stored, known), own))
        parts.append(by_name(noted.scores, (host, guest)))
    return ", ".join(parts)


def resuming(stored: LoadedMatch, known: KnownNames) -> str:
    """Say which match is being resumed; if it is over, how it ended, and why we wait."""
    signed = signed_result(stored.entries)
    if signed is not None:
        names, own = _names(stored, known), ROLES.index(stored.notes.role)
        ended = final_result(signed[2], names_seen_by(names, own))
        return (
            f"You have the whole match: {ended}. Waiting for {inside(names[1 - own])} anyway, in "
            "case they don't have its end."
        )
    return f"Resuming with {_opponent(stored, known)}: {about(stored, known)}."


def waits_for_guest(stored: LoadedMatch, known: KnownNames) -> str:
    return f"Waiting for {_opponent(stored, known)}, who types ginpeer resume."


def if_guest_fails(stored: LoadedMatch, known: KnownNames) -> str:
    return (
        f"If {_opponent(stored, known)} can't connect, send this invite, to use with ginpeer join:"
    )


def goes_on_by(stored: LoadedMatch, known: KnownNames, command: str) -> str:
    """Return a row of the main help."""
    which = about(stored, known).partition(", ")[2]
    with_whom = _opponent(stored, known)
    return f"  {command} resume {stored.match.short}  continue with {with_whom}: {which}"


def still_unfinished(stored: LoadedMatch, known: KnownNames, command: str) -> str:
    """Tell a host that waits for anybody who may come without an invite to resume a match."""
    with_whom = _opponent(stored, known)
    which = about(stored, known)
    return (
        f"Your match with {with_whom} isn't finished ({which}). {at_start(with_whom)} can "
        "continue that match without an invite. If somebody with the invite connects first, you "
        f"play them. To wait for one friend only, quit and type {command} host and their name. To "
        f"start afresh, quit and type {command} host --new."
    )


def played_elsewhere(stored: LoadedMatch, known: KnownNames) -> str:
    with_whom = _opponent(stored, known)
    return f"You are playing {with_whom} in another window. This one waits for somebody else."


def has_just_ended(stored: LoadedMatch, known: KnownNames, command: str) -> str:
    """Tell a host that waits for anybody who may come without an invite after a match."""
    with_whom = _opponent(stored, known)
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
        f"{_unfinished(stored, known)} Offer a new one instead? If {_opponent(stored, known)} "
        f"accepts, the unfinished match is shelved; to continue it later, type {resume}."
    )


def _unfinished(stored: LoadedMatch, known: KnownNames) -> str:
    return f"You have an unfinished match with {_opponent(stored, known)}: {about(stored, known)}."


def guest_is_asked(stored: LoadedMatch, resume: str, known: KnownNames) -> str:
    which = about(stored, known)
    return (
        f"You have an unfinished match with this player: {which}. The host offers a new one "
        "instead. If you accept, the unfinished match is shelved. To continue it later, type "
        f"{resume}. If you decline, nothing changes."
    )


def is_put_aside(stored: LoadedMatch, resume: str, *, by_us: bool) -> str:
    who = "You have" if by_us else "The host has"
    return (
        f"{who} shelved the unfinished match {stored.match.short}. To continue it another time, "
        f"type {resume}."
    )


def declined_for(stored: LoadedMatch) -> str:
    return f"Our match {stored.match.short} isn't finished. We can continue it another time."


def stays_as_it_is(stored: LoadedMatch) -> str:
    return f"Nothing was offered. The match {stored.match.short} stays as it is."


def was_over(name: str) -> str:
    return (
        f"The match {name} is over. Your opponent's program was missing the end, so ginpeer has "
        "sent it. Still waiting for a player."
    )


def missing_here(table: bytes, resumed: str | None) -> str:
    """*resumed*: the match that is resumed instead, if any."""
    what = "a new match begins" if resumed is None else f"the match {resumed} continues"
    return (
        f"Your opponent's program named the match {table.hex()[:6]}, which isn't stored on this "
        f"machine. Instead, {what}."
    )


def lie_aside(found: list[LoadedMatch], resume: str) -> str:
    names = ", ".join(each.match.short for each in found)
    if len(found) == 1:
        return (
            f"You have a shelved match with this player: {names}. To continue it, type {resume} "
            f"{names}."
        )
    return (
        f"You have {len(found)} shelved matches with this player: {names}. To continue one, type "
        f"{resume} and its name."
    )


def _opponent(stored: LoadedMatch, known: KnownNames) -> str:
    return inside(_names(stored, known)[1 - ROLES.index(stored.notes.role)])


def _names(stored: LoadedMatch, known: KnownNames) -> tuple[str, str]:
    opening = opening_of(stored.entries)
    if opening is None:
        return known.display((None, None), ("", ""))
    offer, accept = opening
    return known.display((offer.key, accept.key), (offer.name, accept.name))
