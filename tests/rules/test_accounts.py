"""The accounts of tests/vectors/rules/accounts.jsonl. tests/document/test_pseudocode.py computes
them in another way."""

import json

from tests.rules.accounts import VECTORS, rows


def test_the_file_is_what_the_command_would_write():
    written = [json.loads(line) for line in VECTORS.read_text(encoding="ascii").splitlines()]
    assert json.loads(json.dumps(list(rows()))) == written
