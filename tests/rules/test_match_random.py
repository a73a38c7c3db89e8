"""Random series of results under random rules: one text each, sums that add up, a clear end.

This file computes the sums again from the list of all hands after each of them, in other ways than
the package does.
"""

from dataclasses import replace

from hypothesis import assume, event, given
from hypothesis import strategies as st

from ginpeer.rules import STANDARD, Illegal, Match, Outcome, parse_match, parse_ruleset
from ginpeer.rules.parameters import AfterVoid, NextDealer, Shutout, Tie, corrected
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
def test_every_win_is_entered_in_a_column_and_opens_the_next(given_match):
    """Check what RULES 13.1 promises about columns, after every hand."""
    rules, dealer, hands, _ = given_match
    match = Match.begin(rules, dealer)
    for hand in hands:
        if match.finished:
            break
        game, match = match.game, match.record(hand)
        before, after = game.columns, match.games[game.number - 1].columns
        places = range(rules.columns)
        entered = [at for at in places if before[at].hands_won != after[at].hands_won]
        for at in places:
            if at not in entered:
                assert before[at].points == after[at].points
        if hand.winner is None:
            assert entered == []
            continue
        still_open = [at for at in places if not before[at].over]
        begun = [at for at in still_open if before[at].hands_won[hand.winner]]
        others = [at for at in still_open if at not in begun]
        assert entered == sorted(begun + others[:1]) != []
        for at in entered:
            assert after[at].hands_won[hand.winner] == before[at].hands_won[hand.winner] + 1
            assert after[at].hands_won[1 - hand.winner] == before[at].hands_won[1 - hand.winner]


@given(matches())
def test_a_player_who_won_while_a_column_was_first_is_not_shut_out_in_it(given_match):
    match, hands = play(*given_match)
    for game, played in zip(match.games, games_of(match.rules, hands), strict=False):
        first = [columns_open(match.rules, played[:count])[0] for count in range(len(played))]
        for seat in SEATS:
            shut_out = {
                at for at in range(match.rules.columns) if game.columns[at].lines[1 - seat].shutout
            }
            won_at = {at for at, hand in zip(first, played, strict=True) if hand.winner == seat}
            event("shut out" if shut_out else "not shut out")
            assert not shut_out & won_at


def columns_open(rules, hands):
    """Return the numbers of the columns that these hands of one game leave open."""
    columns = enumerate(columns_of(rules, hands))
    return [at for at, column in columns if not ended(rules, column)]


@given(matches())
def test_the_text_of_a_match_is_complete(given_match):
    match, hands = play(*given_match)
    assert parse_ruleset(str(match.rules)) == match.rules
    assert parse_match(str(match)) == eval(repr(match)) == match
    assert match.results == tuple(hands)


@given(matches())
def test_a_finished_match_cannot_be_finished_again(given_match):
    match, _ = play(*given_match)
    codes = []
    for go_on in (lambda: match.record(VOID), lambda: match.resign(HOST), match.settlement):
        try:
            go_on()
        except Illegal as refusal:
            codes.append(refusal.code)
    assert codes == (["match-over"] * 2 if match.finished else ["match-goes-on"])


@given(matches())
def test_the_next_dealer_depends_only_on_the_last_hand(given_match):
    rules, dealer, hands, _ = given_match
    match = Match.begin(rules, dealer)
    for hand in hands:
        if match.finished:
            break
        before, match = match.dealer, match.record(hand)
        stays = hand.winner is None and rules.next_dealer is not NextDealer.ALTERNATES
        if hand.kind is Outcome.VOID:
            stays = rules.after_void is AfterVoid.SAME_DEALER
        expected = {
            NextDealer.ALTERNATES: 1 - before,
            NextDealer.WINNER: hand.winner,
            NextDealer.LOSER: None if hand.winner is None else 1 - hand.winner,
        }[rules.next_dealer]
        if hand.kind is Outcome.VOID:
            expected = 1 - before
        assert match.dealer == (before if stays else expected)
        assert match.first_to_play == 1 - match.dealer
