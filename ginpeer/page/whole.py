"""The whole page: the frame filled, the scripts packed, and the policy that lets nothing else run.

# Rule 1: the page's own style and scripts are allowed by their hashes, and nothing else: no handler
#         in an attribute, no address, no frame, no form. Even if a browser found markup in a name,
#         it would run none of it.
# Rule 2: scripts insert text only as text. The policy enforces this (require-trusted-types-for) in
#         browsers that support it.
# Rule 3: what only scripts read is packed, which halves the page: the steps, the code that draws
#         them, the second verifier. The policy has the hashes of the unpacked scripts, so nothing
#         else can be unpacked and run. What a person reads without scripts isn't packed.
# Rule 4: the verdict is in the title, in the heading and, unless the log is valid, in a banner that
#         stays in view.
"""

from __future__ import annotations

import json
import pkgutil
import re
import zlib
from base64 import b64encode, b85decode, b85encode
from collections.abc import Collection, Sequence
from hashlib import sha256
from string import ascii_letters, ascii_uppercase
from typing import Any

from ginpeer.page.sections import (
    WORDS,
    PageTexts,
    claims,
    filled,
    moves,
    paragraphs,
    players,
    score_sheet,
    text,
)
from ginpeer.record.typed_match import UNPROVEN
from ginpeer.referee.table import ROLES
from ginpeer.rules.cards import parse_card
from ginpeer.store.page_log import log_element

# --- the steps as data ------------------------------------------------------------------

_CARD_LETTERS = ascii_uppercase + ascii_letters[:26]


def step_positions(hand: dict[str, Any], told: Collection[int]) -> list[dict[str, Any]]:
    """Encode the position after every step of a hand in few bytes, for page.js to draw the table.

    *hand* is one of ginpeer.record.steps_document; *told* has the entries with text.

    Each step with text is an object that has only what differs from the previous step of the same
    hand (the first has everything):

        a  the actor: 0 the host, 1 the guest
        c  the card that it moves, and d: 1 if that was drawn from the stock
        x, y  the hands of host and guest: "melds|loose|count", with dots between melds, each meld
            followed by + and the opponent's lay-offs on it; "?count|seen" if it is unknown
        p  the pile: how many cards go from its top, then those that come
        o  who has laid the hand open: 1 the host, 2 the guest, 3 both
        s  the stock; l: the knock limit; t: whose turn it is, -1 when the hand is over
        m  in Mahjong gin the melds on the table, each followed by a colon and h, g or b for both

    A card is one letter, A to Z and a to z, in the order of ginpeer.rules: clubs, diamonds, hearts,
    spades, each from the ace.
    """
    found: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    pile = ""
    for step in hand["steps"]:
        if step["entry"] not in told:
            continue
        made: dict[str, Any] = {"a": ROLES.index(step["author"])}
        if step["card"] is not None:
            made["c"] = letters([step["card"]])
        if step["share"] is not None:
            made["d"] = 1
        if step["position"] is not None:
            whole = _whole(step["position"], hand["result"])
            now = whole.pop("p")
            made |= {key: value for key, value in whole.items() if last.get(key, "") != value}
            if now != pile:
                made["p"] = _change(pile, now)
            last, pile = whole, now
        found.append(made)
    return found


def letters(cards: Sequence[str]) -> str:
    """Return cards as the page writes them."""
    return "".join(_CARD_LETTERS[parse_card(card)] for card in cards)


def _whole(position: dict[str, Any], result: dict[str, Any] | None) -> dict[str, Any]:
    host, guest = (position["hands"][role] for role in ROLES)
    turn = position["to_move"]
    return {
        "x": _hand(host, guest),
        "y": _hand(guest, host),
        "p": letters(position["pile"]),
        "s": position["stock"],
        "l": position["knock_limit"],
        "t": -1 if turn is None else ROLES.index(turn),
        "m": ".".join(map(_table_meld, position["table"])),
        "o": _open(position, result),
    }


def _open(position: dict[str, Any], result: dict[str, Any] | None) -> int:
    if position["phase"] == "over":
        return 0 if result is None or result["knocker"] is None else 3
    if position["phase"] == "lay-off":
        return 1 if position["to_move"] == "guest" else 2
    return 0


def _hand(held: dict[str, Any], other: dict[str, Any]) -> str:
    if held["melds"] is None:
        return f"?{held['count']}|{letters(held['seen'])}"
    melds = [letters(meld) for meld in held["melds"]]
    for at in range(len(melds)):
        added = [laid["card"] for laid in other["laid_off"] if laid["meld"] == at]
        melds[at] += f"+{letters(added)}" if added else ""
    return f"{'.'.join(melds)}|{letters(held['loose'])}|{held['deadwood']}"


