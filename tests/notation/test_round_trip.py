"""Written matches read back unchanged: every golden log, and matches under every rule set."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ginpeer.notation import read_sheet, write_sheet
from ginpeer.record import Record, UnreadableLog, sheet_of
from ginpeer.rules import PRESETS
from tests.matches.golden_logs import FOLDER, GOLDEN
from tests.notation.played import played

UNREADABLE = {"impossible-length", "too-new-format", "empty", "not-a-log"}

RULES = (
    *PRESETS,
    "oklahoma hollywood",
    "oklahoma knock-limit=second-deck",
    "standard opening=either-pile wall=last-discard",
    "standard best-of=3 target=20 stake=5",
    "standard knock-limit=0",
    "classic big-gin=31 tie=nobody",
)


def _moves(record):
    """Return what is known about each move: its author, the card drawn, both players' cards, and
    the position before it."""
    return [
        (step.author, step.move, step.drawn, step.hand(0), step.hand(1), str(step.before))
        for hand in record.hands
        for step in hand.steps
        if step.move is not None
    ]


def _read(name):
    try:
        record = Record.read(FOLDER / f"{name}.ginlog")
        return record, sheet_of(record)
    except UnreadableLog:
        return None


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.deep(keep=12)
def test_a_golden_log_is_written_and_reads_back(name):
    found = _read(name)
    if found is None:
        assert name in UNREADABLE
        return
    record, sheet = found
    text = write_sheet(sheet)
    again = read_sheet(text.encode("utf-8"))
    assert again == sheet
    assert write_sheet(again) == text
    typed = Record.read(text.encode("utf-8"))
    assert _moves(typed) == _moves(record)
    assert typed.results == record.results
    assert [hand.dealer for hand in typed.hands] == [hand.dealer for hand in record.hands]
    assert typed.match == record.match or not record.hands


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(RULES),
    st.integers(0, 2**32),
    st.tuples(st.booleans(), st.booleans()),
    st.lists(
        st.tuples(st.from_regex(r"X[a-z]{1,6}", fullmatch=True), st.text(max_size=40)),
        max_size=3,
        unique_by=lambda tag: tag[0],
    ),
)
def test_a_match_by_any_rules_reads_back(rules, seed, known, tags):
    tags = (("Rules", rules), *tags)
    tags = tuple((name, value.encode("utf-8", "ignore").decode("utf-8")) for name, value in tags)
    sheet = played(rules, seed, known=known, tags=tags)
    text = write_sheet(sheet)
    assert text.replace("\n", "").isprintable()
    assert read_sheet(text.encode("utf-8")) == sheet


@pytest.mark.parametrize("rules", RULES)
def test_one_hand_of_several_reads_back_alone(rules):
    """The score before that hand isn't needed."""
    sheet = played(rules, 4, hands=1, tags=(("Rules", rules),))
    (hand,) = sheet.hands
    text = write_sheet(sheet).replace("hand 1\n", "hand 7\n")
    again = read_sheet(text.encode("utf-8"))
    assert [hand.number for hand in again.hands] == [7]
    assert again.hands[0].made == hand.made
    kept = [line for line in text.split("\n") if not line.startswith(("score", "column", "total"))]
    kept = [line for line in kept if not line.startswith(("winner", "owes"))]
    assert write_sheet(again).split() == "\n".join(kept).split()
