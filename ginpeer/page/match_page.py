"""The page of a match: its names, verdict and moves as text, its log, and the script that draws the
match from the log and verifies it.

Rule 1: everything from outside the package passes through text(), even if somebody has cleaned it
        before. A template is filled in one pass, so inserted text is never searched for slots.
Rule 2: the page's own style and scripts are allowed by their hashes, and nothing else: no handler
        in an attribute, no address, no frame, no form. Even if a browser found markup in a name,
        it would run none of it. Scripts insert text only as text. The policy enforces this
        (require-trusted-types-for) in browsers that support it.
Rule 3: the script is packed, which halves the page. The packed form is committed, so every machine
        makes the same bytes. The policy has the hash of the unpacked script, so nothing else can be
        unpacked and run. What a person reads without scripts isn't packed.
Rule 4: the verdict is in the title, in the heading and, unless the log is valid, in a banner that
        stays in view.
"""

from __future__ import annotations

import html
import json
import pkgutil
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ginpeer.record.typed_match import UNPROVEN
from ginpeer.referee.table import ROLES
from ginpeer.store.page_log import log_element

ANALYSIS = "analysis"
"""The id of the analysis in a page that has one."""

_SLOT = re.compile(r"\{\{([a-z]+)\}\}")


def text(plain: str) -> str:
    """Return plain text as HTML that is also safe in a quoted attribute. ``=`` is escaped, so that
    no name can look like the tag of the log (ginpeer.store.page_log)."""
    return html.escape(plain, quote=True).replace("=", "&#61;")


def filled(template: str, slots: Mapping[str, str]) -> str:
    """Return the template with its slots filled by HTML. Raises KeyError for a slot without a
    value."""
    return _SLOT.sub(lambda found: slots[found[1]], template)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match whose log is valid."""

    first: int
    """The seat that the heading names first."""
    between: str
    """The words between the two names in the heading, as in "Ann beat Bob by 61 points"."""
    after: str
    """The words after both names."""
    totals: tuple[tuple[int, str, str], ...]
    """For each player: the seat, the total, and how it was reached."""


@dataclass(frozen=True, slots=True)
class PlayerAdvice:
    """The analysis of one player's choices, addressed to that player."""

    seat: int
    summary: str
    lessons: tuple[str, ...]
    """What to do better, costliest first."""
    choices: tuple[tuple[int, str, str], ...]
    """The choices that cost points, costliest first: the entry in the log, the place in words, and
    a text that says what was played, what would have been better, and why."""


@dataclass(frozen=True, slots=True)
class PageAnalysis:
    """The analysis of a match on its page. It is advice, and proves nothing."""

    judge: str
    """A text that says who judged the choices and what the points mean."""
    players: tuple[PlayerAdvice, ...]
    best: tuple[int, ...]
    """The entries of the choices that were best."""
    close: tuple[int, ...]
    """The entries of the choices that cost too little to matter."""
    worst: int | None
    """The entry of the choice that cost most; None if none mattered."""
    chances: tuple[tuple[int, int, int], ...]
    """An entry, and then the host's and the guest's chance of winning the game, in thousandths,
    each from what that player saw."""


@dataclass(frozen=True, slots=True)
class PageTexts:
    """The texts of a page. Names in them are already safe to show (ginpeer.names)."""

    names: tuple[str, str]
    """Host and guest, as they appear in sentences."""
    verdict: str
    """The verdict on the log, in one line."""
    reasons: tuple[str, ...]
    """Why the log isn't valid, and who owes what."""
    rules: str
    """The rules in words."""
    rule_text: str | None
    """The rules as written in the log."""
    result: Result | None
    """Who won and how; None unless the log proves it."""
    begun: str | None
    """When the match began according to the host's clock."""
    cards: tuple[str, ...]
    """For each player, whether the cards are shown, and why."""
    proven: tuple[str, str]
    """What the log proves, and what it doesn't."""
    moves: str
    """The hands of the match in the notation of proto/NOTATION.md."""
    analysis: PageAnalysis | None
    """The analysis; None if nothing can be valued, or if none was requested."""


def match_page(verdict: dict[str, Any], texts: PageTexts, log: bytes, version: str) -> bytes:
    """Return the page of a match in UTF-8. The same arguments give the same bytes.

    *verdict* is the log's verdict document (ginpeer.record.verdict_document), *log* are the bytes
    of the log, and *version* is the program's version, which the page names.
    """
    sound, typed = _is_sound(verdict), _is_typed(verdict)
    frame = {
        "title": text(f"{title_mark([verdict])}{' and '.join(texts.names)}, gin rummy"),
        "kind": match_class(verdict, texts),
        "skip": "moves",
        "skipto": "the moves in words",
        # If nobody signed the match, there is nothing to judge.
        "content": match_content(verdict, texts, "main", "" if typed else _VERIFY),
        "carries": _carries(len(log), sound=sound, typed=typed),
        "sure": _SURE_TYPED if typed else SURE.format("page.html"),
        "file": "page.html",
        "checked": "" if typed else _CHECKED,
        "commands": _COMMANDS,
        "save": "Save the log",
        "what": "The log",
    }
    return framed(frame, (log,), version, styles=("page.css",))


