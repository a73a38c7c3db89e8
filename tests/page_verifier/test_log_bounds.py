"""The size limit of a log is the same in program and page (PROTOCOL 2.7)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ginpeer.store import log
from ginpeer.store.log import MAGIC, LogReader
from tests import page_build
from tests.document import PROTOCOL
from tests.page_verifier.compare import lacking, page, program

MOST_BYTES = 64 * 2**20
MOST_ENTRIES = 131_072
RECORD = b"\0\0\0\1x"
ENDS = [
    (b"", None),
    (RECORD, "log-too-large"),
    (b"\0\0\0\5xx", "log-too-large"),  # checked before the record's completeness
    (b"\xff" * 8, "bad-record"),  # checked before the size of the log
    (b"\0\0\0\0x", "bad-record"),
    (bytes(9), "torn"),
    (b"\0\0\0", "torn"),
]


@pytest.mark.deep  # tests/store checks the program alone
def test_a_file_may_have_64_mib_and_no_byte_more() -> None:
    assert f"{MOST_BYTES:,} bytes" in PROTOCOL
    for size, said in ((MOST_BYTES, ("torn", 0)), (MOST_BYTES + 1, ("log-too-large", None))):
        file = MAGIC + bytes(size - len(MAGIC))
        verdict = program(file)
        assert (verdict["code"], verdict["failing_entry"]) == said
        if lacking() is None:
            (answer,) = page([file])
            found = answer["verdict"]
            assert (found["code"], found["failing_entry"]) == said
            assert found["verdict"] == verdict["verdict"]


@pytest.mark.parametrize(
    ("end", "code"),
    ENDS,
    ids=["nothing", "entry", "part", "impossible", "empty entry", "zeros", "part of a length"],
)
def test_nothing_after_the_last_entry_allowed_is_read(
    monkeypatch: pytest.MonkeyPatch, end: bytes, code: str | None
) -> None:
    assert log.MAX_ENTRIES == MOST_ENTRIES
    monkeypatch.setattr(log, "MAX_ENTRIES", 3)
    reader = LogReader.of_bytes(MAGIC + RECORD * 3 + end, "log")
    assert sum(1 for _ in reader) == 3
    assert (reader.fault.code if reader.fault else "torn" if reader.torn else None) == code


@pytest.mark.skipif(lacking() is not None, reason=str(lacking()))
def test_the_page_reads_nothing_after_131072_entries() -> None:
    if not page_build.MODULES.exists():
        pytest.skip("no node modules: run `npm ci` in ginpeer/page/verifier")
    files = [MAGIC + RECORD * MOST_ENTRIES + end for end, _ in ENDS]
    asked = b"".join(len(file).to_bytes(4, "big") + file for file in files)
    done = subprocess.run(
        ["node", str(Path(__file__).parent / "ends.mjs")],
        input=asked,
        capture_output=True,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found == [[MOST_ENTRIES, code] for _, code in ENDS]
