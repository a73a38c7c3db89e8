"""The golden logs of tests/vectors/logs/v1: neither their bytes nor their verdicts ever change."""

import json

import pytest

from tests.document.test_document import table_of
from tests.matches.golden_logs import (
    FOLDER,
    GOLDEN,
    NOT_KEPT,
    sha256_of,
    sums,
    verdict_on,
)

CODES = {*table_of("11.1"), *table_of("11.2")}

STATUS = {"valid": 0, "illegal": 1, "forged": 1, "unreadable": 2, "incomplete": 3}
MADE_OF = (".ginlog", ".json")


def frozen(name):
    return (FOLDER / f"{name}.json").read_text("ascii")


def test_every_golden_log_has_its_verdict_and_checksum():
    expected = {name + suffix for name in GOLDEN for suffix in MADE_OF}
    assert {path.name for path in FOLDER.iterdir()} - {"README.md", "SHA256SUMS"} == expected
    assert set(sums()) == expected


def test_the_bytes_of_a_golden_log_never_change():
    for name in GOLDEN:
        for suffix in MADE_OF:
            path = FOLDER / f"{name}{suffix}"
            assert sha256_of(path) == sums()[path.name], (
                f"{path.name} has changed. It is frozen: people hold logs like it. Restore it; "
                "what is new is added beside it (see the README there)."
            )


@pytest.mark.parametrize("name", GOLDEN)
def test_the_verdict_on_a_golden_log_never_changes(name):
    status, said = verdict_on(name)
    then, now = json.loads(frozen(name)), json.loads(said)
    assert now["sentence"]
    now["sentence"] = then["sentence"]  # may be edited: it isn't part of the protocol
    assert json.dumps(now, indent=2) + "\n" == frozen(name), (
        f"The verdict on {name}.ginlog is another than it was. The protocol has changed for "
        "matches that have been played: that needs a new version of it (PROTOCOL 7.4)."
    )
    assert status == STATUS[then["verdict"]]


def test_every_code_has_a_golden_log_or_a_reason_why_not():
    found = {json.loads(frozen(name))["code"] for name in GOLDEN}
    assert found | set(NOT_KEPT) == CODES
    assert not found & set(NOT_KEPT)
    assert all(NOT_KEPT.values())
