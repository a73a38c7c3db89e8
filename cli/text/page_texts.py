"""The words on a page that its script (page/script) also makes from the logs, to compare them: the
result, the rules in one line, and the totals of several matches.

In those totals, a match counts if its log is valid and the match is finished, and each match counts
once, whichever player's log it is. Each sum is for a pair of keys: a friend with a new key counts
as a different player.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from cli.text.grammar import capital, number, plural
from ginpeer.names import look_alike
from ginpeer.record.record import start_time
from ginpeer.referee.table import ROLES
from ginpeer.rules.match import Match, Settlement
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import Outcome

# --- the result (page/script/result.js) -------------------------------------------------


def result_in_words(match: Match) -> tuple[int, str, str]:
    """Return how a finished match ended, as in "Ann beat Bob by 61 points": the seat to name first,
    the words between the two names, and the words after the names."""
    settlement = match.settlement()
    if settlement.winner is None:
        return 0, "and", "drew"
    return settlement.winner, "beat", _margin(match, settlement, settlement.winner)


def _margin(match: Match, settlement: Settlement, winner: int) -> str:
    if settlement.resigned is not None:
        return "by resignation"
    if match.rules.best_of > 1:
        won = match.games_won
        return f"by {plural(won[winner], 'game')} to {won[1 - winner]}"
    # With a rule like "a lead of exactly 50 loses", the winner may have fewer points.
    return f"by {plural(settlement.margin, 'point')}" if settlement.margin > 0 else ""


def total_in_words(match: Match, seat: int) -> tuple[str, str]:
    """Return a player's total, and how it was reached."""
    line = match.settlement().lines[seat]
    won = [result.kind for result in match.results if result.winner == seat]
    told = f"won {plural(len(won), 'hand') if won else 'no hands'}{_special(match, won)}"
    # In three columns a hand can count more than once.
    source = "in three columns" if match.rules.columns > 1 else "from hands"
    parts = [
        f"{number(points)} {what}"
        for points, what in (
            (line.hand_points, source),
            (line.shutout, "for the shutout"),
            (line.game_bonus, "game bonus"),
            (line.boxes, "for boxes"),
        )
        if points
    ]
    account = "; ".join([told, *([" + ".join(parts)] if parts else [])])
    return number(line.total), account


def _special(match: Match, won: list[Outcome]) -> str:
    """Say how many hands were won by gin or an undercut, if hands can be won in several ways."""
    if match.rules.knock_limit == 0:
        return ""
    counts = [(won.count(kind), kind.value) for kind in _SPECIAL]
    told = [f"{count} by {word}" for count, word in counts if count]
    return f" ({', '.join(told)})" if told else ""


_SPECIAL = (Outcome.GIN, Outcome.BIG_GIN, Outcome.UNDERCUT)


# --- the rules in one line (page/script/rule_words.js) ----------------------------------
#
# The names of presets come first, then what ends the match, then each parameter whose value differs
# from the presets'.

_NAMES = {
    "oklahoma": "Oklahoma",
    "oklahoma-floating": "floating Oklahoma",
    "tedesco": "Tedesco",
    "mahjong": "Mahjong",
    "hollywood": "Hollywood",
}
"""The preset names that are written differently in a sentence."""

_IN_THE_HEAD = ("target", "hands", "columns", "best-of", "multi-match")

