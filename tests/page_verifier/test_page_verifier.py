"""What a page carries judges as the program does. All golden logs, and 500 mutants, are for
`python -m tests.page_verifier`; here are those that cost little."""

from __future__ import annotations

import json
import random
import re

import pytest

from tests import page_build
from tests.matches.golden_logs import FOLDER, GOLDEN
from tests.page_verifier.compare import lacking, page, parted, program
from tests.page_verifier.mutants import unsigned

has_node = pytest.mark.skipif(lacking() is not None, reason=str(lacking()))

SHORT = [name for name in GOLDEN if (FOLDER / f"{name}.ginlog").stat().st_size < 1200]
WHOLE = ["disclosed-after-hand", "evidence-bad-proof"]


def frozen(name):
    return json.loads((FOLDER / f"{name}.json").read_text("ascii"))


@has_node
def test_the_page_finds_of_golden_logs_what_stands_beside_them_and_tells_each_hand():
    assert len(SHORT) > 12
    names = [*SHORT, *WHOLE]
    for name, answer in zip(names, page([_golden(name) for name in names]), strict=True):
        assert parted(answer["verdict"], frozen(name)) == [], name
        told = [(line["hand"], line["hands"], line["text"]) for line in answer["lines"]]
        if name == "disclosed-after-hand":
            assert told[0] == (1, 1, "Hand 1: 8 shuffles, 14 proofs, 16 moves: all hold")
            assert len(told) == 3
            assert all(text.endswith("follows from the disclosed seed") for *_, text in told[1:])
        else:
            assert told == []


@has_node
def test_page_and_program_agree_on_broken_logs():
    broken = [log for _, log in unsigned(random.Random("some"), 12)]
    for log, answer in zip(broken, page(broken), strict=True):
        assert parted(answer["verdict"], program(log)) == [], log.hex()


@has_node
def test_bytes_that_are_no_log_get_a_verdict_too():
    rng = random.Random("noise")
    magic = b"ginlog1\n"
    noise = [b"", magic, magic[:5], b"ginlog7\n", bytes(9), magic + bytes(50), magic + b"\xff" * 50]
    noise += [rng.randbytes(rng.randrange(200)) for _ in range(20)]
    for _ in range(60):
        entry = rng.randbytes(rng.choice((1, 64, 65, 200, 70_000)))
        noise.append(magic + len(entry).to_bytes(4, "big") + entry)
    for log, answer in zip(noise, page(noise), strict=True):
        assert parted(answer["verdict"], program(log)) == [], log.hex()


def test_what_is_checked_in_is_what_the_sources_make():
    why = page_build.lacking()
    if why:
        pytest.skip(why)
    assert page_build.build() == page_build.BUILT.read_bytes()


def test_a_page_can_carry_it_and_its_policy_lets_it_run():
    """Within a script element, and without what a strict policy forbids."""
    notice, text = page_build.BUILT.read_text("utf-8").split("*/", 1)
    assert "Permission is hereby granted" in notice
    assert not re.search(r"</script|<!--|<script", text, re.IGNORECASE)
    assert not re.search(r"\beval\(|\bFunction\(|WebAssembly|\bimport\(|fetch\(|XMLHttp", text)
    assert not re.search(r"https?:|//[a-z]", text)
    assert "\r" not in notice + text
    assert "<" not in notice


def test_the_lock_has_hashes_and_no_address():
    lock = (page_build.VERIFIER / "package-lock.json").read_text()
    packages = json.loads(lock)["packages"]
    assert all("integrity" in each for name, each in packages.items() if name)
    assert not re.search(r"https?:|resolved|registry", lock)
    own = json.loads((page_build.VERIFIER / "package.json").read_text())
    asked = {**own["dependencies"], **own["devDependencies"]}
    assert {name: packages[f"node_modules/{name}"]["version"] for name in asked} == asked


def _golden(name):
    return (FOLDER / f"{name}.ginlog").read_bytes()
