"""A log as an object: its sources, what it says about the match, and its steps."""

import doctest
import io
import pathlib
import shutil
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ginpeer.record
from ginpeer.record import Degree, Finding, Record, RecordedHand, UnreadableLog
from ginpeer.referee.referee import judge
from ginpeer.rules import DrawStock, Outcome, Unreadable, mask_of, parse_ruleset
from ginpeer.store import LogSource
from ginpeer.store.log import log_bytes, read_log
from protocol import messages as m
from tests.matches.golden_logs import FOLDER, GOLDEN, WHOLE
from tests.matches.recorded import recorded
from tests.refusals import code_of
from tests.toy_group import toy_group

TWO_HANDS = "standard hands=2"


def of(entries):
    return Record.read(log_bytes(entries))


@pytest.fixture
def toy():
    with toy_group():
        yield


@pytest.fixture(scope="module")
def two_hands():
    """Return a match of two disclosed hands, and its record."""
    return recorded(TWO_HANDS), of(recorded(TWO_HANDS).entries)


def test_the_example_of_the_package_runs(tmp_path, monkeypatch):
    """The docstring of ginpeer.record reads friday.ginlog and shows what is printed."""
    shutil.copy(FOLDER / "standard.ginlog", tmp_path / "friday.ginlog")
    monkeypatch.chdir(tmp_path)
    ran = doctest.testmod(ginpeer.record)
    assert ran.attempted > 5
    assert ran.failed == 0


# --- sources --------------------------------------------------------------------------------


def test_a_path_and_its_bytes_are_the_same_log(tmp_path):
    path = recorded().write(tmp_path / "match.ginlog")
    records = [Record.read(path), Record.read(str(path)), Record.read(path.read_bytes())]
    assert [r.name for r in records] == [str(path), str(path), "<bytes>"]
    first, *others = records
    for other in others:
        assert other.document() == first.document()
        assert list(map(repr, other)) == list(map(repr, first))


def test_a_log_is_not_judged_before_something_is_asked(tmp_path):
    path = recorded().write(tmp_path / "match.ginlog")
    record = Record.read(path)
    assert repr(record) == f"<Record {path}: not judged yet>"
    recorded().write(path, recorded().entries[:20])
    assert record.verdict.entries == 20
    assert repr(record) == f"<Record {path}: incomplete, 20 valid entries>"


def test_a_log_is_judged_only_once(tmp_path):
    path = recorded().write(tmp_path / "match.ginlog")
    record = Record.read(path)
    assert record.verdict.finding is Finding.VALID
    path.unlink()
    assert record.hands[0].result is not None
    assert record.seen_by(0).with_seeds({}).document() == record.document()


def test_progress_is_reported_for_each_entry():
    told = []
    data = log_bytes(recorded().entries)
    Record.read(data).judge(lambda *at: told.append(at))
    assert [number for number, _, _ in told] == list(range(len(recorded().entries)))
    assert {size for _, _, size in told} == {len(data)}
    assert told[0][1] == 8 + 4 + len(recorded().entries[0])
    assert told[-1][1] == len(data)


def test_a_log_judged_without_steps_is_judged_again_for_them():
    told = []
    record = of(recorded().entries)
    record.judge(lambda *at: told.append(at), steps=False)
    assert len(record.steps) > 20
    record.judge(lambda *at: told.append(at))
    assert len(told) == len(recorded().entries)


@pytest.mark.parametrize("other", ["oklahoma", None])
def test_steps_of_a_file_that_has_changed_since_are_refused(tmp_path, other):
    """The verdict and everything that follows from it stay the same."""
    path = tmp_path / "match.ginlog"
    path.write_bytes((FOLDER / "standard.ginlog").read_bytes())
    record = Record.read(path)
    verdict = record.judge(steps=False)
    document = record.document()
    if other is None:
        path.write_bytes(log_bytes(read_log(path).entries[:-1]))
    else:
        path.write_bytes((FOLDER / f"{other}.ginlog").read_bytes())
    for asked in (lambda: record.steps, lambda: record.hands, lambda: list(record.seen_by(0))):
        assert code_of(UnreadableLog, asked) == "log-changed"
        assert record.verdict is verdict
        assert record.document() == document
    path.write_bytes((FOLDER / "standard.ginlog").read_bytes())
    assert len(record.hands) == 1
    assert record.verdict is verdict


