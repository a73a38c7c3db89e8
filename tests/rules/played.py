"""Results of hands, and matches made of them, for the tests of the scoring."""

from dataclasses import replace

from hypothesis import strategies as st

from ginpeer.rules import HandResult, Match, Outcome, parse_result, parse_ruleset

VOID = parse_result("void")
TIE = HandResult(Outcome.TIE, None, 0, 0, 7, 7)
HOST, GUEST = 0, 1


def knock(winner, points):
    """Return the result of a hand that this seat won: an undercut with equal deadwood for 0 points,
    gin if the points are too many for a knock, and otherwise a knock."""
    if not points:
        return HandResult(Outcome.UNDERCUT, winner, 0, 1 - winner, 7, 7)
    if points > 96:
        return HandResult(Outcome.GIN, winner, points, winner, 0, points - 25)
    return HandResult(Outcome.KNOCK, winner, points, winner, 4, 4 + points)


def undercut(winner, points):
    return HandResult(Outcome.UNDERCUT, winner, points, 1 - winner, points - 25, 0)


def mahjong(winner, points, other_points):
    """Return the result of a hand of Mahjong gin, in which both players score."""
    return HandResult(Outcome.MAHJONG, winner, points, winner, 0, 40, other_points=other_points)


def match_of(*results, rules="standard", dealer=HOST):
    match = Match.begin(parse_ruleset(rules), dealer)
    for result in results:
        match = match.record(result)
    return match


counts = st.integers(0, 999)
seats = st.sampled_from([HOST, GUEST])

# Every result that can be written, whether or not play can lead to it.
one_sided = st.builds(
    HandResult,
    st.sampled_from([kind for kind in Outcome if kind not in (Outcome.VOID, Outcome.MAHJONG)]),
    st.none() | seats,
    st.integers(0, 99_999),
    seats,
    counts,
    counts,
    st.booleans(),
)
two_sided = st.builds(
    lambda result, doubled: replace(result, doubled=doubled),
    st.builds(mahjong, seats, st.integers(0, 99_999), st.integers(-99_999, 99_999)),
    st.booleans(),
)
any_result = st.just(VOID) | one_sided | two_sided
