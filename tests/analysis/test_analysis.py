"""An analysis judges choices by what the seat saw. It separates luck from skill, and the true cards
from both."""

import json
import random
from dataclasses import replace
from functools import cache

import pytest

from ginpeer.adviser.advise import calibrated, choices, draw_values
from ginpeer.analysis import report
from ginpeer.analysis.decisions import (
    MIN_MISTAKE_LOSS,
    DecisionKind,
    Lesson,
    analyse,
    decisions_in,
    luck_by_card,
)
from ginpeer.analysis.report import hidden_info_of
from ginpeer.record import Record
from ginpeer.rules import STANDARD, DrawStock, Knock, Match, Phase, Spread, View, parse_ruleset
from ginpeer.store.log import log_bytes
from protocol import messages as m
from protocol.entry import RawEntry
from protocol.messages import Disclosure
from tests.json_schema import faults, schema_named
from tests.matches.recorded import Recorded, plain_player
from tests.matches.table_pair import TablePair
from tests.notation.test_reading import LINES
from tests.rules.drawing import shuffled_deal
from tests.toy_group import toy_group

TWO_HANDS = "standard hands=2"


@cache
def played(rules="standard target=1", disclosure=Disclosure.AFTER_MATCH):
    """Return a match of weak players, by default a disclosed one of one hand. It is valid only in
    the toy group."""
    with toy_group():
        pair = TablePair("0", parse_ruleset(rules), disclosure).play(plain_player)
    host, guest = pair.performers
    seeds = (host.seeds, guest.seeds)
    return Recorded(tuple(host.stored), seeds, pair.identities, host.seat.table)


def of(entries):
    return Record.read(log_bytes(entries))


def typed(*lines):
    return Record.read("\n".join(['[Gin "1"]', *lines, ""]).encode())


pytestmark = pytest.mark.usefixtures("in_the_toy_group")


@pytest.fixture(scope="module")
def record():
    """Return the record of a match of weak players with two disclosed hands."""
    return of(played(TWO_HANDS).entries)


@pytest.fixture(scope="module")
def found(record):
    return [analyse(record, seat) for seat in (0, 1)]


# --- skill ----------------------------------------------------------------------------------


def test_a_player_who_follows_the_advice_loses_nothing():
    rules = parse_ruleset("standard hands=1 swap-limit=6")
    pair = TablePair("advised", rules).play(lambda view: choices(view)[0].move)
    record = of(pair.host.stored)
    for seat in (0, 1):
        found = analyse(record, seat)
        assert len(found.decisions) > 3
        assert found.loss == 0
        assert not found.mistakes


def test_only_the_choices_of_one_seat_are_analysed(record):
    for hand in record.hands:  # the cards are known for both players
        for seat in (0, 1):
            assert {made.view.seat for made in decisions_in(hand, seat)} == {seat}


def test_every_choice_is_found_once_and_costs_what_the_adviser_says(record, found):
    for each in found:
        made = {decision.entry: decision for decision in each.decisions}
        assert len(made) == len(each.decisions) > 10
        for hand in record.hands:
            for step in hand.steps:
                if step.author != each.seat or step.move is None:
                    continue
                view = View(each.seat, step.before, step.entries[0].before.match)
                advised = choices(view)
                answers = isinstance(step.move, Spread)
                if len(view.legal_moves() if answers else advised) == 1:
                    continue
                decision = made.pop(step.entry)
                assert decision.loss >= 0
                assert decision.played.move == step.move
                worth = {each.move: calibrated(view, advised[0], each) for each in advised}
                if step.move in worth:  # legal moves that aren't sensible have no value
                    assert decision.played == worth[step.move]
                    assert decision.best.points == worth[advised[0].move].points
                assert decision.hand == hand.number
                assert decision.could_knock == any(isinstance(move, Knock) for move in worth)
        assert not made


def test_totals_are_the_sums_of_their_parts(found):
    for each in found:
        assert each.loss == pytest.approx(sum(total.loss for total in each.kinds()))
        assert each.loss == pytest.approx(sum(hand.loss for hand in each.hands))
        assert each.luck == pytest.approx(sum(hand.luck for hand in each.hands))
        assert sum(total.choices for total in each.kinds()) == len(each.decisions)
        assert sum(len(total.mistakes) for total in each.lessons()) == len(each.mistakes)
        costs = [mistake.decision.loss for mistake in each.mistakes]
        assert costs == sorted(costs, reverse=True)
        assert costs == [] or costs[-1] >= MIN_MISTAKE_LOSS
        told = [total.loss for total in each.lessons()]
        assert told == sorted(told, reverse=True)


def test_a_single_hand_is_analysed_as_in_the_match(record, found):
    for each in found:
        alone = analyse(record, each.seat, 2)
        assert [hand.number for hand in alone.hands] == [2]
        assert alone.decisions == tuple(made for made in each.decisions if made.hand == 2)
        assert alone.draws == tuple(draw for draw in each.draws if draw.hand == 2)
    with pytest.raises(LookupError):
        analyse(record, 0, 3)


def test_the_kind_of_a_choice_follows_from_its_moves(found):
    for each in found:
        for made in each.decisions:
            knocks = any(isinstance(c.move, Knock) for c in (made.played, made.best))
            assert (made.kind is DecisionKind.KNOCK) == knocks
            assert (made.kind is DecisionKind.ANSWER) == isinstance(made.played.move, Spread)


def test_a_knock_in_place_of_gin_teaches_to_go_gin():
    deal = [LINES[0], LINES[1].replace("6s", "8s"), LINES[2].replace("8s", "6s"), *LINES[3:9]]
    knock = "t -8d knock 8c8h8s, 9c9h9s, qdqhqs / 7d"
    assert analyse(typed(*deal, knock), 0).mistakes[0].lesson is Lesson.GO_GIN


