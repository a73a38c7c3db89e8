"""The counts of a match, tested with hands that are easy to check and by counting steps again."""

import pytest

from ginpeer.record import Record
from ginpeer.rules import Knock, parse_result
from ginpeer.statistics.summary import (
    Average,
    CountedLog,
    Counts,
    DatedLog,
    PlayedHand,
    PlayedMatch,
    TurnCounter,
    summarize,
)
from tests.matches.golden_logs import FOLDER, WHOLE

US, THEM, OTHER, BOT = (bytes([at]) * 32 for at in (1, 2, 3, 4))


def hand(text, turn=None):
    return PlayedHand(parse_result(text), turn)


def match(*hands, keys=(US, THEM), winner=0, totals=(100, 40), table=b"t", **fields):
    kept = {"names": ("Ann", "Ben"), "rules": "standard", "finished": True, "resigned": None}
    return PlayedMatch(
        table=table, keys=keys, winner=winner, totals=totals, hands=hands, **{**kept, **fields}
    )


HANDS = (
    hand("knock: seat 0 knocked with 6 against 24, 18 to seat 0", 4),
    hand("knock: seat 1 knocked with 3 against 20, 17 to seat 1", 2),
    hand("undercut: seat 0 knocked with 9 against 5, 29 to seat 1", 7),
    hand("undercut: seat 1 knocked with 8 against 8, 25 to seat 0", 5),
    hand("gin: seat 0 knocked with 0 against 12, 37 to seat 0", 9),
    hand("big gin: seat 1 knocked with 0 against 30, 61 to seat 1", 3),
    hand("tie: seat 0 knocked with 7 against 7, 0 to nobody", 1),
    hand("void"),
)


def test_each_hand_is_counted_correctly_for_either_player():
    ours, theirs = Counts(), Counts()
    ours.add(match(*HANDS), 0)
    theirs.add(match(*HANDS), 1)
    assert (ours.hands, ours.hands_won, ours.hands_lost, ours.hands_drawn) == (8, 3, 3, 2)
    assert (ours.gins, ours.gins_against, ours.big_gins, ours.big_gins_against) == (1, 0, 0, 1)
    assert (ours.knocks, ours.knocks_against) == (3, 2)
    assert (ours.undercuts, ours.undercuts_against) == (1, 1)
    assert (ours.points, ours.points_against) == (80, 107)
    assert ours.knock_deadwood == Average(6 + 9 + 7, 3)
    assert ours.caught_deadwood == Average(20 + 8 + 30, 3)
    assert ours.turn == Average(4 + 7 + 9 + 1, 4)
    assert ours.turn_against == Average(2 + 5 + 3, 3)
    assert ours.turns == {4: 1, 7: 1, 9: 1, 1: 1}
    assert ours.deadwoods == {6: 1, 9: 1, 7: 1}
    for name in ("gins", "big_gins", "knocks", "undercuts", "points", "totals", "turn"):
        assert getattr(theirs, name) == getattr(ours, f"{name}_against"), name
        assert getattr(ours, name) == getattr(theirs, f"{name}_against"), name


def test_in_mahjong_gin_both_players_score_and_no_deadwood_is_counted():
    text = "mahjong: seat 1 went gin against 35, 95 to seat 1, -10 to the other"
    counts = Counts()
    counts.add(match(hand(text, 6), winner=1, totals=(-10, 95)), 0)
    assert (counts.gins_against, counts.points, counts.points_against) == (1, -10, 95)
    assert counts.caught_deadwood == Average()
    assert counts.turn_against == Average(6, 1)
    assert counts.margins == [-105]


def test_streaks_count_consecutive_matches_and_a_draw_ends_one():
    counts = Counts()
    for winner in (0, 0, 1, 0, 0, 0, None, 1, 1):
        counts.add(match(winner=winner), 0)
    assert (counts.won, counts.lost, counts.drawn) == (5, 3, 1)
    assert (counts.streak.won, counts.streak.lost, counts.streak.now) == (3, 2, -2)


def test_a_resignation_is_counted_as_a_loss():
    counts = Counts()
    counts.add(match(winner=1, resigned=0), 0)
    counts.add(match(winner=0, resigned=1), 0)
    assert (counts.lost, counts.resigned, counts.won, counts.resigned_against) == (1, 1, 1, 1)


def dated(counted, played=0.0, **how):
    if isinstance(counted, PlayedMatch):
        counted = CountedLog("valid" if counted.finished else "incomplete", "valid", counted)
    return DatedLog(counted, played, **how)


