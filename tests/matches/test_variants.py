"""Whole matches under other rules, with real seats: which entries are owed when, and who sees
what."""

from __future__ import annotations

from functools import cache

import pytest

from ginpeer.referee.referee import Admitted, Finding, judge
from ginpeer.referee.table import GUEST, HOST, Awaiting
from ginpeer.referee.transitions import final_score
from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, cards_of, mask_of
from ginpeer.rules.hand import Phase
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.rules.score import Outcome
from protocol import messages as m
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import BASE
from protocol.deck.secrets import HandSecrets, knock_card
from protocol.deck.state import card_points
from tests.cheating.cheat import RecordedMatch, steady
from tests.matches.table_pair import TablePair
from tests.matches.variants import dawdling, laying, mahjong, staged
from tests.protocol.deck_pair import read_hand
from tests.seat.test_restore import goes_on, restore

MATCHES = {
    # for each name: seed, rules, player
    "second deck": (
        "two decks",
        "standard first-dealer=host knock-limit=second-deck target=20",
        steady,
    ),
    "spades": ("spades", "oklahoma knock-limit=second-deck target=1", steady),
    "floating": ("floating", "oklahoma-floating target=1", steady),
    "mahjong": ("mahjong", "mahjong target=1", laying),
    "mahjong, each hand disclosed": ("mahjong", "mahjong target=200", laying),
    "either pile": ("piles", "standard first-dealer=guest opening=either-pile target=10", steady),
    "last discard": ("wall", "standard wall=last-discard hands=1", dawdling),
    "winner deals": ("winner", "standard next-dealer=winner hands=3", steady),
    "best of three": ("best", "standard target=1 best-of=3", steady),
    "nobody wins": ("nobody", "standard hands=2", dawdling),
}


# These tests are about what other rules require of seats and referee. The golden logs and the
# stranger test the proofs in the real group; tests/cheating/test_variants.py does so with --deep.
pytestmark = pytest.mark.usefixtures("in_the_toy_group")


@cache
def recorded(name: str) -> RecordedMatch:
    """Return the match with this name. Its seeds are disclosed and audited."""
    seed, rules, player = MATCHES[name]
    each_hand = "each hand" in name
    disclosure = m.Disclosure.AFTER_HAND if each_hand else m.Disclosure.AFTER_MATCH
    pair = TablePair(seed, parse_ruleset(rules), disclosure).play(player)
    assert pair.host.closed == pair.guest.closed
    assert pair.host.closed.code == "finished"
    return RecordedMatch.of(pair)


@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.deep(keep=4)
def test_a_match_by_other_rules_is_played_audited_and_valid(name: str) -> None:
    match = recorded(name)
    verdict = judge(match.entries)
    assert verdict.finding is Finding.VALID
    assert verdict.table.match == match.table_at(len(match)).match
    told = {(seed.hand, seed.seat) for seed in verdict.table.seeds}
    hands = verdict.table.hand_number
    assert told == {(hand, seat) for hand in range(1, hands + 1) for seat in (HOST, GUEST)}


@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.deep(keep=5)
def test_the_seeds_open_each_hand_as_on_the_table_after_every_entry(name: str) -> None:
    """With the seeds, each hand can be opened after every entry, and agrees with the table. So two
    honest seats hold exactly the cards that an outsider would compute."""
    match = recorded(name)
    for step in match.steps:
        table = step.after
        hand = table.hand
        if hand is None or table.awaiting is Awaiting.SHARE or hand.phase is Phase.OVER:
            continue
        for seat in (HOST, GUEST):
            secrets = HandSecrets(match.seeds[seat][table.hand_number])
            cards = read_hand(table.deck.hands[seat], secrets)
            assert len(cards) == hand.size(seat)
            hand.knowing(seat, mask_of(cards))  # raises if the table disagrees


