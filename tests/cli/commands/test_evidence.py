"""How `verify` prints evidence: the player, the key, the entries and the rule."""

import json

import pytest

from cli.main import main
from ginpeer.store.log import read_log
from protocol.crypto.identity import fingerprint
from protocol.entry import entry_hash
from tests.matches.golden_logs import EVIDENCE, FOLDER


@pytest.fixture
def verify(capsys, monkeypatch):
    """Return a function that verifies a golden log and returns the printed lines and the JSON."""

    def run(name):
        monkeypatch.chdir(FOLDER)
        document = json.loads((FOLDER / f"{name}.json").read_text())
        assert main(["verify", f"{name}.ginlog"]) == 1
        return capsys.readouterr().out.splitlines(), document

    return run


@pytest.mark.parametrize("name", EVIDENCE)
def test_evidence_names_the_player_the_key_the_entry_and_the_rule(name, verify):
    lines, document = verify(name)
    evidence, author = document["evidence"], document["author"]
    assert lines[0].startswith("ILLEGAL: ")
    assert lines[0].endswith(f"({document['code']}).")
    name, key = evidence["name"], evidence["key"]
    assert evidence["fingerprint"] == fingerprint(bytes.fromhex(key))
    assert lines[2] == f'Signed by: key {evidence["fingerprint"]}, the {author}, called "{name}".'
    entries = [evidence["admitted"], evidence["signed"]] if evidence["admitted"] else []
    for line, entry in zip(lines[3:], entries or [evidence["signed"]], strict=False):
        assert line.endswith(f"{entry['says'] or 'unreadable'}, hash {entry['hash'][:16]}.")
    assert f"The rule: PROTOCOL.md, {evidence['sections']}." in lines


def test_a_fork_shows_both_entries_and_where_they_are(verify):
    lines, document = verify("evidence-fork-at-the-offer")
    entries = read_log(FOLDER / "evidence-fork-at-the-offer.ginlog").entries
    evidence = document["evidence"]
    assert evidence["place"] == 0
    assert evidence["admitted"]["hash"] == entry_hash(entries[0]).hex()
    assert evidence["signed"]["hash"] == entry_hash(entries[-1]).hex()
    assert "as entry 0, counting from 0 (fork)" in lines[0]
    assert lines[3].startswith("Entry 0: ")
    assert "entry 3 of this file" in lines[4]
