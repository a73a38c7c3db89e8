"""The bytes of a page, without a browser: what it contains, and that no text in a log becomes
markup."""

from __future__ import annotations

import html
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from cli.main import main
from ginpeer.notation import write_sheet
from ginpeer.page.frame import filled, part, script
from ginpeer.record import Record, sheet_of
from ginpeer.store.page_log import log_element, log_in_page
from tests.page.pages import (
    HOSTILE,
    evening_match,
    evening_of,
    golden,
    hostile,
    page_of,
    sheet_page,
    up_to_the_cut,
    weak_match,
)
from tests.page.shown import shown
from tests.toy_group import toy_group

VOID = {"meta", "link", "input", "br", "path", "use"}
SCRIPTS = 3
"""The log, the loader, and the packed script."""


class Tree(HTMLParser):
    """The elements of a page, and the text in each kind of element."""

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


def told(tree: Tree) -> str:
    return " ".join(tree.text.split())


# --- nothing in a log becomes markup -------------------------------------------------------


def test_names_are_text_wherever_they_appear() -> None:
    plain, tree = Tree(page_of(golden("standard"))), Tree(page_of(hostile()))
    # A page with ordinary names has the same elements, with the same attributes.
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


def test_a_name_cannot_pass_for_a_second_log() -> None:
    log = up_to_the_cut(('id="ginpeer-log"<script id=ginpeer-log>', "id=ginpeer-log"))
    page = page_of(log)
    assert "id=ginpeer-log" in Tree(page).text
    assert log_in_page(page, "page.html") == log


def test_a_placeholder_in_inserted_text_is_not_filled() -> None:
    assert filled("a {{x}} b", {"x": "{{y}}", "y": "no"}) == "a {{y}} b"
    with pytest.raises(KeyError):
        filled("{{other}}", {})
    assert "{{log}}" in Tree(page_of(hostile())).text


@pytest.mark.parametrize("name", ["standard", "incomplete", "evidence-wrong-score"])
def test_only_what_the_policy_names_by_hash_can_run(name: str) -> None:
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
    assert rules["style-src"] == hashed(style)
    (load,) = [text for attrs, text in tree.scripts if not attrs]
    assert rules["script-src"].split() == [hashed(load.encode()), hashed(script().encode())]
    assert "unsafe" not in str(policy)
    for _, attrs in tree.found:
        assert not [key for key in attrs if key.startswith("on") or key == "style"]
        for key in ("src", "href", "action", "data", "srcset"):
            assert (attrs.get(key) or "#").startswith(("#", "data:image/svg+xml,"))


def hashed(source: bytes) -> str:
    return f"'sha256-{b64encode(sha256(source).digest()).decode()}'"


def test_scripts_and_styles_contain_no_end_tag_and_no_unsafe_call() -> None:
    for own in (part("load.js"), script()):
        assert not re.search(r"</script|<!--", own, re.I)
        assert not re.search(r"\b(eval|innerHTML|outerHTML|insertAdjacent\w+|write)\(", own)
    for style in ("page.css", "evening.css", "table.css"):
        assert "</style" not in part(style).lower()
        assert "http" not in part(style)


# --- contents ------------------------------------------------------------------------------


def test_the_page_is_small_without_its_log() -> None:
    """An extra hand takes about a kilobyte in the page."""
    for name in ("standard", "mahjong", "hollywood"):
        log = golden(name)
        assert len(page_of(log, analysed=False)) - len(log_element(log)) < 93_000
    sheet = sheet_page()
    assert shown(sheet)["moves"].count("\nhand ") == 9
    assert len(sheet) - len(log_element(Record.read(sheet).log())) < 110_000
    two_hands = weak_match()
    assert len(page_of(two_hands)) - len(page_of(two_hands, analysed=False)) < 8_000


def test_each_players_analysis_begins_with_the_costliest_choice() -> None:
    text = told(Tree(page_of(weak_match())))
    assert "This is advice: Verify doesn't check it." in text
    for ours, theirs in (("Ada", "Ben"), ("Ben", "Ada")):
        part = text.partition(f"For {ours}")[2].partition(f"For {theirs}")[0]
        assert part.startswith("Your play cost you ")
        costs = re.findall(r"was worth (\d+(?:\.\d)?) points? more", part)
        assert costs == sorted(costs, key=float, reverse=True) != []
    assert "For Ada" not in told(Tree(page_of(weak_match(), analysed=False)))


@pytest.mark.parametrize(
    "name",
    ["incomplete", "evidence-after-the-end", "mahjong", "never-disclosed", "forged-version-zero"],
)
def test_a_match_that_is_invalid_undisclosed_or_without_values_is_not_analysed(name: str) -> None:
    assert page_of(golden(name)) == page_of(golden(name), analysed=False)


