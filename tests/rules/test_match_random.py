"""Random series of results under random rules: one text each, sums that add up, a clear end.

This file computes the sums again from the list of all hands after each of them, in other ways than
the package does.
"""

from dataclasses import replace

from hypothesis import assume, event, given
from hypothesis import strategies as st

from ginpeer.rules import STANDARD, Match, parse_match, parse_ruleset
from ginpeer.rules.parameters import AfterVoid, NextDealer, Shutout, Tie
from ginpeer.rules.ruleset import corrected
from tests.rules.played import GUEST, HOST, TIE, VOID, knock, mahjong, seats

SEATS = (HOST, GUEST)


@st.composite
def rule_sets(draw):
    """Return rules with all kinds of scoring, and targets that a few hands reach."""
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
    """Return rules, who deals first, hands, and who resigns after them, if anybody does."""
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
    """Return the match up to the last hand that it accepts, and whether it accepted all of them."""
    match = Match.begin(rules, dealer)
    for number, hand in enumerate(hands):
        if match.finished:
            return match, hands[:number]
        match = match.record(hand)
    if resigns is not None and not match.finished:
        match = match.resign(resigns)
    return match, hands


# --- the sums, computed again -----------------------------------------------------------------


def points_in(hands, seat):
    return sum(hand.points if hand.winner == seat else hand.other_points for hand in hands)


def ended(rules, hands):
    """Return whether these hands of a column end it."""
    host, guest = (points_in(hands, seat) for seat in SEATS)
    return rules.target is not None and host != guest and max(host, guest) >= rules.target


def columns_of(rules, hands):
    """Return the hands of one game, sorted into its columns."""
    columns = [[] for _ in range(rules.columns)]
    for hand in hands:
        for column in columns if hand.winner is not None else ():
            if ended(rules, column):
                continue
            begins = all(other.winner != hand.winner for other in column)
            column.append(hand)
            if begins:  # one more column with each win
                break
    return columns


def game_ended(rules, hands):
    if len(hands) == rules.hands:
        return True
    return all(ended(rules, column) for column in columns_of(rules, hands))


def column_winner(rules, column, resigned):
    host, guest = (points_in(column, seat) for seat in SEATS)
    if resigned is not None and not ended(rules, column):
        return 1 - resigned
    if host == guest:
        return None
    return int(guest > host) ^ (rules.lead_of_fifty_loses and abs(host - guest) == 50)


def column_total(rules, column, seat, resigned):
    points = points_in(column, seat)
    total = points + rules.box * sum(hand.winner == seat for hand in column)
    if column_winner(rules, column, resigned) != seat:
        return total
    total += rules.game_bonus
    if rules.shutout is Shutout.DOUBLE_HANDS and all(hand.winner == seat for hand in column):
        total += max(0, points)
    if rules.shutout is Shutout.DOUBLE_GAME_BONUS and points_in(column, 1 - seat) <= 0:
        total += rules.game_bonus
    return total


def games_of(rules, hands):
    """Return the hands of the match, game by game; the last game can be unfinished and empty."""
    games = [[]]
    for hand in hands:
        games[-1].append(hand)
        if game_ended(rules, games[-1]):
            games.append([])
    return games


@given(matches())
def test_the_account_adds_up_to_what_the_hands_were_worth(given_match):
    match, hands = play(*given_match)
    rules = match.rules
    games = games_of(rules, hands)
    if match.finished and match.resigned is None:
        assert games.pop() == []
    assert len(games) == len(match.games)
    assert match.scores == tuple(points_in(games[-1], seat) for seat in SEATS)
    assert match.hands_won == tuple(
        sum(hand.winner == seat for hand in games[-1]) for seat in SEATS
    )
    assume(match.finished)
    settlement = match.settlement()
    totals, winners = [0, 0], []
    for number, game in enumerate(games):
        resigned = match.resigned if number == len(games) - 1 else None
        columns = columns_of(rules, game)
        sums = [sum(column_total(rules, c, seat, resigned) for c in columns) for seat in SEATS]
        assert list(settlement.games[number].totals) == sums
        totals = [total + more for total, more in zip(totals, sums, strict=True)]
        if rules.columns == 1:
            winners.append(column_winner(rules, columns[0], resigned))
        else:
            winners.append(None if sums[0] == sums[1] else int(sums[1] > sums[0]))
    assert [game.winner for game in settlement.games] == winners
    assert list(settlement.totals) == totals
    assert match.credits == settlement.totals
    resigner_ahead = match.resigned is not None and (
        totals[match.resigned] > totals[1 - match.resigned]
    )
    owed = 0 if resigner_ahead else abs(totals[0] - totals[1]) * rules.stake
    assert settlement.payment == owed

    if match.resigned is not None:
        event("resigned")
        assert match.winner == 1 - match.resigned
    elif rules.multi_match is not None:
        event("multi-match")
        assert max(totals) >= rules.multi_match
        assert match.winner == int(totals[1] > totals[0])
    elif rules.best_of > 1:
        event("best of")
        assert winners.count(match.winner) == rules.best_of // 2 + 1
        assert winners[-1] == match.winner
    else:
        event("one game")
        assert [match.winner] == winners
    assert settlement.winner == match.winner


@given(matches())
def test_the_text_of_a_match_is_complete(given_match):
    match, hands = play(*given_match)
    assert parse_ruleset(str(match.rules)) == match.rules
    assert parse_match(str(match)) == eval(repr(match)) == match
    assert match.results == tuple(hands)