@pytest.mark.parametrize("name", ["spades", "mahjong", "last discard"])
@pytest.mark.deep(keep=1)
def test_a_seat_restored_from_its_store_plays_to_the_same_end(name: str) -> None:
    """The seat is restored in the middle of a deal, of a turn with lays, and at the last chance."""
    match, player = recorded(name), MATCHES[name][2]
    wanted = (m.DealKey, m.DealShares, m.Lay, m.TakeDiscards)
    stops = {match.find(kind) + 1 for kind in wanted if match.has(kind)}
    stops |= {s.sequence for s in match.steps if s.before.awaiting is Awaiting.LAST_CHANCE}
    for k in stops:
        for seat in (HOST, GUEST):
            restored = restore(match, seat, match.entries[:k], match.seeds_at(seat, k))
            assert restored.table == match.table_at(k)
            goes_on(match, restored, match.seat_at(1 - seat, k), player)


# --- who deals, and who begins ------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "dealer"), [("host", HOST), ("guest", GUEST)])
def test_no_cards_are_cut_if_the_dealer_is_agreed(rules: str, dealer: int) -> None:
    pair = TablePair("agreed", parse_ruleset(f"standard first-dealer={rules}"))
    pair.settle()
    table = pair.host.seat.table
    kinds = [type(event.message) for event in pair.guest.shown]
    assert kinds[:3] == [m.Offer, m.Accept, m.DealCommit]
    assert table.cut_cards is None
    assert (table.match.dealer, table.deck.dealer) == (dealer, dealer)


def test_the_first_player_may_draw_from_the_pile_if_the_rules_allow() -> None:
    match = recorded("either pile")
    k = match.find(m.DealShares) + 1
    table = match.table_at(k)
    assert (table.awaiting, table.owed_by) == (Awaiting.DRAW, 1 - table.match.dealer)
    referee = match.referee_at(k)
    referee.admit(match.author(k).sign(table, m.TakeUpcard()))
    assert referee.table.awaiting is Awaiting.DISCARD


def test_the_winner_of_a_hand_deals_the_next_one() -> None:
    match = recorded("winner deals")
    results = match.table_at(len(match)).match.results
    dealers = [step.author for step in match.steps if isinstance(step.message, m.DealCommit)]
    assert dealers[1:] == [result.winner for result in results[:-1]]


def test_the_next_game_begins_without_an_entry_of_its_own() -> None:
    """The next game begins with the next deal, and the settlement is the sum of all games."""
    match = recorded("best of three")
    table = match.table_at(len(match))
    assert max(table.match.games_won) == 2
    settle = match.steps[match.find(m.Settle)].message
    assert settle == final_score(table)
    assert settle.winner == table.match.winner
    assert settle.hands == len(table.match.results)


# --- the knock card of a second deck ----------------------------------------------------------


def test_a_knock_card_is_tossed_for_in_each_hand_and_no_upcard_is_turned() -> None:
    match = recorded("second deck")
    for k in [s.sequence for s in match.steps if type(s.message) is m.DealShares]:
        before, after = match.table_at(k), match.table_at(k + 1)
        dealer = before.match.dealer
        halves = [
            HandSecrets(match.seeds[seat][before.hand_number]).toss for seat in (dealer, 1 - dealer)
        ]
        card = knock_card(before.table_id, before.hand_number, *halves)
        assert before.deck.knock_card == card
        assert after.hand.knock_card == CARDS[card]
        assert after.hand.first_upcard is None
        assert after.hand.pile == ()
        assert after.hand.stock_left == 32
        assert (after.awaiting, after.owed_by) == (Awaiting.DRAW, before.match.first_to_play)


def test_the_winner_of_the_last_hand_draws_first() -> None:
    match = recorded("second deck")
    results = match.table_at(len(match)).match.results
    assert len(results) > 1
    begins = [
        s.author for s in match.steps if type(s.message) is m.DrawStock and not s.before.hand.moves
    ]
    dealers = [s.author for s in match.steps if type(s.message) is m.DealCommit]
    assert begins[0] == 1 - dealers[0]
    for last, first in zip(results, begins[1:], strict=False):
        assert last.winner is None or first == last.winner


# --- the last discard ---------------------------------------------------------------------------


def at_the_wall(match: RecordedMatch) -> int:
    return next(s.sequence for s in match.steps if s.before.awaiting is Awaiting.LAST_CHANCE)