def framed(
    slots: Mapping[str, str], logs: Iterable[bytes], version: str, *, styles: Sequence[str]
) -> bytes:
    """Return the page with these contents in UTF-8. *styles*: the names of its style sheets."""
    style, load = "\n".join(map(part, styles)), part("load.js")
    own = {
        "policy": _policy(style, (load, script())),
        "version": text(version),
        "style": style,
        "log": log_element(*logs),
        "packed": part("verifier/dist/page.packed"),
        "script": load,
    }
    return filled(part("page.html"), {**slots, **own}).encode("utf-8")


def match_content(verdict: dict[str, Any], texts: PageTexts, main: str, verify: str = "") -> str:
    """Return a match as HTML, from its banner to what is proven. *main*: the element around its
    sections. *verify*: the button that judges its log."""
    sound = _is_sound(verdict)
    slots = {
        "banner": "" if sound else _banner(texts),
        "rules": text(texts.rules),
        "heading": match_heading(verdict, texts),
        "summary": _summary(verdict, texts),
        "said": _SAID if sound else "",
        "main": main,
        "ends": main.partition(" ")[0],
        "entries": str(verdict["entries"]),
        "moves": text(texts.moves),
        "analysis": "" if texts.analysis is None else _analysis(texts, texts.analysis),
        "keys": "" if texts.analysis is None else " M: the next mistake. C: the costliest mistake.",
        "finding": text(texts.verdict),
        "ruletext": "" if texts.rule_text is None else _RULE_TEXT.format(text(texts.rule_text)),
        "proof": _paragraphs(texts.reasons) + _claims(texts.proven) + _paragraphs(texts.cards),
        "players": _players(verdict),
        "verify": verify,
    }
    return filled(part("match.html"), slots)


def match_class(verdict: dict[str, Any], texts: PageTexts) -> str:
    """Return the classes of the element around a match."""
    return f"{verdict['verdict']}{long_class(texts.names)}"


def long_class(names: Iterable[str]) -> str:
    """Return the class of an element with these names in its heading."""
    return " long" if max(map(len, names)) > _LONG_NAME else ""


def match_heading(verdict: dict[str, Any], texts: PageTexts) -> str:
    """Return the heading of a match as HTML: the verdict unless it is valid, and who won."""
    word = _WORDS[_word(verdict)]
    return f"{'' if _is_sound(verdict) else f'<em>{word}</em> '}{_versus(texts)}"


def title_mark(verdicts: Iterable[dict[str, Any]]) -> str:
    """Return what the title of a page begins with: the worst verdict, unless all are valid."""
    found = set(map(_word, verdicts))
    worst = next(word for word in _WORDS if word in found)
    return "" if worst == "valid" else f"{_WORDS[worst]}: "


def _word(verdict: dict[str, Any]) -> str:
    return UNPROVEN if _is_typed(verdict) else str(verdict["verdict"])


def _is_sound(verdict: dict[str, Any]) -> bool:
    return bool(verdict["verdict"] == "valid")


def _is_typed(verdict: dict[str, Any]) -> bool:
    return bool(verdict["code"] == UNPROVEN)


