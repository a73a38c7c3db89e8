"""The page of a match, and the page of an evening with several matches: names, verdict and moves as
text, the logs, and the script that draws the matches from the logs and verifies them.

A page goes to strangers, so it contains nothing that only this home knows: players have the names
that they chose for themselves. It is made from its logs alone, and the same logs always make the
same bytes. So anybody who has the logs can make the page again, and so check a page from elsewhere.

Rule 1: the verdict is in the title, in the heading and, unless the log is valid, in a banner that
        stays in view.
Rule 2: in the page of an evening, each match is an article with the HTML of its own page. All of
        them can be read without a script, one below the other. The script shows one and hides the
        others.
Rule 3: a page has each id only once. So in an evening the ids of the first match begin with m1-,
        and so on. The script strips this prefix from the ids of the match that it shows, and then
        finds everything in that match as in a page of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from cli.program import quoted, version
from cli.text.advice import AdvicePhrases
from cli.text.analysis import (
    choice_made,
    judge_line,
    lesson_lines,
    mistake_reasons,
    place_of,
    play_cost,
)
from cli.text.cards import Style
from cli.text.page_texts import (
    PairSum,
    evening_texts,
    result_in_words,
    rules_in_words,
    total_in_words,
)
from cli.text.verdict import failure_lines, headline, proof_lines, replay_heading, unknown_score
from ginpeer.adviser.advise import can_advise
from ginpeer.analysis.decisions import MIN_MISTAKE_LOSS, Analysis, analyse, chances_in
from ginpeer.names import NO_KNOWN_NAMES, depends_on_python, safe
from ginpeer.notation import write_sheet
from ginpeer.page.frame import filled, framed, part, text
from ginpeer.record import Record, sheet_of, verdict_document
from ginpeer.record.record import start_time
from ginpeer.record.typed_match import UNPROVEN
from ginpeer.referee.table import ROLES
from ginpeer.rules.ruleset import parse_ruleset


def page_of(record: Record, *, analysed: bool = True) -> bytes:
    """Return the page of a match in UTF-8. *analysed*: include an analysis if possible. It takes a
    few hundredths of a second for each hand."""
    match = _Match(record, analysed=analysed)
    typed = match.word == UNPROVEN
    frame = {
        "title": text(f"{_title_mark([match])}{' and '.join(match.names)}, gin rummy"),
        "kind": match.classes,
        "skip": "moves",
        "skipto": "the moves in words",
        # If nobody signed the match, there is nothing to judge.
        "content": match.content("main", "" if typed else _VERIFY),
        "carries": _carries(match),
        "sure": _SURE_TYPED if typed else _SURE.format("page.html"),
        "file": "page.html",
        "checked": "" if typed else _CHECKED,
        "commands": _COMMANDS,
        "save": "Save the log",
        "what": "The log",
    }
    return framed(frame, (match.log,), version(), styles=("page.css",))


def in_order(records: Iterable[Record]) -> list[Record]:
    """Return the matches in the order in which they began, according to their hosts' clocks."""
    return sorted(records, key=lambda record: record.started or 0)


def evening_page_of(records: Iterable[Record], *, analysed: bool = True) -> bytes:
    """Return the page of several matches in UTF-8, with the earliest first. *analysed*: as in
    `page_of`."""
    matches = [_Match(record, analysed=analysed) for record in in_order(records)]
    logs = [match.log for match in matches]
    evening = evening_texts([(match.document, match.names) for match in matches])
    content = {
        "begun": text(evening.begun),
        "heading": _heading(evening.heading),
        "sums": _sums(evening.pairs),
        "notes": "\n".join(f'<p class="sub note">{text(note)}</p>' for note in evening.notes),
        "links": "\n".join(
            f'<li><a href="#m{at}">{match.heading}</a></li>' for at, match in enumerate(matches, 1)
        ),
        "matches": "\n".join(_article(at, match) for at, match in enumerate(matches, 1)),
        "verify": _VERIFY_MANY,
    }
    signed = "signed logs of" if all(match.is_valid for match in matches) else "logs of"
    frame = {
        "title": text(f"{_title_mark(matches)}{evening.title}, gin rummy"),
        "kind": f"evening{_long_class(name for match in matches for name in match.names)}",
        "skip": "matches",
        "skipto": "the matches",
        "content": filled(part("evening.html"), content),
        "carries": f"This page contains the {signed} {len(logs)} matches, "
        f"{sum(map(len, logs)):,} bytes.",
        "sure": _SURE.format("evening.html"),
        "file": "evening.html",
        "checked": _CHECKED_MANY,
        "commands": "The commands <code>replay</code>, <code>analyse</code> and "
        "<code>export</code> read one match at a time: choose a match, save its log, and name that "
        "file.",
        "save": "Save the log of this match",
        "what": "The logs, separated by commas",
    }
    return framed(frame, logs, version(), styles=("page.css", "evening.css"))


