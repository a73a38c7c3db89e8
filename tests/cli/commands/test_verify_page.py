"""`ginpeer verify` of a page: the verdict on its log, and whether the page was changed."""

from __future__ import annotations

import json

import pytest

from cli.main import main
from cli.program import version
from tests import page_build
from tests.json_schema import faults
from tests.matches.golden_logs import FOLDER
from tests.page.pages import evening_match, golden, page_of
from tests.toy_group import toy_group

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


CHANGES = {
    "a class that hides the banner": (
        "forged-flipped-bit",
        replaced('<aside class="banner"', '<aside class="banner vh"'),
    ),
    "a word": ("standard", replaced("by 161 points", "by 151 points")),
    "an analysis that praises": ("standard", replaced("This is advice", "This is proven")),
    "a script that lies": ("standard", another_script),
    "a byte at the end": ("incomplete", lambda page: page + b"\n"),
    "another version": ("standard", replaced(f"ginpeer {version()}", "ginpeer 0.9.0")),
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


@pytest.mark.parametrize("name", ["forged-flipped-bit", "incomplete"])
def test_a_page_of_a_log_that_is_not_valid_is_recognised_as_unchanged(tmp_path, capsys, name):
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


@pytest.mark.parametrize(
    ("instead", "named"),
    [
        ("ginpeer 0.9.0", "ginpeer 0.9.0"),
        (f"ginpeer {version()}). The same bytes (", "no version"),  # not a version
    ],
)
def test_the_version_named_by_a_page_is_reported(tmp_path, capsys, instead, named):
    page = tmp_path / "match.html"
    page.write_bytes(replaced(f"ginpeer {version()}", instead)(page_of(golden("standard"))))
    main(["verify", str(page)])
    assert f"it names {named}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "may_differ"),
    [("Zo\u00e9\u4e2d\U0001f642", False), ("Zoe\U0001fa77", True)],  # a heart added in Unicode 15
)
def test_a_page_with_a_new_character_may_be_from_a_different_python(
    tmp_path, capsys, name, may_differ
):
    page = tmp_path / "match.html"
    with toy_group():
        page.write_bytes(page_of(evening_match(1, names=("Ann", name)), analysed=False) + b"\n")
        main(["verify", str(page)])
    assert ("different version of Python" in capsys.readouterr().out) == may_differ


def test_the_verdict_on_a_plain_log_has_no_page_key(capsys):
    assert main(["verify", str(FOLDER / "standard.ginlog"), "--json"]) == 0
    assert "page" not in json.loads(capsys.readouterr().out)


def test_a_log_with_the_name_of_a_page_gets_a_warning_first(tmp_path, capsys):
    log = golden("standard")
    for name, warned in (("match.html", True), ("match.HTM", True), ("match.ginlog", False)):
        (tmp_path / name).write_bytes(log)
        main(["verify", str(tmp_path / name)])
        assert capsys.readouterr().out.startswith("This is a log, not a page") == warned
