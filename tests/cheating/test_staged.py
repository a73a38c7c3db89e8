"""Real hands that chance hardly ever deals: every card is really held, every opening is valid, and
only the rules contradict the claim (cases 19 and 20 of tests/campaign/cases.txt)."""

from __future__ import annotations

import pytest

from ginpeer.referee.referee import Finding, judge
from ginpeer.referee.table import Awaiting
from ginpeer.referee.transitions import Violation
from ginpeer.rules.cards import parse_card
from ginpeer.rules.match import View
from ginpeer.rules.moves import Discard, DrawStock, Move, TakeUpcard
from ginpeer.rules.ruleset import parse_ruleset
from ginpeer.rules.score import Outcome
from protocol import messages as m
from tests.cheating.cheat import Cheat, cheat_in, mover, numbers, play, stacked, steady
from tests.matches.table_pair import TablePair
from tests.refusals import code_of

pytestmark = pytest.mark.usefixtures("in_the_toy_group_unless_deep")


def knocking(pair: TablePair, melds: list[str], discard: str | None) -> tuple[Cheat, bytes]:
    """Sign a knock by the player to move, with valid openings and any melds. Return the player as a
    cheat, and the entry."""
    seat = mover(pair).seat
    cheat, table = cheat_in(pair, seat.seat), seat.table
    thrown = None if discard is None else int(parse_card(discard))
    return cheat, cheat.sign(table, cheat.knock(table, map(numbers, melds), thrown))


def convicts(pair: TablePair, cheat: Cheat, raw: bytes, code: str) -> None:
    """Check that the opponent's seat closes on this entry, and that its evidence convicts the
    cheat."""
    honest = pair.performers[1 - cheat.seat]
    log = tuple(honest.seat.entries)
    honest.perform(honest.seat.receive(raw))
    assert (honest.closed.code, honest.closed.failure) == (code, "B")
    assert tuple(honest.seat.entries) == log
    assert not honest.outbox
    verdict = judge(honest.evidence)
    assert (verdict.finding, verdict.code) == (Finding.FORGED, code)
    assert (verdict.culprit, verdict.entries) == (cheat.seat, len(log))


# 4c can end one run, begin the other, or join a set that doesn't exist:
#
#      Ac 2c 3c 4c            Kc  (with Ac 2c: no run)
#      4c 5c 6c
#      9d 9h 9s
NEAR_GIN = "Kc Ac 2c 4c 5c 6c 9d 9h 9s 2d"
JUNK = "Kd Qh Ts 8c 7h 6s 4d 3h Jc 8d"


@pytest.mark.parametrize(
    ("taken", "meld", "discard", "code"),
    [
        ("Qc", "KcAc2c", "2d", "not-a-meld"),
        ("Qc", "QcKcAc", "2d", "not-a-meld"),
        ("3c", "Ac2d3c", "Kc", "not-a-meld"),  # a run needs one suit
        ("3c", "2c3c4c", "Kc", "card-used-twice"),  # 4c fits two runs
    ],
)
def test_a_meld_against_the_rules_is_refused_even_when_held(
    taken: str, meld: str, discard: str, code: str
) -> None:
    pair = stacked(NEAR_GIN, JUNK, taken)
    play(pair, "take")
    cheat, raw = knocking(pair, [meld, "4c5c6c", "9d9h9s"], discard)
    convicts(pair, cheat, raw, code)


def test_the_same_hand_melded_by_the_rules_is_gin() -> None:
    """This isn't an attack: the melds are Ac to 6c and the nines, 2d is left over, and Kc is
    discarded."""
    pair = stacked(NEAR_GIN, JUNK, "3c")
    play(pair, "take", "knock Kc melds Ac2c3c4c5c6c 9d9h9s deadwood 2d")
    assert mover(pair).seat.table.awaiting is Awaiting.SPREAD


