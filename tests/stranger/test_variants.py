"""The program and the stranger follow the same matches by every rule set, and refuse the same lies.

Long matches are judged without their proofs; four short logs with all of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from ginpeer.referee.table import Awaiting, Table
from ginpeer.referee.transitions import final_score
from ginpeer.rules import moves
from ginpeer.rules.cards import CARDS, cards_of, mask_of
from ginpeer.rules.melds import melding
from ginpeer.rules.moves import Move
from ginpeer.rules.presets import parse_ruleset
from ginpeer.rules.view import View
from protocol import messages as m
from tests.campaign.rule_sets import RULE_SETS
from tests.peer.cheat import Cheat, RecordedMatch, steady
from tests.peer.table_pair import Chooser, TablePair
from tests.peer.variants import laying
from tests.stranger import log
from tests.stranger.compared import Both

# --- whole matches, without proofs --------------------------------------------------------------

# The rule sets of the campaigns, with targets of a few hands.
SHORT = {
    "standard": "standard target=30",
    "classic": "classic target=30",
    "tournament": "tournament target=10 best-of=3",
    "oklahoma": "oklahoma target=30",
    "oklahoma-floating": "oklahoma-floating target=30",
    "straight": "straight target=10",
    "tedesco": "tedesco target=15",
    "around-the-corner": "around-the-corner target=30",
    "mahjong": "mahjong target=60",
    "hollywood": "hollywood target=10",
    "multi-match": "multi-match target=10 multi-match=200",
    "oklahoma knock-limit=second-deck next-dealer=loser": (
        "oklahoma knock-limit=second-deck next-dealer=loser target=30"
    ),
    "standard first-dealer=guest next-dealer=winner opening=either-pile": (
        "standard first-dealer=guest next-dealer=winner opening=either-pile target=30"
    ),
    "oklahoma hollywood multi-match": "oklahoma hollywood multi-match=250 target=10",
    "classic lead-of-fifty-loses=yes stake=5": "classic lead-of-fifty-loses=yes stake=5 target=20",
    "tedesco columns=1 hands=6": "tedesco columns=1 hands=2",
    "mahjong runs-wrap=yes wall=last-discard": "mahjong runs-wrap=yes wall=last-discard target=60",
}
STATES = {
    "accept": Awaiting.ACCEPT,
    "cut commit": Awaiting.CUT_COMMIT,
    "cut value": Awaiting.CUT_VALUE,
    "cut reveal": Awaiting.CUT_REVEAL,
    "deal 1": Awaiting.DEAL_COMMIT,
    "deal 2": Awaiting.DEAL_KEY,
    "deal 3": Awaiting.DEAL_DECK,
    "deal 4": Awaiting.DEAL_SHUFFLE,
    "deal 5": Awaiting.DEAL_SHARES,
    "first upcard": Awaiting.UPCARD,
    "second upcard": Awaiting.UPCARD,
    "stock draw": Awaiting.DRAW,
    "draw": Awaiting.DRAW,
    "share": Awaiting.SHARE,
    "discard": Awaiting.DISCARD,
    "last chance": Awaiting.LAST_CHANCE,
    "spread": Awaiting.SPREAD,
    "settle": Awaiting.SETTLE,
    "disclose": Awaiting.DISCLOSE,
    "end": Awaiting.NOTHING,
}
IN_PLAY = ("first upcard", "second upcard", "stock draw", "draw", "discard", "last chance")
PROOFS = {"bad-length", "bad-encoding", "bad-proof"}  # what a match without proofs believes


def swapping(view: View) -> Move:
    """Takes from the pile what the other threw, until that ends the hand."""
    throws = [move for move in view.legal_moves() if isinstance(move, moves.Discard)]
    return throws[0] if throws else moves.TakeUpcard()


@cache
def played(text: str, player: Chooser, disclosure: m.Disclosure) -> RecordedMatch:
    return RecordedMatch.of(TablePair(text, parse_ruleset(text), disclosure).play(player))


def follow(match: RecordedMatch) -> Iterator[tuple[int, Both]]:
    """Both before each entry, and after the last; they agree on the way about what is awaited."""
    both = Both(log.Match(unproven=True), (), Table())
    for k, (raw, step) in enumerate(zip(match.entries, match.steps, strict=True)):
        yield k, both
        assert both.agree(raw) == ("admitted", step.after.owed_by)
        stranger, table = both.stranger, both.referee.table
        assert STATES[stranger.state] is table.awaiting
        if stranger.state in IN_PLAY:
            assert stranger.hand.pile == [int(card) for card in table.hand.pile]
            sizes = [len(held) for held in stranger.hand.deck.held]
            assert sizes == [len(hand) for hand in table.deck.hands]
    yield len(match), both


@pytest.mark.parametrize("rules", RULE_SETS)
def test_both_follow_a_match_and_refuse_the_same_lies(rules: str) -> None:
    """Entry by entry; at many of them the player who owes it lies, or resigns."""
    rng = random.Random(rules)
    disclosure = rng.choice(list(m.Disclosure))
    player = laying if "mahjong" in rules else steady
    match = played(SHORT[rules], player, disclosure)
    said: Counter[str] = Counter()
    for k, both in follow(match):
        table = both.referee.table
        if k == len(match):
            break
        for lie in lies(match, k, rng):
            said[judge_lie(both.copy(), match.author(k).sign(table, lie))] += 1
        if "resign" in log.ADMITTED[both.stranger.state] and rng.random() < 0.05:
            resign(match, both.copy(), table.owed_by)
    assert both.stranger.verdict()["verdict"] == "valid"
    assert both.referee.table.finished
    assert said["wrong-score"] >= 4
    assert sum(said[code] for code in said if code not in PROOFS) > 20


def judge_lie(both: Both, raw: bytes) -> str:
    """The code by which the referee refuses, and the stranger too, unless it is for a proof."""
    stranger, referee = both.admit(raw)
    if referee[0] in PROOFS:
        assert stranger in (referee, ("admitted", both.stranger.owes))
    else:
        assert stranger == referee, (len(both.referee.entries), raw.hex())
    code: str = referee[0]
    return code


def resign(match: RecordedMatch, both: Both, seat: int) -> None:
    """The match given up here: its disclosures, and both signatures under its score."""
    entry: m.Message = m.Resign()
    while entry is not None:
        table = both.referee.table
        cheat = match.cheat(seat)
        assert both.agree(cheat.sign(table, entry))[0] == "admitted"
        seat, entry = both.referee.table.owed_by, _due(match, both.referee.table)
    assert both.stranger.verdict()["verdict"] == "valid"


def _due(match: RecordedMatch, table: Table) -> m.Message | None:
    """What is owed where no move is."""
    if table.awaiting is Awaiting.SETTLE:
        return final_score(table)
    if table.awaiting is Awaiting.DISCLOSE:
        owed = table.disclosed_next(table.owed_by)
        return m.Disclose(tuple(match.seeds[table.owed_by][number] for number in owed))
    return None


# --- lies that the rules refuse ------------------------------------------------------------------


def lies(match: RecordedMatch, k: int, rng: random.Random) -> list[m.Message]:
    """Some messages that an honest player might not have sent in the place of entry k."""
    table, honest, cheat = match.table_at(k), match.steps[k].message, match.author(k)
    often = rng.random() < 0.3
    match honest:
        case m.Accept():
            return [replace(honest, rules="standard target=1000")]
        case m.DealCommit() | m.DealKey() | m.DealDeck() if often:
            return [replace(honest, toss=b""), replace(honest, toss=bytes(32))]
        case m.Pass() | m.TakeUpcard() | m.DrawStock() | m.TakeDiscards() if often:
            taking = _a_taking(cheat, table, rng)
            return [m.Pass(), m.TakeUpcard(), m.DrawStock(), taking, _a_lay(cheat, table, rng)]
        case m.Discard() | m.Knock() | m.Lay() if often or not isinstance(honest, m.Discard):
            thrown = m.Discard(b"", b"", 0, rng.randrange(52), b"")
            lays = [_a_lay(cheat, table, rng) for _ in range(4 if table.hand.rules.mahjong else 1)]
            return [thrown, _a_knock(cheat, table, rng), _a_knock(cheat, table, rng), *lays]
        case m.Spread():
            return [_a_spread(honest, rng) for _ in range(10)]
        case m.Settle():
            winners = [replace(honest, winner=winner) for winner in m.Winner]
            swapped = (honest.guest_total, honest.host_total)
            return [
                *(lie for lie in winners if lie != honest),
                replace(honest, hands=honest.hands + 1),
                replace(honest, host_total=honest.host_total + 1),
                replace(honest, guest_total=-1 - honest.guest_total),
                replace(honest, host_total=swapped[0], guest_total=swapped[1] + 1),
            ]
        case m.Disclose(seeds):
            others = [(), (*seeds, bytes(32)), seeds[1:], (bytes(32), *seeds[1:])]
            return [m.Disclose(other) for other in others]
    return []


def _numbers(mask: int) -> tuple[int, ...]:
    return tuple(int(card) for card in cards_of(mask))


def _a_knock(cheat: Cheat, table: Table, rng: random.Random) -> m.Knock:
    """With the own cards, mostly, melded as well as can be, mostly."""
    cards, ways = list(cheat.hand(table)), melding(table.hand.rules)
    if rng.random() < 0.1:
        cards[0] = rng.randrange(52)
    hand = mask_of(CARDS[card] for card in cards)
    _, best = ways.best_discards(hand)
    discard = rng.choice([None, int(best[0]), int(best[0]), int(best[0]), rng.choice(cards)])
    kept = hand if discard is None else hand & ~CARDS[discard].bit
    melds = list(map(_numbers, rng.choice(ways.arrangements(kept))))
    if melds and rng.random() < 0.2:
        melds.append(melds[0])
    if rng.random() < 0.1:
        melds.append(tuple(sorted(rng.sample(cards, 3))))
    return m.Knock(b"", b"", tuple(cards), discard, tuple(melds), b"")


def _a_spread(honest: m.Spread, rng: random.Random) -> m.Spread:
    cards = honest.cards
    some = tuple(sorted(rng.sample(cards, min(3, len(cards)))))
    layoff = m.LayOff(rng.choice(cards), rng.randrange(4))
    return rng.choice(
        [
            replace(honest, melds=()),
            replace(honest, layoffs=()),
            replace(honest, melds=(*honest.melds, some)),
            replace(honest, melds=(some,), layoffs=()),
            replace(honest, layoffs=(*honest.layoffs, layoff)),
            replace(honest, melds=(), layoffs=(layoff,)),
            replace(honest, cards=cards[1:]),
            replace(honest, cards=(rng.randrange(52), *cards[1:])),
        ]
    )


def _a_lay(cheat: Cheat, table: Table, rng: random.Random, taken: tuple[int, ...] = ()) -> m.Lay:
    """Of the own cards, true melds and others, on melds that lie there or not."""
    hand = [*cheat.hand(table), *taken]
    found = melding(table.hand.rules).melds_in(mask_of(CARDS[card] for card in hand))
    melds = [_numbers(meld) for meld in rng.sample(found, min(len(found), rng.randrange(3)))]
    if rng.random() < 0.1:
        melds.append(tuple(sorted(rng.sample(hand, min(3, len(hand))))))
    left = [card for card in hand if not any(card in meld for meld in melds)]
    adds = [m.LayOff(card, rng.randrange(7)) for card in left if rng.random() < 0.2]
    cards = [card for meld in melds for card in meld] + [add.card for add in adds]
    if not cards or rng.random() < 0.1:
        cards.append(rng.randrange(52))
    return m.Lay(
        *(b"", b"", tuple(range(len(cards))), tuple(cards), tuple(melds), tuple(adds), b"")
    )


def _a_taking(cheat: Cheat, table: Table, rng: random.Random) -> m.TakeDiscards:
    count = rng.randrange(2, 6)
    taken = tuple(int(card) for card in table.hand.pile[-count:])
    return m.TakeDiscards(count, _a_lay(cheat, table, rng, taken))
