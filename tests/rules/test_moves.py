import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginpeer.rules import (
    CARDS,
    DECK,
    Discard,
    DrawStock,
    Knock,
    Pass,
    Spread,
    TakeUpcard,
    Unreadable,
    parse_card,
    parse_move,
)
from tests.rules.drawing import drawn, melds

cards = st.sampled_from(CARDS)
card_sets = st.integers(0, DECK)
some_cards = st.integers(1, DECK)
meld_lists = st.lists(some_cards, max_size=10).map(tuple)

moves = st.one_of(
    st.sampled_from([Pass(), TakeUpcard(), DrawStock()]),
    st.builds(Discard, cards),
    st.builds(Knock, st.none() | cards, meld_lists, card_sets),
    st.builds(
        Spread,
        meld_lists,
        st.lists(st.tuples(cards, st.integers(0, 9)), max_size=10).map(tuple),
        card_sets,
    ),
)


@given(moves)
def test_every_move_reads_back_from_its_text(move):
    assert parse_move(str(move)) == move
    assert eval(repr(move)) == move


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Pass(), "pass"),
        (TakeUpcard(), "take"),
        (DrawStock(), "draw"),
        (Discard(parse_card("7d")), "discard 7d"),
        (
            Knock(parse_card("7d"), melds("7c7h7s", "3c4c5c"), drawn("2d")),
            "knock 7d melds 7c7h7s 3c4c5c deadwood 2d",
        ),
        (Knock(None, melds("7c7h7s", "3c4c5c"), 0), "knock melds 7c7h7s 3c4c5c"),
        (
            Spread(melds("2c3c4c"), ((parse_card("6c"), 1), (parse_card("7c"), 1)), drawn("Ks9d")),
            "spread melds 2c3c4c layoff 6c@1 7c@1 deadwood 9dKs",
        ),
        (Spread((), (), 0), "spread"),
    ],
)
def test_a_move_says_what_a_player_says(move, text):
    assert str(move) == text
    assert parse_move(text) == move
    assert parse_move(text.replace(" ", "  ")) == move


@pytest.mark.parametrize(
    "text",
    [
        *("", "Pass", "pass 7d", "discard", "discard 7d 8d", "discard 7x", "knock 7d 3c4c5c"),
        *("knock 7d 8d melds 3c4c5c", "knock 7d deadwood 2d melds 3c4c5c"),
        *("knock 7d melds 3c4c5c melds 6c7c8c", "knock 7d melds deadwood 2d"),
        *("knock 7d melds 3c4c5c deadwood", "knock 7d melds 3c4c5c deadwood 2d 3d"),
        *("knock 7d melds 3c4c5c layoff 6c@0", "knock 7d melds 3c3c4c", "spread 7d melds 3c4c5c"),
        *("spread layoff 6c", "spread layoff 6c@", "spread layoff 6c@10", "spread layoff 6c@-1"),
        *("spread layoff 6c@²", "spread layoff @0", "jump", "pass" + " " * 10_000),
    ],
)
def test_what_is_no_move_is_unreadable(text):
    with pytest.raises(Unreadable) as refusal:
        parse_move(text)
    assert len(str(refusal.value)) < 120


@pytest.mark.parametrize(
    "build",
    [
        lambda: Knock(None, (0,), 0),
        lambda: Knock(None, (-1,), 0),
        lambda: Knock(None, (DECK + 1,), 0),
        lambda: Knock(None, (), -1),
        lambda: Knock(None, (), DECK + 1),
        lambda: Knock(None, (7,) * 11, 0),
        lambda: Spread((0,), (), 0),
        lambda: Spread((), ((CARDS[0], -1),), 0),
        lambda: Spread((), ((CARDS[0], 10),), 0),
        lambda: Spread((), ((CARDS[0], 0),) * 11, 0),
    ],
)
def test_a_move_without_a_text_cannot_be_built(build):
    with pytest.raises(Unreadable):
        build()
