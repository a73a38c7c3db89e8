"""The JSON document that `ginpeer verify --json` prints, made without the command."""

import json

import pytest

from ginpeer.record import (
    Record,
    UnreadableLog,
    steps_document,
    unreadable_verdict,
    verdict_document,
)
from ginpeer.referee.referee import Finding, Verdict
from ginpeer.referee.table import Table
from ginpeer.rules.score import HandResult, Outcome
from tests.json_schema import faults
from tests.matches.golden_logs import FOLDER, GOLDEN
from tests.rules.played import GUEST, HOST, VOID, knock, mahjong, match_of


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.deep(keep=12)
def test_the_document_of_a_golden_log_is_the_frozen_one(name, monkeypatch):
    monkeypatch.chdir(FOLDER)
    frozen = (FOLDER / f"{name}.json").read_text("ascii")
    try:
        record = Record.read(f"{name}.ginlog")
    except UnreadableLog as why:
        found = verdict_document(unreadable_verdict(why.code, why.sentence, why.entry))
        assert _with_frozen_sentence(found, frozen) == frozen
        return
    assert _with_frozen_sentence(record.document(), frozen) == frozen
    # The steps match their schema, and every valid entry is in exactly one of them.
    steps = json.loads(json.dumps(steps_document(record)))
    assert faults("steps.schema.json", steps) == []
    assert _with_frozen_sentence(steps["verdict"], frozen) == frozen
    told = [step for hand in steps["hands"] for step in hand["steps"]]
    places = [each["entry"] for each in (*steps["opening"], *told, *steps["closing"])]
    places += [step["share"] for step in told if step["share"] is not None]
    assert sorted(places) == list(range(record.verdict.entries))


def _with_frozen_sentence(document, frozen):
    """Return the document's text with the frozen sentence, as sentences aren't part of the protocol
    (PROTOCOL 11)."""
    assert document["sentence"]
    document["sentence"] = json.loads(frozen)["sentence"]
    return json.dumps(document, indent=2) + "\n"


def of_match(match):
    """Return the document for a match that has come this far. The log doesn't matter."""
    return verdict_document(
        Verdict(Finding.INCOMPLETE, Table(match=match), 50, "incomplete", "So far.")
    )


def test_the_document_has_columns_games_and_the_stake():
    match = match_of(
        knock(HOST, 110), knock(GUEST, 15), VOID, rules="hollywood best-of=3 box=20 stake=5"
    )
    found = of_match(match)
    assert [hand["columns"] for hand in found["hands"]] == [[1], [2], []]
    assert [hand["game"] for hand in found["hands"]] == [1, 1, 1]
    (game,) = found["games"]
    assert (game["over"], game["winner"]) == (False, None)
    assert game["score"] == {
        "host": {"hand_points": 110, "hands_won": 1, "total": None},
        "guest": {"hand_points": 15, "hands_won": 1, "total": None},
    }
    first, second, third = game["columns"]
    assert (first["number"], first["over"], first["winner"]) == (1, True, "host")
    assert first["score"]["host"] == {
        "hand_points": 110,
        "hands_won": 1,
        "shutout": 110,
        "game_bonus": 100,
        "boxes": 20,
        "total": 340,
    }
    assert (second["number"], second["over"], second["winner"]) == (2, False, None)
    assert set(third["score"]["host"].values()) == {0, None}
    assert found["decided"] is False
    assert found["margin"] is None
    assert found["stake"] == {"a_point": 5, "debtor": None, "payment": None}

    found = of_match(match.resign(HOST))
    assert [column["winner"] for column in found["games"][0]["columns"]] == [
        "host",
        "guest",
        "guest",
    ]
    assert found["score"]["guest"] == {
        "hand_points": 15,
        "hands_won": 1,
        "games_won": 0,  # two columns won, but fewer points overall
        "total": 250,  # the host has won nothing in the second column
    }
    assert (found["decided"], found["winner"]) == (True, "guest")
    assert found["margin"] == 250 - 340
    # The host is ahead but isn't paid, having resigned.
    assert found["stake"] == {"a_point": 5, "debtor": None, "payment": 0}


def test_the_document_has_the_points_of_mahjong_and_spades():
    found = of_match(match_of(mahjong(GUEST, 120, -35), rules="mahjong target=100"))
    (hand,) = found["hands"]
    assert (hand["result"], hand["points"], hand["other_points"]) == ("mahjong", 120, -35)
    assert found["games"][0]["columns"][0]["score"]["host"]["total"] == -35
    doubled = HandResult(Outcome.GIN, HOST, 80, HOST, 0, 15, doubled=True)
    (hand,) = of_match(match_of(doubled, rules="oklahoma"))["hands"]
    assert hand["doubled"] is True


def test_the_document_says_that_nobody_won():
    found = of_match(match_of(knock(HOST, 30), knock(GUEST, 30), rules="standard hands=2"))
    assert (found["decided"], found["winner"], found["margin"]) == (True, None, 0)