def test_the_last_discard_can_be_taken_or_passed() -> None:
    match = recorded("last discard")
    k = at_the_wall(match)
    table, cheat = match.table_at(k), match.author(k)
    assert table.hand.stock_left == 2
    referee = match.referee_at(k)
    referee.admit(cheat.sign(table, m.Pass()))
    assert referee.table.match.results[-1].kind is Outcome.VOID
    assert match.steps[k].message == m.TakeUpcard()
    assert match.table_at(k + 1).awaiting is Awaiting.DISCARD


def test_taking_the_last_discard_without_knocking_voids_the_hand() -> None:
    match = recorded("last discard")
    k = at_the_wall(match) + 1
    seat = match.seat_at(match.steps[k].author, k)
    throws = [move for move in seat.view().legal_moves() if isinstance(move, moves.Discard)]
    list(seat.play(throws[0]))
    assert seat.table.match.results[-1].kind is Outcome.VOID


# --- settlements --------------------------------------------------------------------------------


def test_both_players_sign_a_match_without_a_winner() -> None:
    match = recorded("nobody wins")
    settle = match.steps[match.find(m.Settle)].message
    assert settle == m.Settle(2, 0, 0, m.Winner.NOBODY)


def test_both_players_sign_a_negative_total() -> None:
    match = mahjong()
    settle = match.steps[match.find(m.Settle)].message
    loser = 1 - settle.winner
    assert (settle.host_total, settle.guest_total)[loser] == -5
    assert judge(match.entries).finding is Finding.VALID


# --- Mahjong gin --------------------------------------------------------------------------------


def test_taken_discards_enter_the_hand_lowest_first_and_are_riffled_with_it() -> None:
    match = mahjong()
    k = match.find(m.TakeDiscards)
    step, seat = match.steps[k], match.steps[k].author
    before, after = step.before.deck, step.after.deck
    taken = step.before.hand.pile[-3:]
    assert "".join(map(str, taken)) == "TsKd2h"
    key, points = before.key(seat), card_points()
    entered = tuple(Ciphertext(BASE, points[card] + key) for card in taken)
    record = step.after.records[-1].players[seat]
    assert record.riffles[-1].before == (*before.hands[seat], *entered)
    assert len(after.hands[seat]) == len(before.hands[seat]) + 2
    seen = {half for c in record.riffles[-1].before for half in (c.c1, c.c2)}
    assert not {half for c in after.hands[seat] for half in (c.c1, c.c2)} & seen


def test_a_lay_opens_only_the_laid_cards() -> None:
    match = mahjong()
    for step in match.steps:
        message = step.message
        if isinstance(message, m.TakeDiscards):
            message = message.lay
        if isinstance(message, m.Lay):
            laid = mask_of(message.cards)
            on_table = step.after.hand.laid(step.author) & ~step.before.hand.laid(step.author)
            assert on_table == laid
            opened = step.after.records[-1].players[step.author].openings[-1]
            assert opened.shown == message.cards
            assert len(cards_of(laid)) == len(message.cards)


def test_the_audit_has_every_riffle_and_opening_of_a_lay() -> None:
    match = recorded("mahjong")
    for seat, player in enumerate(match.table_at(len(match)).records[0].players):
        own = [s.message for s in match.steps if s.author == seat]
        own = [x.lay if isinstance(x, m.TakeDiscards) else x for x in own]
        opening = [x for x in own if isinstance(x, m.Discard | m.Lay | m.Spread)]
        assert [record.shown for record in player.openings] == [
            (x.card,) if isinstance(x, m.Discard) else x.cards for x in opening
        ]
        riffled = [x for x in opening if not isinstance(x, m.Spread) and x.hand]
        assert len(player.riffles) == len(riffled)


def test_both_players_see_a_lay_but_only_their_own_hand() -> None:
    pair = staged(5)
    seats = [performer.seat for performer in pair.performers]
    assert seats[0].table.hand == seats[1].table.hand
    for seat in seats:
        view = seat.view()
        assert view.hand.hands[1 - seat.seat] is None
        assert len(view.hand.table_melds) == 2
    shown = [[type(e.message) for e in p.shown if isinstance(e, Admitted)] for p in pair.performers]
    assert shown[0] == shown[1]
