"""The vectors of tests/vectors/rules, whose README says where they come from: all rows of a and b,
and of c every hand that was played by the standard rules."""

import gzip
import json
from pathlib import Path

import pytest

from ginpeer.rules import (
    CARDS,
    STANDARD,
    Discard,
    Hand,
    Knock,
    Outcome,
    Spread,
    arrangements,
    best_discards,
    best_spread,
    deadwood,
    fits,
    mask_of,
    parse_card,
    parse_move,
    pips_of,
    popcount,
    score_hand,
)

VECTORS = Path(__file__).parents[1] / "vectors" / "rules"


def rows(name):
    with gzip.open(VECTORS / name, "rt", encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


def cards(texts):
    return [parse_card(text) for text in texts]


def mask(texts):
    return mask_of(cards(texts))


def arrangement(lists):
    return tuple(sorted(map(mask, lists)))


def test_least_deadwood_and_every_arrangement():
    for row in rows("a_deadwood.jsonl.gz"):
        hand = mask(row["hand"])
        assert deadwood(hand) == row["deadwood"], row["id"]
        found = arrangements(hand)
        assert len(found) == row["n_optimal"], row["id"]
        assert set(found) == {arrangement(optimal) for optimal in row["optimal"]}, row["id"]


def test_eleven_cards_are_judged_over_all_their_discards():
    eleven = [row for row in rows("a_deadwood.jsonl.gz") if row["n"] == 11]
    assert len(eleven) > 500
    for row in eleven:
        hand, held = mask(row["hand"]), cards(row["hand"])
        after = row["after_discard"]
        assert [deadwood(hand ^ card.bit) for card in held] == after, row["id"]
        least, discards = best_discards(hand)
        assert least == row["best_after_discard"], row["id"]
        assert discards == tuple(
            sorted(card for card, left in zip(held, after, strict=True) if left == least)
        ), row["id"]
        assert (deadwood(hand) == 0) == row["big_gin"], row["id"]


OUTCOMES = {
    "gin": Outcome.GIN,
    "big_gin": Outcome.BIG_GIN,
    "knock": Outcome.KNOCK,
    "undercut": Outcome.UNDERCUT,
}


def test_showdowns_for_every_arrangement_of_the_knocker():
    for row in rows("b_showdowns.jsonl.gz"):
        knocker, defender = mask(row["knocker"]), mask(row["defender"])
        assert deadwood(knocker) == row["knocker_deadwood"], row["id"]
        assert deadwood(defender) == row["defender_own_deadwood"], row["id"]
        told = {arrangement(case["melds"]): case for case in row["arrangements"]}
        assert set(arrangements(knocker)) == set(told), row["id"]
        big = popcount(knocker) == 11
        for case in row["arrangements"]:
            melds = tuple(map(mask, case["melds"]))
            left = knocker ^ sum(melds)
            # The discard plays no part in the score: any card that neither holds will do.
            thrown = next(card for card in CARDS if not (knocker | defender) & card.bit)
            knock = Knock(None if big else thrown, melds, left)
            spread = best_spread(defender, melds if left else ())
            assert spread.cards == defender
            assert pips_of(spread.deadwood) == case["defender_deadwood"], row["id"]
            result = score_hand(STANDARD, 0, knock, spread)
            assert result.kind is OUTCOMES[case["type"]], row["id"]
            assert result.winner == (0 if case["winner"] == "knocker" else 1), row["id"]
            assert result.points == case["points"], row["id"]


def test_own_best_melds_first_is_a_trap_in_some_showdowns():
    traps = [
        case
        for row in rows("b_showdowns.jsonl.gz")
        for case in row["arrangements"]
        if case.get("sequential_deadwood", 0) > case["defender_deadwood"]
    ]
    assert traps  # so the test above does tell the joint optimum from the obvious one


def standard_traces():
    return [
        row
        for row in rows("c_traces.jsonl.gz")
        if not row["oklahoma"]
        and not row["flags"]
        and row["end"] not in ("tie", "repeat_draw", "take_limit")
    ]


def knock_and_spread(actions, knocker_cards, defender_cards):
    """The recorded knock, its melds in the pieces they were laid in, and the recorded answer."""
    knocker = actions[0]["p"]
    melds = tuple(mask(a["cards"]) for a in actions if a["a"] == "meld" and a["p"] == knocker)
    discard = parse_card(actions[0]["card"])
    knock = Knock(discard, melds, knocker_cards ^ discard.bit ^ sum(melds))
    table, layoffs = list(melds), []
    for action in actions:
        if action["a"] == "layoff":
            card = parse_card(action["card"])
            at = next(i for i, meld in enumerate(table) if fits(card, meld))
            table[at] |= card.bit
            layoffs.append((card, at))
    own = tuple(mask(a["cards"]) for a in actions if a["a"] == "meld" and a["p"] != knocker)
    laid = mask_of(card for card, _ in layoffs)
    return knock, Spread(own, tuple(layoffs), defender_cards ^ sum(own) ^ laid)


@pytest.mark.parametrize("row", standard_traces(), ids=lambda row: f"trace-{row['id']}")
def test_whole_hands_move_by_move(row):
    # Two holders of the same hand: one knows both hands, the other, like a referee, neither.
    full = blind = Hand.begin(STANDARD, 1, parse_card(row["upcard"]))
    full = full.knowing(0, mask(row["hands"][0])).knowing(1, mask(row["hands"][1]))
    stock = iter(cards(row["stock"]))
    for at, action in enumerate(row["actions"]):
        if action["a"] == "wall_pass":
            break  # OpenSpiel asks about the last discard; by RULES 4.7 the hand is over
        assert full.to_move == blind.to_move == action["p"]
        if action["a"] == "knock":
            could = mask_of(
                move.discard
                for move in full.legal_moves()
                if isinstance(move, Knock) and move.discard is not None
            )
            taken = 0 if full.taken is None else full.taken.bit
            assert could == mask(action["legal_knock_discards"]) & ~taken
            seat = full.to_move
            rest = row["actions"][at:]
            knock, spread = knock_and_spread(rest, full.hand_of(seat), full.hand_of(1 - seat))
            full = full.apply(knock).apply(spread)
            blind = blind.apply(knock).apply(spread)
            break
        if action["a"] == "draw":
            assert next(stock) == parse_card(action["card"])
            full, blind = full.drawing(parse_card(action["card"])), blind.apply(parse_move("draw"))
            continue
        if action["a"] == "discard":
            move = Discard(parse_card(action["card"]))
        else:
            move = parse_move(action["a"])
        assert move in full.legal_moves()
        full, blind = full.apply(move), blind.apply(move)
        if action["a"] == "discard":
            assert deadwood(full.hands[action["p"]]) == action["deadwood"]
    result = full.result
    assert result is not None
    assert result == blind.result
    if row["end"] == "wall":
        assert result.kind is Outcome.VOID
        return
    assert (result.kind.value, result.winner, result.points) == (
        row["seed_result"]["type"],
        row["seed_result"]["winner"],
        row["seed_result"]["points"],
    )
    assert result.knocker_deadwood == row["knocker_deadwood"]
    assert result.defender_deadwood == row["defender_deadwood"]


def test_every_standard_trace_is_there():
    assert len(standard_traces()) == 100