# --- checking a page --------------------------------------------------------------------


def page_report(record: Record, command: str) -> tuple[str, list[str]]:
    """Compare a page with the one that we make from its log. Return "same" or "differs", and the
    lines to print."""
    page = record.page or b""
    if page == page_of(record, analysed=has_analysis(page)):
        return "same", ["This page is what ginpeer makes from its log, byte for byte."]
    again = f"{command} export {safe(quoted(record.name), 1_000)} own.html"
    return "differs", [
        f"{changed_page(page, 'its log', record.table.names)} To make your own, type: {again}",
        "The verdict below is only about the log in this page.",
    ]


def has_analysis(page: bytes) -> bool:
    return re.search(rb'<section id="(m\d+-)?analysis"', page) is not None


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


# --- one match --------------------------------------------------------------------------


class _Match:
    """One match in a page, as HTML."""

    def __init__(self, record: Record, *, analysed: bool) -> None:
        table = record.table
        self.record = record
        self.document = verdict_document(record.verdict)
        self.is_valid = record.verdict.word == "valid"
        self.word = UNPROVEN if record.verdict.code == UNPROVEN else record.verdict.word
        self.names = NO_KNOWN_NAMES.display(table.keys, table.names)
        sheet = write_sheet(sheet_of(record, None))
        # Write the sheet of a typed match again, so that it says that somebody typed the match.
        self.log = record.log() if record.typed is None else sheet.encode()
        _, begins, hands = sheet.partition("\nhand ")
        self._moves = f"{begins}{hands}".removeprefix("\n")
        won = self.is_valid and table.match is not None and table.match.finished
        self._won = table.match if won else None
        self._analysed = analysed

    @property
    def classes(self) -> str:
        """The classes of the element around the match."""
        return f"{self.document['verdict']}{_long_class(self.names)}"

    @property
    def heading(self) -> str:
        """The verdict (unless it is VALID), both players, and who won, if that is proven."""
        first, between, after = (0, "and", "") if self._won is None else result_in_words(self._won)
        names = [self._name(seat) for seat in (first, 1 - first)]
        mark = "" if self.is_valid else f"<em>{_WORDS[self.word]}</em> "
        end = f" <span>{text(after)}</span>" if after else ""
        return f"{mark}{names[0]} <span>{text(between)}</span> {names[1]}{end}"

    def _name(self, seat: int) -> str:
        return f'<bdi class="{ROLES[seat]}">{text(self.names[seat])}</bdi>'

    def content(self, main: str, verify: str = "") -> str:
        """Return the HTML of the match, from the banner to what is proven. *main*: the element
        around its sections. *verify*: the button that checks its log."""
        verdict, rules = self.record.verdict, self.document["rules"]
        reasons = (*failure_lines(verdict), *unknown_score(self.record.table.begins))
        analysis = self._analysis() if self._analysed else ""
        banner = ""
        if not self.is_valid:
            said = _paragraphs((headline(verdict), *reasons))
            banner = f'<aside class="banner" aria-label="The verdict">{said}</aside>'
        slots = {
            "banner": banner,
            "rules": text("Gin rummy" if rules is None else rules_in_words(parse_ruleset(rules))),
            "heading": self.heading,
            "summary": self._summary(),
            "said": _SAID if self.is_valid else "",
            "main": main,
            "ends": main.partition(" ")[0],
            "entries": str(self.document["entries"]),
            "moves": text(self._moves),
            "analysis": analysis,
            "keys": " M: the next mistake. C: the costliest mistake." if analysis else "",
            "finding": text(headline(verdict)),
            "ruletext": "" if rules is None else _RULE_TEXT.format(text(rules)),
            "proof": _paragraphs(reasons)
            + _claims(proof_lines(verdict))
            + _paragraphs(replay_heading(self.record, None)[-2:]),
            "players": self._players(),
            "verify": verify,
        }
        return filled(part("match.html"), slots)

    def _summary(self) -> str:
        """Return the totals and how they were reached, and when the match began."""
        lines = []
        score, winner = self.document["score"], self.document["winner"]
        if self._won is not None:
            first = result_in_words(self._won)[0]
            rows = []
            for seat in (first, 1 - first):
                total, account = map(text, total_in_words(self._won, seat))
                rows.append(f"<li>{self._name(seat)} <b>{total}</b> <span>{account}</span></li>")
            lines.append(f"<ul>{' '.join(rows)}</ul>")
        elif winner is not None:
            seat = ROLES.index(winner)
            points = [score[role]["total"] for role in (ROLES[seat], ROLES[1 - seat])]
            lines.append(f"<p>{text(self.names[seat])} won, {points[0]} to {points[1]}.</p>")
        offer = self.record.table.offer
        if offer is not None:
            lines.append(f"<p>Started {text(start_time(offer.started))}, by the host's clock.</p>")
        return "\n".join(lines)

    def _players(self) -> str:
        """Return the table of players. Each name is a claim; each key is proven."""
        rows = []
        for player in self.document["players"]:
            name, key = player["name"], player["fingerprint"]
            said = "nobody yet" if name is None else f"<bdi>{text(name)}</bdi>"
            rows.append(
                f'<tr><th scope="row">{text(player["role"].capitalize())}<td>{said}'
                f"<td><code>{text(key or 'none yet')}</code>"
            )
        return (
            '<table class="players"><caption>Who played</caption><thead><tr><th scope="col">'
            '<span class="vh">Role</span><th scope="col">Name, as claimed'
            f'<th scope="col">Key, proven by its signatures</thead>'
            f"<tbody>{''.join(rows)}</tbody></table>"
        )

    def _analysis(self) -> str:
        """Return the analysis of both players' choices, as far as the log shows their cards; "" if
        no choice can be valued. It is advice, and proves nothing."""
        record, rules = self.record, self.record.rules
        proven = self.is_valid or record.typed is not None
        if rules is None or not can_advise(rules) or not proven:
            return ""
        found = [analyse(record, seat, luck=False) for seat in (0, 1)]
        decisions = [made for each in found for made in each.decisions]
        if not decisions:
            return ""
        mistakes = [mistake.decision for each in found for mistake in each.mistakes]
        worst = max(mistakes, key=lambda made: made.loss, default=None)
        values = {
            "best": sorted(made.entry for made in decisions if not made.loss),
            "close": sorted(made.entry for made in decisions if 0 < made.loss < MIN_MISTAKE_LOSS),
            "worst": None if worst is None else worst.entry,
            "chances": [(at.entry, at.host, at.guest) for at in chances_in(record)],
        }
        style = Style(symbols=True)
        players = "\n".join(
            self._advice(each, AdvicePhrases(self.names[1 - each.seat], style, rules))
            for each in found
            if each.valued
        )
        return (
            '<section id="analysis" aria-labelledby="analysistitle"><h2 id="analysistitle">Analysis'
            f"</h2>\n<p>{text(judge_line('each player'))} "
            f"This is advice: Verify doesn&#39;t check it.</p>\n{players}\n"
            f'<div id="values" hidden>{text(json.dumps(values, separators=(",", ":")))}</div>'
            "</section>"
        )

    def _advice(self, found: Analysis, teller: AdvicePhrases) -> str:
        """Return the analysis of one player's choices, addressed to that player."""
        lessons = lesson_lines(found, teller, reasons=True)
        choices = []
        for mistake in found.mistakes:
            entry, place = mistake.decision.entry, place_of(self.record, mistake.decision)
            made = f"{choice_made(teller, mistake)} {mistake_reasons(teller, mistake)}"
            choices.append(
                f'<li data-entry="{entry}"><a>{text(place)}</a>: <span>{text(made)}</span></li>'
            )
        summary = text(f"{play_cost(found)}.")
        parts = [f"<h3>For {self._name(found.seat)}</h3><p>{summary}</p>"]
        if lessons:
            items = "".join(f"<li>{text(line)}</li>" for line in lessons)
            parts.append(f"<h4>What to do better</h4><ol>{items}</ol>")
        if choices:
            parts.append(f"<h4>Costliest choices</h4><ol>{''.join(choices[:_MAX_SHOWN])}</ol>")
        if choices[_MAX_SHOWN:]:
            rest = "".join(choices[_MAX_SHOWN:])
            parts.append(
                f"<details><summary>{len(choices) - _MAX_SHOWN} more</summary>"
                f'<ol start="{_MAX_SHOWN + 1}">{rest}</ol></details>'
            )
        return f'<div class="advice" data-seat="{found.seat}">{"".join(parts)}</div>'


