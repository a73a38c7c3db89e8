"""A sample of the corpus matches its committed hashes; `python -m tests.goldens` compares all."""

import pytest

from tests.goldens import forms, homes, logs, wire
from tests.goldens.sums import sum_of, sums
from tests.toy_group import toy_group

ADVICE = (
    "What this prints has changed. To see how: make the corpus of the commit before with "
    "`python -m tests.goldens FOLDER`, then run `python -m tests.goldens FOLDER --compare` here. "
    "If every difference is wanted, commit the result of `python -m tests.goldens --sums`. "
    "With --only help/, each takes only the files whose names begin so."
)
FROZEN = ("hollywood", "mahjong", "evidence-bad-proof", "forged-other-history", "incomplete")
PLAYED = ("standard-0", "oklahoma-1", "tournament-2", "mahjong-3", "cut-10")


def check(name, text):
    assert sum_of(text) == sums()[name], f"{name}: {ADVICE}"


@pytest.mark.parametrize("name", FROZEN)
def test_the_output_about_a_frozen_log_is_unchanged(name, tmp_path):
    log = logs.frozen()[name]()
    for form, text in forms.printed(name, log, tmp_path):
        check(f"logs/{name}/{form}", text)


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.deep(keep=3)
def test_the_output_about_a_played_match_is_unchanged(name, tmp_path):
    with toy_group():
        log = logs.played()[name]()
        check(f"logs/{name}/log", f"{log.hex()}\n")
        for form, text in forms.printed(name, log, tmp_path):
            check(f"logs/{name}/{form}", text)
        for form, text in homes.of_one(name, log, tmp_path) if name in logs.seeds() else ():
            check(f"logs/{name}/{form}", text)


def test_help_and_codes_are_unchanged(tmp_path):
    check("wire/codes", wire.codes())
    for name, text in wire.helps(tmp_path):
        check(f"help/{name}", text)
