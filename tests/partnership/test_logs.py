"""The part of our log that a link shows, the entries it accepts from the other table, and the joint
score."""

import itertools

import pytest

from ginpeer import partnership as other_tables
from ginpeer.partnership import FollowedLog, LinkSeat, LogRefused, ReceivedLogs, standing_of
from ginpeer.referee.referee import judge
from ginpeer.seat.seat import Close, Show
from ginpeer.store.log import read_log
from ginpeer.tally.tables import TableLog, arrange
from ginpeer.tally.totals import score_of
from protocol.entry import RawEntry
from protocol.messages import DealCommit, Discard, Disclosure, DrawStock
from tests.matches.golden_logs import FOLDER as GOLDEN
from tests.matches.recorded import plain_player
from tests.matches.table_pair import TablePair
from tests.partnership.tables import RULES, entries_of, followed, hands_of, key

pytestmark = pytest.mark.usefixtures("in_the_toy_group")


def message(raw):
    return RawEntry.split(raw).decode().message


def others(sender="Cem", own="Ann"):
    return ReceivedLogs(key(own), key(sender))


def refused(tables, entries):
    with pytest.raises(LogRefused) as caught:
        list(map(tables.take, entries))
    assert caught.value.sentence.endswith(".")
    return caught.value.code


# --- what is shown ----------------------------------------------------------------------


def test_nothing_is_shown_of_the_hand_in_play():
    entries = entries_of("Ann", "Ben")
    log, shown = FollowedLog(), set()
    for raw in entries:
        log.take(raw)
        shown.add(log.whole)
    assert log.whole == len(entries)
    ends = sorted(shown - {0, len(entries)})
    assert isinstance(message(entries[ends[0]]), DealCommit)  # before the first hand
    assert not any(isinstance(message(raw), DrawStock | Discard) for raw in entries[: ends[0]])
    assert sum(isinstance(message(entries[at]), DealCommit) for at in ends) == 2  # only two hands


@pytest.mark.parametrize("disclosure", list(Disclosure))
def test_the_finished_part_of_a_log_is_known_with_any_disclosure(disclosure):
    pair = TablePair("whole", disclosure=disclosure)
    for _ in pair.turns(plain_player):
        if pair.host.seat.table.hand_number == 2:
            break
    log = followed(pair.host.stored)
    assert hands_of(log) == 1
    assert 0 < log.whole < len(log.entries)


def test_a_link_sends_the_finished_part_once_and_then_only_new_entries():
    entries = entries_of("Ann", "Ben")
    log, shown = followed(entries, hands=1), {}
    seat = LinkSeat(lambda: shown, others(), is_link=True)
    assert list(seat.meet(None)) == []
    shown[b"table"] = log
    first = [effect.entry for effect in seat.play(None)]
    assert first == list(entries[: log.whole])
    assert list(seat.play(None)) == []
    for raw in entries[len(log.entries) : -1]:
        log.take(raw)
    shown.clear()  # the player withdrew their consent
    assert list(seat.play(None)) == []
    shown[b"table"] = log
    assert [effect.entry for effect in seat.play(None)] == list(entries[len(first) : log.whole])
    shown[b"their own"] = followed(entries_of("Cem", "Ann"), hands=1)
    assert list(seat.play(None)) == []


def test_a_peer_that_wants_to_play_is_told_that_this_is_a_link():
    log = followed(entries_of("Ann", "Ben"), hands=1)
    seat = LinkSeat(lambda: {b"table": log}, others(), is_link=False)
    (close,) = seat.meet(None)
    assert isinstance(close, Close)
    assert close.code == "not-a-link"
    for ask in (seat.resign, seat.accept, seat.offer):
        assert list(ask()) == []


# --- what is accepted -------------------------------------------------------------------


def test_each_entry_is_judged_and_reported_at_the_end_of_a_hand():
    tables, told = others(), []
    seat = LinkSeat(dict, tables, is_link=True)
    list(seat.meet(None))
    for at, raw in enumerate(entries_of("Cem", "Dora")):
        effects = list(seat.receive(raw))
        assert all(isinstance(effect, Show) for effect in effects)
        told += [at] * len(effects)
    (log,) = tables.logs.values()
    assert hands_of(log) == 2
    assert log.table.finished
    assert len(told) < 8
    (close,) = seat.receive(b"no entry")
    assert (close.code, close.failure) == ("link-entry", "A")


def test_entries_received_again_on_a_new_connection_are_ignored():
    entries = entries_of("Cem", "Dora")
    tables = others()
    for raw in entries[:40]:
        tables.take(raw)
    tables.begin()
    assert not any(tables.take(raw) for raw in entries[:5])
    (log,) = tables.logs.values()
    assert len(log.entries) == 40
    for raw in entries[5:]:
        tables.take(raw)
    assert log.table.finished


def test_a_repeated_or_early_entry_is_out_of_order():
    entries = entries_of("Cem", "Dora")
    assert refused(others(), [entries[0], entries[0]]) == "link-order"
    assert refused(others(), [entries[0], entries[2]]) == "link-order"
    assert refused(others(), [entries[1]]) == "link-order"


