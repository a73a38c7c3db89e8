"""The steps document of a log matches the log. test_document checks every golden log against
proto/steps.schema.json."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from ginpeer.record import Record, steps_document
from ginpeer.rules.cards import parse_card
from tests.matches.golden_logs import FOLDER


@cache
def steps_of(name: str) -> Any:
    """Return the steps document of a log as a program reads it."""
    return json.loads(json.dumps(steps_document(Record.read(FOLDER / f"{name}.ginlog"))))


@pytest.mark.parametrize("name", ["standard", "mahjong", "never-disclosed"])
def test_no_card_is_in_two_places(name: str) -> None:
    for hand in steps_of(name)["hands"]:
        for step in hand["steps"]:
            at = step["position"]
            if at is None:
                continue
            held = [at["hands"][role] for role in ("host", "guest")]
            # Laid-off cards remain among those of the player who laid them off.
            places = [each["cards"] or each["seen"] for each in held] + [at["pile"]]
            places += [meld["cards"] for meld in at["table"]]
            cards = [card for place in places for card in place]
            assert len(cards) == len(set(cards))
            for each in held:
                if each["melds"] is not None:
                    laid = [off["card"] for off in each["laid_off"]]
                    lying = [card for meld in each["melds"] for card in meld]
                    lying += each["loose"] + laid
                    assert sorted(lying, key=parse_card) == each["cards"]
                    assert each["count"] == len(lying) or at["phase"] == "over"


def test_a_knock_is_given_with_its_cards_and_its_discard() -> None:
    hand = steps_of("standard")["hands"][0]
    knock, spread = hand["steps"][-2:]
    assert (knock["kind"], knock["card"]) == ("knock", knock["position"]["upcard"])
    (knocker,) = (r for r in ("host", "guest") if r == hand["result"]["knocker"])
    shown = spread["position"]["hands"]
    counted = {role: shown[role]["deadwood"] for role in ("host", "guest")}
    assert counted == hand["result"]["deadwood"]
    assert knock["author"] == knocker
    assert spread["position"]["to_move"] is None


def test_undisclosed_hands_stay_hidden_until_they_are_laid_down() -> None:
    hand = steps_of("never-disclosed")["hands"][0]
    assert hand["degree"] == {"host": "public", "guest": "public"}
    held = [
        (step["position"]["phase"], each["cards"] is None, each["degree"])
        for step in hand["steps"]
        if step["position"] is not None
        for each in step["position"]["hands"].values()
    ]
    assert all(hidden for phase, hidden, _ in held if phase not in ("lay-off", "over"))
    assert [found for found in held if found[0] == "over"] == [("over", False, "public")] * 2


def test_one_players_view_says_nothing_of_the_other_hand() -> None:
    record = Record.read(FOLDER / "disclosed-after-hand.ginlog").seen_by(0)
    hand = steps_document(record)["hands"][0]
    assert hand["degree"] == {"host": "disclosed", "guest": "public"}
    dealt = [step["position"]["hands"] for step in hand["steps"] if step["position"]]
    assert all(held["host"]["cards"] for held in dealt)
    assert not dealt[0]["guest"]["cards"]


def test_a_forged_log_has_the_steps_before_the_invalid_entry() -> None:
    found = steps_of("forged-flipped-bit")
    assert found["verdict"]["verdict"] == "forged"
    last = [*found["opening"], *(s for hand in found["hands"] for s in hand["steps"])][-1]
    assert last["entry"] < found["verdict"]["failing_entry"]
