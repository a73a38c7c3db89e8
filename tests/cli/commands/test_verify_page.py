"""`ginpeer verify` of a page: the verdict on its log, and whether the page was changed."""

from __future__ import annotations

import json
import re

import pytest

from cli.main import main
from cli.program import version
from tests import page_build
from tests.json_schema import faults
from tests.matches.golden_logs import FOLDER
from tests.page.pages import evening_match, golden, page_of

SAME = "byte for byte.\n"
SCHEMA = "verdict.schema.json"


def replaced(there: str, instead: str):
    def change(page: bytes) -> bytes:
        assert page.count(there.encode()) >= 1, there
        return page.replace(there.encode(), instead.encode(), 1)

    return change


def another_script(page: bytes) -> bytes:
    own = page_build.PACKED.read_bytes()
    assert own in page
    return page.replace(own, page_build.packed(page_build.BUILT.read_bytes() + b"//"))


def suits_swapped(page: bytes) -> bytes:
    one, two, none = b'id="s1"', b'id="s2"', b'id="s"'
    return page.replace(one, none).replace(two, one).replace(none, two)


def key_altered(page: bytes) -> bytes:
    owed = re.search(rb"Still missing from [^<]*key ([a-z0-9]{5})", page)
    assert owed
    return page[: owed.start(1)] + b"aaaaa" + page[owed.end(1) :]


CHANGES = {
    "a second table of players": (
        "standard",
        replaced('<table class="players">', '<table class="players"><tr><td>Eve</table><table>'),
    ),
    "a seat drawn behind the board": (
        "standard",
        replaced('<div id="board"></div>', '<div id="board"></div><div class="seat">Eve</div>'),
    ),
    "a false proof": ("standard", replaced("<b>Proven:</b>", "<b>Proven:</b> Ben cheated;")),
    "a class that hides the banner": (
        "forged-flipped-bit",
        replaced('<aside class="banner"', '<aside class="banner vh"'),
    ),
    "a direction": ("standard", replaced('<html lang="en">', '<html lang="en" dir="rtl">')),
    "an altered key in what is owed": ("incomplete", key_altered),
    "swapped suits": ("standard", suits_swapped),
    "a word": ("standard", replaced("by 161 points", "by 151 points")),
    "another card": ("standard", replaced("-7d knock", "-8d knock")),
    "an analysis that praises": ("standard", replaced("This is advice", "This is proven")),
    "a chance of winning": ("standard", replaced("chances&quot;:[[1", "chances&quot;:[[2")),
    "a script that lies": ("standard", another_script),
    "a style": ("standard", replaced(".vh {", ".vh { opacity: .01;")),
    "a byte at the end": ("standard", lambda page: page + b"\n"),
    "another version": ("standard", replaced(f"ginpeer {version()}", "ginpeer 0.9.0")),
    "no version, as in 1.3.0": (
        "standard",
        replaced(f'<meta name="generator" content="ginpeer {version()}">\n', ""),
    ),
    "a page of another kind, around the log": (
        "standard",
        lambda page: b"<!doctype html><h1>Eve won</h1>" + page[page.index(b'<script type="te') :],
    ),
}
STATUS = {"standard": 0, "forged-flipped-bit": 1, "incomplete": 3}


def test_an_unchanged_page_is_reported_as_unchanged(tmp_path, capsys):
    page, log = tmp_path / "match.html", str(FOLDER / "standard.ginlog")
    assert main(["export", log, str(page)]) == 0
    capsys.readouterr()
    assert main(["verify", log]) == 0
    alone = capsys.readouterr().out
    assert main(["verify", str(page)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(alone)
    assert told.removeprefix(alone).count("\n") == 1
    assert told.endswith(SAME)


@pytest.mark.parametrize("name", STATUS)
def test_every_kind_of_log_gives_the_same_page_again(tmp_path, capsys, name):
    page = tmp_path / "match.html"
    page.write_bytes(page_of(golden(name)))
    assert main(["verify", str(page)]) == STATUS[name]
    assert capsys.readouterr().out.endswith(SAME)


def test_a_page_without_an_analysis_is_recognised_as_unchanged(tmp_path, capsys):
    page, log = tmp_path / "match.html", str(FOLDER / "standard.ginlog")
    assert main(["export", "--no-analysis", log, str(page)]) == 0
    assert b'id="analysis"' not in page.read_bytes()
    assert main(["verify", str(page)]) == 0
    assert capsys.readouterr().out.endswith(SAME)


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.deep(keep=5)
def test_any_change_to_a_page_is_found(tmp_path, capsys, what):
    name, change = CHANGES[what]
    page, own = tmp_path / "match.html", tmp_path / "own.html"
    page.write_bytes(change(page_of(golden(name))))
    assert main(["verify", str(page)]) == STATUS[name]  # the status is the log's
    said = capsys.readouterr().out
    assert SAME not in said
    assert said.startswith("This page was changed")  # before the verdict on the log
    assert 'page as "complete" in a browser' in " ".join(said.split())
    assert f"ginpeer export {page} own.html" in " ".join(said.split())
    assert main(["verify", str(page), "--json"]) == STATUS[name]
    document = json.loads(capsys.readouterr().out)
    assert document["page"] == "differs"
    assert faults(SCHEMA, document) == []
    assert main(["export", str(page), str(own)]) == STATUS[name]
    assert own.read_bytes() == page_of(golden(name))


def test_the_version_named_by_a_page_is_reported(tmp_path, capsys):
    page = tmp_path / "match.html"
    named_by = {"another version": "ginpeer 0.9.0", "no version, as in 1.3.0": "no version"}
    for change, named in named_by.items():
        page.write_bytes(CHANGES[change][1](page_of(golden("standard"))))
        main(["verify", str(page)])
        assert f"it names {named}" in capsys.readouterr().out


def test_a_page_with_a_new_character_may_be_from_a_different_python(tmp_path, capsys):
    page = tmp_path / "match.html"
    for name in ("Zo\u00e9\u4e2d\U0001f642", "Zoe\U0001fa77"):  # a heart of Unicode 15
        page.write_bytes(page_of(evening_match(1, names=("Ann", name))) + b"\n")
        main(["verify", str(page)])
        told = capsys.readouterr().out
        assert ("different version of Python" in told) == ("\U0001fa77" in name)


def test_a_sentence_in_place_of_a_pages_version_is_not_shown(tmp_path, capsys):
    page = tmp_path / "match.html"
    whole = page_of(golden("standard"))
    told = f"ginpeer {version()}). The same bytes ("
    page.write_bytes(replaced(f"ginpeer {version()}", told)(whole))
    main(["verify", str(page)])
    assert "it names no version" in capsys.readouterr().out


def test_the_verdict_on_a_plain_log_has_no_page_key(capsys):
    assert main(["verify", str(FOLDER / "standard.ginlog"), "--json"]) == 0
    assert "page" not in json.loads(capsys.readouterr().out)


def test_a_log_with_the_name_of_a_page_gets_a_warning_first(tmp_path, capsys):
    log = golden("standard")
    for name, warned in (("match.html", True), ("match.HTM", True), ("match.ginlog", False)):
        (tmp_path / name).write_bytes(log)
        main(["verify", str(tmp_path / name)])
        assert capsys.readouterr().out.startswith("This is a log, not a page") == warned
