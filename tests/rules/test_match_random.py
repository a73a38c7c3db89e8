"""Random series of results under random rules: each match has one text, and the account that the
pseudocode in PROTOCOL.md computes."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from ginpeer.rules import STANDARD, Match, parse_match, parse_ruleset
from ginpeer.rules.parameters import AfterVoid, NextDealer, Shutout, Tie
from ginpeer.rules.ruleset import corrected
from tests.document.test_pseudocode import functions, in_the_document
from tests.rules.played import GUEST, HOST, TIE, VOID, knock, mahjong, seats

SEATS = (HOST, GUEST)
score_match = functions("match")["score_match"]


@st.composite
def rule_sets(draw):
    """Return rules with any kind of scoring, and a target that a few hands can reach."""
    rules = replace(
        STANDARD,
        next_dealer=draw(st.sampled_from(NextDealer)),
        after_void=draw(st.sampled_from(AfterVoid)),
        shutout=draw(st.sampled_from(Shutout)),
        lead_of_fifty_loses=draw(st.booleans()),
        box=draw(st.sampled_from((0, 20, 25))),
        game_bonus=draw(st.sampled_from((0, 50, 100))),
        stake=draw(st.integers(0, 10)),
        target=draw(st.sampled_from((1, 50, 100, 150))),
    )
    if draw(st.booleans()):
        rules = replace(rules, mahjong=True, knock_limit=0, big_gin=None)
    else:
        rules = replace(rules, tie=draw(st.sampled_from(Tie)))
    match draw(st.sampled_from(("one game", "hands", "best of", "multi-match"))):
        case "hands":
            target = draw(st.sampled_from((None, rules.target)))
            rules = replace(rules, target=target, hands=draw(st.integers(1, 8)))
        case "best of":
            rules = replace(rules, best_of=draw(st.sampled_from((3, 5))))
        case "multi-match":
            rules = replace(rules, multi_match=draw(st.sampled_from((200, 300, 500))))
    return corrected(replace(rules, columns=draw(st.sampled_from((1, 3)))))


@st.composite
def matches(draw):
    """Return rules, the first dealer, results of hands, and the seat that then resigns, or None."""
    rules = draw(rule_sets())
    if rules.mahjong:
        few = st.sampled_from((25, 30, 40, 50, 60, 100))
        hand = st.builds(mahjong, seats, few, st.sampled_from((-40, -25, -10, 0, 10, 50, 100)))
    else:
        few = st.sampled_from((1, 5, 10, 20, 25, 30, 40, 50, 60, 100))
        hand = st.builds(knock, seats, few)
        if rules.tie is Tie.NOBODY:
            hand |= st.just(TIE)
    hands = draw(st.lists(hand | st.just(VOID), max_size=40))
    return rules, draw(seats), hands, draw(st.none() | seats)


def play(rules, dealer, hands, resigns):
    """Return the match after these hands, or after the one that ends it, and the hands that it
    accepted."""
    match = Match.begin(rules, dealer)
    for number, hand in enumerate(hands):
        if match.finished:
            return match, hands[:number]
        match = match.record(hand)
    if resigns is not None and not match.finished:
        match = match.resign(resigns)
    return match, hands


@given(matches())
def test_the_account_is_that_of_the_documents_pseudocode(given_match):
    match, hands = play(*given_match)
    worth = [(hand.winner, (hand.points_of(HOST), hand.points_of(GUEST))) for hand in hands]
    games, totals, winner, decided = score_match(
        in_the_document(match.rules), worth, match.resigned
    )
    assert decided is match.finished
    assert len(games) == len(match.games)
    of_the_last = worth[len(worth) - games[-1]["hands"] :]
    assert match.scores == tuple(sum(points[seat] for _, points in of_the_last) for seat in SEATS)
    assert match.hands_won == tuple(sum(won == seat for won, _ in of_the_last) for seat in SEATS)
    assume(match.finished)
    settlement = match.settlement()
    for ours, game in zip(settlement.games, games, strict=True):
        assert ours.winner == game["winner"]
        for column, said in zip(ours.columns, game["columns"], strict=True):
            assert [*column.points] == said["points"]
            assert [*column.hands_won] == said["wins"]
            assert column.winner == said["winner"]
            assert [line.total for line in column.lines] == said["totals"]
    assert [*match.credits] == [*settlement.totals] == totals
    assert match.winner == settlement.winner == winner
    resigner_ahead = match.resigned is not None and (
        totals[match.resigned] > totals[1 - match.resigned]
    )
    owed = 0 if resigner_ahead else abs(totals[0] - totals[1]) * match.rules.stake
    assert settlement.payment == owed


@given(matches())
def test_the_text_of_a_match_is_complete(given_match):
    match, hands = play(*given_match)
    assert parse_ruleset(str(match.rules)) == match.rules
    assert parse_match(str(match)) == eval(repr(match)) == match
    assert match.results == tuple(hands)
