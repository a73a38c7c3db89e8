"""The page of a match and its text: the verdict, what it proves, and the moves in notation,
arranged for somebody who has never heard of the program. The script in the page adds the rest.

A page goes to strangers, so it contains nothing that only this home knows: players have the names
that they chose for themselves. Anybody who has the log can make the page again, byte for byte, and
so check a page from elsewhere.

The page of an evening: several matches, who won how many, and the total points.

A match counts if its log is valid and the match is finished, and each match counts once, whichever
player's log it is. Each sum is for a pair of keys: a friend with a new key counts as a different
player. The page's script writes the same, to compare it with the logs (page/script/evening.js).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from cli.program import quoted, version
from cli.text.analysis import choice_made, judge_line, lesson_lines, place_of, play_cost
from cli.text.cards import Style
from cli.text.grammar import capital, number, plural
from cli.text.mistakes import ChoicePhrases, mistake_reasons
from cli.text.verdict import (
    failure_lines,
    headline,
    proof_lines,
    replay_heading,
    unknown_score,
)
from ginpeer.adviser.advise import can_advise
from ginpeer.analysis.decisions import MIN_MISTAKE_LOSS, Analysis, analyse, chances_in
from ginpeer.names import NO_KNOWN_NAMES, depends_on_python, look_alike, safe
from ginpeer.notation import write_sheet
from ginpeer.page.evening_page import EveningTexts, PairSum, evening_page
from ginpeer.page.match_page import (
    ANALYSIS,
    PageAnalysis,
    PageTexts,
    PlayerAdvice,
    Result,
    match_page,
)
from ginpeer.record import Record, sheet_of, verdict_document
from ginpeer.record.record import start_time
from ginpeer.referee.table import ROLES
from ginpeer.rules import parse_ruleset
from ginpeer.rules.match import Match, Settlement
from ginpeer.rules.ruleset import RuleSet
from ginpeer.rules.score import Outcome


def page_of(record: Record, *, analysed: bool = True) -> bytes:
    """Return the page of a match in UTF-8. The same match always makes the same bytes. *analysed*:
    include an analysis if possible, which takes a few hundredths of a second for each hand."""
    return match_page(*match_in_page(record, analysed=analysed), version())


def match_in_page(record: Record, *, analysed: bool) -> tuple[dict[str, Any], PageTexts, bytes]:
    """Return what a page needs from a match: its verdict document, its texts and its log."""
    sheet = write_sheet(sheet_of(record, None))
    # A typed match is written anew, so that the sheet says that somebody typed it.
    log = record.log() if record.typed is None else sheet.encode()
    texts = _texts(record, sheet, _analysis(record) if analysed else None)
    return verdict_document(record.verdict), texts, log


def page_report(record: Record, command: str) -> tuple[str, list[str]]:
    """Compare a page with one made from its log. Return "same" or "differs", and what to print."""
    page = record.page or b""
    if page == page_of(record, analysed=has_analysis(page)):
        return "same", ["This page is what ginpeer makes from its log, byte for byte."]
    again = f"{command} export {safe(quoted(record.name), 1_000)} own.html"
    return "differs", [
        f"{changed_page(page, 'its log', record.table.names)} To make your own, type: {again}",
        "The verdict below is only about the log in this page.",
    ]


def has_analysis(page: bytes) -> bool:
    return re.search(rf'<section id="(m\d+-)?{ANALYSIS}"'.encode(), page) is not None


def changed_page(page: bytes, logs: str, names: Iterable[str]) -> str:
    """Say that a page isn't what this program makes from *logs*. *names*: all players' names."""
    makers = re.findall(rb'<meta name="generator" content="(ginpeer [0-9a-z.+]{1,30})">', page)
    named = safe(makers[0].decode("utf-8", "replace")) if makers else "no version"
    this = f"ginpeer {version()}"
    if named == this:
        differs = any(map(depends_on_python, names))
        made = ", or made with a different version of Python" if differs else ""
        told = f"This page was changed{made}: it isn't what this program makes from {logs}."
    else:
        told = (
            "This page was changed, or made by a different version: it names "
            f"{named}, and this is {this}."
        )
    return f'{told} Saving a page as "complete" in a browser also changes it.'


def _texts(record: Record, sheet: str, analysis: PageAnalysis | None) -> PageTexts:
    """Return the texts of a page. *sheet*: the match in notation."""
    verdict, table = record.verdict, record.table
    match = table.match
    won = verdict.word == "valid" and match is not None and match.finished
    _, begins, hands = sheet.partition("\nhand ")
    rules = verdict_document(verdict)["rules"]
    return PageTexts(
        names=NO_KNOWN_NAMES.display(table.keys, table.names),
        verdict=headline(verdict),
        reasons=(*failure_lines(verdict), *unknown_score(table.begins)),
        rules="Gin rummy" if rules is None else rules_in_words(parse_ruleset(rules)),
        rule_text=rules,
        result=result_in_words(match) if won and match is not None else None,
        begun=None if table.offer is None else start_time(table.offer.started),
        cards=tuple(replay_heading(record, None)[-2:]),
        proven=proof_lines(verdict),
        moves=f"{begins}{hands}".removeprefix("\n"),
        analysis=analysis,
    )


# --- the analysis -----------------------------------------------------------------------


def _analysis(record: Record) -> PageAnalysis | None:
    """Return the analysis of both players as far as the log shows their cards."""
    rules, table = record.rules, record.table
    proven = record.verdict.word == "valid" or record.typed is not None
    if rules is None or not can_advise(rules) or not proven:
        return None
    found = [analyse(record, seat, luck=False) for seat in (0, 1)]
    names = NO_KNOWN_NAMES.display(table.keys, table.names)
    style = Style(symbols=True)
    decisions = [made for each in found for made in each.decisions]
    if not decisions:
        return None
    mistakes = [mistake.decision for each in found for mistake in each.mistakes]
    worst = max(mistakes, key=lambda made: made.loss, default=None)
    return PageAnalysis(
        judge=judge_line("each player"),
        players=tuple(
            _advice(record, each, ChoicePhrases(names[1 - each.seat], style, rules))
            for each in found
            if each.valued
        ),
        best=tuple(sorted(made.entry for made in decisions if not made.loss)),
        close=tuple(sorted(made.entry for made in decisions if 0 < made.loss < MIN_MISTAKE_LOSS)),
        worst=None if worst is None else worst.entry,
        chances=tuple((at.entry, at.host, at.guest) for at in chances_in(record)),
    )


def _advice(record: Record, found: Analysis, teller: ChoicePhrases) -> PlayerAdvice:
    choices = (
        (
            mistake.decision.entry,
            place_of(record, mistake.decision),
            f"{choice_made(record, teller, mistake)} {mistake_reasons(teller, mistake)}",
        )
        for mistake in found.mistakes
    )
    lessons = lesson_lines(record, found, teller, reasons=True)
    return PlayerAdvice(found.seat, f"{play_cost(found)}.", tuple(lessons), tuple(choices))


# --- the result -------------------------------------------------------------------------
#
# The page's script writes the same words, to compare them with the log (page/script/result.js).


def result_in_words(match: Match) -> Result:
    """Return who won a finished match and by how much, and how the totals were reached."""
    settlement = match.settlement()
    winner = settlement.winner
    first = winner or 0
    between, after = "and", "drew"
    if winner is not None:
        between, after = "beat", _margin(match, settlement, winner)
    return Result(first, between, after, (_total(match, first), _total(match, 1 - first)))


def _margin(match: Match, settlement: Settlement, winner: int) -> str:
    if settlement.resigned is not None:
        return "by resignation"
    if match.rules.best_of > 1:
        won = match.games_won
        return f"by {plural(won[winner], 'game')} to {won[1 - winner]}"
    # With a rule like "a lead of exactly 50 loses", the winner may have fewer points.
    return f"by {plural(settlement.margin, 'point')}" if settlement.margin > 0 else ""


def _total(match: Match, seat: int) -> tuple[int, str, str]:
    """Return the seat, its total, and the account of it."""
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
    return seat, number(line.total), account


def _special(match: Match, won: list[Outcome]) -> str:
    """Say how many hands were won by gin or an undercut, if hands can be won in several ways."""
    if match.rules.knock_limit == 0:
        return ""
    counts = [(won.count(kind), kind.value) for kind in _SPECIAL]
    told = [f"{count} by {word}" for count, word in counts if count]
    return f" ({', '.join(told)})" if told else ""


_SPECIAL = (Outcome.GIN, Outcome.BIG_GIN, Outcome.UNDERCUT)


# --- the rules in one line --------------------------------------------------------------
#
# Names of presets come first, then what ends the match, then each parameter whose value isn't the
# one that the presets give it. The script of a page writes the same line
# (page/script/rule_words.js).

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
"""What each parameter means. A key with a value is for that value only; a key alone is for every
other value, which replaces {}."""


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


# --- evening texts ---------------------------------------------------------

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