@pytest.mark.parametrize(
    ("name", "word", "why"),
    [
        ("forged-flipped-bit", "FORGED OR DAMAGED", "The entry isn't signed by Ben"),
        ("torn-after-the-end", "FORGED OR DAMAGED", "5 bytes of an incomplete entry"),
        ("evidence-wrong-score", "ILLEGAL", "Signed by: key 5f6to-4a5gz-oiiqy-cjvhi, the host"),
        ("incomplete", "INCOMPLETE", "Still missing from the host"),
    ],
)
def test_a_page_of_an_invalid_log_says_so_in_title_heading_and_banner_and_names_no_winner(
    name: str, word: str, why: str
) -> None:
    page = page_of(golden(name))
    assert Tree(page).titles.startswith(f"{word}: ")
    (banner,) = re.findall(r'<aside class="banner"[^>]*>(.*?)</aside>', page.decode(), re.S)
    assert word in banner
    assert why in html.unescape(banner)
    assert shown(page)["heading"] == f"{word} Ada and Ben"
    when = shown(page)["summary"]
    assert re.fullmatch(r"Started [-0-9]+ [0-9:]+ UTC, by the host's clock\.", when)


def test_a_page_of_a_valid_log_has_no_banner() -> None:
    tree = Tree(page_of(golden("standard")))
    assert tree.titles == "Ada and Ben, gin rummy"
    assert "banner" not in [attrs.get("class") for _, attrs in tree.found]


def test_a_page_of_a_damaged_log_says_what_is_wrong_but_not_its_folder(tmp_path) -> None:
    log, page = tmp_path / "damaged.ginlog", tmp_path / "page.html"
    log.write_bytes(golden("standard") + b"\x7f\xff\xff\xff and more")
    assert main(["export", str(log), str(page)]) != 0
    written = page.read_text()
    assert "of damaged.ginlog claims to have 2147483647 bytes" in written
    assert str(tmp_path) not in written


def test_a_typed_match_is_called_unproven_and_not_a_signed_log(tmp_path) -> None:
    sheet = write_sheet(sheet_of(Record.read(golden("standard"))))
    untagged = sheet.partition("\n")[2]  # without [Gin "1"]; the file's name shows the format
    (tmp_path / "typed.gin").write_text(untagged)
    page = tmp_path / "page.html"
    assert main(["export", str(tmp_path / "typed.gin"), str(page)]) == 2
    tree = Tree(page.read_bytes())
    assert tree.titles.startswith("UNPROVEN: ")
    assert shown(page.read_bytes())["heading"] == "UNPROVEN Ada and Ben"
    assert "Nobody signed it." in told(tree)
    lies = (" beat ", "no cheating", "signed log", "byte for byte", "has signed", "Verify here")
    assert [lie for lie in lies if lie in told(tree)] == []
    record = Record.read(page)
    assert record.verdict.code == "unproven"
    assert record.log().startswith(b'[Gin "1"]\n[Proof "none"]\n')


def test_a_page_does_not_call_a_forged_log_the_signed_log_of_the_match() -> None:
    assert "signed log" not in told(Tree(page_of(golden("forged-flipped-bit"))))
    assert "signed by both" not in told(Tree(page_of(golden("incomplete"))))
    assert "contains the signed log of the match" in told(Tree(page_of(golden("standard"))))


# --- an evening ----------------------------------------------------------------------------


def test_players_with_one_name_are_told_apart_by_their_keys_when_they_change_roles() -> None:
    both = ("Ada", "Ada")
    with toy_group():
        page = evening_of(evening_match(1, 0, 1, both), evening_match(2, 1, 0, both))
    above, _, matches = page.decode().partition("<article")
    keys = re.findall("<code>([a-z2-7-]{23})<", matches)
    shown = re.findall(r'row"><bdi>(.*?)</bdi>', above)
    assert sorted(shown) == sorted({f"Ada ({key})" for key in keys})


def test_two_endings_of_one_match_are_not_called_the_same() -> None:
    with toy_group():
        ends = evening_match(1), evening_match(1, resigned=True)
        notes = [
            re.findall(r'note">Match 2 isn.*? again: (.*?)\.', evening_of(*logs).decode())
            for logs in (ends, (ends[0], ends[0]))
        ]
    assert notes == [
        ["it&#x27;s match 1 with a different ending"],
        ["it&#x27;s the same as match 1"],
    ]


# --- the style -----------------------------------------------------------------------------


def test_nothing_is_printed_over_the_text_of_every_sheet() -> None:
    for style in ("page.css", "evening.css", "table.css"):
        assert "fixed" not in part(style)


def test_the_mark_of_the_focus_stands_out_from_what_is_around_it() -> None:
    """WCAG 2.2, 1.4.11: a contrast of at least 3 to 1."""
    light, dark = part("page.css").split("prefers-color-scheme: dark")
    for scheme in (light, dark):
        colours = dict(re.findall(r"--([a-z-]+): #([0-9a-f]{6});", scheme))
        for around in ("paper", "felt", "raised"):
            bright, dim = sorted(luminance(colours[each]) for each in ("mark", around))[::-1]
            assert (bright + 0.05) / (dim + 0.05) >= 3, around


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = (byte / 255 for byte in bytes.fromhex(colour))
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
