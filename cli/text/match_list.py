"""The players of logs and the friends of this home, by their names and keys; and the stored
matches, each as a row of a table or in sentences.

Players choose their own names. So each key is listed with whether this home knows it
(ginpeer.names), and a friend's name with a different key causes a warning.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cli.text.grammar import date_and_time, inside, names_seen_by, plural, score
from cli.text.score_sheet import by_name, final_result, has_several_games
from ginpeer.match_store.listing import ListedMatch
from ginpeer.match_store.matches import (
    DecidedMatch,
    EmptyMatch,
    FinishedMatch,
    InvalidMatch,
    UnacceptedOffer,
    UnfinishedMatch,
    UnreadableMatch,
    rules_in,
)
from ginpeer.names import NO_KNOWN_NAMES, KnownNames, display_name, safe, safe_quote
from ginpeer.referee.table import GUEST, HOST, ROLES
from ginpeer.store import Peer
from ginpeer.tally.tables import TableLog, first_names
from protocol.crypto.identity import fingerprint
from protocol.messages import Winner


def key_lines(logs: Sequence[TableLog], known: KnownNames) -> Iterator[str]:
    """List the players with their keys, and warn about logs whose players this home hasn't met."""
    for key, name in first_names(logs).items():
        yield _key(key, name, known)
    for log in logs:
        strange = [fingerprint(key) for key in log.keys if known.relation(key) is None]
        if len(strange) == 2:
            yield (
                f"Careful: you have met neither of the players in {log.name}. One person with two "
                "keys can fake such a match. Ask your friends whether these keys are theirs."
            )
        elif strange:
            yield (
                f"Careful: you have never met one of the players in {log.name}: key {strange[0]}."
            )


def _key(key: bytes, name: str, known: KnownNames) -> str:
    told = f"Key {fingerprint(key)}, called {safe_quote(name)}"
    if key == known.own:
        return f"{told}: your own."
    met = "you haven't seen it before"
    if key in known.met:
        friend = known.met[key].called
        met = f"you know it as {safe_quote(friend)}" if friend else "you know it"
    return f"{told}: {met}.{_mistaken(key, name, known)}"


def _mistaken(key: bytes, name: str, known: KnownNames) -> str:
    other = known.owner(key, name)
    if other is None:
        return ""
    friend = known.nickname(other) if known.is_nickname(other, name) else known.met[other].name
    return (
        f" Careful: the {display_name(friend)} you know has a different key, {fingerprint(other)}."
    )


# --- names ------------------------------------------------------------------------------


def claimed_name(name: str) -> str:
    """Return the name that somebody uses for themselves, to follow our own name for them."""
    return f" (own name: {safe_quote(name)})"


class ClaimedNames:
    """The claimed names that one list has already shown."""

    def __init__(self, known: KnownNames = NO_KNOWN_NAMES) -> None:
        self.known = known
        self._told: set[tuple[bytes | None, str]] = set()

    def first(self, key: bytes | None, name: str) -> str:
        """Return the name that a key claims; "" if it has been shown or is our name for the key."""
        if (key, name) in self._told or not self.known.renamed(key, name):
            return ""
        self._told.add((key, name))
        return claimed_name(name)


def friend_name(friend: Peer) -> str:
    return safe_quote(friend.called) if friend.called else "a player without a name"


def friend_line(friend: Peer) -> str:
    """Return a line like: "Ben", key abcde-...: last met on 2026-11-22, at 192.0.2.1"""
    met = time.strftime("%Y-%m-%d", time.localtime(friend.last_met))
    own = ""
    if friend.nickname and friend.name and friend.nickname != friend.name:
        own = claimed_name(friend.name)
    at = f", at {safe(friend.addresses[0].rpartition(':')[0])}" if friend.addresses else ""
    told = f"; can be reached at {safe(', '.join(friend.told), 300)}" if friend.told else ""
    if friend.hidden:
        told += "; your address is hidden from them"
    key = fingerprint(friend.key)
    return f"{friend_name(friend)}{own}, key {key}: last met on {met}{at}{told}"


# --- the list of matches ----------------------------------------------------------------

_Named = FinishedMatch | DecidedMatch | UnacceptedOffer | EmptyMatch | UnfinishedMatch


@dataclass(frozen=True, slots=True)
class MatchRow:
    """The columns of a match in the list: when it was last played, with whom, the result or whose
    turn it is, and the rules. ``is_ours``: whether it is our player's turn."""

    when: str
    players: str
    result: str
    rules: str
    is_ours: bool = False


def match_row(listed: ListedMatch, own_names: ClaimedNames) -> MatchRow:
    when = date_and_time(listed.match.modified)
    status, own, rules = listed.status, listed.own, rules_in(listed.status)
    match status:
        case UnreadableMatch():
            return MatchRow(when, "-", "can't be read", rules)
        case InvalidMatch():
            return MatchRow(when, "-", f"invalid at entry {status.entry}", rules)
    names = own_names.known.display(status.keys, status.names, quoted=True)
    players = f"{names[0]} and {names[1]}" if own is None else names[1 - own]
    if own is not None and listed.level is not None:
        players += f", level {listed.level}"
    is_ours = False
    if isinstance(status, UnfinishedMatch) and not (status.shelved or status.stopped):
        is_ours = ROLES.index(status.noted.owed_by) == own
    return MatchRow(when, players, _result(status, own, names) + _verified(listed), rules, is_ours)