def test_the_repr_of_a_record_escapes_its_file_name(tmp_path):
    record = Record.read(recorded().write(tmp_path / "red\x1b[31m\nline.ginlog"))
    assert "\x1b" not in repr(record)
    assert "\n" not in repr(record)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (b"", "empty-log"),
        (b"ginlog1\n\xff\xff\xff\xff", "bad-record"),
        ("nul\0byte", "no-such-log"),
        (pathlib.Path(), "not-a-file"),
    ],
)
def test_a_file_that_is_not_a_log_raises_at_once_with_code_and_sentence(given, code):
    with pytest.raises(UnreadableLog) as raised:
        Record.read(given)
    assert raised.value.code == code
    assert raised.value.sentence.endswith(".")
    assert "\n" not in raised.value.sentence


def test_a_log_that_becomes_unreadable_raises_when_it_is_judged(tmp_path):
    with pytest.raises(UnreadableLog) as raised:
        Record(LogSource.of(b"ginlog1\n\xff\xff\xff\xff")).judge()
    assert (raised.value.code, raised.value.entry) == ("bad-record", 0)
    record = Record.read(recorded().write(tmp_path / "match.ginlog"))
    (tmp_path / "match.ginlog").unlink()
    assert code_of(UnreadableLog, lambda: record.verdict) == "no-such-log"


@pytest.mark.parametrize("given", [None, 7, io.StringIO("ginlog1\n"), ["a"], bytearray(5000)])
def test_anything_but_a_path_or_bytes_is_a_type_error(given):
    with pytest.raises(TypeError) as raised:
        Record.read(given)
    assert len(str(raised.value)) < 100


@pytest.mark.parametrize("given", ["friday.ginlog", b"ginlog1\n", None])
def test_the_constructor_of_a_record_refuses_a_path(given):
    with pytest.raises(TypeError, match=r"Record\.read"):
        Record(given)


# --- what a record says about the match -----------------------------------------------------


def test_a_record_gives_players_rules_and_points(two_hands):
    match, record = two_hands
    host, guest = record.players
    assert (str(host), host.role, host.seat) == ("Ada", "host", 0)
    assert (guest.name, guest.key) == ("Ben", match.identities[1].public)
    assert record.rules == parse_ruleset(TWO_HANDS)
    assert record.started == 1_700_000_000
    assert record.results == match.table.match.results
    assert record.score.totals == match.table.match.settlement().totals
    assert record.score.hand_points == match.table.match.scores
    assert record.winner == match.table.match.winner


def test_an_empty_log_has_no_players_rules_or_hands():
    record = of(())
    assert record.verdict.finding is Finding.INCOMPLETE
    assert (record.rules, record.started, record.score, record.winner) == (None,) * 4
    assert (record.hands, record.results, len(record.steps)) == ((), (), 0)
    assert [(player.key, player.name) for player in record.players] == [(None, None)] * 2
    assert [str(player) for player in record.players] == ["host", "guest"]


def test_an_undecided_or_forged_match_has_no_winner():
    record = of(recorded().entries[:20])
    assert record.winner is None
    assert record.score.totals is None
    # This log has one entry after the end of the match.
    record = Record.read(FOLDER / "evidence-after-the-end.ginlog")
    assert record.verdict.culprit is not None
    assert record.match.finished
    assert record.winner is None


# --- the steps of a record ------------------------------------------------------------------


def test_a_draw_and_its_share_are_one_step_and_every_other_entry_is_one(two_hands):
    _, record = two_hands
    steps = list(record)
    numbers = [event.sequence for step in steps for event in step.entries]
    assert numbers == list(range(record.verdict.entries))
    for step in steps:
        drew = isinstance(step.move, DrawStock)
        assert (len(step.entries) == 2) == drew == (step.drawn is not None)
        if drew:
            assert isinstance(step.entries[1].message, m.Share)
            assert step.drawn in step.hand(step.author)