def _table_meld(meld: dict[str, Any]) -> str:
    whose = "b" if meld["host"] and meld["guest"] else "h" if meld["host"] else "g"
    return f"{letters(meld['cards'])}:{whose}"


def _change(before: str, after: str) -> str:
    """Return how many cards go from the top, and which come."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    return f"{len(before) - same}{after[same:]}"


# --- the packed parts -----------------------------------------------------------------

_VERIFIER = "dist/verifier.js"


def part(name: str) -> str:
    """Return one of this package's own files, like page.css, without indentation and without
    comment lines, which nobody reads in a page."""
    content = pkgutil.get_data("ginpeer.page", name)
    if content is None:
        raise FileNotFoundError(f"{name} is missing from this installation")
    lines = (line.strip() for line in content.decode("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("// "))


def verifier() -> str | None:
    """Return the second verifier, which runs in the page, byte for byte as it is built; None if
    this installation has none."""
    try:
        content = pkgutil.get_data("ginpeer.page.verifier", _VERIFIER)
    except (OSError, ImportError):
        return None
    return None if content is None else content.decode("utf-8")


_SIGNS = bytes.maketrans(b"<>&", b",.:")
_LETTERS = bytes.maketrans(b",.:", b"<>&")


def packed(name: str, content: str) -> str:
    """Return the element that carries this content at half its size: deflate (RFC 1950) in base
    85, with the alphabet of RFC 1924 except for the characters that mean something in HTML.
    Base64 would take 1/15 more."""
    letters = b85encode(zlib.compress(content.encode("utf-8"), 9)).translate(_SIGNS).decode("ascii")
    return f'<script type="text/plain" id="packed-{name}">{letters}</script>'


_PACKED = re.compile(rb'(<script type="text/plain" id="packed-[a-z]+">)([^<>&]*)(?=</script>)')


def is_same_page(page: bytes, own: bytes) -> bool:
    """Return whether *page* equals our *own* page once both are unpacked: on another machine,
    zlib may pack the same content into different bytes."""
    theirs, ours = _PACKED.split(page), _PACKED.split(own)
    if len(theirs) != len(ours):
        return False
    pairs = enumerate(zip(theirs, ours, strict=True))
    return all(a == b or (at % 3 == 2 and _packs(a, _unpacked(b))) for at, (a, b) in pairs)


def _unpacked(letters: bytes) -> bytes:
    return zlib.decompress(b85decode(letters.translate(_LETTERS)))


def _packs(letters: bytes, content: bytes) -> bool:
    """Return whether this is the content packed. A longer content isn't unpacked, and text
    longer than any packing needs isn't even decoded, because that takes 30 times its size."""
    if len(letters) > 2 * len(content) + 100:
        return False
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(b85decode(letters.translate(_LETTERS)), len(content) + 1)
    except (ValueError, zlib.error):
        return False
    return found == content and stream.eof and not stream.unused_data


# --- the page -------------------------------------------------------------------------


def match_page(steps: dict[str, Any], texts: PageTexts, log: bytes, version: str) -> bytes:
    """Return the page of a match, in UTF-8: the same bytes each time.

    *steps*: ginpeer.record.steps_document of the log; *log*: its bytes, which the page carries;
    *version*: of the program, which the page names.
    """
    verdict = steps["verdict"]
    sound = verdict["verdict"] == "valid"
    typed = verdict["code"] == UNPROVEN
    word = WORDS[UNPROVEN if typed else verdict["verdict"]]
    style, load = part("page.css"), part("load.js")
    packings = {
        "steps": json.dumps(_drawn(steps, texts), ensure_ascii=False, separators=(",", ":")),
        "style": part("table.css"),
        "table": part("page.js"),
    }
    # Where nobody signed there is nothing to judge.
    second = None if typed else verifier()
    if second is not None:
        packings["verifier"] = second
    scripts = (load, packings["table"], *([] if second is None else [second]))
    match = " and ".join(texts.names)
    page = filled(
        part("page.html"),
        {
            "policy": _policy((style, packings["style"]), scripts),
            "version": text(version),
            "title": text(f"{'' if sound else word + ': '}{match}, gin rummy"),
            "style": style,
            "verdict": verdict["verdict"],
            "banner": "" if sound else _banner(texts),
            "rules": text(texts.rules),
            "heading": f"{'' if sound else f'<em>{word}</em> '}{_versus(texts)}",
            "summary": text(_summary(verdict, texts)),
            "moves": moves(steps, texts),
            "sheet": score_sheet(steps, texts),
            "account": paragraphs(texts.account),
            "finding": text(texts.verdict),
            "proof": paragraphs(texts.reasons) + claims(texts.proven) + paragraphs(texts.cards),
            "players": players(verdict),
            "verify": _VERIFY if second is not None else "",
            "carries": _carries(len(log), sound=sound, typed=typed),
            "sure": _SURE_TYPED if typed else _SURE,
            "checked": "" if typed else _CHECKED,
            "log": log_element(log),
            "packed": "\n".join(packed(name, each) for name, each in packings.items()),
            "script": load,
        },
    )
    return page.encode("utf-8")