def part(name: str) -> str:
    """Return one of this package's own files, like page.css, without indentation and comment lines,
    which nobody reads in a page."""
    lines = (line.strip() for line in _own(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("// "))


def script() -> str:
    """Return the script whose packed form a page contains."""
    return _own("verifier/dist/page.js")


def _own(name: str) -> str:
    content = pkgutil.get_data("ginpeer.page", name)
    if content is None:
        raise FileNotFoundError(f"{name} is missing from this installation")
    return content.decode("utf-8")


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
VERIFY_MANY = _BUTTON.format(
    "the logs of all matches",
    "the verdict, names, keys and moves of each match, and the summary of the whole evening",
    "the logs",
)
"""The button in a page of several matches. It checks all of them."""

_RULE_TEXT = '<p>The rules, as written in the log: <code id="rules">{}</code></p>'

_SAID = (
    "ginpeer has checked both players' signatures and every shuffle, card, move and point: no "
    "cheating found."
)
"""What was checked, beside the button that checks it again."""

SURE = (
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
    "This checks the log, and whether this page is, byte for byte, what ginpeer makes from it. "
    + _KEYS
)
CHECKED_MANY = (
    "This checks every log, and whether this page is, byte for byte, what ginpeer makes from them. "
    + _KEYS
)

_COMMANDS = (
    "The commands <code>replay</code>, <code>analyse</code> and <code>export</code> can also read "
    "this page."
)


def _carries(size: int, *, sound: bool, typed: bool) -> str:
    """Return a sentence on what the page contains, which claims no more than is proven."""
    if typed:
        return f"This page contains what somebody typed, {size:,} bytes. Nobody signed it."
    if sound:
        return f"This page contains the signed log of the match, {size:,} bytes."
    return f"This page contains the log that it was made from, {size:,} bytes, unchanged."


def _paragraphs(lines: Iterable[str]) -> str:
    return "\n".join(f"<p>{text(line)}</p>" for line in lines)


def _claims(lines: Iterable[str]) -> str:
    """Return lines such as "Proven: ..." as paragraphs, with the word before the colon in bold."""
    parts = (line.partition(":") for line in lines)
    return "\n".join(f"<p><b>{text(kind)}:</b>{text(rest)}</p>" for kind, _, rest in parts)


def _banner(texts: PageTexts) -> str:
    lines = (texts.verdict, *texts.reasons)
    return f'<aside class="banner" aria-label="The verdict">{_paragraphs(lines)}</aside>'


def _versus(texts: PageTexts) -> str:
    """Return the heading: both players, and who won if that is proven."""
    result = texts.result or Result(0, "and", "", ())
    names = [_name(texts, seat) for seat in (result.first, 1 - result.first)]
    end = f" <span>{text(result.after)}</span>" if result.after else ""
    return f"{names[0]} <span>{text(result.between)}</span> {names[1]}{end}"


def _name(texts: PageTexts, seat: int) -> str:
    return f'<bdi class="{ROLES[seat]}">{text(texts.names[seat])}</bdi>'


def _summary(verdict: dict[str, Any], texts: PageTexts) -> str:
    """Return the totals and how they were reached, and when the match began."""
    lines = []
    if texts.result is not None:
        rows = (
            f"<li>{_name(texts, seat)} <b>{text(points)}</b> <span>{text(account)}</span></li>"
            for seat, points, account in texts.result.totals
        )
        lines.append(f"<ul>{' '.join(rows)}</ul>")
    elif verdict["winner"] is not None:
        score, winner = verdict["score"], verdict["winner"]
        points = [score[role]["total"] for role in (winner, *(r for r in ROLES if r != winner))]
        lines.append(
            f"<p>{text(texts.names[ROLES.index(winner)])} won, {points[0]} to {points[1]}.</p>"
        )
    if texts.begun is not None:
        lines.append(f"<p>Started {text(texts.begun)}, by the host's clock.</p>")
    return "\n".join(lines)


_LONG_NAME = 30
"""Longer names are set smaller in the heading, on two lines at most."""

_MAX_SHOWN = 5


def _analysis(texts: PageTexts, found: PageAnalysis) -> str:
    values = {
        "best": found.best,
        "close": found.close,
        "worst": found.worst,
        "chances": found.chances,
    }
    players = "\n".join(_advice(texts, each) for each in found.players)
    return (
        f'<section id="{ANALYSIS}" aria-labelledby="analysistitle"><h2 id="analysistitle">Analysis'
        f"</h2>\n<p>{text(found.judge)} This is advice: Verify doesn&#39;t check it.</p>\n"
        f"{players}\n"
        f'<div id="values" hidden>{text(json.dumps(values, separators=(",", ":")))}</div></section>'
    )


def _advice(texts: PageTexts, player: PlayerAdvice) -> str:
    lessons = "".join(f"<li>{text(line)}</li>" for line in player.lessons)
    choices = [
        f'<li data-entry="{entry}"><a>{text(place)}</a>: <span>{text(made)}</span></li>'
        for entry, place, made in player.choices
    ]
    parts = [f"<h3>For {_name(texts, player.seat)}</h3><p>{text(player.summary)}</p>"]
    if lessons:
        parts.append(f"<h4>What to do better</h4><ol>{lessons}</ol>")
    if choices:
        parts.append(f"<h4>Costliest choices</h4><ol>{''.join(choices[:_MAX_SHOWN])}</ol>")
    if choices[_MAX_SHOWN:]:
        rest = "".join(choices[_MAX_SHOWN:])
        parts.append(
            f"<details><summary>{len(choices) - _MAX_SHOWN} more</summary>"
            f'<ol start="{_MAX_SHOWN + 1}">{rest}</ol></details>'
        )
    return f'<div class="advice" data-seat="{player.seat}">{"".join(parts)}</div>'


def _players(verdict: dict[str, Any]) -> str:
    """Return the table of players. Each name is a claim; each key is proven."""
    rows = []
    for player in verdict["players"]:
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


def _policy(style: str, scripts: Iterable[str]) -> str:
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(map(source_hash, scripts))}",
        f"style-src {source_hash(style)}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        # load.js unpacks the script, and the script starts a worker of its own source.
        "trusted-types ginpeer-page ginpeer-verify",
        "worker-src blob:",
    ]
    return text("; ".join(rules))


def source_hash(source: str) -> str:
    """Return the name that a policy uses for a script or style with this text."""
    return f"'sha256-{b64encode(sha256(source.encode('utf-8')).digest()).decode('ascii')}'"
