"""The script in a page gives the same verdicts as the program, though it was written from
PROTOCOL.md alone.

The logs are golden ones, their beginnings, and mutants of whole matches, with or without a cheat's
signature: by default the quick ones, all golden logs with --deep, and 500 mutants with `python -m
tests.page_verifier`.
"""

from __future__ import annotations

import json
import random
import re

import pytest

from ginpeer.store.log import log_bytes, read_log
from tests import page_build
from tests.campaign.illegal_entries import real_matches
from tests.campaign.same_verdict import broken
from tests.cheating.cheat import tiny
from tests.matches.golden_logs import FOLDER, GOLDEN
from tests.page.pages import HOSTILE, page_of, up_to_the_cut
from tests.page.shown import shown
from tests.page_verifier.compare import compared, lacking, page, parted
from tests.page_verifier.mutants import claims, cuts, signed

has_node = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))

SHORT = [name for name in GOLDEN if (FOLDER / f"{name}.ginlog").stat().st_size < 1200]
WHOLE = ["disclosed-after-hand", "evidence-bad-proof", "never-disclosed", "mahjong", "resigned"]
WRONG_MOVES = (
    *("forged-entry-left-out", "evidence-illegal-move", "evidence-not-a-meld"),
    *("evidence-layoff-does-not-fit", "evidence-add-does-not-fit", "evidence-card-not-held"),
    *("evidence-first-of-a-lay", "evidence-other-seed"),
)
NO_LOG = ("too-new-format", "empty", "not-a-log")
"""Files that have no page."""


def frozen(name):
    return json.loads((FOLDER / f"{name}.json").read_text("ascii"))


@has_node
def test_page_and_program_find_draw_and_say_the_same_of_golden_logs():
    assert len(SHORT) > 12
    names = [*SHORT, *WHOLE]
    logs = [_golden(name) for name in names]
    pages = [None if name in NO_LOG else _shown(log) for name, log in zip(names, logs, strict=True)]
    for name, (_, answer, unlike) in zip(names, compared(logs, pages), strict=True):
        assert unlike == parted(answer["verdict"], frozen(name)) == [], name
        told = [(line["hand"], line["hands"], line["text"]) for line in answer["lines"]]
        if name == "disclosed-after-hand":
            assert told[0] == (1, 1, "Hand 1: 8 shuffles, 14 proofs, 16 moves: all valid")
            assert len(told) == 3
            assert all(text.endswith("matches the disclosed seed") for *_, text in told[1:])
        elif name in SHORT:
            assert told == []


def check_frozen(names):
    for name, answer in zip(names, page([_golden(name) for name in names]), strict=True):
        assert parted(answer["verdict"], frozen(name)) == [], name


@has_node
def test_the_page_gives_wrong_moves_their_frozen_verdict():
    check_frozen(WRONG_MOVES)


@has_node
@pytest.mark.parametrize("tenth", range(10))
@pytest.mark.deep
def test_the_page_gives_every_golden_log_its_frozen_verdict(tenth):
    check_frozen(GOLDEN[tenth::10])


def agree(logs):
    for (name, _), (*_, unlike) in zip(logs, compared([log for _, log in logs]), strict=True):
        assert unlike == [], name


@has_node
def test_page_and_program_agree_on_broken_cut_and_falsely_signed_logs():
    rng, match = random.Random("some"), [tiny()]
    agree([*broken(rng, 3), *claims(rng, 2, match), *signed(rng, 2, match)])


@has_node
@pytest.mark.deep  # like the previous test, with longer matches and more rule sets
def test_page_and_program_agree_on_cuts_and_mutants_of_long_matches():
    rng, matches = random.Random("many"), real_matches()
    agree([*cuts(), *broken(rng, 40), *claims(rng, 40, matches), *signed(rng, 40, matches)])


@has_node
def test_bytes_that_are_not_a_log_get_a_verdict_too():
    rng = random.Random("noise")
    magic = b"ginlog1\n"
    noise = [b"", magic, magic[:5], b"ginlog7\n", bytes(9), magic + bytes(50), magic + b"\xff" * 50]
    noise += [rng.randbytes(rng.randrange(200)) for _ in range(20)]
    for _ in range(60):
        entry = rng.randbytes(rng.choice((1, 64, 65, 200, 70_000)))
        noise.append(magic + len(entry).to_bytes(4, "big") + entry)
    agree([(log.hex(), log) for log in noise])


def _shown(log):
    return shown(page_of(log, analysed=False))