_WORDS = {
    "first-dealer=lower-cut": "the lower card cut deals first",
    "first-dealer": "the {} deals first",
    "next-dealer=alternates": "the deal alternates",
    "next-dealer": "the {} of a hand deals the next",
    "after-void=same-dealer": "the same player deals after a void hand",
    "after-void=alternates": "the other player deals after a void hand",
    "opening=upcard-option": "the upcard is offered first",
    "opening=either-pile": "the first player may draw from either pile",
    "knock-limit=0": "only gin ends a hand",
    "knock-limit=upcard": "the upcard sets the knock limit",
    "knock-limit=floating": "the last discard sets the knock limit",
    "knock-limit=second-deck": "a second deck sets the knock limit",
    "knock-limit": "knock with {} or less",
    "ace-limit=gin-only": "if an ace sets the limit, only gin ends the hand",
    "ace-limit=one": "if an ace sets the limit, it is 1",
    "spades-double=yes": "a spade doubles the hand",
    "spades-double=no": "a spade doesn't double the hand",
    "wall=void": "the hand is void at the end of the stock",
    "wall=last-discard": "at the end of the stock, the last discard may be taken",
    "swap-limit": "the hand is void after {} turns in a row that take from the discard pile",
    "misdeal=no": "no misdeal",
    "runs-wrap=yes": "runs go around the corner",
    "runs-wrap=no": "runs don't go around the corner",
    "ace-pips": "aces count {}",
    "mahjong=yes": "melds are laid on the table",
    "mahjong=no": "melds stay in the hand",
    "undercut-bonus": "an undercut bonus of {}",
    "tie=undercut": "a tie is an undercut",
    "tie=no-bonus": "on a tie the defender wins the hand, without points",
    "tie=nobody": "nobody wins a tie",
    "gin-bonus": "a gin bonus of {}",
    "big-gin=none": "no big gin",
    "big-gin": "a big gin bonus of {}",
    "game-bonus": "a game bonus of {}",
    "box": "boxes of {}",
    "shutout=double-hands": "a shutout doubles the points from hands",
    "shutout=double-game-bonus": "a shutout doubles the game bonus",
    "shutout=none": "no shutouts",
    "lead-of-fifty-loses=yes": "a lead of exactly 50 loses",
    "lead-of-fifty-loses=no": "a lead of exactly 50 wins",
    "stake": "a stake of {} a point",
}
"""What each parameter means. An entry with a value is for that value only; an entry without one is
for every other value, which replaces {}."""


def rules_in_words(rules: RuleSet) -> str:
    """Return a rule set in words: "Standard gin to 100", or "Oklahoma gin to 150; boxes of 20"."""
    words = str(rules).split()
    names = [_NAMES.get(word, word) for word in words if "=" not in word]
    head = f"{' '.join(names)} gin{_end(rules)}"
    differing = []
    for word in words:
        key, differs, value = word.partition("=")
        if differs and key not in _IN_THE_HEAD:
            differing.append(_WORDS[word] if word in _WORDS else _WORDS[key].format(value))
    return "; ".join([capital(head), *differing])


def _end(rules: RuleSet) -> str:
    to = f" to {rules.target}"
    if rules.columns > 1:
        to += " in each of three columns"
    if rules.best_of > 1:
        return f", best of {rules.best_of} games{to}"
    if rules.multi_match is not None:
        return f" to {rules.multi_match} in games{to}"
    if rules.hands is None:
        return to
    hands = plural(rules.hands, "hand")
    return f", {hands}" if rules.target is None else f"{to}, at most {hands}"


# --- an evening (page/script/evening.js) ------------------------------------------------

MatchInPage = tuple[dict[str, Any], tuple[str, str]]
"""A match's verdict document, and the names of host and guest as its page shows them."""


@dataclass(frozen=True, slots=True)
class PairSum:
    """The totals of two players over all their matches with each other; the leader comes first."""

    names: tuple[str, str]
    matches: str
    """How many matches there are, in words."""
    won: tuple[int, int]
    points: tuple[str, str]


@dataclass(frozen=True, slots=True)
class EveningTexts:
    """The text above the matches of an evening."""

    begun: str
    """How many matches there are, and when they began."""
    heading: tuple[str, ...]
    """Words and names alternately, beginning with words."""
    title: str
    pairs: tuple[PairSum, ...]
    notes: tuple[str, ...]
    """Which matches aren't counted, and why."""


def evening_texts(matches: Sequence[MatchInPage]) -> EveningTexts:
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


def _counted(matches: Sequence[MatchInPage]) -> tuple[list[MatchInPage], list[str]]:
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


def _distinct(found: Sequence[MatchInPage]) -> dict[str, str]:
    """Return the first name that each key used, without a role. Add the fingerprint if names look
    alike, or if a match distinguished them by role, because roles can change between matches."""
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


def _pair_sums(found: Sequence[MatchInPage], shown: dict[str, str]) -> Iterator[PairSum]:
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


def _started(matches: Sequence[MatchInPage]) -> str:
    """Say when the first and the last match began, according to their hosts' clocks."""
    times = sorted(at for document, _ in matches if (at := document["started"]) is not None)
    if not times:
        return ""
    first, last = start_time(times[0]), start_time(times[-1])
    together = first == last
    return f", started {first}" if together else f", the first started {first}, the last {last}"