# --- what the seat saw ----------------------------------------------------------------------


def test_the_analysis_is_the_same_without_the_other_hand(record, found):
    match = played(TWO_HANDS)
    told = (m.Settle, m.Disclose)
    undisclosed = [
        raw for raw in match.entries if not isinstance(RawEntry.split(raw).decode().message, told)
    ]
    short = of(undisclosed)
    for seat in (0, 1):
        own = short.with_seeds(match.seeds[seat])
        alone = analyse(own, seat)
        assert alone == found[seat]
        assert all(hidden_info_of(own, mistake) is None for mistake in alone.mistakes)


def test_choices_with_hidden_cards_are_not_valued():
    match = played("standard target=1", Disclosure.NEVER)
    record = of(match.entries)
    for seat in (0, 1):
        hidden = analyse(record, seat)
        assert (hidden.decisions, hidden.draws, hidden.valued) == ((), (), 0)
        assert [hand.known for hand in hidden.hands] == [False]
        seen = analyse(record.with_seeds(match.seeds[seat]), seat)
        assert seen.valued == 1
        assert seen.decisions
        other = analyse(record.with_seeds(match.seeds[1 - seat]), seat)
        assert other == hidden


# --- luck -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["standard", "around-the-corner", "oklahoma"])
def test_the_mean_luck_of_all_possible_draws_is_zero(text):
    rules = parse_ruleset(text)
    hand, stock = shuffled_deal(random.Random(3), 1, rules)
    match = Match.begin(rules, 1)
    while hand.phase is not Phase.DRAW:
        view = View(hand.to_move, hand, match)
        move = choices(view)[-1].move
        hand = hand.drawing(stock.pop(0)) if isinstance(move, DrawStock) else hand.apply(move)
    view = View(hand.to_move, hand, match)
    told = luck_by_card(view)
    assert len(told) == 52 - 10 - len(hand.pile) - hand.known_held(1 - view.seat).bit_count()
    assert sum(told.values()) == pytest.approx(0)
    assert max(told.values()) > 0
    unseen = replace(view, hand=hand.seen_by(view.seat))
    assert luck_by_card(unseen) == told


def test_a_drawn_card_is_worth_at_most_the_best_choice_after_it():
    hand, _ = shuffled_deal(random.Random(8))
    match = Match.begin(STANDARD, 1)
    for _ in range(2):
        hand = hand.apply(choices(View(hand.to_move, hand, match))[0].move)
    if hand.phase is Phase.DISCARD:
        hand = hand.apply(choices(View(hand.to_move, hand, match))[0].move)
    view = View(hand.to_move, hand, match)
    worths = draw_values(view)[::4]
    drawn = view.hand.apply(DrawStock())
    exact = 0
    for card, worth in worths:
        after = drawn.knowing(view.seat, view.cards | card.bit)
        best = choices(View(view.seat, after, match))[0].points
        assert worth <= best
        exact += worth == best
    assert exact > len(worths) / 2


def test_each_card_from_the_stock_has_its_luck(record, found):
    for each in found:
        drawn = [
            (step.entry, step.drawn)
            for step in record.steps
            if step.author == each.seat and step.drawn is not None
        ]
        assert [(draw.entry, draw.card) for draw in each.draws] == drawn


# --- the truth ------------------------------------------------------------------------------


def test_the_hidden_information_is_what_the_opponent_held(record, found):
    told = 0
    for each in found:
        for mistake in each.mistakes:
            truth = hidden_info_of(record, mistake)
            if truth is None:
                assert mistake.decision.kind is DecisionKind.ANSWER
                continue
            told += 1
            before = record.step_of(mistake.decision.entry).before
            assert truth.held == before.hands[1 - each.seat]
            assert truth.gone == truth.wanted & truth.held
            assert not truth.meld_played & ~truth.held
    assert told


KNOCK = "t -6s knock 8c8d8h, 9c9h9s, qdqhqs / 7d"


@pytest.mark.parametrize(
    ("answer", "points"),
    [("shows 5h6h7h / 3c5c6c2d5d3h8s", 25), ("shows / 3c5c6c2d5d3h8s5h6h7h", 43), ("", None)],
)
def test_hindsight_gives_the_actual_result_of_a_knock(answer, points):
    record = typed(*LINES[:9], KNOCK, answer)
    (mistake,) = (each for each in analyse(record, 0).mistakes if each.lesson is Lesson.WAIT)
    assert hidden_info_of(record, mistake).knock == points


def test_nothing_is_hidden_from_a_player_who_answers_a_knock():
    record = typed(*LINES[:9], KNOCK, "shows / 3c5c6c2d5d3h8s5h6h7h")
    (mistake,) = (each for each in analyse(record, 1).mistakes if each.lesson is Lesson.LAY_OFF)
    assert hidden_info_of(record, mistake) is None


# --- matches not played seriously -----------------------------------------------------------


def test_the_document_follows_its_schema_which_lists_every_lesson(record, found):
    whole = report.analysis_document(record.verdict, record=record, found=found)
    assert json.loads(json.dumps(whole)) == whole
    assert faults("analysis.schema.json", whole) == []
    lessons = schema_named("analysis.schema.json")["$defs"]["lesson"]["enum"]
    assert lessons == [lesson.value for lesson in Lesson]


def test_a_hand_with_too_many_moves_is_left_out(record, monkeypatch):
    monkeypatch.setattr("ginpeer.analysis.decisions.MAX_MOVES", 10)
    left_out = analyse(record, 0)
    assert [(hand.known, hand.too_long) for hand in left_out.hands] == [(True, True)] * 2
    assert left_out.valued == 0
