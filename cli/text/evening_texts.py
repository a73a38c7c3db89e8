"""The page of an evening: several matches, who won how many, and the total points.

A match counts if its log is valid and the match is finished, and each match counts once, whichever
player's log it is. Each sum is for a pair of keys: a friend with a new key counts as a different
player. The page's script writes the same, to compare it with the logs (page/script/evening.js).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from cli.program import version
from cli.text.grammar import number, plural
from cli.text.page_texts import match_in_page
from ginpeer.names import look_alike
from ginpeer.page import EveningTexts, PairSum, evening_page
from ginpeer.record import Record
from ginpeer.record.record import start_time
from ginpeer.referee.table import ROLES

Names = tuple[str, str]


def in_order(records: Iterable[Record]) -> list[Record]:
    """Return the matches in the order in which they began, as their hosts' clocks claim."""
    return sorted(records, key=lambda record: record.started or 0)


def evening_page_of(records: Iterable[Record], *, analysed: bool = True) -> bytes:
    """Return the page, with the earliest match first. The same logs always make the same bytes."""
    made = [match_in_page(record, analysed=analysed) for record in in_order(records)]
    matches = [(document, texts) for document, texts, _ in made]
    evening = evening_texts([(document, texts.names) for document, texts in matches])
    return evening_page(evening, matches, [log for *_, log in made], version())


def evening_texts(matches: Sequence[tuple[dict[str, Any], Names]]) -> EveningTexts:
    """Return the texts about all matches together. *matches*: for each match, its verdict document
    and the names of host and guest as its part of the page shows them."""
    found, notes = _counted(matches)
    pairs = [*_pair_sums(found, _distinct(found))]
    keys = {key for document, _ in found for key in _keys(document)}
    count = plural(len(matches), "match", "matches")
    return EveningTexts(
        begun=f"{count}{_started(matches)}",
        heading=_heading(pairs, len(found), len(keys)),
        title=f"{pairs[0].names[0]} and {pairs[0].names[1]}, {count}" if len(pairs) == 1 else count,
        pairs=tuple(pairs),
        notes=tuple(notes),
    )


def _counted(
    matches: Sequence[tuple[dict[str, Any], Names]],
) -> tuple[list[tuple[dict[str, Any], Names]], list[str]]:
    """Return the matches that count, and why each of the others doesn't."""
    found, notes = [], []
    first: dict[tuple[str, ...], int] = {}
    for at, (document, names) in enumerate(matches, 1):
        match = (document["table"], *_keys(document))
        if document["verdict"] not in ("valid", "incomplete"):
            notes.append(f"Match {at} isn't counted: its log isn't valid.")
        elif document["verdict"] != "valid" or not document["decided"]:
            why = "its log isn't complete" if document["decided"] else "it isn't finished"
            notes.append(f"Match {at} isn't counted: {why}.")
        elif match in first:
            again = f"the same as match {first[match]}"
            if document != matches[first[match] - 1][0]:
                again = f"match {first[match]} with a different ending"
            notes.append(f"Match {at} isn't counted again: it's {again}.")
        else:
            first[match] = at
            found.append((document, names))
    return found, notes


def _keys(document: dict[str, Any]) -> tuple[str, str]:
    host, guest = document["players"]
    return host["key"], guest["key"]


def _distinct(found: Sequence[tuple[dict[str, Any], Names]]) -> dict[str, str]:
    """Return the first name that each key used, without a role. Add the fingerprint if names look
    alike, or if a match told them apart by role, which can change from match to match."""
    shown: dict[str, str] = {}
    prints: dict[str, str] = {}
    misleading = set[str]()
    for document, names in found:
        for player, name, role in zip(document["players"], names, ROLES, strict=True):
            bare = name.removesuffix(f" ({role})")
            shown.setdefault(player["key"], bare)
            prints[player["key"]] = player["fingerprint"]
            if bare != name:
                misleading.add(player["key"])
    for key, other in combinations(shown, 2):
        if look_alike(shown[key], shown[other]):
            misleading |= {key, other}
    return {
        key: f"{name} ({prints[key]})" if key in misleading else name for key, name in shown.items()
    }


def _pair_sums(
    found: Sequence[tuple[dict[str, Any], Names]], shown: dict[str, str]
) -> Iterator[PairSum]:
    """Yield the sums for each pair of players, in the order of their first matches."""
    pairs: dict[frozenset[str], list[dict[str, Any]]] = {}
    for document, _ in found:
        pairs.setdefault(frozenset(_keys(document)), []).append(document)
    for documents in pairs.values():
        keys, won, points = _keys(documents[0]), [0, 0], [0, 0]
        for document in documents:
            seats = (0, 1) if _keys(document) == keys else (1, 0)
            for at, seat in enumerate(seats):
                won[at] += document["winner"] == ROLES[seat]
                points[at] += document["score"][ROLES[seat]]["total"]
        one, other = (1, 0) if won[1] > won[0] else (0, 1)  # the leader first
        yield PairSum(
            (shown[keys[one]], shown[keys[other]]),
            plural(len(documents), "match", "matches"),
            (won[one], won[other]),
            (number(points[one]), number(points[other])),
        )


def _heading(pairs: Sequence[PairSum], matches: int, players: int) -> tuple[str, ...]:
    if not pairs:
        return ("No match has been counted",)
    if len(pairs) > 1:
        return (f"{matches} finished matches between {players} players",)
    (pair,) = pairs
    host, guest = pair.names
    more, less = pair.won
    if more > less:
        return "", host, "beat", guest, f"by {plural(more, 'match', 'matches')} to {less}"
    if more:
        return "", host, "and", guest, f"won {plural(more, 'match', 'matches')} each"
    return "", host, "and", guest, "drew"


def _started(matches: Sequence[tuple[dict[str, Any], Names]]) -> str:
    """Say when the first and the last match began, as their hosts' clocks claim."""
    times = sorted(at for document, _ in matches if (at := document["started"]) is not None)
    if not times:
        return ""
    first, last = (start_time(times[at]) for at in (0, -1))
    if first == last:
        return f", started {first}"
    return f", the first started {first}, the last {last}"
