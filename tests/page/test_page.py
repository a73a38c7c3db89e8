"""The bytes of a page, without a browser: what is in it, and what nothing in a log can become."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from cli.main import main
from ginpeer.notation import write_sheet
from ginpeer.page import sections, whole
from ginpeer.page.whole import letters
from ginpeer.record import Record, sheet_of, steps_document
from ginpeer.rules import parse_ruleset
from ginpeer.store.log import log_bytes
from ginpeer.store.page_log import log_element, log_in_page
from tests.matches.recorded import plain_player
from tests.matches.table_pair import TablePair
from tests.notation.played import played
from tests.page.pages import HOSTILE, drawn, golden, hostile, page_of, repacked, unpacked

KINDS = ("standard", "mahjong", "incomplete", "forged-flipped-bit", "evidence-wrong-score")
VOID = {"meta", "link", "input", "br", "path", "use"}
SCRIPTS = 5 + (whole.verifier() is not None)
"""The log, the loader, and what lies packed."""


class Tree(HTMLParser):
    """The elements of a page, and the text in each kind of them."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.text = ""
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.titles = ""
        self.feed(page.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in ("script", "style", "title"):
            self.inside.append(tag)
            if tag == "script":
                self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        where = self.inside[-1] if self.inside else ""
        if where == "script":
            attrs, so_far = self.scripts[-1]
            self.scripts[-1] = (attrs, so_far + data)
        elif where == "title":
            self.titles += data
        elif not where:
            self.text += data

    def rows(self) -> dict[str, int]:
        """How many moves are told in each hand, by its id."""
        rows: dict[str, int] = {}
        group = ""
        for tag, attrs in self.found:
            if tag == "details":
                group = attrs.get("id") or ""
            elif tag == "li" and group.startswith(("h", "end")):
                rows[group] = rows.get(group, 0) + 1
        return rows


def told(tree: Tree) -> str:
    return " ".join(tree.text.split())


# --- nothing in a log becomes markup -------------------------------------------------------


def test_names_are_text_wherever_they_stand() -> None:
    plain, tree = Tree(page_of(golden("standard"))), Tree(page_of(hostile()))
    # The same kinds of elements, with the same attributes, as in a page of plain names.
    kinds = {(tag, *sorted(attrs)) for tag, attrs in tree.found}
    assert kinds == {(tag, *sorted(attrs)) for tag, attrs in plain.found}
    assert len(tree.scripts) == len(plain.scripts) == SCRIPTS
    ids = [attrs["id"] for _, attrs in tree.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    for name in HOSTILE:
        assert "<" in name
        assert name.split("<")[0] in tree.text
    assert "onerror=alert(1)" in tree.text
    assert "onerror" not in str(tree.found)


def test_what_is_packed_comes_back_and_can_neither_end_its_element_nor_begin_a_comment() -> None:
    page = page_of(hostile())
    assert any("<img src=x onerror=alert(1)>" in name for name in drawn(page)["names"])
    for name in ("steps", "style", "table"):
        element = whole.packed(name, unpacked(page, name)).encode()
        assert re.fullmatch(rb"<script[^<>]*>[^<>&\s]+</script>", element)
        assert element in page
    assert unpacked(page, "table") == whole.part("page.js")
    markup_too = "</script><!--\u2028&"
    assert unpacked(repacked(page, "steps", markup_too), "steps") == markup_too


def test_no_name_looks_like_a_second_log() -> None:
    names = ('id="ginpeer-log"<script id=ginpeer-log>', "id=ginpeer-log")
    pair = TablePair("two logs", parse_ruleset("standard"), names=names)
    while len(pair.host.stored) < 5 and pair.deliver():
        pass
    log = log_bytes(pair.host.stored[:5])
    page = page_of(log)
    assert "id=ginpeer-log" in Tree(page).text
    assert log_in_page(page, "page.html") == log


def test_a_slot_in_what_was_put_in_is_not_filled() -> None:
    assert sections.filled("a {{x}} b", {"x": "{{y}}", "y": "no"}) == "a {{y}} b"
    with pytest.raises(KeyError):
        sections.filled("{{other}}", {})
    assert "{{log}}" in Tree(page_of(hostile())).text


@pytest.mark.parametrize("name", KINDS)
def test_nothing_runs_but_what_the_policy_names_by_its_hash(name: str) -> None:
    page = page_of(golden(name))
    tree = Tree(page)
    (policy,) = (
        attrs["content"]
        for tag, attrs in tree.found
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    (style,) = re.findall(rb"<style>(.*?)</style>", page, re.S)
    assert rules["style-src"].split() == [hashed(style), hashed(unpacked(page, "style").encode())]
    own = [text for attrs, text in tree.scripts if not attrs]
    own.append(unpacked(page, "table"))
    if whole.verifier() is not None:
        own.append(unpacked(page, "verifier"))
    assert rules["script-src"].split() == [hashed(each.encode()) for each in own]
    assert "unsafe" not in str(policy)
    for _, attrs in tree.found:
        assert not [key for key in attrs if key.startswith("on") or key == "style"]
        for key in ("src", "href", "action", "data", "srcset"):
            assert (attrs.get(key) or "#").startswith(("#", "data:image/svg+xml,"))


def hashed(source: bytes) -> str:
    return f"'sha256-{b64encode(sha256(source).digest()).decode()}'"


def test_the_own_parts_of_a_page_have_nothing_that_ends_them() -> None:
    second = whole.verifier()
    own = [whole.part("load.js"), whole.part("page.js")]
    for script in [*own, *([] if second is None else [second])]:
        assert not re.search(r"</script|<!--", script, re.I)
        assert not re.search(r"\b(eval|innerHTML|outerHTML|insertAdjacent\w+|write)\(", script)
    for style in ("page.css", "table.css"):
        assert "</style" not in whole.part(style).lower()
        assert "http" not in whole.part(style)


# --- what is in it -------------------------------------------------------------------------


def test_the_page_is_small_beside_its_log() -> None:
    """A hand takes 80 KB, of which 25 KB are ours without the match and the second verifier."""
    own = sum(len(whole.part(name).encode()) for name in ("page.html", "page.css", "load.js"))
    own += sum(len(whole.packed(name, whole.part(name))) for name in ("table.css", "page.js"))
    assert own < 25 * 1024
    for name in ("standard", "mahjong"):
        log = golden(name)
        assert len(page_of(log)) - len(log_element(log)) < 82_000


def test_a_match_of_ten_hands_is_under_100_kb_beside_its_log() -> None:
    """Played by the rules alone: its page is that of a signed match, but for the verifier and what
    is said of it."""
    rules = "standard target=none hands=10"
    tags = (("Rules", rules),)
    sheet = write_sheet(played(rules, 10, hands=10, tags=tags, chooser=plain_player)).encode()
    page = page_of(sheet)
    assert len(drawn(page)["hands"]) == 10
    assert sum(Tree(page).rows().values()) > 280
    beside = len(page) - len(log_element(Record.read(sheet).log()))
    beside += len(whole.packed("verifier", whole.verifier() or "")) + 1_500
    assert beside < 100_000


def test_without_a_script_every_move_is_told_in_words() -> None:
    tree = Tree(page_of(golden("standard")))
    text = told(tree)
    for sentence in (
        "The cut for deal: Ada A♦, Ben Q♠.",
        "Ben is dealt: melds 5♥ 6♥ 7♥;",
        "Ben draws 8♣ from the stock.",
        "Ada discards 7♦ and knocks with 6.",
        "Ben lays off 8♠ on 8♣ 8♦ 8♥.",
        "Ada wins the match, 161 to 0.",
        "Not proven: who holds the keys",
        "ginpeer verify page.html",
    ):
        assert sentence in text
    assert tree.rows() == {"h0": 3, "h1": 15, "end": 3}


@pytest.mark.parametrize("name", [*KINDS, "never-disclosed"])
def test_there_is_a_position_for_every_step_that_is_told(name: str) -> None:
    page = page_of(golden(name))
    rows = Tree(page).rows()
    for hand in drawn(page)["hands"]:
        assert len(hand["steps"]) == rows[f"h{hand['n']}"]


def test_the_changes_come_to_the_positions_of_the_document() -> None:
    log = golden("standard")
    (hand,) = steps_document(Record.read(log))["hands"]
    (found,) = drawn(page_of(log))["hands"]
    positions = [s["position"] for s in hand["steps"] if s["position"] is not None]
    state: dict[str, Any] = {"pile": ""}
    seen = 0
    for change in found["steps"]:
        if "p" in change:
            gone, come = re.fullmatch(r"(\d+)(\w*)", change["p"]).groups()  # type: ignore[union-attr]
            state["pile"] = state["pile"][: len(state["pile"]) - int(gone)] + come
        state |= change
        if "x" not in state:
            continue
        position = positions[seen]
        seen += 1
        assert state["pile"] == letters(position["pile"])
        assert state["s"] == position["stock"]
        for key, role in (("x", "host"), ("y", "guest")):
            melds, loose, count = state[key].split("|")
            held = position["hands"][role]
            assert re.sub(r"\+\w+", "", melds).split(".") == [
                letters(m) for m in held["melds"]
            ] or (not melds and not held["melds"])
            assert (loose, int(count)) == (letters(held["loose"]), held["deadwood"])
    assert seen == len(positions)


@pytest.mark.parametrize(
    ("name", "word", "told_too"),
    [
        ("forged-flipped-bit", "FORGED OR DAMAGED", "entry 3 does not hold"),
        ("evidence-wrong-score", "ILLEGAL", "is signed by a player and may not be"),
        ("incomplete", "INCOMPLETE", "Owed next: a share"),
    ],
)
def test_a_log_that_is_not_valid_says_so_in_title_heading_and_a_line_in_view(
    name: str, word: str, told_too: str
) -> None:
    page = page_of(golden(name))
    tree = Tree(page)
    assert tree.titles.startswith(f"{word}: ")
    (heading,) = re.findall(r"<h1>(.*?)</h1>", page.decode(), re.S)
    assert f"<em>{word}</em>" in heading
    (banner,) = re.findall(r'<aside class="banner"[^>]*>(.*?)</aside>', page.decode(), re.S)
    assert word in banner
    assert told_too in " ".join(re.sub("<[^>]*>", " ", banner).split())


def test_a_valid_one_has_no_such_line() -> None:
    tree = Tree(page_of(golden("standard")))
    assert tree.titles == "Ada and Ben, gin rummy"
    assert "banner" not in [attrs.get("class") for _, attrs in tree.found]


def test_the_page_is_the_same_each_time() -> None:
    log = golden("standard")
    assert page_of(log) == page_of.__wrapped__(log)
    assert b"\r" not in page_of(log)


def test_what_somebody_typed_is_called_unproven_and_no_signed_log(tmp_path) -> None:
    sheet = write_sheet(sheet_of(Record.read(golden("standard"))))
    untagged = sheet.partition("\n")[2]  # without [Gin "1"]; its name says what it is
    (tmp_path / "typed.gin").write_text(untagged)
    page = tmp_path / "page.html"
    assert main(["export", str(tmp_path / "typed.gin"), str(page)]) == 2
    tree = Tree(page.read_bytes())
    assert tree.titles.startswith("UNPROVEN: ")
    assert "Nobody signed it." in told(tree)
    for lie in ("signed log", "byte for byte", "has signed", "Verify here"):
        assert lie not in told(tree)
    record = Record.read(page)
    assert record.verdict.code == "unproven"
    assert record.log().startswith(b'[Gin "1"]\n[Proof "none"]\n')


def test_a_log_that_does_not_hold_is_not_said_to_be_that_of_the_match() -> None:
    assert "signed log" not in told(Tree(page_of(golden("forged-flipped-bit"))))
    assert "carries the signed log of the match" in told(Tree(page_of(golden("standard"))))