_MAX_SHOWN = 5
_LONG_NAME = 30
"""Longer names are set smaller in the heading, on two lines at most."""


def _long_class(names: Iterable[str]) -> str:
    """Return the class of an element with these names in its heading."""
    return " long" if max(map(len, names)) > _LONG_NAME else ""


def _title_mark(matches: Iterable[_Match]) -> str:
    """Return the beginning of a page's title: the worst verdict, unless all matches are valid."""
    found = {match.word for match in matches}
    worst = next(word for word in _WORDS if word in found)
    return "" if worst == "valid" else f"{_WORDS[worst]}: "


def _paragraphs(lines: Iterable[str]) -> str:
    return "\n".join(f"<p>{text(line)}</p>" for line in lines)


def _claims(lines: Iterable[str]) -> str:
    """Return lines such as "Proven: ..." as paragraphs, with the word before the colon in bold."""
    parts = (line.partition(":") for line in lines)
    return "\n".join(f"<p><b>{text(kind)}:</b>{text(rest)}</p>" for kind, _, rest in parts)


def _carries(match: _Match) -> str:
    """Return a sentence that says what the page contains, and claims no more than is proven."""
    size = f"{len(match.log):,} bytes"
    if match.word == UNPROVEN:
        return f"This page contains what somebody typed, {size}. Nobody signed it."
    if match.is_valid:
        return f"This page contains the signed log of the match, {size}."
    return f"This page contains the log that it was made from, {size}, unchanged."