def test_deadwood_cannot_be_concealed() -> None:
    """Cards that are shown but neither melded nor discarded count: a king, a queen and a two."""
    pair = stacked(NEAR_GIN, JUNK, "Qc")
    play(pair, "take")
    cheat, raw = knocking(pair, ["4c5c6c", "9d9h9s"], "2d")
    convicts(pair, cheat, raw, "knock-over-limit")


# --- big gin -------------------------------------------------------------------------------

#      3c 4c 5c 6c
#      7d 7h 7s
#      Kd Kh Ks + Kc
ELEVEN = "3c 4c 5c 6c 7d 7h 7s Kd Kh Ks"
DEFENDER = "7c 2c 8d 8h 8s Qd Jh 9s 2d Ah"  # 7c fits the sevens and the run, 2c the run


def big_gin() -> TablePair:
    pair = stacked(ELEVEN, DEFENDER, "Kc")
    play(pair, "take", "knock melds 3c4c5c6c 7d7h7s KcKdKhKs")
    return pair


def test_big_gin_is_played_to_a_valid_log() -> None:
    pair = big_gin()
    pair.play(steady)
    assert pair.host.closed == pair.guest.closed
    verdict = judge(pair.guest.seat.entries)
    assert verdict.finding is Finding.VALID
    result = verdict.table.match.results[0]
    # 8d 8h 8s are a meld; 7c 2c Qd Jh 9s 2d Ah count 7 + 2 + 10 + 10 + 9 + 2 + 1.
    assert (result.kind, result.points, result.defender_deadwood) == (Outcome.BIG_GIN, 31 + 41, 41)


@pytest.mark.parametrize(("card", "meld"), [("7c", 1), ("7c", 0), ("2c", 0)])
def test_nothing_is_laid_off_against_big_gin_though_it_would_fit(card: str, meld: int) -> None:
    pair = big_gin()
    seat = mover(pair).seat
    cheat, table = cheat_in(pair, seat.seat), seat.table
    cards = cheat.hand(table)
    hand = table.deck.hands[cheat.seat]
    message = m.Spread(
        cards,
        (numbers("8d8h8s"),),
        (m.LayOff(int(parse_card(card)), meld),),
        cheat.opening(table, list(zip(hand, cards, strict=True))),
    )
    convicts(pair, cheat, cheat.sign(table, message), "layoff-on-gin")


def test_eleven_cards_with_one_left_over_are_not_big_gin() -> None:
    pair = stacked(ELEVEN, DEFENDER, "Qc")
    play(pair, "take")
    cheat, raw = knocking(pair, ["3c4c5c6c", "7d7h7s", "KdKhKs"], None)
    convicts(pair, cheat, raw, "no-discard")


def test_eleven_melded_cards_with_one_discarded_are_only_gin() -> None:
    """All eleven cards meld, but one is discarded: that is gin, not big gin, and legal."""
    pair = stacked(ELEVEN, DEFENDER, "Kc")
    play(pair, "take", "knock 3c melds 4c5c6c 7d7h7s KcKdKhKs")
    pair.play(steady)
    result = pair.host.seat.table.match.results[0]
    assert (result.kind, result.points) == (Outcome.GIN, 25 + 41)


# --- lay-offs --------------------------------------------------------------------------------

#      3c 4c 5c     knocker          6c 7c  chain on the run, 8c would be the next but one
#      9d 9h 9s                      9c     the fourth nine
#      Kd Kh Ks
#      2d           deadwood 2
KNOCKER = "3c 4c 5c 9d 9h 9s Kd Kh Ks 2d"
LAYER = "6c 7c 9c Jd Jh 8s 4d Ah 6h Qs"


def knocked() -> tuple[TablePair, Cheat]:
    """Return a hand in which the knocker draws 5h, which is useless, and discards it to knock; the
    defender cheats."""
    pair = stacked(KNOCKER, LAYER, "Tc", stock="5h")
    play(pair, "pass", "pass", "draw", "knock 5h melds 3c4c5c 9d9h9s KdKhKs deadwood 2d")
    return pair, cheat_in(pair, mover(pair).seat.seat)