def test_steps_are_a_sequence(two_hands):
    _, record = two_hands
    steps = record.steps
    assert [step.entry for step in steps[2:5]] == [steps[2].entry, steps[3].entry, steps[4].entry]
    assert steps[-1].entry == record.verdict.entries - 1
    assert next(reversed(steps)).entry == steps[-1].entry
    with pytest.raises(IndexError):
        steps[len(steps)]


def test_the_hands_contain_all_steps_between_opening_and_settlement(two_hands):
    match, record = two_hands
    numbers = [step.hand_number for step in record]
    assert [hand.number for hand in record.hands] == [1, 2]
    for hand in record.hands:
        assert isinstance(hand, RecordedHand)
        assert len(hand) == numbers.count(hand.number) == len(list(hand))
        assert hand.result == match.table.match.results[hand.number - 1]
        assert [type(step.message) for step in hand.steps[:5]] == [
            *(m.DealCommit, m.DealKey, m.DealDeck, m.DealShuffle, m.DealShares)
        ]
        assert hand.steps[0].author == hand.dealer
        assert all(step.move is not None for step in hand.steps[5:])
        assert len(hand.moves) == len(hand) - 5
    assert {numbers[0], numbers[-1]} == {0}


@pytest.mark.parametrize("name", sorted(WHOLE))
@pytest.mark.deep(keep=4)
def test_positions_are_the_referees_with_the_known_cards_added(name):
    """In all variants, the record adds only the players' cards, and each position follows from the
    previous one."""
    watched = []
    judge(read_log(FOLDER / f"{name}.ginlog").entries, watched.append)
    record = Record.read(FOLDER / f"{name}.ginlog")
    public = {"hands": (None, None)}
    for step in record:
        first, last = watched[step.entry], watched[step.entries[-1].sequence]
        before, after = step.before, step.after
        assert (before is None) == (first.before.hand is None)
        if first.before.hand is not None:
            assert before._replace(**public) == first.before.hand
        if last.after.hand is not None:
            assert after._replace(**public) == last.after.hand
        elif step.move is not None:  # the next hand has begun
            assert after.over
            assert after.result == last.after.match.results[-1]
        if step.move is None or not all(record.degree(step.hand_number, s) is Degree.DISCLOSED
                                        for s in (0, 1)):  # fmt: skip
            continue
        assert before.is_legal(step.move)
        follows = before.apply(step.move) if step.drawn is None else before.drawing(step.drawn)
        for seat in (0, 1):
            if after.knocker is None:
                assert mask_of(step.hand(seat)) == follows.hands[seat]


def test_an_unfinished_hand_is_listed_without_a_result():
    (hand,) = of(recorded().entries[:12]).hands
    assert hand.result is None
    assert repr(hand).endswith("not over>")
    (hand,) = Record.read(FOLDER / "resigned.ginlog").hands
    assert hand.result is None
    assert isinstance(hand.steps[-1].message, m.Resign)


def test_a_void_hand_ends_in_a_position_that_is_over():
    record = Record.read(FOLDER / "void-hand.ginlog")
    last = record.hands[0].steps[-1]
    assert last.after.result.kind is Outcome.VOID
    assert record.hands[0].result == last.after.result


def test_after_a_draw_without_a_share_a_hand_has_ten_cards():
    entries = recorded().entries
    draw = next(step for step in of(entries) if isinstance(step.move, DrawStock))
    cut = of(entries[: draw.entry + 1])
    seeds = recorded().seeds[draw.author]
    step = cut.with_seeds(seeds).steps[-1]
    assert (step.entry, step.drawn, len(step.entries)) == (draw.entry, None, 1)
    assert len(step.hand(draw.author)) == 10
    assert set(step.hand(draw.author)) < set(draw.hand(draw.author))