WON = "who won, and when the match started"
LIES = (
    ("the number of players", "names", lambda names: [*names, "Cay"]),
    ("the name of the host", "names", lambda names: names[::-1]),
    (
        "the names and keys",
        "players",
        lambda cells: [cell.replace("55ruo", "aaaaa") for cell in cells],
    ),
    ("the name of the guest", "names", lambda names: [f"\u202e{name}" for name in names]),
    ("the names and keys", "players", lambda cells: [cell.replace("Ben", "Bea") for cell in cells]),
    (
        "the names and keys",
        "players",
        lambda cells: [cell.replace("Ben", "\ufffd\ufffd\ufffd") for cell in cells],
    ),
    ("the verdict", "finding", lambda text: text.replace("29 entries", "30 entries")),
    ("the number of valid entries", "entries", lambda entries: entries - 1),
    ("the rules", "rules", lambda text: text.replace("Standard", "Oklahoma")),
    ("the rules", "ruleText", lambda text: text.replace("standard", "oklahoma")),
    (WON, "heading", lambda text: text.replace("Ada beat Ben", "Ben beat Ada")),
    (WON, "heading", lambda text: text.replace("161", "171")),
    (WON, "summary", lambda text: text.replace("161", "171")),
    (WON, "summary", lambda text: text.replace("18 from hands", "28 from hands")),
    (WON, "summary", lambda text: text.replace("no cheating", "cheating")),
    ("the moves, line 4", "moves", lambda text: text.replace("5h6h7h", "5h6h8h", 1)),
    ("the moves, line 13", "moves", lambda text: text.replace("host 18, 6", "host 28, 6")),
    ("the moves, line 19", "moves", lambda text: f"{text}And Ben cheated.\n"),
)


@has_node
def test_every_lie_of_a_page_about_its_log_is_detected():
    log = _golden("standard")
    honest = _shown(log)
    lying = [{**honest, key: lie(honest[key])} for _, key, lie in LIES]
    assert honest not in lying
    (answer,) = page([log], [[honest, *lying]])
    agreed, *found = answer["wrong"]
    assert agreed == []
    for (said, *_), wrong in zip(LIES, found, strict=True):
        assert said in wrong, (said, wrong)


@has_node
def test_names_are_compared_however_the_page_escapes_them():
    pairs = [
        HOSTILE,
        ("Ada", "Ada"),
        ("You", "\U0001f642"),
        ("a  b", "Nobody (host)"),
        ("Zoe\u2764\ufe0f", "e\u0301\u0302\u0303\u0304"),
        ("Ze\u034f\u0301", "\u3164Ben\ue000"),
        ("\u1112\u034f\u1161", "\U0001fa77\U00016d68\U000105c9"),
    ]
    logs = [up_to_the_cut(names) for names in pairs]
    for names, answer in zip(pairs, page(logs, map(_shown, logs)), strict=True):
        assert answer["wrong"] == [], names


@has_node
def test_a_page_whose_log_lacks_only_the_last_seeds_agrees_with_it():
    log = log_bytes(read_log(FOLDER / "standard.ginlog").entries[:-1])
    (answer,) = page([log], [_shown(log)])
    assert answer["wrong"] == []


def test_the_committed_script_is_what_the_sources_build():
    script = page_build.BUILT.read_bytes()
    assert page_build.unpacked(page_build.PACKED.read_bytes()) == script
    why = page_build.lacking()
    if why:
        pytest.skip(why)
    assert page_build.build() == script


def test_the_linters_find_no_faults_in_the_sources():
    why = page_build.lacking()
    if why:
        pytest.skip(why)
    assert page_build.faults() == ""


def test_a_page_can_contain_the_script_and_its_policy_allows_it():
    """The script fits into a script element and uses nothing that a strict policy forbids."""
    notice, text = page_build.BUILT.read_text("utf-8").split("*/", 1)
    assert "Permission is hereby granted" in notice
    assert not re.search(r"</script|<!--", text, re.IGNORECASE)
    assert not re.search(r"\beval\(|\bFunction\(|WebAssembly|\bimport\(|fetch\(|XMLHttp", text)
    assert not re.search(r"https?:|//[a-z]", text)
    assert "\r" not in notice + text
    assert "<" not in notice


def test_the_lock_file_has_hashes_and_no_addresses():
    lock = (page_build.VERIFIER / "package-lock.json").read_text()
    packages = json.loads(lock)["packages"]
    assert all("integrity" in each for name, each in packages.items() if name)
    assert not re.search(r"resolved|registry", lock)
    own = json.loads((page_build.VERIFIER / "package.json").read_text())
    asked = {**own["dependencies"], **own["devDependencies"]}
    assert {name: packages[f"node_modules/{name}"]["version"] for name in asked} == asked


def _golden(name):
    return (FOLDER / f"{name}.ginlog").read_bytes()