MISFITS = [
    ([("7c", 0)], "layoff-does-not-fit"),  # 6c must come first
    ([("7c", 0), ("6c", 0)], "layoff-does-not-fit"),
    ([("6c", 1)], "layoff-does-not-fit"),
    ([("9c", 0)], "layoff-does-not-fit"),
    ([("9c", 2)], "layoff-does-not-fit"),
    ([("9c", 3)], "layoff-does-not-fit"),
    ([("6c", 0), ("7c", 0), ("6h", 0)], "layoff-does-not-fit"),
    ([("9c", 1), ("9c", 1)], "card-used-twice"),
]


def test_a_layoff_must_fit_when_it_is_laid() -> None:
    pair, cheat = knocked()
    table = pair.host.seat.table
    cards = cheat.hand(table)
    opening = cheat.opening(table, list(zip(table.deck.hands[cheat.seat], cards, strict=True)))
    referee = pair.performers[cheat.seat].seat._referee
    for layoffs, code in MISFITS:
        laid = tuple(m.LayOff(int(parse_card(card)), meld) for card, meld in layoffs)
        raw = cheat.sign(table, m.Spread(cards, (), laid, opening))
        with pytest.raises(Violation) as caught:
            referee.admit(raw)
        assert (caught.value.code, caught.value.seat) == (code, cheat.seat)
    convicts(pair, cheat, raw, code)


def test_a_chain_of_layoffs_is_legal() -> None:
    pair, cheat = knocked()
    play(pair, "spread layoff 6c@0 9c@1 7c@0 deadwood JdJh8s4dAh6hQs")
    result = pair.performers[cheat.seat].seat.table.match.results[0]
    assert result.defender_deadwood == 10 + 10 + 8 + 4 + 1 + 6 + 10


# --- hands that nobody wins ------------------------------------------------------------------


def test_a_void_hand_is_dealt_again_by_the_same_dealer_from_new_seeds() -> None:
    """Four turns in a row begin with a card from the pile, which is the limit in this match."""
    rules = parse_ruleset("standard target=1 swap-limit=4")
    pair = TablePair("m10", rules, m.Disclosure.AFTER_HAND)

    def swapping(view: View) -> Move:
        if view.match.results:
            return steady(view)
        legal = view.sensible_moves()
        throws = [move for move in legal if isinstance(move, Discard)]
        return throws[0] if throws else TakeUpcard()

    pair.play(swapping)
    table = pair.host.seat.table
    assert pair.host.closed == pair.guest.closed
    assert pair.host.closed.code == "finished"
    assert table.match.results[0].kind is Outcome.VOID
    assert table.hand_number >= 2
    dealers = {
        event.before.hand_number: event.author
        for event in pair.host.shown
        if isinstance(event.message, m.DealCommit)
    }
    assert dealers[1] == dealers[2]
    for performer in pair.performers:
        assert len(set(performer.seeds.values())) == len(performer.seeds)


def test_a_hand_is_drawn_down_to_the_wall_and_no_further() -> None:
    """There are 29 draws, each with its own share; the last two cards of the stock are never
    opened."""
    pair = TablePair("m10")

    def drawing(view: View) -> Move:
        legal = view.sensible_moves()
        if DrawStock() in legal:
            return DrawStock()
        throws = [move for move in legal if isinstance(move, Discard)]
        return throws[-1] if throws else legal[0]

    draws = 0
    for performer, move in pair.turns(drawing):
        draws += move == DrawStock()
        if performer.seat.table.match.results:
            break
    table = pair.host.seat.table
    assert table.match.results[0].kind is Outcome.VOID
    assert draws == 29
    assert table.hand_number == 2
    assert table.deck.drawn == 0


def test_the_stacked_matches_fail_the_audit() -> None:
    """If seeds are disclosed, the audit detects the shuffles that made these hands possible."""
    pair = stacked(ELEVEN, DEFENDER, "Kc", disclosure=m.Disclosure.AFTER_MATCH)
    assert code_of(Violation, pair.play, steady) == "audit-failed"