def test_entries_that_disclose_seeds_belong_to_the_end_of_their_hand(toy):
    record = of(recorded(TWO_HANDS, m.Disclosure.AFTER_HAND).entries)
    first, *_, last = record.hands
    ending, *told = first.steps[-3:]
    assert ending.move is not None
    assert [type(step.message) for step in told] == [m.Disclose, m.Disclose]
    assert first.steps[-1].after.result == first.result
    for step in told:
        assert step.before == step.after == ending.after
        for seat in (0, 1):
            assert step.hand(seat) == ending.hand(seat)
            assert step.degree(seat) is ending.degree(seat)
    assert all(step.before is None for hand in record.hands for step in hand.steps[:5])
    assert last.steps[-1].move is not None  # this move decides the match
    behind = [step for step in record if not step.hand_number and step.entry > last.steps[0].entry]
    assert m.Disclose in {type(step.message) for step in behind}
    assert {step.after.result for step in behind} == {last.result}


def test_a_step_is_found_by_the_number_of_any_of_its_entries(two_hands):
    _, record = two_hands
    for step in record.steps:
        for event in step.entries:
            found = record.step_of(event.sequence)
            assert (found.entries, found.hand_number) == (step.entries, step.hand_number)
    seats = record.seen_by(0).step_of(record.hands[0].steps[4].entry)
    assert (seats.hand(0) is None, seats.hand(1) is None) == (False, True)
    for entry in (-1, record.verdict.entries):
        with pytest.raises(LookupError, match="no valid entry"):
            record.step_of(entry)


def test_steps_and_hands_are_built_only_once(two_hands):
    """A program that loops over them by number gets them again each time."""
    _, record = two_hands
    assert record.steps is record.steps
    assert record.hands is record.hands


@pytest.mark.parametrize("seat", [-1, 2, "host", True, None])
def test_an_invalid_seat_is_refused(two_hands, seat):
    _, record = two_hands
    step = record.hands[0].steps[6]
    for asked in (step.hand, step.degree, record.hands[0].degree, record.seen_by):
        assert code_of(Unreadable, asked, seat) == "no-such-seat"
    for asked in (record.degree, record.known_cards.degree):
        with pytest.raises(Unreadable):
            asked(1, seat)
    with pytest.raises(Unreadable):
        record.steps[0].degree(seat)
    with pytest.raises(Unreadable):
        record.known_cards.cards(step.entries[0].before, seat)


@pytest.mark.parametrize("hand", [-1, 0, 3, "1", True])
def test_a_missing_hand_is_refused(two_hands, hand):
    _, record = two_hands
    assert len(record.hands) == 2
    assert record.degree(2, 0) is Degree.DISCLOSED
    with pytest.raises(LookupError, match="there is no hand"):
        record.degree(hand, 0)


def test_the_repr_of_a_step_describes_it(two_hands):
    _, record = two_hands
    steps = [repr(step) for step in record]
    assert steps[0] == "<Step: entry 0, seat 0: offer>"
    assert any(text.endswith(": draw>") and "hand 1, entry" in text for text in steps)
    assert repr(record.hands[0]).startswith("<Hand 1: ")


# --- any content of the file ----------------------------------------------------------------

SMALL = [name for name in GOLDEN if (FOLDER / f"{name}.ginlog").stat().st_size < 25_000]


def walk(record):
    """Access everything that a record offers."""
    record.document()
    for step in record:
        repr(step)
        for seat in (0, 1):
            assert (step.hand(seat) is None) == (step.degree(seat) is None)
        _ = step.before, step.after, step.drawn
    for hand in record.hands:
        repr(hand)
        _ = hand.moves, hand.degree(0)
    return record.players, record.rules, record.score, record.winner, record.started


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_broken_log_raises_only_the_librarys_error(data):
    whole = (FOLDER / f"{data.draw(st.sampled_from(SMALL))}.ginlog").read_bytes()
    at = data.draw(st.integers(0, len(whole)))
    cut = data.draw(st.integers(0, 40))
    broken = whole[:at] + data.draw(st.binary(max_size=40)) + whole[at + cut :]
    with suppress(UnreadableLog):
        walk(Record.read(broken, seeds={1: bytes(32), 2: b"short"}))
