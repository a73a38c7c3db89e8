"""The vectors in tests/vectors/rules, whose README says where they come from. Every field is tested
except those about a row's origin (id, kind of a hand, policies). By default, every row of a and a2
is tested, and samples of the showdowns in b and the hands in c."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from ginpeer.rules import (
    CARDS,
    ORDINARY,
    STANDARD,
    Discard,
    Hand,
    Illegal,
    Knock,
    Outcome,
    Pass,
    Phase,
    Spread,
    TakeUpcard,
    cards_of,
    mask_of,
    melding,
    parse_card,
    parse_move,
    popcount,
)
from ginpeer.rules.parameters import KnockLimit, Tie, Wall

VECTORS = Path(__file__).parents[1] / "vectors" / "rules"

AROUND = replace(STANDARD, runs_wrap=True)
TEDESCO = replace(STANDARD, runs_wrap=True, ace_pips=15)  # with the knock limit of ten


def rows(name):
    with gzip.open(VECTORS / name, "rt", encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


A, A2 = rows("a_deadwood.jsonl.gz"), rows("a2_around_corner.jsonl.gz")
B, B2 = rows("b_showdowns.jsonl.gz"), rows("b2_around_corner_showdowns.jsonl.gz")
C = rows("c_traces.jsonl.gz")


def cards(texts):
    return [parse_card(text) for text in texts]


def mask(texts):
    return mask_of(cards(texts))


def arrangement(lists):
    return tuple(sorted(map(mask, lists)))


def test_no_row_is_missing():
    assert [len(file) for file in (A, A2, B, B2, C)] == [2_000, 500, 1_000, 150, 200]
    assert all(len({row["id"] for row in file}) == len(file) for file in (A, A2, B, B2, C))


# --- a and a2: least deadwood -----------------------------------------------------------


def check_arrangements(rules, hand, optimal, count, row_id):
    found = melding(rules).arrangements(hand)
    assert len(found) == count, row_id
    assert set(found) == {arrangement(told) for told in optimal}, row_id


def check_discards(rules, row, after):
    """Check the deadwood after each discard from eleven cards, and after the best one."""
    ways, hand, held = melding(rules), mask(row["hand"]), cards(row["hand"])
    assert [ways.deadwood(hand ^ card.bit) for card in held] == after, row["id"]
    assert ways.deadwood_after_discard(hand) == min(after), row["id"]


def test_least_deadwood_and_every_arrangement():
    ways = melding(STANDARD)
    for row in A:
        hand = mask(row["hand"])
        assert popcount(hand) == row["n"], row["id"]
        assert ways.deadwood(hand) == row["deadwood"], row["id"]
        if row["n"] == 10:
            assert row["gin"] == (ways.deadwood(hand) == 0), row["id"]
        check_arrangements(STANDARD, hand, row["optimal"], row["n_optimal"], row["id"])


def test_eleven_cards_are_judged_over_all_their_discards():
    eleven = [row for row in A if row["n"] == 11]
    assert len(eleven) == 722
    for row in eleven:
        check_discards(STANDARD, row, row["after_discard"])
        assert min(row["after_discard"]) == row["best_after_discard"], row["id"]
        assert row["big_gin"] == (row["deadwood"] == 0), row["id"]


def test_least_deadwood_around_the_corner():
    for row in A2:
        hand = mask(row["hand"])
        assert popcount(hand) == row["n"], row["id"]
        assert melding(TEDESCO).deadwood(hand) == row["deadwood_ace15"], row["id"]
        assert melding(AROUND).deadwood(hand) == row["deadwood_ace1"], row["id"]
        assert melding(STANDARD).deadwood(hand) == row["deadwood_acelow_nowrap"], row["id"]
        check_arrangements(TEDESCO, hand, row["optimal_ace15"], row["n_optimal_ace15"], row["id"])


def test_eleven_cards_around_the_corner():
    eleven = [row for row in A2 if row["n"] == 11]
    assert len(eleven) == 201
    for row in eleven:
        check_discards(TEDESCO, row, row["after_discard_ace15"])
        check_discards(AROUND, row, row["after_discard_ace1"])
        # Whether all cards can be melded doesn't depend on what an ace counts.
        big = {melding(rules).deadwood(mask(row["hand"])) == 0 for rules in (TEDESCO, AROUND)}
        assert big == {row["big_gin"]}, row["id"]


# --- b and b2: showdowns ----------------------------------------------------------------

OUTCOMES = {
    "gin": Outcome.GIN,
    "big_gin": Outcome.BIG_GIN,
    "knock": Outcome.KNOCK,
    "undercut": Outcome.UNDERCUT,
}
# Results by the last part of a row's kind, as in "play_biggin". Others are a knock or an undercut.
TYPES = {"gin": {"gin"}, "biggin": {"big_gin"}}


def before_the_knock(rules, knocker, defender):
    """Return a hand in which the non-dealer has taken the upcard and can knock with these cards,
    and the card to throw, or None for eleven cards."""
    upcard = cards_of(knocker)[-1]
    thrown = None
    dealt = knocker ^ upcard.bit
    if popcount(knocker) == 10:
        thrown = next(card for card in CARDS if not (knocker | defender) & card.bit)
        dealt |= thrown.bit
    hand = Hand.begin(rules, 1, upcard).knowing(0, dealt).knowing(1, defender)
    return hand.apply(TakeUpcard()), thrown


def check_showdowns(rules, row):
    """Knock with each arrangement of the row, and yield each hand that awaits the spread."""
    ways = melding(rules)
    knocker, defender = mask(row["knocker"]), mask(row["defender"])
    assert ways.deadwood(knocker) == row["knocker_deadwood"], row["id"]
    assert ways.deadwood(defender) == row["defender_own_deadwood"], row["id"]
    told = {arrangement(case["melds"]) for case in row["arrangements"]}
    assert set(ways.arrangements(knocker)) == told, row["id"]
    assert len(told) == len(row["arrangements"])
    hand, thrown = before_the_knock(rules, knocker, defender)
    knocks = [move for move in hand.legal_moves() if isinstance(move, Knock)]
    assert told <= {knock.melds for knock in knocks if knock.discard == thrown}, row["id"]
    knocks = [move for move in hand.sensible_moves() if isinstance(move, Knock)]
    first = next(knock for knock in knocks if knock.discard == thrown)
    assert first.melds in told, row["id"]
    for case in row["arrangements"]:
        melds = tuple(map(mask, case["melds"]))
        knocked = hand.apply(Knock(thrown, melds, knocker ^ sum(melds)))
        (spread,) = knocked.sensible_moves()
        result = knocked.apply(spread).result
        assert result.kind is OUTCOMES[case["type"]], row["id"]
        assert case["type"] in TYPES.get(row["kind"].split("_")[-1], {"knock", "undercut"})
        assert result.winner == {"knocker": 0, "defender": 1}[case["winner"]], row["id"]
        assert result.points == case["points"], row["id"]
        assert result.knocker_deadwood == row["knocker_deadwood"], row["id"]
        assert result.defender_deadwood == case["defender_deadwood"], row["id"]
        yield case, knocked, result


def sequential_deadwood(rules, defender, open_melds):
    """Return the deadwood if the defender first melds as well as possible and then lays off as much
    as possible."""
    ways = melding(rules)
    loose = [defender ^ sum(melds) for melds in ways.arrangements(defender)]
    return min(ways.pips(ways.best_spread(cards, open_melds).deadwood) for cards in loose)


@pytest.mark.parametrize(
    "found", [B[::5], pytest.param(B, marks=pytest.mark.deep)], ids=["a fifth", "all"]
)
def test_showdowns_for_every_arrangement_of_the_knocker(found):
    traps = 0
    for row in found:
        for case, knocked, result in check_showdowns(STANDARD, row):
            defender = mask(row["defender"])
            melds = tuple(map(mask, case["defender_melds"]))
            layoffs = tuple((parse_card(card), at) for card, at in case["layoffs"])
            laid = mask_of(card for card, _ in layoffs)
            witness = Spread(melds, layoffs, defender ^ sum(melds) ^ laid)
            assert knocked.apply(witness).result == result, row["id"]
            assert ("sequential_deadwood" in case) == bool(knocked.open_melds), row["id"]
            if knocked.open_melds:
                reached = sequential_deadwood(STANDARD, defender, knocked.open_melds)
                assert reached == case["sequential_deadwood"], row["id"]
                traps += reached > case["defender_deadwood"]
    assert traps > len(found) // 20  # choosing the melds first costs the defender points


def test_showdowns_around_the_corner():
    for row in B2:
        for case, knocked, _ in check_showdowns(TEDESCO, row):
            ways, melds = melding(TEDESCO), tuple(map(mask, case["melds"]))
            open_or_not = ways.best_spread(mask(row["defender"]), melds)
            told = case["defender_deadwood_if_layoff_on_gin_allowed"]
            assert ways.pips(open_or_not.deadwood) == told, row["id"]
            if knocked.open_melds:
                assert told == case["defender_deadwood"], row["id"]


# --- c: whole hands ---------------------------------------------------------------------


def rules_of(row):
    """Return OpenSpiel's game in our parameters: it always asks about the last discard, and in
    Oklahoma, nothing is doubled and an ace requires gin."""
    limit = KnockLimit.UPCARD if row["oklahoma"] else 10
    return replace(STANDARD, knock_limit=limit, wall=Wall.LAST_DISCARD)


def knock_and_spread(actions, knocker_cards, defender_cards):
    """Return the recorded knock, with its melds as they were laid, and the recorded spread."""
    knocker = actions[0]["p"]
    melds = tuple(mask(a["cards"]) for a in actions if a["a"] == "meld" and a["p"] == knocker)
    discard = parse_card(actions[0]["card"])
    knock = Knock(discard, melds, knocker_cards ^ discard.bit ^ sum(melds))
    table, layoffs = list(melds), []
    for action in actions:
        if action["a"] == "layoff":
            card = parse_card(action["card"])
            at = next(i for i, meld in enumerate(table) if ORDINARY.fits(card, meld))
            table[at] |= card.bit
            layoffs.append((card, at))
    own = tuple(mask(a["cards"]) for a in actions if a["a"] == "meld" and a["p"] != knocker)
    laid = mask_of(card for card, _ in layoffs)
    return knock, Spread(own, tuple(layoffs), defender_cards ^ sum(own) ^ laid)


PLAIN = {"wall_take": "take", "wall_pass": "pass"}


def replayed(row, rules):
    """Return the hand after the recorded actions, or before the discard that our rules refuse: as
    somebody sees it who knows both hands, and as a referee sees it, who knows neither."""
    full = blind = Hand.begin(rules, 1, parse_card(row["upcard"]))
    full = full.knowing(0, mask(row["hands"][0])).knowing(1, mask(row["hands"][1]))
    assert full.knock_limit == row["knock_limit"]
    stock = iter(cards(row["stock"]))
    for at, action in enumerate(row["actions"]):
        seat, kind = action["p"], action["a"]
        if full.phase is Phase.OVER:
            # If the last discard can't be taken, the hand is void before OpenSpiel asks (RULES
            # 4.7).
            assert rules.wall is Wall.VOID
            assert kind in ("wall_pass", "wall_take")
            break
        assert full.to_move == blind.to_move == seat
        if kind == "knock":
            assert mask(action["legal_knock_discards"]) & ~taken_bit(full) == could_knock_with(full)
            rest = row["actions"][at:]
            knock, spread = knock_and_spread(rest, full.hand_of(seat), full.hand_of(1 - seat))
            return full.apply(knock).apply(spread), blind.apply(knock).apply(spread)
        if kind == "draw":
            card = parse_card(action["card"])
            assert next(stock) == card
            full, blind = full.drawing(card), blind.apply(parse_move("draw"))
            continue
        if kind == "discard":
            move = Discard(parse_card(action["card"]))
            if move.card == full.taken:
                break
        else:
            if "take" in kind:
                assert full.upcard == parse_card(action["card"])
            move = parse_move(PLAIN.get(kind, kind))
        assert move in full.legal_moves()
        full, blind = full.apply(move), blind.apply(move)
        if kind == "discard":
            assert full.melding.deadwood(full.hands[seat]) == action["deadwood"]
    return full, blind


def taken_bit(hand):
    return 0 if hand.taken is None else hand.taken.bit


def could_knock_with(hand):
    knocks = [move for move in hand.legal_moves() if isinstance(move, Knock)]
    return mask_of(knock.discard for knock in knocks if knock.discard is not None)


@pytest.mark.parametrize("row", C, ids=lambda row: f"trace-{row['id']}")
@pytest.mark.deep(keep=50)
def test_whole_hands_move_by_move(row):
    full, blind = replayed(row, rules_of(row))
    if "discarded_just_taken" in row["flags"]:
        check_refused(row, full, blind)
    else:
        check_result(row, full, blind)
    # The same hand can be played without taking last discards, unless one was taken.
    void_at_wall, _ = replayed(row, replace(rules_of(row), wall=Wall.VOID))
    if "wall_knock" in row["flags"]:
        assert void_at_wall.result.kind is Outcome.VOID
    else:
        assert void_at_wall.result == full.result


def check_refused(row, full, blind):
    """Check that discarding a card just taken, which OpenSpiel allows, is refused, and that the
    replay stopped only there."""
    assert full.phase is blind.phase is Phase.DISCARD
    for hand in (full, blind):
        with pytest.raises(Illegal) as refused:
            hand.apply(Discard(hand.taken))
        assert (refused.value.code, refused.value.rule) == ("just-taken", "4.4")
    thrown = row["actions"][len(full.moves)]
    assert (thrown["a"], thrown["card"]) == ("discard", str(full.taken))


def check_result(row, full, blind):
    result, told = full.result, row["seed_result"]
    assert full.phase is Phase.OVER
    assert result == blind.result
    left = [full.hands[seat] for seat in (0, 1)]
    if row["end"] == "wall":
        assert result.kind is Outcome.VOID
        assert told["winner"] is None
        assert full.moves[-1][1] == Pass()
    else:
        assert (result.kind.value, result.winner, result.points) == (
            told["type"],
            told["winner"],
            told["points"],
        )
        assert result.knocker == full.knocker == row["knocker"]
        assert result.knocker_deadwood == row["knocker_deadwood"]
        assert result.defender_deadwood == row["defender_deadwood"]
        assert full.knock.discard == parse_card(row["knock_discard"])
        assert list(full.knock.melds) == list(map(mask, row["knocker_melds"]))
        assert list(full.spread.melds) == list(map(mask, row["defender_melds"]))
        assert [str(card) for card, _ in full.spread.layoffs] == row["layoffs"]
        left[result.knocker] = full.knock.deadwood
        left[1 - result.knocker] = full.spread.deadwood
    assert left == list(map(mask, row["final_hands_unmelded"]))
    # In OpenSpiel, a tie is worth no points.
    if row["end"] == "tie":
        rules = replace(rules_of(row), tie=Tie.NOBODY)
        result = replayed(row, rules)[0].result
        assert result.kind is Outcome.TIE
    points = [result.points_of(seat) - result.points_of(1 - seat) for seat in (0, 1)]
    assert points == row["returns"]