def _result(status: _Named, own: int | None, names: tuple[str, str]) -> str:
    """Return the result, or whose turn it is. Our score comes first; in other players' matches, the
    winner's."""
    match status:
        case UnacceptedOffer():
            return "not accepted"
        case EmptyMatch():
            return "nothing played"
        case FinishedMatch(score=settled):
            return _won(int(settled.winner), own, names, (settled.host_total, settled.guest_total))
        case DecidedMatch(winner=winner):
            return _won(-1 if winner is None else winner, own, names, None)
    if status.stopped:
        return "stopped"
    turn, scores = ROLES.index(status.noted.owed_by), status.noted.scores
    whose = f"{names[turn]}'s" if own is None else "your" if turn == own else "their"
    shelved = "shelved, " if status.shelved else ""
    points = "" if scores is None else f",{_score(scores, HOST if own is None else own)}"
    return f"{shelved}{whose} turn{points}"


def _won(
    winner: int, own: int | None, names: tuple[str, str], totals: tuple[int, int] | None
) -> str:
    if winner not in (HOST, GUEST):
        points = _score(totals, HOST if own is None else own)
        return f"nobody won,{points}" if points else "nobody won"
    if own is None:
        return f"{names[winner]} won{_score(totals, winner)}"
    return ("you won" if winner == own else "you lost") + _score(totals, own)


def _score(points: tuple[int, int] | None, first: int) -> str:
    return "" if points is None else f" {score(points[first], points[1 - first])}"


def match_line(listed: ListedMatch, own_names: ClaimedNames | None = None) -> str:
    """Return 2026-11-21 22:40 with "Ben": finished, you won 224 to 82."""
    when = date_and_time(listed.match.modified)
    return f"{when}  {status_text(listed, own_names)}{_verified(listed)}"


def status_text(listed: ListedMatch, own_names: ClaimedNames | None = None) -> str:
    """Return 'with "Ben": finished, you won 224 to 82'. *own_names*: our player's names for others,
    and the claimed names that the list has already shown."""
    own_names = ClaimedNames() if own_names is None else own_names
    standing, own = listed.status, listed.own
    match standing:
        case UnreadableMatch():
            return f"can't be read: {safe(standing.sentence)}"
        case InvalidMatch():
            return f"isn't valid at entry {standing.entry}: {safe(standing.sentence)}"
    names = own_names.known.display(standing.keys, standing.names, quoted=True)
    match standing:
        case FinishedMatch():
            told = f"finished, {final_result(standing.score, names_seen_by(names, own))}"
            if standing.score.winner is not Winner.NOBODY:
                told += f" in {plural(standing.score.hands, 'hand')}"
        case DecidedMatch(winner=int(winner)):
            told = f"finished, {inside(names_seen_by(names, own)[winner])} won"
        case DecidedMatch():
            told = "finished, nobody won"
        case UnacceptedOffer():
            told = "offered, not accepted"
        case EmptyMatch():
            told = "unfinished"
        case UnfinishedMatch():
            told = _unfinished(standing, names, own)
    claims = [own_names.first(*each) for each in zip(standing.keys, standing.names, strict=True)]
    claimed = [name + claim for name, claim in zip(names, claims, strict=True)]
    if own is None:
        return f"{claimed[0]} with {claimed[1]}: {told}"
    level = "" if listed.level is None else f" at level {listed.level}"
    return f"with {claimed[1 - own]}{level}: {told}"


def _verified(listed: ListedMatch) -> str:
    """Say whether the log of a finished match between other players was verified. A match played
    here needs no verification, because each entry was judged when it arrived."""
    if listed.own is not None or not isinstance(listed.status, FinishedMatch):
        return ""
    return "; verified" if listed.status.verified else "; not verified yet"


def _unfinished(standing: UnfinishedMatch, names: tuple[str, str], own: int | None) -> str:
    """Return "unfinished; waiting for you: a draw (since 2026-11-21 21:56); you 45, Ben 12", or
    "stopped; you 45, Ben 12"."""
    noted = standing.noted
    owed_by = ROLES.index(noted.owed_by)
    who = "you" if owed_by == own else names[owed_by]
    # By our own clock: the log proves that the entry is owed, but not since when.
    since = "" if noted.closed is None else f" (since {date_and_time(noted.since)})"
    parts = [
        "unfinished, shelved" if standing.shelved else "unfinished",
        f"waiting for {who}: {safe(noted.owes)}{since}",
    ]
    if standing.stopped:  # nothing is owed any more
        parts = ["stopped"]
    if noted.scores is not None:
        host, guest = (inside(name) for name in names_seen_by(names, own))
        game = f"game {noted.game}, " if has_several_games(standing.rules) else ""
        parts.append(f"{game}{by_name(noted.scores, (host, guest))}")
    parts.append(f"rules: {standing.rules}")
    return "; ".join(parts)
