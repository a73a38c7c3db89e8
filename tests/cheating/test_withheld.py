"""Entries that never arrive: cases 10 and 14 of tests/campaign/cases.txt.

A player who doesn't send an entry that they owe has signed nothing illegal. So the log says who
owes what and blames nobody, the opponent sends nothing in its place, and the match continues from
there, with the same cards, as soon as the entry arrives.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.referee.table import Awaiting
from ginpeer.seat.seat import NotNow, Persist, Send, position_of
from protocol import messages as m
from tests.cheating.cheat import RecordedMatch, catch_up, one_hand, seated, steady, tiny, violation

pytestmark = pytest.mark.usefixtures("in_the_toy_group_unless_deep")

OWED = {
    m.CutReveal: "the opening of the cut",
    m.DealCommit: "the commitment to a hand seed",
    m.DealKey: "a hand key",
    m.DealDeck: "the shuffled deck",
    m.DealShuffle: "the second shuffle and the shares for the dealer's cards",
    m.DealShares: "the shares for the other player's cards",
    m.Share: "a share for the card just drawn",
    m.Spread: "the defender's spread",
    m.Settle: "a signature on the final score",
    m.Disclose: "the hand seeds for the audit",
}


@pytest.mark.parametrize("kind", OWED)
def test_a_withheld_entry_is_reported_and_nobody_is_blamed(kind: type[m.Message]) -> None:
    match = one_hand()
    k = match.find(kind)
    debtor = match.steps[k].author
    verdict = judge(match.entries[:k])
    assert (verdict.finding, verdict.code) == (Finding.INCOMPLETE, "incomplete")
    assert verdict.sentence.endswith(f"{('Ada', 'Ben')[debtor]}: {OWED[kind]}.")
    assert (verdict.culprit, verdict.failing_entry) == (None, None)
    assert (verdict.entries, verdict.table.owed_by) == (k, debtor)


@pytest.mark.parametrize("kind", OWED)
def test_a_player_waiting_for_an_entry_neither_signs_nor_moves(kind: type[m.Message]) -> None:
    """Nothing is released before the entry arrives: no share, no seed, no signature."""
    match = one_hand()
    k = match.find(kind)
    waiting = match.seat_at(1 - match.steps[k].author, k)
    assert not any(isinstance(effect, Send | Persist) for effect in waiting.start())
    with pytest.raises(NotNow):
        waiting.resign()
    assert tuple(waiting.entries) == match.entries[:k]


@pytest.mark.parametrize("kind", [m.DealShares, m.Share, m.Disclose])
def test_the_match_continues_when_the_entry_comes_after_all(kind: type[m.Message]) -> None:
    """Both players resume from what they have stored. A debtor who has stored the entry without
    sending it sends those bytes; one who hasn't signed it yet signs it now. The cards are the
    same."""
    match = tiny()
    k = match.find(kind)
    debtor = match.steps[k].author
    for kept in (k, k + 1):  # how many entries the debtor has stored
        ends = [k, k]
        ends[debtor] = kept
        pair = seated(match.seat_at(0, ends[0]), match.seat_at(1, ends[1]))
        catch_up(pair)
        pair.play(steady)
        assert pair.host.seat.table.finished
        assert tuple(pair.host.seat.entries) == tuple(pair.guest.seat.entries)
        assert tuple(pair.host.seat.entries[:kept]) == match.entries[:kept]
        assert judge(pair.host.seat.entries).finding is Finding.VALID
        assert _cards_dealt(pair.host.seat.entries) == _cards_dealt(match.entries)


def _cards_dealt(entries) -> list:
    """Return the cards that the two players showed at the end of the hand, and those discarded
    before."""
    watched: list = []
    judge(entries, watched.append)
    shown = [step.message for step in watched if isinstance(step.message, m.Knock | m.Spread)]
    return [sorted(each.cards) for each in shown]


def test_an_owed_share_cannot_be_skipped_or_replaced_by_another_entry() -> None:
    """A debtor that owes a share may not send another entry, skip the share, or change it."""
    match = one_hand()
    k = match.find(m.Share)
    table, cheat = match.table_at(k), match.author(k)
    for message in (m.Pass(), m.DrawStock(), match.steps[match.find(m.Settle)].message):
        raw = cheat.sign(table, message)
        violation(match, k, raw, "not-allowed-now", by=cheat.seat)
    honest = match.steps[k].message
    empty = replace(honest, share=b"")
    violation(match, k, cheat.sign(table, empty), "bad-length", by=cheat.seat)


def test_a_log_that_ends_with_a_draw_has_the_same_place_for_both() -> None:
    """When the players reconnect, they compare their places: nothing is lost, and neither side is
    ahead."""
    match = one_hand()
    k = match.find(m.Share)
    seats = [match.seat_at(seat, k) for seat in (0, 1)]
    places = [position_of(seat.entries, seat.table.table_id) for seat in seats]
    assert places[0] == places[1]
    assert places[0].sequence == k - 1
    assert match.table_at(k).awaiting is Awaiting.SHARE


def test_a_match_without_disclosed_seeds_is_settled_but_not_audited() -> None:
    """Case 10: both players have signed the score, but the log is still incomplete."""
    match: RecordedMatch = one_hand()
    first = match.find(m.Disclose)
    for k in (first, first + 1):
        verdict = judge(match.entries[:k])
        assert verdict.finding is Finding.INCOMPLETE
        assert verdict.table.awaiting is Awaiting.DISCLOSE
        assert verdict.table.match.finished
        assert verdict.culprit is None
    assert judge(match.entries).finding is Finding.VALID