_VERIFY = (
    '<div id="verify" hidden><button type="button" id="run" class="main">Verify here, now</button>'
    '<p id="outcome" role="status" aria-live="polite"></p><ol id="progress"></ol>'
    "<p>This page contains a second program, written only from the protocol's document. It checks "
    "the log without a network: every signature, shuffle, card, move and point. Then it compares "
    "the steps, points, names and keys on this page with the log. But it came with the page, so it "
    "can't vouch for it: see How to be sure. A key is not a person: ask each player for their key, "
    "which ginpeer id shows. "
    "(Parts of it: noble-curves and noble-hashes, © 2022 Paul Miller, MIT licence.)</p></div>"
)

_SURE = (
    "Anybody who passes this page on can change everything else in it, even the button. To be "
    "sure, save the page as page.html and use your own copy of ginpeer:"
)
_SURE_TYPED = "Your own copy of ginpeer says the same:"
_CHECKED = (
    "It checks the log, and whether this page is, byte for byte, what ginpeer makes from it. "
    "Nobody can change what a key has signed without that key. But other keys can sign another "
    "match under the same names: compare the keys with those that the players give you."
)


def _carries(size: int, *, sound: bool, typed: bool) -> str:
    """Say what the page carries, and claim no more than is proven."""
    if typed:
        return f"This page carries what somebody typed, {size:,} bytes. Nobody signed it."
    if sound:
        return f"This page carries the signed log of the match, {size:,} bytes."
    return f"This page carries the log that it was made from, {size:,} bytes, as it was."


def _banner(texts: PageTexts) -> str:
    lines = (texts.verdict, *texts.reasons)
    return f'<aside class="banner" aria-label="The verdict">{paragraphs(lines)}</aside>'


def _versus(texts: PageTexts) -> str:
    host, guest = (f"<bdi>{text(name)}</bdi>" for name in texts.names)
    return f"{host} <span>and</span> {guest}"


def _summary(verdict: dict[str, Any], texts: PageTexts) -> str:
    """Say who won, by how much, and what the verdict is."""
    told = []
    totals = verdict["score"] and [verdict["score"][role]["total"] for role in ROLES]
    if verdict["winner"] is not None and totals[0] is not None:
        winner = ROLES.index(verdict["winner"])
        told.append(f"{texts.names[winner]} won, {totals[winner]} to {totals[1 - winner]}.")
    if texts.begun is not None:
        told.append(f"Begun {texts.begun}, by the host's clock.")
    return " ".join((*told, texts.verdict) if verdict["verdict"] == "valid" else told)


def _drawn(steps: dict[str, Any], texts: PageTexts) -> dict[str, Any]:
    """Return the data from which page.js draws the table; it takes the words from the page."""
    return {
        "names": texts.names,
        "mahjong": _lays(steps),
        "hands": [
            {
                "n": hand["number"],
                "d": ROLES.index(hand["dealer"]),
                "k": "" if hand["knock_card"] is None else letters([hand["knock_card"]]),
                "w": [hand["score"][role] for role in ROLES],
                "f": hand["result"] is not None,
                "steps": step_positions(hand, texts.steps),
            }
            for hand in steps["hands"]
        ],
    }


def _lays(steps: dict[str, Any]) -> bool:
    """Return whether this is Mahjong gin, which has no knock limit."""
    positions = (step["position"] for hand in steps["hands"] for step in hand["steps"])
    return any(at is not None and at["knock_limit"] is None for at in positions)


def _policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(map(_hash, scripts))}",
        f"style-src {' '.join(map(_hash, styles))}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        # load.js unpacks the others, and the verifier starts a worker of its own source.
        "trusted-types ginpeer-page ginpeer-verify",
        "worker-src blob:",
    ]
    return text("; ".join(rules))


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode('utf-8')).digest()).decode('ascii')}'"