def test_people_bots_rules_friends_and_uncounted_matches_are_kept_apart():
    logs = [
        dated(match(HANDS[0], table=b"1")),
        dated(match(HANDS[0], table=b"2", rules="oklahoma", names=("Ann", "Benny")), 9),
        dated(match(HANDS[0], table=b"3", keys=(OTHER, US), names=("Cleo", "Ann"), winner=1)),
        dated(match(HANDS[0], table=b"4", keys=(US, BOT))),
        dated(match(HANDS[0], table=b"5", keys=(US, OTHER)), bot=True),
        dated(match(*HANDS[:3], table=b"6", finished=False, winner=None, totals=None)),
        dated(match(table=b"1")),
        dated(match(table=b"7", keys=(THEM, OTHER))),
        dated(CountedLog("forged", "bad-signature", None)),
        dated(CountedLog("forged", "bad-signature", None)),
        dated(CountedLog("unreadable", "not-a-log", None)),
    ]
    found = summarize(logs, US, bots=[BOT])
    assert (found.people.matches, found.bots.matches) == (3, 2)
    assert {text: counts.matches for text, counts in found.by_rules.items()} == {
        "standard": 2,
        "oklahoma": 1,
    }
    assert {key: one.counts.matches for key, one in found.opponents.items()} == {THEM: 2, OTHER: 1}
    assert found.opponents[THEM].name == "Benny"
    assert (found.unfinished.matches, found.unfinished.hands) == (1, 3)
    assert found.left_out == {"bad-signature": 2, "not-a-log": 1, "copy": 1, "not-played-here": 1}
    assert found.left_out.total() == 5
    with_them = summarize(logs, US, friend=THEM, bots=[BOT])
    assert (with_them.people.matches, with_them.bots.matches) == (2, 0)
    assert {*with_them.opponents} == {THEM}
    assert summarize(logs, None).people.matches == 0


def test_matches_are_counted_in_the_order_they_were_played():
    logs = [dated(match(table=bytes([at]), totals=(at, 0)), -at) for at in range(4)]
    assert summarize(logs, US).people.margins == [3, 2, 1, 0]


# --- counted again, from the steps of a log ----------------------------------------


def recounted(record, seat):
    """Return the same counts, computed differently: hand by hand from the steps, and from the
    totals of the score sheet."""
    found = dict.fromkeys(
        ("hands", "gins", "gins_against", "knocks", "knocks_against", "big_gins", "turns"), 0
    )
    found["undercuts"] = found["deadwood"] = found["points"] = 0
    for hand in record.hands:
        if hand.result is None:
            continue
        found["hands"] += 1
        found["points"] += hand.result.points_of(seat) if hand.result.winner is not None else 0
        who = hand.result.knocker
        if who is None:
            continue
        knocks = [step for step in hand.steps if isinstance(step.move, Knock)]
        move = knocks[0].move if knocks else None  # never in Mahjong gin
        assert (move is None) is record.rules.mahjong
        assert move is None or knocks[0].author == who
        theirs = [step for step in hand.steps if step.author == who and step.move]
        found["turns"] += theirs[-1].own_turn if who == seat else 0
        suffix = "" if who == seat else "_against"
        if move is None:
            found[f"gins{suffix}"] += 1
        elif move.discard is None:
            found["big_gins"] += who == seat
        elif not move.deadwood:
            found[f"gins{suffix}"] += 1
        else:
            found[f"knocks{suffix}"] += 1
            if who == seat:
                found["deadwood"] += hand.result.knocker_deadwood
            elif hand.result.defender_deadwood <= hand.result.knocker_deadwood:
                found["undercuts"] += hand.result.winner == seat
    return found


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.deep(keep=5)
def test_the_counts_match_the_steps_of_a_golden_log(name):
    record = Record.read(FOLDER / f"{name}.ginlog")
    watched = TurnCounter()
    for event in record._judgement.trace():
        watched.append(event)
    assert list(watched) == []
    played = PlayedMatch.of(record.table, watched.turns)
    for seat in (0, 1):
        counts = Counts()
        counts.add(played, seat)
        again = recounted(record, seat)
        turns, deadwood = again.pop("turns"), again.pop("deadwood")
        assert {field: getattr(counts, field) for field in again} == again
        assert (counts.turn.sum, counts.knock_deadwood.sum) == (turns, deadwood)
        assert counts.totals == record.match.settlement().totals[seat]
        assert counts.points == record.score.hand_points[seat]
        assert counts.hands_won == record.score.hands_won[seat]
    assert played.hands or name == "resigned"