def test_another_entry_in_an_occupied_place_is_a_fork():
    one, other = entries_of("Cem", "Dora"), entries_of("Cem", "Dora", seed=0, resign=3)
    parts = next(at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    tables = others()
    for raw in one:
        tables.take(raw)
    tables.begin()
    assert refused(tables, other) == "link-fork"
    (log,) = tables.logs.values()
    assert log.entries[parts] == one[parts]


def test_after_an_invalid_entry_nothing_more_is_taken():
    honest = entries_of("Cem", "Dora")
    entries = list(honest)
    entries[9] = entries[9][:-1] + bytes([entries[9][-1] ^ 1])
    tables = others()
    assert refused(tables, entries) == "bad-signature"
    tables.begin()
    assert refused(tables, honest) == "bad-signature"
    (log,) = tables.logs.values()
    assert len(log.entries) == 9


def golden(name):
    return read_log(GOLDEN / f"{name}.ginlog").entries


def test_bytes_that_are_not_an_entry_have_a_code():
    for entries in ([b"x"], [bytes(200)], golden("forged-version-zero")):
        assert refused(others(), entries) == "link-entry"


def test_an_illegal_entry_ends_the_log_with_its_code():
    assert refused(others(), golden("evidence-other-rules")) == "rules-differ"


@pytest.mark.parametrize("pair", [("Ann", "Cem"), ("Cem", "Ann"), ("Dora", "Eve")])
def test_a_match_of_ours_or_without_its_sender_is_not_taken(pair):
    tables = others()
    assert refused(tables, entries_of(*pair)) == "link-not-theirs"
    assert not tables.logs


def test_a_sender_is_limited_in_bytes_and_matches(monkeypatch):
    entries = entries_of("Cem", "Dora")
    monkeypatch.setattr(other_tables, "MAX_BYTES", sum(map(len, entries[:20])))
    assert refused(others(), entries) == "link-too-much"
    monkeypatch.undo()
    monkeypatch.setattr(other_tables, "MAX_LOGS", 1)
    again = entries_of("Cem", "Dora", seed=1, started=1_700_000_001)
    assert refused(others(), [*entries, *again]) == "link-too-much"


# --- the joint score --------------------------------------------------------------------


def standing(ours, theirs, **how):
    return standing_of([followed(*log) for log in ours], [followed(*log) for log in theirs], **how)


def test_only_hands_played_at_both_tables_count():
    here, there = entries_of("Ann", "Ben"), entries_of("Cem", "Dora")
    found = standing([(here, 2)], [(there, 1)])
    (ours,), (theirs,) = found.ours, found.theirs
    assert (ours.hands, theirs.hands, theirs.over) == (2, 1, False)
    assert len(found.score.match.hands) == 1
    assert set(found.score.teams.team(0)) == {key("Ann"), key("Cem")}


def test_the_final_score_is_that_of_ginpeer_tally():
    both = [entries_of("Ann", "Ben"), entries_of("Cem", "Dora")]
    found = standing([(both[0],)], [(both[1],)], target=20)
    logs = [TableLog.of_table(str(at), judge(entries).table) for at, entries in enumerate(both)]
    assert found.score.stages == score_of(arrange(logs), target=20).stages


def test_a_match_shown_by_two_friends_counts_once_at_its_longest():
    here, there = entries_of("Ann", "Ben"), entries_of("Cem", "Dora")
    for hands in itertools.permutations((1, 2)):
        found = standing([(here, 2)], [(there, at) for at in hands])
        assert [place.hands for place in found.theirs] == [2]
    parted = entries_of("Cem", "Dora", resign=3)
    found = standing([(here, 2)], [(there, 1), (parted,)])
    assert [place.hands for place in found.theirs] == [1]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_table_has_no_standing_before_the_dealer_is_agreed(count):
    log = followed(entries_of("Cem", "Dora")[:count])
    assert standing_of([], [log]).theirs == ()


def test_with_one_table_there_is_nothing_to_add_up():
    found = standing([(entries_of("Ann", "Ben"), 1)], [])
    assert (found.score, found.sentences) == (None, ())


@pytest.mark.parametrize("warm_up_rules", ["standard target=20", "standard hands=1"])
def test_a_match_with_rules_of_one_table_is_left_out_and_named(warm_up_rules):
    warm_up = entries_of("Ann", "Ben", warm_up_rules, seed=1, started=1_600_000_000)
    here, there = entries_of("Ann", "Ben"), entries_of("Cem", "Dora")
    later = entries_of("Cem", "Dora", "standard hands=3", seed=1, started=1_700_000_009)
    found = standing([(warm_up,), (here,)], [(there,), (later,)])
    assert found.score.stages == standing([(here,)], [(there,)]).score.stages
    left_out = [each.partition(" isn't counted")[0] for each in found.sentences]
    assert left_out == ["Your match 1", "Their match 2"]
    nothing_in_common = standing([(here,)], [(later,)])
    assert (nothing_in_common.score, len(nothing_in_common.sentences)) == (None, 1)


def test_matches_between_others_alone_make_no_score():
    rules, here = "standard hands=1", entries_of("Ann", "Ben")
    guests = enumerate(("Dora", "Eve"), 1)
    there = [(entries_of("Cem", guest, rules, seed=at, started=at),) for at, guest in guests]
    found = standing([(here,)], there)
    assert (found.score, len(found.sentences)) == (None, 1)
    assert standing([], there).score is None
    assert standing([], [(here,), (entries_of("Cem", "Dora"),)]).score is None


def test_an_impossible_score_gives_a_sentence():
    assert standing(
        [(entries_of("Ann", "Ben"), 1)], [(entries_of("Cem", "Dora"), 1)], target=0
    ).sentences


def test_the_matches_of_three_players_are_added_up():
    rules = "standard hands=1"
    first = entries_of("Ann", "Ben", rules)
    winner = "Ann" if followed(first).table.match.results[0].winner == 0 else "Ben"
    out = {"Ann": "Ben", "Ben": "Ann"}[winner]
    second = entries_of(winner, "Cem", rules, started=1_700_000_009)
    seen_by_loser = standing([(first,)], [(second,)])
    seen_by_winner = standing([(first,), (second,)], [])
    for found in (seen_by_loser, seen_by_winner):
        assert len(found.score.played) == 2
        assert key(out) in found.score.turns.players
    assert rules != RULES