_WORDS = {
    "illegal": "ILLEGAL",
    "forged": "FORGED OR DAMAGED",
    "unreadable": "CANNOT BE READ",
    UNPROVEN: "UNPROVEN",
    "incomplete": "INCOMPLETE",
    "valid": "VALID",
}
"""The heading for each verdict, worst first."""

_BUTTON = (
    '<div id="verify" hidden><button type="button" id="run" class="main">Verify here, now</button>'
    '<p id="outcome" role="status" aria-live="polite"></p><ol id="progress"></ol>'
    "<p>This page contains a second program, written from the protocol's specification alone. It "
    "checks {} offline: every signature, shuffle, card, move and point. Then it compares {} on "
    "this page with {}. But the program came with the page, "
    "so it can't vouch for the page: see How to be sure. A key isn't a person: ask each player for "
    "their key, which ginpeer id shows. "
    "(Parts of it: noble-curves and noble-hashes, © 2022 Paul Miller, MIT licence.)</p></div>"
)
_VERIFY = _BUTTON.format("the log", "the verdict, names, keys and moves", "the log")
_VERIFY_MANY = _BUTTON.format(
    "the logs of all matches",
    "the verdict, names, keys and moves of each match, and the summary of the whole evening",
    "the logs",
)
"""The button on a page of several matches. It checks all of them."""

_RULE_TEXT = '<p>The rules, as written in the log: <code id="rules">{}</code></p>'

_SAID = (
    "ginpeer has checked both players' signatures and every shuffle, card, move and point: no "
    "cheating found."
)
"""What was checked, shown next to the button that checks it again."""

_SURE = (
    "Anybody who passes this page on to you can change everything else in it, even the button. To "
    "be sure, save the page as {} (HTML only, not complete) and use your own copy of the free "
    "program ginpeer:"
)
_SURE_TYPED = "Your own copy of ginpeer says the same:"
_KEYS = (
    "Nobody can change what a key has signed without that key. But other keys can sign another "
    "match under the same names: compare the keys with those that the players give you."
)
_CHECKED = (
    "This checks the log, and compares this page, byte for byte, with what ginpeer makes from it. "
    + _KEYS
)
_CHECKED_MANY = (
    "This checks every log, and compares this page, byte for byte, with what ginpeer makes from "
    "them. " + _KEYS
)

_COMMANDS = (
    "The commands <code>replay</code>, <code>analyse</code> and <code>export</code> can also read "
    "this page."
)


# --- an evening -------------------------------------------------------------------------

_REFERENCE = re.compile(r' (id|for|aria-labelledby)="')
"""Where a match's HTML names an id. Players' names and other text from outside can't match, because
``text`` escapes the =."""


def _heading(parts: Sequence[str]) -> str:
    if len(parts) == 1:
        return text(parts[0])
    kinds = ("span", "bdi")
    return " ".join(
        f"<{kinds[at % 2]}>{text(part)}</{kinds[at % 2]}>" for at, part in enumerate(parts) if part
    )


def _sums(pairs: Sequence[PairSum]) -> str:
    """Return a table of the matches won and the points of each pair of players. If there are
    several pairs, each has a heading."""
    groups = []
    for pair in pairs:
        names = " and ".join(f"<bdi>{text(name)}</bdi>" for name in pair.names)
        heading = f'<tr><th colspan="3" scope="rowgroup">{names}, {text(pair.matches)}</th></tr>'
        rows = [
            f'<tr><th scope="row"><bdi>{text(name)}</bdi></th><td>{won}</td><td>{text(points)}</td>'
            for name, won, points in zip(pair.names, pair.won, pair.points, strict=True)
        ]
        groups.append(
            f"<tbody>{heading if len(pairs) > 1 else ''}{'</tr>'.join(rows)}</tr></tbody>"
        )
    if not groups:
        return ""
    return (
        '<table class="sums"><thead><tr><th scope="col"><span class="vh">Player</span></th>'
        '<th scope="col">Matches won</th><th scope="col">Points</th></tr></thead>'
        f"{''.join(groups)}</table>"
    )


def _article(at: int, match: _Match) -> str:
    own = _REFERENCE.sub(rf"\g<0>m{at}-", match.content('div class="sections"'))
    return (
        f'<article id="m{at}" class="{match.classes}" aria-label="Match {at}">\n{own}\n</article>'
    )
