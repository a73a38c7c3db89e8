"""Results and matches as texts: every value has one, which reads back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginpeer.rules import (
    STANDARD,
    HandResult,
    Match,
    Outcome,
    Unreadable,
    parse_match,
    parse_result,
)
from tests.rules.played import GUEST, HOST, VOID, any_result, knock, mahjong, seats, undercut


@given(any_result)
def test_every_result_reads_back_from_its_text(result):
    assert parse_result(str(result)) == result
    assert eval(repr(result)) == result


def test_the_text_of_a_result_can_be_read_by_people():
    assert str(undercut(GUEST, 29)) == "undercut: seat 0 knocked with 4 against 0, 29 to seat 1"
    assert str(mahjong(GUEST, 90, -5)) == (
        "mahjong: seat 1 went gin against 40, 90 to seat 1, -5 to the other"
    )
    both_doubled = HandResult(Outcome.MAHJONG, HOST, 180, HOST, 0, 40, True, -10)
    assert str(both_doubled) == (
        "mahjong: seat 0 went gin against 40, 180 to seat 0, -10 to the other, doubled"
    )
    assert parse_result(str(both_doubled)) == both_doubled
    doubled = HandResult(Outcome.GIN, GUEST, 80, GUEST, 0, 15, doubled=True)
    assert str(doubled) == "gin: seat 1 knocked with 0 against 15, 80 to seat 1, doubled"
    assert str(VOID) == "void"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Void",
        "knock: seat 2 knocked with 4 against 9, 5 to seat 0",
        "knock: seat 0 knocked with 04 against 9, 5 to seat 0",
        "knock: seat 0 knocked with 4 against 9, 5 to seat 0 ",
        "knock: seat 0 knocked with 4 against 9, 5 to seat 0, trebled",
        "knock: seat 0 knocked with 4 against 9, \u0665 to seat 0",
        "mahjong: seat 1 went gin against 40, 90 to seat 0, -5 to the other",
        "mahjong: seat 1 went gin against 40, 90 to seat 1, -0 to the other",
    ],
)
def test_what_is_no_result_is_unreadable(text):
    with pytest.raises(Unreadable):
        parse_result(text)


standard_results = (
    st.just(VOID)
    | st.builds(knock, seats, st.integers(1, 125))
    | st.builds(undercut, seats, st.integers(26, 35))
)


@given(st.lists(standard_results, max_size=6), seats, st.none() | seats)
def test_every_match_reads_back_from_its_text(played, dealer, resigns):
    match = Match.begin(STANDARD, dealer)
    for result in played:
        if not match.finished:
            match = match.record(result)
    if resigns is not None and not match.finished:
        match = match.resign(resigns)
    assert parse_match(str(match)) == match
    assert eval(repr(match)) == match


@pytest.mark.parametrize("text", ["", "standard", "standard; dealer 0", "standard; first dealer 2"])
def test_what_is_no_match_is_unreadable(text):
    with pytest.raises(Unreadable):
        parse_match(text)
